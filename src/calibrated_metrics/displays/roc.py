"""True positive rate against false positive rate."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np

from calibrated_metrics import spaces
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.displays.curve import CurveDisplay
from calibrated_metrics.uncertainty.band import recall_limits_at_fpr

__all__ = ["RocCurveDisplay"]


class RocCurveDisplay(CurveDisplay):
    """ROC curve with a pointwise band of the true positive rate at each false positive rate.

    The curve and its area (AUC-ROC) are the same at every prior.

    Parameters
    ----------
    x, y : ndarray of shape (n_points,)
        Points of the line, ascending; also the attributes `fpr` and `tpr`.
    pi0, of_data, band
        As for `PrecisionRecallDisplay`, with the same artists.
    area : float, default=None
        AUC-ROC, for the legend.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics.displays import RocCurveDisplay
    >>> y_true = np.arange(2000) < 200
    >>> y_score = np.random.default_rng(0).normal(2 * y_true)
    >>> RocCurveDisplay.from_predictions(y_true, y_score).line_.get_label()
    'AUC-ROC = 0.93'
    """

    METRIC = "roc_auc"
    LEGEND_BELOW = True
    QUANTITIES = "false positive rate", "true positive rate"
    DEPENDS_ON_PRIOR = False

    fpr = property(attrgetter("x"), doc="False positive rates.")
    tpr = property(attrgetter("y"), doc="True positive rates.")

    @staticmethod
    def _points(curve: ConfusionCurve) -> tuple[FloatArray, FloatArray]:
        return spaces.roc(curve)

    @classmethod
    def _limits(cls, curve: ConfusionCurve, x: FloatArray, level: float) -> Any:
        x = x[:-1]  # at a rate of 1, the other one is 1, too
        return (x, *recall_limits_at_fpr(curve, x, level))

    def _draw_chance_level(self) -> Any:
        ends = np.array([0.0, 1.0])
        return self._guide(ends, ends, "chance level")
