"""Regret by one metric of the model that another metric chooses."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from reproduction.figures import style
from reproduction.figures.rank_matrices import colour_bar, draw_matrix, empty, square
from reproduction.core.metrics import Metric

__all__ = ["draw"]

_COLOURS = {"vmin": 0.0, "vmax": 0.2, "cmap": "OrRd"}


def draw(table: pd.DataFrame, metrics: Sequence[Metric], title: str) -> Figure:
    """Draw the table of `experiments.selection_regret`: mean and 90th percentile over the tasks.

    Parameters
    ----------
    table : DataFrame
        `chosen_by`, `judged_by`, `mean`, `p90`, `n_tasks`.
    metrics : sequence of Metric
        Rows and columns, in this order.
    title : str
        The tasks and the source of the models; the number of tasks is added.
    """
    labels = [metric.label for metric in metrics]
    with style.styled():
        title = f"{title}\n{table['n_tasks'].max()} tasks"
        if not table["n_tasks"].any():
            return empty(title)
        figure, panels = plt.subplots(2, 1, sharex=True, figsize=(style.FULL_WIDTH, 8.2))
        figure.suptitle(title)
        for axes, statistic in zip(panels, ("mean", "p90"), strict=True):
            values = square(table, "chosen_by", "judged_by", statistic, metrics)
            draw_matrix(axes, values, _text, labels, labels, **_COLOURS)
            axes.set_ylabel("model chosen by")
        panels[0].set_title("Mean over tasks")
        panels[1].set_title("90th percentile over tasks")
        panels[1].set_xlabel("judged by")
        label = "regret, in units of the judging metric"
        colour_bar(figure, panels, label, extend="max", aspect=50)
        return figure


def _text(regret: float) -> str:
    if regret == 0:
        return "0"
    return f"{regret:.3f}" if regret < 1 else f"{regret:.1f}"
