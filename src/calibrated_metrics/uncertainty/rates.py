"""Interval of a metric of a decision: square-and-add over the shares that determine the matrix.

A metric such as precision, TP of TP + FP rows, is itself such a share, with Clopper-Pearson limits.
Other matrices are functions of independent shares with modified Jeffreys limits, or with
Clopper-Pearson limits in strata that are segments. Each limit shifts the value on the logit scale
of the metric, and the squares of the shifts are added (MOVER; Zou & Donner 2008,
doi:10.1002/sim.3095, for sums; other functions were only tested by simulation). If the shares are
too skewed for this, the interval includes the worst and best combination of limits: see
docs/methods/intervals.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from calibrated_metrics._checks import FloatArray
from calibrated_metrics.binomial import clopper_pearson, jeffreys, wilson
from calibrated_metrics.confusion import ConfusionMatrix
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.estimate import Limits, Measured, Scale, Settings
from calibrated_metrics.uncertainty.prior import clip_prior
from calibrated_metrics.uncertainty.strata import share_in_strata
from calibrated_metrics.uncertainty.units import gradient

__all__ = ["is_share", "rates"]

_FEW = 2  # rows of an outcome
_LEAST_OF_SCORES = 5  # successes and failures, for score limits


class Shares(NamedTuple):
    """Independent shares with their limits, and the confusion matrices that belong to shares.

    Arrays have the shape (n_shares,), and `matrices` takes (n_shares, n_matrices). A share of 0 or
    1 that is not known to be so is moved by half a success. `limits` takes a confidence level.
    """

    share: FloatArray
    standard_error: FloatArray
    limits: Callable[[float], tuple[FloatArray, FloatArray]]
    matrices: Callable[[FloatArray], ConfusionMatrix]


def rates(
    metric: Metric, matrices: Sequence[ConfusionMatrix], settings: Settings
) -> list[Measured]:
    """A metric of one decision at several priors."""
    return [_rates(metric, matrix) for matrix in matrices]


def _rates(metric: Metric, matrix: ConfusionMatrix) -> Measured:
    sample = matrix.rows
    value, scale = metric._value(matrix), Scale(*metric._scale(matrix))
    if is_share(metric, matrix):
        shares = _of_outcomes(metric, matrix)
    elif sample.is_plain:
        shares = _of_classes(matrix)
    else:
        shares = (_of_audit if sample.is_audit else _of_cells)(matrix)
    is_rare = not sample.is_audit and _least_outcome(matrix) <= _FEW

    def values_of(points: FloatArray) -> FloatArray:
        return metric._values(shares.matrices(points))

    def limits(level: float) -> tuple[float, float]:
        ends = shares.limits(level)
        k = len(shares.share)  # the shares; then each at its lower limit; then at its upper limit
        points = np.repeat(shares.share[:, np.newaxis], 2 * k + 1, axis=1)
        points[np.tile(np.arange(k), 2), 1 + np.arange(2 * k)] = np.concatenate(ends)
        centre, *moved = values_of(points)
        low, high = _square_and_add(scale, centre, np.reshape(moved, (2, -1)))
        has_no_rows = sample.is_audit and bool(((ends[0] == 0) & (ends[1] == 1)).any())
        if is_rare or has_no_rows or math.isnan(low) or math.isnan(high):
            worst, best = _extremes(values_of, *ends)
            low, high = np.fmin(low, worst), np.fmax(high, best)
        return max(min(low, value), scale.low), min(max(high, value), scale.high)

    errors = gradient(values_of, shares.share) * shares.standard_error
    error = math.inf if math.isinf(value) else math.sqrt(float((errors**2).sum()))
    score_limits = _score_limits(metric, matrix) if is_share(metric, matrix) else None
    return Measured(value, error, limits, "rates", score_limits=score_limits)


def _extremes(
    values_of: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray
) -> tuple[float, float]:
    """The values at the worst and at the best combination of limits.

    The direction in which a share moves the value may depend on the other shares, such as that of
    the prior on which of TPR and FPR is larger. So it is found in the middle, then at the corner.
    """
    found = []
    for worse, better in ((high, low), (low, high)):
        corner = (low + high) / 2
        for _ in range(2):
            with np.errstate(invalid="ignore"):  # infinite values have no derivative
                slope = gradient(values_of, corner)
            corner = np.select([slope > 0, slope < 0], [better, worse], corner)
        found.append(float(values_of(corner[:, np.newaxis])[0]))
    return found[0], found[1]


def _square_and_add(scale: Scale, centre: float, at_limits: FloatArray) -> tuple[float, float]:
    """Limits of a value from its values with each share in turn at its lower or upper limit.

    A value at an end of the range is infinite on the scale; a limit on its other side is NaN.
    """
    centre, at_limits = scale.forward(centre), scale.forward(at_limits)
    with np.errstate(invalid="ignore"):  # infinite values have no difference
        moves = np.where(at_limits == centre, 0.0, at_limits - centre)
        down, up = -np.minimum(moves.min(axis=0), 0.0), np.maximum(moves.max(axis=0), 0.0)
        low, high = centre - np.sqrt((down**2).sum()), centre + np.sqrt((up**2).sum())
    return float(scale.inverse(low)), float(scale.inverse(high))


def _least_outcome(matrix: ConfusionMatrix) -> float:
    """Rows of the rarest of the four outcomes."""
    outcome = 2 * matrix.rows.positive + matrix._has_alert
    numbers = np.bincount(outcome, weights=matrix.rows.number, minlength=4)
    return float(numbers.min())


def is_share(metric: Metric, matrix: ConfusionMatrix) -> bool:
    """Whether the value is a function of the share of successes in independent rows.

    At a known prior, this is so for outcomes of one class only. If the classes have different
    weights, successes must be of one class, and failures too.
    """
    sample, outcomes = matrix.rows, metric._share
    if outcomes is None or not sample.is_plain:
        return False
    of_successes, of_failures = ({_CLASS[name] for name in names} for names in outcomes)
    if matrix.prior_is_known:
        return len(of_successes | of_failures) == 1
    return math.isclose(*sample.class_weight) or len(of_successes) == len(of_failures) == 1


_CLASS = {"tp": "positive", "fn": "positive", "fp": "negative", "tn": "negative"}


def _sides(metric: Metric, matrix: ConfusionMatrix) -> list[dict[str, float]]:
    """Rows of each outcome that is a success, and of each that is a failure."""
    assert metric._share is not None
    own = matrix._unweighted
    return [{name: float(getattr(own, name)) for name in names} for names in metric._share]


def _score_limits(metric: Metric, matrix: ConfusionMatrix) -> Limits | None:
    """Score limits of a metric that is itself a share, unless it has few successes or failures."""
    successes, failures = (sum(side.values()) for side in _sides(metric, matrix))
    trials = successes + failures
    if min(successes, failures) < _LEAST_OF_SCORES:
        return None
    is_itself = math.isclose(metric._value(matrix), successes / trials)  # unlike F1
    return partial(wilson, successes, trials) if is_itself else None


def _of_outcomes(metric: Metric, matrix: ConfusionMatrix) -> Shares:
    """The share of successes; their outcomes keep their ratio, and so do those of the failures."""
    own, (of_pos, of_neg) = matrix._unweighted, matrix.rows.class_weight
    weight = {"tp": of_pos, "fn": of_pos, "fp": of_neg, "tn": of_neg}
    sides = _sides(metric, matrix)
    successes, failures = (sum(side.values()) for side in sides)
    trials = successes + failures

    def matrices(shares: FloatArray) -> ConfusionMatrix:
        numbers = {name: np.full(shares.shape[1], getattr(own, name)) for name in weight}
        for side, share in zip(sides, (shares[0], 1 - shares[0]), strict=True):
            total = sum(side.values())
            for name, number in side.items():
                part = number / total if total else 1 / len(side)
                numbers[name] = part * trials * share
        return ConfusionMatrix(**{name: weight[name] * each for name, each in numbers.items()})

    def limits(level: float) -> tuple[FloatArray, FloatArray]:
        return clopper_pearson([successes], [trials], (1 - level) / 2)

    share = np.clip(successes, 0.5, trials - 0.5) / trials
    error = np.sqrt(np.array([share * (1 - share) / trials]))
    return Shares(np.array([successes / trials]), error, limits, matrices)


def _of_classes(matrix: ConfusionMatrix) -> Shares:
    """TPR and FPR of independent rows, and the share of positives unless the prior is known."""
    own = matrix._unweighted
    counts = [(own.tp, own.n_pos), (own.fp, own.n_neg)]
    if not matrix.prior_is_known:
        counts.append((own.n_pos, own.n_pos + own.n_neg))
    successes, trials = np.array(counts, dtype=float).T
    of_positives, of_negatives = matrix.rows.class_weight

    def matrices(shares: FloatArray) -> ConfusionMatrix:
        tpr, fpr, *estimated = shares
        prior: Any = matrix.prior
        for share in estimated:
            weights = of_positives * share, of_negatives * (1 - share)
            prior = clip_prior(weights[0] / sum(weights))
        return ConfusionMatrix.from_rates(tpr=tpr, fpr=fpr, prior=prior)

    share = np.clip(successes, 0.5, trials - 0.5) / trials
    error = np.sqrt(share * (1 - share) / trials)
    return Shares(share, error, partial(jeffreys, successes, trials), matrices)


def _of_cells(matrix: ConfusionMatrix) -> Shares:
    """The share of alerts of each stratum, and the shares of positives in its alerts and its rest.

    Limits are those of Clopper and Pearson, because Jeffreys limits of few rows are narrower than
    their standard error, which matters if several are added. A cell without rows may have any
    share; for the value it is set to 0. In strata within classes, the shares of positives are
    known.
    """
    sample = matrix.rows
    assert sample.error_strata is not None
    alert = matrix._has_alert
    stratum = sample.error_strata.code
    n = np.bincount(stratum).astype(float)
    size = np.bincount(stratum, weights=sample.row_weight)[:, np.newaxis]
    n_alerts, hits, positives = (
        np.bincount(stratum, weights=each)
        for each in (alert, alert & sample.positive, sample.positive)
    )
    successes = np.concatenate([n_alerts, hits, positives - hits])
    trials = np.concatenate([n, n_alerts, n - n_alerts])
    share = np.divide(successes, trials, out=np.zeros(len(trials)), where=trials > 0)
    of_positives = slice(len(n), None)
    if sample.fixes_prior:
        share[of_positives] = np.tile(positives / n, 2)
    error = np.sqrt(share * (1 - share) / np.maximum(trials, 1))

    def limits(level: float) -> tuple[FloatArray, FloatArray]:
        low, high = clopper_pearson(successes, trials, (1 - level) / 2)
        if sample.fixes_prior:
            low[of_positives] = high[of_positives] = share[of_positives]
        return low, high

    def matrices(shares: FloatArray) -> ConfusionMatrix:
        return _population(matrix, size, shares.reshape(3, len(n), -1))

    return Shares(share, error, limits, matrices)


def _of_audit(matrix: ConfusionMatrix) -> Shares:
    """Shares of alerts, of positives among them and among other rows, each of all strata."""
    sample = matrix.rows
    alert, positive = matrix._has_alert, sample.positive
    every = np.ones(len(alert), dtype=bool)
    of_rows = (alert, every), (positive, alert), (positive, ~alert)
    found = [share_in_strata(sample, success, rows) for success, rows in of_rows]
    share, error = np.transpose([(each.value, each.standard_error) for each in found])
    is_known = not sample.has_strata_with_both(matrix.threshold)  # the share of alerts

    def limits(level: float) -> tuple[FloatArray, FloatArray]:
        low, high = np.transpose([each.limits(level) for each in found])
        if is_known:
            low[0] = high[0] = share[0]
        return low, high

    def matrices(shares: FloatArray) -> ConfusionMatrix:
        return _population(matrix, sample.row_weight.sum(), shares[:, np.newaxis])

    return Shares(share, error, limits, matrices)


def _population(matrix: ConfusionMatrix, size: Any, shares: FloatArray) -> ConfusionMatrix:
    """The matrices of strata with these shares of alerts, and of positives among alerts and others.

    `shares` has the shape (3, n_strata, n_matrices).
    """
    alerts, of_alerts, of_others = shares
    outcomes = {
        "tp": alerts * of_alerts,
        "fp": alerts * (1 - of_alerts),
        "fn": (1 - alerts) * of_others,
        "tn": (1 - alerts) * (1 - of_others),
    }
    population = ConfusionMatrix(
        **{name: (size * each).sum(axis=0) for name, each in outcomes.items()}
    )
    return population.at_prior(matrix.prior) if matrix.prior_is_known else population
