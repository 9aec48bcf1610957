"""Sweeps: points of the synthetic ones, and the means over the runs of any, with their bands."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit  # scipy.stats takes a second to import

from calibrated_metrics.confusion import ConfusionCurve
from reproduction.core.metrics import Metric, values_of

_LEVEL = 0.95


def likelihood_ratio_sample(
    n_pos: int, n_neg: int, mu1: float, mu0: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores of x from N(mu1, 1) and N(mu0, 1), scored by p(x | 1) / p(x | 0)."""
    y_true = np.zeros(n_pos + n_neg, dtype=np.int8)
    y_true[:n_pos] = 1
    x = rng.standard_normal(n_pos + n_neg)
    x[:n_pos] += mu1
    x[n_pos:] += mu0
    # log ratio (mu1 - mu0) (x - (mu1 + mu0) / 2), in place: a run holds 10⁶ points
    x -= (mu1 + mu0) / 2
    x *= mu1 - mu0
    return y_true, np.exp(x, out=x)


def measured_and_population(
    metrics: Sequence[Metric],
    n_pos: int,
    n_neg: int,
    mu1: float,
    mu0: float,
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    """One row per metric: its value on a sample and on the population at the sample's prior."""
    y_true, y_score = likelihood_ratio_sample(n_pos, n_neg, mu1, mu0, rng)
    prior = n_pos / (n_pos + n_neg)
    sample = values_of(metrics, ConfusionCurve.from_predictions(y_true, y_score))
    population = values_of(metrics, ConfusionCurve.from_binormal(mu1, mu0, prior))
    return [
        {
            "n_pos": n_pos,
            "n_neg": n_neg,
            "metric": metric.key,
            "pi0": metric.pi0_at(prior),
            "value": sample[metric.key],
            "population": population[metric.key],
        }
        for metric in metrics
    ]


def joined(tables: Iterable[pd.DataFrame], by: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The table of all runs, from the blocks of several jobs, and its `bands`."""
    table = pd.concat(tables)
    return table, bands(table, by)


def bands(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Mean and spread of each metric over the runs at a point, which the columns `by` identify.

    `low` and `high` are the 95 % t interval of the mean, and `sd` is of one run.
    """
    rows = table.groupby([*by, "metric"], sort=False)
    pi0, value, n_runs = rows["pi0"].min(), rows["value"].mean(), rows.size()
    sd = rows["value"].std()
    reach = stdtrit(n_runs - 1, (1 + _LEVEL) / 2) * sd / np.sqrt(n_runs)
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
