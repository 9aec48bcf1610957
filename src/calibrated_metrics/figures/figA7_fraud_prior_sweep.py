"""arXiv Figure 7 (appendix A): metrics on fraud data against the prior of its test set."""

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


def draw(table: pd.DataFrame, metrics: Sequence[Metric], data_name: str) -> Figure:
    """Draw the table of `experiments.fraud_prior_sweep`: mean and standard deviation of draws."""
    with style.styled():
        grouped = families(metrics)
        figure, panels = family_panels(len(grouped), sharey=True)
        figure.suptitle(data_name)
        for axes, (name, family) in zip(panels, grouped.items(), strict=True):
            for metric in family:
                metric_line(axes, table, "prior", metric, look_of(metric, family), "sd")
            axes.set_title(name)
            prior_axis(axes, "class prior π after undersampling")
            legend_below(axes, "± standard deviation of the draws")
        return figure
