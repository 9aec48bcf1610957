"""Functions for `take` in claims.yaml: they reduce the selected rows to one number."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd


def late_minus_early(rows: pd.DataFrame) -> float:
    """Largest difference over all lines: mean of the second minus mean of the first half."""
    is_late = rows["period"] > rows["period"].median()
    means = rows.pivot_table("value", [rows["scenario"], rows["pi0"].notna()], is_late)
    return (means[True] - means[False]).max()


def gap_of_values(rows: pd.DataFrame) -> float:
    return _largest_gap("monitoring", rows)


def gap_of_differences(rows: pd.DataFrame) -> float:
    drawn = {column: rows[column] * rows["scale"] for column in ("value", "low", "high")}
    return _largest_gap("monitoring_differences", rows.assign(**drawn))


def gap_of_changes(rows: pd.DataFrame) -> float:
    return _largest_gap("monitoring_changes", rows.assign(pi0=np.nan))


def _largest_gap(table: str, rows: pd.DataFrame) -> float:
    """Largest gap to a table of reference.csv, relative to the largest number of the column."""
    keys = ["scenario", "calibrated", "column"]
    path = Path(__file__).with_name("reference.csv")
    reference = pd.read_csv(path, index_col=["table", *keys]).loc[table]
    columns = reference.index.unique("column")
    above_pi0 = rows["prior"] - rows["pi0"].fillna(0)  # the prior itself if there is no pi0
    rows = rows.assign(calibrated=rows["pi0"].notna(), prior_above_pi0=above_pi0)
    drawn = rows.set_index([*keys[:2], "period"])[columns].rename_axis(columns="column")
    drawn = drawn.stack().unstack("period").rename(columns=str)  # noqa: PD010, PD013
    gaps = (drawn.reindex_like(reference) - reference).abs()
    gaps = gaps.fillna(np.inf).where(reference.notna())  # changes start in the second period
    gaps, largest = (each.groupby("column").max().max(axis=1) for each in (gaps, reference.abs()))
    return float((gaps / largest).max())
