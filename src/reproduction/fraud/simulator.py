"""Simulate card transactions with three kinds of fraud.

The model is the transaction data simulator of Y.-A. Le Borgne, W. Siblini, B. Lebichot and
G. Bontempi, *Reproducible Machine Learning for Credit Card Fraud Detection - Practical Handbook*
(2022), chapter 3. The simulated data replace transactions that are private or not downloaded.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

from calibrated_metrics._checks import integer_at_least, positive_number

__all__ = ["simulate_transactions"]

_FIRST_DAY = np.datetime64("2018-04-01", "us")
_AREA_SIDE = 100.0
_MEAN_AMOUNT_RANGE = (5.0, 100.0)
_STD_PER_MEAN_AMOUNT = 0.5
_MAX_DAILY_RATE = 4.0

_SECONDS_PER_DAY = 86_400
_TIME_OF_DAY_STD = 20_000.0

_LARGE_AMOUNT = 220.0
_TERMINALS_COMPROMISED_PER_DAY = 2
_TERMINAL_COMPROMISE_DAYS = 28
_CUSTOMERS_COMPROMISED_PER_DAY = 3
_CUSTOMER_COMPROMISE_DAYS = 14
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


class _Customers(NamedTuple):
    locations: np.ndarray
    mean_amounts: np.ndarray
    daily_rates: np.ndarray


class _Reach(NamedTuple):
    """Terminals of customer i: ``terminal_ids[first[i] : first[i] + counts[i]]``."""

    counts: np.ndarray
    first: np.ndarray
    terminal_ids: np.ndarray


def simulate_transactions(
    *,
    n_customers: int = 5000,
    n_terminals: int = 10000,
    n_days: int = 183,
    radius: float = 5.0,
    seed: int | np.random.SeedSequence,
) -> pd.DataFrame:
    """Simulate the card transactions of a population of customers, and label the frauds.

    Customers and terminals are distributed uniformly on a square with side 100. A customer makes
    Poisson(rate) transactions per day, rate ~ U(0, 4). The terminal of each is drawn uniformly
    from those within `radius`; a customer without such a terminal makes no transactions. The time
    of day is N(12:00, 20,000 s), and a transaction outside the day is dropped. The amount is
    N(mean, mean / 2), mean ~ U(5, 100) for each customer; a negative amount is replaced by
    U(0, 2 mean).

    There are three fraud scenarios, applied in this order. If a transaction belongs to several of
    them, the last one is its label.

    1. All transactions with an amount above 220 are frauds.
    2. Each day, two terminals are compromised. All their transactions of that day and of the next
       27 days are frauds.
    3. Each day, three customers are compromised. A random third (rounded down) of all their
       transactions of that day and of the next 13 days are frauds, and their amounts are
       multiplied by 5. A transaction that is drawn on several days is multiplied several times.

    Parameters
    ----------
    n_customers, n_terminals, n_days : int
        At least 3, 2 and 1.
    radius : float
        Largest distance between a customer and a terminal that the customer uses, positive.
    seed : int or numpy.random.SeedSequence
        A sequence is not advanced.

    Returns
    -------
    DataFrame
        Transactions in order of time; simultaneous ones are in order of customer. Columns:
        ``transaction_id``; ``time`` (datetime64[us], whole seconds from 2018-04-01); ``day``, from
        0; ``customer_id``; ``terminal_id``; ``amount`` (two decimals); ``fraud`` (bool);
        ``scenario`` (1, 2 or 3 for a fraud, 0 otherwise).

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is outside the range given above.

    Notes
    -----
    For the default sizes, the handbook reports 1,754,155 transactions and 14,681 frauds (0.84 %).
    The expected number of transactions is 1.77 million: 5000 customers x 183 days x rate 2, less
    the 3.1 % that fall outside the day. Because the rates are random, the relative standard
    deviation of this number between seeds is ``1 / sqrt(3 * n_customers)``, or 0.8 %.
    """
    integer_at_least("n_customers", n_customers, _CUSTOMERS_COMPROMISED_PER_DAY)
    integer_at_least("n_terminals", n_terminals, _TERMINALS_COMPROMISED_PER_DAY)
    integer_at_least("n_days", n_days, 1)
    radius = positive_number("radius", radius)
    if not isinstance(seed, np.random.SeedSequence):
        seed = np.random.SeedSequence(integer_at_least("seed", seed, 0))

    customers = _draw_customers(seed, n_customers)
    reach = _terminals_within(radius, customers.locations, _draw_terminals(seed, n_terminals))
    seconds, customer_ids, terminal_ids, amounts = _draw_transactions(
        seed, customers, reach, n_days
    )
    days = seconds // _SECONDS_PER_DAY
    day_bounds = np.searchsorted(days, np.arange(n_days + 1))

    scenarios = np.where(amounts > _LARGE_AMOUNT, np.int8(1), np.int8(0))
    scenarios[_terminal_frauds(seed, n_terminals, terminal_ids, day_bounds)] = 2
    for rows in _customer_frauds(seed, n_customers, customer_ids, day_bounds):
        scenarios[rows] = 3
        amounts[rows] = np.round(_CUSTOMER_FRAUD_FACTOR * amounts[rows], 2)

    return pd.DataFrame(
        {
            "transaction_id": np.arange(len(seconds)),
            "time": _FIRST_DAY + seconds.astype("timedelta64[s]"),
            "day": days,
            "customer_id": customer_ids,
            "terminal_id": terminal_ids,
            "amount": amounts,
            "fraud": scenarios > 0,
            "scenario": scenarios,
        }
    )


def _generator(seed: np.random.SeedSequence, part: str) -> np.random.Generator:
    # seed.spawn() counts its calls, so a second simulation with the same seed would differ.
    key = (*seed.spawn_key, _PARTS.index(part))
    return np.random.default_rng(
        np.random.SeedSequence(seed.entropy, spawn_key=key, pool_size=seed.pool_size)
    )


def _draw_customers(seed: np.random.SeedSequence, n_customers: int) -> _Customers:
    least = (0.0, 0.0, _MEAN_AMOUNT_RANGE[0], 0.0)
    greatest = (_AREA_SIDE, _AREA_SIDE, _MEAN_AMOUNT_RANGE[1], _MAX_DAILY_RATE)
    profiles = _generator(seed, "customers").uniform(least, greatest, size=(n_customers, 4))
    return _Customers(profiles[:, :2], profiles[:, 2], profiles[:, 3])


def _draw_terminals(seed: np.random.SeedSequence, n_terminals: int) -> np.ndarray:
    return _generator(seed, "terminals").uniform(0.0, _AREA_SIDE, size=(n_terminals, 2))


def _terminals_within(
    radius: float, customer_locations: np.ndarray, terminal_locations: np.ndarray
) -> _Reach:
    within = cKDTree(terminal_locations).query_ball_point(
        customer_locations, radius, return_sorted=True
    )
    counts = np.array([len(terminal_ids) for terminal_ids in within])
    return _Reach(counts, np.cumsum(counts) - counts, np.concatenate(within).astype(np.int64))


def _draw_transactions(
    seed: np.random.SeedSequence, customers: _Customers, reach: _Reach, n_days: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Seconds since the start, customer, terminal and amount of each transaction, in time order.

    Transactions are drawn day by day, so that a longer simulation starts like a shorter one.
    """
    n_customers = len(reach.counts)
    rates = np.where(reach.counts > 0, customers.daily_rates, 0.0)
    counts = _generator(seed, "counts").poisson(rates, size=(n_days, n_customers))
    days, customer_ids = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), n_customers)
    times = _generator(seed, "times").normal(_SECONDS_PER_DAY / 2, _TIME_OF_DAY_STD, len(days))
    seconds = times.astype(np.int64)
    amounts = _draw_amounts(seed, customers.mean_amounts[customer_ids])
    terminal_ids = _draw_terminal_choices(seed, reach, customer_ids)

    kept = np.flatnonzero((seconds > 0) & (seconds < _SECONDS_PER_DAY))
    seconds += days * _SECONDS_PER_DAY
    kept = kept[np.argsort(seconds[kept], kind="stable")]
    return seconds[kept], customer_ids[kept], terminal_ids[kept], amounts[kept]


