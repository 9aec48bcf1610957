"""arXiv Figure 11: a metric and its calibrated twin, week by week, while the data drift."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from reproduction.figures import style
from reproduction.figures.labels import calibrated_label
from reproduction.core.metrics import Metric

__all__ = ["BAND", "draw", "draw_band_line", "draw_ratio"]

BAND = "95 % bootstrap band"
_RATIO = {"color": "0.35", "linestyle": ":", "linewidth": 1.0, "marker": "D", "markersize": 2.2}
_REFERENCE = {"color": style.CALIBRATED[0]["color"], "linewidth": 0.8}
_AVERAGE_PRECISION = Metric("average_precision")


def draw(
    values: pd.DataFrame,
    trends: pd.DataFrame,
    data_name: str,
    *,
    metric: Metric = _AVERAGE_PRECISION,
) -> Figure:
    """Draw the tables `by_period` and `trends` of `experiments.monitoring.run`.

    A column of panels per scenario: above, the metric and its calibrated twin with the
    verdicts on their trends; below, the fraud ratio.

    Parameters
    ----------
    metric : Metric
        The ordinary one of the pair.
    """
    values, trends = (table[table["metric"] == metric.key] for table in (values, trends))
    pi0 = values["pi0"].max()
    labels = {False: metric.family, True: calibrated_label(metric, pi0)}
    names = values["scenario"].unique()
    with style.styled():
        figure, grid = plt.subplots(
            2,
            len(names),
            squeeze=False,
            sharex=True,
            sharey="row",
            figsize=(style.FULL_WIDTH, 3.6),
            gridspec_kw={"height_ratios": [2.6, 1]},
        )
        figure.suptitle(data_name)
        for top, bottom, name in zip(*grid, names, strict=True):
            rows = values[values["scenario"] == name]
            _draw_twins(top, rows, labels)
            _write_verdicts(top, trends[trends["scenario"] == name], metric)
            top.set_title(name, pad=25)
            bottom.axhline(100 * pi0, label="reference prior π$_0$", **_REFERENCE)
            draw_ratio(bottom, rows)
            bottom.set_xlabel("week")
        grid[0, 0].set_ylabel(metric.family)
        highest = max(pi0, values["prior"].max())
        grid[1, 0].set(ylabel="fraud\nratio π [%]", ylim=(0.0, 115 * highest))
        _legend(figure, grid[0, 0], grid[1, 0])
        return figure


def _draw_twins(axes: Axes, rows: pd.DataFrame, labels: Mapping[bool, str]) -> None:
    # The ordinary line is narrow and on top, so both are visible where they coincide.
    ordinary = {**style.ORDINARY, "markersize": 1.8, "linewidth": 1.0, "zorder": 2.5}
    for calibrated, look in {False: ordinary, True: style.CALIBRATED[0]}.items():
        line = rows[rows["pi0"].notna() == calibrated]
        draw_band_line(axes, line, labels[calibrated], look)


def _write_verdicts(axes: Axes, trends: pd.DataFrame, metric: Metric) -> None:
    """The verdict on each trend, above the axes in the colour of its line."""
    calibrated = trends["pi0"].notna()
    lines = (
        (trends[~calibrated], metric.family, style.ORDINARY, 13),
        (trends[calibrated], "calibrated", style.CALIBRATED[0], 3),
    )
    for trend, name, look, points_above in lines:
        axes.annotate(
            f"{name}: {trend['verdict'].item()}",
            (0.5, 1.0),
            (0, points_above),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=7.5,
            color=look["color"],
        )


def _legend(figure: Figure, top: Axes, bottom: Axes) -> None:
    handles, labels = (
        above + below
        for above, below in zip(
            top.get_legend_handles_labels(), bottom.get_legend_handles_labels(), strict=True
        )
    )
    handles.insert(2, Patch(facecolor="0.5", alpha=style.BAND_ALPHA))
    labels.insert(2, BAND)
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)


# ----------------------------------------------------------- what it shares with Figure 1


def draw_band_line(axes: Axes, rows: pd.DataFrame, label: str, look: Mapping) -> None:
    """Values against the week, with their band."""
    axes.plot(rows["period"], rows["value"], label=label, **look)
    axes.fill_between(
        rows["period"],
        rows["low"],
        rows["high"],
        color=look["color"],
        alpha=style.BAND_ALPHA,
        linewidth=0,
    )
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))


def draw_ratio(axes: Axes, rows: pd.DataFrame) -> None:
    """Fraud ratio against the week, in percent."""
    weekly = rows.drop_duplicates("period")
    axes.plot(weekly["period"], 100 * weekly["prior"], label="fraud ratio π", **_RATIO)
