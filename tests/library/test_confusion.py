"""The curve: vertices, constructors, calibration, sums, hull, invalid input."""

import copy
import math
import pickle
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import oracle
import pytest
from curves import (
    OTHERS,
    ROWS,
    Y_SCORE,
    Y_TRUE,
    Uniform,
    by_class,
    curve_of_population,
    outcomes_of,
)
from hypothesis import given
from samples import short

from calibrated_metrics import ConfusionCurve, Metric, scores, thresholds, uncertainty

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def curve():
    return ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)


def assert_sound(curve):
    """Properties of every curve, however it was built."""
    assert len(curve) == len(curve.tp) == len(curve.fp) == len(curve.thresholds) >= 2
    assert (curve.tp[0], curve.fp[0]) == (0, 0)
    assert (curve.tp[-1], curve.fp[-1]) == (curve.n_pos, curve.n_neg)
    assert (np.diff(curve.tp) >= 0).all()
    assert (np.diff(curve.fp) >= 0).all()
    for values in (curve.tp, curve.fp, curve.thresholds):
        assert values.dtype == np.float64
    assert curve.n_pos > 0
    assert curve.n_neg > 0
    assert 0 < curve.prior < 1
    assert curve.prior == pytest.approx(curve.n_pos / (curve.n_pos + curve.n_neg))
    if not np.isnan(curve.thresholds).any():
        assert curve.thresholds[0] == np.inf
        assert (np.diff(curve.thresholds) < 0).all()
        assert np.isfinite(curve.thresholds[1:]).all()
    steps = curve.positive_steps
    assert (steps.tp_end > steps.tp_start).all()
    assert (steps.fp_end >= steps.fp_start).all()


def counts_at(curve, threshold):
    """TP and FP of the scores ``>= threshold``."""
    matrix = curve.confusion_matrix(threshold)
    return matrix.tp, matrix.fp


def assert_same(curve, other, rel=1e-14):
    np.testing.assert_array_equal(curve.thresholds, other.thresholds)
    np.testing.assert_allclose(curve.tp, other.tp, rtol=rel)
    np.testing.assert_allclose(curve.fp, other.fp, rtol=rel)


def calibrated(curve, pi0):
    return curve if pi0 is None else curve.at_prior(pi0)


def points_of(curve):
    return list(zip(curve.tp.tolist(), curve.fp.tolist(), strict=True))


# ------------------------------------------------------------------------ vertices


def test_vertices_of_a_ranking(curve):
    """8 ties a positive with a negative; inside runs of negatives nothing is kept."""
    assert_sound(curve)
    np.testing.assert_array_equal(curve.thresholds, [np.inf, 9, 8, 7, 6, 5, 4, 1])
    np.testing.assert_array_equal(curve.tp, [0, 0, 1, 1, 2, 2, 3, 3])
    np.testing.assert_array_equal(curve.fp, [0, 1, 2, 3, 3, 4, 4, 7])
    assert curve.prior == 0.3
    assert repr(curve) == "ConfusionCurve(8 vertices, n_pos=3, n_neg=7, prior=0.3)"


@pytest.mark.parametrize("pi0", [None, 0.01, 0.9])
def test_positive_steps_are_the_groups_with_a_positive(curve, pi0):
    curve.positive_steps  # noqa: B018 - fills the cache that at_prior carries over
    at = calibrated(curve, pi0)
    steps, weight = at.positive_steps, at.class_weight[1]
    np.testing.assert_array_equal(steps.tp_start, [0, 1, 2])
    np.testing.assert_array_equal(steps.tp_end, [1, 2, 3])
    np.testing.assert_array_equal(steps.fp_start, np.array([1, 3, 4]) * weight)
    np.testing.assert_array_equal(steps.fp_end, np.array([2, 3, 4]) * weight)


def test_vertices_given_are_all_kept():
    """Also inside a run of negatives, and where nothing is counted."""
    given_ = [np.inf, 7, 6, 5, 4, 3, 2, 1], [0, 0, 0, 0, 2, 2, 2, 2], [0, 0, 1, 2, 2, 3, 4, 5]
    curve = ConfusionCurve(*given_)
    assert_sound(curve)
    np.testing.assert_array_equal([curve.thresholds, curve.tp, curve.fp], given_)
    of_roc = ConfusionCurve.from_roc(tpr=[0, 0, 0, 1], fpr=[0, 0.25, 0.5, 1], n_pos=2, n_neg=4)
    assert points_of(of_roc) == [(0, 0), (0, 1), (0, 2), (2, 4)]


