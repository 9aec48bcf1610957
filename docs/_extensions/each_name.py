"""The directive ``each-name``: all public functions and classes, by module, each with one line."""

import importlib
import inspect

from sphinx.util.docutils import SphinxDirective

import calibrated_metrics

NAMES = {*calibrated_metrics.__all__, "classifiers"}  # the package imports `classifiers` on request
MODULES = sorted(name for name in NAMES if inspect.ismodule(getattr(calibrated_metrics, name)))


def table_of(module: str) -> str:
    """The names of a module, in reStructuredText."""
    full = f"calibrated_metrics.{module}"
    imported = importlib.import_module(full)
    names = [name for name in imported.__all__ if callable(getattr(imported, name))]
    rows = "\n".join(f"   ~{full}.{name}" for name in names)
    return f".. rubric:: {module}\n\n.. autosummary::\n   :nosignatures:\n\n{rows}\n"


class EachName(SphinxDirective):
    """A table for each public module. For ``eval-rst`` only, because `autosummary` is."""

    def run(self):
        return self.parse_text_to_nodes("\n".join(table_of(module) for module in MODULES))


def setup(app):
    app.add_directive("each-name", EachName)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
