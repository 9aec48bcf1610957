"""Figure 5: metrics against the divergence of the classes, with a random prior in each run."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from reproduction.core import look
from reproduction.core.metrics import Metric
from reproduction.core.panels import mean_and_population, metric_panels, shared_legend


def draw(bands: pd.DataFrame, metrics: Sequence[Metric]) -> Figure:
    """Draw the bands of the experiment, one panel per metric.

    Lines are means over the runs, with 95 % bands. Thin black lines are means of the
    population values at the drawn priors; they are jagged because the priors are random. The upper
    axis is (mu1 - mu0)², which the authors' code plots.
    """
    with look.styled():
        figure, panels = metric_panels(bands, "kl", metrics)
        figure.suptitle(
            "With a random class prior in each run, only the calibrated metrics rise steadily"
        )
        for axes in panels:
            axes.set_xlabel("KL divergence ½ (μ$_1$ − μ$_0$)²  [nats]")
            lowest, highest = axes.dataLim.intervaly
            axes.set_ylim(min(lowest, 0.0), max(highest, 1.0))
            axes.set_xlim(left=0.0)
            upper = axes.secondary_xaxis("top", functions=(lambda kl: 2 * kl, lambda x: x / 2))
            upper.set_xlabel("(μ$_1$ − μ$_0$)²")
        shared_legend(figure, metrics, mean_and_population(metrics))
        return figure
