"""Metrics of a decision, as functions of labels and predicted labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks, scores
from calibrated_metrics._messages import warn_the_caller
from calibrated_metrics.confusion import ConfusionMatrix, Values
from calibrated_metrics.functions.documentation import (
    Decisions,
    Rows,
    ZeroDivision,
    metric_function,
)
from calibrated_metrics.scores.facts import UndefinedMetricWarning, facts_of


def of_labels(
    score: Callable[..., Values],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> Values:
    """The metric of labels and predicted labels at each prior."""
    drawn = {"pos_label": pos_label, "sample_weight": sample_weight}
    matrix = ConfusionMatrix.from_predictions(y_true, y_pred, **drawn)
    return score(matrix if pi0 is None else matrix.at_prior(pi0), **options)


def of_decision(
    score: Callable[..., Values],
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    **options: Any,
) -> Values:
    """As `of_labels` for a metric of the library, with a value where it is undefined."""
    replacement = _replacement(zero_division, score)
    facts = facts_of(score)
    rows: Rows = {"pi0": pi0, "pos_label": pos_label, "sample_weight": sample_weight}
    values = np.asarray(of_labels(facts.of_matrices, y_true, y_pred, **rows, **options))
    undefined = np.isnan(values)
    if undefined.any():
        if zero_division == "warn":
            warn_the_caller(
                f"{facts.name} is undefined and set to {replacement:g}: {facts.undefined}; set "
                "zero_division to choose the value",
                UndefinedMetricWarning,
            )
        values = np.where(undefined, replacement, values)
    return float(values) if values.ndim == 0 else values


_LIKELIHOOD_RATIOS = scores.positive_likelihood_ratio, scores.negative_likelihood_ratio


def _replacement(zero_division: Any, score: Callable[..., Values]) -> float:
    """The value of an undefined score. For a likelihood ratio it is 1, which is uninformative."""
    if isinstance(zero_division, str) and zero_division == "warn":
        return 1.0 if score in _LIKELIHOOD_RATIOS else 0.0
    is_number = isinstance(zero_division, int | float)
    if is_number and (zero_division in (0, 1) or zero_division != zero_division):
        return float(zero_division)
    raise ValueError(
        f'zero_division must be "warn", 0, 1 or nan, got {_checks.shown(zero_division)}'
    )


@metric_function(scores.precision, of_decision)
def precision_score(y_true: ArrayLike, y_pred: ArrayLike, **rows: Unpack[Decisions]) -> Values:
    """>>> from calibrated_metrics import precision_score
    >>> precision_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.666..., 0.019...])
    """
    return of_decision(scores.precision, y_true, y_pred, **rows)


@metric_function(scores.recall, of_decision)
def recall_score(y_true: ArrayLike, y_pred: ArrayLike, **rows: Unpack[Decisions]) -> Values:
    """>>> from calibrated_metrics import recall_score
    >>> recall_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.5, 0.5])
    """
    return of_decision(scores.recall, y_true, y_pred, **rows)


@metric_function(scores.fbeta, of_decision)
def f1_score(y_true: ArrayLike, y_pred: ArrayLike, **rows: Unpack[Decisions]) -> Values:
    """>>> from calibrated_metrics import f1_score
    >>> f1_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.571..., 0.038...])
    """
    return of_decision(scores.fbeta, y_true, y_pred, beta=1.0, **rows)


@metric_function(scores.specificity, of_decision)
def specificity_score(y_true: ArrayLike, y_pred: ArrayLike, **rows: Unpack[Decisions]) -> Values:
    """>>> from calibrated_metrics import specificity_score
    >>> specificity_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.75, 0.75])
    """
    return of_decision(scores.specificity, y_true, y_pred, **rows)


@metric_function(scores.npv, of_decision)
def npv_score(y_true: ArrayLike, y_pred: ArrayLike, **rows: Unpack[Decisions]) -> Values:
    """>>> from calibrated_metrics import npv_score
    >>> npv_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.6..., 0.993...])
    """
    return of_decision(scores.npv, y_true, y_pred, **rows)


@metric_function(scores.positive_likelihood_ratio, of_decision)
def positive_likelihood_ratio_score(
    y_true: ArrayLike, y_pred: ArrayLike, **rows: Unpack[Decisions]
) -> Values:
    """>>> from calibrated_metrics import positive_likelihood_ratio_score
    >>> positive_likelihood_ratio_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([2., 2.])
    """
    return of_decision(scores.positive_likelihood_ratio, y_true, y_pred, **rows)


@metric_function(scores.negative_likelihood_ratio, of_decision)
def negative_likelihood_ratio_score(
    y_true: ArrayLike, y_pred: ArrayLike, **rows: Unpack[Decisions]
) -> Values:
    """>>> from calibrated_metrics import negative_likelihood_ratio_score
    >>> negative_likelihood_ratio_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.666..., 0.666...])
    """
    return of_decision(scores.negative_likelihood_ratio, y_true, y_pred, **rows)


@metric_function(scores.balanced_accuracy, of_decision)
def balanced_accuracy_score(
    y_true: ArrayLike, y_pred: ArrayLike, **rows: Unpack[Decisions]
) -> Values:
    """>>> from calibrated_metrics import balanced_accuracy_score
    >>> balanced_accuracy_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.625, 0.625])
    """
    return of_decision(scores.balanced_accuracy, y_true, y_pred, **rows)


@metric_function(scores.matthews_corrcoef, of_decision)
def matthews_corrcoef_score(
    y_true: ArrayLike, y_pred: ArrayLike, **rows: Unpack[Decisions]
) -> Values:
    """>>> from calibrated_metrics import matthews_corrcoef_score
    >>> matthews_corrcoef_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.258..., 0.057...])
    """
    return of_decision(scores.matthews_corrcoef, y_true, y_pred, **rows)


@metric_function(scores.cohen_kappa, of_decision)
def cohen_kappa_score(y_true: ArrayLike, y_pred: ArrayLike, **rows: Unpack[Decisions]) -> Values:
    """>>> from calibrated_metrics import cohen_kappa_score
    >>> cohen_kappa_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.25..., 0.019...])
    """
    return of_decision(scores.cohen_kappa, y_true, y_pred, **rows)


@metric_function(scores.fbeta, of_decision)
def fbeta_score(
    y_true: ArrayLike, y_pred: ArrayLike, *, beta: float = 1.0, **rows: Unpack[Decisions]
) -> Values:
    """>>> from calibrated_metrics import fbeta_score
    >>> fbeta_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], beta=2, pi0=[0.5, 0.01])
    array([0.526..., 0.085...])
    """
    return of_decision(scores.fbeta, y_true, y_pred, beta=beta, **rows)


@metric_function(scores.accuracy, of_labels)
def accuracy_score(y_true: ArrayLike, y_pred: ArrayLike, **rows: Unpack[Rows]) -> Values:
    """>>> from calibrated_metrics import accuracy_score
    >>> accuracy_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.625 , 0.7475])
    """
    return of_labels(scores.accuracy, y_true, y_pred, **rows)


@metric_function(scores.net_benefit, of_labels)
def net_benefit_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    threshold_probability: float | ArrayLike,
    **rows: Unpack[Rows],
) -> Values:
    """>>> from calibrated_metrics import net_benefit_score
    >>> y_true, y_pred = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    >>> net_benefit_score(y_true, y_pred, threshold_probability=0.2, pi0=[0.5, 0.1])
    array([ 0.21875, -0.00625])
    """
    return of_labels(
        scores.net_benefit, y_true, y_pred, threshold_probability=threshold_probability, **rows
    )
