"""Constraints: the loosest, or for recall the strictest, threshold that keeps a limit."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics.binomial import fewest_faultless, fixed_sequence, least_significant
from calibrated_metrics.thresholds.goals import EMPIRICAL, Choice, Goal, Guarantee, Priors
from calibrated_metrics.thresholds.limits import Rates
from calibrated_metrics.thresholds.ranking import Ranking

__all__ = ["MaxAlertRate", "MinPrecision", "MinRecall"]

_INCLUDED = "the choice of the threshold is included"


@dataclass(frozen=True)
class MinPrecision:
    least: float

    def __str__(self) -> str:
        return f"precision >= {self.least:g}"

    def best(self, ranking: Ranking, priors: Priors) -> Choice:
        tpr, fpr = ranking.rates()
        is_precise = fpr <= self._most_fpr_to_tpr(priors.low) * tpr * (1 + 1e-12)
        return _best(self, np.flatnonzero(is_precise)[-1:])

    def certified(self, ranking: Ranking, guarantee: Guarantee) -> Choice:
        # At the required precision, FPR / TPR is r = (1 - p) π / (p (1 - π)), and an alert of this
        # sample is true with probability `share`; at a lower precision, with a lower one. So a
        # binomial test of `share` tests the threshold (see docs/how-to/threshold.md).
        alpha, n_pos = guarantee.alpha_of_rates, round(ranking.n_pos)
        false_to_true = self._most_fpr_to_tpr(guarantee.priors.low) * ranking.n_neg / n_pos
        if false_to_true == 0:
            raise ValueError(
                f"pi0={guarantee.priors.low} and {self} give odds outside the range of float64"
            )
        faultless = fewest_faultless(false_to_true, alpha)
        known: dict[str, Any] = {"alerts_needed": faultless, "alerts_available": n_pos}
        if faultless > n_pos:
            reason = (
                f"at least {faultless} alerts, all of them true, are needed to certify this "
                f"precision, and the sample has {n_pos} positives"
            )
            return Choice(None, reason, "fixed_sequence", known)
        share = 1 / (1 + false_to_true)
        tested = fixed_sequence(ranking.tp, ranking.alerts, share, n_pos, alpha)
        if tested.last is not None:
            reason = f"fixed sequence of binomial tests; {_INCLUDED}"
            known["precision_low"] = self.least
            return Choice(tested.last, reason, "fixed_sequence", known)
        reason = (
            f"{tested.successes} of the first {tested.trials} alerts are true, but {tested.needed} "
            "are needed"
        )
        return Choice(None, reason, "fixed_sequence", known)

    def _most_fpr_to_tpr(self, prior: float) -> float:
        return (1 - self.least) * prior / (self.least * (1 - prior))


@dataclass(frozen=True)
class MinRecall:
    least: float

    def __str__(self) -> str:
        return f"recall >= {self.least:g}"

    def best(self, ranking: Ranking, priors: Priors) -> Choice:
        return _best(self, np.flatnonzero(ranking.rates()[0] >= self.least - 1e-12)[:1])

    def certified(self, ranking: Ranking, guarantee: Guarantee) -> Choice:
        # The score of the k-th highest positive has a recall below r if and only if k or more of
        # n₁ positives lie above the score whose recall is r. That has the probability
        # P(Bin(n₁, r) >= k), whatever the prior and the negatives are.
        n_pos, alpha = round(ranking.n_pos), guarantee.alpha
        counted = int(least_significant(n_pos, self.least, alpha))
        if counted <= n_pos:
            at = int(ranking.tp.searchsorted(counted))
            reason = f"exact: {counted} of {n_pos} positives must reach the threshold; {_INCLUDED}"
            return Choice(at, reason, "order statistic", {"recall_low": self.least})
        needed = fewest_faultless((1 - self.least) / self.least, alpha)
        reason = (
            f"at least {needed} positives are needed to certify this recall at any threshold, and "
            f"the sample has {n_pos}"
        )
        return Choice(None, reason, "order statistic")


@dataclass(frozen=True)
class MaxAlertRate:
    most: float

    def __str__(self) -> str:
        return f"alert rate <= {self.most:g}"

    def best(self, ranking: Ranking, priors: Priors) -> Choice:
        tpr, fpr = ranking.rates()
        within = priors.high * tpr + (1 - priors.high) * fpr <= self.most + 1e-12
        return _best(self, np.flatnonzero(within)[-1:])

    def certified(self, ranking: Ranking, guarantee: Guarantee) -> Choice:
        def limit(place: int) -> float:
            rates, prior = Rates.at(place, ranking, guarantee.alpha_of_rates), guarantee.priors.high
            return rates.upper_limit(prior, 1 - prior)

        # The limit grows as the threshold falls, so no test is lost to the number of thresholds:
        # one that is too loose is chosen only if the limit at the first such one is too low.
        n_within = bisect_right(range(len(ranking.tp)), self.most, key=limit)
        if n_within:
            reason = f"MOVER with Clopper-Pearson limits; {_INCLUDED}"
            return Choice(n_within - 1, reason, "mover")
        reason = (
            f"with {ranking.n_pos:g} positives and {ranking.n_neg:g} negatives, the upper limit at "
            f"the strictest threshold, which has {ranking.alerts[0]:g} alerts, is {limit(0):.3g}"
        )
        return Choice(None, reason, "mover")


def _best(goal: Goal, places: NDArray[np.intp]) -> Choice:
    if places.size:
        return Choice(int(places[0]), EMPIRICAL)
    return Choice(None, f"no threshold of this sample has {goal}")
