"""Scores of the tasks of a panel, from which a matrix is computed, and their conventions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from reproduction.core.metrics import Metric
from reproduction.ranking.predictions import USED

PANELS = ("all", "imbalanced", "small_prior")
# Rounding separates equal values by less than 1e-14; the closest distinct values of two models,
# among the authors' stored scores and the models fitted here, are 1e-10 apart.
TOLERANCE = 1e-11


@dataclass(frozen=True)
class Conventions:
    """Choices in the definition of the rank correlations; the defaults are the corrected ones."""

    # A correlation with a metric that is constant over the models: left out, or set to 1.
    undefined_correlation: Literal["left_out", "one"] = "left_out"
    # Models whose metrics are all exactly 0, probably because of a parsing failure.
    zeroed_runs: Literal["dropped", "kept"] = "dropped"
    # Values that differ only by rounding: tied (see `tied`), or ranked by the last digits.
    near_ties: Literal["tied", "ranked"] = "tied"
    # Where a calibrated precision-recall-gain curve crosses its axes: column `value` of the
    # scores, or `value_as_published`, by the authors' formulas, which hold only for π₀ = π.
    gain_crossing: Literal["exact", "as_published"] = "exact"


# Values of `ranking.conventions`. The second ones are those of the authors' code.
CONVENTIONS = {
    "corrected": Conventions(),
    "as_published": Conventions("one", "kept", "ranked", "as_published"),
}


def used_tasks(tasks: pd.DataFrame, panel: str) -> pd.DataFrame:
    """Rows of the tasks of a panel whose models are ranked, in the order of their names."""
    return tasks[tasks[panel].astype(bool) & (tasks["outcome"] == USED)].sort_values("task")


def scores_of_panel(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    conventions: Conventions,
    panel: str,
) -> dict[str, np.ndarray]:
    """Scores of the models of each used task of a panel, each (n_models, n_metrics), by task.

    Greater is better: if smaller values of a metric are better, they are negated. A task without
    models is left out. `scores` has one row per `task`, `run` and `metric`, with `value` and
    `value_as_published`; `tasks` has one row per `task`, with `outcome` and one boolean column per
    panel. All conventions except `undefined_correlation` are applied.
    """
    used = used_tasks(tasks, panel)["task"].tolist()
    keys = [metric.key for metric in metrics]
    wanted = scores[scores["task"].isin(used) & scores["metric"].isin(keys)]
    wide = wanted.pivot(  # noqa: PD010, pivot_table would average duplicate rows
        index=["task", "run"],
        columns="metric",
        values="value" if conventions.gain_crossing == "exact" else "value_as_published",
    )
    wide = wide.reindex(columns=keys).sort_index()
    _check_complete(wide, used, panel)
    sign = np.array([1.0 if metric.greater_is_better else -1.0 for metric in metrics])
    of_tasks = {}
    for task in used:
        values = wide.loc[task].to_numpy(dtype=np.float64)
        if conventions.zeroed_runs == "dropped":
            values = values[(values != 0).any(axis=1)]
        if conventions.near_ties == "tied":
            values = tied(values)
        if len(values):
            of_tasks[task] = sign * values
    return of_tasks


def _check_complete(wide: pd.DataFrame, used: list[str], panel: str) -> None:
    without = set(used) - set(wide.index.get_level_values("task"))
    if without:
        raise ValueError(f"task {min(without)} of the panel {panel!r} has no scores")
    incomplete = wide[wide.isna().any(axis=1)]
    if len(incomplete):
        (task, run), row = next(incomplete.iterrows())
        raise ValueError(f"task {task}, run {run} lacks the metric {row.isna().idxmax()}")


def tied(values: np.ndarray) -> np.ndarray:
    """Replace values that differ only by rounding by the largest of them, per column.

    Two neighbours among the sorted values of a metric are tied if they differ by at most
    `TOLERANCE`, relative to values above 1. Ties are transitive: a group ends at a larger gap, so
    groups do not depend on the order of the models.
    """
    order = np.argsort(values, axis=0)
    ascending = np.take_along_axis(values, order, axis=0)
    size = np.maximum(np.abs(ascending), 1.0)
    is_last = np.ones(values.shape, dtype=bool)
    is_last[:-1] = np.diff(ascending, axis=0) > TOLERANCE * np.maximum(size[1:], size[:-1])
    last_above = np.minimum.accumulate(np.where(is_last, ascending, np.inf)[::-1], axis=0)[::-1]
    result = np.empty_like(values)
    np.put_along_axis(result, order, last_above, axis=0)
    return result
