"""The rescaled area and the exact one, against the prior of the data."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.core import look
from reproduction.core.panels import prior_axis

_PANELS = {
    "Three models": ["d = 1", "d = 2", "d = 3"],
    "Two models": ["d = 2", "wide"],
}
_POSITIVES = {"d = 1": "N(1, 1)", "d = 2": "N(2, 1)", "d = 3": "N(3, 1)", "wide": "N(2.2, 2²)"}
_EXACT = {"linestyle": "-", "marker": None}
_SHORTCUT = {"linestyle": "--"}


@look.styled()
def draw(table: pd.DataFrame) -> Figure:
    """Draw the table of the experiment: two lines per model, exact and rescaled."""
    looks = dict(zip(table["model"].unique(), look.CATEGORIES, strict=True))
    figure, panels = plt.subplots(1, 2, figsize=(look.FULL_WIDTH, 3.3))
    error = (table["shortcut"] - table["exact"]).abs().max()
    wide, other = (
        table[table["model"] == each].set_index("prior") for each in _PANELS["Two models"]
    )
    better = wide[["exact", "shortcut"]] > other[["exact", "shortcut"]]
    swapped = better["exact"] != better["shortcut"]
    figure.suptitle(
        "Rescaling AUC-PR from π to π$_0$ = ½, as if it were a precision, is wrong by up to "
        f"{error:.2f},\nand swaps the two models on the right at {swapped.sum()} of {len(swapped)} "
        "priors"
    )
    for axes, (title, models) in zip(panels, _PANELS.items(), strict=True):
        for model in models:
            rows = table[table["model"] == model]
            axes.plot(rows["prior"], rows["exact"], **{**looks[model], **_EXACT})
            axes.plot(rows["prior"], rows["shortcut"], **{**looks[model], **_SHORTCUT})
        axes.set(title=title, ylabel="AUC-PR at π$_0$ = ½")
        prior_axis(axes, "prior π of the data")
    handles = [
        Line2D([], [], **{**drawn, "linestyle": "none"}, label=f"positives {_POSITIVES[model]}")
        for model, drawn in looks.items()
    ]
    handles.append(Line2D([], [], color="0.3", label="exact", **_EXACT))
    handles.append(Line2D([], [], color="0.3", marker="o", label="rescaled area", **_SHORTCUT))
    figure.legend(handles=handles, loc="outside lower center", ncols=6)
    return figure