def _draw_amounts(seed: np.random.SeedSequence, mean_amounts: np.ndarray) -> np.ndarray:
    amounts = _generator(seed, "amounts").normal(mean_amounts, _STD_PER_MEAN_AMOUNT * mean_amounts)
    negative = np.flatnonzero(amounts < 0)
    amounts[negative] = _generator(seed, "replaced amounts").uniform(
        0.0, 2.0 * mean_amounts[negative]
    )
    return np.round(amounts, 2)


def _draw_terminal_choices(
    seed: np.random.SeedSequence, reach: _Reach, customer_ids: np.ndarray
) -> np.ndarray:
    uniforms = _generator(seed, "terminal choices").random(len(customer_ids))
    choices = (uniforms * reach.counts[customer_ids]).astype(np.int64)
    return reach.terminal_ids[reach.first[customer_ids] + choices]


def _compromised_daily(
    seed: np.random.SeedSequence, part: str, n_ids: int, n_per_day: int, n_days: int
) -> np.ndarray:
    """Terminals or customers that are compromised on each day, of shape (n_days, n_per_day)."""
    rng = _generator(seed, part)
    return np.array([rng.choice(n_ids, size=n_per_day, replace=False) for _ in range(n_days)])


def _terminal_frauds(
    seed: np.random.SeedSequence, n_terminals: int, terminal_ids: np.ndarray, day_bounds: np.ndarray
) -> np.ndarray:
    """Rows of scenario 2, which may be repeated."""
    compromised = _compromised_daily(
        seed,
        "compromised terminals",
        n_terminals,
        _TERMINALS_COMPROMISED_PER_DAY,
        len(day_bounds) - 1,
    )
    return np.concatenate(
        _rows_of_compromised(compromised, terminal_ids, day_bounds, _TERMINAL_COMPROMISE_DAYS)
    )


def _customer_frauds(
    seed: np.random.SeedSequence, n_customers: int, customer_ids: np.ndarray, day_bounds: np.ndarray
) -> list[np.ndarray]:
    """Rows of scenario 3, for each day of compromise."""
    compromised = _compromised_daily(
        seed,
        "compromised customers",
        n_customers,
        _CUSTOMERS_COMPROMISED_PER_DAY,
        len(day_bounds) - 1,
    )
    rng = _generator(seed, "customer frauds")
    return [
        rng.choice(rows, size=len(rows) // _CUSTOMER_TRANSACTIONS_PER_FRAUD, replace=False)
        for rows in _rows_of_compromised(
            compromised, customer_ids, day_bounds, _CUSTOMER_COMPROMISE_DAYS
        )
    ]


def _rows_of_compromised(
    compromised: np.ndarray, ids: np.ndarray, day_bounds: np.ndarray, duration: int
) -> list[np.ndarray]:
    """Rows of the ids compromised on each day, in the `duration` days from that day."""
    n_days = len(compromised)
    rows = []
    for day in range(n_days):
        first, last = day_bounds[day], day_bounds[min(day + duration, n_days)]
        rows.append(first + np.flatnonzero(np.isin(ids[first:last], compromised[day])))
    return rows
