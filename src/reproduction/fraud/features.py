"""Features and train/test split of a stream of card transactions.

Both follow the baseline detector of Y.-A. Le Borgne, W. Siblini, B. Lebichot and G. Bontempi,
*Reproducible Machine Learning for Credit Card Fraud Detection - Practical Handbook* (2022),
chapter 3.
"""

import numpy as np
import pandas as pd

from calibrated_metrics._checks import integer_at_least

_WINDOWS = (1, 7, 30)  # days
_LABEL_DELAY = 7  # days until a fraud is known
_LAST_NIGHT_HOUR = 6
_SATURDAY = 5

FEATURES = (
    "amount",
    "weekend",
    "night",
    *(f"customer_{name}_{days}d" for days in _WINDOWS for name in ("count", "mean_amount")),
    *(f"terminal_{name}_{days}d" for days in _WINDOWS for name in ("count", "fraud_share")),
)
"""Names of the columns of `transaction_features`, in order."""


def transaction_features(transactions: pd.DataFrame) -> pd.DataFrame:
    """Compute the features of each transaction from the history of its customer and terminal.

    Parameters
    ----------
    transactions : pandas.DataFrame of shape (n_transactions, >= 5)
        In any order, with the columns ``time`` (datetime64 without a time zone), ``customer_id``,
        ``terminal_id``, ``amount`` (whole cents) and ``fraud`` (bool, or 0 and 1).

    Returns
    -------
    pandas.DataFrame of shape (n_transactions, 15)
        The columns are `FEATURES`, the index and order those of `transactions`:

        - ``amount`` (float64): amount of the transaction
        - ``weekend`` (int8): 1 on Saturday and Sunday
        - ``night`` (int8): 1 from 00:00 until 06:59:59
        - ``customer_count_{w}d`` (int32, at least 1) and ``customer_mean_amount_{w}d`` (float64),
          w = 1, 7, 30: number and mean amount of the customer's transactions in the last w days.
          The transaction itself is included. A transaction exactly w days before it is excluded,
          and so are simultaneous ones in later rows.
        - ``terminal_count_{w}d`` (int32, at least 0) and ``terminal_fraud_share_{w}d`` (float64,
          in [0, 1]), w = 1, 7, 30: number of the terminal's transactions in the w days that ended
          7 days before this transaction, and the share of frauds among them (0 if there are no
          transactions). The 7 days are the delay until a fraud is known.

        In the first 30 days (customers) and 37 days (terminals), the windows start before the
        data and contain only the available transactions.

    Raises
    ------
    ValueError
        If a column is missing, has missing values, or has other values than those given above.

    References
    ----------
    Y.-A. Le Borgne, W. Siblini, B. Lebichot, G. Bontempi. *Reproducible Machine Learning for
    Credit Card Fraud Detection - Practical Handbook*. Université Libre de Bruxelles, 2022,
    chapter 3.
    """
    _check_columns(transactions, ("time", "customer_id", "terminal_id", "amount", "fraud"))
    times = _times(transactions)
    amounts = _amounts(transactions)
    # Sums of whole cents are exact, so the mean of a window does not depend on earlier amounts.
    cents = np.rint(100 * amounts).astype(np.int64)
    time = transactions["time"].dt
    features = {
        "amount": amounts,
        "weekend": (time.day_of_week >= _SATURDAY).to_numpy(np.int8),
        "night": (time.hour <= _LAST_NIGHT_HOUR).to_numpy(np.int8),
        **_customer_features(_History(transactions, "customer_id", times), cents),
        **_terminal_features(_History(transactions, "terminal_id", times), _frauds(transactions)),
    }
    return pd.DataFrame(features, index=transactions.index)


