"""Intervals of metrics: the result, the methods, their oracles and their properties."""

import dataclasses
import functools
import itertools
import math
import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, registry, scores, uncertainty
from calibrated_metrics._intervals import influence as influences
from calibrated_metrics._intervals.influence import Steps
from calibrated_metrics._intervals.limits import NewcombeLimits, Rate, wilson
from calibrated_metrics._intervals.samples import CurveSample, RowSample
from calibrated_metrics.registry import Metric, bounds_of, score_named
from calibrated_metrics.uncertainty import (
    Estimate,
    IntervalWarning,
    difference,
    difference_from_predictions,
    interval,
    interval_from_predictions,
)

pytestmark = [
    pytest.mark.filterwarnings("error"),
    # Most samples here are small.
    pytest.mark.filterwarnings("ignore:AUC-PR Gain at .* starts at recall pi0"),
]


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


# ------------------------------------------------------------------------ influence functions

Y_TRUE = np.arange(42) < 12
SMOOTH = np.random.default_rng(3).normal(size=42) + 1.2 * Y_TRUE
SCORES = {"continuous": SMOOTH, "tied": np.round(2 * SMOOTH) / 2}
INFLUENCES = {
    "average precision": (
        scores.average_precision,
        lambda steps, pi0: influences.average_precision(steps, (1 - pi0) / pi0),
    ),
    "AUC-ROC": (scores.roc_auc, lambda steps, pi0: influences.roc_auc(steps)),
    "AUC-PR Gain": (scores.prg_auc, influences.prg_auc),
    "best F2": (
        functools.partial(scores.best_fbeta, beta=2.0),
        lambda steps, pi0: influences.best_fbeta(steps, (1 - pi0) / pi0, 2.0),
    ),
}


@pytest.mark.parametrize("y_score", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("pi0", [0.3, 0.07])
@pytest.mark.parametrize(("score", "influence_of"), INFLUENCES.values(), ids=INFLUENCES)
def test_an_influence_is_the_derivative_by_the_weight_of_a_row(score, influence_of, pi0, y_score):
    rows = RowSample(Y_TRUE, y_score)
    value, influence = influence_of(Steps.of(rows.curve), pi0)
    assert value == pytest.approx(score(rows.curve.at_prior(pi0)), rel=1e-12)
    contributions = rows.contributions(influence)
    step = 1e-5
    for row in range(len(Y_TRUE)):
        values = []
        for sign in (1, -1):
            weight = np.ones(len(Y_TRUE))
            weight[row] += sign * step
            curve = ConfusionCurve.from_predictions(Y_TRUE, y_score, sample_weight=weight)
            values.append(score(curve.at_prior(pi0)))
        slope = (values[0] - values[1]) / (2 * step)
        assert contributions[row] == pytest.approx(slope, abs=1e-8)


@pytest.mark.parametrize("y_score", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize(("score", "influence_of"), INFLUENCES.values(), ids=INFLUENCES)
def test_influences_of_a_class_have_the_mean_zero(score, influence_of, y_score):
    steps = Steps.of(ConfusionCurve.from_predictions(Y_TRUE, y_score))
    _, influence = influence_of(steps, 0.3)
    assert (influence.pos * steps.d_tpr).sum() == pytest.approx(0, abs=1e-14)
    assert (influence.neg * steps.d_fpr).sum() == pytest.approx(0, abs=1e-14)


def test_the_shifted_influence_is_a_derivative_too():
    """Half a negative more at every threshold changes neither weights nor derivatives by them."""
    steps = Steps.of(ConfusionCurve.from_predictions(Y_TRUE, SMOOTH))
    value, influence = influences.average_precision(steps, 4.0, 0.1)
    assert (influence.neg * steps.d_fpr).sum() == pytest.approx(0, abs=1e-14)
    step = 1e-6
    for moved in (0, 5, 20):
        d_fpr = steps.d_fpr * (1 - step)
        d_fpr[moved] += step
        other, _ = influences.average_precision(
            steps._replace(d_fpr=d_fpr, fpr=np.cumsum(d_fpr)), 4.0, 0.1
        )
        assert (other - value) / step == pytest.approx(influence.neg[moved], rel=1e-4)


def exact_variance_of_auc(positives, negatives):
    """DeLong et al. (1988) from their definition: placements of each sample."""

    def wins(positive, negative):
        return Fraction(1 if positive > negative else 0) + Fraction(positive == negative, 2)

    def variance(values):
        mean = sum(values) / len(values)
        return sum((value - mean) ** 2 for value in values) / (len(values) - 1)

    m, n = len(positives), len(negatives)
    of_positives = [sum(wins(p, q) for q in negatives) / n for p in positives]
    of_negatives = [sum(wins(p, q) for p in positives) / m for q in negatives]
    return variance(of_positives) / m + variance(of_negatives) / n


@pytest.mark.parametrize("y_score", SCORES.values(), ids=SCORES)
def test_the_variance_of_auc_roc_is_delongs(y_score):
    exact = exact_variance_of_auc(y_score[Y_TRUE].tolist(), y_score[~Y_TRUE].tolist())
    found = interval("roc_auc", ConfusionCurve.from_predictions(Y_TRUE, y_score))
    assert found.standard_error == pytest.approx(math.sqrt(exact), rel=1e-12)


@pytest.mark.parametrize("name", ["average_precision", "prg_auc", "roc_auc"])
def test_standard_errors_are_the_spread_of_samples(name):
    rng = np.random.default_rng(5)
    y_true = np.arange(1200) < 400
    found = []
    for _ in range(400):
        curve = ConfusionCurve.from_predictions(y_true, rng.normal(size=1200) + 1.5 * y_true)
        found.append(interval(name, curve, pi0=0.4))
    spread = np.std([each.value for each in found])
    # The spread of 400 values is known within 4 / sqrt(2 * 400).
    assert np.mean([each.standard_error for each in found]) == pytest.approx(spread, rel=0.15)


# ------------------------------------------------------------------------------ limits in theory


def test_wilson_limits_solve_the_score_equation():
    for share, n, q in ((0.2, 30, 1.96), (0.5, 7, 1.0), (1.0, 12, 2.5), (0.0, 12, 2.5)):
        for limit in wilson(Rate(share, n), q):
            assert (share - limit) ** 2 == pytest.approx(q**2 * limit * (1 - limit) / n, abs=1e-12)


def test_newcombe_limits_solve_the_score_equation():
    limits_at = NewcombeLimits(0.8, 20, 50, 1.3, 19)
    q = stats.t(19).ppf(0.975)
    for limit in limits_at(0.95):
        others = (20 + 50) / 2 - 1
        shape = 1 + others * (1 - limit) / (2 - limit) + others * limit / (1 + limit)
        variance = 1.3 * limit * (1 - limit) * shape / (20 * 50)
        assert (0.8 - limit) ** 2 == pytest.approx(q**2 * variance, rel=1e-9)


def square_and_add(function, tpr, fpr, prior, scale=logit, inverse=expit):
    """Zou & Donner (2008) for two rates, from Wilson limits of statsmodels' formula."""

    def wilson_limits(x, n):
        z = stats.norm.ppf(0.975)
        centre = (x + z**2 / 2) / (n + z**2)
        reach = z / (n + z**2) * math.sqrt(x * (n - x) / n + z**2 / 4)
        return centre - reach, centre + reach

    (x, m), (y, n) = tpr, fpr
    rates = x / m, y / n
    value = scale(function(*rates, prior))
    below = above = 0.0
    for place, limits in enumerate((wilson_limits(x, m), wilson_limits(y, n))):
        moved = [
            scale(function(*(limit if i == place else rates[i] for i in (0, 1)), prior))
            for limit in limits
        ]
        below += (value - min(moved)) ** 2
        above += (max(moved) - value) ** 2
    return inverse(value - math.sqrt(below)), inverse(value + math.sqrt(above))


def precision_of(tpr, fpr, prior):
    return prior * tpr / (prior * tpr + (1 - prior) * fpr)


MOVED = {
    "precision": precision_of,
    "npv": lambda tpr, fpr, prior: precision_of(1 - fpr, 1 - tpr, 1 - prior),
    "accuracy": lambda tpr, fpr, prior: prior * tpr + (1 - prior) * (1 - fpr),
    "balanced_accuracy": lambda tpr, fpr, prior: (tpr + 1 - fpr) / 2,
    "recall": lambda tpr, fpr, prior: tpr,
    "specificity": lambda tpr, fpr, prior: 1 - fpr,
}


@pytest.mark.parametrize("pi0", [None, 0.02])
@pytest.mark.parametrize("name", MOVED)
def test_limits_of_a_decision_are_those_of_square_and_add(name, pi0):
    matrix = ConfusionMatrix(tp=30, fp=12, fn=20, tn=188)
    found = interval(name, matrix, pi0=pi0)
    prior = matrix.prior if pi0 is None else pi0
    expected = square_and_add(MOVED[name], (30, 50), (12, 200), prior)
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-9)
    at_prior = matrix if pi0 is None else matrix.at_prior(pi0)
    assert found.value == getattr(scores, name)(at_prior)
    assert found.method == "mover"


def test_fbeta_is_moved_on_the_scale_on_which_it_is_a_ratio():
    """log(F / (1 + beta² - F)) is log TPR - log(λ FPR + beta²)."""
    matrix = ConfusionMatrix(tp=30, fp=12, fn=20, tn=188)

    def ratio(tpr, fpr, prior):
        return 5 * tpr / (tpr + 4 + (1 - prior) / prior * fpr)

    metric = functools.partial(scores.fbeta, beta=2.0)
    found = interval(metric, matrix, pi0=0.1)
    expected = square_and_add(
        ratio, (30, 50), (12, 200), 0.1, lambda f: logit(f / 5), lambda g: 5 * expit(g)
    )
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-9)


