"""Metrics as functions of a curve or of a confusion matrix.

Metrics of a ranking take a `ConfusionCurve`, metrics of a decision take a `ConfusionMatrix`. They
do not calibrate: for the calibrated metric, apply them to ``curve.at_prior(pi0)`` or to
``matrix.at_prior(pi0)``. An undefined metric (0/0) raises ``ValueError`` for one matrix. For a
stack it is NaN for that matrix, with one `UndefinedMetricWarning`. A perfect ranking scores exactly
1 in every metric of a ranking, at every prior, also with sample weights.
"""

# No products with @: the last digits of a BLAS product depend on the number of threads.

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from calibrated_metrics import _checks, spaces
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix, Values

__all__ = [
    "UndefinedMetricWarning",
    "accuracy",
    "achievable_pr_auc",
    "average_precision",
    "balanced_accuracy",
    "best_fbeta",
    "fbeta",
    "npv",
    "pr_auc",
    "precision",
    "prg_auc",
    "recall",
    "roc_auc",
    "specificity",
]


class UndefinedMetricWarning(UserWarning):
    """A metric is undefined (0/0) for some of the data, and no value was chosen to replace it."""


# ------------------------------------------------------------------------ metrics of a ranking


def average_precision(curve: ConfusionCurve) -> float:
    """Average precision, Σ (Rec_k - Rec_{k-1}) Prec_k: the AUC-PR of Siblini et al. (2020).

    Returns
    -------
    float in (0, 1], 1 for a perfect ranking; the prior for constant scores.
    """
    tp_start, tp, _, fp = curve.rises
    return _mean(tp / (tp + fp), tp - tp_start)


def pr_auc(curve: ConfusionCurve) -> float:
    """Area under the precision-recall curve with exact interpolation in count space.

    Between two vertices FP grows linearly with TP (Davis & Goadrich, 2006, section 3.2); the
    integral of precision over recall is taken in closed form.

    Returns
    -------
    float in (0, 1], 1 for a perfect ranking.

    Notes
    -----
    With s = ΔTP / Δ(TP + FP), p = TP + FP at the start and x = Δ(TP + FP) / p, a segment adds
    s [TP log1p(x) + s p (x - log1p(x))], which is accurate for any class ratio. A segment along
    which precision is constant, from the origin or before the first false positive, adds s ΔTP.
    The code divides each of these by ΔTP, for the mean precision of the segment.
    """
    tp, tp_end, fp, fp_end = curve.rises
    d_tp = tp_end - tp
    d_predicted = d_tp + (fp_end - fp)
    predicted = tp + fp
    slope = d_tp / d_predicted
    precision_is_constant = (predicted == 0) | (fp_end == 0)
    growth = d_predicted / np.where(precision_is_constant, np.inf, predicted)
    mean = (tp * np.log1p(growth) + slope * predicted * _x_minus_log1p(growth)) / d_predicted
    return min(_mean(np.where(precision_is_constant, slope, mean), d_tp), 1.0)


def achievable_pr_auc(curve: ConfusionCurve) -> float:
    """Area under the achievable precision-recall curve, which belongs to the ROC convex hull.

    Source: Davis & Goadrich (2006), Corollary 3.1.

    Returns
    -------
    float in (0, 1], at least `pr_auc`.
    """
    return pr_auc(curve.hull())


def prg_auc(curve: ConfusionCurve) -> float:
    """Area under the precision-recall-gain curve over recall gains from 0 to 1.

    Both gains are linear in 1/TP along a ROC segment, so straight lines are exact. The area is
    signed: a negative precision gain subtracts.

    Returns
    -------
    float in (-inf, 1], 1 for a perfect ranking, 0 for constant scores.

    References
    ----------
    Flach & Kull, "Precision-Recall-Gain Curves: PR Analysis Done Right", NIPS 2015. The published
    code of Siblini et al. puts the axis crossing of the calibrated curve at TP = π N₊. The
    correct position is π₀ N₊, as here.
    """
    tp_start, tp, fp_start, fp = curve.rises
    crossed = spaces.rise_through_zero_recall_gain(curve)
    # The area that the curve lacks to a precision gain of 1. The segment that crosses recall gain 0
    # counts from the crossing on.
    first = spaces.recall_gain(curve, tp.item(crossed)) * (
        (1.0 - spaces.precision_gain_at_zero_recall_gain(curve, crossed))
        + fp.item(crossed) / curve.n_neg * (curve.n_pos / tp.item(crossed))
    )

    rest = slice(crossed + 1, None)
    tp_start, tp, fp_start, fp = tp_start[rest], tp[rest], fp_start[rest], fp[rest]
    # Differences of recall gains, without the cancellation of subtracting them.
    widths = (curve.n_pos / curve.n_neg) * ((tp - tp_start) / tp_start * (curve.n_pos / tp))
    fpr_start, fpr = fp_start / curve.n_neg, fp / curve.n_neg
    losses = fpr_start * (curve.n_pos / tp_start) + fpr * (curve.n_pos / tp)
    return 1.0 - float(first + (widths * losses).sum()) / 2


def roc_auc(curve: ConfusionCurve) -> float:
    """Area under the ROC curve. Ties count half. The value is the same at every prior.

    Returns
    -------
    float in [0, 1], 1 for a perfect ranking, 0.5 for constant scores.
    """
    tp_start, tp, fp_start, fp = curve.rises
    return _mean(1.0 - (0.5 * fp_start + 0.5 * fp) / curve.n_neg, tp - tp_start)


