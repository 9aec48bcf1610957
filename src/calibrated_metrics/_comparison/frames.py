"""Groups of rows of a pandas or polars DataFrame, by the methods of the frame itself.

Neither package is imported here: a caller who has a frame has its package already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Frame", "Groups", "check_comparable", "frame_of"]

Rows = NDArray[np.intp]


class Groups(Protocol):
    """The groups of a frame, sorted by their keys; missing keys are last."""

    rows: list[Rows]

    def name(self, index: int) -> str:
        """The keys of a group in words, such as ``month=3, country=FR``."""
        ...

    def table(self, index: Rows, columns: Mapping[str, Any]) -> Any:
        """A frame with the keys of the groups `index`, and further columns."""
        ...


class Frame:
    """A DataFrame of pandas or polars, with its columns as arrays."""

    def __init__(self, frame: Any, package: str):
        self._frame, self._package = frame, package

    def column(self, argument: str, name: Any) -> NDArray[Any]:
        """The values of a column, which the caller gave as `argument`."""
        check_comparable(argument, name)
        n_found = list(self._frame.columns).count(name)
        if n_found != 1:
            found = "no column" if n_found == 0 else f"{n_found} columns"
            raise ValueError(
                f"{argument} must name a column of frame, got {name!r}; the frame has {found} of "
                f"this name among {list(self._frame.columns)}"
            )
        values: NDArray[Any] = self._frame[name].to_numpy()
        return values

    def grouped(self, by: Sequence[Any]) -> Groups:
        if len(self._frame) == 0:
            raise ValueError("frame must not be empty")
        keys = self._frame[list(by)]
        return _PandasGroups(keys) if self._package == "pandas" else _PolarsGroups(keys)


def check_comparable(argument: str, name: Any) -> None:
    """Raise ``TypeError`` unless a value can be compared with names, unlike a list or pandas.NA."""
    try:
        hash(name)
        bool(name == name)
    except TypeError:
        raise TypeError(f"{argument} must be the name of a column of frame, got {name!r}") from None


def frame_of(frame: Any) -> Frame:
    for base in type(frame).__mro__:
        package = base.__module__.partition(".")[0]
        if base.__name__ == "DataFrame" and package in ("pandas", "polars"):
            return Frame(frame, package)
    raise TypeError(
        f"frame must be a DataFrame of pandas or polars, got {type(frame).__module__}."
        f"{type(frame).__qualname__}"
    )


class _Keyed:
    """Groups with the first row of each among the rows of `keys`."""

    def __init__(self, keys: Any, rows: list[Rows]):
        self._keys, self.rows = keys, rows
        self._first = np.array([each[0] for each in rows])

    def _name(self, row: Sequence[Any]) -> str:
        named = zip(self._keys.columns, row, strict=True)
        return ", ".join(f"{column}={key}" for column, key in named)


class _PandasGroups(_Keyed):
    def __init__(self, keys: Any):
        # A level of the index may have the name of a column, and columns may have several levels.
        keys = keys.reset_index(drop=True).set_axis(keys.columns.to_flat_index(), axis="columns")
        by = list(keys.columns)
        number = keys.groupby(by, sort=True, dropna=False, observed=True).ngroup().to_numpy()
        order = np.argsort(number, kind="stable")
        ends = np.cumsum(np.bincount(number))
        super().__init__(keys, np.split(order, ends[:-1]))

    def name(self, index: int) -> str:
        return self._name(self._keys.iloc[[self._first[index]]].to_numpy(dtype=object)[0].tolist())

    def table(self, index: Rows, columns: Mapping[str, Any]) -> Any:
        return self._keys.iloc[self._first[index]].reset_index(drop=True).assign(**columns)


class _PolarsGroups(_Keyed):
    def __init__(self, keys: Any):
        by = list(keys.columns)
        number = "row of " + "/".join(by)  # longer than each name, so it is none of them
        numbered = keys.with_row_index(number).group_by(by).agg(number)
        rows = numbered.sort(by, nulls_last=True)[number]
        super().__init__(keys, [each.to_numpy().astype(np.intp) for each in rows])

    def name(self, index: int) -> str:
        return self._name(self._keys.row(int(self._first[index])))

    def table(self, index: Rows, columns: Mapping[str, Any]) -> Any:
        return self._keys[self._first[index]].hstack(type(self._keys)(columns))
