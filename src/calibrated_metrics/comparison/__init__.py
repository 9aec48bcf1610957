"""Metrics of groups and periods of a data set, and why a metric changed."""

from calibrated_metrics.comparison.change import Change, explain_change, explain_changes
from calibrated_metrics.comparison.groups import by_group

__all__ = ["Change", "by_group", "explain_change", "explain_changes"]
