"""The problem of a score on given data: what `uncertainty` and `comparison` answer."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

from calibrated_metrics._intervals.asked import Asked, Settings
from calibrated_metrics._intervals.curves import OfCurve
from calibrated_metrics._intervals.limits import no_limits
from calibrated_metrics._intervals.matrices import OfMatrix
from calibrated_metrics._intervals.results import PriorError, Result
from calibrated_metrics._intervals.samples import CurveSample, RowSample, check_rows
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix

__all__ = ["WithoutInterval", "problem_of", "problem_of_rows"]


def problem_of(
    asked: Asked, data: ConfusionCurve | ConfusionMatrix, name: str = "curve_or_matrix"
) -> OfCurve | OfMatrix:
    if isinstance(data, ConfusionMatrix):
        if asked.of_matrix is False:
            raise TypeError(f"{name} must be a ConfusionCurve for the score {asked.name!r}")
        if asked.threshold is not None:
            raise ValueError(
                f"{name} must be a ConfusionCurve for a Metric with a threshold, got {data!r}"
            )
        return OfMatrix.of(asked, data, name)
    if not isinstance(data, ConfusionCurve):
        raise TypeError(f"{name} must be a ConfusionCurve or a ConfusionMatrix, got {data!r}")
    if not asked.of_matrix:
        return OfCurve(asked, CurveSample(data, name))
    check_rows(data, name)
    own = data.counted.confusion_matrix(asked.required_threshold)
    return dataclasses.replace(OfMatrix.of(asked, own, name), own_prior=data.prior)


@dataclass(frozen=True, eq=False)
class WithoutInterval:
    """A score whose interval is withheld."""

    problem: OfCurve | OfMatrix
    reason: str

    def result(
        self, pi0: float | None, settings: Settings, prior: PriorError | None = None
    ) -> Result:
        result = self.problem.result(pi0, settings, prior)
        return Result(result.value, math.nan, no_limits, result.method, reason=self.reason)

    def value_at(self, pi0: float | None) -> float:
        return self.problem.value_at(pi0)


def problem_of_rows(asked: Asked, rows: RowSample) -> OfCurve | OfMatrix | WithoutInterval:
    problem = _problem_of_rows(asked, rows)
    if in_one_group := rows.class_in_one_group:
        return WithoutInterval(
            problem,
            f"all {in_one_group} are in one group, so the variation between groups is unknown; at "
            f"least two groups with {in_one_group} are needed",
        )
    return problem


def _problem_of_rows(asked: Asked, rows: RowSample) -> OfCurve | OfMatrix:
    if not asked.of_matrix:
        return OfCurve(asked, rows)
    predicted = rows.predicted(asked.required_threshold)
    return OfMatrix(
        asked,
        rows.curve.confusion_matrix(asked.required_threshold),
        rows.rate(predicted, True),
        rows.rate(predicted, False),
        rows.curve.prior,
        rows,
    )
