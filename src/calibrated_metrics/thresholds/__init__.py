"""Operating points: thresholds with a guarantee, and unbiased achievable curves."""

from calibrated_metrics.thresholds.achievable import achievable_on_test, hull_thresholds
from calibrated_metrics.thresholds.choose import choose_threshold
from calibrated_metrics.thresholds.point import OperatingPoint

__all__ = ["OperatingPoint", "achievable_on_test", "choose_threshold", "hull_thresholds"]
