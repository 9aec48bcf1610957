"""The tasks of each matrix of rank correlations."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

__all__ = ["PANELS", "run"]

PANELS = ("all", "imbalanced", "small_prior")


def run(
    tasks: Iterable[pd.DataFrame], *, imbalanced_below: float, small_prior_below: float
) -> pd.DataFrame:
    """Join the rows on single tasks, and mark the matrices that each task belongs to.

    Parameters
    ----------
    tasks : iterable of DataFrame
        Rows as returned by `data.predictions.describe`.
    imbalanced_below, small_prior_below : float in (0, 1)
        Tasks with a smaller prior belong to that matrix; all tasks belong to the matrix `all`.

    Returns
    -------
    DataFrame
        The rows, sorted by task, with a boolean column for each of `PANELS`.
    """
    joined = pd.concat(tasks, ignore_index=True).sort_values("task", ignore_index=True)
    return joined.assign(
        all=True,
        imbalanced=joined["prior"] < imbalanced_below,
        small_prior=joined["prior"] < small_prior_below,
    )
