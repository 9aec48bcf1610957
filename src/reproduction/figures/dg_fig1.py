"""Davis & Goadrich's Figure 1: two models alike in ROC space and apart in PR space."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

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


def draw(table: pd.DataFrame) -> Figure:
    """Draw the table of `experiments.davis_goadrich.fig1`, a panel per space and prior."""
    looks = {"1": style.ORDINARY, "2": style.CALIBRATED[0]}
    with style.styled():
        figure, (panels,) = panel_rows(n_views(table))
        figure.suptitle(
            "Two models of equal AUC-ROC: where positives are rare, only PR space tells them apart"
        )
        for axes, rows in views_in(table, panels):
            for name, look in looks.items():
                draw_line(axes, rows[rows["model"].astype(str) == name], f"model {name}", look)
            draw_marks(axes, rows[rows["part"] == "crossing"], "where the lead changes")
            legend_under(axes)
        return figure
