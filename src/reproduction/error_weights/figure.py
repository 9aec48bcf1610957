"""The value of a repair along the ranking, and in two groups."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.core import look
from reproduction.core.panels import prior_axis

_LEVELS = (*look.CALIBRATED, {**look.CALIBRATED[1], "linestyle": ":"})
_ROC = {**look.ORDINARY, "marker": None, "linewidth": 3, "alpha": 0.6}
_SCORES = {
    "probability": ("scores contain the group's prior", look.CATEGORIES[1]),
    "one prior": ("both groups at the same prior", look.CATEGORIES[0]),
}


@look.styled()
def draw(weights: pd.DataFrame, groups: pd.DataFrame) -> Figure:
    """Draw the tables `weights` and `groups` of the experiment."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(look.FULL_WIDTH, 3.4))
    of_metrics = weights.fillna({"pi0": 1.0}).groupby(["metric", "pi0"])["weight"]
    ratios = of_metrics.first() / of_metrics.last()  # recall ascends
    of_area = ratios["average_precision"]
    least, most = (
        f"{float(f'{of_area[pi0]:.2g}'):,.0f} (π$_0$ = {pi0:g})"
        for pi0 in (of_area.idxmin(), of_area.idxmax())
    )
    figure.suptitle(
        f"In AUC-P$_c$R, a repair at recall {weights['recall'].min():g} is worth {least} to {most} "
        f"times one at recall {weights['recall'].max():g};\n"
        f"in AUC-ROC the ratio is {ratios['roc_auc'].item():.2g}"
    )
    _draw_weights(left, weights)
    _draw_groups(right, groups)
    return figure


def _draw_weights(axes: Axes, table: pd.DataFrame) -> None:
    roc = table[table["metric"] == "roc_auc"]
    axes.plot(roc["recall"], roc["weight"], label="AUC-ROC", **_ROC)
    levels = table.dropna(subset="pi0").groupby("pi0")
    for drawn, (pi0, rows) in zip(_LEVELS, levels, strict=True):
        label = f"AUC-P$_c$R, π$_0$={pi0:g}"
        axes.plot(rows["recall"], rows["weight"], label=label, **{**drawn, "marker": None})
    axes.set(yscale="log", xlabel="recall at the error", ylabel="value relative to recall ½")
    axes.set_title("Value of moving one positive past one negative")
    axes.legend(handlelength=3.5)


def _draw_groups(axes: Axes, table: pd.DataFrame) -> None:
    is_roc = table["metric"] == "roc_auc"
    left, right = table["pi0"].min(), table["pi0"].max()
    for _, row in table[is_roc].iterrows():
        label = "AUC-ROC" if row["scores"] == "one prior" else None
        axes.plot([left, right], [row["relative_value"]] * 2, label=label, **_ROC)
    for scores, (label, drawn) in _SCORES.items():
        rows = table[(table["scores"] == scores) & ~is_roc]
        axes.plot(rows["pi0"], rows["relative_value"], label=f"AUC-P$_c$R, {label}", **drawn)
    axes.axvline(table["prior"].iloc[0], ymax=0.65, label="prior of the data", **look.PRIOR)
    axes.set(ylim=(0, 1.75), ylabel="value at π = 0.02 / value at π = 0.2")
    axes.set_title("Mean value of a repair in two groups")
    prior_axis(axes, "reference prior π$_0$")
    axes.legend(loc="upper left")
