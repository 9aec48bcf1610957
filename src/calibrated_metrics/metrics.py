"""Metrics with scikit-learn's signatures and a reference prior `pi0`.

Calibration scales the weight of the negatives so that the prior becomes `pi0` (Siblini et al.,
IDA 2020, doi:10.1007/978-3-030-44584-3_36). Metrics of a ranking take scores, `y_score`; metrics
of a decision take predicted labels, `y_pred`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _checks, scores, spaces
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix, Values
from calibrated_metrics.scores import UndefinedMetricWarning

__all__ = [
    "UndefinedMetricWarning",
    "accuracy_score",
    "achievable_pr_auc_score",
    "achievable_precision_recall_curve",
    "average_precision_score",
    "balanced_accuracy_score",
    "best_f1_score",
    "best_fbeta_score",
    "f1_score",
    "fbeta_score",
    "npv_score",
    "pr_auc_score",
    "precision_recall_curve",
    "precision_recall_gain_curve",
    "precision_score",
    "prg_auc_score",
    "recall_score",
    "roc_auc_score",
    "roc_curve",
    "specificity_score",
]

ZeroDivision: TypeAlias = Literal["warn"] | float


# ------------------------------------------------------------------------ metrics of a ranking


def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Average precision, the AUC-PR (with `pi0`: AUC-P_cR) of Siblini et al. (2020).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in (0, 1]; 1 is perfect.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights or priors outside their
        range; lengths that differ; empty input.

    See Also
    --------
    pr_auc_score : The exactly interpolated area.

    References
    ----------
    Siblini et al., IDA 2020, section 3, doi:10.1007/978-3-030-44584-3_36.

    Examples
    --------
    >>> from calibrated_metrics import average_precision_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> average_precision_score(y_true, y_score)
    0.83...
    >>> average_precision_score(y_true, y_score, pi0=[0.5, 0.01])
    array([0.875     , 0.51470588])
    """
    curve = _curve(y_true, y_score, pos_label, sample_weight)
    return _at_priors(scores.average_precision, curve, pi0)


def pr_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Area under the precision-recall curve with exact interpolation in count space.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in (0, 1]; 1 is perfect.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights or priors outside their
        range; lengths that differ; empty input.

    References
    ----------
    Davis & Goadrich, ICML 2006, section 3.2, doi:10.1145/1143844.1143874.
    """
    curve = _curve(y_true, y_score, pos_label, sample_weight)
    return _at_priors(scores.pr_auc, curve, pi0)


def achievable_pr_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Area under the achievable precision-recall curve, which belongs to the ROC convex hull.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in (0, 1]; 1 is perfect.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights or priors outside their
        range; lengths that differ; empty input.

    References
    ----------
    Davis & Goadrich, ICML 2006, Corollary 3.1, doi:10.1145/1143844.1143874.
    """
    curve = _curve(y_true, y_score, pos_label, sample_weight)
    return _at_priors(scores.achievable_pr_auc, curve, pi0)


def prg_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Signed area under the precision-recall-gain curve over recall gains from 0 to 1.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in (-inf, 1]; 1 is perfect, 0 for constant scores.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights or priors outside their
        range; lengths that differ; empty input.

    References
    ----------
    Flach & Kull, "Precision-Recall-Gain Curves: PR Analysis Done Right", NIPS 2015.

    Examples
    --------
    >>> from calibrated_metrics import prg_auc_score
    >>> prg_auc_score([1, 1, 0, 0, 0, 0, 0], [2, 1, 1, 1, 1, 1, 1], pi0=0.6)
    0.333...
    """
    curve = _curve(y_true, y_score, pos_label, sample_weight)
    return _at_priors(scores.prg_auc, curve, pi0)


def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Area under the ROC curve. Ties count half. The value is the same at every prior.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
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
        For labels that are not binary or lack a class; scores, weights or priors outside their
        range; lengths that differ; empty input.
    """
    curve = _curve(y_true, y_score, pos_label, sample_weight)
    return _at_priors(scores.roc_auc, curve, pi0)


