"""Helpers of all displays: axes, names, labels, bands and legends."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrated_metrics import _hints
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._messages import extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.lines import Line2D

    from calibrated_metrics.uncertainty import Estimate

__all__ = [
    "Band",
    "at_prior",
    "axes_of",
    "below",
    "draw_band",
    "draw_legend",
    "draw_line",
    "guide_look",
    "in_colour_of",
    "include",
    "label_once",
    "next_style",
    "number",
    "panels",
    "prior_text",
    "set_ylabel",
    "short_name",
    "shown",
]

_LEGEND_WIDTH = 32  # characters
_LONGEST = 24  # characters in the label of a period or group


class Band(NamedTuple):
    """Pointwise limits of a curve: `low` and `high` at the abscissas `x`, of shape (n_points,).

    `confidence_level` is the probability that the limits at one abscissa contain the true value.
    """

    x: FloatArray
    low: FloatArray
    high: FloatArray
    confidence_level: float

    @classmethod
    def of(cls, x: FloatArray, found: Estimate) -> Band:
        """Build a band from the limits of an estimate at each abscissa.

        Parameters
        ----------
        x : ndarray of shape (n_points,)
            The abscissas.
        found : Estimate
            With arrays of this shape.
        """
        return cls(x, np.asarray(found.low), np.asarray(found.high), found.confidence_level)


def axes_of(ax: Any) -> Axes:
    """The given Axes, or those of a new figure."""
    return panels(ax, 1)[0]


def panels(ax: Any, n_panels: int) -> list[Axes]:
    """The given Axes, one or more, or those of a new figure, below each other."""
    with extra("plots"):
        import matplotlib.pyplot as plt
        from matplotlib.axes import Axes
    if ax is None:
        ratios = (3, 2)[:n_panels]
        layout: dict[str, Any] = {"layout": "constrained", "height_ratios": ratios}
        ax = plt.subplots(n_panels, squeeze=False, sharex=True, **layout)[1]
    given = list(np.ravel(np.asarray(ax, dtype=object)))
    if not (1 <= len(given) <= n_panels and all(isinstance(each, Axes) for each in given)):
        allowed = "None or an Axes" if n_panels == 1 else "None, an Axes or a pair of Axes"
        raise TypeError(f"ax must be {allowed} of matplotlib, got {ax!r}")
    return given


def include(ax: Axes, corner: tuple[float, float], opposite: tuple[float, float]) -> None:
    """Extend the axes to include two points. Autoscaling and logarithmic axes remain possible."""
    ax.update_datalim([corner, opposite])
    ax.margins(0.01)
    ax.autoscale_view()


def set_ylabel(ax: Axes, label: str, common: str) -> None:
    """Set the label of the y axis; use `common` if another display has set a different label."""
    ax.set_ylabel(label if ax.get_ylabel() in ("", label) else common)


def draw_line(ax: Axes, x: Any, y: Any, style: dict[str, Any]) -> Line2D:
    """Draw the line of a display in the style that the user gave to `plot`."""
    try:
        (line,) = ax.plot(x, y, **style)
    except AttributeError as error:  # of Matplotlib, for an unknown keyword
        hint = "".join(_hints.our_word(each, ("pi0", "confidence_level")) for each in style)
        raise TypeError(
            f"plot of this display and Axes.plot have no such keyword: {error}{hint}"
        ) from None
    return line


def draw_band(ax: Axes, band: Band, line: Line2D) -> FillBetweenPolyCollection:
    """Fill between pointwise limits, in the colour of a line."""
    x, low, high, level = band
    label = f"{100 * level:.6g} % band, pointwise"
    return ax.fill_between(
        x, low, high, color=line.get_color(), alpha=0.2, linewidth=0, label=label
    )


def in_colour_of(line: Line2D, style: dict[str, Any]) -> dict[str, Any]:
    """A style of lines, with the colour of a line."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return {**normalize_kwargs(style, Line2D), "color": line.get_color()}


def guide_look(ax: Axes) -> dict[str, Any]:
    """Style of reference lines, in the text colour of the active style."""
    return {"color": ax.xaxis.label.get_color(), "linewidth": 0.8, "zorder": 1.5, "marker": ""}


def shown(name: Any, value: str = "") -> str:
    """A name and a value, escaped: no mathtext, and a leading underscore stays in the legend."""
    text = textwrap.fill(str(name), _LEGEND_WIDTH).replace("$", r"\$")
    text = f" {text}" if text.startswith("_") else text
    space = " " if len(text) + len(value) < _LEGEND_WIDTH else "\n"
    return f"{text}{space}({value})" if value else text


def short_name(group: Any) -> str:
    """The name of a period or group: a date without a time of day, shortened if it is long."""
    name = str(group).removesuffix(" 00:00:00")
    name = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    return name.replace("$", r"\$")


def prior_text(pi0: float) -> str:
    return f"π$_0$ = {pi0:.3g}"


def at_prior(quantity: str, pi0: float, of_data: bool) -> str:
    """A quantity at a reference prior; the prior of the data needs no name."""
    return quantity if of_data else f"{quantity} at {prior_text(pi0)}"


def number(value: float) -> str:
    """Two decimals, or two significant digits of a small number."""
    return f"{value:.2f}" if abs(value) >= 0.1 or value == 0 else f"{value:.2g}"


def label_once(ax: Axes, label: str) -> str:
    """The label, or a hidden one if these Axes already have it in the legend."""
    return "_nolegend_" if label in ax.get_legend_handles_labels()[1] else label


def draw_legend(ax: Axes, **options: Any) -> None:
    """A legend with the curves, at the order 2, first; then guide lines, bands and marks.

    Bands with one label are one entry, with a patch per band.
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.legend_handler import HandlerTuple

    handles: list[Any] = []
    labels: list[str] = []
    for handle, label in sorted(
        zip(*ax.get_legend_handles_labels(), strict=True),
        key=lambda entry: abs(getattr(entry[0], "zorder", 1) - 2),  # error bars have no zorder
    ):
        if isinstance(handle, PolyCollection) and label in labels:
            place = labels.index(label)
            others = handles[place] if type(handles[place]) is tuple else (handles[place],)
            handles[place] = (*others, handle)
        else:
            handles.append(handle)
            labels.append(label)
    if handles:
        look: dict[str, Any] = {"fontsize": "small"}
        look["handler_map"] = {tuple: HandlerTuple(ndivide=None, pad=0)}
        ax.legend(handles, labels, **look, **options)


def below(ax: Axes) -> dict[str, Any]:
    """Place of a legend below the axes, if the layout of the figure makes room for it."""
    if ax.figure.get_layout_engine() is None:
        return {}
    room = 4.2  # times the font size: ticks and the label of the axis
    look = {"borderaxespad": room, "frameon": False, "labelspacing": 0.3}
    return {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), **look}


def next_style(ax: Axes, style: Mapping[str, Any]) -> dict[str, Any]:
    """The style of a line, with a pattern that the lines of other models do not have."""
    from matplotlib import rcParams

    is_set = {"linestyle", "ls"} & {*style, *rcParams["axes.prop_cycle"].keys}
    n_lines = sum(line.get_zorder() == 2 and line.get_linestyle() != "None" for line in ax.lines)
    pattern = _PATTERNS[n_lines % len(_PATTERNS)]
    return {**style} if is_set or pattern is None else {"linestyle": pattern, **style}


_PATTERNS = None, "--", "-.", ":"  # None: that of the active style
