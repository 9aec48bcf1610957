"""Features of a stream of card transactions.

They follow the baseline detector of the handbook that `simulator` names, chapter 3.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

_WINDOWS = (1, 7, 30)  # days


def transaction_features(transactions: pd.DataFrame) -> pd.DataFrame:
    """Compute the features of simulated transactions from their customer's and terminal's history.

    - ``amount``
    - ``weekend``: 1 on Saturday and Sunday
    - ``night``: 1 from 00:00 until 06:59:59
    - ``customer_count_{w}d`` and ``customer_mean_amount_{w}d``, w = 1, 7, 30: number and mean
      amount of the customer's transactions in the last w days, with the transaction itself. A
      transaction exactly w days before is excluded, and so are simultaneous ones in later rows.
    - ``terminal_count_{w}d`` and ``terminal_fraud_share_{w}d``, w = 1, 7, 30: number of the
      terminal's transactions in the w days that ended 7 days before, when frauds were known, and
      the share of frauds among them (0 if there are none).

    The first windows start before the data, and contain only the available transactions.
    """
    time = transactions["time"].dt
    features = {
        "amount": transactions["amount"],
        "weekend": (time.day_of_week >= 5).astype(np.int8),
        "night": (time.hour < 7).astype(np.int8),
    }
    # Sums of whole cents are exact, so the mean of a window does not depend on earlier amounts.
    cents = np.rint(100 * transactions["amount"].to_numpy()).astype(np.int64)
    for days, count, spent in _windows(transactions, "customer_id", cents, delay=0):
        features[f"customer_count_{days}d"] = count.astype(np.int32)
        features[f"customer_mean_amount_{days}d"] = spent / (100 * count)
    frauds = transactions["fraud"].to_numpy(np.int64)
    for days, count, known in _windows(transactions, "terminal_id", frauds, delay=7):
        features[f"terminal_count_{days}d"] = count.astype(np.int32)
        features[f"terminal_fraud_share_{days}d"] = known / np.maximum(count, 1)
    return pd.DataFrame(features, index=transactions.index)


def _windows(
    transactions: pd.DataFrame, group: str, values: np.ndarray, *, delay: int
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Days of each window, and the number and sum of values of the group's transactions in it.

    The windows end `delay` days before each transaction.
    """
    day = np.timedelta64(1, "D")
    times = transactions["time"].to_numpy("datetime64[s]")
    groups, _ = pd.factorize(transactions[group])
    # Groups follow each other on one axis of time, so far apart that no window spans two.
    times = times + groups * (np.ptp(times) + (delay + max(_WINDOWS) + 1) * day)
    order = np.argsort(times, kind="stable")
    rows, times = np.argsort(order), times[order]
    sums = np.concatenate([[0], np.cumsum(values[order])])
    ends = np.searchsorted(times, times - delay * day, side="right")
    ends = np.minimum(ends, np.arange(1, len(times) + 1))
    for days in _WINDOWS:
        starts = np.searchsorted(times, times - (delay + days) * day, side="right")
        yield days, (ends - starts)[rows], (sums[ends] - sums[starts])[rows]
