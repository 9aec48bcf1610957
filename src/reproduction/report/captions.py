"""Captions of figures: the Jinja2 templates in reStructuredText that Snakemake's report reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from docutils.core import publish_parts
from docutils.utils import SystemMessage
from docutils.writers.html5_polyglot import Writer
from jinja2 import Environment, StrictUndefined, TemplateError

__all__ = ["caption_html"]

_DOCUTILS = {
    "_disable_config": True,  # of whoever makes the report
    "file_insertion_enabled": False,
    "halt_level": 2,  # a warning is an error
    "raw_enabled": False,
    "warning_stream": False,  # errors are raised, not printed
}
_LARGE = 10_000


def caption_html(path: str | Path, config: Mapping[str, Any]) -> str:
    """Render a caption as HTML; what the configuration says stays plain text in it.

    Raises
    ------
    ValueError
        Naming the file, if it asks for a setting that does not exist or is malformed.
    """
    path = Path(path)
    try:
        template = _TEMPLATES.from_string(path.read_text(encoding="utf-8"))
        text = template.render(snakemake=SimpleNamespace(config=config))
        parts = publish_parts(text, writer=Writer(), settings_overrides=_DOCUTILS)
    except (TemplateError, SystemMessage) as error:
        raise ValueError(f"{path.name}: {error}") from error
    return parts["body"].strip()


def _as_plain_text(value: object) -> object:
    """A value that reStructuredText shows as it stands, large counts with separators."""
    if isinstance(value, str):
        return re.sub(r"([^\w\s]|_)", r"\\\1", " ".join(value.split()))
    if isinstance(value, int) and value >= _LARGE:
        return f"{value:,}"
    return value


_TEMPLATES = Environment(finalize=_as_plain_text, undefined=StrictUndefined)
