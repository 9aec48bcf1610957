"""Drift imposed on a scored stream."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

__all__ = ["DRIFTS", "Drift", "drifted"]


@dataclass(frozen=True)
class Drift:
    """Drift of a stream from its first to its last period; by default there is none.

    Prior drift: `frauds_kept` is the share of the frauds that are left in the last period. Their
    number falls by the same factor from each period to the next. Likelihood drift:
    `frauds_disguised` is the probability that a fraud of the last period has the score of a genuine
    transaction. It starts at 0 and grows by the same amount in each period.
    """

    frauds_kept: float = 1.0
    frauds_disguised: float = 0.0


DRIFTS = {
    "prior drift": Drift(frauds_kept=0.1),
    "likelihood drift": Drift(frauds_disguised=0.4),
    "both drifts": Drift(frauds_kept=0.1, frauds_disguised=0.4),
}
"""Drift by the name of its scenario. Other scenarios keep the stream as it is."""


def drifted(stream: pd.DataFrame, drift: Drift, *, seed: int | np.random.SeedSequence):
    """Resample the periods of a stream so that the given drift is the only change.

    A simulated stream varies slightly over time. Therefore the monitored transactions of all
    periods are pooled by class, and each period draws from the two pools without replacement.
    Before the drift, all periods have the same number of transactions of each class and the same
    distribution of scores given the class. A prior drift does not change that distribution. A
    likelihood drift replaces scores of frauds with scores that are drawn from the pool of genuine
    transactions, and keeps the prior constant.

    Raises
    ------
    ValueError
        If the stream has fewer frauds than periods.
    """
    n_periods = int(stream["period"].nunique())
    rng = np.random.default_rng(seed)
    fraud_scores, genuine_scores = (
        rng.permutation(stream["y_score"].to_numpy()[stream["y_true"] == label]) for label in (1, 0)
    )
    n_frauds = _falling_counts(len(fraud_scores) // n_periods, drift.frauds_kept, n_periods)
    fraud_scores = fraud_scores[: n_frauds.sum()]
    chance = np.repeat(np.linspace(0.0, drift.frauds_disguised, n_periods), n_frauds)
    disguised = rng.random(len(fraud_scores)) < chance
    n_disguised = np.count_nonzero(disguised)
    fraud_scores[disguised] = genuine_scores[:n_disguised]

    n_genuine = (len(genuine_scores) - n_disguised) // n_periods
    genuine_scores = genuine_scores[n_disguised:][: n_genuine * n_periods]
    periods = np.arange(1, n_periods + 1)
    table = pd.DataFrame(
        {
            "period": np.concatenate([np.repeat(periods, n_frauds), np.repeat(periods, n_genuine)]),
            "y_true": np.repeat([1, 0], [len(fraud_scores), len(genuine_scores)]),
            "y_score": np.concatenate([fraud_scores, genuine_scores]),
        }
    )
    return table.sort_values("period", kind="stable", ignore_index=True)


def _falling_counts(first: int, share_left: float, n_periods: int) -> np.ndarray:
    """Counts that fall by a constant factor from `first` to a share of it, at least 1."""
    if first < 1:
        raise ValueError("stream must have at least one fraud per period")
    counts = np.rint(first * np.geomspace(1.0, share_left, n_periods))
    return np.maximum(counts, 1).astype(np.int64)
