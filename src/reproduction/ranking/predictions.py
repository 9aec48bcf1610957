"""Tables that each source returns: predictions of the models of a task, and its description."""

import pandas as pd

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
    """The empty table of predictions, for a task that cannot be used."""
    return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in _COLUMNS.items()})


def describe(
    predictions: pd.DataFrame,
    *,
    task: str,
    name: str,
    dataset: str,
    outcome: str = USED,
    sizes=None,
) -> pd.DataFrame:
    """A table with one row that describes a task.

    `outcome` is `USED`, or the reason why the task is not used. `sizes`, the numbers of positives
    and negatives, is required if there are no predictions, else ignored.
    """
    if len(predictions):
        first = predictions[predictions["run"] == predictions["run"].iloc[0]]
        n_pos = int(first["y_true"].sum())
        sizes = n_pos, len(first) - n_pos
    n_pos, n_neg = sizes
    row = {
        "task": task,
        "name": name,
        "dataset": dataset,  # several tasks may share a dataset
        "n_pos": n_pos,
        "n_neg": n_neg,
        "prior": n_pos / (n_pos + n_neg),
        "n_models": predictions["run"].nunique(),
        "outcome": outcome,
    }
    return pd.DataFrame([row])
