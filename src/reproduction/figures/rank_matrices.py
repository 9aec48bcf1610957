"""Matrices of metrics against metrics, in the form of the paper's Figure 7."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.figures import style
from reproduction.core.metrics import Metric

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
_INTERVAL_SIZE = 5.0


def draw(table: pd.DataFrame, metrics: Sequence[Metric], title: str) -> Figure:
    """Draw a table of `experiments.rank_correlation` as an annotated lower triangle.

    Parameters
    ----------
    table : DataFrame
        `row`, `column`, `spearman`, `low`, `high`, `n_tasks`, `n_tasks_of_panel`.
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
        limits = (square(table, "row", "column", each, metrics) for each in ("low", "high"))
        _write_intervals(axes, *limits)
        colour_bar(figure, axes, "mean Spearman correlation over tasks")
        return figure


def _write_intervals(axes: Axes, low: np.ndarray, high: np.ndarray) -> None:
    """Write the interval of each cell below its value, except on the diagonal."""
    for value in list(axes.texts):
        column, row = (int(place) for place in value.get_position())
        if row == column or np.isnan(low[row, column]):
            continue
        value.set_y(row + 0.37)
        interval = f"[{two_decimals(low[row, column])}, {two_decimals(high[row, column])}]"
        axes.text(
            *(column + 0.5, row + 0.7, interval),
            ha="center",
            va="center",
            size=_INTERVAL_SIZE,
            color=value.get_color(),
        ).set_in_layout(False)


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
    # seaborn draws the figure to see whether labels overlap; their rotation is set below.
    axes.figure.set_visible(False)
    sns.heatmap(
        values,
        mask=hidden | missing,
        annot=np.array([[text(value) for value in row] for row in values]),
        fmt="",
        annot_kws={"size": text_size},
        linewidths=0.6,
        xticklabels=column_labels,
        yticklabels=row_labels,
        cbar=False,
        ax=axes,
        **colours,
    )
    axes.figure.set_visible(True)
    for row, column in np.argwhere(missing):
        axes.text(column + 0.5, row + 0.5, "–", ha="center", va="center", size=text_size)
    for text_of_cell in axes.texts:
        text_of_cell.set_in_layout(False)  # they lie within the axes; layout is slow with them
    axes.grid(False)
    axes.tick_params(length=0)
    axes.tick_params("x", rotation=90)
    axes.tick_params("y", rotation=0)


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
