"""Error, order of two models and cost of subsampling, compared with calibration."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reproduction.core import look
from reproduction.core.panels import prior_axis

_METHODS = {
    "calibrated": look.CALIBRATED[0],
    "one subsample": {**look.UNDERSAMPLED, "linestyle": ":", "marker": "o"},
    "mean of subsamples": {"color": "black", "linestyle": "--", "marker": "^"},
}
_CHANCE = {"color": "black", "linewidth": 0.6}
_WIDE = {"markerfacecolor": "white"}


@look.styled()
def draw(errors: pd.DataFrame, orders: pd.DataFrame) -> Figure:
    """Draw the tables `errors` and `orders` of the experiment."""
    figure, panels = plt.subplots(1, 3, figsize=(look.FULL_WIDTH, 3.2))
    rmse = errors.pivot_table("rmse", ["pi0", "model"], "method")
    ratio = (rmse["one subsample"] / rmse["calibrated"]).max()
    figure.suptitle(
        f"One subsample of a test set has up to {ratio:.1f} times the error of calibration, "
        "which uses all rows"
    )
    _draw_errors(panels[0], errors, "rmse")
    panels[0].set(title="Error of AUC-PR", ylabel="root mean square error", ylim=(0, None))
    _draw_orders(panels[1], orders)
    _draw_errors(panels[2], errors[errors["method"] != "mean of subsamples"], "times_rows")
    panels[2].set(title="Cost", ylabel="rows for the same error, if error ~ 1/√n")
    panels[2].set_yscale("log")
    panels[2].set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"], minor=False)
    panels[2].minorticks_off()
    for axes in panels:
        prior_axis(axes, "reference prior π$_0$")
    handles = [Line2D([], [], label=name, **drawn) for name, drawn in _METHODS.items()]
    for model, face in (("narrow", {}), ("wide", _WIDE)):
        mark = {"color": "0.3", "marker": "s", "linestyle": "none", **face}
        handles.append(Line2D([], [], label=f"{model} model", **mark))
    handles.append(Line2D([], [], label="chance", **_CHANCE))
    figure.legend(handles=handles, loc="outside lower center", ncols=6)
    return figure


def _draw_errors(axes: Axes, table: pd.DataFrame, column: str) -> None:
    for (method, model), rows in table.groupby(["method", "model"], sort=False):
        face = _WIDE if model == "wide" else {}
        axes.plot(rows["pi0"], rows[column], **{**_METHODS[method], **face})


def _draw_orders(axes: Axes, table: pd.DataFrame) -> None:
    for method, rows in table.groupby("method", sort=False):
        axes.plot(rows["pi0"], rows["right_order"], **_METHODS[method])
    axes.axhline(0.5, **_CHANCE)
    for sign, better, side in ((-1, "wide is better", "left"), (1, "narrow\nis better", "right")):
        of_sign = table.loc[np.sign(table["gap"]) == sign, "pi0"]
        if len(of_sign):
            place = of_sign.min() if side == "left" else of_sign.max()
            axes.text(place, 0.05, better, ha=side, fontsize=7)
    axes.set(title="Two models in the right order", ylabel="share of test sets", ylim=(0, 1.02))
