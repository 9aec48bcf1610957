"""The simulated transactions follow the published model."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reproduction.fraud import simulator
from reproduction.fraud.settings import Simulator
from reproduction.fraud.simulator import simulate_transactions

SEED = np.random.SeedSequence(20180401)
SIZES = {"n_customers": 400, "n_terminals": 1000, "n_days": 60, "radius": 10.0}
TIME_OF_DAY = stats.norm(43_200, 20_000)
SHARE_WITHIN_DAY = TIME_OF_DAY.cdf(86_400) - TIME_OF_DAY.cdf(0)
LEAST_P_VALUE = 1e-3  # the seeds are fixed, so that a test either always passes or always fails


@pytest.fixture(scope="module")
def transactions():
    return simulate_transactions(**SIZES, seed=SEED)


@pytest.fixture(scope="module")
def profiles():
    """Place, mean amount and daily rate of each customer."""
    draws = simulator._generator(SEED, simulator._CUSTOMERS).uniform(size=(SIZES["n_customers"], 4))
    return [0, 0, 5, 0] + draws * [100, 100, 95, 4]


@pytest.fixture(scope="module")
def within(profiles):
    """Whether each customer uses each terminal."""
    rng = simulator._generator(SEED, simulator._TERMINALS)
    terminals = 100 * rng.uniform(size=(SIZES["n_terminals"], 2))
    distances = np.hypot(*(profiles[:, None, :2] - terminals).transpose(2, 0, 1))
    return distances <= SIZES["radius"]


@pytest.fixture(scope="module")
def genuine_amounts():
    """Amounts of the same transactions before any fraud."""
    return simulator._draw_transactions(*SIZES.values(), SEED)[3]


def compromised_daily(seed, kind, n_ids, n_days):
    """Terminals or customers that are compromised on each day."""
    rng = simulator._generator(seed, simulator._COMPROMISED[kind])
    size = {"terminals": 2, "customers": 3}[kind]
    return [rng.choice(n_ids, size=size, replace=False) for _ in range(n_days)]


def times_compromised(transactions, kind, duration):
    """How many compromises each transaction falls under."""
    n_ids, n_days = SIZES[f"n_{kind}"], SIZES["n_days"]
    counts = np.zeros((n_days, n_ids), dtype=int)
    for day, compromised in enumerate(compromised_daily(SEED, kind, n_ids, n_days)):
        counts[day : day + duration, compromised] += 1
    return counts[transactions["day"], transactions[f"{kind.removesuffix('s')}_id"]]


def test_order_and_ranges(transactions):
    order = np.lexsort([transactions["customer_id"], transactions["time"]])
    np.testing.assert_array_equal(order, np.arange(len(transactions)))
    for column, size in [("day", 60), ("customer_id", 400), ("terminal_id", 1000)]:
        assert transactions[column].between(0, size - 1).all()
    assert (transactions["amount"] >= 0).all()
    np.testing.assert_array_equal(transactions["amount"].round(2), transactions["amount"])
    np.testing.assert_array_equal(transactions["fraud"], transactions["scenario"] > 0)


def test_number_of_transactions_of_each_customer_is_poisson(transactions, profiles):
    numbers = np.bincount(transactions["customer_id"], minlength=SIZES["n_customers"])
    expected = profiles[:, 3] * SIZES["n_days"] * SHARE_WITHIN_DAY
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
    transactions, profiles, genuine_amounts
):
    def cdf(ratio):
        negative = stats.norm.cdf(-2)
        kept = stats.norm.cdf((ratio - 1) / 0.5) - negative
        return kept + negative * np.clip(ratio / 2, 0, 1)

    ratios = genuine_amounts / profiles[transactions["customer_id"], 2]
    assert stats.kstest(ratios, cdf).pvalue > LEAST_P_VALUE


def test_terminals_are_chosen_uniformly_within_the_radius(transactions, within):
    assert within[transactions["customer_id"], transactions["terminal_id"]].all()
    chosen = transactions.groupby(["customer_id", "terminal_id"]).size()
    numbers = np.bincount(transactions["customer_id"], minlength=SIZES["n_customers"])
    active = numbers > 0
    expected = (numbers / within.sum(axis=1))[active]
    squares = (chosen**2).groupby("customer_id").sum().to_numpy()
    statistic = np.sum(squares / expected - numbers[active])
    degrees = np.sum(within.sum(axis=1)[active] - 1)
    assert abs(statistic - degrees) < 4 * np.sqrt(2 * degrees)


def test_amounts_above_220_are_frauds(transactions, genuine_amounts):
    large = genuine_amounts > 220
    scenarios = transactions["scenario"].to_numpy()
    of_terminals = times_compromised(transactions, "terminals", 28)
    untouched = of_terminals + times_compromised(transactions, "customers", 14) == 0
    np.testing.assert_array_equal(scenarios[untouched], large[untouched])
    assert large[scenarios == 1].all()
    assert not large[scenarios == 0].any()


def test_all_transactions_of_a_compromised_terminal_are_frauds(transactions):
    scenarios = transactions["scenario"].to_numpy()
    compromised = times_compromised(transactions, "terminals", 28) > 0
    assert set(scenarios[compromised]) == {2, 3}
    assert not (scenarios[~compromised] == 2).any()


def test_frauds_of_compromised_customers_multiply_the_amount_by_5(transactions, genuine_amounts):
    third = (transactions["scenario"] == 3).to_numpy()
    amounts = transactions["amount"].to_numpy()
    np.testing.assert_array_equal(amounts[~third], genuine_amounts[~third])
    factors = amounts[third] / genuine_amounts[third]
    exponents = np.rint(np.log(factors) / np.log(5)).astype(int)
    np.testing.assert_allclose(factors, 5.0**exponents)
    compromises = times_compromised(transactions, "customers", 14)[third]
    assert ((exponents >= 1) & (exponents <= compromises)).all()


@pytest.mark.parametrize("entropy", range(5))
def test_one_day_compromises_exactly_a_third_rounded_down(entropy):
    seed = np.random.SeedSequence(entropy)
    day = simulate_transactions(n_customers=20, n_terminals=500, n_days=1, radius=20.0, seed=seed)
    (compromised,) = compromised_daily(seed, "customers", 20, 1)
    assert (day["scenario"] == 3).sum() == day["customer_id"].isin(compromised).sum() // 3


def test_the_seed_determines_the_transactions(transactions):
    pd.testing.assert_frame_equal(simulate_transactions(**SIZES, seed=SEED), transactions)
    for other in (np.random.SeedSequence(0), SEED.spawn(1)[0]):
        times = simulate_transactions(**SIZES, seed=other)["time"]
        assert not times.head(1000).equals(transactions["time"].head(1000))


def test_longer_simulation_begins_with_the_shorter_one(transactions):
    longer = simulate_transactions(**{**SIZES, "n_days": 75}, seed=SEED)
    settled = transactions["day"] < SIZES["n_days"] - 13
    pd.testing.assert_frame_equal(longer[: settled.sum()], transactions[settled])


def test_default_size_agrees_with_the_handbook():
    sizes = Simulator().model_dump(include=set(SIZES))
    transactions = simulate_transactions(**sizes, seed=SEED)
    # Standard deviation from seed to seed: 0.8 % of the transactions, that of the mean rate.
    expected = 5000 * 183 * 2 * SHARE_WITHIN_DAY
    for number in (len(transactions), 1_754_155):
        assert number == pytest.approx(expected, rel=3 / np.sqrt(3 * 5000))
    assert transactions["fraud"].sum() == pytest.approx(14_681, rel=0.05)
