"""Figure 4: metrics of one model against the class prior."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from calibrated_metrics.figures import style
from calibrated_metrics.figures.panels import (
    families,
    family_panels,
    legend_below,
    look_of,
    metric_line,
    prior_axis,
)
from calibrated_metrics.registry import Metric

__all__ = ["draw"]


def draw(table: pd.DataFrame, metrics: Sequence[Metric]) -> Figure:
    """Draw the table of `experiments.pi_sweep`, a panel per metric.

    Mean over the runs with its 95 % bootstrap band; thin black lines are population values.
    """
    with style.styled():
        grouped = families(metrics)
        figure, panels = family_panels(len(grouped))
        for axes, (name, family) in zip(panels, grouped.items(), strict=True):
            for metric in family:
                metric_line(axes, table, "prior", metric, look_of(metric, family), ("ci", 95))
                population = table[table["metric"] == metric.key].groupby("prior")["population"]
                axes.plot(population.mean(), **style.POPULATION)
            axes.set_title(name)
            prior_axis(axes, "class prior π")
            legend_below(axes, "95 % band of the mean", population=True)
        return figure
