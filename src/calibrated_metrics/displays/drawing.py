"""Helpers of all displays: axes, names, labels, bands and legends."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrated_metrics import _hints
from calibrated_metrics._messages import extra, warn_the_caller
from calibrated_metrics._numbers import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D
    from matplotlib.text import Text
    from matplotlib.transforms import Transform

    from calibrated_metrics.uncertainty import Estimate

__all__ = [
    "MARKERS",
    "Band",
    "at_prior",
    "draw_band",
    "draw_intervals",
    "draw_legend",
    "grow",
    "guide_look",
    "hide_spines",
    "include",
    "label_once",
    "mark_missing",
    "n_of_lines",
    "next_style",
    "number",
    "of_label",
    "open_markers",
    "panels",
    "prior_text",
    "set_log_if_low",
    "set_ylabel",
    "short_names",
    "shown",
    "style_of",
]

MARKERS = "osD^v"
_LEGEND_WIDTH = 40  # characters
_LONGEST = 24  # characters in the label of a period or group
_SHARE_OF_AXES, _LEAST_OF_AXES = 0.6, 1.2  # of the height of a new figure, and inches of each
_SHORT = 14  # characters
_LOW = 0.05  # precision at a recall of 0.5


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


def panels(ax: Any, n_panels: int, height: float | None = None) -> list[Axes]:
    """The given Axes, one or more, or those of a new figure, below each other."""
    with extra("plots"):
        import matplotlib.pyplot as plt
        from matplotlib.axes import Axes
    if ax is None:
        ratios = (3, 2)[:n_panels]
        layout: dict[str, Any] = {"layout": "constrained", "height_ratios": ratios}
        figure, ax = plt.subplots(n_panels, squeeze=False, sharex=True, **layout)
        figure.set_figheight(height or figure.get_figheight())
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
    known = ax.get_ylabel().replace("\nat ", " at ")
    ax.set_ylabel(label if known in ("", label.replace("\nat ", " at ")) else common)


def style_of(curve_kwargs: Any, kwargs: Mapping[str, Any]) -> Any:
    """The style of lines that the user gave to `plot`, or a list of styles, with canonical names.

    As in scikit-learn 1.9, `curve_kwargs` replaces further keywords.
    """
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    if curve_kwargs and kwargs:
        raise ValueError(
            f"Cannot provide both `curve_kwargs` and `kwargs`, got {curve_kwargs} and {kwargs}"
        )
    given = curve_kwargs if isinstance(curve_kwargs, list) else [curve_kwargs or kwargs]
    styles = [normalize_kwargs(dict(each), Line2D) for each in given]
    for word in [word for each in styles for word in each if not hasattr(Line2D, f"set_{word}")]:
        hint = _hints.our_word(word, ("pi0", "confidence_level"))
        raise TypeError(f"plot of this display and Axes.plot have no such keyword: {word!r}{hint}")
    if kwargs:
        message = "`**kwargs` is deprecated and will be removed: give curve_kwargs=dict(...)"
        warn_the_caller(message, FutureWarning)
    return styles if isinstance(curve_kwargs, list) else styles[0]


def draw_band(ax: Axes, band: Band, line: Line2D) -> FillBetweenPolyCollection:
    """Fill between pointwise limits, in the colour of a line."""
    x, low, high, level = band
    label = f"{100 * level:.6g} % band, pointwise"
    return ax.fill_between(
        x, low, high, color=line.get_color(), alpha=0.2, linewidth=0, label=label
    )


def guide_look(ax: Axes) -> dict[str, Any]:
    """Style of reference lines, in the text colour of the active style."""
    return {"color": ax.xaxis.label.get_color(), "linewidth": 0.8, "zorder": 1.5, "marker": ""}


def shown(name: Any, value: str = "") -> str:
    """A name and a value, escaped: no mathtext, and a leading underscore stays in the legend."""
    text = textwrap.fill(str(name), _LEGEND_WIDTH).replace("$", r"\$")
    text = f" {text}" if text.startswith("_") else text
    space = " " if len(text) + len(value) < _LEGEND_WIDTH else "\n"
    return f"{text}{space}({value})" if value else text


def short_names(groups: Iterable[Any]) -> list[str]:
    """Names of periods or groups, no two of them equal: dates without a time of day.

    A long name is cut in the middle, or at its end or start if others would look the same, or at
    both, or keeps only the words that not all long names have.
    """
    whole = [str(group).removesuffix(" 00:00:00") for group in groups]
    names = whole
    n_firsts = (0, _LONGEST - 1, _LONGEST // 2)  # characters before the cut
    for cuts in (
        _own_words(whole),
        _cut_at_both(whole),
        *([_cut(name, n) for name in whole] for n in n_firsts),
    ):
        n_equal = Counter(cuts)
        names = [cut if n_equal[cut] == 1 else name for cut, name in zip(cuts, names, strict=True)]
    names = [_cut(name, _LONGEST // 2) for name in names]
    n_equal = Counter(names)
    numbered = enumerate(names, start=1)
    names = [f"{name} ({place})" if n_equal[name] > 1 else name for place, name in numbered]
    return [name.replace("$", r"\$") for name in names]


def _cut(name: str, n_first: int) -> str:
    """A name without the characters after the first few, as many as make it too long."""
    n_last = _LONGEST - 1 - n_first
    is_short = len(name) <= _LONGEST
    return name if is_short else f"{name[:n_first]}…{name[len(name) - n_last :]}"


def _own_words(names: Sequence[str]) -> list[str]:
    """The words of each long name that not all long names have."""
    words = [set(name.split()) for name in names if len(name) > _LONGEST]
    common = set.intersection(*words) if words else set()
    found = []
    for name in names:
        marked = ["…" if word in common else word for word in name.split()]
        own = " ".join(word for word, last in pairwise([*marked, ""]) if (word, last) != ("…", "…"))
        found.append(own if len(own) <= 2 * _LONGEST else name)
    return found


def _cut_at_both(names: Sequence[str]) -> list[str]:
    """The part of each name around its first difference from the name most similar to it."""
    ordered = sorted(set(names))
    same = [len(commonprefix(pair)) for pair in pairwise(ordered)]  # noqa: RUF071 (no paths)
    n_same = dict(zip(ordered, map(max, [0, *same], [*same, 0]), strict=False))
    n_shown, found = _LONGEST - 2, []
    for name in names:
        first = max(1, min(n_same[name] - n_shown // 2, len(name) - n_shown - 1))
        found.append(name if len(name) <= _LONGEST else f"…{name[first : first + n_shown]}…")
    return found


def prior_text(pi0: float) -> str:
    return f"π$_0$ = {pi0:.3g}"


def at_prior(quantity: str, pi0: float | list[float] | None) -> str:
    """A quantity at reference priors; the prior of the data needs no name."""
    if pi0 is None:
        return quantity
    space = " " if len(quantity) < _LONGEST else "\n"
    priors = np.atleast_1d(pi0)
    most = f" to {priors.max():.3g}" if priors.size > 1 else ""
    return f"{quantity}{space}at {prior_text(priors.min())}{most}"


def of_label(quantity: str, pos_label: Any) -> str:
    """A quantity, with the label of the positives unless it is 1."""
    if pos_label is None or pos_label == 1:
        return quantity
    (name,) = short_names([pos_label])
    label = f"(positive label:{' ' if len(name) <= _SHORT else chr(10)}{name})"
    space = " " if len(quantity + label) < _LEGEND_WIDTH else "\n"
    return f"{quantity}{space}{label}"


def number(value: Any) -> str:
    """Two decimals, or two significant digits of a number that rounds to less than 0.10."""
    return f"{value:.2f}" if abs(value) >= 0.0995 or value == 0 else f"{value:.2g}"


def label_once(ax: Axes, label: str) -> str:
    """The label, or a hidden one if these Axes already have it in the legend."""
    return "_nolegend_" if label in ax.get_legend_handles_labels()[1] else label


def draw_legend(ax: Axes, title: str | None = None) -> None:
    """A legend below the axes: curves, at the order 2, first; then guide lines, bands and marks.

    Bands with one label are one entry, with a patch per band. If the legend leaves too little
    height for the label of the y axis, its prior is in a second line.
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.legend_handler import HandlerTuple

    entries: dict[Any, list[Any]] = {}
    for handle, label in sorted(
        zip(*ax.get_legend_handles_labels(), strict=True),
        key=lambda entry: abs(getattr(entry[0], "zorder", 1) - 2),  # error bars have no zorder
    ):
        key = label if isinstance(handle, PolyCollection) else (label, id(handle))
        entries.setdefault((label, key), []).append(handle)
    if not entries:
        return
    labels = [label for label, _ in entries]
    handles = [each[0] if len(each) == 1 else tuple(each) for each in entries.values()]
    look: dict[str, Any] = {"fontsize": "small", "frameon": False, "labelspacing": 0.3}
    look |= {"handler_map": {tuple: HandlerTuple(ndivide=None, pad=0)}, "title": title}
    look |= {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0)}
    figure, spec = ax.figure, ax.get_subplotspec()
    n_rows, n_panels = (1, 1) if spec is None else spec.get_gridspec().get_geometry()
    width = figure.bbox.width / n_panels
    edges = [box.x0 for axis in (ax.xaxis, ax.yaxis) if (box := axis.get_tightbbox())]
    room_beside = width - (ax.bbox.x0 - min(edges, default=ax.bbox.x0))
    _break_label(ax.xaxis.label, ax.xaxis.label.get_window_extent().width > room_beside)
    width = min(0.85 * width, room_beside)
    numbers = ax.xaxis.get_tightbbox()  # and the label of the axis
    for n_columns in (2, 1):
        legend = ax.legend(handles, labels, ncols=n_columns, **look)
        size = legend.prop.get_size_in_points() * figure.dpi / 72
        room = 0.0 if numbers is None else (ax.bbox.y0 - numbers.y0) / size
        legend.borderaxespad = room + 0.5
        if legend.get_window_extent().width < width:
            break
    height = figure.bbox.height / n_rows - room * size - legend.get_window_extent().height
    _break_label(ax.yaxis.label, ax.yaxis.label.get_window_extent().height > height)
    if ax.yaxis.label.get_window_extent().height > height:
        ax.yaxis.label.set(y=1, ha="right")  # from the top of the axes down, beside the legend
    if figure.get_layout_engine() is None:
        _make_room(ax)


