"""The group-by that an engine computes: numbers of rows per group, label and cell of scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from calibrated_metrics.tables.cells import Cells
from calibrated_metrics.tables.reading import result_of

__all__ = ["Columns", "count"]


@dataclass(frozen=True)
class Columns:
    """Names of the columns of a table."""

    y_true: str
    y_score: str
    by: Sequence[Any] = ()
    sample_weight: str | None = None
    clusters: str | None = None
    strata: str | None = None

    @property
    def named(self) -> list[tuple[str, Any]]:
        """Each argument with the column that it names."""
        found = [("by", each) for each in self.by]
        found += [("y_true", self.y_true), ("y_score", self.y_score)]
        drawn = [(name, getattr(self, name)) for name in ("sample_weight", "clusters", "strata")]
        return found + [(name, column) for name, column in drawn if column is not None]

    def check(self, table: Any, table_argument: str) -> None:
        """Raise ``ValueError`` or ``TypeError`` for missing columns and wrong column types."""
        for argument, column in self.named:
            if column not in table.columns:
                raise ValueError(
                    f"{argument} must name a column of {table_argument}, got {column!r}; its "
                    f"columns are {list(table.columns)}"
                )
            dtype = table[column].type()
            is_real = dtype.is_numeric() or dtype.is_boolean()
            if argument in ("y_score", "sample_weight") and not is_real:
                raise TypeError(f"{argument} must hold real numbers, got dtype {dtype}")
            if dtype.is_nested():
                raise TypeError(f"{argument} must hold one value per row, got dtype {dtype}")


def count(table: Any, columns: Columns, cells: Cells) -> Any:
    """Numbers of rows as an Arrow table with one row per group, label and cell.

    With clusters or strata, there is one row per cluster, stratum and weight as well, so each row
    represents identical rows. Missing values and NaN are refused later (see `Cells.key`).
    """
    score = _plain(table[columns.y_score])
    keys = {f"by_{place}": _plain(table[name]) for place, name in enumerate(columns.by)}
    keys |= {"label": _plain(table[columns.y_true]), "cell": cells.key(score.cast("float64"))}
    drawn = {"clusters": columns.clusters, "strata": columns.strata}
    units = {name: _plain(table[column]) for name, column in drawn.items() if column is not None}
    values = {"n": table.count()}
    if score.type().is_integer() or score.type().is_decimal():
        values |= {"lowest": score.min(), "highest": score.max()}
    if columns.sample_weight is not None:
        weight = table[columns.sample_weight].cast("float64").fill_null(math.nan)
        if units:
            units["sample_weight"] = weight
        values |= {
            "n_with_weight": (weight != 0).sum(),
            "weight": weight.sum(),
            "least": weight.min(where=weight != 0),
            "greatest": weight.max(),
        }
    return result_of(table.group_by(**keys, **units).aggregate(**values))


def _plain(column: Any) -> Any:
    """The column in a type of Arrow: identifiers and addresses as text, decimals of any number of
    places as float64.
    """
    dtype = column.type()
    if dtype.is_uuid() or dtype.is_inet() or dtype.is_macaddr():
        return column.cast("string")
    return column.cast("float64") if dtype.is_decimal() and dtype.scale is None else column
