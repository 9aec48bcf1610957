"""Figure 7: do metrics rank the models of a task alike? Mean Spearman correlations over tasks."""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from reproduction.core.metrics import Metric
from reproduction.core.streams import stream
from reproduction.ranking.panels import CONVENTIONS, PANELS, Conventions, scores_of_panel

_CONFIDENCE = 0.95


def run(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    *,
    conventions: str,
    panel: str,
    n_bootstrap: int,
    seed: int,
) -> pd.DataFrame:
    """Correlate the metrics over the models of each task, and average over the tasks.

    Two metrics correlate positively if they agree on which models are better. `scores`, `tasks`,
    `metrics` and `panel` are as in `scores_of_panel`, and `conventions` is a key of `CONVENTIONS`.

    Returns
    -------
    DataFrame
        One row per pair of metrics, as in `pairs_of`, with `spearman`, the mean over the tasks
        where it is defined; its 95 % interval `low`, `high`, if there are at least two such tasks;
        `n_tasks`, their number; and `n_tasks_of_panel`, the number of all tasks in the panel.
        Correlations are empty if there is no such task.

    Notes
    -----
    A cell is a mean over tasks, not a metric of rows, so the methods of `uncertainty` do not apply.
    The interval is a t interval on Fisher's z of the mean, with the standard deviation of
    `n_bootstrap` draws of the tasks with replacement, the same for every cell. On draws of 5 to 40
    of the local tasks it covered 93 to 95 % on average over the cells; the percentile interval of
    the same draws covered 78 to 90 %, because correlations are skewed and tasks are few.
    """
    correlations = correlations_of_tasks(scores, tasks, metrics, CONVENTIONS[conventions], panel)
    mean, n_tasks = mean_over_tasks(correlations)
    rng = stream(seed, "rank_correlation", PANELS.index(panel))
    low, high = _interval(correlations, n_bootstrap, rng)
    return pairs_of(metrics).assign(
        spearman=mean.ravel(),
        low=low.ravel(),
        high=high.ravel(),
        n_tasks=n_tasks.ravel(),
        n_tasks_of_panel=int(tasks[panel].astype(bool).sum()),
    )


def pairs_of(metrics: Sequence[Metric]) -> pd.DataFrame:
    """One row per ordered pair of metrics, including each metric with itself.

    The columns are `row`, `column` and their reference priors `row_pi0`, `column_pi0`. The latter
    are empty for a multiple of the prior, because it differs between tasks.
    """
    pairs = itertools.product(metrics, metrics)
    rows = [(row.key, column.key, row.pi0_at(), column.pi0_at()) for row, column in pairs]
    return pd.DataFrame(rows, columns=["row", "column", "row_pi0", "column_pi0"])


def correlations_of_tasks(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    conventions: Conventions,
    panel: str,
) -> np.ndarray:
    """Spearman correlations by task, NaN where undefined, (n_tasks, n_metrics, n_metrics)."""
    of_tasks = scores_of_panel(scores, tasks, metrics, conventions, panel)
    correlations = np.array([_spearman(values) for values in of_tasks])
    correlations = correlations.reshape(-1, len(metrics), len(metrics))
    if conventions.undefined_correlation == "one":
        correlations[np.isnan(correlations)] = 1.0
    return correlations


def _spearman(values: np.ndarray) -> np.ndarray:
    """Rank correlations of the columns; NaN for a constant column."""
    ranks = stats.rankdata(values, axis=0) - (len(values) + 1) / 2
    # Sums of multiples of 1/4 are exact, so the result does not depend on the order of the models.
    products = ranks.T @ ranks
    squares = np.diagonal(products)
    scale = np.sqrt(squares[:, np.newaxis] * squares)
    return np.divide(products, scale, out=np.full_like(products, np.nan), where=scale > 0)


def mean_over_tasks(correlations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and number of the defined values along the first axis; NaN without a defined value."""
    n_defined = (~np.isnan(correlations)).sum(axis=0)
    sums = np.nansum(correlations, axis=0)
    mean = np.divide(sums, n_defined, out=np.full(sums.shape, np.nan), where=n_defined > 0)
    return mean, n_defined


def _interval(
    correlations: np.ndarray, n_bootstrap: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Interval of the mean over tasks, each (n_metrics, n_metrics); NaN for fewer than 2 tasks."""
    n_tasks, n_metrics, _ = correlations.shape
    low, high = np.full((2, n_metrics, n_metrics), np.nan)
    if n_tasks < 2:
        return low, high
    drawn = rng.integers(n_tasks, size=(n_tasks, n_bootstrap))
    for row, column in zip(*np.tril_indices(n_metrics), strict=True):
        cell = correlations[:, row, column]
        values = cell[~np.isnan(cell)]
        means, n_defined = mean_over_tasks(cell[drawn])
        draws = means[n_defined > 0]  # a draw without a defined task has no mean
        if min(len(values), len(draws)) > 1:
            limits = _limits_of_mean(values, draws)
            low[row, column], high[row, column] = limits
            low[column, row], high[column, row] = limits
    return low, high


def _limits_of_mean(values: np.ndarray, draws: np.ndarray) -> tuple[float, float]:
    """A t interval of the mean on Fisher's z, with the standard deviation of bootstrap draws."""
    n, mean = len(values), float(values.mean())
    below_one = 1 - np.abs(values)
    if np.ptp(values) == 0 or not (below_one > 0).any():
        return mean, mean
    # Fisher's z of a mean of 1 is infinite, so such a draw counts as the closest mean below 1.
    most = 1 - below_one[below_one > 0].min() / n
    centre, z = (np.arctanh(np.clip(each, -most, most)) for each in (mean, draws))
    reach = stats.t.ppf((1 + _CONFIDENCE) / 2, n - 1) * z.std(ddof=1) * np.sqrt(n / (n - 1))
    return float(np.tanh(centre - reach)), float(np.tanh(centre + reach))
