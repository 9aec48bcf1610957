"""From labels and predictions to the value of a metric: the functions that take rows."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _numbers
from calibrated_metrics._messages import shown, warn_the_caller
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix, Values
from calibrated_metrics.scores.facts import Facts, UndefinedMetricWarning, facts_of

__all__ = ["Priors", "ZeroDivision", "defined_value", "value_of"]

Priors: TypeAlias = float | ArrayLike | None
ZeroDivision: TypeAlias = Literal["warn"] | float


def value_of(
    metric: str | Callable[..., Any] | Facts,
    y_true: ArrayLike,
    predictions: ArrayLike,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> Values:
    """The metric of labels and scores, or of labels and predicted labels, at each prior.

    A metric that is undefined raises an error.
    """
    facts = facts_of(metric)
    kind = ConfusionCurve if facts.of == "curve" else ConfusionMatrix
    drawn = {"pos_label": pos_label, "sample_weight": sample_weight}
    data = kind.from_predictions(y_true, predictions, **drawn)
    priors = None if pi0 is None else _numbers.one_or_more("pi0", pi0, _numbers.priors)
    at = [data] if priors is None else [data.at_prior(prior) for prior in np.ravel(priors)]
    values = [facts.value(each, options) for each in at]
    for doubt in facts.doubts(at[0], options):
        warn_the_caller(doubt, UserWarning)
    return np.array(values) if isinstance(priors, np.ndarray) else values[0]


def defined_value(
    metric: str,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    pi0: Priors,
    pos_label: Any,
    sample_weight: ArrayLike | None,
    zero_division: ZeroDivision = "warn",
    **options: Any,
) -> Values:
    """The metric of labels and predicted labels at each prior, or `zero_division` if undefined."""
    facts = facts_of(metric)
    drawn = {"pos_label": pos_label, "sample_weight": sample_weight}
    matrix = ConfusionMatrix.from_predictions(y_true, y_pred, **drawn)
    replacement = _replacement(facts, zero_division)
    values = facts.values(matrix if pi0 is None else matrix.at_prior(pi0), options)
    if np.isnan(values).any() and isinstance(zero_division, str):
        name = "f1" if options.get("beta") == 1 else facts.name
        warn_the_caller(
            f"{name} is undefined and set to {replacement:g}: {facts.undefined}; set zero_division "
            "to choose the value",
            UndefinedMetricWarning,
        )
    values = np.where(np.isnan(values), replacement, values)
    return float(values) if values.ndim == 0 else values


def _replacement(facts: Facts, zero_division: Any) -> float:
    """The value that an undefined metric gets."""
    if isinstance(zero_division, str) and zero_division == "warn":
        return facts.replacement
    is_number = isinstance(zero_division, Real) and not isinstance(zero_division, np.timedelta64)
    if is_number and (zero_division in (0, 1) or zero_division != zero_division):
        return float(zero_division)
    raise ValueError(f'zero_division must be "warn", 0, 1 or nan, got {shown(zero_division)}')
