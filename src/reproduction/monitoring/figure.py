"""Figure 1, arXiv Figure 11, and the two parts of the changes of AUC-PR.

Each function draws tables of `experiment.run`. `own_stream` is the setting `monitoring.path`. If it
is None, the stream is simulated: its periods are weeks, and titles say what the table shows.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from reproduction.core import findings, look
from reproduction.core.metrics import Metric
from reproduction.core.panels import band_patches, prior_axis, shared_legend

_METRIC = Metric("average_precision")
_BAND = "95 % interval"
_HOLLOW = {"s": 14, "facecolor": "white", "edgecolor": "black", "zorder": 3}
_THIN = {"linewidth": 1.0, "markersize": 2.2}
_PRIOR = {"color": look.PRIOR_PART, "linestyle": ":", "marker": "D", **_THIN}
_REFERENCE = {"color": look.CALIBRATED[0]["color"], "linewidth": 0.8}
# Keys: is it calibrated? The ordinary line is narrow and on top, so that both are visible.
_LINES = {
    False: {**look.ORDINARY, "linewidth": 1.0, "markersize": 1.8, "zorder": 2.5},
    True: look.CALIBRATED[0],
}
_ABOVE = {"xycoords": "axes fraction", "textcoords": "offset points", "ha": "center"}
_PARTS = {
    "prior_part": {"color": look.PRIOR_PART, "linestyle": "-", "marker": "o"},
    "model_part": {"color": look.MODEL_PART, "linestyle": "--", "marker": "s"},
}


@look.styled()
def draw_weeks(values: pd.DataFrame, trends: pd.DataFrame, own_stream: str | None) -> Figure:
    """Above, AUC-PR of each week in which only the fraud ratio drifts; below, the fraud ratio."""
    values = _placed(values, values)
    rows = _drawn(values[values["pi0"].isna()], "prior drift")
    trend, _ = _trends(trends, "prior drift")
    finding = f"AUC-PR of an unchanged model {trend} as frauds become rarer"
    figure, ((top,), (bottom,)) = _panels(rows, [2, 1], 3.4, finding, own_stream)
    _draw_line(top, rows, _METRIC.family, look.ORDINARY)
    _draw_priors(bottom, rows)
    bottom.set(ylabel="prior π (%)", ylim=(0.0, 115 * rows["prior"].max()))
    bottom.yaxis.set_major_locator(MaxNLocator(4))
    _legend(figure, [*top.get_lines(), *bottom.get_lines()], look.ORDINARY)
    return figure


@look.styled()
def draw_scenarios(
    values: pd.DataFrame, trends: pd.DataFrame, differences: pd.DataFrame, own_stream: str | None
) -> Figure:
    """AUC-PR, its calibrated version and the prior, with one column of panels per scenario.

    Below, the difference of the two metrics in the weeks in which only the prior drifts.
    """
    values = _placed(values, values)
    ordinary, calibrated = _trends(trends, "prior drift")
    finding = (
        f"If only the fraud ratio falls, AUC-PR {ordinary} and the calibrated AUC-PR {calibrated}"
    )
    figure, grid = _panels(values, [2.6, 1, 2], 5.4, finding, own_stream)
    for name, top, bottom in zip(values["scenario"].unique(), *grid[:2], strict=True):
        _draw_scenario(top, bottom, _drawn(values, name), _drawn(trends, name))
        top.set_title(name, pad=25)
    highest = values[["prior", "pi0"]].max(axis=None)
    grid[1, 0].set(ylabel="prior π (%)", ylim=(0.0, 115 * highest))
    lines = [line for axes in grid[:2, 0] for line in axes.get_lines()]
    _legend(figure, lines, *_LINES.values())
    for unused in grid[2]:
        unused.remove()
    across = figure.add_subplot(grid[2, 0].get_gridspec()[2, :])
    _draw_differences(across, _drawn(differences, "prior drift"))
    return figure


@look.styled()
def draw_changes(changes: pd.DataFrame, values: pd.DataFrame, own_stream: str | None) -> Figure:
    """Above, AUC-PR of each week; below, the two parts of its change since the first week."""
    values, changes = _placed(values, values), _placed(changes, values)
    values = _drawn(values[values["pi0"].isna()], "prior drift", "likelihood drift")
    finding = "; ".join(
        f"{cause} change {_parts_that_change(_drawn(changes, name))}"
        for cause, name in (("Rarer frauds", "prior drift"), ("harder frauds", "likelihood drift"))
    )
    figure, grid = _panels(values, [1, 1], 4.0, finding, own_stream)
    for name, top, bottom in zip(values["scenario"].unique(), *grid, strict=True):
        _draw_parts(top, bottom, _drawn(values, name), _drawn(changes, name))
        top.set_title(name)
    grid[1, 0].set_ylabel("change of AUC-PR\nsince the start")
    lines = [*grid[0, 0].get_lines(), *grid[1, 0].get_lines()[1:]]
    _legend(figure, lines, look.ORDINARY, *_PARTS.values())
    return figure


def _trends(trends: pd.DataFrame, scenario: str) -> list[str]:
    """Verdicts on the ordinary and the calibrated metric, as verbs."""
    verdicts = _drawn(trends, scenario).sort_values("pi0", na_position="first")["verdict"]
    verbs = {"flat": "stays the same", "no trend found": "has no clear trend"}
    return [verbs.get(verdict, verdict) for verdict in verdicts]


def _parts_that_change(changes: pd.DataFrame) -> str:
    """The parts whose intervals exclude 0 in most of the later half of the periods."""
    late = changes.iloc[len(changes) // 2 :]
    found = [
        part.replace("_", " ")
        for part in _PARTS
        if ((late[f"{part}_low"] > 0) | (late[f"{part}_high"] < 0)).mean() > 0.5
    ]
    return f"the {findings.listed(found)} of AUC-PR" if found else "no part of AUC-PR"


def _drawn(table: pd.DataFrame, *scenarios: str) -> pd.DataFrame:
    """Rows of these scenarios, or of the only scenario of a user's own stream."""
    chosen = table[table["scenario"].isin(scenarios)]
    return table if chosen.empty else chosen


