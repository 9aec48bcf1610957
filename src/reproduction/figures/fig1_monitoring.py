"""Figure 1: AUC-PR of a monitored model follows the fraud ratio."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from reproduction.figures import style
from reproduction.figures.figD11_monitoring_calibrated import BAND, draw_band_line, draw_ratio
from reproduction.figures.labels import calibrated_label
from reproduction.figures.panels import prior_axis
from reproduction.core.metrics import Metric

__all__ = ["draw"]

_AVERAGE_PRECISION = Metric("average_precision")


def draw(
    values: pd.DataFrame,
    differences: pd.DataFrame,
    data_name: str,
    *,
    scenario: str = "prior drift",
    metric: Metric = _AVERAGE_PRECISION,
) -> Figure:
    """Draw the tables `by_period` and `differences` of `experiments.monitoring.run`.

    On the left, the metric and the fraud ratio of each week; on the right, how far the metric is
    from its calibrated twin, against the fraud ratio.

    Parameters
    ----------
    scenario : str
        The one to be shown.
    metric : Metric
        The ordinary one of the pair.
    """
    values, differences = (
        table[(table["scenario"] == scenario) & (table["metric"] == metric.key)]
        for table in (values, differences)
    )
    with style.styled():
        figure, (left, right) = plt.subplots(1, 2, figsize=(style.FULL_WIDTH, 2.9))
        figure.suptitle(f"{data_name}: {scenario}")
        handles = [
            *_draw_weeks(left, values[values["pi0"].isna()], metric),
            *_draw_differences(right, differences, metric),
        ]
        figure.legend(
            handles=handles, loc="outside lower center", ncols=len(handles), frameon=False
        )
        return figure


def _draw_weeks(axes: Axes, rows: pd.DataFrame, metric: Metric) -> list[Artist]:
    draw_band_line(axes, rows, metric.family, style.ORDINARY)
    axes.set(xlabel="week", ylabel=metric.family, title=f"{metric.family} and the fraud ratio")
    ratio = axes.twinx()
    draw_ratio(ratio, rows)
    ratio.set(ylabel="fraud ratio π [%]", ylim=(0, None))
    ratio.grid(False)
    ratio.spines["right"].set_visible(True)
    (metric_line,), (ratio_line,) = axes.get_lines(), ratio.get_lines()
    for side, line in ((axes, metric_line), (ratio, ratio_line)):
        side.yaxis.label.set_color(line.get_color())
        side.tick_params(axis="y", labelcolor=line.get_color())
    band = Patch(facecolor=style.ORDINARY["color"], alpha=style.BAND_ALPHA, label=BAND)
    return [metric_line, band, ratio_line]


def _draw_differences(axes: Axes, rows: pd.DataFrame, metric: Metric) -> list[Artist]:
    pi0, scale = rows["pi0"].iloc[0], rows["scale"].iloc[0]
    axes.axhline(0.0, color="black", linewidth=0.6)
    reference = axes.axvline(
        pi0, color=style.CALIBRATED[0]["color"], linewidth=0.9, label=f"π$_0$ = {pi0:.2g}"
    )
    color = style.ORDINARY["color"]
    # The interval of few draws need not contain the value, so the bars are drawn separately.
    axes.errorbar(
        rows["prior"],
        (rows["low"] + rows["high"]) / 2,
        yerr=(rows["high"] - rows["low"]) / 2,
        fmt="none",
        color=color,
        capsize=2,
        elinewidth=0.8,
    )
    (weeks,) = axes.plot(
        rows["prior"],
        rows["value"],
        color=color,
        marker=style.ORDINARY["marker"],
        linestyle="none",
        label="difference in a week",
    )
    axes.set(
        ylabel=f"({metric.family} − calibrated) / {scale:.2g}",
        title=f"Difference from {calibrated_label(metric, pi0)}",
    )
    prior_axis(axes, "fraud ratio π")
    return [weeks, reference]
