"""A value with its interval: the scale and the settings of intervals, and warnings of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias, TypeVar
from uuid import UUID, uuid4

import numpy as np
from scipy.special import expit, logit, ndtri, stdtrit

from calibrated_metrics import _arguments, _numbers
from calibrated_metrics._arguments import RandomState
from calibrated_metrics._messages import warn_the_caller
from calibrated_metrics._results import equal_values, hash_of_values, html_lines, html_table
from calibrated_metrics.confusion import Values

__all__ = [
    "NOT_SUPPORTED",
    "Estimate",
    "IntervalWarning",
    "Limits",
    "Measured",
    "Scale",
    "Settings",
    "doubted",
    "format_of",
    "of_priors",
    "stacked",
    "t_quantile",
    "warn_of",
    "with_shifts",
    "withheld",
]

NOT_SUPPORTED = "not supported"  # the method of an estimate of a metric that its data do not have


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
    identity : uuid.UUID
        The study. Copies and pickles keep it, and results that use an estimate twice, such as the
        sensitivity of the labels of two samples, know that its error is the same. It is not
        compared: estimates are equal if their values are, and NaN equals NaN.
    row_index : pandas.Index or None
        Of the rows, if each has a value; rows with another index are refused. It is not compared.

    Examples
    --------
    The result of an audit, to be used as a prior:

    >>> from calibrated_metrics.uncertainty import Estimate
    >>> prior = Estimate(
    ...     0.02, 0.015, 0.027, standard_error=0.003, confidence_level=0.95, method="audit"
    ... )
    >>> prior
    Estimate(0.02, 95 % interval 0.015 to 0.027, audit)
    >>> f"{prior:.3f}"
    '0.020 [0.015, 0.027]'
    """

    value: Values
    low: Values
    high: Values
    standard_error: Values
    confidence_level: float
    method: str
    reason: str | None = None
    remarks: tuple[str, ...] = ()
    identity: UUID = field(default_factory=uuid4, kw_only=True, compare=False)
    row_index: Any = field(default=None, kw_only=True, compare=False)

    __eq__, __hash__ = equal_values, hash_of_values

    def __post_init__(self) -> None:
        self.__setstate__(vars(self))
        if np.any(np.asarray(self.low) > np.asarray(self.high)):
            raise ValueError(f"low must not be above high, got {self.low} and {self.high}")
        if np.any(np.asarray(self.standard_error) < 0):
            raise ValueError(f"standard_error must not be negative, got {self.standard_error}")
        _numbers.level("confidence_level", self.confidence_level)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Set the fields of a new estimate, a copy or a pickle, whose arrays cannot be changed."""
        for name, each in state.items():
            if isinstance(each, np.ndarray):
                each = each.copy()
                each.flags.writeable = False
            vars(self)[name] = each

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

        Parameters
        ----------
        value, standard_error : float
            The estimate and its error.
        bounds : tuple (low, high), default=(-inf, inf)
            Possible values.
        confidence_level : float in (0, 1), default=0.95

        Examples
        --------
        >>> from calibrated_metrics.uncertainty import Estimate
        >>> Estimate.normal(0.02, 0.003, bounds=(0, 1))
        Estimate(0.02, 95 % interval 0.01412 to 0.02588, normal)
        """
        value = _numbers.real_number("value", value)
        error = _numbers.at_least_zero("standard_error", standard_error)
        low, high = _numbers.ascending_pair("bounds", bounds)
        if not low <= value <= high:
            raise ValueError(f"value must lie within bounds, got {value} and {bounds}")
        level = _numbers.level("confidence_level", confidence_level)
        reach = error * float(ndtri((1 + level) / 2))
        return cls(value, max(value - reach, low), min(value + reach, high), error, level, "normal")

    def __float__(self) -> float:
        return float(self.value)

    def __repr__(self) -> str:
        value, low, high = (_shown(number) for number in (self.value, self.low, self.high))
        if self.reason is not None:
            return f"{type(self).__name__}({value}, no interval: {self.reason})"
        percent = f"{100 * self.confidence_level:.6g} %"
        return f"{type(self).__name__}({value}, {percent} interval {low} to {high}, {self.method})"

    def __format__(self, spec: str) -> str:
        """Format the value and its limits, such as "0.51 [0.32, 0.67]" for ``:.2f``."""
        if not spec:
            return str(self)
        if np.ndim(self.value):
            raise ValueError(
                f"a format needs the estimate of one prior, got {len(np.asarray(self.value))}; "
                "for several, use classification_report(..., pi0=[...]).to_frame(format=...)"
            )
        if math.isnan(self.value):
            return NOT_SUPPORTED if self.method == NOT_SUPPORTED else "undefined"
        value, low, high = (
            format(float(number), spec) for number in (self.value, self.low, self.high)
        )
        return f"{value} [{'withheld' if self.reason is not None else f'{low}, {high}'}]"

    @property
    def _notes(self) -> tuple[str, ...]:
        return self.remarks or (() if self.reason is None else (self.reason,))

    def _repr_html_(self) -> str | None:
        if np.size(self.value) > _MOST_ROWS:
            return None  # a notebook then shows the text
        columns = (np.ravel(each).tolist() for each in (self.value, self.low, self.high))
        rows = [
            [_shown(value), "withheld" if math.isnan(low) else f"{_shown(low)} to {_shown(high)}"]
            for value, low, high in zip(*columns, strict=True)
        ]
        level = f"{100 * self.confidence_level:.6g} % interval"
        return html_table(rows, ["value", f"{level} ({self.method})"]) + html_lines(self._notes)


