"""How fast metrics of samples approach those of their distribution, with and without labels."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator

from reproduction.core import look
from reproduction.figures.labels import COMPUTATIONS, TITLES

__all__ = ["draw"]

_COLORS = [look["color"] for look in look.CATEGORIES]
_LOOKS = {
    "labels": {"linestyle": "--", "linewidth": 1.0, "marker": "o", "markerfacecolor": "white"},
    "scores": {"linestyle": "-", "linewidth": 1.0, "marker": "s"},
}
_GUIDE = {"color": "black", "linestyle": ":", "linewidth": 1.0}
_PER_ROW = 3
_ROW_HEIGHT = 2.2  # inches


def draw(table: pd.DataFrame) -> Figure:
    """Draw the table of `experiments.label_free_metrics.convergence`.

    A panel per metric: root mean square error against the sample size, a colour per distribution,
    a line style per computation. The dotted guide falls as n^(-1/2).
    """
    names = table["distribution"].unique()
    colors = {name: _COLORS[index % len(_COLORS)] for index, name in enumerate(names)}
    metrics = [metric for metric in TITLES if (table["metric"] == metric).any()]
    n_rows = -(-len(metrics) // _PER_ROW)
    with look.styled():
        figure, grid = plt.subplots(
            n_rows,
            _PER_ROW,
            squeeze=False,
            sharex=True,
            sharey=True,
            figsize=(look.FULL_WIDTH, 1.1 + _ROW_HEIGHT * n_rows),
        )
        figure.suptitle("Without labels, calibrated scores give the smaller error")
        for axes in grid.flat[len(metrics) :]:
            axes.remove()
        for axes, metric in zip(grid.flat, metrics, strict=False):
            rows = table[table["metric"] == metric]
            _draw_errors(axes, rows, colors)
            _draw_guide(axes, rows)
            axes.set(title=TITLES[metric], xscale="log", yscale="log")
            for axis in (axes.xaxis, axes.yaxis):  # labelled where less than a decade is shown
                axis.set_minor_locator(LogLocator(subs=(2.0, 5.0)))
        for axes in grid[-1]:
            axes.set_xlabel("number of samples n")
        for axes in grid[:, 0]:
            axes.set_ylabel("root mean square error")
        figure.legend(
            handles=_legend_handles(colors),
            loc="outside lower center",
            ncols=4,
            handlelength=3.5,
            frameon=False,
        )
        return figure


def _draw_errors(axes: Axes, rows: pd.DataFrame, colors: Mapping[str, str]) -> None:
    for name, color in colors.items():
        for computation, look in _LOOKS.items():
            line = rows[(rows["distribution"] == name) & (rows["computation"] == computation)]
            axes.plot(line["n_samples"], line["rmse"], color=color, **look)


def _draw_guide(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw a line of slope -1/2 below all others."""
    sizes = np.sort(rows["n_samples"].unique())
    lowest = (rows["rmse"] * np.sqrt(rows["n_samples"])).min()
    axes.plot(sizes, 0.7 * lowest / np.sqrt(sizes), **_GUIDE)


def _legend_handles(colors: Mapping[str, str]) -> list[Line2D]:
    return [
        *(Line2D([], [], color=color, label=name) for name, color in colors.items()),
        *(
            Line2D([], [], color="0.3", label=COMPUTATIONS[computation], **look)
            for computation, look in _LOOKS.items()
        ),
        Line2D([], [], label="slope −1/2", **_GUIDE),
    ]
