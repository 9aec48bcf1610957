"""Numbers, statements and captions as text for the page. The CSV files have all digits.

Captions are Jinja templates in reStructuredText, in which `config` is the configuration.
"""

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd
from docutils.core import publish_parts
from docutils.utils import SystemMessage
from docutils.writers.html5_polyglot import Writer
from jinja2 import Environment, StrictUndefined, TemplateError
from markupsafe import Markup, escape

_SUBSCRIPT = re.compile(r"(?<=\w)_(c)(?=R?\b)")  # as in AUC-P_cR and F1_c
_DOCUTILS = {
    "_disable_config": True,  # ignore the docutils configuration of the user
    "file_insertion_enabled": False,
    "halt_level": 2,  # a warning is an error
    "raw_enabled": False,
    "warning_stream": False,  # errors are raised, not printed
}


def number(value: float) -> str:
    """A number with four significant digits; a dash for an empty cell."""
    return "–" if pd.isna(value) else f"{0.0 if abs(value) < 1e-9 else value:.4g}"


def expected(value: float | str, tolerance: float) -> str:
    """A published number with its tolerance, such as 0.547 ± 0.012, or a bound, such as <= 5."""
    if isinstance(value, str) and value[0] in "<>":
        return value
    is_exact = pd.isna(value) or pd.isna(tolerance) or tolerance <= 1e-9
    return number(float(value)) + ("" if is_exact else f" ± {number(tolerance)}")


def typeset(text: str) -> Markup:
    """A text as HTML, with subscripts, that begins with a capital letter.

    Greek letters, the names of files and arXiv stay as they are.
    """
    if text[:1].isascii() and not re.match(r"arXiv|\S*[/_]\S*\.", text):
        text = text[:1].upper() + text[1:]
    return Markup(_SUBSCRIPT.sub(r"<sub>\1</sub>", str(escape(text))))  # nosec B704 # escaped


def caption_html(name: str, text: str, configuration: Mapping[str, Any]) -> str:
    """A caption as HTML, with values of the configuration escaped; an error names the caption."""
    try:
        rendered = _TEMPLATES.from_string(text).render(config=configuration)
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
