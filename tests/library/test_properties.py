"""Properties of every score on any ranking, checked by hypothesis."""

import math
import warnings
from dataclasses import dataclass, replace

import hypothesis.strategies as st
import numpy as np
import oracle
import pytest
import sklearn.exceptions
import sklearn.metrics
from hypothesis import assume, given

from calibrated_metrics import ConfusionCurve, functions, scores, spaces
from calibrated_metrics.scores import registered_scores
from calibrated_metrics.scores.facts import facts_of

pytestmark = pytest.mark.filterwarnings("error")


@dataclass(frozen=True)
class Sample:
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

    def rows(self, rows) -> "Sample":
        return Sample(
            tuple(self.y_true[row] for row in rows),
            tuple(self.y_score[row] for row in rows),
            None if self.weights is None else tuple(self.weights[row] for row in rows),
        )

    def __add__(self, other) -> "Sample":
        weights = None
        if self.weights is not None or other.weights is not None:
            weights = (*self.unit.tolist(), *other.unit.tolist())
        return Sample(self.y_true + other.y_true, self.y_score + other.y_score, weights)


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
        return Sample(tuple(y_true), tuple(y_score))
    drawn = draw(st.lists(weights, min_size=n, max_size=n))
    for label in (0, 1):
        if not any(w for y, w in zip(y_true, drawn, strict=True) if y == label):
            drawn[y_true.index(label)] = 1
    return Sample(tuple(y_true), tuple(y_score), tuple(drawn))


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


def assert_same_scores(cases, sample, other, pi0=None, tolerance=1e-11):
    """Every score is the same on two samples."""
    for case in cases:
        assert_equal(_value(case, sample, pi0), _value(case, other, pi0), tolerance, case.name)


def test_every_registered_score_is_checked(every_case):
    built_in = {
        score.function for score in registered_scores().values() if score.name in scores.__all__
    }
    assert {case.score for case in every_case} == built_in


# ------------------------------------------------------------------------ calibration


@given(samples(), PRIORS)
def test_a_reference_prior_is_a_weight_of_the_negatives(every_case, sample, pi0):
    y_true, y_score, _ = sample.arrays
    prior = sample.curve().prior
    ratio = prior * (1 - pi0) / (pi0 * (1 - prior))
    reweighted = np.where(y_true == 1, sample.unit, sample.unit * ratio)
    # Weights rounded to float64 move recall gain by roundings of the total times the odds.
    tolerance = 1e-11 + 1e-14 * pi0 / (1 - pi0)
    for case in every_case:
        value = case(y_true, y_score, sample_weight=reweighted)
        assert_equal(_value(case, sample, pi0), value, tolerance, case.name)


@given(samples(), MAYBE_PRIORS)
def test_scores_of_labels_are_those_of_their_curve(every_case, sample, pi0):
    curve = _calibrated(sample.curve(), pi0)
    for case in every_case:
        assert_equal(_value(case, sample, pi0), case.curve(curve), 1e-14, case.name)


@given(samples())
def test_the_prior_itself_changes_nothing(every_case, sample):
    prior = sample.curve().prior
    for case in every_case:
        assert_equal(_value(case, sample, prior), _value(case, sample), 1e-12, case.name)


@given(samples(max_size=12), st.integers(2, 7), PRIORS)
def test_replicated_negatives_change_no_calibrated_score(every_case, sample, k, pi0):
    rows = [row for row, y in enumerate(sample.y_true) for _ in range(1 if y else k)]
    assert_same_scores(every_case, sample.rows(rows), sample, pi0)


@given(samples(max_size=12), st.integers(2, 7), MAYBE_PRIORS)
def test_replicated_samples_change_no_score(every_case, sample, k, pi0):
    rows = [row for row in range(len(sample.y_true)) for _ in range(k)]
    assert_same_scores(every_case, sample.rows(rows), sample, pi0)


@given(samples(), PRIORS, PRIORS)
def test_the_last_calibration_counts(every_case, sample, first, last):
    curve = sample.curve()
    for case in every_case:
        twice = case.curve(curve.at_prior(first).at_prior(last))
        assert_equal(twice, case.curve(curve.at_prior(last)), of=case.name)


