"""arXiv appendix C: distribution of the minority ratio over the datasets."""

from __future__ import annotations

import textwrap

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from reproduction.figures import style
from reproduction.figures.rank_matrices import empty

__all__ = ["draw"]

_GUIDE = 0.2  # Siblini et al. (2020) find more than 90 % of OpenML's tasks above it


def draw(table: pd.DataFrame, title: str) -> Figure:
    """Draw the table of `experiments.minority_ratio` as a staircase.

    Parameters
    ----------
    table : DataFrame
        `minority_ratio`, ascending, and `cumulative_share`.
    title : str
        The datasets.
    """
    with style.styled():
        if table.empty:
            return empty(title)
        figure, axes = plt.subplots(figsize=(style.SINGLE_WIDTH, 2.8))
        below = table.loc[table["minority_ratio"] <= _GUIDE, "cumulative_share"].max()
        above = 1.0 if pd.isna(below) else 1.0 - below
        figure.suptitle(
            f"{textwrap.fill(title, 55)}\n{len(table)} datasets, {above:.1%} above {_GUIDE:g}"
        )
        axes.step(
            [0.0, *table["minority_ratio"], 0.5],
            [0.0, *table["cumulative_share"], 1.0],
            where="post",
            color=style.CALIBRATED[0]["color"],
        )
        axes.axvline(_GUIDE, color=style.ORDINARY["color"], linestyle="--", linewidth=0.9)
        axes.set(
            xlim=(0, 0.5), ylim=(0, 1.01), xlabel="minority ratio (share of the smaller class)"
        )
        axes.set_ylabel("cumulative share of datasets")
        return figure
