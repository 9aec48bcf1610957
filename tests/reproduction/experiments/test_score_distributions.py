"""Known distributions of scores: their samples and the true values of metrics."""

import functools
import math
from typing import get_args

import numpy as np
import pytest
from scipy import stats

from calibrated_metrics import ConfusionCurve
from reproduction.experiments.score_distributions import (
    DISTRIBUTIONS,
    curve_of_sample,
    metric_at_threshold,
    threshold_of,
    true_value,
)
from reproduction.settings import CoveredScore, ScoreDistribution

SCORES = get_args(CoveredScore)


def test_the_settings_offer_all_distributions():
    assert get_args(ScoreDistribution) == tuple(DISTRIBUTIONS)


def value(score, distribution, pi0):
    return true_value(metric_at_threshold(score, distribution), distribution, pi0)


@pytest.mark.parametrize("distance", ["0.5", "1", "2"])
def test_true_values_of_binormal_scores_are_known(distance):
    name, d = f"binormal {distance}", float(distance)
    assert value("roc_auc", name, 0.3) == pytest.approx(stats.norm.cdf(d / math.sqrt(2)), abs=1e-7)
    fpr = stats.norm.sf(threshold_of(name))
    assert value("recall", name, 0.3) == pytest.approx(0.5, abs=1e-12)
    expected = 0.01 * 0.5 / (0.01 * 0.5 + 0.99 * fpr)
    assert value("precision", name, 0.01) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_true_values_are_the_limits_of_large_samples(distribution, rounded):
    rng = np.random.default_rng(0)
    threshold = threshold_of(distribution)
    curve = curve_of_sample(
        distribution, 10**5, 10**5, rng, threshold=threshold, rounded=rounded
    ).at_prior(0.3)
    for score in SCORES:
        metric = metric_at_threshold(score, distribution)
        expected = true_value(metric, distribution, 0.3, rounded=rounded)
        assert metric(curve) == pytest.approx(expected, abs=0.008)


@pytest.mark.parametrize(("distribution", "rounded"), [("two kinds", False), ("binormal 1", True)])
def test_the_curve_of_a_sample_has_the_distribution_of_the_curve_of_drawn_rows(
    distribution, rounded
):
    """Negatives are drawn as multinomial counts between the positives, not one by one."""
    n_pos, n_neg, n_samples = 5, 10, 500
    positives, negatives = DISTRIBUTIONS[distribution]
    rng = np.random.default_rng(1)
    metrics = [metric_at_threshold(score, distribution) for score in ("roc_auc", "fbeta")]
    by_counts, by_rows = [], []
    for _ in range(n_samples):
        curve = curve_of_sample(
            distribution, n_pos, n_neg, rng, threshold=threshold_of(distribution), rounded=rounded
        )
        by_counts.append([metric(curve) for metric in metrics])
        scores = np.concatenate(
            [
                law.rvs(size=n, random_state=rng)
                for law, n in ((positives, n_pos), (negatives, n_neg))
            ]
        )
        scores = scores.round(2) if rounded else scores
        curve = ConfusionCurve.from_predictions(np.arange(n_pos + n_neg) < n_pos, scores)
        by_rows.append([metric(curve) for metric in metrics])
    for counted, drawn in zip(np.transpose(by_counts), np.transpose(by_rows), strict=True):
        assert stats.ks_2samp(counted, drawn).pvalue > 0.01


def test_rounded_scores_tie():
    draw = functools.partial(curve_of_sample, "exponential", 200, 200, threshold=1.0)
    curve = draw(np.random.default_rng(0), rounded=True)
    steps = np.diff(curve.tp) * np.diff(curve.fp)
    assert (steps > 0).sum() > 10
    on_grid = curve.thresholds[1:][np.diff(curve.tp) > 0]
    np.testing.assert_allclose(on_grid, on_grid.round(2))
    continuous = draw(np.random.default_rng(0))
    assert (np.diff(continuous.tp) * np.diff(continuous.fp) == 0).all()
