"""Lowest and highest value of a metric over all orders of the rows within the cells of a curve."""

from __future__ import annotations

import math

import numpy as np

from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.sample import Sample
from calibrated_metrics.scores.facts import registered_scores
from calibrated_metrics.scores.metric import Metric, MetricLike

__all__ = ["bounds"]

_EPSILON = float(np.finfo(np.float64).eps)
_ERROR = 64 * _EPSILON  # bound for a few operations and pairwise sums


def bounds(
    metric: MetricLike, curve: ConfusionCurve, *, pi0: float | None = None
) -> tuple[float, float]:
    """Return the lowest and highest value of a metric that the ties of a curve allow.

    If scores were rounded, the rows of a cell are tied on the curve, and their order is unknown.
    The value of the rows lies within the bounds, whatever their order and ties in each cell.
    ``docs/methods/bounds.md`` has the proof.

    Parameters
    ----------
    metric : str, callable or Metric
        A metric of the library that is known to be monotone in ties. A metric of a decision needs a
        threshold.
    curve : ConfusionCurve
        Built by `curves` or `ConfusionCurve.from_counts`. Each threshold is the lower edge of a
        cell, which extends to just below the next threshold.
    pi0 : float in (0, 1), default=None
        Reference prior. None: that of the curve.

    Returns
    -------
    low, high : float
        The bounds, widened by the largest possible rounding error.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, tables
    >>> curve = ConfusionCurve.from_counts([0.1, 0.5, 0.9], pos=[1, 2, 4], neg=[90, 5, 1])
    >>> tables.bounds("roc_auc", curve)
    (0.833..., 0.988...)
    """
    metric = Metric(metric, pi0)
    if not isinstance(curve, ConfusionCurve):
        raise TypeError(f"curve must be a ConfusionCurve, got {curve!r}")
    sample = curve.sample
    if sample is None or not sample.is_binned:
        raise ValueError(f"curve must be built by tables.curves or from_counts, got {curve!r}")
    if not metric.facts.monotone_in_ties:
        known = [name for name, each in registered_scores().items() if each.monotone_in_ties]
        raise ValueError(f"metric must be one of {sorted(known)}, got {metric.name!r}")
    curve = curve if metric.pi0 is None else curve.at_prior(metric.pi0)
    of_data = _of_matrix if metric.of_matrix else _of_curve
    low, high = of_data(metric.at(None), curve, sample)
    least, greatest = metric.facts.range
    return max(low, least), min(high, greatest)


def _error_of_counts(sample: Sample) -> float:
    """Bound of the relative rounding error of cumulative counts; 0 for whole numbers."""
    if sample.design.weight is None and np.array_equal(sample.counts, np.rint(sample.counts)):
        return 0.0
    return 4 * _EPSILON * len(sample.score)


def _widened(low: float, high: float, error: float) -> tuple[float, float]:
    if math.isfinite(low):
        low -= error * (1 + abs(low))
    return low, high + error * (1 + abs(high))


def _of_curve(metric: Metric, curve: ConfusionCurve, sample: Sample) -> tuple[float, float]:
    metric.value(curve)  # raises for options outside their range
    facts, error = metric.facts, _ERROR + _error_of_counts(sample)
    positives_first, negatives_first = _staircases(curve)
    loose = strict = metric
    if facts.jumps_at is not None:
        least = metric.options[facts.jumps_at]
        loose = Metric(metric, **{facts.jumps_at: least * (1 - error)})
        strict = Metric(metric, **{facts.jumps_at: min(least * (1 + error), 1.0)})
    high = loose.value(positives_first)
    if facts.least_untied is not None:
        of_rows = sample.design.weight is None and sample.without_errors is None
        low = facts.least_untied(negatives_first, of_rows=of_rows, **metric.options)
    else:
        low = strict.value(negatives_first)
    if facts.error_growth is not None:
        error *= facts.error_growth(curve, **metric.options)
    return _widened(low, high, error)


def _staircases(curve: ConfusionCurve) -> tuple[ConfusionCurve, ConfusionCurve]:
    """The curves on which each cell has all its positives first, or all its negatives.

    On both curves, a row of the positives has the weight 1.
    """
    of_positives, of_negatives = curve.class_weight
    tp = np.repeat(curve.counted.tp, 2)
    fp = np.repeat(curve.counted.fp * (of_negatives / of_positives), 2)
    unknown = np.full(len(tp) - 1, np.nan)
    return ConfusionCurve(unknown, tp[1:], fp[:-1]), ConfusionCurve(unknown, tp[:-1], fp[1:])


def _of_matrix(metric: Metric, curve: ConfusionCurve, sample: Sample) -> tuple[float, float]:
    """Bounds at a threshold: exact at the edge of a cell, else without or with the whole cell.

    All four outcomes are sums, so their relative errors are those of the counts.
    """
    threshold, edges = metric.required_threshold, np.unique(sample.score)[::-1]
    without = with_cell = curve.confusion_matrix(threshold)
    lower_edge = int(np.searchsorted(-edges, -threshold))
    if lower_edge < len(edges):
        with_cell = curve.confusion_matrix(edges[lower_edge])
    best = ConfusionMatrix(tp=with_cell.tp, fp=without.fp, fn=with_cell.fn, tn=without.tn)
    worst = ConfusionMatrix(tp=without.tp, fp=with_cell.fp, fn=without.fn, tn=with_cell.tn)
    low, high = sorted(metric.value(each) for each in (best, worst))
    return _widened(low, high, _ERROR + _error_of_counts(sample))
