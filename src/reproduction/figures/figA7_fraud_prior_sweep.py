"""arXiv Figure 7 (appendix A): metrics on fraud data against the prior of its test set."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from calibrated_metrics.registry import Metric
from reproduction.data.fraud_data import FraudData
from reproduction.figures import style
from reproduction.figures.panels import legend_below, metric_panels, prior_axis

__all__ = ["draw"]


def draw(table: pd.DataFrame, metrics: Sequence[Metric], data: FraudData) -> Figure:
    """Draw the table of `experiments.fraud_prior_sweep`: mean and standard deviation of draws."""
    with style.styled():
        figure, panels = metric_panels(table, "prior", metrics, errorbar="sd", sharey=True)
        figure.suptitle(data.title)
        for axes in panels:
            prior_axis(axes, "class prior π after undersampling")
            legend_below(axes, "± standard deviation of the draws")
        return figure
