"""arXiv Figure 11: a metric and its calibrated twin, week by week, while the data drift."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.ticker import MaxNLocator

from reproduction.core import look
from reproduction.figures.labels import calibrated_label
from reproduction.core.panels import band_patches, prior_axis
from reproduction.core.metrics import Metric

__all__ = ["BAND", "draw", "draw_band_line", "draw_ratio"]

BAND = "95 % bootstrap band"
_RATIO = {
    "color": look.PRIOR_PART,
    "linestyle": ":",
    "linewidth": 1.0,
    "marker": "D",
    "markersize": 2.2,
}
_REFERENCE = {"color": look.CALIBRATED[0]["color"], "linewidth": 0.8}
_AVERAGE_PRECISION = Metric("average_precision")
_ONLY_PRIOR = "prior drift"


def draw(
    values: pd.DataFrame,
    trends: pd.DataFrame,
    differences: pd.DataFrame,
    data_name: str,
    *,
    metric: Metric = _AVERAGE_PRECISION,
) -> Figure:
    """Draw the tables `by_period`, `trends` and `differences` of `experiments.monitoring.run`.

    A column of panels per scenario: above, the metric and its calibrated twin with the
    verdicts on their trends; below, the fraud ratio. In the last row, the difference of the two
    metrics against the fraud ratio in the weeks in which only this ratio drifts.

    Parameters
    ----------
    metric : Metric
        The ordinary one of the pair.
    """
    values, trends, differences = (
        table[table["metric"] == metric.key] for table in (values, trends, differences)
    )
    pi0 = values["pi0"].max()
    labels = {False: metric.family, True: calibrated_label(metric, pi0)}
    names = values["scenario"].unique()
    with look.styled():
        figure, grid = plt.subplots(
            3,
            len(names),
            squeeze=False,
            sharex=True,
            sharey="row",
            figsize=(look.FULL_WIDTH, 5.4),
            gridspec_kw={"height_ratios": [2.6, 1, 2]},
        )
        figure.suptitle(
            "If only the fraud ratio falls, the ordinary metric falls and the calibrated one does "
            f"not\n{data_name}"
        )
        for top, bottom, name in zip(*grid[:2], names, strict=True):
            rows = values[values["scenario"] == name]
            _draw_twins(top, rows, labels)
            _write_verdicts(top, trends[trends["scenario"] == name], metric)
            top.set_title(name, pad=25)
            bottom.axhline(100 * pi0, label="reference prior π$_0$", **_REFERENCE)
            draw_ratio(bottom, rows)
            bottom.set_xlabel("week")
            bottom.tick_params(labelbottom=True)
        grid[0, 0].set_ylabel(metric.family)
        highest = max(pi0, values["prior"].max())
        grid[1, 0].set(ylabel="fraud\nratio π [%]", ylim=(0.0, 115 * highest))
        for unused in grid[2]:
            unused.remove()
        across = figure.add_subplot(grid[2, 0].get_gridspec()[2, :])
        _draw_differences(across, differences[differences["scenario"] == _ONLY_PRIOR], metric)
        _legend(figure, grid[0, 0], grid[1, 0])
        return figure


def _draw_differences(axes: Axes, rows: pd.DataFrame, metric: Metric) -> None:
    """Ordinary minus calibrated metric, with the first and the last week named."""
    value, low, high = (rows[column] * rows["scale"] for column in ("value", "low", "high"))
    axes.axhline(0.0, color="black", linewidth=0.6)
    axes.axvline(rows["pi0"].iloc[0], **_REFERENCE)
    # The interval of few draws need not contain the value, so the bars are drawn separately.
    axes.errorbar(
        rows["prior"],
        (low + high) / 2,
        yerr=(high - low) / 2,
        fmt="none",
        color="0.3",
        capsize=2,
        elinewidth=0.8,
    )
    axes.plot(rows["prior"], value, color="0.3", marker="o", linestyle="none")
    axes.margins(y=0.12)
    prior_axis(axes, f"fraud ratio π of a week ({_ONLY_PRIOR})")
    axes.set(
        ylabel=f"{metric.family} −\n{calibrated_label(metric, rows['pi0'].iloc[0])}",
        title="Only the fraud ratio drifts: the difference depends on it (95 % intervals)",
    )
    for place in (0, -1):
        axes.annotate(
            f"week {rows['period'].iloc[place]}",
            (rows["prior"].iloc[place], high.iloc[place]),
            (0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=7,
        )


def _draw_twins(axes: Axes, rows: pd.DataFrame, labels: Mapping[bool, str]) -> None:
    # The ordinary line is narrow and on top, so both are visible where they coincide.
    ordinary = {**look.ORDINARY, "markersize": 1.8, "linewidth": 1.0, "zorder": 2.5}
    for calibrated, look in {False: ordinary, True: look.CALIBRATED[0]}.items():
        line = rows[rows["pi0"].notna() == calibrated]
        draw_band_line(axes, line, labels[calibrated], look)


def _write_verdicts(axes: Axes, trends: pd.DataFrame, metric: Metric) -> None:
    """The verdict on each trend, above the axes in the colour of its line."""
    calibrated = trends["pi0"].notna()
    lines = (
        (trends[~calibrated], metric.family, look.ORDINARY, 13),
        (trends[calibrated], "calibrated", look.CALIBRATED[0], 3),
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
    handles.insert(2, band_patches(look.ORDINARY, look.CALIBRATED[0]))
    labels.insert(2, BAND)
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=len(labels),
        frameon=False,
        handler_map={tuple: HandlerTuple(ndivide=None)},
    )


# ----------------------------------------------------------- what it shares with Figure 1


def draw_band_line(axes: Axes, rows: pd.DataFrame, label: str, look: Mapping) -> None:
    """Values against the week, with their band."""
    axes.plot(rows["period"], rows["value"], label=label, **look)
    axes.fill_between(
        rows["period"],
        rows["low"],
        rows["high"],
        color=look["color"],
        alpha=look.BAND_ALPHA,
        linewidth=0,
    )
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))


def draw_ratio(axes: Axes, rows: pd.DataFrame) -> None:
    """Fraud ratio against the week, in percent."""
    weekly = rows.drop_duplicates("period")
    axes.plot(weekly["period"], 100 * weekly["prior"], label="fraud ratio π", **_RATIO)
