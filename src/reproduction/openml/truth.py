"""Determine the true labels and folds of a task from its dataset or from several runs.

Versions 0.11.0 to 0.13.0 of the Python client wrote the true labels to the column `prediction` and
the predictions to `correct`. The true labels are therefore the target of the dataset. If it is
not available, they are the labels that most runs agree on, in either of the two columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from calibrated_metrics import scores
from calibrated_metrics.confusion import ConfusionCurve
from reproduction.openml.documents import RunDescription
from reproduction.openml.reasons import ExcludedError
from reproduction.openml.run_predictions import RunPredictions, place_of

AUC_TOLERANCE = 1e-5  # the server's values are rounded to 6 digits


@dataclass(frozen=True)
class CheckedRun:
    """Scores of a run that passed all checks."""

    y_score: np.ndarray
    repaired: bool  # its columns were swapped
    n_folds_with_auc: int  # whose AUC was compared with the server's
    model: str  # flow and setup


@dataclass(frozen=True)
class Reference:
    """The true labels and folds of a task, against which its runs are checked.

    The rows are in order of row_id, without those that have no true label.
    """

    source: str  # `dataset` or `consensus`
    repeat: int
    row_id: np.ndarray  # int64
    fold: np.ndarray  # int64
    labels: tuple[str, str]  # in ascending order
    truth: np.ndarray  # int8, index into `labels`

    @property
    def positive(self) -> int:
        """Index of the minority class. If both have the same size, it is the last label."""
        n_last = int(self.truth.sum())
        return 1 if 2 * n_last <= len(self.truth) else 0

    @property
    def y_true(self) -> np.ndarray:
        """Labels as int8; 1 is the minority class."""
        return (self.truth == self.positive).astype(np.int8)

    def one_class_folds(self) -> list[int]:
        shares = pd.Series(self.y_true).groupby(self.fold).mean()
        return shares.index[(shares == 0) | (shares == 1)].tolist()

    def check(self, run: RunPredictions, description: RunDescription) -> CheckedRun:
        """Check a run against the reference, and repair swapped columns."""
        run = run.relabelled(self.labels).only(self.row_id)
        if not (np.array_equal(run.row_id, self.row_id) and np.array_equal(run.fold, self.fold)):
            raise ExcludedError("foreign_split", "(row_id, fold) differ from the other runs")
        repaired = self._is_swapped(run)
        predicted = run.truth if repaired else run.prediction
        confidence = np.column_stack([run.scores_of(code, predicted) for code in (0, 1)])
        n_folds = self._check_auc(confidence, description.auc)
        return CheckedRun(confidence[:, self.positive], repaired, n_folds, description.model)

    def _is_swapped(self, run: RunPredictions) -> bool:
        if run.truth is None or np.array_equal(run.truth, self.truth):
            return False
        if run.prediction is not None and np.array_equal(run.prediction, self.truth):
            return True
        wrong = int((run.truth != self.truth).sum())
        raise ExcludedError("truth_differs", f"in {wrong} of {len(self.truth)} rows")

    def _check_auc(self, confidence: np.ndarray, server_auc: dict[int, list[float]]) -> int:
        """Compare the AUC of each fold with the server's, and return the number of these folds.

        The server states one number per class, in either order, or their weighted mean.
        """
        gaps = []
        for fold, theirs in server_auc.items():
            rows = self.fold == fold
            share = self.truth[rows].mean() if rows.any() else 0.0
            if 0 < share < 1:
                ours = [_auc(self.truth[rows] == c, confidence[rows, c]) for c in (0, 1)]
                if len(theirs) == 1:
                    ours = [ours[0] * (1 - share) + ours[1] * share] * 2
                    theirs = theirs * 2
                if len(theirs) == 2:
                    gaps.append([np.subtract(ours, theirs), np.subtract(ours[::-1], theirs)])
        if not gaps:
            return 0
        gap = np.nanmax(np.abs(gaps), axis=(0, 2)).min()
        if gap > AUC_TOLERANCE:
            raise ExcludedError("auc_differs", f"by {gap:.2g} in a fold")
        return len(gaps)


def _auc(y_true: np.ndarray, y_score: np.ndarray) -> float:
    return scores.roc_auc(ConfusionCurve.from_predictions(y_true, y_score, pos_label=True))


def reference_of(runs: Sequence[RunPredictions], target: pd.Series | None) -> Reference:
    """Determine the true labels and folds of a task."""
    labels, _ = Counter(run.labels for run in runs).most_common(1)[0]
    runs = [run.relabelled(labels) for run in runs if run.can_be_relabelled(labels)]
    if target is not None:
        # Some programs predict rows without a label, others omit them.
        labelled = target.index[target.notna()].to_numpy()
        runs = [run.only(labelled) for run in runs]
    split, n_agreeing = Counter(run.split() for run in runs).most_common(1)[0]
    if 2 * n_agreeing <= len(runs):
        raise ExcludedError("no_consensus", f"{n_agreeing} of {len(runs)} runs share their folds")
    agreeing = [run for run in runs if run.split() == split]
    first = agreeing[0]
    if target is not None:
        codes = _codes_of_target(target.reindex(first.row_id), labels)
        if codes is not None:
            return _reference("dataset", first, codes)
    return _reference("consensus", first, _consensus(agreeing))


def _reference(source: str, run: RunPredictions, truth: np.ndarray) -> Reference:
    known = truth >= 0
    return Reference(
        source=source,
        repeat=run.repeat,
        row_id=run.row_id[known],
        fold=run.fold[known],
        labels=run.labels,
        truth=truth[known],
    )


def _codes_of_target(target: pd.Series, labels: tuple[str, str]) -> np.ndarray | None:
    """Return the index of each target in `labels`, -1 if missing; None if a text is no label."""
    codes = {text: place_of(text, labels) for text in target.dropna().unique()}
    if set(codes.values()) != {0, 1}:
        return None
    return target.map(codes).fillna(-1).to_numpy(np.int8)


def _consensus(runs: Sequence[RunPredictions]) -> np.ndarray:
    """Return the labels that most files have in one of the two columns."""
    votes, as_truth, columns = Counter(), Counter(), {}
    voters = [run for run in runs if run.truth is not None]
    for run in voters:
        held = {
            column.tobytes(): column for column in (run.truth, run.prediction) if column is not None
        }
        votes.update(held.keys())
        as_truth[run.truth.tobytes()] += 1
        columns |= held
    # If several runs never predict one of the labels, their predictions may be equal. A tie in
    # votes is resolved in favour of the candidate that is more often in the column `truth`.
    best = max(votes, key=lambda key: (votes[key], as_truth[key], key), default=None)
    if best is None or 2 * votes[best] <= len(voters) or votes[best] < 2:
        raise ExcludedError("no_consensus", f"{len(voters)} runs with a true label do not agree")
    return columns[best]
