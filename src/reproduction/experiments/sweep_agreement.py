"""Do the synthetic sweeps agree with the population values?"""

from __future__ import annotations

import numpy as np
import pandas as pd

__all__ = ["ENOUGH_POSITIVES", "ENOUGH_RUNS", "TOLERATED_ERRORS", "run"]

TOLERATED_ERRORS = 4.0  # standard errors
# Below this many positives, the bias of a finite sample (of order 1 / N₊) is no longer small
# compared with the spread of the runs. The gap of such a point is shown but not judged.
ENOUGH_POSITIVES = 10_000
ENOUGH_RUNS = 10  # with fewer, the standard error is too uncertain


def run(table: pd.DataFrame, point: str) -> pd.DataFrame:
    """Compare the mean over the runs with the population, at each point of a sweep.

    Parameters
    ----------
    table : DataFrame
        Of `experiments.pi_sweep` or `experiments.kl_sweep`.
    point : str
        The swept column, ``"prior"`` or ``"kl"``.

    Returns
    -------
    DataFrame
        A row per point and metric: `pi0`, empty where it differs between the runs; `n_runs`,
        smallest `n_pos`, mean `value` and `population`, their mean difference `gap`, its
        `standard_error`, their ratio `z`, and `verdict`: "agrees" or "differs" at points with
        enough runs and positives; "few runs" or "few positives" at the others, which are not
        judged.
    """
    table = table.assign(gap=table["value"] - table["population"])
    grouped = table.groupby([point, "metric"], sort=False)
    result = grouped.agg(
        pi0=("pi0", _if_unique),
        n_runs=("run", "size"),
        n_pos=("n_pos", "min"),
        value=("value", "mean"),
        population=("population", "mean"),
        gap=("gap", "mean"),
        standard_error=("gap", "sem"),
    ).reset_index()
    # Where the curve is exact, as with equal means, the gap is rounding and has no standard error.
    exact = result["gap"].abs() <= 1e-12
    result["z"] = np.where(exact, 0.0, result["gap"] / result["standard_error"].where(~exact, 1.0))
    result["verdict"] = np.select(
        [
            result["n_runs"] < ENOUGH_RUNS,
            result["n_pos"] < ENOUGH_POSITIVES,
            result["z"].abs() <= TOLERATED_ERRORS,
        ],
        ["few runs", "few positives", "agrees"],
        "differs",
    )
    return result


def _if_unique(values: pd.Series) -> float:
    return values.iloc[0] if (values == values.iloc[0]).all() else np.nan
