"""Regret by one metric of the model that another metric chooses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduction.figures import matrices, style
from reproduction.ranking.matrices import Matrix, Scale, decimals, square
from reproduction.core.metrics import Metric

__all__ = ["draw"]

_STATISTICS = {"mean": "Mean over tasks", "p90": "90th percentile over tasks"}


def draw(table: pd.DataFrame, metrics: Sequence[Metric], tasks: str, models: str) -> Figure:
    """Draw the table of `experiments.selection_regret`: mean and 90th percentile over the tasks.

    Parameters
    ----------
    table : DataFrame
        `chosen_by`, `judged_by`, `mean`, `p90`, `n_tasks`.
    metrics : sequence of Metric
        Rows and columns, in this order.
    tasks, models : str
        For the title: the tasks, and the origin of the models.
    """
    with style.styled():
        subtitle = f"{models}, {table['n_tasks'].max()} tasks"
        if not table["n_tasks"].any():
            return matrices.empty(f"{tasks}\n{subtitle}")
        labels = [metric.label for metric in metrics]
        values = [square(table, "chosen_by", "judged_by", each, metrics) for each in _STATISTICS]
        shown = np.ones(values[0].shape, dtype=bool)
        rows = [
            [Matrix(of_statistic, labels, _scale(values), shown, _text, title)]
            for of_statistic, title in zip(values, _STATISTICS.values(), strict=True)
        ]
        return matrices.draw(
            f"{tasks}{_largest(values[0], metrics)}\n{subtitle}",
            rows,
            row_axis="model chosen by",
            column_axis="judged by",
        )


def _largest(mean: np.ndarray, metrics: Sequence[Metric]) -> str:
    if not (mean > 0).any():
        return ""
    row, column = np.unravel_index(np.nanargmax(mean), mean.shape)
    chosen, judged = metrics[row].label, metrics[column].label
    return f": choosing by {chosen} loses {_text(mean[row, column])} of {judged} on average"


def _scale(values: Sequence[np.ndarray]) -> Scale:
    """Colours that reach the largest regret, unless it is much larger than most regrets."""
    positive = np.concatenate([each[each > 0] for each in values])
    label = "regret, in units of the judging metric"
    if not len(positive):
        return Scale(label, 0.0, 1.0, "OrRd")
    most, largest = 4 * np.quantile(positive, 0.75), positive.max()
    if largest > most:
        return Scale(label, 0.0, most, "OrRd", "max")
    return Scale(label, 0.0, largest, "OrRd")


def _text(regret: float) -> str:
    if regret == 0:
        return "0"
    return decimals(regret) if regret < 10 else f"{regret:.0f}"
