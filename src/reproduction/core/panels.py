"""Figures with one panel per metric and its calibrated versions."""

import math
from collections.abc import Iterable, Mapping, Sequence

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import NullFormatter

from reproduction.core import look
from reproduction.core.findings import LOWEST
from reproduction.core.metrics import Metric

_PER_ROW = 3
_PANEL_HEIGHT = 2.3  # inches
_BELOW = "below the panel"
_ARROW = {"linestyle": "none", "marker": "v", "markersize": 5, "clip_on": False, "zorder": 4}
_LINE = {"errorbar": None, "markeredgewidth": 0, "legend": False}


def families(metrics: Sequence[Metric]) -> dict[str, list[Metric]]:
    """Group metrics that differ only in their reference prior, by the title of their panel."""
    grouped: dict[tuple, list[Metric]] = {}
    for metric in metrics:
        grouped.setdefault((metric.score, *sorted(metric.options.items())), []).append(metric)
    return {_title(family[0]): family for family in grouped.values()}


def _title(metric: Metric) -> str:
    """Title of the panel, with the options that the label of the metric omits."""
    template = metric.of_library.facts.label
    options = ", ".join(
        f"{name} {value:g}" for name, value in metric.options.items() if f"{{{name}" not in template
    )
    return f"{metric.family} ({options})" if options else metric.family


def family_panels(n_panels: int) -> tuple[Figure, list[Axes]]:
    """A figure over the page width with at most three panels per row."""
    n_columns = min(n_panels, _PER_ROW)
    n_rows = -(-n_panels // _PER_ROW)
    figure, axes = plt.subplots(
        n_rows,
        n_columns,
        squeeze=False,
        # Wide enough for a title and a legend above and below one panel.
        figsize=(look.FULL_WIDTH * max(n_columns, 2.5) / _PER_ROW, 0.75 + _PANEL_HEIGHT * n_rows),
    )
    for empty in axes.flat[n_panels:]:
        empty.remove()
    return figure, list(axes.flat[:n_panels])


def look_of(metric: Metric, metrics: Sequence[Metric]) -> dict:
    """Colour, line and marker of a metric: one style per reference prior of a figure."""
    if metric.pi0 is None:
        return look.ORDINARY
    priors = list(dict.fromkeys(each.pi0 for each in metrics if each.pi0 is not None))
    return look.CALIBRATED[priors.index(metric.pi0) % len(look.CALIBRATED)]


def band_patches(looks: Iterable[Mapping]) -> tuple[Patch, ...]:
    """Patches in the distinct colours of bands, side by side in one entry of a legend."""
    colors = dict.fromkeys(each["color"] for each in looks)
    return tuple(Patch(facecolor=color, alpha=look.BAND_ALPHA) for color in colors)


def prior_axis(axes: Axes, label: str, *, decreasing: bool = False) -> None:
    """An axis with plain numbers; logarithmic unless the priors are close to each other."""
    axes.set_xlabel(label)
    if decreasing:
        axes.xaxis.set_inverted(True)
    lowest, highest = axes.dataLim.intervalx
    if highest < 5 * lowest:
        return
    axes.set_xscale("log")
    steps = [factor * 10.0**power for power in range(-9, 1) for factor in (1, 2, 5)]
    ticks = [step for step in steps if 0.999 * lowest <= step <= 1.001 * highest]
    labelled = ticks if highest < 30 * lowest else _few(ticks)
    axes.set_xticks(labelled, [f"{tick:g}" for tick in labelled])
    axes.set_xticks([tick for tick in ticks if tick not in labelled], minor=True)
    axes.xaxis.set_minor_formatter(NullFormatter())


def _few(ticks: list[float]) -> list[float]:
    """Powers of ten, and the ends of the axis that are not close to one."""
    decades = [tick for tick in ticks if math.log10(tick) == round(math.log10(tick))]
    ends = [
        tick
        for tick in (ticks[0], ticks[-1])
        if all(abs(math.log10(tick / decade)) > 0.25 for decade in decades)
    ]
    return decades + ends


def shared_legend(
    figure: Figure,
    metrics: Sequence[Metric],
    others: Mapping[str, Artist | tuple],
    n_columns: int = 4,
) -> None:
    """One legend for all panels: the styles of metrics, then other entries by their labels.

    The arrows of `metric_panels` are the last entry, if there are any.
    """
    entries = {}
    for metric in metrics:
        label = f"calibrated, {metric.reference}" if metric.reference else "ordinary metric"
        entries[label] = Line2D([], [], markeredgewidth=0, **look_of(metric, metrics))
    entries |= others
    arrows = [line for axes in figure.axes for line in axes.lines if line.get_label() == _BELOW]
    entries |= {_BELOW: tuple(arrows)} if arrows else {}
    figure.legend(
        list(entries.values()),
        list(entries),
        loc="outside lower center",
        ncols=min(len(entries), n_columns),
        handlelength=3,
        handler_map={tuple: HandlerTuple(ndivide=None)},
    )


def mean_and_population(metrics: Sequence[Metric]) -> dict[str, Artist | tuple]:
    """Entries of the legend for the population values and the bands of `metric_panels`."""
    return {
        "population value": Line2D([], [], **look.POPULATION),
        "95 % band of the mean": band_patches(look_of(metric, metrics) for metric in metrics),
    }


def metric_panels(
    table: pd.DataFrame, x: str, metrics: Sequence[Metric]
) -> tuple[Figure, list[Axes]]:
    """Draw a table of `bands`, one panel per metric: means, and a band from `low` to `high`.

    Population values, if there are any, are a thin dotted line. Bands end at the range of their
    metric. A panel ends at `LOWEST`, and an arrow at its edge marks each mean below.
    """
    import seaborn as sns  # slow to import

    grouped = families(metrics)
    figure, panels = family_panels(len(grouped))
    for axes, (title, family) in zip(panels, grouped.items(), strict=True):
        for metric in family:
            rows = table[table["metric"] == metric.key].sort_values(x)
            line = look_of(metric, metrics)
            sns.lineplot(rows, x=x, y="value", label=metric.label, ax=axes, **_LINE, **line)
            band = {"color": line["color"], "alpha": look.BAND_ALPHA, "linewidth": 0}
            limits = rows[["low", "high"]].clip(*metric.of_library.facts.range)
            axes.fill_between(rows[x], limits["low"], limits["high"], **band)
            if "population" in rows:
                axes.plot(rows[x], rows["population"], **look.POPULATION)
            below = rows.loc[rows["value"] < LOWEST, x]
            if len(below):
                at_edge = {"transform": axes.get_xaxis_transform(), "color": line["color"]}
                axes.plot(below, 0 * below, label=_BELOW, **at_edge, **_ARROW)
        axes.set(title=title, ylabel="")
        if axes.dataLim.y0 < LOWEST:
            axes.set_ylim(LOWEST, axes.dataLim.y1 + 0.05 * (axes.dataLim.y1 - LOWEST))
    return figure, panels
