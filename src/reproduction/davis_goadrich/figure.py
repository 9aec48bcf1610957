"""Davis & Goadrich's Figures 1, 5, 6 and 7: a panel per space and prior."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.core import look

__all__ = ["draw_fig1", "draw_fig5", "draw_fig6", "draw_fig7"]

_VIEW = ["space", "prior", "calibrated"]
_PER_ROW = 3
_CROSSING = "where the curves cross"
_OF_BOTH = {"color": "black", "marker": "o", "markersize": 4, "markerfacecolor": "white"}
_CURVES_OF_FIGURE_7 = {"I": ("curve I", "I"), "II": ("curve II", "II")}
_MEASURES = {"roc_auc": "AUC-ROC", "pr_auc": "AUC-PR", "prg_auc": "AUC-PR Gain"}


def draw_fig1(table: pd.DataFrame) -> Figure:
    """Draw the table of Figure 1: two models alike in ROC space and apart in PR space."""
    title = "Two models of equal AUC-ROC: where positives are rare, only PR space tells them apart"
    curves = {"1": ("model 1", "1"), "2": ("model 2", "2")}
    return _drawn(table, title, curves, {"both": _CROSSING})


def draw_fig5(table: pd.DataFrame) -> Figure:
    """Draw the table of Figure 5: the convex hull of ROC space and its image in PR space."""
    title = "The achievable PR curve is the image of the ROC convex hull, not straight lines"
    curves = {"naive": ("straight lines", "lines"), "hull": ("achievable", "hull")}
    marks = {"naive": "threshold", "hull": "threshold on the hull"}
    return _drawn(table, title, curves, marks)


def draw_fig6(table: pd.DataFrame) -> Figure:
    """Draw the table of Figure 6: straight lines in PR space claim what no model achieves."""
    title = "Linear interpolation from one known threshold overestimates the area"
    curves = {"straight lines": ("straight lines", "line"), "exact": ("exact", "exact")}
    return _drawn(table, title, curves, {"both": "the only threshold known"})


def draw_fig7(table: pd.DataFrame, areas: pd.DataFrame) -> Figure:
    """Draw the table of Figure 7, and below it each measure against the reference prior."""
    with look.styled():
        figure, (above, below) = _panel_rows(_n_views(table), len(_MEASURES))
        figure.get_layout_engine().set(h_pad=0.1)
        figure.suptitle("AUC-ROC prefers curve II and AUC-PR curve I, whatever the prior")
        _draw_views(above, table, _CURVES_OF_FIGURE_7, {"both": _CROSSING})
        for axes, (measure, label) in zip(below, _MEASURES.items(), strict=True):
            _draw_areas(axes, areas[areas["measure"] == measure], label)
        _shared_legend(figure)
        return figure


def _drawn(
    table: pd.DataFrame,
    title: str,
    curves: Mapping[str, tuple[str, str]],
    marks: Mapping[str, str],
) -> Figure:
    with look.styled():
        figure, (panels,) = _panel_rows(_n_views(table))
        figure.suptitle(title)
        _draw_views(panels, table, curves, marks)
        _shared_legend(figure)
        return figure


def _panel_rows(*n_panels: int) -> tuple[Figure, list[list[Axes]]]:
    """Groups of nearly square panels, three per row; each group begins a new row."""
    n_rows = [-(-n // _PER_ROW) for n in n_panels]
    row_height = look.FULL_WIDTH / _PER_ROW + 0.4  # inches
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


def _n_views(table: pd.DataFrame) -> int:
    """Number of panels that a table of curves needs: one for each space and prior."""
    return table.groupby(_VIEW).ngroups


def _draw_views(
    panels: Sequence[Axes],
    table: pd.DataFrame,
    curves: Mapping[str, tuple[str, str]],
    marks: Mapping[str, str],
) -> None:
    """Draw each space and prior: its curves, with their areas in the title, and marked points.

    `curves` gives the label of a curve and its short name, `marks` the label of its points.
    """
    for axes, rows in _titled(table, panels):
        names = rows[table.columns[0]]
        title, areas = axes.get_title(), []
        for line, (curve, (label, short)) in zip(look.CATEGORIES, curves.items(), strict=False):
            of_curve = rows[names == curve]
            drawn = of_curve[of_curve["part"] == "line"]
            color = {"color": line["color"]}
            axes.plot(drawn["x"], drawn["y"], linestyle=line["linestyle"], label=label, **color)
            areas.append(f"{drawn['area'].iloc[0]:.4f} ({short})")
            if curve in marks:
                _draw_marks(axes, of_curve, marks[curve], {**color, "marker": line["marker"]})
        if "both" in marks:
            _draw_marks(axes, rows[names == "both"], marks["both"], _OF_BOTH)
        axes.set_title(f"{title}\narea {', '.join(areas)}", fontsize=7.5)


def _titled(table: pd.DataFrame, panels: Sequence[Axes]) -> Iterator[tuple[Axes, pd.DataFrame]]:
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


def _draw_marks(axes: Axes, rows: pd.DataFrame, label: str, marker: Mapping) -> None:
    """Points that represent one confusion matrix in every space."""
    points = rows[rows["part"] != "line"]
    axes.plot(points["x"], points["y"], linestyle="none", label=label, **marker)


def _draw_areas(axes: Axes, areas: pd.DataFrame, label: str) -> None:
    """One measure of both curves against the prior, and the curve that it prefers."""
    at_priors = areas.pivot_table("area", "prior", "curve")
    at_data, equal = (areas[areas["mark"] == mark] for mark in ("data", "equal areas"))
    for line, name in zip(look.CATEGORIES, _CURVES_OF_FIGURE_7, strict=False):
        drawn = {"color": line["color"], "linestyle": line["linestyle"]}
        axes.plot(at_priors[name], label=f"curve {name}", **drawn)
    axes.axvline(
        at_data["prior"].iloc[0],
        color=look.PRIOR_PART,
        linestyle=":",
        linewidth=1.0,
        label="prior of the data",
    )
    axes.plot(equal["prior"][:1], equal["area"][:1], linestyle="none", label=_CROSSING, **_OF_BOTH)
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


def _shared_legend(figure: Figure) -> None:
    """One legend with the lines and marks of all panels."""
    entries = {}
    for axes in figure.axes:
        for line, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, line)
    figure.legend(
        entries.values(), entries, loc="outside lower center", ncols=len(entries), frameon=False
    )
