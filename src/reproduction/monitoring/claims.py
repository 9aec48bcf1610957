"""Functions that claims.yaml names: the selected rows in, one number out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

__all__ = [
    "gap_of_changes",
    "gap_of_differences",
    "gap_of_values",
    "late_minus_early",
    "rank_correlation_with_prior",
    "share_of_prior_part",
]


def late_minus_early(rows: pd.DataFrame) -> float:
    """Mean value in the second half of the periods minus that in the first, largest scenario."""
    is_late = rows["period"] > rows["period"].median()
    late, early = (
        half.groupby("scenario")["value"].mean() for half in (rows[is_late], rows[~is_late])
    )
    return (late - early).max()


def rank_correlation_with_prior(rows: pd.DataFrame) -> float:
    return rows["value"].corr(rows["prior"], method="spearman")


def share_of_prior_part(rows: pd.DataFrame) -> float:
    return rows["prior_part"].sum() / rows["total"].sum()


def gap_of_values(rows: pd.DataFrame) -> float:
    return _largest_gap(rows, "reference_values.csv")


def gap_of_differences(rows: pd.DataFrame) -> float:
    return _largest_gap(rows, "reference_differences.csv")


def gap_of_changes(rows: pd.DataFrame) -> float:
    return _largest_gap(rows, "reference_changes.csv")


def _largest_gap(rows: pd.DataFrame, name: str) -> float:
    """Largest gap to the same row of a reference, relative to the range of the column."""
    reference = pd.read_csv(Path(__file__).with_name(name)).fillna(0)
    if len(rows) != len(reference):
        return np.inf
    gaps = (rows[list(reference)].fillna(0).to_numpy() - reference).abs()
    ranges = reference.max() - reference.min()
    return (gaps.max() / ranges.where(ranges > 0, reference.max())).max()