def correlation_of(tpr, fpr, prior):
    alerts = prior * tpr + (1 - prior) * fpr
    return (tpr - fpr) * math.sqrt(prior * (1 - prior) / (alerts * (1 - alerts)))


def kappa_of(tpr, fpr, prior):
    alerts = prior * tpr + (1 - prior) * fpr
    chance = prior * (1 - alerts) + (1 - prior) * alerts
    return 2 * prior * (1 - prior) * (tpr - fpr) / chance


OF_SIGNED = (lambda r: math.atanh(r), lambda z: math.tanh(z))
OF_RATIO = (math.log, math.exp)
SUMMARIES = {
    "matthews_corrcoef": (scores.matthews_corrcoef, correlation_of, *OF_SIGNED),
    "cohen_kappa": (scores.cohen_kappa, kappa_of, *OF_SIGNED),
    "net_benefit": (
        functools.partial(scores.net_benefit, threshold_probability=0.2),
        lambda tpr, fpr, prior: prior * tpr - (1 - prior) * fpr / 4,
        *(lambda benefit: benefit, lambda benefit: benefit),
    ),
    "positive_likelihood_ratio": (
        scores.positive_likelihood_ratio,
        lambda tpr, fpr, prior: tpr / fpr,
        *OF_RATIO,
    ),
    "negative_likelihood_ratio": (
        scores.negative_likelihood_ratio,
        lambda tpr, fpr, prior: (1 - tpr) / (1 - fpr),
        *OF_RATIO,
    ),
}


@pytest.mark.parametrize("pi0", [0.02, 0.6])
@pytest.mark.parametrize(
    ("score", "of_rates", "scale", "inverse"), SUMMARIES.values(), ids=SUMMARIES
)
def test_limits_of_a_summary_are_moved_on_the_scale_of_its_range(
    score, of_rates, scale, inverse, pi0
):
    found = interval(score, ConfusionMatrix(tp=30, fp=12, fn=20, tn=188), pi0=pi0)
    expected = square_and_add(of_rates, (30, 50), (12, 200), pi0, scale, inverse)
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-9)
    assert found.value == pytest.approx(of_rates(30 / 50, 12 / 200, pi0), rel=1e-12)


def test_an_infinite_likelihood_ratio_has_a_lower_limit():
    matrix = ConfusionMatrix(tp=80, fp=0, fn=20, tn=860)
    found = interval("positive_likelihood_ratio", matrix)
    assert found.value == found.high == found.standard_error == math.inf
    few = interval("positive_likelihood_ratio", ConfusionMatrix(tp=80, fp=1, fn=20, tn=859))
    assert few.low < found.low < few.high < math.inf
    with pytest.raises(ValueError, match="the score of b must be a finite"):
        difference("positive_likelihood_ratio", ConfusionMatrix(tp=80, fp=1, fn=20, tn=859), matrix)


def test_an_option_without_default_must_be_given():
    matrix = ConfusionMatrix(tp=30, fp=12, fn=20, tn=188)
    with pytest.raises(ValueError, match="'net_benefit' needs the option 'threshold_probability'"):
        interval("net_benefit", matrix)
    with pytest.raises(ValueError, match="'precision_at_recall' needs the option 'recall'"):
        interval(scores.precision_at_recall, curve_of())


def test_recall_has_the_wilson_interval():
    found = interval("recall", ConfusionMatrix(tp=0, fp=12, fn=20, tn=188))
    assert (found.low, found.high) == pytest.approx(
        stats.binomtest(0, 20).proportion_ci(method="wilson")
    )
    found = interval("recall", ConfusionMatrix(tp=20, fp=12, fn=0, tn=188))
    assert found.high == 1


def exact_coverage(score, m, n, tpr, fpr, pi0):
    """Probability that the interval contains the truth, summed over all counts."""
    true = MOVED[score](tpr, fpr, pi0)
    covered = 0.0
    for tp, fp in itertools.product(range(m + 1), range(n + 1)):
        matrix = ConfusionMatrix(tp=tp, fp=fp, fn=m - tp, tn=n - fp)
        if tp + fp == 0:
            continue
        found = interval(score, matrix, pi0=pi0)
        if found.low <= true <= found.high:
            covered += stats.binom(m, tpr).pmf(tp) * stats.binom(n, fpr).pmf(fp)
    return covered


def test_limits_of_precision_cover_for_every_count():
    assert 0.93 <= exact_coverage("precision", 12, 15, 0.6, 0.2, 0.1) <= 0.98


