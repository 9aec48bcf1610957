"""The true labels of a task: the target of its dataset.

Files of predictions have true labels, too, but versions 0.11.0 to 0.13.0 of the Python client
exchanged them with the predicted ones.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd

from reproduction.openml.arff import read_target
from reproduction.openml.reasons import ExcludedError
from reproduction.openml.selection import SelectedTask


@dataclass(frozen=True)
class Target:
    """The true labels of a task."""

    labels: tuple[str, ...]  # the two labels, as `labels_of` returns them
    truth: pd.Series  # the index of the label, by ascending row_id, of the rows that have one
    unlabelled: pd.Index  # row_id of the others

    @classmethod
    def read(cls, path: Path, task: SelectedTask) -> Self:
        """Read the target of a task from the file of its dataset."""
        texts = pd.Series(read_target(path, task.target), dtype=object)
        if len(texts) < task.n_instances:
            raise ExcludedError("incomplete", f"{len(texts)} rows of {task.n_instances}")
        names = texts.dropna().unique().tolist()
        if len(names) != 2:
            raise ExcludedError("not_binary", f"{len(names)} labels in the data: {names[:5]}")
        labels, known = labels_of(names), texts.dropna()
        truth = pd.Series(codes(known, labels), index=known.index)
        return cls(labels, truth, texts.index[texts.isna()])

    @property
    def positive(self) -> int:
        """Index of the minority class. If both have the same size, it is the last label."""
        return 1 if 2 * int(self.truth.sum()) <= len(self.truth) else 0


def labels_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return labels in ascending order, as all programs could write them."""
    notation = _notation(names)
    return tuple(sorted(map(notation, names)))


def codes(texts: Iterable[str | None], labels: tuple[str, ...]) -> np.ndarray:
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
