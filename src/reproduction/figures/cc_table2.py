"""Table 2 of the note on calibrated classifiers: each metric, its three computations overlaid."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from reproduction.core import look
from reproduction.figures.cc_table1 import threshold_grid
from reproduction.figures.labels import COMPUTATIONS, METRICS

__all__ = ["draw"]

_LOOKS = {
    "labels": {**look.CATEGORIES[0], "linestyle": "-", "linewidth": 0.9},
    "scores": {**look.CATEGORIES[2], "linestyle": "-", "linewidth": 1.8},
    "distribution": {**look.POPULATION, "linestyle": "--", "linewidth": 0.9},
}


def draw(table: pd.DataFrame) -> Figure:
    """Draw the table of `experiments.label_free_metrics.run`.

    A row per distribution, a column per metric; in each panel the three computations against the
    threshold. Where nothing lies above a threshold, precision is not drawn.
    """
    title = "Metrics from calibrated scores follow those of the distribution"
    return threshold_grid(table, "metric", METRICS, "computation", COMPUTATIONS, _LOOKS, title)
