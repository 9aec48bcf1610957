"""Figures 2 and 6 and arXiv Figure 7 (appendix A), each from tables of the fraud data."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.core import findings, look
from reproduction.core.metrics import Metric
from reproduction.core.panels import (
    band_patches,
    families,
    look_of,
    metric_panels,
    prior_axis,
    shared_legend,
)
from reproduction.fraud import published

_SPACES = {
    "roc": ("ROC", "false positive rate", "true positive rate", Metric("roc_auc")),
    "pr": ("precision-recall", "recall", "precision", Metric("average_precision")),
    "prg": ("precision-recall gain", "recall gain", "precision gain", Metric("prg_auc")),
}
# The balanced sample is a wide line below the others, so that these stay visible.
_SAMPLES = {
    "all": ("test set, π", {**look.ORDINARY, "zorder": 2.2}),
    "undersampled": ("undersampled, π", {**look.UNDERSAMPLED, "linewidth": 3, "alpha": 0.55}),
    "calibrated": ("calibrated, π$_0$", {**look.CALIBRATED[0], "linewidth": 1.0, "zorder": 2.1}),
}
# The colours of the paper's Figure 6.
_HEURISTIC = {"color": "#D62728", "linewidth": 1.0}
_CLOSED_FORM = {"color": "#1F77B4", "linestyle": "none", "marker": "o", "markersize": 3.2}
_LIMITS = {"linestyle": ":", "linewidth": 0.9}
# Readings of a published figure are open markers below ours.
_PUBLISHED = {"linestyle": "none", "fillstyle": "none", "zorder": 1.9}
_RING = {**_PUBLISHED, "marker": "o", "markersize": 6.5, "color": "black", "markeredgewidth": 0.7}
# The colours and markers of the paper's figure of appendix A.
_APPENDIX_A = {
    "average_precision": {"color": "b", "marker": "o"},
    "prg_auc": {"color": "r", "marker": "^"},
    "fbeta": {"color": "g", "marker": "s"},
}
_VISIBLE = 0.01  # difference of two areas


def _name_of(data: pd.DataFrame) -> str:
    """Name of the data in titles, from the table `fraud_data`."""
    name, simulated = data.loc[0, ["name", "simulated"]]
    return f"{name}, in place of Kaggle's fraud data" if simulated else name


@look.styled()
def draw_curves(table: pd.DataFrame, data: pd.DataFrame) -> Figure:
    """Draw the table of `experiment.curves`, one panel per space."""
    figure, panels = plt.subplots(1, len(_SPACES), figsize=(look.FULL_WIDTH, 3.6))
    figure.suptitle(f"{_finding_of_curves(table)}\n{_name_of(data)}")
    for axes, (space, (title, x_label, y_label, metric)) in zip(
        panels, _SPACES.items(), strict=True
    ):
        for sample, (name, style) in _SAMPLES.items():
            line = table[(table["space"] == space) & (table["sample"] == sample)]
            prior, area = line["prior"].iloc[0], line["area"].iloc[0]
            label = f"{area:.3f}  {name} = {prior:.2g}"
            axes.plot(line["x"], line["y"], label=label, **{**style, "marker": None})
        axes.set(title=title, xlabel=x_label, ylabel=y_label, box_aspect=1, anchor="N")
        axes.set(xlim=(-0.02, 1.02), ylim=(min(-0.02, axes.dataLim.y0 - 0.02), 1.02))
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), title=metric.family)
    return figure


def _finding_of_curves(table: pd.DataFrame) -> str:
    """Which areas of the test set change if they are calibrated to the prior of its sample."""
    areas = table.groupby(["sample", "space"], sort=False)["area"].first()
    moved = (areas["calibrated"] - areas["all"]).abs() > _VISIBLE
    names = {space: metric.family for space, (*_, metric) in _SPACES.items()}
    changed, same = (
        [name for space, name in names.items() if moved[space] == wanted]
        for wanted in (True, False)
    )
    return findings.of_cause(
        f"Calibration to π$_0$ = {table['pi0'].max():g} changes", changed, same
    )


@look.styled()
def draw_heuristic(table: pd.DataFrame, data: pd.DataFrame) -> Figure:
    """Draw the table of `experiment.heuristic`: areas, and the gap in standard deviations.

    As in the paper, the undersamples are a red line with a shadow of one standard deviation, and
    the closed form is blue dots. Error bars below are 95 % intervals of the mean. The published
    values are black rings if the data are those of the paper.
    """
    size = (look.SINGLE_WIDTH, 4.3)
    figure, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=size, height_ratios=(2, 1))
    figure.suptitle(f"{_finding_of_heuristic(table)}\n{_name_of(data)}")
    pi0, mean, sd = table["pi0"], table["mean"], table["sd"]
    shadow = {"color": _HEURISTIC["color"], "alpha": look.BAND_ALPHA, "linewidth": 0}
    top.fill_between(pi0, mean - sd, mean + sd, label="± SD of a draw", **shadow)
    top.plot(pi0, mean, label="undersampling, mean", **_HEURISTIC)
    top.plot(pi0, table["closed_form"], label="closed form", **_CLOSED_FORM)
    for limit, label in (("low", "closed form, 95 % interval"), ("high", None)):
        top.plot(pi0, table[limit], label=label, color=_CLOSED_FORM["color"], **_LIMITS)
    if published.are_of(data):
        values = published.values_of("figure_6")["closed_form"]
        top.plot(values, label="closed form, published", **_RING)
    top.set(ylabel="AUC-P$_c$R")
    top.legend(loc="lower right", frameon=True, handlelength=1.5)
    _draw_gaps(bottom, table)
    return figure


def _finding_of_heuristic(table: pd.DataFrame) -> str:
    """Whether a reader sees a difference between a mean and the closed form."""
    gap = (table["mean"] - table["closed_form"]).abs().max()
    if gap <= _VISIBLE:
        return "On average, undersampling agrees with\nthe closed form of calibration"
    return f"The mean of undersampling differs from\nthe closed form by up to {gap:.2g}"


def _draw_gaps(axes: Axes, table: pd.DataFrame) -> None:
    axes.plot(table["pi0"], 0.0 * table["pi0"], color=_CLOSED_FORM["color"], linewidth=0.8)
    axes.set_ylabel("(mean − closed\nform) / SD")
    prior_axis(axes, "reference prior π$_0$")
    table = table[table["sd"] > 0]  # at the prior itself nothing is random
    if table.empty:
        axes.text(0.5, 0.6, "all draws are equal", transform=axes.transAxes, ha="center")
        axes.set(yticks=[0.0], ylim=(-1, 1))
        return
    gaps = table[["mean", "expected"]].sub(table["closed_form"], axis=0).div(table["sd"], axis=0)
    error = 1.96 / table["n_runs"] ** 0.5  # of the mean, in standard deviations of one draw
    points = {**_HEURISTIC, "linestyle": "none", "marker": "o", "capsize": 2, "elinewidth": 0.8}
    axes.errorbar(
        table["pi0"], gaps["mean"], yerr=error, label="mean, with 95 % interval", **points
    )
    axes.plot(table["pi0"], gaps["expected"], label="exact expectation", **look.POPULATION)
    reach = 1.1 * max((gaps["mean"].abs() + error).max(), gaps["expected"].abs().max())
    axes.set(ylim=(-reach, reach))
    axes.figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2)


@look.styled()
def draw_prior_sweep(
    bands: pd.DataFrame, intervals: pd.DataFrame, metrics: Sequence[Metric], data: pd.DataFrame
) -> Figure:
    """Draw the means of the runs, with bands of one standard deviation, and the intervals.

    If the data are those of the paper, a panel above them is the paper's figure. The title names
    the metrics that the tables of `experiment.prior_sweep` do not have.
    """
    missing = [metric.family for metric in metrics if metric.key not in set(bands["metric"])]
    metrics = [metric for metric in metrics if metric.family not in missing]
    name = _name_of(data)
    if missing:
        name += f", without {', '.join(dict.fromkeys(missing))}: its scores are not probabilities"
    spread = {"low": bands["value"] - bands["sd"], "high": bands["value"] + bands["sd"]}
    figure, panels = metric_panels(bands.assign(**spread), "prior", metrics)
    figure.suptitle(f"{findings.of_prior(bands, metrics)}\n{name}")
    for axes, family in zip(panels, families(metrics).values(), strict=True):
        for metric in family:
            rows = intervals[intervals["metric"] == metric.key]
            colour = look_of(metric, metrics)["color"]
            axes.plot(rows["prior"], rows[["low", "high"]], color=colour, **_LIMITS)
        prior_axis(axes, "prior π after undersampling", decreasing=True)
    withheld = ", where not withheld" if intervals["low"].isna().any() else ""
    entries = {
        "± SD of a draw": band_patches(look_of(metric, metrics) for metric in metrics),
        f"95 % interval, whole test set{withheld}": Line2D([], [], color="0.3", **_LIMITS),
    }
    shared_legend(figure, metrics, entries)
    if published.are_of(data):
        _draw_as_published(_panel_above(figure, panels), bands, metrics)
    return figure


def _panel_above(figure: Figure, panels: Sequence[Axes]) -> Axes:
    """Add a panel over the width of a figure, above its panels."""
    old = panels[0].get_gridspec()
    grid = figure.add_gridspec(old.nrows + 1, old.ncols)
    for axes in panels:
        place = axes.get_subplotspec()
        axes.set_subplotspec(grid[place.rowspan.start + 1, place.colspan.start])
    figure.set_figheight(figure.get_figheight() + 2.8)
    return figure.add_subplot(grid[0, :])


def _draw_as_published(axes: Axes, bands: pd.DataFrame, metrics: Sequence[Metric]) -> None:
    """Draw the means as the paper does, and the published values as open markers."""
    values = published.values_of("figure_A7")
    for metric in metrics:
        if metric.key in values:
            rows = bands[bands["metric"] == metric.key]
            style = _APPENDIX_A[metric.score]
            line = {"color": style["color"], "linestyle": ":" if metric.pi0 is None else "-"}
            axes.plot(rows["prior"], rows["value"], label=metric.label, **line)
            axes.plot(values[metric.key], **_PUBLISHED | style, markersize=5)
    axes.plot([], [], label="published", **_RING)
    axes.set(title="All metrics, as in the paper", xlabel="prior π", ylabel="performance measure")
    axes.set_xlim(0.525, -0.024)
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.18)}
    axes.legend(**place, ncols=7, columnspacing=0.9, handlelength=1.5, handletextpad=0.5)
