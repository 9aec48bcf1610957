"""What displays share on matplotlib axes: looks of lines, bands, guide lines and legends.

The module imports matplotlib when a function is called.
"""

from __future__ import annotations

import functools
import math
import textwrap
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics._checks import FloatArray
from calibrated_metrics._optional import extra

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.collections import FillBetweenPolyCollection
    from matplotlib.lines import Line2D
    from matplotlib.transforms import Bbox

__all__ = [
    "Style",
    "Styles",
    "axes_of",
    "check_same",
    "draw_band",
    "draw_curve",
    "draw_legend",
    "drawn_once",
    "guide_look",
    "include",
    "is_common",
    "joined_statements",
    "label_at_right_end",
    "label_once",
    "labelled",
    "name_axis",
    "number",
    "one_or_all",
    "prior_in_words",
    "second_axes",
    "shown_name",
    "stacked_axes",
    "styles_of",
]

Style = Mapping[str, Any]
Styles = Style | Sequence[Style] | None

_Value = TypeVar("_Value")
_Drawn = TypeVar("_Drawn", bound="Artist | Sequence[Artist]")

_LINE_STYLES = ("-", "--", "-.", (0, (1, 1)), (0, (3, 1, 1, 1, 1, 1)), (0, (7, 2)))
_BAND_ALPHA = 0.2
_WIDTH_OF_LETTER = 0.42  # mean, in units of the font size
_LETTERS_OF_HANDLE = 6  # width of the line beside a label
_FEWEST_LETTERS = 12  # in a line of the legend of narrow axes
_SHORTER = 0.7  # lines of broken labels, which may consist of wide letters


def axes_of(ax: Axes | None) -> Axes:
    """The given axes, or those of a new figure."""
    with extra("plots"):
        import matplotlib.axes
        import matplotlib.pyplot as plt
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    if not isinstance(ax, matplotlib.axes.Axes):
        raise TypeError(f"ax must be None or an Axes of matplotlib, got {ax!r}")
    known = _known(ax)
    if not any(line.axes is ax for line in known.get("curves", [])):  # new, or cleared
        if "second" in known:
            known["second"].remove()
        known.clear()
    return ax


def _known(ax: Axes) -> dict[Hashable, Any]:
    """What displays know of axes: what they have drawn, so that it is not drawn again."""
    known: dict[Hashable, Any] = vars(ax).setdefault("_calibrated_metrics", {})
    return known


def stacked_axes(ax: Axes | Sequence[Axes] | NDArray[Any] | None, n_axes: int) -> list[Axes]:
    """One Axes, or two above each other: given, made from one, or those of a new figure."""
    if isinstance(ax, np.ndarray):  # of plt.subplots
        ax = ax.ravel().tolist()
    if isinstance(ax, Sequence) or (n_axes == 1 and ax is not None):
        given = list(ax) if isinstance(ax, Sequence) else [ax]
        if len(given) < n_axes:
            raise ValueError(f"ax must hold {n_axes} Axes, got {len(given)}")
        return [axes_of(each) for each in given[:n_axes]]
    with extra("plots"):
        from matplotlib.gridspec import GridSpecFromSubplotSpec
    whole = axes_of(ax)
    if n_axes == 1:
        return [whole]
    place = whole.get_subplotspec()
    if place is None:
        raise ValueError(f"ax must have a place in a grid of subplots to be divided, got {ax!r}")
    figure = whole.figure
    whole.remove()
    parts = GridSpecFromSubplotSpec(2, 1, place, height_ratios=(3, 2))
    upper: Axes = figure.add_subplot(parts[0])
    return [upper, figure.add_subplot(parts[1], sharex=upper)]


def drawn_once(ax: Axes, key: Hashable, draw: Callable[[], _Drawn]) -> _Drawn:
    """What an earlier display drew on these axes under this key, or else what `draw` draws."""
    known = _known(ax)
    if key not in known or not _is_shown(ax, known[key]):
        known[key] = draw()
    found: _Drawn = known[key]
    return found


def _is_shown(ax: Axes, artists: Artist | Sequence[Artist]) -> bool:
    parts = artists if isinstance(artists, Sequence) else [artists]
    return all(part.axes is ax for part in parts)


# ------------------------------------------------------------------------------------- lines


