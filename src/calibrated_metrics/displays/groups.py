"""A metric of groups or models with intervals, as dots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.displays.base import Display
from calibrated_metrics.displays.drawing import (
    MARKERS,
    draw_intervals,
    mark_missing,
    open_markers,
    prior_text,
    short_names,
    shown,
)
from calibrated_metrics.displays.period_tables import (
    Row,
    Series,
    lacks_interval,
    lengths_of_bars,
    number,
    of_metric,
    series,
)
from calibrated_metrics.scores.metric import Metric

if TYPE_CHECKING:
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D

__all__ = ["GroupsDisplay"]

_SPREAD = 0.5  # of the dots of a group, in units of the distance between groups
_INCHES = 0.3  # height of a group in a new figure
_EDGE = 0.98  # place of infinity, as a share of the width


@dataclass(eq=False, repr=False)
class GroupsDisplay(Display):
    """A metric of each group or model with its interval, as dots; at one or more priors.

    Each interval is for one group alone. With many groups, some intervals miss the true value, and
    the highest values are partly luck. The artists are the lists `line_` (the dots) and
    `interval_`, one item per prior, `withheld_` (values without an interval, with open markers),
    `missing_` (groups without a value) and `infinite_`, on `ax_` of `figure_`. An interval without
    an upper limit is a line to the edge.

    Parameters
    ----------
    groups : list
        Names of the groups, from top to bottom. Long ones are cut in their middle;
        ``ax_.set_yticks(ax_.get_yticks(), display.groups)`` shows them whole.
    values : dict of str to Series
        The metric of each group; the keys are the labels in the legend, such as the priors.
    confidence_level : float in (0, 1), default=None
        Level of the intervals, for the legend.
    score_label : str, default="value"
        Label of the abscissa.

    Examples
    --------
    >>> import pandas as pd
    >>> from calibrated_metrics import comparison
    >>> from calibrated_metrics.datasets import load_patients
    >>> from calibrated_metrics.displays import GroupsDisplay
    >>> columns = {"y_true": "ill", "y_score": "biomarker"}
    >>> options = {"metrics": "average_precision", "pi0": [0.05, 0.3]}
    >>> table = comparison.by_group(load_patients(), "hospital", **columns, **options)
    >>> display = GroupsDisplay.from_values(table, by="hospital")
    >>> list(display.values)
    ['π$_0$ = 0.05', 'π$_0$ = 0.3']
    """

    groups: Sequence[Any]
    values: Mapping[str, Series]
    _: KW_ONLY
    confidence_level: float | None = None
    score_label: str = "value"

    @classmethod
    def from_values(
        cls,
        values: Any,
        *,
        by: str | Sequence[str],
        metric: str | Metric | None = None,
        **options: Any,
    ) -> Self:
        """Plot the result of `comparison.by_group`, or the frame of a report of several models.

        Parameters
        ----------
        values : DataFrame
            Result of `comparison.by_group`, at one or more priors, or of ``to_frame()`` of
            `comparison.classification_report`.
        by : str or list of str
            Columns with the names of the groups, such as "hospital" or "model".
        metric : str or Metric, default=None
            Name in the column `metric`, needed if there are several.
        **options : arguments of `plot`
        """
        keys = [by] if isinstance(by, str) else list(by)
        rows, label, described = of_metric(values, keys, metric)
        groups = list(dict.fromkeys(tuple(row[key] for key in keys) for row in rows))
        at_own_priors = len(rows) == len(groups)
        tables: dict[str, dict[tuple[Any, ...], Row]] = {}
        for row in rows:
            of_prior = label if at_own_priors else prior_text(number(row.get("pi0")))
            tables.setdefault(of_prior, {})[tuple(row[key] for key in keys)] = row
        if sum(map(len, tables.values())) < len(rows):
            raise ValueError(
                f"values must have one row for each of {keys} and prior: other columns that divide "
                "them, such as model, belong in by"
            )
        found = {
            of_prior: series([table.get(group, {}) for group in groups], "value")
            for of_prior, table in tables.items()
        }
        display = cls([", ".join(map(str, group)) for group in groups], found, **described)
        return display.plot(**options)

    @property
    def _n_names(self) -> int:
        return len(self.values)

    @property
    def _height(self) -> float:
        return 1.5 + _INCHES * len(self.groups)

    def _draw(self, name: str | None, style: dict[str, Any]) -> None:
        places = np.arange(len(self.groups), dtype=np.float64)
        self.ax_.set_yticks(places, short_names(self.groups))
        self.ax_.set_ylim(len(self.groups) - 0.5, -0.5)
        self.ax_.set_xlabel(self.score_label)
        self.line_: list[Line2D] = []
        self.interval_: list[ErrorbarContainer] = []
        self.withheld_: list[Line2D] = []
        steps = (np.arange(len(self.values)) + 0.5) / len(self.values) - 0.5
        rows = places + _SPREAD * steps[:, np.newaxis]
        for index, (label, measured) in enumerate(self.values.items()):
            look: dict[str, Any] = {"linestyle": "none", "marker": MARKERS[index % len(MARKERS)]}
            look |= {"markersize": 4, "label": label if name is None else shown(name), **style}
            self._draw_values(rows[index], measured, look)
        values, transform = self._all_values, self.ax_.get_yaxis_transform()
        self.missing_ = self.infinite_ = None
        if (none := places[np.isnan(values).all(axis=0)]).size:
            at = np.full(none.size, 0.02), none
            self.missing_ = mark_missing(self.ax_, *at, transform, "no value", "x")
        if (infinite := rows[np.isinf(values)]).size:
            self.ax_.update_datalim([(0, 0), (1, 0)], updatey=False)  # infinite values are ratios
            at = np.full(infinite.size, _EDGE), infinite
            self.infinite_ = mark_missing(self.ax_, *at, transform, "infinite", ">")

    @property
    def _all_values(self) -> FloatArray:
        return np.array([each.value for each in self.values.values()])

    def _draw_values(self, places: FloatArray, measured: Series, look: dict[str, Any]) -> None:
        finite = np.where(np.isfinite(measured.value), measured.value, np.nan)
        measured = measured._replace(value=finite)
        self.line_ += self.ax_.plot(measured.value, places, **look)
        look = {"ecolor": self.line_[-1].get_color(), "elinewidth": 1}
        look |= {"xerr": lengths_of_bars(measured)}
        if np.isfinite(measured.low).any():
            bars = draw_intervals(self.ax_, measured.value, places, self.confidence_level, **look)
            self.interval_.append(bars)
        self._draw_to_the_edge(measured, places, self.line_[-1].get_color())
        if (none := lacks_interval(measured, self.confidence_level)).any():
            at, line = (measured.value[none], places[none]), self.line_[-1]
            own = line.get_color(), line.get_marker(), line.get_markersize()
            self.withheld_.append(open_markers(self.ax_, *at, "no interval", *own))

    def _draw_to_the_edge(self, measured: Series, places: FloatArray, color: Any) -> None:
        """Lines from the lower limits of intervals without an upper limit."""
        if not (is_open := np.isposinf(measured.high)).any():
            return
        starts = measured.low[is_open]
        self.ax_.update_datalim([(x, 0) for x in (*starts, *2 * starts)], updatey=False)
        look = {"arrowstyle": "-", "shrinkA": 0, "shrinkB": 0, "color": color}
        how: dict[str, Any] = {"xycoords": self.ax_.get_yaxis_transform(), "textcoords": "data"}
        how |= {"arrowprops": look, "zorder": 2}
        for low, place in zip(starts, places[is_open], strict=True):
            self.ax_.annotate("", (_EDGE, place), xytext=(low, place), **how)
