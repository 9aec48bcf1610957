"""Metrics of the models of a task: means over the folds of the cross-validation."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from calibrated_metrics.confusion import ConfusionCurve
from reproduction.core.io import read_table
from reproduction.core.metrics import Metric, values_of
from reproduction.ranking.published_gain import prg_auc_as_published

_NO_SCORES = pd.DataFrame(columns=["task", "run", "metric", "pi0", "value", "value_as_published"])


def run(
    tasks: Sequence[pd.DataFrame],
    paths: Sequence[str],
    metrics: Sequence[Metric],
    imbalanced_metrics: Sequence[Metric],
    *,
    imbalanced_below: float,
    small_prior_below: float,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tables of `mean_over_folds` of all tasks, and the tasks with a column for each panel.

    `tasks` are descriptions of tasks, and `paths` the files of their predictions, one or several
    tasks in each, which are read one at a time. An imbalanced task has the metrics of both panels.
    Both tables are in the order of the tasks' names.
    """
    described = pd.concat(tasks, ignore_index=True).sort_values("task", ignore_index=True)
    if (again := described["task"].duplicated()).any():
        raise ValueError(f"task {described['task'][again].iloc[0]} occurs in two files")
    prior = described["prior"]
    described = described.assign(
        all=True, imbalanced=prior < imbalanced_below, small_prior=prior < small_prior_below
    )
    is_imbalanced = described.set_index("task")["imbalanced"]
    both = list({metric.key: metric for metric in (*metrics, *imbalanced_metrics)}.values())
    scores = {}
    for path in paths:
        for name, predictions in read_table(path).groupby("task"):
            scores[name] = mean_over_folds(predictions, both if is_imbalanced[name] else metrics)
    return pd.concat([scores[name] for name in sorted(scores)] or [_NO_SCORES]), described


def mean_over_folds(predictions: pd.DataFrame, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Measure each metric on each fold of a model, and take the mean over the folds.

    The predictions are those of one task, in any order of rows. Only the lowest repeat of each run
    is used. A multiple of the prior must stay below 1 on every fold.

    The table has one row per run, in ascending order, and metric. `pi0` of a multiple of the prior
    is the mean over the folds. `value_as_published` differs from `value` only for AUC-PR Gain at a
    reference prior (see `prg_auc_as_published`).
    """
    (task,) = predictions["task"].unique()
    lowest = predictions.groupby("run")["repeat"].transform("min")
    of_runs: dict[str, list[np.ndarray]] = {}
    for (run, fold), rows in predictions[predictions["repeat"] == lowest].groupby(["run", "fold"]):
        try:
            values = _values(rows["y_true"].to_numpy(), rows["y_score"].to_numpy(), metrics)
        except ValueError as error:
            raise ValueError(f"task {task}, run {run}, fold {fold}: {error}") from error
        of_runs.setdefault(run, []).append(values)
    means = np.array([np.sum(folds, axis=0) / len(folds) for folds in of_runs.values()])
    fixed = [metric.pi0_at() for metric in metrics]
    return pd.DataFrame(
        {
            "task": task,
            "run": np.repeat(list(of_runs), len(metrics)),
            "metric": [metric.key for metric in metrics] * len(of_runs),
            "pi0": np.where(np.isnan(fixed), means[:, 2], fixed).ravel(),
            "value": means[:, 0].ravel(),
            "value_as_published": means[:, 1].ravel(),
        }
    )


def _values(y_true: np.ndarray, y_score: np.ndarray, metrics: Sequence[Metric]) -> np.ndarray:
    """Values of one fold, the same as published, and reference priors, shape (3, n_metrics)."""
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    values = values_of(metrics, curve)
    as_published = [
        _gain_as_published(curve, metric, y_score)
        if metric.score == "prg_auc" and metric.pi0 is not None
        else values[metric.key]
        for metric in metrics
    ]
    priors = [metric.pi0_at(curve.prior) for metric in metrics]
    return np.array([[values[metric.key] for metric in metrics], as_published, priors])


def _gain_as_published(curve: ConfusionCurve, metric: Metric, y_score: np.ndarray) -> float:
    pi0 = metric.pi0_at(curve.prior)
    if pi0 < curve.prior:
        # In this case, the published code depends on every group of tied scores.
        thresholds = np.append(np.inf, np.unique(y_score)[::-1])
        matrices = curve.confusion_matrix(thresholds)
        curve = ConfusionCurve(thresholds, matrices.tp, matrices.fp)
    return prg_auc_as_published(curve, pi0)
