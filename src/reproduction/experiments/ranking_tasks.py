"""Which tasks stand behind which matrix of rank correlations."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

__all__ = ["PANELS", "run"]

PANELS = ("all", "imbalanced", "small_prior")


def run(
    tasks: Iterable[pd.DataFrame], *, imbalanced_below: float, small_prior_below: float
) -> pd.DataFrame:
    """Join the lines on single tasks, and say which matrices each belongs to.

    Parameters
    ----------
    tasks : iterable of DataFrame
        Lines as of `data.predictions.describe`.
    imbalanced_below, small_prior_below : float in (0, 1)
        Tasks whose prior lies below belong to that matrix; all belong to the matrix `all`.

    Returns
    -------
    DataFrame
        The lines by task, with a column of bool for each of `PANELS`.
    """
    joined = pd.concat(tasks, ignore_index=True).sort_values("task", ignore_index=True)
    return joined.assign(
        all=True,
        imbalanced=joined["prior"] < imbalanced_below,
        small_prior=joined["prior"] < small_prior_below,
    )
