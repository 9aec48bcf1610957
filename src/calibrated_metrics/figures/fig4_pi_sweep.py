"""Figure 4: metrics of one model against the class prior."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from calibrated_metrics.figures import style
from calibrated_metrics.figures.panels import families, family_panels, look_of, metric_line
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
            axes.set(title=name, xlabel="class prior π", xscale="log")
            axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
            handles, labels = axes.get_legend_handles_labels()
            axes.legend([*handles, Line2D([], [], **style.POPULATION)], [*labels, "population"])
        return figure
