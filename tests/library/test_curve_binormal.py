"""The curve of the likelihood ratio of two normal distributions."""

import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from calibrated_metrics import ConfusionCurve, scores

pytestmark = pytest.mark.filterwarnings("error")


def counts_at(curve, threshold):
    matrix = curve.confusion_matrix(threshold)
    return matrix.tp, matrix.fp


@pytest.mark.parametrize("distance", [0.05, 0.2, 1, 2, 5, 24])
@pytest.mark.parametrize("prior", [0.001, 0.5, 0.9])
def test_binormal_roc_area_in_closed_form(distance, prior):
    curve = ConfusionCurve.from_binormal(2, 2 - distance, prior)
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


@pytest.mark.parametrize("pi0", [None, 1e-6, 0.3])
def test_equal_means_give_the_diagonal(pi0):
    curve = ConfusionCurve.from_binormal(1.8, 1.8, 0.04)
    assert counts_at(curve, np.nextafter(1, 2)) == (0, 0)
    assert counts_at(curve, 1) == counts_at(curve, 0.999) == pytest.approx((0.04, 0.96))
    assert len(curve) == 2
    curve = curve if pi0 is None else curve.at_prior(pi0)
    prior = 0.04 if pi0 is None else pi0
    assert scores.average_precision(curve) == pytest.approx(prior, rel=1e-14)
    assert scores.pr_auc(curve) == pytest.approx(prior, rel=1e-14)
    assert scores.roc_auc(curve) == 0.5
    assert scores.prg_auc(curve) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((math.nan, 0, 0.5), "mu1"),
        ((1, math.inf, 0.5), "mu0"),
        ((26, 0, 0.5), "mu1 and mu0"),
        ((1e308, -1e308, 0.5), "mu1 and mu0"),
        *(((1, 0, prior), "prior") for prior in (0, 1, 1.5, math.nan, True, "0.5", None, [0.5])),
    ],
    ids=repr,
)
def test_bad_binormal(arguments, name):
    with pytest.raises((ValueError, TypeError), match=name):
        ConfusionCurve.from_binormal(*arguments)


@pytest.mark.parametrize("n_thresholds", [1, 0, -5, 2.0, 10.5, "10", None, True, math.nan, [10]])
@pytest.mark.parametrize("mu0", [0, 1], ids=["binormal", "binormal with equal means"])
def test_number_of_thresholds_must_be_an_integer_above_one(mu0, n_thresholds):
    with pytest.raises((ValueError, TypeError), match="n_thresholds"):
        ConfusionCurve.from_binormal(1, mu0, 0.5, n_thresholds=n_thresholds)
