"""Features and train/test split of a stream of card transactions.

Both follow the baseline detector of Y.-A. Le Borgne, W. Siblini, B. Lebichot and G. Bontempi,
*Reproducible Machine Learning for Credit Card Fraud Detection - Practical Handbook* (2022),
chapter 3.
"""

import numpy as np
import pandas as pd

__all__ = ["FEATURES", "split_by_weeks", "transaction_features"]

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
    transactions : DataFrame
        In any order, with the columns ``time`` (datetime64 without a time zone), ``customer_id``,
        ``terminal_id``, ``amount`` (whole cents) and ``fraud``.

    Returns
    -------
    DataFrame
        The columns are `FEATURES`, the index and order those of `transactions`:

        - ``amount``
        - ``weekend``: 1 on Saturday and Sunday
        - ``night``: 1 from 00:00 until 06:59:59
        - ``customer_count_{w}d`` and ``customer_mean_amount_{w}d``, w = 1, 7, 30: number and mean
          amount of the customer's transactions in the last w days. The transaction itself is
          included. A transaction exactly w days before it is excluded, and so are simultaneous
          ones in later rows.
        - ``terminal_count_{w}d`` and ``terminal_fraud_share_{w}d``, w = 1, 7, 30: number of the
          terminal's transactions in the w days that ended 7 days before this transaction, and the
          share of frauds among them (0 if there are no transactions). The 7 days are the delay
          until a fraud is known.

        In the first 30 days (customers) and 37 days (terminals), the windows start before the
        data and contain only the available transactions.
    """
    amounts = transactions["amount"].to_numpy(float)
    # Sums of whole cents are exact, so the mean of a window does not depend on earlier amounts.
    cents = np.rint(100 * amounts).astype(np.int64)
    frauds = transactions["fraud"].to_numpy(np.int64)
    time = transactions["time"].dt
    features = {
        "amount": amounts,
        "weekend": (time.day_of_week >= _SATURDAY).to_numpy(np.int8),
        "night": (time.hour <= _LAST_NIGHT_HOUR).to_numpy(np.int8),
        **_customer_features(_History(transactions, "customer_id"), cents),
        **_terminal_features(_History(transactions, "terminal_id"), frauds),
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
    """Split transactions into training weeks, a delay until labels are known, and test weeks.

    Returns
    -------
    train, test : bool arrays
        True for the rows of the training weeks and of the test weeks, by the column ``day``.

    Raises
    ------
    ValueError
        If the transactions do not cover all these weeks.
    """
    days = transactions["day"].to_numpy()
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
    train = (days >= train_start_day) & (days < train_stop)
    return train, (days >= test_start) & (days < test_stop)


class _History:
    """Transactions grouped by customer or terminal, in order of time within each group.

    The key of a transaction combines its group and the number of transactions of all groups up to
    its time. All groups are in one sorted array of keys, and a binary search finds the
    transactions of a group up to a given time.
    """

    def __init__(self, transactions: pd.DataFrame, group_column: str):
        groups, _ = pd.factorize(transactions[group_column])
        self._times = transactions["time"].to_numpy()
        self._sorted_times = np.sort(self._times)
        self._group_keys = groups.astype(np.int64) * (len(groups) + 1)
        keys = self._group_keys + self._count_until(self._times)
        self.order = np.argsort(keys, kind="stable")
        self._sorted_keys = keys[self.order]

    def ends(self, days_ago: int) -> np.ndarray:
        """End of each transaction's group history up to `days_ago` days before it.

        Both the transactions and the returned positions (exclusive) are in the order of `order`.
        """
        moments = self._times - np.timedelta64(days_ago, "D")
        keys = self._group_keys + self._count_until(moments)
        return np.searchsorted(self._sorted_keys, keys[self.order], side="right")

    def cumulative(self, values: np.ndarray) -> np.ndarray:
        """Sums of the first 0, 1, 2, ... values in `order`."""
        return np.concatenate([[0], np.cumsum(values[self.order])])

    def in_rows(self, values: np.ndarray) -> np.ndarray:
        """Values that are in `order`, in the order of the rows."""
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
