"""Values of a metric on draws."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._intervals.draws import values_of_draws
from calibrated_metrics._warnings import warn_the_caller
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores import UndefinedMetricWarning

__all__ = ["defined_values", "value_of"]


def value_of(
    score: Callable[[ConfusionCurve], float], pi0: float | None, curve: ConfusionCurve
) -> float:
    calibrated = curve if pi0 is None else curve.at_prior(pi0)
    return _checks.real_number("score(curve)", score(calibrated))


def defined_values(
    value_of: Callable[[ConfusionCurve], float],
    draw: Callable[[], ConfusionCurve],
    n_draws: int,
    name: str,
) -> FloatArray:
    """Values on the draws on which the metric is defined; warns about the others."""
    values, undefined = values_of_draws(value_of, draw, n_draws, name)
    for message in undefined:
        warn_the_caller(message, UndefinedMetricWarning)
    return values[~np.isnan(values)]
