"""Round numbers for display; the CSV files have all digits."""

from __future__ import annotations

import math

__all__ = ["fixed", "is_number", "readable"]

_LONG = 7  # characters; shorter numbers are not rounded
_ROUNDING = 1e-15  # smaller numbers are rounding errors of a result that is exactly 0
_MINUS = "−"
_WORDS = {"True": "yes", "False": "no", "": "–"}


def readable(text: str) -> str:
    """Return a value in words or signs: long numbers have four significant digits."""
    if not is_number(text):
        signs = text.replace("<= -", f"≤ {_MINUS}").replace(">= -", f"≥ {_MINUS}")
        return _WORDS.get(text, signs.replace("<=", "≤").replace(">=", "≥"))
    if len(text) >= _LONG:
        value = float(text)
        if abs(value) < _ROUNDING:
            return "0"
        text = str(int(value)) if value.is_integer() else f"{value:.4g}"
    return text.replace("-", _MINUS)


def fixed(text: str, digits: int) -> str:
    """Return a number with `digits` decimals, or a dash for an empty text."""
    return f"{float(text):.{digits}f}".replace("-", _MINUS) if text else "–"


def is_number(text: str) -> bool:
    """Whether the text is a finite number; the minus sign may be a hyphen or U+2212."""
    try:
        return math.isfinite(float(text.replace(_MINUS, "-")))
    except ValueError:
        return False
