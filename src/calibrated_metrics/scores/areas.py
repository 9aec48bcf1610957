"""Areas under the curves of a ranking."""

# No products with @: the last digits of a BLAS product depend on the number of threads.

from __future__ import annotations

import math

import numpy as np

from calibrated_metrics import _numbers, spaces
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores.facts import ranking_metric


def _influence_of_average_precision(curve: ConfusionCurve) -> tuple[FloatArray, FloatArray]:
    """Influence of a row on its own precision, and on TPR or FPR at all thresholds up to its score.

    AP is the mean of P = TPR / (TPR + λ FPR), λ = n_neg / n_pos, at the scores of positives. Its
    derivatives by TPR and FPR are summed over the thresholds that count the row.
    """
    tp, fp, share = curve.tp[1:], curve.fp[1:], np.diff(curve.tp) / curve.n_pos
    predicted = np.where(tp + fp > 0, tp + fp, 1.0)  # some curves start with steps without rows
    # Divide before multiplying: a product of three small factors underflows.
    by_tpr = share * (fp / predicted) * (curve.n_pos / predicted)
    by_fpr = -share * (tp / predicted) * (curve.n_neg / predicted)
    return tp / predicted + _from_here_on(by_tpr), _from_here_on(by_fpr)


def _caution_of_average_precision(weight: float) -> tuple[float, float]:
    """It is biased upwards if a negative weighs more than a positive; chosen by simulation."""
    return 1 / (1 + weight**-2), 1.0


