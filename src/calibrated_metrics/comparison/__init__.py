"""Metrics of models, groups and periods of a data set, and why a metric changed."""

from calibrated_metrics.comparison.change import Change, explain_change, explain_changes
from calibrated_metrics.comparison.groups import by_group
from calibrated_metrics.comparison.report import Report, classification_report

__all__ = [
    "Change",
    "Report",
    "by_group",
    "classification_report",
    "explain_change",
    "explain_changes",
]
