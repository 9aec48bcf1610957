"""Coordinates: the same confusion matrices, always finite, exact where straight lines are."""

import math

import hypothesis.strategies as st
import numpy as np
import oracle
import pytest
from hypothesis import given

from calibrated_metrics import ConfusionCurve, scores, spaces

pytestmark = pytest.mark.filterwarnings("error")

Y_TRUE = [0, 1, 0, 0, 1, 0, 1, 0, 0, 0]
Y_SCORE = [9, 8, 8, 7, 6, 5, 4, 3, 2, 1]
PRIORS = [None, 1e-9, 0.01, 1 / 3, 0.5, 0.9, 1 - 1e-9]


@pytest.fixture(params=PRIORS)
def pi0(request):
    return request.param


@pytest.fixture
def curve(pi0):
    curve = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)
    return curve if pi0 is None else curve.at_prior(pi0)


def _exact(curve):
    points = zip(curve.tp.tolist(), curve.fp.tolist(), strict=True)
    return oracle.Ranking.of_points(points)


def _floats(points):
    return np.array([[float(x), float(y)] for x, y in points]).T


@pytest.mark.parametrize("name", spaces.__all__)
def test_labels_and_scores_are_a_curve(name):
    function = getattr(spaces, name)
    of_curve = function(ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE))
    of_pair = function((Y_TRUE, Y_SCORE))
    if name == "interpolated":
        of_curve, of_pair = (of_curve.tp, of_curve.fp), (of_pair.tp, of_pair.fp)
    np.testing.assert_array_equal(of_pair, of_curve)
    with pytest.raises(TypeError, match=r"curve must be a ConfusionCurve or a pair .*, got None"):
        function(None)


def test_roc_coordinates(curve):
    fpr, tpr = spaces.roc(curve)
    np.testing.assert_allclose(fpr, [0, 1 / 7, 2 / 7, 3 / 7, 3 / 7, 4 / 7, 4 / 7, 1], rtol=1e-14)
    np.testing.assert_allclose(tpr, [0, 0, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 1, 1], rtol=1e-14)
    assert np.trapezoid(tpr, fpr) == pytest.approx(scores.roc_auc(curve), abs=1e-14)


def test_precision_recall_coordinates(curve):
    ranking = _exact(curve)
    recall, precision = spaces.recall_precision(curve)
    expected = [
        (ranking.recall_of(tp), ranking.precision_of(tp, fp)) for tp, fp in ranking.points[1:]
    ]
    np.testing.assert_allclose(
        np.stack([recall[1:], precision[1:]]), _floats(expected), rtol=1e-14, atol=0
    )
    assert (recall[0], precision[0]) == (0, precision[1])
    step = np.diff(recall) @ precision[1:]
    assert step == pytest.approx(scores.average_precision(curve), rel=1e-13)


def test_gains_are_exact_and_their_trapezoids_the_area(curve):
    expected = _floats(oracle.prg_points(_exact(curve)))
    recall_gain, precision_gain = spaces.recall_precision_gain(curve)
    np.testing.assert_allclose(np.stack([recall_gain, precision_gain]), expected, atol=1e-9)
    assert recall_gain[0] == 0
    assert (recall_gain[-1], precision_gain[-1]) == pytest.approx((1, 0), abs=1e-14)
    assert (np.diff(recall_gain) >= 0).all()
    area = np.trapezoid(precision_gain, recall_gain)
    assert area == pytest.approx(scores.prg_auc(curve), rel=1e-9)