@ranking_metric(
    label="AUC-PR",
    synonyms=("ap", "auc_pr", "aucpr", "aupr", "auprc"),
    interval="hull",
    influence=_influence_of_average_precision,
    caution=_caution_of_average_precision,
    formula="Σₖ (Recₖ − Recₖ₋₁)·Precₖ",
    chance="π₀",
    source="[Siblini et al. 2020](https://doi.org/10.1007/978-3-030-44584-3_36)",
)
def average_precision(curve: ConfusionCurve) -> float:
    """Average precision, Σ (Rec_k - Rec_{k-1}) Prec_k: the AUC-PR of Siblini et al. (2020).

    Parameters
    ----------
    curve : ConfusionCurve

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


@ranking_metric(
    label="interpolated AUC-PR",
    formula="∫ Prec dRec; between vertices, FP is linear in TP",
    chance="π₀",
    source="[Davis & Goadrich 2006](https://doi.org/10.1145/1143844.1143874)",
)
def pr_auc(curve: ConfusionCurve) -> float:
    """Area under the precision-recall curve with exact interpolation in count space.

    Between two vertices FP grows linearly with TP (Davis & Goadrich, 2006, section 3.2).

    Parameters
    ----------
    curve : ConfusionCurve

    Returns
    -------
    float in (0, 1], 1 for a perfect ranking.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.pr_auc(curve.at_prior(0.1))
    0.599...
    """
    # The mean precision of a segment, s + (TP/p - s) log1p(x)/x, where s is the slope ΔTP/Δp, p is
    # TP + FP at its start and x = Δp/p, in a form that is accurate for any class ratio.
    tp, tp_end, fp, fp_end = curve.positive_steps
    d_tp = tp_end - tp
    d_predicted = d_tp + (fp_end - fp)
    mean = d_tp / d_predicted  # the slope, which is the precision from the origin or up to FP = 0
    rest = slice(max(int(fp[0] == 0), int(fp_end.searchsorted(0.0, side="right"))), None)
    predicted = tp[rest] + fp[rest]
    with np.errstate(over="ignore"):
        growth = np.minimum(d_predicted[rest] / predicted, np.finfo(np.float64).max)
    ratio = np.log1p(growth) / growth
    mean[rest] *= _one_minus(ratio, growth)
    mean[rest] += tp[rest] / predicted * ratio
    return min(_mean(mean, d_tp), 1.0)


@ranking_metric(
    label="achievable AUC-PR",
    formula="∫ Prec dRec of the ROC convex hull",
    chance="π₀",
    source="[Davis & Goadrich 2006](https://doi.org/10.1145/1143844.1143874)",
)
def achievable_pr_auc(curve: ConfusionCurve) -> float:
    """Area under the achievable precision-recall curve, which belongs to the ROC convex hull.

    Source: Davis & Goadrich (2006), Corollary 3.1.

    Parameters
    ----------
    curve : ConfusionCurve

    Returns
    -------
    float in (0, 1], at least `pr_auc`.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.achievable_pr_auc(curve.at_prior(0.1))
    0.698...
    """
    return pr_auc(curve.hull())


def _influence_of_prg_auc(curve: ConfusionCurve) -> tuple[FloatArray, FloatArray]:
    """Influence by the mean of q = max(TPR, π)^-2 over the negatives.

    The area is 1 - (E[q] - 1) / (2 λ) with λ = (1 - π) / π, where the expectation is over the TPR
    at the scores of the negatives. A tied negative is spread evenly over the TPR of its tie.
    """
    pi0, odds_against = curve.prior, curve.n_neg / curve.n_pos
    tpr, d_tpr, d_fpr = curve.tp / curve.n_pos, np.diff(curve.tp), np.diff(curve.fp)
    start, end, tied = tpr[:-1], tpr[1:], d_tpr > 0
    d_tpr, d_fpr = d_tpr / curve.n_pos, d_fpr / curve.n_neg
    low, high = np.maximum(start, pi0), np.maximum(end, pi0)
    width = np.where(tied, d_tpr, 1.0)
    below = np.maximum(np.minimum(end, pi0) - start, 0.0)
    mean = np.where(tied, (below / pi0**2 + (high - low) / (low * high)) / width, high**-2.0)
    by_start = np.where(tied, (mean - low**-2.0) / width, 0.0) * d_fpr
    by_end = d_fpr * np.where(
        tied, (high**-2.0 - mean) / width, np.where(end >= pi0, -2.0 * high**-3.0, 0.0)
    )
    after = np.append(_from_here_on(by_start)[1:], 0.0)
    pos = -(after + _from_here_on(by_end)) / (2.0 * odds_against)
    return pos, -mean / (2.0 * odds_against)


def _why_no_interval_of_gain(curve: ConfusionCurve, n_pos: float) -> str | None:
    """Reason to withhold: with few positives below recall π₀, no tested method is valid.

    Simulated intervals covered as little as 73 % with one such positive, and 87 % with two if the
    prior was estimated, since its error moves that recall, too.
    """
    needed = 2 if curve.prior_is_known else 8
    if n_pos * curve.prior >= needed * (1 - 1e-9):
        return None
    return (
        f"AUC-PR Gain starts at recall pi0={curve.prior:.4g}; at least {needed} positives up to "
        f"there are needed, n_pos * pi0 >= {needed}, got n_pos={n_pos:.6g}"
    )


@ranking_metric(
    label="AUC-PR Gain",
    synonyms=("pr_gain_auc", "auc_pr_gain", "pr_gain", "auprg"),
    range=(-math.inf, 1.0),
    interval="hull",
    influence=_influence_of_prg_auc,
    why_withheld=_why_no_interval_of_gain,
    formula="∫ PrecG dRecG, with gain(x) = (x − π₀) / ((1 − π₀)·x)",
    chance="0",
    source="Flach & Kull 2015",
)
def prg_auc(curve: ConfusionCurve) -> float:
    """Area under the precision-recall-gain curve over recall gains from 0 to 1.

    Negative precision gains reduce the area. Source: Flach & Kull, "Precision-Recall-Gain Curves:
    PR Analysis Done Right", NIPS 2015.

    Parameters
    ----------
    curve : ConfusionCurve

    Returns
    -------
    float in (-inf, 1], 1 for a perfect ranking, 0 for constant scores.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
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


def _influence_of_roc_auc(curve: ConfusionCurve) -> tuple[FloatArray, FloatArray]:
    """Share of the negatives below a positive, and of the positives above a negative.

    DeLong, DeLong & Clarke-Pearson, Biometrics 1988, doi:10.2307/2531595. Ties count half.
    """
    middle_tp, middle_fp = ((counts[1:] + counts[:-1]) / 2 for counts in (curve.tp, curve.fp))
    return 1 - middle_fp / curve.n_neg, middle_tp / curve.n_pos


