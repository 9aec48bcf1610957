"""What the choice of a threshold needs and returns: priors, a guarantee, and the choice."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from calibrated_metrics.uncertainty.prior import ReferencePrior

__all__ = ["EMPIRICAL", "Choice", "Guarantee", "PriorRange"]

EMPIRICAL = "the optimum on this sample, without a guarantee; it is optimistic"


class Choice(NamedTuple):
    """The place of the chosen threshold in the ranking, or None.

    `known` holds further attributes of the `OperatingPoint`.
    """

    at: int | None
    reason: str
    method: str = "empirical"
    known: Mapping[str, Any] = MappingProxyType({})  # cannot be changed


class PriorRange(NamedTuple):
    """The range in which the reference prior lies."""

    low: float
    high: float


class Guarantee(NamedTuple):
    """The prior at which a certificate holds, its error probability, and the seed of halves."""

    prior: ReferencePrior
    alpha: float
    seed: int

    @property
    def central(self) -> PriorRange:
        """The range of the prior, or twice its estimate."""
        return PriorRange(self.prior.low, self.prior.high)

    @property
    def priors(self) -> PriorRange:
        """Limits of the prior. Each limit of an estimate has the error probability `alpha` / 2."""
        return PriorRange(*self.prior.limits(1 - self.alpha))

    @property
    def alpha_of_rates(self) -> float:
        """Error probability left for the rates, as a threshold is worse beyond only one limit."""
        return self.alpha if self.prior.estimate is None else self.alpha / 2