# ------------------------------------------------------------------------ calibration


@pytest.mark.parametrize("pi0", [1e-12, 1e-6, 0.01, 0.3, 0.5, 1 - 1e-6, 1 - 1e-12])
def test_calibration_weighs_the_negatives_to_the_prior(curve, pi0):
    before = curve.fp.copy()
    at = curve.at_prior(pi0)
    assert_sound(at)
    exact = Fraction(3, 7) * (1 - Fraction(pi0)) / Fraction(pi0)
    assert oracle.relative_error(at.class_weight[1], exact) < 4e-16
    np.testing.assert_array_equal(at.fp, curve.fp * at.class_weight[1])
    np.testing.assert_array_equal(at.tp, curve.tp)
    assert (at.n_pos, at.n_neg) == (3, 7 * at.class_weight[1])
    assert at.prior == pytest.approx(pi0, rel=1e-14)
    assert 1 - at.prior == pytest.approx(1 - pi0, abs=1e-15)
    assert at.class_weight[0] == 1
    np.testing.assert_array_equal(curve.fp, before)
    assert (curve.prior, curve.class_weight, curve.prior_is_known) == (0.3, (1, 1), False)


WEIGHTED = {
    "rows": None,
    "calibrated": 0.01,
    "classes": by_class(0.5, 4.0),
    "classes whose weights have no exact ratio": by_class(0.3, 0.7),
    "rows with weights": Y_SCORE,
}


@pytest.mark.parametrize("weights", WEIGHTED.values(), ids=WEIGHTED)
def test_the_second_calibration_counts_and_the_own_prior_changes_no_bit(curve, weights):
    if isinstance(weights, float):
        curve = curve.at_prior(weights)
    elif weights is not None:
        curve = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, sample_weight=weights)
    twice, once = curve.at_prior(0.2).at_prior(0.7), curve.at_prior(0.7)
    assert_same(twice, once, rel=0)
    assert twice.class_weight == once.class_weight
    own = curve.at_prior(curve.prior)
    assert_same(own, curve, rel=0)
    assert (own.prior, own.prior_is_known) == (curve.prior, True)
    assert_same(once.at_prior(curve.prior), curve, rel=0 if weights is None else 1e-14)


@pytest.mark.parametrize("pi0", [5e-324, 1e-308])
def test_priors_whose_weights_overflow_are_refused(curve, pi0):
    with pytest.raises(ValueError, match=f"^pi0={pi0} gives weights outside the range of float64$"):
        curve.at_prior(pi0)


@pytest.mark.parametrize("pi0", [0, 1.5, math.nan, True, "0.5", None, [0.5], 10**400], ids=short)
def test_prior_must_lie_between_zero_and_one(curve, pi0):
    with pytest.raises((ValueError, TypeError), match="pi0"):
        curve.at_prior(pi0)


# ------------------------------------------------------------------------ weights of rows


@pytest.mark.parametrize("class_weight", [(1.0, 1.0), (2.0, 2.0), (0.5, 4.0), (3.0, 0.1)])
def test_weights_that_are_equal_within_each_class_weigh_the_counts_of_the_rows(curve, class_weight):
    weighted = ConfusionCurve.from_predictions(
        Y_TRUE, Y_SCORE, sample_weight=by_class(*class_weight)
    )
    assert_sound(weighted)
    assert weighted.class_weight == weighted.rows.class_weight == class_weight
    assert weighted.rows.weight is None
    at = weighted.at_prior(0.1)
    for each in (weighted, at, weighted.at_prior(0.9).at_prior(0.1)):
        of_positives, of_negatives = each.class_weight
        np.testing.assert_array_equal(each.tp, curve.tp * of_positives)
        np.testing.assert_array_equal(each.fp, curve.fp * of_negatives)
        assert (each.n_pos, each.n_neg) == (3 * of_positives, 7 * of_negatives)
        matrix, own = each.confusion_matrix(2.5), curve.confusion_matrix(2.5)
        assert outcomes_of(matrix) == [
            weight * each.class_weight[k % 2] for k, weight in enumerate(outcomes_of(own))
        ]
        assert outcomes_of(matrix._unweighted) == outcomes_of(own)
        assert outcomes_of(each._unweighted.confusion_matrix(2.5)) == outcomes_of(own)
        assert_same(each._unweighted, curve, rel=0)
        assert_same(each.hull()._unweighted, curve.hull(), rel=0)
        assert (each._unweighted.class_weight, each._unweighted.prior) == ((1, 1), 0.3)
    assert at.class_weight[0] == class_weight[0]  # calibration leaves the positives
    assert at.prior == pytest.approx(0.1, rel=1e-14)


