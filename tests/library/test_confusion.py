"""The curve: vertices, constructors, calibration, merging, hull, random draws, invalid input."""

import copy
import math
import pickle
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import oracle
import pytest
from hypothesis import given
from scipy import integrate, special, stats

from calibrated_metrics import (
    ConfusionCurve,
    average_precision_score,
    negative_likelihood_ratio_score,
    npv_score,
    scores,
    specificity_score,
    uncertainty,
)
from calibrated_metrics.registry import Metric

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


def counts_at(curve, threshold):
    """TP and FP of the scores ``>= threshold``."""
    matrix = curve.confusion_matrix(threshold)
    return matrix.tp, matrix.fp


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


def test_the_second_calibration_counts(curve):
    twice = curve.at_prior(0.01).at_prior(0.7)
    assert_same(twice, curve.at_prior(0.7), rel=0)
    assert twice.negative_weight == curve.at_prior(0.7).negative_weight
    back = curve.at_prior(0.01).at_prior(curve.prior)
    assert_same(back, curve, rel=0)
    assert back.negative_weight == 1


def test_the_own_prior_changes_nothing(curve):
    assert curve.at_prior(curve.prior) is curve
    at = curve.at_prior(0.01)
    assert_same(at.at_prior(at.prior), at, rel=0)


@pytest.mark.parametrize("pi0", [1e-12, 0.01, 0.3, 0.5, 1 - 1e-12])
def test_negative_weight_is_the_factor_on_each_negative(curve, pi0):
    assert curve.negative_weight == 1
    at = curve.at_prior(pi0)
    exact = Fraction(3, 7) * (1 - Fraction(pi0)) / Fraction(pi0)
    assert oracle.relative_error(at.negative_weight, exact) < 4e-16
    np.testing.assert_array_equal(at.fp, curve.fp * at.negative_weight)
    assert at.n_neg == curve.n_neg * at.negative_weight
    assert at.n_pos == curve.n_pos


def test_uncalibrated_undoes_every_calibration(curve):
    for at in (curve, curve.at_prior(0.01), curve.at_prior(0.01).at_prior(0.9)):
        own = at.uncalibrated
        assert_same(own, curve, rel=0)
        assert own.negative_weight == 1
        assert own.prior == 0.3
        assert own.confusion_matrix(2.5).fp == 5
    hull = curve.at_prior(0.01).hull()
    assert_same(hull.uncalibrated, curve.hull(), rel=0)


def test_calibration_leaves_the_curve_as_it_was(curve):
    before = curve.fp.copy()
    curve.at_prior(0.01)
    np.testing.assert_array_equal(curve.fp, before)
    assert (curve.prior, curve.negative_weight) == (0.3, 1)


@pytest.mark.parametrize("pi0", [5e-324, 1e-308])
def test_priors_whose_weights_overflow_are_refused(curve, pi0):
    with pytest.raises(ValueError, match=f"^pi0={pi0} gives weights outside the range of float64$"):
        curve.at_prior(pi0)


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
    assert counts_at(curve, 8) == (0, 0)


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
    scores_of_counts, pos, neg = (np.array(values) for values in ([3.0, 5.0], [1.0, 2], [4.0, 3]))
    inputs = (
        *(y_true, y_score, weights, probabilities, thresholds, tp, fp, fpr, tpr),
        *(scores_of_counts, pos, neg),
    )
    before = [values.copy() for values in inputs]
    curves = [
        ConfusionCurve.from_predictions(y_true, y_score),
        ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weights),
        ConfusionCurve.from_predictions(y_true[:2], y_score[:2]),
        ConfusionCurve.from_probabilities(probabilities),
        ConfusionCurve.from_probabilities(probabilities, sample_weight=weights),
        ConfusionCurve.from_counts(scores_of_counts, pos, neg),
        ConfusionCurve.from_counts(scores_of_counts[::-1], pos[::-1], neg[::-1]),
        ConfusionCurve(thresholds, tp, fp),
        ConfusionCurve.from_roc(fpr, tpr, 1, 1),
    ]
    seen = [
        (curve.tp.copy(), curve.fp.copy(), curve.thresholds.copy(), counts_at(curve, 4.5))
        for curve in curves[:7]
    ]
    for curve in curves:
        curve.at_prior(0.2).hull()
    for values, original in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(values, original)
        assert values.flags.writeable
        values[:] = 0
    for curve, (tp, fp, thresholds, counted) in zip(curves[:7], seen, strict=True):
        np.testing.assert_array_equal(curve.tp, tp)
        np.testing.assert_array_equal(curve.fp, fp)
        np.testing.assert_array_equal(curve.thresholds, thresholds)
        assert counts_at(curve, 4.5) == counted
    for curve in curves:
        for values in (curve.tp, curve.fp, curve.thresholds):
            assert not any(np.shares_memory(values, given) for given in inputs)


EVERY_WAY = {
    "predictions": lambda: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE),
    "weighted": lambda: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, sample_weight=Y_SCORE),
    "probabilities": lambda: ConfusionCurve.from_probabilities(np.array(Y_SCORE) / 10),
    "weighted probabilities": lambda: ConfusionCurve.from_probabilities(
        np.array(Y_SCORE) / 10, sample_weight=Y_SCORE
    ),
    "counts": lambda: ConfusionCurve.from_counts(Y_SCORE, Y_TRUE, Y_SCORE),
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
    "drawn with thresholds": lambda: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE).resample(
        0, thresholds=[2.5, 6.5]
    ),
    "drawn when calibrated": lambda: (
        ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE).at_prior(0.01).resample(0)
    ),
    "drawn from counts": lambda: ConfusionCurve.from_counts(Y_SCORE, Y_TRUE, Y_SCORE).resample(0),
}


@pytest.fixture(params=EVERY_WAY.values(), ids=EVERY_WAY)
def any_curve(request):
    return request.param()


def test_every_curve_is_sound(any_curve):
    assert_sound(any_curve)
    assert_sound(any_curve.at_prior(0.07))
    assert_sound(any_curve.hull())


