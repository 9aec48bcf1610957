"""Lowest and highest value of a score over all orders of the rows within the cells of a curve."""

from __future__ import annotations

import math

import numpy as np

from calibrated_metrics import scores
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._intervals.asked import Asked
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.sample import Sample

__all__ = ["extremes"]

Bounds = tuple[float, float]

# A score is here if it is monotone; `calibrated_metrics.tables.bounds` says why.
_OF_A_CURVE = {
    scores.achievable_pr_auc,
    scores.average_precision,
    scores.best_fbeta,
    scores.partial_average_precision,
    scores.partial_gains_auc,
    scores.partial_roc_auc,
    scores.pr_auc,
    scores.precision_at_recall,
    scores.precision_at_top,
    scores.prg_auc,
    scores.recall_at_precision,
    scores.recall_at_top,
    scores.roc_auc,
}
_OF_A_MATRIX = {
    scores.accuracy,
    scores.balanced_accuracy,
    scores.cohen_kappa,
    scores.fbeta,
    scores.matthews_corrcoef,
    scores.negative_likelihood_ratio,
    scores.net_benefit,
    scores.npv,
    scores.positive_likelihood_ratio,
    scores.precision,
    scores.recall,
    scores.specificity,
}
_LEAST_REACHED = {scores.precision_at_recall: "recall", scores.recall_at_precision: "precision"}
"""Option of a score that jumps where a vertex reaches this value."""


def extremes(asked: Asked, curve: ConfusionCurve) -> Bounds:
    """Lowest and highest value at the prior of the curve, widened by the rounding errors."""
    source = curve.sample
    if source is None or not source.is_binned:
        raise ValueError(
            "curve must be built from counts, by tables.curves or ConfusionCurve.from_counts, got "
            f"{curve!r}"
        )
    if asked.function in _OF_A_MATRIX:
        low, high = _of_matrix(asked, curve, _error_of_counts(source))
    elif asked.function in _OF_A_CURVE:
        low, high = _of_curve(asked, curve, source)
    else:
        known = sorted(function.__name__ for function in _OF_A_CURVE | _OF_A_MATRIX)
        raise ValueError(
            f"score must be known to be monotone, got {asked.name!r}; bounds exist for {known}"
        )
    least, greatest = asked.bounds
    return max(low, least), min(high, greatest)


_EPSILON = float(np.finfo(np.float64).eps)
_ERROR = 64 * _EPSILON  # of a few operations and of pairwise sums


def _error_of_counts(source: Sample) -> float:
    """Bound of the relative rounding error of cumulative weights; whole numbers have none."""
    assert source.number is not None
    if np.array_equal(source.number, np.rint(source.number)):
        return 0.0
    return 4 * _EPSILON * len(source.number)


def _widened(low: float, high: float, error: float) -> Bounds:
    if math.isfinite(low):
        low -= error * (1 + abs(low))
    return low, high + error * (1 + abs(high))


# ------------------------------------------------------------------------------- of a ranking


def _of_curve(asked: Asked, curve: ConfusionCurve, source: Sample) -> Bounds:
    asked.value_of(curve)  # raises for options outside their range
    error = _ERROR + _error_of_counts(source)
    positives_first, negatives_first = _staircases(curve)
    loose, strict = dict(asked.options), dict(asked.options)
    if option := _LEAST_REACHED.get(asked.function):
        least = asked.options[option]
        loose[option], strict[option] = least * (1 - error), min(least * (1 + error), 1.0)
    high = float(asked.function(positives_first, **loose))
    if asked.function in (scores.average_precision, scores.partial_average_precision):
        low = _lowest_average_precision(
            negatives_first, source.without_errors is None, **asked.options
        )
    else:
        low = float(asked.function(negatives_first, **strict))
    return _widened(low, high, error * _sensitivity(asked, curve))


def _staircases(curve: ConfusionCurve) -> tuple[ConfusionCurve, ConfusionCurve]:
    """The curves on which each cell has all its positives first, or all its negatives."""
    tp, fp = np.repeat(curve.tp, 2), np.repeat(curve.fp, 2)
    unknown = np.full(len(tp) - 1, np.nan)
    return ConfusionCurve(unknown, tp[1:], fp[:-1]), ConfusionCurve(unknown, tp[:-1], fp[1:])


