"""Style of all figures, and how they are written to files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from calibrated_metrics.displays.change import COLOR_OF_PARTS
from reproduction.files import atomic_path

__all__ = [
    "BAND_ALPHA",
    "CALIBRATED",
    "CATEGORIES",
    "FULL_WIDTH",
    "MODEL_PART",
    "ORDINARY",
    "POPULATION",
    "PRIOR_PART",
    "SINGLE_WIDTH",
    "UNDERSAMPLED",
    "save",
    "styled",
]

# Okabe & Ito's palette, distinguishable with any colour vision; line styles differ too.
# Each colour has one meaning. As in the library's displays with matplotlib's default colours, an
# ordinary metric is blue and a calibrated one, drawn after it, is orange.
ORDINARY = {"color": "#0072B2", "linestyle": "--", "marker": "o"}
CALIBRATED = (
    {"color": "#D55E00", "linestyle": "-", "marker": "s"},
    {"color": "#7A3500", "linestyle": "-.", "marker": "^"},
    {"color": "#F79A5E", "linestyle": (0, (5, 1, 1, 1, 1, 1)), "marker": "D"},
)
PRIOR_PART = COLOR_OF_PARTS["prior_part"]  # also of the prior itself
MODEL_PART = COLOR_OF_PARTS["model_part"]
POPULATION = {"color": "black", "linestyle": "-", "linewidth": 0.6, "zorder": 3}
UNDERSAMPLED = {"color": "0.45"}  # an ordinary metric of undersampled data
CATEGORIES = (  # models, classes and distributions
    {"color": "#E69F00", "linestyle": "--", "marker": "o"},
    {"color": "#222222", "linestyle": "-", "marker": "s"},
    {"color": "#56B4E9", "linestyle": "-.", "marker": "^"},
    {"color": "0.6", "linestyle": ":", "marker": "D"},
)
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


def save(
    figure: Figure, paths: Iterable[str | Path], png_dpi: int, provenance: str | None = None
) -> None:
    """Write a figure to PDF, PNG or SVG files by their suffix, without dates in them.

    All files have the layout of the first, which the figure keeps. The metadata hold the text
    `provenance`, if it is given: the PDF file as its keywords, the SVG file as its description, the
    PNG file under the name "Provenance".

    Raises
    ------
    ValueError
        For another suffix, before anything is written.
    """
    paths = [Path(path) for path in paths]
    for path in paths:
        if path.suffix not in _UNDATED:
            raise ValueError(f"{path}: suffix must be one of {', '.join(_UNDATED)}")
    for path in paths:
        with styled(), atomic_path(path) as temporary:
            metadata = _UNDATED[path.suffix] | {_PROVENANCE[path.suffix]: provenance}
            figure.savefig(temporary, dpi=png_dpi, metadata=metadata)
        figure.set_layout_engine("none")  # it has placed everything
