"""A weekly stream of scored card transactions, and drifts imposed on it.

It replaces the stream of Figure 1 of Siblini et al. (IDA 2020,
doi:10.1007/978-3-030-44584-3_36), which is private. The transactions come from the simulator of
the fraud-detection handbook. One model, fitted before the first week, scores all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from calibrated_metrics import _checks
from reproduction.fraud.simulator import simulate_transactions
from reproduction.fraud.features import split_by_weeks, transaction_features

__all__ = ["SCENARIOS", "Drift", "drifted", "scored_stream"]

_DAYS = 7  # per period


@dataclass(frozen=True)
class Drift:
    """Drift of a stream from its first to its last period; by default there is none.

    Parameters
    ----------
    frauds_kept : float in (0, 1], default=1.0
        Prior drift: the share of the frauds that are left in the last period. Their number falls
        by the same factor from each period to the next.
    frauds_disguised : float in [0, 1], default=0.0
        Likelihood drift: the probability that a fraud of the last period has the score of a
        genuine transaction. It starts at 0 and grows by the same amount in each period.

    Raises
    ------
    TypeError, ValueError
        If a value is not a number, or is outside its range.
    """

    frauds_kept: float = 1.0
    frauds_disguised: float = 0.0

    def __post_init__(self):
        kept = _checks.real_number("frauds_kept", self.frauds_kept)
        if not 0 < kept <= 1:
            raise ValueError(f"frauds_kept must lie in (0, 1], got {kept}")
        disguised = _checks.real_number("frauds_disguised", self.frauds_disguised)
        if not 0 <= disguised <= 1:
            raise ValueError(f"frauds_disguised must lie in [0, 1], got {disguised}")


SCENARIOS: dict[str, Drift | None] = {
    "as simulated": None,
    "prior drift": Drift(frauds_kept=0.1),
    "likelihood drift": Drift(frauds_disguised=0.4),
    "both drifts": Drift(frauds_kept=0.1, frauds_disguised=0.4),
}
"""Drift of the stream by the name of the scenario; None keeps the stream as simulated."""


def scored_stream(
    *,
    n_customers: int = 5000,
    n_terminals: int = 10_000,
    radius: float = 5.0,
    train_start_day: int = 37,
    train_weeks: int = 4,
    delay_weeks: int = 1,
    n_periods: int = 20,
    seed: int | np.random.SeedSequence,
) -> pd.DataFrame:
    """Simulate transactions, fit the handbook's baseline on the first weeks, score the later ones.

    The model is a logistic regression on standardised features. The number of simulated days
    follows from the weeks below. It is 212 by default; the handbook simulates 183.

    Parameters
    ----------
    n_customers, n_terminals : int, default=5000, 10_000
        See `simulate_transactions`.
    radius : float, default=5.0
        See `simulate_transactions`.
    train_start_day : int, default=37
        First day of training. Features use the previous 37 days, so that earlier transactions
        lack part of their history.
    train_weeks : int, default=4
        Number of training weeks, at least 1.
    delay_weeks : int, default=1
        Number of weeks after training until the frauds are known, at least 0.
    n_periods : int, default=20
        Number of weeks in which the model is monitored, at least 2.
    seed : int or numpy.random.SeedSequence
        Seed of the simulator.

    Returns
    -------
    DataFrame of shape (n_transactions, 4)
        The transactions of the training weeks and of the periods, in order of time; those of the
        delay weeks are left out. Columns:

        - ``day`` (int16): days since the first simulated day
        - ``period`` (int16): from 1 to `n_periods`; below 1 in the training weeks
        - ``y_true`` (int8): 1 for a fraud
        - ``y_score`` (float64): probability of fraud, in [0, 1]; NaN in the training weeks

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is outside its range, or if there is no fraud in the
        training weeks or in a period.

    References
    ----------
    Y.-A. Le Borgne, W. Siblini, B. Lebichot, G. Bontempi. *Reproducible Machine Learning for
    Credit Card Fraud Detection - Practical Handbook*. Université Libre de Bruxelles, 2022,
    chapter 3.
    """
    _checks.integer_at_least("train_start_day", train_start_day, 0)
    _checks.integer_at_least("train_weeks", train_weeks, 1)
    _checks.integer_at_least("delay_weeks", delay_weeks, 0)
    _checks.integer_at_least("n_periods", n_periods, 2)
    first_day = train_start_day + _DAYS * (train_weeks + delay_weeks)
    transactions = simulate_transactions(
        n_customers=n_customers,
        n_terminals=n_terminals,
        n_days=first_day + _DAYS * n_periods,
        radius=radius,
        seed=seed,
    )
    train, monitored = split_by_weeks(
        transactions,
        train_start_day=train_start_day,
        train_weeks=train_weeks,
        delay_weeks=delay_weeks,
        test_weeks=n_periods,
    )
    days = transactions["day"].to_numpy()
    stream = pd.DataFrame(
        {
            "day": days.astype(np.int16),
            "period": (1 + (days - first_day) // _DAYS).astype(np.int16),
            "y_true": transactions["fraud"].to_numpy(np.int8),
            "y_score": np.nan,
        }
    )
    _check_frauds(stream, train, monitored)
    stream.loc[monitored, "y_score"] = _scores_of_baseline(
        transaction_features(transactions), stream["y_true"], train, monitored
    )
    return stream[train | monitored].reset_index(drop=True)


def drifted(
    stream: pd.DataFrame, drift: Drift, *, seed: int | np.random.SeedSequence
) -> pd.DataFrame:
    """Resample the periods of a stream so that the given drift is the only change.

    A simulated stream varies slightly over time. Therefore the transactions of all periods are
    pooled by class, and each period draws from the two pools at random without replacement. Before
    the drift, all periods have the same number of transactions of each class and the same
    distribution of scores given the class, ``p(score | y)``. A prior drift does not change that
    distribution. A likelihood drift replaces scores of frauds with scores that are drawn from the
    pool of genuine transactions, and keeps the prior constant.

    Parameters
    ----------
    stream : DataFrame of shape (n_transactions, >= 3)
        The output of `scored_stream`.
    drift : Drift
    seed : int or numpy.random.SeedSequence
        A sequence is not advanced.

    Returns
    -------
    DataFrame
        ``period`` (int16), ``y_true`` (int8), ``y_score`` (float64), in order of period. There
        is no column ``day``, because transactions change their period.

    Raises
    ------
    ValueError
        If the stream has fewer than 2 periods, or fewer frauds than periods.
    """
    stream = stream[stream["period"] >= 1]
    n_periods = int(stream["period"].nunique())
    if n_periods < 2:
        raise ValueError(f"stream must have at least 2 periods, has {n_periods}")
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
    periods = np.arange(1, n_periods + 1, dtype=np.int16)
    labels = np.repeat(np.array([1, 0], dtype=np.int8), [len(fraud_scores), len(genuine_scores)])
    table = pd.DataFrame(
        {
            "period": np.concatenate([np.repeat(periods, n_frauds), np.repeat(periods, n_genuine)]),
            "y_true": labels,
            "y_score": np.concatenate([fraud_scores, genuine_scores]),
        }
    )
    return table.sort_values("period", kind="stable", ignore_index=True)


def _falling_counts(first: int, share_left: float, n_periods: int) -> np.ndarray:
    """Return counts that fall by a constant factor from `first` to a share of it, at least 1."""
    if first < 1:
        raise ValueError("stream must have at least one fraud per period")
    counts = np.rint(first * np.geomspace(1.0, share_left, n_periods))
    return np.maximum(counts, 1).astype(np.int64)


def _check_frauds(stream: pd.DataFrame, train: np.ndarray, monitored: np.ndarray) -> None:
    _checks.both_classes("the training weeks", stream["y_true"][train].to_numpy())
    for period, labels in stream[monitored].groupby("period")["y_true"]:
        _checks.both_classes(f"period {period}", labels.to_numpy())


def _scores_of_baseline(
    features: pd.DataFrame, y_true: pd.Series, train: np.ndarray, monitored: np.ndarray
) -> np.ndarray:
    # takes a second to import, which only the job that makes the stream spends
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression())
    with threadpool_limits(1):  # so that the last digits do not depend on the number of cores
        model.fit(features[train], y_true[train])
        return model.predict_proba(features[monitored])[:, 1]
