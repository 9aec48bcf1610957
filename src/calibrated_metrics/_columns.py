"""Checks of columns: one dimension, the same length and index, and names in a frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics._messages import shown


def dimensions(name: str, value: Any) -> int:
    """Number of dimensions of an array-like, 0 for a number."""
    try:
        return np.ndim(value)
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"{name} must be a number or one-dimensional: {error}") from None


def vector(name: str, values: Any) -> NDArray[Any]:
    """A non-empty one-dimensional array."""
    in_a_list = isinstance(values, list | tuple) and any(each is np.ma.masked for each in values)
    if in_a_list or (isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values)):
        raise ValueError(f"{name} must not hold masked values: drop them first")
    at_most_64_bits(name, values)
    try:
        array = np.asarray(values)
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"{name} must be one-dimensional: {error}") from None
    if array.ndim != 1:
        n_columns, hint = array.shape[1] if array.ndim == 2 else 0, ""
        if n_columns > 2:
            hint = "; take one column at a time, or see multiclass.one_vs_rest for several classes"
        elif n_columns:
            hint = f"; take one column, {name}[:, {n_columns - 1}]"
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}{hint}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty")
    return array


def at_most_64_bits(name: str, column: Any) -> None:
    """Refuse integers of polars that have no array; its own error is no ``Exception``."""
    dtype = getattr(column, "dtype", None)
    if not isinstance(dtype, np.dtype) and str(dtype).endswith("Int128"):
        raise TypeError(f"{name} must hold integers of at most 64 bits, got {dtype}: cast them")


def unit_labels(name: str, values: Any) -> NDArray[Any]:
    """Labels of clusters or strata, which may be tuples."""
    if isinstance(values, list) and values and all(isinstance(each, tuple) for each in values):
        labels = np.empty(len(values), dtype=object)
        labels[:] = values
        return labels
    return vector(name, values)


def same_length(**vectors: Sized | None) -> None:
    lengths = {name: len(values) for name, values in vectors.items() if values is not None}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"arguments must have the same length: {listed}")


def same_index(**columns: Any) -> Any:
    """The index that all Series of pandas, and estimates of their rows, have; None without any.

    Different indices are refused: the rows do not correspond.
    """
    found = {
        name: each.index if hasattr(each, "iloc") else getattr(each, "row_index", None)
        for name, each in columns.items()
    }
    indexed = {name: index for name, index in found.items() if index is not None}
    if not indexed:
        return None
    first = next(iter(indexed))
    for name, index in indexed.items():
        if not indexed[first].equals(index):
            of_both = "both" if hasattr(columns[name], "iloc") else "age in known_by_age"
            raise ValueError(
                f"{first} and {name} must have the same index, row by row; pass .to_numpy() of "
                f"{of_both} if their rows correspond by position"
            )
    return indexed[first]


def _column_name(argument: str, frame: str, name: Any) -> None:
    """Refuse a value that cannot be compared with names, such as a list or pandas.NA."""
    try:
        hash(name)
        bool(name == name)
    except TypeError:
        raise TypeError(
            f"{argument} must be the name of a column of {frame}, got {shown(name)}; make it a "
            f"column first: {frame}.assign(name=...)"
        ) from None


def known_column(argument: str, frame: str, name: Any, names: Sequence[Any]) -> None:
    """Refuse a name that is not that of a single column of the frame."""
    _column_name(argument, frame, name)
    if (n_found := names.count(name)) != 1:
        found = "no column" if n_found == 0 else f"{n_found} columns"
        raise ValueError(
            f"{argument} must name a column of {frame}, got {name!r}; it has {found} of this name "
            f"among {list(names)}"
        )


def columns_of_groups(by: Any, frame: str, taken: Iterable[str]) -> list[Any]:
    """The columns that form groups. They are also columns of the result, beside those `taken`."""
    names = list(by) if isinstance(by, list | tuple) else [by]
    if not names:
        raise ValueError("by must name at least one column, got none")
    for name in names:
        _column_name("by", frame, name)
        if name in taken:
            raise ValueError(f"by must not name a column of the result, got {name!r}")
    if len(set(names)) < len(names):
        raise ValueError(f"by must name different columns, got {names}")
    return names
