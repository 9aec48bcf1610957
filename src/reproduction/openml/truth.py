"""Determine the true labels and folds of a task from its dataset or from several runs.

Versions 0.11.0 to 0.13.0 of the Python client wrote the true labels to the column `prediction` and
the predictions to `correct`. The true labels are therefore the target of the dataset. If it is
not available, they are the labels that most runs agree on, in either of the two columns.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from calibrated_metrics import scores
from calibrated_metrics.confusion import ConfusionCurve
from reproduction.openml.reasons import ExcludedError
from reproduction.openml.run_predictions import N_FOLDS, RunPredictions, codes
from reproduction.ranking.predictions import USED

AUC_TOLERANCE = 1e-5  # the server's values are rounded to 6 digits


@dataclass(frozen=True)
class CheckedRun:
    """Scores of a run that passed all checks, and what the status table says of it."""

    y_score: np.ndarray
    outcome: str  # `used`, or `repaired` if its columns were swapped
    detail: str
    auc_check: str
    model: str  # flow and setup


@dataclass(frozen=True)
class Reference:
    """The true labels and folds of a task, against which its runs are checked."""

    source: str  # `dataset` or `consensus`
    repeat: int
    labels: tuple[str, str]  # in ascending order
    # Ascending row_id as index, without rows that have no true label; `fold`; `truth`, the index
    # of the label
    rows: pd.DataFrame

    @property
    def positive(self) -> int:
        """Index of the minority class. If both have the same size, it is the last label."""
        return 1 if 2 * int(self.rows["truth"].sum()) <= len(self.rows) else 0

    @property
    def y_true(self) -> np.ndarray:
        """Labels as int8; 1 is the minority class."""
        return (self.rows["truth"] == self.positive).to_numpy(np.int8)

    def one_class_folds(self) -> list[int]:
        n_labels = self.rows.groupby("fold")["truth"].nunique()
        return n_labels.index[n_labels == 1].tolist()

    def check(self, run: RunPredictions, described: Any) -> CheckedRun:
        """Check a run, which an `OpenMLRun` describes, and repair swapped columns."""
        if run.labels != self.labels:
            raise ExcludedError("foreign_labels", f"{run.labels} instead of {self.labels}")
        rows = run.only(self.rows.index).rows
        if not rows["fold"].equals(self.rows["fold"]):
            raise ExcludedError("foreign_split", "(row_id, fold) differ from the other runs")
        repaired = self._is_swapped(rows)
        confidence = _confidence(rows, rows.get("truth" if repaired else "prediction"))
        by_repeat = (described.fold_evaluations or {}).get("area_under_roc_curve", {})
        n_folds = self._check_auc(confidence, by_repeat[min(by_repeat)] if by_repeat else {})
        detail, auc_check = "", "checked"
        if n_folds < N_FOLDS:
            detail = f"the server states the AUC of {n_folds} of {N_FOLDS} folds"
            auc_check = "partly checked" if n_folds else "not checked"
        y_score, model = confidence[:, self.positive], f"{described.flow_id}/{described.setup_id}"
        return CheckedRun(y_score, "repaired" if repaired else USED, detail, auc_check, model)

    def _is_swapped(self, rows: pd.DataFrame) -> bool:
        truth = self.rows["truth"]
        if "truth" not in rows or rows["truth"].equals(truth):
            return False
        if "prediction" in rows and rows["prediction"].equals(truth):
            return True
        n_wrong = int((rows["truth"] != truth).sum())
        raise ExcludedError("truth_differs", f"in {n_wrong} of {len(truth)} rows")

    def _check_auc(self, confidence: np.ndarray, server_auc: dict[int, float]) -> int:
        """Compare the AUC of each fold with the server's, and return the number of these folds.

        The server's is the mean of both classes, weighted by their sizes. It may state none.
        """
        gaps = []
        folds, truth = self.rows["fold"].to_numpy(), self.rows["truth"].to_numpy()
        for fold, theirs in server_auc.items():
            rows = folds == fold
            share = truth[rows].mean() if rows.any() else 0.0
            if 0 < share < 1 and isinstance(theirs, float) and np.isfinite(theirs):
                ours = [_auc(truth[rows] == c, confidence[rows, c]) for c in (0, 1)]
                gaps.append(abs(ours[0] * (1 - share) + ours[1] * share - theirs))
        if gaps and max(gaps) > AUC_TOLERANCE:
            raise ExcludedError("auc_differs", f"by {max(gaps):.2g} in a fold")
        return len(gaps)


def _auc(y_true: np.ndarray, y_score: np.ndarray) -> float:
    return scores.roc_auc(ConfusionCurve.from_predictions(y_true, y_score, pos_label=True))


def _confidence(rows: pd.DataFrame, predicted: pd.Series | None) -> np.ndarray:
    """Return the confidences of both labels.

    If both are 0 in a row, they are 1 for the predicted label and 0 for the other. The server uses
    the same rule.
    """
    confidence = rows[[0, 1]].to_numpy(copy=True)
    lacks = (confidence == 0).all(axis=1)
    if lacks.any():
        if predicted is None:
            raise ExcludedError("bad_confidence", "rows without confidence or prediction")
        confidence[lacks] = predicted.to_numpy()[lacks, None] == [0, 1]
    return confidence


def reference_of(runs: Sequence[RunPredictions], target: pd.Series | None) -> Reference:
    """Determine the true labels and folds of a task; `target` has the text by row_id."""
    labels, _ = Counter(run.labels for run in runs).most_common(1)[0]
    runs = [run for run in runs if run.labels == labels]
    if target is not None:
        # Some programs predict rows without a label, others omit them.
        runs = [run.only(target.index[target.notna()]) for run in runs]
    split, n_agreeing = Counter(run.split() for run in runs).most_common(1)[0]
    if 2 * n_agreeing <= len(runs):
        raise ExcludedError("no_consensus", f"{n_agreeing} of {len(runs)} runs share their folds")
    runs = [run for run in runs if run.split() == split]
    rows = runs[0].rows
    truth = None if target is None else _truth_of(target.reindex(rows.index), labels)
    source = "consensus" if truth is None else "dataset"
    rows = rows[["fold"]].assign(truth=_consensus(runs) if truth is None else truth)
    return Reference(source, runs[0].repeat, labels, rows[rows["truth"] >= 0])


def _truth_of(target: pd.Series, labels: tuple[str, str]) -> np.ndarray | None:
    """Return the index of each target in `labels`, -1 if missing; None if a text is no label."""
    truth = codes(target.where(target.notna(), None), labels)
    is_known = truth >= 0
    is_valid = np.array_equal(is_known, target.notna()) and len(set(truth[is_known])) == 2
    return truth if is_valid else None


def _consensus(runs: Sequence[RunPredictions]) -> np.ndarray:
    """Return the labels that most files have in one of the two columns."""
    votes, as_truth = Counter(), Counter()
    voters = [run.rows for run in runs if "truth" in run.rows]
    for rows in voters:
        truth = rows["truth"].to_numpy().tobytes()
        votes.update({truth, rows.get("prediction", rows["truth"]).to_numpy().tobytes()})
        as_truth[truth] += 1
    # If several runs never predict one of the labels, their predictions may be equal. A tie in
    # votes is resolved in favour of the candidate that is more often in the column `truth`.
    best = max(votes, key=lambda key: (votes[key], as_truth[key], key), default=None)
    if best is None or 2 * votes[best] <= len(voters) or votes[best] < 2:
        raise ExcludedError("no_consensus", f"{len(voters)} runs with a true label do not agree")
    return np.frombuffer(best, dtype=np.int8)
