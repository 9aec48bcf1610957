"""Thresholds chosen on tuning data and evaluated on test data: achievable curves without bias.

The ROC convex hull of a sample is achievable (Davis & Goadrich, ICML 2006, Corollary 3.1,
doi:10.1145/1143844.1143874), but only if its thresholds are known in advance; choosing them on the
same sample is optimistic. This module chooses them on a separate sample.
"""

from __future__ import annotations

import numpy as np

from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve

__all__ = ["achievable_on_test", "hull_thresholds"]


def hull_thresholds(tuning: ConfusionCurve) -> FloatArray:
    """Return the thresholds of the corners of the ROC convex hull.

    Only these thresholds are optimal for some prior and some costs of errors.

    Parameters
    ----------
    tuning : ConfusionCurve
        Curve of the tuning data, with known thresholds. Its prior does not matter.

    Returns
    -------
    ndarray of shape (n_thresholds,), descending, possibly empty
        A score ``>= threshold`` is predicted positive. The two ends of the hull, at which nothing
        or everything is predicted positive, are left out.

    Raises
    ------
    ValueError
        If the thresholds of the curve are unknown.
    """
    _known_thresholds("tuning", tuning)
    return tuning.hull().thresholds[1:-1].copy()


def achievable_on_test(tuning: ConfusionCurve, test: ConfusionCurve) -> ConfusionCurve:
    """Return the test data's curve through the thresholds that the tuning data chose.

    Between adjacent thresholds a random mixture of the two decisions is used: a straight line in
    ROC space, the interpolation of Davis & Goadrich in PR space.

    Parameters
    ----------
    tuning : ConfusionCurve
        Curve of the tuning data, with known thresholds.
    test : ConfusionCurve
        Curve of the same model's scores on test data. It must know its counts at any threshold,
        like a curve from ``from_predictions``. The result has the prior of this curve.

    Returns
    -------
    ConfusionCurve
        From predicting nothing positive to predicting everything positive. It need not be concave.

    Raises
    ------
    ValueError
        If the thresholds of `tuning` are unknown, or if the counts of `test` there are unknown.

    Notes
    -----
    The result never lies above ``test.hull()``. If the test data are also the tuning data, the
    result equals ``test.hull()``, and its area is optimistic.

    References
    ----------
    Davis & Goadrich, ICML 2006, Corollary 3.1, doi:10.1145/1143844.1143874.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> from calibrated_metrics.thresholds import achievable_on_test
    >>> tuning = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    >>> test = ConfusionCurve.from_predictions([0, 1, 1, 0, 0], [5.5, 4.5, 3.5, 2.5, 1.5])
    >>> scores.pr_auc(test.hull()), scores.pr_auc(achievable_on_test(tuning, test))
    (0.66..., 0.45...)
    """
    ends = _known_thresholds("tuning", tuning)[-1], _known_thresholds("test", test)[-1]
    corners = np.concatenate([[np.inf], hull_thresholds(tuning), [min(ends)]])
    matrices = test.confusion_matrix(corners)
    return ConfusionCurve(corners, matrices.tp, matrices.fp)


def _known_thresholds(name: str, curve: ConfusionCurve) -> FloatArray:
    if np.isnan(curve.thresholds).any():
        raise ValueError(f"{name} must have known thresholds, got NaN: build it from scores")
    return curve.thresholds
