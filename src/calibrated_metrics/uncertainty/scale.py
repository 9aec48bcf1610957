"""Scales on which intervals are symmetric, and the quantiles that give them their level."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtri, stdtrit

__all__ = ["Scale", "t_quantile"]


class Scale(NamedTuple):
    """A transformation of a range to the real line, on which intervals are symmetric.

    The logit of a finite range, the logarithm of the distance from a finite end, or the identity.
    """

    low: float
    high: float

    def forward(self, value: Any) -> Any:
        with np.errstate(divide="ignore"):
            if math.isfinite(self.low) and math.isfinite(self.high):
                return logit(np.clip((value - self.low) / (self.high - self.low), 0, 1))
            if math.isfinite(self.high):
                return -np.log(np.maximum(self.high - value, 0))
            return np.log(np.maximum(value - self.low, 0)) if math.isfinite(self.low) else value

    def inverse(self, transformed: Any) -> Any:
        with np.errstate(over="ignore"):
            if math.isfinite(self.low) and math.isfinite(self.high):
                return self.low + (self.high - self.low) * expit(transformed)
            if math.isfinite(self.high):
                return self.high - np.exp(-transformed)
            return self.low + np.exp(transformed) if math.isfinite(self.low) else transformed

    def limits(self, value: float, reach: float) -> tuple[float, float]:
        """Limits at a distance `reach` in units of the value; the value at an end of the range."""
        if not self.low < value < self.high:
            return value, value
        # The derivative of the scale; an infinite end adds nothing, and without ends it is 1.
        slope = 1 / (value - self.low) + 1 / (self.high - value) or 1.0
        centre, reach = self.forward(value), reach * slope
        return float(self.inverse(centre - reach)), float(self.inverse(centre + reach))


def t_quantile(confidence_level: float, df: float = math.inf) -> float:
    """Two-sided quantile of Student's t, of the normal distribution if `df` is infinite."""
    tail = (1 + confidence_level) / 2
    return float(ndtri(tail) if df > 1e9 else stdtrit(max(df, 1.0), tail))
