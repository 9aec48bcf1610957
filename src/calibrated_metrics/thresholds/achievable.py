"""Unbiased achievable curves: thresholds of the convex hull, applied to other data.

The ROC convex hull of a sample is achievable (Davis & Goadrich, ICML 2006, Corollary 3.1,
doi:10.1145/1143844.1143874), but only if its thresholds are known in advance.
"""

from __future__ import annotations

import numpy as np

from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve, CurveLike, as_curve

__all__ = ["achievable_on_test", "hull_thresholds"]


def hull_thresholds(tuning: CurveLike) -> FloatArray:
    """Return the thresholds of the corners of the ROC convex hull.

    Only these thresholds are optimal for some prior and some costs of errors.

    Parameters
    ----------
    tuning : ConfusionCurve or pair (y_true, y_score)
        Tuning data, with known thresholds. Their prior does not matter.

    Returns
    -------
    ndarray of shape (n_thresholds,), descending, possibly empty
        A score ``>= threshold`` is predicted positive. The two ends of the hull are left out.

    Examples
    --------
    >>> from calibrated_metrics import thresholds
    >>> thresholds.hull_thresholds(([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]))
    array([0.9, 0.7])
    """
    return _with_thresholds("tuning", tuning).hull().thresholds[1:-1].copy()


def achievable_on_test(tuning: CurveLike, test: CurveLike) -> ConfusionCurve:
    """Return the curve of the test data through the thresholds of the tuning data's hull.

    Between adjacent thresholds, one of the two decisions is chosen at random. This is a straight
    line in ROC space, and the interpolation of Davis & Goadrich in PR space.

    Parameters
    ----------
    tuning : ConfusionCurve or pair (y_true, y_score)
        Tuning data, with known thresholds.
    test : ConfusionCurve or pair (y_true, y_score)
        Test data, scored by the same model. The result has the prior of these data. A curve must
        have counts at any threshold, such as the result of ``from_predictions``.

    Returns
    -------
    ConfusionCurve
        It may be non-concave, and is nowhere above ``test.hull()``, which is optimistic.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> from calibrated_metrics.thresholds import achievable_on_test
    >>> tuning = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    >>> test = ConfusionCurve.from_predictions([0, 1, 1, 0, 0], [5.5, 4.5, 3.5, 2.5, 1.5])
    >>> scores.pr_auc(test.hull()), scores.pr_auc(achievable_on_test(tuning, test))
    (0.66..., 0.45...)
    """
    tuning, test = _with_thresholds("tuning", tuning), _with_thresholds("test", test)
    last = min(tuning.thresholds[-1], test.thresholds[-1])
    corners = np.concatenate([[np.inf], hull_thresholds(tuning), [last]])
    matrices = test.confusion_matrix(corners)
    return ConfusionCurve(corners, matrices.tp, matrices.fp)


def _with_thresholds(name: str, data: CurveLike) -> ConfusionCurve:
    curve = as_curve(name, data)
    if np.isnan(curve.thresholds).any():
        raise ValueError(f"{name} must have known thresholds, got NaN: build it from scores")
    return curve