Limits: TypeAlias = Callable[[float], tuple[float, float]]
"""Limits of an interval at a confidence level."""


@dataclass(frozen=True, eq=False)
class Measured:
    """A metric of rows that were counted and drawn once, with its limits at any level.

    `reason` says why its interval is withheld, and `remarks` are what functions warn of. A share
    that is not rare has `wilson_limits`, by the score test, for a difference of two shares.
    `own_limits` are those of the rows alone, if `limits` allow for rows that the sample missed.
    """

    value: float
    standard_error: float
    limits: Limits
    method: str
    reason: str | None = None
    remarks: tuple[str, ...] = ()
    wilson_limits: Limits | None = None
    own_limits: Limits | None = None

    @classmethod
    def of(cls, found: Estimate) -> Measured:
        """An estimate, whose limits are those at its own level."""
        limits = float(found.low), float(found.high)
        error, rest = float(found.standard_error), (found.method, found.reason, found.remarks)
        return cls(float(found.value), error, lambda level: limits, *rest)

    @classmethod
    def withheld(cls, value: float, method: str, reason: str) -> Measured:
        """A value whose interval would not be valid."""
        nan, remark = math.nan, f"no interval: {reason}"
        return cls(value, nan, lambda level: (nan, nan), method, reason, (remark,))

    def at(self, level: float) -> Estimate:
        """The value with its interval at a confidence level."""
        found = self.value, *self.limits(level), self.standard_error
        return Estimate(*found, level, self.method, self.reason, self.remarks)


_Found = TypeVar("_Found", Estimate, Measured)


def withheld(value: float, confidence_level: float, method: str, reason: str) -> Estimate:
    """A value whose interval would not be valid."""
    return Measured.withheld(value, method, reason).at(confidence_level)


def doubted(found: _Found, doubts: tuple[str, ...]) -> _Found:
    """The value with further remarks, unless its interval is withheld."""
    return found if found.reason is not None else replace(found, remarks=found.remarks + doubts)


def with_shifts(found: Estimate, shifts: Sequence[float]) -> Estimate:
    """An interval with the errors of other estimates, whose limits shift the value so far.

    Squares of the shifts to each side are added (MOVER; Zou & Donner 2008, doi:10.1002/sim.3095).
    """
    value, level = float(found.value), found.confidence_level
    up, down = [s for s in shifts if s > 0], [s for s in shifts if not s > 0]
    low = value - math.hypot(value - float(found.low), *down)
    high = value + math.hypot(float(found.high) - value, *up)
    of_others = math.hypot(*down, *up) / math.sqrt(2) / t_quantile(level)  # from both limits
    error = math.hypot(float(found.standard_error), of_others)
    return replace(found, low=low, high=high, standard_error=error)


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


