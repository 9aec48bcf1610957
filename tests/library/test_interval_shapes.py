"""Each metric on each kind of sample and prior: an interval, a reason, or a clear error."""

import itertools
import warnings

import numpy as np
import pytest
from samples import EVERY, audit_of

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric
from calibrated_metrics.uncertainty import Estimate, IntervalWarning, difference, interval

Y_TRUE, Y_SCORE, _, STRATA = audit_of(n=120)
CUT = 0.75
WEIGHTS = {
    "equal": None,
    "by class": np.where(Y_TRUE, 1.0, 7.0),
    "by row": np.random.default_rng(0).uniform(0.5, 2, size=120),
    "by stratum": np.array([8.0, 4.0, 2.0, 1.0])[STRATA],
}
# Keys: are there strata? Each cluster lies in one stratum.
CLUSTERS = {
    ("rows", False): None,
    ("rows", True): None,
    ("clusters", False): np.arange(120) // 4,
    ("clusters", True): np.arange(120) // 8 + 100 * STRATA,
}
SAMPLES = {
    f"{weights}, {clusters}{', strata' if strata is not None else ''}": {
        "sample_weight": WEIGHTS[weights],
        "clusters": CLUSTERS[clusters, strata is not None],
        "strata": strata,
    }
    for weights, clusters, strata in itertools.product(
        WEIGHTS, ("rows", "clusters"), (None, STRATA)
    )
    if strata is None or weights in ("equal", "by stratum")
}
PRIORS = {
    "own prior": None,
    "number": 0.3,
    "array": [0.3, 0.2],
    "estimate": Estimate(0.3, 0.25, 0.36, 0.03, 0.95, "audit"),
}
OPTIONS = {"n_resamples": 3, "rng": 0}


def pairs_of(metric, drawn):
    """The metric and two models on the rows: curves, and matrices if it takes them."""
    other = Y_SCORE + 0.3 * np.random.default_rng(1).normal(size=120)
    yield (
        metric,
        [ConfusionCurve.from_predictions(Y_TRUE, each, **drawn) for each in (Y_SCORE, other)],
    )
    if metric.of_matrix:
        options = {name: value for name, value in metric.options.items() if name != "threshold"}
        yield (
            Metric(metric.name, **options),
            [
                ConfusionMatrix.from_predictions(Y_TRUE, each >= CUT, **drawn)
                for each in (Y_SCORE, other)
            ],
        )


def check(found, values):
    """The value of the metric with limits around it, or without limits and with a reason."""
    assert found.value == pytest.approx(values, rel=1e-12, abs=1e-12)
    numbers = [found.low, found.high, found.standard_error]
    if found.reason is not None:
        assert np.isnan(numbers).all()
    else:
        assert np.isfinite(numbers).all()
        assert np.all(np.less_equal(found.low, found.value))
        assert np.all(np.less_equal(found.value, found.high))


def cases():
    """Each kind of sample with one of the priors, and independent rows with all."""
    priors = list(PRIORS)
    for place, name in enumerate(SAMPLES):
        for prior in priors if place == 0 else [priors[(place + place // 4) % 4]]:
            yield name, prior


@pytest.mark.parametrize(("sample", "prior"), cases())
def test_each_metric_has_an_interval_or_a_reason_or_a_clear_error(sample, prior):
    drawn, pi0 = SAMPLES[sample], PRIORS[prior]
    has_both = drawn["clusters"] is not None and drawn["strata"] is not None
    at = {"own prior": [None], "number": [0.3], "array": [0.3, 0.2], "estimate": [0.3]}[prior]
    for metric in EVERY.values():
        for own, (a, b) in pairs_of(metric, drawn):
            if metric.of_matrix and has_both:
                with pytest.raises(ValueError, match="must not have both clusters and strata"):
                    interval(own, a, pi0=pi0)
                continue
            values = np.array(
                [[own(each if p is None else each.at_prior(p)) for p in at] for each in (a, b)]
            )
            if prior != "array":
                values = values[:, 0]
            with warnings.catch_warnings(category=IntervalWarning, action="ignore"):
                check(interval(own, a, pi0=pi0, **OPTIONS), values[0])
                for paired in () if prior in ("number", "array") else (False, True):
                    found = difference(own, a, b, pi0=pi0, paired=paired, **OPTIONS)
                    check(found, values[0] - values[1])
