"""A stream of scored card transactions, week by week, and drifts imposed on it.

It stands in for the private stream of Figure 1 of Siblini et al. (IDA 2020,
doi:10.1007/978-3-030-44584-3_36), which cannot be published: transactions of the fraud-detection
handbook's simulator, scored by one model that is fitted before the first week and never again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from calibrated_metrics import _checks
from reproduction.data.simulator import simulate_transactions
from reproduction.data.transaction_features import split_by_weeks, transaction_features

__all__ = ["SCENARIOS", "Drift", "drifted", "scored_stream"]

_DAYS = 7  # in a period


@dataclass(frozen=True)
class Drift:
    """What changes from the first period to the last; nothing changes by default.

    Parameters
    ----------
    frauds_kept : float in (0, 1], default=1.0
        Prior drift: the share of the frauds that is left in the last period. Their number falls
        by the same factor from each period to the next.
    frauds_disguised : float in [0, 1], default=0.0
        Likelihood drift: the probability that a fraud of the last period scores like a genuine
        transaction. It grows by the same amount from each period to the next, from 0.

    Raises
    ------
    TypeError, ValueError
        If a share is not a number, or outside its range.
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
"""What happens to the stream, by name; None leaves it as simulated."""


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

    The model is a logistic regression on standardised features. As many days are simulated as the
    weeks below need; by default those are 212, where the handbook has 183.

    Parameters
    ----------
    n_customers, n_terminals : int, default=5000, 10_000
    radius : float, default=5.0
        Of `simulate_transactions`.
    train_start_day : int, default=37
        First day of training. Features look back on 37 days, which the first transactions lack.
    train_weeks : int, default=4
        Weeks of training, at least 1.
    delay_weeks : int, default=1
        Weeks after those, until their frauds are known, at least 0.
    n_periods : int, default=20
        Weeks in which the model is monitored, at least 2.
    seed : int or numpy.random.SeedSequence
        Of the simulator.

    Returns
    -------
    DataFrame of shape (n_transactions, 4)
        In order of time, the transactions of the training weeks and of the periods. Columns:

        - ``day`` (int16): since the first simulated day
        - ``period`` (int16): from 1 to `n_periods`; the training weeks come before, below 1, and
          those of the delay, which separate both, are left out
        - ``y_true`` (int8): 1 for a fraud
        - ``y_score`` (float64): probability of fraud, in [0, 1]; NaN in the training weeks, which
          the model has seen

    Raises
    ------
    TypeError, ValueError
        If an argument is of another type or outside its range, or if the training weeks or a
        period lack frauds.

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
    """Impose a drift on the periods of a stream, in which nothing else changes.

    A simulated stream changes by itself a little. The transactions of all periods are therefore
    pooled, by class, and every period draws from the two pools at random, without replacement: a
    transaction is used once at most. Before the drift, all periods have as many transactions of
    either class as each other and the same distribution of scores given the class, ``p(score |
    y)``. A drift of the prior leaves that distribution as it is; a drift of the likelihood gives
    frauds the scores of genuine transactions, drawn from the pool of those, and leaves the prior.

    Parameters
    ----------
    stream : DataFrame of shape (n_transactions, >= 3)
        As of `scored_stream`.
    drift : Drift
    seed : int or numpy.random.SeedSequence
        A sequence is read, never advanced.

    Returns
    -------
    DataFrame
        ``period`` (int16), ``y_true`` (int8), ``y_score`` (float64), in order of period. A
        transaction no longer has a day.

    Raises
    ------
    ValueError
        If the stream has fewer than 2 periods, or less than a fraud a period.
    """
    stream = stream[stream["period"] >= 1]
    n_periods = int(stream["period"].nunique())
    if n_periods < 2:
        raise ValueError(f"stream must have at least 2 periods to drift over, has {n_periods}")
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
    """Counts from `first` down to a share of it by a constant factor, at least 1."""
    if first < 1:
        raise ValueError("stream must have at least a fraud a period")
    counts = np.rint(first * np.geomspace(1.0, share_left, n_periods))
    return np.maximum(counts, 1).astype(np.int64)


def _check_frauds(stream: pd.DataFrame, train: np.ndarray, monitored: np.ndarray) -> None:
    _checks.both_classes("the training weeks", stream["y_true"][train].to_numpy())
    for period, labels in stream[monitored].groupby("period")["y_true"]:
        _checks.both_classes(f"period {period}", labels.to_numpy())


def _scores_of_baseline(
    features: pd.DataFrame, y_true: pd.Series, train: np.ndarray, monitored: np.ndarray
) -> np.ndarray:
    model = make_pipeline(StandardScaler(), LogisticRegression())
    with threadpool_limits(1):  # the last digits must not depend on the number of cores
        model.fit(features[train], y_true[train])
        return model.predict_proba(features[monitored])[:, 1]
