"""Points of a ranking: the best threshold, a given recall or precision, the top of the ranking."""

from __future__ import annotations

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores.rates import weights_of

__all__ = [
    "best_fbeta",
    "precision_at_recall",
    "precision_at_top",
    "recall_at_precision",
    "recall_at_top",
]


def best_fbeta(curve: ConfusionCurve, beta: float = 1.0) -> float:
    """Largest F-beta over all thresholds.

    Parameters
    ----------
    beta : float > 0, default=1.0
        Weight of recall against precision.

    Returns
    -------
    float in (0, 1], 1 for a perfect ranking.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.best_fbeta(curve)
    0.8
    >>> scores.best_fbeta(curve.at_prior(0.1))
    0.666...
    """
    of_precision, of_recall = weights_of(beta)
    _, tp, _, fp = curve.positive_steps
    return float((tp / (tp + of_precision * fp + of_recall * (curve.n_pos - tp))).max())


def precision_at_recall(curve: ConfusionCurve, recall: float) -> float:
    """Largest precision over the thresholds that reach a recall.

    Parameters
    ----------
    recall : float in (0, 1]
        Least recall (sensitivity). Thresholds are the distinct scores, so that tied scores are all
        predicted positive or all negative. A recall that falls short only by a rounding error
        counts as reached.

    Returns
    -------
    float in (0, 1], 1 for a perfect ranking; the prior for constant scores.

    Raises
    ------
    ValueError, TypeError
        If `recall` is not a number in (0, 1].

    See Also
    --------
    calibrated_metrics.thresholds.choose_threshold : A threshold with a guaranteed recall.

    Notes
    -----
    It is optimistic on the data that chose the threshold, like any maximum.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.precision_at_recall(curve, recall=0.8)
    0.666...
    >>> scores.precision_at_recall(curve.at_prior(0.1), recall=0.8)
    0.25
    """
    least = _checks.share("recall", recall) * curve.n_pos * (1 - _ROUNDING)
    _, tp, _, fp = curve.positive_steps
    return float((tp / (tp + fp))[tp >= least].max())


def recall_at_precision(curve: ConfusionCurve, precision: float) -> float:
    """Largest recall over the thresholds that reach a precision.

    Parameters
    ----------
    precision : float in (0, 1]
        Least precision (PPV). Thresholds are the distinct scores, so that tied scores are all
        predicted positive or all negative. A precision that falls short only by a rounding error
        counts as reached.

    Returns
    -------
    float in [0, 1], 1 for a perfect ranking
        0 if no threshold reaches the precision: then nothing may be predicted positive. Constant
        scores give 1 if the prior reaches the precision, otherwise 0.

    Raises
    ------
    ValueError, TypeError
        If `precision` is not a number in (0, 1].

    See Also
    --------
    calibrated_metrics.thresholds.choose_threshold : A threshold with a guaranteed precision.

    Notes
    -----
    It is optimistic on the data that chose the threshold, like any maximum.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.recall_at_precision(curve, precision=0.6)
    1.0
    >>> scores.recall_at_precision(curve.at_prior(0.1), precision=0.6)
    0.5
    """
    least = _checks.share("precision", precision) * (1 - _ROUNDING)
    _, tp, _, fp = curve.positive_steps
    return float(tp[tp / (tp + fp) >= least].max(initial=0.0)) / curve.n_pos


_ROUNDING = 1e-12  # relative difference between values that are taken as equal


def precision_at_top(curve: ConfusionCurve, alert_rate: float) -> float:
    """Precision if the cases with the highest scores are predicted positive.

    Parameters
    ----------
    alert_rate : float in (0, 1]
        Share of all cases, at the prior of the curve, that are predicted positive. For the top k
        of n cases it is k / n, at their own prior; for k alerts per 1000 cases it is k / 1000, at
        any prior.

    Returns
    -------
    float in [0, 1]
        The greatest possible value is min(1, prior / alert_rate); the prior for constant scores.

    Raises
    ------
    ValueError, TypeError
        If `alert_rate` is not a number in (0, 1].

    Notes
    -----
    If the alert rate lies between two vertices, a random part of the tied scores between them is
    predicted positive. TP and FP are then expected values, which gives a straight line in ROC
    space. Without ties and at the own prior this is precision at k.

    References
    ----------
    McSherry & Najork, ECIR 2008, doi:10.1007/978-3-540-78646-7_38, for ties.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.precision_at_top(curve, alert_rate=3 / 5)
    0.666...
    """
    tp, fp = _top(curve, alert_rate)
    return tp / (tp + fp)


def recall_at_top(curve: ConfusionCurve, alert_rate: float) -> float:
    """Recall if the cases with the highest scores are predicted positive.

    Parameters
    ----------
    alert_rate : float in (0, 1]
        Share of all cases, at the prior of the curve, that are predicted positive. For the top k
        of n cases it is k / n, at their own prior; for k alerts per 1000 cases it is k / 1000, at
        any prior.

    Returns
    -------
    float in [0, 1]
        The greatest possible value is min(1, alert_rate / prior); `alert_rate` for constant scores.

    Raises
    ------
    ValueError, TypeError
        If `alert_rate` is not a number in (0, 1].

    Notes
    -----
    Between two vertices, TP is the expected value, as in `precision_at_top`. As a function of
    `alert_rate` it is the cumulative gains curve.

    References
    ----------
    McSherry & Najork, ECIR 2008, doi:10.1007/978-3-540-78646-7_38, for ties.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.recall_at_top(curve, alert_rate=2 / 5)
    0.5
    >>> scores.recall_at_top(curve.at_prior(0.1), alert_rate=2 / 5)
    1.0
    """
    tp, _ = _top(curve, alert_rate)
    return tp / curve.n_pos


def _top(curve: ConfusionCurve, alert_rate: float) -> tuple[float, float]:
    """Expected TP and FP if this share of all cases is predicted positive."""
    alerts = curve.tp + curve.fp
    n_alerts = _checks.share("alert_rate", alert_rate) * float(alerts[-1])
    if n_alerts < np.finfo(np.float64).tiny:
        raise ValueError(f"alert_rate={alert_rate} gives a number of alerts below float64")
    tp, fp = (float(np.interp(n_alerts, alerts, counts)) for counts in (curve.tp, curve.fp))
    return tp, fp
