"""Interval of a metric of a decision: square-and-add over the shares that determine the matrix.

The matrix is a function of independent shares with modified Jeffreys limits, or with
Clopper-Pearson limits in strata that are segments. Each limit shifts the value on the logit scale
of the metric, and the squares of the shifts are added (MOVER; Zou & Donner 2008,
doi:10.1002/sim.3095, for sums; other functions were only tested by simulation). If the shares are
too skewed for this, the interval includes the worst and best combination of limits: see
docs/methods/intervals.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from calibrated_metrics._checks import FloatArray
from calibrated_metrics.binomial import clopper_pearson, jeffreys
from calibrated_metrics.confusion import ConfusionMatrix
from calibrated_metrics.sample import codes_of
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.estimate import Estimate, stacked
from calibrated_metrics.uncertainty.linear import gradient
from calibrated_metrics.uncertainty.scale import Scale
from calibrated_metrics.uncertainty.settings import Settings
from calibrated_metrics.uncertainty.strata import share_in_strata

__all__ = ["rates"]

_FEW = 2  # rows of an outcome


class Shares(NamedTuple):
    """Independent shares with their limits, and the confusion matrices that belong to shares.

    Arrays have the shape (n_shares,), and `matrices` takes (n_shares, n_matrices). A share of 0 or
    1 that is not known to be so is moved by half a success.
    """

    share: FloatArray
    low: FloatArray
    high: FloatArray
    standard_error: FloatArray
    matrices: Callable[[FloatArray], ConfusionMatrix]

    def with_one_at_a_limit(self) -> FloatArray:
        """The shares; then with each in turn at its lower limit; then at its upper limit."""
        k = len(self.share)
        points = np.repeat(self.share[:, np.newaxis], 2 * k + 1, axis=1)
        points[np.arange(k), 1 + np.arange(k)] = self.low
        points[np.arange(k), 1 + k + np.arange(k)] = self.high
        return points


def rates(
    metric: Metric, matrices: Sequence[ConfusionMatrix], settings: Settings
) -> list[Estimate]:
    """Intervals of a metric of decisions."""
    return [_rates(metric, matrix, settings.confidence_level) for matrix in matrices]


def _rates(metric: Metric, matrix: ConfusionMatrix, level: float) -> Estimate:
    sample = matrix.sample
    assert sample is not None
    of_strata = _of_cells if sample.fraction is None else _of_audit
    shares = (_of_classes if sample.is_plain else of_strata)(matrix, level)

    def values_of(points: FloatArray) -> FloatArray:
        return metric.values(shares.matrices(points))

    value, scale = metric.value(matrix), Scale(*metric.scale(float(matrix.prior)))
    centre, *moved = values_of(shares.with_one_at_a_limit())
    at_limits = np.reshape(moved, (2, -1))
    low, high = _square_and_add(scale, centre, at_limits)
    if sample.fraction is None:
        few = _least_outcome(matrix) <= _FEW
    else:
        few = bool(((shares.low == 0) & (shares.high == 1)).any())  # a share without rows
    if few or math.isnan(low) or math.isnan(high):
        limits = np.array([shares.low, shares.high])
        rises = gradient(values_of, limits.mean(axis=0)) >= 0  # False if it has no effect
        corners = np.where(rises, limits, limits[::-1])  # worst and best
        worst, best = values_of(corners.T)
        low, high = np.fmin(low, worst), np.fmax(high, best)
    low, high = max(min(low, value), scale.low), min(max(high, value), scale.high)
    errors = gradient(values_of, shares.share) * shares.standard_error
    error = math.inf if math.isinf(value) else math.sqrt(float((errors**2).sum()))
    return Estimate(value, low, high, error, level, "rates")


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
    assert matrix.sample is not None
    assert matrix.threshold is not None
    alert, positive = matrix.sample.has_alert(matrix.threshold), matrix.sample.positive
    numbers = np.bincount(2 * positive + alert, weights=matrix.sample.number, minlength=4)
    return float(numbers.min())


def _of_classes(matrix: ConfusionMatrix, level: float) -> Shares:
    """TPR and FPR of independent rows."""
    own = matrix.counted
    successes = np.array([own.tp, own.fp], dtype=float)
    trials = np.array([own.n_pos, own.n_neg], dtype=float)

    def matrices(rates: FloatArray) -> ConfusionMatrix:
        return ConfusionMatrix.from_rates(rates[0], rates[1], prior=matrix.prior)

    share = np.clip(successes, 0.5, trials - 0.5) / trials
    error = np.sqrt(share * (1 - share) / trials)
    return Shares(share, *jeffreys(successes, trials, level), error, matrices)


def _of_cells(matrix: ConfusionMatrix, level: float) -> Shares:
    """The share of alerts of each stratum, and the shares of positives in its alerts and its rest.

    A share of 0 or 1 is known if no other value is possible: a share of alerts in strata by score,
    or a share of positives in strata within classes. A cell without rows may have any share; for
    the value it is set to 0. Other strata, such as segments, have Clopper-Pearson limits, because
    Jeffreys limits of few rows are narrower than their standard error, which matters if several are
    added.
    """
    sample = matrix.sample
    assert sample is not None
    assert sample.strata is not None
    assert matrix.threshold is not None
    alert = sample.has_alert(matrix.threshold)
    stratum = codes_of(sample.strata)
    n = np.bincount(stratum).astype(float)
    size = np.bincount(stratum, weights=sample.row_weight)[:, np.newaxis]
    n_alerts, hits, positives = (
        np.bincount(stratum, weights=each)
        for each in (alert, alert & sample.positive, sample.positive)
    )
    successes = np.concatenate([n_alerts, hits, positives - hits])
    trials = np.concatenate([n, n_alerts, n - n_alerts])
    share = np.divide(successes, trials, out=np.zeros(len(trials)), where=trials > 0)
    if sample.strata_are_by_score:
        low, high = jeffreys(successes, trials, level)
    else:
        low, high = clopper_pearson(successes, trials, (1 - level) / 2)
    is_known = np.isin(share, (0, 1))
    is_known[: len(n)] &= sample.strata_are_by_score
    is_known[len(n) :] = sample.strata_are_within_classes
    if sample.strata_are_within_classes:
        share[len(n) :] = np.tile(positives / n, 2)
    error = np.where(is_known, 0.0, np.sqrt(share * (1 - share) / np.maximum(trials, 1)))
    low, high = np.where(is_known, share, low), np.where(is_known, share, high)

    def matrices(shares: FloatArray) -> ConfusionMatrix:
        return _population(matrix, size, shares.reshape(3, len(n), -1))

    return Shares(share, low, high, error, matrices)


def _of_audit(matrix: ConfusionMatrix, level: float) -> Shares:
    """Shares of alerts, of positives among them and among other rows, each of all strata."""
    sample = matrix.sample
    assert sample is not None
    assert matrix.threshold is not None
    alert, positive = sample.has_alert(matrix.threshold), sample.positive
    every = np.ones(len(alert), dtype=bool)
    of_rows = (alert, every), (positive, alert), (positive, ~alert)
    found = stacked([share_in_strata(sample, success, rows, level) for success, rows in of_rows])
    share, low, high, error = map(
        np.asarray, (found.value, found.low, found.high, found.standard_error)
    )
    if not sample.has_strata_with_both(matrix.threshold):  # the share of alerts is known
        low[0] = high[0] = share[0]

    def matrices(shares: FloatArray) -> ConfusionMatrix:
        return _population(matrix, sample.row_weight.sum(), shares[:, np.newaxis])

    return Shares(share, low, high, error, matrices)


def _population(matrix: ConfusionMatrix, size: Any, shares: FloatArray) -> ConfusionMatrix:
    """The matrices of strata with these shares of alerts, and of positives among alerts and others.

    `shares` has the shape (3, n_strata, n_matrices).
    """
    alerts, of_alerts, of_others = shares
    outcomes = (
        alerts * of_alerts,
        alerts * (1 - of_alerts),
        (1 - alerts) * of_others,
        (1 - alerts) * (1 - of_others),
    )
    population = ConfusionMatrix(*((size * each).sum(axis=0) for each in outcomes))
    return population.at_prior(matrix.prior) if matrix.prior_is_known else population
