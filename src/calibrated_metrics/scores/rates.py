"""Rates of a decision: shares of a class, or of the samples with a predicted label."""

from __future__ import annotations

from calibrated_metrics import _checks
from calibrated_metrics.confusion import ConfusionMatrix, Values
from calibrated_metrics.scores._undefined import defined, quotient

__all__ = [
    "fbeta",
    "negative_likelihood_ratio",
    "npv",
    "positive_likelihood_ratio",
    "precision",
    "recall",
    "specificity",
    "weights_of",
]


def precision(matrix: ConfusionMatrix) -> Values:
    """Precision, TP / (TP + FP), also called positive predictive value (PPV).

    Parameters
    ----------
    matrix : ConfusionMatrix
        One matrix or a stack of them.

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect.

    Raises
    ------
    ValueError
        If nothing is predicted positive.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> scores.precision(matrix)
    0.666...
    >>> scores.precision(matrix.at_prior(0.01))
    0.153...
    """
    share = quotient(matrix.tp, matrix.tp + matrix.fp)
    return defined("precision", share, "nothing is predicted positive")


def recall(matrix: ConfusionMatrix) -> Values:
    """Recall, TP / (TP + FN), also called sensitivity or true positive rate (TPR).

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect. The same at every prior.

    Raises
    ------
    ValueError
        If there is no positive.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> scores.recall(matrix)
    0.8
    """
    return defined("recall", quotient(matrix.tp, matrix.n_pos), "there is no positive")


def fbeta(matrix: ConfusionMatrix, beta: float = 1.0) -> Values:
    """F-beta, (1+β²) TP / ((1+β²) TP + β² FN + FP): a weighted harmonic mean.

    Parameters
    ----------
    matrix : ConfusionMatrix
        One matrix or a stack of them.
    beta : float > 0, default=1.0
        Weight of recall against precision; 1 gives F1.

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]
        1 is perfect; 0 if nothing is predicted positive.

    Raises
    ------
    ValueError
        If there is no positive and nothing is predicted positive, or `beta` is not above 0.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> scores.fbeta(matrix)
    0.727...
    >>> scores.fbeta(matrix.at_prior(0.01))
    0.258...
    """
    of_precision, of_recall = weights_of(beta)
    whole = matrix.tp + of_precision * matrix.fp + of_recall * matrix.fn
    reason = "there is no positive and nothing is predicted positive"
    return defined("fbeta", quotient(matrix.tp, whole), reason)


def specificity(matrix: ConfusionMatrix) -> Values:
    """Specificity, TN / (TN + FP), also called true negative rate: 1 - false positive rate.

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect. The same at every prior.

    Raises
    ------
    ValueError
        If there is no negative.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> scores.specificity(matrix)
    0.955...
    """
    return defined("specificity", quotient(matrix.tn, matrix.n_neg), "there is no negative")


def npv(matrix: ConfusionMatrix) -> Values:
    """Negative predictive value (NPV), TN / (TN + FN).

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect.

    Raises
    ------
    ValueError
        If nothing is predicted negative.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> scores.npv(matrix)
    0.977...
    >>> scores.npv(matrix.at_prior(0.01))
    0.997...
    """
    share = quotient(matrix.tn, matrix.tn + matrix.fn)
    return defined("npv", share, "nothing is predicted negative")


def positive_likelihood_ratio(matrix: ConfusionMatrix) -> Values:
    """Positive likelihood ratio (LR+), TPR / FPR = sensitivity / (1 - specificity).

    The posterior odds after a positive prediction are the prior odds times LR+.

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, inf]
        Greater is better: 1 for decisions that ignore the class, ``inf`` if no negative is
        predicted positive. The same at every prior.

    Raises
    ------
    ValueError
        If nothing is predicted positive, or a class is absent.

    References
    ----------
    Deeks & Altman, "Diagnostic tests 4: likelihood ratios", BMJ 2004,
    doi:10.1136/bmj.329.7458.168.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> scores.positive_likelihood_ratio(matrix)
    18.0
    """
    ratio = quotient(quotient(matrix.tp, matrix.n_pos), quotient(matrix.fp, matrix.n_neg))
    reason = "nothing is predicted positive, or a class is absent"
    return defined("positive_likelihood_ratio", ratio, reason)


def negative_likelihood_ratio(matrix: ConfusionMatrix) -> Values:
    """Negative likelihood ratio (LR-), FNR / TNR = (1 - sensitivity) / specificity.

    The posterior odds after a negative prediction are the prior odds times LR-.

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, inf]
        Smaller is better: 0 is perfect, 1 for decisions that ignore the class, ``inf`` if all
        negatives and not all positives are predicted positive. The same at every prior.

    Raises
    ------
    ValueError
        If nothing is predicted negative, or a class is absent.

    References
    ----------
    Deeks & Altman, "Diagnostic tests 4: likelihood ratios", BMJ 2004,
    doi:10.1136/bmj.329.7458.168.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> scores.negative_likelihood_ratio(matrix)
    0.209...
    """
    ratio = quotient(quotient(matrix.fn, matrix.n_pos), quotient(matrix.tn, matrix.n_neg))
    reason = "nothing is predicted negative, or a class is absent"
    return defined("negative_likelihood_ratio", ratio, reason)


def weights_of(beta: float) -> tuple[float, float]:
    """1 / (1 + beta²) and beta² / (1 + beta²): weights of precision and recall in F-beta."""
    beta = _checks.positive_number("beta", beta)
    smaller = min(beta, 1 / beta) ** 2
    weights = 1 / (1 + smaller), smaller / (1 + smaller)
    return weights if beta <= 1 else weights[::-1]
