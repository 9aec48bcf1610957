"""Values of a score on random draws of the data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve

__all__ = ["values_of_draws"]


def values_of_draws(
    value_of: Callable[[ConfusionCurve], float],
    draw: Callable[[], ConfusionCurve],
    n_draws: int,
    source: str,
) -> tuple[FloatArray, tuple[str, ...]]:
    """Values of the draws, NaN where the metric is undefined, and a warning if there are some.

    Raises
    ------
    ValueError
        If the metric is undefined on more than half of the draws from `source`.
    """
    values = np.full(n_draws, np.nan)
    reason: ValueError | None = None
    for index in range(n_draws):
        try:
            values[index] = value_of(draw())
        except ValueError as error:  # the metric is defined on the data, but not on this draw
            reason = error
    n_undefined = int(np.isnan(values).sum())
    if n_undefined == 0:
        return values, ()
    message = f"the metric is undefined on {n_undefined} of {n_draws} draws, e.g. {reason}"
    if n_undefined > n_draws / 2 or n_draws - n_undefined < 2:
        raise ValueError(f"{source} has too little information about the metric: {message}")
    return values, (f"{message}; they are left out",)
