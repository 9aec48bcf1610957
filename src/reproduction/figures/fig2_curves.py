"""Figure 2: ROC, PR and PR-Gain curves of one model at two priors."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.fraud.fraud_data import FraudData
from reproduction.core import look
from reproduction.core.metrics import Metric

__all__ = ["draw"]

_SPACES = {
    "roc": ("ROC", "false positive rate", "true positive rate", Metric("roc_auc")),
    "pr": ("precision-recall", "recall", "precision", Metric("average_precision")),
    "prg": ("precision-recall gain", "recall gain", "precision gain", Metric("prg_auc")),
}
# The balanced sample is drawn wide and below the others, which stay visible on top of it.
_SAMPLES = {
    "all": ("all data, π", {**look.ORDINARY, "zorder": 2.2}),
    "undersampled": (
        "undersampled, π",
        {**look.UNDERSAMPLED, "linewidth": 3, "alpha": 0.55, "zorder": 2.0},
    ),
    "calibrated": ("calibrated, π$_0$", {**look.CALIBRATED[0], "linewidth": 1.0, "zorder": 2.1}),
}


def draw(table: pd.DataFrame, data: FraudData) -> Figure:
    """Draw the table of `experiments.curves_at_priors.run`, a panel per space.

    Parameters
    ----------
    data : FraudData
        Its `title` is the title of the figure.
    """
    with look.styled():
        figure, panels = plt.subplots(1, len(_SPACES), figsize=(look.FULL_WIDTH, 3.6))
        figure.suptitle(
            "Only the ROC curve ignores the prior; calibration gives the other curves at a chosen "
            f"prior\n{data.title}"
        )
        for axes, (space, (title, x_label, y_label, metric)) in zip(
            panels, _SPACES.items(), strict=True
        ):
            _draw_curves(axes, table[table["space"] == space])
            axes.set(title=title, xlabel=x_label, ylabel=y_label)
            axes.set(xlim=(-0.02, 1.02), ylim=(min(-0.02, axes.dataLim.y0 - 0.02), 1.02))
            axes.set_box_aspect(1)
            axes.set_anchor("N")
            axes.legend(
                loc="upper center", bbox_to_anchor=(0.5, -0.2), frameon=False, title=metric.family
            )
        return figure


def _draw_curves(axes: Axes, rows: pd.DataFrame) -> None:
    for sample, (name, look) in _SAMPLES.items():
        line = rows[rows["sample"] == sample]
        prior, area = line["prior"].iloc[0], line["area"].iloc[0]
        axes.plot(
            line["x"],
            line["y"],
            label=f"{area:.3f}  {name} = {prior:.2g}",
            **{**look, "marker": None},
        )
