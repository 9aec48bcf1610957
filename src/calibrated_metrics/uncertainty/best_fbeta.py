"""Interval of the best F-beta: the hull, with a lower limit corrected for the choice of threshold.

A maximum over thresholds is biased upwards. The lower limit is reduced by the bias that bootstrap
draws show.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.bootstrap import Drawn, points_of_draws
from calibrated_metrics.uncertainty.estimate import Estimate, Scale, Settings, t_quantile
from calibrated_metrics.uncertainty.hull import hull_of

__all__ = ["best_fbeta"]


def best_fbeta(
    metric: Metric, curves: Sequence[ConfusionCurve], settings: Settings
) -> list[Estimate]:
    """Intervals of the best F-beta of one sample at several priors, from the same draws."""
    level, estimates = settings.confidence_level, []
    points, df, remarks = points_of_draws(metric, curves, settings)
    for curve, (own, half) in zip(curves, points, strict=True):
        scale = Scale(*metric.scale(curve))
        low, high = hull_of([own, half], df, scale, level)
        low = min(low, _lower_limit(half, df, scale, level))
        error = own.standard_error
        estimates.append(Estimate(own.value, low, high, error, level, "best_fbeta", None, remarks))
    return estimates


def _lower_limit(half: Drawn, df: float, scale: Scale, level: float) -> float:
    # Perfect draws have no finite logit; draws with half rows are not perfect.
    on_scale, centre = scale.forward(half.draws), float(scale.forward(half.value))
    finite = on_scale[np.isfinite(on_scale)]
    if len(finite) < 2:
        return scale.low
    bias = max(float(finite.mean()) - centre, 0.0)
    reach = bias + t_quantile(level, df) * float(finite.std(ddof=1))
    return float(scale.inverse(centre - reach))
