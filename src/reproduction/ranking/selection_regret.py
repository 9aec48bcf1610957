"""Regret by one metric of the model that another metric chooses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from reproduction.ranking.rank_correlation import (
    CONVENTIONS,
    Conventions,
    scores_of_panel,
)
from reproduction.core.metrics import Metric

__all__ = ["run"]


def run(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    conventions: str | Conventions = "corrected",
    *,
    panel: str,
) -> pd.DataFrame:
    """Choose the best model of each task by one metric and judge it by another.

    The regret of a task is how much worse the chosen model is than the task's best by the judging
    metric. Ties for the best model are averaged.

    Parameters
    ----------
    scores, tasks, conventions, panel
        As in `rank_correlation.run`.
    metrics : sequence of Metric
        Each metric chooses models, and each judges them.

    Returns
    -------
    DataFrame
        A row per pair of metrics, both ways and with itself, in their order: `chosen_by`,
        `judged_by` and their reference priors `chosen_by_pi0`, `judged_by_pi0`, empty for a
        multiple of the prior, which differs between tasks; `mean`, `median` and 90th percentile
        `p90` of the regret over the tasks, at least 0, in units of the judging metric; and
        `n_tasks`. Empty and 0 without a task.

    Raises
    ------
    ValueError
        For an unknown panel, or naming a task of the panel whose scores are incomplete.
    """
    if isinstance(conventions, str):
        conventions = CONVENTIONS[conventions]
    data = scores_of_panel(scores, tasks, metrics, conventions, panel)
    with_models = [values for values in data.of_tasks if len(values)]
    regrets = np.array([_regrets(values) for values in with_models])
    regrets = regrets.reshape(-1, len(metrics) ** 2)
    if not len(regrets):
        statistics = np.full((3, len(metrics) ** 2), np.nan)
    else:
        statistics = [regrets.mean(axis=0), *np.quantile(regrets, [0.5, 0.9], axis=0)]
    keys = [metric.key for metric in metrics]
    priors = [metric.pi0_at() for metric in metrics]
    return pd.DataFrame(
        {
            "chosen_by": np.repeat(keys, len(keys)),
            "judged_by": keys * len(keys),
            "chosen_by_pi0": np.repeat(priors, len(keys)),
            "judged_by_pi0": priors * len(keys),
            **dict(zip(("mean", "median", "p90"), statistics, strict=True)),
            "n_tasks": len(regrets),
        }
    )


def _regrets(values: np.ndarray) -> np.ndarray:
    """Regret of a task, (n_metrics that choose, n_that_judge). Greater is better."""
    best = values.max(axis=0)
    lost = best - values
    chosen = values == best
    total = (chosen[:, :, np.newaxis] * lost[:, np.newaxis, :]).sum(axis=0)
    return total / chosen.sum(axis=0)[:, np.newaxis]
