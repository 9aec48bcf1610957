"""Achievable curves without optimism: thresholds chosen on tuning data, drawn on test data.

The ROC convex hull of a sample is achievable (Davis & Goadrich, ICML 2006, Corollary 3.1,
doi:10.1145/1143844.1143874), but only by whoever knows which thresholds lie on it. Chosen on the
sample that they are drawn on, they flatter the model; here another sample chooses them.
"""

from __future__ import annotations

import numpy as np

from calibrated_metrics.confusion import ConfusionCurve

__all__ = ["achievable_on_test", "hull_thresholds"]


def hull_thresholds(tuning: ConfusionCurve) -> np.ndarray:
    """Thresholds worth using: those of the corners of the ROC convex hull.

    Parameters
    ----------
    tuning : ConfusionCurve
        Of the tuning data, with known thresholds. Its prior does not matter.

    Returns
    -------
    ndarray of shape (n_thresholds,), descending, maybe empty
        A score ``>= threshold`` is predicted positive. The ends of the hull, where nothing and
        where everything is predicted positive, have no threshold to be chosen.

    Raises
    ------
    ValueError
        If the thresholds of the curve are unknown.
    """
    if np.isnan(tuning.thresholds).any():
        raise ValueError("tuning must have known thresholds, got NaN: build it from scores")
    return tuning.hull().thresholds[1:-1].copy()


def achievable_on_test(tuning: ConfusionCurve, test: ConfusionCurve) -> ConfusionCurve:
    """Return the test data's curve through the thresholds that the tuning data chose.

    Between adjacent thresholds, predictions are those of either threshold at random: a straight
    line in ROC space, the interpolation of Davis & Goadrich in PR space.

    Parameters
    ----------
    tuning : ConfusionCurve
        Of the tuning data, with known thresholds.
    test : ConfusionCurve
        Of the same model's scores on test data; it must still know its counts at any threshold,
        as from ``from_predictions``. At a reference prior, so is the result.

    Returns
    -------
    ConfusionCurve
        From predicting nothing to predicting everything positive. It need not be concave.

    Raises
    ------
    ValueError
        If the thresholds of `tuning` are unknown, or if `test` does not know its counts there.

    Notes
    -----
    The curve of a labelled sample never rises above ``test.hull()``, and equals it where the test
    data are the tuning data: the area under a hull of its own data is optimistic.

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
    chosen = hull_thresholds(tuning)
    # A kept operating point t counts the scores above t; the one just below counts the threshold.
    test = test.keep_thresholds(*np.nextafter(chosen, -np.inf))
    corners = np.isin(test.thresholds, chosen)
    lowest = min(test.thresholds[-1], tuning.thresholds[-1])
    return ConfusionCurve(
        np.concatenate([[np.inf], test.thresholds[corners], [lowest]]),
        np.concatenate([[0.0], test.tp[corners], [test.n_pos]]),
        np.concatenate([[0.0], test.fp[corners], [test.n_neg]]),
    )
