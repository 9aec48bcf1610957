"""Planning by simulation: how many rows to label."""

from calibrated_metrics.planning.plans import Plan, rows_for

__all__ = ["Plan", "rows_for"]