def _sensitivity(asked: Asked, curve: ConfusionCurve) -> float:
    """Largest ratio of the error of a score to the relative error of counts, where above 1."""
    if asked.function is scores.recall_at_top:
        return 1 + curve.n_neg / curve.n_pos
    if asked.function is scores.partial_average_precision:
        width = asked.options.get("max_recall", 1.0) - asked.options.get("min_recall", 0.0)
        return 1 / float(width)
    return 1.0


def _lowest_average_precision(
    negatives_first: ConfusionCurve,
    unit_positives: bool,
    min_recall: float = 0.0,
    max_recall: float = 1.0,
) -> float:
    """Average precision if no positives are tied.

    A positive of weight w after TP adds w (TP + w) / (TP + w + FP), which is at least the integral
    of x / (x + FP) from TP to TP + w and approaches it for small weights.
    """
    start, end, fp, _ = negatives_first.positive_steps
    n_pos = negatives_first.n_pos
    limits = float(min_recall * n_pos), float(max_recall * n_pos)
    from_, to = np.clip(start, *limits), np.clip(end, *limits)
    areas = _integral(from_, to, fp)
    if unit_positives:
        # x / (x + FP) is concave, so its value at a whole number is at least its mean within 1/2.
        whole = (from_ == start) & (to == end)
        areas[whole] = _integral(start[whole] + 0.5, end[whole] + 0.5, fp[whole])
        few = end - start <= _FEW
        areas[few] = _sum_over_positives(start[few], end[few], fp[few], limits)
    return float(areas.sum() / (limits[1] - limits[0]))


_FEW = 32  # positives of a cell that are added one by one


def _integral(start: FloatArray, end: FloatArray, fp: FloatArray) -> FloatArray:
    """∫ x / (x + fp) dx from start to end."""
    width, first = end - start, start + fp
    growth = np.divide(width, first, out=np.zeros_like(width), where=first > 0)
    return width - fp * np.log1p(growth)


def _sum_over_positives(
    start: FloatArray, end: FloatArray, fp: FloatArray, limits: tuple[float, float]
) -> FloatArray:
    """Σ x / (x + fp) over the whole numbers x from start + 1 to end, or the part within limits."""
    total = np.zeros_like(start)
    for count in range(_FEW):
        x = start + count + 1
        share = np.clip(x, *limits) - np.clip(x - 1, *limits)
        total += np.where(x <= end, share * (x / (x + fp)), 0.0)
    return total


# ------------------------------------------------------------------------------ of a decision


def _of_matrix(asked: Asked, curve: ConfusionCurve, error: float) -> Bounds:
    """Bounds at a threshold: exact at the edge of a cell, otherwise none or all of a cell."""
    assert curve.sample is not None
    threshold, edges = asked.required_threshold, np.unique(curve.sample.score)[::-1]
    without = with_cell = curve.confusion_matrix(threshold)
    lower_edge = int(np.searchsorted(-edges, -threshold))
    if lower_edge < len(edges):
        with_cell = curve.confusion_matrix(edges[lower_edge])
    best = ConfusionMatrix(with_cell.tp, without.fp, with_cell.fn, without.tn)
    worst = ConfusionMatrix(without.tp, with_cell.fp, without.fn, with_cell.tn)
    if error:
        best, worst = _shifted(best, error), _shifted(worst, -error)
    low, high = sorted(float(asked(each)) for each in (best, worst))
    return _widened(low, high, _ERROR)


def _shifted(matrix: ConfusionMatrix, better_by: float) -> ConfusionMatrix:
    """The matrix with a share of both classes moved, except where a count is none or all."""
    n_pos, n_neg = float(matrix.n_pos), float(matrix.n_neg)
    tp, fp = matrix.tp, matrix.fp
    if 0 < tp < n_pos:
        tp = min(max(tp + better_by * n_pos, 0.0), n_pos)
    if 0 < fp < n_neg:
        fp = min(max(fp - better_by * n_neg, 0.0), n_neg)
    return ConfusionMatrix(tp, fp, n_pos - tp, n_neg - fp)
