"""Trends of metrics over periods."""

import itertools

import numpy as np
import pytest

from calibrated_metrics import ConfusionCurve, uncertainty
from reproduction.monitoring.periods import trends

METRICS = [("average_precision", None), ("average_precision", 0.05), ("roc_auc", None)]


def month(quality, seed):
    rng = np.random.default_rng([seed, 60])
    y_true = np.arange(460) < 60
    return ConfusionCurve.from_predictions(y_true, rng.normal(size=460) + quality * y_true)


def estimates_of(curves, metrics=METRICS[:1]):
    """Shape (3, n_periods, n_metrics)."""
    found = [[uncertainty.interval(name, c, pi0=pi0) for name, pi0 in metrics] for c in curves]
    return np.array([[[getattr(e, each) for e in row] for row in found] for each in LIMITS])


LIMITS = ("value", "low", "high")


def trends_of(estimates):
    return trends(estimates, np.random.default_rng(0))


WORSE = estimates_of([month(1.8 - index / 5, seed=index) for index in range(7)], METRICS)


def test_a_trend_is_the_least_squares_slope_with_the_errors_of_independent_periods():
    found = trends_of(WORSE)
    for (values, lows, highs), trend in zip(
        WORSE.transpose(2, 0, 1), found.itertuples(), strict=True
    ):
        assert trend.mean == pytest.approx(values.mean(), rel=1e-12)
        slope = np.polyfit(range(7), values, 1)[0]
        assert trend.slope == pytest.approx(slope, rel=1e-9)
        down = up = 0.0
        for period in range(7):
            moved = []
            for end in (lows, highs):
                values_moved = values.copy()
                values_moved[period] = end[period]
                moved.append(np.polyfit(range(7), values_moved, 1)[0] - slope)
            down, up = down + min(moved) ** 2, up + max(moved) ** 2
        limits = slope - np.sqrt(down), slope + np.sqrt(up)
        np.testing.assert_allclose([trend.low, trend.high], limits, rtol=1e-9)
        assert trend.verdict == "falls"


def test_the_interval_of_a_slope_covers_as_often_as_it_says():
    rng = np.random.default_rng(1)
    errors = np.array([0.02, 0.1, 0.03, 0.05, 0.04, 0.01])
    truth = np.linspace(0.6, 0.5, 6)
    n_covered = 0
    for _ in range(300):
        values = truth + errors * rng.normal(size=6)
        estimates = np.array([values, values - 1.96 * errors, values + 1.96 * errors])
        (trend,) = trends_of(estimates[..., None]).itertuples()
        n_covered += trend.low < -0.02 < trend.high
    assert 0.92 < n_covered / 300 < 0.98


def test_the_p_value_is_that_of_all_permutations():
    estimates = estimates_of([month(quality, seed=3) for quality in (1.2, 1.5, 1.1, 1.6, 1.4)])
    (trend,) = trends_of(estimates).itertuples()
    orders = itertools.permutations(estimates[0, :, 0])
    slopes = [np.polyfit(range(5), order, 1)[0] for order in orders]
    exact = np.mean(np.abs(slopes) >= abs(trend.slope) * (1 - 1e-9))
    assert trend.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 9_999))


def test_the_observed_order_counts_as_one_of_the_permutations():
    rising = np.linspace(0.5, 0.9, 15) + np.array([[0.0], [-0.01], [0.01]])
    assert trends_of(rising[..., None])["p_value"].item() == 1 / 10_000


def test_one_odd_period_moves_the_interval_but_not_the_permutation_test():
    """The interval sees the samples within the periods only, so a verdict needs both tests."""
    curves = [month(1.5, seed=9 + index) for index in range(6)]
    (trend,) = trends_of(estimates_of([*curves, month(0.3, seed=15)])).itertuples()
    assert trend.high < 0
    assert trend.p_value > 0.05
    assert trend.verdict == "no trend found"


def test_a_constant_metric_is_flat_if_it_is_known_well():
    one = np.array([0.9, 0.899, 0.901]).repeat(6).reshape(3, 6, 1)
    (trend,) = trends_of(one).itertuples()
    assert (trend.mean, trend.slope, trend.p_value) == (pytest.approx(0.9), 0, 1)
    assert trend.verdict == "flat"
    for uncertain in ([0.9, 0.6, 1.0], [0.009, 0.006, 0.010]):  # a third of the value
        estimates = np.array(uncertain).repeat(6).reshape(3, 6, 1)
        assert trends_of(estimates)["verdict"].item() == "no trend found"


def test_a_period_without_an_interval_leaves_a_gap():
    gaps = WORSE.copy()
    gaps[:, 3] = np.nan  # a single class
    gaps[1:, 4, 0] = np.nan  # a value without an interval
    kept = [0, 1, 2, 5, 6]
    for column, trend in enumerate(trends_of(gaps).itertuples()):
        values = WORSE[0, kept, column]
        assert trend.slope == pytest.approx(np.polyfit(kept, values, 1)[0], rel=1e-9)
        assert trend.mean == pytest.approx(values.mean())


@pytest.mark.parametrize("n_periods", [0, 4])
def test_few_periods_have_no_verdict(n_periods):
    gaps = WORSE.copy()
    gaps[1:, n_periods:] = np.nan
    for column, trend in enumerate(trends_of(gaps).itertuples()):
        mean = WORSE[0, :n_periods, column].mean() if n_periods else np.nan
        assert trend.mean == pytest.approx(mean, nan_ok=True)
        assert np.isnan([trend.slope, trend.low, trend.high, trend.p_value]).all()
        assert trend.verdict == "too few periods"
