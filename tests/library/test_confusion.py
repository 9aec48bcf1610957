"""The curve: its vertices, its constructors, its operations, what it refuses and what it keeps."""

import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import oracle
import pytest
from scipy import integrate, special, stats

from calibrated_metrics import ConfusionCurve, scores

pytestmark = pytest.mark.filterwarnings("error")

Y_TRUE = [0, 1, 0, 0, 1, 0, 1, 0, 0, 0]
Y_SCORE = [9, 8, 8, 7, 6, 5, 4, 3, 2, 1]


@pytest.fixture
def curve():
    return ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)


def short(value) -> str:
    """An id for a parameter, the same in every process."""
    return repr(value)[:24] if "0x" not in repr(value).lower() else type(value).__name__


def assert_sound(curve):
    """What holds for every curve, however it came about."""
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
    assert (curve.rises.tp_end > curve.rises.tp_start).all()
    assert (curve.rises.fp_end >= curve.rises.fp_start).all()


def assert_same(curve, other, rel=1e-14):
    np.testing.assert_array_equal(curve.thresholds, other.thresholds)
    np.testing.assert_allclose(curve.tp, other.tp, rtol=rel)
    np.testing.assert_allclose(curve.fp, other.fp, rtol=rel)


# ------------------------------------------------------------------------ vertices


def test_vertices_of_a_ranking(curve):
    """8 ties a positive with a negative; inside runs of negatives nothing is kept."""
    assert_sound(curve)
    np.testing.assert_array_equal(curve.thresholds, [np.inf, 9, 8, 7, 6, 5, 4, 1])
    np.testing.assert_array_equal(curve.tp, [0, 0, 1, 1, 2, 2, 3, 3])
    np.testing.assert_array_equal(curve.fp, [0, 1, 2, 3, 3, 4, 4, 7])
    assert curve.prior == 0.3


def test_rises_are_the_groups_with_a_positive(curve):
    np.testing.assert_array_equal(curve.rises.tp_start, [0, 1, 2])
    np.testing.assert_array_equal(curve.rises.tp_end, [1, 2, 3])
    np.testing.assert_array_equal(curve.rises.fp_start, [1, 3, 4])
    np.testing.assert_array_equal(curve.rises.fp_end, [2, 3, 4])


@pytest.mark.parametrize(
    ("y_true", "y_score", "points"),
    [
        ([1, 0], [2, 1], [(0, 0), (1, 0), (1, 1)]),
        ([0, 1], [2, 1], [(0, 0), (0, 1), (1, 1)]),
        ([0, 1], [1, 1], [(0, 0), (1, 1)]),
        ([1, 0, 0, 0], [1, 2, 3, 4], [(0, 0), (0, 3), (1, 3)]),
        ([0, 1, 1, 1], [1, 2, 3, 4], [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1)]),
        ([1, 1, 0, 0, 0], [5, 5, 5, 5, 5], [(0, 0), (2, 3)]),
        ([0, 1, 1, 0], [np.finfo(float).max, 5e-324, 0.0, -np.finfo(float).max],
         [(0, 0), (0, 1), (1, 1), (2, 1), (2, 2)]),
    ],
)  # fmt: skip
def test_small_rankings(y_true, y_score, points):
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    assert_sound(curve)
    assert list(zip(curve.tp, curve.fp, strict=True)) == points


def test_vertices_given_are_thinned_in_runs_of_negatives():
    curve = ConfusionCurve([np.inf, 6, 5, 4, 3, 2, 1], [0, 0, 0, 2, 2, 2, 2], [0, 1, 2, 2, 3, 4, 5])
    assert_sound(curve)
    np.testing.assert_array_equal(curve.thresholds, [np.inf, 5, 4, 1])
    np.testing.assert_array_equal(curve.tp, [0, 0, 2, 2])
    np.testing.assert_array_equal(curve.fp, [0, 2, 2, 5])


def test_dropping_vertices_in_runs_of_negatives_changes_no_score(case):
    rng = np.random.default_rng(3)
    y_true, y_score = rng.random(80) < 0.2, rng.integers(0, 40, 80)
    full = oracle.Ranking.of_samples(y_true, y_score.tolist())
    thinned = ConfusionCurve.from_predictions(y_true, y_score)
    assert len(thinned) < len(full.points)
    for pi0 in (1e-3, 0.5, 0.999):
        value = case.curve(thinned.at_prior(pi0))
        assert oracle.error(value, case.oracle(full.by_formula(pi0))) < 1e-12


def test_repr_names_the_size_and_the_prior(curve):
    assert repr(curve) == "ConfusionCurve(8 vertices, n_pos=3, n_neg=7, prior=0.3)"


# ------------------------------------------------------------------------ counts at a threshold


@pytest.mark.parametrize("pi0", [None, 0.3, 0.01, 0.9])
def test_counts_are_of_scores_strictly_above(curve, pi0):
    ranking = oracle.Ranking.of_samples(Y_TRUE, Y_SCORE).by_formula(pi0)
    at = curve if pi0 is None else curve.at_prior(pi0)
    for threshold in np.arange(-1, 11, 0.5):
        tp, fp = at.counts_above(threshold)
        exact_tp, exact_fp = ranking.counts_above(threshold)
        assert tp == exact_tp
        assert oracle.error(fp, exact_fp) < 1e-14


def test_counts_above_take_any_real_number(curve):
    for eight in (8, 8.0, np.float32(8), np.int8(8), Fraction(8)):
        assert curve.counts_above(eight) == (0.0, 1.0)
    assert curve.counts_above(-0.0) == curve.counts_above(0.0) == (3.0, 7.0)
    assert all(type(count) is float for count in curve.counts_above(8))


def test_counts_split_signed_zeros_nowhere():
    curve = ConfusionCurve.from_predictions([1, 0, 1, 0], [0.0, -0.0, -0.0, 0.0])
    assert len(curve) == 2
    assert curve.counts_above(0.0) == curve.counts_above(-0.0) == (0.0, 0.0)
    assert curve.counts_above(-5e-324) == (2.0, 2.0)


def test_counts_of_neighbouring_floats():
    up = np.nextafter(0.3, 1)
    curve = ConfusionCurve.from_predictions([1, 0, 1], [up, 0.3, 5e-324])
    assert curve.counts_above(0.3) == (1.0, 0.0)
    assert curve.counts_above(up) == (0.0, 0.0)
    assert curve.counts_above(0.0) == (2.0, 1.0)
    assert curve.counts_above(5e-324) == (1.0, 1.0)


