"""The scikit-learn-shaped functions: against scikit-learn, at any prior, for any input."""

import functools
import inspect
import itertools
import math
import re
import warnings
from fractions import Fraction

import numpy as np
import oracle
import pandas as pd
import pytest
import sklearn.metrics

import calibrated_metrics
from calibrated_metrics import ConfusionCurve, metrics, scores
from calibrated_metrics.metrics import UndefinedMetricWarning

pytestmark = pytest.mark.filterwarnings("error")

Y_TRUE = [0, 1, 0, 0, 1, 0, 1, 0, 0, 0]
Y_SCORE = [9, 8, 8, 7, 6, 5, 4, 3, 2, 1]
Y_PRED = [1, 1, 0, 0, 1, 0, 0, 0, 1, 0]
WEIGHTS = [1, 2, 3, 1, 1, 0, 2, 1, 4, 1]

CURVES = [
    metrics.precision_recall_curve,
    metrics.achievable_precision_recall_curve,
    metrics.precision_recall_gain_curve,
    metrics.roc_curve,
]


def _samples(n_samples=60, seed=0, n=60):
    rng = np.random.default_rng(seed)
    for _ in range(n_samples):
        size = int(rng.integers(4, n))
        y_true = rng.permutation(np.arange(size) < rng.integers(1, size))
        y_score = np.round(rng.normal(size=size) + y_true, int(rng.integers(0, 3)))
        weights = rng.integers(0, 4, size).astype(float)
        weights[[np.argmax(y_true), np.argmin(y_true)]] = 2
        yield y_true.astype(int), y_score, weights


# ------------------------------------------------------------------------ scikit-learn


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (metrics.average_precision_score, sklearn.metrics.average_precision_score),
        (metrics.roc_auc_score, sklearn.metrics.roc_auc_score),
    ],
)
def test_areas_equal_those_of_scikit_learn(ours, theirs, weighted):
    for y_true, y_score, weights in _samples():
        sample_weight = weights if weighted else None
        assert ours(y_true, y_score, sample_weight=sample_weight) == pytest.approx(
            theirs(y_true, y_score, sample_weight=sample_weight), rel=1e-12
        )


@pytest.mark.parametrize("weighted", [False, True])
def test_calibrated_average_precision_is_scikit_learns_with_reweighted_negatives(weighted):
    for y_true, y_score, weights in _samples():
        weights = weights if weighted else np.ones(len(y_true))
        for pi0 in (1e-6, 0.01, 0.5, 0.999):
            pi = weights[y_true == 1].sum() / weights.sum()
            ratio = pi * (1 - pi0) / (pi0 * (1 - pi))
            reweighted = np.where(y_true == 1, weights, weights * ratio)
            ours = metrics.average_precision_score(
                y_true, y_score, pi0=pi0, sample_weight=weights if weighted else None
            )
            theirs = sklearn.metrics.average_precision_score(
                y_true, y_score, sample_weight=reweighted
            )
            assert ours == pytest.approx(theirs, rel=1e-10)


# Our function, the one of scikit-learn, and its options.
AS_IN_SCIKIT_LEARN = {
    "precision": (metrics.precision_score, sklearn.metrics.precision_score, {}),
    "recall": (metrics.recall_score, sklearn.metrics.recall_score, {}),
    "f1": (metrics.f1_score, sklearn.metrics.f1_score, {}),
    "fbeta": (
        functools.partial(metrics.fbeta_score, beta=0.5),
        functools.partial(sklearn.metrics.fbeta_score, beta=0.5),
        {},
    ),
    "specificity": (metrics.specificity_score, sklearn.metrics.recall_score, {"pos_label": 0}),
    "npv": (metrics.npv_score, sklearn.metrics.precision_score, {"pos_label": 0}),
    "accuracy": (metrics.accuracy_score, sklearn.metrics.accuracy_score, {}),
    "balanced_accuracy": (
        metrics.balanced_accuracy_score,
        sklearn.metrics.balanced_accuracy_score,
        {},
    ),
    "matthews_corrcoef": (
        lambda y_true, y_pred, **given: metrics.matthews_corrcoef_score(
            y_true, y_pred, zero_division=0, **given
        ),
        sklearn.metrics.matthews_corrcoef,
        {},
    ),
    "cohen_kappa": (metrics.cohen_kappa_score, sklearn.metrics.cohen_kappa_score, {}),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("ours", "theirs", "options"), AS_IN_SCIKIT_LEARN.values(), ids=AS_IN_SCIKIT_LEARN
)
def test_hard_metrics_equal_those_of_scikit_learn(ours, theirs, options, weighted):
    """At the own prior, and at a reference prior with reweighted negatives."""
    rng = np.random.default_rng(1)
    divisions = [{"zero_division": value} for value in (0, 1, np.nan)]
    for k, (y_true, y_score, weights) in enumerate(_samples()):
        cut = (np.inf, -np.inf, *rng.choice(y_score, 3))[k % 5]
        y_pred = (y_score > cut).astype(int)
        arguments = divisions[k % 3] if _takes_zero_division(ours) else {}
        theirs_too = divisions[k % 3] if _takes_zero_division(theirs) else {}
        unit = weights if weighted else np.ones(len(y_true))
        value = ours(y_true, y_pred, sample_weight=weights if weighted else None, **arguments)
        expected = theirs(y_true, y_pred, sample_weight=unit, **options, **theirs_too)
        assert value == pytest.approx(expected, rel=1e-13, nan_ok=True)

        pi0, prior = 0.03, unit[y_true == 1].sum() / unit.sum()
        ratio = prior * (1 - pi0) / (pi0 * (1 - prior))
        unit = np.where(y_true == 1, unit, unit * ratio)
        value = ours(
            y_true, y_pred, pi0=pi0, sample_weight=weights if weighted else None, **arguments
        )
        expected = theirs(y_true, y_pred, sample_weight=unit, **options, **theirs_too)
        assert value == pytest.approx(expected, rel=1e-12, nan_ok=True)


def _takes_zero_division(function):
    return "zero_division" in inspect.signature(function).parameters


@pytest.mark.parametrize("weighted", [False, True])
def test_precision_recall_curve_is_scikit_learns_with_fewer_vertices(weighted):
    """drop_intermediate keeps one point per run of negatives; ours are among all of theirs."""
    for y_true, y_score, weights in _samples():
        sample_weight = weights if weighted else None
        ours = metrics.precision_recall_curve(y_true, y_score, sample_weight=sample_weight)
        theirs = sklearn.metrics.precision_recall_curve(
            y_true, y_score, sample_weight=sample_weight
        )
        fewer = sklearn.metrics.precision_recall_curve(
            y_true, y_score, sample_weight=sample_weight, drop_intermediate=True
        )
        ours, theirs, fewer = (_by_threshold(*curve) for curve in (ours, theirs, fewer))
        assert set(fewer) - set(ours) <= {_at_zero_recall(fewer)}
        for threshold in ours:
            assert ours[threshold] == pytest.approx(theirs[threshold], rel=1e-12)


