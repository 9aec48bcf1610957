"""Constraints. Each certifies a set of thresholds; several are combined by intersection."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics._numbers import all_digits
from calibrated_metrics.binomial import (
    clopper_pearson,
    fewest_faultless,
    fixed_sequence,
    least_significant,
)
from calibrated_metrics.thresholds.decisions import Ranking, Rates
from calibrated_metrics.thresholds.guarantee import EMPIRICAL, Choice, Guarantee, PriorRange
from calibrated_metrics.thresholds.objectives import Objective
from calibrated_metrics.uncertainty.prior import OwnPrior

__all__ = [
    "Constraint",
    "Constraints",
    "MaxAlertRate",
    "MinNpv",
    "MinPrecision",
    "MinRecall",
    "MinSpecificity",
]

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
    holds_below = False  # whether low thresholds meet it, as for recall

    @abstractmethod
    def kept(self, ranking: Ranking, priors: PriorRange) -> NDArray[np.bool_]:
        """Whether each threshold meets the constraint on the sample."""

    @abstractmethod
    def certified(self, ranking: Ranking, guarantee: Guarantee) -> Certified:
        """Thresholds that all meet the constraint, with the probability of the guarantee."""


@dataclass(frozen=True)
class MinPrecision(Constraint):
    least: float

    _words: ClassVar = "precision", "first", "alerts", "true", "positives"  # for messages

    def __str__(self) -> str:
        return f"{self._words[0]} >= {self.least:g}"

    def kept(self, ranking: Ranking, priors: PriorRange) -> NDArray[np.bool_]:
        tpr, fpr = ranking.rates()
        return np.asarray(fpr <= self._false_to_true(priors.low) * tpr * (1 + 1e-12))

    def certified(self, ranking: Ranking, guarantee: Guarantee) -> Certified:
        prior, alpha = _prior_and_level(guarantee, guarantee.priors.low)
        return self._tested(ranking, prior, alpha)._replace(known={"precision_low": self.least})

    def _tested(self, ranking: Ranking, prior: float, alpha: float) -> Certified:
        # At the required precision, FPR / TPR is r = (1 - p) π / (p (1 - π)), and an alert of this
        # sample is true with the probability `share`. At a lower precision this probability is
        # lower. A binomial test of `share` therefore tests the threshold (see
        # docs/methods/guarantees.md). At the own prior, `share` does not depend on this prior.
        name, first, rows, right, positives = self._words
        n_pos = round(ranking.n_pos)
        false_to_true = self._false_to_true(prior, ranking.n_neg, n_pos)
        faultless = fewest_faultless(false_to_true, alpha)
        if faultless > n_pos:
            reason = (
                f"at least {faultless:.15g} {rows}, all of them {right}, are needed to certify "
                f"this {name}, and the sample has {n_pos} {positives}"
            )
            return Certified(_NOWHERE, reason, "fixed_sequence")
        share = 1 / (1 + false_to_true)
        tested = fixed_sequence(ranking.tp, ranking.alerts, share, n_pos, alpha)
        if tested.passed.size:
            reason = f"fixed sequence of binomial tests; {_INCLUDED}"
        else:
            closest = f"; this is the closest of {tested.n_starts} tests"
            reason = (
                f"{tested.successes} of the {first} {tested.trials} {rows} are {right}, but "
                f"{tested.needed} are needed{closest if tested.n_starts > 1 else ''}"
            )
        return Certified(tested.passed, reason, "fixed_sequence")

    def _false_to_true(self, prior: float, n_neg: float = 1.0, n_pos: float = 1.0) -> float:
        """Greatest odds of a false alert, among alerts of `n_neg` negatives and `n_pos` positives.

        Of rates if these numbers are 1.
        """
        true = self.least * (1 - prior)
        odds = (1 - self.least) * prior / true * n_neg / n_pos if true else math.inf
        if not 1e-300 <= odds <= 1e300:
            raise ValueError(f"pi0={prior} and {self} give odds outside the range of float64")
        return odds


def _prior_and_level(guarantee: Guarantee, worst: float) -> tuple[float, float]:
    """The prior of a test of precision or NPV, and its level; `worst` is the worse limit."""
    if isinstance(guarantee.prior.estimate, OwnPrior):
        return guarantee.prior.value, guarantee.alpha
    return worst, guarantee.alpha_of_rates


@dataclass(frozen=True)
class MinNpv(MinPrecision):
    """The precision of negative predictions: that of the opposite labels and scores."""

    holds_below = True
    _words: ClassVar = "NPV", "lowest", "rows", "negative", "negatives"

    def kept(self, ranking: Ranking, priors: PriorRange) -> NDArray[np.bool_]:
        reverse = ranking.reverse
        kept = super().kept(reverse, PriorRange(1 - priors.high, 1 - priors.low))
        return (kept & (reverse.alerts > 0))[-2::-1]

    def certified(self, ranking: Ranking, guarantee: Guarantee) -> Certified:
        prior, alpha = _prior_and_level(guarantee, guarantee.priors.high)
        found = self._tested(ranking.reverse, 1 - prior, alpha)
        places = len(ranking.tp) - 1 - found.places[::-1]
        return found._replace(places=places[places >= 0], known={"npv_low": self.least})


@dataclass(frozen=True)
class MinRecall(Constraint):
    least: float
    holds_below = True

    def __str__(self) -> str:
        return f"recall >= {self.least:g}"

    def kept(self, ranking: Ranking, priors: PriorRange) -> NDArray[np.bool_]:
        return ranking.rates()[0] >= self.least - 1e-12

    def certified(self, ranking: Ranking, guarantee: Guarantee) -> Certified:
        # The score of the k-th highest positive has a recall below r if and only if at least k of
        # the n₁ positives are above the score with recall r. The probability of this is P(Bin(n₁,
        # r) >= k), for any prior and any negatives. Lower thresholds have a higher recall.
        counted, reason = _counted(self, ranking.n_pos, guarantee.alpha, "positives must reach")
        places = np.arange(ranking.tp.searchsorted(counted), len(ranking.tp))
        return Certified(places, reason, "order statistic", {"recall_low": self.least})


@dataclass(frozen=True)
class MinSpecificity(Constraint):
    least: float
    text: str | None = None
    allows_no_alerts = True

    def __str__(self) -> str:
        return self.text or f"specificity >= {self.least:g}"

    @classmethod
    def of_fpr(cls, most: float) -> MinSpecificity:
        return cls(1 - most, f"FPR <= {most:g}")

    def kept(self, ranking: Ranking, priors: PriorRange) -> NDArray[np.bool_]:
        return 1 - ranking.rates()[1] >= self.least - 1e-12

    def certified(self, ranking: Ranking, guarantee: Guarantee) -> Certified:
        # As for the recall, with the negatives below the threshold.
        n_neg = ranking.n_neg
        counted, reason = _counted(self, n_neg, guarantee.alpha, "negatives must lie below")
        places = np.arange(ranking.fp.searchsorted(n_neg - counted, side="right"))
        if counted <= n_neg and not places.size:
            reason = (
                f"at most {n_neg - counted:g} of {n_neg:g} negatives may be alerts, and the "
                f"strictest threshold has {ranking.fp[0]:g}"
            )
        return Certified(places, reason, "order statistic", {"specificity_low": self.least})


def _counted(
    goal: MinRecall | MinSpecificity, n: float, alpha: float, must: str
) -> tuple[int, str]:
    """Rows of a class that must be on the right side of the threshold, and the reason."""
    n_rows, least = round(n), goal.least
    counted = int(least_significant(n_rows, least, alpha))
    if counted <= n_rows:
        return counted, f"exact: {counted} of {n_rows} {must} the threshold; {_INCLUDED}"
    needed, name = fewest_faultless((1 - least) / least, alpha), str(goal).split()[0]
    return counted, (
        f"at least {needed} {must.split()[0]} are needed to certify this {name} at any threshold, "
        f"and the sample has {n_rows}"
    )


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
        own = guarantee.prior.estimate
        # Then alerts and other rows are drawn as they occur in the population.
        is_share_of_rows = isinstance(own, OwnPrior) and math.isclose(*own.class_weight)
        method, limits = "mover", "MOVER with Clopper-Pearson limits"
        if is_share_of_rows:
            method, limits = "Clopper-Pearson", "exact limits of the share of all rows"

        def limit(place: int) -> float:
            if is_share_of_rows:
                n = ranking.n_pos + ranking.n_neg
                return float(clopper_pearson([ranking.alerts[place]], [n], guarantee.alpha)[1][0])
            rates, prior = Rates.at(place, ranking, guarantee.alpha_of_rates), guarantee.priors.high
            return rates.upper_limit(prior, 1 - prior)

        # The limit grows as the threshold falls, so no correction for the number of thresholds is
        # needed: a threshold that is too low is chosen only if the limit at the first such
        # threshold is too low.
        n_within = bisect_right(range(len(ranking.tp)), self.most, key=limit)
        reason = f"{limits}; {_INCLUDED}"
        if not n_within:
            reason = (
                f"with {ranking.n_pos:g} positives and {ranking.n_neg:g} negatives, the upper "
                f"limit at the strictest threshold, which has {ranking.alerts[0]:g} alerts, is "
                f"{limit(0):.3g}"
            )
        return Certified(np.arange(n_within), reason, method)


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
        """The best value on the sample, or the lowest threshold (for recall, NPV the highest)."""
        if self.objective is not None:
            values = self.objective.values(ranking, priors, places)
            best = int(np.argmax(self.objective.sign * values))
            if method != "empirical":
                reason = f"{reason}; the value was optimised on this sample and has no guarantee"
            choice = Choice(int(places[best]), reason, method, {"value": float(values[best])})
            if all(one.allows_no_alerts for one in self.each):
                return self.objective.if_worth_it(choice, priors)
            return choice
        hold_below = all(one.holds_below for one in self.each)
        return Choice(int(places[0 if hold_below else -1]), reason, method)

    def _why_none(self, found: list[Certified], ranking: Ranking, level: float) -> str:
        """Text that lists the thresholds that each constraint allows."""
        allowed = []
        for one, certified in zip(self.each, found, strict=True):
            if certified.places.size:
                low, high = (all_digits(ranking.threshold(at)) for at in certified.places[[-1, 0]])
                text = f"thresholds from {low} to {high}"
            else:
                text = f"none ({certified.reason})"
            allowed.append(f"{one}: {text}")
        together = "no threshold is certified for all constraints; certified for each one at level"
        return f"{together} {level:g}: " + "; ".join(allowed)
