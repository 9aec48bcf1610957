"""A metric by period, and the parts of its change: prior and model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray, RandomState
from calibrated_metrics._comparison.changes import Counts, Labelled, named_periods, sample_of
from calibrated_metrics._intervals.asked import ScoreLike
from calibrated_metrics.comparison import explain_changes
from calibrated_metrics.displays._axes import (
    Styles,
    check_same,
    draw_curve,
    draw_legend,
    guide_look,
    label_once,
    prior_in_words,
    shown_name,
    stacked_axes,
    styles_of,
)
from calibrated_metrics.displays._tables import (
    COLUMNS_OF_CHANGES,
    Measured,
    Series,
    check_same_values,
    label_of,
    level_of,
    measured_of,
    parts_of,
    reference_of,
    rows_of,
    single_metric,
    without_limits,
)
from calibrated_metrics.uncertainty import interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer, ErrorbarContainer
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

__all__ = ["ChangeDisplay", "Series"]

_LOOKS = {"prior_part": ("prior part", ""), "model_part": ("model part", "////")}
_BAR_WIDTH = 0.36
_MOST_TICKS = 12
_LONGEST = 24  # characters in the label of a period
_LONG_LABELS = 36  # characters in all labels of the periods


class ChangeDisplay:
    """A metric by period with its intervals, and why it changed: prior part and model part.

    Use `from_changes`, `from_values` or `from_periods`.

    Parameters
    ----------
    periods : list
        Names of the periods, in their order.
    measured : Series
        The metric of each period.
    parts : dict of str to Series, default=None
        "prior_part" and "model_part" of the change from the reference to each period.
    reference : float, default=None
        The metric of the reference.
    confidence_level : float in (0, 1), default=0.95
        Level of the intervals, for the legend.
    score_label : str, default="value"
        Label of the ordinate.
    name : str, default=None
        Name of the model in the legend.

    Attributes
    ----------
    periods, measured, parts, reference, confidence_level
        As given.
    line_ : matplotlib Line2D
        The values.
    interval_ : matplotlib ErrorbarContainer
    reference_ : matplotlib Line2D or None
    bars_ : dict of str to matplotlib BarContainer
        The prior parts and the model parts.
    missing_ : list of matplotlib Text
        Marks of the periods without a value.
    ax_ : matplotlib Axes of the values
    parts_ax_ : matplotlib Axes of the parts, or None
    axes_ : list of the matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    calibrated_metrics.comparison.explain_changes : The parts and their intervals.

    Notes
    -----
    The two parts of a period add up to its change from the reference. Each interval holds for its
    period alone; over many periods, some intervals miss the true value. The model part includes
    every change of the scores within a class.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import numpy as np
    >>> from calibrated_metrics import comparison
    >>> from calibrated_metrics.displays import ChangeDisplay
    >>> rng = np.random.default_rng(0)
    >>> months = {}
    >>> for month, prior in (("May", 0.1), ("June", 0.05), ("July", 0.02)):
    ...     y_true = rng.random(5000) < prior
    ...     months[month] = y_true, rng.normal(2 * y_true)
    >>> changes = comparison.explain_changes(months, "average_precision")
    >>> display = ChangeDisplay.from_changes(changes)
    >>> display.periods
    ['June', 'July']
    >>> display.parts["prior_part"].value.round(2)
    array([-0.12, -0.3 ])
    >>> plt.close(display.figure_)
    """

    line_: Line2D
    interval_: ErrorbarContainer
    reference_: Line2D | None
    bars_: dict[str, BarContainer]
    missing_: list[Any]
    ax_: Axes
    parts_ax_: Axes | None
    axes_: list[Axes]
    figure_: Figure | SubFigure

    def __init__(
        self,
        periods: Sequence[Any],
        measured: Series,
        *,
        parts: Mapping[str, Series] | None = None,
        reference: float | None = None,
        confidence_level: float = 0.95,
        score_label: str = "value",
        name: str | None = None,
    ):
        self.periods, self.measured, self.parts = list(periods), measured, dict(parts or {})
        self.reference, self.score_label, self.name = reference, score_label, name
        self.confidence_level = confidence_level

    # --------------------------------------------------------------------------- constructors

    @classmethod
    def from_changes(
        cls,
        changes: Any,
        *,
        values: Any = None,
        period: str | None = None,
        confidence_level: float | None = None,
        name: str | None = None,
        ax: Axes | Sequence[Axes] | NDArray[Any] | None = None,
        curve_kwargs: Styles = None,
        **plot_options: Any,
    ) -> Self:
        """Plot the result of `comparison.explain_changes`.

        Parameters
        ----------
        changes : list of dict, DataFrame of pandas or polars, or Table of Arrow
            Rows of `comparison.explain_changes`.
        values : DataFrame, default=None
            Result of `comparison.by_group` with ``pi0=None``, for the intervals of the values and
            for the value of the reference period. None: the values have no intervals.
        period : str, default=None
            For a result of `by_group`: the column with the names of the periods.
        confidence_level : float in (0, 1), default=None
            Level of the intervals in `changes` and `values`. None: the level that the tables hold,
            or 0.95 for tables without a column `confidence_level`.
        name : str, default=None
            Name of the model in the legend.
        ax : None, matplotlib Axes or a pair of them, default=None
            As for `plot`.
        curve_kwargs : dict, default=None
            Style of the line of the values.
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
            For tables without the columns of these functions, for several metrics, or if `values`
            were measured at other priors than `changes`.
        """
        rows = rows_of("changes", changes, COLUMNS_OF_CHANGES)
        level = level_of("changes", rows, confidence_level)
        metric = single_metric("changes", [row["metric"] for row in rows])
        by_period = {row["period"]: row for row in rows}
        if len(by_period) < len(rows):
            raise ValueError(
                f"changes must have one row for each period, got {len(rows)} rows of "
                f"{len(by_period)} periods"
            )
        if values is None:
            measured = Measured(list(by_period), without_limits(rows), metric, level)
        else:
            measured = measured_of(values, period, metric, level)
            check_same_values(measured, by_period)
        display = cls(
            measured.periods,
            measured.values,
            parts=parts_of([by_period.get(each, {}) for each in measured.periods]),
            reference=reference_of(rows),
            confidence_level=level,
            score_label=label_of(metric),
            name=name,
        )
        return display.plot(ax, curve_kwargs=curve_kwargs, **plot_options)

    @classmethod
    def from_values(
        cls,
        values: Any,
        *,
        period: str | None = None,
        metric: str | None = None,
        confidence_level: float | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
        **plot_options: Any,
    ) -> Self:
        """Plot the result of `comparison.by_group`.

        Parameters
        ----------
        values : DataFrame
            Result of `comparison.by_group`.
        period : str, default=None
            For a result of `by_group`: the column with the names of the periods.
        metric : str, default=None
            The metric to draw, if there are several.
        confidence_level : float in (0, 1), default=None
            Level of the intervals. None: the level that the table holds, or 0.95 without it.
        name : str, default=None
            Name of the model in the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on, such as `ax_` of another display. None makes a new figure.
        curve_kwargs : dict, default=None
            Style of the line of the values.
        **plot_options
            Further arguments of `plot`.

        Returns
        -------
        The display, which has been plotted. It has no parts.

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError, TypeError
            For a table without the columns of `by_group`, or a metric that is not in it.
        """
        measured = measured_of(values, period, metric, confidence_level)
        at_prior = "" if measured.pi0 is None else f" at {prior_in_words(measured.pi0)}"
        display = cls(
            measured.periods,
            measured.values,
            confidence_level=measured.confidence_level,
            score_label=f"{label_of(measured.metric)}{at_prior}",
            name=name,
        )
        return display.plot(ax, curve_kwargs=curve_kwargs, **plot_options)

    @classmethod
    def from_periods(
        cls,
        periods: Mapping[Any, Counts | Labelled] | Sequence[Counts | Labelled],
        score: ScoreLike,
        *,
        reference: Any = None,
        confidence_level: float = 0.95,
        n_resamples: int = 1000,
        rng: RandomState = None,
        name: str | None = None,
        ax: Axes | Sequence[Axes] | NDArray[Any] | None = None,
        curve_kwargs: Styles = None,
        **plot_options: Any,
    ) -> Self:
        """Measure periods and plot them.

        Parameters
        ----------
        periods, score, reference, confidence_level, n_resamples, rng
            As for `comparison.explain_changes`.
        name : str, default=None
            Name of the model in the legend.
        ax : None, matplotlib Axes or a pair of them, default=None
            As for `plot`.
        curve_kwargs : dict, default=None
            Style of the line of the values.
        **plot_options
            Further arguments of `plot`.

        Returns
        -------
        The display, which has been plotted. The intervals of the values are those of
        `uncertainty.interval`, which take the priors as known.

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError, TypeError
            As `comparison.explain_changes`.

        Warns
        -----
        IntervalWarning
            As `comparison.explain_changes`.
        """
        options: dict[str, Any] = {
            "confidence_level": confidence_level,
            "n_resamples": n_resamples,
            "rng": _checks.generator("rng", rng),
        }
        rows = explain_changes(periods, score, reference=reference, **options)
        by_period = {row["period"]: row for row in rows}
        samples = {each: sample_of(data).data for each, data in named_periods(periods).items()}
        limits = {}
        for each, data in samples.items():
            row = by_period.get(each)
            if data is not None and (row is None or math.isfinite(row["value"])):
                estimate = interval(score, data, **options)
                limits[each] = estimate.value, estimate.low, estimate.high
        columns = np.array([limits.get(each, (math.nan,) * 3) for each in samples]).T
        display = cls(
            list(samples),
            Series(*columns),
            parts=parts_of([by_period.get(each, {}) for each in samples]),
            reference=reference_of(rows),
            confidence_level=confidence_level,
            score_label=label_of(rows[0]["metric"] if rows else "value"),
            name=name,
        )
        return display.plot(ax, curve_kwargs=curve_kwargs, **plot_options)

    # ------------------------------------------------------------------------------- drawing

    def plot(
        self,
        ax: Axes | Sequence[Axes] | NDArray[Any] | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Styles = None,
        plot_parts: bool = True,
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : None, matplotlib Axes or a pair of them, default=None
            Axes of the values and of the parts. A single Axes is divided in two, unless there are
            no parts to draw. None makes a new figure.
        name : str, default=None
            Name in the legend; None is the `name` of the display.
        curve_kwargs : dict, default=None
            Style of the line of the values: keywords of ``Axes.plot``.
        plot_parts : bool, default=True
            Whether to draw the parts.

        Returns
        -------
        The display.

        Raises
        ------
        ImportError
            Without matplotlib.
        ValueError, TypeError
            For arguments of another type, an Axes without a place in a grid that would have to be
            divided, or one with other periods or with the parts of another display.
        """
        n_axes = 2 if self.parts and plot_parts else 1
        self.axes_ = stacked_axes(ax, n_axes)
        if n_axes == 2 and self.axes_[1].containers:
            raise ValueError(
                "ax must not hold the bars of another display, which these bars would hide: "
                "set plot_parts=False"
            )
        self.ax_, self.parts_ax_ = self.axes_[0], self.axes_[1] if n_axes == 2 else None
        self.figure_ = self.ax_.figure
        for axes in self.axes_:
            check_same(axes, "the x-axis", [_name_of(each) for each in self.periods])
        self._draw_values(self.name if name is None else name, curve_kwargs)
        self.bars_ = {} if self.parts_ax_ is None else self._draw_parts(self.parts_ax_)
        for axes in self.axes_:
            self._name_periods(axes)
            draw_legend(axes, ncols=3)
        if len(self.axes_) > 1 and self.ax_.get_shared_x_axes().joined(*self.axes_):
            self.ax_.tick_params(labelbottom=False)
        return self

    @property
    def _places(self) -> FloatArray:
        return np.arange(len(self.periods), dtype=np.float64)

    @property
    def _look_of_intervals(self) -> dict[str, Any]:
        """Error bars, which have no caps if these would touch those of the next period."""
        if len(self.periods) > _MOST_TICKS:
            return {"elinewidth": 0.7, "capsize": 0}
        return {"elinewidth": 1, "capsize": 2}

    def _draw_values(self, name: str | None, curve_kwargs: Styles) -> None:
        ax, value = self.ax_, self.measured.value
        (style,) = styles_of(curve_kwargs, 1)
        label = self.score_label if name is None else shown_name(name)
        look = {"marker": "o", "label": label, **style}
        self.line_ = draw_curve(ax, self._places, value, look)
        self.interval_ = ax.errorbar(
            self._places,
            value,
            yerr=_distances(self.measured),
            fmt="none",
            ecolor=self.line_.get_color(),
            **self._look_of_intervals,
            label=label_once(ax, f"{100 * self.confidence_level:.6g} % interval"),
        )
        self.reference_ = None
        if self.reference is not None:
            look = guide_look(ax) | {"linestyle": (0, (4, 3)), "label": label_once(ax, "reference")}
            self.reference_ = ax.axhline(self.reference, **look)
        self.missing_ = [
            ax.text(
                place,
                0.03,
                "no value",
                transform=ax.get_xaxis_transform(),
                rotation=90,
                ha="center",
                va="bottom",
                fontsize="x-small",
            )
            for place in self._places[np.isnan(value)]
        ]
        ax.set_ylabel(self.score_label)

    def _draw_parts(self, ax: Axes) -> dict[str, BarContainer]:
        ax.axhline(0, **guide_look(ax))
        bars = {}
        for number, (part, (label, hatch)) in enumerate(_LOOKS.items()):
            series = self.parts[part]
            bars[part] = ax.bar(
                self._places + (number - 0.5) * _BAR_WIDTH,
                series.value,
                _BAR_WIDTH,
                yerr=_distances(series),
                color=f"C{number + 1}",
                hatch=hatch,
                label=label_once(ax, label),
                edgecolor=ax.get_facecolor(),
                linewidth=0,
                error_kw={"ecolor": ax.xaxis.label.get_color(), **self._look_of_intervals},
            )
        ax.set_ylabel("change")
        return bars

    def _name_periods(self, ax: Axes) -> None:
        step = -(-len(self.periods) // _MOST_TICKS)
        names = map(_name_of, self.periods[::step])
        labels = [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…" for name in names]
        is_long = sum(map(len, labels)) > _LONG_LABELS
        ax.set_xticks(
            self._places[::step],
            labels,
            rotation=45 if is_long else 0,
            ha="right" if is_long else "center",
        )
        ax.set_xlim(-0.5, len(self.periods) - 0.5)


def _distances(series: Series) -> FloatArray:
    """Lengths of error bars, NaN where there is no interval."""
    value, low, high = series
    return np.maximum([value - low, high - value], 0)


def _name_of(period: Any) -> str:
    """The name of a period; a day without its time."""
    return str(period).removesuffix(" 00:00:00")
