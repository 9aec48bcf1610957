"""Undersampling negatives: the simulation, its exact expectation, and redrawing rows."""

import math

import numpy as np
import oracle
import pytest
import sklearn.metrics
from scipy import stats

from calibrated_metrics import ConfusionCurve, scores
from reproduction.fraud import undersampling
from reproduction.fraud.draws import n_negatives_kept
from reproduction.fraud.undersampling import (
    expected_average_precision,
    simulated_average_precision,
)

pytestmark = pytest.mark.filterwarnings("error")

# The seeds are fixed, so a statistical test passes always or never; five standard errors keep
# the chance that a right implementation meets a bad seed below one in a million.
SIGMAS = 5.0


def _small_samples():
    rng = np.random.default_rng(3)
    for _ in range(25):
        n_pos, n_neg = int(rng.integers(1, 5)), int(rng.integers(2, 9))
        y_true = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
        yield y_true, rng.integers(0, 6, n_pos + n_neg), n_pos, n_neg


@pytest.fixture(scope="module")
def sample():
    """15 positives, 200 negatives, ties within and between the classes."""
    rng = np.random.default_rng(11)
    y_true = np.repeat([1, 0], [15, 200])
    return y_true, np.round(rng.normal(size=215) + 1.2 * y_true, 1)


@pytest.fixture(scope="module")
def curve(sample):
    return ConfusionCurve.from_predictions(*sample)


# ------------------------------------------------------------------------ the expectation


def test_expectation_equals_the_mean_over_every_subset():
    for y_true, y_score, n_pos, n_neg in _small_samples():
        curve = ConfusionCurve.from_predictions(y_true, y_score)
        for n_kept in range(1, n_neg + 1):
            exact = oracle.expected_average_precision(y_true == 1, y_score.tolist(), n_kept)
            value = expected_average_precision(curve, n_pos / (n_pos + n_kept))
            assert oracle.error(value, exact) < 1e-12


@pytest.mark.parametrize(
    ("n_pos", "n_neg", "n_kept"),
    [(3, 2000, 50), (3, 2000, 1999), (50, 20_000, 700), (492, 20_000, 20_000), (2, 20_000, 1)],
)
def test_expectation_of_large_samples(n_pos, n_neg, n_kept):
    """Three vertices, so that few hypergeometric means in whole numbers make the exact value."""
    first = n_pos // 2
    fp_first, fp_last = n_neg // 50, n_neg // 2
    curve = ConfusionCurve(
        [math.inf, 4, 3, 2, 1, 0],
        [0, 0, first, first, n_pos, n_pos],
        [0, fp_first, fp_first, fp_last, fp_last, n_neg],
    )
    exact = (
        first * oracle.expected_precision(first, fp_first, n_neg, n_kept)
        + (n_pos - first) * oracle.expected_precision(n_pos, fp_last, n_neg, n_kept)
    ) / n_pos
    value = expected_average_precision(curve, n_pos / (n_pos + n_kept))
    assert oracle.error(value, exact) < 1e-12


def test_expectation_lies_above_the_closed_form(curve):
    """1 / (TP + FP) is convex in FP (Jensen)."""
    for pi0 in (0.1, 0.2, 0.5, 0.8, 0.9):
        n_kept = n_negatives_kept(curve, pi0)
        closed_form = scores.average_precision(curve.at_prior(curve.n_pos / (curve.n_pos + n_kept)))
        assert expected_average_precision(curve, pi0) > closed_form


def test_expectation_tends_to_the_closed_form_with_more_positives(sample):
    """The same ranking, repeated: the gap is of the order 1 / n_pos."""
    y_true, y_score = sample
    gaps = []
    for copies in (1, 4, 16):
        curve = ConfusionCurve.from_predictions(
            np.repeat(y_true, copies), np.repeat(y_score, copies)
        )
        gaps.append(
            expected_average_precision(curve, 0.25) - scores.average_precision(curve.at_prior(0.25))
        )
    assert 0 < gaps[2] < gaps[1] / 2 < gaps[0] / 4


# ------------------------------------------------------------------------ the simulation


def _assert_same_law(draws, others):
    """Two samples have the same mean, standard deviation and distribution."""
    n, m = len(draws), len(others)
    error = math.sqrt(draws.var(ddof=1) / n + others.var(ddof=1) / m)
    assert abs(draws.mean() - others.mean()) < SIGMAS * error

    def squared_error(values):  # of the variance
        centred = values - values.mean()
        return (np.mean(centred**4) - values.var() ** 2) / len(values)

    error = math.sqrt(squared_error(draws) + squared_error(others))
    assert abs(draws.var(ddof=1) - others.var(ddof=1)) < SIGMAS * error
    assert stats.ks_2samp(draws, others).pvalue > 1e-4


@pytest.mark.parametrize("pi0", [0.1, 0.3, 0.5])
def test_simulation_equals_redrawing_rows(sample, curve, pi0):
    y_true, y_score = sample
    n_kept = math.floor(15 * (1 - pi0) / pi0 + 1e-9)
    assert n_negatives_kept(curve, pi0) == n_kept
    rng, n_runs = np.random.default_rng(5), 1200
    positives, negatives = np.flatnonzero(y_true == 1), np.flatnonzero(y_true == 0)
    redrawn = np.empty(n_runs)
    for run in range(n_runs):
        rows = np.concatenate([positives, rng.choice(negatives, n_kept, replace=False)])
        redrawn[run] = sklearn.metrics.average_precision_score(y_true[rows], y_score[rows])
    simulated = simulated_average_precision(curve, pi0, 20_000, np.random.default_rng(6))
    _assert_same_law(simulated, redrawn)


@pytest.mark.parametrize("pi0", [0.08, 0.3, 0.5, 0.9, 0.93])
def test_simulation_has_the_exact_mean(curve, pi0):
    n_runs = 40_000
    simulated = simulated_average_precision(curve, pi0, n_runs, np.random.default_rng(9))
    error = simulated.std(ddof=1) / math.sqrt(n_runs)
    assert abs(simulated.mean() - expected_average_precision(curve, pi0)) < SIGMAS * error


def test_simulated_values_are_those_of_subsets():
    """On a small sample every value is the score of some subset, as often as it should be."""
    y_true, y_score = np.array([0, 1, 0, 1, 0, 0]), np.array([5, 4, 4, 2, 3, 1])
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    values = simulated_average_precision(curve, 0.5, 6000, np.random.default_rng(1))
    exact = []
    for dropped in ((a, b) for a in (0, 2, 4, 5) for b in (0, 2, 4, 5) if a < b):
        rows = np.setdiff1d(np.arange(6), dropped)
        exact.append(sklearn.metrics.average_precision_score(y_true[rows], y_score[rows]))
    possible, ways = np.unique(np.round(exact, 12), return_counts=True)
    seen, counts = np.unique(np.round(values, 12), return_counts=True)
    np.testing.assert_allclose(seen, possible)
    assert stats.chisquare(counts, 6000 * ways / 6).pvalue > 1e-4


def test_blocks_draw_the_same_values(curve, monkeypatch):
    whole = simulated_average_precision(curve, 0.3, 101, np.random.default_rng(4))
    monkeypatch.setattr(undersampling, "_BLOCK", 10)
    blocked = simulated_average_precision(curve, 0.3, 101, np.random.default_rng(4))
    assert whole.shape == (101,)
    np.testing.assert_allclose(blocked, whole, rtol=1e-14)
