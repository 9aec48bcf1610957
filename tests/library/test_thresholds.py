"""Thresholds chosen on one sample and applied to another."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from calibrated_metrics import ConfusionCurve, scores
from calibrated_metrics.dominance import Comparison, compare, dominates
from calibrated_metrics.thresholds import achievable_on_test, hull_thresholds

pytestmark = pytest.mark.filterwarnings("error")

PRIORS = st.sampled_from([None, 1e-6, 0.01, 0.5, 0.99])
SCORES = st.one_of(st.integers(-4, 4), st.floats(-1e300, 1e300))


@st.composite
def labelled_scores(draw):
    rest = draw(st.lists(st.integers(0, 1), max_size=20))
    y_true = draw(st.permutations([0, 1, *rest]))
    y_score = draw(st.lists(SCORES, min_size=len(y_true), max_size=len(y_true)))
    return np.array(y_true), np.array(y_score, dtype=float)


def curve_of(sample, pi0=None):
    curve = ConfusionCurve.from_predictions(*sample)
    return curve if pi0 is None else curve.at_prior(pi0)


def gaussian_sample(rng, n_pos, n_neg, distance=1.5):
    y_true = np.arange(n_pos + n_neg) < n_pos
    return y_true, rng.normal(size=n_pos + n_neg) + distance * y_true


@given(labelled_scores(), PRIORS)
def test_on_its_own_data_the_curve_is_the_hull(sample, pi0):
    curve = curve_of(sample, pi0)
    hull, achieved = curve.hull(), achievable_on_test(curve, curve)
    np.testing.assert_array_equal(achieved.thresholds, hull.thresholds)
    np.testing.assert_array_equal(achieved.tp, hull.tp)
    np.testing.assert_array_equal(achieved.fp, hull.fp)


@given(labelled_scores(), labelled_scores(), PRIORS)
def test_the_curve_never_rises_above_the_hull_of_the_test_data(tuning, test, pi0):
    test_curve = curve_of(test, pi0)
    achieved = achievable_on_test(curve_of(tuning), test_curve)
    assert dominates(test_curve.hull(), achieved)
    assert scores.pr_auc(achieved) <= scores.achievable_pr_auc(test_curve) + 1e-12


@given(labelled_scores(), labelled_scores())
def test_vertices_are_the_confusion_matrices_of_the_chosen_thresholds(tuning, test):
    tuning_curve = curve_of(tuning)
    achieved = achievable_on_test(tuning_curve, curve_of(test))
    y_true, y_score = test
    expected = {(0, 0), (np.sum(y_true == 1), np.sum(y_true == 0))}
    for threshold in hull_thresholds(tuning_curve):
        counted = y_score >= threshold
        expected.add((np.sum(counted & (y_true == 1)), np.sum(counted & (y_true == 0))))
    assert set(zip(achieved.tp, achieved.fp, strict=True)) <= expected
    # Those left out lie inside a run of negatives, where no area depends on them.
    runs = {(tp, fp) for tp, fp in expected if tp in achieved.tp}
    assert runs == expected
    assert (np.diff(achieved.thresholds) < 0).all()
    assert achieved.thresholds[-1] <= y_score.min()


@pytest.mark.parametrize("pi0", [1e-4, 0.03, 0.5, 0.9])
def test_the_prior_of_the_tuning_data_does_not_matter(pi0):
    rng = np.random.default_rng(0)
    tuning, test = (curve_of(gaussian_sample(rng, 60, 900)) for _ in range(2))
    np.testing.assert_array_equal(hull_thresholds(tuning.at_prior(pi0)), hull_thresholds(tuning))
    assert compare(
        achievable_on_test(tuning.at_prior(pi0), test), achievable_on_test(tuning, test)
    ) == Comparison((), ())


def test_chosen_thresholds_are_those_of_the_corners():
    """Scores 5 and 3 are corners; 2 lies on a chord to the end."""
    tuning = ConfusionCurve.from_predictions([1, 0, 1, 0, 1, 0, 0], [5, 4, 3, 2.5, 2, 1, 0])
    np.testing.assert_array_equal(hull_thresholds(tuning), [5, 2])
    test = ConfusionCurve.from_predictions([1, 1, 0, 0], [5, 4.9, 2, 1.9])
    achieved = achievable_on_test(tuning, test)
    np.testing.assert_array_equal(achieved.thresholds, [np.inf, 5, 2, 0])
    np.testing.assert_array_equal([achieved.tp, achieved.fp], [[0, 1, 2, 2], [0, 0, 1, 2]])


def test_a_score_at_a_chosen_threshold_is_predicted_positive():
    tuning = ConfusionCurve.from_predictions([1, 0], [3, 1])
    np.testing.assert_array_equal(hull_thresholds(tuning), [3])
    below = np.nextafter(3, 0)
    test = ConfusionCurve.from_predictions([1, 1, 0, 0], [3, below, 3, below])
    achieved = achievable_on_test(tuning, test)
    np.testing.assert_array_equal([achieved.tp, achieved.fp], [[0, 1, 2], [0, 1, 2]])


@given(labelled_scores(), labelled_scores())
def test_curves_from_counts_choose_and_reach_the_same(tuning, test):
    def counts_of(sample):
        y_true, y_score = sample
        return ConfusionCurve.from_counts(y_score, y_true == 1, y_true == 0)

    np.testing.assert_array_equal(
        hull_thresholds(counts_of(tuning)), hull_thresholds(curve_of(tuning))
    )
    one = achievable_on_test(counts_of(tuning), counts_of(test))
    other = achievable_on_test(curve_of(tuning), curve_of(test))
    np.testing.assert_array_equal(one.thresholds, other.thresholds)
    np.testing.assert_array_equal([one.tp, one.fp], [other.tp, other.fp])


def test_test_data_without_rows_must_have_a_vertex_at_each_chosen_threshold():
    rng = np.random.default_rng(3)
    tuning, test = (curve_of(gaussian_sample(rng, 20, 180)) for _ in range(2))
    at = np.unique([*test.thresholds, *hull_thresholds(tuning), tuning.thresholds[-1]])[::-1]
    counted = test.confusion_matrix(at)
    achieved = achievable_on_test(tuning, ConfusionCurve(at, counted.tp, counted.fp))
    expected = achievable_on_test(tuning, test)
    np.testing.assert_array_equal([achieved.tp, achieved.fp], [expected.tp, expected.fp])
    with pytest.raises(ValueError, match="is not a vertex of this curve"):
        achievable_on_test(tuning, ConfusionCurve(test.thresholds, test.tp, test.fp))


def test_thresholds_of_both_curves_must_be_known():
    unknown = ConfusionCurve.from_roc([0, 0.2, 1], [0, 0.8, 1], 5, 5)
    known = ConfusionCurve.from_predictions([1, 0, 1, 0], [4, 3, 2, 1])
    with pytest.raises(ValueError, match="tuning must have known thresholds"):
        achievable_on_test(unknown, known)
    with pytest.raises(ValueError, match="tuning must have known thresholds"):
        hull_thresholds(unknown)
    with pytest.raises(ValueError, match="test must have known thresholds"):
        achievable_on_test(known, unknown)
