"""The table of predictions that every ranking source returns, and the description of a task."""

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
    """Return the empty table of predictions, for a task that cannot be used.

    Columns
    -------
    task, run : str
        A run is the cross-validated predictions of one model.
    repeat, fold, row_id : int64
        Each row_id occurs once per run and repeat; there are ten folds.
    y_true : int8
        1 is the minority class of the task.
    y_score : float64
        Finite; a higher score means more likely positive.
    """
    return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in _COLUMNS.items()})


def describe(
    predictions: pd.DataFrame, *, task: str, name: str, dataset: str, outcome: str, sizes=None
) -> pd.DataFrame:
    """Return a table with one row that describes a task.

    Parameters
    ----------
    predictions : DataFrame
        A table with the columns of `no_predictions`, with or without rows.
    task : str
        Identifier of the task.
    name, dataset : str
        Name of the task and of its dataset. Several tasks may have the same dataset.
    outcome : str
        `USED`, or the reason why the task is not used.
    sizes : (int, int), optional
        Numbers of positives and negatives. Required if `predictions` is empty, else ignored.

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
