"""Drift imposed on a scored stream."""

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Drift:
    """Drift of a stream from its first to its last period; by default there is none.

    Prior drift: `frauds_kept` is the share of the frauds that remain in the last period. Their
    number decreases by the same factor from each period to the next. Likelihood drift:
    `frauds_disguised` is the probability that a fraud of the last period has the score of a genuine
    transaction. It starts at 0 and grows by the same amount in each period.
    """

    frauds_kept: float = 1.0
    frauds_disguised: float = 0.0


# Drift by scenario. In other scenarios, the stream is unchanged.
DRIFTS = {
    "prior drift": Drift(frauds_kept=0.1),
    "likelihood drift": Drift(frauds_disguised=0.4),
    "both drifts": Drift(frauds_kept=0.1, frauds_disguised=0.4),
}


def drifted(stream: pd.DataFrame, drift: Drift, *, seed: int | np.random.SeedSequence):
    """Resample the periods of a stream so that the given drift is the only change.

    A simulated stream varies slightly over time. Therefore its transactions are pooled by class,
    and for each period the same number of each class is drawn from the two pools, without
    replacement. Prior drift then removes frauds. Likelihood drift replaces scores of frauds by
    scores from the pool of genuine transactions.
    """
    n_periods = int(stream["period"].nunique())
    rng = np.random.default_rng(seed)
    fraud_scores, genuine_scores = (
        rng.permutation(stream["y_score"].to_numpy()[stream["y_true"] == label]) for label in (1, 0)
    )
    if len(fraud_scores) < n_periods:
        raise ValueError("stream must have at least one fraud per period")
    shares_left = np.geomspace(1.0, drift.frauds_kept, n_periods)
    n_frauds = np.rint(len(fraud_scores) // n_periods * shares_left).clip(1).astype(int)
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
