"""Limits of intervals as functions of the confidence level, independent of where data come from."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit, logit, ndtri, stdtrit

from calibrated_metrics._checks import FloatArray

__all__ = [
    "Arm",
    "DifferenceLimits",
    "LimitsAt",
    "NewcombeLimits",
    "NormalLimits",
    "PercentileLimits",
    "PriorLimits",
    "Rate",
    "Scale",
    "SquareAndAdd",
    "StackedLimits",
    "TLimits",
    "no_limits",
    "quantile",
    "wilson",
]

Pair: TypeAlias = tuple[float, float]
LimitsAt: TypeAlias = Callable[[float], Pair]


def quantile(level: float, df: float = math.inf) -> float:
    """Two-sided quantile of Student's t, of the normal distribution if `df` is infinite."""
    tail = (1 + level) / 2
    return float(ndtri(tail) if math.isinf(df) else stdtrit(df, tail))


def tails(level: float) -> FloatArray:
    return np.array([(1 - level) / 2, (1 + level) / 2])


def no_limits(level: float) -> Pair:
    return math.nan, math.nan


@dataclass(frozen=True, eq=False)
class NormalLimits:
    value: float
    standard_error: float
    bounds: Pair

    def __call__(self, level: float) -> Pair:
        with np.errstate(over="ignore"):
            limits = np.clip(self.value + self.standard_error * ndtri(tails(level)), *self.bounds)
        return float(limits[0]), float(limits[1])


@dataclass(frozen=True, eq=False)
class PercentileLimits:
    draws: FloatArray

    def __call__(self, level: float) -> Pair:
        limits = np.quantile(self.draws, tails(level))
        return float(limits[0]), float(limits[1])


@dataclass(frozen=True)
class Scale:
    """A transformation of an interval of numbers to the real line.

    The logit for two finite bounds, a logarithm for one, the identity for none.
    """

    low: float
    high: float

    def forward(self, value: Any) -> Any:
        with np.errstate(divide="ignore"):
            if math.isfinite(self.low) and math.isfinite(self.high):
                return logit((value - self.low) / (self.high - self.low))
            if math.isfinite(self.high):
                return -np.log(self.high - value)
            return np.log(value - self.low) if math.isfinite(self.low) else value

    def inverse(self, transformed: float) -> float:
        with np.errstate(over="ignore"):
            return self._inverse(transformed)

    def _inverse(self, transformed: float) -> float:
        if math.isfinite(self.low) and math.isfinite(self.high):
            return float(self.low + (self.high - self.low) * expit(transformed))
        if math.isfinite(self.high):
            return float(self.high - np.exp(-transformed))
        return float(self.low + np.exp(transformed) if math.isfinite(self.low) else transformed)

    def slope(self, value: float) -> float:
        """Derivative of `forward`."""
        if math.isfinite(self.low) and math.isfinite(self.high):
            return (self.high - self.low) / ((value - self.low) * (self.high - value))
        if math.isfinite(self.high):
            return 1 / (self.high - value)
        return 1 / (value - self.low) if math.isfinite(self.low) else 1.0

    def centre(self, value: float, standard_error: float) -> Pair:
        """Value and standard error on the scale; an end of the range has no information."""
        if not self.low < value < self.high:
            return 0.0, math.inf
        return float(self.forward(value)), standard_error * self.slope(value)


@dataclass(frozen=True)
class TLimits:
    """The union of t intervals on a scale, each around its centre.

    Parameters
    ----------
    scale : Scale
    lower, upper : tuple of pairs
        Centres and standard errors on the scale, for the lower and for the upper limit.
    df : float
        Degrees of freedom.
    """

    scale: Scale
    lower: tuple[Pair, ...]
    upper: tuple[Pair, ...]
    df: float

    def __call__(self, level: float) -> Pair:
        t = quantile(level, self.df)
        low = min(centre - t * standard_error for centre, standard_error in self.lower)
        high = max(centre + t * standard_error for centre, standard_error in self.upper)
        return self.scale.inverse(low), self.scale.inverse(high)


@dataclass(frozen=True)
class NewcombeLimits:
    """Newcombe's method 5 for AUC-ROC, with the variance multiplied by `factor`."""

    value: float
    n_pos: float
    n_neg: float
    factor: float
    df: float

    def __call__(self, level: float) -> Pair:
        q2 = quantile(level, self.df) ** 2 * self.factor
        return self._root(q2, 0.0), self._root(q2, 1.0)

    def _root(self, q2: float, end: float) -> float:
        """Value at which the score test just rejects, between the estimate and `end`."""
        inside, outside = self.value, end
        if inside == outside:
            return end
        while True:
            middle = (inside + outside) / 2
            if middle in (inside, outside):
                return inside
            if (middle - self.value) ** 2 <= q2 * newcombe_variance(middle, self.n_pos, self.n_neg):
                inside = middle
            else:
                outside = middle


def newcombe_variance(auc: float, n_pos: float, n_neg: float) -> float:
    """Variance of AUC-ROC after Hanley & McNeil, with both class sizes averaged in its factors."""
    others = (n_pos + n_neg) / 2 - 1
    return (
        auc * (1 - auc) * (1 + others * ((1 - auc) / (2 - auc) + auc / (1 + auc))) / (n_pos * n_neg)
    )


class Rate(NamedTuple):
    """A share of successes and the effective number of trials."""

    share: float
    n: float

    @property
    def off_the_ends(self) -> float:
        """The share, at least half a success away from 0 and from 1."""
        half = 0.5 / self.n
        return min(max(self.share, half), 1 - half)


