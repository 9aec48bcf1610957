"""Figure 4: metrics of one model against the class prior."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from reproduction.core import look as style
from reproduction.core.panels import legend_below, metric_panels, prior_axis
from reproduction.core.metrics import Metric

__all__ = ["draw"]


def draw(table: pd.DataFrame, metrics: Sequence[Metric]) -> Figure:
    """Draw the table of `experiments.pi_sweep`, a panel per metric.

    Mean over the runs with its 95 % bootstrap band; thin black lines are population values.
    """
    with style.styled():
        figure, panels = metric_panels(table, "prior", metrics, errorbar=("ci", 95))
        for axes in panels:
            prior_axis(axes, "class prior π")
            legend_below(axes, "95 % band of the mean", population=True)
        return figure
