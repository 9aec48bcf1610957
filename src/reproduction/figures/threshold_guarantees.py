"""Thresholds chosen with a guarantee: how often they miss their goal, and what they find."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.core import look

__all__ = ["draw"]

# Name of a row: the goal, the knowledge of the prior and the method.
_ROWS = {
    "precision, fixed sequence": ("precision", "known", "fixed_sequence"),
    "precision, π$_0$ in a range": ("precision", "range", "fixed_sequence"),
    "precision, π$_0$ estimated": ("precision", "estimated", "fixed_sequence"),
    "recall": ("recall", "known", "order statistic"),
    "alert rate": ("alert rate", "known", "mover"),
    "alert rate, π$_0$ in a range": ("alert rate", "range", "mover"),
    "precision, estimate of π$_0$ taken as exact": (
        "precision",
        "estimate taken as known",
        "fixed_sequence",
    ),
    "precision, each threshold tested alone": ("precision", "known", "pointwise"),
    "precision, observed on the sample": ("precision", "known", "empirical"),
}
_N_GUARANTEED = 6
_COMPARED = list(_ROWS)[:1] + list(_ROWS)[-2:]
_LOOKS = (*look.CALIBRATED[:2], look.ORDINARY)
_ALPHA = 0.1


def draw(table: pd.DataFrame) -> Figure:
    """Draw the table of `experiments.threshold_guarantees`: shares of misses, relative recall."""
    table = table.assign(kind=table["goal"].str.partition(" >= ")[0].str.partition(" <= ")[0])
    with look.styled():
        figure, (left, right) = plt.subplots(
            1, 2, figsize=(look.FULL_WIDTH, 3.4), gridspec_kw={"width_ratios": [1.5, 1]}
        )
        _draw_misses(left, table)
        _draw_recall(right, table)
        return figure


def _of_row(table: pd.DataFrame, name: str) -> pd.DataFrame:
    goal, prior, method = _ROWS[name]
    chosen = (table["kind"] == goal) & (table["prior"] == prior) & (table["method"] == method)
    return table[chosen]


def _draw_misses(axes: Axes, table: pd.DataFrame) -> None:
    is_plateau = table["data"].str.startswith("plateau")
    for kind, of_kind, look, offset in (
        ("ordinary data", ~is_plateau, look.CALIBRATED[0], -0.15),
        ("plateaus just below the goal", is_plateau, look.ORDINARY, 0.15),
    ):
        for place, name in enumerate(_ROWS):
            missed = _of_row(table[of_kind], name)["missed"]
            axes.scatter(
                missed,
                [place + offset] * len(missed),
                s=9,
                marker=look["marker"],
                color=look["color"],
                alpha=0.6,
                linewidth=0,
                label=kind if place == 0 else None,
            )
    axes.axvline(_ALPHA, **look.POPULATION)
    axes.axhline(_N_GUARANTEED - 0.5, color="0.6", linewidth=0.8, linestyle=":")
    axes.set_yticks(range(len(_ROWS)), _ROWS)
    axes.invert_yaxis()
    axes.set(xlabel="share of samples that miss the goal", xlim=(-0.02, 1.02))
    axes.text(1.0, _N_GUARANTEED - 0.6, "guaranteed", ha="right", va="bottom", fontsize=7)
    axes.text(1.0, _N_GUARANTEED - 0.4, "not guaranteed", ha="right", va="top", fontsize=7)
    axes.legend(loc="upper right")


def _draw_recall(axes: Axes, table: pd.DataFrame) -> None:
    for name, look in zip(_COMPARED, _LOOKS, strict=True):
        by_size = _of_row(table, name).dropna(subset=["relative"]).groupby("n_pos")["relative"]
        axes.plot(by_size.mean(), label=name.removeprefix("precision, "), **look)
    axes.set_xscale("log")
    sizes = sorted(set(table["n_pos"]))
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.minorticks_off()
    axes.set(xlabel="positives of a sample", ylabel="recall relative to the best", ylim=(0, 1.05))
    axes.margins(x=0.15)
    axes.legend(loc="lower right")
