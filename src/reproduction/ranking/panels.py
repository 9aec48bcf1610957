"""The scores that a matrix is computed from: those of the tasks of a panel, by some conventions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from reproduction.core.metrics import Metric
from reproduction.ranking.near_ties import tied
from reproduction.ranking.predictions import USED

__all__ = ["CONVENTIONS", "PANELS", "Conventions", "scores_of_panel", "used_tasks"]

PANELS = ("all", "imbalanced", "small_prior")


@dataclass(frozen=True)
class Conventions:
    """Choices in the definition of the rank correlations; the defaults are the corrected ones.

    Attributes
    ----------
    undefined_correlation : {"left_out", "one"}
        A Spearman correlation with a metric that is constant over the models of a task is excluded
        from the mean, or counts as 1.
    zeroed_runs : {"dropped", "kept"}
        Models whose metrics are all exactly 0, probably a parsing failure rather than poor models.
    near_ties : {"tied", "ranked"}
        Values that differ only by rounding are equal, see `near_ties.tied`, or are ranked by their
        last digits.
    gain_crossing : {"exact", "as_published"}
        Where a calibrated precision-recall-gain curve crosses its axes is computed exactly
        (column `value` of the scores), or by the authors' formulas, which hold only for π₀ = π
        (column `value_as_published`).
    """

    undefined_correlation: Literal["left_out", "one"] = "left_out"
    zeroed_runs: Literal["dropped", "kept"] = "dropped"
    near_ties: Literal["tied", "ranked"] = "tied"
    gain_crossing: Literal["exact", "as_published"] = "exact"


CONVENTIONS = {
    "corrected": Conventions(),
    "as_published": Conventions(
        undefined_correlation="one",
        zeroed_runs="kept",
        near_ties="ranked",
        gain_crossing="as_published",
    ),
}
"""The conventions that `ranking.conventions` can name. The authors' code has the second ones."""


def used_tasks(tasks: pd.DataFrame, panel: str) -> pd.DataFrame:
    """Rows of the tasks of a panel whose models are ranked, in the order of their names."""
    return tasks[tasks[panel].astype(bool) & (tasks["outcome"] == USED)].sort_values("task")


def scores_of_panel(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    conventions: Conventions,
    panel: str,
) -> list[np.ndarray]:
    """Scores of the models of each used task of a panel.

    Parameters
    ----------
    scores : DataFrame
        A row per task, run and metric: `task`, `run`, `metric`, `value`, `value_as_published`.
    tasks : DataFrame
        A row per task: `task`, `outcome`, and a boolean column per panel.
    metrics : sequence of Metric
        Columns of the arrays.
    conventions : Conventions
        All but `undefined_correlation` apply.
    panel : {"all", "imbalanced", "small_prior"}

    Returns
    -------
    list of ndarray of shape (n_models, n_metrics)
        One of each task that has models. Greater is better: values of a metric of which less is
        better are negated.

    Raises
    ------
    ValueError
        Naming a used task of the panel whose scores are incomplete.
    """
    used = used_tasks(tasks, panel)["task"].tolist()
    keys = [metric.key for metric in metrics]
    wanted = scores[scores["task"].isin(used) & scores["metric"].isin(keys)]
    wide = wanted.pivot(  # noqa: PD010, pivot_table would average rows that stand there twice
        index=["task", "run"],
        columns="metric",
        values="value" if conventions.gain_crossing == "exact" else "value_as_published",
    )
    wide = wide.reindex(columns=keys).sort_index()
    _check_complete(wide, used, panel)
    sign = np.array([1.0 if metric.greater_is_better else -1.0 for metric in metrics])
    of_tasks = []
    for task in used:
        values = wide.loc[task].to_numpy(dtype=np.float64)
        if conventions.zeroed_runs == "dropped":
            values = values[(values != 0).any(axis=1)]
        if conventions.near_ties == "tied":
            values = tied(values)
        of_tasks.append(sign * values)
    return [values for values in of_tasks if len(values)]


def _check_complete(wide: pd.DataFrame, used: list[str], panel: str) -> None:
    without = set(used) - set(wide.index.get_level_values("task"))
    if without:
        raise ValueError(f"task {min(without)} of the panel {panel!r} has no scores")
    missing = wide.isna().to_numpy()
    if missing.any():
        row, column = np.argwhere(missing)[0]
        task, name = wide.index[row]
        raise ValueError(f"task {task}, run {name} lacks the metric {wide.columns[column]}")
