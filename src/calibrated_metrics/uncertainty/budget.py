"""Precision and recall with a budget per period, such as 50 alerts a day, with intervals.

Periods are the independent units: a value is a ratio of sums over periods, and its error is
computed by leaving out each period (jackknife). With few periods of unequal size, the ratio is
skewed. The interval is therefore the smallest one that contains three intervals: a t interval, a t
interval after half a hit and half a miss are added, and one corrected for skewness (Hall 1992,
doi:10.1111/j.2517-6161.1992.tb01876.x).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _columns, _labels, _numbers
from calibrated_metrics._arguments import plain_calls
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.codes import Codes
from calibrated_metrics.uncertainty.estimate import Estimate, Scale, t_quantile, warn_of, withheld
from calibrated_metrics.uncertainty.hull import hull_of
from calibrated_metrics.uncertainty.units import Point

__all__ = ["precision_recall_at_top"]

_LARGEST_SHARE = 0.9  # largest share of one period, so that the error without it is finite
_SKEWED_FROM = 10  # hits and misses; with fewer, half a hit and half a miss suffice
_FEWEST_SIMULATED = 5  # periods


@plain_calls(
    **dict.fromkeys(
        ("sample_weight", "clusters", "strata"), "rows are counted; the periods are the clusters"
    )
)
def precision_recall_at_top(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int,
    by: ArrayLike,
    pos_label: Any = 1,
    confidence_level: float = 0.95,
) -> tuple[Estimate, Estimate]:
    """Estimate precision and recall of the top k of each period, such as 50 alerts a day.

    Precision is the share of true alerts among the alerts of all periods. Recall is the share of
    all positives that are among the alerts. Both are at the priors of the periods. If scores are
    tied at the limit, the number of true alerts is its expected value over all orders of the ties.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_rows,)
        Binary labels of any type, and finite scores.
    k : int >= 1
        Number of alerts per period. In a period with fewer rows, each row is an alert.
    by : array-like of shape (n_rows,)
        Labels of the periods, such as dates, not times or days of the month. Rows of a period may
        depend on each other; periods must be independent. A period without rows is ignored.
    pos_label : scalar, default=1
        The label of the positives.
    confidence_level : float in (0, 1), default=0.95
        Nominal probability that the interval contains the value over infinitely many such periods.

    Returns
    -------
    precision, recall : Estimate
        Values in [0, 1]. An interval is withheld if only one period has alerts, or positives.
        ``docs/methods/coverage.md`` has the measured coverage. It was not measured for fewer than 5
        periods, for which there is an `IntervalWarning`.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrated_metrics.uncertainty import precision_recall_at_top
    >>> rng = np.random.default_rng(0)
    >>> day = np.repeat(np.arange(20), rng.integers(500, 3000, 20))
    >>> fraud = rng.random(len(day)) < 0.01
    >>> score = rng.normal(2.5 * fraud)
    >>> precision, recall = precision_recall_at_top(fraud, score, k=50, by=day)
    >>> precision
    Estimate(0.243, 95 % interval 0.1949 to 0.296, ratio over periods)
    >>> recall
    Estimate(0.655, 95 % interval 0.595 to 0.7049, ratio over periods)
    """
    _columns.same_index(y_true=y_true, y_score=y_score, by=by)
    k = _numbers.integer_at_least("k", k, 1)
    level = _numbers.level("confidence_level", confidence_level)
    labels, score = _columns.vector("y_true", y_true), _numbers.finite_vector("y_score", y_score)
    period = _columns.unit_labels("by", by)
    _columns.same_length(y_true=labels, y_score=score, by=period)
    hits, alerts, positives = _counts(
        _labels.is_positive(labels, pos_label), score, Codes.of("by", period).code, k
    )
    precision = _ratio(hits, alerts, level, "alerts")
    recall = _ratio(hits, positives, level, "positives")
    remarks = [*precision.remarks, *recall.remarks]
    n_short, n = int((alerts < k).sum()), len(alerts)
    if 2 * n_short > n:  # such as if `by` holds times of day
        remarks.append(f"{n_short} of {n} periods have fewer than k={k} rows, all of them alerts")
    warn_of(remarks)
    return precision, recall


def _counts(
    positive: NDArray[np.bool_], score: FloatArray, period: NDArray[np.intp], k: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Expected true alerts, alerts, and positives of each period."""
    order = np.lexsort((-score, period))
    positive, score, period = positive[order], score[order], period[order]
    n_rows = np.bincount(period).astype(np.float64)
    is_first = np.append(True, (np.diff(period) != 0) | (np.diff(score) != 0))
    first = np.flatnonzero(is_first)  # row of each group of ties
    period_of_group, size = period[first], np.diff(np.append(first, len(score)))
    n_above = first - (np.cumsum(n_rows) - n_rows)[period_of_group]  # rows of the period
    share = np.clip(k - n_above, 0, size) / size
    hits = np.bincount(period_of_group, share * np.add.reduceat(positive * 1.0, first))
    positives = np.bincount(period, positive * 1.0)
    return hits.astype(float), np.minimum(n_rows, k), positives.astype(float)


def _ratio(hits: FloatArray, of: FloatArray, level: float, name: str) -> Estimate:
    """A ratio of sums over periods with its interval."""
    value, method, n = float(hits.sum() / of.sum()), "ratio over periods", len(of)
    if np.count_nonzero(of) < 2:
        reason = f"all {name} are in one period, but at least two periods are needed"
        return withheld(value, level, method, reason)
    df, scale = of.sum() ** 2 / (of**2).sum() - 1, Scale(0.0, 1.0)
    errors = _errors_without_each(hits, of)
    error = float(np.linalg.norm(errors))
    more_hits, more = np.append(hits, [0.5, 0]), np.append(of, [0.5, 0.5])
    more_error = float(np.linalg.norm(_errors_without_each(more_hits, more)))
    points = Point(value, error), Point(float(more_hits.sum() / more.sum()), more_error)
    low, high = hull_of(points, df, scale, level)
    if error > 0 and min(hits.sum(), (of - hits).sum()) >= _SKEWED_FROM:
        t = t_quantile(level, df)
        down, up = (max(_skewed(t, way * errors), 0.0) * error for way in (1, -1))
        low, high = min(low, scale.limits(value, down)[0]), max(high, scale.limits(value, up)[1])
    few = f"{n} periods: the coverage was measured only for {_FEWEST_SIMULATED} or more periods"
    remarks = (few,) if n < _FEWEST_SIMULATED else ()
    return Estimate(value, low, high, error, level, method, remarks=remarks)


def _errors_without_each(hits: FloatArray, of: FloatArray) -> FloatArray:
    """Changes of the ratio if each period is left out; the variance is the sum of their squares."""
    share = np.minimum(of / of.sum(), _LARGEST_SHARE)
    errors: FloatArray = (hits - hits.sum() / of.sum() * of) / of.sum() / (1 - share)
    return errors * math.sqrt((len(of) - 1) / len(of))


def _skewed(t: float, errors: FloatArray) -> float:
    """The quantile that Hall's cubic transformation maps to t."""
    skewness = float((errors**3).mean() / (errors**2).mean() ** 1.5) / math.sqrt(len(errors))
    if abs(skewness) < 1e-9:
        return t
    return 3 / skewness * (math.cbrt(1 + skewness * (t - skewness / 6)) - 1)
