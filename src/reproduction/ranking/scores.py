"""Metrics of the models of a task, each the mean over the folds of its cross-validation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from calibrated_metrics.confusion import ConfusionCurve
from reproduction.core.metrics import Metric, TimesPrior, values_of
from reproduction.ranking.published_gain import prg_auc_as_published

__all__ = ["mean_over_folds", "run"]


def run(
    predictions: pd.DataFrame,
    task: pd.DataFrame,
    metrics: Sequence[Metric],
    imbalanced_metrics: Sequence[Metric],
    *,
    imbalanced_below: float,
) -> pd.DataFrame:
    """Measure the models of a task with the metrics of all panels that the task belongs to.

    Parameters
    ----------
    predictions : DataFrame
        Without rows for a task that cannot be used.
    task : DataFrame, 1 row
        With the task's `prior`.
    metrics, imbalanced_metrics : sequence of Metric
        Of all tasks, and of those whose prior is below `imbalanced_below`.

    Returns
    -------
    DataFrame
        As returned by `mean_over_folds`.
    """
    if predictions.empty:
        columns = {name: "str" for name in ("task", "run", "metric")}
        columns |= {name: "float64" for name in ("pi0", "value", "value_as_published")}
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in columns.items()})
    is_imbalanced = task["prior"].item() < imbalanced_below
    wanted = [*metrics, *(imbalanced_metrics if is_imbalanced else [])]
    return mean_over_folds(predictions, list({metric.key: metric for metric in wanted}.values()))


def mean_over_folds(predictions: pd.DataFrame, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Measure each metric on each fold of a model, and take the mean over the folds.

    Parameters
    ----------
    predictions : DataFrame
        Of one task, with the columns of `predictions.no_predictions`. Of each run only its lowest
        repeat counts. The order of the rows does not matter.
    metrics : sequence of Metric
        A multiple of the prior must stay below 1 on every fold.

    Returns
    -------
    DataFrame
        A row per run, in ascending order, and metric: `task`, `run`, `metric`, `pi0` (of a multiple
        of the prior, the mean over the folds), `value`, and `value_as_published`, which differs
        from `value` only for AUC-PR Gain at a reference prior (see `prg_auc_as_published`).

    Raises
    ------
    ValueError
        If a metric of a fold is undefined, or a score is not finite; the message names the task,
        the run and the fold.
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
    pi0 = metric.pi0.at(curve.prior) if isinstance(metric.pi0, TimesPrior) else metric.pi0
    if pi0 < curve.prior:
        # There the published code depends on every group of tied scores.
        thresholds = np.append(np.inf, np.unique(y_score)[::-1])
        matrices = curve.confusion_matrix(thresholds)
        curve = ConfusionCurve(thresholds, matrices.tp, matrices.fp)
    return prg_auc_as_published(curve, pi0)
