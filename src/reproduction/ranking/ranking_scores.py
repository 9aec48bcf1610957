"""Metrics of every model of a task, each the mean over the folds of its cross-validation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from calibrated_metrics.confusion import ConfusionCurve
from reproduction.ranking.published_gain import prg_auc_as_published
from reproduction.core.metrics import Metric, TimesPrior, values_of

__all__ = ["of_task", "run"]


def run(predictions: pd.DataFrame, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Measure the models of one task: each metric on each fold, then the mean over the folds.

    Parameters
    ----------
    predictions : DataFrame
        Of one task: `task`, `run`, `repeat`, `fold`, `y_true` (1 for a positive), `y_score`.
        Of each run only its lowest repeat counts. The order of the rows does not matter.
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
        If there are no predictions, or those of several tasks; naming task, run and fold where a
        class is missing or a score is not finite.

    References
    ----------
    Siblini et al., "Master your Metrics with Calibration", IDA 2020,
    doi:10.1007/978-3-030-44584-3_36, Figure 7.
    """
    task = _only_task(predictions)
    columns = {name: predictions[name].to_numpy() for name in ("repeat", "fold", "y_true")}
    columns["y_score"] = predictions["y_score"].to_numpy(dtype=np.float64)
    columns["run"], names = pd.factorize(predictions["run"], sort=True)
    columns = _lowest_repeats(columns)
    columns = _taken(columns, np.lexsort((columns["fold"], columns["run"])))
    starts = _first_rows_of_folds(columns)
    _check(columns, starts, task, names)

    sums = np.zeros((len(names), 3, len(metrics)))
    for start, stop in zip(starts, [*starts[1:], len(columns["run"])], strict=True):
        run_index = columns["run"][start]
        try:
            sums[run_index] += _values(
                columns["y_true"][start:stop], columns["y_score"][start:stop], metrics
            )
        except Exception as error:
            error.add_note(_place(columns, start, task, names))
            raise
    n_folds = np.bincount(columns["run"][starts])
    means = sums / n_folds[:, np.newaxis, np.newaxis]
    fixed = [metric.pi0_at() for metric in metrics]
    return pd.DataFrame(
        {
            "task": task,
            "run": np.repeat(np.asarray(names), len(metrics)),
            "metric": [metric.key for metric in metrics] * len(names),
            "pi0": np.where(np.isnan(fixed), means[:, 2], fixed).ravel(),
            "value": means[:, 0].ravel(),
            "value_as_published": means[:, 1].ravel(),
        }
    )


def of_task(
    predictions: pd.DataFrame,
    task: pd.DataFrame,
    metrics: Sequence[Metric],
    imbalanced_metrics: Sequence[Metric],
    *,
    imbalanced_below: float,
) -> pd.DataFrame:
    """Measure the models of a task with the metrics of all matrices it belongs to.

    Parameters
    ----------
    predictions : DataFrame
        Without rows for a task that cannot be used.
    task : DataFrame, 1 row
        With the task's `prior`.
    metrics, imbalanced_metrics : sequence of Metric
        Of all tasks, and of those whose prior lies below `imbalanced_below`; a metric may be
        in both.

    Returns
    -------
    DataFrame
        As returned by `run`.
    """
    if predictions.empty:
        columns = {name: "str" for name in ("task", "run", "metric")}
        columns |= {name: "float64" for name in ("pi0", "value", "value_as_published")}
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in columns.items()})
    wanted = list(metrics)
    if task["prior"].item() < imbalanced_below:
        wanted += imbalanced_metrics
    return run(predictions, list({metric.key: metric for metric in wanted}.values()))


def _only_task(predictions: pd.DataFrame) -> str:
    tasks = predictions["task"].unique()
    if len(tasks) != 1:
        raise ValueError(f"predictions must be those of one task, got {sorted(tasks)}")
    return tasks[0]


def _taken(columns: dict[str, np.ndarray], rows) -> dict[str, np.ndarray]:
    return {name: column[rows] for name, column in columns.items()}


def _lowest_repeats(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    repeat, run_index = columns["repeat"], columns["run"]
    lowest = np.full(run_index.max() + 1, repeat.max())
    np.minimum.at(lowest, run_index, repeat)
    return _taken(columns, repeat == lowest[run_index])


def _first_rows_of_folds(columns: dict[str, np.ndarray]) -> np.ndarray:
    same = (np.diff(columns["run"]) == 0) & (np.diff(columns["fold"]) == 0)
    return np.concatenate([[0], np.flatnonzero(~same) + 1])


def _check(columns: dict[str, np.ndarray], starts: np.ndarray, task: str, names) -> None:
    finite = np.isfinite(columns["y_score"])
    if not finite.all():
        row = int(np.argmin(finite))
        score = columns["y_score"][row]
        raise ValueError(f"{_place(columns, row, task, names)}: y_score must be finite, is {score}")
    sizes = np.diff(starts, append=len(finite))
    n_pos = np.add.reduceat((columns["y_true"] == 1).astype(np.int64), starts)
    one_class = (n_pos == 0) | (n_pos == sizes)
    if one_class.any():
        fold = int(np.argmax(one_class))
        raise ValueError(
            f"{_place(columns, starts[fold], task, names)}: needs both classes, has "
            f"{n_pos[fold]} positives among {sizes[fold]} rows"
        )


def _place(columns: dict[str, np.ndarray], row: int, task: str, names) -> str:
    return f"task {task}, run {names[columns['run'][row]]}, fold {columns['fold'][row]}"


def _values(y_true: np.ndarray, y_score: np.ndarray, metrics: Sequence[Metric]) -> np.ndarray:
    """Values of one fold, the same as published, and reference priors, shape (3, n_metrics)."""
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    values = values_of(metrics, curve)
    value = [values[metric.key] for metric in metrics]
    as_published = [
        _gain_as_published(curve, metric, y_true, y_score) if _crossing_matters(metric) else each
        for metric, each in zip(metrics, value, strict=True)
    ]
    return np.array([value, as_published, [metric.pi0_at(curve.prior) for metric in metrics]])


def _crossing_matters(metric: Metric) -> bool:
    return metric.score == "prg_auc" and metric.pi0 is not None


def _gain_as_published(
    curve: ConfusionCurve, metric: Metric, y_true: np.ndarray, y_score: np.ndarray
) -> float:
    pi0 = metric.pi0.at(curve.prior) if isinstance(metric.pi0, TimesPrior) else metric.pi0
    if pi0 < curve.prior:
        # There the published code depends on every group of tied scores.
        thresholds = np.append(np.inf, np.unique(y_score)[::-1])
        matrices = curve.confusion_matrix(thresholds)
        curve = ConfusionCurve(thresholds, matrices.tp, matrices.fp)
    return prg_auc_as_published(curve, pi0)