def _by_threshold(precision, recall, thresholds):
    assert len(precision) == len(recall) == len(thresholds) + 1
    assert (precision[-1], recall[-1]) == (1, 0)
    assert (np.diff(thresholds) > 0).all()
    assert (np.diff(recall) <= 0).all()
    return {
        float(t): (p, r) for t, p, r in zip(thresholds, precision[:-1], recall[:-1], strict=True)
    }


def _at_zero_recall(curve):
    """The highest threshold: scikit-learn keeps it inside a run of negatives too."""
    return max(curve)


@pytest.mark.parametrize("weighted", [False, True])
def test_roc_curve_is_scikit_learns_with_other_vertices_on_the_same_lines(weighted):
    for y_true, y_score, weights in _samples():
        sample_weight = weights if weighted else None
        fpr, tpr, thresholds = metrics.roc_curve(y_true, y_score, sample_weight=sample_weight)
        full = sklearn.metrics.roc_curve(
            y_true, y_score, sample_weight=sample_weight, drop_intermediate=False
        )
        at = {threshold: (f, t) for f, t, threshold in zip(*full, strict=True)}
        for f, t, threshold in zip(fpr, tpr, thresholds, strict=True):
            assert (f, t) == pytest.approx(at[threshold], rel=1e-12)
        assert thresholds[0] == np.inf
        assert sklearn.metrics.auc(fpr, tpr) == pytest.approx(sklearn.metrics.auc(*full[:2]))


# ------------------------------------------------------------------------ curves


def test_precision_recall_curve_of_a_known_ranking():
    precision, recall, thresholds = metrics.precision_recall_curve(Y_TRUE, Y_SCORE)
    np.testing.assert_array_equal(thresholds, [1, 4, 5, 6, 7, 8, 9])
    np.testing.assert_allclose(precision, [0.3, 3 / 7, 1 / 3, 2 / 5, 1 / 4, 1 / 3, 0, 1])
    np.testing.assert_allclose(recall, [1, 1, 2 / 3, 2 / 3, 1 / 3, 1 / 3, 0, 0])


def test_calibrated_precision_recall_curve():
    plain = metrics.precision_recall_curve(Y_TRUE, Y_SCORE)
    precision, recall, thresholds = metrics.precision_recall_curve(Y_TRUE, Y_SCORE, pi0=0.5)
    odds = 3 / 7
    expected = plain[0][:-1] / (plain[0][:-1] + (1 - plain[0][:-1]) * odds)
    np.testing.assert_allclose(precision, [*expected, 1], rtol=1e-13)
    np.testing.assert_array_equal(recall, plain[1])
    np.testing.assert_array_equal(thresholds, plain[2])


@pytest.mark.parametrize("pi0", [None, 0.01, 0.6, 0.99])
def test_gain_curve_has_a_threshold_for_all_but_its_crossing(pi0):
    precision_gain, recall_gain, thresholds = metrics.precision_recall_gain_curve(
        Y_TRUE, Y_SCORE, pi0=pi0
    )
    assert len(precision_gain) == len(recall_gain) == len(thresholds) + 1
    assert recall_gain[-1] == 0
    assert recall_gain[0] == pytest.approx(1)
    assert precision_gain[0] == pytest.approx(0, abs=1e-12)
    ranking = oracle.Ranking.of_samples(Y_TRUE, Y_SCORE).by_formula(pi0)
    for at, threshold in enumerate(thresholds):
        counted = [y for y, score in zip(Y_TRUE, Y_SCORE, strict=True) if score >= threshold]
        gains = ranking.gains_of(Fraction(sum(counted)), Fraction(counted.count(0)))
        assert (recall_gain[at], precision_gain[at]) == pytest.approx(
            [float(gain) for gain in gains], abs=1e-12
        )
    area = -np.trapezoid(precision_gain, recall_gain)
    assert area == pytest.approx(metrics.prg_auc_score(Y_TRUE, Y_SCORE, pi0=pi0), rel=1e-12)


def test_gain_curve_where_the_prior_rounds_to_one():
    curve = metrics.precision_recall_gain_curve([1, 0, 0, 0], [4, 3, 2, 1], pi0=1 - 2**-53)
    precision_gain, recall_gain, thresholds = curve
    assert len(precision_gain) == len(recall_gain) == len(thresholds) + 1
    assert recall_gain[0] == 1


@pytest.mark.parametrize("pi0", [None, 0.01, 0.6])
def test_achievable_curve_lies_on_or_above_the_curve(pi0):
    precision, recall, thresholds = metrics.achievable_precision_recall_curve(
        Y_TRUE, Y_SCORE, pi0=pi0
    )
    assert len(precision) == len(recall) == len(thresholds) + 1
    assert (np.diff(precision) >= -1e-15).all()  # from the lowest threshold up
    plain_precision, plain_recall, plain_thresholds = metrics.precision_recall_curve(
        Y_TRUE, Y_SCORE, pi0=pi0
    )
    assert set(thresholds) <= set(plain_thresholds)
    for p, r in zip(plain_precision[:-1], plain_recall[:-1], strict=True):
        assert p <= max(precision[recall >= r - 1e-12]) + 1e-12


@pytest.mark.parametrize("curve_of", CURVES)
@pytest.mark.parametrize(
    "pi0", [[0.5], np.array([0.1, 0.5]), (0.5,)], ids=["list", "array", "tuple"]
)
def test_a_curve_takes_one_prior_only(curve_of, pi0):
    with pytest.raises((ValueError, TypeError), match="pi0"):
        curve_of(Y_TRUE, Y_SCORE, pi0=pi0)


def test_roc_curve_is_the_same_at_every_prior():
    plain = metrics.roc_curve(Y_TRUE, Y_SCORE)
    for values, calibrated in zip(plain, metrics.roc_curve(Y_TRUE, Y_SCORE, pi0=0.9), strict=True):
        np.testing.assert_allclose(calibrated, values, rtol=1e-14)


# ------------------------------------------------------------------------ priors


