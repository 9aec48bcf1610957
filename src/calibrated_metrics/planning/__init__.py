"""Planning by simulation: how many rows to label, and how wide and reliable intervals are."""

from calibrated_metrics.planning.coverage import Coverage, check_coverage
from calibrated_metrics.planning.plans import Plan, rows_for

__all__ = ["Coverage", "Plan", "check_coverage", "rows_for"]