@ranking_metric(
    label="AUC-ROC",
    synonyms=("auc", "auroc", "auc_roc", "rocauc", "c_statistic", "c_index"),
    interval="hull",
    influence=_influence_of_roc_auc,
    caution=lambda weight: (0.0, 1.0),  # it has no bias,
    is_prior_free=True,
    formula="∫ TPR dFPR",
    chance="0.5",
    source="[Hanley & McNeil 1982](https://doi.org/10.1148/radiology.143.1.7063747)",
)
def roc_auc(curve: ConfusionCurve) -> float:
    """Area under the ROC curve. Ties count half. The value is the same at every prior.

    Parameters
    ----------
    curve : ConfusionCurve

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


@ranking_metric(
    label="AUC-PR at recall {min_recall:g} to {max_recall:g}",
    formula="mean Prec for min_recall ≤ Rec ≤ max_recall",
    chance="π₀",
    source="[Saito & Rehmsmeier 2017](https://doi.org/10.1093/bioinformatics/btw570)",
)
def partial_average_precision(
    curve: ConfusionCurve, min_recall: float = 0.0, max_recall: float = 1.0
) -> float:
    """Average precision over a range of recall: the mean of precision over this range.

    Precision at a recall between two vertices is that of the vertex with the greater recall.
    Source: Saito & Rehmsmeier, Bioinformatics 2017, doi:10.1093/bioinformatics/btw570.

    Parameters
    ----------
    curve : ConfusionCurve
    min_recall : float, default=0.0
        Start of the range of recall, at least 0.
    max_recall : float, default=1.0
        End of the range, above `min_recall` and at most 1.

    Returns
    -------
    float in (0, 1], 1 for a perfect ranking; the prior for constant scores.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.partial_average_precision(curve.at_prior(0.1), min_recall=0.5)
    0.25
    """
    low = _numbers.real_number("min_recall", min_recall)
    high = _numbers.real_number("max_recall", max_recall)
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


@ranking_metric(
    label="AUC-ROC at FPR ≤ {max_fpr:g}",
    is_prior_free=True,
    formula="(1 + (A − m²/2) / (m − m²/2)) / 2; A is the area up to FPR m = max_fpr",
    chance="0.5",
    source="[McClish 1989](https://doi.org/10.1177/0272989X8900900307)",
)
def partial_roc_auc(curve: ConfusionCurve, max_fpr: float) -> float:
    """Standardised area under the ROC curve up to a false positive rate, as in scikit-learn.

    It is (1 + (A - m²/2) / (m - m²/2)) / 2, A being the area up to the rate m; the same at every
    prior. Source: McClish, Medical Decision Making 1989, doi:10.1177/0272989X8900900307.

    Parameters
    ----------
    curve : ConfusionCurve
    max_fpr : float in (0, 1]
        Greatest false positive rate m. For 1 the value is that of `roc_auc`.

    Returns
    -------
    float in [0, 1], 1 for a perfect ranking, 0.5 for constant scores.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.partial_roc_auc(curve, max_fpr=0.5)
    0.777...
    """
    max_fpr = _numbers.share("max_fpr", max_fpr)
    fpr, tpr = spaces.roc(curve)
    return 1.0 - _integral(fpr, 1.0 - tpr, max_fpr) / (max_fpr * (2.0 - max_fpr))


def _integral(x: FloatArray, y: FloatArray, end: float) -> float:
    """∫ y dx from x[0] to `end`, with straight lines between the vertices; x must not descend."""
    after = int(x.searchsorted(end))
    share = (end - x[after - 1]) / (x[after] - x[after - 1])
    heights = np.append(y[:after], y[after - 1] + share * (y[after] - y[after - 1]))
    widths = np.diff(np.append(x[:after], end))
    return float((widths * (heights[1:] + heights[:-1])).sum()) / 2


def _from_here_on(values: FloatArray) -> FloatArray:
    """Sum of each value and of all after it."""
    sums: FloatArray = np.cumsum(values[::-1])[::-1]
    return sums


def _mean(values: FloatArray, weights: FloatArray) -> float:
    """Weighted mean, at most the largest value: both sums round in the same order."""
    largest = weights.max()
    if largest < 1:  # products with small values could underflow; a power of 2 rounds nothing
        weights = np.ldexp(weights, -np.frexp(largest)[1])
    return float((weights * values).sum() / weights.sum())


def _one_minus(ratio: FloatArray, x: FloatArray) -> FloatArray:
    """1 - ratio to full relative accuracy, for the ratio log(1 + x) / x of x > 0.

    The difference cancels for small x; there log1p(x) = 2 artanh(z) with z = x / (2 + x).
    """
    difference = 1.0 - ratio
    small = np.flatnonzero(x < 0.2)
    x = x.take(small)
    z = x / (2.0 + x)
    z2 = z * z
    series = np.full_like(x, 1.0 / 19)
    for odd in range(17, 1, -2):
        series *= z2
        series += 1.0 / odd
    difference[small] = z - 2.0 * z2 * series / (2.0 + x)
    return difference