PRIOR_IS_KNOWN = {
    "rows": (lambda curve: curve, False),
    "another prior": (lambda curve: curve.at_prior(0.2), True),
    "the own prior": (lambda curve: curve.at_prior(0.3), True),
    "twice": (lambda curve: curve.at_prior(0.2).at_prior(0.3), True),
    "hull": (lambda curve: curve.hull(), False),
    "hull at a prior": (lambda curve: curve.at_prior(0.2).hull(), True),
    "counted": (lambda curve: curve.at_prior(0.2)._unweighted, False),
    "copy": (lambda curve: copy.deepcopy(curve.at_prior(0.2)), True),
    "equal weights": (
        lambda _: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, sample_weight=by_class(2, 2)),
        False,
    ),
    "weights of the classes": (
        lambda _: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, sample_weight=by_class(1, 9)),
        False,
    ),
    "weights of the rows": (
        lambda _: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, sample_weight=Y_SCORE),
        False,
    ),
    "strata within the classes": (
        lambda _: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, strata=Y_TRUE),
        True,
    ),
    "a single stratum": (
        lambda _: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, strata=by_class(1, 1)),
        False,
    ),
    "counts": (lambda _: ConfusionCurve.from_counts(Y_SCORE, Y_TRUE, Y_SCORE), False),
    "vertices": (lambda curve: ConfusionCurve(curve.thresholds, curve.tp, curve.fp), False),
    "sum at a common prior": (lambda curve: curve.at_prior(0.2) + curve.at_prior(0.2), True),
    "sum at the own prior": (lambda curve: curve.at_prior(0.3) + curve.at_prior(0.3), True),
    "sum at different priors": (lambda curve: curve.at_prior(0.2) + curve.at_prior(0.3), False),
}


@pytest.mark.parametrize(("build", "known"), PRIOR_IS_KNOWN.values(), ids=PRIOR_IS_KNOWN)
def test_whether_the_prior_is_known(curve, build, known):
    built = build(curve)
    assert built.prior_is_known is known
    at_vertices = built.thresholds[[1, 2]]
    assert built.confusion_matrix(at_vertices[0]).prior_is_known is known
    assert built.confusion_matrix(at_vertices).prior_is_known is known


@pytest.mark.parametrize("spread", [1e9, 1e17, 1e200])
def test_complements_keep_their_digits_if_weights_differ_much(spread):
    curve = ConfusionCurve.from_predictions(
        [1, 0, 1, 0, 1], [5, 4, 3, 2, 1], sample_weight=[spread, spread, 1, 1, 2]
    )
    for matrix in (curve.confusion_matrix(3), curve[3]):
        assert (matrix.fn, matrix.tn) == (2, 1)


# ------------------------------------------------------------------------ curves of every kind


@pytest.fixture(params=(ROWS | OTHERS).values(), ids=ROWS | OTHERS)
def any_curve(request):
    return request.param()


@pytest.fixture(params=ROWS.values(), ids=ROWS)
def curve_of_rows(request):
    return request.param()


def test_every_curve_is_sound(any_curve):
    for curve in (any_curve, any_curve.at_prior(0.07), any_curve.hull(), any_curve._unweighted):
        assert_sound(curve)


def test_inputs_are_neither_changed_nor_shared():
    y_true, rows = np.array(Y_TRUE), np.linspace(0, 1, 10)
    vertices = np.array([np.inf, 2.0, 1.0]), np.array([0.0, 1, 1]), np.array([0.0, 0, 1])
    rates = np.array([0, 0.5, 1]), np.array([0, 0.75, 1])
    counts = tuple(np.array(values) for values in ([3.0, 5.0], [1.0, 2], [4.0, 3]))
    inputs = (y_true, rows, *vertices, *rates, *counts)
    before = [values.copy() for values in inputs]
    curves = [
        ConfusionCurve.from_predictions(y_true, rows),
        ConfusionCurve.from_predictions(y_true, rows, sample_weight=rows),
        ConfusionCurve.from_probabilities(rows, sample_weight=rows),
        ConfusionCurve.from_counts(*counts),
        ConfusionCurve.from_counts(*(values[::-1] for values in counts)),
        ConfusionCurve(*vertices),
        ConfusionCurve.from_roc(tpr=rates[1], fpr=rates[0], n_pos=1, n_neg=1),
    ]
    seen = [counts_at(curve, 0.5) for curve in curves[:5]]
    for curve in curves:
        curve.at_prior(0.2).hull()
        for values in (curve.tp, curve.fp, curve.thresholds):
            assert not any(np.shares_memory(values, each) for each in inputs)
    for values, original in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(values, original)
        assert values.flags.writeable
        values[:] = 0
    assert [counts_at(curve, 0.5) for curve in curves[:5]] == seen


