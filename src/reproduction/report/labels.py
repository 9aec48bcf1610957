"""Labels of metrics on the page, which are those on the figures."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from reproduction.figures.labels import TITLES, calibrated_label
from reproduction.plugins import load_plugins
from reproduction.settings import Config, Metrics

__all__ = ["Labels", "sentence", "typeset"]

# Subscripts are mathtext on figures, such as F1$_c$, and plain text in claims, such as F1_c.
_SUBSCRIPT = re.compile(r"\$_\{?(\w+)\}?\$|(?<=\w)_(c)(?=R?\b)")


class Labels:
    """Labels of the metrics of a run by their keys in tables, in matplotlib's mathtext.

    Parameters
    ----------
    config : Config
        Its plug-ins are loaded.
    """

    def __init__(self, config: Config):
        load_plugins(config.metrics.plugins)
        # The authors' stored scores are those of the default sets.
        sets = [*Metrics().sets().values(), *config.metrics.sets().values()]
        metrics = [spec.metric() for specs in sets for spec in specs]
        self._metrics = {metric.key: metric for metric in metrics}
        self._labels = {**TITLES, **{metric.key: metric.label for metric in metrics}}
        keys = "|".join(map(re.escape, sorted(self._labels, key=len, reverse=True)))
        self._keys = re.compile(rf"(?<![\w@])(?:{keys})(?![\w@(])")

    def __getitem__(self, key: str) -> str:
        """Return the label of a metric; the key itself if the configuration does not have it."""
        return self._labels.get(key, key)

    def at(self, key: str, pi0: str) -> str:
        """Return the label of an ordinary metric at a reference prior, or without one if empty."""
        if pi0 and key in self._metrics:
            return calibrated_label(self._metrics[key], float(pi0))
        return self[key]

    def in_text(self, text: str) -> str:
        """Return a text with labels in place of keys."""
        return self._keys.sub(lambda key: self[key[0]], text)


def sentence(text: str) -> Markup:
    """Return a text as HTML like `typeset`, with a capital letter first, unless it is Greek."""
    return typeset(text[:1].upper() + text[1:] if text[:1].isascii() else text)


def typeset(text: str) -> Markup:
    """Return a text as HTML, with the subscripts of labels and claims."""
    return Markup(_SUBSCRIPT.sub(_as_html, str(escape(text))))  # nosec B704 # escaped


def _as_html(subscript: re.Match[str]) -> str:
    return f"<sub>{subscript[1] or subscript[2]}</sub>"