def _draw_scenario(top: Axes, bottom: Axes, rows: pd.DataFrame, trends: pd.DataFrame) -> None:
    """Both metrics, with the verdict on each above the axes, in the colour of its line."""
    pi0 = rows["pi0"].max()
    calibrated = replace(_METRIC, pi0=float(f"{pi0:.2g}"))
    for metric, is_twin in ((_METRIC, False), (calibrated, True)):
        _draw_line(top, rows[rows["pi0"].notna() == is_twin], metric.label, _LINES[is_twin])
        verdict = trends.loc[trends["pi0"].notna() == is_twin, "verdict"].item()
        text = f"{'calibrated' if is_twin else _METRIC.family}: {verdict}"
        style = {"color": _LINES[is_twin]["color"], "fontsize": 7.5, **_ABOVE}
        top.annotate(text, (0.5, 1.0), (0, 3 if is_twin else 13), **style)
    bottom.axhline(100 * pi0, label="reference prior π$_0$", **_REFERENCE)
    _draw_priors(bottom, rows)
    bottom.tick_params(labelbottom=True)


def _draw_differences(axes: Axes, rows: pd.DataFrame) -> None:
    """Ordinary minus calibrated metric, against the prior."""
    axes.axhline(0.0, color="black", linewidth=0.6)
    axes.axvline(rows["pi0"].iloc[0], **_REFERENCE)
    axes.vlines(rows["prior"], rows["low"], rows["high"], color="0.3", linewidth=0.8)
    axes.plot(rows["prior"], rows["value"], color="0.3", marker="o", linestyle="none")
    _mark_withheld(axes, rows, "prior")
    axes.margins(y=0.15)
    prior_axis(axes, "prior π")
    scenario = rows["scenario"].iloc[0]
    title = f"{scenario}: difference of the two metrics (95 % intervals)"
    axes.set(title=title, ylabel=f"{_METRIC.family} −\ncalibrated")


