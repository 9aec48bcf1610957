"""Metrics of a decision, as functions of labels and predicted labels."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from calibrated_metrics._arguments import plain_calls
from calibrated_metrics.confusion import Values
from calibrated_metrics.functions.value import Priors, ZeroDivision, defined_value


@plain_calls()
def precision_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """Precision, TP / (TP + FP), also called positive predictive value (PPV).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,); binary labels, and predictions of them
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0
    zero_division : "warn", 0, 1 or nan, default="warn"; value where the metric is undefined

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 is perfect. Undefined if nothing is predicted positive.

    Raises
    ------
    ValueError, TypeError : for labels, predictions, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import precision_score
    >>> precision_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.666..., 0.019...])
    """
    return defined_value("precision", y_true, y_pred, pi0, pos_label, sample_weight, zero_division)


@plain_calls()
def recall_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """Recall, TP / (TP + FN), also called sensitivity or true positive rate (TPR).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,); binary labels, and predictions of them
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0
    zero_division : "warn", 0, 1 or nan, default="warn"; value where the metric is undefined

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 is perfect. The same at every prior. Undefined if there is no positive.

    Raises
    ------
    ValueError, TypeError : for labels, predictions, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import recall_score
    >>> recall_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.5, 0.5])
    """
    return defined_value("recall", y_true, y_pred, pi0, pos_label, sample_weight, zero_division)


@plain_calls()
def f1_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """F1, 2 TP / (2 TP + FN + FP): the harmonic mean of precision and recall.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,); binary labels, and predictions of them
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0
    zero_division : "warn", 0, 1 or nan, default="warn"; value where the metric is undefined

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 is perfect; 0 if nothing is predicted positive. Undefined if there is no positive either.

    Raises
    ------
    ValueError, TypeError : for labels, predictions, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import f1_score
    >>> f1_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.571..., 0.038...])
    """
    return defined_value(
        "fbeta", y_true, y_pred, pi0, pos_label, sample_weight, zero_division, beta=1.0
    )


@plain_calls()
def fbeta_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """F-beta, (1+β²) TP / ((1+β²) TP + β² FN + FP): a weighted harmonic mean.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,); binary labels, and predictions of them
    beta : float > 0, default=1.0; weight of recall against precision, 1 gives F1
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0
    zero_division : "warn", 0, 1 or nan, default="warn"; value where the metric is undefined

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 is perfect; 0 if nothing is predicted positive. Undefined if there is no positive either.

    Raises
    ------
    ValueError, TypeError : for labels, predictions, weights, options or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import fbeta_score
    >>> fbeta_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], beta=2, pi0=[0.5, 0.01])
    array([0.526..., 0.085...])
    """
    return defined_value(
        "fbeta", y_true, y_pred, pi0, pos_label, sample_weight, zero_division, beta=beta
    )


@plain_calls()
def specificity_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """Specificity, TN / (TN + FP), also called true negative rate: 1 - false positive rate.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,); binary labels, and predictions of them
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0
    zero_division : "warn", 0, 1 or nan, default="warn"; value where the metric is undefined

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 is perfect. The same at every prior. Undefined if there is no negative.

    Raises
    ------
    ValueError, TypeError : for labels, predictions, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import specificity_score
    >>> specificity_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.75, 0.75])
    """
    return defined_value(
        "specificity", y_true, y_pred, pi0, pos_label, sample_weight, zero_division
    )


@plain_calls()
def npv_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """Negative predictive value (NPV), TN / (TN + FN).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,); binary labels, and predictions of them
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0
    zero_division : "warn", 0, 1 or nan, default="warn"; value where the metric is undefined

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 is perfect. Undefined if nothing is predicted negative.

    Raises
    ------
    ValueError, TypeError : for labels, predictions, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import npv_score
    >>> npv_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.6..., 0.993...])
    """
    return defined_value("npv", y_true, y_pred, pi0, pos_label, sample_weight, zero_division)


@plain_calls()
def positive_likelihood_ratio_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """Positive likelihood ratio (LR+), TPR / FPR = sensitivity / (1 - specificity).

    The posterior odds after a positive prediction are the prior odds times LR+ (Deeks & Altman,
    BMJ 2004, doi:10.1136/bmj.329.7458.168).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,); binary labels, and predictions of them
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0
    zero_division : "warn", 0, 1 or nan, default="warn"; value where the metric is undefined

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, inf]
        Greater is better: 1 for decisions that ignore the class. The same at every prior. Undefined
        if nothing is predicted positive or a class is absent.

    Raises
    ------
    ValueError, TypeError : for labels, predictions, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import positive_likelihood_ratio_score
    >>> positive_likelihood_ratio_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([2., 2.])
    """
    return defined_value(
        "positive_likelihood_ratio", y_true, y_pred, pi0, pos_label, sample_weight, zero_division
    )


@plain_calls()
def negative_likelihood_ratio_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """Negative likelihood ratio (LR-), FNR / TNR = (1 - sensitivity) / specificity.

    The posterior odds after a negative prediction are the prior odds times LR- (Deeks & Altman,
    BMJ 2004, doi:10.1136/bmj.329.7458.168).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,); binary labels, and predictions of them
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0
    zero_division : "warn", 0, 1 or nan, default="warn"; value where the metric is undefined

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, inf]
        Smaller is better: 0 is perfect, 1 for decisions that ignore the class. The same at every
        prior. Undefined if nothing is predicted negative or a class is absent.

    Raises
    ------
    ValueError, TypeError : for labels, predictions, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import negative_likelihood_ratio_score
    >>> negative_likelihood_ratio_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.666..., 0.666...])
    """
    return defined_value(
        "negative_likelihood_ratio", y_true, y_pred, pi0, pos_label, sample_weight, zero_division
    )


@plain_calls()
def accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Accuracy, (TP + TN) / (TP + TN + FP + FN).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,); binary labels, and predictions of them
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 is perfect.

    Raises
    ------
    ValueError, TypeError : for labels, predictions, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import accuracy_score
    >>> accuracy_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.625 , 0.7475])
    """
    return defined_value("accuracy", y_true, y_pred, pi0, pos_label, sample_weight)


