"""The group-by that an engine computes, and the data of the rows that it counted."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _columns, _labels, _numbers
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.engines.entries import Entries, Part
from calibrated_metrics.engines.reading import opened, result_of
from calibrated_metrics.rows import EQUAL_WEIGHTS, BoolArray, Rows
from calibrated_metrics.scores.metric import Data

__all__ = ["EACH_SCORE", "Cells", "count"]

_MOST_CELLS = 2.0**50
_UNITS = ("clusters", "strata")
_SUMS = (
    "it holds sums of weights of a table, and an interval needs the weight of each row; numbers of "
    "rows are counts"
)


@dataclass(frozen=True)
class Cells:
    """Cells from k / n up to (k + 1) / n, where n is the resolution; None keeps each score.

    The key of a cell is its lower edge. Every engine rounds the quotient of two numbers as NumPy
    does, so scores are compared with quotients. A rounded product could put a score into the wrong
    cell.
    """

    resolution: float | None

    def key(self, score: Any) -> Any:
        """Lower edge of the cell; scores that are missing or not finite are kept."""
        import ibis

        n = self.resolution
        if n is None:
            return score
        # Adjacent floats of larger scores are at least as far apart as the edges. Infinite scores
        # are missing here: DuckDB may evaluate a comparison of a column from the statistics of a
        # parquet file, which omit NaN (duckdb/duckdb, issue 25521), but not of this expression.
        has_cell = score.nullif(math.inf).abs() < _MOST_CELLS / n
        near = ibis.ifelse(has_cell, score, 0.0)  # the index of others may not be an integer
        index = (near * n).floor().cast("float64")
        lower, upper = index / n, (index + 1.0) / n
        edge = ibis.cases((near < lower, (index - 1.0) / n), (near >= upper, upper), else_=lower)
        return ibis.ifelse(has_cell, edge, score)


EACH_SCORE = Cells(None)


def count(
    table: Any,
    argument: str,
    by: Sequence[Any],
    columns: Mapping[str, Any],
    pos_label: Any,
    cells: Cells = EACH_SCORE,
) -> Entries:
    """The counts of a table, which the caller gave as `argument`, by one group-by in its engine.

    `by` names the columns of groups; `columns` names others by the argument of `from_predictions`.
    """
    columns = {name: column for name, column in columns.items() if column is not None}
    named = [*(("by", column) for column in by), *columns.items()]
    for name, column in named:
        if not isinstance(column, str):
            raise TypeError(f"{name} must be the name of a column of {argument}, got {column!r}")
    with opened(table, argument, [column for _, column in named]) as rows:
        for name, column in named:
            _columns.known_column(name, argument, column, list(rows.columns))
            _check_type(name, column, rows[column].type())
        entries = result_of(_grouped(rows, by, columns, cells))
        dtype = np.dtype(np.float64)
        if "y_score" in columns and cells == EACH_SCORE:
            kind = rows[columns["y_score"]].type()
            dtype = np.dtype(kind.to_numpy()) if kind.is_floating() else dtype
    if entries.num_rows == 0:
        raise ValueError(f"{argument} must not be empty")
    if "counts" in columns:
        if entries.column("counts").null_count:
            raise ValueError(f"counts must not be NULL, got NULL in column {columns['counts']!r}")
        counts = _numbers.row_counts("counts", _array_of(entries.column("counts")))
        entries = entries.filter(counts > 0)
    label = entries.column("y_true").combine_chunks().dictionary_encode("encode")
    column = {
        name: _array_of(entries.column(name))
        for name in entries.column_names
        if not name.startswith("by_") and name not in ("y_true", "counts")
    }
    if "counts" in columns:
        of_rows = ("number", "with_weight", "weight")
        column |= {name: column[name] * counts[counts > 0] for name in of_rows if name in column}
    return CountedEntries(
        _keys(entries, by),
        column,
        _array_of(label.dictionary),
        np.asarray(label.indices),
        pos_label,
        cells,
        dtype,
    ).entries()


def _check_type(argument: str, column: str, dtype: Any) -> None:
    if dtype.is_unknown() or dtype.is_geospatial():
        raise TypeError(
            f"{argument} must have a type of numbers, text or times, but Ibis does not know that "
            f"of {column!r}: cast it, such as table.mutate(x=table[{column!r}].cast('int64'))"
        )
    is_real = dtype.is_numeric() or dtype.is_boolean()
    if argument in ("y_score", "sample_weight", "counts") and not is_real:
        raise TypeError(f"{argument} must hold real numbers, got dtype {dtype}")
    if dtype.is_nested():
        raise TypeError(f"{argument} must hold one value per row, got dtype {dtype}")


def _grouped(table: Any, by: Sequence[str], columns: Mapping[str, str], cells: Cells) -> Any:
    """Numbers of rows, with one row per group, label and cell.

    With clusters, strata, counts or predicted labels, there is one row per cluster, stratum, count
    and weight as well, so each row represents identical rows. Missing values and NaN are refused
    later (see `Cells.key`).
    """
    keys = {f"by_{place}": _plain(table[name]) for place, name in enumerate(by)}
    keys |= {"y_true": _plain(table[columns["y_true"]])}
    values = {"number": table.count()}
    if "y_score" in columns:
        score = _plain(table[columns["y_score"]])
        keys["y_score"] = cells.key(_number(score))
        if score.type().is_integer() or score.type().is_decimal():
            values |= {"lowest": score.min(), "highest": score.max()}
    units = [name for name in ("y_pred", "counts", *_UNITS) if name in columns]
    each = {name: _plain(table[columns[name]]) for name in units}
    if "sample_weight" in columns:
        weight = _number(_plain(table[columns["sample_weight"]]))
        if each:
            each["sample_weight"] = weight
        values |= {
            "with_weight": (weight != 0).fill_null(True).sum(),
            "without": weight.isnull().sum(),  # a sum leaves NULL out
            "weight": weight.sum(),
            "least": weight.min(where=weight != 0),
            "greatest": weight.max(),
        }
    return table.group_by(**keys, **each).aggregate(**values)


def _plain(column: Any) -> Any:
    """The column in a type of Arrow: identifiers, addresses and JSON as text, decimals of any
    number of places as float64.
    """
    dtype = column.type()
    if dtype.is_uuid() or dtype.is_inet() or dtype.is_macaddr() or dtype.is_json():
        return column.cast("string")
    if dtype.is_decimal() and (dtype.precision, dtype.scale) == (19, 4):
        return column.cast("decimal(20, 4)")  # Ibis gives this type to money of Postgres
    return column.cast("float64") if dtype.is_decimal() and dtype.scale is None else column


def _number(column: Any) -> Any:
    """The column as float64. Postgres casts booleans to integers only."""
    return (column.cast("int32") if column.type().is_boolean() else column).cast("float64")


@dataclass(frozen=True, eq=False)
class CountedEntries:
    """Entries of identical rows: what an engine counted, by argument.

    Attributes
    ----------
    keys : pandas.DataFrame
        The group of each entry.
    column : mapping of str to ndarray of shape (n_entries,)
        The columns of `_grouped`, without keys and labels.
    labels, code : ndarray
        The distinct labels, and the place of the label of each entry among them.
    dtype : numpy.dtype
        The precision of the scores.
    """

    keys: Any
    column: Mapping[str, NDArray[Any]]
    labels: NDArray[Any]
    code: NDArray[np.intp]
    pos_label: Any
    cells: Cells
    dtype: np.dtype[Any]

    @cached_property
    def is_positive(self) -> BoolArray:
        return _labels.equal_to(self.labels, self.pos_label)[self.code]

    @cached_property
    def with_weight(self) -> FloatArray:
        """Number of the rows of each entry whose weight is not 0."""
        return self.column.get("with_weight", self.column["number"]).astype(np.float64)

    @cached_property
    def n_missing(self) -> FloatArray:
        """Number of the rows with weight of each entry that have no label or no score."""
        predicted = self.column["y_score" if "y_score" in self.column else "y_pred"]
        return self.with_weight * (~self._has_label | _labels.are_missing(predicted))

    @cached_property
    def _has_label(self) -> BoolArray:
        return ~_labels.are_missing(self.labels)[self.code]

    def entries(self) -> Entries:
        return Entries(
            self.keys,
            self.labels[self.code],
            self.column.get("y_pred"),
            self.is_positive,
            self._has_label & ~self.is_positive,
            self.with_weight > self.n_missing,
            self.n_missing,
            self.column["number"].astype(np.float64),
            self.data_of,
        )

    def data_of(self, part: Part) -> Data:
        """The data of some of the entries. It raises the errors of `from_predictions`."""
        try:
            if "y_pred" in self.column:
                columns = self._drawn(part, "y_pred")
                return ConfusionMatrix.from_predictions(**columns, pos_label=self.pos_label)
            return self._curve(part)
        except ValueError as error:  # the place of an entry is not that of a row
            raise ValueError(re.sub(r" at index \d+", "", str(error))) from None

    def _curve(self, part: Part) -> ConfusionCurve:
        if "weight" in self.column:
            least, greatest = self.column["least"][part], self.column["greatest"][part]
            known = least[~np.isnan(least)]  # NaN where all weights are 0
            greatest = np.where(self.column["without"][part] > 0, np.nan, greatest)
            _numbers.weights("sample_weight", np.append(greatest, known))
        self._check_exactness(part)
        counted: dict[str, Any] = {}
        if any(name in self.column for name in _UNITS):
            drawn: dict[str, Any] = self._drawn(part, "y_score")
            label, given = drawn.pop("y_true"), {"y_score": drawn.pop("y_score")}
            rows, _ = Rows.read(label, given, pos_label=self.pos_label, **drawn)
        else:
            rows, counted = self._counted(part)
        cells = None if self.cells == EACH_SCORE else str(self.cells)
        return ConfusionCurve._from_rows(
            replace(rows, **counted, cells=cells, is_binned=True, dtype=self.dtype)
        )

    def _check_exactness(self, part: Part) -> None:
        """Refuse integers and decimals that float64 does not represent or tell apart."""
        if "lowest" not in self.column:
            return
        found = np.append(self.column["lowest"][part], self.column["highest"][part])
        found = np.unique(np.array(found[~_labels.are_missing(found)].tolist()))
        is_whole = found.dtype.kind in "iu"
        if is_whole:
            inexact = found[(found > _numbers.LARGEST_COUNT) | (found < -_numbers.LARGEST_COUNT)]
        else:  # distinct decimals that are the same float64 number
            inexact = found[1:][np.diff(found.astype(np.float64)) == 0]
        if len(inexact) and (is_whole or self.cells == EACH_SCORE):
            raise ValueError(
                f"y_score must hold numbers that float64 represents exactly, got {inexact.max()}"
            )

    def _counted(self, part: Part) -> tuple[Rows, dict[str, Any]]:
        """A row for each entry, and the fields that count the rows of the entry.

        Weights that differ in a class are summed.
        """
        given, beside = {}, {"number": self.with_weight[part]}
        if "weight" in self.column:
            given = {"sample_weight": self.column["greatest"][part]}
            beside |= {name: self.column[name][part] for name in ("weight", "least", "greatest")}
        label, beside["y_score"] = self.labels[self.code[part]], self.column["y_score"][part]
        rows, beside = Rows.read(label, beside, pos_label=self.pos_label, **given)
        if "weight" in self.column:
            spread = beside["greatest"] - beside["least"]
            if rows.weight is not None or (spread > EQUAL_WEIGHTS * beside["greatest"]).any():
                sums = {"number": beside["weight"], "weight": None, "class_weight": (1.0, 1.0)}
                return rows, {**sums, "without_errors": _SUMS}
        return rows, {"number": None if (beside["number"] == 1).all() else beside["number"]}

    def _drawn(self, entries: Part, predicted: str) -> dict[str, NDArray[Any]]:
        """The entries with their numbers of rows, weights, clusters and strata."""
        names = [name for name in (predicted, "sample_weight", *_UNITS) if name in self.column]
        found = {name: self.column[name][entries] for name in names}
        found["counts"] = self.column["number"][entries]
        return {"y_true": self.labels[self.code[entries]], **found}


def _keys(entries: Any, by: Sequence[Any]) -> Any:
    """The group of each entry, as a DataFrame."""
    found = entries.select([f"by_{place}" for place in range(len(by))])
    keys = found.to_pandas().set_axis(list(by), axis="columns")
    for name, column in zip(by, found.columns, strict=True):
        # If some integers are missing, pandas stores the others as float64.
        if "int" in str(column.type) and column.null_count and keys[name].abs().max() >= 2**53:
            raise ValueError(
                f"by must hold integers below 2**53 if some are missing, got {name!r} with "
                f"{int(keys[name].abs().max())}"
            )
    return keys


def _array_of(column: Any) -> NDArray[Any]:
    """An Arrow column as numbers, or as Python objects."""
    kind = np.asarray(column.slice(0, 0)).dtype.kind
    if kind == "f" or (kind in "biu" and column.null_count == 0):
        return np.asarray(column)
    return np.array(column.to_pylist(), dtype=object)
