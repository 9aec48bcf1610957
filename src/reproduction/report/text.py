"""Numbers and statements as text for the page. The CSV files have all digits."""

from __future__ import annotations

import math
import re

from markupsafe import Markup, escape

__all__ = ["compared", "expected", "number", "sentence", "typeset"]

_EXACT = 1e-9  # smaller differences come from rounding
_EMPTY = "–"
_SIGNS = {"<=": "≤ ", ">=": "≥ ", "<": "< ", ">": "> ", "": ""}
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# AUC-P_cR and F1_c have a subscript.
_SUBSCRIPT = re.compile(r"(?<=\w)_(c)(?=R?\b)")
_HYPHEN_AS_MINUS = re.compile(r"(?<![\w)])-(?=\.?\d)")
_LARGE = re.compile(r"(?<![\w.])\d{5,}(?![\w.])")


def number(value: float) -> str:
    """Four significant digits with a true minus sign; an empty cell becomes a dash."""
    if math.isnan(value):
        return _EMPTY
    if abs(value) < _EXACT:
        return "0"
    if abs(value) < 1e-4:
        mantissa, exponent = f"{value:.1e}".split("e")
        text = f"{float(mantissa):g} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    elif value == int(value) or abs(value) >= 10_000:
        text = f"{value:,.0f}"
    else:
        text = f"{value:.4g}"
    return text.replace("-", "−")


def expected(value: float | str, tolerance: float) -> str:
    """A published number with its tolerance, such as 0.547 ± 0.012, or a bound, such as ≤ 5."""
    sign, _, digits = str(value).rpartition(" ")
    text = _SIGNS[sign] + number(float(digits))
    return f"{text} ± {number(tolerance)}" if tolerance > _EXACT and text != _EMPTY else text


def compared(ours: float, published: float | str) -> str:
    """Our number, or `exact` if it is the published one."""
    if str(published)[0] not in "<>" and abs(ours - float(published)) < _EXACT:
        return "exact"
    return number(ours)


def typeset(text: str) -> Markup:
    """A text as HTML, with subscripts, relations and minus signs."""
    for ascii_sign in ("<=", ">="):
        text = text.replace(ascii_sign, _SIGNS[ascii_sign].strip())
    text = _LARGE.sub(lambda digits: f"{int(digits[0]):,}", _HYPHEN_AS_MINUS.sub("−", text))
    return Markup(_SUBSCRIPT.sub(r"<sub>\1</sub>", str(escape(text))))  # nosec B704 # escaped


def sentence(text: str) -> Markup:
    """A text as HTML that begins with a capital letter, unless it is Greek."""
    return typeset(text[:1].upper() + text[1:] if text[:1].isascii() else text)
