"""Estimates with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._intervals.limits import NormalLimits, PercentileLimits
from calibrated_metrics.confusion import Values

__all__ = ["Estimate", "IntervalWarning", "estimated_prior", "inside", "prior_limits"]

Limits: TypeAlias = tuple[Values, Values]


class IntervalWarning(UserWarning):
    """An interval is withheld, or its coverage is known to be worse than its level."""


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """A value with its uncertainty.

    Parameters
    ----------
    value : float or ndarray of shape (n_priors,)
        The point estimate. With arrays, `low`, `high` and `standard_error` have the same shape.
    low, high : float or ndarray of shape (n_priors,)
        Limits of the interval at `confidence_level`. NaN where the interval is withheld.
    standard_error : float or ndarray of shape (n_priors,)
        Estimated standard deviation of `value`.
    confidence_level : float in (0, 1)
        Nominal probability that the interval contains its target.
    method : str
        Name of the method of the interval.
    reason : str or None, default=None
        Why the interval is withheld. None if it is given.
    limits_at : callable or None, default=None
        Function of a confidence level that returns (low, high). It must be picklable if the
        estimate shall be. `limits` uses it.

    See Also
    --------
    Estimate.normal : An interval from a standard error, for example of a prior from elsewhere.
    Estimate.percentile : An interval between quantiles of draws.

    Examples
    --------
    >>> from calibrated_metrics.uncertainty import Estimate
    >>> prior = Estimate.normal(0.012, 0.001, bounds=(0, 1))
    >>> prior
    Estimate(0.012, 95 % interval 0.01004 to 0.01396, normal)
    >>> low, high = prior.limits(0.9)
    >>> round(low, 4), round(high, 4)
    (0.0104, 0.0136)
    """

    value: Values
    low: Values
    high: Values
    standard_error: Values
    confidence_level: float
    method: str
    reason: str | None = None
    limits_at: Callable[[float], Limits] | None = field(default=None, kw_only=True)

    def __repr__(self) -> str:
        value, low, high = (_shown(each) for each in (self.value, self.low, self.high))
        if np.all(np.isnan(self.low)) and self.reason is not None:
            return f"{type(self).__name__}({value}, no interval: {self.reason})"
        percent = f"{100 * self.confidence_level:.6g} %"
        return f"{type(self).__name__}({value}, {percent} interval {low} to {high}, {self.method})"

    def limits(self, level: float) -> Limits:
        """Return the limits (low, high) at another confidence level.

        Parameters
        ----------
        level : float in (0, 1)

        Returns
        -------
        tuple of two floats, or of two ndarrays of shape (n_priors,)
            NaN where the interval is withheld.

        Raises
        ------
        ValueError
            If the estimate was built from two limits only and `level` is not theirs.
        """
        level = _checks.level("level", level)
        if level == self.confidence_level:
            return self.low, self.high
        if self.limits_at is None:
            raise ValueError(
                f"level must be {self.confidence_level} for an estimate that only holds its limits "
                f"at this level, got {level}"
            )
        return self.limits_at(level)

    @classmethod
    def from_limits(
        cls,
        value: Values,
        standard_error: Values,
        limits_at: Callable[[float], Limits],
        *,
        confidence_level: float,
        method: str,
        reason: str | None = None,
    ) -> Estimate:
        """Build an estimate from a function that returns its limits at any confidence level."""
        low, high = limits_at(confidence_level)
        return cls(
            value, low, high, standard_error, confidence_level, method, reason, limits_at=limits_at
        )

    @classmethod
    def normal(
        cls,
        value: float,
        standard_error: float,
        *,
        bounds: tuple[float, float] = (-math.inf, math.inf),
        confidence_level: float = 0.95,
    ) -> Estimate:
        """Build an estimate with a normal interval, clipped to `bounds`."""
        value = _checks.real_number("value", value)
        standard_error = _checks.at_least_zero("standard_error", standard_error)
        return cls.from_limits(
            value,
            standard_error,
            NormalLimits(value, standard_error, _checks.ascending_pair("bounds", bounds)),
            confidence_level=_checks.level("confidence_level", confidence_level),
            method="normal",
        )

    @classmethod
    def percentile(
        cls, value: float, draws: FloatArray, *, confidence_level: float = 0.95
    ) -> Estimate:
        """Build an estimate whose limits are quantiles of draws."""
        return cls.from_limits(
            value,
            float(draws.std(ddof=1)),
            PercentileLimits(draws),
            confidence_level=_checks.level("confidence_level", confidence_level),
            method="percentile",
        )


def estimated_prior(name: str, estimate: Estimate) -> float:
    """The value of an estimate of a prior, which must have an interval."""
    if estimate.reason is not None:
        raise ValueError(f"{name} must be an Estimate with an interval, got {estimate!r}")
    return inside(float(_checks.probabilities(name, [estimate.value])[0]))


def prior_limits(estimate: Estimate, level: float) -> tuple[float, float]:
    """The limits of an estimate of a prior, kept away from 0 and 1."""
    low, high = (float(each) for each in estimate.limits(level))
    if not low <= high:
        raise ValueError(f"limits of pi0 must ascend, got {low} and {high}")
    return inside(low), inside(high)


def inside(prior: float) -> float:
    """The prior itself, or a number close to 0 or 1: without one class, scores are undefined."""
    return min(max(prior, _NEAR_0), 1 - _NEAR_0)


_NEAR_0 = 1e-12


def _shown(values: Values) -> str:
    """Four significant digits of a number, or of each number of an array."""
    return np.array2string(np.asarray(values), formatter={"float_kind": "{:.4g}".format})
