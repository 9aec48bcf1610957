"""Influence functions of scores of a curve.

The influence of a sample is the derivative of the score with respect to the share of that sample
in its class. A score is asymptotically its true value plus the mean influence of the positives
plus the mean influence of the negatives, and both means are 0 on the data themselves. Hence the
variance of a score, its covariance with another score on the same samples, and the variance with
correlated samples all follow from sums of influences.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibrated_metrics import scores
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix

__all__ = [
    "Influence",
    "Steps",
    "average_precision",
    "best_fbeta",
    "largest_fbeta",
    "prg_auc",
    "roc_auc",
]


class Steps(NamedTuple):
    """Steps between the vertices of a curve, as rates, by descending threshold.

    Attributes
    ----------
    d_tpr, d_fpr : ndarray of shape (n_steps,)
        Share of each class on each step. Each sums to 1.
    tpr, fpr : ndarray of shape (n_steps,)
        Rates at the end of each step.
    """

    d_tpr: FloatArray
    d_fpr: FloatArray
    tpr: FloatArray
    fpr: FloatArray

    @classmethod
    def of(cls, curve: ConfusionCurve) -> Steps:
        own = curve.counted
        tpr, fpr = own.tp / own.n_pos, own.fp / own.n_neg
        return cls(np.diff(tpr), np.diff(fpr), tpr[1:], fpr[1:])


class Influence(NamedTuple):
    """Influence of a positive and of a negative on each step of a curve."""

    pos: FloatArray
    neg: FloatArray


def average_precision(
    steps: Steps, odds_against: float, fpr_shift: float = 0.0
) -> tuple[float, Influence]:
    """Average precision at prior odds `odds_against` to 1, and its influence function.

    Parameters
    ----------
    steps : Steps
    odds_against : float > 0
        (1 - pi0) / pi0.
    fpr_shift : float >= 0, default=0.0
        Added to the false positive rate at every threshold.
    """
    share, tpr, fpr = steps.d_tpr, steps.tpr, steps.fpr + fpr_shift
    predicted = tpr + odds_against * fpr
    # A curve from counts may start with thresholds that no sample reaches.
    inverse = 1.0 / np.where(predicted > 0, predicted, 1.0)
    precision = tpr * inverse
    value = float((share * precision).sum())
    # The share is divided before it is multiplied: a product of three small factors underflows.
    by_tpr = share * inverse * (odds_against * fpr * inverse)
    by_fpr = -share * inverse * (odds_against * precision)
    pos = precision - value + _from_here_on(by_tpr) - (by_tpr * tpr).sum()
    neg = _from_here_on(by_fpr) - (by_fpr * fpr).sum() + by_fpr.sum() * fpr_shift
    return value, Influence(pos, neg)


def roc_auc(steps: Steps) -> tuple[float, Influence]:
    """AUC-ROC and its influence function (DeLong et al. 1988). Ties count half."""
    pos = 1.0 - (steps.fpr - steps.d_fpr / 2)
    neg = steps.tpr - steps.d_tpr / 2
    value = float((steps.d_tpr * pos).sum())
    return value, Influence(pos - value, neg - value)


def prg_auc(steps: Steps, pi0: float) -> tuple[float, Influence]:
    """AUC-PR Gain at the prior `pi0` and its influence function.

    The area is 1 - (E[max(TPR, pi0)⁻²] - 1) / 2λ with λ = (1 - pi0) / pi0. The expectation is over
    the negatives, and along a tie TPR grows linearly. Where TPR is pi0, the maximum has a kink: the
    derivative from above is used, because that from below, 0, would ignore these negatives.
    """
    odds_against = (1.0 - pi0) / pi0
    end, tied = steps.tpr, steps.d_tpr > 0
    start = end - steps.d_tpr
    low, high = np.maximum(start, pi0), np.maximum(end, pi0)
    width = np.where(tied, steps.d_tpr, 1.0)
    below = np.maximum(np.minimum(end, pi0) - start, 0.0)
    mean = np.where(tied, (below / pi0**2 + (high - low) / (low * high)) / width, high**-2.0)
    by_start = np.where(tied, (mean - low**-2.0) / width, 0.0) * steps.d_fpr
    by_end = steps.d_fpr * np.where(
        tied, (high**-2.0 - mean) / width, np.where(end >= pi0, -2.0 * high**-3.0, 0.0)
    )
    expected = float((steps.d_fpr * mean).sum())
    after = np.append(_from_here_on(by_start)[1:], 0.0)
    centre = (by_start * start).sum() + (by_end * end).sum()
    pos = -(after + _from_here_on(by_end) - centre) / (2.0 * odds_against)
    neg = -(mean - expected) / (2.0 * odds_against)
    return 1.0 - (expected - 1.0) / (2.0 * odds_against), Influence(pos, neg)


def best_fbeta(steps: Steps, odds_against: float, beta: float) -> tuple[float, Influence]:
    """Largest F-beta and the influence function of F-beta at its threshold."""
    values = _fbeta(steps.tpr, steps.fpr, odds_against, beta)
    best = int(values.argmax())
    value, tpr, fpr = values[best], steps.tpr[best], steps.fpr[best]
    # F is (1 + beta²) TPR / w, with w linear in both rates.
    by_w = -(value**2) / ((1.0 + beta**2) * tpr)
    by_tpr, by_fpr = value / tpr + by_w, odds_against * by_w
    counted = np.arange(len(values)) <= best
    return float(value), Influence(by_tpr * (counted - tpr), by_fpr * (counted - fpr))


def _fbeta(tpr: FloatArray, fpr: FloatArray, odds_against: float, beta: float) -> FloatArray:
    """F-beta at each pair of rates, of any shape; the rates may be shifted out of [0, 1]."""
    weights = tpr, odds_against * fpr, 1.0 - tpr, odds_against * (1.0 - fpr)
    return np.asarray(scores.fbeta(ConfusionMatrix._of(weights), beta))


def largest_fbeta(tpr: FloatArray, fpr: FloatArray, odds_against: float, beta: float) -> FloatArray:
    """Largest F-beta of each row of arrays of shape (n_curves, n_steps)."""
    largest: FloatArray = _fbeta(tpr, fpr, odds_against, beta).max(axis=-1)
    return largest


def _from_here_on(values: FloatArray) -> FloatArray:
    """Sum of each value and of all after it."""
    sums: FloatArray = np.cumsum(values[::-1])[::-1]
    return sums
