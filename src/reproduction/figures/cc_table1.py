"""Table 1 of the note on calibrated classifiers: all metrics, in three computations."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from reproduction.core import look
from reproduction.figures.labels import COMPUTATIONS, METRICS

__all__ = ["draw", "threshold_grid"]

_LOOKS = {
    "accuracy": {"color": "black", "linestyle": ":"},
    "precision": look.CATEGORIES[0],
    "recall": look.CATEGORIES[2],
    "f1": {"color": look.CATEGORIES[3]["color"], "linestyle": "-"},
}
_ROW_HEIGHT = 1.55  # inches


def draw(table: pd.DataFrame) -> Figure:
    """Draw the table of `experiments.label_free_metrics.run`.

    A row per distribution, a column per computation; in each panel the metrics against the
    threshold. Where nothing lies above a threshold, precision is not drawn.
    """
    title = "Calibrated scores give the same metrics as drawn labels, with less noise"
    return threshold_grid(table, "computation", COMPUTATIONS, "metric", METRICS, _LOOKS, title)


def threshold_grid(
    table: pd.DataFrame,
    column: str,
    titles: Mapping[str, str],
    line: str,
    labels: Mapping[str, str],
    looks: Mapping[str, Mapping],
    suptitle: str,
) -> Figure:
    """Draw values against thresholds, one row of panels per distribution.

    Parameters
    ----------
    column, line : str
        Columns of the table whose values are the columns of panels, and the lines in a panel.
    titles, labels : mapping
        Labels of those values, in order.
    looks : mapping
        Line properties by value of `line`; markers are left out.
    """
    names = table["distribution"].unique()
    with look.styled():
        figure, grid = plt.subplots(
            len(names),
            len(titles),
            squeeze=False,
            sharex=True,
            sharey=True,
            figsize=(look.FULL_WIDTH, 1.0 + _ROW_HEIGHT * len(names)),
        )
        figure.suptitle(suptitle)
        for panels, name in zip(grid, names, strict=True):
            panels[0].set_ylabel(name)
            for axes, of_column in zip(panels, titles, strict=True):
                of_panel = (table["distribution"] == name) & (table[column] == of_column)
                for of_line, label in labels.items():
                    rows = table[of_panel & (table[line] == of_line)]
                    look = {**looks[of_line], "marker": None}
                    axes.plot(rows["threshold"], rows["value"], label=label, **look)
        for axes, title in zip(grid[0], titles.values(), strict=True):
            axes.set_title(title)
        for axes in grid[-1]:
            axes.set_xlabel("threshold")
        ticks = [0.0, 0.5, 1.0]
        grid[0, 0].set(xlim=(-0.02, 1.02), ylim=(-0.03, 1.03), xticks=ticks, yticks=ticks)
        handles, shown = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, shown, loc="outside lower center", ncols=len(shown), frameon=False)
        return figure
