"""Proper scores: means of the losses of probabilities, which are the scores of a curve of rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores.facts import ranking_metric

__all__ = ["doubts_of_prior", "rebased"]

_FAR = 4  # standard errors of the mean of calibrated probabilities, and
_ODDS = 2  # ratio of odds, from which they are called far from the share of positives
_ADDED = float(np.finfo(np.float64).max)  # the size of the scores of rows that intervals add


def rebased(probability: FloatArray, prior: float, pi0: float) -> FloatArray:
    """Probabilities that are calibrated at `prior`, converted to another prior."""
    if pi0 == prior:
        return probability.copy()
    if math.isnan(pi0):
        return np.full(len(probability), np.nan)
    if pi0 in (0, 1):
        certain = probability == 1 if pi0 == 0 else probability > 0
        return certain.astype(np.float64)
    # Unlike p a / (p a + (1 - p) b), each step is monotone after rounding, so order is preserved.
    with np.errstate(over="ignore", divide="ignore"):
        factor = np.divide((1.0 - pi0) * prior, pi0 * (1.0 - prior))
        converted: FloatArray = 1.0 / (1.0 + (1.0 - probability) / probability * factor)
    if not 0 < factor < np.inf:
        raise ValueError(f"prior={prior} and pi0={pi0} are too far apart for float64")
    return converted


def _probabilities(curve: ConfusionCurve, rebase: bool) -> FloatArray:
    """The probability of each row, at the prior of the curve if they are converted.

    Rows that intervals add have the lowest or highest probability of the others but 0 and 1.
    """
    rows = curve.rows
    if rows.cells is not None:
        raise ValueError(f"curve must have the probability of each row, but has {rows.cells}")
    own = np.abs(rows.score) < _ADDED
    probability: FloatArray = rows.score[own]
    if not ((probability >= 0) & (probability <= 1)).all():
        outside = probability[(probability < 0) | (probability > 1)][0]
        raise ValueError(f"curve must have probabilities in [0, 1] as scores, got {outside:g}")
    if rebase:
        weight = (rows.row_weight * rows.counts)[own]
        prior = float(weight[rows.positive[own]].sum() / weight.sum())
        probability = rebased(probability, prior, float(curve.prior))
    if own.all():
        return probability
    inside = probability[(probability > 0) & (probability < 1)]
    ends = inside if inside.size else probability
    every: FloatArray = np.where(rows.score > 0, ends.max(), ends.min())
    every[own] = probability
    return every


def doubts_of_prior(curve: ConfusionCurve) -> tuple[str, ...]:
    """A remark on probabilities that are converted from the prior of the rows to that of the curve.

    They should be calibrated at the former, so that their mean is close to it. In simulations, 1 of
    4,526 calibrated samples had a remark, and at least 94 % of the case-control samples of a model
    that is calibrated at the prior 0.05 had one.
    """
    rows, p = curve.rows, curve.rows.score
    weight = rows.row_weight / rows.row_weight.max()
    total = float(weight @ rows.counts)
    share, mean = (float(weight @ (rows.counts * each)) / total for each in (rows.positive, p))
    error = math.sqrt(float(weight**2 @ (rows.counts * p * (1 - p)))) / total
    low, high = sorted((share, mean))
    is_far = high - low > _FAR * error and high * (1 - low) > _ODDS * low * (1 - high)
    if not is_far or math.isclose(share, float(curve.prior), rel_tol=1e-9):
        return ()
    return (
        f"the probabilities are converted from the prior of the rows, {share:.3g}, but their mean "
        f"is {mean:.3g}, so they are not calibrated there: convert them with "
        "probabilities.rebase from the prior at which they are (and rebase=False)",
    )


def _squares(curve: ConfusionCurve, rebase: bool = False) -> FloatArray:
    errors: FloatArray = curve.rows.positive - _probabilities(curve, rebase)
    return errors**2


def _log_losses(curve: ConfusionCurve, rebase: bool = False) -> FloatArray:
    probability = _probabilities(curve, rebase)
    with np.errstate(divide="ignore"):
        losses: FloatArray = -np.where(
            curve.rows.positive, np.log(probability), np.log1p(-probability)
        )
    return losses


def _mean(curve: ConfusionCurve, losses: FloatArray) -> float:
    """The mean of each class, weighted by its prior."""
    rows, prior = curve.rows, float(curve.prior)
    weight = rows.row_weight * rows.counts
    weight = weight / weight.max()  # products of large ones could overflow
    of_pos, of_neg = (
        np.average(losses[of], weights=weight[of]) for of in (rows.positive, ~rows.positive)
    )
    return float(prior * of_pos + (1 - prior) * of_neg)


def _doubts(curve: ConfusionCurve, options: Mapping[str, Any]) -> tuple[str, ...]:
    return doubts_of_prior(curve) if options.get("rebase") else ()


def _why_infinite(curve: Any, n_pos: float) -> str | None:
    if math.isfinite(log_loss(curve)):
        return None
    return "the log loss is infinite, because a label contradicts a probability of 0 or 1"


@ranking_metric(
    label="Brier score",
    synonyms=("brier", "brier_score_loss"),
    greater_is_better=False,
    interval="hull",
    loss=_squares,
    doubts=_doubts,
)
def brier_score(curve: ConfusionCurve, rebase: bool = False) -> float:
    """Brier score; see `calibrated_metrics.probabilities.brier_score`."""
    return _mean(curve, _squares(curve, rebase))


@ranking_metric(
    label="log loss",
    synonyms=("logloss", "cross_entropy"),
    range=(0.0, math.inf),
    greater_is_better=False,
    interval="hull",
    loss=_log_losses,
    doubts=_doubts,
    why_withheld=_why_infinite,
)
def log_loss(curve: ConfusionCurve, rebase: bool = False) -> float:
    """Log loss; see `calibrated_metrics.probabilities.log_loss`."""
    return _mean(curve, _log_losses(curve, rebase))
