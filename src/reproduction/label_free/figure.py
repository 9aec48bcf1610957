"""Tables 1 and 2 of the note on calibrated classifiers, and how fast samples converge."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator

from reproduction.core import look
from reproduction.label_free.experiment import AREAS

_COMPUTATIONS = {"labels": "drawn labels", "scores": "scores alone", "distribution": "distribution"}
_METRICS = {"accuracy": "accuracy", "precision": "precision", "recall": "recall", "f1": "F1"}
_LABELS = {"computation": _COMPUTATIONS, "metric": _METRICS}  # of the values of a column
_MEASURED = {**_METRICS, **{area.key: area.label for area in AREAS}}

_LINES = {
    "accuracy": {"color": "black", "linestyle": ":"},
    "precision": look.CATEGORIES[0],
    "recall": look.CATEGORIES[2],
    "f1": {"color": look.CATEGORIES[3]["color"], "linestyle": "-"},
    "labels": {**look.CATEGORIES[0], "linestyle": "-", "linewidth": 0.9},
    "scores": {**look.CATEGORIES[2], "linestyle": "-", "linewidth": 1.8},
    "distribution": {**look.POPULATION, "linestyle": "--", "linewidth": 0.9},
}
_LINES_OF_ERRORS = {
    "labels": {"linestyle": "--", "linewidth": 1.0, "marker": "o", "markerfacecolor": "white"},
    "scores": {"linestyle": "-", "linewidth": 1.0, "marker": "s"},
}
_GUIDE = {"color": "black", "linestyle": ":", "linewidth": 1.0}


def draw_by_computation(table: pd.DataFrame) -> Figure:
    """Table 1: one row per distribution, one column per computation, one line per metric."""
    labels, scores = (_distance(table, each) for each in ("labels", "scores"))
    title = (
        f"Metrics from scores alone differ by {scores:.3f} on average from the distribution, "
        f"metrics from drawn labels by {labels:.3f}"
    )
    return _threshold_grid(table, title, "computation", "metric")


def draw_by_metric(table: pd.DataFrame) -> Figure:
    """Table 2: one row per distribution, one column per metric, one line per computation."""
    distance = _distance(table, "scores")
    title = f"Metrics from scores alone differ by {distance:.3f} on average from the distribution"
    return _threshold_grid(table, title, "metric", "computation")


def _distance(table: pd.DataFrame, computation: str) -> float:
    """Mean distance of a computation from the values of the distribution."""
    keys = ["distribution", "metric", "threshold"]
    wide = table.pivot_table("value", keys, "computation")
    return float((wide[computation] - wide["distribution"]).abs().mean())


@look.styled()
def _threshold_grid(table: pd.DataFrame, title: str, column: str, line: str) -> Figure:
    """Values against thresholds, one panel per distribution and value of a column of the table."""
    names, titles = table["distribution"].unique(), _LABELS[column]
    size = (look.FULL_WIDTH, 1.0 + 1.55 * len(names))
    figure, grid = plt.subplots(len(names), len(titles), sharex=True, sharey=True, figsize=size)
    figure.suptitle(title)
    for panels, name in zip(grid, names, strict=True):
        panels[0].set_ylabel(name)
        for axes, of_column in zip(panels, titles, strict=True):
            of_panel = (table["distribution"] == name) & (table[column] == of_column)
            for of_line, label in _LABELS[line].items():
                rows = table[of_panel & (table[line] == of_line)]
                drawn = {**_LINES[of_line], "marker": None}
                axes.plot(rows["threshold"], rows["value"], label=label, **drawn)
    for axes, heading in zip(grid[0], titles.values(), strict=True):
        axes.set_title(heading)
    plt.setp(grid[-1], xlabel="threshold")
    ticks = [0.0, 0.5, 1.0]
    grid[0, 0].set(xlim=(-0.02, 1.02), ylim=(-0.03, 1.03), xticks=ticks, yticks=ticks)
    handles, shown = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, shown, loc="outside lower center", ncols=len(shown))
    return figure


@look.styled()
def draw_convergence(table: pd.DataFrame) -> Figure:
    """Errors against sample sizes, one panel per metric, one colour per distribution."""
    names = table["distribution"].unique()
    colors = {name: each["color"] for name, each in zip(names, look.CATEGORIES, strict=True)}
    figure, grid = plt.subplots(2, 3, sharex=True, sharey="row", figsize=(look.FULL_WIDTH, 5.5))
    rmse = table.pivot_table("rmse", ["distribution", "metric", "n_samples"], "computation")
    smaller = rmse["scores"] < rmse["labels"]
    figure.suptitle(
        f"Scores alone give a smaller error than drawn labels in {smaller.sum()} of "
        f"{len(smaller)} points"
    )
    for axes, (metric, title) in zip(grid.flat, _MEASURED.items(), strict=True):
        _draw_errors(axes, table[table["metric"] == metric], colors)
        axes.set(title=title, xscale="log", yscale="log")
        for axis in (axes.xaxis, axes.yaxis):  # labels within a decade
            axis.set_minor_locator(LogLocator(subs=(2.0, 5.0)))
    plt.setp(grid[-1], xlabel="number of samples n")
    plt.setp(grid[:, 0], ylabel="root mean square error")
    handles = [Line2D([], [], color=color, label=name) for name, color in colors.items()]
    for computation, drawn in _LINES_OF_ERRORS.items():
        handles.append(Line2D([], [], color="0.3", label=_COMPUTATIONS[computation], **drawn))
    handles.append(Line2D([], [], label="slope −1/2", **_GUIDE))
    figure.legend(handles=handles, loc="outside lower center", ncols=4, handlelength=3.5)
    return figure


def _draw_errors(axes: Axes, rows: pd.DataFrame, colors: Mapping[str, str]) -> None:
    """Lines of errors, and a guide of slope -1/2 below them."""
    for name, color in colors.items():
        for computation, drawn in _LINES_OF_ERRORS.items():
            line = rows[(rows["distribution"] == name) & (rows["computation"] == computation)]
            axes.plot(line["n_samples"], line["rmse"], color=color, **drawn)
    sizes = np.sort(rows["n_samples"].unique())
    lowest = (rows["rmse"] * np.sqrt(rows["n_samples"])).min()
    axes.plot(sizes, 0.8 * lowest / np.sqrt(sizes), **_GUIDE)
    axes.margins(y=0.02)
