"""Interval of any other metric of a ranking: the hull, with the standard errors of bootstrap draws.

Percentile intervals are not offered: draws contain ties, which doubles the bias of an estimate.

A value that no draw lowers, such as a recall of 0, has no error in draws. Its upper limit is the
value with added rows that agree with the model, which the sample may lack by chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from calibrated_metrics._numbers import ROUNDING, FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.rows import Rows
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.draws import RowsOfSteps, RowsToDraw, defined_values
from calibrated_metrics.uncertainty.estimate import (
    Limits,
    Measured,
    Scale,
    Settings,
    t_quantile,
)
from calibrated_metrics.uncertainty.hull import hull_of, like, rows_at_the_ends, with_half_rows
from calibrated_metrics.uncertainty.units import Linear, Point, linearise

__all__ = [
    "bootstrap",
    "draw_values",
    "draws_at_priors",
    "is_least",
    "linear_of_ranking",
    "points_of_draws",
    "raised",
    "rise_by_missed_rows",
]


class Points(NamedTuple):
    """A metric without and with half a row more of each class, with errors of draws.

    `draws` has the shape (n_draws, 2), for the rows and for those with half a row more.
    """

    own: Point
    half: Point
    draws: FloatArray
    df: float
    remarks: tuple[str, ...]


def bootstrap(
    metric: Metric, curves: Sequence[ConfusionCurve], settings: Settings
) -> list[Measured]:
    """A metric of one sample at several priors, from the same draws."""
    try:
        points = points_of_draws(metric, curves, settings)
    except ValueError as error:
        reason = str(error)
        return [Measured.withheld(metric._value(curve), "bootstrap", reason) for curve in curves]
    found = []
    limits: Limits
    for curve, (own, half, draws, df, remarks) in zip(curves, points, strict=True):
        scale = Scale(*metric._scale(curve), *metric.facts.range)
        limits, alone = (partial(hull_of, each, df, scale) for each in ((own, half), (own,)))
        if metric.facts.jumps:
            limits, alone = (
                partial(_percentiles, own.value, each, df, scale) for each in (draws, draws[:, :1])
            )
        tiny = ROUNDING * abs(own.value)
        if is_least(own.value, draws) and (
            rise_by_missed_rows(metric, curve, settings.confidence_level) > tiny
        ):
            limits = raised(limits, metric, curve, scale)
        elif max(own.standard_error, half.standard_error) <= tiny:
            remarks += (
                f"the value {own.value:.4g} is the same for all draws of the rows, so its error "
                "cannot be estimated",
            )
        found.append(Measured(*own, limits, "bootstrap", remarks=remarks, own_limits=alone))
    return found


def _percentiles(
    value: float, draws: FloatArray, df: float, scale: Scale, level: float
) -> tuple[float, float]:
    """Limits that contain the percentiles of each column of draws, and the value.

    The tails are those of the normal distribution beyond a quantile of Student's t.
    """
    tail = float(ndtr(-t_quantile(level, df)))
    if tail * (len(draws) + 1) < 1:  # the draws do not reach so far
        return scale.low, scale.high
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0, method="weibull")
    return min(low.min(), value), max(high.max(), value)


def is_least(value: float, draws: FloatArray) -> bool:
    """Whether no draw of the rows has a lower value, such as of a recall of 0."""
    return bool(draws[:, 0].min() >= value - ROUNDING * abs(value))


def raised(limits: Limits, metric: Metric, curve: ConfusionCurve, scale: Scale) -> Limits:
    """The limits with the rise by rows that the sample missed."""

    def with_rise(level: float) -> tuple[float, float]:
        low, high = limits(level)
        return low, min(high + rise_by_missed_rows(metric, curve, level), scale.high)

    return with_rise


def rise_by_missed_rows(metric: Metric, curve: ConfusionCurve, level: float) -> float:
    """Rise of the value by rows that a sample misses with a probability of (1 - level) / 2.

    That is a Poisson number of rows with the mean -log((1 - level) / 2).
    """
    number, excess = -math.log((1 - level) / 2), linear_of_ranking(curve).excess
    more = rows_at_the_ends(curve, excess)(number, -1)
    return max(metric._value(more.at_prior(curve.prior)) - metric._value(curve), 0.0)


def points_of_draws(
    metric: Metric, curves: Sequence[ConfusionCurve], settings: Settings
) -> list[Points]:
    """The metric at the prior of each curve of one sample, from the same draws."""
    ranking = linear_of_ranking(curves[0])
    half = with_half_rows(curves[0], ranking.excess)[0]
    values = [(metric._value(curve), metric._value(like(half, curve))) for curve in curves]
    draws, remarks = draws_at_priors(metric, curves, half, settings)
    found = []
    for place, (own, of_half) in enumerate(values):
        drawn = draws[:, :, place]
        points = Point.of_draws(own, drawn[:, 0]), Point.of_draws(of_half, drawn[:, 1])
        found.append(Points(*points, drawn, ranking.df, remarks))
    return found


def draws_at_priors(
    metric: Metric, curves: Sequence[ConfusionCurve], half: ConfusionCurve, settings: Settings
) -> tuple[FloatArray, tuple[str, ...]]:
    """Values of draws at the prior of each curve of one sample, and what to warn of.

    The values have the shape (n_draws, 2, n_priors): of the rows, and with those that `half` adds.
    If the prior is not known, that of the draw is used.
    """
    is_known = all(curve.prior_is_known for curve in curves)
    return draw_values(
        curves[0].rows,
        [half],
        lambda drawn: [[metric._value(like(each, curve)) for curve in curves] for each in drawn[0]],
        settings,
        prior_varies=not is_known,
    )


def draw_values(
    sample: Rows,
    curves: Sequence[ConfusionCurve],
    values_of: Callable[[list[tuple[ConfusionCurve, ConfusionCurve]]], Any],
    settings: Settings,
    *,
    prior_varies: bool,
) -> tuple[FloatArray, tuple[str, ...]]:
    """Values of draws of rows, and a remark on draws on which they are undefined.

    `curves` have the rows of `sample`, then added ones, which are drawn a Poisson number of times
    with the mean `number`. `values_of` takes two curves for each: of a draw, and with added rows.
    """
    n_own = len(sample.score)
    rows = RowsToDraw(sample, prior_varies, [each.rows.score[:n_own] for each in curves])
    rows_of_curves = [RowsOfSteps(curve) for curve in curves]
    means = curves[0].rows.counts[n_own:].tolist()

    def values_of_draw(generator: np.random.Generator) -> Any:
        times = rows.times(generator)
        added = [generator.poisson(mean) for mean in means]
        return values_of([each.curves(times, added) for each in rows_of_curves])

    return defined_values(values_of_draw, settings)


def linear_of_ranking(curve: ConfusionCurve) -> Linear:
    """Average precision at the prior of the rows; its errors show how informative the rows are."""
    return linearise(Metric("average_precision"), curve._unweighted)
