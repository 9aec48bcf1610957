"""Precision gain against recall gain at a reference prior."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibrated_metrics import scores, spaces
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.displays._axes import one_or_all
from calibrated_metrics.displays._curves import Band, CurveDisplay
from calibrated_metrics.displays._inputs import Ranking

__all__ = ["PrecisionRecallGainDisplay"]


class PrecisionRecallGainDisplay(CurveDisplay):
    """Precision-recall-gain curve at a reference prior, with a pointwise band.

    Use `from_predictions`, `from_estimator`, `from_cv_results` or `from_curve`.

    Parameters
    ----------
    curves : list of ConfusionCurve
        One curve, or one for each fold, at the reference prior.
    name : str, default=None
        Name of the model in the legend.
    band : Band, default=None
        Pointwise limits: a tuple ``(x, low, high, confidence_level)``.

    Attributes
    ----------
    pi0 : float
        Reference prior, also called prevalence.
    recall_gain, precision_gain : ndarray of shape (n_points,)
        Points of the line, by ascending recall gain from 0. Lists of arrays for folds.
    area : float
        AUC-PR Gain. A list for folds.
    band : Band or None
        Recall gains and the limits of precision gain there.
    line_ : matplotlib Line2D, or a list of them for folds
    band_ : matplotlib FillBetweenPolyCollection or None
    chance_level_ : matplotlib Line2D or None
        Precision gain 0, that of a random ranking.
    iso_f_ : list of matplotlib Line2D
        Lines of constant F1, which are straight.
    ax_, figure_ : matplotlib Axes and Figure

    See Also
    --------
    calibrated_metrics.precision_recall_gain_curve : The points at the thresholds.
    PrecisionRecallDisplay : The same confusion matrices as precision and recall.

    Notes
    -----
    The gain of a rate v at the prior π₀ is ``(v - π₀) / ((1 - π₀) v)`` (Flach & Kull, 2015).
    Straight lines between the points are exact. Points with a recall below the prior are not part
    of the curve. The four default lines of constant F1 have the F1 gains 0.5, 0.7, 0.8 and 0.9
    and are labelled with their F1. The first is reached by predicting everything positive.

    The band is that of `PrecisionRecallDisplay`, with its recalls and precisions as gains.

    References
    ----------
    Flach & Kull, "Precision-Recall-Gain Curves: PR Analysis Done Right", NIPS 2015.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from calibrated_metrics.displays import PrecisionRecallGainDisplay
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(2000) < 200
    >>> y_score = rng.normal(2 * y_true)
    >>> display = PrecisionRecallGainDisplay.from_predictions(y_true, y_score, pi0=0.1)
    >>> display.line_.get_label()
    'AUC-PR Gain = 0.98'
    >>> plt.close(display.figure_)
    """

    _AREA = "AUC-PR Gain"
    _QUANTITIES = "recall gain", "precision gain"

    @property
    def recall_gain(self) -> FloatArray | list[FloatArray]:
        return one_or_all([x for x, _ in self._points])

    @property
    def precision_gain(self) -> FloatArray | list[FloatArray]:
        return one_or_all([y for _, y in self._points])

    @classmethod
    def _points_of(cls, curve: ConfusionCurve) -> tuple[FloatArray, FloatArray]:
        return spaces.precision_recall_gain(curve)

    @classmethod
    def _area_of(cls, curve: ConfusionCurve) -> float:
        return scores.prg_auc(curve)

    @classmethod
    def _band_of(cls, curve: ConfusionCurve, ranking: Ranking, level: float) -> Band:
        recall, low, high = ranking.fpr_limits(curve, level, least_recall=curve.prior)
        gain = spaces.recall_gain(curve, recall * curve.n_pos)
        return Band(gain, 1 - high / recall, 1 - low / recall, level)

    @property
    def _chance_level(self) -> float:
        return 0.0

    @property
    def _default_iso_f(self) -> Sequence[float]:
        return [self.pi0 / (1 - (1 - self.pi0) * gain) for gain in (0.5, 0.7, 0.8, 0.9)]

    def _iso_f_line(self, f1: float) -> tuple[FloatArray, FloatArray]:
        twice = 2 * (f1 - self.pi0) / ((1 - self.pi0) * f1)
        recall_gain = np.linspace(max(twice - 1, 0.0), min(twice, 1.0), 201)
        return recall_gain, twice - recall_gain
