"""Constraints. Each certifies a set of thresholds; several are combined by intersection."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics.binomial import (
    clopper_pearson,
    fewest_faultless,
    fixed_sequence,
    least_significant,
)
from calibrated_metrics.thresholds.goals import EMPIRICAL, Choice, Guarantee, PriorRange
from calibrated_metrics.thresholds.limits import Rates
from calibrated_metrics.thresholds.objectives import Objective
from calibrated_metrics.thresholds.ranking import Ranking
from calibrated_metrics.uncertainty.prior import OwnPrior

__all__ = ["Constraint", "Constraints", "MaxAlertRate", "MinPrecision", "MinRecall"]

_INCLUDED = "the guarantee includes the choice"
_NOWHERE = np.array([], dtype=np.intp)


class Certified(NamedTuple):
    """Ascending places of the ranking at which a constraint is met, with a joint guarantee.

    `reason` says how they were certified, or why none was. `known` is as in `Choice`, if one is.
    """

    places: NDArray[np.intp]
    reason: str
    method: str
    known: Mapping[str, Any] = MappingProxyType({})


class Constraint(ABC):
    allows_no_alerts = False  # recall would be 0, and precision 0/0

    @abstractmethod
    def kept(self, ranking: Ranking, priors: PriorRange) -> NDArray[np.bool_]:
        """Whether each threshold meets the constraint on the sample."""

    @abstractmethod
    def certified(self, ranking: Ranking, guarantee: Guarantee) -> Certified:
        """Thresholds that all meet the constraint, with the probability of the guarantee."""


@dataclass(frozen=True)
class MinPrecision(Constraint):
    least: float

    def __str__(self) -> str:
        return f"precision >= {self.least:g}"

    def kept(self, ranking: Ranking, priors: PriorRange) -> NDArray[np.bool_]:
        tpr, fpr = ranking.rates()
        return np.asarray(fpr <= self._false_to_true(priors.low) * tpr * (1 + 1e-12))

    def certified(self, ranking: Ranking, guarantee: Guarantee) -> Certified:
        # At the required precision, FPR / TPR is r = (1 - p) π / (p (1 - π)), and an alert of this
        # sample is true with the probability `share`. At a lower precision this probability is
        # lower. A binomial test of `share` therefore tests the threshold (see
        # docs/methods/guarantees.md). At the own prior, `share` does not depend on this prior.
        n_pos, prior, alpha = round(ranking.n_pos), guarantee.priors.low, guarantee.alpha_of_rates
        if guarantee.is_of_own_prior:
            prior, alpha = guarantee.prior.value, guarantee.alpha
        false_to_true = self._false_to_true(prior, ranking.n_neg, n_pos)
        faultless = fewest_faultless(false_to_true, alpha)
        if faultless > n_pos:
            reason = (
                f"at least {faultless:.15g} alerts, all of them true, are needed to certify this "
                f"precision, and the sample has {n_pos} positives"
            )
            return Certified(_NOWHERE, reason, "fixed_sequence")
        share = 1 / (1 + false_to_true)
        tested = fixed_sequence(ranking.tp, ranking.alerts, share, n_pos, alpha)
        if tested.passed.size:
            reason = f"fixed sequence of binomial tests; {_INCLUDED}"
        else:
            reason = (
                f"{tested.successes} of the first {tested.trials} alerts are true, but "
                f"{tested.needed} are needed; this is the closest of {tested.n_starts} tests"
            )
        return Certified(tested.passed, reason, "fixed_sequence", {"precision_low": self.least})

    def _false_to_true(self, prior: float, n_neg: float = 1.0, n_pos: float = 1.0) -> float:
        """Greatest odds of a false alert, among alerts of `n_neg` negatives and `n_pos` positives.

        Of rates if these numbers are 1.
        """
        true = self.least * (1 - prior)
        odds = (1 - self.least) * prior / true * n_neg / n_pos if true else math.inf
        if not 1e-300 <= odds <= 1e300:
            raise ValueError(f"pi0={prior} and {self} give odds outside the range of float64")
        return odds


@dataclass(frozen=True)
class MinRecall(Constraint):
    least: float

    def __str__(self) -> str:
        return f"recall >= {self.least:g}"

    def kept(self, ranking: Ranking, priors: PriorRange) -> NDArray[np.bool_]:
        return ranking.rates()[0] >= self.least - 1e-12

    def certified(self, ranking: Ranking, guarantee: Guarantee) -> Certified:
        # The score of the k-th highest positive has a recall below r if and only if at least k of
        # the n₁ positives are above the score with recall r. The probability of this is P(Bin(n₁,
        # r) >= k), for any prior and any negatives. Lower thresholds have a higher recall.
        n_pos, alpha = round(ranking.n_pos), guarantee.alpha
        counted = int(least_significant(n_pos, self.least, alpha))
        if counted <= n_pos:
            places = np.arange(ranking.tp.searchsorted(counted), len(ranking.tp))
            reason = f"exact: {counted} of {n_pos} positives must reach the threshold; {_INCLUDED}"
            return Certified(places, reason, "order statistic", {"recall_low": self.least})
        needed = fewest_faultless((1 - self.least) / self.least, alpha)
        reason = (
            f"at least {needed} positives are needed to certify this recall at any threshold, and "
            f"the sample has {n_pos}"
        )
        return Certified(_NOWHERE, reason, "order statistic")


@dataclass(frozen=True)
class MaxAlertRate(Constraint):
    most: float
    allows_no_alerts = True

    def __str__(self) -> str:
        return f"alert rate <= {self.most:g}"

    def kept(self, ranking: Ranking, priors: PriorRange) -> NDArray[np.bool_]:
        tpr, fpr = ranking.rates()
        return priors.high * tpr + (1 - priors.high) * fpr <= self.most + 1e-12

    def certified(self, ranking: Ranking, guarantee: Guarantee) -> Certified:
        def limit(place: int) -> float:
            if self._is_share_of_rows(guarantee):
                n = ranking.n_pos + ranking.n_neg
                return float(clopper_pearson([ranking.alerts[place]], [n], guarantee.alpha)[1][0])
            rates, prior = Rates.at(place, ranking, guarantee.alpha_of_rates), guarantee.priors.high
            return rates.upper_limit(prior, 1 - prior)

        # The limit grows as the threshold falls, so no correction for the number of thresholds is
        # needed: a threshold that is too low is chosen only if the limit at the first such
        # threshold is too low.
        n_within = bisect_right(range(len(ranking.tp)), self.most, key=limit)
        method = "Clopper-Pearson" if self._is_share_of_rows(guarantee) else "mover"
        reason = f"MOVER with Clopper-Pearson limits; {_INCLUDED}"
        if method == "Clopper-Pearson":
            reason = f"exact limits of the share of all rows; {_INCLUDED}"
        if not n_within:
            reason = (
                f"with {ranking.n_pos:g} positives and {ranking.n_neg:g} negatives, the upper "
                f"limit at the strictest threshold, which has {ranking.alerts[0]:g} alerts, is "
                f"{limit(0):.3g}"
            )
        return Certified(np.arange(n_within), reason, method)

    @staticmethod
    def _is_share_of_rows(guarantee: Guarantee) -> bool:
        """Whether alerts and other rows are drawn as they occur in the population."""
        own = guarantee.prior.estimate
        return isinstance(own, OwnPrior) and math.isclose(*own.class_weight)


# ------------------------------------------------------------------------- several constraints


@dataclass(frozen=True)
class Constraints:
    """One or more constraints, and the objective among the thresholds that meet all of them."""

    each: tuple[Constraint, ...]
    objective: Objective | None = None

    def __str__(self) -> str:
        text = " and ".join(map(str, self.each))
        return text if self.objective is None else f"{self.objective} with {text},"

    def best(self, ranking: Ranking, priors: PriorRange) -> Choice:
        kept = np.flatnonzero(np.all([one.kept(ranking, priors) for one in self.each], axis=0))
        if not kept.size:
            joined = " and ".join(map(str, self.each))
            return Choice(None, f"no threshold of this sample has {joined}")
        return self._best_of(kept, ranking, priors, EMPIRICAL, "empirical")

    def certified(self, ranking: Ranking, guarantee: Guarantee) -> Choice:
        # Each constraint has an equal share of the error probability, so all hold jointly
        # (Bonferroni), for all thresholds of the intersection and any choice among them.
        part = guarantee._replace(alpha=guarantee.alpha / len(self.each))
        found = [one.certified(ranking, part) for one in self.each]
        places = found[0].places
        for one in found[1:]:
            places = np.intersect1d(places, one.places)
        known = {name: value for one in found for name, value in one.known.items()}
        method = " and ".join(one.method for one in found)
        if len(found) == 1:
            reason = found[0].reason
        elif places.size:
            reason = f"each constraint is certified at the level {1 - part.alpha:g}; {_INCLUDED}"
        else:
            reason = self._why_none(found, ranking, 1 - part.alpha)
        if not places.size:
            return Choice(None, reason, method)
        choice = self._best_of(places, ranking, guarantee.central, reason, method)
        return choice._replace(known={**known, **choice.known})

    def _best_of(
        self,
        places: NDArray[np.intp],
        ranking: Ranking,
        priors: PriorRange,
        reason: str,
        method: str,
    ) -> Choice:
        """The best value on the sample, or the lowest threshold (for recall the highest)."""
        if self.objective is not None:
            values = self.objective.values(ranking, priors, places)
            best = int(np.argmax(self.objective.sign * values))
            if method != "empirical":
                reason = f"{reason}; the value was optimised on this sample and has no guarantee"
            choice = Choice(int(places[best]), reason, method, {"value": float(values[best])})
            if all(one.allows_no_alerts for one in self.each):
                return self.objective.if_worth_it(choice, priors)
            return choice
        only_recall = all(isinstance(one, MinRecall) for one in self.each)
        return Choice(int(places[0 if only_recall else -1]), reason, method)

    def _why_none(self, found: list[Certified], ranking: Ranking, level: float) -> str:
        """Text that lists the thresholds that each constraint allows."""
        allowed = []
        for one, certified in zip(self.each, found, strict=True):
            if certified.places.size:
                ends = ranking.thresholds[certified.places[[-1, 0]]]
                text = "thresholds from {:.6g} to {:.6g}".format(*ends)
            else:
                text = f"none ({certified.reason})"
            allowed.append(f"{one}: {text}")
        together = "no threshold is certified for all constraints; certified for each one at level"
        return f"{together} {level:g}: " + "; ".join(allowed)
