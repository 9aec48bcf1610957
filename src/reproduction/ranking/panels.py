"""Scores of the tasks of a panel, from which a matrix is computed, and the corrections."""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from reproduction.core.metrics import Metric
from reproduction.ranking.predictions import USED

PANELS = ("all", "imbalanced", "small_prior")
# A panel of fewer tasks is not made. The paper has five imbalanced tasks.
FEWEST_TASKS = {"all": 1, "imbalanced": 5, "small_prior": 1}
# Rounding separates equal values by less than 1e-14; the closest distinct values of two models,
# among the authors' stored scores and the models fitted here, are 1e-10 apart.
TOLERANCE = 1e-11


# Corrections of errors in the authors' code, as words.
CORRECTIONS = {
    # A correlation with a metric that is constant over the models. They set it to 1.
    "undefined_correlation": "leaving out undefined correlations",
    # See `tied`.
    "near_ties": "tying values that differ only by rounding",
    # Their formulas, of the column `value_as_published`, hold only for π₀ = π.
    "gain_crossing": "exact axis crossings of AUC-P$_c$R Gain",
}


def used_tasks(tasks: pd.DataFrame, panel: str) -> pd.DataFrame:
    """Rows of the tasks of a panel whose models are ranked, in the order of their names."""
    return tasks[tasks[panel].astype(bool) & (tasks["outcome"] == USED)].sort_values("task")


def scores_of_panel(
    scores: pd.DataFrame,
    tasks: pd.DataFrame,
    metrics: Sequence[Metric],
    corrections: Collection[str],
    panel: str,
) -> dict[str, np.ndarray]:
    """Scores of the models of each used task of a panel, each (n_models, n_metrics), by task.

    Greater is better: if smaller values of a metric are better, they are negated. A panel of fewer
    than `FEWEST_TASKS` is empty. `scores` has one row per `task`, `run` and `metric`, with `value`
    and `value_as_published`; `tasks` has one row per `task`, with `outcome` and one boolean column
    per panel. All `corrections` except "undefined_correlation" are made.
    """
    used = used_tasks(tasks, panel)["task"].tolist()
    if len(used) < FEWEST_TASKS[panel]:
        return {}
    keys = [metric.key for metric in metrics]
    wanted = scores[scores["task"].isin(used) & scores["metric"].isin(keys)]
    wide = wanted.pivot(  # noqa: PD010, pivot_table would average duplicate rows
        index=["task", "run"],
        columns="metric",
        values="value" if "gain_crossing" in corrections else "value_as_published",
    )
    wide = wide.reindex(columns=keys).sort_index()
    _check_complete(wide, used, panel)
    sign = np.array([1.0 if metric.greater_is_better else -1.0 for metric in metrics])
    of_tasks = {}
    for task in used:
        values = wide.loc[task].to_numpy(dtype=np.float64)
        of_tasks[task] = sign * (tied(values) if "near_ties" in corrections else values)
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
