"""`resample_periods`: bands and trends of metrics over periods."""

import itertools

import numpy as np
import pytest

from calibrated_metrics import ConfusionCurve
from calibrated_metrics.comparison import resample_periods
from calibrated_metrics.registry import Metric

AP = "average_precision"
METRICS = [Metric(AP), Metric(AP, pi0=0.05), Metric("fbeta", options={"threshold": 1.0})]


def month(quality=1.5, n_pos=60, n_neg=400, seed=0):
    rng = np.random.default_rng([seed, n_pos])
    y_true = np.arange(n_pos + n_neg) < n_pos
    return ConfusionCurve.from_predictions(
        y_true, rng.normal(size=n_pos + n_neg) + quality * y_true
    )


WORSE = {f"month {index}": month(1.8 - index / 5, seed=index) for index in range(7)}


@pytest.fixture(scope="module")
def worse():
    return resample_periods(WORSE, METRICS, n_resamples=80, rng=0)


def test_values_are_those_of_the_metrics(worse):
    expected = [[metric(curve) for metric in METRICS] for curve in WORSE.values()]
    np.testing.assert_array_equal(worse.value, expected)
    assert worse.names == list(WORSE)
    assert worse.metrics == METRICS
    assert worse.draws.shape == (80, 7, 3)


def test_all_metrics_are_measured_on_the_same_draws():
    rngs = [np.random.default_rng(index) for index in range(7)]
    found = resample_periods(WORSE, METRICS, n_resamples=3, rng=rngs)
    for place, curve in enumerate(WORSE.values()):
        rng = np.random.default_rng(place)
        for draw in found.draws[:, place]:
            again = curve.resample(rng, thresholds=[1.0])
            assert draw.tolist() == [metric(again) for metric in METRICS]


def test_draws_of_a_period_do_not_depend_on_the_others_if_each_has_its_seed():
    both = resample_periods(list(WORSE.values())[:2], AP, n_resamples=4, rng=[5, 6])
    (second,) = resample_periods([WORSE["month 1"]], AP, n_resamples=4, rng=[6]).draws.T
    np.testing.assert_array_equal(both.draws[:, 1].T, second)


def test_bands_are_quantiles_of_the_draws(worse):
    low, high = worse.bands(0.9)
    np.testing.assert_array_equal(low, np.quantile(worse.draws, (1 - 0.9) / 2, axis=0))
    np.testing.assert_array_equal(high, np.quantile(worse.draws, (1 + 0.9) / 2, axis=0))


def test_a_trend_is_the_least_squares_slope_with_the_quantiles_of_the_draws(worse):
    for column, trend in enumerate(worse.trends(rng=0)):
        slope, _ = np.polyfit(range(7), worse.value[:, column], 1)
        of_draws = np.polyfit(range(7), worse.draws[..., column].T, 1)[0]
        assert trend.slope.value == pytest.approx(slope, rel=1e-9)
        limits = np.quantile(of_draws, [0.025, 0.975])
        assert (trend.slope.low, trend.slope.high) == pytest.approx(tuple(limits), rel=1e-9)
        assert trend.mean == pytest.approx(worse.value[:, column].mean(), rel=1e-12)
        assert trend.verdict == "falls"


def test_the_p_value_is_that_of_all_permutations():
    curves = [month(quality, seed=3) for quality in (1.2, 1.5, 1.1, 1.6, 1.4)]
    measured = resample_periods(curves, AP, n_resamples=2, rng=0)
    (trend,) = measured.trends(n_permutations=20_000, rng=0)
    values = measured.value[:, 0]
    slopes = [
        np.polyfit(range(5), values[list(order)], 1)[0]
        for order in itertools.permutations(range(5))
    ]
    exact = np.mean(np.abs(slopes) >= abs(trend.slope.value) * (1 - 1e-9))
    assert trend.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 20_000))


@pytest.mark.parametrize(
    ("qualities", "verdict"),
    [(np.linspace(0.6, 2, 7), "rises"), (np.full(7, 1.5), "flat"), ([1.5] * 6 + [0.3], "flat")],
)
def test_verdicts(qualities, verdict):
    curves = [month(quality, seed=9 + index) for index, quality in enumerate(qualities)]
    (trend,) = resample_periods(curves, "roc_auc", n_resamples=80, rng=0).trends(rng=0)
    assert trend.verdict == verdict


def test_one_odd_period_moves_the_interval_but_not_the_permutation_test():
    """The interval sees the samples within the periods only, so a verdict needs both tests."""
    curves = [month(1.5, seed=9 + index) for index in range(6)] + [month(0.3, seed=15)]
    (trend,) = resample_periods(curves, "roc_auc", n_resamples=80, rng=0).trends(rng=0)
    assert trend.slope.high < 0
    assert trend.p_value > 0.05


def test_a_constant_metric_is_flat():
    perfect = ConfusionCurve.from_predictions([1, 1, 0, 0], [4, 3, 2, 1])
    (trend,) = resample_periods([perfect] * 6, AP, n_resamples=5, rng=0).trends(rng=0)
    assert (trend.slope.value, trend.slope.low, trend.slope.high) == (0, 0, 0)
    assert (trend.p_value, trend.verdict) == (1, "flat")


def test_a_higher_level_needs_more_periods(worse):
    five = resample_periods(list(WORSE.values())[:5], AP, n_resamples=2, rng=0)
    assert len(five.trends(rng=0)) == 1
    with pytest.raises(ValueError, match="number of periods must be at least 6, got 5"):
        five.trends(confidence_level=0.99)
    four = resample_periods(list(WORSE.values())[:4], AP, n_resamples=2, rng=0)
    with pytest.raises(ValueError, match="number of periods must be at least 5, got 4"):
        four.trends()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_resamples": 1}, ValueError, "n_resamples must be at least 2, got 1"),
        ({"rng": [1, 2]}, ValueError, "rng must have one element per period, 7, got 2"),
        ({"rng": "a"}, TypeError, "rng must be None, an int or a numpy.random.Generator"),
        ({"metrics": "auc"}, ValueError, "unknown score 'auc'"),
        ({"periods": {1: [0, 1]}}, TypeError, r"periods must hold ConfusionCurves, got \[0, 1\]"),
        ({"periods": []}, ValueError, "periods must not be empty"),
    ],
)
def test_wrong_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        resample_periods(**{"periods": WORSE, "metrics": AP, **arguments})


@pytest.mark.parametrize(("name", "value"), [("n_permutations", 0), ("confidence_level", 1.0)])
def test_wrong_options_of_trends_are_named(worse, name, value):
    with pytest.raises(ValueError, match=name):
        worse.trends(**{name: value})


@pytest.mark.parametrize(
    ("periods", "metrics", "error", "message"),
    [
        (None, AP, TypeError, "periods must be a mapping or a sequence, got None"),
        (WORSE["month 0"], AP, TypeError, "periods must be a mapping or a sequence"),
        (WORSE, [], ValueError, "metrics must name at least one score, got none"),
        (WORSE, 3, TypeError, "score must be the name of a registered score, got 3"),
    ],
)
def test_other_periods_and_metrics_are_named(periods, metrics, error, message):
    with pytest.raises(error, match=message):
        resample_periods(periods, metrics)
