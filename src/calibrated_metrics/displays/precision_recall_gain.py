"""Precision gain against recall gain at a reference prior."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from calibrated_metrics import spaces
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.displays.curve import CurveDisplay, Limits
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.band import limits_at_recall
from calibrated_metrics.uncertainty.estimate import Scale

__all__ = ["PrecisionRecallGainDisplay"]


@dataclass(eq=False, repr=False)
class PrecisionRecallGainDisplay(CurveDisplay):
    """Precision-recall-gain curve at a reference prior, with a pointwise band.

    The gain of a rate v at the prior π₀ is ``(v - π₀) / ((1 - π₀) v)`` (Flach & Kull,
    "Precision-Recall-Gain Curves: PR Analysis Done Right", NIPS 2015). Straight lines between the
    points are exact. Points with a recall below the prior are not part of the curve.

    Parameters
    ----------
    precision_gain, recall_gain : ndarray of shape (n_points,), or list of ndarray
        Points of the line, by ascending recall gain from 0.
    prg_auc : float or list of float, default=None
        AUC-PR Gain, for the legend.
    name, pos_label, pi0, band, of_models
        As for `PrecisionRecallDisplay`, with the same artists. The limits of the band are gains.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics.displays import PrecisionRecallGainDisplay
    >>> y_true = np.arange(2000) < 200
    >>> y_score = np.random.default_rng(0).normal(2 * y_true)
    >>> display = PrecisionRecallGainDisplay.from_predictions(y_true, y_score, pi0=0.1)
    >>> display.line_.get_label()
    'Classifier (AUC-PR Gain = 0.98)'
    """

    precision_gain: Any
    recall_gain: Any
    _: KW_ONLY
    prg_auc: float | list[float] | None = None

    METRIC = "prg_auc"
    FIELDS = "precision_gain", "recall_gain", "prg_auc", "name"
    X, Y, AREA_LABEL = "recall_gain", "precision_gain", "AUC-PR Gain"
    CHANCE = 0.0
    QUANTITIES = "recall gain", "precision gain"

    @classmethod
    def _fields_of(cls, curve: ConfusionCurve, confidence_level: float | None) -> dict[str, Any]:
        recall_gain, precision_gain = spaces.recall_precision_gain(curve)
        return {
            "precision_gain": precision_gain,
            "recall_gain": recall_gain,
            "prg_auc": Metric(cls.METRIC)(curve),
            "band": cls._band_of(curve, confidence_level),
        }

    @classmethod
    def _limits(cls, curve: ConfusionCurve, x: FloatArray, level: float) -> Limits:
        recall = np.minimum(curve.prior / (1 - (1 - curve.prior) * x), 1.0)
        return (x, *limits_at_recall(curve, recall, level, _gain, Scale(-math.inf, 1.0)))


def _gain(recall: Any, fpr: Any, pi0: float) -> Any:
    """The gain of precision: the prior cancels out."""
    return 1 - fpr / recall
