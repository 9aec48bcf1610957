"""True positive rate against false positive rate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calibrated_metrics import spaces
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.displays.curve import CurveDisplay, Limits
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.band import recall_limits_at_fpr

if TYPE_CHECKING:
    from matplotlib.lines import Line2D

__all__ = ["RocCurveDisplay"]


@dataclass(eq=False, repr=False, kw_only=True)
class RocCurveDisplay(CurveDisplay):
    """ROC curve with a pointwise band of the true positive rate at each false positive rate.

    It has the constructors, arguments and attributes of scikit-learn's display. The curve and its
    area are the same at every prior.

    Parameters
    ----------
    fpr, tpr : ndarray of shape (n_points,), or list of ndarray
        As `roc_curve` returns them, ascending. A list: several lines.
    roc_auc : float or list of float, default=None
        For the legend.
    name, pos_label, band, of_models
        As for `PrecisionRecallDisplay`, with the same artists.
    pi0 : None
        Not used.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics.displays import RocCurveDisplay
    >>> y_true = np.arange(2000) < 200
    >>> y_score = np.random.default_rng(0).normal(2 * y_true)
    >>> RocCurveDisplay.from_predictions(y_true, y_score).line_.get_label()
    'Classifier (AUC = 0.93)'
    """

    fpr: Any
    tpr: Any
    roc_auc: float | list[float] | None = None

    METRIC = "roc_auc"
    FIELDS = "fpr", "tpr", "roc_auc", "name"
    X, Y, AREA_LABEL = "fpr", "tpr", "AUC"
    CHANCE = 0.5
    QUANTITIES = "false positive rate", "true positive rate"
    AT_PRIOR = False

    @classmethod
    def _fields_of(cls, curve: ConfusionCurve, confidence_level: float | None) -> dict[str, Any]:
        fpr, tpr = spaces.roc(curve)
        area, band = Metric(cls.METRIC)(curve), cls._band_of(curve, confidence_level)
        return {"fpr": fpr, "tpr": tpr, "roc_auc": area, "band": band}

    @classmethod
    def _limits(cls, curve: ConfusionCurve, x: FloatArray, level: float) -> Limits:
        x = x[:-1]  # at a rate of 1, the other one is 1, too
        return (x, *recall_limits_at_fpr(curve, x, level))

    def _draw_chance_level(self, levels: list[float], style: Mapping[str, Any]) -> list[Line2D]:
        look = self._look_of_guide(f"Chance level (AUC = {levels[0]})", style)
        return self.ax_.plot((0, 1), (0, 1), **look)
