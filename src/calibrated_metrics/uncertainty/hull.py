"""The hull: the smallest interval that contains several intervals on the logit scale.

One is the t interval around the estimate. The others are about values after rows are added that
contradict the model. Otherwise a perfect ranking would have no error, and rare errors that the
sample missed would be ignored. The variance comes from the influence function (DeLong et al. 1988,
doi:10.2307/2531595, for AUC-ROC). See docs/methods/intervals.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.rows import Rows
from calibrated_metrics.scores.metric import Data, Metric
from calibrated_metrics.uncertainty.estimate import Limits, Measured, Scale, Settings, t_quantile
from calibrated_metrics.uncertainty.units import Linear, Point, linearise, n_of_classes

__all__ = [
    "HALF",
    "HIGHEST",
    "MISSED",
    "caution_of",
    "hull",
    "hull_of",
    "like",
    "limits_of_ranking",
    "rows_at_the_ends",
    "with_half_rows",
]

HALF, MISSED = 0.5, 2.0  # rows
_TWO = 2.0  # standard errors
_BEYOND = 1.5  # distances of the upper limit from the value
_SIDES: Any = "left", "right"
HIGHEST = float(np.finfo(np.float64).max)


def hull(metric: Metric, data: Sequence[Data], settings: Settings) -> list[Measured]:
    """A metric of one sample at several priors: of curves or of matrices."""
    found, is_mean_loss = [], metric.facts.loss is not None
    if not is_mean_loss:  # of the scores of all rows
        data = [each._collapsed() for each in data]
    worse: dict[float, list[Any]] = {}  # curves with added rows, which are sorted once
    for each in data:
        own, scale = linearise(metric, each), Scale(*metric._scale(each), *metric.facts.range)
        is_inside = scale.low < own.value < scale.high
        is_audit = each.rows.is_audit
        limits: Limits
        doubts: tuple[str, ...] = ()
        if is_mean_loss or is_audit or isinstance(each, ConfusionMatrix):
            halves = with_half_rows(each, own.excess)
            if is_mean_loss or not is_inside:  # at the lower end, rows against it change nothing
                halves.append(rows_at_the_ends(each, own.excess)(HALF, -1))
            more = [linearise(metric, half).point for half in halves]
            limits = partial(hull_of, (own.point, *more), own.df, scale)
        elif is_inside:
            if own.excess not in worse:
                with_more = rows_at_the_ends(data[0], own.excess)
                worse[own.excess] = [with_more(number, 1) for number in (HALF, MISSED)]
            against = [metric._value(like(one, each)) for one in worse[own.excess]]
            limits = limits_of_ranking(own, against, caution_of(metric, each), scale)
            doubts = _doubts_of_successes(own.value, limits, float(n_of_classes(each.rows)[0]))
        else:
            end = 1 if own.value == scale.high else -1
            limits = partial(_limits_without_errors, metric, each, own.value, end, own.excess)
        error = math.inf if math.isinf(own.value) else own.point.standard_error
        own_limits = partial(hull_of, (own.point,), own.df, scale)
        found.append(
            Measured(own.value, error, limits, "hull", remarks=doubts, own_limits=own_limits)
        )
    return found


def like(drawn: Any, data: Any) -> Any:
    """Rows that were drawn or added, at the prior of the data if that is known."""
    return drawn.at_prior(data.prior) if data.prior_is_known else drawn


def _limits_without_errors(
    metric: Metric, data: Any, value: float, end: int, excess: float, level: float
) -> tuple[float, float]:
    """Limits of a ranking without any error, or with nothing else.

    Of a class of n rows, a share of 1 - ((1 - level) / 2)^(1 / n) may be at the wrong end: with
    this probability a sample has none of them. The limit is the worse value of both classes. For
    AUC-ROC, it is the exact limit.
    """
    n, values = n_of_classes(data.rows), [value]
    with_more = rows_at_the_ends(data, excess)
    for missed in n * np.diag(((1 - level) / 2) ** (-1 / n) - 1):
        values.append(metric._value(like(with_more(missed, end), data)))
    return min(values), max(values)


def _doubts_of_successes(value: float, limits: Limits, n_pos: float) -> tuple[str, ...]:
    """A remark if a mean over the positives rises far beyond its limit by two more at the top.

    If 3 to 10 % of 20 to 100 positives were above all negatives, and the others like negatives,
    simulated 95 % intervals covered 78 to 96 %, and nearly all that missed have this remark.
    """
    rise = (1 - value) * MISSED / (n_pos + MISSED)
    if rise <= _BEYOND * (limits(0.95)[1] - value):
        return ()
    return (
        f"two more positives above all other rows would raise the value by about {rise:.2g}: if "
        "the sample missed such positives, the upper limit is too low",
    )


def limits_of_ranking(
    own: Linear, against: Sequence[float], caution: Sequence[float], scale: Scale
) -> Limits:
    """The t interval, with a lower limit that allows for rows that the sample missed.

    `against` are the values with few and with many rows added, such as `HALF` a row and `MISSED`
    rows of each class that contradict the model. Few rows correct the bias of small samples: half
    of their effect is added to the standard error. Many rows are those that a sample may miss by
    chance: half of their effect is the least error. `caution` is the part of either effect that
    counts. These numbers were chosen by simulation, see docs/methods/coverage.md.
    """
    centre, up = float(scale.forward(own.value)), own.standard_error * scale.slope(own.value)
    moves = [max(centre - float(scale.forward(each)), 0.0) for each in against]
    few, many = (part * move / _TWO for part, move in zip(caution, moves, strict=True))
    down, df = max(up + few, many), own.df

    def limits(level: float) -> tuple[float, float]:
        t = t_quantile(level, df)
        return float(scale.inverse(centre - t * down)), float(scale.inverse(centre + t * up))

    return limits


def caution_of(metric: Metric, curve: ConfusionCurve) -> tuple[float, float]:
    """How much of the effects of added rows counts, by the weight of a negative of this curve."""
    if metric.facts.caution is None:
        return 1.0, 1.0
    n_pos, n_neg = n_of_classes(curve.rows)
    return metric.facts.caution(float(curve.n_neg / n_neg / (curve.n_pos / n_pos)))


def hull_of(points: Sequence[Point], df: float, scale: Scale, level: float) -> tuple[float, float]:
    """Limits that contain the t interval of each value."""
    t = t_quantile(level, df)
    limits = [scale.limits(each.value, t * each.standard_error) for each in points]
    return min(low for low, _ in limits), max(high for _, high in limits)


def with_half_rows(data: Any, excess: float) -> list[Any]:
    """The data with half an effective row of each class added, against and for the model.

    Rows that agree with the model are needed only for a matrix, which without true positives would
    have no error. `excess` is the design effect of clusters: half a cluster with this number of
    equal rows is added.
    """
    if data.rows.fraction is not None:
        return [data._of_rows(each) for each in _audits_with_half_rows(data.rows)]
    is_in_strata = data.rows.error_strata is not None
    ends = (1, -1) if isinstance(data, ConfusionMatrix) and not is_in_strata else (1,)
    with_more = rows_at_the_ends(data, excess)
    return [with_more(HALF, end) for end in ends]


def rows_at_the_ends(data: Any, excess: float = 1.0) -> Callable[[float | FloatArray, int], Any]:
    """A function that adds a number of rows to the data, of one class or of each, at an end.

    Negatives are added at the end, the top for 1, and positives at the other. Each row is in a
    cluster of its own, and weighs as much as `excess` typical rows, since clusters of equal rows
    are one row that weighs as much. In strata, it is like the heaviest row of its class, because a
    segment whose few rows stand for many may hide errors like these.
    """
    sample: Rows = data.rows
    like = np.array([np.argmax(sample.positive), np.argmin(sample.positive)])
    weight = None
    if sample.error_strata is not None:
        like = _heaviest_rows(sample)
    elif sample.weight is not None:
        is_matrix = isinstance(data, ConfusionMatrix)
        score = data._has_alert.astype(np.float64) if is_matrix else sample.score
        typical = _typical_weights(sample.positive, score, sample.weight)
        weight = excess * np.array(typical, np.float64)
    elif excess > 1:
        weight = excess * np.array(sample.class_weight)

    def with_more(number: float | FloatArray, end: int) -> Any:
        scores, numbers = end * np.array([-HIGHEST, HIGHEST]), np.broadcast_to(number, 2)
        more = sample.with_rows(like, np.array([True, False]), scores, numbers, weight)
        return data._of_more_rows(more)

    return with_more


def _heaviest_rows(sample: Rows) -> Any:
    """A row as heavy as the heaviest positive, and one as the heaviest negative.

    A stratum of random rows without positives may have missed one, which weighs as much as its
    negatives. Of equal rows, they are in the first of their strata.
    """
    assert sample.error_strata is not None
    stratum = sample.error_strata.code
    by_weight, like = np.lexsort((stratum, -sample.row_weight)), []
    for of_class in (sample.positive, ~sample.positive):
        has = np.bincount(stratum, of_class) > 0
        could_be = of_class if sample.fixes_prior else of_class | ~has[stratum]
        like.append(by_weight[np.argmax(could_be[by_weight])])
    return np.array(like)


def _typical_weights(positive: Any, score: FloatArray, weight: FloatArray) -> list[float]:
    """Weight of a positive and of a negative that the sample missed.

    It is the Σw² / Σw of the class. If the rows of a class weigh as much as those of the other
    class with similar scores, missed rows may weigh more, up to the Σw² / Σw of both classes. So a
    line is fitted to the weights of both.
    """
    unit = weight.max()  # squares of very small or large weights are lost
    weight, found = weight / unit, []
    of_both = (weight * weight).sum() / weight.sum()
    by_score = np.lexsort((weight, score))
    by_class = by_score[positive[by_score]], by_score[~positive[by_score]]
    similar_of_row = np.empty(len(weight))
    for rows, other_rows in (by_class, by_class[::-1]):
        others, score_of_others = weight[other_rows], score[other_rows]
        places = [np.searchsorted(score_of_others, score[rows], s) for s in _SIDES]
        # The rows with the same score, or the rows below and above.
        is_tied = places[0] < places[1]
        near = np.clip([places[0] - ~is_tied, places[1] - is_tied], 0, len(others) - 1)
        similar_of_row[rows] = np.clip(weight[rows], *np.sort(others[near], axis=0))
    for of_class in (positive, ~positive):
        own, similar = weight[of_class], similar_of_row[of_class]
        moves = similar - similar.mean()
        slope = (moves * own).sum() / (moves * moves).sum() if moves.any() else 1.0
        line = own.mean() + slope * (of_both - similar.mean())
        found.append(max((own * own).sum() / own.sum(), min(line, of_both)) * unit)
    return found


def _audits_with_half_rows(sample: Rows) -> list[Rows]:
    """The rows with half a row added against the model, and with half a positive removed.

    The added rows are a negative above each stratum, since strata are narrow, and a positive in the
    middle of the heaviest stratum. The heaviest positive may have been drawn by chance; without
    half of it, the recall of the others is higher. No rows are added to strata that were fully
    drawn.
    """
    assert sample.fraction is not None
    assert sample.strata is not None
    unknown = sample.row_weight * (1 - sample.fraction)
    by_score = np.argsort(sample.score, kind="stable")
    _, last = np.unique(sample.strata.code[by_score[::-1]], return_index=True)
    tops = by_score[::-1][last]
    heaviest = by_score[unknown[by_score] == unknown.max()]
    middle = heaviest[len(heaviest) // 2]
    more = sample.with_rows(
        np.append(tops, middle),
        positive=np.arange(len(tops) + 1) == len(tops),
        score=np.append(np.nextafter(sample.score[tops], np.inf), sample.score[middle]),
        number=HALF * (1 - sample.fraction[np.append(tops, middle)]),
    )
    number, rare = sample.counts.copy(), np.argmax(np.where(sample.positive, unknown, -1.0))
    number[rare] -= HALF * (1 - sample.fraction[rare])
    return [more, replace(sample, number=number)]