@pytest.mark.parametrize("make", [list, tuple, np.array, pd.Series, lambda p: np.array(p, "f4")])
def test_several_priors_give_an_array(case, make):
    priors = [1e-6, 0.3, 0.5, 0.5, 1 - 1e-6]
    values = case(Y_TRUE, Y_SCORE, pi0=make(priors), sample_weight=WEIGHTS)
    assert isinstance(values, np.ndarray)
    assert values.dtype == np.float64
    one_by_one = [
        case(Y_TRUE, Y_SCORE, pi0=float(pi0), sample_weight=WEIGHTS) for pi0 in make(priors)
    ]
    np.testing.assert_array_equal(values, one_by_one)


def test_one_prior_or_none_gives_a_float(case):
    for pi0 in (None, 0.3, np.float64(0.3), np.float32(0.25), Fraction(1, 3)):
        assert type(case(Y_TRUE, Y_SCORE, pi0=pi0)) is float


def test_score_of_labels_is_the_score_of_their_curve(case):
    curve = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, sample_weight=WEIGHTS)
    assert case(Y_TRUE, Y_SCORE, sample_weight=WEIGHTS) == case.curve(curve)
    assert case(Y_TRUE, Y_SCORE, sample_weight=WEIGHTS, pi0=0.3) == case.curve(curve.at_prior(0.3))


BAD_PRIORS = [
    0, 1, 0.0, 1.0, -0.1, 1.5, math.nan, math.inf, -math.inf, True, False, np.True_, "0.5", b"0.5",
    0.5j, {0.5}, {"pi0": 0.5}, 10**400, [], [[0.5]], [0.5, 1.0], [0.5, math.nan], ["0.5"],
    [None, 0.5], [0.5j], [True, False], np.array(["0.5", "0.2"], dtype=object), np.ones((2, 2)) / 2,
]  # fmt: skip


def short(value) -> str:
    """An id for a parameter, the same in every process."""
    return repr(value)[:30] if "0x" not in repr(value).lower() else type(value).__name__


def _required_options(function):
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]


def _public_functions():
    return {
        name: getattr(metrics, name)
        for name in metrics.__all__
        if inspect.isfunction(getattr(metrics, name))
    }


@pytest.mark.parametrize("pi0", BAD_PRIORS, ids=short)
def test_bad_priors_are_refused_by_every_function(pi0):
    for function in _public_functions().values():
        hard = "y_pred" in inspect.signature(function).parameters
        options = {"zero_division": 0} if _takes_zero_division(function) else {}
        options |= {option: 0.5 for option in _required_options(function)}
        for predicted in (Y_PRED, [0] * 10) if hard else (Y_SCORE, [1] * 10):
            with pytest.raises((ValueError, TypeError), match="pi0"):
                function(Y_TRUE, predicted, pi0=pi0, **options)


# ------------------------------------------------------------------------ hard predictions


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unit", "weighted"])
def test_hard_metrics_equal_exact_arithmetic(hard_case, weights):
    rng = np.random.default_rng(2)
    for _ in range(100):
        y_true, y_pred = rng.integers(0, 2, (2, 10))
        y_true[:2] = 0, 1
        ranking = oracle.Ranking.of_samples(y_true, y_pred.tolist(), weights)
        priors = [10 ** rng.uniform(-6, -0.4), 1 - 10 ** rng.uniform(-6, -0.4), 0.5]
        arguments = {"sample_weight": weights, "zero_division": np.nan}
        value = hard_case(y_true, y_pred, **arguments)
        exact = hard_case.oracle(ranking, 1)
        assert np.isnan(value) if exact is None else oracle.error(value, exact) <= 1e-14
        values = hard_case(y_true, y_pred, pi0=priors, **arguments)
        for pi0, calibrated in zip(priors, values, strict=True):
            exact = hard_case.oracle(ranking.by_formula(pi0), 1)
            assert exact == hard_case.oracle(ranking.by_reweighting(pi0), 1)
            assert (
                np.isnan(calibrated) if exact is None else oracle.error(calibrated, exact) <= 1e-13
            )


def test_hard_metrics_of_the_formula():
    """TP = 2, FP = 2, FN = 1, TN = 5; r = pi (1 - pi0) / (pi0 (1 - pi)) = 27/7 at pi0 = 0.1."""
    r = 27 / 7
    assert metrics.precision_score(Y_TRUE, Y_PRED) == pytest.approx(2 / 4)
    assert metrics.precision_score(Y_TRUE, Y_PRED, pi0=0.1) == pytest.approx(2 / (2 + r * 2))
    assert metrics.recall_score(Y_TRUE, Y_PRED, pi0=0.1) == pytest.approx(2 / 3)
    assert metrics.f1_score(Y_TRUE, Y_PRED, pi0=0.1) == pytest.approx(4 / (4 + 1 + r * 2))
    assert metrics.fbeta_score(Y_TRUE, Y_PRED, beta=2, pi0=0.1) == pytest.approx(
        5 * 2 / (5 * 2 + 4 * 1 + r * 2)
    )
    assert metrics.specificity_score(Y_TRUE, Y_PRED, pi0=0.1) == pytest.approx(5 / 7)
    assert metrics.npv_score(Y_TRUE, Y_PRED) == pytest.approx(5 / 6)
    assert metrics.npv_score(Y_TRUE, Y_PRED, pi0=0.1) == pytest.approx(r * 5 / (r * 5 + 1))
    accuracy = metrics.accuracy_score(Y_TRUE, Y_PRED, pi0=0.1)
    assert accuracy == pytest.approx(0.1 * 2 / 3 + 0.9 * 5 / 7)
    balanced = metrics.balanced_accuracy_score(Y_TRUE, Y_PRED, pi0=0.1)
    assert balanced == pytest.approx((2 / 3 + 5 / 7) / 2)


@pytest.mark.parametrize("pi0", [1e-6, 0.01, 0.5, 0.999])
def test_predictive_values_at_a_prevalence(pi0):
    """Closed forms from sensitivity and specificity, which no prior changes."""
    sensitivity = metrics.recall_score(Y_TRUE, Y_PRED, pi0=pi0)
    specificity = metrics.specificity_score(Y_TRUE, Y_PRED, pi0=pi0)
    assert (sensitivity, specificity) == pytest.approx((2 / 3, 5 / 7))
    true_positive, true_negative = pi0 * sensitivity, (1 - pi0) * specificity
    false_positive, false_negative = (1 - pi0) - true_negative, pi0 - true_positive
    ppv = metrics.precision_score(Y_TRUE, Y_PRED, pi0=pi0)
    assert ppv == pytest.approx(true_positive / (true_positive + false_positive), rel=1e-12)
    npv = metrics.npv_score(Y_TRUE, Y_PRED, pi0=pi0)
    assert npv == pytest.approx(true_negative / (true_negative + false_negative), rel=1e-12)
    accuracy = metrics.accuracy_score(Y_TRUE, Y_PRED, pi0=pi0)
    assert accuracy == pytest.approx(true_positive + true_negative, rel=1e-12)