@plain_calls()
def balanced_accuracy_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """Balanced accuracy: the mean of recall and specificity, which is the accuracy at prior 0.5.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,); binary labels, and predictions of them
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0
    zero_division : "warn", 0, 1 or nan, default="warn"; value where the metric is undefined

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 is perfect. The same at every prior. Undefined if a class is absent.

    Raises
    ------
    ValueError, TypeError : for labels, predictions, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import balanced_accuracy_score
    >>> balanced_accuracy_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.625, 0.625])
    """
    return defined_value(
        "balanced_accuracy", y_true, y_pred, pi0, pos_label, sample_weight, zero_division
    )


@plain_calls()
def matthews_corrcoef_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """Matthews correlation coefficient (MCC, phi): the correlation of labels and predictions.

    It is (TP TN - FP FN) / √((TP+FP) (TP+FN) (TN+FP) (TN+FN)). Source: Matthews, Biochimica et
    Biophysica Acta 1975, doi:10.1016/0005-2795(75)90109-9.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,); binary labels, and predictions of them
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0
    zero_division : "warn", 0, 1 or nan, default="warn"; value where the metric is undefined

    Returns
    -------
    float or ndarray of shape (n_priors,), in [-1, 1]
        1 is perfect; 0 for decisions that ignore the class; -1 if all decisions are wrong.
        Undefined if a class is absent, or all rows have the same predicted label.

    Raises
    ------
    ValueError, TypeError : for labels, predictions, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import matthews_corrcoef_score
    >>> matthews_corrcoef_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.258..., 0.057...])
    """
    return defined_value(
        "matthews_corrcoef", y_true, y_pred, pi0, pos_label, sample_weight, zero_division
    )


@plain_calls()
def cohen_kappa_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Values:
    """Cohen's kappa, (accuracy - chance) / (1 - chance): agreement of labels and predictions.

    Chance is the agreement of labels and predictions that are independent. Source: Cohen,
    Educational and Psychological Measurement 1960, doi:10.1177/001316446002000104.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,); binary labels, and predictions of them
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0
    zero_division : "warn", 0, 1 or nan, default="warn"; value where the metric is undefined

    Returns
    -------
    float or ndarray of shape (n_priors,), in [-1, 1]
        1 is perfect; 0 for decisions that ignore the class. Undefined if there is only one class
        and it is predicted for all rows.

    Raises
    ------
    ValueError, TypeError : for labels, predictions, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import cohen_kappa_score
    >>> cohen_kappa_score([1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], pi0=[0.5, 0.01])
    array([0.25..., 0.019...])
    """
    return defined_value(
        "cohen_kappa", y_true, y_pred, pi0, pos_label, sample_weight, zero_division
    )


@plain_calls()
def net_benefit_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    threshold_probability: float | ArrayLike,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Net benefit of decision curve analysis: true positives minus weighted false positives.

    It is TP/n - FP/n · p / (1 - p) with n = TP + FP + FN + TN, in true positives per case. Source:
    Vickers & Elkin, Medical Decision Making 2006, doi:10.1177/0272989X06295361.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,); binary labels, and predictions of them
    threshold_probability : float in (0, 1), or array-like; as for `scores.net_benefit`
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in (-inf, 1)
        At most the prior; 0 if nothing is predicted positive.

    Raises
    ------
    ValueError, TypeError : for labels, predictions, weights, options or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import net_benefit_score
    >>> y_true, y_pred = [1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0]
    >>> net_benefit_score(y_true, y_pred, threshold_probability=0.2, pi0=[0.5, 0.1])
    array([ 0.21875, -0.00625])
    """
    options: dict[str, Any] = {"threshold_probability": threshold_probability}
    return defined_value("net_benefit", y_true, y_pred, pi0, pos_label, sample_weight, **options)
