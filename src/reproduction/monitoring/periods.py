"""Metrics of several periods on bootstrap draws: bands, trends and their tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calibrated_metrics.confusion import ConfusionCurve
from reproduction.core.metrics import Metric, thresholds_of, values_of
from reproduction.fraud.draws import resample

__all__ = ["Trend", "band", "measured", "resampled", "trends"]


class Trend(NamedTuple):
    """The trend of a metric over equally spaced periods.

    `slope` is the least-squares slope per period, from `low` to `high` its percentile interval of
    the draws, and `p_value` its two-sided p-value under random permutations of the periods. The
    verdict is "flat" unless two tests reject at the confidence level. The interval of the slope
    must exclude 0; it accounts for sampling within the periods. The permutation test must reject a
    constant mean; it accounts for the variation between periods.
    """

    mean: float
    slope: float
    low: float
    high: float
    p_value: float
    verdict: str  # "falls", "rises" or "flat"


def measured(metrics: Sequence[Metric], curves: Sequence[ConfusionCurve]) -> np.ndarray:
    """Values of shape (n_periods, n_metrics)."""
    values = [values_of(metrics, curve) for curve in curves]
    return np.array([[each[metric.key] for metric in metrics] for each in values])


def resampled(
    metrics: Sequence[Metric],
    curves: Sequence[ConfusionCurve],
    generators: Sequence[np.random.Generator],
    n_draws: int,
) -> np.ndarray:
    """Values of shape (n_draws, n_periods, n_metrics) on stratified bootstrap draws of each period.

    All metrics are measured on the same draws, so that differences of two metrics are paired.
    """
    thresholds = thresholds_of(metrics)
    of_periods = [
        measured(metrics, [resample(curve, rng, thresholds=thresholds) for _ in range(n_draws)])
        for curve, rng in zip(curves, generators, strict=True)
    ]
    return np.stack(of_periods, axis=1)


def band(draws: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Quantiles of the draws: two arrays without the first axis.

    These are percentile bands: bootstrap draws contain ties, so the bands of average precision lie
    too high if positives are few.
    """
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


def trends(
    values: np.ndarray,
    draws: np.ndarray,
    level: float,
    rng: np.random.Generator,
    *,
    n_permutations: int = 9_999,
) -> list[Trend]:
    """Trend of each metric over the periods, from its values and those of the draws.

    The random permutations of the periods are the same for all metrics. The p-value is at least
    1 / (n_permutations + 1).

    Raises
    ------
    ValueError
        If there are too few periods for the permutation test to reject at this level: 5 are needed
        at 0.95.
    """
    n_periods = len(values)
    if 2 / math.factorial(n_periods) > 1 - level:
        raise ValueError(f"{n_periods} periods are too few for a trend at the level {level}")
    orders = rng.permuted(np.tile(np.arange(n_periods), (n_permutations, 1)), axis=1)
    limits = zip(*band(_slopes(draws), level), strict=True)
    found = []
    for of_metric, slope, (low, high) in zip(values.T, _slopes(values), limits, strict=True):
        p_value = _p_value(slope, of_metric, orders)
        verdict = "rises" if slope > 0 else "falls"
        if p_value > 1 - level or low <= 0 <= high:
            verdict = "flat"
        found.append(Trend(of_metric.mean(), slope, low, high, p_value, verdict))
    return found


def _slopes(values: np.ndarray) -> np.ndarray:
    """Least-squares slopes of shape (..., n_metrics) of values (..., n_periods, n_metrics)."""
    n_periods = values.shape[-2]
    centred = np.arange(n_periods) - (n_periods - 1) / 2
    # Differences from the first period give a constant metric a slope of exactly 0.
    changes = values - values[..., :1, :]
    return (centred[:, None] * changes).sum(axis=-2) / (centred**2).sum()


def _p_value(slope: float, values: np.ndarray, orders: np.ndarray) -> float:
    slopes = _slopes(values[orders][..., None])
    # The observed order must count as at least as steep as itself, despite rounding.
    as_steep = int(np.count_nonzero(np.abs(slopes) >= abs(slope) * (1 - 1e-9)))
    return (1 + as_steep) / (1 + len(orders))