def test_balanced_accuracy_is_accuracy_at_prior_one_half():
    for y_true, y_score, weights in _samples(20, seed=5):
        y_pred = (y_score > np.median(y_score)).astype(int)
        balanced = metrics.balanced_accuracy_score(y_true, y_pred, sample_weight=weights)
        accuracy = metrics.accuracy_score(y_true, y_pred, sample_weight=weights, pi0=0.5)
        assert balanced == pytest.approx(accuracy, rel=1e-13)


def test_perfect_and_wrong_predictions(hard_case):
    y_true = [1, 0, 1, 0, 0]
    flipped = [1 - label for label in y_true]
    ranking = oracle.Ranking.of_samples(y_true, flipped)
    for pi0 in (1e-6, 0.5):
        perfect = hard_case(y_true, y_true, pi0=pi0)
        assert perfect == pytest.approx(hard_case.perfect_at(pi0), rel=1e-15)
        wrong = hard_case(y_true, flipped, pi0=pi0)
        assert oracle.error(wrong, hard_case.oracle(ranking.by_formula(pi0), 1)) <= 1e-15


def test_predictions_that_ignore_the_class():
    y_true, y_pred = [1, 1, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0]
    for pi0 in (None, 0.01, [0.2, 0.9]):
        for function in (metrics.matthews_corrcoef_score, metrics.cohen_kappa_score):
            np.testing.assert_allclose(function(y_true, y_pred, pi0=pi0), 0, atol=1e-16)
        for function in (
            metrics.positive_likelihood_ratio_score,
            metrics.negative_likelihood_ratio_score,
        ):
            np.testing.assert_allclose(function(y_true, y_pred, pi0=pi0), 1, rtol=1e-15)


@pytest.mark.parametrize("pi0", [None, 0.2, [0.2, 0.7]])
@pytest.mark.parametrize(
    ("function", "y_pred", "of_chance"),
    [
        (metrics.matthews_corrcoef_score, [0, 0, 0], 0),
        (metrics.matthews_corrcoef_score, [1, 1, 1], 0),
        (metrics.positive_likelihood_ratio_score, [0, 0, 0], 1),
        (metrics.negative_likelihood_ratio_score, [1, 1, 1], 1),
    ],
)
def test_the_same_label_for_all_samples(function, y_pred, of_chance, pi0):
    shape = np.shape(pi0) if pi0 is not None else ()
    for chosen in (0, 1, np.nan):
        value = function([0, 1, 0], y_pred, pi0=pi0, zero_division=chosen)
        np.testing.assert_array_equal(value, np.full(shape, chosen))
    with pytest.warns(UndefinedMetricWarning, match=f"set to {of_chance}: .*zero_division"):
        value = function([0, 1, 0], y_pred, pi0=pi0)
    np.testing.assert_array_equal(value, np.full(shape, of_chance))


def test_a_likelihood_ratio_over_zero_is_infinite():
    y_true = [1, 1, 0, 0]
    assert metrics.positive_likelihood_ratio_score(y_true, [1, 0, 0, 0]) == math.inf
    assert metrics.negative_likelihood_ratio_score(y_true, [1, 0, 1, 1]) == math.inf
    assert metrics.positive_likelihood_ratio_score(y_true, [0, 0, 1, 0]) == 0
    assert metrics.negative_likelihood_ratio_score(y_true, [1, 1, 1, 0], pi0=0.1) == 0


def test_net_benefit_of_treating_all_and_of_the_published_formula():
    """Vickers & Elkin: TP/n - FP/n p/(1-p); treating all gives the prior less the odds of harm."""
    benefit = functools.partial(metrics.net_benefit_score, threshold_probability=0.2)
    assert benefit(Y_TRUE, Y_PRED) == pytest.approx(2 / 10 - 2 / 10 / 4)
    assert benefit(Y_TRUE, Y_PRED, pi0=0.1) == pytest.approx(0.1 * 2 / 3 - 0.9 * 2 / 7 / 4)
    assert benefit(Y_TRUE, [1] * 10, pi0=0.1) == pytest.approx(0.1 - 0.9 / 4)
    assert benefit(Y_TRUE, [0] * 10, pi0=0.1) == 0


@pytest.mark.parametrize("pi0", [1e-300, 1e-100, 1e-20, 1 - 2**-53])
def test_hard_metrics_at_priors_at_the_ends_of_float64(hard_case, pi0):
    ranking = oracle.Ranking.of_samples(Y_TRUE, Y_PRED).by_formula(pi0)
    for at in (pi0, [pi0]):
        value = np.ravel(hard_case(Y_TRUE, Y_PRED, pi0=at)).item()
        assert oracle.error(value, hard_case.oracle(ranking, 1)) <= 1e-13


@pytest.mark.parametrize("pi0", [5e-324, [0.5, 5e-324]], ids=str)
def test_a_prior_whose_weights_overflow_is_refused(any_case, pi0):
    with pytest.raises(ValueError, match="pi0=5e-324"):
        any_case([1, 0], [1, 0], pi0=pi0)


@pytest.mark.parametrize("pi0", [None, 0.2, [0.2, 0.7]])
def test_nothing_predicted_positive(pi0):
    y_true, y_pred = [0, 1, 0], [0, 0, 0]
    shape = np.shape(pi0) if pi0 is not None else ()
    for undefined in (0, 1, 0.0, 1.0, np.nan):
        value = metrics.precision_score(y_true, y_pred, pi0=pi0, zero_division=undefined)
        assert np.shape(value) == shape
        np.testing.assert_array_equal(value, np.full(shape, undefined))
    with pytest.warns(UndefinedMetricWarning, match="precision.*zero_division"):
        value = metrics.precision_score(y_true, y_pred, pi0=pi0)
    np.testing.assert_array_equal(value, np.zeros(shape))
    for function in (metrics.recall_score, metrics.f1_score):
        np.testing.assert_array_equal(function(y_true, y_pred, pi0=pi0), np.zeros(shape))
    np.testing.assert_array_equal(
        metrics.specificity_score(y_true, y_pred, pi0=pi0), np.ones(shape)
    )


@pytest.mark.parametrize("pi0", [None, 0.2, [0.2, 0.7]])
def test_nothing_predicted_negative(pi0):
    y_true, y_pred = [0, 1, 0], [1, 1, 1]
    shape = np.shape(pi0) if pi0 is not None else ()
    for undefined in (0, 1, 0.0, 1.0, np.nan):
        value = metrics.npv_score(y_true, y_pred, pi0=pi0, zero_division=undefined)
        assert np.shape(value) == shape
        np.testing.assert_array_equal(value, np.full(shape, undefined))
    with pytest.warns(UndefinedMetricWarning, match="npv.*negative.*zero_division") as caught:
        value = metrics.npv_score(y_true, y_pred, pi0=pi0)
    assert len(caught) == 1
    np.testing.assert_array_equal(value, np.zeros(shape))
    np.testing.assert_array_equal(
        metrics.specificity_score(y_true, y_pred, pi0=pi0), np.zeros(shape)
    )


