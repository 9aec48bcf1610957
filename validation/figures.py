"""Figures of the validation. Bars and bands are two standard errors of the simulation."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from reproduction.core import look
from reproduction.core.panels import family_panels
from validation.label_errors import DELAYS

COLORS = ("#0072B2", "#009E73", "#CC79A7", "#D55E00", "#E69F00", "#56B4E9")
POINTS = {"fmt": "o", "markersize": 2, "linewidth": 0.5, "alpha": 0.7}
N_GUARANTEED = 16  # these choices of a threshold come first
KINDS = {  # labels of rows with the same colour
    **dict.fromkeys(("few negatives", "rare errors", "rounded scores"), "independent"),
    "clusters ignored": "clusters, taken as independent",
    **dict.fromkeys(
        ("strata", "weights", "hospitals", "hospitals by class"), "audits, strata or weights"
    ),
    "rates by row": "known rates",
    **dict.fromkeys((f"delays: {each}" for each in DELAYS), "estimated rates"),
    "two models, checked by people": "checked by people",
    **{"nan": "prior of the sample", "0.01": "π$_0$ = 0.01"},
}
COVERAGE = {  # columns for panels, colours and the x axis, and the lowest coverage shown
    "intervals": ("metric", "rows", "smaller_class", 0.6),
    "random_rows": ("metric", "rows", "smaller_class", 0.8),
    "few_rows": ("metric", "rows", "smaller_class", 0.6),
    "few_levels": ("metric", "rows", "smaller_class", 0.8),
    "real_models": ("metric", "pi0", "smaller_class", 0.8),
    "out_of_fold": ("metric", "method", "smaller_class", 0.2),
    "bootstrap": ("metric", "pi0", "smaller_class", 0.8),
    "differences": ("metric", "rows", "smaller_class", 0.8),
    "decisions": ("metric", "pi0", "tpr", 0.9),
    "classes": ("metric", "rows", "smaller_class", 0.8),
    "bands": ("rows", None, "recall", 0.8),
    "changes": ("part", "rows", "smaller_class", 0.6),
    "proper_scores": ("metric", "rows", "smaller_class", 0.8),
    "label_errors": ("metric", "rows", "smaller_class", 0.8),
    "verified": ("metric", "rows", "smaller_class", 0.6),
}


def draw(part: str, table: pd.DataFrame) -> Figure:
    """Draw the table of a part."""
    with look.styled():
        if part in COVERAGE:
            return coverage(table, *COVERAGE[part])
        return thresholds(table) if part == "thresholds" else months(table)


def coverage(table: pd.DataFrame, by: str, kind: str | None, x: str, lowest: float) -> Figure:
    """Coverage against `x`, one panel per value of `by`; triangles mark values below the axis."""
    table = table.dropna(subset="covered")  # designs whose intervals are all refused or withheld
    kinds = table[kind].map(str).replace(KINDS) if kind else pd.Series("", table.index)
    colors = dict(zip(kinds.unique(), COLORS, strict=False))
    panels = table[by].unique()
    figure, grid = family_panels(len(panels))
    for axes, panel in zip(grid, panels, strict=True):
        _nominal(axes, table["n_samples"].max())
        for each, rows in table[table[by] == panel].groupby(kinds, sort=False):
            shown, low = rows[rows["covered"] >= lowest], rows[rows["covered"] < lowest]
            bars = 2 * shown["covered_error"]
            axes.errorbar(shown[x], shown["covered"], bars, color=colors[each], **POINTS)
            axes.scatter(low[x], [lowest] * len(low), marker="v", s=8, color=colors[each])
        axes.set(title=str(panel).replace("_", " "), ylim=(lowest - 0.02, 1.01))
        if x == "smaller_class":
            axes.set_xscale("log")
            axes.xaxis.set_minor_formatter(NullFormatter())
    label = "rows of the smaller class (mean)" if x == "smaller_class" else "recall"
    figure.supxlabel(label, fontsize=8)
    figure.supylabel("coverage of 95 % intervals", fontsize=8)
    if kind:
        handles = [
            Line2D([], [], color=color, marker="o", linewidth=0) for color in colors.values()
        ]
        figure.legend(handles, colors, loc="outside upper center", frameon=True, ncols=4)
    return figure


def _nominal(axes: Axes, n_samples: int) -> None:
    """The level, and its simulation error, which is 0 for sums over all samples."""
    if n_samples > 1:
        error = 2 * np.sqrt(0.95 * 0.05 / n_samples)
        axes.axhspan(0.95 - error, min(0.95 + error, 1), color="0.85", linewidth=0, zorder=0)
    axes.axhline(0.95, color="black", linewidth=0.7, zorder=1)


def thresholds(table: pd.DataFrame) -> Figure:
    """Misses of the goal, and recall; choices above the dotted line are guaranteed."""
    names = table["goal"] + ", prior: " + table["prior"] + ", " + table["method"]
    panels = {
        "missed": ("share of samples that miss the goal", 0.1),
        "relative": ("recall relative to the best threshold", 1),
    }
    figure, grid = _by_row(table, names, "data", panels)
    for axes in grid:
        axes.axhline(N_GUARANTEED - 0.5, color="0.6", linewidth=0.8, linestyle=":")
    return figure


def months(table: pd.DataFrame) -> Figure:
    """Bias, coverage and the test of label shift, by kind of month."""
    of = table["drift"].mask(table["rows"] == "clusters", "clusters").replace("none", "")
    sizes = table["n_labelled"].map("{:,} rows, → ".format) + table["new_prior"].map(str)
    names = (table["population"] + ", " + sizes + ", " + of).str.removesuffix(", ")
    # The test is that of the prior; nothing is estimated at the old prior.
    table["withheld"] = table["withheld"].where(table["estimate"] == "prior")
    table["covered"] = table["covered"].where(table["estimate"] != "AUC-PR at the old prior")
    panels = {
        "error": ("relative bias", 0),
        "covered": ("coverage, 90 % intervals", 0.9),
        "withheld": ("label shift refuted", 0.05),
    }
    figure, (bias, *_) = _by_row(table, names, "estimate", panels)
    bias.set_xscale("symlog", linthresh=0.2)
    bias.set_xticks([-0.3, 0, 0.3, 3], ["−0.3", "0", "0.3", "3"])
    bias.minorticks_off()
    return figure


def _by_row(
    table: pd.DataFrame, names: pd.Series, kind: str, panels: Mapping[str, tuple[str, float]]
) -> tuple[Figure, Sequence[Axes]]:
    """One panel per column, with its title and a line at a value; one colour per kind."""
    numbers, unique = names.factorize()
    size = (1.25 * look.FULL_WIDTH, 0.17 * len(unique) + 1.1)
    figure, grid = plt.subplots(1, len(panels), sharey=True, figsize=size)
    for axes, (column, (title, at)) in zip(grid, panels.items(), strict=True):
        axes.axvline(at, color="black", linewidth=0.7)
        axes.set_title(title)
        kinds = zip(table[kind].unique(), COLORS, (-0.15, 0.15, 0), strict=False)
        for each, color, shift in kinds:
            rows = table.assign(place=numbers + shift)[table[kind] == each].dropna(subset=column)
            bars = 2 * rows[f"{column}_error"]
            axes.errorbar(rows[column], rows["place"], xerr=bars, color=color, label=each, **POINTS)
    grid[0].set_yticks(range(len(unique)), unique)
    grid[0].set_ylim(len(unique) - 0.5, -0.5)
    figure.legend(
        *grid[0].get_legend_handles_labels(), loc="outside upper center", frameon=True, ncols=3
    )
    return figure, grid
