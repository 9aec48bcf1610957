"""A metric by period, and the parts of its change due to the prior, the mix and the model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrated_metrics import _arguments
from calibrated_metrics._arguments import RandomState
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.comparison import explain_changes
from calibrated_metrics.comparison.change import named_periods
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.displays.base import Display
from calibrated_metrics.displays.curve import DASHED
from calibrated_metrics.displays.drawing import (
    MARKERS,
    draw_intervals,
    guide_look,
    label_once,
    mark_missing,
    n_of_lines,
    next_style,
    of_label,
    open_markers,
    set_ylabel,
    short_names,
    shown,
)
from calibrated_metrics.displays.period_tables import (
    Row,
    Series,
    label_of,
    lacks_interval,
    lengths_of_bars,
    number,
    of_metric,
    only,
    places_of,
    records_of,
    series,
)
from calibrated_metrics.rows import built
from calibrated_metrics.scores.metric import DataLike, Metric, MetricLike
from calibrated_metrics.uncertainty.estimate import Settings, warn_of
from calibrated_metrics.uncertainty.interval import estimate_or_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

__all__ = ["ChangeDisplay"]

_HATCHES = {"prior_part": "", "mix_part": "....", "model_part": "////"}
COLOR_OF_PARTS = {"prior_part": "#CC79A7", "mix_part": "#E69F00", "model_part": "#009E73"}
_WIDTH_OF_BARS = 0.72
_STEP = 0.12  # between the values of two models, of the distance of periods
_MOST_TICKS, _TICKS_PER_INCH = 12, 6
_COMPLETE = 0.95  # share of the positives that are known
_LETTERS_PER_INCH = 10
_SHORT = 16  # characters that fit beside the parts


@dataclass(eq=False, repr=False)
class ChangeDisplay(Display):
    """A metric by period with intervals, and the parts of its change.

    The parts of a period add up to its change from the reference. Each interval is for one period
    alone; with many periods, some intervals miss the true value. The artists of the values on `ax_`
    are `line_`, `interval_`, `withheld_` (values without an interval, with open diamonds),
    `reference_` and `missing_` (periods without a value), and those of the parts on `parts_ax_` are
    `bars_`, a dict.

    Parameters
    ----------
    periods : list
        Names of the periods, in their order. Dates, months such as "2024-05" and pandas Periods
        leave a hole where one is missing; other names are joined to their neighbours.
    measured : Series
        The metric of each period.
    parts : dict of str to Series, optional
        "prior_part" and "model_part" of the change from the reference to each period, and
        "mix_part" if there are segments.
    reference, reference_name : float and object, default=None
        The metric of the reference period, and the name of this period.
    confidence_level : float in (0, 1), default=None
        Level of the intervals, for the legend.
    score_label : str, default="value"
        Label of the ordinate.
    label_sensitivity : sequence of float, optional
        Share of the positives of each period that are known. Periods with less than 95 % have open
        markers (`incomplete_`).
    pos_label : object, default=None
        Label of the positives, named below the axis if it is not 1.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics.displays import ChangeDisplay
    >>> rng = np.random.default_rng(0)
    >>> months = {}
    >>> for month, prior in (("May", 0.1), ("June", 0.05), ("July", 0.02)):
    ...     y_true = rng.random(5000) < prior
    ...     months[month] = y_true, rng.normal(2 * y_true)
    >>> display = ChangeDisplay.from_periods("average_precision", months)
    >>> display.parts["prior_part"].value.round(2)
    array([  nan, -0.12, -0.3 ])
    """

    periods: Sequence[Any]
    measured: Series
    _: KW_ONLY
    parts: Mapping[str, Series] = field(default_factory=dict)
    reference: float | None = None
    reference_name: Any = None
    confidence_level: float | None = None
    score_label: str = "value"
    label_sensitivity: Sequence[float] = ()
    pos_label: Any = field(default=None, compare=False)

    @classmethod
    def from_changes(cls, changes: Any, **options: Any) -> Self:
        """Plot the result of `comparison.explain_changes`, whose values have no intervals.

        Parameters
        ----------
        changes : DataFrame, or list of dict
            Result of `comparison.explain_changes` for one metric.
        **options : arguments of `plot`
        """
        rows = records_of("changes", changes, ("period", "metric", "value", "reference_value"))
        metric, found = only("changes", "metric", rows), {row["period"]: row for row in rows}
        if len(found) < len(rows):
            raise ValueError(f"changes must have one row for each period, got {len(rows)} rows")
        return cls._of_rows(found, found, label_of(metric)).plot(**options)

    @classmethod
    def from_values(
        cls, values: Any, *, period: str, metric: str | Metric | None = None, **options: Any
    ) -> Self:
        """Plot the result of `comparison.by_group`, without parts of changes.

        Parameters
        ----------
        values : DataFrame
            Result of `comparison.by_group`.
        period : str
            Column with the names of the periods, in the order of the table. It is alphabetical for
            text such as "May 2024": group by Periods or an ordered Categorical.
        metric : str or Metric, default=None
            Name in the column `metric`, needed if there are several.
        **options : arguments of `plot`
        """
        rows, _, described = of_metric(values, [period], metric)
        periods, measured = [row[period] for row in rows], series(rows, "value")
        if len(set(periods)) < len(periods):
            raise ValueError(
                f"values must have one row for each {period!r}, got {len(rows)} rows of "
                f"{len(set(periods))}: draw each model, prior or group by a call of its own, with "
                "name= and ax=display.ax_"
            )
        known = [number(row.get("label_sensitivity", 1)) for row in rows]
        return cls(periods, measured, label_sensitivity=known, **described).plot(**options)

    @classmethod
    def from_periods(
        cls,
        metric: MetricLike,
        periods: Mapping[Any, DataLike] | Sequence[DataLike],
        *,
        reference: Any = None,
        pos_label: Any = None,
        confidence_level: float = 0.95,
        n_resamples: int = 1000,
        rng: RandomState = None,
        **options: Any,
    ) -> Self:
        """Measure periods, and plot them with the parts of their changes.

        Parameters
        ----------
        metric, periods, reference, pos_label, confidence_level, n_resamples, rng
            As for `comparison.explain_changes`.
        **options : arguments of `plot`
        """
        seed = int(_arguments.generator("rng", rng).integers(2**63))
        settings: dict[str, Any] = {"n_resamples": n_resamples, "rng": seed}
        settings |= {"confidence_level": confidence_level, "pos_label": pos_label}
        rows = explain_changes(metric, periods, reference=reference, **settings)
        asked, of_one = Metric(metric), Settings.of(confidence_level, "auto", n_resamples, seed)
        kind = ConfusionMatrix if asked._takes_labels else ConfusionCurve
        changes, measured = {row["period"]: row for row in rows}, {}
        for name, data in named_periods(periods).items():
            undefined = name in changes and math.isnan(changes[name]["value"])
            found = None
            if not undefined:
                rows_of_period = built("periods", data, kind, pos_label)
                found = estimate_or_value(asked, rows_of_period, None, of_one)
                warn_of(found.remarks)
            measured[name] = {each: getattr(found, each, math.nan) for each in Series._fields}
            measured[name]["confidence_level"] = confidence_level
        display = cls._of_rows(measured, changes, asked._label())
        display.pos_label = pos_label
        return display.plot(**options)

    @classmethod
    def _of_rows(
        cls, measured: Mapping[Any, Row], changes: Mapping[Any, Row], score_label: str
    ) -> Self:
        """A display of the values and the changes of periods, by their names."""
        rows = [changes.get(period, {}) for period in measured]
        others = [period for period in measured if period not in changes]
        references = [number(row["reference_value"]) for row in changes.values()]
        level = only("tables", "confidence_level", [*changes.values(), *measured.values()])
        has_intervals = any("low" in row for row in measured.values())
        has_mix = any("mix_part" in row for row in rows)
        parts = [part for part in _HATCHES if part != "mix_part" or has_mix]
        return cls(
            list(measured),
            series(list(measured.values()), "value"),
            parts={part: series(rows, part) for part in parts},
            reference=next((each for each in references if not math.isnan(each)), None),
            reference_name=others[0] if len(others) == 1 else None,
            confidence_level=level if has_intervals else None,
            score_label=score_label,
        )

    @property
    def _n_panels(self) -> int:
        return 2 if self.parts else 1

    def _draw(self, name: str | None, style: dict[str, Any]) -> None:
        if np.isnan(self.measured.value).all():
            raise ValueError("measured must hold a value, got NaN in each period; see its status")
        self.parts_ax_ = self.axes_[1] if len(self.axes_) > 1 else None
        for axes in self.axes_:
            _set_periods(axes, short_names(self.periods), self._places)
        if label := of_label("", self.pos_label):
            self.axes_[-1].set_xlabel(label.strip())
        self._draw_values(self.ax_, style if name is None else {"label": shown(name), **style})
        self.bars_ = {} if self.parts_ax_ is None else self._draw_parts(self.parts_ax_)

    @property
    def _names_of_reference(self) -> list[Any]:
        return [] if self.reference_name is None else [self.reference_name]

    @property
    def _places(self) -> FloatArray:
        return places_of(self.periods)

    @property
    def _look_of_intervals(self) -> dict[str, Any]:
        """Style of error bars, without caps if they would touch those of the next period."""
        many = self._places[-1] >= _MOST_TICKS
        return {"elinewidth": 0.7, "capsize": 0} if many else {"elinewidth": 1, "capsize": 2}

    def _draw_values(self, ax: Axes, style: dict[str, Any]) -> None:
        (value, low, _), index = self.measured, n_of_lines(ax)
        places = self._places + _STEP * (index % len(MARKERS))  # beside those of other models
        style = next_style(ax, {"label": self.score_label, **style})
        style = {"marker": MARKERS[index % len(MARKERS)], "markersize": 4, **style}
        holes = np.flatnonzero(np.diff(self._places) > 1) + 1
        broken = [np.insert(each, holes, np.nan) for each in (places, value)]
        (self.line_,) = ax.plot(*broken, **style)
        self.interval_ = self.reference_ = self.missing_ = None
        self.incomplete_ = self.withheld_ = None
        look = self._look_of_intervals
        if np.any(late := np.less(self.label_sensitivity, _COMPLETE)):
            own = self.line_.get_color(), self.line_.get_marker(), self.line_.get_markersize()
            at = places[late], value[late]
            self.incomplete_ = open_markers(ax, *at, "labels incomplete", *own)
        if (none := lacks_interval(self.measured, self.confidence_level)).any():
            at, color = (places[none], value[none]), self.line_.get_color()
            self.withheld_ = open_markers(ax, *at, "no interval", color)
        if np.isfinite(low).any():
            look |= {"ecolor": self.line_.get_color(), "yerr": lengths_of_bars(self.measured)}
            self.interval_ = draw_intervals(ax, places, value, self.confidence_level, **look)
        if self.reference is not None:
            names = short_names(self._names_of_reference)
            comma = ",\n" if max(map(len, names), default=0) > _SHORT else ", "
            look = {**guide_look(ax), "label": label_once(ax, comma.join(["reference", *names]))}
            self.reference_ = ax.axhline(self.reference, **DASHED, **look)
        if (missing := places[np.isnan(value)]).size:
            near_edge = np.full(missing.size, 0.05)
            transform = ax.get_xaxis_transform()
            self.missing_ = mark_missing(ax, missing, near_edge, transform, "no value", "x")
        of_metric, of_other = (
            label.replace("\n", " ").partition(" at ")[0].removesuffix(", each")
            for label in (self.score_label, ax.get_ylabel())
        )
        set_ylabel(ax, self.score_label, of_metric if of_metric == of_other else "metric")

    def _draw_parts(self, ax: Axes) -> dict[str, BarContainer]:
        guide = guide_look(ax)
        ax.axhline(0, **guide)
        errors = {"ecolor": guide["color"], **self._look_of_intervals}
        width, bars = _WIDTH_OF_BARS / len(self.parts), {}
        for place, (part, of_part) in enumerate(self.parts.items()):
            x = self._places + (place + 0.5) * width - _WIDTH_OF_BARS / 2
            look: dict[str, Any] = {"color": COLOR_OF_PARTS[part], "hatch": _HATCHES[part]}
            look |= {"label": part.replace("_", " "), "edgecolor": ax.get_facecolor()}
            look |= {"linewidth": 0, "yerr": lengths_of_bars(of_part), "error_kw": errors}
            bars[part] = ax.bar(x, of_part.value, width, **look)
            if (none := lacks_interval(of_part, self.confidence_level)).any():
                open_markers(ax, x[none], of_part.value[none], "no interval", guide["color"])
        names = [each for each in self._names_of_reference if len(str(each)) <= _SHORT]
        of_period = "".join(f"\nfrom {shown(each)}" for each in names)  # the legend names it, too
        ax.set_ylabel(f"change{of_period}")
        return bars


def _set_periods(ax: Axes, names: Sequence[str], places: FloatArray) -> None:
    """Label the positions, or some of them; long names are rotated."""
    width = ax.get_window_extent().width / ax.figure.dpi
    beside = max(map(len, names)) / _LETTERS_PER_INCH / 2  # of a turned name
    n_ticks = min(max(round(_TICKS_PER_INCH * (width - beside)), 2), _MOST_TICKS)
    distance = -(-(places[-1] + 1) // n_ticks)
    ticks: list[float] = []
    some: list[str] = []
    for place, name in zip(places.tolist(), names, strict=True):
        if not ticks or place - ticks[-1] >= distance:  # also beside a hole
            ticks.append(place)
            some.append(name)
    if ax.patches:
        raise ValueError("ax must not hold the parts of another display: give a single Axes")
    if ax.has_data():
        known = ax.xaxis.get_major_formatter().format_ticks(ticks)
        if known != some:
            raise ValueError(
                f"ax must show the periods {some}, got an Axes with {known}; by_group(y_score=[a, "
                "b]) gives two models the same periods, also if one has no scores in some"
            )
        return
    turned = len(" ".join(some)) > _LETTERS_PER_INCH * width
    look: dict[str, Any] = {"rotation": 45, "ha": "right"} if turned else {}
    ax.set_xticks(ticks, some, **look)
    ax.update_datalim([(-0.5, 0), (places[-1] + 0.5, 0)], updatey=False)
    ax.margins(x=0.02)