def test_warning_points_at_the_caller():
    for function, y_pred in ((metrics.precision_score, [0, 0]), (metrics.npv_score, [1, 1])):
        with pytest.warns(UndefinedMetricWarning) as caught:
            function([0, 1], y_pred)
        assert caught[0].filename == __file__


def test_weightless_predicted_positives_count_as_none():
    arguments = {"y_true": [1, 0, 1, 0], "y_pred": [1, 0, 0, 0], "sample_weight": [0, 1, 1, 1]}
    assert metrics.precision_score(**arguments, zero_division=1) == 1
    with pytest.warns(UndefinedMetricWarning):
        assert metrics.precision_score(**arguments) == 0


@pytest.mark.parametrize("zero_division", [2, -1, 0.5, "0", "Warn", None, math.inf, [0], 1j])
def test_zero_division_must_be_known(hard_case, zero_division):
    if not hard_case.takes_zero_division:
        return
    for y_pred in (Y_PRED, [0] * 10):
        with pytest.raises((ValueError, TypeError), match="zero_division"):
            hard_case.of_labels(Y_TRUE, y_pred, zero_division=zero_division, **hard_case.options)


@pytest.mark.parametrize(
    "y_pred",
    [
        [2] * 10, [0.5] * 10, ["1"] * 10, [None] * 10, [math.nan] * 10, [-1, 1] * 5,
        np.array([1, 0] * 4 + [math.nan, 1]), np.array([1, 0, None] * 3 + [1], dtype=object),
        [], [1], Y_PRED[:9], [Y_PRED], 1, None, "0101010101",
    ],
    ids=short,
)  # fmt: skip
def test_bad_predicted_labels(hard_case, y_pred):
    with pytest.raises((ValueError, TypeError), match="y_pred"):
        hard_case(Y_TRUE, y_pred)


def test_unhashable_predicted_labels(hard_case):
    y_pred = np.empty(10, dtype=object)
    y_pred[:] = [[label] for label in Y_PRED]
    with pytest.raises((ValueError, TypeError), match="y_pred"):
        hard_case(Y_TRUE, y_pred)


@pytest.mark.parametrize("beta", [0, -1.0, math.nan, math.inf, "2", None, True])
def test_bad_beta(beta):
    for y_pred in (Y_PRED, [0] * 10):
        with pytest.raises((ValueError, TypeError), match="beta"):
            metrics.fbeta_score(Y_TRUE, y_pred, beta=beta)
    with pytest.raises((ValueError, TypeError), match="beta"):
        metrics.best_fbeta_score(Y_TRUE, Y_SCORE, beta=beta)


# ------------------------------------------------------------------------ labels of any type

LABELS = {
    "bools": (False, True, True),
    "bools, as 1": (False, True, 1),
    "minus one": (-1, 1, 1),
    "floats": (0.0, 1.0, 1),
    "strings": ("ok", "fraud", "fraud"),
    "bytes": (b"n", b"p", b"p"),
    "swapped": (1, 0, 0),
    "large": (10**18, 10**18 + 1, 10**18 + 1),
    "unsigned": (np.uint8(0), np.uint8(255), 255),
    "integers": (3, 7, 7),
    "dates": (np.datetime64("2020"), np.datetime64("2021"), np.datetime64("2021")),
}  # fmt: skip


@pytest.mark.parametrize("make", [list, np.array, pd.Series, lambda v: np.array(v, dtype=object)],
                         ids=["list", "array", "series", "objects"])  # fmt: skip
def test_labels_of_any_type(case, make):
    for pi0 in (None, 0.01):
        expected = case(Y_TRUE, Y_SCORE, pi0=pi0)
        for kind, (negative, positive, pos_label) in LABELS.items():
            y_true = make([positive if label else negative for label in Y_TRUE])
            assert case(y_true, Y_SCORE, pi0=pi0, pos_label=pos_label) == expected, kind


@pytest.mark.parametrize(("negative", "positive", "pos_label"), LABELS.values(), ids=LABELS)
def test_predicted_labels_of_any_type(hard_case, negative, positive, pos_label):
    y_true, y_pred = ([positive if y else negative for y in labels] for labels in (Y_TRUE, Y_PRED))
    value = hard_case(y_true, y_pred, pos_label=pos_label, pi0=0.01)
    assert value == hard_case(Y_TRUE, Y_PRED, pi0=0.01)


def test_categorical_and_nullable_labels(case):
    words = ["fraud" if label else "ok" for label in Y_TRUE]
    expected = case(Y_TRUE, Y_SCORE, pi0=0.3)
    for labels, pos_label in (
        (pd.Series(words, dtype="category"), "fraud"),
        (pd.Series(words, dtype="string"), "fraud"),
        (pd.Series(Y_TRUE, dtype="Int64"), 1),
        (pd.Series(Y_TRUE, dtype="boolean"), True),
    ):
        assert case(labels, Y_SCORE, pos_label=pos_label, pi0=0.3) == expected


