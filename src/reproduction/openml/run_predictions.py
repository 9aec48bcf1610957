"""The predictions of one run in a format that allows comparisons with other runs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np

from reproduction.openml.arff import PredictionsFile
from reproduction.openml.reasons import ExcludedError

N_FOLDS = 10
UNKNOWN = -1


@dataclass(frozen=True)
class RunPredictions:
    """The first repeat of a predictions file, in the order of row_id.

    Attributes
    ----------
    repeat : int
    row_id, fold : ndarray of shape (n_rows,), int64
    labels : (str, str)
        In ascending order.
    confidence : ndarray of shape (n_rows, 2), float64
        One column per label, in the order of `labels`.
    prediction, truth : ndarray of shape (n_rows,), int8, or None
        Index into `labels`, -1 for any other text; None if the file does not have the column.
    """

    repeat: int
    row_id: np.ndarray
    fold: np.ndarray
    labels: tuple[str, str]
    confidence: np.ndarray
    prediction: np.ndarray | None
    truth: np.ndarray | None

    @classmethod
    def of_file(cls, file: PredictionsFile) -> RunPredictions:
        """Sort and check the rows of a file."""
        repeat = int(file.repeat.min())
        rows = np.flatnonzero(file.repeat == repeat)
        rows = rows[np.argsort(file.row_id[rows], kind="stable")]
        row_id, fold = file.row_id[rows], file.fold[rows]
        if (np.diff(row_id) == 0).any():
            twice = row_id[1:][np.diff(row_id) == 0][0]
            raise ExcludedError("duplicate_rows", f"row_id {twice} occurs twice in repeat {repeat}")
        folds = np.unique(fold)
        if len(folds) != N_FOLDS:
            raise ExcludedError("missing_fold", f"folds {folds.tolist()} of {N_FOLDS}")
        labels = tuple(sorted(file.labels))
        return cls(
            repeat=repeat,
            row_id=row_id,
            fold=fold,
            labels=labels,
            confidence=np.column_stack([file.confidence[label][rows] for label in labels]),
            prediction=_label_codes(file.prediction, rows, labels),
            truth=_label_codes(file.truth, rows, labels),
        )

    def __len__(self) -> int:
        return len(self.row_id)

    def only(self, row_ids: np.ndarray) -> RunPredictions:
        """Return the predictions of the given rows only."""
        rows = np.isin(self.row_id, row_ids)
        return replace(
            self,
            row_id=self.row_id[rows],
            fold=self.fold[rows],
            confidence=self.confidence[rows],
            prediction=None if self.prediction is None else self.prediction[rows],
            truth=None if self.truth is None else self.truth[rows],
        )

    def split(self) -> bytes:
        """Return a digest of the assignment of rows to folds."""
        return _sha256(self.row_id, self.fold)

    def can_be_relabelled(self, labels: tuple[str, str]) -> bool:
        return set(self._places(labels)) == {0, 1}

    def relabelled(self, labels: tuple[str, str]) -> RunPredictions:
        """Return the predictions with the given labels, which may differ in order or notation."""
        if self.labels == labels:
            return self
        if not self.can_be_relabelled(labels):
            raise ExcludedError("foreign_labels", f"{self.labels} instead of {labels}")
        places = self._places(labels)
        new_code = np.array([places.index(0), places.index(1), UNKNOWN], dtype=np.int8)
        return replace(
            self,
            labels=labels,
            confidence=self.confidence[:, places],
            prediction=None if self.prediction is None else new_code[self.prediction],
            truth=None if self.truth is None else new_code[self.truth],
        )

    def _places(self, labels: tuple[str, str]) -> list[int | None]:
        """Return the index of each of `labels` in the labels of the run."""
        return [place_of(label, self.labels) for label in labels]

    def scores_of(self, positive: int, predicted: np.ndarray | None) -> np.ndarray:
        """Return the confidence of a label.

        If all confidences of a row are 0, its score is 1 for the predicted label and 0 for the
        other. The server uses the same rule.
        """
        scores = self.confidence[:, positive].copy()
        lacks_confidence = (self.confidence == 0).all(axis=1)
        if lacks_confidence.any():
            if predicted is None:
                raise ExcludedError("bad_confidence", "rows without confidence or prediction")
            scores[lacks_confidence] = predicted[lacks_confidence] == positive
        return scores


def same_label(label: str, other: str) -> bool:
    """Whether two texts mean the same label, ignoring quotes, case and notation of numbers."""
    label, other = (text.strip().strip("'\"").casefold() for text in (label, other))
    if label == other:
        return True
    try:
        return float(label) == float(other)
    except ValueError:
        return False


def place_of(label: str, labels: tuple[str, str]) -> int | None:
    """Return the index of a label, also in another notation; None if there is no unique match.

    Examples
    --------
    >>> place_of("TRUE", ("False", "True"))
    1
    >>> place_of("A", ("A", "a")), place_of("1", ("1.0", "1.00"))
    (0, None)
    """
    if label in labels:
        return labels.index(label)
    places = [place for place, other in enumerate(labels) if same_label(label, other)]
    return places[0] if len(places) == 1 else None


def _label_codes(column, rows: np.ndarray, labels: tuple[str, str]) -> np.ndarray | None:
    if column is None:
        return None
    texts = np.asarray(column, dtype=object)[rows]
    codes = np.full(len(rows), UNKNOWN, dtype=np.int8)
    for code, label in enumerate(labels):
        codes[texts == label] = code
    return codes


def _sha256(*arrays: np.ndarray) -> bytes:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()