def assert_read_only(curve):
    for values in (curve.tp, curve.fp, curve.thresholds, *curve.rises):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1


def test_arrays_are_read_only(any_curve):
    """Scores read the rises, and calibrated curves share them."""
    for curve in (any_curve, any_curve.at_prior(0.07), any_curve.hull(), any_curve.uncalibrated):
        assert_read_only(curve)


COPIES = {
    "pickle": lambda curve: pickle.loads(pickle.dumps(curve)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_behave_the_same(any_curve, copied, cases):
    twin = copied(any_curve)
    assert_sound(twin)
    assert_same(twin, any_curve, rel=0)
    ours, theirs = any_curve.at_prior(0.2), twin.at_prior(0.2)
    for case in cases:
        assert case.curve(theirs) == case.curve(ours), case.name


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_keep_the_calibration(any_curve, copied):
    for curve in (any_curve, any_curve.at_prior(0.2)):
        twin = copied(curve)
        assert twin.negative_weight == curve.negative_weight
        assert twin.prior == curve.prior
        assert_same(twin.uncalibrated, curve.uncalibrated, rel=0)
        assert_same(twin.at_prior(0.7), curve.at_prior(0.7), rel=0)


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("way", ["predictions", "weighted", "probabilities", "counts"])
def test_copies_know_their_counts(copied, way):
    curve = EVERY_WAY[way]().at_prior(0.2)
    assert counts_at(copied(curve), 2.5) == counts_at(curve, 2.5)
    assert_same(copied(curve) + curve, curve + curve, rel=0)


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_draw_the_same(copied):
    curve = EVERY_WAY["predictions"]().at_prior(0.2)
    twin = copied(curve)
    assert_same(twin.resample(3), curve.resample(3), rel=0)
    assert_same(twin.undersample(0.5, 3), curve.undersample(0.5, 3), rel=0)


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_are_read_only_too(any_curve, copied):
    any_curve.rises, any_curve.hull()  # cached before the copy
    for curve in (any_curve, any_curve.at_prior(0.07)):
        assert_read_only(copied(curve))
        assert_read_only(copied(curve).hull())


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
    assert merged.negative_weight == 1
    for threshold in (0.3, 2, 4.5):
        assert counts_at(merged, threshold) == pytest.approx(counts_at(expected, threshold))
    assert_same(merged.at_prior(0.3), expected.at_prior(0.3))


@pytest.mark.parametrize("way", ["predictions", "weighted", "probabilities", "counts"])
def test_merging_keeps_a_common_calibration(way):
    """Then the merged curve still knows its own prior and its whole weights."""
    curve = EVERY_WAY[way]()
    at = curve.at_prior(0.01)
    merged = at + at
    assert merged.negative_weight == at.negative_weight
    assert_same(merged.uncalibrated, curve + curve, rel=0)
    assert_same(merged, (curve + curve).at_prior(0.01))
    assert counts_at(merged, 4.5) == pytest.approx([2 * count for count in counts_at(at, 4.5)])
    if way != "probabilities":
        assert_same(merged.resample(2).uncalibrated, (curve + curve).resample(2), rel=0)


def test_merging_different_calibrations_weighs_the_negatives(curve):
    merged = curve + curve.at_prior(0.01)
    weight = curve.at_prior(0.01).negative_weight
    assert merged.negative_weight == 1
    assert merged.n_neg == pytest.approx(7 * (1 + weight), rel=1e-15)
    assert merged.uncalibrated.prior == merged.prior
    with pytest.raises(ValueError, match="needs whole-number weights of the negatives"):
        merged.resample(0)


def test_merging_probabilities_and_labels():
    labelled = ConfusionCurve.from_predictions([1, 0], [0.9, 0.2])
    unlabelled = ConfusionCurve.from_probabilities([0.5, 0.9])
    merged = labelled + unlabelled
    assert_sound(merged)
    assert (merged.n_pos, merged.n_neg) == pytest.approx((2.4, 1.6))
    assert counts_at(merged, 0.5) == pytest.approx((2.4, 0.6))
    assert counts_at(merged, 0.6) == pytest.approx((1.9, 0.1))


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


def _ranking_of(curve) -> oracle.Ranking:
    points = zip(curve.tp.tolist(), curve.fp.tolist(), strict=True)
    return oracle.Ranking.of_points(points)


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


@pytest.mark.parametrize("pi0", [1e-6, 0.01, 0.9])
def test_hull_of_a_calibrated_curve(any_curve, pi0):
    """No prior moves a corner."""
    hull, at = any_curve.hull(), any_curve.at_prior(pi0)
    assert_same(at.hull(), hull.at_prior(pi0))
    assert at.hull().prior == at.prior
    fresh = ConfusionCurve(at.thresholds, at.tp, at.fp).hull()
    assert oracle.hull(_ranking_of(fresh)).points[-1] == (at.n_pos, at.n_neg)
    assert scores.roc_auc(fresh) == pytest.approx(scores.roc_auc(at.hull()), rel=1e-14)


def test_hull_is_computed_once_for_all_priors(curve):
    hull = curve.at_prior(0.01).hull()
    for other in (
        curve,
        curve.at_prior(0.9),
        curve.at_prior(0.9).at_prior(0.2),
        curve.uncalibrated,
    ):
        assert other.hull().thresholds is hull.thresholds
        assert other.hull().tp is hull.tp
    assert curve.hull().rises is curve.hull().rises
    assert hull.rises.tp_end is curve.hull().rises.tp_end


def test_hull_of_a_hull_is_the_hull(any_curve):
    hull = any_curve.hull()
    assert_same(hull.hull(), hull, rel=0)


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


WHOLE = st.integers(0, 5)
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


def _calibrated(curve, pi0):
    return curve if pi0 is None else curve.at_prior(pi0)


def _assert_equal_everywhere(curve, other, rel=1e-13):
    """Equal matrices at each threshold, equal scores."""
    matrices, others = curve.confusion_matrix(SIDES), other.confusion_matrix(SIDES)
    for name in ("tp", "fp", "fn", "tn"):
        np.testing.assert_allclose(getattr(matrices, name), getattr(others, name), rtol=rel)
    for name, (score, _) in EVERY_SCORE.items():
        value, expected = score(curve), score(other)
        assert abs(value - expected) <= 1e-12 * max(1, abs(expected)), name


@given(counts_at_scores(WHOLE), MAYBE_PRIORS)
def test_counts_equal_repeated_samples(counts, pi0):
    thresholds, pos, neg = counts
    curve = _calibrated(ConfusionCurve.from_counts(*counts), pi0)
    repeated = ConfusionCurve.from_predictions(
        np.repeat([1, 0], [sum(pos), sum(neg)]),
        np.concatenate([np.repeat(thresholds, pos), np.repeat(thresholds, neg)]),
    )
    assert_sound(curve)
    _assert_equal_everywhere(curve, _calibrated(repeated, pi0))


@given(counts_at_scores(EIGHTHS), MAYBE_PRIORS)
def test_counts_equal_weighted_samples(counts, pi0):
    thresholds, pos, neg = counts
    weighted = ConfusionCurve.from_predictions(
        np.repeat([1, 0], len(thresholds)), [*thresholds, *thresholds], sample_weight=[*pos, *neg]
    )
    curve = _calibrated(ConfusionCurve.from_counts(*counts), pi0)
    _assert_equal_everywhere(curve, _calibrated(weighted, pi0))


@given(counts_at_scores(EIGHTHS), MAYBE_PRIORS)
def test_scores_of_counts_are_exact(counts, pi0):
    curve = _calibrated(ConfusionCurve.from_counts(*counts), pi0)
    ranking = oracle.Ranking.of_counts(*counts).by_formula(pi0)
    for name, (score, exact) in EVERY_SCORE.items():
        assert oracle.error(score(curve), exact(ranking)) < 1e-11, name


@given(counts_at_scores(WHOLE))
def test_each_score_of_the_counts_is_a_vertex(counts):
    """Also where no sample is: a table of bins keeps its bins."""
    thresholds, pos, neg = counts
    curve = ConfusionCurve.from_counts(*counts)
    distinct = sorted(set(thresholds), reverse=True)
    np.testing.assert_array_equal(curve.thresholds, [math.inf, *distinct])
    at_least = np.array(thresholds) >= np.array([math.inf, *distinct])[:, None]
    np.testing.assert_array_equal(curve.tp, at_least @ pos)
    np.testing.assert_array_equal(curve.fp, at_least @ neg)


@given(counts_at_scores(EIGHTHS), st.randoms(use_true_random=False))
def test_order_of_the_counts_does_not_matter(counts, random):
    shuffled = list(zip(*counts, strict=True))
    random.shuffle(shuffled)
    other = ConfusionCurve.from_counts(*zip(*shuffled, strict=True))
    assert_same(other, ConfusionCurve.from_counts(*counts), rel=0)


def test_counts_in_a_run_of_negatives_stay_vertices():
    """Unlike those of samples, where no area and no maximum depends on them."""
    counts = [9, 8, 7, 3, 2, 1], [0, 0, 1, 0, 0, 0], [1, 2, 0, 3, 4, 5]
    curve = ConfusionCurve.from_counts(*counts)
    np.testing.assert_array_equal(curve.thresholds, [np.inf, 9, 8, 7, 3, 2, 1])
    np.testing.assert_array_equal(curve.tp, [0, 0, 0, 1, 1, 1, 1])
    np.testing.assert_array_equal(curve.fp, [0, 1, 3, 3, 6, 10, 15])


def test_signed_zeros_are_one_score_of_the_counts():
    curve = ConfusionCurve.from_counts([0.0, -0.0], [1, 2], [3, 4])
    assert list(zip(curve.tp, curve.fp, strict=True)) == [(0, 0), (3, 7)]


@pytest.mark.parametrize(
    ("thresholds", "pos", "neg", "message"),
    [
        ([1, 2], [1, 1], [1], "thresholds has 2, pos has 2, neg has 1"),
        ([1], [1, 1], [1, 1], "thresholds has 1, pos has 2, neg has 2"),
        ([], [], [], "thresholds must not be empty"),
        ([1, math.inf], [1, 1], [1, 1], "thresholds must be finite, got inf at index 1"),
        ([math.nan, 1], [1, 1], [1, 1], "thresholds must be finite, got nan at index 0"),
        ([1, 2], [1, -1], [1, 1], r"pos must not be negative, got -1\.0 at index 1"),
        ([1, 2], [1, 1], [-0.5, 1], r"neg must not be negative, got -0\.5 at index 0"),
        ([1, 2], [0, 0], [1, 1], "pos must not be all zero"),
        ([1, 2], [1, 1], [0, 0], "neg must not be all zero"),
        ([1, 2], [math.nan, 1], [1, 1], "pos must be finite"),
        ([1, 2], [1, 1], [1, math.inf], "neg must be finite"),
        ([1, 2], [1e308, 1e308], [1, 1], "pos must have a sum within float64"),
        ([1, 2], [1, 1], [1, 5e-324], "neg must be 0 or at least"),
        (["1", "2"], [1, 1], [1, 1], "thresholds must hold real numbers"),
        ([1, 2], ["1", "1"], [1, 1], "pos must hold real numbers"),
        ([1, 2], [1, 1], [None, 1], "neg must hold real numbers"),
        ([[1, 2]], [[1, 1]], [[1, 1]], "thresholds must be one-dimensional"),
        (1, 1, 1, "thresholds must be one-dimensional"),
        ([2**60 + 1, 2**60], [1, 1], [1, 1], "thresholds must hold numbers that float64"),
    ],
    ids=short,
)
def test_bad_counts(thresholds, pos, neg, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ConfusionCurve.from_counts(thresholds, pos, neg)


@given(counts_at_scores(EIGHTHS), counts_at_scores(EIGHTHS), MAYBE_PRIORS)
def test_merged_counts_are_the_counts_of_all(one, other, pi0):
    merged = ConfusionCurve.from_counts(*one) + ConfusionCurve.from_counts(*other)
    together = ConfusionCurve.from_counts(*(a + b for a, b in zip(one, other, strict=True)))
    assert_same(merged, together, rel=0)
    _assert_equal_everywhere(_calibrated(merged, pi0), _calibrated(together, pi0))


@given(counts_at_scores(EIGHTHS), counts_at_scores(EIGHTHS), MAYBE_PRIORS)
def test_counts_merge_with_samples(one, other, pi0):
    counts = ConfusionCurve.from_counts(*one)
    labels = np.repeat([1, 0], len(other[0]))
    samples = ConfusionCurve.from_predictions(
        labels, [*other[0], *other[0]], sample_weight=[*other[1], *other[2]]
    )
    together = ConfusionCurve.from_counts(*(a + b for a, b in zip(one, other, strict=True)))
    for merged in (counts + samples, samples + counts):
        assert_sound(merged)
        _assert_equal_everywhere(_calibrated(merged, pi0), _calibrated(together, pi0))


@given(counts_at_scores(EIGHTHS), counts_at_scores(EIGHTHS))
def test_merging_counts_keeps_each_calibration(one, other):
    first = ConfusionCurve.from_counts(*one).at_prior(0.25)
    second = ConfusionCurve.from_counts(*other).at_prior(0.03)
    weights = first.negative_weight, second.negative_weight
    expected = ConfusionCurve.from_counts(
        one[0] + other[0],
        one[1] + other[1],
        [*(weights[0] * w for w in one[2]), *(weights[1] * w for w in other[2])],
    )
    _assert_equal_everywhere(first + second, expected)


def test_merged_counts_can_be_drawn_and_merged_again():
    one = ConfusionCurve.from_counts([1, 2, 3], [0, 1, 5], [9, 2, 0])
    merged = one + ConfusionCurve.from_counts([2, 2.5], [1, 1], [4, 0])
    drawn = merged.resample(0)
    assert (drawn.n_pos, drawn.n_neg) == (8, 15)
    again = drawn + one
    np.testing.assert_array_equal(again.thresholds, [np.inf, 3, 2.5, 2, 1])
    np.testing.assert_array_equal(
        counts_at(again, SIDES), np.add(counts_at(drawn, SIDES), counts_at(one, SIDES))
    )


# ------------------------------------------------------------------------ other constructors


def test_probabilities_give_expected_counts():
    rng = np.random.default_rng(29)
    y_prob = np.round(rng.random(500), 2)
    y_prob[:3] = 0, 1, 0.5
    curve = ConfusionCurve.from_probabilities(y_prob)
    assert_sound(curve)
    thresholds = np.linspace(-0.1, 1.1, 41)
    counted = y_prob >= thresholds[:, None]
    matrices = curve.confusion_matrix(thresholds)
    np.testing.assert_allclose(matrices.tp, counted @ y_prob, rtol=1e-13)
    np.testing.assert_allclose(matrices.fp, counted @ (1 - y_prob), rtol=1e-13, atol=1e-13)
    counted = y_prob >= curve.thresholds[:, None]
    np.testing.assert_allclose(curve.tp, counted @ y_prob, rtol=1e-13)
    np.testing.assert_allclose(curve.fp, counted @ (1 - y_prob), rtol=1e-13, atol=1e-13)


def test_probabilities_are_half_samples(case):
    """Each score p is a positive of weight p and a negative of weight 1 - p."""
    y_prob = np.array([0.9, 0.9, 0.4, 0.25, 0.0, 1.0, 0.125])
    twice = ConfusionCurve.from_predictions(
        np.repeat([1, 0], 7), np.tile(y_prob, 2), sample_weight=np.r_[y_prob, 1 - y_prob]
    )
    curve = ConfusionCurve.from_probabilities(y_prob)
    assert_same(curve, twice)
    assert case.curve(curve.at_prior(0.2)) == pytest.approx(case.curve(twice.at_prior(0.2)))


def test_whole_weights_of_probabilities_are_repeats():
    y_prob, weights = np.array([0.875, 0.25, 0.25, 0.0, 1.0, 0.5]), np.array([3, 1, 2, 4, 1, 0])
    weighted = ConfusionCurve.from_probabilities(y_prob, sample_weight=weights)
    repeated = ConfusionCurve.from_probabilities(np.repeat(y_prob, weights))
    assert_sound(weighted)
    assert_same(weighted, repeated, rel=0)
    np.testing.assert_array_equal(
        counts_at(weighted, [0.875, 0.5, 0.0]), counts_at(repeated, [0.875, 0.5, 0.0])
    )


def test_weights_of_one_change_no_probability():
    y_prob = np.array([0.9, 0.3, 0.3, 0.0, 1.0])
    for ones in (np.ones(5), [1] * 5):
        weighted = ConfusionCurve.from_probabilities(y_prob, sample_weight=ones)
        assert_same(weighted, ConfusionCurve.from_probabilities(y_prob))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1], "y_prob has 3, sample_weight has 2"),
        ([1, -1, 1], "sample_weight must not be negative, got -1.0 at index 1"),
        ([1, math.nan, 1], "sample_weight must be finite"),
        ([0, 0, 0], "sample_weight must not be all zero"),
        ([0, 1, 0], "y_prob must give weight to both classes, got all 0.0"),
        ([0, 0, 1], "y_prob must give weight to both classes, got all 1.0"),
        ([1e-300, 1, 1], r"y_prob \* sample_weight must be 0 or at least"),
        (["1", "1", "1"], "sample_weight must hold real numbers"),
        (1.0, "sample_weight must be one-dimensional"),
    ],
    ids=short,
)
def test_bad_weights_of_probabilities(weights, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ConfusionCurve.from_probabilities([1e-10, 0.0, 1.0], sample_weight=weights)


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
    thresholds = np.asarray(thresholds, dtype=float)
    tp, fp = counts(np.clip(thresholds, 0, 1))
    matrices = curve.confusion_matrix(thresholds)
    np.testing.assert_allclose(matrices.tp, tp, atol=1e-10)
    np.testing.assert_allclose(matrices.fp, fp, atol=1e-10)
    calibrated = curve.at_prior(0.1).confusion_matrix(thresholds)
    ratio = curve.n_pos / curve.n_neg * 9
    np.testing.assert_allclose(calibrated.tp, tp, atol=1e-9)
    np.testing.assert_allclose(calibrated.fp, fp * ratio, atol=1e-9 * (1 + ratio))


@pytest.mark.parametrize(("dist", "counts"), DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_distribution_counts_between_its_vertices(dist, counts):
    thresholds = (0.5, -1, 0, 0.123, 0.35, 0.777, 0.95, 1, 2, -np.inf, np.inf, 0.5)
    _assert_counts_between_vertices(dist, counts, thresholds)


@pytest.mark.parametrize(("dist", "counts"), DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_distribution_counts_near_its_ends(dist, counts):
    thresholds = 10.0 ** -np.arange(2, 16)
    _assert_counts_between_vertices(dist, counts, [*thresholds, *(1 - thresholds)])


@pytest.mark.parametrize(("dist", "_"), DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_distribution_counts_are_monotone_and_within_the_totals(dist, _):
    curve = ConfusionCurve.from_distribution(dist, n_thresholds=11)
    matrices = curve.confusion_matrix(np.linspace(1.1, -0.1, 61))
    for counts, total in ((matrices.tp, curve.n_pos), (matrices.fp, curve.n_neg)):
        assert (np.diff(counts) >= 0).all()
        assert counts[0] == 0
        assert total * (1 - 1e-10) <= counts[-1] <= total


@pytest.mark.parametrize(("dist", "counts"), DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_one_threshold_of_a_distribution_is_as_exact_as_many(dist, counts):
    curve = ConfusionCurve.from_distribution(dist, n_thresholds=2)
    assert counts_at(curve, 0.35) == pytest.approx(counts(np.array(0.35)), abs=1e-10)


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
        assert counts_at(curve, ratio) == pytest.approx(expected, rel=1e-12)
        tp, fp = counts_at(curve.at_prior(0.5), ratio)
        assert (tp, fp) == pytest.approx((expected[0], expected[1] / 4), rel=1e-12)
    for ratio in (0, -1, -0.0, -math.inf):
        assert counts_at(curve, ratio) == pytest.approx((0.2, 0.8), rel=1e-15)
    assert counts_at(curve, math.inf) == (0, 0)


def test_binormal_vertices_agree_with_its_counts():
    curve = ConfusionCurve.from_binormal(1, 3, 0.2, n_thresholds=101)
    matrices = curve.confusion_matrix(curve.thresholds)
    np.testing.assert_allclose(matrices.tp[1:-1], curve.tp[1:-1], rtol=1e-9)
    np.testing.assert_allclose(matrices.fp[1:-1], curve.fp[1:-1], rtol=1e-9)


def test_order_of_the_binormal_means_does_not_matter():
    up, down = ConfusionCurve.from_binormal(1, 3, 0.2), ConfusionCurve.from_binormal(3, 1, 0.2)
    assert_same(up, down)


@pytest.mark.parametrize("pi0", [None, 1e-6, 0.3])
def test_equal_means_give_the_diagonal(pi0):
    curve = ConfusionCurve.from_binormal(1.8, 1.8, 0.04)
    assert counts_at(curve, np.nextafter(1, 2)) == (0, 0)
    assert counts_at(curve, 1) == counts_at(curve, 0.999) == pytest.approx((0.04, 0.96))
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
        ([0, 0.9], [0, 1], 1, 1, "fpr must end at 1, got 0.9"),
        ([0, 1], [0, 1.1], 1, 1, "tpr must end at 1, got 1.1"),
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
        ([np.inf, 2, 1], [0, 2, 1], [0, 1, 2], "tp must not decrease, but does at index 2"),
        ([np.inf, 2, 1], [0, 1, 2], [0, 2, 1], "fp must not decrease, but does at index 2"),
        ([np.inf, 1], [0, 1], [0, 1, 2], "same length: thresholds has 2, tp has 2, fp has 3"),
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
    halves = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, sample_weight=np.full(10, 0.5))
    unlabelled = ConfusionCurve.from_probabilities(np.array(Y_SCORE) / 10)
    population = ConfusionCurve.from_binormal(1, 0, 0.2, n_thresholds=11)
    for fractional in (halves, halves.at_prior(0.1), unlabelled, population):
        with pytest.raises(ValueError, match="needs whole-number weights of the positives"):
            fractional.resample(0)
    for fractional in (halves, halves.at_prior(0.1)):
        with pytest.raises(ValueError, match="needs whole-number weights of the negatives"):
            fractional.undersample(0.6, 0)


def test_undersampling_takes_weighted_positives():
    """Only negatives are drawn; sums of the positives' weights stay monotone in floating point."""
    rng = np.random.default_rng(11)
    for seed in range(100):
        y_true = np.arange(30) % 3 == 0
        weights = np.where(y_true, rng.uniform(0.01, 3, 30), 1.0)
        curve = ConfusionCurve.from_predictions(
            y_true, rng.integers(0, 15, 30), sample_weight=weights
        )
        pi0 = (curve.prior + 1) / 2
        drawn = curve.undersample(pi0, seed, thresholds=np.arange(-0.5, 15))
        assert_sound(drawn)
        assert drawn.n_pos == curve.n_pos
        assert drawn.n_neg == curve.n_kept_at(pi0)


DRAWS = {
    "undersample": lambda curve, rng, **options: curve.undersample(0.5, rng, **options),
    "resample": lambda curve, rng, **options: curve.resample(rng, **options),
}


@pytest.fixture(params=DRAWS.values(), ids=DRAWS)
def draw(request):
    return request.param


@pytest.mark.parametrize(
    ("rng", "kind"),
    [
        ("rng", TypeError),
        (np.random.RandomState(0), TypeError),
        (np.random.SeedSequence(0), TypeError),
        (True, TypeError),
        (1.0, TypeError),
        (-1, ValueError),
    ],
    ids=short,
)
def test_draws_need_a_seed_or_a_generator(curve, draw, rng, kind):
    with pytest.raises(kind, match=r"^rng must"):
        draw(curve, rng)


def test_draws_repeat_with_their_seed(wider_curve, draw):
    first = draw(wider_curve, 1)
    for rng in (1, np.int64(1), np.random.default_rng(1)):
        assert_same(draw(wider_curve, rng), first, rel=0)
    assert not np.array_equal(draw(wider_curve, 2).fp, first.fp)


def test_draws_advance_their_generator(wider_curve, draw):
    rng = np.random.default_rng(1)
    first, second = draw(wider_curve, rng), draw(wider_curve, rng)
    assert not np.array_equal(first.fp, second.fp)


def test_draws_without_a_seed_differ(draw):
    curve = ConfusionCurve.from_predictions(np.arange(2000) % 4 == 0, np.arange(2000))
    assert not np.array_equal(draw(curve, None).fp, draw(curve, None).fp)


def test_draws_leave_the_curve_as_it_was(curve, draw):
    before = [values.copy() for values in (curve.thresholds, curve.tp, curve.fp)]
    draw(curve, 0, thresholds=[2.5])
    for values, original in zip((curve.thresholds, curve.tp, curve.fp), before, strict=True):
        np.testing.assert_array_equal(values, original)


KEPT = [2.5, 8, 100, -100]


@pytest.mark.parametrize("pi0", [None, 0.01])
def test_draws_know_their_counts_at_the_thresholds_given(curve, draw, pi0):
    for seed in range(5):
        drawn = _calibrated(draw(curve, seed, thresholds=KEPT), pi0)
        assert_sound(drawn)
        matrices = drawn.confusion_matrix([100, 8, 2.5, -100])
        assert (matrices.tp[0], matrices.fp[0]) == (0, 0)
        assert (matrices.tp[-1], matrices.fp[-1]) == (drawn.n_pos, drawn.n_neg)
        assert (np.diff(matrices.tp) >= 0).all()
        assert (np.diff(matrices.fp) >= 0).all()


@pytest.mark.parametrize("pi0", [None, 0.01, 0.9])
def test_a_draw_of_everything_has_the_counts_of_the_curve(curve, pi0):
    drawn = curve.undersample(curve.prior, 0, thresholds=KEPT)
    before, after = _calibrated(curve, pi0), _calibrated(drawn, pi0)
    for threshold in KEPT:
        assert counts_at(after, threshold) == counts_at(before, threshold)


@pytest.mark.parametrize("threshold", sorted(set(Y_SCORE)))
def test_a_threshold_given_at_a_score(curve, threshold):
    drawn = curve.undersample(curve.prior, 0, thresholds=[threshold])
    assert counts_at(drawn, threshold) == counts_at(curve, threshold)


def test_thresholds_given_change_no_score(case, curve):
    drawn = curve.undersample(curve.prior, 0, thresholds=[2.5, 8, 7.5, 100, -100])
    assert len(drawn) > len(curve)
    for pi0 in (None, 0.01, 0.5):
        assert case.curve(_calibrated(drawn, pi0)) == pytest.approx(
            case.curve(_calibrated(curve, pi0)), rel=1e-13
        )


def test_order_and_repeats_of_the_thresholds_given_do_not_matter(curve, draw):
    once = draw(curve, 0, thresholds=[2.5, 5.5])
    assert_same(draw(curve, 0, thresholds=(5.5, 2.5, 2.5)), once, rel=0)
    assert_same(draw(curve, 0, thresholds=iter([5.5, 2.5])), once, rel=0)
    assert_same(draw(curve, 0, thresholds=np.array([5.5, 2.5])), once, rel=0)
    assert_same(draw(curve, 0, thresholds=[]), draw(curve, 0), rel=0)
    assert_same(draw(curve, 0, thresholds=[6, 4]), draw(curve, 0), rel=0)


def test_draws_of_draws_know_only_what_the_first_was_given(curve, draw):
    drawn = draw(curve, 0, thresholds=[2.5])
    again = drawn.resample(0, thresholds=[2.5, 6, 100])
    assert counts_at(again, 100) == (0, 0)
    assert counts_at(again, 2.5)[0] == drawn.n_pos
    with pytest.raises(ValueError, match=r"threshold=1\.5 is not a vertex.*`thresholds`"):
        drawn.resample(0, thresholds=[1.5])


@pytest.mark.parametrize("threshold", [math.nan, math.inf, -math.inf, "1", None, True, [1.0]])
def test_thresholds_given_must_be_finite_numbers(curve, draw, threshold):
    for each in (curve, ConfusionCurve.from_counts([1, 2], [1, 1], [1, 1])):
        with pytest.raises((ValueError, TypeError), match=r"^thresholds must be"):
            draw(each, 0, thresholds=[2.5, threshold])


def test_thresholds_given_must_be_several(curve, draw):
    with pytest.raises(TypeError, match=r"^thresholds must"):
        draw(curve, 0, thresholds=2.5)


@pytest.mark.parametrize("total", [1e19, 2.0**63])
def test_draws_refuse_more_samples_than_int64_counts(draw, total):
    curve = ConfusionCurve.from_counts([1, 2], [1, total], [total, total])
    with pytest.raises(ValueError, match=r"a random draw takes at most .* samples of a class"):
        draw(curve, 0)


def test_number_of_negatives_that_undersampling_takes():
    """NumPy draws from fewer than 1e9; resampling has no such limit."""
    curve = ConfusionCurve.from_counts([1, 2], [0, 1e9], [1e9 - 6, 5])
    assert curve.undersample(0.6, 0).n_neg == 666_666_666
    curve = ConfusionCurve.from_counts([1, 2], [0, 1e9], [1e9 - 6, 6])
    with pytest.raises(ValueError, match=r"at most 999999999 samples of a class, got 1e\+09 neg"):
        curve.undersample(0.6, 0)
    assert curve.resample(0).n_neg == 1e9


def test_unknown_thresholds_cannot_be_kept():
    curve = ConfusionCurve.from_roc([0, 0.5, 1], [0, 1, 1], 3, 8)
    assert curve.resample(0).n_neg == 8
    with pytest.raises(ValueError, match="the thresholds of this curve are unknown"):
        curve.resample(0, thresholds=[0.5])


def test_a_resampled_hull_keeps_its_corners(curve):
    hull = curve.hull()
    drawn = hull.at_prior(0.2).resample(0)
    np.testing.assert_array_equal(drawn.thresholds, hull.thresholds)
    assert (drawn.n_pos, drawn.uncalibrated.n_neg) == (3, 7)


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


def test_scores_of_any_draw_are_defined(case, wider_curve):
    rng = np.random.default_rng(43)
    with np.errstate(all="raise"):
        for _ in range(50):
            for drawn in (wider_curve.undersample(0.5, rng), wider_curve.resample(rng)):
                assert_sound(drawn)
                points = zip(drawn.tp.tolist(), drawn.fp.tolist(), strict=True)
                ranking = oracle.Ranking.of_points(points)
                assert oracle.error(case.curve(drawn), case.oracle(ranking)) < 1e-12


# ------------------------------------------------------------------------ draws when calibrated


@pytest.mark.parametrize("pi0", [1e-6, 0.01, 0.2, 0.9])
@pytest.mark.parametrize("way", ["predictions", "counts", "hull", "undersampled"])
def test_resampling_a_calibrated_curve_is_calibrating_the_draw(way, pi0):
    """The raw counts are drawn, also where calibrated ones happen to be whole, as at 0.2."""
    curve = EVERY_WAY[way]()
    drawn, plain = curve.at_prior(pi0).resample(5), curve.resample(5)
    assert drawn.negative_weight == curve.at_prior(pi0).negative_weight
    assert_same(drawn.uncalibrated, plain, rel=0)
    assert_same(drawn, plain.at_prior(pi0), rel=1e-15)
    np.testing.assert_array_equal(drawn.fp, plain.fp * drawn.negative_weight)
    assert drawn.prior == pytest.approx(pi0, rel=1e-14)


def test_resampling_a_calibrated_curve_keeps_the_thresholds_given(curve):
    drawn = curve.at_prior(0.01).resample(5, thresholds=[2.5])
    plain = curve.resample(5, thresholds=[2.5])
    tp, fp = counts_at(plain, 2.5)
    assert counts_at(drawn, 2.5) == (tp, fp * drawn.negative_weight)


@pytest.mark.parametrize(("pi0", "target"), [(0.01, 0.02), (0.01, 0.013), (0.2, 0.5), (0.9, 0.95)])
def test_undersampling_a_calibrated_curve_is_calibrating_the_draw(wider_curve, pi0, target):
    calibrated = wider_curve.at_prior(pi0)
    n_kept = calibrated.n_kept_at(target)
    assert 0 < n_kept < 60
    drawn = calibrated.undersample(target, 5)
    plain = wider_curve.undersample(12 / (12 + n_kept), 5)
    assert_same(drawn.uncalibrated, plain, rel=0)
    assert drawn.negative_weight == calibrated.negative_weight
    one_more = 12 / (12 + (n_kept + 1) * calibrated.negative_weight)
    assert one_more < target <= drawn.prior * (1 + 1e-12)


@pytest.mark.parametrize("n_neg", [60, 400, 10**6])
def test_number_kept_of_a_calibrated_curve_in_exact_arithmetic(n_neg):
    """A share of the negatives: the odds of the two priors."""
    curve = ConfusionCurve.from_roc([0, 1], [0, 1], 7, n_neg)
    for pi0, target in (("0.01", "0.1"), ("0.01", "0.02"), ("0.2", "0.5"), ("0.5", "0.9")):
        odds = [Fraction(prior) / (1 - Fraction(prior)) for prior in (pi0, target)]
        kept = curve.at_prior(float(pi0)).n_kept_at(float(target))
        assert kept == math.floor(n_neg * odds[0] / odds[1])


def test_undersampling_at_the_calibrated_prior_keeps_everything(curve):
    for pi0 in (0.01, 0.2, 0.9):
        at = curve.at_prior(pi0)
        assert at.n_kept_at(pi0) == 7
        assert_same(at.undersample(pi0, 0), at, rel=0)


def test_calibrated_prior_cannot_be_lowered_by_undersampling(curve):
    with pytest.raises(ValueError, match=r"pi0=0\.35 must be at least the prior 0\.4"):
        curve.at_prior(0.4).undersample(0.35, 0)
    assert curve.at_prior(0.01).undersample(0.02, 0).n_neg == pytest.approx(3 * 297 / 7, rel=1e-14)
    with pytest.raises(ValueError, match=r"pi0=0\.1 keeps no neg.*at most 0\.0660"):
        curve.at_prior(0.01).undersample(0.1, 0)


def test_spread_of_resampled_precision_at_a_small_prior():
    """TP and FP at a threshold are binomial with the raw sizes; the weight of FP is constant.

    A draw of 396 calibrated negatives, or of 4000 for 40 raw ones, would have another spread.
    """
    rng = np.random.default_rng(47)
    y_true = np.repeat([1, 0], [4, 40])
    raw = ConfusionCurve.from_predictions(y_true, rng.normal(size=44) + 1.5 * y_true)
    curve, n_draws = raw.at_prior(0.01), 4000
    threshold = 0.3
    tp, fp = counts_at(raw, threshold)
    assert (0 < tp < 4, 0 < fp < 40) == (True, True)
    weight = 4 * 99 / 40
    drawn = [curve.resample(rng, thresholds=[threshold]) for _ in range(n_draws)]
    counts = np.array([counts_at(each, threshold) for each in drawn])
    laws = stats.binom(4, tp / 4), stats.binom(40, fp / 40)
    for column, law, scale in zip(counts.T, laws, (1, weight), strict=True):
        _assert_moments(column / scale, *_central_moments(law))
    # Where TP and FP are 0, count precision as 0: the same in both.
    values = counts[:, 0] / np.maximum(counts.sum(axis=1), 1e-9)
    k, m = np.arange(5), np.arange(41)
    probability = np.outer(laws[0].pmf(k), laws[1].pmf(m))
    precision = k[:, None] / np.maximum(k[:, None] + weight * m, 1e-9)
    mean = (probability * precision).sum()
    moments = [(probability * (precision - mean) ** power).sum() for power in (2, 4)]
    _assert_moments(values, mean, *moments)


# ------------------------------------------------------------------------ draws from counts


@pytest.fixture(scope="module")
def counts_curve():
    """Bins of a score, one of them empty, one with negatives only."""
    return ConfusionCurve.from_counts([0.9, 0.7, 0.5, 0.3, 0.1], [6, 5, 0, 1, 0], [2, 5, 0, 23, 30])


def test_draws_from_counts_are_exact_at_any_threshold(counts_curve, draw):
    for curve in (counts_curve, counts_curve.at_prior(0.1)):
        drawn = draw(curve, 0)
        assert_sound(drawn)
        np.testing.assert_array_equal(drawn.thresholds, counts_curve.thresholds)
        between = [0.95, 0.9, 0.8, 0.6, 0.5, 0.4, 0.2, 0.0]
        vertex = [0, 1, 1, 2, 3, 3, 4, 5]
        tp, fp = counts_at(drawn, between)
        np.testing.assert_array_equal(tp, drawn.tp[vertex])
        np.testing.assert_array_equal(fp, drawn.fp[vertex])


def test_draws_from_counts_ignore_the_thresholds_given(counts_curve, draw):
    """They know every threshold anyway, and the draw stays the same."""
    drawn = draw(counts_curve, 0, thresholds=[0.65, 2.0])
    assert_same(drawn, draw(counts_curve, 0), rel=0)
    assert counts_at(drawn, 0.65) == counts_at(drawn, 0.7)


def test_draws_from_counts_merge(counts_curve, draw):
    one, other = draw(counts_curve, 0), draw(counts_curve, 1)
    merged = one + other
    np.testing.assert_array_equal(merged.tp, one.tp + other.tp)
    np.testing.assert_array_equal(merged.fp, one.fp + other.fp)
    labelled = ConfusionCurve.from_predictions([1, 0], [0.8, 0.2])
    assert counts_at(one + labelled, 0.8) == (one.tp[1] + 1, one.fp[1])


def test_draws_of_draws_from_counts(counts_curve):
    undersampled = counts_curve.undersample(0.4, 0)
    assert (undersampled.n_pos, undersampled.n_neg) == (12, 18)
    again = undersampled.resample(1)
    assert (again.n_pos, again.n_neg) == (12, 18)
    assert counts_at(again, 0.6) == (again.tp[2], again.fp[2])


def test_draws_from_counts_have_the_same_law(counts_curve):
    rng, n_draws = np.random.default_rng(53), 3000
    draws = np.array([counts_curve.undersample(0.4, rng).fp for _ in range(n_draws)])
    laws = [stats.hypergeom(60, int(fp), 18) for fp in (2, 7, 30)]
    _assert_moments(draws[:, [1, 2, 4]], *np.array([_central_moments(law) for law in laws]).T)
    draws = np.array([counts_curve.resample(rng).tp for _ in range(n_draws)])
    laws = [stats.binom(12, tp / 12) for tp in (6, 11)]
    _assert_moments(draws[:, [1, 2]], *np.array([_central_moments(law) for law in laws]).T)


@pytest.mark.parametrize(
    "name", ["negative_weight", "n_pos", "n_neg", "prior", "thresholds", "tp", "fp"]
)
def test_attributes_of_a_curve_cannot_be_set(name):
    curve = ConfusionCurve.from_predictions([1, 0, 0], [0.9, 0.8, 0.1])
    with pytest.raises(AttributeError):
        setattr(curve, name, 5)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_thresholds_are_compared_in_the_dtype_of_the_scores(dtype):
    y_true, y_score = [1, 0, 1, 0], np.array([0.9, 0.8, 0.7, 0.1], dtype)
    matrix = ConfusionCurve.from_predictions(y_true, y_score).confusion_matrix(0.7)
    assert (matrix.tp, matrix.fp) == (2, 1)
    metric = Metric("precision", options={"threshold": 0.7})
    of_rows = uncertainty.interval_from_predictions(metric, y_true, y_score, groups=[0, 1, 2, 2])
    assert of_rows.value == 2 / 3


def test_rows_of_weight_0_may_have_no_score():
    rows = [1, 0, 1, 0], [0.9, 0.8, 0.7, np.nan]
    found = uncertainty.interval_from_predictions("roc_auc", *rows, sample_weight=[1, 1, 1, 0])
    assert found.value == average_precision_score([1, 0], [0, 1])


@pytest.mark.parametrize(
    "scores",
    [
        [2**70 + 3, 2**70 + 2, 2**70 + 1, 2**70],
        [Fraction(1, 3)] * 3 + [Fraction(10**20 + 3, 3 * 10**20)],
    ],
)
def test_numbers_that_would_become_ties_are_refused(scores):
    with pytest.raises(ValueError, match="y_score must hold numbers that float64 tells apart"):
        ConfusionCurve.from_predictions([1, 0, 1, 0], scores)


def test_fractions_that_float64_tells_apart_are_scores():
    scores = [Fraction(1, 3), Fraction(2, 3), Fraction(1, 7)]
    assert ConfusionCurve.from_predictions([1, 0, 1], scores).n_pos == 2


@pytest.mark.parametrize("spread", [1e9, 1e17, 1e200])
def test_complements_keep_their_digits_if_weights_differ_much(spread):
    weight = [1, spread, 1]
    assert npv_score([1, 0, 0], [0, 1, 0], sample_weight=weight) == 0.5
    assert specificity_score([1, 0, 0], [1, 1, 0], sample_weight=weight) == pytest.approx(
        1 / (1 + spread), rel=1e-15
    )
    found = negative_likelihood_ratio_score(
        [1, 1, 0, 0], [1, 0, 1, 0], sample_weight=[1, 1, spread, 1]
    )
    assert found == pytest.approx(0.5 * (1 + spread), rel=1e-15)
