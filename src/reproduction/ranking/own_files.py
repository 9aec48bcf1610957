"""Tasks from a user's file: features and labels, or predictions of the user's own models."""

from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.core.reading import finite, labels, read_file, require
from reproduction.ranking.local_models import chosen_models, predict
from reproduction.ranking.local_tasks import LocalTask
from reproduction.ranking.predictions import USED, describe

_OF_PREDICTIONS = ["task", "model", "fold", "y_true", "y_score"]
_FOLDS = 10
_FEWEST_MODELS = 3


def run(path: str, *, label: str, n_models: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Predictions of the tasks of a file, and the descriptions of the tasks.

    A file with the columns task, model, fold, y_true and y_score has predictions. Any other has
    features and a column `label`, to which `n_models` models are fitted; a model that cannot be
    fitted to it is left out, with a warning. An error names the column and the row, or the fold.
    """
    table = read_file(path)
    if set(_OF_PREDICTIONS) <= set(table):
        predictions = _predictions(table, path)
    else:
        task = _task(table, path, label)
        predictions = predict(task, chosen_models(n_models), seed=seed, may_fail=True)
    lines = [
        describe(of_task, task=task, name=task, dataset=task, outcome=USED)
        for task, of_task in predictions.groupby("task", sort=False)
    ]
    described = pd.concat(lines, ignore_index=True)
    for task, n in zip(described["task"], described["n_models"], strict=True):
        if n < _FEWEST_MODELS:
            needed = f"a ranking needs at least {_FEWEST_MODELS} models"
            raise ValueError(f"{path}: {needed}, task {task} has {n}")
    return predictions, described


def _task(table: pd.DataFrame, path: str, label: str) -> LocalTask:
    require(table, [label], path, "`ranking.local.label`")
    y_true = labels(table[label], f"{path}: {label}")
    fewest = min(y_true.sum(), len(y_true) - y_true.sum())
    if fewest < _FOLDS:
        raise ValueError(
            f"{path}: {label} must have at least {_FOLDS} rows of each class for {_FOLDS} folds, "
            f"got {fewest} of the smaller one"
        )
    columns = table.drop(columns=label)
    if columns.empty:
        raise ValueError(f"{path}: needs columns of features beside {label}")
    cure = "; encode categories as numbers, and impute missing values"
    features = [finite(columns[name], f"{path}: {name}", cure) for name in columns]
    name = Path(path).stem
    return LocalTask(name, name, np.column_stack(features), y_true, source=name)


def _predictions(table: pd.DataFrame, path: str) -> pd.DataFrame:
    y_true = labels(table["y_true"], f"{path}: y_true")
    y_score = finite(table["y_score"], f"{path}: y_score")
    folds = finite(table["fold"], f"{path}: fold", "; number the folds")
    names = {"task": table["task"].astype(str), "run": table["model"].astype(str)}
    rows = pd.DataFrame({**names, "repeat": 0, "fold": folds.astype(np.int64)})
    rows["row_id"] = rows.groupby(["task", "run"]).cumcount()
    rows = rows.assign(y_true=y_true, y_score=y_score)
    _check_folds(rows, path)
    return rows


def _check_folds(rows: pd.DataFrame, path: str) -> None:
    """Each fold holds both classes, and the same rows for all models of a task."""
    sizes = rows.groupby(["task", "fold", "run"])["y_true"].agg(n_pos="sum", n="size")
    of_first = sizes.groupby(["task", "fold"]).transform("first")
    for place, size in sizes.iterrows():
        n_pos, n = size
        (task, fold, run), (n_pos_of_first, n_of_first) = place, of_first.loc[place]
        fold = f"{path}: fold {fold} of task {task} and model {run}"
        if not 0 < n_pos < n:
            raise ValueError(f"{fold} must hold both classes, got {n_pos} positives in {n} rows")
        if (n_pos, n) != (n_pos_of_first, n_of_first):
            raise ValueError(
                f"{fold} has {n_pos} positives in {n} rows, another model has {n_pos_of_first} in "
                f"{n_of_first}; score all models of a task on the same rows"
            )
