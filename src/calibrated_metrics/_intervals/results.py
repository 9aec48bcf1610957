"""Results at one reference prior, and how they become an estimate."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._intervals.asked import Asked, Settings
from calibrated_metrics._intervals.estimate import (
    Estimate,
    IntervalWarning,
    estimated_prior,
    prior_limits,
)
from calibrated_metrics._intervals.limits import Arm, LimitsAt, PriorLimits, Scale, StackedLimits
from calibrated_metrics._warnings import warn_the_caller

__all__ = [
    "AtPriors",
    "PriorError",
    "PriorLike",
    "Problem",
    "RateOfRows",
    "Result",
    "answer",
    "answer_with_remarks",
    "warn_of",
    "with_error_of_prior",
]

PriorLike: TypeAlias = float | ArrayLike | Estimate | None


class Result(NamedTuple):
    """A value at one prior with its limits, and what to warn of."""

    value: float
    standard_error: float
    limits_at: LimitsAt
    method: str
    remarks: tuple[str, ...] = ()
    reason: str | None = None
    draws: FloatArray | None = None
    contributions: FloatArray | None = None  # of each row to the error, where there are rows
    rates: tuple[RateOfRows, ...] = ()  # of a decision on rows: TPR and FPR
    centre: float | None = None  # of the interval, if that is not the value

    @property
    def arm(self) -> Arm:
        return Arm(self.value, self.value if self.centre is None else self.centre, self.limits_at)


class RateOfRows(NamedTuple):
    """A rate of a decision on rows."""

    slope: float  # derivative of the score by the rate
    contributions: FloatArray  # of each row to the error of the rate
    n: float  # effective number of rows


class AtPriors(NamedTuple):
    """A weighted sum of a score at one or more known priors."""

    priors: tuple[float, ...]
    weights: tuple[float, ...]

    @classmethod
    def one(cls, pi0: float) -> AtPriors:
        return cls((pi0,), (1.0,))

    def sum(self, values: Iterable[Any]) -> Any:
        """The sum of numbers, or of arrays, one per prior."""
        return sum(weight * value for weight, value in zip(self.weights, values, strict=True))

    def scale(self, asked: Asked) -> Scale:
        """Scale of the range of the sum."""
        scales = map(asked.scale_at, self.priors)
        ends = [
            sorted((weight * scale.low, weight * scale.high))
            for weight, scale in zip(self.weights, scales, strict=True)
        ]
        return Scale(sum(end[0] for end in ends), sum(end[1] for end in ends))


class Problem(Protocol):
    """A score, or a difference of two, of given data."""

    def result(
        self, pi0: float | None, settings: Settings, prior: PriorError | None = None
    ) -> Result:
        """Answer at a reference prior, whose error is that of the estimate `prior`."""
        ...

    def value_at(self, pi0: float | None) -> float: ...


class PriorError(NamedTuple):
    """An estimate of the prior that is independent of the data."""

    estimate: Estimate

    def limits(self, level: float) -> tuple[float, float]:
        return prior_limits(self.estimate, level)


def answer(pi0: PriorLike, settings: Settings, problem: Problem) -> Estimate:
    estimate, remarks = answer_with_remarks(pi0, settings, problem)
    warn_of(remarks)
    return estimate


def answer_with_remarks(
    pi0: PriorLike, settings: Settings, problem: Problem
) -> tuple[Estimate, list[str]]:
    """The answer, and what to warn of."""
    if isinstance(pi0, Estimate):
        results = [problem.result(estimated_prior("pi0", pi0), settings, PriorError(pi0))]
    elif pi0 is None:
        results = [problem.result(None, settings)]
    elif _checks.dimensions("pi0", pi0) == 0:
        results = [problem.result(_not_too_small(_checks.open_unit("pi0", pi0)), settings)]
    else:
        priors = _checks.priors("pi0", pi0).tolist()
        # Each prior has the same draws, so that a band is smooth and equals single intervals.
        results = [
            problem.result(_not_too_small(each), dataclasses.replace(settings, generator=again))
            for each, again in zip(priors, _copies(settings.generator, len(priors)), strict=True)
        ]
    remarks = [remark for each in results for remark in each.remarks]
    remarks += [f"no interval: {each.reason}" for each in results if each.reason]
    one = pi0 is None or isinstance(pi0, Estimate) or np.ndim(pi0) == 0
    parts = [each.limits_at for each in results]
    estimate = Estimate.from_limits(
        results[0].value if one else np.array([each.value for each in results]),
        results[0].standard_error if one else np.array([each.standard_error for each in results]),
        parts[0] if one else StackedLimits(parts),
        confidence_level=settings.confidence_level,
        method=results[0].method,
        reason=next((each.reason for each in results if each.reason), None),
    )
    return estimate, remarks


def _copies(generator: np.random.Generator, n: int) -> list[np.random.Generator]:
    """Generators in the same state; the given one is the last."""
    return [copy.deepcopy(generator) for _ in range(n - 1)] + [generator]


def _not_too_small(pi0: float) -> float:
    """A reference prior whose square, by which variances are divided, is a number of float64."""
    if pi0 < 1e-100:
        raise ValueError(f"pi0 must be at least 1e-100 for an interval, got {pi0}")
    return pi0


def warn_of(remarks: Iterable[str]) -> None:
    """Warn of each remark once, but only of the first few."""
    distinct = list(dict.fromkeys(remarks))
    if len(distinct) > _MOST_WARNINGS:
        n_more = len(distinct) - _MOST_WARNINGS
        distinct[_MOST_WARNINGS:] = [f"{n_more} more intervals are withheld or unreliable"]
    for remark in distinct:
        warn_the_caller(remark, IntervalWarning)


_MOST_WARNINGS = 3


def with_error_of_prior(
    result: Result, value_at: Callable[[float], float], prior: PriorError, scale: Scale
) -> Result:
    limits_at = PriorLimits(result.limits_at, result.value, value_at, prior.limits, scale)
    pi0 = estimated_prior("pi0", prior.estimate)
    error = float(prior.estimate.standard_error)
    # A secant over the error, because some scores are step functions of the prior.
    step = min(error or 1.0, min(pi0, 1 - pi0) / 2)
    slope = (value_at(pi0 + step) - value_at(pi0 - step)) / (2 * step)
    standard_error = math.hypot(result.standard_error, slope * error)
    return result._replace(limits_at=limits_at, standard_error=standard_error)
