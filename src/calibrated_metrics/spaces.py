"""Coordinates of a curve: ROC, precision-recall, precision-recall gain.

Each function takes a curve or a pair ``(y_true, y_score)``, and returns ``(x, y)`` by descending
threshold, ready to plot. Pass ``curve.at_prior(pi0)`` for calibrated coordinates. The returned
arrays are new and may be modified.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from calibrated_metrics import _numbers
from calibrated_metrics._arguments import plain_calls
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve, CurveLike
from calibrated_metrics.confusion.data import as_curve

__all__ = [
    "interpolated",
    "recall_precision",
    "recall_precision_gain",
    "roc",
]

_Values = TypeVar("_Values", float, FloatArray)


@plain_calls()
def roc(curve: CurveLike, *, pos_label: Any = None) -> tuple[FloatArray, FloatArray]:
    """Coordinates in ROC space.

    Parameters
    ----------
    curve : ConfusionCurve or pair (y_true, y_score)
        At any prior.
    pos_label : scalar, default=None
        Label of the positives. None: 1 for a pair, and the own label of a curve.

    Returns
    -------
    fpr, tpr : ndarray of shape (n_vertices,)
        False and true positive rate, both ascending.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, spaces
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> fpr, tpr = spaces.roc(curve)
    >>> fpr.round(3), tpr
    (array([0.   , 0.   , 0.333, 0.333, 1.   ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    curve = as_curve("curve", curve, pos_label)
    return curve.fp / curve.n_neg, curve.tp / curve.n_pos


@plain_calls()
def recall_precision(curve: CurveLike, *, pos_label: Any = None) -> tuple[FloatArray, FloatArray]:
    """Coordinates in precision-recall space.

    Straight lines between vertices are wrong in this space (Davis & Goadrich, 2006, section 4):
    plot ``recall_precision(interpolated(curve))``.

    Parameters
    ----------
    curve : ConfusionCurve or pair (y_true, y_score)
        At any prior.
    pos_label : scalar, default=None
        Label of the positives. None: 1 for a pair, and the own label of a curve.

    Returns
    -------
    recall, precision : ndarray of shape (n_vertices,)
        Recall is ascending. At the first vertex nothing is predicted positive; its precision is
        the limit along the first segment.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, spaces
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> recall, precision = spaces.recall_precision(curve)
    >>> recall.round(3), precision.round(3)
    (array([0. , 0.5, 0.5, 1. , 1. ]), array([1.   , 1.   , 0.5  , 0.667, 0.4  ]))
    """
    curve = as_curve("curve", curve, pos_label)
    predicted = curve.tp + curve.fp
    first = int(np.argmax(predicted > 0))  # a random draw can leave the first vertices empty
    precision = np.empty(len(curve))
    precision[first:] = curve.tp[first:] / predicted[first:]
    precision[:first] = precision[first]
    return curve.tp / curve.n_pos, precision


@plain_calls()
def recall_precision_gain(
    curve: CurveLike, *, pos_label: Any = None
) -> tuple[FloatArray, FloatArray]:
    """Coordinates in precision-recall-gain space, for recall gains of at least 0.

    Source: Flach & Kull (2015). Straight lines between the points are exact.

    Parameters
    ----------
    curve : ConfusionCurve or pair (y_true, y_score)
        At any prior.
    pos_label : scalar, default=None
        Label of the positives. None: 1 for a pair, and the own label of a curve.

    Returns
    -------
    recall_gain, precision_gain : ndarray of shape (n_points,)
        The first point is the crossing of recall gain 0, at TP = prior * n_pos, interpolated in
        count space; the last is (1, 0).

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, spaces
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> recall_gain, precision_gain = spaces.recall_precision_gain(curve)
    >>> recall_gain.round(3), precision_gain.round(3)
    (array([0.   , 0.333, 0.333, 1.   , 1.   ]), array([1.   , 1.   , 0.333, 0.667, 0.   ]))
    """
    curve = as_curve("curve", curve, pos_label)
    counted = curve.tp > 0
    tp, fp = curve.tp[counted], curve.fp[counted]
    gains = recall_gain(curve, tp)
    after = gains > 0
    precision_gains = 1.0 - (fp[after] / curve.n_neg) * (curve.n_pos / tp[after])
    start = precision_gain_at_zero_recall_gain(curve, rise_through_zero_recall_gain(curve))
    return np.append(0.0, gains[after]), np.append(start, precision_gains)


def recall_gain(curve: ConfusionCurve, tp: _Values) -> _Values:
    """Recall gain 1 - π/(1-π) FN/TP at each TP above 0."""
    with np.errstate(over="ignore"):  # at a prior near 1, the gain of a small TP is -inf
        return 1.0 - (curve.n_pos / curve.n_neg) * ((curve.n_pos - tp) / tp)


def rise_through_zero_recall_gain(curve: ConfusionCurve) -> int:
    """Index of the first rise that ends at a recall gain above 0."""
    return int(recall_gain(curve, curve.positive_steps.tp_end).searchsorted(0.0, side="right"))


def precision_gain_at_zero_recall_gain(curve: ConfusionCurve, rise: int) -> float:
    """Precision gain 1 - FPR/TPR at recall gain 0, on this rise: at TPR = π, linear in counts."""
    n_pos, n_neg = curve.n_pos, curve.n_neg
    start, end, fp_start, fp_end = (column.item(rise) for column in curve.positive_steps)
    height = (end - start) / n_pos
    # At a prior near 1, shares of a rise are measured from its end near TPR = 1, because the
    # difference from its start would lose digits.
    if n_pos <= n_neg:
        share = (n_pos / (n_pos + n_neg) - start / n_pos) / height
    else:
        share = 1.0 - (n_neg / (n_pos + n_neg) - (n_pos - end) / n_pos) / height
    share = min(max(share, 0.0), 1.0)
    fpr = (fp_start + share * (fp_end - fp_start)) / n_neg
    return 1.0 - fpr * (1.0 + n_neg / n_pos)


@plain_calls()
def interpolated(
    curve: CurveLike, n_points: int = 1000, *, pos_label: Any = None
) -> ConfusionCurve:
    """Return the curve with about `n_points` vertices added along its rises.

    Straight lines between them are accurate in a plot: between two vertices FP grows linearly with
    TP (Davis & Goadrich, 2006, section 3.2).

    Parameters
    ----------
    curve : ConfusionCurve or pair (y_true, y_score)
        At any prior.
    n_points : int >= 1, default=1000
        Number of added vertices, equally spaced in TP. All original vertices are kept.
    pos_label : scalar, default=None
        Label of the positives. None: 1 for a pair, and the own label of a curve or matrix.

    Returns
    -------
    ConfusionCurve
        Its thresholds are unknown (NaN).

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, spaces
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> len(curve), len(spaces.interpolated(curve, n_points=100))
    (5, 103)
    """
    curve = as_curve("curve", curve, pos_label)
    n_points = _numbers.integer_at_least("n_points", n_points, 1)
    tp = np.linspace(0.0, curve.n_pos, n_points + 1)[1:-1]
    tp = tp[~np.isin(tp, curve.tp)]
    fp = false_positives_at(curve, tp)
    all_tp, all_fp = np.concatenate([curve.tp, tp]), np.concatenate([curve.fp, fp])
    order = np.lexsort((all_fp, all_tp))
    return ConfusionCurve(np.full(order.size, np.nan), all_tp[order], all_fp[order])


def false_positives_at(curve: ConfusionCurve, tp: FloatArray) -> FloatArray:
    """FP at each TP in (0, n_pos], linear along the rises. Arrays of the same shape."""
    start, end, fp_start, fp_end = curve.positive_steps
    rise = end.searchsorted(tp)
    share = (tp - start[rise]) / (end[rise] - start[rise])
    return np.asarray(fp_start[rise] + share * (fp_end[rise] - fp_start[rise]))
