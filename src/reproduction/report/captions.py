"""Render figure captions, which are Jinja2 templates in reStructuredText, as HTML."""

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
    "_disable_config": True,  # ignore the docutils configuration of the user
    "file_insertion_enabled": False,
    "halt_level": 2,  # a warning is an error
    "raw_enabled": False,
    "warning_stream": False,  # errors are raised, not printed
}
_LARGE = 10_000


def caption_html(path: str | Path, config: Mapping[str, Any]) -> str:
    """Render a caption as HTML. Values from the configuration are escaped.

    Raises
    ------
    ValueError
        If the caption uses a setting that does not exist, or is malformed. The message names the
        file.
    """
    path = Path(path)
    try:
        template = _TEMPLATES.from_string(path.read_text(encoding="utf-8"))
        text = template.render(snakemake=SimpleNamespace(config=config))
        parts = publish_parts(text, writer=Writer(), settings_overrides=_DOCUTILS)
    except (TemplateError, SystemMessage) as error:
        raise ValueError(f"{path.name}: {error}") from error
    return parts["body"].strip()


def _escaped(value: object) -> object:
    """Return a value escaped for reStructuredText; large integers have thousands separators."""
    if isinstance(value, str):
        return re.sub(r"([^\w\s]|_)", r"\\\1", " ".join(value.split()))
    if isinstance(value, int) and value >= _LARGE:
        return f"{value:,}"
    return value


_TEMPLATES = Environment(finalize=_escaped, undefined=StrictUndefined)  # nosec B701 # no HTML
