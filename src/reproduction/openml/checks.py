"""Check the predictions of a run against the true labels, the other runs and the server's AUC."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from calibrated_metrics import scores
from calibrated_metrics.confusion import ConfusionCurve
from reproduction.openml.reasons import ExcludedError
from reproduction.openml.run_predictions import N_FOLDS
from reproduction.openml.truth import Target

AUC_TOLERANCE = 1e-5  # the server's values are rounded to 6 digits


def folds_of_most(runs: Sequence[pd.DataFrame]) -> pd.Series:
    """Return the most frequent assignment of rows to folds."""
    folds = {run["fold"].to_numpy().tobytes(): run["fold"] for run in runs}
    counts = Counter(run["fold"].to_numpy().tobytes() for run in runs)
    return folds[counts.most_common(1)[0][0]]


def one_class_folds(folds: pd.Series, target: Target) -> list[int]:
    """Return the folds in which all rows have the same true label."""
    n_labels = target.truth.groupby(folds).nunique()
    return n_labels.index[n_labels == 1].tolist()


def check(
    run: pd.DataFrame, folds: pd.Series, target: Target, described: Any
) -> tuple[pd.DataFrame, str]:
    """Check a run of `read_run`, which an `OpenMLRun` describes.

    Return its repeat, fold, row_id, y_true (1 is the minority class) and y_score, and what the
    status table says of it.
    """
    if not run["fold"].equals(folds):
        raise ExcludedError("foreign_split", "(row_id, fold) differ from the other runs")
    is_swapped = _is_swapped(run, target.truth)
    _check_prediction(run, "truth" if is_swapped else "prediction")
    notes = ["true and predicted labels were swapped"] if is_swapped else []
    by_repeat = (described.fold_evaluations or {}).get("area_under_roc_curve", {})
    stated = by_repeat[min(by_repeat)] if by_repeat else {}
    n_folds = _check_auc(run, target.truth, stated)
    if n_folds < N_FOLDS:
        notes.append(f"the server states the AUC of {n_folds} of {N_FOLDS} folds")
    of_rows = {"repeat": run["repeat"], "fold": folds, "y_score": run[target.positive]}
    of_rows |= {"y_true": (target.truth == target.positive).astype(np.int8)}
    return pd.DataFrame(of_rows, run.index).reset_index(), "; ".join(notes)


def _is_swapped(run: pd.DataFrame, truth: pd.Series) -> bool:
    if "truth" not in run or run["truth"].equals(truth):
        return False
    if "prediction" in run and run["prediction"].equals(truth):
        return True
    n_wrong = int((run["truth"] != truth).sum())
    raise ExcludedError("truth_differs", f"in {n_wrong} of {len(truth)} rows")


def _check_prediction(run: pd.DataFrame, column: str) -> None:
    """Exclude a run whose confidences are those of the other label, in every row."""
    rows = run[run[0] != run[1]]
    if column in rows and len(rows) and (rows[column] == (rows[0] > rows[1])).all():
        detail = f"the larger one is that of the label not predicted, in {len(rows)} rows"
        raise ExcludedError("prediction_differs", detail)


def _check_auc(run: pd.DataFrame, truth: pd.Series, stated: dict[int, float]) -> int:
    """Compare the AUC of each fold with the server's, and return the number of these folds.

    The server's is the mean of both classes, weighted by their sizes. It may state none.
    """
    gaps = []
    for fold, theirs in stated.items():
        rows = run["fold"] == fold
        share = truth[rows].mean() if rows.any() else 0.0
        if 0 < share < 1 and isinstance(theirs, float) and np.isfinite(theirs):
            ours = [_auc(truth[rows] == label, run.loc[rows, label]) for label in (0, 1)]
            gaps.append(abs(ours[0] * (1 - share) + ours[1] * share - theirs))
    if gaps and max(gaps) > AUC_TOLERANCE:
        raise ExcludedError("auc_differs", f"by {max(gaps):.2g} in a fold")
    return len(gaps)


def _auc(y_true: pd.Series, y_score: pd.Series) -> float:
    return scores.roc_auc(ConfusionCurve.from_predictions(y_true, y_score, pos_label=True))
