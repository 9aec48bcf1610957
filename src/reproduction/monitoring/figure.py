"""Figure 1, arXiv Figure 11, and the two parts of the changes of AUC-PR."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend_handler import HandlerTuple
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from reproduction.core import look
from reproduction.core.metrics import Metric
from reproduction.core.panels import band_patches, prior_axis

__all__ = ["draw_changes", "draw_scenarios", "draw_weeks"]

_METRIC = Metric("average_precision")
_SIMULATED = "simulated card transactions, in place of the paper's private stream"
_BAND = "95 % bootstrap band"
_THIN = {"linewidth": 1.0, "markersize": 2.2}
_PRIOR = {"color": look.PRIOR_PART, "linestyle": ":", "marker": "D", **_THIN}
_REFERENCE = {"color": look.CALIBRATED[0]["color"], "linewidth": 0.8}
# The ordinary line is narrow and on top, so both are visible where they coincide.
_LINES = {
    False: {**look.ORDINARY, "linewidth": 1.0, "markersize": 1.8, "zorder": 2.5},
    True: look.CALIBRATED[0],
}
_PARTS = {
    "prior_part": {"color": look.PRIOR_PART, "linestyle": "-", "marker": "o"},
    "model_part": {"color": look.MODEL_PART, "linestyle": "--", "marker": "s"},
}


# Each function draws tables of `experiment.run`. `own_stream` is the setting `monitoring.path`: a
# simulated stream has weeks, and its figures have titles that state the result.


def draw_weeks(values: pd.DataFrame, own_stream: str | None) -> Figure:
    """Above, AUC-PR of each week in which only the fraud ratio drifts; below, the fraud ratio."""
    rows = values[(values["metric"] == _METRIC.key) & values["pi0"].isna()]
    rows = _of_scenarios(rows, "prior drift")
    with look.styled():
        figure, ((top,), (bottom,)) = _grid(1, 3.4, [2, 1])
        _title(figure, "AUC-PR of an unchanged model falls as frauds become rarer", own_stream)
        _draw_line(top, rows, _METRIC.family, look.ORDINARY)
        _draw_priors(bottom, rows)
        top.set_ylabel(_METRIC.family)
        bottom.set(xlabel=_period(own_stream), ylabel="prior π [%]", ylim=(0, None))
        _legend(figure, [*top.get_lines(), *bottom.get_lines()], _BAND, look.ORDINARY)
        return figure


def draw_scenarios(
    values: pd.DataFrame, trends: pd.DataFrame, differences: pd.DataFrame, own_stream: str | None
) -> Figure:
    """A column of panels per scenario, and the differences against the prior.

    Above, AUC-PR and its calibrated twin with the verdicts on their trends; below, the prior. In
    the last row, the difference of the two metrics in the weeks in which only the prior drifts.
    """
    values, trends, differences = (
        table[table["metric"] == _METRIC.key] for table in (values, trends, differences)
    )
    names = values["scenario"].unique()
    with look.styled():
        figure, grid = _grid(len(names), 5.4, [2.6, 1, 2])
        finding = "If only the fraud ratio falls, AUC-PR falls and the calibrated AUC-PR does not"
        _title(figure, finding, own_stream)
        for name, top, bottom in zip(names, *grid[:2], strict=True):
            _draw_scenario(top, bottom, _of_scenarios(values, name))
            _write_verdicts(top, _of_scenarios(trends, name))
            top.set_title(name, pad=25)
            bottom.set_xlabel(_period(own_stream))
        highest = values[["prior", "pi0"]].max(axis=None)
        grid[0, 0].set_ylabel(_METRIC.family)
        grid[1, 0].set(ylabel="prior π [%]", ylim=(0.0, 115 * highest))
        lines = [line for axes in grid[:2, 0] for line in axes.get_lines()]
        _legend(figure, lines, _BAND, *_LINES.values())
        for unused in grid[2]:
            unused.remove()
        across = figure.add_subplot(grid[2, 0].get_gridspec()[2, :])
        _draw_differences(across, _of_scenarios(differences, "prior drift"))
        return figure


def draw_changes(changes: pd.DataFrame, values: pd.DataFrame, own_stream: str | None) -> Figure:
    """Above, AUC-PR of each week; below, the two parts of its change since the first week."""
    values = values[(values["metric"] == _METRIC.key) & values["pi0"].isna()]
    values = _of_scenarios(values, "prior drift", "likelihood drift")
    names = values["scenario"].unique()
    with look.styled():
        figure, grid = _grid(len(names), 4.0, [1, 1])
        finding = "The prior part explains the fall of AUC-PR if the fraud ratio falls, the model "
        _title(figure, f"{finding}part if the frauds change", own_stream)
        for name, top, bottom in zip(names, *grid, strict=True):
            _draw_parts(top, bottom, _of_scenarios(values, name), _of_scenarios(changes, name))
            top.set_title(name)
            bottom.set_xlabel(_period(own_stream))
        grid[0, 0].set_ylabel(_METRIC.family)
        grid[1, 0].set_ylabel("change since the start")
        lines = [*grid[0, 0].get_lines(), *grid[1, 0].get_lines()[1:]]
        _legend(figure, lines, "95 % interval", look.ORDINARY, *_PARTS.values())
        return figure


# -------------------------------------------------------------------------------------- panels


def _draw_scenario(top: Axes, bottom: Axes, rows: pd.DataFrame) -> None:
    pi0 = rows["pi0"].max()
    calibrated = replace(_METRIC, pi0=float(f"{pi0:.2g}"))
    for metric, is_twin in ((_METRIC, False), (calibrated, True)):
        _draw_line(top, rows[rows["pi0"].notna() == is_twin], metric.label, _LINES[is_twin])
    bottom.axhline(100 * pi0, label="reference prior π$_0$", **_REFERENCE)
    _draw_priors(bottom, rows)
    bottom.tick_params(labelbottom=True)


def _write_verdicts(axes: Axes, trends: pd.DataFrame) -> None:
    """The verdict on each trend, above the axes in the colour of its line."""
    for trend in trends.itertuples():
        is_twin = trend.pi0 == trend.pi0
        axes.annotate(
            f"{'calibrated' if is_twin else _METRIC.family}: {trend.verdict}",
            (0.5, 1.0),
            (0, 3 if is_twin else 13),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="center",
            fontsize=7.5,
            color=_LINES[is_twin]["color"],
        )


def _draw_differences(axes: Axes, rows: pd.DataFrame) -> None:
    """Ordinary minus calibrated metric, against the prior."""
    value, low, high = (rows[column] * rows["scale"] for column in ("value", "low", "high"))
    axes.axhline(0.0, color="black", linewidth=0.6)
    axes.axvline(rows["pi0"].iloc[0], **_REFERENCE)
    axes.vlines(rows["prior"], low, high, color="0.3", linewidth=0.8)
    axes.plot(rows["prior"], value, color="0.3", marker="o", linestyle="none")
    axes.margins(y=0.15)
    prior_axis(axes, "prior π")
    scenario = rows["scenario"].iloc[0]
    axes.set(
        ylabel=f"{_METRIC.family} −\ncalibrated",
        title=f"{scenario}: the difference depends on the prior (95 % intervals)",
    )
    if scenario == "prior drift":
        for row in rows.iloc[[0, -1]].itertuples():
            above = {"xytext": (0, 3), "textcoords": "offset points", "ha": "center", "fontsize": 7}
            axes.annotate(f"week {row.period}", (row.prior, row.high * row.scale), **above)


def _draw_parts(top: Axes, bottom: Axes, values: pd.DataFrame, changes: pd.DataFrame) -> None:
    _draw_line(top, values, _METRIC.family, {**look.ORDINARY, "linestyle": "-"})
    start = values["value"].iloc[0]
    top.axhline(start, label="value at the start", color="black", linestyle="--", linewidth=0.8)
    bottom.axhline(0.0, color="black", linewidth=0.6)
    for part, line in _PARTS.items():
        columns = {f"{part}_low": "low", f"{part}_high": "high", part: "value"}
        rows = changes[["period", *columns]].rename(columns=columns)
        _draw_line(bottom, rows, part.replace("_", " "), line)


def _draw_line(axes: Axes, rows: pd.DataFrame, label: str, line: Mapping) -> None:
    """Values against the period, with their band."""
    axes.plot(rows["period"], rows["value"], label=label, **line)
    band = {"color": line["color"], "alpha": look.BAND_ALPHA, "linewidth": 0}
    axes.fill_between(rows["period"], rows["low"], rows["high"], **band)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))


def _draw_priors(axes: Axes, rows: pd.DataFrame) -> None:
    rows = rows.drop_duplicates("period")
    axes.plot(rows["period"], 100 * rows["prior"], label="prior π", **_PRIOR)


def _of_scenarios(table: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Rows of the named scenarios; all rows of a user's own stream, which has one scenario."""
    rows = table[table["scenario"].isin(names)]
    return table if rows.empty else rows


def _grid(n_columns: int, height: float, ratios: list[float]) -> tuple[Figure, np.ndarray]:
    shared = {"sharex": True, "sharey": "row", "squeeze": False}
    size = (look.FULL_WIDTH, height)
    return plt.subplots(len(ratios), n_columns, figsize=size, height_ratios=ratios, **shared)


def _title(figure: Figure, finding: str, own_stream: str | None) -> None:
    figure.suptitle(own_stream or f"{finding}\n{_SIMULATED}")


def _period(own_stream: str | None) -> str:
    return "period" if own_stream else "week after training"


def _legend(figure: Figure, lines: list[Line2D], band: str, *of_bands: Mapping) -> None:
    figure.legend(
        [*lines, band_patches(*of_bands)],
        [*(line.get_label() for line in lines), band],
        loc="outside lower center",
        ncols=len(lines) + 1,
        frameon=False,
        handler_map={tuple: HandlerTuple(ndivide=None)},
    )
