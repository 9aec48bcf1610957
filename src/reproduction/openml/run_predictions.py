"""The predictions of one run in a format that allows comparisons with other runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pandas as pd

from reproduction.openml.arff import Arff, label_text, numbers, texts
from reproduction.openml.reasons import ExcludedError

N_FOLDS = 10
_INDICES = ("repeat", "fold", "row_id")
_TEXTS = ("prediction", "truth")
_FIELDS = {name: name for name in (*_INDICES, *_TEXTS)}
_FIELDS |= {"repeat_nr": "repeat", "fold_nr": "fold", "rowid": "row_id", "correct": "truth"}
_CONFIDENCE = "confidence."
_LARGEST_INDEX = 2**53  # float64 does not represent all integers above it


def read_predictions_file(file: BinaryIO, source: str) -> dict[str, np.ndarray]:
    """Read the predictions of an OpenML run on a task with two classes, in the order of the rows.

    Columns are identified by name; their order and declared type do not matter. They are: repeat,
    fold and row_id as int64, at least 0; `confidence.` and the label as finite float64, for each
    of two labels; `prediction` and `truth` in the format of `label_text`, None where one is
    missing, if the file has these columns (some programs swapped them).
    """
    arff = Arff(file, source)
    columns = _columns(arff)
    fields = dict(zip(columns, arff.columns([*columns.values()]), strict=True))
    return {
        name: texts(column) if name in _TEXTS else _numbers(column, name, arff)
        for name, column in fields.items()
    }


def _columns(arff: Arff) -> dict[str, int]:
    """Return the index of the column of each field in the file."""
    found: dict[str, int] = {}
    n_labels = 0
    for column, name in enumerate(arff.names):
        field = _FIELDS.get(name.lower())
        if name.lower().startswith(_CONFIDENCE):
            field = _CONFIDENCE + label_text(name[len(_CONFIDENCE) :])
            n_labels += 1
        if field in found:
            raise arff.error("malformed_header", f"two columns are the field {field!r}")
        if field is not None:
            found[field] = column
    if missing := [name for name in _INDICES if name not in found]:
        raise arff.error("missing_column", f"there is no column {missing}")
    if n_labels == 0:
        raise arff.error("no_confidences", "there is no confidence column")
    if n_labels != 2:
        raise arff.error("not_binary", f"there are confidences of {n_labels} labels")
    return found


def _numbers(fields: list[str], name: str, arff: Arff) -> np.ndarray:
    """Return the numbers of a column, which must be finite and, if they are indices, whole."""
    values = numbers(fields)
    is_valid, reason, kind = np.isfinite(values), "bad_confidence", "a finite number"
    if name in _INDICES:
        is_valid = (values >= 0) & (values < _LARGEST_INDEX) & (values == np.floor(values))
        reason, kind = "bad_index", "a non-negative integer"
    if not is_valid.all():
        row = f"row {is_valid.argmin() + 1} of {len(fields)}"
        raise arff.error(reason, f"{name!r} is not {kind} in {row}")
    return values.astype(np.int64) if name in _INDICES else values


@dataclass(frozen=True)
class RunPredictions:
    """The first repeat of a predictions file."""

    repeat: int
    labels: tuple[str, str]  # as `_notation` writes them, in ascending order
    # Ascending row_id as index; `fold`; 0 and 1, the confidences of the labels; if the file has
    # them, `prediction` and `truth`, the indices of the labels, -1 for any other text.
    rows: pd.DataFrame

    @classmethod
    def read(cls, path: Path, n_rows: range) -> RunPredictions:
        """Read, sort and check the rows of a file; `n_rows` has the valid numbers of them."""
        with open(path, "rb") as file:
            columns = read_predictions_file(file, "predictions")
        names = {
            name.removeprefix(_CONFIDENCE): name for name in columns if name.startswith(_CONFIDENCE)
        }
        notation = _notation(names)
        labels = tuple(sorted(map(notation, names)))
        of_rows: dict = {labels.index(notation(each)): columns[names[each]] for each in names}
        of_rows |= {name: columns[name] for name in _INDICES}
        of_rows |= {name: codes(columns[name], labels) for name in _TEXTS if name in columns}
        rows = pd.DataFrame(of_rows).set_index("row_id").sort_index()
        repeat = int(rows["repeat"].min())
        rows = rows[rows["repeat"] == repeat].drop(columns="repeat")
        if len(rows) not in n_rows:
            reason = "incomplete" if len(rows) < n_rows.start else "too_many_rows"
            raise ExcludedError(reason, f"{len(rows)} rows of {n_rows.start}")
        if (twice := rows.index.duplicated()).any():
            row = rows.index[twice][0]
            raise ExcludedError("duplicate_rows", f"row_id {row} occurs twice in repeat {repeat}")
        folds = sorted(set(rows["fold"]))
        if len(folds) != N_FOLDS:
            raise ExcludedError("missing_fold", f"folds {folds} of {N_FOLDS}")
        return cls(repeat, labels, rows)

    def only(self, row_ids: pd.Index) -> RunPredictions:
        """Return the predictions of the given rows only."""
        return replace(self, rows=self.rows[self.rows.index.isin(row_ids)])

    def split(self) -> bytes:
        """Return the assignment of rows to folds."""
        return self.rows.index.to_numpy().tobytes() + self.rows["fold"].to_numpy().tobytes()


def codes(texts: Iterable[str | None], labels: tuple[str, str]) -> np.ndarray:
    """Return the index in `labels` of each text as int8, -1 for any other text."""
    notation = _notation(labels)
    places = {
        text: labels.index(notation(text))
        for text in set(texts)
        if isinstance(text, str) and notation(text) in labels
    }
    return np.array([places.get(text, -1) for text in texts], dtype=np.int8)


def _notation(labels: Iterable[str]) -> Callable[[str], str]:
    """Return a function that writes labels as all programs could; `str` if that made two equal."""
    labels = [*labels]
    return _plain if len({*map(_plain, labels)}) == len(labels) else str


def _plain(label: str) -> str:
    """Return a label in lower case, a number as Python writes it."""
    text = label.casefold()
    try:
        number = float(text)
    except ValueError:
        return text
    return text if math.isnan(number) else repr(number)
