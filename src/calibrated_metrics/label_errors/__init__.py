"""Labels that are late or wrong: how often, and metrics that are corrected for their errors."""

from calibrated_metrics.label_errors.delays import known_by_age
from calibrated_metrics.label_errors.labels import LabelsWithErrors, from_predictions, prior
from calibrated_metrics.label_errors.reference import LabelRates, rates

__all__ = [
    "LabelRates",
    "LabelsWithErrors",
    "from_predictions",
    "known_by_age",
    "prior",
    "rates",
]
