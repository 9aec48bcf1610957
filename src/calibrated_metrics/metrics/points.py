"""Points of a ranking of labelled scores: the best, at a recall or precision, and the top."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from calibrated_metrics import scores
from calibrated_metrics.confusion import Values
from calibrated_metrics.metrics._arguments import at_priors, curve_of

__all__ = [
    "best_f1_score",
    "best_fbeta_score",
    "precision_at_recall_score",
    "precision_at_top_score",
    "recall_at_precision_score",
    "recall_at_top_score",
]


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

    Examples
    --------
    >>> from calibrated_metrics import best_fbeta_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> best_fbeta_score(y_true, y_score, beta=2)
    0.909...
    >>> best_fbeta_score(y_true, y_score, beta=2, pi0=0.1)
    0.625
    """
    curve = curve_of(y_true, y_score, pos_label, sample_weight)
    return at_priors(lambda at: scores.best_fbeta(at, beta), curve, pi0)


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

    Examples
    --------
    >>> from calibrated_metrics import best_f1_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> best_f1_score(y_true, y_score)
    0.8
    >>> best_f1_score(y_true, y_score, pi0=0.1)
    0.666...
    """
    return best_fbeta_score(
        y_true, y_score, pi0=pi0, pos_label=pos_label, sample_weight=sample_weight
    )


def precision_at_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall: float,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Largest precision over the thresholds that reach a recall.

    Thresholds are the distinct scores: tied scores are all predicted positive or all negative.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    recall : float in (0, 1]
        Least recall (sensitivity).
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
    calibrated_metrics.thresholds.choose_threshold : A threshold with a guaranteed recall.

    Examples
    --------
    >>> from calibrated_metrics import precision_at_recall_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> precision_at_recall_score(y_true, y_score, recall=0.9, pi0=[0.5, 0.01])
    array([0.75      , 0.02941176])
    """
    curve = curve_of(y_true, y_score, pos_label, sample_weight)
    return at_priors(lambda at: scores.precision_at_recall(at, recall), curve, pi0)


def recall_at_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    precision: float,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Largest recall over the thresholds that reach a precision.

    Thresholds are the distinct scores: tied scores are all predicted positive or all negative.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    precision : float in (0, 1]
        Least precision (PPV), at the reference prior.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        1 is perfect; 0 if no threshold reaches the precision.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights, options or priors outside
        their range; lengths that differ; empty input.

    See Also
    --------
    calibrated_metrics.thresholds.choose_threshold : A threshold with a guaranteed precision.

    Examples
    --------
    >>> from calibrated_metrics import recall_at_precision_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> recall_at_precision_score(y_true, y_score, precision=0.5, pi0=[0.5, 0.01])
    array([1. , 0.5])
    """
    curve = curve_of(y_true, y_score, pos_label, sample_weight)
    return at_priors(lambda at: scores.recall_at_precision(at, precision), curve, pi0)


def precision_at_top_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alert_rate: float,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Precision if the cases with the highest scores are predicted positive.

    If tied scores are only partly in the top, the value is the expected one over a random choice of
    them.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    alert_rate : float in (0, 1]
        Share of all cases, at the reference prior, that are predicted positive: k / n for the top
        k of n cases at their own prior, k / 1000 for k alerts per 1000 cases at any prior.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        The greatest possible value is min(1, prior / alert_rate); the prior for constant scores.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights, options or priors outside
        their range; lengths that differ; empty input.

    References
    ----------
    McSherry & Najork, ECIR 2008, doi:10.1007/978-3-540-78646-7_38, for ties.

    Examples
    --------
    >>> from calibrated_metrics import precision_at_top_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> precision_at_top_score(y_true, y_score, alert_rate=0.01, pi0=[0.5, 0.01])
    array([1. , 0.5])
    """
    curve = curve_of(y_true, y_score, pos_label, sample_weight)
    return at_priors(lambda at: scores.precision_at_top(at, alert_rate), curve, pi0)


def recall_at_top_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alert_rate: float,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """Recall if the cases with the highest scores are predicted positive.

    If tied scores are only partly in the top, the value is the expected one over a random choice of
    them.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels of any type, both present.
    y_score : array-like of shape (n_samples,)
        Finite scores; a higher score is more likely positive.
    alert_rate : float in (0, 1]
        Share of all cases, at the reference prior, that are predicted positive: k / n for the top
        k of n cases at their own prior, k / 1000 for k alerts per 1000 cases at any prior.
    pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
        Reference prior; None is the data's own prior. An array gives one value per prior.
    pos_label : scalar, default=1
        Label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights; samples of weight 0 are dropped.

    Returns
    -------
    float or ndarray of shape (n_priors,), in [0, 1]
        The greatest possible value is min(1, alert_rate / prior); `alert_rate` for constant scores.

    Raises
    ------
    ValueError, TypeError
        For labels that are not binary or lack a class; scores, weights, options or priors outside
        their range; lengths that differ; empty input.

    References
    ----------
    McSherry & Najork, ECIR 2008, doi:10.1007/978-3-540-78646-7_38, for ties.

    Examples
    --------
    >>> from calibrated_metrics import recall_at_top_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> recall_at_top_score(y_true, y_score, alert_rate=0.01, pi0=[0.5, 0.01])
    array([0.02, 0.5 ])
    """
    curve = curve_of(y_true, y_score, pos_label, sample_weight)
    return at_priors(lambda at: scores.recall_at_top(at, alert_rate), curve, pi0)
