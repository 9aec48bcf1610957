"""Intervals of metrics: the result, the methods, their oracles and their properties."""

import math
import pickle

import numpy as np
import pytest

from calibrated_metrics.uncertainty import Estimate, IntervalWarning

pytestmark = pytest.mark.filterwarnings("error")


# ---------------------------------------------------------------------------------- estimates


def test_a_normal_estimate():
    found = Estimate.normal(0.3, 0.1, confidence_level=0.9)
    assert (found.value, found.standard_error, found.confidence_level) == (0.3, 0.1, 0.9)
    assert found.method == "normal"
    assert (found.low, found.high) == pytest.approx((0.3 - 0.1644854, 0.3 + 0.1644854))
    assert found.limits(0.95) == pytest.approx((0.3 - 0.1959964, 0.3 + 0.1959964))


def test_limits_of_a_normal_estimate_lie_within_its_bounds():
    found = Estimate.normal(0.01, 0.1, bounds=(0, 0.1))
    assert (found.low, found.high) == found.limits(0.999) == (0, 0.1)


def test_a_percentile_estimate():
    found = Estimate.percentile(0.5, np.arange(101.0), confidence_level=0.9)
    assert (found.value, found.method) == (0.5, "percentile")
    assert (found.low, found.high) == pytest.approx((5, 95))
    assert found.limits(0.5) == pytest.approx((25, 75))
    assert found.standard_error == np.arange(101.0).std(ddof=1)


def test_limits_at_its_own_level_are_its_limits():
    found = Estimate.normal(0.3, 0.1, confidence_level=0.9)
    assert found.limits(0.9) == (found.low, found.high)


def test_an_estimate_of_two_limits_knows_no_other_level():
    found = Estimate(0.3, 0.1, 0.6, 0.1, 0.95, "external")
    assert found.limits(0.95) == (0.1, 0.6)
    with pytest.raises(ValueError, match=r"level must be 0.95 .*, got 0.9"):
        found.limits(0.9)


def test_a_withheld_interval_is_nan_with_a_reason_and_a_warning():
    with pytest.warns(IntervalWarning, match="no interval: too few positives") as caught:
        found = Estimate.withheld(
            0.3, 0.1, "too few positives", confidence_level=0.9, method="hull"
        )
    assert [warning.filename for warning in caught] == [__file__]
    assert np.isnan([found.low, found.high, *found.limits(0.5)]).all()
    assert (found.value, found.standard_error, found.reason) == (0.3, 0.1, "too few positives")
    assert repr(found) == "Estimate(0.3, no interval: too few positives)"


ESTIMATES = {
    "normal": Estimate.normal(0.3, 0.1, bounds=(0, 1)),
    "percentile": Estimate.percentile(0.3, np.arange(10.0)),
    "two limits": Estimate(0.3, 0.1, 0.6, 0.1, 0.95, "external"),
}


@pytest.mark.parametrize("found", ESTIMATES.values(), ids=ESTIMATES)
def test_an_estimate_is_immutable_and_survives_a_pickle(found):
    with pytest.raises(AttributeError):
        found.low = 0
    copy = pickle.loads(pickle.dumps(found))
    assert repr(copy) == repr(found)
    assert copy.limits(0.95) == found.limits(0.95)
    if found.limits_at is not None:
        assert copy.limits(0.5) == found.limits(0.5)


def test_an_estimate_is_shown_with_its_interval():
    assert repr(ESTIMATES["two limits"]) == "Estimate(0.3, 95 % interval 0.1 to 0.6, external)"
    arrays = (np.array([0.25, 0.5]), np.array([0.1, 0.3]), np.array([0.3, math.nan]))
    found = Estimate(*arrays, np.array([0.1, 0.1]), 0.9, "hull")
    assert repr(found) == "Estimate([0.25 0.5], 90 % interval [0.1 0.3] to [0.3 nan], hull)"


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: Estimate.normal("0.3", 0.1), "value"),
        (lambda: Estimate.normal(0.3, -0.1), "standard_error"),
        (lambda: Estimate.normal(0.3, 0.1, confidence_level=95), "confidence_level"),
        (lambda: Estimate.percentile(0.3, np.ones(3), confidence_level=0), "confidence_level"),
        (lambda: Estimate.normal(0.3, 0.1).limits(95), "level"),
    ],
)
def test_bad_arguments_of_an_estimate_are_refused(make, named):
    with pytest.raises((TypeError, ValueError), match=named):
        make()
