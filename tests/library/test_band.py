"""Pointwise limits of the false positive rate at recalls."""

import numpy as np
import pytest
from samples import curve_of, rows_of
from scipy import stats

from calibrated_metrics import ConfusionCurve
from calibrated_metrics.spaces import false_positives_at
from calibrated_metrics.uncertainty.band import fpr_limits_at_recall, limits_at_recall
from calibrated_metrics.uncertainty.estimate import Scale

RECALLS = np.array([0.05, 0.2, 0.5, 0.8, 0.98])


def limits_at(curve, level=0.95, recall=RECALLS):
    fpr = false_positives_at(curve, recall * curve.n_pos) / curve.n_neg
    return fpr, *fpr_limits_at_recall(curve, recall, level)


@pytest.mark.parametrize("decimals", [None, 0])
def test_the_rate_lies_between_its_limits(decimals):
    fpr, low, high = limits_at(curve_of(decimals=decimals))
    assert (low >= 0).all()
    assert (low <= fpr).all()
    assert (fpr <= high).all()
    assert (high <= 1).all()
    _, lower, higher = limits_at(curve_of(decimals=decimals), 0.99)
    assert (lower <= low).all()
    assert (high <= higher).all()


def test_below_the_last_positive_the_rate_is_not_bounded():
    _, low, high = limits_at(curve_of(), recall=np.array([0.001, 1.0]))
    assert low[0] == 0
    assert high[1] == 1


def test_many_rows_have_the_limits_of_the_delta_method():
    """The log of FPR at a recall: errors of both classes, by the slope of the ROC curve."""
    curve = curve_of(n_pos=20_000, n_neg=80_000)
    recall = np.array([0.3, 0.6])
    fpr, low, high = limits_at(curve, recall=recall)
    cut = 1.5 + stats.norm.isf(recall)
    slope = stats.norm.pdf(cut) / stats.norm.pdf(cut - 1.5)
    variance = slope**2 * recall * (1 - recall) / 20_000 + fpr * (1 - fpr) / 80_000
    expected = 1.96 * np.sqrt(variance) / fpr
    np.testing.assert_allclose(np.log(high / fpr), expected, rtol=0.15)
    np.testing.assert_allclose(np.log(fpr / low), expected, rtol=0.15)


@pytest.mark.parametrize("quantity", ["precision", "alert rate"])
@pytest.mark.parametrize("kept", [1, 20])
def test_the_error_of_an_estimated_prior_is_added(quantity, kept):
    """With many rows, the squares of both errors are added."""
    ordinate = {
        "precision": lambda recall, fpr, pi: pi * recall / (pi * recall + (1 - pi) * fpr),
        "alert rate": lambda recall, fpr, pi: pi * recall + (1 - pi) * fpr,
    }[quantity]
    weight = np.where(np.arange(100_000) < 20_000, 1, kept)
    curve = curve_of(n_pos=20_000, n_neg=80_000, sample_weight=weight)
    recall = np.array([0.3, 0.6])
    fpr = false_positives_at(curve, recall * curve.n_pos) / curve.n_neg
    known, estimated = (
        np.log(limits_at_recall(each, recall, 0.95, ordinate, Scale(0.0, 1.0)))
        for each in (curve.at_prior(curve.prior), curve)
    )
    step, prior = 1e-6, curve.prior
    ends = [np.log(ordinate(recall, fpr, prior + move)) for move in (-step, step)]
    error = prior * (1 - prior) * np.sqrt(1 / 20_000 + 1 / 80_000)
    of_prior = 1.96 * error * (ends[1] - ends[0]) / (2 * step)
    expected = np.hypot((known[1] - known[0]) / 2, of_prior)
    np.testing.assert_allclose((estimated[1] - estimated[0]) / 2, expected, rtol=0.02)


def test_constant_weights_change_nothing():
    np.testing.assert_allclose(
        limits_at(curve_of(sample_weight=np.where(np.arange(200) < 40, 1, 9))),
        limits_at(curve_of()),
    )


@pytest.mark.parametrize("drawn", [{}, {"sample_weight": 1.0 + np.arange(400) % 2 * 1e-6}])
def test_rows_that_are_nearly_alike_have_nearly_the_same_limits(drawn):
    alike = limits_at(curve_of(n_pos=100, n_neg=300))
    unlike = limits_at(curve_of(n_pos=100, n_neg=300, **drawn))
    np.testing.assert_allclose(unlike[1], alike[1], atol=0.02)
    np.testing.assert_allclose(unlike[2], alike[2], atol=0.04)


def test_repeated_rows_of_clusters_do_not_narrow_the_limits():
    y_true, y_score = rows_of()
    alone, repeated = (
        limits_at(
            ConfusionCurve.from_predictions(
                np.repeat(y_true, times),
                np.repeat(y_score, times),
                clusters=np.repeat(np.arange(200), times),
            )
        )
        for times in (1, 5)
    )
    np.testing.assert_allclose(repeated[0], alone[0])
    np.testing.assert_allclose(repeated[1], alone[1], atol=0.02)
    np.testing.assert_allclose(repeated[2], alone[2], atol=0.05)


def test_rows_without_any_known_error_count_as_one():
    y_true = np.arange(40) < 10
    weight = 1.0 + np.arange(40) % 2
    curve = ConfusionCurve.from_predictions(y_true, np.ones(40), sample_weight=weight)
    _, low, high = limits_at(curve, recall=np.array([0.5]))
    assert low[0] < 0.1
    assert high[0] == 1
