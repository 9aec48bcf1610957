"""Metrics of several periods on bootstrap draws, with bands, trends and tests."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from calibrated_metrics.confusion import ConfusionCurve
from reproduction.core.findings import WORTH_NAMING
from reproduction.core.metrics import Metric, values_of
from reproduction.fraud.draws import resample

_LEVEL = 0.95
_FEWEST_PERIODS = 5  # with 4, no permutation is rare enough for p <= 0.05
_N_PERMUTATIONS = 9_999


def measured(metrics: Sequence[Metric], curves: Sequence[ConfusionCurve]) -> np.ndarray:
    """Values of shape (n_periods, n_metrics)."""
    return np.array([list(values_of(metrics, curve).values()) for curve in curves])


def resampled(
    metrics: Sequence[Metric],
    curves: Sequence[ConfusionCurve],
    generators: Sequence[np.random.Generator],
    n_draws: int,
) -> np.ndarray:
    """Values of shape (n_draws, n_periods, n_metrics) on stratified bootstrap draws of each period.

    All metrics are measured on the same draws, so that differences of two metrics are paired. They
    are metrics of a curve.
    """
    of_periods = [
        measured(metrics, [resample(curve, rng) for _ in range(n_draws)])
        for curve, rng in zip(curves, generators, strict=True)
    ]
    return np.stack(of_periods, axis=1)


def band(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Percentile band of the draws, along the first axis.

    Bootstrap draws contain ties, so the band of average precision is too high if there are few
    positives.
    """
    low, high = np.quantile(draws, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2], axis=0)
    return low, high


def trends(
    values: np.ndarray, draws: np.ndarray, places: np.ndarray, rng: np.random.Generator
) -> pd.DataFrame:
    """Trend of each metric over periods at some places, from its values and those of the draws.

    `slope` is the least-squares slope per period, from `low` to `high` its percentile interval of
    the draws, and `p_value` its two-sided p-value under random permutations of the periods. The
    `verdict` is "falls" or "rises" if two tests reject: the interval of the slope must exclude 0,
    which accounts for sampling within the periods, and the permutation test must reject a constant
    mean, which accounts for the variation between periods. It is "flat" if the interval excludes a
    change by `WORTH_NAMING` over all periods, otherwise "no trend found". Fewer than 5 periods have
    no verdict.
    """
    mean = [of_metric.mean() for of_metric in values.T]
    n_periods = len(values)
    if n_periods < _FEWEST_PERIODS:
        unknown = dict.fromkeys(("slope", "low", "high", "p_value"), np.nan)
        return pd.DataFrame({"mean": mean, **unknown, "verdict": "too few periods"})
    slopes = _slopes(values, places)
    low, high = band(_slopes(draws, places))
    orders = rng.permuted(np.tile(np.arange(n_periods), (_N_PERMUTATIONS, 1)), axis=1)
    # Despite rounding, the observed order must count as at least as steep as itself.
    as_steep = np.abs(_slopes(values[orders], places)) >= np.abs(slopes) * (1 - 1e-9)
    p_value = (1 + as_steep.sum(axis=0)) / (1 + _N_PERMUTATIONS)
    is_trend = (p_value <= 1 - _LEVEL) & ((low > 0) | (high < 0))
    is_flat = np.maximum(-low, high) * np.ptp(places) < WORTH_NAMING
    conditions = [is_trend & (slopes < 0), is_trend, is_flat]
    return pd.DataFrame(
        {
            "mean": mean,
            "slope": slopes,
            "low": low,
            "high": high,
            "p_value": p_value,
            "verdict": np.select(conditions, ["falls", "rises", "flat"], "no trend found"),
        }
    )


def _slopes(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Least-squares slopes of shape (..., n_metrics) of values (..., n_periods, n_metrics)."""
    centred = places - places.mean()
    # Differences from the first period give a constant metric a slope of exactly 0.
    changes = values - values[..., :1, :]
    return (centred[:, None] * changes).sum(axis=-2) / (centred**2).sum()
