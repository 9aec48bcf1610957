"""Pointwise limits of a curve: false positive rate and precision by recall, recall by this rate.

Two errors are added as squares on the scale of the logarithm of the rate (MOVER; Zou & Donner 2008,
doi:10.1002/sim.3095): the error of the threshold with this recall, which lies between two order
statistics of the positives, and the error of the rate at a threshold (Clopper-Pearson). The logit
of precision at a prior is a constant minus this logarithm, so the limits hold at every prior. The
error of an estimated prior is added in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.binomial import clopper_pearson
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.rows import Rows
from calibrated_metrics.spaces import false_positives_at
from calibrated_metrics.uncertainty.estimate import Scale, t_quantile
from calibrated_metrics.uncertainty.prior import own_prior_limits
from calibrated_metrics.uncertainty.units import Linear, contributions, n_of_classes

__all__ = ["fpr_limits_at_recall", "limits_at_recall", "recall_limits_at_fpr"]

_N_THRESHOLDS = 50  # at which errors of weighted or dependent rows are computed


def fpr_limits_at_recall(
    curve: ConfusionCurve, recall: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Limits of the population's false positive rate at each recall above 0.

    `level` is that at one recall.
    """
    fpr = _fpr_at(curve, recall)
    n_pos, n_neg = _numbers_at(curve, recall)
    margin = t_quantile(level) * np.sqrt(recall * (1 - recall) / n_pos) + 0.5 / n_pos
    half = 0.5 / n_neg  # a rate of 0 has no logarithm
    centre = np.log(np.maximum(fpr, half))
    by_negatives = clopper_pearson(fpr * n_neg, n_neg, (1 - level) / 2)
    # Above the first and below the last positive, the sample does not limit the threshold.
    stricter = np.where(recall > margin, _fpr_at(curve, recall - margin), 0.0)
    looser = np.where(recall + margin < 1, _fpr_at(curve, recall + margin), 1.0)
    with np.errstate(divide="ignore"):
        down = np.hypot(
            np.maximum(centre - np.log(stricter), 0.0), centre - np.log(by_negatives[0])
        )
        up = np.hypot(np.log(np.maximum(looser, half)) - centre, np.log(by_negatives[1]) - centre)
    return np.exp(centre - down), np.minimum(np.exp(centre + up), 1.0)


def recall_limits_at_fpr(
    curve: ConfusionCurve, fpr: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Limits of the population's recall at each false positive rate below 1.

    If the classes change places, these are limits of the rate 1 - recall at the recall 1 - FPR.
    """
    rows = curve.rows
    swapped = ConfusionCurve._from_rows(
        replace(rows, positive=~rows.positive, score=-rows.score, class_weight=(1.0, 1.0))
    )
    specificity = 1 - fpr
    low, high = fpr_limits_at_recall(swapped, specificity, level)
    return 1 - high, 1 - low


def limits_at_recall(
    curve: ConfusionCurve,
    recall: FloatArray,
    level: float,
    ordinate: Callable[[Any, Any, float], Any],
    scale: Scale,
) -> tuple[FloatArray, FloatArray]:
    """Limits of a quantity that is a function of recall, FPR and prior, monotone in each.

    Errors are added on the given scale.
    """
    ends = fpr_limits_at_recall(curve, recall, level)
    limits = np.sort([ordinate(recall, end, curve.prior) for end in ends], axis=0)
    if curve.prior_is_known:
        return limits[0], limits[1]
    possible = np.maximum(_fpr_at(curve, recall), 0.5 / _numbers_at(curve, recall)[1])  # as above
    centre = scale.forward(ordinate(recall, possible, curve.prior))
    priors = own_prior_limits(curve.rows, level)
    moved = np.sort([scale.forward(ordinate(recall, possible, each)) for each in priors], axis=0)
    down = np.hypot(centre - scale.forward(limits[0]), centre - moved[0])
    up = np.hypot(scale.forward(limits[1]) - centre, moved[1] - centre)
    return scale.inverse(centre - down), scale.inverse(centre + up)


def _fpr_at(curve: ConfusionCurve, recall: FloatArray) -> FloatArray:
    inside = np.clip(recall, np.finfo(np.float64).tiny, 1.0)
    return false_positives_at(curve, inside * curve.n_pos) / curve.n_neg


def _numbers_at(curve: ConfusionCurve, recall: FloatArray) -> FloatArray:
    """Effective numbers of positives and negatives: independent rows with the same errors.

    Returns an array of shape (2, 1), or (2, n_points) if rows are weighted or dependent.
    """
    sample = curve.rows
    if sample.is_plain:
        return n_of_classes(sample)[:, np.newaxis]
    vertices = np.unique(np.linspace(1, len(curve.thresholds) - 1, _N_THRESHOLDS).astype(int))
    numbers = np.array([_effective_numbers(sample, curve.thresholds[each]) for each in vertices])
    tpr = curve.tp[vertices] / curve.n_pos
    return np.array([_interpolated(recall, tpr, of_class) for of_class in numbers.T])


def _effective_numbers(sample: Rows, threshold: float) -> list[float]:
    """For each class, share × (1 - share) over the variance of the share of alerts."""
    alert, numbers = sample.has_alert(threshold), list[float]()
    for rows in (sample.positive, ~sample.positive):
        share = sample.weight_of(rows & alert) / sample.weight_of(rows)
        error = contributions(sample, (rows & alert).astype(np.float64))
        variance = Linear(share, error, sample).variance
        # With light alerts only, the effective number would exceed the number of rows.
        most = float(np.count_nonzero(rows))
        numbers.append(min(share * (1 - share) / variance, most) if variance > 0 else np.nan)
    return numbers


def _interpolated(recall: FloatArray, known: FloatArray, numbers: FloatArray) -> FloatArray:
    """Interpolate numbers between the recalls at which they are known; 1 if there are none."""
    has_error = np.isfinite(numbers)
    if not has_error.any():
        return np.ones(len(recall))
    return np.maximum(np.interp(recall, known[has_error], numbers[has_error]), 1.0)
