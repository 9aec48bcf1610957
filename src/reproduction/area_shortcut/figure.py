"""The rescaled area and the exact one, against the prior of the data."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.core import look
from reproduction.core.panels import prior_axis

_PANELS = {
    "The shortcut depends on the prior of the data": ["d = 1", "d = 2", "d = 3"],
    "The shortcut can swap two models": ["d = 2", "wide"],
}
_POSITIVES = {"d = 1": "N(1, 1)", "d = 2": "N(2, 1)", "d = 3": "N(3, 1)", "wide": "N(2.2, 2²)"}
_EXACT = {"linestyle": "-", "marker": None}
_SHORTCUT = {"linestyle": "--"}


def draw(table: pd.DataFrame) -> Figure:
    """Draw the table of the experiment: two lines per model, exact and rescaled."""
    looks = dict(zip(table["model"].unique(), look.CATEGORIES, strict=True))
    with look.styled():
        figure, panels = plt.subplots(1, 2, figsize=(look.FULL_WIDTH, 3.3))
        error = (table["shortcut"] - table["exact"]).abs().max()
        figure.suptitle(
            "Rescaling AUC-PR from π to π$_0$ = ½, as if it were a precision, is wrong by up to "
            f"{error:.2f}"
        )
        for axes, (title, models) in zip(panels, _PANELS.items(), strict=True):
            for model in models:
                _draw_model(axes, table[table["model"] == model], looks[model])
            axes.set(title=title, ylabel="AUC-PR at π$_0$ = ½")
            prior_axis(axes, "prior π of the data")
        handles = [
            Line2D([], [], **{**drawn, "linestyle": "none"}, label=f"positives {_POSITIVES[model]}")
            for model, drawn in looks.items()
        ]
        handles.append(Line2D([], [], color="0.3", label="exact", **_EXACT))
        handles.append(Line2D([], [], color="0.3", marker="o", label="rescaled area", **_SHORTCUT))
        figure.legend(handles=handles, loc="outside lower center", ncols=6, frameon=False)
        return figure


def _draw_model(axes: Axes, rows: pd.DataFrame, drawn: dict) -> None:
    axes.plot(rows["prior"], rows["exact"], **{**drawn, **_EXACT})
    axes.plot(rows["prior"], rows["shortcut"], **{**drawn, **_SHORTCUT})
