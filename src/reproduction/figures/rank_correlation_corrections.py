"""Rank correlations by the authors' and the corrected conventions, and their difference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.figures import style
from reproduction.figures.rank_matrices import (
    CORRELATION,
    colour_bar,
    draw_matrix,
    empty,
    square,
    two_decimals,
)
from reproduction.metrics import Metric

__all__ = ["draw"]

_CHANGE = {"vmin": -0.25, "vmax": 0.25, "cmap": "RdBu"}
_NAMES = {
    "all": "All tasks",
    "imbalanced": "Imbalanced tasks",
    "small_prior": "Tasks with a small prior",
}
_TEXT_SIZE = 5.0
_UNITS = {100: "hundredths", 1000: "thousandths"}


def draw(
    table: pd.DataFrame,
    metrics: Sequence[Metric],
    imbalanced_metrics: Sequence[Metric],
    title: str,
    titles: Sequence[str],
) -> Figure:
    """Draw the table of `experiments.rank_correlation.corrections`, a row of matrices per panel.

    Each row shows the matrix by the authors' conventions, with all corrections, and the change.

    Parameters
    ----------
    table : DataFrame
        `panel`, `correction`, `row`, `column`, `as_published`, `corrected`, `change`.
    metrics : sequence of Metric
        Of the panels "all" and "small_prior".
    imbalanced_metrics : sequence of Metric
        Of the panel "imbalanced".
    title : str
        Source of the models.
    titles : sequence of str
        What the matrices by the authors' conventions and the corrected ones are called.
    """
    with style.styled():
        names = list(table["panel"].unique())
        # Four characters fit into a cell.
        drawn = table.loc[table["correction"] == "all", "change"]
        unit = 1000 if drawn.abs().max() < 0.1 else 100
        if not names:
            return empty(title)
        figure, rows = plt.subplots(
            len(names), 3, squeeze=False, figsize=(style.FULL_WIDTH, 0.6 + 2.75 * len(names))
        )
        figure.suptitle(title)
        for name, panels in zip(names, rows, strict=True):
            cells = table[table["panel"] == name]
            of_panel = imbalanced_metrics if name == "imbalanced" else metrics
            _draw_row(panels, cells[cells["correction"] == "all"], of_panel, unit)
            for axes, heading in zip(panels, (*titles, f"Change, in {_UNITS[unit]}"), strict=True):
                axes.set_title(f"{_NAMES[name]}\n{heading}")
        label = "mean Spearman correlation"
        colour_bar(figure, rows.ravel(), label, location="bottom", shrink=0.5)
        return figure


def _draw_row(
    panels: Sequence[Axes],
    cells: pd.DataFrame,
    metrics: Sequence[Metric],
    unit: int,
) -> None:
    labels = [metric.label for metric in metrics]
    columns = (
        ("as_published", _without_leading_zero, CORRELATION),
        ("corrected", _without_leading_zero, CORRELATION),
        ("change", partial(_in_units, unit=unit), _CHANGE),
    )
    for axes, (name, text, colours) in zip(panels, columns, strict=True):
        values = square(cells, "row", "column", name, metrics)
        draw_matrix(axes, values, text, labels, labels, lower=True, text_size=_TEXT_SIZE, **colours)
        axes.tick_params(labelsize=_TEXT_SIZE)
        if axes is not panels[0]:
            axes.set_yticklabels([])


def _without_leading_zero(correlation: float) -> str:
    return two_decimals(correlation).replace("0.", ".", 1)


def _in_units(change: float, unit: int) -> str:
    rounded = round(unit * change)
    return f"{rounded:+d}".replace("-", "−") if rounded else "0"
