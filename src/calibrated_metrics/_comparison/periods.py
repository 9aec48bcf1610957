"""Trends of metrics over periods: slopes, their intervals and permutation tests."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray, RandomState
from calibrated_metrics._intervals.estimate import Estimate
from calibrated_metrics._intervals.limits import tails
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.registry import Metric, thresholds_of, values_of

__all__ = ["Periods", "Trend", "generators", "measured_periods", "named_periods"]

Orders = NDArray[np.intp]


class Trend(NamedTuple):
    """The trend of a metric over equally spaced periods.

    Attributes
    ----------
    mean : float
        Mean of the values of the periods.
    slope : uncertainty.Estimate
        Least-squares slope per period, with the percentile interval of the draws.
    p_value : float
        Two-sided p-value of the slope under random permutations of the periods.
    verdict : {"falls", "rises", "flat"}
        "flat" unless two tests reject at the confidence level. The interval of the slope must
        exclude 0; it accounts for sampling within the periods. The permutation test must reject a
        constant mean; it accounts for the variation between periods.
    """

    mean: float
    slope: Estimate
    p_value: float
    verdict: str


@dataclass(frozen=True, eq=False)
class Periods:
    """Metrics in each period, and on bootstrap draws of each period.

    Attributes
    ----------
    names : list
        Names of the periods, in their order.
    metrics : list of registry.Metric
    value : ndarray of shape (n_periods, n_metrics)
    draws : ndarray of shape (n_resamples, n_periods, n_metrics)
        The same draws for all metrics, so that differences of two metrics are paired.
    """

    names: list[object]
    metrics: list[Metric]
    value: FloatArray
    draws: FloatArray

    def bands(self, confidence_level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Return quantiles of the draws of each period: two arrays (n_periods, n_metrics)."""
        level = _checks.level("confidence_level", confidence_level)
        low, high = np.quantile(self.draws, tails(level), axis=0)
        return low, high

    def trends(
        self,
        *,
        confidence_level: float = 0.95,
        n_permutations: int = 9_999,
        rng: RandomState = None,
    ) -> list[Trend]:
        """Return the trend of each metric over the periods, in the order of `metrics`.

        Parameters
        ----------
        confidence_level : float in (0, 1), default=0.95
        n_permutations : int >= 1, default=9_999
            Random permutations of the periods. The p-value is at least 1 / (n_permutations + 1).
        rng : None, int or numpy.random.Generator, default=None
            Draws the permutations, which are the same for all metrics.

        Raises
        ------
        ValueError
            If there are too few periods for the permutation test to reject at this level: 5 are
            needed at 0.95.
        """
        level = _checks.level("confidence_level", confidence_level)
        n_permutations = _checks.integer_at_least("n_permutations", n_permutations, 1)
        n_periods = len(self.value)
        _checks.integer_at_least("number of periods", n_periods, _fewest_periods(level))
        orders = _checks.generator("rng", rng).permuted(
            np.tile(np.arange(n_periods), (n_permutations, 1)), axis=1
        )
        of_values, of_draws = _slopes(self.value), _slopes(self.draws)
        trends = []
        for column, values in enumerate(self.value.T):
            slope = Estimate.percentile(
                float(of_values[column]), of_draws[:, column], confidence_level=level
            )
            p_value = _p_value(float(of_values[column]), values, orders)
            verdict = _verdict(slope, p_value, level)
            trends.append(Trend(float(values.mean()), slope, p_value, verdict))
        return trends


def named_periods(periods: Any) -> Mapping[Any, Any]:
    """Periods by their names, which are 0, 1, 2, … in a sequence."""
    if isinstance(periods, Mapping):
        return periods
    if isinstance(periods, str) or not isinstance(periods, Iterable):
        raise TypeError(f"periods must be a mapping or a sequence, got {periods!r}")
    return dict(enumerate(periods))


def measured_periods(
    names: list[object],
    curves: list[ConfusionCurve],
    metrics: list[Metric],
    n_draws: int,
    generators: list[np.random.Generator],
) -> Periods:
    if not curves:
        raise ValueError("periods must not be empty")
    if not metrics:
        raise ValueError("metrics must name at least one score, got none")
    for name, curve in zip(names, curves, strict=True):
        if not isinstance(curve, ConfusionCurve):
            raise TypeError(f"periods must hold ConfusionCurves, got {curve!r} for {name!r}")
    values = np.array([_values(metrics, curve) for curve in curves])
    thresholds = thresholds_of(metrics)
    draws = np.empty((n_draws, *values.shape))
    for place, (curve, rng) in enumerate(zip(curves, generators, strict=True)):
        for draw in draws:
            draw[place] = _values(metrics, curve.resample(rng, thresholds=thresholds))
    return Periods(names, metrics, values, draws)


def _values(metrics: list[Metric], curve: ConfusionCurve) -> list[float]:
    values = values_of(metrics, curve)
    return [values[metric.key] for metric in metrics]


def generators(
    name: str, rng: RandomState | Sequence[RandomState], n_periods: int
) -> list[np.random.Generator]:
    """One generator per period: the same one, unless there is a sequence of them."""
    if isinstance(rng, str) or not isinstance(rng, Sequence):
        return [_checks.generator(name, rng)] * n_periods
    if len(rng) != n_periods:
        raise ValueError(f"{name} must have one element per period, {n_periods}, got {len(rng)}")
    return [_checks.generator(name, each) for each in rng]


def _fewest_periods(level: float) -> int:
    """Number of periods at which the steepest order of all, and its reverse, are significant."""
    n_periods = 2
    while 2 / math.factorial(n_periods) > 1 - level:
        n_periods += 1
    return n_periods


def _slopes(values: FloatArray) -> FloatArray:
    """Least-squares slopes of shape (..., n_metrics) of values (..., n_periods, n_metrics)."""
    n_periods = values.shape[-2]
    centred = np.arange(n_periods) - (n_periods - 1) / 2
    # Differences from the first period give a constant metric a slope of exactly 0.
    changes = values - values[..., :1, :]
    slopes: FloatArray = (centred[:, None] * changes).sum(axis=-2) / (centred**2).sum()
    return slopes


def _p_value(slope: float, values: FloatArray, orders: Orders) -> float:
    slopes = _slopes(values[orders][..., None])
    # The observed order must count as at least as steep as itself, despite rounding.
    as_steep = int(np.count_nonzero(np.abs(slopes) >= abs(slope) * (1 - 1e-9)))
    return (1 + as_steep) / (1 + len(orders))


def _verdict(slope: Estimate, p_value: float, level: float) -> str:
    if p_value > 1 - level or slope.low <= 0 <= slope.high:
        return "flat"
    return "falls" if slope.high < 0 else "rises"
