"""Equality of results by their values, where NaN equals NaN, and tables of them as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from typing import Any

import numpy as np

__all__ = ["equal_values", "hash_of_values", "html_lines", "html_table"]


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


def html_table(rows: Iterable[Sequence[str]], heads: Sequence[str] = (), caption: str = "") -> str:
    """A table in HTML. The first text of each row is its head."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td>{escape(text)}</td>" for text in others)
        + "</tr>"
        for first, *others in rows
    )
    caption = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_lines(lines: Iterable[str]) -> str:
    """Lines of text in HTML."""
    return "".join(f"<div>{escape(line)}</div>" for line in lines)
