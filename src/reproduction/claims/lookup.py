"""Queries of the tables of a run, with an error for values that a table lacks."""

from __future__ import annotations

import numpy as np
import pandas as pd

__all__ = [
    "AREA",
    "AUC_ROC",
    "BEST_F1",
    "F1",
    "GAIN",
    "UnavailableError",
    "calibrated",
    "calibration_difference",
    "largest",
    "mean_by",
    "need_positives",
    "not_empty",
    "number",
    "rows",
    "wide",
]

AREA, GAIN, F1 = "average_precision", "prg_auc", "fbeta(threshold=0.5)"
BEST_F1, AUC_ROC = "best_fbeta", "roc_auc"


class UnavailableError(Exception):
    """A table lacks the values that a claim needs; the message says which."""


def calibrated(metric: str, pi0: str = "0.5") -> str:
    """Return the key of a metric at a reference prior."""
    return f"{metric}@pi0={pi0}"


def rows(table: pd.DataFrame, /, **where) -> pd.DataFrame:
    """Return the rows with the given values; None means an empty cell.

    Raises
    ------
    UnavailableError
        If there is no such row.
    """
    found = table
    for column, value in where.items():
        found = found[_equals(found[column], value)]
    wanted = ", ".join(f"{column} {value}" for column, value in where.items())
    return not_empty(found, f"the table has no row with {wanted}")


def not_empty(table: pd.DataFrame, lack: str) -> pd.DataFrame:
    """Return the table, or raise `UnavailableError` with the message `lack` if it is empty."""
    if table.empty:
        raise UnavailableError(lack)
    return table


def _equals(column: pd.Series, value) -> pd.Series:
    if value is None:
        return column.isna()
    if isinstance(value, float):
        return pd.Series(np.isclose(column, value, rtol=1e-9, atol=1e-12), index=column.index)
    return column == value


def number(table: pd.DataFrame, column: str, /, **where) -> float:
    """Return a cell of the only row with the given values."""
    found = rows(table, **where)[column]
    if len(found) > 1:
        raise ValueError(f"{len(found)} rows have {where}, expected one")
    return found.iloc[0]


def need_positives(table: pd.DataFrame, least: int) -> None:
    """Raise `UnavailableError` if the data of the table have fewer positives than `least`."""
    n_pos = int(table["n_pos"].min())
    if n_pos < least:
        raise UnavailableError(f"needs at least {least} positives, the data have {n_pos}")


def mean_by(table: pd.DataFrame, point: str, /, **where) -> pd.Series:
    """Return the mean over the runs at each point of a sweep, by ascending point."""
    return rows(table, **where).groupby(point)["value"].mean()


def wide(table: pd.DataFrame, index: list[str], column: str, value: str) -> pd.DataFrame:
    """Return a table with a column for each value of `column`; duplicate cells are an error."""
    return table.pivot(index=index, columns=column, values=value)  # noqa: PD010


def calibration_difference(table: pd.DataFrame, metric: str, keys: list[str]) -> float:
    """Return the largest difference of a metric from its calibrated version at π₀ = 0.5."""
    ordinary, at_half = (
        rows(table, metric=key).set_index(keys)["value"] for key in (metric, calibrated(metric))
    )
    return largest(ordinary - at_half)


def largest(differences) -> float:
    """Return the largest absolute value."""
    return float(np.abs(np.asarray(differences, dtype=float)).max())
