"""Undersampling negatives: the simulation, its exact expectation, and redrawing rows."""

import math

import numpy as np
import oracle
import pytest
import sklearn.metrics
from scipy import stats

from calibrated_metrics import ConfusionCurve
from reproduction.fraud.undersampling import (
    expected_average_precision,
    simulated_average_precision,
)

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def sample():
    """15 positives, 200 negatives, ties within and between the classes."""
    rng = np.random.default_rng(11)
    y_true = np.repeat([1, 0], [15, 200])
    return y_true, np.round(rng.normal(size=215) + 1.2 * y_true, 1)


@pytest.fixture(scope="module")
def curve(sample):
    return ConfusionCurve.from_predictions(*sample)


def test_expectation_equals_the_mean_over_every_subset():
    rng = np.random.default_rng(3)
    for _ in range(25):
        n_pos, n_neg = int(rng.integers(1, 5)), int(rng.integers(2, 9))
        y_true = rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))
        y_score = rng.integers(0, 6, n_pos + n_neg)
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
    """Three vertices, so that the exact value needs few hypergeometric means."""
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


def test_simulation_equals_redrawing_rows(sample, curve):
    pi0, n_kept = 0.3, 35
    y_true, y_score = sample
    rng, redrawn = np.random.default_rng(5), []
    positives, negatives = np.flatnonzero(y_true == 1), np.flatnonzero(y_true == 0)
    for _ in range(1200):
        rows = np.concatenate([positives, rng.choice(negatives, n_kept, replace=False)])
        redrawn.append(sklearn.metrics.average_precision_score(y_true[rows], y_score[rows]))
    simulated = simulated_average_precision(curve, pi0, 20_000, np.random.default_rng(6))
    assert stats.ks_2samp(simulated, redrawn).pvalue > 1e-4


@pytest.mark.parametrize("pi0", [0.08, 0.5, 0.93])
def test_simulation_has_the_exact_mean(curve, pi0):
    n_runs = 20_000
    simulated = simulated_average_precision(curve, pi0, n_runs, np.random.default_rng(9))
    error = simulated.std(ddof=1) / math.sqrt(n_runs)
    assert abs(simulated.mean() - expected_average_precision(curve, pi0)) < 5 * error
