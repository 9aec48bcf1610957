"""The predictions of one run in a format that allows comparisons with other runs."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd

from reproduction.openml.arff import label_text, read_columns, texts
from reproduction.openml.reasons import ExcludedError

N_FOLDS = 10
_INDICES = ("repeat", "fold", "row_id")
_TEXTS = ("prediction", "truth")
_FIELDS = {name: name for name in (*_INDICES, *_TEXTS)}
_FIELDS |= {"repeat_nr": "repeat", "fold_nr": "fold", "rowid": "row_id", "correct": "truth"}
_CONFIDENCE = "confidence."
_LARGEST_INDEX = 2**53  # float64 does not represent all integers above it


def read_fields(path: Path) -> dict[str, np.ndarray]:
    """Read the predictions of a run on a task with two classes, in the order of the rows.

    Columns are identified by name. They are: repeat, fold and row_id as int64, at least 0;
    `confidence.` and the label as finite float64, for each of two labels; `prediction` and `truth`
    as `texts` returns them, if the file has these columns (some programs swapped them).
    """
    columns = read_columns(path, _field_of)
    if missing := [name for name in _INDICES if name not in columns]:
        raise ExcludedError("missing_column", f"there is no column {missing}")
    n_labels = sum(field.startswith(_CONFIDENCE) for field in columns)
    if n_labels == 0:
        raise ExcludedError("no_confidences", "there is no confidence column")
    if n_labels != 2:
        raise ExcludedError("not_binary", f"there are confidences of {n_labels} labels")
    return {
        field: texts(values) if field in _TEXTS else _numbers(values, field)
        for field, values in columns.items()
    }


def _field_of(name: str) -> str | None:
    if name.lower().startswith(_CONFIDENCE):
        return _CONFIDENCE + label_text(name[len(_CONFIDENCE) :])
    return _FIELDS.get(name.lower())


def _numbers(values: np.ndarray, name: str) -> np.ndarray:
    """Return the numbers of a column, which must be finite and, if they are indices, whole."""
    is_index = name in _INDICES
    numbers = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(np.float64)
    is_valid = np.isfinite(numbers)
    if is_index:
        is_valid &= (numbers >= 0) & (numbers < _LARGEST_INDEX) & (numbers == np.floor(numbers))
    if not is_valid.all():
        row = int(is_valid.argmin())
        problem = f"{name!r} of row {row + 1} of {len(values)} is {values[row]!r}"
        raise ExcludedError("bad_index" if is_index else "bad_confidence", problem)
    return numbers.astype(np.int64) if is_index else numbers


@dataclass(frozen=True)
class RunPredictions:
    """The first repeat of a predictions file."""

    repeat: int
    labels: tuple[str, str]  # as `_notation` writes them, in ascending order
    # Ascending row_id as index; `fold`; 0 and 1, the confidences of the labels; if the file has
    # them, `prediction` and `truth`, the indices of the labels, -1 for any other text.
    rows: pd.DataFrame

    @classmethod
    def read(cls, path: Path, n_rows: range) -> Self:
        """Read, sort and check the rows of a file; `n_rows` has the valid numbers of them."""
        columns = read_fields(path)
        confidences = [name for name in columns if name.startswith(_CONFIDENCE)]
        names = {name.removeprefix(_CONFIDENCE): name for name in confidences}
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

    def only(self, row_ids: pd.Index) -> Self:
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