def best_fbeta_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    beta: float = 1.0,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Largest F-beta over all thresholds.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    beta : float > 0, default=1.0
        Weight of recall against precision.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in (0, 1]; 1 is perfect.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights or priors outside their
        range; lengths that differ; empty input.
    """
    curve = _curve(y_true, y_score, pos_label, sample_weight)
    return _at_priors(lambda at: scores.best_fbeta(at, beta), curve, pi0)


def best_f1_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Largest F1 over all thresholds: `best_fbeta_score` with beta 1.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in (0, 1]; 1 is perfect.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights or priors outside their
        range; lengths that differ; empty input.
    """
    return best_fbeta_score(
        y_true, y_score, pi0=pi0, pos_label=pos_label, sample_weight=sample_weight
    )


# ----------------------------------------------------------------------- metrics of a decision


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

    At a reference prior it is ``TP / (TP + r FP)`` with ``r = π (1 - π₀) / (π₀ (1 - π))``.

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
    undefined = _zero_division(zero_division)
    matrix = _matrix(y_true, y_pred, pos_label, sample_weight, pi0)
    if np.all(matrix.tp + matrix.fp == 0):
        return _undefined("precision", "positive", undefined, matrix)
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
    """
    _zero_division(zero_division)
    matrix = _matrix(y_true, y_pred, pos_label, sample_weight, pi0)
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
    """
    _zero_division(zero_division)
    matrix = _matrix(y_true, y_pred, pos_label, sample_weight, pi0)
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
    """
    matrix = _matrix(y_true, y_pred, pos_label, sample_weight, pi0)
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
    """
    undefined = _zero_division(zero_division)
    matrix = _matrix(y_true, y_pred, pos_label, sample_weight, pi0)
    if np.all(matrix.tn + matrix.fn == 0):
        return _undefined("npv", "negative", undefined, matrix)
    return scores.npv(matrix)


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
    """
    matrix = _matrix(y_true, y_pred, pos_label, sample_weight, pi0)
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
    """
    matrix = _matrix(y_true, y_pred, pos_label, sample_weight, pi0)
    return scores.balanced_accuracy(matrix)


# -------------------------------------------------------------------------------------- curves


def precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Precision and recall at each threshold, in scikit-learn's order.

    Vertices inside a run of negatives are left out.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    pi0 : None or float in (0, 1), default=None
        Reference prior; None is the data's own prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    precision, recall : ndarray of shape (n_thresholds + 1,)
        By ascending threshold; recall descends. The last element, precision 1 and recall 0, has
        no threshold.
    thresholds : ndarray of shape (n_thresholds,)
        Element i predicts positive where ``y_score >= thresholds[i]``.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights or priors outside their
        range; lengths that differ; empty input.
    """
    curve = _calibrated(_curve(y_true, y_score, pos_label, sample_weight), pi0)
    return _from_lowest_threshold(curve)


def achievable_precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Precision and recall of the vertices of the ROC convex hull.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    pi0 : None or float in (0, 1), default=None
        Reference prior; None is the data's own prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    precision, recall : ndarray of shape (n_thresholds + 1,)
    thresholds : ndarray of shape (n_thresholds,)
        In the order of `precision_recall_curve`.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights or priors outside their
        range; lengths that differ; empty input.

    References
    ----------
    Davis & Goadrich, ICML 2006, Corollary 3.1, doi:10.1145/1143844.1143874.
    """
    curve = _calibrated(_curve(y_true, y_score, pos_label, sample_weight), pi0)
    return _from_lowest_threshold(curve.hull())


