"""The achievable precision-recall curve beside the curve of the ranking."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from calibrated_metrics import scores, spaces
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import CurveLike, as_curve
from calibrated_metrics.displays.drawing import (
    at_prior,
    axes_of,
    draw_legend,
    draw_line,
    include,
    number,
    set_ylabel,
    shown,
)
from calibrated_metrics.displays.ranking import RankingDisplay
from calibrated_metrics.thresholds import achievable_on_test

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AchievableDisplay"]

Points: TypeAlias = tuple[FloatArray, FloatArray]


@dataclass(eq=False, repr=False)
class AchievableDisplay(RankingDisplay):
    """Achievable precision-recall curve at a reference prior, beside the curve itself.

    The achievable curve is the convex hull in ROC space: its points between two thresholds are
    achieved by choosing one of the two decisions at random (Davis & Goadrich, ICML 2006, Corollary
    3.1, doi:10.1145/1143844.1143874). Thresholds chosen on the plotted sample are optimistic; the
    argument `test` of `from_curve` applies them to other data. There is no band. The lines are
    `line_`, `vertices_` and `curve_line_`, on the Axes `ax_` of `figure_`.

    Parameters
    ----------
    recall, precision : ndarray of shape (n_points,)
        Points of the achievable curve, by ascending recall.
    vertices, ranking : pair (recall, precision) of ndarrays
        The achievable curve at its thresholds, and the curve of the ranking.
    pi0, of_data
        As for `PrecisionRecallDisplay`.
    area : float, default=None
        Area under the achievable curve, for the legend.
    on_test : bool, default=False
        Whether the thresholds of the achievable curve were chosen on other data.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics.displays import AchievableDisplay
    >>> y_true = np.arange(2000) % 10 == 0
    >>> y_score = np.random.default_rng(0).normal(2 * y_true)
    >>> tuning, test = (y_true[:1000], y_score[:1000]), (y_true[1000:], y_score[1000:])
    >>> display = AchievableDisplay.from_curve(tuning, test=test, pi0=0.05)
    >>> display.line_.get_label()
    'achievable, test data\\n(area = 0.57)'
    """

    recall: FloatArray
    precision: FloatArray
    _: KW_ONLY
    vertices: Points
    ranking: Points
    pi0: float
    of_data: bool = False
    area: float | None = None
    on_test: bool = False

    @classmethod
    def from_curve(
        cls,
        curve: CurveLike,
        *,
        test: CurveLike | None = None,
        pi0: float | None = None,
        **options: Any,
    ) -> Self:
        """Plot a curve and its achievable curve.

        Parameters
        ----------
        curve : ConfusionCurve or pair (y_true, y_score)
            Its thresholds must be known if `test` is given.
        test : ConfusionCurve or pair (y_true, y_score), default=None
            Test data, scored by the same model. If given, both lines show the test data, and the
            achievable one uses the thresholds of the hull of `curve`.
        pi0 : None or float in (0, 1), default=None
            Reference prior. None: the prior of the plotted data.
        **options : arguments of `plot`
        """
        curve = as_curve("curve", curve)
        drawn = curve if test is None else as_curve("test", test)
        drawn = drawn if pi0 is None else drawn.at_prior(pi0)
        achievable = drawn.hull() if test is None else achievable_on_test(curve, drawn)
        display = cls(
            *spaces.recall_precision(spaces.interpolated(achievable)),
            vertices=spaces.recall_precision(achievable),
            ranking=spaces.recall_precision(spaces.interpolated(drawn)),
            pi0=drawn.prior,
            of_data=not drawn.prior_is_known,
            area=scores.pr_auc(achievable),
            on_test=test is not None,
        )
        return display.plot(**options)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the display; `ax` and `name` as for `PrecisionRecallDisplay.plot`.

        `kwargs` are keywords of ``Axes.plot`` for the achievable curve.
        """
        ax = self.ax_ = axes_of(ax)
        self.figure_ = ax.figure
        include(ax, (0, 0), (1, 1))
        ax.set_xlabel("recall")
        set_ylabel(ax, at_prior("precision", self.pi0, self.of_data), "precision")
        label, of_ranking = self._labels(name)
        self.line_ = draw_line(ax, self.recall, self.precision, {"label": label, **kwargs})
        colour = self.line_.get_color()
        (self.vertices_,) = ax.plot(*self.vertices, "o", markersize=3, color=colour)
        thin: dict[str, Any] = {"linewidth": 0.7, "color": colour, "label": of_ranking}
        (self.curve_line_,) = ax.plot(*self.ranking, **thin)
        draw_legend(ax)
        return self

    def _labels(self, name: str | None) -> tuple[str, str]:
        kind = "achievable, test data" if self.on_test else "achievable"
        area = "" if self.area is None else f"area = {number(self.area)}"
        if name is None:
            return shown(kind, area), "ranking"
        return shown(f"{name}, {kind}", area), shown(name, "ranking")
