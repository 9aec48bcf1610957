"""The achievable precision-recall curve beside the curve of the ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from calibrated_metrics import scores, spaces
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.displays._axes import (
    Style,
    Styles,
    axes_of,
    draw_curve,
    draw_legend,
    include,
    labelled,
    name_axis,
    number,
    prior_in_words,
    styles_of,
)
from calibrated_metrics.displays._inputs import Ranking
from calibrated_metrics.displays._rankings import OfRanking
from calibrated_metrics.thresholds import achievable_on_test

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["AchievableDisplay"]


class AchievableDisplay(OfRanking):
    """Achievable precision-recall curve at a reference prior, beside the curve itself.

    The achievable curve is the convex hull in ROC space. Its points between two thresholds are
    reached by taking one of the two decisions at random. Use `from_predictions`, `from_estimator`
    or `from_curve`.

    Parameters
    ----------
    curve : ConfusionCurve
        Curve of the ranking at the reference prior.
    achievable : ConfusionCurve
        Achievable curve at the same prior.
    name : str, default=None
        Name of the model in the legend.
    on_test : bool, default=False
        Whether the thresholds of the achievable curve were chosen on other data.

    Attributes
    ----------
    pi0 : float
        Reference prior, also called prevalence.
    recall, precision : ndarray of shape (n_points,)
        Points of the achievable curve, by ascending recall.
    area : float
        Area under the achievable curve.
    line_ : matplotlib Line2D
        The achievable curve.
    vertices_ : matplotlib Line2D
        Markers at the thresholds of the achievable curve.
    curve_line_ : matplotlib Line2D
        The curve of the ranking.
    ax_, figure_ : matplotlib Axes and Figure

    See Also
    --------
    calibrated_metrics.thresholds.hull_thresholds : The thresholds of the achievable curve.
    calibrated_metrics.thresholds.achievable_on_test : The curve that `test` draws.

    Notes
    -----
    A hull over the sample that is drawn chooses its thresholds on this sample, which is optimistic.
    With `test`, the thresholds are chosen on the data of the display and the curve is drawn on the
    test data. No band is drawn: the choice of the thresholds has no interval.

    References
    ----------
    Davis & Goadrich, ICML 2006, Corollary 3.1, doi:10.1145/1143844.1143874.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from calibrated_metrics import ConfusionCurve
    >>> from calibrated_metrics.displays import AchievableDisplay
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(2000) % 10 == 0
    >>> y_score = rng.normal(2 * y_true)
    >>> test = ConfusionCurve.from_predictions(y_true[1000:], y_score[1000:])
    >>> display = AchievableDisplay.from_predictions(
    ...     y_true[:1000], y_score[:1000], pi0=0.05, test=test
    ... )
    >>> display.line_.get_label()
    'achievable, test data (area = 0.57)'
    >>> plt.close(display.figure_)
    """

    line_: Line2D
    vertices_: Line2D
    curve_line_: Line2D
    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(
        self,
        curve: ConfusionCurve,
        achievable: ConfusionCurve,
        *,
        name: str | None = None,
        on_test: bool = False,
    ):
        self.pi0, self.name, self.on_test = curve.prior, name, on_test
        self.area = scores.pr_auc(achievable)
        self.recall, self.precision = spaces.precision_recall(spaces.interpolated(achievable))
        self._vertices = spaces.precision_recall(achievable)
        self._points = spaces.precision_recall(spaces.interpolated(curve))

    @classmethod
    def from_curve(
        cls,
        curve: ConfusionCurve,
        *,
        test: ConfusionCurve | None = None,
        pi0: float | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
        **plot_options: Any,
    ) -> Self:
        """Plot a curve and its achievable curve.

        Parameters
        ----------
        curve : ConfusionCurve
            Curve of the ranking. With `test` its thresholds must be known.
        test : ConfusionCurve, default=None
            Curve of the same model's scores on test data. If given, both lines are those of the
            test data, and the achievable one has the thresholds of the hull of `curve`.
        pi0 : None or float in (0, 1), default=None
            Reference prior, also called prevalence. None is the prior of the data that are drawn.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on. None makes a new figure.
        curve_kwargs : dict, default=None
            Style of the achievable curve: keywords of ``Axes.plot``.
        **plot_options
            Further arguments of `plot`.

        Returns
        -------
        The display, which has been plotted.

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError, TypeError
            For arguments outside their range, or as `thresholds.achievable_on_test`.
        """
        return cls._drawn(
            Ranking(curve),
            test=test,
            pi0=pi0,
            name=name,
            ax=ax,
            curve_kwargs=curve_kwargs,
            **plot_options,
        )

    @classmethod
    def _drawn(
        cls,
        ranking: Ranking,
        *,
        pi0: float | None,
        name: str | None,
        ax: Axes | None = None,
        test: ConfusionCurve | None = None,
        **plot_options: Any,
    ) -> Self:
        if test is None:
            curve = ranking.at(pi0)
            achievable = curve.hull()
        else:
            curve = Ranking(test, "test").at(pi0)
            achievable = achievable_on_test(ranking.curve, curve)
        display = cls(curve, achievable, name=name, on_test=test is not None)
        return display.plot(ax, **plot_options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Styles = None,
        ranking_kwargs: Style | None = None,
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on, such as `ax_` of another display. None makes a new figure.
        name : str, default=None
            Name in the legend; None is the `name` of the display.
        curve_kwargs : dict, default=None
            Style of the achievable curve: keywords of ``Axes.plot``.
        ranking_kwargs : dict, default=None
            Style of the curve of the ranking.

        Returns
        -------
        The display.

        Raises
        ------
        ImportError
            Without matplotlib.
        TypeError
            For arguments of another type.
        """
        self.ax_ = axes_of(ax)
        self.figure_ = self.ax_.figure
        name_axis(self.ax_, "x", "recall")
        name_axis(self.ax_, "y", "precision", prior_in_words(self.pi0))
        include(self.ax_, (0, 0), (1, 1))
        name = self.name if name is None else name
        kind = "achievable, test data" if self.on_test else "achievable"
        (style,) = styles_of(curve_kwargs, 1)
        label = labelled(kind if name is None else f"{name}, {kind}", f"area = {number(self.area)}")
        self.line_ = draw_curve(self.ax_, self.recall, self.precision, {"label": label, **style})
        colour = self.line_.get_color()
        (self.vertices_,) = self.ax_.plot(
            *self._vertices, marker="o", markersize=3, linestyle="none", color=colour
        )
        (style,) = styles_of(ranking_kwargs, 1)
        look = {
            "label": labelled(name, "ranking"),
            "color": colour,
            "linewidth": 0.7,
            "linestyle": "-",
        }
        (self.curve_line_,) = self.ax_.plot(*self._points, **{**look, **style})
        draw_legend(self.ax_)
        return self
