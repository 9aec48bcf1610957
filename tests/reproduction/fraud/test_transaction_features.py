"""The features agree with a slow oracle."""

import numpy as np
import pandas as pd
import pytest

from reproduction.fraud.features import transaction_features

DAY = pd.Timedelta("1D")
WINDOWS = (1, 7, 30)


def random_transactions(seed, n=300, n_days=60, hours_apart=6):
    """Few customers, few terminals and few moments, so that ties in time are common."""
    rng = np.random.default_rng(seed)
    hours = hours_apart * rng.integers(0, n_days * 24 // hours_apart, n)
    return pd.DataFrame(
        {
            "time": pd.Timestamp("2018-04-01") + pd.to_timedelta(hours, unit="h"),
            "customer_id": rng.integers(0, 5, n),
            "terminal_id": rng.integers(100, 104, n),
            "amount": rng.integers(0, 50_000, n) / 100,
            "fraud": rng.random(n) < 0.2,
        },
        index=rng.permutation(n) + 1000,
    )


def features_by_loops(transactions):
    """The definitions of the documentation, computed for one transaction at a time."""
    rows = transactions.to_dict("records")
    features = []
    for i, row in enumerate(rows):
        feature = {
            "amount": row["amount"],
            "weekend": int(row["time"].day_name() in ("Saturday", "Sunday")),
            "night": int(row["time"].hour <= 6),
        }
        for days in WINDOWS:
            amounts = [
                other["amount"]
                for j, other in enumerate(rows)
                if other["customer_id"] == row["customer_id"]
                and row["time"] - days * DAY < other["time"] <= row["time"]
                and not (other["time"] == row["time"] and j > i)
            ]
            feature[f"customer_count_{days}d"] = len(amounts)
            feature[f"customer_mean_amount_{days}d"] = sum(amounts) / len(amounts)
        for days in WINDOWS:
            known = row["time"] - 7 * DAY
            frauds = [
                other["fraud"]
                for other in rows
                if other["terminal_id"] == row["terminal_id"]
                and known - days * DAY < other["time"] <= known
            ]
            feature[f"terminal_count_{days}d"] = len(frauds)
            feature[f"terminal_fraud_share_{days}d"] = sum(frauds) / max(len(frauds), 1)
        features.append(feature)
    return pd.DataFrame(features, index=transactions.index)


@pytest.mark.parametrize("seed", range(2))
def test_features_agree_with_loops(seed):
    transactions = random_transactions(seed)
    assert transactions.duplicated(["time", "customer_id"]).any()
    pd.testing.assert_frame_equal(
        transaction_features(transactions),
        features_by_loops(transactions),
        check_dtype=False,
        rtol=0,
        atol=1e-9,
    )


def test_weekend_and_night():
    friday, night = "2018-04-06 23:59:59", "2018-04-08 06:59:59"
    times = [friday, "2018-04-07 00:00:00", night, "2018-04-08 23:59:59", "2018-04-09 07:00:00"]
    constant = {"customer_id": 1, "terminal_id": 1, "amount": [1e12, 0.1, 0.2, 0.3, 0.5]}
    table = pd.DataFrame({"time": pd.to_datetime(times), **constant, "fraud": False})
    features = transaction_features(table)
    assert features["weekend"].tolist() == [0, 1, 1, 1, 0]
    assert features["night"].tolist() == [0, 1, 1, 0, 0]
    assert features["customer_mean_amount_1d"].iloc[3] == 0.25  # exact after a large amount
