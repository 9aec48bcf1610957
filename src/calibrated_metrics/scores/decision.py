"""Metrics of a decision: functions of a confusion matrix, or of a stack of them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _numbers
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionMatrix
from calibrated_metrics.scores.facts import decision_metric, quotient


@decision_metric(
    undefined="nothing is predicted positive",
    label="precision",
    synonyms=("ppv", "positive_predictive_value"),
    share=lambda options: (("tp",), ("fp",)),
    formula="TP / (TP + FP)",
    chance="π₀",
    source="van Rijsbergen 1979",
)
def precision(matrix: ConfusionMatrix) -> FloatArray:
    """Precision, TP / (TP + FP), also called positive predictive value (PPV).

    Parameters
    ----------
    matrix : ConfusionMatrix, or a stack of them

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect.
        Undefined if nothing is predicted positive.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> scores.precision(ConfusionMatrix(tp=80, fp=40, fn=20, tn=860))
    0.666...
    """
    return quotient(matrix.tp, matrix.tp + matrix.fp)


@decision_metric(
    undefined="there is no positive",
    label="recall",
    synonyms=("sensitivity", "tpr", "true_positive_rate"),
    share=lambda options: (("tp",), ("fn",)),
    is_prior_free=True,
    formula="TP / (TP + FN)",
    chance="a",
    source="van Rijsbergen 1979",
)
def recall(matrix: ConfusionMatrix) -> FloatArray:
    """Recall, TP / (TP + FN), also called sensitivity or true positive rate (TPR).

    Parameters
    ----------
    matrix : ConfusionMatrix, or a stack of them

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect. The same at every prior.
        Undefined if there is no positive.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> scores.recall(ConfusionMatrix(tp=80, fp=40, fn=20, tn=860))
    0.8
    """
    return quotient(matrix.tp, matrix.n_pos)


@decision_metric(
    undefined="there is no positive and nothing is predicted positive",
    label="F{beta:g}",
    synonyms=("f1", "f_beta", "f_measure", "f_score"),
    share=lambda options: (("tp",), ("fp", "fn")) if options["beta"] == 1 else None,
    scale=lambda options, prior: (0.0, 1 + min(options["beta"], 1e100) ** 2),
    formula="(1 + β²)·TP / ((1 + β²)·TP + β²·FN + FP)",
    chance="(1 + β²)·a·π₀ / (a + β²·π₀)",
    source="van Rijsbergen 1979",
)
def fbeta(matrix: ConfusionMatrix, beta: float = 1.0) -> FloatArray:
    """F-beta, (1+β²) TP / ((1+β²) TP + β² FN + FP): a weighted harmonic mean.

    Parameters
    ----------
    matrix : ConfusionMatrix, or a stack of them
    beta : float > 0, default=1.0
        Weight of recall against precision; 1 gives F1.

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]
        1 is perfect; 0 if nothing is predicted positive. Undefined if there is no positive either.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> scores.fbeta(ConfusionMatrix(tp=80, fp=40, fn=20, tn=860).at_prior(0.01))
    0.258...
    """
    of_precision, of_recall = weights_of(beta)
    whole = matrix.tp + of_precision * matrix.fp + of_recall * matrix.fn
    return quotient(matrix.tp, whole)


@decision_metric(
    undefined="there is no negative",
    label="specificity",
    synonyms=("tnr", "true_negative_rate"),
    share=lambda options: (("tn",), ("fp",)),
    is_prior_free=True,
    formula="TN / (TN + FP)",
    chance="1 − a",
)
def specificity(matrix: ConfusionMatrix) -> FloatArray:
    """Specificity, TN / (TN + FP), also called true negative rate: 1 - false positive rate.

    Parameters
    ----------
    matrix : ConfusionMatrix, or a stack of them

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect. The same at every prior.
        Undefined if there is no negative.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> scores.specificity(ConfusionMatrix(tp=80, fp=40, fn=20, tn=860))
    0.955...
    """
    return quotient(matrix.tn, matrix.n_neg)


@decision_metric(
    undefined="nothing is predicted negative",
    label="NPV",
    synonyms=("negative_predictive_value",),
    share=lambda options: (("tn",), ("fn",)),
    formula="TN / (TN + FN)",
    chance="1 − π₀",
)
def npv(matrix: ConfusionMatrix) -> FloatArray:
    """Negative predictive value (NPV), TN / (TN + FN).

    Parameters
    ----------
    matrix : ConfusionMatrix, or a stack of them

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect.
        Undefined if nothing is predicted negative.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> scores.npv(ConfusionMatrix(tp=80, fp=40, fn=20, tn=860))
    0.977...
    """
    return quotient(matrix.tn, matrix.tn + matrix.fn)


@decision_metric(
    undefined="nothing is predicted positive, or a class is absent",
    label="LR+",
    replacement=1.0,  # it says nothing
    synonyms=("lr+", "plr"),
    range=(0.0, math.inf),
    is_prior_free=True,
    formula="TP / (TP + FN) / (FP / (FP + TN))",
    chance="1",
    perfect="∞",
    source="[Deeks & Altman 2004](https://doi.org/10.1136/bmj.329.7458.168)",
)
def positive_likelihood_ratio(matrix: ConfusionMatrix) -> FloatArray:
    """Positive likelihood ratio (LR+), TPR / FPR = sensitivity / (1 - specificity).

    The posterior odds after a positive prediction are the prior odds times LR+ (Deeks & Altman,
    BMJ 2004, doi:10.1136/bmj.329.7458.168).

    Parameters
    ----------
    matrix : ConfusionMatrix, or a stack of them

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, inf]
        Greater is better: 1 for decisions that ignore the class. The same at every prior. Undefined
        if nothing is predicted positive or a class is absent.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> scores.positive_likelihood_ratio(ConfusionMatrix(tp=80, fp=40, fn=20, tn=860))
    18.0
    """
    return quotient(quotient(matrix.tp, matrix.n_pos), quotient(matrix.fp, matrix.n_neg))


@decision_metric(
    undefined="nothing is predicted negative, or a class is absent",
    label="LR−",
    replacement=1.0,  # it says nothing
    synonyms=("lr-", "nlr"),
    range=(0.0, math.inf),
    greater_is_better=False,
    is_prior_free=True,
    formula="FN / (TP + FN) / (TN / (FP + TN))",
    chance="1",
    perfect="0",
    source="[Deeks & Altman 2004](https://doi.org/10.1136/bmj.329.7458.168)",
)
def negative_likelihood_ratio(matrix: ConfusionMatrix) -> FloatArray:
    """Negative likelihood ratio (LR-), FNR / TNR = (1 - sensitivity) / specificity.

    The posterior odds after a negative prediction are the prior odds times LR- (Deeks & Altman,
    BMJ 2004, doi:10.1136/bmj.329.7458.168).

    Parameters
    ----------
    matrix : ConfusionMatrix, or a stack of them

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, inf]
        Smaller is better: 0 is perfect, 1 for decisions that ignore the class. The same at every
        prior. Undefined if nothing is predicted negative or a class is absent.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> scores.negative_likelihood_ratio(ConfusionMatrix(tp=80, fp=40, fn=20, tn=860))
    0.209...
    """
    return quotient(quotient(matrix.fn, matrix.n_pos), quotient(matrix.tn, matrix.n_neg))


@decision_metric(
    undefined="there is no row",
    label="accuracy",
    share=lambda options: (("tp", "tn"), ("fp", "fn")),
    formula="(TP + TN) / (TP + TN + FP + FN)",
    chance="a·π₀ + (1 − a)·(1 − π₀)",
)
def accuracy(matrix: ConfusionMatrix) -> FloatArray:
    """Accuracy, (TP + TN) / (TP + TN + FP + FN).

    Parameters
    ----------
    matrix : ConfusionMatrix, or a stack of them

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> scores.accuracy(ConfusionMatrix(tp=80, fp=40, fn=20, tn=860))
    0.94
    """
    correct = matrix.tp + matrix.tn
    return quotient(correct, correct + (matrix.fp + matrix.fn))


@decision_metric(
    undefined="there is no row",
    label="alert rate",
    share=lambda options: (("tp", "fp"), ("fn", "tn")),
    formula="(TP + FP) / (TP + FP + FN + TN)",
    chance="a",
    perfect="π₀",
)
def alert_rate(matrix: ConfusionMatrix) -> FloatArray:
    """Alert rate, (TP + FP) / (TP + TN + FP + FN): the share of rows predicted positive.

    It measures the load of a decision, not its quality.

    Parameters
    ----------
    matrix : ConfusionMatrix, or a stack of them

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]
        The prior for perfect decisions.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> scores.alert_rate(ConfusionMatrix(tp=80, fp=40, fn=20, tn=860))
    0.12
    """
    alerts = matrix.tp + matrix.fp
    return quotient(alerts, alerts + (matrix.fn + matrix.tn))


@decision_metric(
    undefined="there is only one class",
    label="balanced accuracy",
    is_prior_free=True,
    formula="(TP / (TP + FN) + TN / (TN + FP)) / 2",
    chance="0.5",
)
def balanced_accuracy(matrix: ConfusionMatrix) -> FloatArray:
    """Balanced accuracy: the mean of recall and specificity, which is the accuracy at prior 0.5.

    Parameters
    ----------
    matrix : ConfusionMatrix, or a stack of them

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, 1]; 1 is perfect. The same at every prior.
        Undefined if a class is absent.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> scores.balanced_accuracy(ConfusionMatrix(tp=80, fp=40, fn=20, tn=860))
    0.877...
    """
    return (quotient(matrix.tp, matrix.n_pos) + quotient(matrix.tn, matrix.n_neg)) / 2


@decision_metric(
    undefined="there is only one class",
    label="Youden's J",
    synonyms=("youden", "youden_j", "youdens_j", "informedness"),
    range=(-1.0, 1.0),
    is_prior_free=True,
    formula="TP / (TP + FN) − FP / (FP + TN)",
    chance="0",
    source="[Youden 1950](https://doi.org/10.1002/1097-0142(1950)3:1%3C32::AID-CNCR2820030106%3E3.0.CO;2-3)",
)
def youden_index(matrix: ConfusionMatrix) -> FloatArray:
    """Youden's index J, sensitivity + specificity - 1 = TPR - FPR, also called informedness.

    Source: Youden, Cancer 1950, doi:10.1002/1097-0142(1950)3:1<32::AID-CNCR2820030106>3.0.CO;2-3.

    Parameters
    ----------
    matrix : ConfusionMatrix, or a stack of them

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [-1, 1]
        1 is perfect; 0 for decisions that ignore the class. The same at every prior. Undefined if a
        class is absent.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> scores.youden_index(ConfusionMatrix(tp=80, fp=40, fn=20, tn=860))
    0.755...
    """
    return quotient(matrix.tp, matrix.n_pos) - quotient(matrix.fp, matrix.n_neg)


@decision_metric(
    undefined="there is only one class in the labels or in the predictions",
    label="diagnostic odds ratio",
    synonyms=("dor", "odds_ratio"),
    range=(0.0, math.inf),
    is_prior_free=True,
    formula="TP·TN / (FP·FN)",
    chance="1",
    perfect="∞",
    source="[Glas et al. 2003](https://doi.org/10.1016/S0895-4356(03)00177-X)",
)
def diagnostic_odds_ratio(matrix: ConfusionMatrix) -> FloatArray:
    """Diagnostic odds ratio (DOR), TP TN / (FP FN) = LR+ / LR-.

    Source: Glas et al., Journal of Clinical Epidemiology 2003, doi:10.1016/S0895-4356(03)00177-X.

    Parameters
    ----------
    matrix : ConfusionMatrix, or a stack of them

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [0, inf]
        Greater is better: 1 for decisions that ignore the class. The same at every prior. Undefined
        if all rows have the same predicted label or a class is absent.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> scores.diagnostic_odds_ratio(ConfusionMatrix(tp=80, fp=40, fn=20, tn=860))
    86.0
    """
    # Odds of the classes, because a product of two weights can leave the range of float64.
    return quotient(quotient(matrix.tp, matrix.fn), quotient(matrix.fp, matrix.tn))


@decision_metric(
    undefined="there is only one class in the labels or in the predictions",
    label="MCC",
    synonyms=("mcc", "matthews", "phi"),
    range=(-1.0, 1.0),
    formula="(TP·TN − FP·FN) / √((TP + FP)·(TP + FN)·(TN + FP)·(TN + FN))",
    chance="0",
    source="[Matthews 1975](https://doi.org/10.1016/0005-2795(75)90109-9)",
)
def matthews_corrcoef(matrix: ConfusionMatrix) -> FloatArray:
    """Matthews correlation coefficient (MCC, phi): the correlation of labels and predictions.

    It is (TP TN - FP FN) / √((TP+FP) (TP+FN) (TN+FP) (TN+FN)). Source: Matthews, Biochimica et
    Biophysica Acta 1975, doi:10.1016/0005-2795(75)90109-9.

    Parameters
    ----------
    matrix : ConfusionMatrix, or a stack of them

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [-1, 1]
        1 is perfect; 0 for decisions that ignore the class; -1 if all decisions are wrong.
        Undefined if a class is absent, or all rows have the same predicted label.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> scores.matthews_corrcoef(ConfusionMatrix(tp=80, fp=40, fn=20, tn=860).at_prior(0.01))
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
    return np.clip(correlation, -1.0, 1.0)