@pytest.mark.parametrize(
    "lost",
    [
        lambda curve: curve.undersample(0.5, np.random.default_rng(0)),
        lambda curve: curve.resample(np.random.default_rng(0)),
        lambda curve: curve.hull(),
        lambda curve: curve.hull().at_prior(0.5),
        lambda curve: ConfusionCurve(curve.thresholds, curve.tp, curve.fp),
        lambda curve: ConfusionCurve.from_roc([0, 0.5, 1], [0, 1, 1], 3, 7),
    ],
    ids=["undersample", "resample", "hull", "hull at a prior", "vertices", "from_roc"],
)
def test_unknown_counts_are_refused_with_a_way_out(curve, lost):
    """2.5 lies inside a run of negatives, which only the predictions know."""
    with pytest.raises(ValueError, match=r"threshold=2\.5.*keep_thresholds"):
        lost(curve).counts_above(2.5)


def test_kept_thresholds_survive_random_draws(curve):
    rng = np.random.default_rng(5)
    kept = curve.keep_thresholds(2.5, 8, 100, -100)
    assert_sound(kept)
    for draw in (kept.undersample(0.5, rng), kept.resample(rng), kept.at_prior(0.1)):
        for threshold in (2.5, 8, 100, -100):
            tp, fp = draw.counts_above(threshold)
            assert 0 <= tp <= draw.n_pos
            assert 0 <= fp <= draw.n_neg
        assert draw.counts_above(100) == (0, 0)
        assert draw.counts_above(-100) == (draw.n_pos, draw.n_neg)
    full = kept.undersample(curve.prior, rng)
    for threshold in (2.5, 8, 100, -100):
        assert full.counts_above(threshold) == curve.counts_above(threshold)
    calibrated = full.at_prior(0.1)
    for threshold in (2.5, 8, 100):
        assert calibrated.counts_above(threshold) == pytest.approx(
            curve.at_prior(0.1).counts_above(threshold), rel=1e-14
        )


def test_kept_thresholds_change_no_score(case, curve):
    kept = curve.keep_thresholds(2.5, 8, 7.5, 100, -100)
    for pi0 in (0.01, 0.5):
        assert case.curve(kept.at_prior(pi0)) == pytest.approx(case.curve(curve.at_prior(pi0)))
    assert case.curve(kept) == pytest.approx(case.curve(curve))


@pytest.mark.parametrize("threshold", Y_SCORE)
def test_a_threshold_kept_at_a_score(curve, threshold):
    kept = curve.keep_thresholds(threshold)
    drawn = kept.undersample(curve.prior, np.random.default_rng(0))
    assert drawn.counts_above(threshold) == curve.counts_above(threshold)


def test_keeping_thresholds_twice_or_none(curve):
    once = curve.keep_thresholds(2.5)
    assert_same(once.keep_thresholds(2.5, 2.5), once)
    assert_same(curve.keep_thresholds(), curve)
    both = once.keep_thresholds(5.5)
    assert_same(both, curve.keep_thresholds(5.5, 2.5))


def test_thresholds_cannot_be_kept_once_unknown(curve):
    drawn = curve.undersample(0.5, np.random.default_rng(0))
    with pytest.raises(ValueError, match="keep_thresholds"):
        drawn.keep_thresholds(2.5)


@pytest.mark.parametrize("threshold", [math.nan, math.inf, "1", None, True, [1.0]])
def test_kept_thresholds_must_be_finite_numbers(curve, threshold):
    with pytest.raises((ValueError, TypeError), match="threshold"):
        curve.keep_thresholds(threshold)


def test_kept_thresholds_after_two_calibrations_stay_monotone():
    rng = np.random.default_rng(11)
    for _ in range(300):
        n = 30
        y_true = np.arange(n) % 3 == 0
        curve = ConfusionCurve.from_predictions(y_true, rng.integers(0, 15, n))
        curve = curve.at_prior(rng.uniform(0.01, 0.99)).at_prior(rng.uniform(0.01, 0.99))
        assert_sound(curve.keep_thresholds(*np.arange(-0.5, 15)))


# ------------------------------------------------------------------------ calibration


@pytest.mark.parametrize("pi0", [1e-12, 1e-6, 0.3, 0.5, 1 - 1e-6, 1 - 1e-12])
def test_calibration_scales_the_negatives_to_the_prior(curve, pi0):
    at = curve.at_prior(pi0)
    assert_sound(at)
    exact = Fraction(3) * (1 - Fraction(pi0)) / (Fraction(pi0) * 7)
    np.testing.assert_allclose(at.fp, curve.fp * float(exact), rtol=1e-15)
    np.testing.assert_array_equal(at.tp, curve.tp)
    assert at.prior == pytest.approx(pi0, rel=1e-14)
    assert 1 - at.prior == pytest.approx(1 - pi0, abs=1e-15)


def test_calibrating_twice_is_calibrating_once(curve):
    assert_same(curve.at_prior(0.01).at_prior(0.7), curve.at_prior(0.7))
    assert_same(curve.at_prior(0.01).at_prior(curve.prior), curve)


def test_rises_of_a_calibrated_curve(curve):
    curve.rises  # noqa: B018 - fills the cache that at_prior carries over
    for at in (curve.at_prior(0.01), curve.at_prior(0.01).at_prior(0.9)):
        fresh = ConfusionCurve(at.thresholds, at.tp, at.fp)
        for carried, computed in zip(at.rises, fresh.rises, strict=True):
            np.testing.assert_allclose(carried, computed, rtol=1e-15)


BAD_PRIORS = [
    0, 1, 0.0, 1.0, -0.1, 1.5, math.nan, math.inf, -math.inf, True, False, "0.5", None, 0.5j,
    [0.5], np.array([0.5]), (0.5, 0.2), {}, 10**400,
]  # fmt: skip


@pytest.mark.parametrize("pi0", BAD_PRIORS, ids=short)
@pytest.mark.parametrize(
    "use",
    [
        lambda curve, pi0: curve.at_prior(pi0),
        lambda curve, pi0: curve.n_kept_at(pi0),
        lambda curve, pi0: curve.undersample(pi0, np.random.default_rng(0)),
    ],
    ids=["at_prior", "n_kept_at", "undersample"],
)
def test_prior_must_lie_between_zero_and_one(curve, use, pi0):
    with pytest.raises((ValueError, TypeError), match="pi0"):
        use(curve, pi0)


