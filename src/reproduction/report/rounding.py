"""Numbers as a reader wants them; all digits are in the CSV files."""

from __future__ import annotations

import math

__all__ = ["fixed", "is_number", "readable"]

_LONG = 7  # characters; what is shorter was written for a reader
_MINUS = "−"


def readable(text: str) -> str:
    """A long number with four significant digits, anything else as it is."""
    if not is_number(text):
        return text
    if len(text) >= _LONG:
        value = float(text)
        text = str(int(value)) if value.is_integer() else f"{value:.4g}"
    return text.replace("-", _MINUS)


def fixed(text: str, digits: int) -> str:
    """A number with so many digits after the point, a dash for none."""
    return f"{float(text):.{digits}f}".replace("-", _MINUS) if text else "–"


def is_number(text: str) -> bool:
    """Whether the text is a finite number, as a CSV file or as a reader writes it."""
    try:
        return math.isfinite(float(text.replace(_MINUS, "-")))
    except ValueError:
        return False
