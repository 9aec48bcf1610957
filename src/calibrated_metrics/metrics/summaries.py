"""Summaries of all four outcomes of predicted labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import scores
from calibrated_metrics.confusion import Values
from calibrated_metrics.metrics._arguments import (
    ZeroDivision,
    matrix_of,
    undefined_value,
    value_where_undefined,
)

__all__ = [
    "accuracy_score",
    "balanced_accuracy_score",
    "cohen_kappa_score",
    "matthews_corrcoef_score",
    "net_benefit_score",
]


def accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Accuracy of predicted labels.

    At a reference prior it is ``π₀ recall + (1 - π₀) specificity``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_pred : array-like of shape (n_samples,)
        Predicted labels, of the same two values as `y_true`.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]; 1 is perfect.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; predictions, weights or priors outside their
        range; lengths that differ; empty input.

    Examples
    --------
    >>> from calibrated_metrics import accuracy_score
    >>> y_true, y_pred = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    >>> accuracy_score(y_true, y_pred)
    0.666...
    >>> accuracy_score(y_true, y_pred, pi0=[0.5, 0.01])
    array([0.625 , 0.7475])
    """
    matrix = matrix_of(y_true, y_pred, pos_label, sample_weight, pi0)
    return scores.accuracy(matrix)


def balanced_accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Balanced accuracy of predicted labels: the mean of recall and specificity.

    It is the same at every prior.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_pred : array-like of shape (n_samples,)
        Predicted labels, of the same two values as `y_true`.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]; 1 is perfect.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; predictions, weights or priors outside their
        range; lengths that differ; empty input.

    Examples
    --------
    >>> from calibrated_metrics import balanced_accuracy_score
    >>> y_true, y_pred = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    >>> balanced_accuracy_score(y_true, y_pred)
    0.625
    """
    matrix = matrix_of(y_true, y_pred, pos_label, sample_weight, pi0)
    return scores.balanced_accuracy(matrix)


def matthews_corrcoef_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """Matthews correlation coefficient (MCC, phi) of labels and predicted labels.

    With sensitivity TPR, false positive rate FPR and the alert rate a = π₀ TPR + (1 - π₀) FPR, it
    is ``(TPR - FPR) √(π₀ (1 - π₀) / (a (1 - a)))``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_pred : array-like of shape (n_samples,)
        Predicted labels, of the same two values as `y_true`.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.
    zero_division : "warn", 0, 1 or nan, default="warn"
        Value if all samples have the same predicted label; "warn" gives 0 with an
        `UndefinedMetricWarning`.

    Returns
    -------
    float or ndarray of shape (n_priors,), in [-1, 1]
        1 is perfect; 0 for predictions that ignore the class.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; predictions, weights or priors outside
        their range; lengths that differ; empty input.

    References
    ----------
    Matthews, Biochimica et Biophysica Acta 1975, doi:10.1016/0005-2795(75)90109-9.

    Examples
    --------
    >>> from calibrated_metrics import matthews_corrcoef_score
    >>> y_true, y_pred = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    >>> matthews_corrcoef_score(y_true, y_pred, pi0=[0.5, 0.01])
    array([0.25819889, 0.05725604])
    """
    undefined = undefined_value(zero_division, 0.0)
    matrix = matrix_of(y_true, y_pred, pos_label, sample_weight, pi0)
    if np.all(matrix.tp + matrix.fp == 0) or np.all(matrix.tn + matrix.fn == 0):
        return value_where_undefined(
            "matthews_corrcoef", "all samples have the same predicted label", undefined, matrix
        )
    return scores.matthews_corrcoef(matrix)


def cohen_kappa_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Cohen's kappa of labels and predicted labels: agreement beyond chance.

    With sensitivity TPR, false positive rate FPR and the alert rate a = π₀ TPR + (1 - π₀) FPR, it
    is ``2 π₀ (1 - π₀) (TPR - FPR) / (π₀ (1 - a) + (1 - π₀) a)``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_pred : array-like of shape (n_samples,)
        Predicted labels, of the same two values as `y_true`.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in [-1, 1]
        1 is perfect; 0 for predictions that ignore the class.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; predictions, weights or priors outside
        their range; lengths that differ; empty input.

    References
    ----------
    Cohen, Educational and Psychological Measurement 1960, doi:10.1177/001316446002000104.

    Examples
    --------
    >>> from calibrated_metrics import cohen_kappa_score
    >>> y_true, y_pred = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    >>> cohen_kappa_score(y_true, y_pred, pi0=[0.5, 0.01])
    array([0.25      , 0.01922703])
    """
    matrix = matrix_of(y_true, y_pred, pos_label, sample_weight, pi0)
    return scores.cohen_kappa(matrix)


def net_benefit_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    threshold_probability: float,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Net benefit of predicted labels, as in decision curve analysis.

    At a reference prior it is ``π₀ TPR - (1 - π₀) FPR p / (1 - p)``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_pred : array-like of shape (n_samples,)
        Predicted labels, of the same two values as `y_true`.
    threshold_probability : float in (0, 1)
        Probability p of the positive class at which treating and not treating are equally good. A
        false positive costs the share p / (1 - p) of the benefit of a true positive.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in (-inf, 1)
        The greatest possible value is the prior; 0 if nothing is predicted positive.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; predictions, weights, options or priors
        outside their range; lengths that differ; empty input.

    References
    ----------
    Vickers & Elkin, Medical Decision Making 2006, doi:10.1177/0272989X06295361.

    Examples
    --------
    >>> from calibrated_metrics import net_benefit_score
    >>> y_true, y_pred = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    >>> net_benefit_score(y_true, y_pred, threshold_probability=0.2, pi0=[0.5, 0.1])
    array([ 0.21875, -0.00625])
    """
    matrix = matrix_of(y_true, y_pred, pos_label, sample_weight, pi0)
    return scores.net_benefit(matrix, threshold_probability)
