"""Matrices of metrics against metrics. Sizes follow from the number of metrics and the texts."""

from __future__ import annotations

import math
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
from matplotlib.textpath import TextPath

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
_POINT = 1 / 72  # inches
_LINE = 0.16  # inches, the height of a line of a title
_LARGEST_TEXT, _LARGEST_NOTE, _SMALLEST_TEXT = 7.0, 5.2, 4.6  # points
_FILLED = 0.86  # largest share of the width of a cell that its text takes
_LARGEST_CELL = 0.75  # inches, unless a title needs more
_GAP = 0.12  # inches between matrices and at the right edge
_SPACE = 0.08  # inches between rows of matrices
_SCALE_HEIGHT, _SCALE_WIDTH = 0.6, 2.7  # inches, with numbers and label


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
    """Draw rows of matrices; those of a row have the same labels.

    A figure of few metrics is as wide as a page. More metrics make it larger, as their texts would
    be too small otherwise.

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
    label_width = max(_width(each, _LARGEST_TEXT) for of_row in labels for each in of_row) + 0.1
    left = label_width + (0.22 if row_axis else 0.04)
    size = _Cells.of(rows, look.FULL_WIDTH - left, row_axis)
    step = size.width * max(len(row[0].labels) for row in rows) + _GAP
    scales = list(dict.fromkeys(matrix.scale for row in rows for matrix in row))
    width = max(left + step * max(map(len, rows)), len(scales) * _SCALE_WIDTH)
    title = _wrapped(title, width)
    below = [
        _SPACE if labels[index] == following else (0.2 if numbered else label_width)
        for index, following in enumerate([*labels[1:], None])
    ]
    above = [_LINE * _n_lines(row[0].title) + _SPACE for row in rows]
    heights = [size.height * len(row[0].labels) for row in rows]
    top = _LINE * _n_lines(title) + _SPACE
    bottom = _SCALE_HEIGHT + (0.2 if column_axis else 0.05)
    height = top + sum(above) + sum(heights) + sum(below) + bottom

    figure = plt.figure(figsize=(width, height), layout="none")

    def add_axes(*inches: float) -> Axes:
        x, y, of_width, of_height = inches
        return figure.add_axes((x / width, y / height, of_width / width, of_height / height))

    figure.suptitle(title, y=1 - 0.06 / height, va="top")
    y = height - top
    for index, row in enumerate(rows):
        y -= above[index] + heights[index]
        for position, matrix in enumerate(row):
            size_of_matrix = size.width * len(matrix.labels), heights[index]
            axes = add_axes(left + position * step, y, *size_of_matrix)
            _draw_cells(axes, matrix, size)
            has_columns = below[index] > _SPACE
            _label(axes, labels[index], numbered, rows_too=not position, columns_too=has_columns)
            axes.set_ylabel("" if position else row_axis)
            axes.set_xlabel(column_axis if index == len(rows) - 1 else "")
        y -= below[index]
    for index, scale in enumerate(scales):
        centre = (index + 0.5) / len(scales) * width
        _draw_scale(figure, add_axes(centre - 1.0, _SCALE_HEIGHT - 0.14, 2.0, 0.09), scale)
    return figure


@dataclass(frozen=True)
class _Cells:
    """Size of the cells in inches, and of the texts in them in points."""

    width: float
    height: float
    text: float
    note: float

    @classmethod
    def of(cls, rows: Sequence[Sequence[Matrix]], room: float, row_axis: str) -> _Cells:
        """Cells of `rows` that fit into a width, if their texts are not too small then."""
        matrices = [matrix for row in rows for matrix in row]
        texts = {text for matrix in matrices for text in matrix.texts().values()}
        notes = {text for matrix in matrices for text in matrix.notes.values()}
        of_text, of_note = (
            max((_width(each, 1.0) for each in some), default=0.0) for some in (texts, notes)
        )
        n_in_row = max(sum(len(matrix.labels) for matrix in row) for row in rows)
        fitting = (room - _GAP * max(map(len, rows))) / n_in_row
        title = max(
            _width(line, 8.5) / len(matrix.labels)
            for matrix in matrices
            for line in matrix.title.split("\n")
        )
        smallest = max(of_text, of_note) * _SMALLEST_TEXT / _FILLED
        width = max(min(fitting, _LARGEST_CELL), smallest, title)
        text = min(_LARGEST_TEXT, _FILLED * width / max(of_text, 1e-9))
        note = min(_LARGEST_NOTE, _FILLED * width / max(of_note, 1e-9)) if notes else 0.0
        # Labels of rows need the height of their own text.
        height = max(2.0 * text + 1.9 * note, 1.45 * _LARGEST_TEXT) * _POINT
        fewest = min(len(matrix.labels) for matrix in matrices)
        height = max(height, _width(row_axis, 9.0) / fewest)
        return cls(width, height, text, note)


def _draw_cells(axes: Axes, matrix: Matrix, size: _Cells) -> None:
    values = np.where(matrix.shown, matrix.values, np.nan)
    mappable = matrix.scale.mappable
    norm, colours = mappable.norm, mappable.cmap
    axes.pcolormesh(values, norm=norm, cmap=colours, edgecolors="white", linewidth=0.6)
    axes.invert_yaxis()
    for place, text in matrix.texts().items():
        row, column = place
        look = {"ha": "center", "va": "center_baseline", "color": "black"}
        if text != _MISSING and _is_dark(colours, norm(values[place])):
            look["color"] = "white"
        note = matrix.notes.get(place)
        axes.text(column + 0.5, row + (0.34 if note else 0.5), text, size=size.text, **look)
        if note:
            axes.text(column + 0.5, row + 0.73, note, size=size.note, **look)
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
    axes.tick_params(labelsize=_LARGEST_TEXT)


def _draw_scale(figure: Figure, axes: Axes, scale: Scale) -> None:
    bar = figure.colorbar(scale.mappable, axes, orientation="horizontal", extend=scale.extend)
    bar.outline.set_visible(False)
    bar.set_label(scale.label)


def _numbered(labels: Sequence[str]) -> list[str]:
    return [f"{label}  {index}" for index, label in enumerate(labels, start=1)]


def _width(text: str, size: float) -> float:
    """Width of a text in inches."""
    if not text.strip():
        return 0.0
    return float(TextPath((0, 0), text, size=100).get_extents().width) / 100 * size * _POINT


def _n_lines(text: str) -> int:
    return text.count("\n") + 1 if text else 0


def _wrapped(title: str, width: float) -> str:
    lines = []
    for line in title.split("\n"):
        n_characters = math.floor(len(line) * 0.95 * width / max(_width(line, 8.0), 1e-9))
        lines += textwrap.wrap(line, max(n_characters, 10)) or [""]
    return "\n".join(lines)


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
