"""Functions that claims.yaml names: the selected rows in, one number out."""

from __future__ import annotations

import numpy as np
import pandas as pd

__all__ = ["gap_of_staircase", "n_zeroed_runs"]


def n_zeroed_runs(rows: pd.DataFrame) -> float:
    """Number of models whose metrics are all exactly 0."""
    is_zero = rows["value_as_published"] == 0
    return float(is_zero.groupby([rows["task"], rows["run"]]).all().sum())


def gap_of_staircase(rows: pd.DataFrame) -> float:
    """Largest difference of the cumulative share from the share of the ratios up to each one."""
    ratios = rows["minority_ratio"].to_numpy()
    shares = (ratios[:, np.newaxis] >= ratios).mean(axis=1)
    return float(np.abs(rows["cumulative_share"] - shares).max())