BAD_LABELS = {
    "three labels": ([0, 1, 2] * 3 + [1], {}),
    "only positives": ([1] * 10, {}),
    "only negatives": ([0] * 10, {}),
    "pos_label missing": (["ok", "fraud"] * 5, {}),
    "pos_label mistyped": (["ok", "fraud"] * 5, {"pos_label": "Fraud"}),
    "pos_label of another type": (["0", "1"] * 5, {}),
    "pos_label None": (Y_TRUE, {"pos_label": None}),
    "pos_label NaN": (Y_TRUE, {"pos_label": math.nan}),
    "pos_label a list": ([0, 0, 1, 1] * 2 + [1, 1], {"pos_label": [1, 0] * 4 + [1, 1]}),
    "pos_label a list of one": (Y_TRUE, {"pos_label": [1]}),
    "pos_label an array": (Y_TRUE, {"pos_label": np.array(1)}),
    "pos_label a structure": (Y_TRUE, {"pos_label": np.zeros(1, "i4,f8")[0]}),
    "pos_label a huge integer": ([0.0, 1.0] * 5, {"pos_label": 10**400}),
    "a list among the labels": (np.array([0, 1, []] * 3 + [1], dtype=object), {}),
    "NaN": ([0, 1, math.nan] * 3 + [1], {}),
    "NaN for the negatives": ([1, math.nan] * 5, {}),
    "None": ([0, 1, None] * 3 + [1], {}),
    "None for the negatives": ([1, None] * 5, {}),
    "NaN in objects": (np.array([0, 1, math.nan] * 3 + [1], dtype=object), {}),
    "NaN for the negatives, in objects": (np.array([1, math.nan] * 5, dtype=object), {}),
    "NA": (pd.Series([0, 1, None] * 3 + [1], dtype="Int64"), {}),
    "NA for the negatives": (pd.Series([1, None] * 5, dtype="Int64"), {}),
    "NA in booleans": (pd.Series([True, False, None] * 3 + [True], dtype="boolean"), {}),
    "NA in strings": (pd.Series(["a", None] * 5, dtype="string"), {"pos_label": "a"}),
    "None in strings": (np.array(["a", None] * 5, dtype=object), {"pos_label": "a"}),
    "NaT": (np.array(["2020-01-01", "NaT"] * 5, dtype="M8[D]"),
            {"pos_label": np.datetime64("2020-01-01")}),
    "one too few": (Y_TRUE[:9], {}),
    "empty": ([], {}),
    "two-dimensional": (np.reshape(Y_TRUE, (5, 2)), {}),
    "column": (np.reshape(Y_TRUE, (10, 1)), {}),
    "frame": (pd.DataFrame({"y": Y_TRUE}), {}),
    "scalar": (1, {}),
    "nothing": (None, {}),
    "text": ("0100101000", {}),
    "ragged": ([[0], [1, 0]] * 5, {}),
    "set": ({0, 1}, {}),
    "masked": (np.ma.array(Y_TRUE, mask=[1] + [0] * 9), {}),
}  # fmt: skip


@pytest.mark.parametrize(("y_true", "options"), BAD_LABELS.values(), ids=BAD_LABELS)
def test_bad_labels_are_refused_by_name(y_true, options):
    functions = [metrics.average_precision_score, ConfusionCurve.from_predictions]
    for function in functions + CURVES:
        with pytest.raises((ValueError, TypeError), match=r"y_true|pos_label"):
            function(y_true, Y_SCORE, **options)
    with pytest.raises((ValueError, TypeError), match=r"y_true|pos_label"):
        metrics.precision_score(y_true, Y_PRED, **options)


@pytest.mark.parametrize("value", [10**5000, -(10**5000)], ids=["positive", "negative"])
def test_numbers_that_python_does_not_print_are_refused_by_name(value):
    for options in ({"pi0": value}, {"sample_weight": [value, 1]}, {"pos_label": value}):
        with pytest.raises((ValueError, TypeError), match=next(iter(options))):
            metrics.roc_auc_score([0, 1], [1, 2], **options)


@pytest.mark.parametrize("pi0", [np.timedelta64(1, "s"), [0.5, [0.5]], [[0.5], 0.1]])
def test_odd_priors_are_refused_by_name(pi0):
    for function, y in ((metrics.roc_auc_score, Y_SCORE), (metrics.precision_score, Y_PRED)):
        with pytest.raises((ValueError, TypeError), match="pi0"):
            function(Y_TRUE, y, pi0=pi0)


