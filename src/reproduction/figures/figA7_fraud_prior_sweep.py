"""arXiv Figure 7 (appendix A): metrics on fraud data against the prior of its test set."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.fraud.fraud_data import FraudData
from reproduction.core import look
from reproduction.core.panels import (
    families,
    look_of,
    metric_panels,
    prior_axis,
    shared_legend,
)
from reproduction.core.metrics import Metric

__all__ = ["draw"]

_LIMITS = {"linestyle": ":", "linewidth": 0.9}


def draw(
    table: pd.DataFrame, intervals: pd.DataFrame, metrics: Sequence[Metric], data: FraudData
) -> Figure:
    """Draw the tables of `experiments.fraud_prior_sweep`: draws, and intervals from all data."""
    with look.styled():
        figure, panels = metric_panels(table, "prior", metrics, errorbar="sd", sharey=True)
        figure.suptitle(
            "Calibrated metrics stay the same when undersampling raises the prior of the test set"
            f"\n{data.title}"
        )
        for axes, family in zip(panels, families(metrics).values(), strict=True):
            for metric in family:
                rows = intervals[intervals["metric"] == metric.key]
                colour = look_of(metric, metrics)["color"]
                axes.plot(rows["prior"], rows[["low", "high"]], color=colour, **_LIMITS)
            prior_axis(axes, "class prior π after undersampling")
        interval = Line2D([], [], color="0.3", **_LIMITS)
        shared_legend(figure, metrics, {"95 % interval from all data": interval})
        return figure
