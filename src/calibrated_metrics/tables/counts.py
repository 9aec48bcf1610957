"""The counts of a group that were fetched from an engine: their checks, and their curve."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.design import EQUAL_WEIGHTS, BoolArray
from calibrated_metrics.sample import Sample
from calibrated_metrics.tables.cells import EACH_SCORE, Cells

__all__ = ["Counts"]

_UNITS = ("clusters", "strata")
_SUMS = "it holds sums of weights of a table, but an interval needs the weight of each row"


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of the cells of a group: rows of the Arrow table that `counting.count` returns.

    `dtype` is the precision of the scores.
    """

    table: Any
    pos_label: Any
    cells: Cells
    dtype: Any

    def has(self, name: str) -> bool:
        return name in self.table.column_names

    def numbers(self, name: str) -> FloatArray:
        """A column of numbers; missing values are NaN."""
        values: FloatArray = np.asarray(self.table.column(name)).astype(np.float64, copy=False)
        return values

    def labels(self) -> NDArray[Any]:
        """The distinct labels."""
        return _array_of(self.table.column("label").unique())

    def n_of_classes(self) -> tuple[int, int]:
        """Numbers of rows of each class, including rows of weight 0, without missing labels."""
        positive, missing = self._classes()
        n = self.numbers("n")
        return int(n[positive].sum()), int(n[~positive & ~missing].sum())

    def _classes(self) -> tuple[BoolArray, BoolArray]:
        """Where positives are counted, and where rows without a label."""
        encoded = self.table.column("label").combine_chunks().dictionary_encode()
        code = np.asarray(encoded.indices.fill_null(-1))
        labels = _array_of(encoded.dictionary)
        positive = np.append(_checks.equal_to(labels, self.pos_label), False)
        missing = np.array([*map(_checks.is_missing, labels.tolist()), True])
        return positive[code], missing[code]

    def _positive(self) -> BoolArray:
        """Where positives are counted, after the checks of `_checks.is_positive`."""
        labels = self.labels()
        _checks.none_missing("y_true", labels)
        positive = _checks.equal_to(labels, self.pos_label)
        ordered = np.concatenate([labels[positive], np.sort(labels[~positive])])
        _checks.is_positive(ordered, self.pos_label)
        return self._classes()[0]

    def _with_weight(self) -> Counts:
        """The counts of rows whose weight is not 0, after the checks of `_checks.weights`."""
        least, greatest = self.numbers("least"), self.numbers("greatest")
        found = np.append(greatest, least[~np.isnan(least)])  # missing where all weights are 0
        for allowed, bad in (("be finite", ~np.isfinite(found)), ("not be negative", found < 0)):
            if bad.any():
                raise ValueError(f"sample_weight must {allowed}, got {found[bad][0]}")
        _checks.weights("sample_weight", found)
        with_weight = np.flatnonzero(self.numbers("n_with_weight"))
        return replace(self, table=self.table.take(with_weight))

    def _class_weight(self, positive: BoolArray) -> tuple[float, float] | None:
        """Weight of each positive and of each negative; None if weights differ within a class."""
        least, greatest = self.numbers("least"), self.numbers("greatest")
        found = [(least[rows].min(), greatest[rows].max()) for rows in (positive, ~positive)]
        if any(high - low > EQUAL_WEIGHTS * high for low, high in found):
            return None
        return float(found[0][0]), float(found[1][0])

    def curve(self) -> ConfusionCurve:
        """The curve of the rows, with the errors of `ConfusionCurve.from_predictions`."""
        counted = self._with_weight() if self.has("weight") else self
        positive, scores = counted._positive(), counted._scores()
        units = [name for name in _UNITS if self.has(name)]
        sample = counted._rows(positive, scores) if units else counted._cells(positive, scores)
        cells = None if self.cells == EACH_SCORE else str(self.cells)
        return ConfusionCurve._from_sample(
            replace(sample, cells=cells, is_binned=True, dtype=self.dtype)
        )

    def _scores(self) -> FloatArray:
        """Threshold of the cell of each row of the table, its lower edge."""
        scores = self.numbers("cell")
        infinite = scores[~np.isfinite(scores)]
        if len(infinite):
            raise ValueError(f"y_score must be finite, got {infinite[0]}")
        if not self.has("lowest"):
            return scores
        lowest, highest = (np.asarray(self.table.column(name)) for name in ("lowest", "highest"))
        found = np.unique(np.append(lowest, highest))
        if lowest.dtype.kind in "iu":
            inexact = found[(found > _checks.LARGEST_COUNT) | (found < -_checks.LARGEST_COUNT)]
        else:  # distinct decimals that are the same float64 number
            inexact = found[1:][np.diff(found.astype(np.float64)) == 0]
        if len(inexact) and (lowest.dtype.kind in "iu" or self.cells == EACH_SCORE):
            raise ValueError(
                f"y_score must hold numbers that float64 represents exactly, got {inexact.max()}"
            )
        return scores

    def _cells(self, positive: BoolArray, scores: FloatArray) -> Sample:
        """Rows that are counted by cell."""
        n, class_weight, sums = self.numbers("n"), None, None
        if self.has("weight"):
            n, class_weight = self.numbers("n_with_weight"), self._class_weight(positive)
            if class_weight is None:
                n, sums = self.numbers("weight"), _SUMS
        pos, neg = np.where(positive, n, 0.0), np.where(positive, 0.0, n)
        sample = Sample.from_counts(scores, pos, neg, without_errors=sums)
        return sample if class_weight is None else sample.with_class_weight(class_weight)

    def _rows(self, positive: BoolArray, scores: FloatArray) -> Sample:
        """Each row, with its weight, cluster and stratum."""
        n = self.numbers("n").astype(np.intp)
        drawn = {
            name: np.repeat(_array_of(self.table.column(name)), n)
            for name in ("sample_weight", *_UNITS)
            if self.has(name)
        }
        return Sample.from_rows(np.repeat(positive, n), np.repeat(scores, n), True, **drawn)


def _array_of(column: Any) -> NDArray[Any]:
    """An Arrow column as numbers, or as Python objects."""
    kind = np.asarray(column.slice(0, 0)).dtype.kind
    if kind == "f" or (kind in "biu" and column.null_count == 0):
        return np.asarray(column)
    return np.array(column.to_pylist(), dtype=object)