COPIES = {
    "itself": lambda curve: curve,
    "pickle": lambda curve: pickle.loads(pickle.dumps(curve)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


def test_arrays_of_a_curve_and_of_its_copies_are_read_only(any_curve):
    """Scores read the positive steps, and calibrated curves share them."""
    any_curve.positive_steps, any_curve.hull()  # cached before the copy
    for curve in (any_curve, any_curve.at_prior(0.07)):
        for twin in (copied(curve) for copied in COPIES.values()):
            for each in (twin, twin.hull(), twin._unweighted, twin.at_prior(0.2)):
                for values in (each.tp, each.fp, each.thresholds, *each.positive_steps):
                    with pytest.raises(ValueError, match="read-only"):
                        values[0] = 1


def test_copies_behave_the_same(any_curve):
    for curve in (any_curve, any_curve.at_prior(0.2)):
        for twin in (copied(curve) for copied in COPIES.values()):
            assert_sound(twin)
            for change in (lambda c: c, lambda c: c._unweighted, lambda c: c.at_prior(0.7)):
                one, other = change(twin), change(curve)
                assert_same(one, other, rel=0)
                assert (one.prior, one.class_weight) == (other.prior, other.class_weight)
            if curve.has_rows:
                found, expected = (each.confusion_matrix(2.5) for each in (twin, curve))
                assert outcomes_of(found) == outcomes_of(expected)
                assert_same(twin + curve, curve + curve, rel=0)


@pytest.mark.parametrize(
    "name", ["class_weight", "n_pos", "n_neg", "prior", "prior_is_known", "sample", "counted",
             "thresholds", "tp", "fp", "positive_steps"]
)  # fmt: skip
def test_attributes_of_a_curve_cannot_be_set(curve, name):
    with pytest.raises(AttributeError):
        setattr(curve, name, 5)


# ------------------------------------------------------------------------ sums


def test_a_sum_keeps_a_common_calibration(curve_of_rows):
    """The curve still has its own prior and the counts of its rows."""
    curve, at = curve_of_rows, curve_of_rows.at_prior(0.01)
    merged = at + at
    assert_same(merged, (curve + curve).at_prior(0.01))
    assert counts_at(merged, 4.5) == pytest.approx([2 * count for count in counts_at(at, 4.5)])
    if curve.rows.weight is None:
        assert merged.class_weight == at.class_weight
        assert_same(merged._unweighted, (curve + curve)._unweighted, rel=0)


def test_a_sum_of_rows_and_counts_has_the_intervals_of_all_rows(curve):
    counts = ConfusionCurve.from_counts([8, 3, 2.5], [2, 0, 1], [0, 4, 3])
    together = ConfusionCurve.from_predictions(
        [*Y_TRUE, 1, 1, 1, *[0] * 7], [*Y_SCORE, 8, 8, 2.5, *[3] * 4, *[2.5] * 3]
    )
    expected = uncertainty.interval("roc_auc", together, pi0=0.1)
    for merged in (curve + counts, counts + curve):
        assert_same(merged, together, rel=0)
        found = uncertainty.interval("roc_auc", merged, pi0=0.1)
        assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)


@pytest.mark.parametrize("build", OTHERS.values(), ids=OTHERS)
def test_only_curves_that_hold_their_rows_can_be_added(curve, build):
    for pair in ((curve, build()), (build(), curve)):
        with pytest.raises(ValueError, match="curve must hold its rows"):
            pair[0] + pair[1]


# ------------------------------------------------------------------------ hull


def test_hull_equals_the_exact_one():
    rng = np.random.default_rng(23)
    for _ in range(300):
        n = int(rng.integers(2, 40))
        y_true = rng.permutation(np.arange(n) < rng.integers(1, n))
        y_score = rng.integers(0, 12, n) / 4 + y_true
        exact = oracle.hull(oracle.Ranking.of_samples(y_true, y_score.tolist()))
        hull = ConfusionCurve.from_predictions(y_true, y_score).hull()
        assert_sound(hull)
        vertices = oracle.Ranking.of_points(points_of(hull))
        assert oracle.hull(vertices).points == exact.points
        assert oracle.roc_auc(vertices) == oracle.roc_auc(exact)


def test_hull_keeps_its_corners_in_steep_curves():
    curve = ConfusionCurve(np.full(5, np.nan), [0, 1, 2, 3, 4], [0, 1e-12, 1.1e-12, 1e6, 3e6])
    exact = oracle.hull(oracle.Ranking.of_points(points_of(curve)))
    assert [(float(tp), float(fp)) for tp, fp in exact.points] == points_of(curve.hull())


@pytest.mark.parametrize("pi0", [1e-6, 0.01, 0.9])
def test_hull_has_the_same_corners_at_every_prior(any_curve, pi0):
    hull, at = any_curve.hull(), any_curve.at_prior(pi0)
    assert_same(hull.hull(), hull, rel=0)
    assert_same(at.hull(), hull.at_prior(pi0))
    assert at.hull().prior == at.prior
    fresh = ConfusionCurve(at.thresholds, at.tp, at.fp).hull()
    corners = oracle.hull(oracle.Ranking.of_points(points_of(fresh))).points
    assert corners[-1] == (at.n_pos, at.n_neg)
    assert scores.roc_auc(fresh) == pytest.approx(scores.roc_auc(at.hull()), rel=1e-14)


# ------------------------------------------------------------------------ counts at scores


@st.composite
def counts_at_scores(draw, weights):
    """Scores in any order, maybe repeated, and the weight of each class there."""
    scores_ = draw(st.lists(st.integers(-4, 4).map(lambda x: x / 2), min_size=1, max_size=12))
    pos, neg = (
        draw(st.lists(weights, min_size=len(scores_), max_size=len(scores_))) for _ in range(2)
    )
    for each in (pos, neg):
        if not any(each):
            each[draw(st.integers(0, len(each) - 1))] = 1
    return scores_, pos, neg


EIGHTHS = st.integers(0, 40).map(lambda eighths: eighths / 8)
MAYBE_PRIORS = st.sampled_from([None, 1e-6, 0.01, 0.5, 0.99])
SIDES = [-math.inf, *np.arange(-2.25, 2.5, 0.25), math.inf]
EVERY_SCORE = {
    name: (getattr(scores, name), getattr(oracle, name))
    for name in (
        *("average_precision", "pr_auc", "achievable_pr_auc", "prg_auc", "roc_auc"),
        "best_fbeta",
    )
}


def rows_of_counts(thresholds, pos, neg):
    """The curve of rows that are weighted by the counts."""
    return ConfusionCurve.from_predictions(
        np.repeat([1, 0], len(thresholds)), [*thresholds, *thresholds], sample_weight=[*pos, *neg]
    )


def assert_equal_everywhere(curve, other, rel=1e-13):
    """Equal vertices, equal matrices at each threshold, equal scores."""
    assert_same(curve, other, rel)
    matrices, others = curve.confusion_matrix(SIDES), other.confusion_matrix(SIDES)
    for one, expected in zip(outcomes_of(matrices), outcomes_of(others), strict=True):
        np.testing.assert_allclose(one, expected, rtol=rel)
    for name, (score, _) in EVERY_SCORE.items():
        value, expected = score(curve), score(other)
        assert abs(value - expected) <= 1e-12 * max(1, abs(expected)), name


@given(counts_at_scores(EIGHTHS), MAYBE_PRIORS, st.randoms(use_true_random=False))
def test_counts_may_be_sums_of_weights_in_any_order(counts, pi0, random):
    curve = calibrated(ConfusionCurve.from_counts(*counts), pi0)
    assert_equal_everywhere(curve, calibrated(rows_of_counts(*counts), pi0))
    shuffled = list(zip(*counts, strict=True))
    random.shuffle(shuffled)
    other = ConfusionCurve.from_counts(*zip(*shuffled, strict=True))
    assert_same(calibrated(other, pi0), curve, rel=0)
    ranking = oracle.Ranking.of_counts(*counts).by_formula(pi0)
    for name, (score, exact) in EVERY_SCORE.items():
        assert oracle.error(score(curve), exact(ranking)) < 1e-11, name


def test_counts_that_are_not_whole_have_no_intervals():
    thresholds, pos = [3, 2, 1], [5, 3, 4]
    assert uncertainty.interval("roc_auc", ConfusionCurve.from_counts(thresholds, pos, [1, 6, 9]))
    for neg in ([1, 6, 9.5], [1, 6, 9 + 1e-5]):
        curve = ConfusionCurve.from_counts(thresholds, pos, neg)
        assert curve.n_neg == sum(neg)
        for each in (curve, curve.at_prior(0.1), curve + curve):
            with pytest.raises(ValueError, match="numbers of rows that are not whole"):
                uncertainty.interval("roc_auc", each)


def test_days_of_one_class_can_be_added_to_others():
    scores = [0.1, 0.5, 0.9]
    days = {
        "busy": ConfusionCurve.from_counts(scores, [1, 2, 4], [90, 5, 1]),
        "quiet": ConfusionCurve.from_counts(scores, [0, 0, 0], [5, 6, 7]),
        "full": ConfusionCurve.from_counts(scores, [3, 0, 1], [0, 0, 0]),
    }
    pooled = ConfusionCurve.from_counts(scores, [4, 2, 5], [95, 11, 8])
    assert_same(sum(days.values()), pooled, rel=0)
    assert_same(pickle.loads(pickle.dumps(days["quiet"])) + days["full"] + days["busy"], pooled)
    quiet = days["quiet"]
    assert (len(quiet), quiet.n_pos, quiet.n_neg, quiet.prior) == (0, 0, 18, 0)
    assert quiet.confusion_matrix(0.5).fp == 13
    for call in (
        lambda: Metric("average_precision")(quiet),
        lambda: quiet.tp,
        lambda: quiet[0],
        lambda: quiet.at_prior(0.1),
        lambda: uncertainty.interval("roc_auc", quiet),
        lambda: thresholds.choose_threshold(quiet, pi0=0.1, min_recall=0.5),
    ):
        with pytest.raises(ValueError, match=r"no positives|both classes"):
            call()


@pytest.mark.parametrize(
    ("thresholds", "pos", "neg", "message"),
    [
        ([1, 2], [1, 1], [1], "thresholds has 2, pos has 2, neg has 1"),
        ([], [], [], "thresholds must not be empty"),
        ([math.nan, 1], [1, 1], [1, 1], "thresholds must be finite, got nan at index 0"),
        ([1, 2], [1, -1], [1, 1], r"pos must not be negative, got -1\.0 at index 1"),
        ([1, 2], [0, 0], [0, 0], "pos and neg must not both be all zero"),
        ([1, 2], [1, 1], [1, math.inf], "neg must be finite"),
        ([1, 2], [1e308, 1e308], [1, 1], "pos must have a finite sum in float64"),
        ([1, 2], [1, 1], [1, 5e-324], "neg must be 0 or at least"),
        ([1, 2], [1, 1], [None, 1], "neg must hold real numbers"),
        (1, 1, 1, "thresholds must be one-dimensional"),
        ([2**60 + 1, 2**60], [1, 1], [1, 1], "thresholds must hold numbers that float64"),
    ],
    ids=short,
)
def test_bad_counts(thresholds, pos, neg, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ConfusionCurve.from_counts(thresholds, pos, neg)


BUILT = st.sampled_from([ConfusionCurve.from_counts, rows_of_counts])


@given(counts_at_scores(EIGHTHS), counts_at_scores(EIGHTHS), BUILT, BUILT, MAYBE_PRIORS)
def test_a_sum_with_counts_is_the_curve_of_all_counts(one, other, build_one, build_other, pi0):
    together = ConfusionCurve.from_counts(*(a + b for a, b in zip(one, other, strict=True)))
    merged = build_one(*one) + build_other(*other)
    assert_sound(merged)
    assert_equal_everywhere(calibrated(merged, pi0), calibrated(together, pi0))


@given(counts_at_scores(EIGHTHS), counts_at_scores(EIGHTHS), BUILT, BUILT)
def test_a_sum_of_different_calibrations_weighs_each_negative(one, other, build_one, build_other):
    weights = [
        (1 - pi0) / pi0 * sum(pos) / sum(neg) for pi0, (_, pos, neg) in ((0.25, one), (0.03, other))
    ]
    expected = ConfusionCurve.from_counts(
        one[0] + other[0],
        one[1] + other[1],
        [*(weights[0] * w for w in one[2]), *(weights[1] * w for w in other[2])],
    )
    merged = build_one(*one).at_prior(0.25) + build_other(*other).at_prior(0.03)
    assert_equal_everywhere(merged, expected)


# ------------------------------------------------------------------------ other constructors


@pytest.mark.parametrize("pi0", [None, 0.1])
def test_a_population_is_exact_at_any_threshold_and_within_its_totals(pi0):
    curve = calibrated(curve_of_population(), pi0)
    t = np.array([2, 1, 0.9, 0.75, 0.6, 0.1, 1e-9, 0, -1, -np.inf])
    tp, fp = np.minimum(Uniform().counts_at(t), 0.5)
    weight = curve.class_weight[1]
    expected = [tp, fp * weight, 0.5 - tp, (0.5 - fp) * weight]
    np.testing.assert_array_equal(outcomes_of(curve.confusion_matrix(t)), expected)
    np.testing.assert_array_equal(expected[2][-3:], 0)  # nothing lies below the last vertex
    assert points_of(curve)[1] == (7 / 32, weight / 32)
    assert not curve.has_rows
    with pytest.raises(ValueError, match="is not a vertex"):
        curve.hull().confusion_matrix(0.9)


@pytest.mark.parametrize(
    ("fpr", "tpr", "n_pos", "n_neg", "name"),
    [
        ([0.1, 1], [0, 1], 1, 1, "fpr"),
        ([0, 1], [0.1, 1], 1, 1, "tpr"),
        ([0, 0.9], [0, 1], 1, 1, "fpr must end at 1, got 0.9"),
        ([0, 1], [0, 1.1], 1, 1, "tpr must end at 1, got 1.1"),
        ([0, 0.5, 0.4, 1], [0, 0.5, 0.6, 1], 1, 1, "fpr"),
        ([0, 0.5, 0.6, 1], [0, 0.5, 0.4, 1], 1, 1, "tpr"),
        ([0, 0.5, 1], [0, 1], 1, 1, "fpr.*tpr"),
        ([], [], 1, 1, "fpr"),
        ([0, 0.5, 1], [0, math.inf, 1], 1, 1, "tpr"),
        (["0", "1"], [0, 1], 1, 1, "fpr"),
        ([0, 1], [0, 1], 0, 1, "n_pos"),
        ([0, 1], [0, 1], 1, -1, "n_neg"),
        ([0, 1], [0, 1], 1, True, "n_neg"),
    ],
)
def test_bad_roc_vertices(fpr, tpr, n_pos, n_neg, name):
    with pytest.raises((ValueError, TypeError), match=name):
        ConfusionCurve.from_roc(tpr=tpr, fpr=fpr, n_pos=n_pos, n_neg=n_neg)


@pytest.mark.parametrize(
    ("thresholds", "tp", "fp", "name"),
    [
        ([np.inf, 1], [0.5, 1], [0, 1], "tp must start at 0, got 0.5"),
        ([np.inf, 1], [0, 1], [1, 1], "fp must start at 0, got 1"),
        ([np.inf, 2, 1], [0, 2, 1], [0, 1, 2], "tp must not decrease, but does at index 2"),
        ([np.inf, 2, 1], [0, 1, 2], [0, 2, 1], "fp must not decrease, but does at index 2"),
        ([np.inf, 1], [0, 1], [0, 1, 2], "same length: thresholds has 2, tp has 2, fp has 3"),
        ([np.inf, 1], [0, 0], [0, 1], "tp must end above 0"),
        ([np.inf, 1], [0, 1], [0, 0], "fp must end above 0"),
        ([np.inf, 1], [0, 1], [0, math.inf], "fp must be finite"),
        ([1, 2], [0, 1], [0, 1], "thresholds must be strictly descending"),
        ([np.inf, math.nan], [0, 1], [0, 1], "thresholds"),
        ([], [], [], "tp"),
        ([np.inf, 1], [0, 1], [None, 1], "fp"),
    ],
)
def test_bad_vertices(thresholds, tp, fp, name):
    with pytest.raises((ValueError, TypeError), match=name):
        ConfusionCurve(thresholds, tp, fp)
    if np.ndim(thresholds) == 1:
        with pytest.raises((ValueError, TypeError), match=name):
            ConfusionCurve.from_population(Uniform(), thresholds, tp, fp)