RISE_WITH_THE_PRIOR = {
    *(scores.average_precision, scores.pr_auc, scores.achievable_pr_auc, scores.best_fbeta),
    *(scores.partial_average_precision, scores.precision_at_recall, scores.recall_at_precision),
    *(scores.precision, scores.fbeta, scores.net_benefit),
}
NO_PRIOR_CHANGES = {
    *(scores.roc_auc, scores.recall, scores.specificity, scores.balanced_accuracy),
    *(scores.partial_roc_auc, scores.positive_likelihood_ratio, scores.negative_likelihood_ratio),
}


@given(samples(), PRIORS, PRIORS)
def test_precision_rises_with_the_prior_and_npv_falls(every_case, sample, one, other):
    low, high = sorted((one, other))
    for case in every_case:
        at_low, at_high = _value(case, sample, low), _value(case, sample, high)
        if case.score in RISE_WITH_THE_PRIOR:
            assert not at_low > at_high + 1e-12, case.name
        elif case.score is scores.npv:
            assert not at_low < at_high - 1e-12, case.name


@given(samples(), PRIORS)
def test_rates_of_each_class_are_the_same_at_every_prior(every_case, sample, pi0):
    for case in every_case:
        if case.score in NO_PRIOR_CHANGES:
            assert_equal(_value(case, sample, pi0), _value(case, sample), 1e-14, case.name)


@given(samples(), PRIORS, st.integers(-4, 4))
def test_predictive_values_follow_from_sensitivity_and_specificity(sample, pi0, threshold):
    """Bayes' theorem: PPV, NPV and accuracy at a prevalence."""
    own = sample.curve().confusion_matrix(threshold)
    sensitivity, specificity = scores.recall(own), scores.specificity(own)
    true_positive, false_positive = pi0 * sensitivity, (1 - pi0) * (1 - specificity)
    true_negative, false_negative = (1 - pi0) * specificity, pi0 * (1 - sensitivity)
    calibrated = own.at_prior(pi0)
    if true_positive + false_positive:
        expected = true_positive / (true_positive + false_positive)
        assert_equal(scores.precision(calibrated), expected, 1e-9)
    if true_negative + false_negative:
        expected = true_negative / (true_negative + false_negative)
        assert_equal(scores.npv(calibrated), expected, 1e-9)
    assert_equal(scores.accuracy(calibrated), true_positive + true_negative, 1e-13)
    balanced = scores.balanced_accuracy(calibrated)
    assert_equal(balanced, (sensitivity + specificity) / 2, 1e-13)
    assert_equal(balanced, scores.accuracy(own.at_prior(0.5)), 1e-13)


@given(samples(), MAYBE_PRIORS, st.integers(-4, 4))
def test_turning_labels_and_scores_round_swaps_the_classes(sample, pi0, threshold):
    """NPV is the precision of the negatives, specificity their recall."""
    matrix = _calibrated(sample.curve(), pi0).confusion_matrix(threshold)
    swapped = Sample(
        tuple(1 - y for y in sample.y_true), tuple(-s for s in sample.y_score), sample.weights
    )
    turned = _calibrated(swapped.curve(), None if pi0 is None else 1 - pi0)
    # A score below the threshold is one above it after the turn.
    turned = turned.confusion_matrix(np.nextafter(-threshold, np.inf))
    assert_equal(scores.specificity(matrix), scores.recall(turned), 1e-13)
    assert_equal(scores.accuracy(matrix), scores.accuracy(turned), 1e-10)
    assert_equal(scores.balanced_accuracy(matrix), scores.balanced_accuracy(turned), 1e-13)
    assert_equal(scores.cohen_kappa(matrix), scores.cohen_kappa(turned), 1e-9)
    if turned.tp + turned.fp:
        assert_equal(scores.npv(matrix), scores.precision(turned), 1e-9)
        inverse = scores.positive_likelihood_ratio(turned)
        inverse = 1 / inverse if inverse else math.inf
        assert_equal(scores.negative_likelihood_ratio(matrix), inverse, 1e-9)
        if turned.tn + turned.fn:
            assert_equal(scores.matthews_corrcoef(matrix), scores.matthews_corrcoef(turned), 1e-9)


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


