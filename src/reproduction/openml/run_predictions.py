"""The predictions of one run in a format that allows comparisons with other runs."""

from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.openml.arff import label_text, read_columns, texts
from reproduction.openml.reasons import ExcludedError
from reproduction.openml.truth import Target, codes, labels_of

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


def read_run(path: Path, target: Target) -> pd.DataFrame:
    """Read and check the first repeat of a run's predictions.

    The index is the row_id of the rows with a true label, ascending: some programs predict the
    others, too. The columns are `repeat`, `fold`, the confidences 0 and 1 of the labels, and, if
    the file has them, `prediction` and `truth`, the indices of the labels, -1 for any other text.
    """
    columns = read_fields(path)
    confidences = [field for field in columns if field.startswith(_CONFIDENCE)]
    names = [field.removeprefix(_CONFIDENCE) for field in confidences]
    if (labels := labels_of(names)) != target.labels:
        raise ExcludedError("foreign_labels", f"{labels} instead of {target.labels}")
    places = codes(names, labels).tolist()
    of_rows: dict = {name: columns[name] for name in _INDICES}
    of_rows |= {place: columns[name] for place, name in zip(places, confidences, strict=True)}
    of_rows |= {name: codes(columns[name], labels) for name in _TEXTS if name in columns}
    rows = pd.DataFrame(of_rows).set_index("row_id").sort_index()
    rows = rows[rows["repeat"] == rows["repeat"].min()]
    rows = rows[~rows.index.isin(target.unlabelled)]
    if not rows.index.equals(target.truth.index):
        found = f"{len(rows)} rows, {rows.index.nunique()} of them distinct"
        raise ExcludedError("other_rows", f"{found}, in place of {len(target.truth)}")
    folds = sorted(set(rows["fold"]))
    if len(folds) != N_FOLDS:
        raise ExcludedError("missing_fold", f"folds {folds} of {N_FOLDS}")
    if n_without := int((rows[[0, 1]] == 0).all(axis="columns").sum()):
        raise ExcludedError("no_confidences", f"{n_without} of {len(rows)} rows have none")
    return rows
