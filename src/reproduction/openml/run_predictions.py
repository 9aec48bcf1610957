"""The predictions of one run in a format that allows comparisons with other runs."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from typing import BinaryIO

import numpy as np

from reproduction.openml.arff import Arff, label_text, numbers, texts
from reproduction.openml.reasons import ExcludedError

N_FOLDS = 10
UNKNOWN = -1
_INDICES = {"repeat": ("repeat", "repeat_nr"), "fold": ("fold", "fold_nr")}
_INDICES["row_id"] = ("row_id", "rowid")
_TEXTS = {"prediction": ("prediction",), "truth": ("correct", "truth")}
_SAMPLE = {"sample": ("sample", "sample_nr")}
_CONFIDENCE = "confidence."
_LARGEST_INDEX = 2**53  # float64 does not represent all integers above it


def read_predictions_file(file: BinaryIO, source: str) -> dict[str, np.ndarray]:
    """Read the predictions of an OpenML run on a task with two classes.

    Columns are identified by name; their order and declared type do not matter.

    Returns
    -------
    dict of str to ndarray
        In the order of the rows: repeat, fold and row_id as int64, at least 0; the labels
        `prediction` and `truth` in the format of `label_text`, None where one is missing, if the
        file has these columns (some programs swapped them); for each of two labels, `confidence.`
        and the label as finite float64, which may be outside [0, 1].
    """
    arff = Arff(file, source)
    columns = _columns(arff) | _confidences(arff)
    values = dict(zip(columns, arff.columns(list(columns.values())), strict=True))
    if len(set(texts(values.pop("sample", [])))) > 1:
        raise arff.error("learning_curve", "the column sample has several values")
    read = {}
    for name, fields in values.items():
        if name in _TEXTS:
            read[name] = texts(fields)
        elif name in _INDICES:
            read[name] = _whole_numbers(fields, name, arff)
        else:
            read[name] = _finite_numbers(fields, name, arff)
    return read


def _columns(arff: Arff) -> dict[str, int]:
    """Return the index of the column of each field in the file, without the confidences."""
    if len(set(arff.names)) < len(arff.names):
        raise arff.error("malformed_header", "two attributes have the same name")
    found = {}
    for field, accepted in (_INDICES | _TEXTS | _SAMPLE).items():
        columns = [column for column, name in enumerate(arff.names) if name.lower() in accepted]
        if len(columns) > 1:
            raise arff.error("malformed_header", f"{len(columns)} columns match the field {field}")
        if columns:
            found[field] = columns[0]
        elif field in _INDICES:
            raise arff.error("missing_column", f"there is no column {' or '.join(accepted)}")
    return found


def _confidences(arff: Arff) -> dict[str, int]:
    """Return the index of the column of each confidence."""
    named = [
        (_CONFIDENCE + label_text(name[len(_CONFIDENCE) :]), column)
        for column, name in enumerate(arff.names)
        if name.lower().startswith(_CONFIDENCE)
    ]
    found = dict(named)
    if len(found) < len(named):
        raise arff.error("malformed_header", "a label has two confidence columns")
    if not found:
        raise arff.error("no_confidences", "there is no confidence column")
    if len(found) != 2:
        raise arff.error("not_binary", f"there are confidences of {len(found)} labels")
    return found


def _whole_numbers(fields: list[str], name: str, arff: Arff) -> np.ndarray:
    values = numbers(fields)
    is_whole = (values >= 0) & (values < _LARGEST_INDEX) & (values == np.floor(values))
    if not is_whole.all():
        row = f"row {is_whole.argmin() + 1} of {len(fields)}"
        raise arff.error("bad_index", f"{name} is not a non-negative integer in {row}")
    return values.astype(np.int64)


def _finite_numbers(fields: list[str], name: str, arff: Arff) -> np.ndarray:
    values = numbers(fields)
    is_finite = np.isfinite(values)
    if not is_finite.all():
        row = f"row {is_finite.argmin() + 1} of {len(fields)}"
        raise arff.error("bad_confidence", f"{name!r} is not a finite number in {row}")
    return values


@dataclass(frozen=True)
class RunPredictions:
    """The first repeat of a predictions file, in the order of row_id."""

    repeat: int
    row_id: np.ndarray  # int64
    fold: np.ndarray  # int64
    labels: tuple[str, str]  # in ascending order
    confidence: np.ndarray  # float64, one column per label, in the order of `labels`
    # int8, index into `labels`, -1 for any other text; None if the file does not have the column
    prediction: np.ndarray | None
    truth: np.ndarray | None

    @classmethod
    def read(cls, file: BinaryIO, source: str, n_rows: range) -> RunPredictions:
        """Read, sort and check the rows of a file; `n_rows` has the valid numbers of them."""
        columns = read_predictions_file(file, source)
        repeat = int(columns["repeat"].min())
        rows = np.flatnonzero(columns["repeat"] == repeat)
        if len(rows) not in n_rows:
            reason = "incomplete" if len(rows) < n_rows.start else "too_many_rows"
            raise ExcludedError(reason, f"{len(rows)} rows of {n_rows.start}")
        rows = rows[np.argsort(columns["row_id"][rows], kind="stable")]
        columns = {name: column[rows] for name, column in columns.items()}
        row_id, fold = columns["row_id"], columns["fold"]
        if (np.diff(row_id) == 0).any():
            twice = row_id[1:][np.diff(row_id) == 0][0]
            raise ExcludedError("duplicate_rows", f"row_id {twice} occurs twice in repeat {repeat}")
        folds = np.unique(fold)
        if len(folds) != N_FOLDS:
            raise ExcludedError("missing_fold", f"folds {folds.tolist()} of {N_FOLDS}")
        confidences = sorted(name for name in columns if name.startswith(_CONFIDENCE))
        labels = tuple(name.removeprefix(_CONFIDENCE) for name in confidences)
        return cls(
            repeat=repeat,
            row_id=row_id,
            fold=fold,
            labels=labels,
            confidence=np.column_stack([columns[name] for name in confidences]),
            prediction=_label_codes(columns.get("prediction"), labels),
            truth=_label_codes(columns.get("truth"), labels),
        )

    def only(self, row_ids: np.ndarray) -> RunPredictions:
        """Return the predictions of the given rows only."""
        rows = np.isin(self.row_id, row_ids)
        columns = {name: getattr(self, name) for name in _BY_ROW}
        kept = {name: each[rows] for name, each in columns.items() if each is not None}
        return replace(self, **kept)

    def split(self) -> bytes:
        """Return a digest of the assignment of rows to folds."""
        return hashlib.sha256(self.row_id.tobytes() + self.fold.tobytes()).digest()

    def can_be_relabelled(self, labels: tuple[str, str]) -> bool:
        return {place_of(label, self.labels) for label in labels} == {0, 1}

    def relabelled(self, labels: tuple[str, str]) -> RunPredictions:
        """Return the predictions with the given labels, which may differ in order or notation."""
        if self.labels == labels:
            return self
        if not self.can_be_relabelled(labels):
            raise ExcludedError("foreign_labels", f"{self.labels} instead of {labels}")
        places = [place_of(label, self.labels) for label in labels]
        new_code = np.array([places.index(0), places.index(1), UNKNOWN], dtype=np.int8)
        return replace(
            self,
            labels=labels,
            confidence=self.confidence[:, places],
            prediction=None if self.prediction is None else new_code[self.prediction],
            truth=None if self.truth is None else new_code[self.truth],
        )

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


_BY_ROW = ("row_id", "fold", "confidence", "prediction", "truth")


def place_of(label: str, labels: tuple[str, str]) -> int | None:
    """Return the index of a label, also in another notation; None if there is no unique match.

    Quotes, case and the notation of numbers may differ.

    Examples
    --------
    >>> place_of("TRUE", ("False", "True"))
    1
    >>> place_of("A", ("A", "a")), place_of("1", ("1.0", "1.00"))
    (0, None)
    """
    if label in labels:
        return labels.index(label)
    places = [place for place, other in enumerate(labels) if _meaning(label) == _meaning(other)]
    return places[0] if len(places) == 1 else None


def _meaning(label: str) -> str | float:
    text = label.strip().strip("'\"").casefold()
    try:
        number = float(text)
    except ValueError:
        return text
    return text if math.isnan(number) else number


def _label_codes(column: np.ndarray | None, labels: tuple[str, str]) -> np.ndarray | None:
    if column is None:
        return None
    return np.select([column == label for label in labels], [0, 1], UNKNOWN).astype(np.int8)
