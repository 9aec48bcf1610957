"""Estimates: limits, text, priors that are estimates, and scales."""

import copy
import math
import pickle

import numpy as np
import pytest
from scipy.special import expit, ndtri

from calibrated_metrics.uncertainty import Estimate, IntervalWarning
from calibrated_metrics.uncertainty.estimate import Scale, stacked, t_quantile, warn_of, withheld
from calibrated_metrics.uncertainty.prior import ReferencePrior, with_error_of_prior

AUDIT = Estimate(0.3, 0.1, 0.6, 0.1, 0.95, "audit")


def test_a_normal_estimate():
    found = Estimate.normal(0.3, 0.1, confidence_level=0.9)
    assert (found.value, found.standard_error, found.confidence_level) == (0.3, 0.1, 0.9)
    assert found.method == "normal"
    assert (found.low, found.high) == pytest.approx((0.3 - 0.1644854, 0.3 + 0.1644854))


def test_limits_of_a_normal_estimate_lie_within_its_bounds():
    found = Estimate.normal(0.01, 0.1, bounds=(0, 0.1))
    assert (found.low, found.high) == (0, 0.1)


@pytest.mark.parametrize(
    "found", [AUDIT, Estimate.normal(0.3, 0.1), withheld(0.3, 0.95, "hull", "too few rows")]
)
def test_an_estimate_is_immutable_and_survives_a_pickle(found):
    with pytest.raises(AttributeError):
        found.low = 0
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found)


def test_arrays_of_an_estimate_cannot_be_changed():
    given = np.array([0.3, 0.4])
    found = Estimate(given, given - 0.1, given + 0.1, given / 10, 0.95, "audit")
    for each in (found, copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        with pytest.raises(ValueError, match="read-only"):
            each.value[0] = 9
    given[0] = 0.5
    assert found.value[0] == 0.3


def test_an_estimate_is_shown_with_its_interval():
    assert repr(AUDIT) == "Estimate(0.3, 95 % interval 0.1 to 0.6, audit)"
    arrays = (np.array([0.25, 0.5]), np.array([0.1, 0.3]), np.array([0.3, math.nan]))
    found = Estimate(*arrays, np.array([0.1, 0.1]), 0.9, "hull")
    assert repr(found) == "Estimate([0.25 0.5], 90 % interval [0.1 0.3] to [0.3 nan], hull)"
    assert repr(withheld(0.3, 0.95, "hull", "few")) == "Estimate(0.3, no interval: few)"


def test_an_estimate_has_a_format():
    assert f"{AUDIT:.2f}" == "0.30 [0.10, 0.60]"
    assert f"{AUDIT:.1%}" == "30.0% [10.0%, 60.0%]"
    assert f"{withheld(0.51, 0.95, 'hull', 'few'):.2f}" == "0.51 [withheld]"
    assert f"{withheld(math.nan, 0.95, 'hull', 'few'):.2f}" == "undefined"
    assert f"{AUDIT}" == str(AUDIT)
    with pytest.raises(ValueError, match=r"of one prior, got 2; .*pi0=\[...\]\).to_frame\(format"):
        f"{stacked([AUDIT, AUDIT]):.2f}"


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: Estimate.normal(0.3, -0.1), "standard_error"),
        (lambda: Estimate.normal(2.0, 0.1, bounds=(0, 1)), "value must lie within bounds"),
        (lambda: Estimate.normal(0.3, 0.1, confidence_level=95), "confidence_level"),
        (lambda: Estimate(0.3, 0.4, 0.2, 0.1, 0.95, "audit"), "low must not be above high"),
        (lambda: Estimate(0.3, 0.2, 0.4, 0.1, 1.0, "audit"), "confidence_level"),
        *(
            (lambda bounds=bounds: Estimate.normal(0.5, 0.1, bounds=bounds), "bounds must")
            for bounds in (1.0, "01", (1, 0), (0, None))
        ),
    ],
)
def test_bad_arguments_of_an_estimate_are_refused(make, named):
    with pytest.raises((TypeError, ValueError), match=named):
        make()


def test_stacked_estimates_have_arrays_and_the_reasons_of_all():
    one, none = AUDIT, withheld(0.5, 0.95, "audit", "few")
    found = stacked([one, none])
    np.testing.assert_array_equal(found.value, [0.3, 0.5])
    np.testing.assert_array_equal(found.low, [0.1, math.nan])
    assert found.reason is None
    assert found.remarks == ("no interval: few",)
    assert stacked([none, none]).reason == "few"


def test_many_remarks_are_summarised():
    with pytest.warns(IntervalWarning) as caught:
        warn_of(["a", "b", "a", "c", "d", "e"])
    assert [str(each.message) for each in caught] == [
        *"abc",
        "2 more intervals are withheld or doubtful",
    ]
    with pytest.warns(IntervalWarning) as caught:
        warn_of("abcd")
    assert str(caught[-1].message) == "1 more interval is withheld or doubtful"


# ------------------------------------------------------------------------------------- scales

SCALES = [
    Scale(0, 1),
    Scale(-1, 3),
    Scale(0, math.inf),
    Scale(-math.inf, 1),
    Scale(-math.inf, math.inf),
]


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_a_scale_can_be_inverted_and_limits_have_the_reach_of_its_slope(scale):
    for value in (0.01, 0.3, 0.9):
        assert scale.inverse(scale.forward(value)) == pytest.approx(value, rel=1e-12)
        step = 1e-6
        slope = (scale.forward(value + step) - scale.forward(value - step)) / (2 * step)
        low, high = scale.limits(value, 0.1)
        reach = (scale.forward(high) - scale.forward(low)) / 2
        assert reach == pytest.approx(0.1 * slope, rel=1e-6)
        assert scale.low <= low < value < high <= scale.high