def format_of(found: Estimate) -> str:
    """One format for the value and its limits.

    Three decimals, or as many as show two digits of a small distance of the value from 0 or 1; of a
    limit if the value is 0 or 1. Large values have three digits.
    """
    value, low, high = (abs(float(each)) for each in (found.value, found.low, found.high))
    if 10 <= value < math.inf:
        return f".{max(2 - math.floor(math.log10(value)), 0)}f"
    distances = (min(each, abs(1 - each)) for each in (value, low, high))
    distance = next((each for each in distances if each > 0), 1.0)
    return f".{min(1 - math.floor(math.log10(distance)), 9) if distance < 0.01 else 3}f"


def of_priors(estimates: list[Estimate], pi0: Any) -> Estimate:
    """One estimate for each of several priors, or that of the only one."""
    return stacked(estimates) if np.ndim(pi0) else estimates[0]


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
_MOST_ROWS = 50  # of a table in a notebook


def _shown(values: Values) -> str:
    """Four significant digits of a number, or of each number of an array."""
    return np.array2string(np.asarray(values), formatter={"float_kind": "{:.4g}".format})


class Scale(NamedTuple):
    """A transformation of a range to the real line, on which intervals are symmetric.

    The logit of a finite range, the logarithm of the distance from a finite end, or the identity.
    Limits are clipped to `least` and `most`, if the values have a shorter range.
    """

    low: float
    high: float
    least: float = -math.inf
    most: float = math.inf

    def forward(self, value: Any) -> Any:
        with np.errstate(divide="ignore"):
            if math.isfinite(self.low) and math.isfinite(self.high):
                return logit(np.clip((value - self.low) / (self.high - self.low), 0, 1))
            if math.isfinite(self.high):
                return -np.log(np.maximum(self.high - value, 0))
            return np.log(np.maximum(value - self.low, 0)) if math.isfinite(self.low) else value

    def inverse(self, transformed: Any) -> Any:
        value = transformed
        with np.errstate(over="ignore"):
            if math.isfinite(self.low) and math.isfinite(self.high):
                value = self.low + (self.high - self.low) * expit(transformed)
            elif math.isfinite(self.high):
                value = self.high - np.exp(-transformed)
            elif math.isfinite(self.low):
                value = self.low + np.exp(transformed)
        return np.clip(value, self.least, self.most)

    def slope(self, value: float) -> float:
        """The derivative of the scale; an infinite end adds nothing, and without ends it is 1."""
        return 1 / (value - self.low) + 1 / (self.high - value) or 1.0

    def limits(self, value: float, reach: float) -> tuple[float, float]:
        """Limits at a distance `reach` in units of the value; the value at an end of the range."""
        ends = self.low, self.high
        at_end = any(math.isclose(value, end, rel_tol=_numbers.ROUNDING) for end in ends)
        if at_end or not self.low < value < self.high:
            return value, value
        centre, reach = self.forward(value), reach * self.slope(value)
        return float(self.inverse(centre - reach)), float(self.inverse(centre + reach))


def t_quantile(confidence_level: float, df: float = math.inf) -> float:
    """Two-sided quantile of Student's t, of the normal distribution if `df` is infinite."""
    tail = (1 + confidence_level) / 2
    return float(ndtri(tail) if df > 1e9 else stdtrit(max(df, 1.0), tail))


class Settings(NamedTuple):
    """Confidence level, name of the method (None: that of the metric), and draws of a bootstrap."""

    confidence_level: float = 0.95
    method: str | None = None
    n_resamples: int = 1000
    seed: int = 0

    @classmethod
    def of(
        cls, confidence_level: float, method: str, n_resamples: int, rng: RandomState
    ) -> Settings:
        """Checked settings. The same seed gives the same draws at each prior and for each model."""
        _arguments.one_of("method", method, ("auto", "bootstrap"))
        return cls(
            _numbers.level("confidence_level", confidence_level),
            None if method == "auto" else method,
            _numbers.integer_at_least("n_resamples", n_resamples, 2),
            int(_arguments.generator("rng", rng).integers(2**63)),
        )
