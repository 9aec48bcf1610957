"""Simulate card transactions with three kinds of fraud.

The model is the transaction data simulator of Y.-A. Le Borgne, W. Siblini, B. Lebichot and
G. Bontempi, *Reproducible Machine Learning for Credit Card Fraud Detection - Practical Handbook*
(2022), chapter 3. The simulated data replace transactions that are private or not downloaded.
"""

from datetime import date
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

from calibrated_metrics._checks import integer_at_least, positive_number

__all__ = ["simulate_transactions"]

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
    """The terminals that each customer uses.

    Those of customer i are ``terminal_ids[first[i] : first[i] + counts[i]]``.
    """

    counts: np.ndarray
    first: np.ndarray
    terminal_ids: np.ndarray


def simulate_transactions(
    *,
    n_customers: int = 5000,
    n_terminals: int = 10000,
    n_days: int = 183,
    start: str | date = "2018-04-01",
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
    n_customers : int, default=5000
        Number of customers, at least 3.
    n_terminals : int, default=10000
        Number of terminals, at least 2.
    n_days : int, default=183
        Number of days, at least 1. With the same seed, a longer simulation starts with the
        transactions of a shorter one, except for the last 13 days of the shorter one, where
        scenario-3 frauds are drawn from fewer transactions.
    start : str or datetime.date, default="2018-04-01"
        The first day, without a time of day or a time zone.
    radius : float, default=5.0
        Largest distance between a customer and a terminal that the customer uses, positive.
    seed : int or numpy.random.SeedSequence
        Seed of all random draws. A sequence is not advanced.

    Returns
    -------
    pandas.DataFrame of shape (n_transactions, 8)
        Transactions in order of time; simultaneous ones are in order of customer. Columns:

        - ``transaction_id`` (int64): 0, 1, 2, ... in order of time
        - ``time`` (datetime64[us]): in whole seconds
        - ``day`` (int64): days since `start`, in [0, n_days)
        - ``customer_id`` (int64): in [0, n_customers)
        - ``terminal_id`` (int64): in [0, n_terminals)
        - ``amount`` (float64): non-negative, two decimals
        - ``fraud`` (bool)
        - ``scenario`` (int8): 1, 2 or 3 for a fraud, 0 otherwise

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is outside the range given above.

    Notes
    -----
    For the default sizes, the handbook reports 1,754,155 transactions, about 9,600 per day, and
    14,681 frauds (0.84 %). The expected number of transactions is 1.77 million: 5000 customers x
    183 days x rate 2, less the 3.1 % that fall outside the day. Because the customers' rates are
    random, the relative standard deviation of this number between seeds is
    ``1 / sqrt(3 * n_customers)``, or 0.8 %.

    References
    ----------
    Y.-A. Le Borgne, W. Siblini, B. Lebichot, G. Bontempi. *Reproducible Machine Learning for
    Credit Card Fraud Detection - Practical Handbook*. Université Libre de Bruxelles, 2022,
    chapter 3.

    Examples
    --------
    >>> transactions = simulate_transactions(n_customers=50, n_terminals=200, n_days=7, seed=0)
    >>> sorted(transactions["day"].unique().tolist())
    [0, 1, 2, 3, 4, 5, 6]
    """
    integer_at_least("n_customers", n_customers, _CUSTOMERS_COMPROMISED_PER_DAY)
    integer_at_least("n_terminals", n_terminals, _TERMINALS_COMPROMISED_PER_DAY)
    integer_at_least("n_days", n_days, 1)
    first_day = _checked_date(start)
    radius = positive_number("radius", radius)
    seed = _checked_seed(seed)

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
            "time": first_day + seconds.astype("timedelta64[s]"),
            "day": days,
            "customer_id": customer_ids,
            "terminal_id": terminal_ids,
            "amount": amounts,
            "fraud": scenarios > 0,
            "scenario": scenarios,
        }
    )


def _checked_date(start: str | date) -> np.datetime64:
    allowed = "start must be a date without a time of day or a time zone"
    try:
        midnight = pd.Timestamp(start)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{allowed}, got {start!r}") from error
    if midnight is pd.NaT or midnight.tz is not None or midnight != midnight.normalize():
        raise ValueError(f"{allowed}, got {start!r}")
    return midnight.to_datetime64().astype("datetime64[us]")


def _checked_seed(seed: int | np.random.SeedSequence) -> np.random.SeedSequence:
    if isinstance(seed, np.random.SeedSequence):
        return seed
    return np.random.SeedSequence(integer_at_least("seed", seed, 0))


def _generator(seed: np.random.SeedSequence, part: str) -> np.random.Generator:
    # seed.spawn() counts its calls, so a second simulation with the same seed would differ.
    child = np.random.SeedSequence(
        seed.entropy,
        spawn_key=(*seed.spawn_key, _PARTS.index(part)),
        pool_size=seed.pool_size,
    )
    return np.random.default_rng(child)


def _draw_customers(seed: np.random.SeedSequence, n_customers: int) -> _Customers:
    least = (0.0, 0.0, _MEAN_AMOUNT_RANGE[0], 0.0)
    greatest = (_AREA_SIDE, _AREA_SIDE, _MEAN_AMOUNT_RANGE[1], _MAX_DAILY_RATE)
    profiles = _generator(seed, "customers").uniform(least, greatest, size=(n_customers, 4))
    return _Customers(
        locations=profiles[:, :2], mean_amounts=profiles[:, 2], daily_rates=profiles[:, 3]
    )


def _draw_terminals(seed: np.random.SeedSequence, n_terminals: int) -> np.ndarray:
    return _generator(seed, "terminals").uniform(0.0, _AREA_SIDE, size=(n_terminals, 2))


def _terminals_within(
    radius: float, customer_locations: np.ndarray, terminal_locations: np.ndarray
) -> _Reach:
    within = cKDTree(terminal_locations).query_ball_point(
        customer_locations, radius, return_sorted=True
    )
    counts = np.array([len(terminal_ids) for terminal_ids in within])
    return _Reach(
        counts=counts,
        first=np.cumsum(counts) - counts,
        terminal_ids=np.concatenate(within).astype(np.int64),
    )


def _draw_transactions(
    seed: np.random.SeedSequence, customers: _Customers, reach: _Reach, n_days: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the transactions in order of time, as arrays.

    They are the seconds since the start, customer, terminal and amount. Transactions are drawn
    day by day, so that a longer simulation starts like a shorter one.
    """
    n_customers = len(reach.counts)
    rates = np.where(reach.counts > 0, customers.daily_rates, 0.0)
    counts = _generator(seed, "counts").poisson(rates, size=(n_days, n_customers))
    days, customer_ids = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), n_customers)
    seconds = _generator(seed, "times").normal(
        _SECONDS_PER_DAY / 2, _TIME_OF_DAY_STD, size=len(days)
    )
    seconds = seconds.astype(np.int64)
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


