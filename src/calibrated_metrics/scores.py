"""Numbers from a curve.

Every function takes a `ConfusionCurve` and knows nothing of calibration: apply it to
``curve.at_prior(pi0)`` for the calibrated metric. Undefined values raise; none returns NaN.
"""

# Sums of products are not written with @: the last digits of a BLAS product depend on its threads.

from __future__ import annotations

import numpy as np

from calibrated_metrics import _checks, spaces
from calibrated_metrics.confusion import ConfusionCurve

__all__ = [
    "achievable_pr_auc",
    "average_precision",
    "best_fbeta",
    "fbeta",
    "pr_auc",
    "precision",
    "prg_auc",
    "recall",
    "roc_auc",
]


def average_precision(curve: ConfusionCurve) -> float:
    """Average precision, Σ (Rec_k - Rec_{k-1}) Prec_k: the AUC-PR of Siblini et al. (2020).

    Returns
    -------
    float in (0, 1], 1 for a perfect ranking; the prior for constant scores.
    """
    tp_start, tp, _, fp = curve.rises
    return min(float(((tp - tp_start) * (tp / (tp + fp))).sum()) / curve.n_pos, 1.0)


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
    s [TP log1p(x) + s p (x - log1p(x))], which holds its accuracy for any ratio of the classes.
    """
    tp, tp_end, fp, fp_end = curve.rises
    d_tp = tp_end - tp
    d_predicted = d_tp + (fp_end - fp)
    predicted = tp + fp
    slope = d_tp / d_predicted
    at_origin = predicted == 0  # at most the first rise; precision is constant along it
    growth = d_predicted / np.where(at_origin, 1.0, predicted)
    area = slope * (tp * np.log1p(growth) + slope * predicted * _x_minus_log1p(growth))
    area = np.where(at_origin, slope * d_tp, area)
    return min(float(area.sum()) / curve.n_pos, 1.0)


def achievable_pr_auc(curve: ConfusionCurve) -> float:
    """Area under the achievable precision-recall curve: that of the ROC convex hull.

    Source: Davis & Goadrich (2006), Corollary 3.1.

    Returns
    -------
    float in (0, 1], at least `pr_auc`.
    """
    return pr_auc(curve.hull())


def prg_auc(curve: ConfusionCurve) -> float:
    """Area under the precision-recall-gain curve over recall gains from 0 to 1.

    Both gains are linear in 1/TP along a ROC segment, so straight lines are exact. The area is
    signed: a precision gain below 0 subtracts.

    Returns
    -------
    float in (-inf, 1], 1 for a perfect ranking, 0 for constant scores.

    References
    ----------
    Flach & Kull, "Precision-Recall-Gain Curves: PR Analysis Done Right", NIPS 2015. The published
    code of Siblini et al. puts the axis crossing of the calibrated curve at TP = π N₊; it is
    at π₀ N₊, as here.
    """
    tp_start, tp, fp_start, fp = curve.rises
    recall_gain = spaces.recall_gain(curve, tp)
    crossed = int(recall_gain.searchsorted(0.0, side="right"))
    # The segment that crosses recall gain 0 counts from there on.
    first = recall_gain.item(crossed) * (
        spaces.precision_gain_at_zero_recall_gain(curve)
        + 1.0
        - fp.item(crossed) / curve.n_neg * (curve.n_pos / tp.item(crossed))
    )

    rest = slice(crossed + 1, None)
    tp_start, tp, fp_start, fp = tp_start[rest], tp[rest], fp_start[rest], fp[rest]
    # Differences of recall gains, without the cancellation of subtracting them.
    widths = (curve.n_pos / curve.n_neg) * ((tp - tp_start) / tp_start * (curve.n_pos / tp))
    fpr_start, fpr = fp_start / curve.n_neg, fp / curve.n_neg
    heights = 2.0 - (fpr_start * (curve.n_pos / tp_start) + fpr * (curve.n_pos / tp))
    return min(float(first + (widths * heights).sum()) / 2, 1.0)


def roc_auc(curve: ConfusionCurve) -> float:
    """Area under the ROC curve; ties count half. The same at every prior.

    Returns
    -------
    float in [0, 1], 1 for a perfect ranking, 0.5 for constant scores.
    """
    tp_start, tp, fp_start, fp = curve.rises
    true_negative_rate = 1.0 - (0.5 * fp_start + 0.5 * fp) / curve.n_neg
    return min(float(((tp - tp_start) * true_negative_rate).sum()) / curve.n_pos, 1.0)


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
    return min(float((tp / (of_precision * (tp + fp) + of_recall * curve.n_pos)).max()), 1.0)


def precision(curve: ConfusionCurve, threshold: float) -> float:
    """Precision when a score strictly above `threshold` is predicted positive.

    Returns
    -------
    float in [0, 1]

    Raises
    ------
    ValueError
        If no score lies above `threshold`: precision is undefined.
    """
    tp, fp = curve.counts_above(threshold)
    if tp + fp == 0:
        raise ValueError(f"precision is undefined at threshold={threshold}: no score is above it")
    return tp / (tp + fp)


def recall(curve: ConfusionCurve, threshold: float) -> float:
    """Recall (true positive rate) when a score strictly above `threshold` is predicted positive.

    Returns
    -------
    float in [0, 1]
    """
    tp, _ = curve.counts_above(threshold)
    return tp / curve.n_pos


def fbeta(curve: ConfusionCurve, threshold: float, beta: float = 1.0) -> float:
    """F-beta when a score strictly above `threshold` is predicted positive.

    Parameters
    ----------
    beta : float > 0, default=1.0
        Weight of recall against precision.

    Returns
    -------
    float in [0, 1]; 0 when nothing is predicted positive.
    """
    of_precision, of_recall = _weights_of(beta)
    tp, fp = curve.counts_above(threshold)
    if tp == 0:
        return 0.0
    return min(tp / (of_precision * (tp + fp) + of_recall * curve.n_pos), 1.0)


def _weights_of(beta: float) -> tuple[float, float]:
    """1 / (1 + beta²) and beta² / (1 + beta²): weights of precision and recall in F-beta."""
    beta = _checks.positive_number("beta", beta)
    smaller = min(beta, 1 / beta) ** 2
    weights = 1 / (1 + smaller), smaller / (1 + smaller)
    return weights if beta <= 1 else weights[::-1]


def _x_minus_log1p(x: np.ndarray) -> np.ndarray:
    """x - log(1 + x) for x >= 0 to full relative accuracy.

    With z = x / (2 + x), log1p(x) = 2 artanh(z), so the difference is
    x z - 2 z³ (1/3 + z²/5 + z⁴/7 + ...); the plain form cancels for small x.
    """
    z = x / (2.0 + x)
    z2 = np.minimum(z * z, 0.01)
    series = 1.0 / 19
    for odd in range(17, 1, -2):
        series = series * z2 + 1.0 / odd
    return np.where(x < 0.2, x * z - 2.0 * z * z2 * series, x - np.log1p(x))
