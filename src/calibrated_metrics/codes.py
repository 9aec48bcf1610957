"""Labels of rows, such as clusters, as integer codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _labels

__all__ = ["Codes"]


@dataclass(frozen=True, eq=False)
class Codes:
    """Labels of rows as integers: row i has ``labels[code[i]]``. The distinct labels ascend."""

    code: NDArray[np.intp]
    labels: NDArray[Any]

    @classmethod
    def of(cls, name: str, labels: NDArray[Any]) -> Codes:
        """The codes of the column `name`, whose labels must be sortable, and none missing."""
        _labels.none_missing(name, labels)
        try:
            distinct, code = _coded(labels)
        except TypeError as error:
            raise TypeError(f"{name} must hold values that can be sorted: {error}") from None
        return cls(code, distinct)

    def __len__(self) -> int:
        return len(self.code)

    def __getitem__(self, rows: NDArray[Any]) -> Codes:
        """The codes of some rows, from 0 without gaps."""
        place, code = _coded(self.code[rows])
        return Codes(code, self.labels[place])

    @property
    def are_distinct(self) -> bool:
        """Whether each row has a label of its own."""
        return len(self.labels) == len(self.code)

    @property
    def label_of_row(self) -> NDArray[Any]:
        """The label of each row."""
        return self.labels[self.code]

    def joined(self, other: Codes) -> Codes:
        """These rows, then the other ones. Equal labels have one code."""
        self._require_type_of(other)
        labels, code = np.unique(np.append(self.labels, other.labels), return_inverse=True)
        of_rows = code[: len(self.labels)][self.code], code[len(self.labels) :][other.code]
        return Codes(np.concatenate(of_rows), labels)

    def shares_labels_with(self, other: Codes) -> bool:
        self._require_type_of(other)
        return bool(np.isin(self.labels, other.labels).any())

    def _require_type_of(self, other: Codes) -> None:
        """Refuse text beside numbers: 7 and "7" would be one label in some containers only."""
        first, second = (each.labels[:1].tolist() for each in (self, other))
        if first and second and isinstance(first[0], str) != isinstance(second[0], str):
            raise ValueError(
                "clusters, and strata, of two samples must have labels of one type, got "
                f"{first[0]!r} and {second[0]!r}"
            )

    def with_own(self, n: int) -> Codes:
        """These rows and `n` more, each with a code of its own; labels of the data are lost."""
        n_codes = len(self.labels)
        return Codes(np.append(self.code, n_codes + np.arange(n)), np.arange(n_codes + n))

    def with_like(self, rows: NDArray[np.intp]) -> Codes:
        """These rows and more, each with the code of one of `rows`."""
        return Codes(np.append(self.code, self.code[rows]), self.labels)


def _coded(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Distinct labels, ascending, and the place of the label of each row among them."""
    if labels.dtype.kind in "iu" and labels.size:
        low, high = int(labels.min()), int(labels.max())
        if high - low < 4 * labels.size:  # they can be counted, which is faster than a sort
            wide: Any = np.int64 if labels.dtype.kind == "i" else np.uint64  # for the difference
            shifted = (labels.astype(wide, copy=False) - wide(low)).astype(np.intp)
            occurs = np.bincount(shifted) > 0
            distinct = np.flatnonzero(occurs).astype(wide) + wide(low)
            return distinct.astype(labels.dtype), (np.cumsum(occurs) - 1)[shifted]
    distinct, code = np.unique(labels, return_inverse=True)
    return distinct, code