def styles_of(curve_kwargs: Styles, n_lines: int) -> list[dict[str, Any]]:
    """The user's style of each line: one for all of them, or one for each."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    if curve_kwargs is None or isinstance(curve_kwargs, Mapping):
        styles = [curve_kwargs or {}] * n_lines
    elif isinstance(curve_kwargs, str) or not isinstance(curve_kwargs, Sequence):
        raise TypeError(
            f"curve_kwargs must be None, a dict or a list of dicts, got {curve_kwargs!r}"
        )
    else:
        styles = list(curve_kwargs)
    if len(styles) != n_lines:
        raise ValueError(
            f"curve_kwargs must be a dict, or a list with one dict per line ({n_lines}), got "
            f"{len(styles)}"
        )
    return [dict(normalize_kwargs(dict(style), Line2D)) for style in styles]


def draw_curve(ax: Axes, x: Any, y: Any, style: Style, *, on: Axes | None = None) -> Line2D:
    """Draw a line in the next colour of the cycle of `ax`, with a line style of its own.

    The line style distinguishes the lines in grey. A cycle that has line styles decides instead.
    The line is drawn on the axes `on` if they are given.
    """
    from matplotlib import rcParams

    known = _known(ax)
    curves = [line for line in known.get("curves", []) if line.axes is not None]
    look: dict[str, Any] = {}
    if "linestyle" not in rcParams["axes.prop_cycle"].keys:
        look["linestyle"] = _LINE_STYLES[len(curves) % len(_LINE_STYLES)]
    if on is not None:
        (next_of_cycle,) = ax.plot([], [])
        look["color"] = next_of_cycle.get_color()
        next_of_cycle.remove()
    (line,) = (on or ax).plot(x, y, **{**look, **style})
    known["curves"] = [*curves, line]
    return line


def second_axes(ax: Axes) -> Axes:
    """Axes with an ordinate on the right, one for all displays on these axes."""
    known = _known(ax)
    if known.get("second") not in ax.figure.axes:
        known["second"] = ax.twinx()
        known["second"].grid(False)  # it would lie above the lines
    second: Axes = known["second"]
    return second


def joined_statements(ax: Axes, statement: str | None) -> str | None:
    """This statement below those of the other displays on these axes; None if there is none."""
    known = _known(ax)
    statements = [*known.get("statements", []), *([] if statement is None else [statement])]
    known["statements"] = list(dict.fromkeys(statements))
    return "\n".join(known["statements"]) or None


def draw_band(
    ax: Axes,
    x: FloatArray,
    low: FloatArray,
    high: FloatArray,
    line: Line2D,
    style: Style | None,
    confidence_level: float,
    **look_of_band: Any,
) -> FillBetweenPolyCollection:
    """Fill between pointwise limits, in the colour of a line."""
    label = f"{100 * confidence_level:.6g} % band, pointwise"
    look = {
        "facecolor": line.get_color(),
        "alpha": _BAND_ALPHA,
        "linewidth": 0,
        "label": label_once(ax, label),
        "zorder": line.get_zorder() - 0.5,
        **look_of_band,
    }
    return ax.fill_between(x, low, high, **{**look, **(style or {})})


def guide_look(ax: Axes) -> dict[str, Any]:
    """Look of lines that help reading, in the colour of the text of any style."""
    return {"color": ax.xaxis.label.get_color(), "linewidth": 0.8, "zorder": 1.5, "marker": ""}


# ------------------------------------------------------------------------------------- text


def label_once(ax: Axes, label: str) -> str:
    """The label, or a label that legends leave out if one of these axes has it."""
    return "_nolegend_" if label in ax.get_legend_handles_labels()[1] else label


def label_at_right_end(ax: Axes, x: float, y: float, text: str) -> Artist:
    """Small text outside of the axes, right of a point on their right edge."""
    return ax.annotate(
        text,
        (x, y),
        xytext=(2, 0),
        textcoords="offset points",
        fontsize="x-small",
        color=ax.xaxis.label.get_color(),
        va="center",
        annotation_clip=True,
    )


def include(ax: Axes, corner: tuple[float, float], opposite: tuple[float, float]) -> None:
    """Let the limits of the axes include two points, on any scale of the axes, with a margin.

    Fixed limits would include 0, which a logarithmic scale does not have.
    """
    ax.update_datalim([corner, opposite])
    ax.margins(0.01)
    ax.autoscale_view()


def draw_legend(ax: Axes, *others: Axes, title: str | None = None, ncols: int = 2) -> None:
    """A legend with the curves first, and the entries of other axes at the same place.

    It is above the axes, where no line passes, if a layout of the figure makes place for it.
    Otherwise it is within them. If the labels are long, it has one column, and labels that are
    wider than the axes are broken into lines.
    """
    entries = [
        entry
        for axes in (ax, *others)
        for entry in zip(*axes.get_legend_handles_labels(), strict=True)
    ]
    if not entries:
        return
    curves = _known(ax).get("curves", [])
    entries.sort(key=lambda entry: entry[0] not in curves)
    handles, labels = zip(*entries, strict=True)
    n_letters = _letters_beside_handles(ax, 1)
    broken = [
        textwrap.fill(label, round(_SHORTER * n_letters)) if len(label) > n_letters else label
        for label in labels
    ]
    look: dict[str, Any] = {
        "title": title,
        "fontsize": "small",
        "title_fontsize": "small",
        "alignment": "left",
    }
    if ax.figure.get_layout_engine() is None:
        ax.legend(handles, broken, **look)
        return
    ax.legend(
        handles,
        broken,
        ncols=ncols if max(map(len, labels)) <= _letters_beside_handles(ax, ncols) else 1,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=0,
        frameon=False,
        **look,
    )
    _set_titles_above_the_legend(ax)


def _set_titles_above_the_legend(ax: Axes) -> None:
    """Let an empty inset cover the legend: matplotlib sets titles above the insets of axes."""
    known = _known(ax)
    if "inset" not in known:
        known["inset"] = ax.inset_axes((0, 1, 1, 0), navigate=False)
        known["inset"].set_axis_off()
        known["inset"].set_axes_locator(functools.partial(_place_of_the_legend, ax))


def _place_of_the_legend(ax: Axes, _inset: Axes, renderer: RendererBase) -> Bbox:
    """Extent of the legend in the figure, or of the axes without one."""
    shown = ax.get_legend() or ax
    return shown.get_window_extent(renderer).transformed(ax.figure.transSubfigure.inverted())


def _letters_beside_handles(ax: Axes, ncols: int) -> int:
    """Number of letters of a label that fit above the axes in a column."""
    from matplotlib.font_manager import FontProperties

    width = ax.get_window_extent().width / ax.figure.dpi * 72
    of_letter = _WIDTH_OF_LETTER * FontProperties(size="small").get_size_in_points()
    return max(math.ceil(width / of_letter / ncols - _LETTERS_OF_HANDLE) - 1, _FEWEST_LETTERS)


def name_axis(ax: Axes, axis: str, quantity: str, prior: str | None = None) -> None:
    """Label an axis with a quantity and its prior; without it if displays differ in the prior.

    Raises
    ------
    ValueError
        If a display of another quantity is drawn on these axes.
    """
    check_same(ax, f"the {axis}-axis", quantity)
    has_prior = is_common(ax, f"prior of {axis}", prior) and prior is not None
    ax.set(**{f"{axis}label": f"{quantity} at {prior}" if has_prior else quantity})


def is_common(ax: Axes, key: str, value: Hashable) -> bool:
    """Whether all displays on these axes have this value."""
    values = _known(ax).setdefault(key, set())
    values.add(value)
    return len(values) == 1


def check_same(ax: Axes, part: str, quantity: Any) -> None:
    """Raise ``ValueError`` if another display shows something else on this part of the axes."""
    shown = _known(ax).setdefault(part, quantity)
    if shown != quantity:
        raise ValueError(
            f"ax must have {quantity!r} on {part} for this display, got axes on which another "
            f"display has {shown!r}"
        )


def shown_name(name: str) -> str:
    """The name in a legend, which leaves out labels that begin with an underscore."""
    return f" {name}" if name.startswith("_") else name


def labelled(name: str | None, value: str) -> str:
    return value if name is None else f"{shown_name(name)} ({value})"


def prior_in_words(pi0: float) -> str:
    return f"π$_0$ = {pi0:.3g}"


def number(value: float) -> str:
    """Two decimals, or two significant digits of a small number."""
    return f"{value:.2f}" if abs(value) >= 0.1 or value == 0 else f"{value:.2g}"


def one_or_all(values: list[_Value]) -> _Value | list[_Value]:
    return values[0] if len(values) == 1 else values
