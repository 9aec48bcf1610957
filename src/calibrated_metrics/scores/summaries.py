"""Summaries of all four outcomes of a decision."""

from __future__ import annotations

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics.confusion import ConfusionMatrix, Values
from calibrated_metrics.scores._undefined import defined, quotient

__all__ = [
    "accuracy",
    "balanced_accuracy",
    "cohen_kappa",
    "matthews_corrcoef",
    "net_benefit",
]


def accuracy(matrix: ConfusionMatrix) -> Values:
    """Accuracy, (TP + TN) / (TP + TN + FP + FN).

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> scores.accuracy(matrix)
    0.94
    >>> scores.accuracy(matrix.at_prior(0.01))
    0.954
    """
    correct = matrix.tp + matrix.tn
    return correct / (correct + (matrix.fp + matrix.fn))


def balanced_accuracy(matrix: ConfusionMatrix) -> Values:
    """Balanced accuracy: the mean of recall and specificity, which is the accuracy at prior 0.5.

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect. The same at every prior.

    Raises
    ------
    ValueError
        If a class is absent.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> scores.balanced_accuracy(matrix)
    0.877...
    """
    mean = (quotient(matrix.tp, matrix.n_pos) + quotient(matrix.tn, matrix.n_neg)) / 2
    return defined("balanced_accuracy", np.asarray(mean), "there is only one class")


def matthews_corrcoef(matrix: ConfusionMatrix) -> Values:
    """Matthews correlation coefficient (MCC, phi): the correlation of labels and predictions.

    It is (TP TN - FP FN) / √((TP+FP) (TP+FN) (TN+FP) (TN+FN)).

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [-1, 1]
        1 is perfect; 0 for decisions that ignore the class; -1 if all decisions are wrong.

    Raises
    ------
    ValueError
        If a class is absent, or all samples have the same predicted label.

    References
    ----------
    Matthews, Biochimica et Biophysica Acta 1975, doi:10.1016/0005-2795(75)90109-9.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> scores.matthews_corrcoef(matrix)
    0.697...
    >>> scores.matthews_corrcoef(matrix.at_prior(0.01))
    0.338...
    """
    tp, fp, fn, tn = matrix.tp, matrix.fp, matrix.fn, matrix.tn
    n_pos, n_neg = matrix.n_pos, matrix.n_neg
    # Rates, because a product of four weights can leave the range of float64.
    determinant = quotient(tp, n_pos) * quotient(tn, n_neg)
    determinant -= quotient(fp, n_neg) * quotient(fn, n_pos)
    with np.errstate(invalid="ignore"):  # 0 times infinity where a predicted label is absent
        of_positives = quotient(np.sqrt(n_pos), np.sqrt(tp + fp))
        of_negatives = quotient(np.sqrt(n_neg), np.sqrt(tn + fn))
        correlation = np.asarray(determinant * (of_positives * of_negatives))
    reason = "there is only one class in the labels or in the predictions"
    return defined("matthews_corrcoef", np.clip(correlation, -1.0, 1.0), reason)


def cohen_kappa(matrix: ConfusionMatrix) -> Values:
    """Cohen's kappa, (accuracy - chance) / (1 - chance): agreement of labels and predictions.

    The chance agreement is that of labels and predictions that are independent and have the same
    shares of positives. Kappa is 2 (TP TN - FP FN) / ((TP+FP) (FP+TN) + (TP+FN) (FN+TN)).

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [-1, 1]
        1 is perfect; 0 for decisions that ignore the class.

    Raises
    ------
    ValueError
        If only one class is present and it is predicted for all samples.

    References
    ----------
    Cohen, Educational and Psychological Measurement 1960, doi:10.1177/001316446002000104.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> scores.cohen_kappa(matrix)
    0.693...
    >>> scores.cohen_kappa(matrix.at_prior(0.01))
    0.245...
    """
    total = matrix.n_pos + matrix.n_neg
    # Shares, because a product of two weights can leave the range of float64.
    tp, fp, fn, tn = (each / total for each in (matrix.tp, matrix.fp, matrix.fn, matrix.tn))
    whole = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    kappa = quotient(2 * (tp * tn - fp * fn), whole)
    reason = "there is only one class, and it is predicted for all samples"
    return defined("cohen_kappa", np.clip(kappa, -1.0, 1.0), reason)


def net_benefit(matrix: ConfusionMatrix, threshold_probability: float) -> Values:
    """Net benefit of decision curve analysis: true positives minus weighted false positives.

    It is TP/n - FP/n · p / (1 - p) with n = TP + FP + FN + TN. At a reference prior it is
    ``π₀ TPR - (1 - π₀) FPR p / (1 - p)``. Its unit is true positives per case.

    Parameters
    ----------
    matrix : ConfusionMatrix
        One matrix or a stack of them.
    threshold_probability : float in (0, 1)
        Probability p of the positive class at which treating and not treating are equally good. A
        false positive costs the share p / (1 - p) of the benefit of a true positive. It only states
        the costs; the decisions are those of the matrix.

    Returns
    -------
    float or ndarray of shape (n_matrices,), in (-inf, 1)
        The greatest possible value is the prior; 0 if nothing is predicted positive;
        ``prior - (1 - prior) p / (1 - p)`` if everything is predicted positive.

    Raises
    ------
    ValueError, TypeError
        If `threshold_probability` is not a number between 0 and 1.

    References
    ----------
    Vickers & Elkin, Medical Decision Making 2006, doi:10.1177/0272989X06295361.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> scores.net_benefit(matrix.at_prior(0.01), threshold_probability=0.1)
    0.00311...
    """
    p = _checks.open_unit("threshold_probability", threshold_probability)
    total = matrix.n_pos + matrix.n_neg
    return matrix.tp / total - matrix.fp / total * (p / (1 - p))
