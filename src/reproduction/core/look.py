"""Style of all figures: one meaning per colour."""

from contextlib import AbstractContextManager

import matplotlib.style
from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.text import Text

from calibrated_metrics._hints import nearest
from calibrated_metrics.displays.change import COLOR_OF_PARTS

# Okabe & Ito's palette, distinguishable with any colour vision; line styles differ too. Each colour
# has one meaning. Ordinary metrics are blue and calibrated ones orange, as in the library's
# displays with matplotlib's default colours.
ORDINARY = {"color": "#0072B2", "linestyle": "--", "marker": "o"}
CALIBRATED = (
    {"color": "#D55E00", "linestyle": "-", "marker": "s"},
    {"color": "#7A3500", "linestyle": "-.", "marker": "^"},
    {"color": "#F79A5E", "linestyle": (0, (5, 1, 1, 1, 1, 1)), "marker": "D"},
)
PRIOR_PART = COLOR_OF_PARTS["prior_part"]
MODEL_PART = COLOR_OF_PARTS["model_part"]
PRIOR = {"color": PRIOR_PART, "linestyle": ":", "linewidth": 1.0}
POPULATION = {"color": "black", "linestyle": (0, (1, 3)), "linewidth": 1.0, "zorder": 3}
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
FONT = "DejaVu Sans"  # ships with matplotlib, so figures are the same on every machine
FONT_SIZE = 8.0  # points

_RC = {
    "axes.grid": True,
    "axes.labelsize": 8,
    "axes.prop_cycle": matplotlib.cycler(color=[each["color"] for each in (ORDINARY, *CALIBRATED)]),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 8.5,
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "font.family": FONT,
    "figure.titlesize": 8,
    "font.size": FONT_SIZE,
    "grid.alpha": 0.35,
    "grid.linewidth": 0.5,
    "legend.fontsize": 7,
    "legend.framealpha": 0.9,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "lines.markersize": 3,
    "pdf.fonttype": 42,  # text stays text
    "svg.fonttype": "path",
    "svg.hashsalt": "calibrated-metrics",  # repeated runs write the same bytes
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
}


def styled() -> AbstractContextManager[None]:
    """Draw in the project's style, without touching the user's own settings."""
    return matplotlib.style.context(_RC, after_reset=True)


def adapt(figure: Figure, *, width: float, font_size: float | None, font: str | None) -> None:
    """Scale a figure from `FULL_WIDTH` to `width`, and set the size and the font of its texts.

    `font_size` replaces `FONT_SIZE`, and other sizes change by the same factor. None: the factor of
    the width. Glyphs that `font` does not have are drawn in `FONT`. A font that is not installed
    raises ``ValueError``.
    """
    if font not in (None, *(known := font_manager.get_font_names())):
        raise ValueError(f"figures.font: {font!r} is not installed{nearest(font, known)}")
    of_figure = width / FULL_WIDTH
    of_texts = font_size / FONT_SIZE if font_size else of_figure
    family = [font, FONT] if font else [FONT]
    figure.set_size_inches(of_figure * figure.get_size_inches())
    for text in figure.findobj(Text):
        text.set(fontsize=of_texts * text.get_fontsize(), fontfamily=family)
    for axis in (each for axes in figure.axes for each in (axes.xaxis, axes.yaxis)):
        for label in axis.get_ticklabels(which="both")[:1]:  # the scale may have more ticks
            style = {"labelsize": label.get_fontsize(), "labelfontfamily": family}
            axis.set_tick_params(which="both", **style)
