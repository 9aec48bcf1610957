"""Looking things up in the tables of a run, which may lack them."""

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
    "difference_of_twins",
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
    """A table lacks what a claim is about; the message says what."""


def calibrated(metric: str, pi0: str = "0.5") -> str:
    """Key of a metric at a reference prior."""
    return f"{metric}@pi0={pi0}"


def rows(table: pd.DataFrame, /, **where) -> pd.DataFrame:
    """Rows with these values, at least one; None stands for an empty cell.

    Raises
    ------
    UnavailableError
        If there is none.
    """
    found = table
    for column, value in where.items():
        found = found[_is(found[column], value)]
    wanted = ", ".join(f"{column} {value}" for column, value in where.items())
    return not_empty(found, f"the table has no row with {wanted}")


def not_empty(table: pd.DataFrame, lack: str) -> pd.DataFrame:
    """The table itself; `UnavailableError`, saying what is lacking, if it has no row."""
    if table.empty:
        raise UnavailableError(lack)
    return table


def _is(column: pd.Series, value) -> pd.Series:
    if value is None:
        return column.isna()
    if isinstance(value, float):
        return pd.Series(np.isclose(column, value, rtol=1e-9, atol=1e-12), index=column.index)
    return column == value


def number(table: pd.DataFrame, column: str, /, **where) -> float:
    """A cell of the only row with these values."""
    found = rows(table, **where)[column]
    if len(found) > 1:
        raise ValueError(f"{len(found)} rows have {where}, one was expected")
    return found.iloc[0]


def need_positives(table: pd.DataFrame, least: int) -> None:
    """Raise `UnavailableError` if the data behind the table are too few to say anything."""
    n_pos = int(table["n_pos"].min())
    if n_pos < least:
        raise UnavailableError(f"needs at least {least} positives, the data have {n_pos}")


def mean_by(table: pd.DataFrame, point: str, /, **where) -> pd.Series:
    """Mean value over the runs at each point of a sweep, by ascending point."""
    return rows(table, **where).groupby(point)["value"].mean()


def wide(table: pd.DataFrame, index: list[str], column: str, value: str) -> pd.DataFrame:
    """A column for each value of `column`; a cell that stands there twice is an error."""
    return table.pivot(index=index, columns=column, values=value)  # noqa: PD010


def difference_of_twins(table: pd.DataFrame, metric: str, keys: list[str]) -> float:
    """Largest difference of a metric from its twin at π₀ = 0.5, row by row."""
    ordinary, twin = (
        rows(table, metric=key).set_index(keys)["value"] for key in (metric, calibrated(metric))
    )
    return largest(ordinary - twin)


def largest(differences) -> float:
    """Largest absolute value."""
    return float(np.abs(np.asarray(differences, dtype=float)).max())