@given(samples(), MAYBE_PRIORS)
def test_scores_are_exact(every_case, sample, pi0):
    ranking = _exact(sample).by_formula(pi0)
    for case in every_case:
        assert_exact(case, _value(case, sample, pi0), ranking, 1e-12)


@given(samples(weights=st.floats(1e-3, 1e3), weighted=True), MAYBE_PRIORS)
def test_scores_with_fractional_weights_are_exact(every_case, sample, pi0):
    ranking = _exact(sample).by_formula(pi0)
    # FN and TN are differences of sums in float64: recall gain multiplies FN by the odds, and the
    # scores of `DIVIDE_BY_TN` divide by TN.
    odds = float(ranking.prior / (1 - ranking.prior))
    tolerances = {scores.prg_auc: 1e-12 + 1e-14 * odds, **dict.fromkeys(DIVIDE_BY_TN, 1e-7)}
    for case in every_case:
        tolerance = tolerances.get(case.score, 1e-12)
        assert_exact(case, _value(case, sample, pi0), ranking, tolerance)


DIVIDE_BY_TN = {
    *(scores.npv, scores.matthews_corrcoef, scores.cohen_kappa),
    scores.negative_likelihood_ratio,
}


@st.composite
def perfect_samples(draw):
    """Positives above 0, negatives below, weights over 140 decades."""
    y_true = draw(st.permutations([0, 1, *draw(st.lists(st.integers(0, 1), max_size=20))]))
    sizes = st.one_of(st.integers(1, 4), st.floats(1e-300, 1e300))
    y_score = [draw(sizes) * (1 if y else -1) for y in y_true]
    if draw(st.booleans()):
        return Sample(tuple(y_true), tuple(y_score))
    weights = [10 ** draw(st.floats(-70, 70)) for _ in y_true]
    return Sample(tuple(y_true), tuple(y_score), tuple(weights))


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


@given(samples(), MAYBE_PRIORS)
def test_scores_stay_in_their_range(every_case, sample, pi0):
    for case in every_case:
        value = _value(case, sample, pi0)
        assert type(value) is float
        low, high = facts_of(case.score).range
        assert math.isnan(value) or low <= value <= high, case.name
        if case.score in (scores.average_precision, scores.pr_auc, scores.best_fbeta):
            assert value > 0


# ------------------------------------------------------------------------ rankings


def _ranks(y_score):
    return np.unique(np.array(y_score), return_inverse=True)[1]


@given(samples(), MAYBE_PRIORS)
def test_only_the_order_of_the_scores_matters(every_case, sample, pi0):
    distinct = np.unique(np.array(sample.y_score, dtype=float))
    ranked = replace(sample, y_score=tuple(_ranks(sample.y_score).tolist()))
    for case in every_case:
        of_ranks = case.mapped(distinct.searchsorted)
        values = _value(of_ranks, ranked, pi0), _value(case, sample, pi0)
        assert_equal(*values, 1e-14, case.name)


