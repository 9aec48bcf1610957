"""Intervals of scores of a confusion matrix, by square-and-add."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibrated_metrics._checks import FloatArray
from calibrated_metrics._intervals.asked import Asked, Settings
from calibrated_metrics._intervals.limits import Rate, SquareAndAdd
from calibrated_metrics._intervals.results import AtPriors, PriorError, RateOfRows, Result
from calibrated_metrics._intervals.samples import RowSample
from calibrated_metrics.confusion import ConfusionMatrix
from calibrated_metrics.scores._undefined import without_warnings

__all__ = ["OfMatrix"]


@dataclass(frozen=True, eq=False)
class OfMatrix:
    """A score of a confusion matrix."""

    asked: Asked
    matrix: ConfusionMatrix
    tpr: Rate
    fpr: Rate
    own_prior: float
    rows: RowSample | None = None

    @classmethod
    def of(cls, asked: Asked, matrix: ConfusionMatrix, name: str) -> OfMatrix:
        if np.ndim(matrix.tp) != 0:
            raise ValueError(f"{name} must be a single confusion matrix, got a stack of them")
        outcomes = matrix.tp, matrix.fp, matrix.fn, matrix.tn
        if any(weight != round(weight) for weight in map(float, outcomes)):
            raise ValueError(
                f"{name} must count whole samples, got {matrix!r}; pass the matrix before "
                "calibration and the prior in pi0; for weighted rows, use "
                "interval_from_predictions"
            )
        n_pos, n_neg = float(matrix.n_pos), float(matrix.n_neg)
        if n_pos == 0 or n_neg == 0:
            raise ValueError(f"{name} must hold samples of both classes, got {matrix!r}")
        tpr, fpr = Rate(float(matrix.tp) / n_pos, n_pos), Rate(float(matrix.fp) / n_neg, n_neg)
        return cls(asked, matrix, tpr, fpr, float(matrix.prior))

    def result(
        self, pi0: float | None, settings: Settings, prior: PriorError | None = None
    ) -> Result:
        _only_auto(self.asked, settings)
        pi0 = self.asked.prior(pi0, self.own_prior)
        by_tpr, by_fpr, by_prior = self._slopes(pi0)
        of_tpr, of_fpr, correlation, df = self._errors()
        variance = (by_tpr * of_tpr) ** 2 + (by_fpr * of_fpr) ** 2
        variance += 2 * correlation * by_tpr * of_tpr * by_fpr * of_fpr
        if prior is not None:
            variance += (by_prior * float(prior.estimate.standard_error)) ** 2
        limits_at = SquareAndAdd(
            functools.partial(_of_rates, self.asked),
            self.tpr,
            self.fpr,
            pi0,
            None if prior is None else prior.limits,
            self.asked.scale,
            self.asked.bounds,
            correlation,
            df,
        )
        value = self._value(pi0)
        standard_error = math.inf if math.isinf(value) else math.sqrt(max(variance, 0.0))
        # Half a sample, by which the rates are moved off their ends, can move the score far.
        centre = float(_of_rates(self.asked, *self._point(pi0)[:, np.newaxis])[0])
        result = Result(value, standard_error, limits_at, "mover", centre=centre)
        if self.rows is None:
            return result
        errors = self._row_errors(self.rows)
        rates = (
            RateOfRows(by_tpr, errors[0], self.tpr.n),
            RateOfRows(by_fpr, errors[1], self.fpr.n),
        )
        return result._replace(contributions=by_tpr * errors[0] + by_fpr * errors[1], rates=rates)

    def weighted(self, at: AtPriors, settings: Settings) -> Result:
        """A sum of the score at known priors, for independent rows."""
        _only_auto(self.asked, settings)
        scale = at.scale(self.asked)
        function = functools.partial(_sum_of_rates, self.asked, at)
        limits_at = SquareAndAdd(
            function,
            self.tpr,
            self.fpr,
            at.priors[0],
            None,
            scale,
            (scale.low, scale.high),
            correlation=0.0,
            df=math.inf,
        )
        point = self._point(at.priors[0])
        by_tpr, by_fpr, _ = _derivatives(function, point)
        of_tpr, of_fpr, _, _ = self._errors()
        standard_error = math.hypot(by_tpr * of_tpr, by_fpr * of_fpr)
        value = at.sum(map(self.value_at, at.priors))
        centre = float(function(*point[:, np.newaxis])[0])
        return Result(value, standard_error, limits_at, "mover", centre=centre)

    def value_at(self, pi0: float | None) -> float:
        return self._value(self.asked.prior(pi0, self.own_prior))

    def _value(self, pi0: float) -> float:
        at_prior = self.matrix if pi0 == self.matrix.prior else self.matrix.at_prior(pi0)
        return self.asked.value_of(at_prior)

    def _slopes(self, pi0: float) -> tuple[float, float, float]:
        """Derivatives of the score by TPR, FPR and prior."""
        return _derivatives(functools.partial(_of_rates, self.asked), self._point(pi0))

    def _point(self, pi0: float) -> FloatArray:
        """TPR and FPR, each at least half a sample away from 0 and 1, and the prior."""
        return np.array([self.tpr.off_the_ends, self.fpr.off_the_ends, pi0])

    def _row_errors(self, rows: RowSample) -> tuple[FloatArray, FloatArray]:
        predicted = rows.predicted(self.asked.required_threshold)
        return (
            rows.contributions_to_rate(predicted, True),
            rows.contributions_to_rate(predicted, False),
        )

    def _errors(self) -> tuple[float, float, float, float]:
        """Standard errors of both rates, their correlation and the degrees of freedom."""
        of_tpr, of_fpr = (
            math.sqrt(rate.share * (1 - rate.share) / rate.n) for rate in (self.tpr, self.fpr)
        )
        if self.rows is None or self.rows.group is None:
            return of_tpr, of_fpr, 0.0, math.inf
        contributions = self._row_errors(self.rows)
        correlation = self.rows.correlation(*contributions)
        return of_tpr, of_fpr, correlation, self.rows.df


def _only_auto(asked: Asked, settings: Settings) -> None:
    if settings.method != "auto":
        raise ValueError(
            f'method must be "auto" for the score {asked.name!r} of a confusion matrix, '
            f"got {settings.method!r}"
        )


def _derivatives(
    function: Callable[[FloatArray, FloatArray, FloatArray], FloatArray], point: FloatArray
) -> tuple[float, float, float]:
    """Derivatives of a function of TPR, FPR and prior."""
    step = 1e-6 * np.minimum(point, 1 - point)
    points = point + np.concatenate([np.diag(step), np.diag(-step)])
    values = function(*points.T)
    by_tpr, by_fpr, by_prior = (values[:3] - values[3:]) / (2 * step)
    return float(by_tpr), float(by_fpr), float(by_prior)


def _sum_of_rates(
    asked: Asked, at: AtPriors, tpr: FloatArray, fpr: FloatArray, prior: FloatArray
) -> FloatArray:
    """The weighted sum at known priors; `prior` is not used."""
    total: FloatArray = at.sum(
        _of_rates(asked, tpr, fpr, np.full_like(tpr, pi0)) for pi0 in at.priors
    )
    return total


def _of_rates(asked: Asked, tpr: FloatArray, fpr: FloatArray, prior: FloatArray) -> FloatArray:
    """The score of the confusion matrices with these rates and priors."""
    matrices = ConfusionMatrix.from_rates(tpr, fpr, prior)
    with without_warnings():
        return np.asarray(asked(matrices), dtype=np.float64)
