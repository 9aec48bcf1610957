"""Panels, lines and marks that the figures of Davis & Goadrich share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from reproduction.figures import style

__all__ = ["draw_line", "draw_marks", "legend_under", "n_views", "panel_rows", "views_in"]

_VIEW = ["space", "prior", "calibrated"]
_PER_ROW = 3


def panel_rows(*n_panels: int, legend_lines: int = 3) -> tuple[Figure, list[list[Axes]]]:
    """Groups of nearly square panels, three per row; each group begins a new row."""
    n_rows = [-(-n // _PER_ROW) for n in n_panels]
    side = style.FULL_WIDTH / _PER_ROW - 0.5
    row_height = side + 0.7 + 0.16 * legend_lines  # inches
    figure, axes = plt.subplots(
        sum(n_rows),
        _PER_ROW,
        squeeze=False,
        figsize=(style.FULL_WIDTH, 0.3 + sum(n_rows) * row_height),
    )
    groups, first = [], 0
    for n, rows in zip(n_panels, n_rows, strict=True):
        panels = list(axes[first : first + rows].flat)
        for empty in panels[n:]:
            empty.remove()
        groups.append(panels[:n])
        first += rows
    return figure, groups


def n_views(table: pd.DataFrame) -> int:
    """Number of panels that a table of curves needs: one for each space and prior."""
    return table.groupby(_VIEW).ngroups


def views_in(table: pd.DataFrame, panels: Iterable[Axes]) -> Iterator[tuple[Axes, pd.DataFrame]]:
    """Give each space and prior a panel with a title, and yield it with its rows."""
    views = table.groupby(_VIEW, sort=False)
    for axes, ((space, prior, calibrated), rows) in zip(panels, views, strict=True):
        if space == "roc":
            title = "ROC space\nthe same at every prior"
            axes.set(xlabel="false positive rate", ylabel="true positive rate")
        else:
            which = "reference prior π$_0$" if calibrated else "the data's prior π"
            title = f"PR space\n{which} = {prior:.2g}"
            axes.set(xlabel="recall", ylabel="precision")
        axes.set(title=title, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        yield axes, rows


def draw_line(axes: Axes, rows: pd.DataFrame, label: str, look: Mapping) -> None:
    """A curve of the table, its area in the legend."""
    line = rows[rows["part"] == "line"]
    area = line["area"].iloc[0]
    axes.plot(
        line["x"],
        line["y"],
        color=look["color"],
        linestyle=look["linestyle"],
        label=f"{label}, area {area:.4f}",
    )


def draw_marks(axes: Axes, rows: pd.DataFrame, label: str) -> None:
    """Points that represent one confusion matrix in every space."""
    axes.plot(
        rows["x"],
        rows["y"],
        color="black",
        marker="o",
        markersize=4,
        markerfacecolor="white",
        linestyle="none",
        label=label,
    )


def legend_under(axes: Axes) -> None:
    """Legend under the axis, where it hides no data."""
    below_the_label = ScaledTranslation(0, -30 / 72, axes.figure.dpi_scale_trans)
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=axes.transAxes + below_the_label,
        frameon=False,
    )
