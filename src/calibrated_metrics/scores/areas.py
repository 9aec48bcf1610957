"""Areas under the curves of a ranking."""

# No products with @: the last digits of a BLAS product depend on the number of threads.

from __future__ import annotations

import numpy as np

from calibrated_metrics import _checks, spaces
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve

__all__ = [
    "achievable_pr_auc",
    "average_precision",
    "partial_average_precision",
    "partial_gains_auc",
    "partial_roc_auc",
    "pr_auc",
    "prg_auc",
    "roc_auc",
]


def average_precision(curve: ConfusionCurve) -> float:
    """Average precision, Σ (Rec_k - Rec_{k-1}) Prec_k: the AUC-PR of Siblini et al. (2020).

    Returns
    -------
    float in (0, 1], 1 for a perfect ranking; the prior for constant scores.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.average_precision(curve)
    0.833...
    >>> scores.average_precision(curve.at_prior(0.1))
    0.625
    """
    tp_start, tp, _, fp = curve.positive_steps
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
    With s = ΔTP / Δ(TP + FP), p = TP + FP at the start and x = Δ(TP + FP) / p, the mean precision
    of a segment is TP/p log1p(x)/x + s (1 - log1p(x)/x), which is accurate for any class ratio.
    Precision is constant, s, along a segment from the origin or before the first false positive.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.pr_auc(curve)
    0.797...
    >>> scores.pr_auc(curve.at_prior(0.1))
    0.599...
    """
    tp, tp_end, fp, fp_end = curve.positive_steps
    d_tp = tp_end - tp
    d_predicted = d_tp + (fp_end - fp)
    predicted = tp + fp
    slope = d_tp / d_predicted
    precision_is_constant = (predicted == 0) | (fp_end == 0)
    predicted = np.where(precision_is_constant, d_predicted, predicted)
    with np.errstate(over="ignore"):
        growth = np.minimum(d_predicted / predicted, np.finfo(np.float64).max)
    mean = tp / predicted * (np.log1p(growth) / growth) + slope * _one_minus_log1p_over(growth)
    return min(_mean(np.where(precision_is_constant, slope, mean), d_tp), 1.0)


def achievable_pr_auc(curve: ConfusionCurve) -> float:
    """Area under the achievable precision-recall curve, which belongs to the ROC convex hull.

    Source: Davis & Goadrich (2006), Corollary 3.1.

    Returns
    -------
    float in (0, 1], at least `pr_auc`.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.achievable_pr_auc(curve)
    0.887...
    >>> scores.achievable_pr_auc(curve.at_prior(0.1))
    0.698...
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

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.prg_auc(curve)
    0.666...
    >>> scores.prg_auc(curve.at_prior(0.1))
    0.944...
    """
    tp_start, tp, fp_start, fp = curve.positive_steps
    crossed = spaces.rise_through_zero_recall_gain(curve)
    # The area between the curve and a precision gain of 1. The segment that crosses recall gain 0
    # counts from the crossing on.
    first = spaces.recall_gain(curve, tp.item(crossed)) * (
        (1.0 - spaces.precision_gain_at_zero_recall_gain(curve, crossed))
        + fp.item(crossed) / curve.n_neg * (curve.n_pos / tp.item(crossed))
    )

    rest = slice(crossed + 1, None)
    tp_start, tp, fp_start, fp = tp_start[rest], tp[rest], fp_start[rest], fp[rest]
    # Differences of recall gains, without the cancellation of subtracting them.
    # In this order, no product leaves the range of float64.
    widths = (tp - tp_start) / tp_start * ((curve.n_pos / curve.n_neg) * (curve.n_pos / tp))
    fpr_start, fpr = fp_start / curve.n_neg, fp / curve.n_neg
    losses = fpr_start * (curve.n_pos / tp_start) + fpr * (curve.n_pos / tp)
    return 1.0 - float(first + (widths * losses).sum()) / 2


def roc_auc(curve: ConfusionCurve) -> float:
    """Area under the ROC curve. Ties count half. The value is the same at every prior.

    Returns
    -------
    float in [0, 1], 1 for a perfect ranking, 0.5 for constant scores.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.roc_auc(curve)
    0.833...
    """
    tp_start, tp, fp_start, fp = curve.positive_steps
    return _mean(1.0 - (0.5 * fp_start + 0.5 * fp) / curve.n_neg, tp - tp_start)


def partial_average_precision(
    curve: ConfusionCurve, min_recall: float = 0.0, max_recall: float = 1.0
) -> float:
    """Average precision over a range of recall: the mean of precision over this range.

    Precision at a recall between two vertices is that of the vertex with the greater recall, as in
    `average_precision`, which is the value for the range from 0 to 1.

    Parameters
    ----------
    min_recall, max_recall : float, 0 <= min_recall < max_recall <= 1
        Range of recall.

    Returns
    -------
    float in (0, 1], 1 for a perfect ranking; the prior for constant scores.

    Raises
    ------
    ValueError, TypeError
        If the limits are not numbers, or not in this order and range.

    References
    ----------
    Saito & Rehmsmeier, Bioinformatics 2017, doi:10.1093/bioinformatics/btw570: partial areas,
    divided by the width of the range.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.partial_average_precision(curve, min_recall=0.5)
    0.666...
    >>> scores.partial_average_precision(curve.at_prior(0.1), min_recall=0.5)
    0.25
    """
    low, high = (
        _checks.real_number("min_recall", min_recall),
        _checks.real_number("max_recall", max_recall),
    )
    if not 0 <= low < high <= 1:
        raise ValueError(
            "min_recall and max_recall must satisfy 0 <= min_recall < max_recall <= 1, got "
            f"{low} and {high}"
        )
    tp_start, tp, _, fp = curve.positive_steps
    limits = low * curve.n_pos, high * curve.n_pos
    if limits[1] - limits[0] < np.finfo(np.float64).tiny:
        raise ValueError(f"min_recall={low} and max_recall={high} are too close for float64")
    return _mean(tp / (tp + fp), np.clip(tp, *limits) - np.clip(tp_start, *limits))


def partial_roc_auc(curve: ConfusionCurve, max_fpr: float) -> float:
    """Standardised area under the ROC curve up to a false positive rate, as in scikit-learn.

    It is (1 + (A - m²/2) / (m - m²/2)) / 2, A being the area up to the rate m. Between two
    vertices the curve is a straight line. The value is the same at every prior.

    Parameters
    ----------
    max_fpr : float in (0, 1]
        Greatest false positive rate m. For 1 the value is that of `roc_auc`.

    Returns
    -------
    float in [0, 1], 1 for a perfect ranking, 0.5 for constant scores.

    Raises
    ------
    ValueError, TypeError
        If `max_fpr` is not a number in (0, 1].

    References
    ----------
    McClish, Medical Decision Making 1989, doi:10.1177/0272989X8900900307.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.partial_roc_auc(curve, max_fpr=0.5)
    0.777...
    """
    max_fpr = _checks.share("max_fpr", max_fpr)
    fpr, tpr = spaces.roc(curve)
    return 1.0 - _integral(fpr, 1.0 - tpr, max_fpr) / (max_fpr * (2.0 - max_fpr))


def partial_gains_auc(curve: ConfusionCurve, max_alert_rate: float) -> float:
    """Area under the cumulative gains curve up to an alert rate, as a share of the greatest area.

    The curve shows recall against the alert rate, the share of all cases at the prior of the curve
    that are predicted positive. It is also called cumulative accuracy profile (CAP) or lift chart.
    Between two vertices it is a straight line: part of a group of tied scores is a random part.

    Parameters
    ----------
    max_alert_rate : float in (0, 1]
        Greatest alert rate q.

    Returns
    -------
    float in [0, 1], 1 for a perfect ranking
        Constant scores give the prior π if q <= π, otherwise q² / (2q - π).

    Raises
    ------
    ValueError, TypeError
        If `max_alert_rate` is not a number in (0, 1], or below 1e-300.

    Notes
    -----
    The difference from the area of a perfect ranking is the integral of min(FP, FN) / (TP + FN)
    over the alert rate. The greatest area is q² / (2π) if q <= π, otherwise q - π / 2.

    References
    ----------
    Engelmann, Hayden & Tasche, "Testing rating accuracy", Risk 2003, for the curve.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.partial_gains_auc(curve, max_alert_rate=0.5)
    0.708...
    >>> scores.partial_gains_auc(curve.at_prior(0.1), max_alert_rate=0.5)
    0.666...
    """
    end = _checks.share("max_alert_rate", max_alert_rate)
    if end < _LEAST_RANGE:
        raise ValueError(f"max_alert_rate must be at least {_LEAST_RANGE}, got {end}")
    total, prior = curve.n_pos + curve.n_neg, curve.prior
    fp, fn = curve.fp / total, (curve.n_pos - curve.tp) / total
    alerts = (curve.tp + curve.fp) / total
    # min(FP, FN) has a kink where they are equal, at as many alerts as there are positives.
    kink = int(alerts.searchsorted(prior))
    at_kink = min(np.interp(prior, alerts, fp), np.interp(prior, alerts, fn))
    lost = np.insert(np.minimum(fp, fn), kink, at_kink)
    # Both areas are divided by the range, because the square of a small range underflows.
    mean_lost = _integral(np.insert(alerts, kink, prior) / end, lost, 1.0)
    greatest = end / 2 if end <= prior else prior * (1 - prior / (2 * end))
    return max(1.0 - mean_lost / greatest, 0.0)


_LEAST_RANGE = 1e-300  # an alert rate divided by a smaller one can overflow


def _integral(x: FloatArray, y: FloatArray, end: float) -> float:
    """∫ y dx from x[0] to `end`, with straight lines between the vertices; x must not descend."""
    after = int(x.searchsorted(end))
    share = (end - x[after - 1]) / (x[after] - x[after - 1])
    heights = np.append(y[:after], y[after - 1] + share * (y[after] - y[after - 1]))
    widths = np.diff(np.append(x[:after], end))
    return float((widths * (heights[1:] + heights[:-1])).sum()) / 2


def _mean(values: FloatArray, weights: FloatArray) -> float:
    """Weighted mean, at most the largest value: both sums round in the same order."""
    largest = weights.max()
    if largest < 1:  # products with small values could underflow; a power of 2 rounds nothing
        weights = np.ldexp(weights, -np.frexp(largest)[1])
    return float((weights * values).sum() / weights.sum())


def _one_minus_log1p_over(x: FloatArray) -> FloatArray:
    """1 - log(1 + x) / x for x > 0 to full relative accuracy.

    With z = x / (2 + x), log1p(x) = 2 artanh(z), so the difference is
    z - 2 z² (1/3 + z²/5 + z⁴/7 + ...) / (2 + x); the plain form cancels for small x.
    """
    z = x / (2.0 + x)
    z2 = np.minimum(z * z, 0.01)
    series: FloatArray | float = 1.0 / 19
    for odd in range(17, 1, -2):
        series = series * z2 + 1.0 / odd
    return np.where(x < 0.2, z - 2.0 * z2 * series / (2.0 + x), 1.0 - np.log1p(x) / x)
