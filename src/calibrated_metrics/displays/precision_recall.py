"""Precision against recall at a reference prior."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from calibrated_metrics import spaces
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.displays.curve import RecallDisplay

__all__ = ["PrecisionRecallDisplay"]


class PrecisionRecallDisplay(RecallDisplay):
    """Precision-recall curve at a reference prior, with a pointwise band.

    Between two thresholds, true and false positives grow together linearly (Davis & Goadrich, ICML
    2006, doi:10.1145/1143844.1143874, section 3.2). The area in the legend (AUC-PR) is average
    precision, a sum of steps. The probability that the band contains the whole curve is lower than
    its level. The reference prior is that of Siblini et al., IDA 2020,
    doi:10.1007/978-3-030-44584-3_36. The artists are `line_`, `band_` and `chance_level_`, on the
    Axes `ax_` of `figure_`.

    Each model on the same Axes has its own line style. The legend is below the axes if the figure
    has a layout, such as ``plt.subplots(layout="constrained")``.

    Parameters
    ----------
    x, y : ndarray of shape (n_points,)
        Points of the line, by ascending recall; also the attributes `recall` and `precision`.
    pi0 : float in (0, 1)
        Prior at which precision was computed, also called prevalence.
    of_data : bool, default=False
        Whether `pi0` is the prior of the data, not a reference prior.
    area : float, default=None
        Average precision, for the legend.
    band : Band, default=None
        Pointwise limits: a tuple ``(recall, low, high, confidence_level)``.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics.displays import PrecisionRecallDisplay
    >>> y_true = np.arange(2000) < 200
    >>> y_score = np.random.default_rng(0).normal(2 * y_true)
    >>> display = PrecisionRecallDisplay.from_predictions(y_true, y_score, pi0=0.01, name="model")
    >>> display.line_.get_label()
    'model (AUC-PR = 0.34)'
    """

    METRIC = "average_precision"
    LEGEND_BELOW = True
    QUANTITIES = "recall", "precision"

    recall = property(attrgetter("x"), doc="Recalls.")
    precision = property(attrgetter("y"), doc="Precisions.")

    @staticmethod
    def _points(curve: ConfusionCurve) -> tuple[FloatArray, FloatArray]:
        return spaces.recall_precision(spaces.interpolated(curve))

    @staticmethod
    def _recall(x: FloatArray, pi0: float) -> FloatArray:
        return x

    @staticmethod
    def _ordinate(recall: Any, fpr: Any, pi0: float) -> Any:
        return pi0 * recall / (pi0 * recall + (1 - pi0) * fpr)
