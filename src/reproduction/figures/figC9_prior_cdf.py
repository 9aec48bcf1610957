"""arXiv appendix C: distribution of the minority ratio over the datasets."""

from __future__ import annotations

import textwrap

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from reproduction.core import look
from reproduction.ranking.matrices import empty

__all__ = ["draw"]

_GUIDE = 0.2
_GUIDE_LABEL = f"{_GUIDE:g}: the paper finds more than 90 % of datasets above"


def draw(table: pd.DataFrame, title: str) -> Figure:
    """Draw the table of `experiments.minority_ratio` as a staircase.

    Parameters
    ----------
    table : DataFrame
        `minority_ratio`, ascending, and `cumulative_share`.
    title : str
        The datasets.
    """
    with look.styled():
        if table.empty:
            return empty(title)
        figure, axes = plt.subplots(figsize=(look.SINGLE_WIDTH, 2.8))
        below = table.loc[table["minority_ratio"] <= _GUIDE, "cumulative_share"].max()
        above = 1.0 if pd.isna(below) else 1.0 - below
        figure.suptitle(
            f"{above:.1%} of {len(table)} datasets have a minority ratio above {_GUIDE:g}\n"
            f"{textwrap.fill(title, 55)}"
        )
        axes.step(
            [0.0, *table["minority_ratio"], 0.5],
            [0.0, *table["cumulative_share"], 1.0],
            where="post",
            color=look.CALIBRATED[0]["color"],
        )
        guide = {"color": look.ORDINARY["color"], "linestyle": "--", "linewidth": 0.9}
        axes.axvline(_GUIDE, label=_GUIDE_LABEL, **guide)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
        axes.set(
            xlim=(0, 0.5), ylim=(0, 1.01), xlabel="minority ratio (share of the smaller class)"
        )
        axes.set_ylabel("cumulative share of datasets")
        return figure
