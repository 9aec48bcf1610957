"""Coordinates of a curve: ROC, precision-recall, precision-recall gain, achievable.

Each function returns ``(x, y)`` by descending threshold, ready to plot. All are the same confusion
matrices in other coordinates; pass ``curve.at_prior(pi0)`` for the calibrated ones.
"""

from __future__ import annotations

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics.confusion import ConfusionCurve

__all__ = [
    "achievable_precision_recall",
    "interpolated",
    "precision_recall",
    "precision_recall_gain",
    "roc",
]


def roc(curve: ConfusionCurve) -> tuple[np.ndarray, np.ndarray]:
    """Return (false positive rate, true positive rate), each of shape (n_vertices,)."""
    return curve.fp / curve.n_neg, curve.tp / curve.n_pos


def precision_recall(curve: ConfusionCurve) -> tuple[np.ndarray, np.ndarray]:
    """Return (recall, precision), each of shape (n_vertices,).

    The first vertex, where nothing is predicted positive, has the precision that the first
    segment tends to there. Straight lines between vertices are wrong in this space (Davis &
    Goadrich, 2006, section 4): plot ``precision_recall(interpolated(curve))``.
    """
    predicted = curve.tp + curve.fp
    precision = np.empty(len(curve))
    precision[1:] = curve.tp[1:] / predicted[1:]
    precision[0] = precision[1]
    return curve.tp / curve.n_pos, precision


def achievable_precision_recall(curve: ConfusionCurve) -> tuple[np.ndarray, np.ndarray]:
    """Return (recall, precision) of the vertices of the ROC convex hull.

    Source: Davis & Goadrich (2006), Corollary 3.1.
    """
    return precision_recall(curve.hull())


def precision_recall_gain(curve: ConfusionCurve) -> tuple[np.ndarray, np.ndarray]:
    """Return (recall gain, precision gain) from recall gain 0 on; straight lines are exact.

    Source: Flach & Kull (2015). The first point is the crossing of recall gain 0, at
    TP = prior * n_pos, interpolated in count space; the last is (1, 0). Vertices that only add
    false positives stay: their segments are vertical.
    """
    odds = curve.n_pos / curve.n_neg
    tp_zero_gain = curve.n_pos * curve.prior
    after = curve.tp > tp_zero_gain
    first = int(np.argmax(after))
    tp_rise = curve.tp[first] - curve.tp[first - 1]
    share = (tp_zero_gain - curve.tp[first - 1]) / tp_rise
    fp_zero_gain = curve.fp[first - 1] + share * (curve.fp[first] - curve.fp[first - 1])
    tp, fp = curve.tp[after], curve.fp[after]
    recall_gain = 1.0 - odds * (curve.n_pos - tp) / tp
    precision_gain = 1.0 - odds * fp / tp
    return (
        np.concatenate([[0.0], recall_gain]),
        np.concatenate([[1.0 - odds * fp_zero_gain / tp_zero_gain], precision_gain]),
    )


def interpolated(curve: ConfusionCurve, n_points: int = 1000) -> ConfusionCurve:
    """Return the curve with vertices added along its rises, about `n_points` in all.

    Between two vertices FP grows linearly with TP (Davis & Goadrich, 2006, section 3.2), so the
    curve is the same; only straight plotting lines between its vertices become right. Thresholds
    of the result are unknown (NaN).

    Parameters
    ----------
    n_points : int >= 1, default=1000
        Equally spaced in TP; every original vertex is kept.
    """
    n_points = _checks.integer_at_least("n_points", n_points, 1)
    tp, fp = _linear_in_tp(curve, np.linspace(0.0, curve.n_pos, n_points + 1)[1:-1])
    all_tp = np.concatenate([curve.tp, tp])
    all_fp = np.concatenate([curve.fp, fp])
    order = np.lexsort((all_fp, all_tp))
    return ConfusionCurve(np.full(order.size, np.nan), all_tp[order], all_fp[order])


def _linear_in_tp(curve: ConfusionCurve, tp: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points inside the rises at the given TP; those at a rise's end are vertices already."""
    rises = curve.rises
    rise = rises.tp_end.searchsorted(tp)
    inside = tp != rises.tp_end[rise]
    tp, rise = tp[inside], rise[inside]
    share = (tp - rises.tp_start[rise]) / (rises.tp_end[rise] - rises.tp_start[rise])
    return tp, rises.fp_start[rise] + share * (rises.fp_end[rise] - rises.fp_start[rise])
