"""Reference priors of a decision: a number, a range or an estimate."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from calibrated_metrics import _checks
from calibrated_metrics._intervals.estimate import Estimate, estimated_prior, prior_limits

Prior: TypeAlias = float | tuple[float, float] | Estimate


class Priors(NamedTuple):
    """The range in which the reference prior lies."""

    low: float
    high: float


def reported_priors(prior: Prior) -> Priors:
    """Priors at which the result is reported."""
    if isinstance(prior, Estimate):
        value = estimated_prior("pi0", prior)
        return Priors(value, value)
    if isinstance(prior, tuple):
        return _range_of(*prior) if len(prior) == 2 else _not_a_prior(prior)
    if _checks.dimensions("pi0", prior) != 0:
        return _not_a_prior(prior)
    value = _checks.open_unit("pi0", prior)
    return Priors(value, value)


def bounding_priors(prior: Prior, alpha: float, *, two_sided: bool) -> tuple[Priors, float]:
    """Priors that bound the true one, and the error probability that is left for the test."""
    if not isinstance(prior, Estimate):
        return reported_priors(prior), alpha
    estimated_prior("pi0", prior)
    # alpha / 2 is outside of the limits
    low, high = prior_limits(prior, 1 - alpha / 2 if two_sided else 1 - alpha)
    return Priors(low, high), alpha / 2


def _range_of(low: Any, high: Any) -> Priors:
    priors = Priors(_checks.open_unit("pi0", low), _checks.open_unit("pi0", high))
    if priors.low > priors.high:
        raise ValueError(f"pi0 must be a tuple (low, high) with low <= high, got {tuple(priors)}")
    return priors


def _not_a_prior(prior: Any) -> Priors:
    raise TypeError(f"pi0 must be a number, a tuple (low, high) or an Estimate, got {prior!r}")


def shown(prior: Prior) -> str:
    """The prior in words of a message."""
    if isinstance(prior, tuple):
        return f"{prior[0]:.6g} to {prior[1]:.6g}"
    return f"{prior.value:.4g} (estimated)" if isinstance(prior, Estimate) else f"{prior:.6g}"
