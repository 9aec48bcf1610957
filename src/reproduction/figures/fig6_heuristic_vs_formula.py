"""Figure 6: the undersampling heuristic against the closed form."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from reproduction.fraud.fraud_data import FraudData
from reproduction.figures import style
from reproduction.figures.panels import prior_axis

__all__ = ["draw"]


def draw(table: pd.DataFrame, data: FraudData) -> Figure:
    """Draw the table of `experiments.heuristic`: areas, and the gap in standard deviations."""
    calibrated, *_ = style.CALIBRATED
    with style.styled():
        figure, (top, bottom) = plt.subplots(
            2,
            1,
            sharex=True,
            figsize=(style.SINGLE_WIDTH, 3.6),
            gridspec_kw={"height_ratios": [2.4, 1]},
        )
        n_runs = int(table["n_runs"].iloc[0])
        top.errorbar(
            table["pi0"],
            table["mean"],
            yerr=table["sd"],
            color=style.ORDINARY["color"],
            marker=style.ORDINARY["marker"],
            linestyle="none",
            capsize=2,
            elinewidth=0.8,
            label=f"heuristic, mean ± sd of {n_runs} draws",
        )
        top.fill_between(
            table["pi0"],
            table["low"],
            table["high"],
            color=calibrated["color"],
            alpha=style.BAND_ALPHA,
            linewidth=0,
            label="95 % interval of the closed form",
        )
        top.plot(table["pi0"], table["closed_form"], color=calibrated["color"], label="closed form")
        figure.suptitle(data.title)
        top.set(ylabel="AUC-P$_c$R")
        top.legend(loc="upper left")

        drawn = table[table["sd"] > 0]  # at the prior itself nothing is random
        bottom.axhline(0.0, color=calibrated["color"])
        gap, expected_gap = (
            (drawn[column] - drawn["closed_form"]) / drawn["sd"] for column in ("mean", "expected")
        )
        bottom.plot(
            drawn["pi0"],
            gap,
            color=style.ORDINARY["color"],
            marker=style.ORDINARY["marker"],
            linestyle="none",
        )
        bottom.plot(drawn["pi0"], expected_gap, label="exact expectation", **style.POPULATION)
        reach = 1.1 * max(0.25, gap.abs().max(), expected_gap.abs().max())
        bottom.set(ylabel="(mean − closed\nform) / sd", ylim=(-reach, reach))
        prior_axis(bottom, "reference prior π$_0$")
        bottom.legend(loc="lower left")
        return figure
