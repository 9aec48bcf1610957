"""Data structures: `ConfusionMatrix`, and `ConfusionCurve`, the confusion matrices of a ranking.

ROC and precision-recall curves show the same confusion matrices (Davis & Goadrich, ICML 2006,
doi:10.1145/1143844.1143874). Calibration to a reference prior scales the weight of all negatives
(Siblini et al., IDA 2020, doi:10.1007/978-3-030-44584-3_36).
"""

from calibrated_metrics.confusion.counts import Population, PositiveSteps
from calibrated_metrics.confusion.curve import ConfusionCurve
from calibrated_metrics.confusion.data import CurveLike
from calibrated_metrics.confusion.matrix import ConfusionMatrix, Values

__all__ = [
    "ConfusionCurve",
    "ConfusionMatrix",
    "CurveLike",
    "Population",
    "PositiveSteps",
    "Values",
]
