"""Bands and trends of metrics over periods."""

import itertools

import numpy as np
import pytest

from calibrated_metrics import ConfusionCurve
from reproduction.core.metrics import Metric
from reproduction.fraud.draws import resample
from reproduction.monitoring.periods import measured, resampled, trends

AP = Metric("average_precision")
METRICS = [AP, Metric("average_precision", pi0=0.05), Metric("roc_auc")]


def month(quality, seed):
    rng = np.random.default_rng([seed, 60])
    y_true = np.arange(460) < 60
    return ConfusionCurve.from_predictions(y_true, rng.normal(size=460) + quality * y_true)


def draws_of(curves, metrics):
    return resampled(metrics, curves, map(np.random.default_rng, range(len(curves))), 80)


def trends_of(curves, metrics=(AP,), places=None):
    values = measured(metrics, curves)
    places = np.arange(len(curves)) if places is None else places
    return trends(values, draws_of(curves, metrics), places, np.random.default_rng(0))


WORSE = [month(1.8 - index / 5, seed=index) for index in range(7)]


def test_all_metrics_are_measured_on_the_same_draws_of_the_generator_of_the_period():
    draws = draws_of(WORSE, METRICS)
    assert draws.shape == (80, 7, 3)
    for place, curve in enumerate(WORSE):
        rng = np.random.default_rng(place)
        for draw in draws[:, place]:
            again = resample(curve, rng)
            assert draw.tolist() == [metric(again) for metric in METRICS]


def test_a_trend_is_the_least_squares_slope_with_the_quantiles_of_the_draws():
    found, draws = trends_of(WORSE, METRICS), draws_of(WORSE, METRICS)
    for column, (metric, trend) in enumerate(zip(METRICS, found.itertuples(), strict=True)):
        values = [metric(curve) for curve in WORSE]
        of_draws = np.polyfit(range(7), draws[..., column].T, 1)[0]
        assert trend.mean == pytest.approx(np.mean(values), rel=1e-12)
        assert trend.slope == pytest.approx(np.polyfit(range(7), values, 1)[0], rel=1e-9)
        limits = np.quantile(of_draws, [0.025, 0.975])
        np.testing.assert_allclose([trend.low, trend.high], limits, rtol=1e-9)
        assert trend.verdict == "falls"


def test_the_p_value_is_that_of_all_permutations():
    curves = [month(quality, seed=3) for quality in (1.2, 1.5, 1.1, 1.6, 1.4)]
    (trend,) = trends_of(curves).itertuples()
    orders = itertools.permutations(map(AP, curves))
    slopes = [np.polyfit(range(5), order, 1)[0] for order in orders]
    exact = np.mean(np.abs(slopes) >= abs(trend.slope) * (1 - 1e-9))
    assert trend.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 9_999))


def test_one_odd_period_moves_the_interval_but_not_the_permutation_test():
    """The interval sees the samples within the periods only, so a verdict needs both tests."""
    curves = [month(1.5, seed=9 + index) for index in range(6)]
    (trend,) = trends_of([*curves, month(0.3, seed=15)]).itertuples()
    assert trend.high < 0
    assert trend.p_value > 0.05
    assert trend.verdict == "no trend found"


def test_a_constant_metric_is_flat():
    perfect = ConfusionCurve.from_predictions([1, 1, 0, 0], [4, 3, 2, 1])
    (trend,) = trends_of([perfect] * 6).itertuples(index=False)
    assert tuple(trend) == (1, 0, 0, 0, 1, "flat")


def test_a_missing_period_leaves_a_gap():
    (trend,) = trends_of(WORSE[:5], places=np.array([0, 1, 2, 5, 6])).itertuples()
    values = [AP(curve) for curve in WORSE[:5]]
    assert trend.slope == pytest.approx(np.polyfit([0, 1, 2, 5, 6], values, 1)[0], rel=1e-9)


def test_four_periods_have_no_verdict():
    (trend,) = trends_of(WORSE[:4]).itertuples()
    assert trend.mean == pytest.approx(np.mean([AP(curve) for curve in WORSE[:4]]))
    assert np.isnan([trend.slope, trend.low, trend.high, trend.p_value]).all()
    assert trend.verdict == "too few periods"