def precision_recall_gain_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Precision gain and recall gain at each threshold with a recall gain above 0.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    pi0 : None or float in (0, 1), default=None
        Reference prior; None is the data's own prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    precision_gain, recall_gain : ndarray of shape (n_thresholds + 1,)
        By ascending threshold; recall gain descends from 1. The last element is the crossing of
        recall gain 0, interpolated, and has no threshold.
    thresholds : ndarray of shape (n_thresholds,)
        Element i predicts positive where ``y_score >= thresholds[i]``.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights or priors outside their
        range; lengths that differ; empty input.

    References
    ----------
    Flach & Kull, "Precision-Recall-Gain Curves: PR Analysis Done Right", NIPS 2015.
    """
    curve = _calibrated(_curve(y_true, y_score, pos_label, sample_weight), pi0)
    recall_gain, precision_gain = spaces.precision_recall_gain(curve)
    n_thresholds = len(recall_gain) - 1
    thresholds = curve.thresholds[-n_thresholds:][::-1].copy()
    return precision_gain[::-1], recall_gain[::-1], thresholds


def roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """False and true positive rate at each threshold, the same at every prior.

    Vertices inside a run of negatives are left out.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    pi0 : None or float in (0, 1), default=None
        Reference prior; None is the data's own prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    fpr, tpr, thresholds : ndarray of shape (n_vertices,)
        By descending threshold; the first is ``inf``, where nothing is predicted positive.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights or priors outside their
        range; lengths that differ; empty input.
    """
    curve = _calibrated(_curve(y_true, y_score, pos_label, sample_weight), pi0)
    return (*spaces.roc(curve), curve.thresholds.copy())


# ------------------------------------------------------------------------------------- helpers


def _curve(
    y_true: ArrayLike, y_score: ArrayLike, pos_label: Any, sample_weight: ArrayLike | None
) -> ConfusionCurve:
    return ConfusionCurve.from_predictions(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
    )


def _calibrated(curve: ConfusionCurve, pi0: float | None) -> ConfusionCurve:
    return curve if pi0 is None else curve.at_prior(pi0)


def _at_priors(
    score: Callable[[ConfusionCurve], float],
    curve: ConfusionCurve,
    pi0: float | ArrayLike | None,
) -> Values:
    if pi0 is None:
        return score(curve)
    if np.ndim(pi0) == 0:
        return score(curve.at_prior(_checks.real_number("pi0", pi0)))
    return np.array([score(curve.at_prior(prior)) for prior in _checks.priors("pi0", pi0)])


def _from_lowest_threshold(curve: ConfusionCurve) -> tuple[FloatArray, FloatArray, FloatArray]:
    recall, precision = spaces.precision_recall(curve)
    precision = precision[::-1].copy()
    precision[-1] = 1.0
    return precision, recall[::-1], curve.thresholds[:0:-1].copy()


def _matrix(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    pos_label: Any,
    sample_weight: ArrayLike | None,
    pi0: float | ArrayLike | None,
) -> ConfusionMatrix:
    """Confusion matrix of predicted labels; a stack of them for an array of priors."""
    labels, predictions = _checks.vector("y_true", y_true), _checks.vector("y_pred", y_pred)
    _checks.same_length(y_true=labels, y_pred=predictions)
    _refuse_other_labels(labels, predictions)
    predicted = np.broadcast_to(predictions == pos_label, predictions.shape)
    matrix = _curve(labels, predicted, pos_label, sample_weight).confusion_matrix(1.0)
    return matrix if pi0 is None else matrix.at_prior(pi0)


def _refuse_other_labels(labels: NDArray[Any], predictions: NDArray[Any]) -> None:
    try:
        unknown = set(predictions.tolist()) - set(labels.tolist())
    except TypeError as error:
        raise TypeError(f"y_true and y_pred must hold plain labels: {error}") from None
    if unknown:
        raise ValueError(f"y_pred must hold labels of y_true only, got {sorted(unknown, key=repr)}")


def _zero_division(value: Any) -> float | None:
    """Value of an undefined metric; None stands for 0 with a warning."""
    if isinstance(value, str) and value == "warn":
        return None
    if isinstance(value, (int, float)) and (value in (0, 1) or np.isnan(value)):
        return float(value)
    raise ValueError(f'zero_division must be "warn", 0, 1 or nan, got {value!r}')


def _undefined(name: str, outcome: str, value: float | None, matrix: ConfusionMatrix) -> Values:
    if value is None:
        warnings.warn(
            f"{name} is undefined and set to 0: no sample is predicted {outcome}; "
            "set zero_division to choose the value",
            UndefinedMetricWarning,
            stacklevel=3,
        )
        value = 0.0
    return value if np.ndim(matrix.tp) == 0 else np.full(np.shape(matrix.tp), value)
