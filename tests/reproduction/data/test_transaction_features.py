"""The features agree with slow oracles, and the split with its description."""

import numpy as np
import pandas as pd
import pytest

from reproduction.fraud.simulator import simulate_transactions
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


def features_by_rolling(transactions):
    """Rolling windows of pandas; those of the terminals are a difference of two of them."""
    rows = transactions.sort_values("time", kind="stable").assign(one=1.0)

    def rolling_sum(group_column, value_column, days):
        def of_group(group):
            sums = group.set_index("time")[value_column].astype(float).rolling(f"{days}D").sum()
            return pd.Series(sums.to_numpy(), index=group.index)

        sums = [of_group(group) for _, group in rows.groupby(group_column)]
        return pd.concat(sums).reindex(transactions.index)

    features = {}
    for days in WINDOWS:
        counts = rolling_sum("customer_id", "one", days)
        features[f"customer_count_{days}d"] = counts
        features[f"customer_mean_amount_{days}d"] = (
            rolling_sum("customer_id", "amount", days) / counts
        )
        counts, frauds = (
            rolling_sum("terminal_id", column, 7 + days) - rolling_sum("terminal_id", column, 7)
            for column in ("one", "fraud")
        )
        features[f"terminal_count_{days}d"] = counts
        features[f"terminal_fraud_share_{days}d"] = (frauds / counts).fillna(0)
    return pd.DataFrame(features)


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


@pytest.mark.parametrize("seed", range(3, 6))
def test_features_agree_with_rolling_windows(seed):
    transactions = random_transactions(seed, n=2000, n_days=90)
    expected = features_by_rolling(transactions)
    pd.testing.assert_frame_equal(
        transaction_features(transactions)[expected.columns],
        expected,
        check_dtype=False,
        rtol=0,
        atol=1e-9,
    )


def test_features_of_simulated_transactions_agree_with_rolling_windows():
    transactions = simulate_transactions(
        n_customers=30, n_terminals=60, n_days=60, radius=30.0, seed=0
    )
    expected = features_by_rolling(transactions)
    assert (expected["terminal_fraud_share_30d"] > 0).any()
    pd.testing.assert_frame_equal(
        transaction_features(transactions)[expected.columns],
        expected,
        check_dtype=False,
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


def test_simultaneous_transactions_of_a_customer_count_in_order_of_rows():
    features = transaction_features(one_customer(["2018-04-01"] * 3, amount=[3.0, 1.0, 2.0]))
    assert features["customer_count_1d"].tolist() == [1, 2, 3]
    assert features["customer_mean_amount_1d"].tolist() == [3.0, 2.0, 2.0]


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


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_unit_of_time_does_not_matter(unit):
    transactions = random_transactions(8)
    converted = transactions.assign(time=transactions["time"].astype(f"datetime64[{unit}]"))
    pd.testing.assert_frame_equal(
        transaction_features(converted), transaction_features(transactions)
    )


def test_identifiers_and_labels_of_other_types():
    transactions = random_transactions(9)
    converted = transactions.assign(
        customer_id=transactions["customer_id"].map("customer {}".format),
        terminal_id=transactions["terminal_id"].map("terminal {}".format),
        fraud=transactions["fraud"].astype(float),
    )
    pd.testing.assert_frame_equal(
        transaction_features(converted), transaction_features(transactions)
    )


def test_input_is_left_alone():
    transactions = random_transactions(10)
    before = transactions.copy()
    features = transaction_features(transactions)
    features["amount"] *= 2
    pd.testing.assert_frame_equal(transactions, before)


def test_no_transactions():
    features = transaction_features(random_transactions(0).iloc[:0])
    assert features.shape == (0, 15)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("time", pd.NaT, "time must have no missing values, got 1"),
        ("customer_id", np.nan, "customer_id must have no missing values, got 1"),
        ("terminal_id", np.nan, "terminal_id must have no missing values, got 1"),
        ("amount", np.nan, "amount must be in whole cents, got nan"),
        ("amount", np.inf, "amount must be in whole cents, got inf"),
        ("amount", 0.125, r"amount must be in whole cents, got 0\.125"),
        ("fraud", 2.0, r"fraud must be 0, 1, False or True, got 2\.0"),
        ("fraud", np.nan, "fraud must be 0, 1, False or True, got nan"),
    ],
)
def test_bad_value(column, value, message):
    transactions = random_transactions(0).reset_index(drop=True)
    if column != "time":
        transactions[column] = transactions[column].astype(float)
    transactions.loc[3, column] = value
    with pytest.raises(ValueError, match=message):
        transaction_features(transactions)


@pytest.mark.parametrize("column", ["time", "customer_id", "terminal_id", "amount", "fraud"])
def test_missing_column(column):
    with pytest.raises(ValueError, match=f"must have the columns .*{column}.*, got"):
        transaction_features(random_transactions(0).drop(columns=column))


def test_bad_types():
    transactions = random_transactions(0)
    with pytest.raises(ValueError, match="time must be of type datetime64 without a time zone"):
        transaction_features(transactions.assign(time=transactions["time"].dt.tz_localize("UTC")))
    with pytest.raises(ValueError, match="amount must be of a numeric type, got type"):
        transaction_features(transactions.assign(amount="1.00"))


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


def test_split_without_delay_that_covers_just_enough():
    transactions = pd.DataFrame({"day": range(3, 17)})
    train_mask, test_mask = split_by_weeks(
        transactions, train_start_day=3, train_weeks=1, delay_weeks=0, test_weeks=1
    )
    np.testing.assert_array_equal(train_mask, transactions["day"] < 10)
    np.testing.assert_array_equal(test_mask, transactions["day"] >= 10)


WEEKS = {"train_start_day": 0, "train_weeks": 1, "delay_weeks": 1, "test_weeks": 1}


@pytest.mark.parametrize(
    ("days", "covered"),
    [(range(20), "days 0 to 19"), (range(1, 30), "days 1 to 29"), ([], "no day")],
)
def test_split_of_too_few_days(days, covered):
    transactions = pd.DataFrame({"day": np.array(days, dtype=int)})
    with pytest.raises(ValueError, match=rf"must cover days 0 to 20 \(.*\), got {covered}$"):
        split_by_weeks(transactions, **WEEKS)


@pytest.mark.parametrize(
    ("argument", "value", "allowed"),
    [
        ("train_start_day", -1, "at least 0"),
        ("train_start_day", 1.0, "an integer"),
        ("train_weeks", 0, "at least 1"),
        ("delay_weeks", -1, "at least 0"),
        ("test_weeks", True, "an integer"),
    ],
)
def test_split_with_a_bad_argument(argument, value, allowed):
    transactions = pd.DataFrame({"day": range(60)})
    message = f"{argument} must be {allowed}, got {value}"
    with pytest.raises((TypeError, ValueError), match=message):
        split_by_weeks(transactions, **{**WEEKS, argument: value})


def test_split_of_bad_days():
    with pytest.raises(ValueError, match="must have the columns"):
        split_by_weeks(pd.DataFrame({"time": range(60)}), **WEEKS)
    with pytest.raises(ValueError, match="day must be of an integer type, got type float64"):
        split_by_weeks(pd.DataFrame({"day": np.arange(60.0)}), **WEEKS)
