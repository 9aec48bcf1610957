"""Tables of periods as arrays: what displays of changes are built from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.registry import registered_scores

__all__ = [
    "COLUMNS_OF_CHANGES",
    "Measured",
    "Series",
    "check_same_values",
    "label_of",
    "level_of",
    "measured_of",
    "parts_of",
    "reference_of",
    "rows_of",
    "single_metric",
    "without_limits",
]

PARTS = ("prior_part", "model_part")
COLUMNS_OF_CHANGES = ("period", "metric", "value", "reference_value", *PARTS)


class Series(NamedTuple):
    """A quantity of each period with its limits, NaN where there is none.

    Attributes
    ----------
    value, low, high : ndarray of shape (n_periods,)
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray


class Measured(NamedTuple):
    periods: list[Any]
    values: Series
    metric: str
    confidence_level: float
    pi0: float | None = None  # the reference prior, if all periods have the same one


def measured_of(
    values: Any, period: str | None, metric: str | None, level: float | None
) -> Measured:
    if period is None:
        raise ValueError("period must name the column of values that holds the periods, got None")
    rows = rows_of("values", values, (period, "metric", "value"))
    metric = single_metric("values", [row["metric"] for row in rows], metric)
    rows = [row for row in rows if row["metric"] == metric]
    priors = {row.get("pi0") for row in rows}
    pi0 = priors.pop() if len(rows) > 1 and len(priors) == 1 else None
    periods = [row[period] for row in rows]
    return Measured(periods, _series(rows, ""), metric, level_of("values", rows, level), pi0)


def rows_of(argument: str, table: Any, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of a list, of a DataFrame or of a Table, as dictionaries."""
    if hasattr(table, "to_dicts"):
        table = table.to_dicts()  # polars
    elif hasattr(table, "to_pylist"):
        table = table.to_pylist()  # Arrow
    elif hasattr(table, "to_dict"):
        table = table.to_dict("records")  # pandas
    if not (isinstance(table, Sequence) and all(isinstance(row, Mapping) for row in table)):
        raise TypeError(
            f"{argument} must be a list of dicts, a DataFrame or a Table, got {table!r}"
        )
    if not table:
        raise ValueError(f"{argument} must not be empty")
    missing = [column for column in columns if column not in table[0]]
    if missing:
        raise ValueError(f"{argument} must have the columns {missing}, got {list(table[0])}")
    return [dict(row) for row in table]


def single_metric(argument: str, metrics: Iterable[str], asked: str | None = None) -> str:
    """The metric that is asked for, or the only one."""
    found = list(dict.fromkeys(metrics))
    if asked is None and len(found) == 1:
        return found[0]
    if asked not in found:
        raise ValueError(f"metric must be one of those in {argument}, {found}, got {asked!r}")
    return asked


def _series(rows: Sequence[Mapping[str, Any]], part: str) -> Series:
    """Columns of a table; a row without them has NaN."""
    names = (part or "value", f"{part}_low".lstrip("_"), f"{part}_high".lstrip("_"))
    return Series(*(np.array([_number(row.get(name)) for row in rows]) for name in names))


def level_of(argument: str, rows: Sequence[Mapping[str, Any]], asked: float | None) -> float:
    """The confidence level in a table, or that of the caller for a table that does not hold it."""
    found = {float(row["confidence_level"]) for row in rows if "confidence_level" in row}
    if len(found) > 1:
        raise ValueError(f"{argument} must have one confidence level, got {sorted(found)}")
    level = next(iter(found), 0.95 if asked is None else asked)
    if asked is not None and asked != level:
        raise ValueError(f"confidence_level must be that of {argument}, {level}, got {asked}")
    return _checks.level("confidence_level", level)


def without_limits(rows: Sequence[Mapping[str, Any]]) -> Series:
    nothing = np.full(len(rows), math.nan)
    return Series(np.array([_number(row["value"]) for row in rows]), nothing, nothing)


def _number(cell: Any) -> float:
    return math.nan if cell is None else float(cell)


def parts_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, Series]:
    return {part: _series(rows, part) for part in PARTS}


def reference_of(rows: Sequence[Mapping[str, Any]]) -> float | None:
    known = (row["reference_value"] for row in rows)
    return next((value for value in known if not math.isnan(value)), None)


def check_same_values(measured: Measured, by_period: Mapping[Any, Mapping[str, Any]]) -> None:
    for period, value in zip(measured.periods, measured.values.value, strict=True):
        of_change = _number(by_period.get(period, {}).get("value"))
        if abs(value - of_change) > 1e-9:
            raise ValueError(
                f"values and changes must have the same value in each period, got {value:.6g} and "
                f"{of_change:.6g} for {period!r}: call by_group with pi0=None"
            )


def label_of(key: str) -> str:
    """Label of a metric by its name in a table, or the name if it has options or is unknown."""
    entry = registered_scores().get(key)
    return key if entry is None or entry.options else entry.label