def _compromised_terminals(
    seed: np.random.SeedSequence, n_terminals: int, n_days: int
) -> np.ndarray:
    """Return the terminals that are compromised on each day, shape (n_days, 2)."""
    rng = _generator(seed, "compromised terminals")
    return _draw_daily(rng, n_terminals, _TERMINALS_COMPROMISED_PER_DAY, n_days)


def _compromised_customers(
    seed: np.random.SeedSequence, n_customers: int, n_days: int
) -> np.ndarray:
    """Return the customers that are compromised on each day, shape (n_days, 3)."""
    rng = _generator(seed, "compromised customers")
    return _draw_daily(rng, n_customers, _CUSTOMERS_COMPROMISED_PER_DAY, n_days)


def _draw_daily(rng: np.random.Generator, n_ids: int, n_per_day: int, n_days: int) -> np.ndarray:
    return np.array([rng.choice(n_ids, size=n_per_day, replace=False) for _ in range(n_days)])


def _terminal_frauds(
    seed: np.random.SeedSequence,
    n_terminals: int,
    terminal_ids: np.ndarray,
    day_bounds: np.ndarray,
) -> np.ndarray:
    """Return the rows of scenario 2, which may be repeated."""
    compromised = _compromised_terminals(seed, n_terminals, len(day_bounds) - 1)
    return np.concatenate(
        _rows_of_compromised(compromised, terminal_ids, day_bounds, _TERMINAL_COMPROMISE_DAYS)
    )


def _customer_frauds(
    seed: np.random.SeedSequence,
    n_customers: int,
    customer_ids: np.ndarray,
    day_bounds: np.ndarray,
) -> list[np.ndarray]:
    """Return the rows of scenario 3, for each day of compromise."""
    rng = _generator(seed, "customer frauds")
    compromised = _compromised_customers(seed, n_customers, len(day_bounds) - 1)
    return [
        rng.choice(rows, size=len(rows) // _CUSTOMER_TRANSACTIONS_PER_FRAUD, replace=False)
        for rows in _rows_of_compromised(
            compromised, customer_ids, day_bounds, _CUSTOMER_COMPROMISE_DAYS
        )
    ]


def _rows_of_compromised(
    compromised: np.ndarray, ids: np.ndarray, day_bounds: np.ndarray, duration: int
) -> list[np.ndarray]:
    """Return the rows of the ids compromised on each day, in the `duration` days from that day."""
    n_days = len(compromised)
    rows = []
    for day in range(n_days):
        first, last = day_bounds[day], day_bounds[min(day + duration, n_days)]
        rows.append(first + np.flatnonzero(np.isin(ids[first:last], compromised[day])))
    return rows
