"""Means over the runs of a sweep, with their bands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from scipy.stats import t

_LEVEL = 0.95


def joined(tables: Iterable[pd.DataFrame], by: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The table of all runs, from the blocks of several jobs, and its `bands`."""
    table = pd.concat(tables)
    return table, bands(table, by)


def bands(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Mean and spread of each metric over the runs at a point of a sweep.

    Parameters
    ----------
    table : DataFrame
        One row per point, run and metric: `metric`, `pi0`, `value`, and perhaps `population`.
    by : sequence of str
        Columns that identify a point.

    Returns
    -------
    DataFrame
        One row per point and metric: the columns of `by`; `metric`; `pi0`, empty if it differs
        between runs; `n_runs`; `value`, the mean of the runs, with its 95 % t interval `low` and
        `high`; `sd` of one run; and the mean of `population`.
    """
    rows = table.groupby([*by, "metric"], sort=False)
    pi0, value, n_runs = rows["pi0"].min(), rows["value"].mean(), rows.size()
    sd = rows["value"].std()
    reach = t.ppf((1 + _LEVEL) / 2, n_runs - 1) * sd / np.sqrt(n_runs)
    found = pd.DataFrame(
        {
            "pi0": pi0.where(pi0 == rows["pi0"].max()),
            "n_runs": n_runs,
            "value": value,
            "low": value - reach,
            "high": value + reach,
            "sd": sd,
        }
    )
    if "population" in table:
        found["population"] = rows["population"].mean()
    return found.reset_index()
