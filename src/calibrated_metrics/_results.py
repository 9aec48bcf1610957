"""Equality of results by their values: NaN equals NaN, so a copy is equal."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

__all__ = ["equal_values", "hash_of_values"]


def equal_values(result: Any, other: object) -> bool:
    """``__eq__`` of a dataclass, without its fields of ``compare=False``, or of a named tuple."""
    return _values(result) == _values(other) if type(other) is type(result) else NotImplemented


def hash_of_values(result: Any) -> int:
    """``__hash__`` that belongs to `equal_values`."""
    return hash(_values(result))


def _values(result: Any) -> tuple[Any, ...]:
    if is_dataclass(result):
        compared = (each.name for each in fields(result) if each.compare)
        return tuple(_comparable(getattr(result, name)) for name in compared)
    return tuple(map(_comparable, result))


def _comparable(value: Any) -> Any:
    """The value, with arrays as tuples, and a word for each NaN, which is unequal to itself."""
    if isinstance(value, np.ndarray):
        return value.shape, tuple(map(_comparable, value.ravel().tolist()))
    return "NaN" if isinstance(value, float) and value != value else value