INCREASING = {
    "affine": lambda s: 3 * s - 7,
    "cube": lambda s: s**3,
    "exp": np.exp,
    "arctan": np.arctan,
    "tiny": lambda s: s * 1e-300,
    "huge": lambda s: s * 1e300,
    "float32": lambda s: s.astype(np.float32),
    "int8": lambda s: s.astype(np.int8),
    "logistic": lambda s: 1 / (1 + np.exp(-s)),
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


@given(samples(), MAYBE_PRIORS, st.randoms(use_true_random=False))
def test_order_of_the_samples_does_not_matter(every_case, sample, pi0, random):
    rows = list(range(len(sample.y_true)))
    random.shuffle(rows)
    assert_same_scores(every_case, sample.rows(rows), sample, pi0, 1e-13)


@given(samples())
def test_turning_the_scores_round_turns_the_roc_area(sample):
    reversed_ = replace(sample, y_score=tuple(-s for s in sample.y_score))
    areas = scores.roc_auc(sample.curve()), scores.roc_auc(reversed_.curve())
    assert_equal(sum(areas), 1)


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


# ------------------------------------------------------------------------ weights


@given(samples(weights=st.integers(0, 4), weighted=True, max_size=14), MAYBE_PRIORS)
def test_whole_weights_are_repeats(every_case, sample, pi0):
    rows = [row for row, w in enumerate(sample.weights) for _ in range(int(w))]
    assert_same_scores(every_case, sample, replace(sample.rows(rows), weights=None), pi0)


@given(samples(weighted=True), MAYBE_PRIORS)
def test_zero_weights_are_dropped(every_case, sample, pi0):
    rows = [row for row, w in enumerate(sample.weights) if w]
    assert_same_scores(every_case, sample, sample.rows(rows), pi0, 1e-13)


@given(samples(weighted=False), MAYBE_PRIORS)
def test_weights_of_one_are_none(every_case, sample, pi0):
    ones = replace(sample, weights=(1,) * len(sample.y_true))
    assert_same_scores(every_case, ones, sample, pi0, 1e-13)


@given(samples(), MAYBE_PRIORS, st.sampled_from([1e-60, 1e-9, 1 / 3, 3, 1e9, 1e60]))
def test_scale_of_the_weights_does_not_matter(every_case, sample, pi0, scale):
    scaled = replace(sample, weights=tuple((sample.unit * scale).tolist()))
    odds = sample.curve().prior if pi0 is None else pi0
    odds /= 1 - odds
    assert_same_scores(every_case, scaled, sample, pi0, 1e-11 + 1e-14 * odds)


@given(samples(), PRIORS, st.sampled_from([1e-9, 1 / 3, 7, 1e9]))
def test_scale_of_the_negatives_weights_does_not_matter_at_a_prior(every_case, sample, pi0, scale):
    y_true, _, _ = sample.arrays
    scaled = replace(
        sample, weights=tuple(np.where(y_true == 1, sample.unit, sample.unit * scale).tolist())
    )
    assert_same_scores(every_case, scaled, sample, pi0)


# ------------------------------------------------------------------------ merging


@given(samples(), samples(), MAYBE_PRIORS)
def test_merged_curves_are_the_curve_of_the_samples_together(every_case, one, other, pi0):
    merged = one.curve() + other.curve()
    together = (one + other).curve()
    np.testing.assert_array_equal(merged.thresholds, together.thresholds)
    merged, together = _calibrated(merged, pi0), _calibrated(together, pi0)
    for case in every_case:
        assert_equal(case.curve(merged), case.curve(together), 1e-12, case.name)


@given(samples(), samples(), PRIORS, PRIORS, MAYBE_PRIORS)
def test_merged_curves_keep_their_weights_of_negatives(every_case, one, other, prior, second, pi0):
    def reweighted(sample, pi0):
        pi = sample.curve().prior
        ratio = pi * (1 - pi0) / (pi0 * (1 - pi))
        weights = np.where(np.array(sample.y_true) == 1, sample.unit, sample.unit * ratio)
        return replace(sample, weights=tuple(weights.tolist()))

    merged = one.curve().at_prior(prior) + other.curve().at_prior(second)
    together = (reweighted(one, prior) + reweighted(other, second)).curve()
    np.testing.assert_array_equal(merged.thresholds, together.thresholds)
    np.testing.assert_allclose(merged.fp, together.fp, rtol=1e-13)
    merged, together = _calibrated(merged, pi0), _calibrated(together, pi0)
    # Merged negatives differ in weight by up to twelve decades: their sums keep fewer digits.
    odds = merged.n_pos / merged.n_neg
    for case in every_case:
        tolerance = 1e-9 if case.score in DIVIDE_BY_TN else 1e-11 + 1e-14 * odds
        assert_equal(case.curve(merged), case.curve(together), tolerance, case.name)


@given(samples(), samples(), samples())
def test_merging_is_associative_and_commutative(one, two, three):
    a, b, c = one.curve(), two.curve(), three.curve()
    for other in (a + (b + c), (c + a) + b):
        np.testing.assert_array_equal((a + b + c).thresholds, other.thresholds)
        np.testing.assert_allclose((a + b + c).tp, other.tp, rtol=1e-14)
        np.testing.assert_allclose((a + b + c).fp, other.fp, rtol=1e-14)


# ------------------------------------------------------------------------ the curve


@given(samples(), MAYBE_PRIORS)
def test_vertices_are_monotone_from_nothing_to_the_totals(sample, pi0):
    curve = _calibrated(sample.curve(), pi0)
    assert (curve.tp[0], curve.fp[0]) == (0, 0)
    assert (curve.tp[-1], curve.fp[-1]) == (curve.n_pos, curve.n_neg)
    assert (np.diff(curve.tp) >= 0).all()
    assert (np.diff(curve.fp) >= 0).all()
    assert (np.diff(curve.tp) + np.diff(curve.fp) > 0).all()
    assert curve.thresholds[0] == np.inf
    assert (np.diff(curve.thresholds) < 0).all()
    # At most one segment in a row adds no positive.
    flat = np.diff(curve.tp) == 0
    assert not (flat[1:] & flat[:-1]).any()


@given(samples(), MAYBE_PRIORS)
def test_vertices_count_the_scores_from_their_threshold_on(sample, pi0):
    y_true, y_score, _ = sample.arrays
    curve = sample.curve()
    ratio = 1.0
    if pi0 is not None:
        curve, ratio = curve.at_prior(pi0), curve.prior * (1 - pi0) / (pi0 * (1 - curve.prior))
    for threshold, tp, fp in zip(curve.thresholds, curve.tp, curve.fp, strict=True):
        counted = y_score >= threshold
        assert tp == sample.unit[counted & (y_true == 1)].sum()
        expected = sample.unit[counted & (y_true == 0)].sum() * ratio
        assert fp == pytest.approx(expected, rel=1e-13)


THRESHOLDS = st.one_of(SCORES, st.integers(-50, 50).map(lambda k: k / 10))


@given(samples(), MAYBE_PRIORS, THRESHOLDS)
def test_a_matrix_counts_the_scores_from_its_threshold_on(sample, pi0, threshold):
    y_true, y_score, _ = sample.arrays
    curve = sample.curve()
    ratio = 1.0
    if pi0 is not None:
        curve, ratio = curve.at_prior(pi0), curve.prior * (1 - pi0) / (pi0 * (1 - curve.prior))
    counted = y_score >= threshold
    weights = np.where(y_true == 1, sample.unit, sample.unit * ratio)
    expected = [
        weights[of_class & predicted].sum()
        for predicted, of_class in (
            *((counted, y_true == label) for label in (1, 0)),
            *((~counted, y_true == label) for label in (1, 0)),
        )
    ]
    matrix = curve.confusion_matrix(threshold)
    found = [matrix.tp, matrix.fp, matrix.fn, matrix.tn]
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-13 * weights.sum())


