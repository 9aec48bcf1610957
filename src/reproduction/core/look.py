"""Style of all figures, and how they are written to files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure


__all__ = [
    "BAND_ALPHA",
    "CALIBRATED",
    "FULL_WIDTH",
    "ORDINARY",
    "POPULATION",
    "SINGLE_WIDTH",
    "save",
    "styled",
]

# Okabe & Ito's palette, distinguishable with any colour vision; line styles differ too.
ORDINARY = {"color": "#D55E00", "linestyle": "--", "marker": "o"}
CALIBRATED = (
    {"color": "#0072B2", "linestyle": "-", "marker": "s"},
    {"color": "#009E73", "linestyle": "-.", "marker": "^"},
    {"color": "#CC79A7", "linestyle": (0, (5, 1, 1, 1, 1, 1)), "marker": "D"},
)
POPULATION = {"color": "black", "linestyle": "-", "linewidth": 0.6, "zorder": 3}
BAND_ALPHA = 0.25

SINGLE_WIDTH = 3.5  # inches, one column of a page
FULL_WIDTH = 7.16  # inches, two columns

_UNDATED = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}, ".png": {}}
# Matplotlib restricts the names of metadata in PDF and SVG files.
_PROVENANCE = {".pdf": "Keywords", ".svg": "Description", ".png": "Provenance"}

_RC = {
    "axes.grid": True,
    "axes.labelsize": 8,
    "axes.prop_cycle": mpl.cycler(color=[look["color"] for look in (ORDINARY, *CALIBRATED)]),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 8.5,
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "font.family": "DejaVu Sans",  # ships with matplotlib, so figures are the same on every machine
    "figure.titlesize": 8,
    "font.size": 8,
    "grid.alpha": 0.35,
    "grid.linewidth": 0.5,
    "legend.fontsize": 7,
    "legend.framealpha": 0.9,
    "lines.linewidth": 1.3,
    "lines.markersize": 3,
    "pdf.fonttype": 42,  # text stays text
    "svg.fonttype": "path",
    "svg.hashsalt": "calibrated-metrics",  # repeated runs give the same bytes
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw in the project's style, without touching the user's own settings."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)
        yield
