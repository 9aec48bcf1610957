"""Panels, lines and marks that the figures of Davis & Goadrich share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.core import look

__all__ = ["draw_line", "draw_marks", "n_views", "panel_rows", "shared_legend", "views_in"]

_VIEW = ["space", "prior", "calibrated"]
_PER_ROW = 3


def panel_rows(*n_panels: int) -> tuple[Figure, list[list[Axes]]]:
    """Groups of nearly square panels, three per row; each group begins a new row."""
    n_rows = [-(-n // _PER_ROW) for n in n_panels]
    side = look.FULL_WIDTH / _PER_ROW - 0.5
    row_height = side + 0.9  # inches
    figure, axes = plt.subplots(
        sum(n_rows),
        _PER_ROW,
        squeeze=False,
        figsize=(look.FULL_WIDTH, 0.5 + sum(n_rows) * row_height),
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


def draw_line(axes: Axes, rows: pd.DataFrame, label: str, name: str, look: Mapping) -> None:
    """A curve of the table; its area, with its short name, is added to the title of the panel."""
    line = rows[rows["part"] == "line"]
    area = line["area"].iloc[0]
    axes.plot(
        line["x"],
        line["y"],
        color=look["color"],
        linestyle=look["linestyle"],
        label=label,
    )
    title = axes.get_title()
    before = f"{title}, " if "\narea" in title else f"{title}\narea "
    axes.set_title(f"{before}{area:.4f} ({name})", fontsize=7.5)


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


def shared_legend(figure: Figure) -> None:
    """One legend with the lines and marks of all panels."""
    entries = {}
    for axes in figure.axes:
        for line, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, line)
    figure.legend(
        entries.values(), entries, loc="outside lower center", ncols=len(entries), frameon=False
    )
