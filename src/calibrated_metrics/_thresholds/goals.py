"""Goals of a choice of threshold: constraints and objectives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _checks, scores
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._thresholds import certification, rates
from calibrated_metrics._thresholds.certification import Ranking
from calibrated_metrics._thresholds.priors import Priors
from calibrated_metrics.confusion import ConfusionMatrix

METHODS = {
    "fixed_sequence": ("fixed sequence of binomial tests", certification.fixed_sequence),
    "simultaneous": ("boundary for all thresholds at once", certification.simultaneous),
}
"""Tests of a minimum precision: what each is, and its procedure."""

_INCLUDED = "the choice of the threshold is included"
_UNIFORM = "limits that hold at all thresholds at once"
_EMPIRICAL = "the optimum on this sample, without a guarantee; it is optimistic"


class Found(NamedTuple):
    """What a goal found: the index of the chosen threshold, or None and the reason."""

    chosen: int | None
    reason: str
    method: str = ""
    value: float = math.nan
    value_limit: float = math.nan
    precision_low: float | None = None
    recall_low: float | None = None
    alerts_needed: int | None = None
    alerts_available: int | None = None


class Goal(Protocol):
    @property
    def two_sided(self) -> bool:
        """Whether the result can be worse at either end of a range of priors."""

    def empirical(self, ranking: Ranking, priors: Priors) -> Found: ...

    def certified(self, ranking: Ranking, priors: Priors, alpha: float, method: str) -> Found: ...


def goal_of(
    min_precision: float | None,
    min_recall: float | None,
    max_alert_rate: float | None,
    beta: float | None,
    cost_fp: float | None,
    cost_fn: float | None,
) -> Goal:
    if (cost_fp is None) != (cost_fn is None):
        raise ValueError(f"cost_fp and cost_fn must be given together, got {cost_fp} and {cost_fn}")
    goals: list[Goal] = []
    if min_precision is not None:
        goals.append(MinPrecision(_checks.open_unit("min_precision", min_precision)))
    if min_recall is not None:
        goals.append(MinRecall(_checks.open_unit("min_recall", min_recall)))
    if max_alert_rate is not None:
        goals.append(MaxAlertRate(_checks.open_unit("max_alert_rate", max_alert_rate)))
    if beta is not None:
        goals.append(BestFbeta(_checks.positive_number("beta", beta)))
    if cost_fp is not None and cost_fn is not None:
        goals.append(
            LeastCost(
                _checks.positive_number("cost_fp", cost_fp),
                _checks.positive_number("cost_fn", cost_fn),
            )
        )
    if len(goals) != 1:
        got = " and ".join(map(str, goals)) or "none"
        raise ValueError(
            "exactly one of min_precision, min_recall, max_alert_rate, beta, or cost_fp with "
            f"cost_fn must be given, got {got}"
        )
    return goals[0]


@dataclass(frozen=True)
class MinPrecision:
    least: float
    two_sided = False

    def __str__(self) -> str:
        return f"precision >= {self.least:g}"

    def empirical(self, ranking: Ranking, priors: Priors) -> Found:
        precise = np.flatnonzero(
            rates.precision(*rates.observed(ranking), priors.low) >= self.least - 1e-12
        )
        return _empirical(self, precise[-1:])

    def certified(self, ranking: Ranking, priors: Priors, alpha: float, method: str) -> Found:
        true_to_false = self.least * (1 - priors.low) * ranking.n_pos
        false_to_true = (1 - self.least) * priors.low * ranking.n_neg / true_to_false
        if false_to_true == 0:
            raise ValueError(f"pi0={priors.low} and {self} give odds outside the range of float64")
        faultless = certification.fewest_faultless(false_to_true, alpha)
        found = Found(
            None,
            f"at least {faultless} alerts, all of them true, are needed to certify this precision, "
            f"and the sample has {ranking.n_pos} positives",
            method,
            precision_low=self.least,
            alerts_needed=faultless,
            alerts_available=ranking.n_pos,
        )
        if faultless > ranking.n_pos:
            return found
        odds = self.least * (1 - priors.low) / (priors.low * (1 - self.least))
        label, test = METHODS[method]
        outcome = test(ranking, odds, alpha)
        if outcome.loosest is not None:
            reason = f"{label}; {_INCLUDED}"
            return found._replace(chosen=outcome.loosest, reason=reason)
        return found._replace(
            reason=f"{outcome.true_alerts} of the first {outcome.alerts} alerts are true, but "
            f"{outcome.needed} are needed"
        )


@dataclass(frozen=True)
class MinRecall:
    least: float
    two_sided = False

    def __str__(self) -> str:
        return f"recall >= {self.least:g}"

    def empirical(self, ranking: Ranking, priors: Priors) -> Found:
        return _empirical(self, np.flatnonzero(ranking.tp >= ranking.n_pos * self.least - 1e-9)[:1])

    def certified(self, ranking: Ranking, priors: Priors, alpha: float, method: str) -> Found:
        counted = int(certification.least_significant(ranking.n_pos, self.least, alpha))
        if counted > ranking.n_pos:
            faultless = certification.fewest_faultless((1 - self.least) / self.least, alpha)
            return Found(
                None,
                f"at least {faultless} positives are needed to certify this recall at any "
                f"threshold, and the sample has {ranking.n_pos}",
                "order statistic",
            )
        return Found(
            int(ranking.tp.searchsorted(counted)),
            f"exact: {counted} of {ranking.n_pos} positives must reach the threshold; {_INCLUDED}",
            "order statistic",
            recall_low=self.least,
        )


@dataclass(frozen=True)
class MaxAlertRate:
    most: float
    two_sided = False

    def __str__(self) -> str:
        return f"alert rate <= {self.most:g}"

    def empirical(self, ranking: Ranking, priors: Priors) -> Found:
        alert_rates = rates.alert_rate(*rates.observed(ranking), priors.high)
        return _empirical(self, np.flatnonzero(alert_rates <= self.most + 1e-12)[-1:])

    def certified(self, ranking: Ranking, priors: Priors, alpha: float, method: str) -> Found:
        def limit_at(tp: float, fp: float) -> float:
            return rates.alert_rate_limit(tp, fp, ranking, priors.high, alpha)

        # The limit grows with both counts, so bisection finds the loosest threshold.
        n_within, n_upto = 0, len(ranking.tp)
        while n_within < n_upto:
            middle = (n_within + n_upto) // 2
            if limit_at(ranking.tp[middle], ranking.fp[middle]) <= self.most:
                n_within = middle + 1
            else:
                n_upto = middle
        if n_within:
            reason = f"MOVER with Clopper-Pearson limits; {_INCLUDED}"
            return Found(n_within - 1, reason, "mover")
        reason = (
            f"the strictest threshold has {ranking.alerts[0]:g} alerts in the sample and the upper "
            f"limit {limit_at(ranking.tp[0], ranking.fp[0]):.3g}; with {ranking.n_pos} positives "
            f"and {ranking.n_neg} negatives the limit is {limit_at(0, 0):.3g} even without an alert"
        )
        return Found(None, reason, "mover")


@dataclass(frozen=True)
class BestFbeta:
    beta: float
    two_sided = False

    def __str__(self) -> str:
        return f"best F-beta, beta = {self.beta:g},"

    def _values(self, tpr: FloatArray, fpr: FloatArray, pi0: float) -> FloatArray:
        return np.asarray(scores.fbeta(ConfusionMatrix.from_rates(tpr, fpr, pi0), self.beta))

    def empirical(self, ranking: Ranking, priors: Priors) -> Found:
        at = ranking.rise_ends
        values = self._values(*rates.observed(ranking, at), priors.low)
        best = int(np.argmax(values))
        return Found(int(at[best]), _EMPIRICAL, value=float(values[best]))

    def certified(self, ranking: Ranking, priors: Priors, alpha: float, method: str) -> Found:
        at = ranking.rise_ends
        values = self._values(*rates.observed(ranking, at), priors.low)
        limits = self._values(*rates.uniform_limits(ranking, at, alpha), priors.low)
        best = int(np.argmax(limits))
        return Found(
            int(at[best]),
            f"greatest lower limit; {_UNIFORM}",
            "uniform limits",
            value=float(values[best]),
            value_limit=float(limits[best]),
        )


@dataclass(frozen=True)
class LeastCost:
    fp: float
    fn: float
    two_sided = True

    def __str__(self) -> str:
        return f"least expected cost, cost_fp = {self.fp:g} and cost_fn = {self.fn:g},"

    def _values(self, tpr: FloatArray, fpr: FloatArray, priors: Priors) -> FloatArray:
        at_low, at_high = (pi0 * (1 - tpr) * self.fn + (1 - pi0) * fpr * self.fp for pi0 in priors)
        return np.maximum(at_low, at_high)

    def empirical(self, ranking: Ranking, priors: Priors) -> Found:
        values = self._values(*rates.observed(ranking, ranking.rise_ends), priors)
        found = self._least(ranking, values, values, priors)
        return found._replace(reason=found.reason or _EMPIRICAL, value_limit=math.nan)

    def certified(self, ranking: Ranking, priors: Priors, alpha: float, method: str) -> Found:
        at = ranking.rise_ends
        values = self._values(*rates.observed(ranking, at), priors)
        limits = self._values(*rates.uniform_limits(ranking, at, alpha), priors)
        found = self._least(ranking, values, limits, priors)
        reason = found.reason or f"least upper limit; {_UNIFORM}"
        return found._replace(reason=reason, method="uniform limits")

    def _least(
        self, ranking: Ranking, values: FloatArray, limits: FloatArray, priors: Priors
    ) -> Found:
        """The least limit, without a reason unless it is above the cost without alerts."""
        best = int(np.argmin(limits))
        without_alerts = priors.high * self.fn
        if limits[best] >= without_alerts:
            kind = "value" if limits is values else "upper limit"
            return Found(
                None,
                f"the least {kind} of the cost is {limits[best]:.4g}, but predicting nothing "
                f"positive costs {without_alerts:.4g}",
            )
        return Found(
            int(ranking.rise_ends[best]),
            "",
            value=float(values[best]),
            value_limit=float(limits[best]),
        )


def _empirical(goal: Goal, index: NDArray[np.intp]) -> Found:
    if index.size:
        return Found(int(index[0]), _EMPIRICAL)
    return Found(None, f"no threshold of this sample has {goal}")
