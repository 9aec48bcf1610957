"""Davis & Goadrich's Figure 6: straight lines in PR space claim what no model achieves."""

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
    """Draw the table of `experiments.davis_goadrich.fig6`, a panel per prior."""
    looks = {"straight lines": style.ORDINARY, "exact": style.CALIBRATED[0]}
    labels = {"straight lines": "straight (wrong)", "exact": "exact"}
    with style.styled():
        figure, (panels,) = panel_rows(n_views(table))
        figure.suptitle("One known threshold: straight lines claim an area that it does not give")
        for axes, rows in views_in(table, panels):
            for name, look in looks.items():
                draw_line(axes, rows[rows["curve"] == name], labels[name], look)
            draw_marks(axes, rows[rows["part"] == "threshold"], "the only threshold known")
            legend_under(axes)
        return figure
