"""A value with its interval, and warnings of intervals that are withheld or doubtful."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from calibrated_metrics import _checks
from calibrated_metrics._messages import warn_the_caller
from calibrated_metrics.confusion import Values

__all__ = ["Estimate", "IntervalWarning", "doubted", "stacked", "warn_of", "withheld"]


class IntervalWarning(UserWarning):
    """An interval is withheld, or its coverage is known to be worse than its level."""


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """A value with its uncertainty.

    Attributes
    ----------
    value, low, high, standard_error : float, or ndarray of shape (n_priors,)
        The value, the limits of its interval, and its standard error. If the interval is withheld,
        all but the value are NaN.
    confidence_level : float in (0, 1)
        Nominal probability that the interval contains the true value.
    method : str
        How the interval was computed.
    reason : str or None
        Why the interval is withheld; None if it is not.
    remarks : tuple of str
        Reasons for which the interval is doubtful; functions warn of them.

    Examples
    --------
    The result of an audit, to be used as a prior:

    >>> from calibrated_metrics.uncertainty import Estimate
    >>> Estimate(0.02, 0.015, 0.027, standard_error=0.003, confidence_level=0.95, method="audit")
    Estimate(0.02, 95 % interval 0.015 to 0.027, audit)
    """

    value: Values
    low: Values
    high: Values
    standard_error: Values
    confidence_level: float
    method: str
    reason: str | None = None
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if np.any(np.asarray(self.low) > np.asarray(self.high)):
            raise ValueError(f"low must not be above high, got {self.low} and {self.high}")
        if np.any(np.asarray(self.standard_error) < 0):
            raise ValueError(f"standard_error must not be negative, got {self.standard_error}")
        _checks.level("confidence_level", self.confidence_level)

    @classmethod
    def normal(
        cls,
        value: float,
        standard_error: float,
        *,
        bounds: tuple[float, float] = (-math.inf, math.inf),
        confidence_level: float = 0.95,
    ) -> Estimate:
        """Build an estimate with a normal interval, clipped to `bounds`.

        Examples
        --------
        >>> from calibrated_metrics.uncertainty import Estimate
        >>> Estimate.normal(0.02, 0.003, bounds=(0, 1))
        Estimate(0.02, 95 % interval 0.01412 to 0.02588, normal)
        """
        value = _checks.real_number("value", value)
        error = _checks.at_least_zero("standard_error", standard_error)
        low, high = _checks.ascending_pair("bounds", bounds)
        if not low <= value <= high:
            raise ValueError(f"value must lie within bounds, got {value} and {bounds}")
        level = _checks.level("confidence_level", confidence_level)
        reach = error * float(ndtri((1 + level) / 2))
        return cls(value, max(value - reach, low), min(value + reach, high), error, level, "normal")

    def __repr__(self) -> str:
        value, low, high = (_shown(number) for number in (self.value, self.low, self.high))
        if self.reason is not None:
            return f"{type(self).__name__}({value}, no interval: {self.reason})"
        percent = f"{100 * self.confidence_level:.6g} %"
        return f"{type(self).__name__}({value}, {percent} interval {low} to {high}, {self.method})"


def withheld(value: float, confidence_level: float, method: str, reason: str) -> Estimate:
    """A value whose interval would not be valid."""
    nan = math.nan
    remark = f"no interval: {reason}"
    return Estimate(value, nan, nan, nan, confidence_level, method, reason, (remark,))


def doubted(estimate: Estimate, doubts: tuple[str, ...]) -> Estimate:
    """The estimate with further remarks, unless its interval is withheld."""
    if estimate.reason is not None:
        return estimate
    return replace(estimate, remarks=estimate.remarks + doubts)


def stacked(estimates: list[Estimate]) -> Estimate:
    """One estimate with arrays of the numbers of several."""
    value, low, high, error = (
        np.array([getattr(estimate, name) for estimate in estimates])
        for name in ("value", "low", "high", "standard_error")
    )
    level, method = estimates[0].confidence_level, estimates[0].method
    reasons = [estimate.reason for estimate in estimates]
    reason = reasons[0] if all(reasons) else None
    remarks = tuple(remark for estimate in estimates for remark in estimate.remarks)
    return Estimate(value, low, high, error, level, method, reason, remarks)


def warn_of(remarks: Iterable[str]) -> None:
    """Warn of each remark once, but only of the first few."""
    distinct = list(dict.fromkeys(remarks))
    n_more = len(distinct) - _MOST_WARNINGS
    if n_more > 0:
        more = "1 more interval is" if n_more == 1 else f"{n_more} more intervals are"
        distinct[_MOST_WARNINGS:] = [f"{more} withheld or doubtful"]
    for remark in distinct:
        warn_the_caller(remark, IntervalWarning)


_MOST_WARNINGS = 3


def _shown(values: Values) -> str:
    """Four significant digits of a number, or of each number of an array."""
    return np.array2string(np.asarray(values), formatter={"float_kind": "{:.4g}".format})
