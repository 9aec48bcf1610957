"""Areas under the curves of labelled scores."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from calibrated_metrics import scores
from calibrated_metrics.confusion import Values
from calibrated_metrics.metrics._arguments import at_priors, curve_of

__all__ = [
    "achievable_pr_auc_score",
    "average_precision_score",
    "partial_average_precision_score",
    "partial_gains_auc_score",
    "partial_roc_auc_score",
    "pr_auc_score",
    "prg_auc_score",
    "roc_auc_score",
]


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
    curve = curve_of(y_true, y_score, pos_label, sample_weight)
    return at_priors(scores.average_precision, curve, pi0)


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

    Examples
    --------
    >>> from calibrated_metrics import pr_auc_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> pr_auc_score(y_true, y_score)
    0.797...
    >>> pr_auc_score(y_true, y_score, pi0=0.1)
    0.599...
    """
    curve = curve_of(y_true, y_score, pos_label, sample_weight)
    return at_priors(scores.pr_auc, curve, pi0)


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

    Examples
    --------
    >>> from calibrated_metrics import achievable_pr_auc_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> achievable_pr_auc_score(y_true, y_score)
    0.887...
    >>> achievable_pr_auc_score(y_true, y_score, pi0=0.1)
    0.698...
    """
    curve = curve_of(y_true, y_score, pos_label, sample_weight)
    return at_priors(scores.achievable_pr_auc, curve, pi0)


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
    curve = curve_of(y_true, y_score, pos_label, sample_weight)
    return at_priors(scores.prg_auc, curve, pi0)


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

    Examples
    --------
    >>> from calibrated_metrics import roc_auc_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> roc_auc_score(y_true, y_score)
    0.833...
    """
    curve = curve_of(y_true, y_score, pos_label, sample_weight)
    return at_priors(scores.roc_auc, curve, pi0)


def partial_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_recall: float = 0.0,
    max_recall: float = 1.0,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Average precision over a range of recall: the mean of precision over this range.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    min_recall : float in [0, 1), default=0.0
        Least recall of the range.
    max_recall : float in (0, 1], default=1.0
        Greatest recall of the range, above `min_recall`.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in (0, 1]
        1 is perfect; the prior for constant scores.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights, options or priors outside
        their range; lengths that differ; empty input.

    See Also
    --------
    average_precision_score : The whole range.

    References
    ----------
    Saito & Rehmsmeier, Bioinformatics 2017, doi:10.1093/bioinformatics/btw570: partial areas,
    divided by the width of the range.

    Examples
    --------
    >>> from calibrated_metrics import partial_average_precision_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> partial_average_precision_score(y_true, y_score, min_recall=0.5, pi0=0.01)
    0.0294...
    """
    curve = curve_of(y_true, y_score, pos_label, sample_weight)
    return at_priors(
        lambda at: scores.partial_average_precision(at, min_recall, max_recall), curve, pi0
    )


def partial_roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    max_fpr: float,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Standardised area under the ROC curve up to a false positive rate.

    The value equals ``sklearn.metrics.roc_auc_score(..., max_fpr=max_fpr)``. It is the same at
    every prior.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    max_fpr : float in (0, 1]
        Greatest false positive rate.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 is perfect; 0.5 for constant scores.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights, options or priors outside
        their range; lengths that differ; empty input.

    References
    ----------
    McClish, Medical Decision Making 1989, doi:10.1177/0272989X8900900307.

    Examples
    --------
    >>> from calibrated_metrics import partial_roc_auc_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> partial_roc_auc_score(y_true, y_score, max_fpr=0.5)
    0.777...
    """
    curve = curve_of(y_true, y_score, pos_label, sample_weight)
    return at_priors(lambda at: scores.partial_roc_auc(at, max_fpr), curve, pi0)


def partial_gains_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    max_alert_rate: float,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Area under the cumulative gains curve up to an alert rate, as a share of the greatest area.

    The curve shows recall against the alert rate. It is also called cumulative accuracy profile
    (CAP) or lift chart.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    max_alert_rate : float in (0, 1]
        Greatest share q of all cases, at the reference prior, that are predicted positive.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 is perfect. Constant scores give the prior π if q <= π, otherwise q² / (2q - π).

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights, options or priors outside
        their range; lengths that differ; empty input.

    References
    ----------
    Engelmann, Hayden & Tasche, "Testing rating accuracy", Risk 2003, for the curve.

    Examples
    --------
    >>> from calibrated_metrics import partial_gains_auc_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> partial_gains_auc_score(y_true, y_score, max_alert_rate=0.5, pi0=0.2)
    0.6666666666666667
    """
    curve = curve_of(y_true, y_score, pos_label, sample_weight)
    return at_priors(lambda at: scores.partial_gains_auc(at, max_alert_rate), curve, pi0)