@decision_metric(
    undefined="there is only one class, and it is predicted for all rows",
    label="Cohen's κ",
    synonyms=("kappa", "cohens_kappa"),
    range=(-1.0, 1.0),
    formula="2·(TP·TN − FP·FN) / ((TP + FP)·(FP + TN) + (TP + FN)·(FN + TN))",
    chance="0",
    source="[Cohen 1960](https://doi.org/10.1177/001316446002000104)",
)
def cohen_kappa(matrix: ConfusionMatrix) -> FloatArray:
    """Cohen's kappa, (accuracy - chance) / (1 - chance): agreement of labels and predictions.

    Chance is the agreement of labels and predictions that are independent. Source: Cohen,
    Educational and Psychological Measurement 1960, doi:10.1177/001316446002000104.

    Parameters
    ----------
    matrix : ConfusionMatrix, or a stack of them

    Returns
    -------
    float or ndarray of shape (n_matrices,), in [-1, 1]
        1 is perfect; 0 for decisions that ignore the class. Undefined if there is only one class
        and it is predicted for all rows.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> scores.cohen_kappa(ConfusionMatrix(tp=80, fp=40, fn=20, tn=860).at_prior(0.01))
    0.245...
    """
    total = matrix.n_pos + matrix.n_neg
    # Shares, because a product of two weights can leave the range of float64.
    tp, fp, fn, tn = (outcome / total for outcome in (matrix.tp, matrix.fp, matrix.fn, matrix.tn))
    whole = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    kappa = quotient(2 * (tp * tn - fp * fn), whole)
    return np.clip(kappa, -1.0, 1.0)