@given(samples(), MAYBE_PRIORS)
def test_the_hull_dominates(sample, pi0):
    curve = _calibrated(sample.curve(), pi0)
    hull = curve.hull()
    fpr, tpr = spaces.roc(curve)
    hull_fpr, hull_tpr = spaces.roc(hull)
    assert set(zip(hull.tp, hull.fp, strict=True)) <= set(zip(curve.tp, curve.fp, strict=True))
    # interp takes the last of equal abscissae, which is the upper end of a vertical segment.
    assert (np.interp(fpr, hull_fpr, hull_tpr) >= tpr - 1e-12).all()
    assert scores.pr_auc(hull) >= scores.pr_auc(curve) - 1e-13
    assert scores.roc_auc(hull) >= scores.roc_auc(curve) - 1e-13
    assert scores.prg_auc(hull) >= scores.prg_auc(curve) - 1e-9 * abs(scores.prg_auc(curve)) - 1e-9
    assert scores.achievable_pr_auc(curve) == scores.pr_auc(hull)


@given(samples(), MAYBE_PRIORS)
def test_the_hull_is_concave_and_its_own_hull(sample, pi0):
    curve = sample.curve()
    hull = (curve if pi0 is None else curve.at_prior(pi0)).hull()
    again = hull.hull()
    # Of three vertices on a line, up to a rounding, the middle one may stay or go.
    assert set(zip(again.tp, again.fp, strict=True)) <= set(zip(hull.tp, hull.fp, strict=True))
    for area in (scores.roc_auc, scores.pr_auc):
        assert_equal(area(again), area(hull), 1e-14)
    d_tp, d_fp = np.diff(hull.tp) / hull.n_pos, np.diff(hull.fp) / hull.n_neg
    assert (d_tp[:-1] * d_fp[1:] >= d_tp[1:] * d_fp[:-1] - 1e-12).all()