def split_by_weeks(
    transactions: pd.DataFrame,
    *,
    train_start_day: int,
    train_weeks: int,
    delay_weeks: int,
    test_weeks: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Split transactions into training weeks, a delay and test weeks.

    Parameters
    ----------
    transactions : pandas.DataFrame of shape (n_transactions, >= 1)
        Transactions with an integer column ``day``.
    train_start_day : int
        First day of the training weeks, at least 0.
    train_weeks : int
        Number of training weeks, at least 1.
    delay_weeks : int
        Number of weeks between training and test, whose frauds are not known yet, at least 0.
    test_weeks : int
        Number of test weeks after the delay, at least 1.

    Returns
    -------
    train_mask, test_mask : bool arrays of shape (n_transactions,)
        True for the training rows and for the test rows.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or is out of range, or if the transactions do not cover
        all these weeks.

    References
    ----------
    Y.-A. Le Borgne, W. Siblini, B. Lebichot, G. Bontempi. *Reproducible Machine Learning for
    Credit Card Fraud Detection - Practical Handbook*. Université Libre de Bruxelles, 2022,
    chapter 3.
    """
    _check_columns(transactions, ("day",))
    integer_at_least("train_start_day", train_start_day, 0)
    integer_at_least("train_weeks", train_weeks, 1)
    integer_at_least("delay_weeks", delay_weeks, 0)
    integer_at_least("test_weeks", test_weeks, 1)
    days = transactions["day"].to_numpy()
    if not np.issubdtype(days.dtype, np.integer):
        raise ValueError(f"day must be of an integer type, got type {days.dtype}")
    train_stop = train_start_day + 7 * train_weeks
    test_start = train_stop + 7 * delay_weeks
    test_stop = test_start + 7 * test_weeks
    if len(days) == 0 or days.min() > train_start_day or days.max() < test_stop - 1:
        covered = f"days {days.min()} to {days.max()}" if len(days) else "no day"
        raise ValueError(
            f"transactions must cover days {train_start_day} to {test_stop - 1} "
            f"(train_start_day={train_start_day}, train_weeks={train_weeks}, "
            f"delay_weeks={delay_weeks}, test_weeks={test_weeks}), got {covered}"
        )
    train_mask = (days >= train_start_day) & (days < train_stop)
    test_mask = (days >= test_start) & (days < test_stop)
    return train_mask, test_mask


class _History:
    """Transactions grouped by customer or terminal, in order of time within each group.

    The key of a transaction combines its group and the number of transactions of all groups up to
    its time. All groups are in one sorted array of keys, and a binary search finds the
    transactions of a group up to a given time.
    """

    def __init__(self, transactions: pd.DataFrame, group_column: str, times: np.ndarray):
        groups = _groups(transactions, group_column)
        self._times = times
        self._sorted_times = np.sort(times)
        self._group_keys = groups * (len(times) + 1)
        keys = self._group_keys + self._count_until(times)
        self.order = np.argsort(keys, kind="stable")
        self._sorted_keys = keys[self.order]

    def ends(self, days_ago: int) -> np.ndarray:
        """Return the end of each transaction's group history up to `days_ago` days before it.

        Both the transactions and the returned positions (exclusive) are in the order of `order`.
        """
        moments = self._times - np.timedelta64(days_ago, "D")
        keys = self._group_keys + self._count_until(moments)
        return np.searchsorted(self._sorted_keys, keys[self.order], side="right")

    def cumulative(self, values: np.ndarray) -> np.ndarray:
        """Return the sums of the first 0, 1, 2, ... values in `order`."""
        return np.concatenate([[0], np.cumsum(values[self.order])])

    def in_rows(self, values: np.ndarray) -> np.ndarray:
        """Return values that are in `order` in the order of the rows."""
        rows = np.empty_like(values)
        rows[self.order] = values
        return rows

    def _count_until(self, moments: np.ndarray) -> np.ndarray:
        return np.searchsorted(self._sorted_times, moments, side="right")


def _customer_features(history: _History, cents: np.ndarray) -> dict[str, np.ndarray]:
    spent = history.cumulative(cents)
    ends = np.arange(1, len(cents) + 1)
    features = {}
    for days in _WINDOWS:
        starts = history.ends(days)
        counts = ends - starts
        mean_amounts = (spent[ends] - spent[starts]) / (100 * counts)
        features[f"customer_count_{days}d"] = history.in_rows(counts.astype(np.int32))
        features[f"customer_mean_amount_{days}d"] = history.in_rows(mean_amounts)
    return features


def _terminal_features(history: _History, frauds: np.ndarray) -> dict[str, np.ndarray]:
    known_frauds = history.cumulative(frauds)
    ends = history.ends(_LABEL_DELAY)
    features = {}
    for days in _WINDOWS:
        starts = history.ends(_LABEL_DELAY + days)
        counts = ends - starts
        # If the count is 0, the numerator is 0, and so is the share.
        fraud_shares = (known_frauds[ends] - known_frauds[starts]) / np.maximum(counts, 1)
        features[f"terminal_count_{days}d"] = history.in_rows(counts.astype(np.int32))
        features[f"terminal_fraud_share_{days}d"] = history.in_rows(fraud_shares)
    return features


def _check_columns(transactions: pd.DataFrame, names: tuple[str, ...]) -> None:
    missing = [name for name in names if name not in transactions.columns]
    if missing:
        raise ValueError(
            f"transactions must have the columns {list(names)}, got {list(transactions.columns)}"
        )


def _times(transactions: pd.DataFrame) -> np.ndarray:
    times = transactions["time"]
    if not pd.api.types.is_datetime64_dtype(times.dtype):
        raise ValueError(
            f"time must be of type datetime64 without a time zone, got type {times.dtype}"
        )
    if times.isna().any():
        raise ValueError(f"time must have no missing values, got {times.isna().sum()}")
    return times.to_numpy()


def _groups(transactions: pd.DataFrame, column: str) -> np.ndarray:
    groups, _ = pd.factorize(transactions[column])
    if (groups < 0).any():
        raise ValueError(f"{column} must have no missing values, got {(groups < 0).sum()}")
    return groups.astype(np.int64)


def _amounts(transactions: pd.DataFrame) -> np.ndarray:
    amounts = transactions["amount"]
    if not pd.api.types.is_numeric_dtype(amounts.dtype):
        raise ValueError(f"amount must be of a numeric type, got type {amounts.dtype}")
    amounts = amounts.to_numpy(float)
    hundredths = 100 * amounts
    whole = np.isclose(hundredths, np.rint(hundredths), rtol=0, atol=1e-3)
    invalid = ~(whole & np.isfinite(amounts))
    if invalid.any():
        raise ValueError(f"amount must be in whole cents, got {amounts[invalid][0]}")
    return amounts


def _frauds(transactions: pd.DataFrame) -> np.ndarray:
    frauds = transactions["fraud"]
    invalid = ~frauds.isin([0, 1])
    if invalid.any():
        raise ValueError(f"fraud must be 0, 1, False or True, got {frauds[invalid].iloc[0]}")
    return frauds.to_numpy(np.int64)
