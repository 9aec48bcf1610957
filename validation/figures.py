"""Figures of the validation. Bars and bands are two standard errors of the simulation."""

from collections.abc import Mapping
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

BLUE, ORANGE, GREEN, PINK, BLACK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000"
STYLE = {
    **{"axes.grid": True, "axes.spines.right": False, "axes.spines.top": False},
    **{"axes.titlesize": 8, "font.size": 8, "legend.fontsize": 7, "svg.hashsalt": "validation"},
    **{"grid.alpha": 0.35, "grid.linewidth": 0.5, "figure.constrained_layout.use": True},
    **{"figure.dpi": 150, "legend.frameon": False},
}
SMALLER = "rows of the smaller class (mean)"


class Panels(NamedTuple):
    """Coverage against a column: a panel per value of the column `by`, a colour per query."""

    by: str
    kinds: Mapping[str, str]
    x: str = "smaller_class"
    label: str = SMALLER
    scale: str = "log"
    columns: int = 4
    lowest: float = 0.6


INDEPENDENT = {"independent": "rows == 'independent'"}
OF_CLUSTERS = {
    "clusters": "rows == 'clusters'",
    "clusters, taken as independent": "rows == 'clusters ignored'",
}
OF_PRIORS = {"prior of the sample": "pi0 != pi0", "π$_0$ = 0.01": "pi0 == pi0"}
KIND_COLORS = {
    **dict.fromkeys(["independent", "prior of the sample", "two samples"], BLUE),
    **dict.fromkeys(["strata", "strata or weights", "π$_0$ = 0.01", "two models"], GREEN),
    **dict(zip(OF_CLUSTERS, (PINK, ORANGE), strict=True)),
}
FIGURES = {
    "intervals": Panels(
        "metric",
        {
            "independent": "rows not in ['strata', 'weights', 'clusters', 'clusters ignored']",
            "strata or weights": "rows in ['strata', 'weights']",
            **OF_CLUSTERS,
        },
    ),
    "bootstrap": Panels("metric", OF_PRIORS, lowest=0.8),
    "differences": Panels(
        *("metric", {kind: f"rows == '{kind}'" for kind in ("two models", "two samples")}),
        lowest=0.8,
    ),
    "decisions": Panels(
        *("metric", OF_PRIORS, "tpr", "recall of the population", "linear"), columns=3, lowest=0.9
    ),
    "bands": Panels(
        *("rows", {"independent": "recall > 0"}, "recall", "recall", "linear"),
        **{"columns": 3, "lowest": 0.8},
    ),
    "changes": Panels(
        "part", {**INDEPENDENT, "strata": "rows == 'strata'", **OF_CLUSTERS}, columns=3
    ),
}


def draw(name: str, table: pd.DataFrame) -> Figure:
    """Draw the figure of a part from its table."""
    with plt.rc_context(STYLE):
        if name in FIGURES:
            return _panels(table.rename(columns=lambda c: c.replace("coverage", "covered")), name)
        return thresholds(table) if name == "thresholds" else months(table)