@given(samples(), MAYBE_PRIORS)
def test_the_hull_is_the_same_ranking_at_every_prior(sample, pi0):
    assume(pi0 is not None)
    curve = sample.curve()
    np.testing.assert_allclose(
        scores.pr_auc(curve.hull().at_prior(pi0)), scores.pr_auc(curve.at_prior(pi0).hull()),
        rtol=1e-11,
    )  # fmt: skip


@given(samples(), MAYBE_PRIORS)
def test_orderings_between_scores(sample, pi0):
    curve = _calibrated(sample.curve(), pi0)
    assert scores.achievable_pr_auc(curve) >= scores.pr_auc(curve) - 1e-13
    assert scores.achievable_pr_auc(curve) >= curve.prior - 1e-13
    everything_positive = 2 * curve.prior / (1 + curve.prior)
    assert scores.best_fbeta(curve) >= everything_positive * (1 - 1e-13)


@given(samples(), MAYBE_PRIORS, st.integers(1, 60))
def test_interpolation_changes_no_area(sample, pi0, n_points):
    curve = _calibrated(sample.curve(), pi0)
    between = spaces.interpolated(curve, n_points)
    for area in (scores.pr_auc, scores.roc_auc, scores.prg_auc, scores.achievable_pr_auc):
        assert_equal(area(between), area(curve))


@given(samples(), MAYBE_PRIORS)
def test_coordinates_are_finite(sample, pi0):
    curve = _calibrated(sample.curve(), pi0)
    for space in (spaces.roc, spaces.recall_precision, spaces.achievable_recall_precision):
        x, y = space(curve)
        assert ((x >= 0) & (x <= 1) & (y >= 0) & (y <= 1)).all()
        assert (np.diff(x) >= 0).all()
    recall_gain, precision_gain = spaces.recall_precision_gain(curve)
    assert recall_gain[0] == 0
    assert recall_gain[-1] == pytest.approx(1)
    assert (precision_gain <= 1).all()
    assert (np.diff(recall_gain) >= -1e-12).all()
    assert_equal(np.trapezoid(precision_gain, recall_gain), scores.prg_auc(curve), 1e-8)


STEPS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=12)


@given(STEPS, MAYBE_PRIORS)
def test_coordinates_of_any_vertices_are_finite(steps, pi0):
    """Vertices may repeat, as those of a random draw."""
    tp, fp = np.cumsum([(0, 0), *steps], axis=0).T
    assume(tp[-1] > 0 and fp[-1] > 0)
    curve = _calibrated(ConfusionCurve(np.full(len(tp), np.nan), tp, fp), pi0)
    assert len(curve) == len(tp)
    for space in (spaces.roc, spaces.recall_precision, spaces.recall_precision_gain):
        for coordinates in space(curve):
            assert np.isfinite(coordinates).all()


# ------------------------------------------------------------------------ scikit-learn


@given(samples())
def test_areas_equal_those_of_scikit_learn(sample):
    y_true, y_score, weights = sample.arrays
    for name in ("average_precision_score", "roc_auc_score"):
        ours, theirs = (
            getattr(module, name)(y_true, y_score, sample_weight=weights)
            for module in (functions, sklearn.metrics)
        )
        assert_equal(ours, float(theirs), 1e-12)


@given(samples(scores=st.integers(0, 1)), st.sampled_from([0.5, 1.0, 2.0]))
def test_hard_metrics_equal_those_of_scikit_learn(sample, beta):
    y_true, y_pred, weights = sample.arrays
    for name, as_named_there, options, their_options in HARD_METRICS:
        if name == "fbeta":
            options = their_options = {**options, "beta": beta}
        ours = getattr(functions, f"{name}_score")
        theirs = getattr(sklearn.metrics, f"{as_named_there}_score")
        value = ours(y_true, y_pred, sample_weight=weights, **options)
        assert_equal(
            value, float(theirs(y_true, y_pred, sample_weight=weights, **their_options)), 1e-13
        )


