"""Interval of any other metric of a ranking: the hull, with the standard errors of bootstrap draws.

Percentile intervals are not offered: draws contain ties, which doubles the bias of an estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calibrated_metrics._checks import ROUNDING, FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.draws import Draws, RowsOfSteps, ValuesOf, draw_values
from calibrated_metrics.uncertainty.estimate import Estimate, Scale, Settings, withheld
from calibrated_metrics.uncertainty.hull import hull_of, with_half_rows
from calibrated_metrics.uncertainty.units import Linear, linearise

__all__ = [
    "Drawn",
    "bootstrap",
    "draws_at_priors",
    "linear_of_ranking",
    "points_of_draws",
    "values_at_priors",
]


class Drawn(NamedTuple):
    """A value, and its values on draws of the rows, from which its error is estimated."""

    value: float
    draws: FloatArray

    @property
    def standard_error(self) -> float:
        return float(self.draws.std(ddof=1))


def bootstrap(
    metric: Metric, curves: Sequence[ConfusionCurve], settings: Settings
) -> list[Estimate]:
    """Intervals of a metric of one sample at several priors, from the same draws."""
    level, estimates = settings.confidence_level, []
    try:
        points, df, remarks = points_of_draws(metric, curves, settings)
    except ValueError as error:
        reason = str(error)
        return [withheld(metric.value(curve), level, "bootstrap", reason) for curve in curves]
    for curve, (own, half) in zip(curves, points, strict=True):
        limits = hull_of([own, half], df, Scale(*metric.scale(curve)), level)
        numbers, doubts = (own.value, *limits, own.standard_error), _without_spread(own, half)
        estimates.append(Estimate(*numbers, level, "bootstrap", None, remarks + doubts))
    return estimates


def points_of_draws(
    metric: Metric, curves: Sequence[ConfusionCurve], settings: Settings
) -> tuple[list[tuple[Drawn, Drawn]], float, tuple[str, ...]]:
    """At each prior, the metric with and without half a row more; degrees of freedom; remarks."""
    ranking = linear_of_ranking(curves[0])
    halves = [with_half_rows(curve, ranking.excess)[0] for curve in curves]
    values = [
        (metric.value(curve), metric.value(half))
        for curve, half in zip(curves, halves, strict=True)
    ]
    drawn = draws_at_priors(metric, curves, halves[0], settings)
    points = [
        (Drawn(own, drawn.own[:, place]), Drawn(half, drawn.other[:, place]))
        for place, (own, half) in enumerate(values)
    ]
    return points, ranking.df, drawn.remarks


def draws_at_priors(
    metric: Metric, curves: Sequence[ConfusionCurve], half: ConfusionCurve, settings: Settings
) -> Draws:
    """Values of draws at the prior of each curve of one sample."""
    own, with_added = curves[0].rows, half.rows
    assert own is not None
    assert with_added is not None
    prior_varies = not all(curve.prior_is_known for curve in curves)
    values_of = values_at_priors(metric, curves, half)
    return draw_values(own, with_added, values_of, settings, prior_varies=prior_varies)


def values_at_priors(
    metric: Metric, curves: Sequence[ConfusionCurve], half: ConfusionCurve
) -> ValuesOf:
    """A function from a draw of the rows of `half` to its values at the prior of each curve.

    If that is not known, the prior of the draw is used.
    """
    rows = RowsOfSteps(half)

    def value_of(drawn: ConfusionCurve, curve: ConfusionCurve) -> float:
        return metric.value(drawn.at_prior(curve.prior) if curve.prior_is_known else drawn)

    return lambda times, added: np.array(
        [[value_of(drawn, curve) for curve in curves] for drawn in rows.curves(times, added)]
    )


def linear_of_ranking(curve: ConfusionCurve) -> Linear:
    """Average precision at the prior of the rows; its errors show how informative the rows are."""
    return linearise(Metric("average_precision"), curve._unweighted)


def _without_spread(own: Drawn, half: Drawn) -> tuple[str, ...]:
    if max(own.standard_error, half.standard_error) > ROUNDING * abs(own.value):
        return ()
    return (
        f"the value {own.value:.4g} is the same for all draws of the rows, so its error cannot be "
        "estimated",
    )