def _draw_parts(top: Axes, bottom: Axes, values: pd.DataFrame, changes: pd.DataFrame) -> None:
    _draw_line(top, values, _METRIC.family, {**look.ORDINARY, "linestyle": "-"})
    start = values["value"].dropna().iloc[0]
    top.axhline(start, label="value at the start", color="black", linestyle="--", linewidth=0.8)
    bottom.axhline(0.0, color="black", linewidth=0.6)
    for part, line in _PARTS.items():
        columns = {f"{part}_low": "low", f"{part}_high": "high", part: "value"}
        rows = changes[["place", *columns]].rename(columns=columns)
        _draw_line(bottom, rows, part.replace("_", " "), line)


def _placed(table: pd.DataFrame, values: pd.DataFrame) -> pd.DataFrame:
    """The table with the places of its periods, which are drawn at equal distances."""
    places = {period: place for place, period in enumerate(values["period"].unique(), 1)}
    return table.assign(place=table["period"].map(places))


def _draw_line(axes: Axes, rows: pd.DataFrame, label: str, line: Mapping) -> None:
    """Values against the period, with their band."""
    axes.plot(rows["place"], rows["value"], label=label, **line)
    band = {"color": line["color"], "alpha": look.BAND_ALPHA, "linewidth": 0}
    axes.fill_between(rows["place"], rows["low"], rows["high"], **band)
    alone = rows[rows["low"].shift().isna() & rows["low"].shift(-1).isna()].dropna(subset="low")
    if len(alone):  # between gaps, where the band has no width
        axes.vlines(alone["place"], alone["low"], alone["high"], **{**band, "linewidth": 4})
    _mark_withheld(axes, rows, "place")


def _mark_withheld(axes: Axes, rows: pd.DataFrame, x: str) -> None:
    """Hollow marks on values without an interval, which are the least certain ones."""
    withheld = rows[rows["low"].isna()].dropna(subset="value")
    if len(withheld):
        axes.scatter(withheld[x], withheld["value"], **_HOLLOW)


def _draw_priors(axes: Axes, rows: pd.DataFrame) -> None:
    rows = rows.drop_duplicates("period")
    axes.plot(rows["place"], 100 * rows["prior"], label="prior π", **_PRIOR)


def _panels(
    values: pd.DataFrame, ratios: list[float], height: float, finding: str, own_stream: str | None
) -> tuple[Figure, np.ndarray]:
    """One column of panels per scenario: AUC-PR in the first row, periods on the x axis."""
    figure, grid = plt.subplots(
        len(ratios),
        values["scenario"].nunique(),
        sharex=True,
        sharey="row",
        squeeze=False,
        height_ratios=ratios,
        figsize=(look.FULL_WIDTH, height),
    )
    if own_stream:
        finding = Path(own_stream).name
        n_values, n_limits = values.groupby("period")[["value", "low"]].count().to_numpy().T
        for is_so, what in (
            (n_values == 0, "hold a single class and have no AUC-PR"),
            ((n_values > 0) & (n_limits == 0), "have too few rows for an interval (hollow marks)"),
        ):
            finding += f"\n{is_so.sum()} of {len(is_so)} periods {what}" if is_so.any() else ""
    else:
        finding += "\nsimulated card transactions, in place of the paper's private stream"
    figure.suptitle(finding)
    grid[0, 0].set_ylabel(_METRIC.family)
    periods = dict(zip(values["place"], values["period"], strict=True))
    grid[0, 0].xaxis.set_major_locator(MaxNLocator(5, integer=True))
    grid[0, 0].xaxis.set_major_formatter(lambda place, _: str(periods.get(place, "")))
    for axes in grid[1]:
        axes.set_xlabel("period" if own_stream else "monitored week")
    return figure, grid


def _legend(figure: Figure, lines: list[Line2D], *of_bands: Mapping) -> None:
    entries = {line.get_label(): line for line in lines} | {_BAND: band_patches(of_bands)}
    shared_legend(figure, [], entries, n_columns=len(entries))
