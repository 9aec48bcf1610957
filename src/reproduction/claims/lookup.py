"""Values in the tables of a run, with an error for values that a table lacks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
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


def calibrated(metric: str, pi0: str = "0.5") -> str:
    """Return the key of a metric at a reference prior."""
    return f"{metric}@pi0={pi0}"


def rows(table: pd.DataFrame, /, **where) -> pd.DataFrame:
    """Return the rows with the given values.

    Raises
    ------
    UnavailableError
        If there is no such row.
    """
    found = table
    for column, value in where.items():
        cells = found[column]
        is_float = isinstance(value, float)
        found = found[np.isclose(cells, value, 1e-9, 1e-12) if is_float else cells == value]
    wanted = ", ".join(f"{column} {value}" for column, value in where.items())
    return not_empty(found, f"the table has no row with {wanted}")


def not_empty(table: pd.DataFrame, lack: str) -> pd.DataFrame:
    """Return the table, or raise `UnavailableError` with the message `lack` if it is empty."""
    if table.empty:
        raise UnavailableError(lack)
    return table


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


def mean_at(sweep: pd.DataFrame, metric: Metric, /, **where) -> float:
    """Return the mean of a metric over the runs at one point of a sweep."""
    return rows(sweep, metric=metric.key, **where)["value"].mean()


def mean_by(sweep: pd.DataFrame, point: str, metric: Metric) -> pd.Series:
    """Return the mean of a metric over the runs at each point of a sweep, by ascending point."""
    return rows(sweep, metric=metric.key).groupby(point)["value"].mean()


def wide(table: pd.DataFrame, index: list[str], column: str, value: str) -> pd.DataFrame:
    """Return a table with a column for each value of `column`; duplicate cells are an error."""
    return table.pivot(index=index, columns=column, values=value)  # noqa: PD010


def calibration_difference_when_balanced(sweep: pd.DataFrame) -> float:
    """Return the largest difference of a metric from its calibrated version at π = π₀ = 0.5."""
    balanced = not_empty(sweep[sweep["n_pos"] == sweep["n_neg"]], "no run is balanced")

    def values(metric: Metric) -> pd.Series:
        return rows(balanced, metric=metric.key).set_index(["prior", "run"])["value"]

    return max(largest(values(metric) - values(metric.calibrated)) for metric in METRICS)


def largest(differences) -> float:
    """Return the largest absolute value."""
    return float(np.abs(np.asarray(differences, dtype=float)).max())
