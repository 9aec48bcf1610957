"""Rates of predicted labels."""

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
    "f1_score",
    "fbeta_score",
    "negative_likelihood_ratio_score",
    "npv_score",
    "positive_likelihood_ratio_score",
    "precision_score",
    "recall_score",
    "specificity_score",
]


def precision_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """Precision of predicted labels, also called positive predictive value (PPV).

    At a reference prior π₀ it is ``TP / (TP + r FP)`` with ``r = π (1 - π₀) / (π₀ (1 - π))``, where
    π is the prior of the data.

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
        Value if nothing is predicted positive; "warn" gives 0 with an
        `UndefinedMetricWarning`.

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
    >>> from calibrated_metrics import precision_score
    >>> y_true, y_pred = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    >>> precision_score(y_true, y_pred, pi0=[0.5, 0.01])
    array([0.66666667, 0.01980198])
    """
    undefined = undefined_value(zero_division, 0.0)
    matrix = matrix_of(y_true, y_pred, pos_label, sample_weight, pi0)
    if np.all(matrix.tp + matrix.fp == 0):
        return value_where_undefined(
            "precision", "no sample is predicted positive", undefined, matrix
        )
    return scores.precision(matrix)


def recall_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """Recall of predicted labels, also called sensitivity or true positive rate.

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
    zero_division : "warn", 0, 1 or nan, default="warn"
        Accepted as in scikit-learn; recall is always defined, as both classes are present.

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
    >>> from calibrated_metrics import recall_score
    >>> y_true, y_pred = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    >>> recall_score(y_true, y_pred)
    0.5
    """
    undefined_value(zero_division, 0.0)
    matrix = matrix_of(y_true, y_pred, pos_label, sample_weight, pi0)
    return scores.recall(matrix)


def fbeta_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """F-beta of predicted labels.

    At a reference prior it is ``(1+β²) TP / ((1+β²) TP + β² FN + r FP)``, with r as in
    `precision_score`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_pred : array-like of shape (n_samples,)
        Predicted labels, of the same two values as `y_true`.
    beta : float > 0
        Weight of recall against precision.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.
    zero_division : "warn", 0, 1 or nan, default="warn"
        Accepted as in scikit-learn; F-beta is always defined, as both classes are present.

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 is perfect; 0 if nothing is predicted positive.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; predictions, weights or priors outside their
        range; lengths that differ; empty input.

    Examples
    --------
    >>> from calibrated_metrics import fbeta_score
    >>> y_true, y_pred = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    >>> fbeta_score(y_true, y_pred, beta=2)
    0.5
    >>> fbeta_score(y_true, y_pred, beta=2, pi0=[0.5, 0.01])
    array([0.526..., 0.085...])
    """
    undefined_value(zero_division, 0.0)
    matrix = matrix_of(y_true, y_pred, pos_label, sample_weight, pi0)
    return scores.fbeta(matrix, beta)


def f1_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """F1 of predicted labels: `fbeta_score` with beta 1.

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
        Accepted as in scikit-learn; F1 is always defined, as both classes are present.

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 is perfect; 0 if nothing is predicted positive.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; predictions, weights or priors outside their
        range; lengths that differ; empty input.

    Examples
    --------
    >>> from calibrated_metrics import f1_score
    >>> y_true, y_pred = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    >>> f1_score(y_true, y_pred)
    0.5
    >>> f1_score(y_true, y_pred, pi0=[0.5, 0.01])
    array([0.571..., 0.038...])
    """
    return fbeta_score(
        y_true,
        y_pred,
        beta=1.0,
        pi0=pi0,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
    )


def specificity_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Specificity of predicted labels, also called true negative rate.

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
    >>> from calibrated_metrics import specificity_score
    >>> y_true, y_pred = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    >>> specificity_score(y_true, y_pred)
    0.75
    """
    matrix = matrix_of(y_true, y_pred, pos_label, sample_weight, pi0)
    return scores.specificity(matrix)


def npv_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """Negative predictive value (NPV) of predicted labels.

    At a reference prior it is ``r TN / (r TN + FN)``, with r as in `precision_score`.

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
        Value if nothing is predicted negative; "warn" gives 0 with an
        `UndefinedMetricWarning`.

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
    >>> from calibrated_metrics import npv_score
    >>> y_true, y_pred = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    >>> npv_score(y_true, y_pred)
    0.75
    >>> npv_score(y_true, y_pred, pi0=[0.5, 0.01])
    array([0.6       , 0.993...])
    """
    undefined = undefined_value(zero_division, 0.0)
    matrix = matrix_of(y_true, y_pred, pos_label, sample_weight, pi0)
    if np.all(matrix.tn + matrix.fn == 0):
        return value_where_undefined("npv", "no sample is predicted negative", undefined, matrix)
    return scores.npv(matrix)


def positive_likelihood_ratio_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """Positive likelihood ratio (LR+) of predicted labels, TPR / FPR.

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
    zero_division : "warn", 0, 1 or nan, default="warn"
        Value if nothing is predicted positive; "warn" gives 1, the value of predictions that ignore
        the class, with an `UndefinedMetricWarning`.

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, inf]
        Greater is better: 1 for predictions that ignore the class, ``inf`` if no negative is
        predicted positive.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; predictions, weights or priors outside
        their range; lengths that differ; empty input.

    References
    ----------
    Deeks & Altman, "Diagnostic tests 4: likelihood ratios", BMJ 2004,
    doi:10.1136/bmj.329.7458.168.

    Examples
    --------
    >>> from calibrated_metrics import positive_likelihood_ratio_score
    >>> y_true, y_pred = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    >>> positive_likelihood_ratio_score(y_true, y_pred)
    2.0
    """
    undefined = undefined_value(zero_division, 1.0)
    matrix = matrix_of(y_true, y_pred, pos_label, sample_weight, pi0)
    if np.all(matrix.tp + matrix.fp == 0):
        return value_where_undefined(
            "positive_likelihood_ratio", "no sample is predicted positive", undefined, matrix
        )
    return scores.positive_likelihood_ratio(matrix)


def negative_likelihood_ratio_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """Negative likelihood ratio (LR-) of predicted labels, FNR / TNR.

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
    zero_division : "warn", 0, 1 or nan, default="warn"
        Value if nothing is predicted negative; "warn" gives 1, the value of predictions that ignore
        the class, with an `UndefinedMetricWarning`.

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, inf]
        Smaller is better: 0 is perfect, 1 for predictions that ignore the class, ``inf`` if all
        negatives and not all positives are predicted positive.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; predictions, weights or priors outside
        their range; lengths that differ; empty input.

    References
    ----------
    Deeks & Altman, "Diagnostic tests 4: likelihood ratios", BMJ 2004,
    doi:10.1136/bmj.329.7458.168.

    Examples
    --------
    >>> from calibrated_metrics import negative_likelihood_ratio_score
    >>> y_true, y_pred = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    >>> negative_likelihood_ratio_score(y_true, y_pred)
    0.666...
    """
    undefined = undefined_value(zero_division, 1.0)
    matrix = matrix_of(y_true, y_pred, pos_label, sample_weight, pi0)
    if np.all(matrix.tn + matrix.fn == 0):
        return value_where_undefined(
            "negative_likelihood_ratio", "no sample is predicted negative", undefined, matrix
        )
    return scores.negative_likelihood_ratio(matrix)
