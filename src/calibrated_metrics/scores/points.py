"""Points of a ranking: the best threshold, a given recall or precision, the top of the ranking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calibrated_metrics import _numbers
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores.decision import weights_of
from calibrated_metrics.scores.facts import Range, ranking_metric


def _influence_of_best_fbeta(
    curve: ConfusionCurve, beta: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Influence of F-beta at its best threshold; moving the threshold has no first-order effect."""
    of_precision, of_recall = weights_of(beta)
    tp, fp = curve.tp[1:], curve.fp[1:]
    whole = tp + of_precision * fp + of_recall * (curve.n_pos - tp)
    best = int(np.argmax(tp / whole))
    value = tp[best] / whole[best]
    by_tp = (1 - value * (1 - of_recall)) / whole[best]
    by_fp = -value * of_precision / whole[best]
    counted = np.arange(len(tp)) <= best
    return by_tp * curve.n_pos * counted, by_fp * curve.n_neg * counted


@ranking_metric(
    label="best F{beta:g}",
    synonyms=("best_f1",),
    interval="best_fbeta",
    influence=_influence_of_best_fbeta,
    formula="max F-beta over the thresholds",
    chance="(1 + β²)·π₀ / (1 + β²·π₀)",
    source="van Rijsbergen 1979",
)
def best_fbeta(curve: ConfusionCurve, beta: float = 1.0) -> float:
    """Largest F-beta over all thresholds.

    Parameters
    ----------
    curve : ConfusionCurve
    beta : float > 0, default=1.0
        Weight of recall against precision.

    Returns
    -------
    float in (0, 1], 1 for a perfect ranking.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.best_fbeta(curve.at_prior(0.1))
    0.666...
    """
    of_precision, of_recall = weights_of(beta)
    _, tp, _, fp = curve.positive_steps
    return float((tp / (tp + of_precision * fp + of_recall * (curve.n_pos - tp))).max())


@ranking_metric(
    label="precision at recall ≥ {recall:g}",
    jumps=True,
    formula="max Prec where Rec ≥ recall",
    chance="π₀",
)
def precision_at_recall(curve: ConfusionCurve, recall: float) -> float:
    """Largest precision over the thresholds that reach a recall.

    It is optimistic on the same data; see `calibrated_metrics.thresholds.choose_threshold`.

    Parameters
    ----------
    curve : ConfusionCurve
    recall : float in (0, 1]
        Required recall (sensitivity). It counts as reached up to a rounding error.

    Returns
    -------
    float in (0, 1], 1 for a perfect ranking; the prior for constant scores.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.precision_at_recall(curve.at_prior(0.1), recall=0.8)
    0.25
    """
    least = _numbers.share("recall", recall) * curve.n_pos * (1 - _numbers.ROUNDING)
    _, tp, _, fp = curve.positive_steps
    return float((tp / (tp + fp))[tp >= least].max())


@ranking_metric(
    label="recall at precision ≥ {precision:g}",
    interval="recall_at_precision",
    jumps=True,
    formula="max Rec where Prec ≥ p = precision",
    chance="1 if p ≤ π₀ else 0",
)
def recall_at_precision(curve: ConfusionCurve, precision: float) -> float:
    """Largest recall over the thresholds that reach a precision.

    It is optimistic on the same data; see `calibrated_metrics.thresholds.choose_threshold`.

    Parameters
    ----------
    curve : ConfusionCurve
    precision : float in (0, 1]
        Required precision (PPV). It counts as reached up to a rounding error.

    Returns
    -------
    float in [0, 1], 1 for a perfect ranking
        0 if no threshold reaches the precision: then nothing may be predicted positive. Constant
        scores give 1 if the prior reaches the precision, otherwise 0.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.recall_at_precision(curve.at_prior(0.1), precision=0.6)
    0.5
    """
    least = _numbers.share("precision", precision) * (1 - _numbers.ROUNDING)
    _, tp, _, fp = curve.positive_steps
    return float(tp[tp / (tp + fp) >= least].max(initial=0.0)) / curve.n_pos


@ranking_metric(
    label="recall at specificity ≥ {specificity:g}",
    synonyms=("sensitivity_at_specificity",),
    jumps=True,
    is_prior_free=True,
    formula="max TPR where FPR ≤ 1 − specificity",
    chance="0",
)
def recall_at_specificity(curve: ConfusionCurve, specificity: float) -> float:
    """Largest recall (sensitivity) over the thresholds that reach a specificity.

    The value is the same at every prior. It is optimistic on the same data; see
    `calibrated_metrics.thresholds.choose_threshold`.

    Parameters
    ----------
    curve : ConfusionCurve
    specificity : float in (0, 1]
        Required specificity, 1 - FPR. It counts as reached up to a rounding error.

    Returns
    -------
    float in [0, 1], 1 for a perfect ranking; 0 for constant scores.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.recall_at_specificity(curve, specificity=0.95)
    0.5
    """
    least = _numbers.share("specificity", specificity) * (1 - _numbers.ROUNDING)
    _, tp, _, fp = curve.positive_steps
    return float(tp[1 - fp / curve.n_neg >= least].max(initial=0.0)) / curve.n_pos


