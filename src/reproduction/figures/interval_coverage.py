"""Coverage of the library's confidence intervals against the number of positives."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from reproduction.core import look

__all__ = ["draw"]

_TITLES = {
    "average_precision": "AUC-PR",
    "roc_auc": "AUC-ROC",
    "prg_auc": "AUC-PR Gain",
    "best_fbeta": "best F1",
    "precision": "precision at a threshold",
    "fbeta": "F1 at a threshold",
}
_KINDS = {
    "one sample": ("independent", "random counts", "rounded"),
    "difference": ("two samples", "two models"),
    "groups": ("groups",),
    "groups ignored": ("groups ignored",),
}
_LEVEL = 0.95
_LOOKS = (*look.CALIBRATED, look.ORDINARY)
_LEAST = 0.8  # lower values are drawn there


def draw(table: pd.DataFrame) -> Figure:
    """Draw the table of `experiments.interval_coverage`: a panel per score, a point per cell."""
    measured = table[table["status"] == "measured"]
    sizes = sorted(set(table["n_pos"]))
    with look.styled():
        figure, panels = plt.subplots(
            2, 3, sharex=True, sharey=True, figsize=(look.FULL_WIDTH, 4.6)
        )
        for axes, (score, title) in zip(panels.flat, _TITLES.items(), strict=True):
            _draw_score(axes, measured[measured["score"] == score], sizes)
            axes.set_title(title)
        panels[0, 0].set_xticks(range(len(sizes)), [f"{size:,}" for size in sizes])
        panels[0, 0].set(xlim=(-0.5, len(sizes) - 0.5), ylim=(_LEAST - 0.01, 1.005))
        panels[0, 0].yaxis.set_major_locator(MultipleLocator(0.05))
        for axes in panels[1]:
            axes.set_xlabel("positives of a sample")
        for axes in panels[:, 0]:
            axes.set_ylabel("coverage of 95 % intervals")
        figure.legend(
            handles=_legend(), loc="outside lower center", ncols=6, frameon=False, columnspacing=1.2
        )
        return figure


def _draw_score(axes: Axes, table: pd.DataFrame, sizes: list[int]) -> None:
    axes.axhline(_LEVEL, **look.POPULATION)
    for place, (designs, look) in enumerate(zip(_KINDS.values(), _LOOKS, strict=True)):
        cells = table[table["design"].isin(designs)]
        centre = cells["n_pos"].map(sizes.index) + 0.22 * (place - 1.5)
        # Cells of the same size lie side by side, in the order of the table.
        order = cells.groupby("n_pos").cumcount()
        last = order.groupby(cells["n_pos"]).transform("max")
        is_warned = cells["warned"] > 0.5
        axes.scatter(
            centre + 0.16 * (order - last / 2) / last.clip(lower=1),
            cells["coverage"].clip(lower=_LEAST),
            s=8,
            marker=look["marker"],
            facecolor=is_warned.map({False: look["color"], True: "none"}),
            edgecolor=look["color"],
            linewidth=0.5,
        )
        means = cells.groupby(centre)["coverage"].mean()
        axes.hlines(means, means.index - 0.1, means.index + 0.1, color="black", linewidth=1.2)
    for size in range(1, len(sizes)):
        axes.axvline(size - 0.5, color="0.8", linewidth=0.5)
    axes.grid(visible=False, axis="x")


def _legend() -> list[Line2D]:
    points = {"linestyle": "none", "markersize": 4}
    return [
        *(
            Line2D([], [], color=look["color"], marker=look["marker"], label=kind, **points)
            for kind, look in zip(_KINDS, _LOOKS, strict=True)
        ),
        Line2D(
            *([], []),
            markerfacecolor="none",
            markeredgecolor="0.3",
            marker="s",
            label="most samples warn",
            **points,
        ),
        Line2D([], [], color="black", linewidth=1.2, label="mean"),
    ]