def wilson(rate: Rate, q: float) -> Pair:
    """Wilson's score interval of a share."""
    share, n = rate
    weight = q * q / n
    centre = share + weight / 2
    reach = q * math.sqrt(share * (1 - share) / n + weight / (4 * n))
    low, high = (centre - reach) / (1 + weight), (centre + reach) / (1 + weight)
    return (0.0 if share == 0 else max(low, 0.0)), (1.0 if share == 1 else min(high, 1.0))


@dataclass(frozen=True)
class SquareAndAdd:
    """MOVER: limits of a function of two independent rates and of a prior.

    On `scale`, the distance of each limit of the function from its value is the root of the sum
    of the squares of the distances that the limits of each argument cause.

    Parameters
    ----------
    function : callable
        Takes arrays (tpr, fpr, prior) and returns an array.
    tpr, fpr : Rate
    prior_limits : callable
        Limits of the prior at a level.
    prior : float
    scale : Scale
    bounds : pair of floats
    correlation : float
        Correlation of the two rates.
    df : float
        Degrees of freedom of the rates' intervals.
    """

    function: Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
    tpr: Rate
    fpr: Rate
    prior: float
    prior_limits: LimitsAt | None
    scale: Scale
    bounds: Pair
    correlation: float
    df: float

    def __call__(self, level: float) -> Pair:
        q = quantile(level, self.df)
        tpr, fpr, prior = self.tpr.off_the_ends, self.fpr.off_the_ends, self.prior
        priors = (prior, prior) if self.prior_limits is None else self.prior_limits(level)
        points = [(tpr, fpr, prior)]
        points += [(limit, fpr, prior) for limit in wilson(self.tpr, q)]
        points += [(tpr, limit, prior) for limit in wilson(self.fpr, q)]
        points += [(tpr, fpr, limit) for limit in priors]
        points += [(self.tpr.share, self.fpr.share, prior)]
        of_points = self.function(*np.array(points).T)
        values, value = self.scale.forward(of_points[:-1]), float(of_points[-1])
        # A value at a bound lies at infinity on the scale, and its limits may too.
        with np.errstate(invalid="ignore"):
            differences = np.where(values[1:] == values[0], 0.0, values[1:] - values[0])
        moved = differences.reshape(3, 2)
        down, up = np.minimum(moved.min(axis=1), 0.0), np.maximum(moved.max(axis=1), 0.0)
        # The rates move the function in opposite directions where one limit of each is its low.
        same_way = moved[0].argmin() == moved[1].argmin()
        sign = self.correlation if same_way else -self.correlation
        low = self.scale.inverse(values[0] - _joined(down, sign))
        high = self.scale.inverse(values[0] + _joined(up, sign))
        # A rate at an end is moved off it, so the value itself can lie outside of both limits.
        return max(min(low, value), self.bounds[0]), min(max(high, value), self.bounds[1])


def _joined(distances: FloatArray, correlation: float) -> float:
    first, second, third = map(float, distances)
    if correlation == 0 or not (math.isfinite(first) and math.isfinite(second)):
        return math.hypot(first, second, third)
    square = first**2 + second**2 + 2 * correlation * first * second
    return math.sqrt(max(square, 0.0) + third**2)


@dataclass(frozen=True)
class Arm:
    """One of two scores that are compared.

    Parameters
    ----------
    value : float
    centre : float
        From which the distances of its limits are measured.
    limits_at : callable
    """

    value: float
    centre: float
    limits_at: LimitsAt


@dataclass(frozen=True)
class DifferenceLimits:
    """MOVER: limits of a - b from the limits of both (Zou & Donner 2008; Zou 2007)."""

    a: Arm
    b: Arm
    correlation: float = 0.0

    def __call__(self, level: float) -> Pair:
        (a_low, a_high), (b_low, b_high) = self.a.limits_at(level), self.b.limits_at(level)
        a, b = self.a.centre, self.b.centre
        low = a - b - self._distance(a - a_low, b_high - b)
        high = a - b + self._distance(a_high - a, b - b_low)
        difference = self.a.value - self.b.value
        return min(low, difference), max(high, difference)

    def _distance(self, of_a: float, of_b: float) -> float:
        if math.isinf(of_a) or math.isinf(of_b):
            return math.inf
        return math.sqrt(max(of_a**2 + of_b**2 - 2 * self.correlation * of_a * of_b, 0.0))


@dataclass(frozen=True)
class PriorLimits:
    """Limits that add the error of an independent estimate of the prior.

    Parameters
    ----------
    at_value : callable
        Limits at the estimated prior, at a level.
    value : float
    value_at : callable
        The value at a prior.
    prior_limits : callable
        Limits of the prior at a level.
    scale : Scale
        Scale on which distances are added as squares.
    """

    at_value: LimitsAt
    value: float
    value_at: Callable[[float], float]
    prior_limits: LimitsAt
    scale: Scale

    def __call__(self, level: float) -> Pair:
        low, high = self.at_value(level)
        moved = [self.value_at(prior) for prior in self.prior_limits(level)]
        # On the scale, each distance from an end of the range is infinite.
        is_inside = self.scale.low < self.value < self.scale.high
        scale = self.scale if is_inside else Scale(-math.inf, math.inf)
        centre, low, high, *moved = (
            float(scale.forward(each)) for each in (self.value, low, high, *moved)
        )
        below = math.hypot(centre - low, max(centre - min(moved), 0.0))
        above = math.hypot(high - centre, max(max(moved) - centre, 0.0))
        low, high = scale.inverse(centre - below), scale.inverse(centre + above)
        return max(low, self.scale.low), min(high, self.scale.high)


@dataclass(frozen=True)
class StackedLimits:
    """Limits of several estimates as arrays."""

    parts: Sequence[LimitsAt]

    def __call__(self, level: float) -> tuple[FloatArray, FloatArray]:
        lows, highs = zip(*(part(level) for part in self.parts), strict=True)
        return np.array(lows), np.array(highs)
