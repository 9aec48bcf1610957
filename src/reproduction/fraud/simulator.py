"""Simulate card transactions with three kinds of fraud.

The model is the transaction data simulator of Y.-A. Le Borgne, W. Siblini, B. Lebichot and
G. Bontempi, *Reproducible Machine Learning for Credit Card Fraud Detection - Practical Handbook*
(2022), chapter 3. The simulated data replace transactions that are private or not downloaded.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

__all__ = ["simulate_transactions"]

_FIRST_DAY = np.datetime64("2018-04-01", "us")
_AREA_SIDE = 100.0
# Least and greatest place, mean amount and number of transactions per day.
_PROFILES = ((0.0, 0.0, 5.0, 0.0), (_AREA_SIDE, _AREA_SIDE, 100.0, 4.0))
_STD_PER_MEAN_AMOUNT = 0.5

_SECONDS_PER_DAY = 86_400
_TIME_OF_DAY_STD = 20_000.0

_LARGE_AMOUNT = 220.0
_COMPROMISED_PER_DAY = {"terminals": 2, "customers": 3}
_DAYS_COMPROMISED = {"terminals": 28, "customers": 14}
_CUSTOMER_TRANSACTIONS_PER_FRAUD = 3
_CUSTOMER_FRAUD_FACTOR = 5.0

# Each part has its own random stream, whose number is its position in this tuple. The draws of a
# part do not depend on how much another part has drawn. Reordering changes every simulation.
_PARTS = (
    "customers",
    "terminals",
    "counts",
    "times",
    "amounts",
    "replaced amounts",
    "terminal choices",
    "compromised terminals",
    "compromised customers",
    "customer frauds",
)


def simulate_transactions(
    *,
    n_customers: int = 5000,
    n_terminals: int = 10000,
    n_days: int = 183,
    radius: float = 5.0,
    seed: np.random.SeedSequence,
) -> pd.DataFrame:
    """Simulate the card transactions of a population of customers, and label the frauds.

    Customers and terminals are distributed uniformly on a square with side 100. A customer makes
    Poisson(rate) transactions per day, rate ~ U(0, 4). The terminal of each is drawn uniformly
    from those within `radius`; a customer without such a terminal makes no transactions. The time
    of day is N(12:00, 20,000 s), and a transaction outside the day is dropped. The amount is
    N(mean, mean / 2), mean ~ U(5, 100) for each customer; a negative amount is replaced by
    U(0, 2 mean). The handbook reports 1,754,155 transactions and 14,681 frauds for these sizes.

    There are three fraud scenarios, applied in this order. If a transaction belongs to several of
    them, the last one is its label.

    1. All transactions with an amount above 220 are frauds.
    2. Each day, two terminals are compromised. All their transactions of that day and of the next
       27 days are frauds.
    3. Each day, three customers are compromised. A random third (rounded down) of all their
       transactions of that day and of the next 13 days are frauds, and their amounts are
       multiplied by 5. A transaction that is drawn on several days is multiplied several times.

    Returns
    -------
    DataFrame
        Transactions in order of time; simultaneous ones are in order of customer. Columns:
        ``time`` (datetime64[us], whole seconds from 2018-04-01); ``day``, from
        0; ``customer_id``; ``terminal_id``; ``amount`` (two decimals); ``fraud`` (bool);
        ``scenario`` (1, 2 or 3 for a fraud, 0 otherwise).
    """
    seconds, customers, terminals, amounts = _draw_transactions(
        n_customers, n_terminals, n_days, radius, seed
    )
    days = seconds // _SECONDS_PER_DAY
    day_bounds = np.searchsorted(days, np.arange(n_days + 1))

    scenarios = np.where(amounts > _LARGE_AMOUNT, np.int8(1), np.int8(0))
    for rows in _compromised_rows(seed, "terminals", n_terminals, terminals, day_bounds):
        scenarios[rows] = 2
    rng = _generator(seed, "customer frauds")
    for rows in _compromised_rows(seed, "customers", n_customers, customers, day_bounds):
        n_frauds = len(rows) // _CUSTOMER_TRANSACTIONS_PER_FRAUD
        frauds = rng.choice(rows, size=n_frauds, replace=False)
        scenarios[frauds] = 3
        amounts[frauds] = np.round(_CUSTOMER_FRAUD_FACTOR * amounts[frauds], 2)

    return pd.DataFrame(
        {
            "time": _FIRST_DAY + seconds.astype("timedelta64[s]"),
            "day": days,
            "customer_id": customers,
            "terminal_id": terminals,
            "amount": amounts,
            "fraud": scenarios > 0,
            "scenario": scenarios,
        }
    )


def _generator(seed: np.random.SeedSequence, part: str) -> np.random.Generator:
    # seed.spawn() counts its calls, so a second simulation with the same seed would differ.
    key = (*seed.spawn_key, _PARTS.index(part))
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=key))


def _draw_transactions(
    n_customers: int, n_terminals: int, n_days: int, radius: float, seed: np.random.SeedSequence
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Seconds since the start, customer, terminal and amount of each transaction, in time order.

    Transactions are drawn day by day, so that a longer simulation starts like a shorter one.
    """
    x, y, means, rates = _generator(seed, "customers").uniform(*_PROFILES, (n_customers, 4)).T
    places = _generator(seed, "terminals").uniform(0.0, _AREA_SIDE, (n_terminals, 2))
    within = cKDTree(places).query_ball_point(np.c_[x, y], radius, return_sorted=True)
    n_within = np.array([len(terminals) for terminals in within])
    rates = np.where(n_within > 0, rates, 0.0)
    counts = _generator(seed, "counts").poisson(rates, size=(n_days, n_customers))
    days, customers = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), n_customers)
    times = _generator(seed, "times").normal(_SECONDS_PER_DAY / 2, _TIME_OF_DAY_STD, len(days))
    seconds = times.astype(np.int64)
    amounts = _draw_amounts(seed, means[customers])
    choices = _generator(seed, "terminal choices").random(len(days)) * n_within[customers]
    first = np.cumsum(n_within) - n_within
    terminals = np.concatenate(within).astype(np.int64)[first[customers] + choices.astype(np.int64)]

    kept = np.flatnonzero((seconds > 0) & (seconds < _SECONDS_PER_DAY))
    seconds += days * _SECONDS_PER_DAY
    kept = kept[np.argsort(seconds[kept], kind="stable")]
    return seconds[kept], customers[kept], terminals[kept], amounts[kept]


