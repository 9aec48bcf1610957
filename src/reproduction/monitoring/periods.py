"""Metrics in several periods and on bootstrap draws of them: bands, trends and their tests."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from calibrated_metrics.confusion import ConfusionCurve
from reproduction.fraud.draws import resample
from reproduction.core.metrics import Metric, thresholds_of, values_of


class Trend(NamedTuple):
    """The trend of a metric over equally spaced periods.

    Attributes
    ----------
    mean : float
        Mean of the values of the periods.
    slope, low, high : float
        Least-squares slope per period, with the percentile interval of the draws.
    p_value : float
        Two-sided p-value of the slope under random permutations of the periods.
    verdict : {"falls", "rises", "flat"}
        "flat" unless two tests reject at the confidence level. The interval of the slope must
        exclude 0; it accounts for sampling within the periods. The permutation test must reject a
        constant mean; it accounts for the variation between periods.
    """

    mean: float
    slope: float
    low: float
    high: float
    p_value: float
    verdict: str


@dataclass(frozen=True, eq=False)
class Periods:
    """Metrics in each period, and on bootstrap draws of each period.

    Attributes
    ----------
    metrics : list of Metric
    value : ndarray of shape (n_periods, n_metrics)
    draws : ndarray of shape (n_draws, n_periods, n_metrics)
        The same draws for all metrics, so that differences of two metrics are paired.
    """

    metrics: list[Metric]
    value: np.ndarray
    draws: np.ndarray

    def bands(self, level: float) -> tuple[np.ndarray, np.ndarray]:
        """Return quantiles of the draws of each period: two arrays (n_periods, n_metrics)."""
        low, high = np.quantile(self.draws, _tails(level), axis=0)
        return low, high

    def trends(
        self, level: float, rng: np.random.Generator, *, n_permutations: int = 9_999
    ) -> list[Trend]:
        """Return the trend of each metric over the periods, in the order of `metrics`.

        The random permutations of the periods are the same for all metrics. The p-value is at least
        1 / (n_permutations + 1).

        Raises
        ------
        ValueError
            If there are too few periods for the permutation test to reject at this level: 5 are
            needed at 0.95.
        """
        n_periods = len(self.value)
        if 2 / math.factorial(n_periods) > 1 - level:
            raise ValueError(f"{n_periods} periods are too few for a trend at the level {level}")
        orders = rng.permuted(np.tile(np.arange(n_periods), (n_permutations, 1)), axis=1)
        of_values, of_draws = _slopes(self.value), _slopes(self.draws)
        trends = []
        for column, values in enumerate(self.value.T):
            slope = float(of_values[column])
            low, high = np.quantile(of_draws[:, column], _tails(level)).tolist()
            p_value = _p_value(slope, values, orders)
            verdict = "rises" if slope > 0 else "falls"
            if p_value > 1 - level or low <= 0 <= high:
                verdict = "flat"
            trends.append(Trend(float(values.mean()), slope, low, high, p_value, verdict))
        return trends


def resample_periods(
    curves: Mapping[Any, ConfusionCurve],
    metrics: Sequence[Metric],
    *,
    n_draws: int,
    generators: Sequence[np.random.Generator],
) -> Periods:
    """Measure metrics in each period and on stratified bootstrap draws of it.

    Each period has its own generator. The bands are percentile bands: bootstrap draws contain ties,
    so the bands of average precision lie too high if positives are few.
    """
    values = np.array([_values(metrics, curve) for curve in curves.values()])
    thresholds = thresholds_of(metrics)
    draws = np.empty((n_draws, *values.shape))
    for place, (curve, rng) in enumerate(zip(curves.values(), generators, strict=True)):
        for draw in draws:
            draw[place] = _values(metrics, resample(curve, rng, thresholds=thresholds))
    return Periods(list(metrics), values, draws)


def _values(metrics: Sequence[Metric], curve: ConfusionCurve) -> list[float]:
    values = values_of(metrics, curve)
    return [values[metric.key] for metric in metrics]


def _tails(level: float) -> list[float]:
    return [(1 - level) / 2, (1 + level) / 2]


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
