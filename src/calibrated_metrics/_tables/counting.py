"""The group-by that an engine does, and the counts that are fetched from it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._tables.reading import result_of
from calibrated_metrics._tables.rounding import ByLogOdds, Rounding
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.sample import Sample

__all__ = ["Columns", "Fetched", "Query", "check_name"]

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Columns:
    """Names of the columns of a table that are counted."""

    y_true: Hashable
    y_score: Hashable
    by: Sequence[Hashable] = ()
    sample_weight: Hashable | None = None

    @property
    def names(self) -> list[Hashable]:
        weight = [] if self.sample_weight is None else [self.sample_weight]
        return [self.y_true, self.y_score, *self.by, *weight]

    def check(self, table: Any, argument: str) -> None:
        """Raise ``ValueError`` or ``TypeError`` for missing columns and wrong column types."""
        named = [("by", each) for each in self.by]
        named += [("y_true", self.y_true), ("y_score", self.y_score)]
        if self.sample_weight is not None:
            named.append(("sample_weight", self.sample_weight))
        known = list(table.columns)
        for name, column in named:
            check_name(name, column, argument)
            if column not in known:
                raise ValueError(
                    f"{name} must name a column of {argument}, got {column!r}; its columns are "
                    f"{known}"
                )
        for name, column in named:
            dtype = table[column].type()
            is_real = dtype.is_numeric() or dtype.is_boolean()
            if name in ("y_score", "sample_weight") and not is_real:
                raise TypeError(f"{name} must hold real numbers, got dtype {dtype}")


def check_name(argument: str, name: Any, of: str) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{argument} must be the name of a column of {of}, got {name!r}")


class Query(NamedTuple):
    """What is counted."""

    columns: Columns
    pos_label: Any
    rounding: Rounding

    def fetch(self, table: Any) -> Fetched:
        """Counts per group and cell, by one pass of the engine over the table."""
        columns = self.columns
        label, score = table[columns.y_true], table[columns.y_score].cast("float64")
        of_positives, known = _equals(label, self.pos_label), _is_known(label)
        positive, negative = known & of_positives, known & ~of_positives
        aggregates = {
            "n_rows": table.count(),
            "n_known": known.sum(),
            "n_pos": positive.sum(),
        }
        if columns.sample_weight is not None:
            weight = table[columns.sample_weight].cast("float64")
            has_weight = weight != 0
            negative = negative & has_weight
            aggregates |= {
                "n_weights": weight.count(),
                "n_with_weight": has_weight.sum(),
                "n_known_with_weight": (known & has_weight).sum(),
                "pos": weight.sum(where=positive),
                "neg": weight.sum(where=negative),
                "least_weight": weight.min(where=has_weight),
                "greatest_weight": weight.max(),
            }
        if not label.type().is_boolean():
            aggregates |= {
                "least_other": label.min(where=negative),
                "greatest_other": label.max(where=negative),
            }
        if isinstance(self.rounding, ByLogOdds):
            aggregates |= {"lowest": score.min(), "highest": score.max()}
        groups = {f"by_{place}": table[name] for place, name in enumerate(columns.by)}
        cells = table.group_by(**groups, cell=self.rounding.key(score)).aggregate(**aggregates)
        return Fetched(self, table.schema(), result_of(cells))


def _is_known(label: Any) -> Any:
    return label.notnull() & ~label.isnan() if label.type().is_floating() else label.notnull()


def _equals(label: Any, pos_label: Any) -> Any:
    """Whether a label equals `pos_label`, as in Python: True equals 1, and no text a number."""
    import ibis

    dtype = label.type()
    if isinstance(pos_label, np.generic):
        pos_label = pos_label.item()
    if dtype.is_boolean():
        if pos_label in (0, 1):
            return label if pos_label else ~label
    elif dtype.is_numeric():
        if isinstance(pos_label, Integral | float):
            number = pos_label if isinstance(pos_label, float) else int(pos_label)
            return label == (_in_float32(number) if dtype.is_float32() else number)
    elif dtype.is_string():
        if isinstance(pos_label, str):
            return label == pos_label
    elif not isinstance(pos_label, str | Integral | float | None):
        return label == ibis.literal(pos_label, dtype)
    return ibis.literal(False)


def _in_float32(number: float) -> float:
    """The nearest float32. NumPy compares with it; Spark would compare the float64 numbers."""
    with np.errstate(over="ignore"):
        return float(np.float32(number))


class Fetched:
    """Counts of the cells of all groups: one row per group and cell."""

    def __init__(self, query: Query, schema: Any, result: Any):
        self.query, self._schema, self._result = query, schema, result
        self._columns = query.columns

    def __len__(self) -> int:
        return int(self._result.num_rows)

    @property
    def groups(self) -> Any:
        """The group of each row, as a DataFrame with the columns `by`."""
        names = list(self._columns.by)
        groups = self._result.select([f"by_{place}" for place in range(len(names))]).to_pandas()
        groups = groups.set_axis(names, axis="columns")
        for name, keys in groups.items():
            # Where integers are missing, pandas and Ibis for Spark hold the others as float64.
            is_rounded = self._schema[name].is_integer() and keys.dtype.kind == "f"
            if is_rounded and keys.abs().max() >= 2**53:
                raise ValueError(
                    "by must hold integers that float64 represents exactly if some are missing, "
                    f"got {name!r} with {int(keys[keys.abs().argmax()])}"
                )
        return groups

    def n_of_class(self, rows: Rows) -> tuple[int, int]:
        """Numbers of positives and of negatives in these rows, regardless of their weights."""
        n_pos = int(self._sum("n_pos", rows))
        return n_pos, int(self._sum("n_known", rows)) - n_pos

    def curve(self, rows: Rows) -> ConfusionCurve:
        """The curve of the cells in these rows.

        Raises
        ------
        ValueError
            As `ConfusionCurve.from_predictions`, for data that cannot be used.
        """
        weighted = self._columns.sample_weight is not None
        if weighted:
            self._check_weights(rows)
            pos, neg = (np.nan_to_num(self._numbers(name)[rows]) for name in ("pos", "neg"))
        else:
            pos = self._numbers("n_pos")[rows]
            neg = self._numbers("n_known")[rows] - pos
        self._check_labels(rows, pos, neg)
        counted = rows[pos + neg > 0]
        scores = self._thresholds(counted)
        pos, neg = pos[pos + neg > 0], neg[pos + neg > 0]
        weights = "it holds sums of weights of a table: an interval needs the weights of the rows"
        sample = Sample.from_counts(
            scores,
            pos,
            neg,
            without_errors=weights if weighted else None,
            cells=self.query.rounding.cells,
        )
        return ConfusionCurve._from_sample(sample)

    def _numbers(self, name: str) -> FloatArray:
        """A column of numbers; missing values are NaN."""
        if name not in self._as_numbers:
            values = self._result.column(name).to_numpy()
            self._as_numbers[name] = values.astype(np.float64, copy=False)
        return self._as_numbers[name]

    @cached_property
    def _as_numbers(self) -> dict[str, FloatArray]:
        return {}

    def _sum(self, name: str, rows: Rows) -> float:
        with np.errstate(over="ignore"):
            return float(np.nansum(self._numbers(name)[rows]))

    def _thresholds(self, rows: Rows) -> FloatArray:
        rounding, keys = self.query.rounding, self._numbers("cell")[rows]
        if isinstance(rounding, ByLogOdds):
            return rounding.thresholds(
                keys, self._numbers("lowest")[rows], self._numbers("highest")[rows]
            )
        if not np.isfinite(keys).all():
            raise ValueError(f"y_score must be finite, got {keys[~np.isfinite(keys)][0]}")
        if self._schema[self._columns.y_score].is_integer() and np.abs(keys).max() > 2**53:
            raise ValueError(
                "y_score must hold numbers that float64 represents exactly, got "
                f"{int(keys[np.abs(keys).argmax()])}"
            )
        return keys

    def _check_weights(self, rows: Rows) -> None:
        """The checks of `_checks.weights`; a table has no places of rows to name."""
        least, greatest = (
            self._numbers(name)[rows] for name in ("least_weight", "greatest_weight")
        )
        least = least[~np.isnan(least)]  # missing where all weights are 0
        if self._sum("n_weights", rows) < self._sum("n_rows", rows):
            raise ValueError("sample_weight must be finite, got nan")
        for extremes in (greatest, least):
            finite = np.isfinite(extremes)
            if not finite.all():
                raise ValueError(f"sample_weight must be finite, got {extremes[~finite][0]}")
        if (least < 0).any():
            raise ValueError(f"sample_weight must not be negative, got {least.min()}")
        if not len(least):
            raise ValueError("sample_weight must not be all zero")
        _checks.normal("sample_weight", least)
        if not np.isfinite(self._sum("pos", rows) + self._sum("neg", rows)):
            raise ValueError("sample_weight must have a sum within float64: it overflows")

    def _check_labels(self, rows: Rows, pos: FloatArray, neg: FloatArray) -> None:
        """The checks of `_checks.is_positive`. Labels of rows without weight do not count."""
        counted = ("n_rows", "n_known")
        if self._columns.sample_weight is not None:
            counted = ("n_with_weight", "n_known_with_weight")
        if self._sum(counted[0], rows) > self._sum(counted[1], rows):
            floating = self._schema[self._columns.y_true].is_floating()
            raise ValueError(f"y_true must not hold {'NaN' if floating else 'missing labels'}")
        pos_label, others = self.query.pos_label, self._other_labels(rows)
        if not pos.any():
            raise ValueError(
                f"y_true holds no positives: pos_label={pos_label!r} is not among its labels "
                f"[{_listed(others)}]"
            )
        if not neg.any():
            raise ValueError(
                f"y_true holds only the positive class {pos_label!r}: there is no prior to "
                "calibrate"
            )
        if len(others) > 1:
            raise ValueError(
                f"y_true must hold exactly two labels, got [{pos_label!r}, {_listed(others)}]"
            )

    def _other_labels(self, rows: Rows) -> list[Any]:
        """The label that is not that of the positives, or the least and the greatest of them."""
        if self._schema[self._columns.y_true].is_boolean():
            pos_label = self.query.pos_label
            return [not pos_label] if pos_label in (0, 1) else [False, True]
        extremes = []
        for extreme, name in ((min, "least_other"), (max, "greatest_other")):
            found = self._result.column(name).take(rows).drop_null()
            extremes += [extreme(found.to_pylist())] if len(found) else []
        return extremes[:1] if extremes[:1] == extremes[1:] else extremes


def _listed(others: list[Any]) -> str:
    """The least and the greatest of labels; it is unknown whether there are more."""
    return ", ..., ".join(map(repr, others))