@pytest.mark.parametrize("pi0", [Fraction(1, 2), np.float32(0.5), np.float64(0.5)])
def test_prior_may_be_any_real_number(curve, pi0):
    assert_same(curve.at_prior(pi0), curve.at_prior(0.5))


# ------------------------------------------------------------------------ samples


def test_weights_add_up_and_zero_weights_vanish():
    curve = ConfusionCurve.from_predictions(
        [1, 0, 1, 0, 1], [5, 4, 4, 3, 9], sample_weight=[0.5, 2, 1.5, 1, 0]
    )
    assert_sound(curve)
    np.testing.assert_array_equal(curve.thresholds, [np.inf, 5, 4, 3])
    np.testing.assert_array_equal(curve.tp, [0, 0.5, 2, 2])
    np.testing.assert_array_equal(curve.fp, [0, 0, 2, 3])
    assert curve.counts_above(8) == (0, 0)


@pytest.mark.parametrize("pos_label", ["fraud", "ok"])
def test_the_positive_label_is_chosen(pos_label):
    y_true = np.where(np.array(Y_TRUE) == 1, "fraud", "ok")
    curve = ConfusionCurve.from_predictions(y_true, Y_SCORE, pos_label=pos_label)
    assert curve.n_pos == (3 if pos_label == "fraud" else 7)


def test_inputs_are_neither_changed_nor_shared():
    y_true, y_score = np.array(Y_TRUE), np.array(Y_SCORE, dtype=float)
    weights, probabilities = np.linspace(0, 1, 10), np.linspace(0, 1, 10)
    thresholds, tp, fp = np.array([np.inf, 2.0, 1.0]), np.array([0.0, 1, 1]), np.array([0.0, 0, 1])
    fpr, tpr = np.array([0, 0.5, 1]), np.array([0, 0.75, 1])
    inputs = (y_true, y_score, weights, probabilities, thresholds, tp, fp, fpr, tpr)
    before = [values.copy() for values in inputs]
    curves = [
        ConfusionCurve.from_predictions(y_true, y_score),
        ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weights),
        ConfusionCurve.from_predictions(y_true[:2], y_score[:2]),
        ConfusionCurve.from_probabilities(probabilities),
        ConfusionCurve(thresholds, tp, fp),
        ConfusionCurve.from_roc(fpr, tpr, 1, 1),
    ]
    seen = [
        (curve.tp.copy(), curve.fp.copy(), curve.thresholds.copy(), curve.counts_above(4.5))
        for curve in curves[:4]
    ]
    for curve in curves:
        curve.at_prior(0.2).hull()
    for values, original in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(values, original)
        assert values.flags.writeable
        values[:] = 0
    for curve, (tp, fp, thresholds, above) in zip(curves[:4], seen, strict=True):
        np.testing.assert_array_equal(curve.tp, tp)
        np.testing.assert_array_equal(curve.fp, fp)
        np.testing.assert_array_equal(curve.thresholds, thresholds)
        assert curve.counts_above(4.5) == above
    for curve in curves:
        for values in (curve.tp, curve.fp, curve.thresholds):
            assert not any(np.shares_memory(values, given) for given in inputs)


def _all_arrays(curve):
    return [curve.tp, curve.fp, curve.thresholds, *curve.rises]


EVERY_WAY = {
    "predictions": lambda: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE),
    "weighted": lambda: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, sample_weight=Y_SCORE),
    "probabilities": lambda: ConfusionCurve.from_probabilities(np.array(Y_SCORE) / 10),
    "distribution": lambda: ConfusionCurve.from_distribution(stats.beta(2, 3), n_thresholds=21),
    "binormal": lambda: ConfusionCurve.from_binormal(2, 1.8, 0.3, n_thresholds=21),
    "roc": lambda: ConfusionCurve.from_roc([0, 0, 0.5, 1], [0, 0.5, 0.75, 1], 4, 8),
    "calibrated": lambda: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE).at_prior(0.2),
    "hull": lambda: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE).hull(),
    "undersampled": lambda: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE).undersample(
        0.5, np.random.default_rng(0)
    ),
    "resampled": lambda: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE).resample(
        np.random.default_rng(0)
    ),
    "merged": lambda: (
        ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)
        + ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE).at_prior(0.2)
    ),
    "kept": lambda: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE).keep_thresholds(2.5, 6.5),
}


@pytest.fixture(params=EVERY_WAY.values(), ids=EVERY_WAY)
def any_curve(request):
    return request.param()


def test_every_curve_is_sound(any_curve):
    assert_sound(any_curve)
    assert_sound(any_curve.at_prior(0.07))
    assert_sound(any_curve.hull())


def test_arrays_are_read_only(any_curve):
    for values in (any_curve.tp, any_curve.fp, any_curve.thresholds):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1


def test_rises_are_read_only(curve):
    """Scores read them, and calibrated curves share them."""
    for values in (*curve.rises, *curve.at_prior(0.2).rises):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1


