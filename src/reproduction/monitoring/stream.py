"""The monitored stream: simulated card transactions that one model scores, or a user's own file.

The simulated stream replaces that of Figure 1 of Siblini et al. (IDA 2020,
doi:10.1007/978-3-030-44584-3_36), which is private. The transactions come from the simulator of
the fraud-detection handbook. One model, fitted before the first week, scores all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from reproduction.core.streams import stream_seed
from reproduction.fraud.features import split_by_weeks, transaction_features
from reproduction.fraud.model import check_classes, logistic_scores
from reproduction.fraud.reading import read_scores
from reproduction.fraud.simulator import simulate_transactions

__all__ = ["own", "scored_stream", "simulated"]

_DAYS = 7  # per period


def simulated(*, seed: int, **settings: Any) -> pd.DataFrame:
    """Call `scored_stream` with the random stream of this experiment."""
    return scored_stream(**settings, seed=stream_seed(seed, "fraud_stream"))


def scored_stream(
    *,
    n_customers: int,
    n_terminals: int,
    radius: float,
    train_start_day: int = 37,
    train_weeks: int = 4,
    delay_weeks: int = 1,
    n_periods: int,
    seed: int | np.random.SeedSequence,
) -> pd.DataFrame:
    """Simulate transactions, fit the handbook's baseline on the first weeks, score the later ones.

    The model is a logistic regression on standardised features. The number of simulated days
    follows from the weeks. It is 212 by default; the handbook simulates 183.

    Returns
    -------
    DataFrame
        ``day``, ``period``, ``y_true`` and ``y_score``: the transactions of the training weeks,
        which have periods below 1 and no score, and of the periods from 1 to `n_periods`.

    Raises
    ------
    ValueError
        If there is no fraud in the training weeks or in a period.
    """
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
    check_classes("the training weeks", stream["y_true"][train])
    _check_periods(stream[monitored])
    stream.loc[monitored, "y_score"] = logistic_scores(
        transaction_features(transactions), stream["y_true"], train, monitored
    )
    return stream[train | monitored].reset_index(drop=True)


def own(path: str, *, label: str, score: str, period: str) -> pd.DataFrame:
    """Read scored rows of a user's file: ``period``, ``y_true`` and ``y_score``.

    Raises
    ------
    ValueError
        As for `read_scores`, and if a period lacks one of the classes.
    """
    rows = read_scores(path, label=label, score=score, period=period)
    _check_periods(rows)
    return rows.sort_values("period", kind="stable", ignore_index=True)


def _check_periods(rows: pd.DataFrame) -> None:
    for period, labels in rows.groupby("period")["y_true"]:
        check_classes(f"period {period}", labels)
