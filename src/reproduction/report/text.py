"""Numbers, statements and captions as text for the page. The CSV files have all digits.

Captions are Jinja templates in reStructuredText. Snakemake renders the same files for its own
report: `snakemake.config` is the configuration.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pandas as pd
from docutils.core import publish_parts
from docutils.utils import SystemMessage
from docutils.writers.html5_polyglot import Writer
from jinja2 import Environment, StrictUndefined, TemplateError
from markupsafe import Markup, escape

_EXACT = 1e-9  # smaller differences come from rounding
_EMPTY = "–"
_SIGNS = {"<=": "≤ ", ">=": "≥ ", "<": "< ", ">": "> ", "": ""}
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# AUC-P_cR and F1_c have a subscript.
_SUBSCRIPT = re.compile(r"(?<=\w)_(c)(?=R?\b)")
_HYPHEN_AS_MINUS = re.compile(r"(?<![\w)])-(?=\.?\d)")
_LARGE = re.compile(r"(?:(?<=has )|(?<=[≤≥<>] ))\d{5,}\b")  # other large numbers may be names
_DOCUTILS = {
    "_disable_config": True,  # ignore the docutils configuration of the user
    "file_insertion_enabled": False,
    "halt_level": 2,  # a warning is an error
    "raw_enabled": False,
    "warning_stream": False,  # errors are raised, not printed
}


def number(value: float, digits: int = 4) -> str:
    """A number with some significant digits and a true minus sign; an empty cell becomes a dash."""
    if not math.isfinite(value):
        return _EMPTY
    if abs(value) < _EXACT:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    if exponent < -4:
        text = f"{value / 10**exponent:.1f} × 10{str(exponent).translate(_SUPERSCRIPTS)}"
    else:
        text = f"{value:,.{max(0, digits - 1 - exponent)}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", "−")


def expected(value: float | str, tolerance: float) -> str:
    """A published number with its tolerance, such as 0.547 ± 0.012, or a bound, such as ≤ 5."""
    sign, _, digits = str(value).rpartition(" ")
    text = _SIGNS[sign] + number(float(digits))
    return f"{text} ± {number(tolerance)}" if tolerance > _EXACT and text != _EMPTY else text


def compared(ours: float, published: float | str) -> str:
    """Our number, or `exact` if it equals the published one; fewer digits if there is a bound."""
    if str(published)[0] in "<>":
        return number(ours, digits=3)
    return "exact" if abs(ours - float(published)) < _EXACT else number(ours)


def typeset(text: str) -> Markup:
    """A text as HTML, with subscripts, relations and minus signs."""
    for ascii_sign in ("<=", ">="):
        text = text.replace(ascii_sign, _SIGNS[ascii_sign].strip())
    text = _LARGE.sub(lambda digits: f"{int(digits[0]):,}", _HYPHEN_AS_MINUS.sub("−", text))
    return Markup(_SUBSCRIPT.sub(r"<sub>\1</sub>", str(escape(text))))  # nosec B704 # escaped


def sentence(text: str) -> Markup:
    """A text as HTML that begins with a capital letter, unless it is Greek."""
    return typeset(text[:1].upper() + text[1:] if text[:1].isascii() else text)


def cells(table: pd.DataFrame) -> list[list[str]]:
    """Header and rows of a small table; columns with fractions have three decimals."""
    columns = [
        [name.replace("@pi0=", " at π₀ = ").replace("_", " "), *_column(table[name])]
        for name in table
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def _column(values: pd.Series) -> list[str]:
    if not pd.api.types.is_float_dtype(values):
        return [str(value) for value in values]
    decimals = 0 if (values.dropna() % 1 == 0).all() else 3
    return [
        _EMPTY if pd.isna(value) else f"{value:,.{decimals}f}".replace("-", "−") for value in values
    ]


def caption_html(name: str, text: str, configuration: Mapping[str, Any]) -> str:
    """Return a caption as HTML, with values of the configuration escaped.

    Raises
    ------
    ValueError
        If the caption uses a setting that does not exist, or is malformed; the message names it.
    """
    try:
        caption = _TEMPLATES.from_string(text)
        rendered = caption.render(snakemake=SimpleNamespace(config=configuration))
        parts = publish_parts(rendered, writer=Writer(), settings_overrides=_DOCUTILS)
    except (TemplateError, SystemMessage) as error:
        raise ValueError(f"caption {name}.rst: {error}") from error
    return parts["body"].strip()


def _escaped(value: object) -> object:
    """Escape text for reStructuredText; write large integers with thousands separators."""
    if isinstance(value, str):
        return re.sub(r"([^\w\s]|_)", r"\\\1", " ".join(value.split()))
    if isinstance(value, int) and value >= 10_000:
        return f"{value:,}"
    return value


_TEMPLATES = Environment(finalize=_escaped, undefined=StrictUndefined)  # nosec B701 # no HTML
