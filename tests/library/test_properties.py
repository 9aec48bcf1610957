"""Properties of every score on any ranking, checked by hypothesis."""

import math
from dataclasses import dataclass
from decimal import Decimal

import hypothesis.strategies as st
import numpy as np
import oracle
import pytest
import sklearn.metrics
from hypothesis import given, settings

from calibrated_metrics import ConfusionCurve, functions, scores
from calibrated_metrics.scores import registered_scores

pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore:the scores are only 0 and 1"),
]


@dataclass(frozen=True)
class Drawn:
    """Labels 0 and 1, scores, weights: tuples, so that a refuted property prints them."""

    y_true: tuple
    y_score: tuple
    weights: tuple | None = None

    @property
    def arrays(self):
        weights = None if self.weights is None else np.array(self.weights, dtype=float)
        return np.array(self.y_true), np.array(self.y_score, dtype=float), weights

    @property
    def unit(self):
        return np.ones(len(self.y_true)) if self.weights is None else np.array(self.weights, float)

    def curve(self) -> ConfusionCurve:
        y_true, y_score, weights = self.arrays
        return ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weights)


any_float = st.floats(allow_nan=False, allow_infinity=False)
few_values = st.integers(-4, 4)
SCORES = st.one_of(few_values, few_values, any_float)
# Multiples of 1/8, zero among them: sums of them are exact.
WEIGHTS = st.integers(0, 40).map(lambda eighths: eighths / 8)
PRIORS = st.one_of(
    st.sampled_from([1e-6, 0.01, 0.5, 0.99, 1 - 1e-6]),
    st.floats(-6, -0.31).map(lambda exponent: 10**exponent),
    st.floats(-6, -0.31).map(lambda exponent: 1 - 10**exponent),
)
MAYBE_PRIORS = st.one_of(st.none(), PRIORS)


@st.composite
def samples(draw, weights=WEIGHTS, scores=SCORES, max_size=24, weighted=None):
    n = draw(st.integers(2, max_size))
    rest = draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))
    y_true = draw(st.permutations([0, 1, *rest]))
    y_score = draw(st.lists(scores, min_size=n, max_size=n))
    weighted = draw(st.booleans()) if weighted is None else weighted
    if not weighted:
        return Drawn(tuple(y_true), tuple(y_score))
    drawn = draw(st.lists(weights, min_size=n, max_size=n))
    for label in (0, 1):
        if not any(w for y, w in zip(y_true, drawn, strict=True) if y == label):
            drawn[y_true.index(label)] = 1
    return Drawn(tuple(y_true), tuple(y_score), tuple(drawn))


def _value(case, sample, pi0=None):
    y_true, y_score, weights = sample.arrays
    return case(y_true, y_score, pi0=pi0, sample_weight=weights)


def _calibrated(curve, pi0):
    return curve if pi0 is None else curve.at_prior(pi0)


def assert_equal(value, other, tolerance=1e-11, of=""):
    """Equal absolutely up to 1 in size, relatively above; an undefined metric (NaN) equals NaN."""
    if value == other:  # also if both are infinite
        return
    if math.isnan(value) or math.isnan(other):
        assert math.isnan(value), (of, value, other)
        assert math.isnan(other), (of, value, other)
        return
    assert abs(value - other) <= tolerance * max(1, abs(other)), (of, value, other)


def test_every_registered_score_is_checked(every_case):
    built_in = {
        score.function for score in registered_scores().values() if score.name in scores.__all__
    }
    assert {case.score for case in every_case} == built_in


# ------------------------------------------------------------------------ calibration


@given(samples(), MAYBE_PRIORS)
def test_scores_of_labels_are_those_of_their_curve(every_case, sample, pi0):
    curve = _calibrated(sample.curve(), pi0)
    for case in every_case:
        assert_equal(_value(case, sample, pi0), case.curve(curve), 1e-14, case.name)


# ------------------------------------------------------------------------ the exact reference


def _exact(sample):
    positive = [y == 1 for y in sample.y_true]
    return oracle.Ranking.of_samples(positive, sample.y_score, sample.weights)


def assert_exact(case, value, ranking, tolerance):
    exact = case.oracle(ranking)
    if isinstance(exact, float) and math.isnan(exact):
        assert math.isnan(value), case.name
    else:
        assert oracle.error(value, exact) <= tolerance, (case.name, value, float(exact))


@settings(max_examples=3 * settings().max_examples)  # the main proof of all values
@given(samples(), MAYBE_PRIORS)
def test_scores_are_exact(every_case, sample, pi0):
    ranking = _exact(sample).by_formula(pi0)
    for case in every_case:
        assert_exact(case, _value(case, sample, pi0), ranking, 1e-12)


@given(samples(weights=st.floats(-8, 8).map(lambda exponent: 10**exponent), weighted=True),
       MAYBE_PRIORS)  # fmt: skip
def test_scores_are_exact_for_weights_over_sixteen_decades(every_case, sample, pi0):
    ranking = _exact(sample).by_formula(pi0)
    # The curve holds TP in float64, so that FN = n_pos - TP, which recall gain multiplies by the
    # odds of the classes, is known to a few roundings of n_pos only.
    odds = float(ranking.prior / (1 - ranking.prior))
    for case in every_case:
        tolerance = 1e-12 + (1e-14 * odds if case.score is scores.prg_auc else 0)
        assert_exact(case, _value(case, sample, pi0), ranking, tolerance)


