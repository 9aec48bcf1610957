"""Intervals of the difference of a score between two samples, or two models on the same rows."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics._intervals.asked import Settings
from calibrated_metrics._intervals.limits import DifferenceLimits, Scale, no_limits
from calibrated_metrics._intervals.results import (
    PriorError,
    Problem,
    Result,
    with_error_of_prior,
)
from calibrated_metrics._intervals.samples import RowSample

__all__ = ["Difference"]


@dataclass(frozen=True, eq=False)
class Difference:
    """The score of `a` less that of `b`: independent samples, or two models on the same rows."""

    a: Problem
    b: Problem
    rows: RowSample | None = None  # of both models, None for independent samples

    def result(
        self, pi0: float | None, settings: Settings, prior: PriorError | None = None
    ) -> Result:
        of_a, of_b = self._both(pi0, settings)
        for name, each in (("a", of_a), ("b", of_b)):
            _checks.real_number(f"the score of {name}", each.value)
        value = of_a.value - of_b.value
        method = "mover" if of_a.method == "mover" else f"mover of {of_a.method}"
        remarks = tuple(dict.fromkeys(of_a.remarks + of_b.remarks))
        if reason := of_a.reason or of_b.reason:
            return Result(value, math.nan, no_limits, method, remarks, reason)
        correlation = 0.0 if self.rows is None else self._correlation(of_a, of_b)
        variance = of_a.standard_error**2 + of_b.standard_error**2
        if correlation != 0:  # an infinite standard error has the correlation 0
            variance -= 2 * correlation * of_a.standard_error * of_b.standard_error
        limits_at = DifferenceLimits(
            of_a.arm, of_b.arm, _less_half_a_pair(self.rows, correlation, of_a, of_b)
        )
        result = Result(value, math.sqrt(max(variance, 0.0)), limits_at, method, remarks)
        if prior is None:
            return result
        return with_error_of_prior(result, self.value_at, prior, Scale(-math.inf, math.inf))

    def value_at(self, pi0: float | None) -> float:
        return self.a.value_at(pi0) - self.b.value_at(pi0)

    def _both(self, pi0: float | None, settings: Settings) -> tuple[Result, Result]:
        if self.rows is None:
            return self.a.result(pi0, settings), self.b.result(pi0, settings)
        # Generators in the same state draw the same rows for both models.
        seed = int(settings.generator.integers(2**63))
        of_a, of_b = (
            each.result(pi0, dataclasses.replace(settings, generator=np.random.default_rng(seed)))
            for each in (self.a, self.b)
        )
        return of_a, of_b

    def _correlation(self, of_a: Result, of_b: Result) -> float:
        if of_a.draws is not None and of_b.draws is not None:
            both = ~(np.isnan(of_a.draws) | np.isnan(of_b.draws))
            a, b = of_a.draws[both], of_b.draws[both]
            return float(np.corrcoef(a, b)[0, 1]) if a.std() * b.std() > 0 else 0.0
        assert self.rows is not None
        assert of_a.contributions is not None
        assert of_b.contributions is not None
        return self.rows.correlation(of_a.contributions, of_b.contributions)


def _less_half_a_pair(
    rows: RowSample | None, correlation: float, of_a: Result, of_b: Result
) -> float:
    """Correlation of two decisions on the same rows, with a correction of continuity.

    Half of a pair of rows that both decide alike is left out of the covariance of each rate
    (Newcombe 1998, method 10). Otherwise, the interval is too narrow with few positives.
    """
    standard_errors = of_a.standard_error * of_b.standard_error
    if rows is None or standard_errors == 0:
        return correlation
    left_out = 0.0
    for a, b in zip(of_a.rates, of_b.rates, strict=True):
        covariance = rows.covariance(a.contributions, b.contributions)
        left_out += a.slope * b.slope * min(max(covariance, 0.0), 0.5 / (a.n * b.n))
    return float(np.clip(correlation - left_out / standard_errors, -1, 1))