COPIES = {
    "pickle": lambda curve: pickle.loads(pickle.dumps(curve)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_behave_the_same(any_curve, copied, case):
    twin = copied(any_curve)
    assert_sound(twin)
    assert_same(twin, any_curve, rel=0)
    assert case.curve(twin.at_prior(0.2)) == case.curve(any_curve.at_prior(0.2))


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_know_their_counts(copied):
    curve = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE).at_prior(0.2)
    assert copied(curve).counts_above(2.5) == curve.counts_above(2.5)
    assert_same(copied(curve) + curve, curve + curve)


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_are_read_only_too(curve, copied):
    twin = copied(curve)
    for values in (twin.tp, twin.fp, twin.thresholds):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1


# ------------------------------------------------------------------------ merging


def test_merged_curves_are_the_curve_of_all_samples():
    rng = np.random.default_rng(17)
    y_true, y_score = rng.integers(0, 2, 60), rng.integers(0, 20, 60)
    weights = rng.integers(0, 3, 60)
    first, second = slice(0, 25), slice(25, 60)

    def curve_of(part, weights=None):
        weights = None if weights is None else weights[part]
        return ConfusionCurve.from_predictions(y_true[part], y_score[part], sample_weight=weights)

    everything = slice(None)
    assert_same(curve_of(first) + curve_of(second), curve_of(everything))
    assert_same(curve_of(first, weights) + curve_of(second, weights), curve_of(everything, weights))
    mixed = np.concatenate([weights[first], np.ones(35)])
    assert_same(curve_of(first, weights) + curve_of(second), curve_of(everything, mixed))


def test_merging_keeps_each_calibration():
    """Either part brings its own weight of a negative."""
    y_true, y_score = np.array(Y_TRUE), np.array(Y_SCORE)
    one = ConfusionCurve.from_predictions(y_true, y_score).at_prior(0.5)
    other = ConfusionCurve.from_predictions(1 - y_true, y_score / 2).at_prior(0.125)
    merged = one + other
    weights = np.concatenate([np.where(y_true == 1, 1, 3 / 7), np.where(y_true == 0, 1, 7 * 7 / 3)])
    expected = ConfusionCurve.from_predictions(
        np.concatenate([y_true, 1 - y_true]),
        np.concatenate([y_score, y_score / 2]),
        sample_weight=weights,
    )
    assert_same(merged, expected)
    for threshold in (0.3, 2, 4.5):
        assert merged.counts_above(threshold) == pytest.approx(expected.counts_above(threshold))
    assert_same(merged.at_prior(0.3), expected.at_prior(0.3))


def test_merging_probabilities_and_labels():
    labelled = ConfusionCurve.from_predictions([1, 0], [0.9, 0.2])
    unlabelled = ConfusionCurve.from_probabilities([0.5, 0.9])
    merged = labelled + unlabelled
    assert_sound(merged)
    assert (merged.n_pos, merged.n_neg) == pytest.approx((2.4, 1.6))
    assert merged.counts_above(0.5) == pytest.approx((1.9, 0.1))


@pytest.mark.parametrize(
    "lost",
    [
        lambda curve: curve.hull(),
        lambda curve: curve.undersample(0.5, np.random.default_rng(0)),
        lambda curve: curve.resample(np.random.default_rng(0)),
        lambda _: ConfusionCurve.from_binormal(1, 0, 0.5, n_thresholds=11),
        lambda _: ConfusionCurve.from_roc([0, 1], [0, 1], 1, 1),
    ],
    ids=["hull", "undersample", "resample", "binormal", "roc"],
)
def test_only_samples_can_be_merged(curve, lost):
    for pair in ((curve, lost(curve)), (lost(curve), curve)):
        with pytest.raises(ValueError, match="merged"):
            pair[0] + pair[1]


@pytest.mark.parametrize("other", [1, None, "curve", [1, 2]])
def test_only_curves_can_be_merged(curve, other):
    with pytest.raises(TypeError):
        curve + other
    with pytest.raises(TypeError):
        other + curve


# ------------------------------------------------------------------------ hull


def test_hull_of_a_known_curve():
    curve = ConfusionCurve.from_roc([0, 0.1, 0.2, 0.5, 1], [0, 0.5, 0.55, 0.9, 1], 20, 2000)
    hull = curve.hull()
    np.testing.assert_allclose(hull.tp, [0, 10, 18, 20], rtol=1e-15)
    np.testing.assert_allclose(hull.fp, [0, 200, 1000, 2000], rtol=1e-15)


def test_hull_equals_the_exact_one():
    rng = np.random.default_rng(23)
    for _ in range(300):
        n = int(rng.integers(2, 40))
        y_true = rng.permutation(np.arange(n) < rng.integers(1, n))
        y_score = rng.integers(0, 12, n) / 4 + y_true
        exact = oracle.hull(oracle.Ranking.of_samples(y_true, y_score.tolist()))
        hull = ConfusionCurve.from_predictions(y_true, y_score).hull()
        assert_sound(hull)
        vertices = list(zip(hull.tp.tolist(), hull.fp.tolist(), strict=True))
        assert oracle.hull(oracle.Ranking.of_points(vertices)).points == exact.points
        assert oracle.roc_auc(oracle.Ranking.of_points(vertices)) == oracle.roc_auc(exact)


def test_hull_keeps_its_corners_in_steep_curves():
    curve = ConfusionCurve(np.full(5, np.nan), [0, 1, 2, 3, 4], [0, 1e-12, 1.1e-12, 1e6, 3e6])
    exact = oracle.hull(
        oracle.Ranking.of_points(zip(curve.tp.tolist(), curve.fp.tolist(), strict=True))
    )
    assert [(float(tp), float(fp)) for tp, fp in exact.points] == list(
        zip(curve.hull().tp, curve.hull().fp, strict=True)
    )


# ------------------------------------------------------------------------ constructors


def test_probabilities_give_expected_counts():
    rng = np.random.default_rng(29)
    y_prob = np.round(rng.random(500), 2)
    y_prob[:3] = 0, 1, 0.5
    curve = ConfusionCurve.from_probabilities(y_prob)
    assert_sound(curve)
    for threshold in np.linspace(-0.1, 1.1, 41):
        above = y_prob > threshold
        expected = y_prob[above].sum(), (1 - y_prob[above]).sum()
        assert curve.counts_above(threshold) == pytest.approx(expected, rel=1e-13, abs=1e-13)
    for threshold, tp, fp in zip(curve.thresholds, curve.tp, curve.fp, strict=True):
        above = y_prob >= threshold
        assert tp == pytest.approx(y_prob[above].sum(), rel=1e-13)
        assert fp == pytest.approx((1 - y_prob[above]).sum(), rel=1e-13, abs=1e-13)


def test_probabilities_are_half_samples(case):
    """Each score p is a positive of weight p and a negative of weight 1 - p."""
    y_prob = np.array([0.9, 0.9, 0.4, 0.25, 0.0, 1.0, 0.125])
    twice = ConfusionCurve.from_predictions(
        np.repeat([1, 0], 7), np.tile(y_prob, 2), sample_weight=np.r_[y_prob, 1 - y_prob]
    )
    curve = ConfusionCurve.from_probabilities(y_prob)
    assert_same(curve, twice)
    assert case.curve(curve.at_prior(0.2)) == pytest.approx(case.curve(twice.at_prior(0.2)))


@pytest.mark.parametrize(
    "y_prob",
    [[0, 0], [1, 1.0], [0.0], [1], [], [0.5, 1.1], [0.5, -1e-9], [0.5, math.nan], [math.inf, 0],
     [[0.5]], 0.5, ["0.5"], [None, 0.5], [0.5j], np.array(["0.5", "0.1"], dtype=object)],
    ids=short,
)  # fmt: skip
def test_bad_probabilities(y_prob):
    with pytest.raises((ValueError, TypeError), match="y_prob"):
        ConfusionCurve.from_probabilities(y_prob)


def _beta_counts(a, b, thresholds):
    """∫_t^1 x f and ∫_t^1 (1 - x) f of Beta(a, b), through the incomplete beta function."""
    mean = a / (a + b)
    tp = mean * special.betaincc(a + 1, b, thresholds)
    fp = (1 - mean) * special.betaincc(a, b + 1, thresholds)
    return tp, fp


# Scores known by their histogram: a survival function with kinks, and one empty bin.
BIN_WEIGHTS, BIN_EDGES = np.array([1, 4, 2, 0, 3]), np.array([0, 1 / 7, 1 / 3, 2 / 3, 0.9, 1])
BIN_DENSITY = BIN_WEIGHTS / 10 / np.diff(BIN_EDGES)


def _histogram_counts(thresholds):
    low = np.maximum(BIN_EDGES[:-1], np.expand_dims(thresholds, -1))
    high = np.maximum(BIN_EDGES[1:], np.expand_dims(thresholds, -1))
    tp = (BIN_DENSITY * (high**2 - low**2) / 2).sum(axis=-1)
    return tp, (BIN_DENSITY * (high - low)).sum(axis=-1) - tp


DISTRIBUTIONS = {
    "histogram": (
        stats.rv_histogram((BIN_WEIGHTS, BIN_EDGES), density=False)(),
        _histogram_counts,
    ),
    "uniform": (stats.uniform(), lambda t: ((1 - t**2) / 2, (1 - t) ** 2 / 2)),
    "F(x) = x²": (
        stats.beta(2, 1),
        lambda t: (2 * (1 - t**3) / 3, (1 - t**2) - 2 * (1 - t**3) / 3),
    ),
    "powerlaw 2": (
        stats.powerlaw(2),
        lambda t: (2 * (1 - t**3) / 3, (1 - t**2) - 2 * (1 - t**3) / 3),
    ),
    "beta(0.2, 0.3)": (stats.beta(0.2, 0.3), lambda t: _beta_counts(0.2, 0.3, t)),
    "beta(2, 3)": (stats.beta(2, 3), lambda t: _beta_counts(2, 3, t)),
    "beta(50, 50)": (stats.beta(50, 50), lambda t: _beta_counts(50, 50, t)),
    "beta(0.5, 300)": (stats.beta(0.5, 300), lambda t: _beta_counts(0.5, 300, t)),
    "uniform on [0.2, 0.7]": (
        stats.uniform(0.2, 0.5),
        lambda t: (
            0.49 - np.clip(t, 0.2, 0.7) ** 2,
            2 * (0.7 - np.clip(t, 0.2, 0.7)) - (0.49 - np.clip(t, 0.2, 0.7) ** 2),
        ),
    ),
    "uniform on [0, 0.5]": (
        stats.uniform(0, 0.5),
        lambda t: (0.25 - np.minimum(t, 0.5) ** 2, (1 - np.minimum(t, 0.5)) ** 2 - 0.25),
    ),
}


@pytest.mark.parametrize("n_thresholds", [2, 11, 1001])
@pytest.mark.parametrize(("dist", "counts"), DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_distribution_gives_the_counts_in_closed_form(dist, counts, n_thresholds):
    curve = ConfusionCurve.from_distribution(dist, n_thresholds=n_thresholds)
    assert_sound(curve)
    assert len(curve) == n_thresholds
    thresholds = np.linspace(1, 0, n_thresholds)
    np.testing.assert_array_equal(curve.thresholds[1:], thresholds[1:])
    tp, fp = counts(thresholds)
    np.testing.assert_allclose(curve.tp, tp, atol=1e-10)
    np.testing.assert_allclose(curve.fp, fp, atol=1e-10)
    assert curve.n_pos + curve.n_neg == pytest.approx(1, abs=1e-10)
    assert curve.prior == pytest.approx(dist.mean(), abs=1e-10)


def _assert_counts_between_vertices(dist, counts, thresholds):
    curve = ConfusionCurve.from_distribution(dist, n_thresholds=11)
    for threshold in thresholds:
        expected = counts(np.clip(float(threshold), 0, 1))
        assert curve.counts_above(threshold) == pytest.approx(expected, abs=1e-10)
        ratio = curve.n_pos / curve.n_neg * 9
        assert curve.at_prior(0.1).counts_above(threshold) == pytest.approx(
            (expected[0], expected[1] * ratio), abs=1e-9 * (1 + ratio)
        )


@pytest.mark.parametrize(("dist", "counts"), DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_distribution_counts_between_its_vertices(dist, counts):
    _assert_counts_between_vertices(dist, counts, (-1, 0, 0.123, 0.35, 0.5, 0.777, 0.95, 1, 2))


@pytest.mark.parametrize(("dist", "counts"), DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_distribution_counts_near_its_ends(dist, counts):
    thresholds = 10.0 ** -np.arange(2, 16)
    _assert_counts_between_vertices(dist, counts, [*thresholds, *(1 - thresholds)])


@pytest.mark.parametrize(("dist", "_"), DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_thresholds_kept_on_a_distribution(dist, _):
    curve = ConfusionCurve.from_distribution(dist, n_thresholds=11)
    kept = curve.keep_thresholds(*np.linspace(-0.1, 1.1, 61))
    assert_sound(kept)
    assert kept.n_pos == pytest.approx(curve.n_pos, abs=1e-10)


def test_uniform_scores_have_known_areas():
    """TP = (1 - t²)/2 and FP = (1 - t)²/2: precision is (1 + t)/2."""
    curve = ConfusionCurve.from_distribution(stats.uniform(), n_thresholds=20_001)
    area, _ = integrate.quad(lambda t: 2 * t * (1 + t) / 2, 0, 1)
    assert scores.pr_auc(curve) == pytest.approx(area, abs=1e-7)
    assert scores.roc_auc(curve) == pytest.approx(5 / 6, abs=1e-7)
    assert scores.best_fbeta(curve) == pytest.approx(
        max((1 - t**2) / ((1 - t) + 0.5) for t in np.linspace(0, 1, 20_001)), abs=1e-12
    )


@pytest.mark.parametrize(
    ("dist", "kind"),
    [
        (stats.norm(), ValueError),
        (stats.uniform(0, 2), ValueError),
        (stats.uniform(-0.1, 0.5), ValueError),
        (stats.expon(), ValueError),
        (stats.binom(1, 0.5), TypeError),
        (stats.beta, TypeError),
        ("beta", TypeError),
        (None, TypeError),
        ([0.1, 0.9], TypeError),
    ],
    ids=short,
)
def test_distributions_that_are_no_scores(dist, kind):
    with pytest.raises(kind, match="dist"):
        ConfusionCurve.from_distribution(dist)


@pytest.mark.parametrize("n_thresholds", [1, 0, -5, 2.0, 10.5, "10", None, True, math.nan, [10]])
@pytest.mark.parametrize(
    "build",
    [
        lambda n: ConfusionCurve.from_distribution(stats.uniform(), n_thresholds=n),
        lambda n: ConfusionCurve.from_binormal(1, 0, 0.5, n_thresholds=n),
        lambda n: ConfusionCurve.from_binormal(1, 1, 0.5, n_thresholds=n),
    ],
    ids=["distribution", "binormal", "binormal with equal means"],
)
def test_number_of_thresholds_must_be_an_integer_above_one(build, n_thresholds):
    with pytest.raises((ValueError, TypeError), match="n_thresholds"):
        build(n_thresholds)


@pytest.mark.parametrize("distance", [0.05, 0.2, 1, 2, 5, 24])
@pytest.mark.parametrize("prior", [0.001, 0.5, 0.9])
def test_binormal_roc_area_in_closed_form(distance, prior):
    curve = ConfusionCurve.from_binormal(2, 2 - distance, prior)
    assert_sound(curve)
    assert curve.prior == pytest.approx(prior, rel=1e-14)
    assert curve.n_pos + curve.n_neg == pytest.approx(1)
    assert scores.roc_auc(curve) == pytest.approx(special.ndtr(distance / math.sqrt(2)), abs=1e-8)


@pytest.mark.parametrize("pi0", [None, 0.01, 0.9])
def test_binormal_precision_areas_against_quadrature(pi0):
    """∫ precision d(recall) over the threshold of x itself, at N(2, 1) against N(1, 1)."""
    prior = 0.2 if pi0 is None else pi0
    curve = ConfusionCurve.from_binormal(2, 1, 0.2)
    curve = curve if pi0 is None else curve.at_prior(pi0)

    def precision(x):
        tp, fp = prior * special.ndtr(2 - x), (1 - prior) * special.ndtr(1 - x)
        return tp / (tp + fp)

    area, _ = integrate.quad(lambda x: precision(x) * stats.norm.pdf(x - 2), -7, 11, epsabs=1e-11)
    assert scores.pr_auc(curve) == pytest.approx(area, abs=1e-8)
    assert scores.achievable_pr_auc(curve) == pytest.approx(area, abs=1e-8)
    assert scores.average_precision(curve) == pytest.approx(area, abs=1e-4)
    best = max(
        2 * prior * special.ndtr(2 - x)
        / (prior * special.ndtr(2 - x) + (1 - prior) * special.ndtr(1 - x) + prior)
        for x in np.linspace(-5, 8, 20_001)
    )  # fmt: skip
    assert scores.best_fbeta(curve) == pytest.approx(best, abs=1e-6)


def test_binormal_counts_are_of_the_likelihood_ratio():
    """x of N(2, 1) against N(1, 1) has the likelihood ratio exp(x - 1.5)."""
    curve = ConfusionCurve.from_binormal(2, 1, 0.2, n_thresholds=11)
    for ratio in (1e-6, 0.1, 0.5, 1, 2, 17.3, 1e6):
        x = math.log(ratio) + 1.5
        expected = 0.2 * special.ndtr(2 - x), 0.8 * special.ndtr(1 - x)
        assert curve.counts_above(ratio) == pytest.approx(expected, rel=1e-12)
        tp, fp = curve.at_prior(0.5).counts_above(ratio)
        assert (tp, fp) == pytest.approx((expected[0], expected[1] / 4), rel=1e-12)
    for ratio in (0, -1, -0.0):
        assert curve.counts_above(ratio) == pytest.approx((0.2, 0.8), rel=1e-15)


def test_binormal_vertices_agree_with_its_counts():
    curve = ConfusionCurve.from_binormal(1, 3, 0.2, n_thresholds=101)
    for threshold, tp, fp in zip(*(v[1:-1] for v in (curve.thresholds, curve.tp, curve.fp)),
                                 strict=True):  # fmt: skip
        assert curve.counts_above(threshold) == pytest.approx((tp, fp), rel=1e-9)


def test_order_of_the_binormal_means_does_not_matter():
    up, down = ConfusionCurve.from_binormal(1, 3, 0.2), ConfusionCurve.from_binormal(3, 1, 0.2)
    assert_same(up, down)


@pytest.mark.parametrize("pi0", [None, 1e-6, 0.3])
def test_equal_means_give_the_diagonal(pi0):
    curve = ConfusionCurve.from_binormal(1.8, 1.8, 0.04)
    assert curve.counts_above(1) == (0, 0)
    assert curve.counts_above(0.999) == pytest.approx((0.04, 0.96))
    assert len(curve) == 2
    prior = 0.04 if pi0 is None else pi0
    curve = curve if pi0 is None else curve.at_prior(pi0)
    assert scores.average_precision(curve) == pytest.approx(prior, rel=1e-14)
    assert scores.pr_auc(curve) == pytest.approx(prior, rel=1e-14)
    assert scores.roc_auc(curve) == 0.5
    assert scores.prg_auc(curve) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-9, 1e-12, 5.6e-17])
def test_nearly_equal_means(distance):
    curve = ConfusionCurve.from_binormal(distance, 0, 0.3, n_thresholds=1001)
    assert_sound(curve)
    assert scores.roc_auc(curve) == pytest.approx(0.5, abs=distance + 1e-15)
    assert scores.pr_auc(curve) == pytest.approx(0.3, abs=distance + 1e-15)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((math.nan, 0, 0.5), "mu1"),
        ((1, math.inf, 0.5), "mu0"),
        (("1", 0, 0.5), "mu1"),
        ((1, None, 0.5), "mu0"),
        ((True, 0, 0.5), "mu1"),
        ((26, 0, 0.5), "mu1 and mu0"),
        ((1e308, -1e308, 0.5), "mu1 and mu0"),
        *(((1, 0, prior), "prior") for prior in BAD_PRIORS),
    ],
    ids=short,
)
def test_bad_binormal(arguments, name):
    with pytest.raises((ValueError, TypeError), match=name):
        ConfusionCurve.from_binormal(*arguments)


def test_roc_vertices_become_counts():
    curve = ConfusionCurve.from_roc([0, 0.25, 1], [0, 0.5, 1], 20, 2000)
    assert_sound(curve)
    np.testing.assert_array_equal(curve.tp, [0, 10, 20])
    np.testing.assert_array_equal(curve.fp, [0, 500, 2000])
    assert np.isnan(curve.thresholds).all()
    assert curve.prior == pytest.approx(20 / 2020)


@pytest.mark.parametrize(
    ("fpr", "tpr", "n_pos", "n_neg", "name"),
    [
        ([0.1, 1], [0, 1], 1, 1, "fpr"),
        ([0, 1], [0.1, 1], 1, 1, "tpr"),
        ([0, 0.9], [0, 1], 1, 1, "fpr"),
        ([0, 1], [0, 1.1], 1, 1, "tpr"),
        ([0, 0.5, 0.4, 1], [0, 0.5, 0.6, 1], 1, 1, "fpr"),
        ([0, 0.5, 0.6, 1], [0, 0.5, 0.4, 1], 1, 1, "tpr"),
        ([0, 0.5, 1], [0, 1], 1, 1, "fpr.*tpr"),
        ([0], [0], 1, 1, "fpr"),
        ([], [], 1, 1, "fpr"),
        ([0, math.nan, 1], [0, 0.5, 1], 1, 1, "fpr"),
        ([0, 0.5, 1], [0, math.inf, 1], 1, 1, "tpr"),
        ([[0, 1]], [[0, 1]], 1, 1, "fpr"),
        (["0", "1"], [0, 1], 1, 1, "fpr"),
        ([0, 1], [0, 1j], 1, 1, "tpr"),
        ([0, 1], [0, 1], 0, 1, "n_pos"),
        ([0, 1], [0, 1], 1, -1, "n_neg"),
        ([0, 1], [0, 1], math.nan, 1, "n_pos"),
        ([0, 1], [0, 1], 1, math.inf, "n_neg"),
        ([0, 1], [0, 1], "1", 1, "n_pos"),
        ([0, 1], [0, 1], 1, True, "n_neg"),
        ([0, 1], [0, 1], None, 1, "n_pos"),
    ],
)
def test_bad_roc_vertices(fpr, tpr, n_pos, n_neg, name):
    with pytest.raises((ValueError, TypeError), match=name):
        ConfusionCurve.from_roc(fpr, tpr, n_pos, n_neg)


@pytest.mark.parametrize(
    ("thresholds", "tp", "fp", "name"),
    [
        ([np.inf, 1], [0, 1, 2], [0, 1], "tp has 3"),
        ([np.inf, 1, 0], [0, 1], [0, 1], "thresholds has 3"),
        ([np.inf, 1], [0.5, 1], [0, 1], "tp must start at 0, got 0.5"),
        ([np.inf, 1], [0, 1], [1, 1], "fp must start at 0, got 1"),
        ([np.inf, 2, 1], [0, 2, 1], [0, 1, 2], "tp must not decrease"),
        ([np.inf, 2, 1], [0, 1, 2], [0, 2, 1], "fp must not decrease"),
        ([np.inf, 1], [0, 0], [0, 1], "tp must end above 0"),
        ([np.inf, 1], [0, 1], [0, 0], "fp must end above 0"),
        ([np.inf, 1], [0, math.nan], [0, 1], "tp must be finite"),
        ([np.inf, 1], [0, 1], [0, math.inf], "fp must be finite"),
        ([1, 2], [0, 1], [0, 1], "thresholds must be strictly descending"),
        ([1, 1], [0, 1], [0, 1], "thresholds must be strictly descending"),
        ([np.inf, math.nan], [0, 1], [0, 1], "thresholds"),
        ([np.inf], [0], [0], "tp"),
        ([], [], [], "tp"),
        ([[np.inf, 1]], [[0, 1]], [[0, 1]], "tp"),
        (["a", "b"], [0, 1], [0, 1], "thresholds"),
        ([np.inf, 1], ["0", "1"], [0, 1], "tp"),
        ([np.inf, 1], [0, 1], [None, 1], "fp"),
        (np.array([np.inf, 1]), np.array([0, 1j]), np.array([0, 1]), "tp"),
    ],
)
def test_bad_vertices(thresholds, tp, fp, name):
    with pytest.raises((ValueError, TypeError), match=name):
        ConfusionCurve(thresholds, tp, fp)


# ------------------------------------------------------------------------ random draws


@pytest.mark.parametrize("pi0", [0.3, 0.31, 0.4, 0.5, 0.6, 0.75])
def test_undersampling_keeps_the_positives_and_so_many_negatives(curve, pi0):
    n_kept = math.floor(Fraction(str(pi0)) ** -1 * 3 - 3)
    assert curve.n_kept_at(pi0) == n_kept
    for seed in range(20):
        drawn = curve.undersample(pi0, np.random.default_rng(seed))
        assert_sound(drawn)
        np.testing.assert_array_equal(drawn.tp, curve.tp)
        assert (drawn.n_pos, drawn.n_neg) == (3, n_kept)
        assert (np.diff(drawn.fp) <= np.diff(curve.fp)).all()
        np.testing.assert_array_equal(drawn.fp, np.round(drawn.fp))


@pytest.mark.parametrize("n_pos", [1, 2, 3, 147, 492, 1000])
def test_number_kept_is_the_floor_in_exact_arithmetic(n_pos):
    curve = ConfusionCurve.from_roc([0, 1], [0, 1], n_pos, 10**6)
    decimals = ["0.001", "0.1", "0.2", "0.25", "0.3", "0.05", "0.01", "0.4", "0.00172", "0.5"]
    for decimal in decimals:
        exact = n_pos * (1 - Fraction(decimal)) / Fraction(decimal)
        if exact >= 1:
            assert curve.n_kept_at(float(decimal)) == math.floor(exact), decimal
    for n_kept in (1, 2, 3, 10, 999, 12_345, 999_999, 10**6):
        assert curve.n_kept_at(n_pos / (n_pos + n_kept)) == n_kept


def test_undersampling_at_the_prior_keeps_everything(curve):
    assert_same(curve.undersample(curve.prior, np.random.default_rng(0)), curve)


def test_prior_cannot_be_lowered_by_undersampling(curve):
    with pytest.raises(ValueError, match=r"pi0=0\.29.*at least the prior 0\.3"):
        curve.undersample(0.29, np.random.default_rng(0))


def test_undersampling_must_keep_a_negative(curve):
    assert curve.n_kept_at(0.75) == 1
    with pytest.raises(ValueError, match=r"pi0=0\.76.*at most 0\.75"):
        curve.undersample(0.76, np.random.default_rng(0))


def test_draws_need_whole_weights(curve):
    rng = np.random.default_rng(0)
    halves = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, sample_weight=np.full(10, 0.5))
    for draw in (lambda: curve.at_prior(0.35).undersample(0.5, rng),
                 lambda: curve.at_prior(0.35).resample(rng),
                 lambda: halves.undersample(0.5, rng),
                 lambda: halves.resample(rng),
                 lambda: ConfusionCurve.from_binormal(1, 0, 0.2).resample(rng)):  # fmt: skip
        with pytest.raises(ValueError, match="weight"):
            draw()


