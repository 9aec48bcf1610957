"""Simulate card transactions with three kinds of fraud.

The model is the transaction data simulator of Y.-A. Le Borgne, W. Siblini, B. Lebichot and
G. Bontempi, *Reproducible Machine Learning for Credit Card Fraud Detection - Practical Handbook*
(2022), chapter 3. The simulated data replace transactions that are private or not downloaded.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

_FIRST_DAY = np.datetime64("2018-04-01", "us")
# Least and greatest place, mean amount and number of transactions per day.
_PROFILES = ((0.0, 0.0, 5.0, 0.0), (100.0, 100.0, 100.0, 4.0))
_SECONDS_PER_DAY = 86_400
_COMPROMISED_PER_DAY = {"terminals": 2, "customers": 3}
_DAYS_COMPROMISED = {"terminals": 28, "customers": 14}

# Each part has its own random stream, so its draws do not depend on the other parts.
_CUSTOMERS, _TERMINALS, _COUNTS, _TIMES, _AMOUNTS, _REPLACED_AMOUNTS, _CHOICES = range(7)
_COMPROMISED = {"terminals": 7, "customers": 8}
_CUSTOMER_FRAUDS = 9


def simulate_transactions(
    *, n_customers: int, n_terminals: int, n_days: int, radius: float, seed: np.random.SeedSequence
) -> pd.DataFrame:
    """Simulate the card transactions of a population of customers, and label the frauds.

    Customers and terminals are distributed uniformly on a square with side 100. A customer makes
    Poisson(rate) transactions per day, rate ~ U(0, 4). The terminal of each is drawn uniformly
    from those within `radius`; a customer without such a terminal makes no transactions. The time
    of day is N(12:00, 20,000 s), and a transaction outside the day is dropped. The amount is
    N(mean, mean / 2), mean ~ U(5, 100) for each customer; a negative amount is replaced by
    U(0, 2 mean). The handbook reports 1,754,155 transactions and 14,681 frauds of 5000
    customers in 183 days.

    There are three fraud scenarios, applied in this order. A transaction that belongs to several
    scenarios is labelled with the last one.

    1. All transactions with an amount above 220 are frauds.
    2. Each day, two terminals are compromised. All their transactions of that day and of the next
       27 days are frauds.
    3. Each day, three customers are compromised. A random third (rounded down) of all their
       transactions of that day and of the next 13 days are frauds, and their amounts are
       multiplied by 5. A transaction that is drawn on several days is multiplied several times.

    The transactions are in order of time; simultaneous ones are in order of customer. The column
    ``scenario`` is 1, 2 or 3 for a fraud, 0 otherwise.
    """
    seconds, customers, terminals, amounts = _draw_transactions(
        n_customers, n_terminals, n_days, radius, seed
    )
    days = seconds // _SECONDS_PER_DAY
    day_bounds = np.searchsorted(days, np.arange(n_days + 1))

    scenarios = (amounts > 220).astype(np.int8)
    for rows in _compromised_rows(seed, "terminals", n_terminals, terminals, day_bounds):
        scenarios[rows] = 2
    rng = _generator(seed, _CUSTOMER_FRAUDS)
    for rows in _compromised_rows(seed, "customers", n_customers, customers, day_bounds):
        frauds = rng.choice(rows, size=len(rows) // 3, replace=False)
        scenarios[frauds] = 3
        amounts[frauds] = np.round(5 * amounts[frauds], 2)

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


def _generator(seed: np.random.SeedSequence, part: int) -> np.random.Generator:
    # seed.spawn() counts its calls, so a second simulation with this seed would differ.
    key = (*seed.spawn_key, part)
    return np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=key))


def _draw_transactions(
    n_customers: int, n_terminals: int, n_days: int, radius: float, seed: np.random.SeedSequence
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Seconds since the start, customer, terminal and amount of each transaction, in time order.

    Transactions are drawn day by day, so that a longer simulation starts like a shorter one.
    """
    x, y, means, rates = _generator(seed, _CUSTOMERS).uniform(*_PROFILES, (n_customers, 4)).T
    places = _generator(seed, _TERMINALS).uniform(0.0, 100.0, (n_terminals, 2))
    within = cKDTree(places).query_ball_point(np.c_[x, y], radius, return_sorted=True)
    n_within = np.array([len(terminals) for terminals in within])
    rates = np.where(n_within > 0, rates, 0.0)
    counts = _generator(seed, _COUNTS).poisson(rates, size=(n_days, n_customers))
    days, customers = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), n_customers)
    times = _generator(seed, _TIMES).normal(_SECONDS_PER_DAY / 2, 20_000, len(days))
    seconds = times.astype(np.int64)

    means = means[customers]
    amounts = _generator(seed, _AMOUNTS).normal(means, means / 2)
    negative = amounts < 0
    amounts[negative] = _generator(seed, _REPLACED_AMOUNTS).uniform(0.0, 2 * means[negative])

    choices = _generator(seed, _CHOICES).random(len(days)) * n_within[customers]
    first = np.cumsum(n_within) - n_within
    terminals = np.concatenate(within).astype(np.int64)[first[customers] + choices.astype(np.int64)]

    kept = np.flatnonzero((seconds > 0) & (seconds < _SECONDS_PER_DAY))
    seconds += days * _SECONDS_PER_DAY
    kept = kept[np.argsort(seconds[kept], kind="stable")]
    return seconds[kept], customers[kept], terminals[kept], amounts[kept].round(2)


def _compromised_rows(
    seed: np.random.SeedSequence, kind: str, n_ids: int, ids: np.ndarray, day_bounds: np.ndarray
) -> Iterator[np.ndarray]:
    """Rows of the compromised terminals or customers of each day, while they stay compromised."""
    rng = _generator(seed, _COMPROMISED[kind])
    n_days = len(day_bounds) - 1
    for day in range(n_days):
        compromised = rng.choice(n_ids, size=_COMPROMISED_PER_DAY[kind], replace=False)
        first, last = day_bounds[[day, min(day + _DAYS_COMPROMISED[kind], n_days)]]
        yield first + np.flatnonzero(np.isin(ids[first:last], compromised))
