"""Davis & Goadrich's Figure 7: AUC-ROC prefers one curve, AUC-PR the other."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from calibrated_metrics.displays import PriorSweepDisplay, SweepCrossing
from reproduction.figures import style
from reproduction.figures.dg_panels import (
    draw_line,
    draw_marks,
    legend_under,
    n_views,
    panel_rows,
    views_in,
)

__all__ = ["draw"]

_LOOKS = {"I": style.ORDINARY, "II": style.CALIBRATED[0]}
_MEASURES = {"roc_auc": "AUC-ROC", "pr_auc": "AUC-PR", "prg_auc": "AUC-PR Gain"}


def draw(table: pd.DataFrame, areas: pd.DataFrame) -> Figure:
    """Draw the tables of `experiments.davis_goadrich.fig7` and `fig7_areas`.

    Above, a panel per space and prior; below, each measure against the prior it is taken at.
    """
    with style.styled():
        figure, (above, below) = panel_rows(n_views(table), len(_MEASURES))
        figure.get_layout_engine().set(h_pad=0.1)
        figure.suptitle("AUC-ROC prefers curve II and AUC-PR curve I, whatever the prior")
        for axes, rows in views_in(table, above):
            for name, look in _LOOKS.items():
                draw_line(axes, rows[rows["curve"] == name], f"curve {name}", look)
            draw_marks(axes, rows[rows["part"] == "crossing"], "where the lead changes")
            legend_under(axes)
        for axes, (measure, label) in zip(below, _MEASURES.items(), strict=True):
            _draw_areas(axes, areas[areas["measure"] == measure], label)
        return figure


def _draw_areas(axes: Axes, areas: pd.DataFrame, label: str) -> None:
    """One measure of both curves against the prior, and the curve that it prefers."""
    at_priors = areas.pivot_table("area", "prior", "curve")
    at_data, equal = (areas[areas["mark"] == mark] for mark in ("data", "equal areas"))
    display = PriorSweepDisplay(
        at_priors.index.to_numpy(),
        {f"curve {name}": at_priors[name].to_numpy() for name in _LOOKS},
        own={f"curve {row.curve}": (row.prior, row.area) for row in at_data.itertuples()},
        crossings=[SweepCrossing(*_LOOKS, row.prior, row.area) for row in equal[:1].itertuples()],
        score_label=label,
    )
    looks = {key: [look[key] for look in _LOOKS.values()] for key in ("color", "linestyle")}
    axes.set_prop_cycle(**looks)
    display.plot(axes)
    preferred, other = at_data.sort_values("area", ascending=False)["curve"]
    verdict = f"prefers {preferred} at every prior"
    if len(equal):
        turn = equal["prior"].iloc[0]
        verdict = f"prefers {preferred} up to π$_0$ = {turn:.3g}, then {other}"
    axes.set(
        title=f"{label}\n{verdict}",
        xscale="linear",
        xlim=(-0.02, 1.02),
        ylim=(-0.02, 1.02),
    )
    legend_under(axes)
