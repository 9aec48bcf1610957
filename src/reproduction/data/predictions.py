"""The table of predictions that every source of rankings gives, and the line that describes it."""

from __future__ import annotations

import pandas as pd

__all__ = ["USED", "describe", "no_predictions"]

USED = "used"

_COLUMNS = {
    "task": "str",
    "run": "str",
    "repeat": "int64",
    "fold": "int64",
    "row_id": "int64",
    "y_true": "int8",
    "y_score": "float64",
}


def no_predictions() -> pd.DataFrame:
    """The table of a task that cannot be used: no rows.

    Columns
    -------
    task, run : str
        A run is one model's predictions by cross-validation.
    repeat, fold, row_id : int64
        Each row_id once a run and repeat; ten folds.
    y_true : int8
        1 is the task's minority.
    y_score : float64
        Finite; higher is more likely positive.
    """
    return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in _COLUMNS.items()})


def describe(
    predictions: pd.DataFrame, *, task: str, name: str, dataset: str, outcome: str, sizes=None
) -> pd.DataFrame:
    """One line on a task.

    Parameters
    ----------
    predictions : DataFrame
        As of `no_predictions`, with or without rows.
    name, dataset : str
        What the task is called; tasks may share a dataset.
    outcome : str
        `USED`, or why not.
    sizes : (int, int), optional
        Positives and negatives as far as known without predictions.

    Returns
    -------
    DataFrame, 1 row
        Columns task, name, dataset, n_pos, n_neg, prior, n_models, outcome.
    """
    if len(predictions):
        first = predictions[predictions["run"] == predictions["run"].iloc[0]]
        n_pos = int(first["y_true"].sum())
        sizes = n_pos, len(first) - n_pos
    n_pos, n_neg = sizes
    return pd.DataFrame(
        {
            "task": [task],
            "name": [name],
            "dataset": [dataset],
            "n_pos": [n_pos],
            "n_neg": [n_neg],
            "prior": [n_pos / (n_pos + n_neg)],
            "n_models": [predictions["run"].nunique()],
            "outcome": [outcome],
        }
    )
