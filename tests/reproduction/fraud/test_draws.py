"""Random draws of the rows of a curve: what is kept, what is known, and the laws of the counts."""

import math
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from calibrated_metrics import ConfusionCurve
from reproduction.fraud.draws import n_negatives_kept, undersample, with_vertices_at

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def curve():
    y_true, y_score = [0, 1, 0, 0, 1, 0, 1, 0, 0, 0], [9, 8, 8, 7, 6, 5, 4, 3, 2, 1]
    return ConfusionCurve.from_predictions(y_true, y_score)


@pytest.fixture(scope="module")
def wider_curve():
    rng = np.random.default_rng(31)
    y_true = np.repeat([1, 0], [12, 60])
    return ConfusionCurve.from_predictions(y_true, np.round(rng.normal(size=72) + y_true, 1))


@pytest.mark.parametrize("pi0", [0.3, 0.31, 0.4, 0.5, 0.6, 0.75])
def test_undersampling_keeps_the_positives_and_so_many_negatives(curve, pi0):
    n_kept = math.floor(Fraction(str(pi0)) ** -1 * 3 - 3)
    assert n_negatives_kept(curve, pi0) == n_kept
    for seed in range(20):
        drawn = undersample(curve, pi0, np.random.default_rng(seed))
        np.testing.assert_array_equal(drawn.tp, curve.tp)
        np.testing.assert_array_equal(drawn.thresholds, curve.thresholds)
        assert (drawn.n_pos, drawn.n_neg) == (3, n_kept)
        assert (np.diff(drawn.fp) <= np.diff(curve.fp)).all()


@pytest.mark.parametrize("n_pos", [1, 2, 3, 147, 492, 1000])
def test_number_kept_is_the_floor_in_exact_arithmetic(n_pos):
    curve = ConfusionCurve.from_roc(tpr=[0, 1], fpr=[0, 1], n_pos=n_pos, n_neg=10**6)
    for decimal in ["0.001", "0.1", "0.2", "0.25", "0.3", "0.05", "0.01", "0.4", "0.00172", "0.5"]:
        exact = n_pos * (1 - Fraction(decimal)) / Fraction(decimal)
        if exact >= 1:
            assert n_negatives_kept(curve, float(decimal)) == math.floor(exact), decimal
    for n_kept in (1, 2, 3, 10, 999, 12_345, 999_999, 10**6):
        assert n_negatives_kept(curve, n_pos / (n_pos + n_kept)) == n_kept


def test_priors_out_of_reach_are_refused(curve):
    assert n_negatives_kept(curve, 0.75) == 1
    for pi0, message in ((0.29, r"pi0=0\.29.*at least the prior 0\.3"), (0.76, "at most 0.75")):
        with pytest.raises(ValueError, match=message):
            undersample(curve, pi0, np.random.default_rng(0))


@st.composite
def rows(draw):
    """Labels and scores with many ties; both classes are present."""
    y_true = draw(st.permutations([0, 1, *draw(st.lists(st.integers(0, 1), max_size=22))]))
    n = len(y_true)
    return y_true, draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n))


@given(rows(), st.lists(st.integers(-10, 10).map(lambda x: x / 2), max_size=4), st.integers(0, 99))
def test_draws_know_their_counts_at_the_thresholds_given(sample, thresholds, seed):
    curve, rng = ConfusionCurve.from_predictions(*sample), np.random.default_rng(seed)
    thresholds = [*thresholds, 100, -100]
    pi0 = curve.n_pos / (curve.n_pos + max(1, curve.n_neg // 2))
    own = curve.confusion_matrix(thresholds)
    counted = with_vertices_at(curve, thresholds)
    drawn = undersample(counted, pi0, rng)
    matrix = drawn.confusion_matrix(thresholds)
    assert (matrix.tp + matrix.fn == drawn.n_pos).all()
    assert (matrix.fp + matrix.tn == drawn.n_neg).all()
    for counts in ("tp", "fp", "fn", "tn"):  # nothing is drawn where nothing is
        assert (getattr(matrix, counts)[getattr(own, counts) == 0] == 0).all()


def assert_law(draws, laws):
    """Mean and variance of each column are those of its law, within five standard errors."""
    mean, variance, _, excess = np.array([law.stats("mvsk") for law in laws], dtype=float).T
    errors = np.sqrt(variance / len(draws)), variance * np.sqrt((excess + 2) / len(draws))
    assert (np.abs(draws.mean(axis=0) - mean) < 5 * errors[0]).all()
    assert (np.abs(draws.var(axis=0) - variance) < 5 * errors[1]).all()


def test_undersampled_counts_are_hypergeometric(wider_curve):
    rng = np.random.default_rng(37)
    draws = np.array([undersample(wider_curve, 0.4, rng).fp for _ in range(3000)])
    inside = (wider_curve.fp > 0) & (wider_curve.fp < 60)
    laws = [stats.hypergeom(60, int(fp), 18) for fp in wider_curve.fp[inside]]
    assert_law(draws[:, inside], laws)