def best_fbeta(curve: ConfusionCurve, beta: float = 1.0) -> float:
    """Largest F-beta over all thresholds.

    Parameters
    ----------
    beta : float > 0, default=1.0
        Weight of recall against precision.

    Returns
    -------
    float in (0, 1], 1 for a perfect ranking.
    """
    of_precision, of_recall = _weights_of(beta)
    _, tp, _, fp = curve.rises
    return float((tp / (tp + of_precision * fp + of_recall * (curve.n_pos - tp))).max())


# ----------------------------------------------------------------------- metrics of a decision


def precision(matrix: ConfusionMatrix) -> Values:
    """Precision, TP / (TP + FP), also called positive predictive value (PPV).

    Parameters
    ----------
    matrix : ConfusionMatrix
        One matrix or a stack of them.

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect.

    Raises
    ------
    ValueError
        If nothing is predicted positive.
    """
    return _ratio("precision", matrix.tp, matrix.tp + matrix.fp, "nothing is predicted positive")


def recall(matrix: ConfusionMatrix) -> Values:
    """Recall, TP / (TP + FN), also called sensitivity or true positive rate (TPR).

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect. The same at every prior.

    Raises
    ------
    ValueError
        If there is no positive.
    """
    return _ratio("recall", matrix.tp, matrix.n_pos, "there is no positive")


def fbeta(matrix: ConfusionMatrix, beta: float = 1.0) -> Values:
    """F-beta, (1+β²) TP / ((1+β²) TP + β² FN + FP): a weighted harmonic mean.

    Parameters
    ----------
    matrix : ConfusionMatrix
        One matrix or a stack of them.
    beta : float > 0, default=1.0
        Weight of recall against precision; 1 gives F1.

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]
        1 is perfect; 0 if nothing is predicted positive.

    Raises
    ------
    ValueError
        If there is no positive and nothing is predicted positive, or `beta` is not above 0.
    """
    of_precision, of_recall = _weights_of(beta)
    whole = matrix.tp + of_precision * matrix.fp + of_recall * matrix.fn
    return _ratio(
        "fbeta", matrix.tp, whole, "there is no positive and nothing is predicted positive"
    )


def specificity(matrix: ConfusionMatrix) -> Values:
    """Specificity, TN / (TN + FP), also called true negative rate: 1 - false positive rate.

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect. The same at every prior.

    Raises
    ------
    ValueError
        If there is no negative.
    """
    return _ratio("specificity", matrix.tn, matrix.n_neg, "there is no negative")


def npv(matrix: ConfusionMatrix) -> Values:
    """Negative predictive value (NPV), TN / (TN + FN).

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect.

    Raises
    ------
    ValueError
        If nothing is predicted negative.
    """
    return _ratio("npv", matrix.tn, matrix.tn + matrix.fn, "nothing is predicted negative")


def accuracy(matrix: ConfusionMatrix) -> Values:
    """Accuracy, (TP + TN) / (TP + TN + FP + FN).

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect.
    """
    correct = matrix.tp + matrix.tn
    return correct / (correct + (matrix.fp + matrix.fn))


def balanced_accuracy(matrix: ConfusionMatrix) -> Values:
    """Balanced accuracy: the mean of recall and specificity, which is the accuracy at prior 0.5.

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect. The same at every prior.

    Raises
    ------
    ValueError
        If a class is absent.
    """
    with warnings.catch_warnings(category=UndefinedMetricWarning, action="ignore"):
        mean = (recall(matrix) + specificity(matrix)) / 2
    _warn_where(np.isnan(mean), "balanced_accuracy", "a class is absent", stacklevel=3)
    return mean


def _ratio(name: str, part: Values, whole: Values, reason: str) -> Values:
    """part / whole: 0/0 raises for a number, and is NaN with a warning in an array."""
    if not isinstance(whole, np.ndarray):
        if whole == 0:
            raise ValueError(f"{name} is undefined: {reason}")
        return part / whole
    undefined = whole == 0
    _warn_where(undefined, name, reason, stacklevel=4)
    ratio: FloatArray = np.full(whole.shape, np.nan)
    np.divide(part, whole, out=ratio, where=~undefined)
    return ratio


def _warn_where(undefined: Any, name: str, reason: str, *, stacklevel: int) -> None:
    n_undefined = int(np.sum(undefined))
    if n_undefined:
        warnings.warn(
            f"{name} is undefined for {n_undefined} of {np.size(undefined)} matrices and NaN "
            f"there: {reason}",
            UndefinedMetricWarning,
            stacklevel=stacklevel,
        )


# ------------------------------------------------------------------------------------- helpers


def _mean(values: FloatArray, weights: FloatArray) -> float:
    """Weighted mean, at most the largest value: both sums round in the same order."""
    return float((weights * values).sum() / weights.sum())


def _weights_of(beta: float) -> tuple[float, float]:
    """1 / (1 + beta²) and beta² / (1 + beta²): weights of precision and recall in F-beta."""
    beta = _checks.positive_number("beta", beta)
    smaller = min(beta, 1 / beta) ** 2
    weights = 1 / (1 + smaller), smaller / (1 + smaller)
    return weights if beta <= 1 else weights[::-1]


def _x_minus_log1p(x: FloatArray) -> FloatArray:
    """x - log(1 + x) for x >= 0 to full relative accuracy.

    With z = x / (2 + x), log1p(x) = 2 artanh(z), so the difference is
    x z - 2 z³ (1/3 + z²/5 + z⁴/7 + ...); the plain form cancels for small x.
    """
    z = x / (2.0 + x)
    z2 = np.minimum(z * z, 0.01)
    series: FloatArray | float = 1.0 / 19
    for odd in range(17, 1, -2):
        series = series * z2 + 1.0 / odd
    return np.where(x < 0.2, x * z - 2.0 * z * z2 * series, x - np.log1p(x))