@pytest.mark.parametrize("rng", [None, 0, "rng", np.random.RandomState(0)], ids=short)
def test_draws_need_a_generator(curve, rng):
    with pytest.raises(TypeError, match="rng"):
        curve.undersample(0.5, rng)
    with pytest.raises(TypeError, match="rng"):
        curve.resample(rng)


def _within(sample_mean, mean, variance, n, sigmas=5.0):
    """`n` independent draws have this mean, within `sigmas` standard errors."""
    return np.all(np.abs(sample_mean - mean) <= sigmas * np.sqrt(np.asarray(variance) / n) + 1e-12)


def _assert_moments(draws, mean, variance, fourth):
    n = len(draws)
    assert _within(draws.mean(axis=0), mean, variance, n)
    assert _within(draws.var(axis=0, ddof=1), variance, fourth - np.square(variance), n)


def _central_moments(law):
    mean, variance, _, excess = (float(moment) for moment in law.stats("mvsk"))
    return mean, variance, variance**2 * (excess + 3) if variance > 0 else 0.0


@pytest.fixture(scope="module")
def wider_curve():
    rng = np.random.default_rng(31)
    y_true = np.repeat([1, 0], [12, 60])
    return ConfusionCurve.from_predictions(y_true, np.round(rng.normal(size=72) + y_true, 1))


