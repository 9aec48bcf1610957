"""The column `pi0` of tables: the reference prior behind each value."""

from __future__ import annotations

import math

from reproduction.metrics import Metric, TimesPrior

__all__ = ["pi0_of"]


def pi0_of(metric: Metric, prior: float = math.nan) -> float:
    """Reference prior of a metric, for the column `pi0`, which follows the column of the metric.

    Parameters
    ----------
    metric : Metric
    prior : float in (0, 1), optional
        Prior of the data. A multiple of the prior has no number without it.

    Returns
    -------
    float
        NaN, an empty field in the table, for an ordinary metric or an unknown prior.
    """
    if metric.pi0 is None:
        return math.nan
    if isinstance(metric.pi0, TimesPrior):
        return math.nan if math.isnan(prior) else metric.pi0.at(prior)
    return float(metric.pi0)
