"""Precision, F1 and AUC-PR at a reference class prior.

One data structure, `ConfusionCurve`; calibration is one operation on it, ``at_prior``; every
score is a plain function of it. After Siblini, Fréry, He-Guelton, Oblé and Wang, *Master your
Metrics with Calibration*, IDA 2020, doi:10.1007/978-3-030-44584-3_36.
"""

from calibrated_metrics import metrics, scores, spaces
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.metrics import *  # noqa: F403
from calibrated_metrics.registry import register_score

__version__ = "0.1.0"
__all__ = [
    "ConfusionCurve",
    "ConfusionMatrix",
    "register_score",
    "scores",
    "spaces",
    *metrics.__all__,
]
