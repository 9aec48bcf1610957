"""Tasks from a user's file: features and labels, or predictions of the user's own models."""

import re
import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from reproduction.core.reading import Label, OwnFile
from reproduction.local_models.models import N_FOLDS, chosen_models, predict
from reproduction.local_models.real_data import LocalTask
from reproduction.local_models.settings import name_of_file
from reproduction.ranking.predictions import describe

_OF_PREDICTIONS = ("task", "model", "y_score")
_UNNAMED = r"Unnamed: \d+|__index_level_\d+__"  # names that pandas and Arrow give
_FEWEST_MODELS = 3


def run(
    path: str,
    *,
    label: str,
    features: Sequence[str] | None = None,
    n_models: int,
    seed: int,
    **written: Label | None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Predictions of the tasks of a file, and the descriptions of the tasks.

    A file with one of the columns task, model and y_score has predictions, and needs all of them,
    y_true and, if there are several folds, fold. Any other file, and one whose `features` are
    given, has features and a column `label`, to which `n_models` models are fitted; a model that
    cannot be fitted to it is left out, with a warning. `written` are the settings
    `own_files`. An error names the column and the row, or the fold.
    """
    file = OwnFile.read(path, [label, *_OF_PREDICTIONS], **written)
    if features is None and not file.table.columns.intersection(_OF_PREDICTIONS).empty:
        predictions = _predictions(file)
    else:
        task = _task(file, label, features)
        predictions = predict(task, chosen_models(n_models), seed=seed, may_fail=True)
    lines = [
        describe(of_task, task=task, name=task, dataset=task)
        for task, of_task in predictions.groupby("task", sort=False)
    ]
    described = pd.concat(lines, ignore_index=True)
    for task, n in zip(described["task"], described["n_models"], strict=True):
        if n < _FEWEST_MODELS:
            needed = f"a ranking needs at least {_FEWEST_MODELS} models"
            raise ValueError(f"{path}: {needed}, task {task} has {n}")
    return predictions, described


def _task(file: OwnFile, label: str, features: Sequence[str] | None) -> LocalTask:
    file.require([label], "`ranking.local.label`")
    file.require(features or [], "`ranking.local.features`")
    y_true = file.labels(label)
    fewest = min(y_true.sum(), len(y_true) - y_true.sum())
    if fewest < N_FOLDS:
        raise ValueError(
            f"{file.path}: {label} must have at least {N_FOLDS} rows of each class for {N_FOLDS} "
            f"folds, got {fewest} of the smaller one"
        )
    names = features or [
        name for name in file.table if name != label and not re.fullmatch(_UNNAMED, name)
    ]
    cure = "; encode categories as numbers, and impute missing values"
    columns = {name: file.numbers(name, cure) for name in names}
    if features is None:
        columns = {name: each for name, each in columns.items() if not _counts_rows(each)}
        if left_out := [name for name in file.table if name not in (label, *columns)]:
            warnings.warn(
                f"{file.path}: the columns {left_out} are not used as features, because they have "
                "no name or count the rows; to use them, set ranking.local.features",
                stacklevel=2,
            )
    if not columns:
        raise ValueError(f"{file.path}: needs columns of features beside {label}")
    name = name_of_file(file.path)
    return LocalTask(name, name, np.column_stack(list(columns.values())), y_true, source=name)


def _counts_rows(column: np.ndarray) -> bool:
    """Are these the whole numbers from any first one, each once, in any order?"""
    return np.array_equal(np.sort(column), column.min() + np.arange(len(column)))


def _predictions(file: OwnFile) -> pd.DataFrame:
    columns = ["y_true", *_OF_PREDICTIONS]
    if missing := [name for name in columns if name not in file.table]:
        raise ValueError(
            f"{file.path}: a file of predictions needs the columns {columns}, and has no {missing};"
            " if it has features, list them in ranking.local.features"
        )
    folds = np.zeros(len(file.table))
    if "fold" in file.table:
        folds = file.numbers("fold", "; number the folds")
        file.check("fold", folds % 1 == 0, "must be a whole number")
    names = {"task": file.names("task"), "run": file.names("model")}
    rows = pd.DataFrame({**names, "repeat": 0, "fold": folds.astype(np.int64)})
    rows["row_id"] = rows.groupby(["task", "run"]).cumcount()
    rows = rows.assign(y_true=file.labels("y_true"), y_score=file.numbers("y_score"))
    _check_folds(rows, file.path)
    if "prediction" in file.table and file.table["prediction"].notna().all():
        _check_prediction(rows, file)
    return rows


def _check_prediction(rows: pd.DataFrame, file: OwnFile) -> None:
    """Refuse scores that are all lower for predicted positives than for predicted negatives.

    `prediction` is ignored if it does not hold the labels of y_true.
    """
    truth, predicted = (file.cells(file.names(name)) for name in ("y_true", "prediction"))
    if not predicted.isin(truth).all():
        return
    rows = rows.assign(is_positive=predicted.isin(truth[rows["y_true"] == 1]))
    for (task, fold, run), part in rows.groupby(["task", "fold", "run"]):
        scores = part["y_score"]
        if scores[part["is_positive"]].max() < scores[~part["is_positive"]].min():
            raise ValueError(
                f"{file.path}: y_score of fold {fold} of task {task} and model {run} contradicts "
                "the column prediction: it must be higher for more likely positives"
            )


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