@given(samples(scores=st.integers(0, 1)))
def test_likelihood_ratios_and_correlation_equal_those_of_scikit_learn(sample):
    y_true, y_pred, weights = sample.arrays
    assume(len(set(y_pred[sample.unit > 0])) == 2)
    correlation = functions.matthews_corrcoef_score(y_true, y_pred, sample_weight=weights)
    theirs = sklearn.metrics.matthews_corrcoef(y_true, y_pred, sample_weight=weights)
    assert_equal(correlation, float(theirs), 1e-13)
    with warnings.catch_warnings(
        category=sklearn.exceptions.UndefinedMetricWarning, action="ignore"
    ):
        theirs = sklearn.metrics.class_likelihood_ratios(y_true, y_pred, sample_weight=weights)
    ours = (
        functions.positive_likelihood_ratio_score(y_true, y_pred, sample_weight=weights),
        functions.negative_likelihood_ratio_score(y_true, y_pred, sample_weight=weights),
    )
    for value, other in zip(ours, theirs, strict=True):
        if math.isinf(value):  # undefined in scikit-learn
            assert math.isnan(other)
        else:
            assert_equal(value, float(other), 1e-13)


@given(samples(), st.sampled_from([0.01, 0.3, 0.77, 0.999]))
def test_partial_roc_areas_equal_those_of_scikit_learn(sample, max_fpr):
    y_true, y_score, weights = sample.arrays
    ours = functions.partial_roc_auc_score(y_true, y_score, max_fpr=max_fpr, sample_weight=weights)
    theirs = sklearn.metrics.roc_auc_score(y_true, y_score, max_fpr=max_fpr, sample_weight=weights)
    assert_equal(ours, float(theirs), 1e-12)


@given(samples(), MAYBE_PRIORS)
def test_whole_ranges_give_the_whole_areas(sample, pi0):
    curve = _calibrated(sample.curve(), pi0)
    assert scores.partial_average_precision(curve) == scores.average_precision(curve)
    assert_equal(scores.partial_roc_auc(curve, 1), scores.roc_auc(curve), 1e-13)
    # The area under the whole gains curve is prior / 2 + (1 - prior) AUC-ROC.
    whole = (1 - curve.prior) * scores.roc_auc(curve) + curve.prior / 2
    assert_equal(scores.partial_gains_auc(curve, 1), whole / (1 - curve.prior / 2), 1e-12)
    assert scores.recall_at_top(curve, 1) == 1
    assert_equal(scores.precision_at_top(curve, 1), curve.prior, 1e-14)
    assert scores.recall_at_precision(curve, curve.prior) == 1


HARD_METRICS = [
    ("precision", "precision", {"zero_division": 0}, {"zero_division": 0}),
    ("recall", "recall", {"zero_division": 0}, {"zero_division": 0}),
    ("f1", "f1", {"zero_division": 0}, {"zero_division": 0}),
    ("fbeta", "fbeta", {"zero_division": 0}, {"zero_division": 0}),
    ("specificity", "recall", {}, {"pos_label": 0, "zero_division": 0}),
    ("npv", "precision", {"zero_division": 0}, {"pos_label": 0, "zero_division": 0}),
    ("accuracy", "accuracy", {}, {}),
    ("balanced_accuracy", "balanced_accuracy", {}, {}),
    ("cohen_kappa", "cohen_kappa", {}, {}),
]


@given(samples(), MAYBE_PRIORS)
def test_best_fbeta_is_the_best_over_hard_predictions(sample, pi0):
    y_true, y_score, weights = sample.arrays
    best = max(
        functions.f1_score(y_true, (y_score >= cut).astype(int), pi0=pi0, sample_weight=weights)
        for cut in np.unique(y_score)
    )
    assert_equal(functions.best_f1_score(y_true, y_score, pi0=pi0, sample_weight=weights), best)
