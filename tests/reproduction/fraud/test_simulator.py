"""The simulated transactions follow the published model."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reproduction.fraud import simulator
from reproduction.fraud.simulator import simulate_transactions

SEED = np.random.SeedSequence(20180401)
SIZES = {"n_customers": 400, "n_terminals": 1000, "n_days": 60, "radius": 10.0}
SECONDS_PER_DAY = 86_400
TIME_OF_DAY = stats.norm(43_200, 20_000)
SHARE_WITHIN_DAY = TIME_OF_DAY.cdf(86_400) - TIME_OF_DAY.cdf(0)
# The seeds are fixed, so that a test either always passes or always fails: what is unlikely
# under the model only has to be unlikely enough not to happen with these seeds.
LEAST_P_VALUE = 1e-3


@pytest.fixture(scope="module")
def transactions():
    return simulate_transactions(**SIZES, seed=SEED)


@pytest.fixture(scope="module")
def customers():
    return simulator._draw_customers(SEED, SIZES["n_customers"])


@pytest.fixture(scope="module")
def terminal_locations():
    return simulator._draw_terminals(SEED, SIZES["n_terminals"])


@pytest.fixture(scope="module")
def reach(customers, terminal_locations):
    return simulator._terminals_within(SIZES["radius"], customers.locations, terminal_locations)


@pytest.fixture(scope="module")
def genuine_amounts(customers, reach):
    """Amounts of the same transactions before any fraud."""
    return simulator._draw_transactions(SEED, customers, reach, SIZES["n_days"])[3]


def _compromised(kind, n_ids, n_per_day, n_days, seed=SEED):
    return simulator._compromised_daily(seed, f"compromised {kind}", n_ids, n_per_day, n_days)


def times_compromised(transactions, column, compromised, duration):
    """How many compromises each transaction falls under."""
    n_days = len(compromised)
    is_compromised = np.zeros((n_days + duration, compromised.max() + 1), dtype=int)
    np.put_along_axis(is_compromised[duration:], compromised, 1, axis=1)
    until = np.cumsum(is_compromised, axis=0)
    by_day = until[duration:] - until[:-duration]
    by_day = np.pad(by_day, ((0, 0), (0, max(SIZES.values()))))
    return by_day[transactions["day"], transactions[column]]


@pytest.fixture(scope="module")
def terminal_compromises(transactions):
    compromised = _compromised("terminals", SIZES["n_terminals"], 2, SIZES["n_days"])
    return times_compromised(transactions, "terminal_id", compromised, 28)


@pytest.fixture(scope="module")
def customer_compromises(transactions):
    compromised = _compromised("customers", SIZES["n_customers"], 3, SIZES["n_days"])
    return times_compromised(transactions, "customer_id", compromised, 14)


def test_rows_are_in_order_of_time_then_customer(transactions):
    order = np.lexsort([transactions["customer_id"], transactions["time"]])
    np.testing.assert_array_equal(order, np.arange(len(transactions)))
    np.testing.assert_array_equal(transactions["transaction_id"], np.arange(len(transactions)))


def test_ranges(transactions):
    for column, size in [
        ("day", "n_days"),
        ("customer_id", "n_customers"),
        ("terminal_id", "n_terminals"),
    ]:
        assert transactions[column].between(0, SIZES[size] - 1).all()
    assert (transactions["amount"] >= 0).all()
    np.testing.assert_array_equal(transactions["amount"].round(2), transactions["amount"])
    np.testing.assert_array_equal(transactions["fraud"], transactions["scenario"] > 0)


# Distributions


def test_profiles_are_uniform():
    customers = simulator._draw_customers(SEED, 5000)
    for sample, least, width in [
        (customers.locations[:, 0], 0, 100),
        (customers.locations[:, 1], 0, 100),
        (customers.mean_amounts, 5, 95),
        (customers.daily_rates, 0, 4),
        *((coordinate, 0, 100) for coordinate in simulator._draw_terminals(SEED, 5000).T),
    ]:
        assert stats.kstest(sample, stats.uniform(least, width).cdf).pvalue > LEAST_P_VALUE


def test_number_of_transactions_of_each_customer_is_poisson(transactions, customers, reach):
    assert (reach.counts > 0).all()
    numbers = np.bincount(transactions["customer_id"], minlength=SIZES["n_customers"])
    expected = customers.daily_rates * SIZES["n_days"] * SHARE_WITHIN_DAY
    frequent = expected > 5
    statistic = np.sum((numbers - expected)[frequent] ** 2 / expected[frequent])
    p_value = stats.chi2(frequent.sum()).sf(statistic)
    assert LEAST_P_VALUE < p_value < 1 - LEAST_P_VALUE


def test_time_of_day_is_a_truncated_normal(transactions):
    midnight = transactions["time"].dt.normalize()
    second = (transactions["time"] - midnight).dt.total_seconds()
    truncated = stats.truncnorm(-2.16, 2.16, loc=43_200, scale=20_000)
    assert stats.kstest(second + 0.5, truncated.cdf).pvalue > LEAST_P_VALUE


def test_genuine_amounts_are_normal_with_negative_ones_replaced(
    transactions, customers, genuine_amounts
):
    def cdf(ratio):
        negative = stats.norm.cdf(-2)
        kept = stats.norm.cdf((ratio - 1) / 0.5) - negative
        return kept + negative * np.clip(ratio / 2, 0, 1)

    ratios = genuine_amounts / customers.mean_amounts[transactions["customer_id"]]
    assert stats.kstest(ratios, cdf).pvalue > LEAST_P_VALUE


def test_terminals_within_the_radius_are_all_found(customers, terminal_locations, reach):
    for customer, location in enumerate(customers.locations):
        distances = np.hypot(*(terminal_locations - location).T)
        first = reach.first[customer]
        np.testing.assert_array_equal(
            reach.terminal_ids[first : first + reach.counts[customer]],
            np.flatnonzero(distances <= SIZES["radius"]),
        )


def test_terminals_are_chosen_uniformly(transactions, reach):
    chosen = transactions.groupby(["customer_id", "terminal_id"]).size()
    numbers = np.bincount(transactions["customer_id"], minlength=SIZES["n_customers"])
    active = numbers > 0
    expected = numbers[active] / reach.counts[active]
    squares = (chosen**2).groupby("customer_id").sum().to_numpy()
    statistic = np.sum(squares / expected - numbers[active])
    degrees = np.sum(reach.counts[active] - 1)
    assert abs(statistic - degrees) < 4 * np.sqrt(2 * degrees)


# Frauds


def test_amounts_above_220_are_frauds(
    transactions, genuine_amounts, terminal_compromises, customer_compromises
):
    large = genuine_amounts > 220
    assert large.any()
    scenarios = transactions["scenario"].to_numpy()
    untouched = (terminal_compromises == 0) & (customer_compromises == 0)
    np.testing.assert_array_equal(scenarios[untouched], large[untouched])
    assert large[scenarios == 1].all()
    assert not large[scenarios == 0].any()


def test_all_transactions_of_a_compromised_terminal_are_frauds(transactions, terminal_compromises):
    scenarios = transactions["scenario"].to_numpy()
    compromised = terminal_compromises > 0
    assert np.isin(scenarios[compromised], [2, 3]).all()
    assert not (scenarios[~compromised] == 2).any()
    assert (scenarios[compromised] == 2).any()


def test_frauds_of_compromised_customers_multiply_the_amount_by_5(
    transactions, genuine_amounts, customer_compromises
):
    third = (transactions["scenario"] == 3).to_numpy()
    amounts = transactions["amount"].to_numpy()
    np.testing.assert_array_equal(amounts[~third], genuine_amounts[~third])
    factors = amounts[third] / genuine_amounts[third]
    exponents = np.rint(np.log(factors) / np.log(5)).astype(int)
    np.testing.assert_allclose(factors, 5.0**exponents)
    assert (exponents >= 1).all()
    assert (exponents <= customer_compromises[third]).all()


@pytest.mark.parametrize("seed", range(10))
def test_one_day_compromises_exactly_a_third_rounded_down(seed):
    day = simulate_transactions(n_customers=20, n_terminals=500, n_days=1, radius=20.0, seed=seed)
    compromised = _compromised("customers", 20, 3, 1, np.random.SeedSequence(seed))[0]
    n_candidates = day["customer_id"].isin(compromised).sum()
    assert (day["scenario"] == 3).sum() == n_candidates // 3


def test_compromised_customers_lose_a_third_of_their_transactions(
    transactions, customer_compromises
):
    # Rounding down takes at most 2/3 of a transaction from each day's draw.
    probabilities = 1 - (2 / 3) ** customer_compromises
    n_frauds = (transactions["scenario"] == 3).sum()
    spread = np.sqrt(np.sum(probabilities * (1 - probabilities)))
    assert n_frauds < probabilities.sum() + 4 * spread
    assert n_frauds > probabilities.sum() - 4 * spread - 2 / 3 * SIZES["n_days"]


def test_compromised_are_distinct_within_a_day_and_uniform():
    compromised = _compromised("customers", 6, 3, 3000)
    assert all(len(set(day)) == 3 for day in compromised.tolist())
    assert stats.chisquare(np.bincount(compromised.ravel())).pvalue > LEAST_P_VALUE


# Seeds


def test_same_seed_same_transactions(transactions):
    pd.testing.assert_frame_equal(simulate_transactions(**SIZES, seed=SEED), transactions)


@pytest.mark.parametrize("seed", [0, np.random.SeedSequence(SEED.entropy, spawn_key=(1,))])
def test_other_seed_other_transactions(transactions, seed):
    other = simulate_transactions(**SIZES, seed=seed)
    assert not other["time"].head(1000).equals(transactions["time"].head(1000))


def test_longer_simulation_begins_with_the_shorter_one(transactions):
    longer = simulate_transactions(**{**SIZES, "n_days": 75}, seed=SEED)
    settled = transactions["day"] < SIZES["n_days"] - 13
    pd.testing.assert_frame_equal(longer[: settled.sum()], transactions[settled])
    columns = ["time", "customer_id", "terminal_id"]
    pd.testing.assert_frame_equal(
        longer.loc[: len(transactions) - 1, columns], transactions[columns]
    )


# The published size


def test_default_size_agrees_with_the_handbook():
    transactions = simulate_transactions(seed=SEED)
    # Standard deviation from seed to seed: 0.8 % of the transactions, that of the mean rate.
    expected = 5000 * 183 * 2 * SHARE_WITHIN_DAY
    for number in (len(transactions), 1_754_155):
        assert number == pytest.approx(expected, rel=3 / np.sqrt(3 * 5000))
    assert transactions["fraud"].sum() == pytest.approx(14_681, rel=0.05)
    assert transactions["fraud"].mean() == pytest.approx(0.0084, abs=0.0004)


# Bad input


@pytest.mark.parametrize(
    ("argument", "value", "allowed"),
    [
        ("n_customers", 2, "at least 3"),
        ("n_terminals", 1, "at least 2"),
        ("n_days", 0, "at least 1"),
        ("radius", 0.0, "above 0"),
        ("seed", -1, "at least 0"),
    ],
)
def test_bad_argument(argument, value, allowed):
    with pytest.raises(ValueError, match=f"^{argument} must be .*{allowed}.*got {value}"):
        simulate_transactions(**{"seed": 0, argument: value})
