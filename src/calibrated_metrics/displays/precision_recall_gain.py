"""Precision gain against recall gain at a reference prior."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

from calibrated_metrics import spaces
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.displays.curve import RecallDisplay
from calibrated_metrics.uncertainty.estimate import Scale

__all__ = ["PrecisionRecallGainDisplay"]


class PrecisionRecallGainDisplay(RecallDisplay):
    """Precision-recall-gain curve at a reference prior, with a pointwise band.

    The gain of a rate v at the prior π₀ is ``(v - π₀) / ((1 - π₀) v)`` (Flach & Kull,
    "Precision-Recall-Gain Curves: PR Analysis Done Right", NIPS 2015). Straight lines between the
    points are exact. Points with a recall below the prior are not part of the curve.

    Parameters
    ----------
    x, y : ndarray of shape (n_points,)
        Points of the line, by ascending recall gain from 0; also the attributes `recall_gain` and
        `precision_gain`.
    pi0, of_data, band
        As for `PrecisionRecallDisplay`, with the same artists. The limits of the band are gains.
    area : float, default=None
        AUC-PR Gain, for the legend.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics.displays import PrecisionRecallGainDisplay
    >>> y_true = np.arange(2000) < 200
    >>> y_score = np.random.default_rng(0).normal(2 * y_true)
    >>> display = PrecisionRecallGainDisplay.from_predictions(y_true, y_score, pi0=0.1)
    >>> display.line_.get_label()
    'AUC-PR Gain = 0.98'
    """

    METRIC = "prg_auc"
    QUANTITIES = "recall gain", "precision gain"
    SCALE = Scale(-math.inf, 1.0)

    recall_gain = property(attrgetter("x"), doc="Recall gains.")
    precision_gain = property(attrgetter("y"), doc="Precision gains.")

    @staticmethod
    def _points(curve: ConfusionCurve) -> tuple[FloatArray, FloatArray]:
        return spaces.recall_precision_gain(curve)

    @staticmethod
    def _recall(x: FloatArray, pi0: float) -> FloatArray:
        return pi0 / (1 - (1 - pi0) * x)

    @staticmethod
    def _ordinate(recall: Any, fpr: Any, pi0: float) -> Any:
        return 1 - fpr / recall