@decision_metric(
    undefined="there is no row",
    label="net benefit at {threshold_probability:g}",
    range=(-math.inf, 1.0),
    scale=lambda options, prior: (-math.inf, math.inf),
    formula="(TP − FP·p / (1 − p)) / (TP + FP + FN + TN), with p = threshold_probability",
    chance="a·(π₀ − (1 − π₀)·p / (1 − p))",
    perfect="π₀",
    source="[Vickers & Elkin 2006](https://doi.org/10.1177/0272989X06295361)",
)
def net_benefit(matrix: ConfusionMatrix, threshold_probability: float | ArrayLike) -> FloatArray:
    """Net benefit of decision curve analysis: true positives minus weighted false positives.

    It is TP/n - FP/n · p / (1 - p) with n = TP + FP + FN + TN, in true positives per case. Source:
    Vickers & Elkin, Medical Decision Making 2006, doi:10.1177/0272989X06295361. The scores of
    ``Metric("net_benefit", threshold=p, threshold_probability=p)`` are compared with p as they are,
    also at another prior; `displays.DecisionCurveDisplay` converts them to that prior.

    Parameters
    ----------
    matrix : ConfusionMatrix, or a stack of them
    threshold_probability : float in (0, 1), or array-like of shape (n_matrices,)
        Probability p of the positive class at which treating and not treating are equally good: a
        false positive costs p / (1 - p) times the benefit of a true positive. An array gives one
        value per p; with a stack of matrices, it must have the length of the stack.

    Returns
    -------
    float or ndarray of shape (n_matrices,), in (-inf, 1)
        At most the prior; 0 if nothing is predicted positive.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, scores
    >>> matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    >>> scores.net_benefit(matrix.at_prior(0.01), threshold_probability=0.1)
    0.00311...
    >>> scores.net_benefit(matrix, threshold_probability=[0.1, 0.5]).round(4)
    array([0.0756, 0.04  ])
    """
    p = _numbers.one_or_more("threshold_probability", threshold_probability, _numbers.priors)
    if np.ndim(p) == np.ndim(matrix.tp) == 1 and np.size(p) != np.size(matrix.tp):
        raise ValueError(
            "threshold_probability must be a number, or an array with one value for each of the "
            f"{np.size(matrix.tp)} matrices of a stack, got {np.size(p)} values"
        )
    total = matrix.n_pos + matrix.n_neg
    return np.asarray(matrix.tp / total - matrix.fp / total * (p / (1 - p)))


def weights_of(beta: float) -> tuple[float, float]:
    """1 / (1 + beta²) and beta² / (1 + beta²): weights of precision and recall in F-beta."""
    beta = _numbers.positive_number("beta", beta)
    smaller = min(beta, 1 / beta) ** 2
    weights = 1 / (1 + smaller), smaller / (1 + smaller)
    return weights if beta <= 1 else weights[::-1]
