"""Matrices of metrics against metrics. Sizes follow from the number of metrics and the texts."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, Normalize
from matplotlib.figure import Figure

from reproduction.core import look
from reproduction.core.metrics import Metric

__all__ = [
    "Matrix",
    "Scale",
    "correlation_scale",
    "decimals",
    "draw",
    "empty",
    "lower_triangle",
    "square",
    "symmetric_scale",
]

_MISSING = "–"
_LABEL, _TEXT, _NOTE = 7.0, 6.5, 4.8  # points
_TEXT_OF_NUMBERED = 4.8
_LARGEST_CELL = 0.75  # inches
_LINE = 0.16  # inches, the height of a line of a title
_SCALE_HEIGHT, _SCALE_WIDTH = 0.65, 2.7  # inches, with numbers and label
_MATHTEXT = re.compile(r"\\[a-z]+|[$_{}\\]")


@dataclass(frozen=True)
class Scale:
    """Colours of the values from `least` to `most`; values beyond have the colour of the end."""

    label: str
    least: float
    most: float
    colours: str
    extend: str = "neither"

    @property
    def mappable(self) -> ScalarMappable:
        norm = Normalize(self.least, self.most)
        return ScalarMappable(norm, mpl.colormaps[self.colours])


@dataclass(frozen=True)
class Matrix:
    """Values of pairs of metrics; NaN is a cell with a dash.

    Attributes
    ----------
    shown : ndarray of bool
        Cells that are drawn.
    text : callable
        Text of a value.
    notes : dict
        Text of the second line of a cell, by (row, column).
    """

    values: np.ndarray
    labels: Sequence[str]
    scale: Scale
    shown: np.ndarray
    text: Callable[[float], str]
    title: str = ""
    notes: dict[tuple[int, int], str] = field(default_factory=dict)

    def texts(self) -> dict[tuple[int, int], str]:
        return {
            (int(row), int(column)): _MISSING if np.isnan(value) else self.text(value)
            for row, column in np.argwhere(self.shown)
            for value in [self.values[row, column]]
        }


def draw(
    title: str,
    rows: Sequence[Sequence[Matrix]],
    *,
    row_axis: str = "",
    column_axis: str = "",
    numbered: bool = False,
) -> Figure:
    """Draw rows of matrices; those of a row have the same labels, and those of a column a scale.

    A figure of few metrics is at most as wide as a page. More metrics make it larger, as their
    texts would be too small otherwise.

    Parameters
    ----------
    title : str
        Of the figure; long lines are wrapped.
    rows : sequence of sequence of Matrix
    row_axis, column_axis : str, default=""
        What the metrics of rows and columns are.
    numbered : bool, default=False
        Number the metrics: the columns have the numbers only.
    """
    labels = [_numbered(row[0].labels) if numbered else list(row[0].labels) for row in rows]
    width, height = _size(title, rows, labels, row_axis, numbered)
    figure, grid = plt.subplots(
        len(rows),
        len(rows[0]),
        squeeze=False,
        figsize=(width, height),
        height_ratios=[len(of_row) for of_row in labels],
    )
    figure.suptitle("\n".join(textwrap.fill(line, int(14 * width)) for line in title.split("\n")))
    for index, (row, of_row) in enumerate(zip(rows, grid, strict=True)):
        has_columns = labels[index : index + 1] != labels[index + 1 : index + 2]
        for position, (matrix, axes) in enumerate(zip(row, of_row, strict=True)):
            _draw_cells(axes, matrix, _TEXT_OF_NUMBERED if numbered else _TEXT)
            _label(axes, labels[index], numbered, rows_too=not position, columns_too=has_columns)
        of_row[0].set_ylabel(row_axis)
    grid[-1, 0].set_xlabel(column_axis)
    scales = [matrix.scale for matrix in rows[0]]
    for scale in dict.fromkeys(scales):
        own = grid[:, [each == scale for each in scales]].ravel().tolist()
        _draw_scale(figure, own, scale)
    return figure


def _size(
    title: str,
    rows: Sequence[Sequence[Matrix]],
    labels: Sequence[Sequence[str]],
    row_axis: str,
    numbered: bool,
) -> tuple[float, float]:
    """Width and height of a figure, in inches, from the texts in it."""
    matrices = [matrix for row in rows for matrix in row]
    size = _TEXT_OF_NUMBERED if numbered else _TEXT
    texts = [_width(text, size) for matrix in matrices for text in matrix.texts().values()]
    notes = [_width(text, _NOTE) for matrix in matrices for text in matrix.notes.values()]
    margin = max(_width(label, _LABEL) for of_row in labels for label in of_row) + 0.3
    n_cells = max(sum(len(matrix.labels) for matrix in row) for row in rows)
    fitting = min((look.FULL_WIDTH - margin) / n_cells, _LARGEST_CELL)
    cell = max(fitting, 1.15 * max([*texts, *notes]))
    n_scales = len({matrix.scale for matrix in matrices})
    width = max(margin + cell * n_cells, n_scales * _SCALE_WIDTH)
    cell_height = 0.25 if notes else 0.155
    of_cells = sum(max(cell_height * len(each), _width(row_axis, 9.0)) for each in labels)
    n_blocks = sum(each != other for each, other in zip(labels, [*labels[1:], None], strict=True))
    below = n_blocks * (0.25 if numbered else margin)
    n_lines = sum(1 + int(len(line) / (14 * width)) for line in title.split("\n"))
    n_lines += sum(2 + row[0].title.count("\n") for row in rows)
    return width, of_cells + below + _LINE * n_lines + _SCALE_HEIGHT


def _draw_cells(axes: Axes, matrix: Matrix, size: float) -> None:
    values = np.where(matrix.shown, matrix.values, np.nan)
    mappable = matrix.scale.mappable
    norm, colours = mappable.norm, mappable.cmap
    axes.pcolormesh(values, norm=norm, cmap=colours, edgecolors="white", linewidth=0.6)
    axes.invert_yaxis()
    for place, text in matrix.texts().items():
        row, column = place
        style = {"ha": "center", "va": "center_baseline", "color": "black"}
        if text != _MISSING and _is_dark(colours, norm(values[place])):
            style["color"] = "white"
        note = matrix.notes.get(place)
        axes.text(column + 0.5, row + (0.34 if note else 0.5), text, size=size, **style)
        if note:
            axes.text(column + 0.5, row + 0.73, note, size=_NOTE, **style)
    axes.set_title(matrix.title)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def _is_dark(colours: Colormap, value: float) -> bool:
    return float(np.dot(colours(value)[:3], (0.299, 0.587, 0.114))) < 0.5


def _label(
    axes: Axes, labels: Sequence[str], numbered: bool, *, rows_too: bool, columns_too: bool
) -> None:
    centres = np.arange(len(labels)) + 0.5
    columns = [str(index + 1) for index in range(len(labels))] if numbered else labels
    rotation = 0 if numbered else 90
    axes.set_xticks(centres, columns if columns_too else [""] * len(labels), rotation=rotation)
    axes.set_yticks(centres, labels if rows_too else [""] * len(labels))
    axes.tick_params(labelsize=_LABEL)


def _draw_scale(figure: Figure, axes: list[Axes], scale: Scale) -> None:
    bar = figure.colorbar(
        scale.mappable, ax=axes, location="bottom", extend=scale.extend, aspect=25, shrink=0.6
    )
    bar.outline.set_visible(False)
    bar.set_label(scale.label)


def _numbered(labels: Sequence[str]) -> list[str]:
    return [f"{label}  {index}" for index, label in enumerate(labels, start=1)]


def _width(text: str, size: float) -> float:
    """Approximate width of a text in inches."""
    return 0.58 * len(_MATHTEXT.sub("", text)) * size / 72


# ------------------------------------------------------------------------------- what they show


def square(
    table: pd.DataFrame, row: str, column: str, value: str, metrics: Sequence[Metric]
) -> np.ndarray:
    """A column of a long table as a matrix of the metrics, NaN where it has no row."""
    keys = [metric.key for metric in metrics]
    cells = table.set_index([row, column])[value]
    cells = cells.reindex(pd.MultiIndex.from_product([keys, keys]))
    return cells.to_numpy(dtype=np.float64).reshape(len(keys), len(keys))


def lower_triangle(n_metrics: int) -> np.ndarray:
    """Cells up to the diagonal."""
    return np.tri(n_metrics, dtype=bool)


def correlation_scale(*correlations: np.ndarray) -> Scale:
    """Colours from 0 to 1; with a negative correlation, from −1 to 1 and white at 0."""
    values = np.concatenate([np.ravel(each) for each in correlations])
    label = "mean Spearman correlation over tasks"
    if (np.round(values, 2) < 0).any():
        return Scale(label, -1.0, 1.0, "RdBu")
    return Scale(label, 0.0, 1.0, "YlGnBu")


def symmetric_scale(label: str, values: np.ndarray, colours: str) -> Scale:
    """Colours that reach the largest value of either sign, white at 0."""
    most = np.nanmax(np.abs(values), initial=0.0)
    return Scale(label, -(most or 1.0), most or 1.0, colours)


def decimals(value: float, n_decimals: int = 2) -> str:
    """A number with a typographic minus sign, and no sign before 0."""
    return f"{round(value, n_decimals) + 0.0:.{n_decimals}f}".replace("-", "−")


def empty(title: str) -> Figure:
    """A figure with a sentence in place of matrices without tasks."""
    figure, axes = plt.subplots(figsize=(look.FULL_WIDTH, 1.2))
    figure.suptitle(title)
    axes.text(0.5, 0.5, "There is no task to show here.", ha="center", va="center")
    axes.set_axis_off()
    return figure
