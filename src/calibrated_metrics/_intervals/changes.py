"""Intervals of a change between two independent samples, and of its prior part and model part.

Each of the three is a function of four independent quantities: the scores of both samples and both
priors. Each quantity moves it to limits. The squares of the moves are added (MOVER).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from calibrated_metrics import _checks
from calibrated_metrics._intervals.asked import Settings
from calibrated_metrics._intervals.curves import OfCurve
from calibrated_metrics._intervals.estimate import Estimate, estimated_prior, prior_limits
from calibrated_metrics._intervals.limits import Arm, LimitsAt, Rate, no_limits, quantile, wilson
from calibrated_metrics._intervals.matrices import OfMatrix
from calibrated_metrics._intervals.results import AtPriors, Result

__all__ = ["Parts", "PeriodPrior", "parts_of_change"]

Pair: TypeAlias = tuple[float, float]
Problem: TypeAlias = OfCurve | OfMatrix


class PeriodPrior(NamedTuple):
    """The prior of a period with its error."""

    value: float
    standard_error: float = 0.0
    limits_at: LimitsAt | None = None  # None: the prior is known

    @classmethod
    def estimated(cls, estimate: Estimate) -> PeriodPrior:
        value = estimated_prior("pi0", estimate)
        error = float(estimate.standard_error)
        return cls(value, error, functools.partial(prior_limits, estimate))

    @classmethod
    def of_counts(cls, n_pos: float, n_neg: float) -> PeriodPrior:
        """The share of positives in a sample with random class counts."""
        n = n_pos + n_neg
        share = n_pos / n
        standard_error = math.sqrt(share * (1 - share) / n)
        return cls(share, standard_error, functools.partial(_wilson_at, Rate(share, n)))


def _wilson_at(rate: Rate, level: float) -> Pair:
    return wilson(rate, quantile(level))


class Parts(NamedTuple):
    """A change and its parts. The values of both parts add up exactly to that of the total."""

    total: Result
    prior: Result
    model: Result


class _Weights(NamedTuple):
    """Weights of a score at the priors before and after, and the sign of the earlier sample."""

    before: Pair
    after: Pair
    sign: float


_TOTAL = _Weights((1.0, 0.0), (0.0, 1.0), -1.0)
_PRIOR = _Weights((-0.5, 0.5), (-0.5, 0.5), 1.0)
_MODEL = _Weights((0.5, 0.5), (0.5, 0.5), -1.0)


def parts_of_change(
    before: Problem, after: Problem, priors: tuple[PeriodPrior, PeriodPrior], settings: Settings
) -> Parts:
    """The total change, and each part as the mean of its values in the two possible orders."""
    total, prior, model = (
        _Sum(before, after, priors, weights).result(settings)
        for weights in (_TOTAL, _PRIOR, _MODEL)
    )
    of_model = total.value - prior.value
    # The total is rounded once more, so that the parts add up to it exactly.
    return Parts(
        total._replace(value=prior.value + of_model), prior, model._replace(value=of_model)
    )


@dataclass(frozen=True, eq=False)
class _Sum:
    """A weighted sum of the score of two samples at two priors."""

    before: Problem
    after: Problem
    priors: tuple[PeriodPrior, PeriodPrior]
    weights: _Weights

    def result(self, settings: Settings) -> Result:
        old, new = (prior.value for prior in self.priors)
        of_before, of_after = (
            problem.weighted(_at((old, new), weights), settings)
            for problem, weights in (
                (self.before, self.weights.before),
                (self.after, self.weights.after),
            )
        )
        for name, each in (("before", of_before), ("after", of_after)):
            _checks.real_number(f"the score of {name}", each.value)
        value = self.weights.sign * of_before.value + of_after.value
        errors = [of_before.standard_error, of_after.standard_error]
        errors += [
            self._slope(index) * prior.standard_error for index, prior in enumerate(self.priors)
        ]
        reason = of_before.reason or of_after.reason
        return Result(
            value,
            math.hypot(*errors),
            no_limits if reason else _SumLimits(self, value, of_before.arm, of_after.arm),
            "mover" if of_before.method == "mover" else f"mover of {of_before.method}",
            (
                *(f"before: {remark}" for remark in of_before.remarks),
                *(f"after: {remark}" for remark in of_after.remarks),
            ),
            reason,
        )

    @property
    def reach(self) -> float:
        """Largest possible absolute value."""
        low, high = self.before.asked.bounds
        return high - low

    def value_at(self, index: int, prior: float) -> float:
        """The sum if the prior of `before` (0) or of `after` (1) is another."""
        priors = [each.value for each in self.priors]
        priors[index] = prior
        of_before, of_after = (
            at.sum(map(problem.value_at, at.priors))
            for problem, at in (
                (self.before, _at(priors, self.weights.before)),
                (self.after, _at(priors, self.weights.after)),
            )
        )
        return float(self.weights.sign * of_before + of_after)

    def _slope(self, index: int) -> float:
        """Derivative by one of the priors."""
        prior = self.priors[index]
        if prior.limits_at is None:
            return 0.0
        # A secant over the error, because some scores are step functions of the prior.
        step = min(prior.standard_error or 1.0, min(prior.value, 1 - prior.value) / 2)
        above, below = (self.value_at(index, prior.value + move) for move in (step, -step))
        return (above - below) / (2 * step)


def _at(priors: Sequence[float], weights: Pair) -> AtPriors:
    used = [index for index, weight in enumerate(weights) if weight != 0]
    return AtPriors(tuple(priors[index] for index in used), tuple(weights[index] for index in used))


@dataclass(frozen=True, eq=False)
class _SumLimits:
    sum: _Sum
    value: float
    before: Arm
    after: Arm

    def __call__(self, level: float) -> Pair:
        moves = [_distances(self.before, level), _distances(self.after, level)]
        sign = self.sum.weights.sign
        if sign < 0:
            moves[0] = moves[0][::-1]
        for index, prior in enumerate(self.sum.priors):
            if prior.limits_at is not None:
                values = [self.sum.value_at(index, limit) for limit in prior.limits_at(level)]
                moves.append((self.value - min(values), max(values) - self.value))
        down, up = (
            math.hypot(*(max(move, 0.0) for move in side)) for side in zip(*moves, strict=True)
        )
        centre, reach = sign * self.before.centre + self.after.centre, self.sum.reach
        low, high = min(centre - down, self.value), max(centre + up, self.value)
        return max(low, -reach), min(high, reach)


def _distances(arm: Arm, level: float) -> Pair:
    low, high = arm.limits_at(level)
    return arm.centre - low, high - arm.centre
