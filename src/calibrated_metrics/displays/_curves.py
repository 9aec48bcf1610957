"""Displays of precision against recall or of their gains: lines, bands and guide lines."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.displays._axes import (
    Style,
    Styles,
    axes_of,
    draw_band,
    draw_curve,
    draw_legend,
    drawn_once,
    guide_look,
    include,
    label_at_right_end,
    label_once,
    labelled,
    name_axis,
    number,
    one_or_all,
    prior_in_words,
    styles_of,
)
from calibrated_metrics.displays._inputs import Ranking, fold_rankings
from calibrated_metrics.displays._rankings import OfRanking

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["Band", "CurveDisplay"]


class Band(NamedTuple):
    """Pointwise limits of a curve.

    Attributes
    ----------
    x, low, high : ndarray of shape (n_points,)
        Abscissas, and the limits there.
    confidence_level : float
        Nominal probability that the limits at one abscissa contain the true value.
    """

    x: FloatArray
    low: FloatArray
    high: FloatArray
    confidence_level: float


class CurveDisplay(OfRanking):
    """A curve of one model with its band, or one curve for each fold.

    Parameters
    ----------
    curves : list of ConfusionCurve
        One curve, or one for each fold, all at the reference prior.
    name : str, default=None
        Name of the model in the legend.
    band : Band, default=None
        Pointwise limits.
    """

    pi0: float
    name: str | None
    band: Band | None
    area: float | list[float]
    line_: Line2D | list[Line2D]
    band_: FillBetweenPolyCollection | None
    chance_level_: Line2D | None
    iso_f_: list[Line2D]
    ax_: Axes
    figure_: Figure | SubFigure

    def __init__(
        self, curves: Sequence[ConfusionCurve], *, name: str | None = None, band: Band | None = None
    ):
        self.pi0, self.name, self.band = curves[0].prior, name, band
        self._points = [self._points_of(each) for each in curves]
        self._areas = [self._area_of(each) for each in curves]
        self.area = one_or_all(self._areas)

    # --------------------------------------------------------------- what the subclasses know

    _AREA: ClassVar[str]  # short name of the area in the legend
    _QUANTITIES: ClassVar[tuple[str, str]]  # of both axes

    @classmethod
    @abstractmethod
    def _points_of(cls, curve: ConfusionCurve) -> tuple[FloatArray, FloatArray]:
        """Coordinates of the line."""

    @classmethod
    @abstractmethod
    def _area_of(cls, curve: ConfusionCurve) -> float: ...

    @classmethod
    @abstractmethod
    def _band_of(cls, curve: ConfusionCurve, ranking: Ranking, level: float) -> Band: ...

    @property
    @abstractmethod
    def _chance_level(self) -> float:
        """Ordinate of a random ranking."""

    @property
    @abstractmethod
    def _default_iso_f(self) -> Sequence[float]: ...

    @abstractmethod
    def _iso_f_line(self, f1: float) -> tuple[FloatArray, FloatArray]:
        """Points with this F1 at the reference prior, from left to right."""

    # --------------------------------------------------------------------------- constructors

    @classmethod
    def from_curve(
        cls,
        curve: ConfusionCurve,
        *,
        pi0: float | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        confidence_level: float | None = 0.95,
        curve_kwargs: Styles = None,
        **plot_options: Any,
    ) -> Self:
        """Plot a curve, however it was obtained.

        Parameters
        ----------
        curve : ConfusionCurve
            Its prior does not matter if `pi0` is given.
        pi0 : None or float in (0, 1), default=None
            Reference prior, also called prevalence. None is the prior of the curve.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on. None makes a new figure.
        confidence_level : float in (0, 1) or None, default=0.95
            Level of the pointwise band. None draws no band.
        curve_kwargs : dict, default=None
            Style of the line: keywords of ``Axes.plot``.
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
            For arguments outside their range, or a curve whose weights are not whole numbers: its
            band needs the rows, as `from_predictions` has them.
        """
        return cls._drawn(
            Ranking(curve),
            pi0=pi0,
            name=name,
            ax=ax,
            confidence_level=confidence_level,
            curve_kwargs=curve_kwargs,
            **plot_options,
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        pi0: float | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        pos_label: Any = 1,
        response_method: str = "auto",
        sample_weight: ArrayLike | None = None,
        curve_kwargs: Styles = None,
        **plot_options: Any,
    ) -> Self:
        """Plot the test rows of each fold of a cross-validation.

        All folds are drawn at one prior. There is no band, since folds share their training rows.

        Parameters
        ----------
        cv_results : dict
            Result of scikit-learn's `cross_validate` with ``return_estimator=True`` and
            ``return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            The data that were given to `cross_validate`.
        y : array-like of shape (n_samples,)
            Binary labels of any type.
        pi0 : None or float in (0, 1), default=None
            Reference prior, also called prevalence. None is the prior of `y`.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on. None makes a new figure.
        pos_label : scalar, default=1
            Label of the positive class.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            As for `from_estimator`.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights.
        curve_kwargs : dict or list of dict, default=None
            Style of all lines, which then have one legend entry with the mean and the standard
            deviation of the areas; or a list with the style of each fold, which then has its own
            legend entry.
        **plot_options
            Further arguments of `plot`.

        Returns
        -------
        The display, which has been plotted. Its `line_` is a list.

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError, TypeError
            As `from_estimator`, and for results without estimators or indices, or of other data.
        """
        rankings = fold_rankings(
            cv_results,
            X,
            y,
            pos_label=pos_label,
            response_method=response_method,
            sample_weight=sample_weight,
        )
        if pi0 is None:
            n_pos = sum(each.curve.n_pos for each in rankings)
            pi0 = n_pos / (n_pos + sum(each.curve.n_neg for each in rankings))
        display = cls([each.at(pi0) for each in rankings], name=name)
        return display.plot(ax, curve_kwargs=curve_kwargs, **plot_options)

    @classmethod
    def _drawn(
        cls,
        ranking: Ranking,
        *,
        pi0: float | None,
        name: str | None,
        ax: Axes | None = None,
        confidence_level: float | None = 0.95,
        **plot_options: Any,
    ) -> Self:
        curve = ranking.at(pi0)
        band = None
        if confidence_level is not None:
            level = _checks.level("confidence_level", confidence_level)
            band = cls._band_of(curve, ranking, level)
        return cls([curve], name=name, band=band).plot(ax, **plot_options)

    # ------------------------------------------------------------------------------- drawing

    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Styles = None,
        band_kwargs: Style | None = None,
        plot_chance_level: bool = True,
        chance_level_kwargs: Style | None = None,
        iso_f: Sequence[float] | None = None,
    ) -> Self:
        """Draw the display.

        Guide lines that another display has drawn on the same axes are not drawn again.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on, such as `ax_` of another display. None makes a new figure.
        name : str, default=None
            Name in the legend; None is the `name` of the display.
        curve_kwargs : dict or list of dict, default=None
            Style of the line: keywords of ``Axes.plot``. For folds, see `from_cv_results`.
        band_kwargs : dict, default=None
            Style of the band: keywords of ``Axes.fill_between``.
        plot_chance_level : bool, default=True
            Whether to draw the value of a random ranking.
        chance_level_kwargs : dict, default=None
            Style of this line.
        iso_f : sequence of float in (0, 1), default=None
            Values of F1 at the reference prior whose lines are drawn; empty for none. None takes
            four values.

        Returns
        -------
        The display.

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError, TypeError
            For arguments outside their range.
        """
        self.ax_ = axes_of(ax)
        self.figure_ = self.ax_.figure
        self._set_up(self.ax_)
        lines = self._draw_lines(self.name if name is None else name, curve_kwargs)
        self.line_ = one_or_all(lines)
        self.band_ = self._draw_band(lines[0], band_kwargs)
        self.chance_level_ = None
        if plot_chance_level:
            self.chance_level_ = self._draw_chance_level(chance_level_kwargs)
        self.iso_f_ = self._draw_iso_f(self._default_iso_f if iso_f is None else iso_f)
        draw_legend(self.ax_)
        return self

    def _set_up(self, ax: Axes) -> None:
        for axis, quantity in zip("xy", self._QUANTITIES, strict=True):
            name_axis(ax, axis, quantity, prior_in_words(self.pi0) if axis == "y" else None)
        include(ax, (0, 0), (1, 1))

    def _draw_lines(self, name: str | None, curve_kwargs: Styles) -> list[Line2D]:
        styles = styles_of(curve_kwargs, len(self._points))
        looks = _looks(name, self._AREA, self._areas, one_entry=not isinstance(curve_kwargs, list))
        lines: list[Line2D] = []
        for (x, y), look, style in zip(self._points, looks, styles, strict=True):
            if lines and not isinstance(curve_kwargs, list):
                look |= {"color": lines[0].get_color(), "linestyle": lines[0].get_linestyle()}
            lines.append(draw_curve(self.ax_, x, y, {**look, **style}))
        return lines

    def _draw_band(self, line: Line2D, style: Style | None) -> FillBetweenPolyCollection | None:
        if self.band is None:
            return None
        x, low, high, level = self.band
        return draw_band(self.ax_, x, low, high, line, style, level)

    def _draw_chance_level(self, chance_level_kwargs: Style | None) -> Line2D:
        ax, level = self.ax_, self._chance_level
        (style,) = styles_of(chance_level_kwargs, 1)
        look = {**guide_look(ax), "linestyle": (0, (4, 3)), "label": f"chance level, {level:.3g}"}
        key = ("chance level", level)
        return drawn_once(ax, key, lambda: ax.axhline(level, **{**look, **style}))

    def _draw_iso_f(self, values: Sequence[float]) -> list[Line2D]:
        return [self._draw_iso_f_line(_checks.open_unit("iso_f", value)) for value in values]

    def _draw_iso_f_line(self, f1: float) -> Line2D:
        ax = self.ax_
        x, y = self._iso_f_line(f1)

        def draw() -> list[Any]:
            look = {**guide_look(ax), "linewidth": 0.5, "alpha": 0.6}
            (line,) = ax.plot(x, y, label=label_once(ax, "constant F1"), **look)
            return [line, label_at_right_end(ax, x[-1], y[-1], f"{f1:.2g}")]

        line: Line2D = drawn_once(ax, ("F1", f1, float(y[-1])), draw)[0]
        return line


def _looks(
    name: str | None, area: str, values: Sequence[float], *, one_entry: bool
) -> list[dict[str, Any]]:
    """Labels of the lines, and the style of folds: one legend entry for all, or one for each."""
    if len(values) == 1:
        return [{"label": labelled(name, f"{area} = {number(values[0])}")}]
    if one_entry:
        spread = f"{number(float(np.mean(values)))} ± {number(float(np.std(values)))}"
        labels = [labelled(name, f"{area} = {spread}"), *["_nolegend_"] * (len(values) - 1)]
        return [{"label": label, "alpha": 0.6, "linewidth": 1} for label in labels]
    folds = [
        f"fold {index}" if name is None else f"{name}, fold {index}" for index in range(len(values))
    ]
    return [
        {"label": labelled(fold, f"{area} = {number(value)}"), "linewidth": 1}
        for fold, value in zip(folds, values, strict=True)
    ]
