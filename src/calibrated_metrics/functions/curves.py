"""Curves of labels and scores."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from calibrated_metrics import spaces
from calibrated_metrics._arguments import plain_calls
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve


def _curve_of(
    y_true: ArrayLike,
    y_score: ArrayLike,
    pi0: float | None,
    pos_label: Any,
    sample_weight: ArrayLike | None,
) -> ConfusionCurve:
    """The curve of labels and scores at a prior."""
    drawn = {"pos_label": pos_label, "sample_weight": sample_weight}
    curve = ConfusionCurve.from_predictions(y_true, y_score, **drawn)
    return curve if pi0 is None else curve.at_prior(pi0)


@plain_calls()
def precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Precision and recall at each threshold, in scikit-learn's order.

    Thresholds inside a run of negatives are left out. Recall does not change there.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    pi0 : None or float in (0, 1), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    precision, recall : ndarray of shape (n_thresholds + 1,)
        By ascending threshold; recall descends. The last element, precision 1 and recall 0, has
        no threshold.
    thresholds : ndarray of shape (n_thresholds,)
        Element i predicts positive where ``y_score >= thresholds[i]``.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import precision_recall_curve
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> precision, recall, thresholds = precision_recall_curve(y_true, y_score, pi0=0.1)
    >>> precision.round(3), recall
    (array([0.1  , 0.25 , 0.143, 1.   , 1.   ]), array([1. , 1. , 0.5, 0.5, 0. ]))
    """
    curve = _curve_of(y_true, y_score, pi0, pos_label, sample_weight)
    recall, precision = spaces.recall_precision(curve)
    precision = precision[::-1].copy()
    precision[-1] = 1.0
    return precision, recall[::-1], curve.thresholds[:0:-1].copy()


@plain_calls()
def precision_recall_gain_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Precision gain and recall gain at each threshold with a recall gain above 0.

    Source: Flach & Kull, "Precision-Recall-Gain Curves: PR Analysis Done Right", NIPS 2015.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    pi0 : None or float in (0, 1), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    precision_gain, recall_gain : ndarray of shape (n_thresholds + 1,)
        By ascending threshold; recall gain descends from 1. The last element is the interpolated
        point at recall gain 0; it has no threshold.
    thresholds : ndarray of shape (n_thresholds,)
        As for `precision_recall_curve`.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import precision_recall_gain_curve
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> precision_gain, recall_gain, _ = precision_recall_gain_curve(y_true, y_score, pi0=0.1)
    >>> precision_gain.round(3), recall_gain.round(3)
    (array([0.   , 0.667, 0.333, 1.   , 1.   ]), array([1.   , 1.   , 0.889, 0.889, 0.   ]))
    """
    curve = _curve_of(y_true, y_score, pi0, pos_label, sample_weight)
    recall_gain, precision_gain = spaces.recall_precision_gain(curve)
    n_thresholds = len(recall_gain) - 1
    thresholds = curve.thresholds[-n_thresholds:][::-1].copy()
    return precision_gain[::-1], recall_gain[::-1], thresholds


@plain_calls()
def roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """False and true positive rate at each threshold, the same at every prior.

    Thresholds inside a run of negatives are left out. The curve is a straight line there.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,); binary labels of any type
    y_score : array-like of shape (n_rows,); finite scores, higher for more likely positives
    pi0 : None or float in (0, 1), default=None; reference prior
    pos_label : scalar, default=1; label of the positives
    sample_weight : array-like of shape (n_rows,), default=None; weights of at least 0

    Returns
    -------
    fpr, tpr, thresholds : ndarray of shape (n_vertices,)
        By descending threshold; the first is ``inf``, where nothing is predicted positive.

    Raises
    ------
    ValueError, TypeError : for labels, scores, weights or priors unlike these

    Examples
    --------
    >>> from calibrated_metrics import roc_curve
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> fpr, tpr, thresholds = roc_curve(y_true, y_score)
    >>> fpr.round(3), tpr
    (array([0.   , 0.   , 0.333, 0.333, 1.   ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    curve = _curve_of(y_true, y_score, pi0, pos_label, sample_weight)
    return (*spaces.roc(curve), curve.thresholds.copy())
