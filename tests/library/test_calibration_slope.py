"""Slope and intercept of calibration: against statsmodels, at a prior, and withheld."""

import math

import numpy as np
import pytest
from scipy.special import expit, logit

from calibrated_metrics.probabilities import check_calibration

pytestmark = pytest.mark.filterwarnings("error")
Y_TRUE = np.array([0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1])
Y_PROB = np.array([0.1, 0.3, 0.2, 0.4, 0.6, 0.5, 0.7, 0.8, 0.9, 0.05, 0.35, 0.15])


def check(y_true, y_prob, **options):
    return check_calibration(y_true, y_prob, n_resamples=19, rng=0, **options)


def numbers(estimate):
    return estimate.value, estimate.standard_error, estimate.low, estimate.high


def test_both_are_those_of_statsmodels():
    """GLM with a binomial family, of statsmodels 0.15: the log-odds are a column or the offset."""
    found = check(Y_TRUE, Y_PROB, confidence_level=0.9)
    slope = 1.08423885972418, 0.65021796077131, 0.01472548864051, 2.15375223080786
    intercept = 0.45566722234436, 0.68948760084831, -0.67843895864905, 1.58977340333778
    assert numbers(found.slope) == pytest.approx(slope, abs=1e-8)
    assert numbers(found.intercept) == pytest.approx(intercept, abs=1e-8)


def test_a_prior_moves_the_intercept_only():
    own, given = check(Y_TRUE, Y_PROB), check(Y_TRUE, Y_PROB, prior=0.01)
    assert numbers(given.slope) == pytest.approx(numbers(own.slope), rel=1e-8)
    moved = own.intercept.value + logit(0.01) - logit(0.5)
    assert given.intercept.value == pytest.approx(moved, rel=1e-8)
    variance = own.intercept.standard_error**2 - 1 / 6 - 1 / 6
    assert given.intercept.standard_error**2 == pytest.approx(variance, rel=1e-6)


def test_probabilities_that_are_calibrated_at_a_prior_are_trusted_on_balanced_rows():
    rng = np.random.default_rng(0)
    log_odds = rng.normal(-4, 1.5, 100_000)
    positive = rng.random(100_000) < expit(log_odds)
    rows = np.concatenate([np.flatnonzero(positive), np.flatnonzero(~positive)[: positive.sum()]])
    y_true, y_prob = positive[rows], expit(log_odds[rows])
    assert not check(y_true, y_prob).trusted
    found = check(y_true, y_prob, prior=positive.mean())
    assert found.trusted
    assert found.slope.low < 1 < found.slope.high
    assert found.intercept.low < 0 < found.intercept.high
    extreme = check(y_true, expit(2 * logit(y_prob)), prior=positive.mean()).slope
    assert extreme.value == pytest.approx(found.slope.value / 2, rel=1e-8)


@pytest.mark.parametrize(
    ("y_prob", "withheld", "reason"),
    [
        ([0, 0.2, 0.3, 0.9], ("slope", "intercept"), "holds 0 or 1"),
        ([0.1, 0.2, 0.3, 0.9], ("slope",), "separates the classes"),
        ([0.3, 0.3, 0.3, 0.3], ("slope",), "separates the classes"),
    ],
)
def test_what_is_infinite_is_withheld(y_prob, withheld, reason):
    found = check([0, 0, 1, 1], y_prob)
    for name in ("slope", "intercept"):
        estimate = getattr(found, name)
        assert math.isnan(estimate.low) == (name in withheld)
        if name in withheld:
            assert reason in estimate.reason
