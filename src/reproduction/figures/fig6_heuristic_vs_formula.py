"""Figure 6: the undersampling heuristic against the closed form."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from reproduction.fraud.fraud_data import FraudData
from reproduction.core import look
from reproduction.core.panels import prior_axis

__all__ = ["draw"]


def draw(table: pd.DataFrame, data: FraudData) -> Figure:
    """Draw the table of `experiments.heuristic`: areas, and the gap in standard deviations.

    Error bars are standard deviations of one draw above, and 95 % intervals of the mean below.
    """
    calibrated, *_ = look.CALIBRATED
    with look.styled():
        figure, (top, bottom) = plt.subplots(
            2,
            1,
            sharex=True,
            figsize=(look.SINGLE_WIDTH, 4.3),
            gridspec_kw={"height_ratios": [2, 1]},
        )
        n_runs = int(table["n_runs"].iloc[0])
        points = {
            **look.UNDERSAMPLED,
            "marker": look.ORDINARY["marker"],
            "linestyle": "none",
            "capsize": 2,
            "elinewidth": 0.8,
        }
        top.errorbar(
            table["pi0"],
            table["mean"],
            yerr=table["sd"],
            **points,
            label="undersampling, mean ± SD",
        )
        top.fill_between(
            table["pi0"],
            table["low"],
            table["high"],
            color=calibrated["color"],
            alpha=look.BAND_ALPHA,
            linewidth=0,
            label="95 % interval (closed form)",
        )
        top.plot(table["pi0"], table["closed_form"], color=calibrated["color"], label="closed form")
        figure.suptitle(
            f"Undersampling on average agrees with\nthe closed form of calibration\n{data.title}"
        )
        top.set(ylabel="AUC-P$_c$R")

        drawn = table[table["sd"] > 0]  # at the prior itself nothing is random
        bottom.axhline(0.0, color=calibrated["color"])
        gap, expected_gap = (
            (drawn[column] - drawn["closed_form"]) / drawn["sd"] for column in ("mean", "expected")
        )
        error = 1.96 / n_runs**0.5  # of the mean, in standard deviations of one draw
        bottom.errorbar(drawn["pi0"], gap, yerr=error, **points, label="mean, with 95 % interval")
        bottom.plot(drawn["pi0"], expected_gap, label="exact expectation", **look.POPULATION)
        reach = 1.1 * max(gap.abs().max() + error, expected_gap.abs().max())
        bottom.set(ylabel="(mean − closed\nform) / SD", ylim=(-reach, reach))
        prior_axis(bottom, "reference prior π$_0$")
        top.legend(loc="upper left")
        figure.legend(
            *bottom.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False
        )
        return figure
