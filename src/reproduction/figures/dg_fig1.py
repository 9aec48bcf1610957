"""Davis & Goadrich's Figure 1: two models alike in ROC space and apart in PR space."""

from __future__ import annotations

import pandas as pd
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


def draw(table: pd.DataFrame) -> Figure:
    """Draw the table of `experiments.davis_goadrich.fig1`, a panel per space and prior."""
    looks = {"1": look.CATEGORIES[0], "2": look.CATEGORIES[1]}
    with look.styled():
        figure, (panels,) = panel_rows(n_views(table))
        figure.suptitle(
            "Two models of equal AUC-ROC: where positives are rare, only PR space tells them apart"
        )
        for axes, rows in views_in(table, panels):
            for name, look in looks.items():
                of_model = rows[rows["model"].astype(str) == name]
                draw_line(axes, of_model, f"model {name}", name, look)
            draw_marks(axes, rows[rows["part"] == "crossing"], "where the curves cross")
        shared_legend(figure)
        return figure
