"""Values in the tables of a run, with an error for values that a table lacks or that are NaN."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

AREA, GAIN, BEST_F1, AUC_ROC = "average_precision", "prg_auc", "best_fbeta", "roc_auc"


class Metric(NamedTuple):
    """A metric of the sweeps: its name in the ids of claims, its label and its key in tables."""

    name: str
    label: str
    key: str
    calibrated_label: str = ""

    @property
    def calibrated(self) -> Metric:
        """The metric at π₀ = 0.5."""
        return Metric(f"{self.name}-calibrated", self.calibrated_label, calibrated(self.key))


AUC_PR = Metric("auc-pr", "AUC-PR", AREA, "AUC-P_cR")
AUC_PR_GAIN = Metric("auc-pr-gain", "AUC-PR Gain", GAIN, "AUC-P_cR Gain")
F1 = Metric("f1", "F1", "fbeta(threshold=0.5)", "F1_c")
METRICS = (AUC_PR, AUC_PR_GAIN, F1)


class UnavailableError(Exception):
    """A table lacks the values that a claim needs; the message says which."""


class DamagedError(Exception):
    """A table has NaN, no cell or several cells where it must have one; the message says where."""


def calibrated(metric: str, pi0: str = "0.5") -> str:
    """Return the key of a metric at a reference prior."""
    return f"{metric}@pi0={pi0}"


def rows(table: pd.DataFrame, /, **where) -> pd.DataFrame:
    """Return the rows with the given values, where None stands for an empty cell.

    Raises
    ------
    UnavailableError
        If there is no such row.
    """
    found = table
    for column, value in where.items():
        cells = found[column]
        if value is None:
            found = found[cells.isna()]
        else:
            is_float = isinstance(value, float)
            found = found[np.isclose(cells, value, 1e-9, 1e-12) if is_float else cells == value]
    if found.empty:
        raise UnavailableError(f"the table has no row with {_as_text(where)}")
    return found


def _as_text(where: Mapping[str, object]) -> str:
    return ", ".join(f"{column} {value}" for column, value in where.items())


def cells(table: pd.DataFrame, column: str, /, **where) -> pd.Series:
    """Return the cells of a column in the rows with the given values.

    Raises
    ------
    UnavailableError
        If there is no such row.
    DamagedError
        If a cell is NaN.
    """
    found = rows(table, **where)[column]
    if found.isna().any():
        raise DamagedError(f"{column} is NaN in {found.isna().sum()} of {len(found)} rows")
    return found


def columns(table: pd.DataFrame, /, *names: str, **where) -> list[pd.Series]:
    """Return the cells of several columns."""
    return [cells(table, name, **where) for name in names]


def number(table: pd.DataFrame, column: str, /, **where) -> float:
    """Return a cell of the only row with the given values."""
    found = cells(table, column, **where)
    if len(found) > 1:
        raise DamagedError(f"the table has {len(found)} rows with {_as_text(where)}, not one")
    return found.iloc[0]


def grid(table: pd.DataFrame, index, columns: str, value: str, /, **where) -> pd.DataFrame:
    """Return one cell per pair of the values of `index`, a column or several, and of `columns`.

    Raises
    ------
    UnavailableError
        If there is no such row.
    DamagedError
        If a cell is missing, NaN or not unique.
    """
    found = rows(table, **where)
    keys = [index] if isinstance(index, str) else index
    for column in (*keys, columns, value):
        cells(found, column)
    try:
        made = found.pivot(index=index, columns=columns, values=value)  # noqa: PD010
    except ValueError as error:  # two rows for one cell
        raise DamagedError(f"{value} by {', '.join(keys)} and {columns}: {error}") from error
    if made.isna().any(axis=None):
        row, column = np.argwhere(made.isna().to_numpy())[0]
        place = f"{columns} {made.columns[column]} where {', '.join(keys)} is {made.index[row]}"
        raise DamagedError(f"the table has no {value} of {place}")
    return made


def means(sweep: pd.DataFrame, point: str, metric: Metric, value: str = "value") -> pd.Series:
    """Return the mean of a metric over the runs at each point of a sweep, by ascending point."""
    return grid(sweep, point, "run", value, metric=metric.key).mean(axis=1)


def mean_at(
    sweep: pd.DataFrame, point: str, place: float, metric: Metric, value: str = "value"
) -> float:
    """Return the mean of a metric over the runs at one point of a sweep."""
    by_point = means(sweep, point, metric, value)
    found = by_point[np.isclose(by_point.index, place, 1e-9, 1e-12)]
    if found.empty:
        raise UnavailableError(f"the table has no row with {point} {place}")
    return found.iloc[0]


def largest(differences) -> float:
    """Return the largest absolute value; NaN if one is NaN."""
    return float(np.abs(np.asarray(differences, dtype=float)).max())
