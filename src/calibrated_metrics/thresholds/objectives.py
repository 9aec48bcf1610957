"""Objectives: a value to optimise on one half of the rows, with a limit from the other half."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionMatrix
from calibrated_metrics.scores import fbeta
from calibrated_metrics.thresholds.decisions import Ranking, Rates
from calibrated_metrics.thresholds.guarantee import EMPIRICAL, Choice, Guarantee, PriorRange

__all__ = ["BestFbeta", "LeastCost"]


class Objective(ABC):
    sign = 1  # sign * value is maximised

    @abstractmethod
    def values(self, ranking: Ranking, priors: PriorRange, places: Any) -> FloatArray:
        """Values at some thresholds, at the least favourable prior."""

    @abstractmethod
    def limit(self, rates: Rates, priors: PriorRange) -> float:
        """Confidence limit on the side on which the value is worse."""

    def if_worth_it(self, choice: Choice, priors: PriorRange, judged: str = "value") -> Choice:
        """The choice, without a threshold if predicting nothing positive is at least as good."""
        return choice

    def best(self, ranking: Ranking, priors: PriorRange) -> Choice:
        values = self.values(ranking, priors, ranking.rise_ends)
        best = int(np.argmax(self.sign * values))
        known = {"value": float(values[best])}
        choice = Choice(int(ranking.rise_ends[best]), EMPIRICAL, known=known)
        return self.if_worth_it(choice, priors)

    def certified(self, ranking: Ranking, guarantee: Guarantee) -> Choice:
        if min(ranking.n_pos, ranking.n_neg) < 2:
            reason = "at least two rows of each class are needed: one to choose, one to test"
            return Choice(None, reason, "two halves")
        choosing, testing = ranking.halves(guarantee.seed)
        at, reason, *_ = self.best(choosing, guarantee.central)
        known: dict[str, Any] = {"seed": guarantee.seed}
        if at is None:
            return Choice(None, reason, "two halves", known)
        rates = Rates.at(at, testing, guarantee.alpha_of_rates)
        known["value"] = float(self.values(testing, guarantee.central, at))
        known["value_limit"] = self.limit(rates, guarantee.priors)
        reason = (
            "one half of the rows chose the threshold; the other half, "
            f"{testing.n_pos:g} positives and {testing.n_neg:g} negatives, tested it and gave "
            "the value"
        )
        choice = Choice(at, reason, "two halves", known)
        return self.if_worth_it(choice, guarantee.priors, "value_limit")


@dataclass(frozen=True)
class BestFbeta(Objective):
    beta: float

    def __str__(self) -> str:
        return f"best F-beta, beta = {self.beta:g},"

    def values(self, ranking: Ranking, priors: PriorRange, places: Any) -> FloatArray:
        tpr, fpr = ranking.rates(places)
        matrices = ConfusionMatrix.from_rates(tpr=tpr, fpr=fpr, prior=priors.low)
        return np.asarray(fbeta(matrices, self.beta))

    def limit(self, rates: Rates, priors: PriorRange) -> float:
        # F >= f if and only if (f - 1 - beta²) TPR + f r FPR <= -f beta², with r = (1 - prior) /
        # prior. The limit is the greatest f for which the upper limit of the left side allows it.
        from scipy.optimize import bisect  # slow to import

        square, ratio = min(self.beta, 1e100) ** 2, (1 - priors.low) / priors.low

        def excess(f: float) -> float:
            return rates.upper_limit(f - 1 - square, f * ratio) + f * square

        return float(bisect(excess, 0, 1))


@dataclass(frozen=True)
class LeastCost(Objective):
    fp: float
    fn: float
    sign = -1

    def __str__(self) -> str:
        return f"least expected cost, cost_fp = {self.fp:g} and cost_fn = {self.fn:g},"

    def values(self, ranking: Ranking, priors: PriorRange, places: Any) -> FloatArray:
        tpr, fpr = ranking.rates(places)
        costs = [prior * (1 - tpr) * self.fn + (1 - prior) * fpr * self.fp for prior in priors]
        return np.maximum(*costs)

    def limit(self, rates: Rates, priors: PriorRange) -> float:
        return max(
            prior * self.fn + rates.upper_limit(-prior * self.fn, (1 - prior) * self.fp)
            for prior in priors
        )

    def if_worth_it(self, choice: Choice, priors: PriorRange, judged: str = "value") -> Choice:
        without_alerts = priors.high * self.fn
        cost = choice.known[judged]
        if cost < without_alerts:
            return choice
        kind = "least value" if judged == "value" else "upper limit"
        reason = (
            f"the {kind} of the cost is {cost:.4g}, but predicting nothing positive costs "
            f"{without_alerts:.4g}"
        )
        return Choice(None, reason, choice.method)
