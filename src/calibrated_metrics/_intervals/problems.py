"""The problem of a score on given data: what `uncertainty` and `comparison` answer."""

from __future__ import annotations

import dataclasses

from calibrated_metrics._intervals.asked import Asked
from calibrated_metrics._intervals.curves import OfCurve
from calibrated_metrics._intervals.matrices import OfMatrix
from calibrated_metrics._intervals.samples import CurveSample, RowSample
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix

__all__ = ["problem_of", "problem_of_rows"]


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
    own = data.uncalibrated.confusion_matrix(asked.required_threshold)
    return dataclasses.replace(OfMatrix.of(asked, own, name), own_prior=data.prior)


def problem_of_rows(asked: Asked, rows: RowSample) -> OfCurve | OfMatrix:
    if not asked.of_matrix:
        return OfCurve(asked, rows)
    predicted = rows.scores >= asked.required_threshold
    return OfMatrix(
        asked,
        rows.curve.confusion_matrix(asked.required_threshold),
        rows.rate(predicted, True),
        rows.rate(predicted, False),
        rows.curve.prior,
        rows,
    )
