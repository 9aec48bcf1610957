"""Predictions of the models of a task, as each source returns them, and its description."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

__all__ = ["USED", "describe", "no_predictions", "table_of_tasks"]

USED = "used"

_COLUMNS = {
    "task": "str",
    "run": "str",  # the cross-validated predictions of one model
    "repeat": "int64",
    "fold": "int64",
    "row_id": "int64",  # each one occurs once per run and repeat
    "y_true": "int8",  # 1 is the minority class
    "y_score": "float64",  # finite; a higher score means more likely positive
}


def no_predictions() -> pd.DataFrame:
    """Return the empty table of predictions, for a task that cannot be used."""
    return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in _COLUMNS.items()})


def describe(
    predictions: pd.DataFrame, *, task: str, name: str, dataset: str, outcome: str, sizes=None
) -> pd.DataFrame:
    """Return a table with one row that describes a task.

    Parameters
    ----------
    predictions : DataFrame
        A table with the columns of `no_predictions`, with or without rows.
    task, name, dataset : str
        Identifier and name of the task, and its dataset, which other tasks may share.
    outcome : str
        `USED`, or the reason why the task is not used.
    sizes : (int, int), optional
        Numbers of positives and negatives. Required if `predictions` is empty, else ignored.
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


def table_of_tasks(
    tasks: Iterable[pd.DataFrame], *, imbalanced_below: float, small_prior_below: float
) -> pd.DataFrame:
    """Join the rows of `describe`, sorted by task, with a boolean column for each panel."""
    joined = pd.concat(tasks, ignore_index=True).sort_values("task", ignore_index=True)
    return joined.assign(
        all=True,
        imbalanced=joined["prior"] < imbalanced_below,
        small_prior=joined["prior"] < small_prior_below,
    )
