"""Matrices of metrics against metrics, in the form of the paper's Figure 7."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from calibrated_metrics.registry import Metric
from reproduction.figures import style

__all__ = [
    "CORRELATION",
    "colour_bar",
    "draw",
    "draw_matrix",
    "empty",
    "square",
    "tasks_of",
    "two_decimals",
]

# All matrices of correlations share one scale, so their colours can be compared.
CORRELATION = {"vmin": 0.0, "vmax": 1.0, "cmap": "YlGnBu"}


def draw(table: pd.DataFrame, metrics: Sequence[Metric], title: str) -> Figure:
    """Draw a table of `experiments.rank_correlation` as an annotated lower triangle.

    Parameters
    ----------
    table : DataFrame
        `row`, `column`, `spearman`, `n_tasks`, `n_tasks_of_panel`.
    metrics : sequence of Metric
        Rows and columns, in this order.
    title : str
        The tasks and the source of the models; the number of tasks is added.
    """
    with style.styled():
        title = f"{title}\n{tasks_of(table)}"
        if not table["n_tasks"].any():
            return empty(title)
        figure, axes = plt.subplots(figsize=(style.FULL_WIDTH, 5.4))
        figure.suptitle(title)
        values = square(table, "row", "column", "spearman", metrics)
        labels = [metric.label for metric in metrics]
        draw_matrix(axes, values, two_decimals, labels, labels, lower=True, **CORRELATION)
        colour_bar(figure, axes, "mean Spearman correlation over tasks")
        return figure


def square(
    table: pd.DataFrame, row: str, column: str, value: str, metrics: Sequence[Metric]
) -> np.ndarray:
    """A column of a long table as a matrix of the metrics, NaN where it has no row."""
    keys = [metric.key for metric in metrics]
    cells = table.set_index([row, column])[value]
    cells = cells.reindex(pd.MultiIndex.from_product([keys, keys]))
    return cells.to_numpy(dtype=np.float64).reshape(len(keys), len(keys))


def draw_matrix(
    axes: Axes,
    values: np.ndarray,
    text: Callable[[float], str],
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    *,
    lower: bool = False,
    text_size: float = 7.0,
    **colours,
) -> None:
    """Draw coloured cells with the text of their value, only those up to the diagonal if `lower`.

    A missing value is an empty cell with a dash.
    """
    hidden = np.triu(np.ones(values.shape, dtype=bool), 1) & lower
    missing = np.isnan(values) & ~hidden
    axes.grid(False)
    shown = np.ma.masked_where(hidden | missing, values)
    cells = axes.pcolormesh(shown, edgecolor="white", linewidth=0.6, **colours)
    for (row, column), value in np.ndenumerate(values):
        if not hidden[row, column]:
            axes.text(
                column + 0.5,
                row + 0.5,
                "–" if missing[row, column] else text(value),
                color="black" if missing[row, column] else _readable_on(cells.to_rgba(value)),
                ha="center",
                va="center",
                size=text_size,
                in_layout=False,  # it lies within the axes, and layout is slow with it
            )
    axes.set(xlim=(0, values.shape[1]), ylim=(values.shape[0], 0))
    axes.set_xticks(np.arange(values.shape[1]) + 0.5, column_labels)
    axes.set_yticks(np.arange(values.shape[0]) + 0.5, row_labels)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.tick_params("x", rotation=90)
    axes.tick_params("y", rotation=0)


def _readable_on(colour: Sequence[float]) -> str:
    """Dark or light text by the relative luminance of the background (WCAG 2)."""
    rgb = np.array(colour[:3])
    linear = np.where(rgb <= 0.03928, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return "0.15" if linear @ [0.2126, 0.7152, 0.0722] > 0.408 else "white"


def two_decimals(value: float) -> str:
    """Two decimals with a typographic minus sign, and no sign before 0."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def colour_bar(figure: Figure, axes: Axes | Sequence[Axes], label: str, **options) -> None:
    """Colour scale beside the matrices; values beyond it have the colour of its end."""
    cells = np.ravel(axes)[0].collections[0]
    bar = figure.colorbar(cells, ax=axes, fraction=0.03, pad=0.01, **options)
    bar.outline.set_visible(False)
    bar.set_label(label)


def tasks_of(table: pd.DataFrame) -> str:
    """Number of tasks that the cells average over, and number of tasks in the panel."""
    least, most = table["n_tasks"].min(), table["n_tasks"].max()
    n_used = f"{most}" if least == most else f"{least} to {most}"
    return f"{n_used} of {table['n_tasks_of_panel'].max()} tasks"


def empty(title: str) -> Figure:
    """A figure with a sentence in place of matrices without tasks."""
    figure, axes = plt.subplots(figsize=(style.FULL_WIDTH, 1.2))
    figure.suptitle(title)
    axes.text(0.5, 0.5, "There is no task to show here.", ha="center", va="center")
    axes.set_axis_off()
    return figure
