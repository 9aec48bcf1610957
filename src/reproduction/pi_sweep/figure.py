"""Figure 4: metrics of one model against the class prior."""

import textwrap
from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from reproduction.core import findings, look
from reproduction.core.metrics import Metric
from reproduction.core.panels import mean_and_population, metric_panels, prior_axis, shared_legend


@look.styled()
def draw(bands: pd.DataFrame, metrics: Sequence[Metric]) -> Figure:
    """Draw the bands of the experiment; the prior decreases from left to right, as in the paper."""
    figure, panels = metric_panels(bands, "prior", metrics)
    figure.suptitle(textwrap.fill(findings.of_prior(bands, metrics), 100))
    for axes in panels:
        prior_axis(axes, "prior π", decreasing=True)
    shared_legend(figure, metrics, mean_and_population(metrics))
    return figure
