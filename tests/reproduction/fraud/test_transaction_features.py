"""The features agree with a slow oracle, and the split with its description."""

import numpy as np
import pandas as pd
import pytest

from reproduction.fraud.features import (
    FEATURES,
    split_by_weeks,
    transaction_features,
)

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
    """What the documentation says, one transaction at a time."""
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


@pytest.mark.parametrize("seed", range(3))
def test_features_agree_with_loops(seed):
    transactions = random_transactions(seed)
    assert transactions.duplicated(["time", "customer_id"]).any()
    assert not transactions["time"].is_monotonic_increasing
    pd.testing.assert_frame_equal(
        transaction_features(transactions),
        features_by_loops(transactions),
        check_dtype=False,
        check_like=True,
        rtol=0,
        atol=1e-9,
    )


def test_columns_and_types():
    features = transaction_features(random_transactions(0))
    assert tuple(features.columns) == FEATURES
    assert len(set(FEATURES)) == 15
    kinds = {"weekend": "int8", "night": "int8"}
    for name, dtype in features.dtypes.items():
        assert dtype == kinds.get(name, "int32" if "count" in name else "float64")


def one_customer(times, **columns):
    transactions = pd.DataFrame(
        {
            "time": pd.to_datetime(times),
            "customer_id": 1,
            "terminal_id": 1,
            "amount": 1.0,
            "fraud": False,
        }
    )
    return transactions.assign(**columns)


def test_weekend_and_night():
    features = transaction_features(
        one_customer(
            [
                "2018-04-06 23:59:59",  # a Friday
                "2018-04-07 00:00:00",
                "2018-04-08 06:59:59",
                "2018-04-08 23:59:59",
                "2018-04-09 07:00:00",
            ]
        )
    )
    assert features["weekend"].tolist() == [0, 1, 1, 1, 0]
    assert features["night"].tolist() == [0, 1, 1, 0, 0]


def test_customer_windows_exclude_their_beginning():
    features = transaction_features(
        one_customer(
            ["2018-04-01 12:00:00", "2018-04-02 11:59:59", "2018-04-02 12:00:00"],
            amount=[1.0, 2.0, 4.0],
        )
    )
    assert features["customer_count_1d"].tolist() == [1, 2, 2]
    assert features["customer_mean_amount_1d"].tolist() == [1.0, 1.5, 3.0]
    assert features["customer_count_7d"].tolist() == [1, 2, 3]


def test_terminal_windows_end_seven_days_ago():
    transactions = one_customer(
        ["2018-04-01", "2018-04-02", "2018-04-08", "2018-04-09", "2018-05-08", "2018-05-09"],
        fraud=[True, False, True, False, False, False],
    )
    features = transaction_features(transactions)
    assert features["terminal_count_1d"].tolist() == [0, 0, 1, 1, 0, 0]
    assert features["terminal_fraud_share_1d"].tolist() == [0, 0, 1, 0, 0, 0]
    assert features["terminal_count_30d"].tolist() == [0, 0, 1, 2, 3, 2]
    assert features["terminal_fraud_share_30d"].tolist() == [0, 0, 1, 0.5, 1 / 3, 0.5]


def test_the_future_changes_nothing():
    transactions = random_transactions(6).sort_values("time", kind="stable")
    past = transactions.iloc[:150]
    pd.testing.assert_frame_equal(
        transaction_features(transactions).iloc[:150], transaction_features(past)
    )


def test_labels_of_the_last_week_change_nothing():
    transactions = random_transactions(7)
    unknown = transactions["time"] > transactions["time"].max() - 7 * DAY
    relabelled = transactions.assign(fraud=transactions["fraud"] ^ unknown)
    assert (relabelled["fraud"] != transactions["fraud"]).any()
    pd.testing.assert_frame_equal(
        transaction_features(relabelled), transaction_features(transactions)
    )


def test_means_stay_exact_after_large_amounts():
    transactions = one_customer(["2018-04-01", "2018-06-01", "2018-06-01"], amount=[1e12, 0.1, 0.2])
    features = transaction_features(transactions)
    assert features["customer_mean_amount_30d"].tolist() == [1e12, 0.1, 0.15]


# Split


def test_split_by_weeks():
    days = np.random.default_rng(0).integers(0, 60, 2000)
    train_mask, test_mask = split_by_weeks(
        pd.DataFrame({"day": days}), train_start_day=10, train_weeks=2, delay_weeks=1, test_weeks=3
    )
    assert train_mask.dtype == test_mask.dtype == bool
    assert set(days[train_mask]) == set(range(10, 24))
    assert set(days[test_mask]) == set(range(31, 52))
    assert set(days[~train_mask & ~test_mask]).isdisjoint({*range(10, 24), *range(31, 52)})


WEEKS = {"train_start_day": 0, "train_weeks": 1, "delay_weeks": 1, "test_weeks": 1}


@pytest.mark.parametrize(
    ("days", "covered"),
    [(range(20), "days 0 to 19"), (range(1, 30), "days 1 to 29"), ([], "no day")],
)
def test_split_of_too_few_days(days, covered):
    transactions = pd.DataFrame({"day": np.array(days, dtype=int)})
    with pytest.raises(ValueError, match=rf"must cover days 0 to 20 \(.*\), got {covered}$"):
        split_by_weeks(transactions, **WEEKS)
