"""Columns and groups of frames of pandas, polars and Arrow, without importing these packages."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _checks
from calibrated_metrics.tables.groups import ordered

__all__ = ["Groups", "groups_of_keys", "read_columns"]

Rows: TypeAlias = NDArray[np.intp]

_FRAMES = {"pandas": ["DataFrame"], "polars": ["DataFrame", "LazyFrame"], "pyarrow": ["Table"]}


def read_columns(
    frame: Any, columns: Mapping[str, Hashable | None], by: Sequence[Hashable]
) -> tuple[dict[str, NDArray[Any] | None], Groups]:
    """Columns by argument, as arrays, and the groups of rows with equal keys."""
    package = _package_of(frame)
    names = list(frame.collect_schema()) if package == "polars" else _names(frame)
    asked = [("by", name) for name in by]
    asked += [(argument, name) for argument, name in columns.items() if name is not None]
    for argument, name in asked:
        _check_column(argument, name, names)
    if package == "polars":
        frame = frame.lazy().select(list(dict.fromkeys(name for _, name in asked))).collect()
    if len(frame) == 0:
        raise ValueError("frame must not be empty")
    arrays = {
        argument: None if name is None else frame[name].to_numpy()
        for argument, name in columns.items()
    }
    keys = frame.select(list(by)) if package == "pyarrow" else frame[list(by)]
    return arrays, groups_of_keys(keys)


def _package_of(frame: Any) -> str:
    """Package of the class of a frame, or of a class that it extends."""
    for base in type(frame).__mro__:
        package = base.__module__.partition(".")[0]
        if base.__name__ in _FRAMES.get(package, ()):
            return package
    raise TypeError(
        "frame must be a DataFrame of pandas or polars, a LazyFrame, a Table of pyarrow or Ibis, "
        f"or a path of parquet files, got {type(frame).__module__}.{type(frame).__qualname__}"
    )


def _names(frame: Any) -> list[Any]:
    return list(getattr(frame, "column_names", frame.columns))  # of pyarrow, or of the others


def _check_column(argument: str, name: Any, names: Sequence[Any]) -> None:
    _checks.column_name(argument, "frame", name)
    if (n_found := names.count(name)) != 1:
        found = "no column" if n_found == 0 else f"{n_found} columns"
        raise ValueError(
            f"{argument} must name a column of frame, got {name!r}; the frame has {found} of this "
            f"name among {names}"
        )


class Groups:
    """The groups of a frame, sorted by their keys; missing keys are last.

    `rows` holds the numbers of the rows of each group.
    """

    def __init__(self, keys: Any, rows: Sequence[Rows]):
        self._keys, self.rows = keys, rows
        self._first = np.array([each[0] for each in rows])

    def name(self, index: int) -> str:
        """The keys of a group in words, such as ``month=3, country=FR``."""
        row = int(self._first[index])
        return ", ".join(f"{name}={self._keys[name][row]}" for name in _names(self._keys))

    def table(self, index: Rows, columns: Mapping[str, Any]) -> Any:
        """A frame with the keys of the groups `index`, and further columns."""
        keys, rows = self._keys, self._first[index]
        package = _package_of(keys)
        if package == "pandas":
            return keys.take(rows).reset_index(drop=True).assign(**columns)
        if package == "polars":
            return keys[rows].hstack(type(keys)(columns))
        of_keys = zip(keys.column_names, keys.take(rows).columns, strict=True)
        return type(keys).from_pydict({**dict(of_keys), **columns})


def groups_of_keys(keys: Any) -> Groups:
    """The groups of the rows of a frame that holds only keys."""
    return _GROUPS[_package_of(keys)](keys)


def _pandas_groups(keys: Any) -> Groups:
    # A level of the index may have the name of a column, and columns may have several levels.
    keys = keys.reset_index(drop=True).set_axis(keys.columns.to_flat_index(), axis="columns")
    order, starts = ordered(keys)
    return Groups(keys, np.split(order, starts[1:]))


def _polars_groups(keys: Any) -> Groups:
    by, number = keys.columns, _new_name(keys)
    numbered = keys.with_row_index(number).group_by(by).agg(number)
    rows = numbered.sort(by, nulls_last=True)[number]
    return Groups(keys, [each.to_numpy().astype(np.intp) for each in rows])


def _arrow_groups(keys: Any) -> Groups:
    by, number = keys.column_names, _new_name(keys)
    numbered = keys.append_column(number, [np.arange(len(keys))]).group_by(by)
    lists = numbered.aggregate([(number, "list")]).sort_by([(each, "ascending") for each in by])
    return Groups(keys, [np.sort(each.values.to_numpy()) for each in lists[f"{number}_list"]])


def _new_name(keys: Any) -> str:
    return "row of " + "/".join(_names(keys))  # longer than each name, so it differs from all


_GROUPS: Mapping[str, Callable[[Any], Groups]] = {
    "pandas": _pandas_groups,
    "polars": _polars_groups,
    "pyarrow": _arrow_groups,
}
