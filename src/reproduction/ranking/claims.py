"""Functions for `take` in claims.yaml: they reduce the selected rows to one number."""

import pandas as pd


def n_zeroed_runs(rows: pd.DataFrame) -> float:
    """Number of models whose metrics are all exactly 0."""
    is_zero = rows["value_as_published"] == 0
    return float(is_zero.groupby([rows["task"], rows["run"]]).all().sum())


def gap_of_staircase(rows: pd.DataFrame) -> float:
    """Largest difference of the cumulative share from the share of the ratios up to each one."""
    shares = rows["minority_ratio"].rank(method="max", pct=True)
    return float((rows["cumulative_share"] - shares).abs().max())
