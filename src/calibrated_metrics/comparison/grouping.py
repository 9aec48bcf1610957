"""Frames of pandas, polars and Arrow, dicts of arrays, and the groups of their rows.

These packages are not imported.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _labels
from calibrated_metrics._numbers import FloatArray

__all__ = ["Groups", "IntArray", "groups_of_keys", "names_of", "package_of"]

IntArray: TypeAlias = NDArray[np.intp]

_FRAMES = {"pandas": ["DataFrame"], "polars": ["DataFrame", "LazyFrame"], "pyarrow": ["Table"]}
_FRAMES |= {"ibis": ["Table"], "builtins": ["dict"]}


def package_of(frame: Any) -> str:
    """Package of the class of a frame, or of a class that it extends; ibis for a path."""
    if isinstance(frame, str | os.PathLike):
        return "ibis"
    for base in type(frame).__mro__:
        package = base.__module__.partition(".")[0]
        if base.__name__ in _FRAMES.get(package, ()):
            return package
    raise TypeError(
        "frame must be a DataFrame of pandas or polars, a LazyFrame, a Table of pyarrow or Ibis, a "
        "dict of arrays, or a path of parquet files, got "
        f"{type(frame).__module__}.{type(frame).__qualname__}: for a database, pass "
        "ibis.duckdb.connect(...).table(...), or the result as a frame"
    )


def names_of(frame: Any) -> list[Any]:
    """The names of the columns of a frame."""
    package = package_of(frame)
    if package == "polars":
        return list(frame.collect_schema())
    return list(frame.column_names if package == "pyarrow" else frame)


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of a frame of keys, sorted by them; missing keys are last.

    `rows` holds the numbers of the rows of each group.
    """

    keys: Any
    rows: Sequence[IntArray]

    @cached_property
    def _first(self) -> IntArray:
        """The first row of each group."""
        return np.array([each[0] for each in self.rows])

    def sums(self, values: FloatArray) -> list[int]:
        """The sum of whole numbers of rows over each group."""
        starts = np.cumsum([0, *map(len, self.rows[:-1])])
        sums = np.add.reduceat(values[np.concatenate(self.rows)], starts)
        found: list[int] = sums.astype(np.intp).tolist()
        return found

    def name(self, index: int) -> str:
        """The keys of a group in words, such as ``month=3, country=FR``."""
        row = int(self._first[index])
        return ", ".join(f"{name}={self.keys[name][row]}" for name in names_of(self.keys))

    def table(self, index: IntArray, columns: Mapping[str, Any]) -> Any:
        """A frame with the keys of the groups `index`, and further columns."""
        keys, rows = self.keys, self._first[index]
        package = package_of(keys)
        if package == "pandas":
            return keys.take(rows).reset_index(drop=True).assign(**columns)
        if package == "polars":
            return keys[rows].hstack(type(keys)(columns))
        if package == "builtins":
            columns = {name: np.asarray(each) for name, each in columns.items()}
            return {name: each[rows] for name, each in keys.items()} | columns
        of_keys = zip(keys.column_names, keys.take(rows).columns, strict=True)
        return type(keys).from_pydict({**dict(of_keys), **columns})


def groups_of_keys(keys: Any) -> Groups:
    """The groups of the rows of a frame that holds only keys."""
    package, names = package_of(keys), names_of(keys)
    number = f"row of {names}"  # longer than each name, so it differs from all
    if package == "polars":
        numbered = keys.with_row_index(number).group_by(names).agg(number)
        lists = numbered.sort(names, nulls_last=True)[number]
        return Groups(keys, [each.to_numpy().astype(np.intp) for each in lists])
    if package == "pyarrow":
        numbered = keys.append_column(number, [np.arange(len(keys))]).group_by(names)
        lists = numbered.aggregate([(number, "list")])
        lists = lists.sort_by([(name, "ascending") for name in names])[f"{number}_list"]
        return Groups(keys, [np.sort(each.values.to_numpy()) for each in lists])
    if package == "pandas":
        # A level of the index may have the name of a column, and columns may have several levels.
        keys = keys.reset_index(drop=True).set_axis(keys.columns.to_flat_index(), axis="columns")
        columns = [keys.iloc[:, place] for place in range(keys.shape[1])]
    else:
        columns = list(keys.values())
    codes = np.array([_codes(each) for each in columns])
    order = np.lexsort(codes[::-1])
    is_new = (np.diff(codes[:, order]) != 0).any(axis=0)
    return Groups(keys, np.split(order, 1 + np.flatnonzero(is_new)))


def _codes(column: Any) -> IntArray:
    """Place of the value of each row among the sorted values; missing values are the last."""
    if isinstance(column, np.ndarray):
        is_known = ~_labels.are_missing(column)
        values, codes = np.unique(column[is_known], return_inverse=True)
        found = np.full(len(column), len(values))
        found[is_known] = codes
        return found
    try:
        codes, values = column.factorize(sort=True)
    except TypeError:  # they cannot be sorted: in the order of their first rows
        codes, values = column.factorize()
    return np.where(codes < 0, len(values), codes)
