"""Pointwise limits of the false positive rate at given recalls; they give those of precision."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from calibrated_metrics._checks import FloatArray
from calibrated_metrics._intervals.limits import quantile, tails
from calibrated_metrics._intervals.samples import CurveSample, RowSample
from calibrated_metrics.spaces import false_positives_at

__all__ = ["fpr_limits_at_recall"]


def fpr_limits_at_recall(
    sample: CurveSample | RowSample, recall: FloatArray, fpr: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Limits of the population's false positive rate at each recall.

    Two errors are added as squares on the logarithm of the rate (MOVER; Zou & Donner 2008). The
    threshold at which the population has this recall lies between two order statistics of the
    positives, because the recall of a sample at this threshold is binomial. The false positive
    rate at a threshold has Clopper-Pearson limits. On the logit, precision at a reference prior
    differs from minus this logarithm by a constant, so the limits hold at every prior.

    Parameters
    ----------
    sample : CurveSample or RowSample without groups
    recall, fpr : ndarray of shape (n_points,)
        Points of the ROC curve of the sample, with recalls above 0.
    level : float
        Nominal probability that the limits at one recall contain the true rate.

    Returns
    -------
    low, high : ndarray of shape (n_points,)
    """
    assert not (isinstance(sample, RowSample) and sample.group is not None)
    n_pos, n_neg = sample.n_pos, sample.n_neg
    margin = quantile(level) * np.sqrt(recall * (1 - recall) / n_pos) + 0.5 / n_pos
    half = 0.5 / n_neg  # a rate of 0 has no logarithm
    centre = np.log(np.maximum(fpr, half))
    by_negatives = _clopper_pearson(fpr, n_neg, level)
    # Above the first positive and below the last one, the sample does not bound the threshold.
    stricter = np.where(recall > margin, _fpr_at(sample, recall - margin), 0.0)
    looser = np.where(recall + margin < 1, _fpr_at(sample, recall + margin), 1.0)
    with np.errstate(divide="ignore"):
        down = np.hypot(
            np.maximum(centre - np.log(stricter), 0.0), centre - np.log(by_negatives[0])
        )
        up = np.hypot(np.log(np.maximum(looser, half)) - centre, np.log(by_negatives[1]) - centre)
    return np.exp(centre - down), np.minimum(np.exp(centre + up), 1.0)


def _fpr_at(sample: CurveSample | RowSample, recall: FloatArray) -> FloatArray:
    own = sample.curve.counted
    inside = np.clip(recall, np.finfo(np.float64).tiny, 1.0)
    return false_positives_at(own, inside * own.n_pos) / own.n_neg


def _clopper_pearson(share: FloatArray, n: float, level: float) -> tuple[FloatArray, FloatArray]:
    """Limits of a binomial share, also for numbers of successes that are no integers."""
    successes = share * n
    failures = np.maximum(n - successes, 0.0)
    lower, upper = tails(level)
    some, some_not = successes > 0, failures > 0
    low, high = np.zeros_like(share), np.ones_like(share)
    low[some] = betaincinv(successes[some], failures[some] + 1, lower)
    high[some_not] = betaincinv(successes[some_not] + 1, failures[some_not], upper)
    return low, high
