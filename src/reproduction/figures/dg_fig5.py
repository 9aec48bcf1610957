"""Davis & Goadrich's Figure 5: the convex hull of ROC space and its image in PR space."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from reproduction.figures import style
from reproduction.figures.dg_panels import (
    draw_line,
    legend_under,
    n_views,
    panel_rows,
    views_in,
)

__all__ = ["draw"]


def draw(table: pd.DataFrame) -> Figure:
    """Draw the table of `experiments.davis_goadrich.fig5`, a panel per space and prior."""
    looks = {
        "naive": (style.ORDINARY, "straight lines", "threshold"),
        "hull": (style.CALIBRATED[0], "achievable", "threshold on the hull"),
    }
    with style.styled():
        figure, (panels,) = panel_rows(n_views(table), legend_lines=4)
        figure.suptitle(
            "What can be achieved is the ROC convex hull and its image in PR space, "
            "where straight lines are wrong"
        )
        for axes, rows in views_in(table, panels):
            for name, (look, label, mark) in looks.items():
                of_curve = rows[rows["curve"] == name]
                draw_line(axes, of_curve, label, look)
                thresholds = of_curve[of_curve["part"] == "threshold"]
                axes.plot(
                    thresholds["x"],
                    thresholds["y"],
                    color=look["color"],
                    marker=look["marker"],
                    linestyle="none",
                    label=mark,
                )
            legend_under(axes)
        return figure