@ranking_metric(
    label="specificity at recall ≥ {recall:g}",
    synonyms=("specificity_at_sensitivity",),
    jumps=True,
    is_prior_free=True,
    formula="1 − min FPR where TPR ≥ recall",
    chance="0",
)
def specificity_at_recall(curve: ConfusionCurve, recall: float) -> float:
    """Largest specificity over the thresholds that reach a recall (sensitivity).

    The value is the same at every prior. It is optimistic on the same data; see
    `calibrated_metrics.thresholds.choose_threshold`.

    Parameters
    ----------
    curve : ConfusionCurve
    recall : float in (0, 1]
        Required recall. It counts as reached up to a rounding error.

    Returns
    -------
    float in [0, 1], 1 for a perfect ranking; 0 for constant scores.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.specificity_at_recall(curve, recall=0.8)
    0.666...
    """
    least = _numbers.share("recall", recall) * curve.n_pos * (1 - _numbers.ROUNDING)
    _, tp, _, fp = curve.positive_steps
    return float(1 - fp[tp >= least].min() / curve.n_neg)


def _scale_at_specificity(options: Mapping[str, Any], prior: float | None) -> Range:
    """Up to the precision of a perfect ranking."""
    if not prior:
        return 0.0, 1.0
    return 0.0, prior / (prior + (1 - options["specificity"]) * (1 - prior))


@ranking_metric(
    label="precision at specificity {specificity:g}",
    synonyms=("ppv_at_specificity",),
    scale=_scale_at_specificity,
    formula="Prec at the FPR f = 1 − specificity",
    chance="π₀",
    perfect="π₀ / (π₀ + f·(1 − π₀))",
)
def precision_at_specificity(curve: ConfusionCurve, specificity: float) -> float:
    """Precision (PPV) at a specificity, that is, at a false positive rate of 1 - specificity.

    If scores are tied at the limit, a random part of them is predicted positive, and TP is an
    expected value. It is optimistic if the same data chose the specificity.

    Parameters
    ----------
    curve : ConfusionCurve
    specificity : float in (0, 1)
        1 - FPR, such as 0.99 for a false positive rate of 1 %.

    Returns
    -------
    float in [0, 1)
        The greatest possible value is prior / (prior + FPR * (1 - prior)), as some negatives are
        predicted positive; the prior for constant scores.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.precision_at_specificity(curve.at_prior(0.1), specificity=0.8)
    0.217...
    """
    fp = (1 - _numbers.open_unit("specificity", specificity)) * curve.n_neg
    tp = float(np.interp(fp * (1 + _numbers.ROUNDING), curve.fp, curve.tp))
    return tp / (tp + fp)


@ranking_metric(
    label="precision at alert rate {alert_rate:g}",
    scale=lambda options, prior: (0.0, min(1.0, prior / options["alert_rate"]) if prior else 1.0),
    formula="Prec at the alert rate q = alert_rate",
    chance="π₀",
    perfect="min(1, π₀ / q)",
    source="[McSherry & Najork 2008](https://doi.org/10.1007/978-3-540-78646-7_38)",
)
def precision_at_top(curve: ConfusionCurve, alert_rate: float) -> float:
    """Precision if the cases with the highest scores are predicted positive.

    Without ties and at the prior of the data this is precision at k. If scores are tied at the
    limit, a random part of them is predicted positive, and TP and FP are expected values (McSherry
    & Najork, ECIR 2008, doi:10.1007/978-3-540-78646-7_38).

    Parameters
    ----------
    curve : ConfusionCurve
    alert_rate : float in (0, 1]
        Share of all cases, at the prior of the curve, that are predicted positive: k / n for the
        top k of n cases at their own prior, or k / 1000 for k alerts per 1000 cases at any prior.
        With weights, such as amounts, it is a share of the weight.

    Returns
    -------
    float in [0, 1]
        The greatest possible value is min(1, prior / alert_rate); the prior for constant scores.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.precision_at_top(curve.at_prior(0.1), alert_rate=3 / 5)
    0.166...
    """
    tp, fp = _top(curve, alert_rate)
    return tp / (tp + fp)


@ranking_metric(
    label="recall at alert rate {alert_rate:g}",
    scale=lambda options, prior: (0.0, min(1.0, options["alert_rate"] / prior) if prior else 1.0),
    formula="Rec at the alert rate q = alert_rate",
    chance="q",
    perfect="min(1, q / π₀)",
    source="[McSherry & Najork 2008](https://doi.org/10.1007/978-3-540-78646-7_38)",
)
def recall_at_top(curve: ConfusionCurve, alert_rate: float) -> float:
    """Recall if the cases with the highest scores are predicted positive.

    As a function of the alert rate it is the cumulative gains curve.

    Parameters
    ----------
    curve : ConfusionCurve
    alert_rate : float in (0, 1]
        As for `precision_at_top`.

    Returns
    -------
    float in [0, 1]
        The greatest possible value is min(1, alert_rate / prior); `alert_rate` for constant scores.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, scores
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> scores.recall_at_top(curve.at_prior(0.1), alert_rate=2 / 5)
    1.0
    """
    tp, _ = _top(curve, alert_rate)
    return tp / curve.n_pos


def _top(curve: ConfusionCurve, alert_rate: float) -> tuple[float, float]:
    """Expected TP and FP if this share of all cases is predicted positive."""
    alerts = curve.tp + curve.fp
    n_alerts = _numbers.share("alert_rate", alert_rate) * float(alerts[-1])
    if n_alerts < np.finfo(np.float64).tiny:
        raise ValueError(f"alert_rate={alert_rate} gives a number of alerts below float64")
    tp, fp = (float(np.interp(n_alerts, alerts, counts)) for counts in (curve.tp, curve.fp))
    return tp, fp
