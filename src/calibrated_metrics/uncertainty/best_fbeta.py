"""Interval of the best F-beta: the hull, with a lower limit corrected for the choice of threshold.

A maximum over thresholds is biased upwards. The lower limit is reduced by the bias that bootstrap
draws show.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.bootstrap import Points, is_least, points_of_draws, raised
from calibrated_metrics.uncertainty.estimate import Limits, Measured, Scale, Settings, t_quantile
from calibrated_metrics.uncertainty.hull import hull_of

__all__ = ["best_fbeta"]


def best_fbeta(
    metric: Metric, curves: Sequence[ConfusionCurve], settings: Settings
) -> list[Measured]:
    """The best F-beta of one sample at several priors, from the same draws."""
    found = []
    limits: Limits
    for curve, points in zip(curves, points_of_draws(metric, curves, settings), strict=True):
        scale = Scale(*metric._scale(curve), *metric.facts.range)
        limits, alone = (
            partial(_limits, points, scale),
            partial(hull_of, (points.own,), points.df, scale),
        )
        if is_least(points.own.value, points.draws):
            limits = raised(limits, metric, curve, scale)
        found.append(
            Measured(*points.own, limits, "best_fbeta", remarks=points.remarks, own_limits=alone)
        )
    return found


def _limits(points: Points, scale: Scale, level: float) -> tuple[float, float]:
    low, high = hull_of((points.own, points.half), points.df, scale, level)
    # Perfect draws have no finite logit; draws with half rows are not perfect.
    draws, centre = scale.forward(points.draws[:, 1]), float(scale.forward(points.half.value))
    finite = draws[np.isfinite(draws)]
    if len(finite) < 2:
        return scale.low, high
    bias = max(float(finite.mean()) - centre, 0.0)
    reach = bias + t_quantile(level, points.df) * float(finite.std(ddof=1))
    return min(low, float(scale.inverse(centre - reach))), high