def test_the_difference_of_independent_samples_adds_squared_distances():
    a, b = curve_of(seed=1), curve_of(seed=2, shift=0.5)
    found = difference("average_precision", a, b, pi0=0.2)
    of_a, of_b = (interval("average_precision", each, pi0=0.2) for each in (a, b))
    value = of_a.value - of_b.value
    assert found.value == value
    assert found.standard_error == pytest.approx(
        math.hypot(of_a.standard_error, of_b.standard_error)
    )
    assert found.low == pytest.approx(
        value - math.hypot(of_a.value - of_a.low, of_b.high - of_b.value)
    )
    assert found.high == pytest.approx(
        value + math.hypot(of_a.high - of_a.value, of_b.value - of_b.low)
    )
    swapped = difference("average_precision", b, a, pi0=0.2)
    assert (swapped.low, swapped.high) == pytest.approx((-found.high, -found.low))


def exact_coverage_of_difference(n, fprs, pi0):
    """Of precision, summed over all false positives, if half of n positives is found in each."""
    true = np.subtract(*(MOVED["precision"](0.5, fpr, pi0) for fpr in fprs))
    matrices = [ConfusionMatrix(tp=n // 2, fp=fp, fn=n // 2, tn=n - fp) for fp in range(n + 1)]
    chances = [stats.binom.pmf(range(n + 1), n, fpr) for fpr in fprs]
    covered = 0.0
    for fp_a, fp_b in zip(*np.nonzero(np.outer(*chances) > 1e-7), strict=True):
        found = difference("precision", matrices[fp_a], matrices[fp_b], pi0=pi0)
        if found.low <= true + 1e-12 and true - 1e-12 <= found.high:
            covered += chances[0][fp_a] * chances[1][fp_b]
    return covered


def test_a_difference_covers_where_samples_without_false_positives_are_frequent():
    """Their precision is 1, which at a small prior is far from what a few more samples show."""
    assert stats.binom.pmf(0, 20, 0.07) == pytest.approx(0.23, abs=0.01)
    assert 0.93 <= exact_coverage_of_difference(20, (0.07, 0.02), pi0=0.01) <= 0.98


@pytest.mark.parametrize("n", [20, 40])
def test_an_exact_test_also_covers_too_often_if_few_false_positives_are_expected(n):
    """Barnard's test, whose error is at most 7 % at every rate, hardly ever rejects here."""
    fpr = stats.norm.sf(2)
    chance = stats.binom.pmf(range(n + 1), n, fpr)
    rejected = 0.0
    for fp_a, fp_b in itertools.combinations(range(9), 2):
        counts = [[fp_a, fp_b], [n - fp_a, n - fp_b]]
        if stats.barnard_exact(counts, n=64).pvalue <= 0.07:
            rejected += 2 * chance[fp_a] * chance[fp_b]
    assert rejected == pytest.approx({20: 0.0012, 40: 0.0104}[n], abs=1e-4)
    assert exact_coverage_of_difference(n, (fpr, fpr), pi0=0.5) >= 1 - rejected


# ----------------------------------------------------------------------------------- properties


def curve_of(seed=0, n_pos=40, n_neg=160, shift=1.5, decimals=None):
    y_true, y_score = rows_of(seed, n_pos, n_neg, shift)
    return ConfusionCurve.from_predictions(
        y_true, y_score if decimals is None else np.round(y_score, decimals)
    )


def rows_of(seed=0, n_pos=40, n_neg=160, shift=1.5):
    rng = np.random.default_rng(seed)
    y_true = np.arange(n_pos + n_neg) < n_pos
    return y_true, rng.normal(size=n_pos + n_neg) + shift * y_true


EVERY = [
    *("average_precision", "pr_auc", "achievable_pr_auc", "prg_auc", "roc_auc", "best_fbeta"),
    *(
        Metric(name, options={"threshold": 0.75})
        for name in ("precision", "recall", "fbeta", "specificity", "npv", "accuracy")
    ),
    Metric("balanced_accuracy", options={"threshold": 0.75}),
    Metric("best_fbeta", options={"beta": 0.5}),
    *(Metric(name, options={"threshold": 0.75}) for name in ("matthews_corrcoef", "cohen_kappa")),
    *(
        Metric(f"{sign}_likelihood_ratio", options={"threshold": 0.75})
        for sign in ("positive", "negative")
    ),
    Metric("net_benefit", options={"threshold": 0.75, "threshold_probability": 0.2}),
    Metric("partial_average_precision", options={"min_recall": 0.2, "max_recall": 0.7}),
    Metric("partial_roc_auc", options={"max_fpr": 0.2}),
    Metric("partial_gains_auc", options={"max_alert_rate": 0.3}),
    Metric("precision_at_recall", options={"recall": 0.5}),
    Metric("recall_at_precision", options={"precision": 0.5}),
    Metric("precision_at_top", options={"alert_rate": 0.3}),
    Metric("recall_at_top", options={"alert_rate": 0.3}),
]
every_score = pytest.mark.parametrize(
    "score", EVERY, ids=lambda score: getattr(score, "key", score)
)
FAST = {"n_resamples": 40, "rng": 0}


def limits_of(found):
    return found.low, found.high


def same_scale(score):
    """The value of a score by name or Metric."""
    return score if isinstance(score, Metric) else Metric(score)


@every_score
@pytest.mark.parametrize("pi0", [None, 0.4])
def test_the_value_is_the_score_and_lies_in_its_interval(score, pi0):
    curve = curve_of()
    found = interval(score, curve, pi0=pi0, **FAST)
    assert found.value == same_scale(score)(curve if pi0 is None else curve.at_prior(pi0))
    assert found.low < found.value < found.high
    assert found.standard_error > 0
    assert found.reason is None


@every_score
def test_a_higher_level_gives_a_wider_interval(score):
    found = interval(score, curve_of(), **FAST)
    levels = (0.5, 0.8, 0.95, 0.99, 0.9999)
    lows, highs = zip(*(found.limits(level) for level in levels), strict=True)
    assert list(lows) == sorted(lows, reverse=True)
    assert list(highs) == sorted(highs)
    at_half = interval(score, curve_of(), confidence_level=0.5, **FAST)
    assert limits_of(at_half) == found.limits(0.5)


@every_score
def test_limits_lie_within_the_range_of_the_score(score):
    low, high = bounds_of(same_scale(score))
    for shift, pi0 in itertools.product((-3, 0, 6), (0.5, 0.9)):
        curve = curve_of(n_pos=4, n_neg=7, shift=shift)
        with warnings.catch_warnings(category=IntervalWarning, action="ignore"):
            found = interval(score, curve, pi0=pi0, confidence_level=0.999, **FAST)
        assert low <= found.low <= found.high <= high


def test_recall_at_a_precision_may_be_0_unless_the_precision_is_certainly_reached():
    metric = Metric("recall_at_precision", options={"precision": 0.5})
    reached = interval(metric, curve_of(n_pos=80, n_neg=320), **FAST)
    assert 0 < reached.low < reached.value
    with pytest.warns(IntervalWarning, match="half a negative more"):
        uncertain = interval(metric, curve_of(n_pos=80, n_neg=320), pi0=0.02, **FAST)
    assert uncertain.low == 0 < uncertain.value < uncertain.high
    y_true, y_score = rows_of(n_pos=80, n_neg=320)
    for unknown in ({"groups": np.arange(400) // 2}, {"sample_weight": np.full(400, 2)}):
        assert interval_from_predictions(metric, y_true, y_score, **unknown, **FAST).low == 0
    certain = Metric("recall_at_precision", options={"precision": 1.0})
    with pytest.warns(IntervalWarning, match="half a negative more"):
        assert interval(certain, curve_of(n_pos=80, n_neg=320), **FAST).low == 0


@pytest.mark.parametrize("pi0", [0.05, 0.5])
def test_limits_of_the_top_lie_within_what_is_possible_at_the_prior(pi0):
    """No more than all positives can be in the top, and no more than the whole top positive."""
    curve = curve_of(n_neg=400)
    for name, most in (("precision", min(1, pi0 / 0.3)), ("recall", min(1, 0.3 / pi0))):
        metric = Metric(f"{name}_at_top", options={"alert_rate": 0.3})
        found = interval(metric, curve, pi0=pi0, confidence_level=0.9999, **FAST)
        assert 0 < found.low < found.value < found.high < most


@every_score
def test_the_own_prior_is_the_reference_prior_of_the_data(score):
    curve = curve_of()
    default, own = (interval(score, curve, pi0=pi0, **FAST) for pi0 in (None, curve.prior))
    assert limits_of(default) == limits_of(own)


@every_score
def test_a_calibrated_curve_has_the_interval_at_its_prior(score):
    curve = curve_of()
    given, calibrated = (
        interval(score, curve, pi0=0.4, **FAST),
        interval(score, curve.at_prior(0.4), **FAST),
    )
    assert limits_of(calibrated) == pytest.approx(limits_of(given), rel=1e-12)
    assert calibrated.value == pytest.approx(given.value, rel=1e-12)


@every_score
def test_increasing_maps_of_the_scores_change_nothing(score):
    y_true, y_score = rows_of()
    mapped = score
    if isinstance(score, Metric) and "threshold" in score.options:
        mapped = Metric(score.score, options={**score.options, "threshold": math.exp(0.75)})
    plain, other = (
        interval_from_predictions(each, y_true, values, pi0=0.3, **FAST)
        for each, values in ((score, y_score), (mapped, np.exp(y_score)))
    )
    assert limits_of(plain) == limits_of(other)


@every_score
def test_rows_have_the_interval_of_their_curve(score):
    y_true, y_score = rows_of()
    of_curve = interval(score, ConfusionCurve.from_predictions(y_true, y_score), pi0=0.3, **FAST)
    of_rows = interval_from_predictions(score, y_true, y_score, pi0=0.3, **FAST)
    assert limits_of(of_rows) == limits_of(of_curve)


ANALYTIC = [
    score
    for score in EVERY
    if score in ("average_precision", "prg_auc", "roc_auc")
    or score_named(same_scale(score).score).of == "matrix"
]
analytic_score = pytest.mark.parametrize(
    "score", ANALYTIC, ids=lambda score: getattr(score, "key", score)
)


@analytic_score
def test_equal_weights_are_no_weights(score):
    y_true, y_score = rows_of()
    plain = interval_from_predictions(score, y_true, y_score, pi0=0.3)
    for weight in (1.0, 0.037):
        weighted = interval_from_predictions(
            score, y_true, y_score, pi0=0.3, sample_weight=np.full(200, weight)
        )
        assert limits_of(weighted) == pytest.approx(limits_of(plain), rel=1e-9)
        assert weighted.standard_error == pytest.approx(plain.standard_error, rel=1e-6)


@analytic_score
def test_rows_of_weight_zero_are_no_rows(score):
    y_true, y_score = rows_of()
    weight = np.ones(200)
    weight[::7] = 0
    kept = weight > 0
    groups = np.arange(200) // 4
    weighted, fewer = (
        interval_from_predictions(score, y_true, y_score, sample_weight=weight, groups=groups),
        interval_from_predictions(score, y_true[kept], y_score[kept], groups=groups[kept]),
    )
    assert limits_of(weighted) == pytest.approx(limits_of(fewer), rel=1e-9)


@pytest.mark.parametrize("weight", [100, 0.37])
@analytic_score
def test_weights_of_a_class_are_a_change_of_the_prior(score, weight):
    y_true, y_score = rows_of(n_pos=20, n_neg=30)
    rows = ConfusionCurve.from_predictions(y_true, y_score)
    weights = np.where(y_true, 1, weight)
    weighted = ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weights)
    for pi0, same in ((None, weighted.prior), (0.2, 0.2)):
        with warnings.catch_warnings(category=IntervalWarning, action="ignore"):
            found, expected = interval(score, weighted, pi0=pi0), interval(score, rows, pi0=same)
        assert limits_of(found) == pytest.approx(limits_of(expected), rel=1e-12, nan_ok=True)


def test_weights_that_differ_within_a_class_count_no_rows():
    y_true, y_score = rows_of(n_pos=20, n_neg=30)
    weight = np.random.default_rng(2).integers(1, 5, size=50)
    weighted = ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weight)
    with pytest.raises(ValueError, match="weights differ within a class"):
        interval("roc_auc", weighted)


@analytic_score
def test_replicated_rows_of_a_group_add_no_information(score):
    """Each row ten times in one group has the variance of single rows, with groups of one row."""
    y_true, y_score = rows_of()
    single, tenfold = (
        interval_from_predictions(
            score,
            np.repeat(y_true, times),
            np.repeat(y_score, times),
            pi0=0.4,
            groups=np.repeat(np.arange(200), times),
        )
        for times in (1, 10)
    )
    assert tenfold.value == pytest.approx(single.value)
    assert tenfold.standard_error == pytest.approx(single.standard_error, rel=1e-6)
    assert limits_of(tenfold) == pytest.approx(limits_of(single), abs=0.004)


def test_the_variance_of_groups_is_that_of_their_sums():
    y_true, y_score = rows_of()
    groups = np.arange(200) % 23
    rows = RowSample(y_true, y_score, groups=groups)
    _, influence = influences.average_precision(Steps.of(rows.curve), 4.0)
    by_row = rows.contributions(influence)
    sums = np.array([by_row[groups == group].sum() for group in range(23)])
    assert rows.variance(influence) == pytest.approx(23 / 22 * (sums**2).sum())


@every_score
def test_an_array_of_priors_gives_arrays(score):
    curve = curve_of()
    priors = [0.25, 0.5]
    found = interval(score, curve, pi0=priors, **FAST)
    single = [interval(score, curve, pi0=pi0, **FAST) for pi0 in priors]
    assert found.value.tolist() == [each.value for each in single]
    # A bootstrap goes on with the generator.
    assert (found.low[0], found.high[0]) == limits_of(single[0])
    assert (found.low < found.value).all()
    assert ((found.value < found.high) | (found.value == 1)).all()
    assert found.limits(0.5)[0].shape == (2,)


def test_estimates_survive_a_pickle_with_their_limits():
    curve = curve_of()
    prior = Estimate.normal(0.3, 0.02, bounds=(0.01, 0.99))
    threshold = Metric("precision", options={"threshold": 0.75})
    y_true, y_score = rows_of()
    for found in (
        interval("average_precision", curve),
        interval("roc_auc", curve),
        interval("average_precision", curve, pi0=[0.2, 0.3]),
        interval("average_precision", curve, pi0=prior),
        interval(threshold, curve, pi0=prior),
        difference("best_fbeta", curve, curve_of(1), pi0=prior, **FAST),
        difference_from_predictions(threshold, y_true, y_score, y_score**3, pi0=prior),
    ):
        copy = pickle.loads(pickle.dumps(found))
        np.testing.assert_array_equal(copy.limits(0.7), found.limits(0.7))


# -------------------------------------------------------------------------------- estimated priors


FREE_OF_PRIOR = {
    *("roc_auc", "partial_roc_auc", "recall", "specificity", "balanced_accuracy"),
    *("positive_likelihood_ratio", "negative_likelihood_ratio"),
}


@every_score
def test_the_error_of_the_prior_widens_the_interval(score):
    curve = curve_of()
    known = interval(score, curve, pi0=0.4, **FAST)
    exact = interval(score, curve, pi0=Estimate.normal(0.4, 0.0), **FAST)
    wide = interval(score, curve, pi0=Estimate.normal(0.4, 0.05), **FAST)
    assert limits_of(exact) == pytest.approx(limits_of(known), rel=1e-9)
    if same_scale(score).score in FREE_OF_PRIOR:
        assert limits_of(wide) == pytest.approx(limits_of(known), rel=1e-9)
        assert wide.standard_error == pytest.approx(known.standard_error)
    else:
        assert wide.low < known.low
        assert known.high < wide.high
        assert wide.standard_error > known.standard_error
    assert wide.value == known.value


def test_with_many_rows_only_the_error_of_the_prior_counts():
    matrix = ConfusionMatrix(tp=6e8, fp=1e8, fn=4e8, tn=9e8)
    prior = Estimate.normal(0.02, 0.004)
    found = interval("precision", matrix, pi0=prior)
    ends = [interval("precision", matrix, pi0=pi0).value for pi0 in (prior.low, prior.high)]
    assert limits_of(found) == pytest.approx(ends, rel=1e-3)
    curve = curve_of()
    wide = Estimate.normal(0.4, 0.1)
    found = interval("average_precision", curve, pi0=wide)
    ends = [interval("average_precision", curve, pi0=pi0).value for pi0 in (wide.low, wide.high)]
    assert found.low < ends[0]
    assert found.high > ends[1]


def test_the_error_of_a_common_prior_counts_once_in_a_difference():
    a = curve_of()
    same = difference("average_precision", a, a, pi0=Estimate.normal(0.3, 0.1))
    known = difference("average_precision", a, a, pi0=0.3)
    assert limits_of(same) == pytest.approx(limits_of(known))


def test_a_prior_with_two_limits_only_is_used_at_their_level():
    prior = Estimate(0.2, 0.15, 0.27, 0.03, 0.9, "external")
    found = interval("average_precision", curve_of(), pi0=prior, confidence_level=0.9)
    assert found.low < found.value < found.high
    with pytest.raises(ValueError, match=r"level must be 0.9"):
        interval("average_precision", curve_of(), pi0=prior)


# ------------------------------------------------------------------------------ two models


@analytic_score
def test_equal_models_differ_by_nothing(score):
    y_true, y_score = rows_of()
    found = difference_from_predictions(score, y_true, y_score, y_score)
    assert found.value == 0
    assert found.standard_error == pytest.approx(0, abs=1e-8)
    assert found.low <= 0 <= found.high


@every_score
@pytest.mark.parametrize("groups", [None, np.arange(200) // 3])
def test_similar_models_have_a_narrow_difference(score, groups):
    if same_scale(score).score == "recall_at_precision" and groups is not None:
        return  # its lower limits are 0, see below
    y_true, score_a = rows_of()
    score_b = score_a + 0.1 * np.random.default_rng(9).normal(size=200)
    paired = difference_from_predictions(score, y_true, score_a, score_b, groups=groups, **FAST)
    a, b = (ConfusionCurve.from_predictions(y_true, each) for each in (score_a, score_b))
    independent = difference(score, a, b, **FAST)
    assert paired.value == pytest.approx(independent.value, abs=1e-12)
    assert paired.high - paired.low < 0.8 * (independent.high - independent.low)


def test_recalls_of_two_models_have_newcombes_interval():
    """Method 10 of Newcombe (1998) for paired proportions, from the table of the positives."""
    both, only_a, only_b, neither = 12, 5, 2, 6
    a = np.repeat([1.0, 1.0, 0.0, 0.0, 0.0], [both, only_a, only_b, neither, 30])
    b = np.repeat([1.0, 0.0, 1.0, 0.0, 0.0], [both, only_a, only_b, neither, 30])
    y_true = np.arange(55) < 25
    recall = Metric("recall", options={"threshold": 0.5})
    found = difference_from_predictions(recall, y_true, a, b)

    low_a, high_a = wilson(Rate(17 / 25, 25), 1.959964)
    low_b, high_b = wilson(Rate(14 / 25, 25), 1.959964)
    product = both * neither - only_a * only_b - 25 / 2
    phi = product / math.sqrt(17 * 8 * 14 * 11)
    value, p_a, p_b = 3 / 25, 17 / 25, 14 / 25

    def distance(x, y):
        return math.sqrt(x**2 + y**2 - 2 * phi * x * y)

    assert found.value == pytest.approx(value)
    assert found.low == pytest.approx(value - distance(p_a - low_a, high_b - p_b), abs=3e-3)
    assert found.high == pytest.approx(value + distance(high_a - p_a, p_b - low_b), abs=3e-3)


def test_the_standard_error_of_two_models_is_that_of_delong():
    """DeLong's covariance from the placements of each row."""
    y_true, score_a = rows_of()
    score_b = score_a + np.random.default_rng(9).normal(size=200)

    def placements(y_score):
        wins = y_score[y_true][:, None] > y_score[~y_true]
        return wins.mean(axis=1), wins.mean(axis=0)

    (pos_a, neg_a), (pos_b, neg_b) = placements(score_a), placements(score_b)
    variance = np.var(pos_a - pos_b, ddof=1) / 40 + np.var(neg_a - neg_b, ddof=1) / 160
    found = difference_from_predictions("roc_auc", y_true, score_a, score_b)
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9)


def test_standard_errors_of_differences_are_the_spread_of_samples():
    rng = np.random.default_rng(5)
    y_true = np.arange(900) < 300
    found = []
    for _ in range(300):
        score_a = rng.normal(size=900) + 1.5 * y_true
        score_b = score_a + rng.normal(size=900)
        found.append(difference_from_predictions("average_precision", y_true, score_a, score_b))
    spread = np.std([each.value for each in found])
    assert np.mean([each.standard_error for each in found]) == pytest.approx(spread, rel=0.17)


# ------------------------------------------------------------------------------ bootstraps


@pytest.mark.parametrize("name", ["average_precision", "roc_auc", "prg_auc"])
@pytest.mark.parametrize("n_neg", [160, 6000], ids=["rows drawn", "steps drawn"])
def test_a_bootstrap_has_the_standard_error_of_the_influences(name, n_neg):
    curve = curve_of(n_pos=100, n_neg=n_neg)
    auto = interval(name, curve, pi0=0.6)
    drawn = interval(name, curve, pi0=0.6, method="bootstrap", n_resamples=400, rng=1)
    assert (auto.method, drawn.method) != ("bootstrap", "auto")
    assert drawn.method == "bootstrap"
    assert drawn.standard_error == pytest.approx(auto.standard_error, rel=0.2)


def test_draws_of_a_curve_have_the_means_and_variances_of_binomials():
    sample = CurveSample(curve_of(n_pos=3, n_neg=4, decimals=0))
    rng = np.random.default_rng(0)
    drawn = [sample.draw(0.5, rng) for _ in range(4000)]
    for name, n in (("tp", 3), ("fp", 4)):
        counts = np.array([getattr(each.counted, name) for each in drawn])
        share = getattr(sample.curve, name) / n
        spread = np.sqrt(share * (1 - share) * n)
        assert np.abs(counts.mean(axis=0) - n * share).max() <= 4 * spread.max() / math.sqrt(4000)
        np.testing.assert_allclose(counts.std(axis=0), spread, atol=0.05)
    assert {each.prior for each in drawn} == {0.5}


def test_groups_are_drawn_whole():
    y_true, y_score = rows_of(n_pos=6, n_neg=6)
    rows = RowSample(y_true, y_score, groups=np.arange(12) % 3)
    rng = np.random.default_rng(0)
    for _ in range(20):
        curve = rows.draw(0.5, rng).counted
        assert curve.n_pos + curve.n_neg == 12
        assert curve.n_pos % 2 == 0  # each group has two positives


def test_a_function_of_a_curve_that_is_not_registered_has_no_bounds():
    plain = interval(scores.pr_auc, curve_of(), **FAST)

    def thousandfold(curve):
        return 1000 * scores.pr_auc(curve)

    found = interval(thousandfold, curve_of(), **FAST)
    assert found.standard_error == pytest.approx(1000 * plain.standard_error)
    assert found.value == 1000 * plain.value
    assert found.high < 1000


def test_a_seed_gives_the_same_interval():
    first, second, third = (
        interval("pr_auc", curve_of(), n_resamples=20, rng=rng)
        for rng in (4, np.random.default_rng(4), 5)
    )
    assert limits_of(first) == limits_of(second) != limits_of(third)


def test_a_score_that_is_undefined_on_some_draws_warns():
    def prior_if_the_best_is_positive(curve):
        if curve.tp[1] == 0:
            raise ValueError("the best is negative")
        return curve.prior

    curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1])
    with (
        pytest.warns(IntervalWarning, match="standard error of the estimate 0.3333 is 0"),
        pytest.warns(IntervalWarning, match=r"undefined on \d+ of 200 draws.* left out") as caught,
    ):
        interval(prior_if_the_best_is_positive, curve, n_resamples=200, rng=0)
    assert {warning.filename for warning in caught} == {__file__}


# ------------------------------------------------------------------------------ warnings


def test_the_weight_of_one_negative_is_warned_of():
    """r = 99 at pi0 = 0.01 with balanced classes."""
    curve = curve_of(n_pos=150, n_neg=150)
    match = r"one negative weighs as much as 99 positives and n_pos=150"
    for name in ("average_precision", "pr_auc", "best_fbeta"):
        with pytest.warns(IntervalWarning, match=match) as caught:
            interval(name, curve, pi0=0.01, **FAST)
        assert [warning.filename for warning in caught] == [__file__]
    interval("roc_auc", curve, pi0=0.01)  # the prior does not matter to it
    interval("average_precision", curve_of(n_pos=160, n_neg=1600, shift=0.3), pi0=0.01)


def test_an_estimate_that_half_a_negative_changes_is_warned_of():
    y_true = np.arange(400) < 40
    y_score = np.where(y_true, 2.0, 0.0) + np.linspace(0, 1, 400)  # nearly perfect
    y_score[-1] = 1.5
    curve = ConfusionCurve.from_predictions(y_true, y_score - 0.9 * (np.arange(400) == 0))
    with pytest.warns(
        IntervalWarning, match="half a negative more at the top of the ranking lowers"
    ):
        interval("average_precision", curve)


def test_a_perfect_ranking_has_no_information_about_its_error():
    curve = ConfusionCurve.from_predictions([1, 1, 1, 0, 0, 0, 0], [7, 6, 5, 4, 3, 2, 1])
    with pytest.warns(IntervalWarning, match="half a negative"):
        found = interval("average_precision", curve)
    assert (found.value, found.low, found.high) == (1, 0, 1)
    found = interval("roc_auc", curve)
    assert 0 < found.low < found.high == 1


def test_one_positive_is_no_sample():
    curve = ConfusionCurve.from_predictions([1, 0, 0, 0], [3, 4, 2, 1])
    with pytest.warns(IntervalWarning, match="at least two samples of each class, got n_pos=1"):
        found = interval("average_precision", curve)
    assert limits_of(found) == (0, 1)


def test_auc_pr_gain_is_withheld_where_no_method_works():
    curve = curve_of(n_pos=40, n_neg=160)
    for pi0, named in ((0.02, "n_pos=40 and the weight 12.2"), (0.1, "the weight 2.25")):
        with pytest.warns(IntervalWarning, match=f"no interval: AUC-PR Gain .*{named}") as caught:
            found = interval("prg_auc", curve, pi0=pi0)
        assert [warning.filename for warning in caught] == [__file__]
        assert np.isnan([*limits_of(found), *found.limits(0.5)]).all()
        assert "AUC-PR Gain" in found.reason
        assert repr(found) == f"Estimate({found.value:.4g}, no interval: {found.reason})"
        assert repr(pickle.loads(pickle.dumps(found))) == repr(found)
        assert found.value == scores.prg_auc(curve.at_prior(pi0))
    with pytest.warns(IntervalWarning, match="no interval"):
        drawn = interval("prg_auc", curve, pi0=0.1, method="bootstrap", **FAST)
    assert np.isnan(drawn.low)
    with pytest.warns(IntervalWarning, match="no interval"):
        found = interval("prg_auc", curve, pi0=[0.5, 0.1])
    assert np.isnan(found.low).tolist() == [False, True]
    with pytest.warns(IntervalWarning, match="no interval"):
        withheld = difference("prg_auc", curve, curve_of(1), pi0=0.1)
    assert np.isnan(withheld.low)
    assert withheld.reason is not None


def test_a_difference_of_two_models_is_withheld_with_its_intervals():
    y_true = np.arange(200) < 40
    rng = np.random.default_rng(0)
    score_a, score_b = rng.normal(size=(2, 200)) + y_true
    with pytest.warns(IntervalWarning, match="no interval: AUC-PR Gain"):
        found = difference_from_predictions("prg_auc", y_true, score_a, score_b, pi0=0.1)
    assert np.isnan([*limits_of(found), found.standard_error]).all()
    by_model = (
        scores.prg_auc(ConfusionCurve.from_predictions(y_true, each).at_prior(0.1))
        for each in (score_a, score_b)
    )
    assert found.value == np.subtract(*by_model)


@pytest.mark.parametrize(("pi0", "warns"), [(0.2, True), (0.25, False)])
def test_auc_pr_gain_warns_if_few_positives_determine_its_end(pi0, warns):
    curve = curve_of(n_pos=40, n_neg=160)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = interval("prg_auc", curve, pi0=pi0)
    assert np.isfinite(limits_of(found)).all()
    messages = [str(each.message) for each in caught]
    assert any("n_pos * pi0 = 8 positives" in each for each in messages) == warns
    assert bool(messages) == warns


@pytest.mark.parametrize("score", ["precision", "fbeta"])
def test_a_metric_of_a_decision_may_have_its_own_reference_prior(score):
    curve = curve_of(n_pos=40, n_neg=160)
    threshold = {"threshold": 0.5}
    found = interval(Metric(score, 0.1, threshold), curve)
    assert limits_of(found) == limits_of(interval(Metric(score, options=threshold), curve, pi0=0.1))
    with pytest.raises(ValueError, match="pi0 must be None"):
        interval(Metric(score, 0.1, threshold), curve, pi0=0.1)


@pytest.mark.parametrize("n_neg", [60, 20_000])  # drawn sample by sample, and step by step
def test_draws_of_rates_are_those_of_drawn_curves(n_neg):
    sample = CurveSample(curve_of(n_pos=30, n_neg=n_neg))
    rng = np.random.default_rng(0)
    tpr, fpr = (np.concatenate(each) for each in zip(*sample.draw_rates(2000, rng), strict=True))
    own = sample.curve
    assert tpr.shape == fpr.shape == (2000, len(own.tp) - 1)
    assert (np.diff(tpr) >= 0).all()
    assert (tpr[:, -1] == fpr[:, -1]).all() == 1
    for drawn, rate, n in ((tpr, own.tp / 30, 30), (fpr, own.fp / n_neg, n_neg)):
        error = np.sqrt(rate[1:] * (1 - rate[1:]) / n)
        assert (np.abs(drawn.mean(axis=0) - rate[1:]) <= 5 * error / np.sqrt(2000)).all()
        np.testing.assert_allclose(drawn.std(axis=0), error, rtol=0.1)


def test_many_priors_warn_only_a_few_times():
    curve = curve_of(n_pos=50, n_neg=50)
    with pytest.warns(IntervalWarning) as caught:
        interval("average_precision", curve, pi0=np.linspace(0.001, 0.01, 30))
    assert len(caught) == 4
    assert "27 more" in str(caught[-1].message)


# ------------------------------------------------------------------------------ bad arguments

CURVE = curve_of()
MATRIX = ConfusionMatrix(tp=3, fp=1, fn=2, tn=9)
PRECISION = Metric("precision", options={"threshold": 0.75})


@pytest.mark.parametrize(
    ("call", "kind", "match"),
    [
        (lambda: interval("precison", MATRIX), ValueError, "did you mean 'precision'"),
        (lambda: interval(3, MATRIX), TypeError, "score must be"),
        (lambda: interval("roc_auc", MATRIX), TypeError, "curve_or_matrix must be a Conf"),
        (lambda: interval("roc_auc", [1, 2]), TypeError, "curve_or_matrix must be a Conf"),
        (lambda: difference("roc_auc", CURVE, None), TypeError, "b must be"),
        (lambda: interval("precision", CURVE), ValueError, "needs a threshold"),
        (lambda: interval(PRECISION, MATRIX), ValueError, "ConfusionCurve for a Metric with a th"),
        (lambda: interval("roc_auc", CURVE, pi0=1.2), ValueError, "pi0"),
        (lambda: interval("roc_auc", CURVE, pi0=[0.1, 0]), ValueError, "pi0"),
        (lambda: interval("roc_auc", CURVE, pi0=[[0.1]]), ValueError, "pi0"),
        (lambda: interval(Metric("roc_auc", 0.1), CURVE, pi0=0.1), ValueError, "pi0 must be None"),
        (lambda: interval("roc_auc", CURVE, confidence_level=95), ValueError, "confidence_level"),
        (lambda: interval("roc_auc", CURVE, method="bca"), ValueError, "method"),
        (lambda: interval("recall", MATRIX, method="bootstrap"), ValueError, "method"),
        (lambda: interval("pr_auc", CURVE, n_resamples=1), ValueError, "n_resamples"),
        (lambda: interval("pr_auc", CURVE, rng=-1), ValueError, "rng"),
        (lambda: interval("recall", MATRIX.at_prior(0.1)), ValueError, "whole samples"),
        (
            lambda: interval("recall", ConfusionMatrix(tp=[1, 2], fp=[1, 1], fn=[1, 1], tn=[1, 1])),
            ValueError,
            "single confusion matrix",
        ),
        (
            lambda: interval("precision", ConfusionMatrix(tp=3, fp=0, fn=1, tn=0)),
            ValueError,
            "both classes",
        ),
        (
            lambda: interval("roc_auc", ConfusionCurve.from_probabilities([0.1, 0.8])),
            ValueError,
            "expected counts of probabilities",
        ),
        (
            lambda: interval_from_predictions("roc_auc", [0, 1], [1, 2], groups=[1, 1]),
            ValueError,
            "groups must hold at least two groups",
        ),
        (
            lambda: interval_from_predictions("roc_auc", [0, 1], [1, 2], groups=["a", None]),
            ValueError,
            "groups must not hold missing",
        ),
        (
            lambda: interval_from_predictions("roc_auc", [0, 1], [1, 2], groups=[1, 2, 3]),
            ValueError,
            "groups has 3",
        ),
        (
            lambda: interval_from_predictions("roc_auc", [0, 1], [1, 2], sample_weight=[1, -1]),
            ValueError,
            "sample_weight",
        ),
        (
            lambda: interval_from_predictions("precision", [0, 1], [1, 2], groups=[1, 2]),
            ValueError,
            "needs a threshold",
        ),
        (
            lambda: difference_from_predictions("roc_auc", [0, 1], [1, 2], [1, np.nan]),
            ValueError,
            "score_b must be finite",
        ),
    ],
)
def test_bad_arguments_are_refused(call, kind, match):
    with pytest.raises(kind, match=match):
        call()


@every_score
@pytest.mark.parametrize("pi0", [None, 0.999, Estimate.normal(0.1, 0.02, bounds=(0.01, 0.5))])
@pytest.mark.parametrize("y_score", [[1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1, 1]])
def test_the_value_at_an_end_of_its_range_lies_in_its_interval(score, pi0, y_score):
    y_true = [1, 1, 1, 0, 0, 0, 0]
    with warnings.catch_warnings(category=IntervalWarning, action="ignore"):
        try:
            found = interval_from_predictions(score, y_true, y_score, pi0=pi0, **FAST)
        except ValueError:  # 0/0
            return
    if found.reason is None:
        assert found.low - 1e-12 <= found.value <= found.high + 1e-12


def test_the_error_of_the_prior_counts_where_the_value_is_at_an_end_of_its_range():
    """A perfect decision has the accuracy 1 at every prior, but not its lower limit."""
    curve = ConfusionCurve.from_predictions([1] * 10 + [0] * 30, [1] * 10 + [0] * 30)
    score = Metric("recall_at_top", options={"alert_rate": 0.1})
    prior = Estimate.normal(0.05, 0.03, bounds=(0.001, 0.999))
    found = interval(score, curve, pi0=prior, **FAST)
    assert found.value == found.high == 1
    assert found.low <= score(curve.at_prior(prior.high)) < 1


def test_a_gain_that_is_withheld_has_no_difference_of_models():
    y_true, y_score = rows_of(n_pos=5)
    with pytest.warns(IntervalWarning, match="no interval: AUC-PR Gain at pi0=0.01"):
        found = difference_from_predictions("prg_auc", y_true, y_score, -y_score, pi0=0.01)
    assert math.isnan(found.low)
    assert "n_pos * pi0 >= 1" in found.reason


def test_two_models_on_one_positive_have_an_infinite_standard_error():
    y_true, y_score = rows_of(n_pos=1)
    found = difference_from_predictions("roc_auc", y_true, y_score, -y_score)
    assert found.standard_error == math.inf


@pytest.mark.parametrize("score", ["prg_auc", "pr_auc"])
def test_an_interval_without_width_is_warned_of(score):
    curve = ConfusionCurve.from_predictions([1] * 40 + [0] * 40, np.ones(80))
    with pytest.warns(IntervalWarning, match="standard error of the estimate .* is 0"):
        found = interval(score, curve, **FAST)
    assert found.low == pytest.approx(found.high)


def test_a_value_outside_the_bounds_of_its_score_is_refused(monkeypatch):
    entry = dataclasses.replace(score_named("roc_auc"), bounds=(0.0, 0.5))
    monkeypatch.setitem(registry._SCORES, "roc_auc", entry)
    with pytest.raises(ValueError, match=r"score 'roc_auc' must lie in its bounds \(0, 0.5\), got"):
        interval("roc_auc", curve_of())


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_very_small_and_very_large_weights_change_nothing(factor):
    y_true, y_score = rows_of()
    weight = 1.0 + np.arange(200) % 3
    expected = interval_from_predictions("roc_auc", y_true, y_score, sample_weight=weight)
    found = interval_from_predictions("roc_auc", y_true, y_score, sample_weight=factor * weight)
    assert limits_of(found) == pytest.approx(limits_of(expected))


def test_a_withheld_prior_is_refused():
    prior = Estimate(0.1, math.nan, math.nan, math.nan, 0.95, "bins", "label shift is refuted")
    with pytest.raises(ValueError, match=r"pi0 must be an Estimate .*refuted"):
        interval("average_precision", curve_of(), pi0=prior)


@pytest.mark.parametrize("in_one_group", ["positives", "negatives"])
@pytest.mark.parametrize(
    "score", ["average_precision", Metric("precision", options={"threshold": 0.5})]
)
def test_a_class_in_one_group_has_no_interval(score, in_one_group):
    """The sum of the influences over such a group is 0, which is no estimate of a variance."""
    rng = np.random.default_rng(5)
    y_true = np.arange(60) < 20
    y_score = rng.normal(size=60) + y_true
    groups = np.where(y_true == (in_one_group == "positives"), 0, 1 + np.arange(60) // 5)
    options = {"pi0": 0.3, "groups": groups, "rng": 0}
    with pytest.warns(IntervalWarning, match=f"all {in_one_group} are in one group"):
        found = interval_from_predictions(score, y_true, y_score, **options)
    assert np.isnan([found.low, found.high, found.standard_error]).all()
    assert f"two groups with {in_one_group} are needed" in found.reason
    assert found.value == interval_from_predictions(score, y_true, y_score, pi0=0.3).value
    with pytest.warns(IntervalWarning, match="no interval: all"):
        paired = difference_from_predictions(score, y_true, y_score, -y_score, **options)
    assert np.isnan([paired.low, paired.high]).all()


def test_groups_that_cannot_be_sorted_are_refused():
    with pytest.raises(TypeError, match="groups must hold values that can be sorted"):
        interval_from_predictions(
            "roc_auc", [0, 1], [1, 2], groups=np.array([1, "a"], dtype=object)
        )


def test_public_names_have_docstrings():
    for name in uncertainty.__all__:
        assert getattr(uncertainty, name).__doc__


@pytest.mark.parametrize("level", [1e-300, 1 - 1e-16])
def test_levels_whose_tails_are_lost_are_refused(level):
    with pytest.raises(ValueError, match="confidence_level must be at least 1e-12 and at most"):
        interval("roc_auc", curve_of(), confidence_level=level)


@pytest.mark.parametrize("bounds", [1.0, "01", (1, 0), (0, None)])
def test_bounds_of_a_normal_interval_are_two_numbers_that_ascend(bounds):
    with pytest.raises((ValueError, TypeError), match="bounds must"):
        Estimate.normal(0.5, 0.1, bounds=bounds)


@pytest.mark.parametrize("pi0", [1e-200, [0.5, 1e-200]], ids=str)
def test_priors_whose_square_is_lost_are_refused(pi0):
    with pytest.raises(ValueError, match="pi0 must be at least 1e-100 for an interval, got 1e-200"):
        interval("prg_auc", curve_of(), pi0=pi0)


def test_rows_whose_weight_is_lost_in_the_sum_are_no_error():
    weight = [2.0**53, 1e-9, 1, 1, 1e-200]
    with pytest.warns(IntervalWarning, match="a standard error needs at least two samples"):
        found = interval_from_predictions(
            "average_precision", [0, 0, 1, 1, 0], [4, 3, 3, 2, 1], sample_weight=weight
        )
    assert 0 < found.value < 1


@pytest.mark.parametrize("groups", [None, 40], ids=["rows", "groups"])
def test_auc_roc_has_the_same_interval_if_the_classes_and_the_order_are_swapped(groups):
    rng = np.random.default_rng(0)
    y_true = np.arange(1010) < 1000
    y_score = rng.normal(size=1010) + 2 * y_true
    of_row = None if groups is None else rng.integers(groups, size=1010)
    found = interval_from_predictions("roc_auc", y_true, y_score, groups=of_row)
    swapped = interval_from_predictions("roc_auc", ~y_true, -y_score, groups=of_row)
    assert (swapped.low, swapped.high) == pytest.approx((found.low, found.high), rel=1e-12)


def test_auc_roc_covers_with_few_negatives():
    rng, truth, n_covered = np.random.default_rng(1), stats.norm.cdf(3 / math.sqrt(2)), 0
    y_true = np.arange(1010) < 1000
    for _ in range(300):
        found = interval_from_predictions("roc_auc", y_true, rng.normal(size=1010) + 3 * y_true)
        n_covered += found.low <= truth <= found.high
    assert n_covered / 300 >= 0.93


@pytest.mark.parametrize(
    "metric", ["average_precision", Metric("precision", options={"threshold": 0.75})]
)
@pytest.mark.parametrize("value", [0.0, 0.02])
def test_the_limits_of_an_estimated_prior_may_be_0(metric, value):
    prior = Estimate(value, 0.0, 0.07, 0.02, 0.95, "external")
    with warnings.catch_warnings(category=IntervalWarning, action="ignore"):
        found = interval(metric, CURVE, pi0=prior)
    assert 0 <= found.low <= found.value <= found.high < 1


def test_all_priors_have_the_same_draws():
    with warnings.catch_warnings(category=IntervalWarning, action="ignore"):
        found = interval("pr_auc", CURVE, pi0=[0.1, 0.2, 0.1], n_resamples=50, rng=0)
        alone = interval("pr_auc", CURVE, pi0=0.2, n_resamples=50, rng=0)
    assert found.low[0] == found.low[2]
    assert (found.low[1], found.high[1]) == (alone.low, alone.high)
