"""Tables of periods or groups, such as those of `comparison`, as arrays."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.displays.drawing import at_prior
from calibrated_metrics.scores.facts import known_name, registered_scores
from calibrated_metrics.scores.metric import Metric

__all__ = [
    "Row",
    "Series",
    "label_of",
    "lacks_interval",
    "lengths_of_bars",
    "number",
    "of_metric",
    "only",
    "places_of",
    "records_of",
    "series",
]

Row: TypeAlias = Mapping[str, Any]


class Series(NamedTuple):
    """`value`, `low` and `high` of each period or group; NaN where there is none."""

    value: FloatArray
    low: FloatArray
    high: FloatArray


def records_of(argument: str, table: Any, columns: Sequence[str]) -> list[Row]:
    """Rows of a DataFrame, a dict of arrays or a list, with at least these columns."""
    if hasattr(table, "columns") or isinstance(table, Mapping):
        names = list(getattr(table, "columns", table))
        cells = zip(*(table[name] for name in names), strict=True)
        table = [dict(zip(names, row, strict=True)) for row in cells]
    if not (isinstance(table, list) and table and all(isinstance(row, Mapping) for row in table)):
        raise TypeError(f"{argument} must be a DataFrame or a list of dicts, got {table!r}")
    if missing := [column for column in columns if column not in table[0]]:
        raise ValueError(f"{argument} must have the columns {missing}, got {list(table[0])}")
    return table


def of_metric(
    values: Any, columns: Sequence[str], metric: str | Metric | None
) -> tuple[list[Row], str, dict[str, Any]]:
    """Rows of a metric, its label, and their level and label of an axis, for a display."""
    rows = records_of("values", values, (*columns, "metric", "value"))
    if metric is not None:
        metric = metric.key if isinstance(metric, Metric) else metric
        name = known_name(metric) or metric
        chosen = [row for row in rows if metric == row["metric"]]
        chosen = chosen or [row for row in rows if known_name(row["metric"]) == name]
        if not chosen:
            found = list(dict.fromkeys(row["metric"] for row in rows))
            raise ValueError(f"values must have the metric {metric!r}, got {found}")
        rows = chosen
    key = only("values", "metric", rows, ": choose one by metric=")
    label, level = label_of(key), only("values", "confidence_level", rows)
    priors = {} if _is_prior_free(key) else {number(row.get("pi0")) for row in rows}
    priors = [each for each in priors if not math.isnan(each)]
    score_label = at_prior(label, priors[0] if len(priors) == 1 else None)
    if len(priors) > 1 and len({tuple(row[each] for each in columns) for row in rows}) == len(rows):
        score_label = f"{label}, each at its own prior"
    return rows, label, {"confidence_level": level, "score_label": score_label}


def _is_prior_free(key: str) -> bool:
    facts = registered_scores().get(known_name(key.partition("(")[0]) or "")
    return facts is not None and facts.is_prior_free


def only(argument: str, column: str, rows: Sequence[Row], hint: str = "") -> Any:
    """The only value of a column; None if the table has no such column."""
    found = list(dict.fromkeys(row[column] for row in rows if column in row))
    if len(found) > 1 or (not found and column == "metric"):
        raise ValueError(f"{argument} must have one {column.replace('_', ' ')}, got {found}{hint}")
    return found[0] if found else None


def series(rows: Sequence[Row], name: str) -> Series:
    """A column of a table with its limits, NaN where there are none."""
    low, high = ("low", "high") if name == "value" else (f"{name}_low", f"{name}_high")
    columns = (np.array([number(row.get(each)) for row in rows]) for each in (name, low, high))
    return Series(*columns)


def number(cell: Any) -> float:
    return math.nan if cell is None else float(cell)


def label_of(key: str) -> str:
    """Label of a metric from its name in a table, or this name if the metric is unknown."""
    name, *options = re.split(r"[(,]", key.partition("@")[0].removesuffix(")"))
    try:
        given = {option: float(value) for option, _, value in (o.partition("=") for o in options)}
        return Metric(name, **given)._label()
    except (TypeError, ValueError):  # a function of a user, or an option that is no number
        return key


def places_of(periods: Sequence[Any]) -> FloatArray:
    """Positions 0, 1, 2, …, with a hole where a date, Period or year is missing in the sequence.

    The unit is the shortest step. Names that are not ascending dates have no holes.
    """
    starts = [str(getattr(each, "start_time", each)).partition("/")[0] for each in periods]
    places = np.arange(len(periods), dtype=np.float64)
    if len(periods) < 2 or any(start[4:5] not in ("", "-") for start in starts):
        return places
    try:
        steps = np.diff(np.array([start[:19] for start in starts], dtype="datetime64"))
    except ValueError:  # no dates
        return places
    if (steps > 0).all():
        places[1:] = np.cumsum(np.rint(steps / steps.min()))
    return places


def lacks_interval(measured: Series, confidence_level: float | None) -> NDArray[np.bool_]:
    """Whether each value has no interval although intervals were asked for."""
    value, low, _ = measured
    is_asked = confidence_level is not None or np.isfinite(low).any()
    return np.isfinite(value) & np.isnan(low) & is_asked


def lengths_of_bars(measured: Series) -> FloatArray:
    """Lengths of error bars, NaN where there is no interval."""
    value, low, high = measured
    return np.maximum([value - low, high - value], 0)