def test_messages_name_the_value_and_what_is_allowed():
    for call, message in (
        (lambda: metrics.roc_auc_score([0, 1, 2], [1, 2, 3]), r"exactly two labels.*\[0, 1, 2\]"),
        (lambda: metrics.roc_auc_score([0, 2], [1, 2]), r"pos_label=1 is not among.*\[0, 2\]"),
        (lambda: metrics.roc_auc_score([1, 1], [1, 2]), r"only the positive class 1.*no prior"),
        (lambda: metrics.roc_auc_score([0, 1], [1]), "y_true has 2.*y_score has 1"),
        (lambda: metrics.roc_auc_score([0, 1], [1, math.nan]), "y_score must be finite, got nan"),
        (lambda: metrics.roc_auc_score([0, 1], [1, 2], pi0=1.5), r"pi0.*\(0, 1\), got 1\.5"),
        (
            lambda: metrics.roc_auc_score([0, 1], [1, 2], sample_weight=[1, -2]),
            r"sample_weight must not be negative, got -2\.0 at index 1",
        ),
        (
            lambda: metrics.recall_score([0, 1], [1, 3]),
            r"y_pred must hold labels of y_true only, got \[3\]",
        ),
        (
            lambda: metrics.recall_score([0, 1] * 50, np.arange(100) / 101),
            r"\.\.\. 99 in all\]; scores become labels by a threshold",
        ),
        (lambda: metrics.roc_auc_score(range(100), range(100)), r"\.\.\. 100 in all"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            call()


# ------------------------------------------------------------------------ scores and weights

BAD_SCORES = {
    "NaN": [1.0] * 9 + [math.nan],
    "NaN first": [math.nan] + [1.0] * 9,
    "infinity": [1.0] * 9 + [math.inf],
    "minus infinity": [1.0] * 9 + [-math.inf],
    "None": [1.0] * 9 + [None],
    "NA": pd.Series([1.0] * 9 + [None], dtype="Float64"),
    "complex": [1.0] * 9 + [1j],
    "complex without imaginary part": np.array(Y_SCORE, dtype=complex),
    "complex objects": np.array([1.0] * 9 + [1j], dtype=object),
    "strings": [str(score) for score in Y_SCORE],
    "strings as objects": np.array([str(score) for score in Y_SCORE], dtype=object),
    "series of strings": pd.Series([str(score) for score in Y_SCORE]),
    "bytes": np.array([b"1"] * 10),
    "dates": np.array(["2020-01-01"] * 10, dtype="M8[D]"),
    "durations": np.arange(10).astype("m8[s]"),
    "one too few": Y_SCORE[:9],
    "empty": [],
    "two-dimensional": np.reshape(Y_SCORE, (5, 2)),
    "column": np.reshape(Y_SCORE, (10, 1)),
    "two columns of probabilities": np.ones((10, 2)) / 2,
    "scalar": 0.5,
    "nothing": None,
    "text": "0123456789",
    "ragged": [[0], [1, 0]] * 5,
    "too large an integer": [10**400, *Y_SCORE[1:]],
    "masked": np.ma.array(Y_SCORE, mask=[1] + [0] * 9),
    "a masked element in a list": [np.ma.masked, *Y_SCORE[1:]],
}


@pytest.mark.parametrize("y_score", BAD_SCORES.values(), ids=BAD_SCORES)
def test_bad_scores_are_refused_by_name(y_score):
    functions = [metrics.average_precision_score, ConfusionCurve.from_predictions]
    for function in functions + CURVES:
        for arguments in ({}, {"sample_weight": WEIGHTS}):
            with pytest.raises((ValueError, TypeError), match="y_score"):
                function(Y_TRUE, y_score, **arguments)


BAD_WEIGHTS = {
    "negative": [1.0] * 9 + [-1e-300],
    "all zero": [0] * 10,
    "NaN": [1.0] * 9 + [math.nan],
    "infinity": [1.0] * 9 + [math.inf],
    "None": [1.0] * 9 + [None],
    "strings": ["1"] * 10,
    "strings as objects": np.array(["1"] * 10, dtype=object),
    "complex": np.ones(10, dtype=complex),
    "one too few": [1] * 9,
    "empty": [],
    "column": np.ones((10, 1)),
    "scalar": 1.0,
    "text": "balanced",
    "overflow": [1e308] * 10,
    "too far apart": [1e-200] + [1e200] * 9,
    "masked": np.ma.array(np.ones(10), mask=[1] + [0] * 9),
}


@pytest.mark.parametrize("weights", BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
def test_bad_weights_are_refused_by_name(weights):
    functions = [metrics.average_precision_score, ConfusionCurve.from_predictions]
    for function in functions + CURVES:
        with pytest.raises((ValueError, TypeError), match="sample_weight"):
            function(Y_TRUE, Y_SCORE, sample_weight=weights)
    with pytest.raises((ValueError, TypeError), match="sample_weight"):
        metrics.recall_score(Y_TRUE, Y_PRED, sample_weight=weights)


@pytest.mark.parametrize("label", [0, 1])
def test_a_class_without_weight_is_missing(case, label):
    weights = [0 if y == label else 1 for y in Y_TRUE]
    with pytest.raises(ValueError, match="y_true"):
        case(Y_TRUE, Y_SCORE, sample_weight=weights)


def _read_only(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "float32": lambda v: np.array(v, np.float32),
    "float16": lambda v: np.array(v, np.float16),
    "uint8": lambda v: np.array(v, np.uint8),
    "int64": lambda v: np.array(v, np.int64),
    "big-endian": lambda v: np.array(v, ">f8"),
    "objects": lambda v: np.array(v, dtype=object),
    "fractions": lambda v: [Fraction(x) for x in v],
    "read-only": _read_only,
    "strided": lambda v: np.repeat(v, 3)[::3],
    "reversed twice": lambda v: np.array(v[::-1])[::-1],
    "column of a matrix": lambda v: np.stack([v, v], axis=1)[:, 0],
    "series with an odd index": lambda v: pd.Series(v, index=[7, 7, *range(100, 92, -1)]),
    "nullable series": lambda v: pd.Series(v, dtype="Int64"),
    "masked nowhere": np.ma.array,
    "range-like": lambda v: memoryview(np.array(v)),
}


def test_numbers_in_any_container(case):
    expected = case(Y_TRUE, Y_SCORE, pi0=0.3, sample_weight=WEIGHTS)
    for kind, make in CONTAINERS.items():
        value = case(make(Y_TRUE), make(Y_SCORE), pi0=0.3, sample_weight=make(WEIGHTS))
        assert value == expected, kind


def test_predicted_labels_in_any_container(hard_case):
    expected = hard_case(Y_TRUE, Y_PRED, pi0=0.3, sample_weight=WEIGHTS)
    for kind, make in CONTAINERS.items():
        value = hard_case(make(Y_TRUE), make(Y_PRED), pi0=0.3, sample_weight=make(WEIGHTS))
        assert value == expected, kind


def test_boolean_scores_are_zero_and_one(case):
    y_score = [True, True, False, False, True, False, False, False, True, False]
    expected = case(Y_TRUE, [int(score) for score in y_score])
    for make in (list, np.array, pd.Series):
        assert case(Y_TRUE, make(y_score)) == expected


@pytest.mark.parametrize(
    "y_score",
    [
        np.array([9, 8, 8, 7, 6, 5, 4, 3, 2, 1]) * 5e-324,
        np.array([9, 8, 8, 7, 6, 5, 4, 3, 2, 1]) * 1.9e307,
        np.array([9, 8, 8, 7, 6, 5, 4, 3, 2, 1]) * 1e-200 - 1e-199,
        1 + np.array([9, 8, 8, 7, 6, 5, 4, 3, 2, 1]) * np.finfo(float).eps,
        [np.finfo(float).max, 5e-324, 5e-324, 0.0, -5e-324, -1, -2, -3, -4, -np.finfo(float).max],
        np.array([9, 8, 8, 7, 6, 5, 4, 3, 2, 1]) * np.float32(1e-45),
    ],
    ids=["subnormal", "huge", "tiny differences", "neighbours", "the whole range", "float32"],
)
def test_scores_at_the_ends_of_float64(case, y_score):
    for pi0 in (None, 0.01):
        assert case(Y_TRUE, y_score, pi0=pi0) == case(Y_TRUE, Y_SCORE, pi0=pi0)


def test_signed_zeros_are_tied(case):
    y_true = [1, 0, 1, 0, 0]
    expected = case(y_true, [1, 0.0, 0.0, 0.0, -1])
    for zeros in itertools.product([0.0, -0.0], repeat=3):
        assert case(y_true, [1, *zeros, -1]) == expected


@pytest.mark.parametrize(
    "y_score",
    [
        [2**53 + 1, 2**53],
        np.array([2**53 + 1, 2**53]),
        np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64),
        np.array([1 + 1e-18, 1], dtype=np.longdouble) + np.array([1e-18, 0], dtype=np.longdouble),
    ],
    ids=["list", "int64", "uint64", "longdouble"],
)
def test_scores_that_float64_cannot_tell_apart(y_score):
    """Different scores must not silently become a tie: refused, or kept apart."""
    if np.asarray(y_score)[0] == np.asarray(y_score)[1]:
        pytest.skip("the platform's type does not tell them apart either")
    try:
        value = metrics.roc_auc_score([1, 0], y_score)
    except (ValueError, TypeError) as error:
        assert "y_score" in str(error)  # noqa: PT017
    else:
        assert value == 1


def test_smallest_samples(case):
    assert case.is_perfect(case([1, 0], [2, 1]), 0.5)
    for y_true, y_score in (([0, 1], [2, 1]), ([0, 1], [1, 1])):
        exact = case.oracle(oracle.Ranking.of_samples(y_true, y_score))
        assert oracle.error(case(y_true, y_score), exact) <= 1e-15


@pytest.mark.parametrize("label", [0, 1])
def test_one_sample_of_a_class_among_many(case, label):
    for at in range(20):
        y_true = np.full(20, 1 - label)
        y_true[at] = label
        ranking = oracle.Ranking.of_samples(y_true, range(20))
        for pi0 in (None, 1e-6, 0.5):
            exact = case.oracle(ranking.by_formula(pi0))
            assert oracle.error(case(y_true, range(20), pi0=pi0), exact) <= 1e-12


def test_scores_are_not_changed(case):
    assert_unchanged(case, Y_SCORE)


def test_predicted_labels_are_not_changed(hard_case):
    assert_unchanged(hard_case, Y_PRED)


def assert_unchanged(metric, predicted):
    y_true, predicted, weights, priors = given = [
        np.array(values) for values in (Y_TRUE, predicted, WEIGHTS, [0.5, 0.1])
    ]
    before = [values.copy() for values in given]
    metric(y_true, predicted, pi0=priors, sample_weight=weights)
    for values, original in zip(given, before, strict=True):
        np.testing.assert_array_equal(values, original)
        assert values.flags.writeable


# ------------------------------------------------------------------------ the interface


def test_everything_is_importable_from_the_package():
    for name in metrics.__all__:
        assert getattr(calibrated_metrics, name) is getattr(metrics, name)
        assert name in calibrated_metrics.__all__
    for name in calibrated_metrics.__all__:
        assert hasattr(calibrated_metrics, name)


# They are defined whenever both classes are present.
NEVER_UNDEFINED = {
    *("specificity_score", "accuracy_score", "balanced_accuracy_score"),
    *("cohen_kappa_score", "net_benefit_score"),
}


@pytest.mark.parametrize("name", _public_functions())
def test_shape_of_the_functions(name):
    parameters = inspect.signature(_public_functions()[name]).parameters
    positional = [p.name for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    keywords = {p.name: p.default for p in parameters.values() if p.kind is p.KEYWORD_ONLY}
    assert positional in (["y_true", "y_score"], ["y_true", "y_pred"])
    assert {"pi0": None, "pos_label": 1, "sample_weight": None}.items() <= keywords.items()
    takes_labels = positional[1] == "y_pred"
    assert ("zero_division" in keywords) == (takes_labels and name not in NEVER_UNDEFINED)


def _sections(docstring):
    """Sections of a docstring by title, in order; the summary has an empty title."""
    lines = inspect.cleandoc(docstring).splitlines()
    sections, title = {"": []}, ""
    for line, underline in itertools.zip_longest(lines, lines[1:], fillvalue=""):
        if underline and set(underline) == {"-"}:
            title = line
            sections[title] = []
        elif not (line and set(line) == {"-"}):
            sections[title].append(line)
    return sections


def _documented(section):
    """Names and types of a section of parameters."""
    entries = [line.split(" : ") for line in section if line and not line.startswith(" ")]
    return {name: of_type for names, of_type in entries for name in names.split(", ")}


NUMPYDOC_ORDER = [
    "",
    "Parameters",
    "Returns",
    "Raises",
    "See Also",
    "Notes",
    "References",
    "Examples",
]


@pytest.mark.parametrize("name", _public_functions())
def test_docstrings_document_the_signature(name):
    function = _public_functions()[name]
    sections = _sections(function.__doc__)
    assert list(sections) == [title for title in NUMPYDOC_ORDER if title in sections]
    assert {"", "Parameters", "Returns", "Raises"} <= set(sections)
    assert sections[""][0].endswith(".")
    assert sections[""][1:2] == [""]  # a summary of one line
    parameters = inspect.signature(function).parameters
    documented = _documented(sections["Parameters"])
    assert list(documented) == list(parameters)
    for parameter in parameters.values():
        default = re.search(r"default=(.*)$", documented[parameter.name])
        if parameter.default is parameter.empty:
            assert default is None, parameter
        else:
            assert default[1] == repr(parameter.default).replace("'", '"'), parameter
    several_priors = "array-like" in documented["pi0"]
    assert several_priors == (function not in CURVES)
    assert several_priors == any("(n_priors,)" in line for line in sections["Returns"])


@pytest.mark.parametrize("function", CURVES, ids=lambda function: function.__name__)
def test_returned_names_are_those_of_the_docstring(function):
    section = _sections(function.__doc__)["Returns"]
    names = [name for line in section if " : " in line for name in line.split(" : ")[0].split(", ")]
    assert len(names) == len(function(Y_TRUE, Y_SCORE))


@pytest.mark.parametrize("pi0", [None, 0.3])
@pytest.mark.parametrize("function", CURVES, ids=lambda function: function.__name__)
def test_returned_curves_are_new_arrays(monkeypatch, function, pi0):
    """They may be written to, and share no memory with the curve or with each other."""
    curves = []

    def remembered(y_true, y_score, pos_label, sample_weight):
        curves.append(
            ConfusionCurve.from_predictions(
                y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
            )
        )
        return curves[-1]

    monkeypatch.setattr(metrics.curves, "curve_of", remembered)
    given = [np.array(values, dtype=float) for values in (Y_TRUE, Y_SCORE)]
    returned = function(*given, pi0=pi0)
    (curve,) = curves
    kept = [*given, curve.thresholds, curve.tp, curve.fp, *curve.positive_steps]
    before = [values.copy() for values in kept]
    for one, other in itertools.combinations(returned, 2):
        assert not np.shares_memory(one, other)
    for values in returned:
        assert values.flags.writeable
        assert not any(np.shares_memory(values, each) for each in kept)
        values[:] = -1
    for values, original in zip(kept, before, strict=True):
        np.testing.assert_array_equal(values, original)


def test_returned_values_at_several_priors_are_new_arrays(case):
    assert_new_arrays(lambda priors: [case(Y_TRUE, Y_SCORE, pi0=priors)])


def test_returned_values_of_labels_at_several_priors_are_new_arrays(hard_case):
    assert_new_arrays(
        lambda priors: [
            hard_case(Y_TRUE, Y_PRED, pi0=priors),
            hard_case(Y_TRUE, [0] * 9 + [1], pi0=priors),
            hard_case(Y_TRUE, [0] * 10, pi0=priors, zero_division=0),
        ]
    )


def assert_new_arrays(at):
    priors = np.array([0.2, 0.7])
    for values in at(priors):
        assert values.flags.writeable
        assert values.flags.owndata
        assert not np.shares_memory(values, priors)
        values[:] = -1
    assert priors.tolist() == [0.2, 0.7]


def test_every_score_has_a_function():
    built_in = {name for name in scores.__all__ if inspect.isfunction(getattr(scores, name))}
    assert {f"{name}_score" for name in built_in} <= set(metrics.__all__)


def test_no_warning_escapes(case):
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for y_true, y_score, weights in _samples(40, seed=3):
            case(y_true, y_score, pi0=[1e-6, 0.5, 1 - 1e-6], sample_weight=weights)