def _break_label(label: Text, is_too_long: bool) -> None:
    """Put the prior in the label of an axis in a second line."""
    if is_too_long:
        label.set_text(label.get_text().replace(" at ", "\nat "))


def grow(axes: Sequence[Axes]) -> None:
    """Make a new figure higher if legends and names of periods would take a large part of it."""
    figure: Any = axes[0].figure
    below = [part.get_tightbbox() for ax in axes for part in (ax.get_legend(), ax.xaxis) if part]
    taken = sum(box.height for box in below if box is not None) / figure.dpi
    height = figure.get_figheight()
    of_axes = max(_SHARE_OF_AXES * height, _LEAST_OF_AXES * len(axes))
    figure.set_figheight(max(height, taken + of_axes))


def set_log_if_low(ax: Axes, curves: Sequence[tuple[FloatArray, FloatArray]]) -> None:
    """Make the ordinate of new axes logarithmic if curves would lie on the abscissa.

    They are recall, descending, and precision.
    """
    highest = max(np.interp(0.5, recall[::-1], precision[::-1]) for recall, precision in curves)
    if highest < _LOW and not ax.has_data():
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter("{x:g}")


def _make_room(ax: Axes) -> None:
    """Raise the lower edge of axes without a layout until the legend fits below them."""
    spec, box, legend = ax.get_subplotspec(), ax.get_position(), ax.get_legend()
    figure: Any = ax.figure
    assert legend is not None
    lower = figure.transSubfigure.inverted().transform(legend.get_window_extent().p0)[1]
    lowest = 0.0 if spec is None or spec.is_last_row() else spec.get_position(figure).y0
    if lower < lowest:
        height = max(box.height - (lowest - lower), 0.2 * box.height)
        ax.set_position((box.x0, box.y1 - height, box.width, height))
        ax.set_in_layout(True)