def _panels(table: pd.DataFrame, name: str) -> Figure:
    look = FIGURES[name]
    panels = list(dict.fromkeys(table[look.by]))
    n_rows = -(-len(panels) // look.columns)
    figure, grid = plt.subplots(
        *(n_rows, look.columns),
        **{"sharex": True, "sharey": True, "squeeze": False, "figsize": (7.2, 1.7 * n_rows + 0.6)},
    )
    handles = {}
    for axes, panel in zip(grid.flat, panels, strict=False):
        if name != "decisions":
            error = 2 * np.sqrt(0.95 * 0.05 / table["n_samples"].max())
            axes.axhspan(0.95 - error, min(0.95 + error, 1), color="0.85", linewidth=0, zorder=0)
        axes.axhline(0.95, color=BLACK, linewidth=0.7, zorder=1)
        for kind, query in look.kinds.items():
            rows = table[table[look.by] == panel].query(query)
            is_low = rows["covered"] < look.lowest
            if is_low.any():
                low = rows[is_low]
                axes.scatter(
                    *(low[look.x], [look.lowest] * len(low)),
                    **{"marker": "v", "s": 8, "color": KIND_COLORS[kind]},
                )
            if (~is_low).any():
                handles[kind] = _bars(axes, rows[~is_low], look.x, "covered", KIND_COLORS[kind])
        title = str(panel).replace("_", " ")
        axes.set(title=title, xscale=look.scale, ylim=(look.lowest - 0.02, 1.01))
        axes.xaxis.set_minor_formatter(NullFormatter())
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    figure.supxlabel(look.label, fontsize=8)
    figure.supylabel("coverage of 95 % intervals", fontsize=8)
    if len(look.kinds) > 1:
        shown = {kind: handles[kind] for kind in look.kinds if kind in handles}
        figure.legend(shown.values(), shown, loc="outside upper center", ncols=4)
    return figure


def _bars(axes: Axes, rows: pd.DataFrame, x: str, y: str, color: str, **look: object) -> object:
    """Points with error bars; the error is that of the column that has one."""
    errors = {
        f"{axis}err": 2 * rows[f"{column}_error"]
        for axis, column in (("x", x), ("y", y))
        if f"{column}_error" in rows and column != "smaller_class"
    }
    look = {"fmt": "o", "markersize": 2, "linewidth": 0.5, "alpha": 0.7, **look}
    return axes.errorbar(rows[x], rows[y], color=color, **errors, **look)


def _rows_of(axes: Axes, names: list[str]) -> None:
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.set_ylim(len(names) - 0.5, -0.5)


CHOICES = {
    "precision": "precision/known/certified",
    "precision, π$_0$ in a range": "precision/range/certified",
    "precision, π$_0$ estimated": "precision/estimated/certified",
    "recall": "recall/known/certified",
    "alert rate": "alert rate/known/certified",
    "alert rate, π$_0$ in a range": "alert rate/range/certified",
    "precision, estimate of π$_0$ taken as exact": "precision/estimate taken as known/certified",
    "precision, each threshold tested alone": "precision/known/each tested alone",
    "precision, observed on the sample": "precision/known/observed",
}
N_GUARANTEED = 6


def thresholds(table: pd.DataFrame) -> Figure:
    choice = table["goal"] + "/" + table["prior"] + "/" + table["method"]
    table = table.assign(choice=choice, place=choice.map(list(CHOICES.values()).index))
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2), width_ratios=[1.5, 1])
    for color, data, shift in ((BLUE, "ordinary", -0.12), (ORANGE, "plateau", 0.12)):
        rows = table[table["data"] == data]
        rows = rows.assign(place=rows["place"] + shift)
        _bars(left, rows, "missed", "place", color, label={"plateau": "plateaus"}.get(data, data))
    left.axhline(N_GUARANTEED - 0.5, color="0.6", linewidth=0.8, linestyle=":")
    left.axvline(0.1, color=BLACK, linewidth=0.7)
    _rows_of(left, list(CHOICES))
    left.set_xlabel("share of samples that miss the goal")
    left.legend(loc="upper right")
    names = list(CHOICES)[:1] + list(CHOICES)[-2:]
    for name, color, line in zip(names, (GREEN, PINK, BLACK), ("-", "--", ":"), strict=True):
        rows = table[(table["choice"] == CHOICES[name]) & (table["data"] == "ordinary")]
        by_size = rows.groupby("n_pos")[["relative", "relative_error"]].mean().reset_index()
        label = name.removeprefix("precision, ") if "," in name else "certified"
        _bars(right, by_size, "n_pos", "relative", color, label=label, linestyle=line)
    sizes = sorted(set(table["n_pos"]))
    right.set(xscale="log", ylim=(0, 1.2), xlabel="positives of a sample")
    right.set_xticks(sizes, map(str, sizes))
    right.minorticks_off()
    right.set_ylabel("recall relative to the best threshold")
    right.legend(loc="lower right")
    return figure


def months(table: pd.DataFrame) -> Figure:
    rows = table[table["rows"] != "clusters ignored"]
    of = rows["drift"].where(rows["rows"] != "clusters", "clusters").replace("none", "")
    sizes = rows["n_labelled"].map("{:,} rows, → ".format)
    name = rows["population"] + ", " + sizes + rows["new_prior"].map(str) + ", " + of
    name = name.str.removesuffix(", ")
    names = list(dict.fromkeys(name))
    rows = rows.assign(place=name.map(names.index))
    figure, panels = plt.subplots(1, 3, sharey=True, figsize=(9, 0.16 * len(names) + 1.1))
    colors = {"prior": BLUE, "AUC-PR": GREEN, "AUC-PR at the old prior": ORANGE}
    for axes, (column, title, at) in zip(
        panels,
        (
            *(("error", "relative bias", 0), ("covered", "coverage, 90 % intervals", 0.9)),
            ("withheld", "label shift refuted", 0.05),
        ),
        strict=True,
    ):
        axes.axvline(at, color=BLACK, linewidth=0.7)
        axes.set_title(title)
        for estimate in list(colors)[: {"error": 3, "covered": 2, "withheld": 1}[column]]:
            chosen = rows[(rows["estimate"] == estimate) & rows[column].notna()]
            _bars(axes, chosen, column, "place", colors[estimate], label=estimate)
        if column != "error":
            axes.set_xlim(-0.02, 1.02)
    panels[0].set_xscale("symlog", linthresh=0.2)
    panels[0].set_xticks([-0.3, 0, 0.3, 3], ["−0.3", "0", "0.3", "3"])
    panels[0].minorticks_off()
    _rows_of(panels[0], names)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure
