"""Cumulative gains and lift at a reference prior."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrated_metrics import _checks, spaces
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.displays.curve import CurveDisplay
from calibrated_metrics.displays.drawing import Band, at_prior

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["GainsDisplay"]

_KINDS = {"gains": "cumulative gains (recall)", "lift": "lift (recall / alert rate)"}


class GainsDisplay(CurveDisplay):
    """Cumulative gains at a reference prior: recall against the alert rate, with a pointwise band.

    The alert rate is the share of all cases that are predicted positive, π₀ TPR + (1 - π₀) FPR.
    Lift is recall divided by the alert rate, which equals precision divided by π₀ and is at most 1
    / π₀. A random part of tied scores is predicted positive, so the line is straight between
    thresholds. The artists are `line_`, `band_` and `chance_level_`, on `ax_` of `figure_`.

    Parameters
    ----------
    alert_rate, recall : ndarray of shape (n_points,)
        Points of the line, by ascending alert rate, in [0, 1].
    pi0, of_data, band
        As for `PrecisionRecallDisplay`; the limits are those of recall, by alert rate.
    area : float, default=None
        AUC-ROC; the area between the line and chance is (AUC-ROC - 0.5)(1 - π₀).

    Examples
    --------
    Lift of the 5 % of cases with the highest scores, at the prior 0.01:

    >>> import numpy as np
    >>> from calibrated_metrics.displays import GainsDisplay
    >>> y_true = np.arange(2000) < 200
    >>> y_score = np.random.default_rng(0).normal(2 * y_true)
    >>> display = GainsDisplay.from_predictions(y_true, y_score, pi0=0.01, kind="lift")
    >>> recall = np.interp(0.05, display.alert_rate, display.recall)
    >>> print(f"{100 * recall:.0f} % of the positives, a lift of {recall / 0.05:.0f}")
    65 % of the positives, a lift of 13
    """

    METRIC = "roc_auc"
    QUANTITIES = "alert rate (share of cases)", _KINDS["gains"]

    alert_rate = property(attrgetter("x"), doc="Alert rates.")
    recall = property(attrgetter("y"), doc="Recalls.")

    def plot(
        self, ax: Axes | None = None, *, name: str | None = None, kind: str = "gains", **kwargs: Any
    ) -> Self:
        """Draw the display.

        `kind` is "gains" or "lift". The other arguments are those of `PrecisionRecallDisplay.plot`.
        """
        _checks.one_of("kind", kind, _KINDS)
        self.kind = kind
        return super().plot(ax, name=name, **kwargs)

    @staticmethod
    def _points(curve: ConfusionCurve) -> tuple[FloatArray, FloatArray]:
        points = spaces.interpolated(curve)
        return (points.tp + points.fp) / (points.n_pos + points.n_neg), points.tp / points.n_pos

    @staticmethod
    def _recall(x: FloatArray, pi0: float) -> FloatArray:
        return x

    @staticmethod
    def _ordinate(recall: Any, fpr: Any, pi0: float) -> Any:
        return pi0 * recall + (1 - pi0) * fpr

    @classmethod
    def _band_of(cls, curve: ConfusionCurve, confidence_level: float) -> Band:
        """The recalls whose limits of the alert rate contain a given alert rate."""
        recall, least, most, level = super()._band_of(curve, confidence_level)
        least, most = np.maximum.accumulate(least), np.maximum.accumulate(most)
        x = np.unique(np.concatenate([recall, least, most]))
        low, high = (np.interp(x, np.append(0, end), np.append(0, recall)) for end in (most, least))
        return Band(x, low, high, level)

    def _ylabels(self) -> tuple[str, str]:
        return at_prior(_KINDS[self.kind], self.pi0, self.of_data), _KINDS[self.kind]

    def _drawn(self) -> tuple[FloatArray, FloatArray, Band | None]:
        if self.kind == "gains":
            return super()._drawn()
        x, recall, band = self.x[self.x > 0], self.y[self.x > 0], self.band
        band = band and band._replace(low=band.low / band.x, high=band.high / band.x)
        return x, recall / x, band

    def _draw_chance_level(self) -> Line2D:
        return self._guide([0, 1], [0 if self.kind == "gains" else 1, 1], "chance level")
