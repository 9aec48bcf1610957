"""Do metrics rank the models of a task alike? Mean Spearman correlations over tasks."""

import itertools
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
from scipy.special import stdtrit  # scipy.stats takes half a second to import

from reproduction.core.metrics import Metric
from reproduction.core.streams import stream
from reproduction.ranking.panels import CORRECTIONS, PANELS, scores_of_panel

_CONFIDENCE = 0.95


def run(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    *,
    panel: str,
    n_bootstrap: int,
    seed: int,
) -> pd.DataFrame:
    """Correlate the metrics over the models of each task, and average over the tasks.

    Two metrics correlate positively if they agree on which models are better. `scores`, `tasks`,
    `metrics` and `panel` are as in `scores_of_panel`. All corrections are made.

    The mean of a pair is over the tasks where its correlation is defined, and empty if there is
    none. Its interval is empty if these tasks have fewer than two sources.

    A cell is a mean over tasks, not a metric of rows, so the methods of `uncertainty` do not apply.
    The interval is a t interval on Fisher's z of the mean, with the standard deviation of
    `n_bootstrap` draws of the sources with replacement, the same for every cell. Tasks of a source
    (the column `dataset`) are drawn together, as they are not independent. It is approximate, as
    correlations are skewed: on draws of 34, 20, 10 and 5 sources of the default tasks, it covered
    92, 88, 83 and 83 % on average over the cells.
    """
    arguments = scores, tasks, metrics, CORRECTIONS, panel
    names, correlations = correlations_of_tasks(*arguments)
    mean, n_tasks = mean_over_tasks(correlations)
    sources = tasks.set_index("task").loc[names, "dataset"].tolist()
    rng = stream(seed, "rank_correlation", PANELS.index(panel))
    low, high = _interval(correlations, sources, n_bootstrap, rng)
    return pairs_of(metrics).assign(
        spearman=mean.ravel(),
        low=low.ravel(),
        high=high.ravel(),
        n_tasks=n_tasks.ravel(),
        n_sources=len(set(sources)),
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
    corrections: Collection[str],
    panel: str,
) -> tuple[list[str], np.ndarray]:
    """Names of the tasks, and Spearman correlations, (n_tasks, n_metrics, n_metrics).

    An undefined correlation is NaN, or 1 without its correction.
    """
    of_tasks = scores_of_panel(scores, tasks, metrics, corrections, panel)
    correlations = np.array([spearman(values) for values in of_tasks.values()])
    correlations = correlations.reshape(-1, len(metrics), len(metrics))
    if "undefined_correlation" not in corrections:
        correlations[np.isnan(correlations)] = 1.0
    return list(of_tasks), correlations


def spearman(values: np.ndarray) -> np.ndarray:
    """Rank correlations of the columns of (n_models, n_metrics); NaN for a constant column."""
    ranks = pd.DataFrame(values).rank().to_numpy() - (len(values) + 1) / 2
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
    correlations: np.ndarray, sources: Sequence[str], n_bootstrap: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Limits of the mean over tasks, each (n_metrics, n_metrics); NaN for fewer than 2 sources."""
    n_metrics = correlations.shape[1]
    low, high = np.full((2, n_metrics, n_metrics), np.nan)
    names, source_of_task = np.unique(sources, return_inverse=True)
    if len(names) < 2:
        return low, high
    # How often each draw contains each source, and so each of its tasks.
    drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=n_bootstrap)
    drawn = drawn[:, source_of_task]
    for row, column in zip(*np.tril_indices(n_metrics), strict=True):
        cell = correlations[:, row, column]
        is_defined = ~np.isnan(cell)
        n_sources = len(np.unique(source_of_task[is_defined]))
        n_defined = drawn[:, is_defined].sum(axis=1)
        sums = drawn[:, is_defined] @ cell[is_defined]
        draws = sums[n_defined > 0] / n_defined[n_defined > 0]  # the others have no mean
        if min(n_sources, len(draws)) > 1:
            limits = _limits_of_mean(cell[is_defined], n_sources, draws)
            low[row, column], high[row, column] = limits
            low[column, row], high[column, row] = limits
    return low, high


def _limits_of_mean(values: np.ndarray, n: int, draws: np.ndarray) -> tuple[float, float]:
    """A t interval of a mean over `n` sources on Fisher's z, with the deviation of the draws."""
    mean = float(values.mean())
    below_one = 1 - np.abs(values)
    if np.ptp(values) == 0 or not (below_one > 0).any():
        return mean, mean
    # Fisher's z of a mean of 1 is infinite, so such a draw counts as the closest mean below 1.
    most = 1 - below_one[below_one > 0].min() / len(values)
    centre, z = (np.arctanh(np.clip(each, -most, most)) for each in (mean, draws))
    reach = stdtrit(n - 1, (1 + _CONFIDENCE) / 2) * z.std(ddof=1) * np.sqrt(n / (n - 1))
    return float(np.tanh(centre - reach)), float(np.tanh(centre + reach))
