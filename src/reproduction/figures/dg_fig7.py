"""Davis & Goadrich's Figure 7: AUC-ROC prefers one curve, AUC-PR the other."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.core import look
from reproduction.figures.dg_panels import (
    draw_line,
    draw_marks,
    n_views,
    panel_rows,
    shared_legend,
    views_in,
)

__all__ = ["draw"]

_LOOKS = {"I": look.CATEGORIES[0], "II": look.CATEGORIES[1]}
_CROSSING = "where the curves cross"
_MEASURES = {"roc_auc": "AUC-ROC", "pr_auc": "AUC-PR", "prg_auc": "AUC-PR Gain"}


def draw(table: pd.DataFrame, areas: pd.DataFrame) -> Figure:
    """Draw the tables of `experiments.davis_goadrich.fig7` and `fig7_areas`.

    Above, a panel per space and prior; below, each measure against the prior it is taken at.
    """
    with look.styled():
        figure, (above, below) = panel_rows(n_views(table), len(_MEASURES))
        figure.get_layout_engine().set(h_pad=0.1)
        figure.suptitle("AUC-ROC prefers curve II and AUC-PR curve I, whatever the prior")
        for axes, rows in views_in(table, above):
            for name, look in _LOOKS.items():
                draw_line(axes, rows[rows["curve"] == name], f"curve {name}", name, look)
            draw_marks(axes, rows[rows["part"] == "crossing"], _CROSSING)
        for axes, (measure, label) in zip(below, _MEASURES.items(), strict=True):
            _draw_areas(axes, areas[areas["measure"] == measure], label)
        shared_legend(figure)
        return figure


def _draw_areas(axes: Axes, areas: pd.DataFrame, label: str) -> None:
    """One measure of both curves against the prior, and the curve that it prefers."""
    at_priors = areas.pivot_table("area", "prior", "curve")
    at_data, equal = (areas[areas["mark"] == mark] for mark in ("data", "equal areas"))
    for name, look in _LOOKS.items():
        axes.plot(
            at_priors[name],
            color=look["color"],
            linestyle=look["linestyle"],
            label=f"curve {name}",
        )
    axes.axvline(
        at_data["prior"].iloc[0],
        color=look.PRIOR_PART,
        linestyle=":",
        linewidth=1.0,
        label="prior of the data",
    )
    crossing = equal[:1].rename(columns={"prior": "x", "area": "y"})
    draw_marks(axes, crossing, _CROSSING)
    preferred, other = at_data.sort_values("area", ascending=False)["curve"]
    verdict = f"prefers {preferred} at every prior"
    if len(equal):
        verdict = f"prefers {preferred} up to π$_0$ = {equal['prior'].iloc[0]:.3g}, then {other}"
    axes.set(
        title=f"{label}\n{verdict}",
        xlabel="reference prior π$_0$",
        ylabel=f"{label} at π$_0$",
        xlim=(-0.02, 1.02),
        ylim=(-0.02, 1.02),
    )