@pytest.mark.parametrize("pi0", [1 - 2**-53, 1 - 2**-52, 1 - 1e-15, 1e-300, 1e-30])
def test_gains_at_the_ends_of_float64(pi0):
    for y_true, y_score in (
        (Y_TRUE, Y_SCORE),
        ([0, 1], [2, 1]),
        ([1, 0], [2, 1]),
        ([0, 1], [1, 1]),
        ([1] * 7 + [0] * 3, range(10)),
        ([1, 0, 0, 0], [4, 3, 2, 1]),
    ):
        curve = ConfusionCurve.from_predictions(y_true, y_score).at_prior(pi0)
        recall_gain, precision_gain = spaces.recall_precision_gain(curve)
        assert recall_gain[0] == 0
        assert recall_gain[-1] == pytest.approx(1)
        assert precision_gain[-1] == pytest.approx(0, abs=1e-12)
        assert np.isfinite(precision_gain).all()
        assert np.trapezoid(precision_gain, recall_gain) == pytest.approx(
            scores.prg_auc(curve), rel=1e-9, abs=1e-9
        )


SPACES = [
    spaces.roc,
    spaces.recall_precision,
    spaces.recall_precision_gain,
]


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.__name__)
def test_coordinates_are_new_arrays_that_may_be_written_to(space, curve):
    before = [values.copy() for values in space(curve)]
    for coordinates in space(curve):
        assert coordinates.dtype == np.float64
        for values in (curve.tp, curve.fp, *curve.positive_steps, curve.hull().tp, curve.hull().fp):
            assert not np.shares_memory(coordinates, values)
        coordinates[:] = -1
    np.testing.assert_array_equal(space(curve), before)


# ------------------------------------------------------------------------ always finite


def _assert_finite(curve):
    for space in (
        spaces.roc,
        spaces.recall_precision,
        spaces.recall_precision_gain,
        lambda curve: spaces.recall_precision(curve.hull()),
        lambda curve: spaces.recall_precision(spaces.interpolated(curve)),
    ):
        for coordinates in space(curve):
            assert np.isfinite(coordinates).all()


EMPTY_AT_THE_TOP = {
    "once, then a positive": lambda: ConfusionCurve(
        [np.inf, 7, 6, 5, 4, 1], [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]
    ),
    "twice, then a negative": lambda: ConfusionCurve(
        [np.inf, 7, 6, 5, 4, 1], [0, 0, 0, 0, 2, 2], [0, 0, 0, 1, 1, 3]
    ),
    "twice, then a tie": lambda: ConfusionCurve(
        [np.inf, 200, 100, 3, 2, 1], [0, 0, 0, 1, 1, 3], [0, 0, 0, 3, 4, 5]
    ),
    "twice (0, 0)": lambda: ConfusionCurve.from_roc(
        tpr=[0, 0, 0.75, 1], fpr=[0, 0, 0.5, 1], n_pos=4, n_neg=4
    ),
}


@pytest.mark.parametrize("build", EMPTY_AT_THE_TOP.values(), ids=EMPTY_AT_THE_TOP)
def test_coordinates_are_finite_where_nothing_is_counted_yet(build):
    curve = build()
    assert curve.tp[1] + curve.fp[1] == 0
    _assert_finite(curve)
    _assert_finite(curve.at_prior(0.01))


@pytest.mark.parametrize("build", EMPTY_AT_THE_TOP.values(), ids=EMPTY_AT_THE_TOP)
def test_scores_do_not_care_where_nothing_is_counted_yet(case, build):
    curve = build()
    assert oracle.error(case.curve(curve), case.oracle(_exact(curve))) < 1e-12


# ------------------------------------------------------------------------ interpolation


def test_davis_goadrich_table_1():
    """From A = (5, 5) to B = (10, 30), 20 positives and 2000 negatives."""
    curve = ConfusionCurve(np.full(4, np.nan), [0, 5, 10, 20], [0, 5, 30, 2000])
    between = spaces.interpolated(curve, n_points=20)
    recall, precision = spaces.recall_precision(between)
    rows = (between.tp >= 5) & (between.tp <= 10)
    np.testing.assert_allclose(between.tp[rows], [5, 6, 7, 8, 9, 10], rtol=1e-14)
    np.testing.assert_allclose(between.fp[rows], [5, 10, 15, 20, 25, 30], rtol=1e-14)
    np.testing.assert_allclose(recall[rows], [0.25, 0.3, 0.35, 0.4, 0.45, 0.5], rtol=1e-14)
    published = [0.5, 0.375, 0.318, 0.286, 0.265, 0.25]
    np.testing.assert_allclose(precision[rows], published, atol=5e-4)