def test_undersampled_counts_are_hypergeometric(wider_curve):
    curve, rng, n_draws = wider_curve, np.random.default_rng(37), 8000
    draws = np.array([curve.undersample(0.4, rng).fp for _ in range(n_draws)])
    assert (draws[:, -1] == 18).all()
    laws = [stats.hypergeom(60, int(fp), 18) for fp in curve.fp if 0 < fp < 60]
    moments = np.array([_central_moments(law) for law in laws]).T
    inside = draws[:, (curve.fp > 0) & (curve.fp < 60)]
    _assert_moments(inside, *moments)
    # The gaps share a fixed total: their covariance is -k_i k_j m (N - m) / (N² (N - 1)).
    gaps = np.diff(draws, axis=1)
    sizes = np.diff(curve.fp)
    largest = np.argsort(sizes)[-2:]
    expected = -np.prod(sizes[largest]) * 18 * (60 - 18) / (60**2 * 59)
    centred = gaps[:, largest] - 18 * sizes[largest] / 60
    products = centred.prod(axis=1)
    assert _within(products.mean(), expected, products.var(), n_draws)


def test_resampled_counts_are_multinomial(wider_curve):
    curve, rng, n_draws = wider_curve, np.random.default_rng(41), 8000
    drawn = [curve.resample(rng) for _ in range(n_draws)]
    for name, total in (("tp", 12), ("fp", 60)):
        counts = getattr(curve, name)
        draws = np.array([getattr(draw, name) for draw in drawn])
        assert (draws[:, -1] == total).all()
        inside = (counts > 0) & (counts < total)
        laws = [stats.binom(total, count / total) for count in counts[inside]]
        _assert_moments(draws[:, inside], *np.array([_central_moments(law) for law in laws]).T)
    tp, fp = (np.array([getattr(draw, name) for draw in drawn]) for name in ("tp", "fp"))
    middle = len(curve) // 2
    correlation = np.corrcoef(tp[:, middle], fp[:, middle])[0, 1]
    assert abs(correlation) < 5 / math.sqrt(n_draws)


