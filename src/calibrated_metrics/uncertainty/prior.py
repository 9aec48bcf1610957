"""Reference priors that are known, in a range or estimated, and the error that they add."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from calibrated_metrics import _columns, _numbers
from calibrated_metrics._messages import shown
from calibrated_metrics.binomial import clopper_pearson
from calibrated_metrics.rows import Rows
from calibrated_metrics.uncertainty.estimate import Estimate, Scale, t_quantile
from calibrated_metrics.uncertainty.units import contributions_to_prior, n_of_classes, unit_errors

__all__ = [
    "OwnPrior",
    "PriorLike",
    "ReferencePrior",
    "clip_prior",
    "own_prior_limits",
    "weighted_share",
    "with_error_of_prior",
]

PriorLike: TypeAlias = float | ArrayLike | Estimate | None
_NEAR_0 = 1e-12


class OwnPrior(NamedTuple):
    """The prior of independent rows, estimated by their own share of positives.

    `class_weight` is the weight of a positive and of a negative, such as the inverse of the rate at
    which the rows of the class were kept. The limits are those of Clopper and Pearson.
    """

    n_pos: float
    n_neg: float
    class_weight: tuple[float, float]

    @classmethod
    def of(cls, sample: Rows) -> OwnPrior:
        n_pos, n_neg = n_of_classes(sample)
        return cls(float(n_pos), float(n_neg), sample.class_weight)

    @property
    def value(self) -> float:
        return float(weighted_share(self.n_pos / (self.n_pos + self.n_neg), self.class_weight))

    @property
    def standard_error(self) -> float:
        return self.value * (1 - self.value) * math.sqrt(1 / self.n_pos + 1 / self.n_neg)

    def limits(self, confidence_level: float) -> tuple[float, float]:
        tail = (1 - confidence_level) / 2
        low, high = clopper_pearson([self.n_pos], [self.n_pos + self.n_neg], tail)
        ends = [weighted_share(float(each[0]), self.class_weight) for each in (low, high)]
        return ends[0], ends[1]


class ReferencePrior(NamedTuple):
    """A reference prior: known, anywhere in a range, or estimated, on other data or on the same."""

    value: float
    low: float
    high: float
    estimate: Estimate | OwnPrior | None = None

    @classmethod
    def of(cls, given: Any, pi0_range: Any = None) -> ReferencePrior:
        """Read a number in (0, 1), an `Estimate` with an interval, or a range (low, high)."""
        if pi0_range is not None:
            if given is not None:
                raise ValueError(f"pi0 must be None with pi0_range, got {given!r}")
            low, high = _numbers.ascending_pair("pi0_range", pi0_range)
            low, high = (_numbers.open_unit("pi0_range", end) for end in (low, high))
            return cls((low + high) / 2, low, high)
        if isinstance(given, Estimate):
            if given.reason is not None:
                raise ValueError(f"pi0 must be an Estimate with an interval, got {given!r}")
            value = clip_prior(_numbers.probability("value of pi0", given.value))
            return cls(value, value, value, given)
        if isinstance(given, OwnPrior):
            return cls(given.value, given.value, given.value, given)
        if _columns.dimensions("pi0", given) != 0:
            raise TypeError(
                f"pi0 must be one number or an Estimate here, got {shown(given)}; "
                "a range of priors is pi0_range=(low, high)"
            )
        value = _numbers.open_unit("pi0", given)
        return cls(value, value, value)

    def limits(self, confidence_level: float) -> tuple[float, float]:
        """Limits of the range or of the estimate.

        Those of an estimate at a higher level move towards the value as normal limits do, on the
        scale of log odds.
        """
        if self.estimate is None:
            return self.low, self.high
        if hasattr(self.estimate, "limits"):  # an own prior, or that of label_free.estimate_prior
            low, high = self.estimate.limits(confidence_level)
        elif (own := self.estimate.confidence_level) >= confidence_level - 1e-12:
            nearer = min(t_quantile(confidence_level) / t_quantile(own), 1.0)
            ends = logit(clip_prior([self.estimate.low, self.estimate.high]))
            low, high = expit(logit(self.value) + nearer * (ends - logit(self.value)))
        else:
            raise ValueError(
                f"pi0 must be an Estimate at a confidence level of at least {confidence_level:g} "
                f"here, got one at {self.estimate.confidence_level:g}"
            )
        return clip_prior(low), clip_prior(high)

    @property
    def standard_error(self) -> float:
        return 0.0 if self.estimate is None else float(self.estimate.standard_error)

    def __str__(self) -> str:
        if self.estimate is not None:
            return f"{self.estimate.value:.4g} (estimated)"
        return f"{self.low:.6g}" if self.low == self.high else f"{self.low:.6g} to {self.high:.6g}"


def weighted_share(share: Any, class_weight: tuple[float, float]) -> Any:
    """The share of the weight of positives, for their share of the rows."""
    of_pos, of_neg = class_weight
    return of_pos * share / (of_pos * share + of_neg * (1 - share))


def own_prior_limits(sample: Rows, confidence_level: float) -> tuple[float, float]:
    """Limits of the prior of the population from which rows were drawn, also in clusters."""
    if sample.is_plain:
        return OwnPrior.of(sample).limits(confidence_level)
    errors = unit_errors(sample, contributions_to_prior(sample))
    reach = t_quantile(confidence_level) * math.sqrt(float((errors**2).sum()))
    return Scale(0.0, 1.0).limits(sample.prior, reach)


def clip_prior(prior: Any) -> Any:
    """The prior, or a number close to 0 or 1: without one class, metrics are undefined."""
    return np.clip(prior, _NEAR_0, 1 - _NEAR_0)


def with_error_of_prior(
    estimate: Estimate,
    prior: ReferencePrior,
    value_at: Callable[[float], float],
    scale: Scale,
    others: Sequence[Callable[[float], float]] = (),
) -> Estimate:
    """Add the error of an independent estimate of the prior to an interval at its value.

    Squares of the shifts on the scale are added (MOVER; Zou & Donner 2008, doi:10.1002/sim.3095).
    The same is done for `others`, the values of samples with half a row added, because at a low
    prior a sample with few negatives does not show how low the value may be.
    """
    value = float(estimate.value)
    if math.isinf(value):  # a likelihood ratio, which is the same at each prior
        return estimate
    if not scale.low < value < scale.high:  # each distance from an end of the range is infinite
        ends = max(scale.low, scale.least), min(scale.high, scale.most)
        scale = Scale(-math.inf, math.inf, *ends)
    limits = prior.limits(estimate.confidence_level)
    low, high = float(scale.forward(estimate.low)), float(scale.forward(estimate.high))
    lows, highs = [], []
    for function in (value_at, *others):
        start, *moved = (float(scale.forward(function(each))) for each in (prior.value, *limits))
        down, up = max(start - min(moved), 0.0), max(max(moved) - start, 0.0)
        lows.append(start - math.hypot(max(start - low, 0.0), down))
        highs.append(start + math.hypot(max(high - start, 0.0), up))
    low, high = float(scale.inverse(min(lows))), float(scale.inverse(max(highs)))
    # A secant over the error, because some metrics are step functions of the prior.
    step = min(prior.standard_error or 1.0, min(prior.value, 1 - prior.value) / 2)
    slope = (value_at(prior.value + step) - value_at(prior.value - step)) / (2 * step)
    shift = slope * prior.standard_error if slope else 0.0  # the error may be infinite
    error = math.hypot(float(estimate.standard_error), shift)
    return replace(estimate, low=low, high=high, standard_error=error)
