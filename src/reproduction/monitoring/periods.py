"""Trends of metrics over periods."""

import numpy as np
import pandas as pd

from reproduction.core.findings import WORTH_NAMING

_LEVEL = 0.05  # of the permutation test
_FEWEST_PERIODS = 5  # with 4, no permutation is rare enough for p <= 0.05
_N_PERMUTATIONS = 9_999


def trends(estimates: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
    """Trend of each metric over periods.

    `estimates`, of shape (3, n_periods, n_metrics), are values and the limits of their 95 %
    intervals. A period without an interval has a place among the others, but no part in the trend.

    `slope` is the least-squares slope per period, from `low` to `high` its 95 % interval: the
    periods are independent, so the squares of the shifts to each limit are added (MOVER; Zou &
    Donner 2008, doi:10.1002/sim.3095). `p_value` is its two-sided p-value under random permutations
    of the periods. The `verdict` is "falls" or "rises" if two tests reject: the interval of the
    slope must exclude 0, which accounts for sampling within the periods, and the permutation test
    must reject a constant mean, which accounts for the variation between periods. It is "flat" if
    the interval excludes a change by `WORTH_NAMING` over all periods, and by 5 % of the mean;
    otherwise "no trend found". Fewer than 5 periods have no verdict.
    """
    places = np.flatnonzero(np.isfinite(estimates).all(axis=(0, 2)))
    values, *limits = estimates[:, places]
    n_periods = len(places)
    mean = values.mean(axis=0) if n_periods else np.full(estimates.shape[2], np.nan)
    if n_periods < _FEWEST_PERIODS:
        unknown = dict.fromkeys(("slope", "low", "high", "p_value"), np.nan)
        return pd.DataFrame({"mean": mean, **unknown, "verdict": "too few periods"})
    centred = places - places.mean()
    weights = (centred / (centred**2).sum())[:, None]
    slopes = _slopes(values, weights)
    shifts = weights * (np.array(limits) - values)
    low = slopes - np.sqrt((shifts.min(axis=0) ** 2).sum(axis=0))
    high = slopes + np.sqrt((shifts.max(axis=0) ** 2).sum(axis=0))
    orders = rng.permuted(np.tile(np.arange(n_periods), (_N_PERMUTATIONS, 1)), axis=1)
    # Despite rounding, the observed order must count as at least as steep as itself.
    as_steep = np.abs(_slopes(values[orders], weights)) >= np.abs(slopes) * (1 - 1e-9)
    p_value = (1 + as_steep.sum(axis=0)) / (1 + _N_PERMUTATIONS)
    is_trend = (p_value <= _LEVEL) & ((low > 0) | (high < 0))
    room = np.maximum(-low, high) * np.ptp(places)
    is_flat = room < np.minimum(WORTH_NAMING, 0.05 * np.abs(mean))
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


def _slopes(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Slopes of shape (..., n_metrics) of values (..., n_periods, n_metrics)."""
    # Differences from the first period give a constant metric a slope of exactly 0.
    return (weights * (values - values[..., :1, :])).sum(axis=-2)