def test_at_an_end_of_a_scale_limits_are_the_value():
    assert Scale(0, 1).limits(1.0, 0.3) == (1.0, 1.0)
    almost = 10 * (1 - 2**-52)  # a quotient that should be 10
    assert Scale(0, 10).limits(almost, 0.3) == (almost, almost)


def test_quantiles_are_those_of_student_and_the_normal():
    assert t_quantile(0.95) == pytest.approx(1.959964, abs=1e-6)
    assert t_quantile(0.95, 9) == pytest.approx(2.262157, abs=1e-6)
    assert t_quantile(0.95, 0.2) == t_quantile(0.95, 1)


# ------------------------------------------------------------------------------------- priors


def test_a_prior_is_a_number_a_range_or_an_estimate():
    assert ReferencePrior.of(0.2)[:3] == (0.2, 0.2, 0.2)
    assert ReferencePrior.of(None, (0.1, 0.3))[:3] == (0.2, 0.1, 0.3)
    found = ReferencePrior.of(AUDIT)
    assert found.value == 0.3
    assert found.limits(0.95) == pytest.approx((0.1, 0.6), rel=1e-12)
    assert ReferencePrior.of(None, (0.1, 0.3)).limits(0.5) == (0.1, 0.3)
    assert str(ReferencePrior.of(0.2)) == "0.2"
    assert str(ReferencePrior.of(None, (0.1, 0.3))) == "0.1 to 0.3"
    assert str(found) == "0.3 (estimated)"


def test_limits_of_a_prior_at_a_lower_level_are_nearer():
    """Those of a normal interval of the log odds, whatever the level at which it was given."""

    def limits(level):
        return expit(-1 + 0.4 * ndtri((1 + level) / 2) * np.array([-1, 1]))

    given = Estimate(expit(-1), *limits(0.95), 0.1, 0.95, "odds")
    for level in (0.5, 0.8, 0.9):
        assert ReferencePrior.of(given).limits(level) == pytest.approx(limits(level), rel=1e-9)


def test_limits_of_an_estimate_at_a_lower_level_than_asked_for_are_refused():
    with pytest.raises(ValueError, match=r"level of at least 0.99 here, got one at 0.95"):
        ReferencePrior.of(AUDIT).limits(0.99)


def test_an_estimate_that_has_limits_at_each_level_is_asked_for_them():
    class WithLimits(Estimate):
        def limits(self, level):
            return 0.0, level

    prior = WithLimits(0.3, 0.1, 0.6, 0.1, 0.95, "bins")
    low, high = ReferencePrior.of(prior).limits(0.5)
    assert (low, high) == pytest.approx((0, 0.5), abs=1e-9)
    assert low > 0


@pytest.mark.parametrize(
    ("given", "kind", "match"),
    [
        (0.0, ValueError, "pi0"),
        ((0.1, 0.3), TypeError, r"one number .* pi0_range=\(low, high\)"),
        (withheld(0.1, 0.95, "bins", "label shift is refuted"), ValueError, "refuted"),
        (Estimate(1.5, 1.2, 1.6, 0.1, 0.95, "audit"), ValueError, "value of pi0"),
    ],
)
def test_bad_priors_are_refused(given, kind, match):
    with pytest.raises(kind, match=match):
        ReferencePrior.of(given)


def test_the_error_of_a_prior_is_added_as_squares():
    own = Estimate(0.5, 0.4, 0.6, 0.05, 0.95, "hull")
    prior = ReferencePrior.of(Estimate(0.2, 0.1, 0.3, 0.05, 0.95, "audit"))
    scale = Scale(-math.inf, math.inf)
    found = with_error_of_prior(own, prior, lambda pi: 0.5 + 2 * (pi - 0.2), scale)
    assert found.low == pytest.approx(0.5 - math.hypot(0.1, 0.2))
    assert found.high == pytest.approx(0.5 + math.hypot(0.1, 0.2))
    assert found.standard_error == pytest.approx(math.hypot(0.05, 2 * 0.05))
    falling = with_error_of_prior(own, prior, lambda pi: 0.5 - 2 * (pi - 0.2), scale)
    assert (falling.low, falling.high) == pytest.approx((found.low, found.high))


def test_the_error_of_a_prior_counts_where_the_value_is_at_an_end_of_its_range():
    own = Estimate(1.0, 0.9, 1.0, 0.02, 0.95, "hull")
    prior = ReferencePrior.of(Estimate(0.2, 0.1, 0.3, 0.05, 0.95, "audit"))
    found = with_error_of_prior(own, prior, lambda pi: min(1.0, pi / 0.2), Scale(0, 1))
    assert found.high == 1
    assert found.low == pytest.approx(1 - math.hypot(0.1, 0.5))


def test_a_number_is_the_value():
    assert float(Estimate(0.5, 0.4, 0.6, 0.05, 0.95, "rates")) == 0.5
    with pytest.raises(TypeError):
        float(Estimate(*np.array([[0.5, 0.6]] * 4), 0.95, "rates"))
