"""Figure 5: metrics against the divergence of the classes, with a random prior in each run."""

import textwrap
from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from reproduction.core import findings, look
from reproduction.core.metrics import Metric
from reproduction.core.panels import mean_and_population, metric_panels, shared_legend


@look.styled()
def draw(bands: pd.DataFrame, metrics: Sequence[Metric]) -> Figure:
    """Draw the bands of the experiment; as in the paper, the divergence decreases to the right.

    The population values are jagged because the priors are random. The upper axis is what the
    authors' code plots.
    """
    figure, panels = metric_panels(bands, "kl", metrics)
    figure.suptitle(textwrap.fill(_finding(bands, metrics), 105))
    for axes in panels:
        axes.set_xlabel("KL divergence ½ (μ$_1$ − μ$_0$)²  [nats]")
        lowest, highest = axes.dataLim.intervaly
        axes.set_ylim(max(min(lowest, 0.0), findings.LOWEST), max(highest, 1.0))
        axes.set_xlim(left=-0.02 * axes.dataLim.x1)
        axes.xaxis.set_inverted(True)
        upper = axes.secondary_xaxis("top", functions=(lambda kl: 2 * kl, lambda x: x / 2))
        upper.set_xlabel("(μ$_1$ − μ$_0$)²")
    shared_legend(figure, metrics, mean_and_population(metrics))
    return figure


def _finding(bands: pd.DataFrame, metrics: Sequence[Metric]) -> str:
    """Which metrics never fall as the divergence grows."""
    rising = [
        findings.never_falls(bands[bands["metric"] == metric.key], "kl") for metric in metrics
    ]
    names = findings.named(metrics, rising, "the ordinary metrics", "the calibrated metrics")
    only = "" if all(rising) else "only "
    found = (
        f"{only}{findings.listed(names)} never fall{findings.ending(names)}"
        if names
        else "each metric falls somewhere"
    )
    return f"With a random class prior, {found} as the divergence grows (to the left)"
