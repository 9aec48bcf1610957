"""Arguments that the metrics share: labels, scores, predictions, priors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks
from calibrated_metrics._warnings import warn_the_caller
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix, Values
from calibrated_metrics.scores import UndefinedMetricWarning

__all__ = [
    "ZeroDivision",
    "at_priors",
    "curve_of",
    "matrix_of",
    "undefined_value",
    "value_where_undefined",
]

ZeroDivision: TypeAlias = Literal["warn"] | float


def curve_of(
    y_true: ArrayLike, y_score: ArrayLike, pos_label: Any, sample_weight: ArrayLike | None
) -> ConfusionCurve:
    return ConfusionCurve.from_predictions(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
    )


def at_priors(
    score: Callable[[Any], float],
    data: ConfusionCurve | ConfusionMatrix,
    pi0: float | ArrayLike | None,
) -> Values:
    """The score of a curve or of a matrix at each prior."""
    if pi0 is None:
        return score(data)
    if _checks.dimensions("pi0", pi0) == 0:
        return score(data.at_prior(_checks.real_number("pi0", pi0)))
    return np.array([score(data.at_prior(prior)) for prior in _checks.priors("pi0", pi0)])


def matrix_of(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    pos_label: Any,
    sample_weight: ArrayLike | None,
    pi0: float | ArrayLike | None = None,
) -> ConfusionMatrix:
    """Confusion matrix of predicted labels; a stack of them for an array of priors."""
    rows = {"pos_label": pos_label, "sample_weight": sample_weight}
    matrix = ConfusionMatrix.from_predictions(y_true, y_pred, **rows)
    assert matrix.sample is not None
    _checks.both_classes("y_true", matrix.sample.positive)
    return matrix if pi0 is None else matrix.at_prior(pi0)


def undefined_value(zero_division: Any, otherwise: float) -> tuple[float, bool]:
    """Value of an undefined metric, and whether to warn of it."""
    if isinstance(zero_division, str) and zero_division == "warn":
        return otherwise, True
    if isinstance(zero_division, (int, float)) and (
        zero_division in (0, 1) or zero_division != zero_division
    ):
        return float(zero_division), False
    raise ValueError(
        f'zero_division must be "warn", 0, 1 or nan, got {_checks.shown(zero_division)}'
    )


def value_where_undefined(
    name: str, reason: str, undefined: tuple[float, bool], matrix: ConfusionMatrix
) -> Values:
    value, warns = undefined
    if warns:
        warn_the_caller(
            f"{name} is undefined and set to {value:g}: {reason}; set zero_division to choose the "
            "value",
            UndefinedMetricWarning,
        )
    return value if np.ndim(matrix.tp) == 0 else np.full(np.shape(matrix.tp), value)
