"""Calibrated probabilities: expected confusion matrices, and expected metrics."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import special

from calibrated_metrics import ConfusionCurve, Metric, scores
from calibrated_metrics.label_free import expected
from calibrated_metrics.uncertainty import IntervalWarning

pytestmark = pytest.mark.filterwarnings("error")

Y_PROB = [0.25, 0.5, 0.5, 0.125, 1.0, 0.0, 0.75, 0.5, 0.875]
THRESHOLDS = [0.5, -1.0, 0.0, 0.3, 0.125, 0.9, 1.0, 2.0]  # in no order, on and off the scores


def assert_binomial(count, n, probability):
    """Within four standard deviations."""
    spread = math.sqrt(n * probability * (1 - probability))
    assert abs(count - n * probability) <= 4 * spread, f"{count} of {n}"


# ------------------------------------------------------------------------- confusion matrices


def outcomes(matrix):
    return matrix.tp, matrix.fp, matrix.fn, matrix.tn


def exact_matrix(values, shares, threshold):
    """TP, FP, FN, TN by sums of fractions."""
    sums = [Fraction(0)] * 4
    for value, share in zip(values, shares, strict=True):
        positive = Fraction(share)
        predicted = value >= threshold
        sums[0 if predicted else 2] += positive
        sums[1 if predicted else 3] += 1 - positive
    return sums


def test_matrices_of_probabilities_are_sums_of_them():
    """Each probability p adds p to a positive outcome and 1 - p to a negative one."""
    curve = ConfusionCurve.from_probabilities(Y_PROB)
    stack = outcomes(curve.confusion_matrix(THRESHOLDS))
    for index, threshold in enumerate(THRESHOLDS):
        one = list(outcomes(curve.confusion_matrix(threshold)))
        assert one == exact_matrix(Y_PROB, Y_PROB, threshold)
        assert one == [weights[index] for weights in stack]
        assert all(type(weight) is float for weight in one)


def test_probabilities_are_parts_of_rows(case):
    """Each score p is a positive of weight p and a negative of weight 1 - p."""
    y_prob = np.array([0.9, 0.9, 0.4, 0.25, 0.0, 1.0, 0.125])
    twice = ConfusionCurve.from_predictions(
        np.repeat([1, 0], 7), np.tile(y_prob, 2), sample_weight=np.r_[y_prob, 1 - y_prob]
    )
    curve = ConfusionCurve.from_probabilities(y_prob)
    for name in ("thresholds", "tp", "fp"):
        np.testing.assert_allclose(getattr(curve, name), getattr(twice, name), rtol=1e-14)
    assert case.curve(curve.at_prior(0.2)) == pytest.approx(case.curve(twice.at_prior(0.2)))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1], "y_prob has 3, sample_weight has 2"),
        ([1, -1, 1], "sample_weight must not be negative, got -1.0 at index 1"),
        ([0, 1, 0], "y_prob must give weight to both classes, got all 0.0"),
        ([0, 0, 1], "y_prob must give weight to both classes, got all 1.0"),
        ([1e-300, 1, 1], r"y_prob \* sample_weight must be 0 or at least"),
    ],
    ids=repr,
)
def test_bad_weights_of_probabilities(weights, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ConfusionCurve.from_probabilities([1e-10, 0.0, 1.0], sample_weight=weights)


BAD_PROBABILITIES = [
    ([0.1, 1.5], ValueError),
    ([0.1, np.nan], ValueError),
    ([], ValueError),
    (["0.5"], TypeError),
    ([None], TypeError),
    ([0, 0], ValueError),
    ([1], ValueError),
    (np.ma.masked_array([0.1, 0.2], [True, False]), ValueError),
]


@pytest.mark.parametrize(("y_prob", "kind"), BAD_PROBABILITIES)
def test_what_is_no_probability_is_refused(y_prob, kind):
    with pytest.raises(kind, match="y_prob"):
        ConfusionCurve.from_probabilities(y_prob)
    with pytest.raises(kind, match="y_prob"):
        expected(scores.roc_auc, y_prob)


# -------------------------------------------------------------------------------- uncertainty


def prior_of(curve):
    return curve.prior


def numbers(found):
    return found.value, found.standard_error, found.low, found.high


def precision_at(threshold):
    return lambda curve: scores.precision(curve.confusion_matrix(threshold))


def probabilities(n, a=0.2, b=0.3, seed=0):
    return np.random.default_rng(seed).beta(a, b, n)


@pytest.mark.parametrize("pi0", [None, 0.1])
@pytest.mark.parametrize("target", ["population", "sample"])
def test_the_value_is_that_of_the_expected_curve(case, pi0, target):
    y_prob = probabilities(80, a=0.4, b=3)  # no metric is at its bound
    curve = ConfusionCurve.from_probabilities(y_prob)
    found = expected(Metric(case.curve, pi0), y_prob, target=target, n_resamples=20, rng=0)
    assert found.value == case.curve(curve if pi0 is None else curve.at_prior(pi0))
    assert found.standard_error > 0
    assert found.low < found.high


@pytest.mark.parametrize("n_rows", [100, 5000])
def test_the_expected_brier_score_is_a_mean_over_the_rows(n_rows):
    prob = np.random.default_rng(0).beta(0.5, 2, n_rows)
    found, of_rows = expected("brier_score", prob), prob * (1 - prob)
    assert found.value == pytest.approx(of_rows.mean())
    assert found.standard_error == pytest.approx(of_rows.std() / n_rows**0.5, rel=0.02)
    with pytest.raises(ValueError, match=r"target must be .* metric 'brier_score'"):
        expected("brier_score", prob, target="sample")


def test_standard_errors_of_the_prior_are_known():
    """That of a mean of the scores; that of a mean of Bernoulli labels."""
    y_prob = probabilities(500)
    rng = np.random.default_rng(1)
    known = {
        "population": y_prob.std() / math.sqrt(500),
        "sample": math.sqrt((y_prob * (1 - y_prob)).sum()) / 500,
    }
    for target, standard_error in known.items():
        found = expected(prior_of, y_prob, target=target, n_resamples=4000, rng=rng)
        assert found.standard_error == pytest.approx(standard_error, rel=4 / math.sqrt(2 * 4000))
        # In standard errors; a quantile of 4000 normal draws is known to 0.04.
        tolerance = 1e-3 if target == "population" else 0.16
        below, above = found.value - found.low, found.high - found.value
        assert below / found.standard_error == pytest.approx(1.96, abs=tolerance)
        assert above / found.standard_error == pytest.approx(1.96, abs=tolerance)


def population_of(a, b):
    """The curve of calibrated probabilities that follow Beta(a, b)."""
    t = np.linspace(1, 0, 2001)
    tp = a / (a + b) * special.betaincc(a + 1, b, t)
    fp = b / (a + b) * special.betaincc(a, b + 1, t)
    return ConfusionCurve(np.append(np.inf, t[1:]), tp, fp)


def test_95_percent_of_the_confidence_intervals_contain_the_population_value():
    """The infinite-sample limit of average precision is the interpolated area."""
    true, rng, hits = scores.pr_auc(population_of(0.2, 0.3)), np.random.default_rng(3), 0
    for _ in range(120):
        y_prob = rng.beta(0.2, 0.3, 400)
        found = expected(Metric(scores.average_precision), y_prob, n_resamples=100, rng=rng)
        hits += found.low <= true <= found.high
    assert_binomial(hits, 120, 0.95)


def test_95_percent_of_the_prediction_intervals_contain_the_labelled_metric():
    metric, rng, hits = Metric("best_fbeta", 0.1), np.random.default_rng(4), 0
    for _ in range(120):
        y_prob = rng.beta(1, 1, 400)
        measured = metric((rng.random(400) < y_prob, y_prob))
        found = expected(metric, y_prob, target="sample", n_resamples=100, rng=rng)
        hits += found.low <= measured <= found.high
    assert_binomial(hits, 120, 0.95)


@pytest.mark.parametrize(
    ("score", "pi0"),
    [
        ("average_precision", None),
        *itertools.product(["average_precision", "roc_auc", "prg_auc", "best_fbeta", "f1"], [0.05]),
    ],
)
def test_many_rows_have_the_standard_error_of_draws_without_draws(score, pi0):
    y_prob = np.round(probabilities(5000, 0.3, 0.9), 3)  # some are equal, and some are 0
    options = {"threshold": 0.5} if score == "f1" else {}
    metric = Metric(score, pi0, **options)
    found, same = (expected(metric, y_prob, rng=rng) for rng in (0, 1))
    assert numbers(found) == numbers(same)
    drawn = expected(Metric(lambda curve: metric(curve)), y_prob, n_resamples=500, rng=0)
    assert found.value == drawn.value
    assert found.standard_error == pytest.approx(drawn.standard_error, rel=4 / math.sqrt(1000))


NEARLY_PERFECT = {
    "average precision": (scores.average_precision, None),
    "calibrated average precision": (scores.average_precision, 0.5),
    "AUC-ROC": (scores.roc_auc, None),
    "AUC-PR Gain": (scores.prg_auc, None),
    "by name": (Metric("average_precision", 0.5), None),
    "accuracy, by name": (Metric("accuracy", 0.9, threshold=0.5), None),
}


@pytest.mark.parametrize(("score", "pi0"), NEARLY_PERFECT.values(), ids=NEARLY_PERFECT)
@pytest.mark.parametrize("target", ["population", "sample"])
def test_limits_lie_within_the_bounds_of_the_score(score, pi0, target):
    """Nearly perfect rankings: normal intervals would reach beyond 1."""
    y_prob = np.concatenate([np.full(3, 0.999), [0.6], np.geomspace(1e-6, 1e-3, 40)])
    found = expected(Metric(score, pi0), y_prob, target=target, n_resamples=100, rng=0)
    assert found.high <= 1
    if target == "population":
        assert found.high == 1
        assert found.value + 1.96 * found.standard_error > 1
        free = expected(
            Metric(lambda curve: score(curve), pi0), y_prob, target=target, n_resamples=100, rng=0
        )
        assert free.high > 1
        assert numbers(free)[:3] == numbers(found)[:3]


def test_draws_on_which_a_metric_is_undefined_are_left_out_with_a_warning():
    y_prob = [0.6, 0.1, 0.2, 0.3, 0.1, 0.2]  # a bootstrap draw misses the first with (5/6)^6
    match = r"undefined on \d+ of 300 draws.*left out"
    with pytest.warns(IntervalWarning, match=match) as caught:
        found = expected(precision_at(0.5), y_prob, n_resamples=300, rng=0)
    assert numbers(found) == pytest.approx((0.6, 0.0, 0.6, 0.6), abs=1e-12)
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("target", ["population", "sample"])
@pytest.mark.parametrize("n_rows", [300, 4000])
def test_thresholds_are_compared_in_the_precision_of_the_probabilities(target, n_rows):
    """0.7 of float32 is below 0.7 of float64."""
    y_prob = np.random.default_rng(8).beta(0.8, 1.5, n_rows).round(1)
    given = {"target": target, "n_resamples": 50, "rng": 0}
    metric = Metric("recall", threshold=0.7)
    wide, narrow = (expected(metric, y_prob.astype(kind), **given) for kind in ("f8", "f4"))
    for name in ("value", "low", "high"):
        assert getattr(narrow, name) == pytest.approx(getattr(wide, name), rel=1e-6)


def test_a_metric_that_is_mostly_undefined_is_refused():
    y_prob = np.full(20, 0.01)
    with pytest.raises(ValueError, match=r"the metric is undefined on \d+ of 100 draws"):
        expected(scores.roc_auc, y_prob, target="sample", n_resamples=100, rng=0)
    with pytest.raises(ValueError, match="precision is undefined"):
        expected(precision_at(0.5), y_prob, rng=0)


@pytest.mark.parametrize(
    ("arguments", "kind", "named"),
    [
        ({"metric": 0.5}, TypeError, "metric"),
        ({"metric": lambda curve: math.nan}, ValueError, "metric '<lambda>' must be"),
        ({"metric": lambda curve: "high"}, TypeError, "metric '<lambda>' must be"),
        ({"target": "labels"}, ValueError, "target"),
        ({"n_resamples": 1}, ValueError, "n_resamples"),
        ({"confidence_level": 1.0}, ValueError, "confidence_level"),
        ({"rng": True}, TypeError, "rng"),
        ({"y_prob": [0.0, 0.0]}, ValueError, "y_prob"),
    ],
)
def test_bad_arguments_of_an_estimate_are_refused(arguments, kind, named):
    good = {"metric": scores.roc_auc, "y_prob": [0.2, 0.7], "rng": 0}
    with pytest.raises(kind, match=named):
        expected(**good | arguments)
