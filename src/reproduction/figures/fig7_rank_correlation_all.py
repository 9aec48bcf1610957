"""Figure 7, left: rank correlations of metrics over all tasks."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from calibrated_metrics.registry import Metric
from reproduction.figures import rank_matrices

__all__ = ["draw"]


def draw(table: pd.DataFrame, metrics: Sequence[Metric], title: str) -> Figure:
    """Draw the table of `experiments.rank_correlation` of its panel; `title` says whose models."""
    return rank_matrices.draw(table, metrics, f"All tasks: {title}")