def _draw_amounts(seed: np.random.SeedSequence, means: np.ndarray) -> np.ndarray:
    amounts = _generator(seed, "amounts").normal(means, _STD_PER_MEAN_AMOUNT * means)
    negative = np.flatnonzero(amounts < 0)
    redrawn = _generator(seed, "replaced amounts")
    amounts[negative] = redrawn.uniform(0.0, 2.0 * means[negative])
    return np.round(amounts, 2)


def _compromised_daily(
    seed: np.random.SeedSequence, kind: str, n_ids: int, n_days: int
) -> list[np.ndarray]:
    """Terminals or customers that are compromised on each day."""
    rng = _generator(seed, f"compromised {kind}")
    size = _COMPROMISED_PER_DAY[kind]
    return [rng.choice(n_ids, size=size, replace=False) for _ in range(n_days)]


def _compromised_rows(
    seed: np.random.SeedSequence, kind: str, n_ids: int, ids: np.ndarray, day_bounds: np.ndarray
) -> Iterator[np.ndarray]:
    """Rows of the terminals or customers of each day, in the days that they stay compromised."""
    n_days = len(day_bounds) - 1
    for day, compromised in enumerate(_compromised_daily(seed, kind, n_ids, n_days)):
        last_day = min(day + _DAYS_COMPROMISED[kind], n_days)
        first, last = day_bounds[day], day_bounds[last_day]
        yield first + np.flatnonzero(np.isin(ids[first:last], compromised))
