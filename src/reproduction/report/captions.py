"""Captions of figures, which are Jinja templates in reStructuredText, as HTML.

Snakemake renders the same files for its own report: `snakemake.config` is the configuration.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from docutils.core import publish_parts
from docutils.utils import SystemMessage
from docutils.writers.html5_polyglot import Writer
from jinja2 import Environment, StrictUndefined, TemplateError

__all__ = ["caption_html"]

_DOCUTILS = {
    "_disable_config": True,  # ignore the docutils configuration of the user
    "file_insertion_enabled": False,
    "halt_level": 2,  # a warning is an error
    "raw_enabled": False,
    "warning_stream": False,  # errors are raised, not printed
}


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