@pytest.mark.parametrize("beta", [1e-3, 1, 1000])
@given(samples(), MAYBE_PRIORS)
def test_best_fbeta_is_exact_for_any_beta(beta, sample, pi0):
    exact = oracle.best_fbeta(_exact(sample).by_formula(pi0), beta)
    value = scores.best_fbeta(_calibrated(sample.curve(), pi0), beta)
    assert oracle.error(value, exact) <= 1e-12


@given(samples(), PRIORS)
def test_the_exact_reference_agrees_with_itself(every_case, sample, pi0):
    """Both ways to calibrate, and both definitions of the area under the ROC curve."""
    ranking = _exact(sample)
    for case in every_case:
        by_formula = case.oracle(ranking.by_formula(pi0))
        by_reweighting = case.oracle(ranking.by_reweighting(pi0))
        if isinstance(by_formula, Decimal):
            assert abs(by_formula - by_reweighting) < Decimal("1e-60"), case.name
        else:
            np.testing.assert_equal(by_formula, by_reweighting, case.name)  # NaN equals NaN
    assert oracle.roc_auc(ranking) == oracle.mann_whitney(ranking)


@st.composite
def perfect_samples(draw):
    """Positives above 0, negatives below, weights over 140 decades."""
    y_true = draw(st.permutations([0, 1, *draw(st.lists(st.integers(0, 1), max_size=20))]))
    sizes = st.one_of(st.integers(1, 4), st.floats(1e-300, 1e300))
    y_score = [draw(sizes) * (1 if y else -1) for y in y_true]
    if draw(st.booleans()):
        return Drawn(tuple(y_true), tuple(y_score))
    weights = [10 ** draw(st.floats(-70, 70)) for _ in y_true]
    return Drawn(tuple(y_true), tuple(y_score), tuple(weights))


@given(perfect_samples(), perfect_samples(), MAYBE_PRIORS, MAYBE_PRIORS)
def test_a_perfect_ranking_has_the_perfect_value(every_case, sample, other, prior, pi0):
    y_true, y_score, _ = sample.arrays
    curve = sample.curve()
    from_counts = ConfusionCurve.from_counts(
        y_score, sample.unit * (y_true == 1), sample.unit * (y_true == 0)
    )
    merged = [one + other.curve() for one in (curve, from_counts, _calibrated(curve, prior))]
    for one in (curve, from_counts, *merged):
        perfect = _calibrated(one, pi0)
        for case in every_case:
            assert case.is_perfect(case.curve(perfect), perfect.prior), case.name
        for beta in (1e-3, 1 / 3, 3, 1e3):
            assert scores.best_fbeta(perfect, beta) == 1, beta


# ------------------------------------------------------------------------ rankings


def _ranks(y_score):
    return np.unique(np.array(y_score), return_inverse=True)[1]


INCREASING = {
    "exp": np.exp,
    "tiny": lambda s: s * 1e-300,
    "float32": lambda s: s.astype(np.float32),
    "int8": lambda s: s.astype(np.int8),
}


@pytest.mark.parametrize("increasing", INCREASING.values(), ids=INCREASING)
@given(samples(scores=few_values), PRIORS)
def test_increasing_maps_of_scores_and_threshold_change_nothing(
    every_case, increasing, sample, pi0
):
    y_true, y_score, weights = sample.arrays
    mapped = increasing(y_score)
    assert (_ranks(mapped) == _ranks(y_score)).all()
    curve, of_mapped = (
        ConfusionCurve.from_predictions(y_true, each, sample_weight=weights).at_prior(pi0)
        for each in (y_score, mapped)
    )
    for case in every_case:
        value = case.mapped(increasing).curve(of_mapped)
        assert_equal(value, case.curve(curve), 1e-14, case.name)


@given(samples(), MAYBE_PRIORS, st.sampled_from([
    (False, True), (-1, 1), ("b", "a"), (0.0, 2.5), (b"x", b"y"), (5, 4), (10**17, 10**17 + 1),
]))  # fmt: skip
def test_labels_may_be_of_any_type(every_case, sample, pi0, labels):
    y_true, y_score, weights = sample.arrays
    renamed = [labels[y] for y in sample.y_true]
    for case in every_case:
        value = case(renamed, y_score, pi0=pi0, sample_weight=weights, pos_label=labels[1])
        assert_equal(value, _value(case, sample, pi0), 0, case.name)
    assert y_true.tolist() == list(sample.y_true)


# ------------------------------------------------------------------------ scikit-learn


@given(samples(), st.sampled_from([0.01, 0.3, 0.77, 0.999]))
def test_areas_equal_those_of_scikit_learn(sample, max_fpr):
    y_true, y_score, weights = sample.arrays
    for ours, theirs, options in (
        (functions.average_precision_score, sklearn.metrics.average_precision_score, {}),
        (functions.roc_auc_score, sklearn.metrics.roc_auc_score, {}),
        (functions.partial_roc_auc_score, sklearn.metrics.roc_auc_score, {"max_fpr": max_fpr}),
    ):
        value, expected = (
            function(y_true, y_score, sample_weight=weights, **options)
            for function in (ours, theirs)
        )
        assert_equal(value, float(expected), 1e-12)
