"""Metrics of a ranking, as functions of labels and scores."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from calibrated_metrics._arguments import plain_calls
from calibrated_metrics.confusion import Values
from calibrated_metrics.functions.value import Priors, value_of


@plain_calls()
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Average precision, Σ (Rec_k - Rec_{k-1}) Prec_k: the AUC-PR of Siblini et al. (2020).

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in (0, 1]
        1 for a perfect ranking; the prior for constant scores.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import average_precision_score
    >>> average_precision_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.875..., 0.514...])
    """
    return value_of("average_precision", y_true, y_score, pi0, pos_label, sample_weight)


@plain_calls()
def pr_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Area under the precision-recall curve with exact interpolation in count space.

    Between two vertices FP grows linearly with TP (Davis & Goadrich, 2006, section 3.2).

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in (0, 1]
        1 for a perfect ranking.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import pr_auc_score
    >>> pr_auc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.843..., 0.511...])
    """
    return value_of("pr_auc", y_true, y_score, pi0, pos_label, sample_weight)


@plain_calls()
def achievable_pr_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Area under the achievable precision-recall curve, which belongs to the ROC convex hull.

    Source: Davis & Goadrich (2006), Corollary 3.1.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in (0, 1]
        At least `pr_auc`.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import achievable_pr_auc_score
    >>> achievable_pr_auc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.917..., 0.538...])
    """
    return value_of("achievable_pr_auc", y_true, y_score, pi0, pos_label, sample_weight)


@plain_calls()
def prg_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Area under the precision-recall-gain curve over recall gains from 0 to 1.

    Negative precision gains reduce the area. Source: Flach & Kull, "Precision-Recall-Gain Curves:
    PR Analysis Done Right", NIPS 2015.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in (-inf, 1]
        1 for a perfect ranking, 0 for constant scores.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import prg_auc_score
    >>> prg_auc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.5..., 0.994...])
    """
    return value_of("prg_auc", y_true, y_score, pi0, pos_label, sample_weight)


@plain_calls()
def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Area under the ROC curve. Ties count half. The value is the same at every prior.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 for a perfect ranking, 0.5 for constant scores.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import roc_auc_score
    >>> roc_auc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.833..., 0.833...])
    """
    return value_of("roc_auc", y_true, y_score, pi0, pos_label, sample_weight)


@plain_calls()
def partial_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_recall: float = 0.0,
    max_recall: float = 1.0,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Average precision over a range of recall: the mean of precision over this range.

    Precision at a recall between two vertices is that of the vertex with the greater recall.
    Source: Saito & Rehmsmeier, Bioinformatics 2017, doi:10.1093/bioinformatics/btw570.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    min_recall : float in [0, 1), default=0.0; start of the range of recall
    max_recall : float in (0, 1], default=1.0; end of the range, above `min_recall`
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in (0, 1]
        1 for a perfect ranking; the prior for constant scores.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights, options or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import partial_average_precision_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> partial_average_precision_score(y_true, y_score, min_recall=0.5, pi0=0.01)
    0.0294...
    """
    limits = {"min_recall": min_recall, "max_recall": max_recall}
    return value_of(
        "partial_average_precision", y_true, y_score, pi0, pos_label, sample_weight, **limits
    )


@plain_calls()
def partial_roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    max_fpr: float,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Standardised area under the ROC curve up to a false positive rate, as in scikit-learn.

    It is (1 + (A - m²/2) / (m - m²/2)) / 2, A being the area up to the rate m; the same at every
    prior. Source: McClish, Medical Decision Making 1989, doi:10.1177/0272989X8900900307.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    max_fpr : float in (0, 1]; greatest false positive rate
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 for a perfect ranking, 0.5 for constant scores.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights, options or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import partial_roc_auc_score
    >>> partial_roc_auc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], max_fpr=0.5)
    0.777...
    """
    return value_of(
        "partial_roc_auc", y_true, y_score, pi0, pos_label, sample_weight, max_fpr=max_fpr
    )


