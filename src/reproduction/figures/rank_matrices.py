"""Figure 7 and arXiv Figure 10: rank correlations between metrics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduction.figures import matrices, style
from reproduction.ranking.matrices import decimals, square
from reproduction.core.metrics import Metric

__all__ = ["draw"]


def draw(table: pd.DataFrame, metrics: Sequence[Metric], tasks: str, models: str) -> Figure:
    """Draw a table of `experiments.rank_correlation` as an annotated lower triangle.

    Parameters
    ----------
    table : DataFrame
        `row`, `column`, `spearman`, `low`, `high`, `n_tasks`, `n_tasks_of_panel`.
    metrics : sequence of Metric
        Rows and columns, in this order.
    tasks, models : str
        For the title: the tasks, and the origin of the models.
    """
    with style.styled():
        subtitle = f"{models}, {_number_of_tasks(table)}"
        if not table["n_tasks"].any():
            return matrices.empty(f"{tasks}\n{subtitle}")
        values = square(table, "row", "column", "spearman", metrics)
        low, high = (square(table, "row", "column", each, metrics) for each in ("low", "high"))
        matrix = matrices.Matrix(
            values,
            [metric.label for metric in metrics],
            matrices.correlation_scale(values),
            matrices.lower_triangle(len(metrics)),
            decimals,
            notes={
                (row, column): f"[{decimals(low[row, column])}, {decimals(limit)}]"
                for (row, column), limit in np.ndenumerate(high)
                if row > column and not np.isnan(limit)
            },
        )
        return matrices.draw(f"{tasks}{_least_alike(values, metrics)}\n{subtitle}", [[matrix]])


def _least_alike(values: np.ndarray, metrics: Sequence[Metric]) -> str:
    """Name the pair of metrics with the lowest correlation; empty without a defined one."""
    below = np.where(np.tri(len(metrics), k=-1, dtype=bool), values, np.nan)
    if np.isnan(below).all():
        return ""
    row, column = np.unravel_index(np.nanargmin(below), below.shape)
    pair = f"{metrics[column].label} and {metrics[row].label}"
    return f": {pair} rank models least alike ({decimals(below[row, column])})"


def _number_of_tasks(table: pd.DataFrame) -> str:
    """Number of tasks that the cells average over, and number of tasks in the panel."""
    least, most = table["n_tasks"].min(), table["n_tasks"].max()
    n_used = f"{most}" if least == most else f"{least} to {most}"
    return f"{n_used} of {table['n_tasks_of_panel'].max()} tasks"
