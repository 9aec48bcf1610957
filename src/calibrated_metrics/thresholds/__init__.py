"""Operating points: thresholds with a guarantee."""

from calibrated_metrics.thresholds.choose import choose_threshold
from calibrated_metrics.thresholds.point import OperatingPoint

__all__ = ["OperatingPoint", "choose_threshold"]