def test_draws_repeat_with_their_seed(curve):
    for draw in (lambda rng: curve.undersample(0.5, rng), lambda rng: curve.resample(rng)):
        first, again = draw(np.random.default_rng(1)), draw(np.random.default_rng(1))
        assert_same(first, again, rel=0)


def test_scores_of_any_draw_are_defined(case, wider_curve):
    rng = np.random.default_rng(43)
    with np.errstate(all="raise"):
        for _ in range(50):
            for drawn in (wider_curve.undersample(0.5, rng), wider_curve.resample(rng)):
                assert_sound(drawn)
                points = zip(drawn.tp.tolist(), drawn.fp.tolist(), strict=True)
                ranking = oracle.Ranking.of_points(points)
                assert oracle.error(case.curve(drawn), case.oracle(ranking)) < 1e-12


# ------------------------------------------------------------------------ calibrated negatives


@pytest.mark.parametrize("pi0", [0.2, 0.25, 0.21])
def test_calibrated_negatives_are_no_samples_to_draw_from(pi0):
    """Also where the calibrated weights happen to be whole numbers, as at 0.2 and 0.25."""
    balanced = ConfusionCurve.from_predictions([1, 0] * 50, np.arange(100))
    calibrated = balanced.at_prior(pi0)
    rng = np.random.default_rng(0)
    for curve in (calibrated, calibrated.hull()):
        for draw in (lambda c=curve: c.resample(rng), lambda c=curve: c.undersample(0.5, rng)):
            with pytest.raises(ValueError, match="draw before at_prior"):
                draw()
    assert balanced.resample(rng).at_prior(pi0).prior == pytest.approx(pi0)
