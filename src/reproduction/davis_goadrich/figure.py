"""Davis & Goadrich's Figures 1, 5, 6 and 7, with one panel per space and prior."""

import textwrap
from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.core import look

_N_VIEWS = 3
_CROSSING = "where the curves cross"
_OF_BOTH = {
    "color": "black",
    "linestyle": "none",
    "marker": "o",
    "markersize": 4,
    "markerfacecolor": "white",
}
_MEASURES = {"roc_auc": "AUC-ROC", "pr_auc": "AUC-PR", "prg_auc": "AUC-PR Gain"}
_LIMITS = {"xlim": (-0.02, 1.02), "ylim": (-0.02, 1.02)}


def draw_fig1(table: pd.DataFrame) -> Figure:
    """Draw the table of Figure 1: two models, similar in ROC space and different in PR space."""
    curves = {"1": ("model 1", "1"), "2": ("model 2", "2")}
    return _drawn(_preferences(table, curves), table, curves, {"both": _CROSSING})


def draw_fig5(table: pd.DataFrame) -> Figure:
    """Draw the table of Figure 5: the convex hull of ROC space and its image in PR space."""
    curves = {
        "naive": ("straight lines", "lines"),
        "hull": ("convex hull", "hull"),
        "exact": ("correct interpolation", "correct"),
    }
    marks = {"naive": "threshold", "hull": "threshold on the hull"}
    return _drawn(_areas_in_pr_space(table, curves), table, curves, marks)


def draw_fig6(table: pd.DataFrame) -> Figure:
    """Draw the table of Figure 6: straight lines in PR space are not achievable."""
    curves = {
        "straight lines": ("straight lines", "lines"),
        "exact": ("correct interpolation", "correct"),
    }
    marks = {"both": "the only threshold known"}
    return _drawn(_areas_in_pr_space(table, curves), table, curves, marks)


def draw_fig7(table: pd.DataFrame, areas: pd.DataFrame) -> Figure:
    """Draw the table of Figure 7, and below it each measure against the reference prior."""
    curves = {"I": ("curve I", "I"), "II": ("curve II", "II")}
    return _drawn(_preferences(table, curves), table, curves, {"both": _CROSSING}, areas)


def _areas_at_the_prior_of_the_data(table: pd.DataFrame) -> pd.Series:
    """Areas of the curves in each space."""
    drawn = table[(table["part"] == "line") & ~table["calibrated"]]
    return drawn.groupby(["space", drawn.columns[0]])["area"].first()


def _preferences(table: pd.DataFrame, curves: Mapping[str, tuple[str, str]]) -> str:
    """Which curve each area prefers; areas that are equal in two digits prefer none."""
    areas, texts = _areas_at_the_prior_of_the_data(table), []
    for space, name in (("roc", "AUC-ROC"), ("pr", "at the prior of the data, AUC-PR")):
        less, more = areas[space].sort_values().index
        low, high = (f"{areas[space, each]:.2f}" for each in (less, more))
        text = f"{name} prefers {curves[more][0]} ({high} to {low})"
        texts.append(f"{name} is {low} for both" if low == high else text)
    return "; ".join(texts)


def _areas_in_pr_space(table: pd.DataFrame, curves: Mapping[str, tuple[str, str]]) -> str:
    areas = _areas_at_the_prior_of_the_data(table)["pr"]
    texts = [f"{label} {areas[curve]:.3f}" for curve, (label, _) in curves.items()]
    return f"Areas in PR space at the prior of the data: {', '.join(texts)}"


@look.styled()
def _drawn(
    title: str,
    table: pd.DataFrame,
    curves: Mapping[str, tuple[str, str]],
    marks: Mapping[str, str],
    areas: pd.DataFrame | None = None,
) -> Figure:
    """Draw a table of curves and, in a second row of panels, the table of areas.

    `curves` gives the label of a curve and its short name, `marks` the label of its marked points.
    """
    n_rows = 1 if areas is None else 2
    size = (look.FULL_WIDTH, 0.5 + n_rows * (look.FULL_WIDTH / _N_VIEWS + 0.4))
    figure, grid = plt.subplots(n_rows, _N_VIEWS, squeeze=False, figsize=size)
    figure.suptitle(title)
    views = table.groupby(["space", "prior", "calibrated"], sort=False)
    for axes, (view, rows) in zip(grid[0], views, strict=True):
        _draw_view(axes, view, rows, curves, marks)
    if areas is not None:
        figure.get_layout_engine().set(h_pad=0.1)
        for axes, (measure, label) in zip(grid[1], _MEASURES.items(), strict=True):
            _draw_areas(axes, areas[areas["measure"] == measure], label)
    handles, labels = grid[-1, -1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


def _draw_view(
    axes: Axes,
    view: tuple[str, float, bool],
    rows: pd.DataFrame,
    curves: Mapping[str, tuple[str, str]],
    marks: Mapping[str, str],
) -> None:
    """Draw the curves at one space and prior, with their areas in the title, and marked points."""
    looks = {**dict(zip(curves, look.CATEGORIES, strict=False)), "both": _OF_BOTH}
    areas = []
    for name, drawn in looks.items():
        of_name = rows[rows.iloc[:, 0] == name]
        is_line = of_name["part"] == "line"
        line, points = of_name[is_line], of_name[~is_line]
        if name in curves:
            label, short = curves[name]
            axes.plot(line["x"], line["y"], label=label, **{**drawn, "marker": None})
            areas.append(f"{line['area'].iloc[0]:.4f} ({short})")
        if name in marks:
            axes.plot(points["x"], points["y"], label=marks[name], **{**drawn, "linestyle": "none"})
    space, prior, calibrated = view
    if space == "roc":
        title = "ROC space\nthe same at every prior"
        axes.set(xlabel="false positive rate", ylabel="true positive rate", **_LIMITS)
    else:
        which = "reference prior π$_0$" if calibrated else "prior π of the data"
        title = f"PR space\n{which} = {prior:.2g}"
        axes.set(xlabel="recall", ylabel="precision", **_LIMITS)
    below = textwrap.fill(f"area {', '.join(areas)}", 38)
    axes.set_title(f"{title}\n{below}", fontsize=7.5)


def _draw_areas(axes: Axes, areas: pd.DataFrame, label: str) -> None:
    """One measure of both curves against the prior; the title names the preferred curve."""
    for drawn, (name, rows) in zip(look.CATEGORIES, areas.groupby("curve"), strict=False):
        line = rows.sort_values("prior")
        axes.plot(line["prior"], line["area"], label=f"curve {name}", **{**drawn, "marker": None})
    at_data, equal = (areas[areas["mark"] == mark] for mark in ("data", "equal areas"))
    axes.plot(equal["prior"][:1], equal["area"][:1], label=_CROSSING, **_OF_BOTH)
    prior = at_data["prior"].iloc[0]
    axes.axvline(prior, **look.PRIOR, label="prior of the data")
    preferred, other = at_data.sort_values("area", ascending=False)["curve"]
    verdict = f"prefers {preferred} at every prior"
    if len(equal):
        verdict = f"prefers {preferred} up to π$_0$ = {equal['prior'].iloc[0]:.3g}, then {other}"
    axes.set_title(f"{label}\n{verdict}")
    axes.set(xlabel="reference prior π$_0$", ylabel=f"{label} at π$_0$", **_LIMITS)
