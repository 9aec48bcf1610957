"""Bands and trends of metrics over periods."""

import itertools

import numpy as np
import pytest

from calibrated_metrics import ConfusionCurve
from reproduction.core.metrics import Metric
from reproduction.fraud.draws import resample
from reproduction.monitoring.periods import band, measured, resampled, trends

AP = Metric("average_precision")
METRICS = [AP, Metric("average_precision", pi0=0.05), Metric("fbeta", options={"threshold": 1.0})]


def month(quality=1.5, n_pos=60, n_neg=400, seed=0):
    rng = np.random.default_rng([seed, n_pos])
    y_true = np.arange(n_pos + n_neg) < n_pos
    return ConfusionCurve.from_predictions(
        y_true, rng.normal(size=n_pos + n_neg) + quality * y_true
    )


def generators(n):
    return [np.random.default_rng(index) for index in range(n)]


def trend_of(curves, metric="roc_auc", n_draws=80):
    metrics = [Metric(metric)]
    draws = resampled(metrics, curves, generators(len(curves)), n_draws)
    (trend,) = trends(measured(metrics, curves), draws, 0.95, np.random.default_rng(0))
    return trend


WORSE = [month(1.8 - index / 5, seed=index) for index in range(7)]


@pytest.fixture(scope="module")
def values():
    return measured(METRICS, WORSE)


@pytest.fixture(scope="module")
def draws():
    return resampled(METRICS, WORSE, generators(7), 80)


def test_values_are_those_of_the_metrics(values):
    expected = [[metric(curve) for metric in METRICS] for curve in WORSE]
    np.testing.assert_array_equal(values, expected)


def test_all_metrics_are_measured_on_the_same_draws_of_the_generator_of_the_period(draws):
    assert draws.shape == (80, 7, 3)
    for place, curve in enumerate(WORSE):
        rng = np.random.default_rng(place)
        for draw in draws[:, place]:
            again = resample(curve, rng, thresholds=[1.0])
            assert draw.tolist() == [metric(again) for metric in METRICS]


def test_bands_are_quantiles_of_the_draws(draws):
    low, high = band(draws, 0.9)
    np.testing.assert_array_equal(low, np.quantile(draws, (1 - 0.9) / 2, axis=0))
    np.testing.assert_array_equal(high, np.quantile(draws, (1 + 0.9) / 2, axis=0))


def test_a_trend_is_the_least_squares_slope_with_the_quantiles_of_the_draws(values, draws):
    for column, trend in enumerate(trends(values, draws, 0.95, np.random.default_rng(0))):
        slope, _ = np.polyfit(range(7), values[:, column], 1)
        of_draws = np.polyfit(range(7), draws[..., column].T, 1)[0]
        assert trend.slope == pytest.approx(slope, rel=1e-9)
        limits = np.quantile(of_draws, [0.025, 0.975])
        assert (trend.low, trend.high) == pytest.approx(tuple(limits), rel=1e-9)
        assert trend.mean == pytest.approx(values[:, column].mean(), rel=1e-12)
        assert trend.verdict == "falls"


def test_the_p_value_is_that_of_all_permutations():
    curves = [month(quality, seed=3) for quality in (1.2, 1.5, 1.1, 1.6, 1.4)]
    of_weeks, of_draws = measured([AP], curves), resampled([AP], curves, generators(5), 2)
    rng = np.random.default_rng(0)
    (trend,) = trends(of_weeks, of_draws, 0.95, rng, n_permutations=20_000)
    slopes = [
        np.polyfit(range(5), of_weeks[list(order), 0], 1)[0]
        for order in itertools.permutations(range(5))
    ]
    exact = np.mean(np.abs(slopes) >= abs(trend.slope) * (1 - 1e-9))
    assert trend.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))


@pytest.mark.parametrize(
    ("qualities", "verdict"),
    [(np.linspace(0.6, 2, 7), "rises"), (np.full(7, 1.5), "flat"), ([1.5] * 6 + [0.3], "flat")],
)
def test_verdicts(qualities, verdict):
    curves = [month(quality, seed=9 + index) for index, quality in enumerate(qualities)]
    assert trend_of(curves).verdict == verdict


def test_one_odd_period_moves_the_interval_but_not_the_permutation_test():
    """The interval sees the samples within the periods only, so a verdict needs both tests."""
    trend = trend_of([month(1.5, seed=9 + index) for index in range(6)] + [month(0.3, seed=15)])
    assert trend.high < 0
    assert trend.p_value > 0.05


def test_a_constant_metric_is_flat():
    perfect = ConfusionCurve.from_predictions([1, 1, 0, 0], [4, 3, 2, 1])
    trend = trend_of([perfect] * 6, "average_precision", n_draws=5)
    assert (trend.slope, trend.low, trend.high) == (0, 0, 0)
    assert (trend.p_value, trend.verdict) == (1, "flat")


@pytest.mark.parametrize(("level", "fewest"), [(0.9, 4), (0.95, 5), (0.99, 6)])
def test_a_higher_level_needs_more_periods(values, draws, level, fewest):
    rng = np.random.default_rng(0)
    assert len(trends(values[:fewest], draws[:, :fewest], level, rng)) == len(METRICS)
    with pytest.raises(ValueError, match=f"{fewest - 1} periods are too few .* {level}"):
        trends(values[: fewest - 1], draws[:, : fewest - 1], level, rng)
