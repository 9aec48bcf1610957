"""Limits of a difference from those of two values."""

import math

import numpy as np
import pytest
from samples import EVERY, WITHOUT_DRAWS, limits_of
from scipy import optimize, special, stats

from calibrated_metrics import ConfusionCurve, Metric
from calibrated_metrics.uncertainty import difference, interval, p_value
from calibrated_metrics.uncertainty.combine import square_and_add
from calibrated_metrics.uncertainty.estimate import Measured, Scale, t_quantile

SHARE, LINE = Scale(0, 1), Scale(-math.inf, math.inf)
CORRELATIONS = (-1.0, -0.6, 0.0, 0.3, 0.7, 0.95, 1.0)
every_correlation = pytest.mark.parametrize("r", CORRELATIONS)
pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore:the difference rests on few rows"),
]


def measured(value, error, scale=SHARE, missed=0.0):
    """A value whose limits allow for a further `missed` part of the distance to the own limits."""

    def limits(level, more=missed):
        reach = t_quantile(level) * error
        return scale.limits(value, (1 + more) * reach)

    return Measured(value, error, limits, "test", own_limits=lambda level: limits(level, 0.0))


def some_pairs(**options):
    rng = np.random.default_rng(0)
    for _ in range(50):
        values, errors = rng.uniform(0.02, 0.98, 2), rng.uniform(0.001, 0.3, 2)
        yield [measured(*each, **options) for each in zip(values, errors, strict=True)]


def width(found, level=0.95):
    low, high = found.limits(level)
    return high - low


def test_without_a_correlation_squares_are_added():
    for a, b in some_pairs(missed=0.5):
        found = square_and_add(a, b, 0.0).limits(0.95)
        (low_a, high_a), (low_b, high_b) = a.limits(0.95), b.limits(0.95)
        value = a.value - b.value
        low = value - math.hypot(a.value - low_a, high_b - b.value)
        assert found == pytest.approx(
            (low, value + math.hypot(high_a - a.value, b.value - low_b)), rel=1e-12
        )


@every_correlation
def test_symmetric_limits_are_those_of_the_variance_of_the_difference(r):
    for a, b in some_pairs(scale=LINE):
        s, t = a.standard_error, b.standard_error
        error = math.sqrt(s * s + t * t - 2 * r * s * t)
        found = square_and_add(a, b, r)
        assert found.standard_error == pytest.approx(error, abs=1e-12)
        reach, value = t_quantile(0.95) * error, a.value - b.value
        assert found.limits(0.95) == pytest.approx((value - reach, value + reach), abs=1e-12)


def test_a_higher_correlation_never_makes_an_interval_wider():
    for missed in (0.0, 0.7):
        for a, b in some_pairs(missed=missed):
            widths = [width(square_and_add(a, b, r)) for r in CORRELATIONS]
            assert widths == sorted(widths, reverse=True)


@every_correlation
def test_limits_move_apart_with_the_level_and_stay_possible(r):
    levels = [1e-12, 0.1, 0.5, 0.9, 0.99, 0.999999, 1 - 1e-12]
    for a, b in some_pairs(missed=0.5):
        lows, highs = np.transpose([square_and_add(a, b, r).limits(each) for each in levels])
        assert (np.diff(lows) <= 1e-12).all()
        assert (np.diff(highs) >= -1e-12).all()
        if r >= 0:
            assert -1 <= lows.min() <= highs.max() <= 1


@every_correlation
def test_a_swap_changes_the_signs(r):
    for a, b in some_pairs(missed=0.5):
        low, high = square_and_add(a, b, r).limits(0.95)
        assert square_and_add(b, a, r).limits(0.95) == pytest.approx((-high, -low), rel=1e-12)


def test_equal_contributions_leave_no_error():
    a = measured(0.9, 0.1, missed=1.0)
    found = square_and_add(a, a, 1.0)
    assert (found.standard_error, *found.limits(0.95)) == (0, 0, 0)


def test_missed_rows_of_both_samples_count_1_less_the_correlation():
    bare, more = (measured(0.5, 0.1, LINE, missed) for missed in (0.0, 1.0))
    for r in (0.0, 0.5, 0.9):
        factor = width(square_and_add(more, more, r)) / width(square_and_add(bare, bare, r))
        assert factor == pytest.approx(2 - r)


def test_an_infinite_limit_stays_infinite():
    ratio = measured(3.0, 1.0, LINE)
    endless = Measured(3.0, 1.0, lambda level: (1.0, math.inf), "test")
    for r in (-0.5, 0.0, 0.9):
        low, high = square_and_add(endless, ratio, r).limits(0.95)
        assert math.isfinite(low)
        assert high == math.inf
    assert square_and_add(endless, endless, 1.0).limits(0.95) == (0, 0)


def test_a_withheld_value_or_an_unknown_correlation_withholds_the_difference():
    a, none = measured(0.5, 0.1), Measured.withheld(0.5, "test", "one row")
    for found, reason in (
        (square_and_add(a, none, 0.0), "one row"),
        (square_and_add(a, a, "no draws"), "no draws"),
    ):
        assert found.reason == reason
        assert np.isnan(found.limits(0.95)).all()


