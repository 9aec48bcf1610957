"""Regret of choosing a model by one metric and judging it by another."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from reproduction.core.metrics import Metric
from reproduction.ranking.experiment import pairs_of
from reproduction.ranking.panels import CORRECTIONS, scores_of_panel


def run(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    *,
    panel: str,
) -> pd.DataFrame:
    """Choose the best model of each task by one metric and judge it by another.

    The regret of a task is the difference, in the judging metric, between the best model and the
    chosen model. Ties for the best model are averaged. The arguments are those of `experiment.run`.
    Without a task, the regrets are empty.
    """
    of_tasks = scores_of_panel(scores, tasks, metrics, CORRECTIONS, panel)
    n_pairs = len(metrics) ** 2
    regrets = np.array([_regrets(values) for values in of_tasks.values()]).reshape(-1, n_pairs)
    mean, median, p90, largest = np.full((4, n_pairs), np.nan)
    if len(regrets):
        mean = regrets.mean(axis=0)
        median, p90, largest = np.quantile(regrets, [0.5, 0.9, 1], axis=0)
    pairs = pairs_of(metrics)
    pairs.columns = ["chosen_by", "judged_by", "chosen_by_pi0", "judged_by_pi0"]
    values = {"mean": mean, "median": median, "p90": p90, "largest": largest}
    return pairs.assign(**values, n_tasks=len(regrets))


def _regrets(values: np.ndarray) -> np.ndarray:
    """Regret of a task, (n_metrics that choose, n_that_judge). Greater is better."""
    best = values.max(axis=0)
    chosen = values == best
    total = (chosen[:, :, np.newaxis] * (best - values)[:, np.newaxis, :]).sum(axis=0)
    return total / chosen.sum(axis=0)[:, np.newaxis]
