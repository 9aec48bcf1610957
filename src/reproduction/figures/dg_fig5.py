"""Davis & Goadrich's Figure 5: the convex hull of ROC space and its image in PR space."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from reproduction.core import look
from reproduction.figures.dg_panels import (
    draw_line,
    n_views,
    panel_rows,
    shared_legend,
    views_in,
)

__all__ = ["draw"]


def draw(table: pd.DataFrame) -> Figure:
    """Draw the table of `experiments.davis_goadrich.fig5`, a panel per space and prior."""
    looks = {
        "naive": (look.CATEGORIES[0], "straight lines", "lines", "threshold"),
        "hull": (look.CATEGORIES[1], "achievable", "hull", "threshold on the hull"),
    }
    with look.styled():
        figure, (panels,) = panel_rows(n_views(table))
        figure.suptitle(
            "The achievable PR curve is the image of the ROC convex hull, not straight lines"
        )
        for axes, rows in views_in(table, panels):
            for curve, (look, label, name, mark) in looks.items():
                of_curve = rows[rows["curve"] == curve]
                draw_line(axes, of_curve, label, name, look)
                thresholds = of_curve[of_curve["part"] == "threshold"]
                axes.plot(
                    thresholds["x"],
                    thresholds["y"],
                    color=look["color"],
                    marker=look["marker"],
                    linestyle="none",
                    label=mark,
                )
        shared_legend(figure)
        return figure
