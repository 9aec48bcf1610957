"""Figures of matrices with a row and a column per metric. Their size depends on the texts."""

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
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from reproduction.core import look
from reproduction.core.metrics import Metric

_MISSING = "–"
_LABEL, _TEXT, _TEXT_OF_SEVERAL, _NOTE = 7.0, 6.5, 6.0, 4.8  # points
_LARGEST_CELL = 0.75  # inches
_LINE = 0.16  # inches, the height of a line of a title
_SCALE_HEIGHT, _SCALE_WIDTH = 0.65, 2.7  # inches, with numbers and label
_MATHTEXT = re.compile(r"\\[a-z]+|[$_{}\\]")


@dataclass(frozen=True)
class Scale:
    """Colour scale from `least` to `most`; values outside have the colour of the nearest end."""

    label: str
    least: float
    most: float
    colours: str
    extend: str = "neither"

    @property
    def mappable(self) -> ScalarMappable:
        return ScalarMappable(Normalize(self.least, self.most), mpl.colormaps[self.colours])


@dataclass(frozen=True)
class Matrix:
    """Values of pairs of metrics. Only the cells in `shown` are drawn; NaN is drawn as a dash."""

    values: np.ndarray
    labels: Sequence[str]
    scale: Scale
    shown: np.ndarray
    text: Callable[[float], str]
    title: str = ""
    notes: dict[tuple[int, int], str] = field(default_factory=dict)  # second lines of cells

    def texts(self) -> dict[tuple[int, int], str]:
        return {
            (row, column): _MISSING if np.isnan(value) else self.text(value)
            for row, column in np.argwhere(self.shown).tolist()
            for value in [self.values[row, column]]
        }


def draw(
    title: str,
    rows: Sequence[Sequence[Matrix]],
    *,
    row_axis: str = "",
    column_axis: str = "",
) -> Figure:
    """Draw rows of matrices. Each row shares its labels, and each column its colour scale.

    A figure with few metrics is at most as wide as a page. It is larger with more metrics, because
    texts would be too small otherwise. `row_axis` and `column_axis` are the labels of the axes. The
    metrics are numbered, and columns show the numbers only.
    """
    labels = [[f"{name}  {i}" for i, name in enumerate(row[0].labels, start=1)] for row in rows]
    size = _TEXT if len(rows[0]) == 1 else _TEXT_OF_SEVERAL
    width, height = _size(title, rows, labels, row_axis, size)
    figure, grid = plt.subplots(
        len(rows),
        len(rows[0]),
        squeeze=False,
        figsize=(width, height),
        height_ratios=[len(of_row) for of_row in labels],
    )
    figure.suptitle("\n".join(textwrap.fill(line, int(14 * width)) for line in title.split("\n")))
    for index, (row, of_row) in enumerate(zip(rows, grid, strict=True)):
        columns = [str(i + 1) for i in range(len(labels[index]))]
        for matrix, axes in zip(row, of_row, strict=True):
            _draw_cells(axes, matrix, size)
            centres = np.arange(len(columns)) + 0.5
            axes.set_xticks(centres, columns)
            axes.set_yticks(centres, labels[index] if axes is of_row[0] else [""] * len(columns))
        of_row[0].set_ylabel(row_axis)
    grid[-1, 0].set_xlabel(column_axis)
    scales = [matrix.scale for matrix in rows[0]]
    for scale in dict.fromkeys(scales):
        _draw_scale(figure, grid[:, [each == scale for each in scales]].ravel().tolist(), scale)
    return figure


def _size(
    title: str,
    rows: Sequence[Sequence[Matrix]],
    labels: Sequence[Sequence[str]],
    row_axis: str,
    size: float,
) -> tuple[float, float]:
    """Width and height of a figure, in inches, from the texts in it; `size` is that of cells."""
    matrices = [matrix for row in rows for matrix in row]
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
    below = 0.25 * len(rows)
    n_lines = sum(1 + int(len(line) / (14 * width)) for line in title.split("\n"))
    n_lines += sum(2 + row[0].title.count("\n") for row in rows)
    return width, of_cells + below + _LINE * n_lines + _SCALE_HEIGHT


def _draw_cells(axes: Axes, matrix: Matrix, size: float) -> None:
    values = np.where(matrix.shown, matrix.values, np.nan)
    norm, colours = matrix.scale.mappable.norm, matrix.scale.mappable.cmap
    axes.pcolormesh(values, norm=norm, cmap=colours, edgecolors="white", linewidth=0.6)
    axes.invert_yaxis()
    for (row, column), text in matrix.texts().items():
        brightness = np.dot(colours(norm(values[row, column]))[:3], (0.299, 0.587, 0.114))
        style = {"ha": "center", "va": "center_baseline"}
        style["color"] = "white" if text != _MISSING and brightness < 0.5 else "black"
        note = matrix.notes.get((row, column))
        axes.text(column + 0.5, row + (0.34 if note else 0.5), text, size=size, **style)
        if note:
            axes.text(column + 0.5, row + 0.73, note, size=_NOTE, **style)
    axes.set_title(matrix.title)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelsize=_LABEL)


def _draw_scale(figure: Figure, axes: list[Axes], scale: Scale) -> None:
    bar = figure.colorbar(
        scale.mappable, ax=axes, location="bottom", extend=scale.extend, aspect=25, shrink=0.6
    )
    bar.outline.set_visible(False)
    bar.set_label(scale.label)


def _width(text: str, size: float) -> float:
    """Approximate width of a text in inches."""
    return 0.58 * len(_MATHTEXT.sub("", text)) * size / 72


# ------------------------------------------------------------------------------- what they show


def square(
    table: pd.DataFrame, row: str, column: str, value: str, metrics: Sequence[Metric]
) -> np.ndarray:
    """A column of a long table as a matrix of the metrics; NaN for missing rows."""
    keys = [metric.key for metric in metrics]
    cells = table.pivot(index=row, columns=column, values=value)  # noqa: PD010, no cell twice
    return cells.reindex(index=keys, columns=keys).to_numpy(dtype=np.float64)


def correlation_scale(*correlations: np.ndarray) -> Scale:
    """Colours from 0 to 1; with a negative correlation, from −1 to 1 and white at 0."""
    values = np.concatenate([np.ravel(each) for each in correlations])
    label = "mean Spearman correlation over tasks"
    if (np.round(values, 2) < 0).any():
        return Scale(label, -1.0, 1.0, "RdBu")
    return Scale(label, 0.0, 1.0, "YlGnBu")


def decimals(value: float, n_decimals: int = 2) -> str:
    """A number with a typographic minus sign, and no sign before 0."""
    return f"{round(value, n_decimals) + 0.0:.{n_decimals}f}".replace("-", "−")


def empty(title: str, reason: str = "Not drawn: there are no tasks.") -> Figure:
    """A title and a sentence in place of matrices."""
    figure = plt.figure(figsize=(look.FULL_WIDTH, 0.7))
    figure.suptitle(f"{title}\n{reason}")
    return figure