# ---------------------------------------------------------------------------------- of two models


def two_models(n_pos=200, n_neg=200, shifts=(2.5, 1.5), seed=1, **drawn):
    """Curves of two models on the same rows, with correlated scores."""
    rng = np.random.default_rng(seed)
    y_true = np.arange(n_pos + n_neg) < n_pos
    common = 0.7 * rng.normal(size=len(y_true))
    scores = [d * y_true + common + 0.7 * rng.normal(size=len(y_true)) for d in shifts]
    return [ConfusionCurve.from_predictions(y_true, each, **drawn) for each in scores]


@pytest.mark.parametrize("name", sorted(EVERY.keys() - WITHOUT_DRAWS.keys()))
def test_the_same_rows_are_never_less_certain_than_two_samples(name):
    a, b = two_models(60, 140, (2, 1.8))
    options = {"pi0": 0.1, "n_resamples": 60, "rng": 0}
    same, apart = (difference(EVERY[name], a, b, paired=each, **options) for each in (True, False))
    assert same.low >= apart.low
    assert same.high <= apart.high


def test_models_that_differ_at_a_low_prior_are_told_apart():
    a, b = two_models()
    found = difference("average_precision", a, b, paired=True, pi0=0.01)
    assert found.low > 0
    assert found.standard_error < 0.06


def test_the_error_of_the_same_rows_is_that_of_their_contributions():
    rng, metric = np.random.default_rng(0), "average_precision"
    y_true = rng.random(300) < 0.3
    p = 1 / (1 + np.exp(-rng.normal(2 * y_true - 1, 1, (2, 300))))
    found = difference(metric, (y_true, p[0]), (y_true, p[1]), paired=True)
    draws = []
    for _ in range(400):
        rows = rng.integers(300, size=300)
        values = [interval(metric, (y_true[rows], each[rows])).value for each in p]
        draws.append(values[0] - values[1])
    assert found.standard_error == pytest.approx(np.std(draws), rel=0.15)


def score_test(difference, gained, lost, n):
    """How many standard errors the difference of two shares lies from that of the sample.

    The error is that of the likeliest shares of discordant rows with this difference.
    """
    counts = np.array([gained, lost, n - gained - lost])

    def minus_log_likelihood(of_lost):
        shares = np.array([of_lost + difference, of_lost, 1 - difference - 2 * of_lost])
        return -special.xlogy(counts, np.maximum(shares, 1e-300)).sum()

    ends = max(-difference, 0), (1 - difference) / 2
    options = {"xatol": 1e-12}
    of_lost = optimize.minimize_scalar(minus_log_likelihood, bounds=ends, options=options).x
    variance = n * (2 * of_lost + difference - difference**2)
    return (gained - lost - n * difference) / math.sqrt(variance)


@pytest.mark.parametrize(("lost", "gained"), [(0, 1), (0, 3), (1, 1), (2, 5), (7, 0)])
def test_shares_of_the_same_rows_have_limits_by_the_score_test_of_discordant_rows(lost, gained):
    """Recall of 60 positives; decisions on negatives differ, too, and do not count."""
    number = np.arange(360)
    y_true, a = number < 60, number < 40
    b = (number < 40 - lost) | (number >= 60 - gained) & y_true | (number > 300)
    paired = {"a": (y_true, b), "b": (y_true, a), "paired": True}
    found = difference("recall", **paired)
    assert found.value == pytest.approx((gained - lost) / 60)
    assert score_test(found.low, gained, lost, 60) == pytest.approx(1.96, abs=1e-3)
    assert score_test(found.high, gained, lost, 60) == pytest.approx(-1.96, abs=1e-3)
    mcnemar = (gained - lost) ** 2 / (gained + lost)
    assert p_value("recall", **paired) == pytest.approx(stats.chi2.sf(mcnemar, 1), rel=1e-3)


def test_models_without_errors_have_limits_like_two_samples():
    """No sample of 30 positives shows that two models find the same ones."""
    y_true = np.arange(330) < 30
    a, b = (y_true | (np.arange(330) > first) for first in (310, 320))
    for metric in ("recall", "npv"):
        same, apart = (
            difference(metric, (y_true, a), (y_true, b), paired=paired) for paired in (True, False)
        )
        assert limits_of(same) == pytest.approx(limits_of(apart), rel=0.03)
        assert same.low < -0.005


def test_perfect_rankings_have_an_interval():
    y_true = np.arange(330) < 30
    a, b = np.random.default_rng(0).normal(size=(2, 330)) + 20 * y_true
    found = difference("roc_auc", (y_true, a), (y_true, b), paired=True)
    assert found.low < found.value < found.high


def test_equal_decisions_have_a_p_value_of_1():
    a, b = two_models(seed=3)
    metric = Metric("f1", threshold=1.0)
    assert p_value(metric, a, a, paired=True) == 1
    assert p_value(metric, a, b, paired=True) < 1