def draw_intervals(ax: Axes, x: Any, y: Any, level: float | None, **look: Any) -> ErrorbarContainer:
    """Error bars, with one entry in the legend."""
    label = "interval" if level is None else f"{100 * level:.6g} % interval"
    return ax.errorbar(x, y, fmt="none", label=label_once(ax, label), **look)


def mark_missing(
    ax: Axes, x: FloatArray, y: FloatArray, transform: Transform, label: str, marker: str
) -> Line2D:
    """Markers near the edge of the axes, where there is no finite value."""
    look = {**guide_look(ax), "linestyle": "none", "marker": marker, "transform": transform}
    (line,) = ax.plot(x, y, label=label_once(ax, label), **look)
    return line


def open_markers(
    ax: Axes, x: Any, y: Any, label: str, color: Any, marker: Any = "D", size: Any = 4
) -> Line2D:
    """Open markers, drawn over those of a line, with one entry in the legend."""
    look = {"linestyle": "none", "marker": marker, "markersize": size, "color": color}
    look |= {"markerfacecolor": ax.get_facecolor(), "zorder": 3, "label": label_once(ax, label)}
    (opened,) = ax.plot(x, y, **look)
    return opened


def hide_spines(ax: Axes) -> None:
    """Hide the upper and the right spine, and end the others at the ticks 0 and 1 if these show."""
    ax.spines[["top", "right"]].set_visible(False)
    for side, axis in (("bottom", ax.xaxis), ("left", ax.yaxis)):
        is_near = np.abs(np.subtract(axis.get_view_interval(), (0, 1))).max() < 0.1
        if is_near and axis.get_scale() == "linear":  # a logarithmic axis has no place for 0
            ax.spines[side].set_bounds(0, 1)


def next_style(ax: Axes, style: Mapping[str, Any]) -> dict[str, Any]:
    """The style of a line, with a pattern that the lines of other models do not have."""
    from matplotlib import rcParams

    is_set = {"linestyle", "ls"} & {*style, *rcParams["axes.prop_cycle"].keys}
    pattern = _PATTERNS[n_of_lines(ax) % len(_PATTERNS)]
    return {**style} if is_set or pattern is None else {"linestyle": pattern, **style}


def n_of_lines(ax: Axes) -> int:
    """The number of lines of models, without guides and markers."""
    return sum(line.get_zorder() == 2 and line.get_linestyle() != "None" for line in ax.lines)


# None: that of the active style. Seven, because styles have 4, 8 or 10 colours.
_PATTERNS = (None, "--", "-.", ":", (0, (7, 2)), (0, (5, 1, 1, 1, 1, 1)), (0, (1, 4)))
