"""Estimates with confidence intervals: one metric, or the difference of two."""

from calibrated_metrics.uncertainty.budget import precision_recall_at_top
from calibrated_metrics.uncertainty.difference import difference, p_value
from calibrated_metrics.uncertainty.estimate import Estimate, IntervalWarning
from calibrated_metrics.uncertainty.interval import interval

__all__ = [
    "Estimate",
    "IntervalWarning",
    "difference",
    "interval",
    "p_value",
    "precision_recall_at_top",
]