@pytest.mark.parametrize(
    "area", [scores.pr_auc, scores.achievable_pr_auc, scores.prg_auc, scores.roc_auc]
)
def test_interpolation_changes_no_area(area, curve):
    for n_points in (1, 2, 7, 1000):
        between = spaces.interpolated(curve, n_points=n_points)
        assert area(between) == pytest.approx(area(curve), rel=1e-11, abs=1e-11)


def test_interpolating_a_long_curve_is_monotone_in_floating_point():
    rng = np.random.default_rng(5)
    for _ in range(200):
        n = int(rng.integers(2, 30))
        y_true = np.arange(n) < rng.integers(1, n)
        weights = rng.uniform(0.01, 1, n)
        curve = ConfusionCurve.from_predictions(
            y_true, rng.integers(0, 4, n), sample_weight=weights
        ).at_prior(10 ** rng.uniform(-9, -0.01))
        between = spaces.interpolated(curve, int(rng.integers(1, 200)))
        assert scores.pr_auc(between) == pytest.approx(scores.pr_auc(curve), rel=1e-11)
        assert (between.n_pos, between.n_neg) == (curve.n_pos, curve.n_neg)


@pytest.mark.parametrize("n_points", [0, -1, 1.0, "10", None, True, math.nan])
def test_number_of_points_must_be_a_positive_integer(n_points):
    curve = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)
    with pytest.raises((ValueError, TypeError), match="n_points"):
        spaces.interpolated(curve, n_points)


# ------------------------------------------- Theorem 3.1 and Corollary 3.1 of Davis & Goadrich

PRIORS_OF_THEOREMS = st.sampled_from([1e-6, 0.01, 0.3, 0.5, 0.99, 1 - 1e-6])
STEPS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any), max_size=6)


@st.composite
def rankings(draw):
    """Confusion matrices of whole numbers, ties and runs of either class among them."""
    d_tp, d_fp = np.array([*draw(STEPS), *draw(st.permutations([(1, 0), (0, 1)]))]).T
    points = zip([0, *np.cumsum(d_tp)], [0, *np.cumsum(d_fp)], strict=True)
    return oracle.Ranking.of_points((int(tp), int(fp)) for tp, fp in points)


def curve_of(ranking, pi0=None):
    tp, fp = np.array([[float(tp), float(fp)] for tp, fp in ranking.points]).T
    curve = ConfusionCurve(np.full(len(tp), np.nan), tp, fp)
    return curve if pi0 is None else curve.at_prior(pi0)


@given(rankings(), st.one_of(st.none(), PRIORS_OF_THEOREMS))
def test_the_coordinates_of_either_space_give_those_of_the_other(ranking, pi0):
    curve = curve_of(ranking, pi0)
    fpr, tpr = spaces.roc(curve)
    recall, precision = spaces.recall_precision(curve)
    found = recall > 0
    np.testing.assert_array_equal(tpr, recall)
    odds = curve.n_pos / curve.n_neg
    np.testing.assert_allclose(
        recall[found] * (1 / precision[found] - 1) * odds,
        fpr[found],
        rtol=1e-9,
        atol=1e-14 * max(1.0, odds),
    )
    np.testing.assert_allclose(
        tpr[found] / (tpr[found] + fpr[found] / odds), precision[found], rtol=1e-12
    )


@given(rankings(), st.one_of(st.none(), PRIORS_OF_THEOREMS))
def test_the_achievable_curve_is_the_image_of_the_roc_hull(ranking, pi0):
    shown = np.stack(spaces.recall_precision(curve_of(ranking, pi0).hull()))[:, 1:].T
    hull = oracle.hull(ranking.by_reweighting(pi0))
    for tp, fp in hull.points:
        if tp > 0:
            corner = float(hull.recall_of(tp)), float(hull.precision_of(tp, fp))
            assert np.isclose(shown, corner, rtol=1e-12, atol=0).all(axis=1).any()