@plain_calls()
def best_f1_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Largest F1 over all thresholds.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in (0, 1]
        1 for a perfect ranking.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import best_f1_score
    >>> best_f1_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.857..., 0.666...])
    """
    return value_of("best_fbeta", y_true, y_score, pi0, pos_label, sample_weight, beta=1.0)


@plain_calls()
def best_fbeta_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    beta: float = 1.0,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Largest F-beta over all thresholds.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    beta : float > 0, default=1.0; weight of recall against precision
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in (0, 1]
        1 for a perfect ranking.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights, options or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import best_fbeta_score
    >>> best_fbeta_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], beta=2, pi0=0.1)
    0.625
    """
    return value_of("best_fbeta", y_true, y_score, pi0, pos_label, sample_weight, beta=beta)


@plain_calls()
def precision_at_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall: float,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Largest precision over the thresholds that reach a recall.

    It is optimistic on the same data; see `calibrated_metrics.thresholds.choose_threshold`.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    recall : float in (0, 1]; required recall (sensitivity)
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in (0, 1]
        1 for a perfect ranking; the prior for constant scores.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights, options or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import precision_at_recall_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> precision_at_recall_score(y_true, y_score, recall=0.9, pi0=[0.5, 0.01])
    array([0.75      , 0.02941176])
    """
    return value_of(
        "precision_at_recall", y_true, y_score, pi0, pos_label, sample_weight, recall=recall
    )


@plain_calls()
def recall_at_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    precision: float,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Largest recall over the thresholds that reach a precision.

    It is optimistic on the same data; see `calibrated_metrics.thresholds.choose_threshold`.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    precision : float in (0, 1]; required precision (PPV)
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 for a perfect ranking; 0 if no threshold reaches the precision: then nothing may be
        predicted positive. Constant scores give 1 if the prior reaches the precision, otherwise
        0.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights, options or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import recall_at_precision_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> recall_at_precision_score(y_true, y_score, precision=0.5, pi0=[0.5, 0.01])
    array([1. , 0.5])
    """
    return value_of(
        "recall_at_precision", y_true, y_score, pi0, pos_label, sample_weight, precision=precision
    )


@plain_calls()
def precision_at_specificity_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    specificity: float,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Precision (PPV) at a specificity, that is, at a false positive rate of 1 - specificity.

    If scores are tied at the limit, a random part of them is predicted positive, and TP is an
    expected value. It is optimistic if the same data chose the specificity.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    specificity : float in (0, 1); 1 - FPR, such as 0.99 for a false positive rate of 1 %
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1)
        The greatest possible value is prior / (prior + FPR * (1 - prior)), as some negatives are
        predicted positive; the prior for constant scores.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights, options or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import precision_at_specificity_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> precision_at_specificity_score(y_true, y_score, specificity=0.8, pi0=[0.5, 0.01])
    array([0.71428571, 0.02463054])
    """
    rows = y_true, y_score
    return value_of(
        "precision_at_specificity", *rows, pi0, pos_label, sample_weight, specificity=specificity
    )


@plain_calls()
def precision_at_top_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alert_rate: float,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Precision if the cases with the highest scores are predicted positive.

    Without ties and at the prior of the data this is precision at k. If scores are tied at the
    limit, a random part of them is predicted positive, and TP and FP are expected values (McSherry
    & Najork, ECIR 2008, doi:10.1007/978-3-540-78646-7_38).

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    alert_rate : float in (0, 1]; share of cases (of the weight) predicted positive, such as k / n
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        The greatest possible value is min(1, prior / alert_rate); the prior for constant scores.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights, options or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import precision_at_top_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> precision_at_top_score(y_true, y_score, alert_rate=0.01, pi0=[0.5, 0.01])
    array([1. , 0.5])
    """
    return value_of(
        "precision_at_top", y_true, y_score, pi0, pos_label, sample_weight, alert_rate=alert_rate
    )


@plain_calls()
def recall_at_top_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alert_rate: float,
    pi0: Priors = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Recall if the cases with the highest scores are predicted positive.

    As a function of the alert rate it is the cumulative gains curve.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    alert_rate : float in (0, 1]; share of cases (of the weight) predicted positive, such as k / n
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        The greatest possible value is min(1, alert_rate / prior); `alert_rate` for constant scores.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights, options or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import recall_at_top_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> recall_at_top_score(y_true, y_score, alert_rate=0.01, pi0=[0.5, 0.01])
    array([0.02, 0.5 ])
    """
    return value_of(
        "recall_at_top", y_true, y_score, pi0, pos_label, sample_weight, alert_rate=alert_rate
    )
