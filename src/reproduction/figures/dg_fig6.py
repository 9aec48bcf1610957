"""Davis & Goadrich's Figure 6: straight lines in PR space claim what no model achieves."""

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
    """Draw the table of `experiments.davis_goadrich.fig6`, a panel per prior."""
    looks = {"straight lines": look.CATEGORIES[0], "exact": look.CATEGORIES[1]}
    labels = {"straight lines": "line", "exact": "exact"}
    with look.styled():
        figure, (panels,) = panel_rows(n_views(table))
        figure.suptitle("Linear interpolation from one known threshold overestimates the area")
        for axes, rows in views_in(table, panels):
            for name, look in looks.items():
                draw_line(axes, rows[rows["curve"] == name], name, labels[name], look)
            draw_marks(axes, rows[rows["part"] == "threshold"], "the only threshold known")
        shared_legend(figure)
        return figure
