"""Interval of a metric of a decision: square-and-add over the shares that determine the matrix.

A metric such as precision, TP of TP + FP rows, is itself such a share, with Clopper-Pearson limits.
Other matrices are functions of independent shares with modified Jeffreys limits, or in strata of
correlated shares with beta limits. Each limit shifts the value on the logit scale of the metric,
and the squares of the shifts are added (MOVER; Zou & Donner 2008, doi:10.1002/sim.3095, for sums;
other functions were only tested by simulation). If the shares are too skewed for this, the interval
includes the worst and best combination of limits: see docs/methods/intervals.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.binomial import clopper_pearson, gradient, jeffreys, wilson
from calibrated_metrics.confusion import ConfusionMatrix
from calibrated_metrics.scores.facts import Share
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.estimate import Limits, Measured, Scale
from calibrated_metrics.uncertainty.prior import clip_prior, weighted_share
from calibrated_metrics.uncertainty.strata import errors_of_share, share_in_strata

__all__ = ["is_share", "rates", "trials_and_successes"]

_FEW = 2  # rows of an outcome
_LEAST_OF_SCORES = 5  # successes and failures, for score limits


Sides: TypeAlias = Sequence[Mapping[str, float]]
"""Rows of each outcome that is a success, and of each that is a failure."""


class Shares(NamedTuple):
    """Shares with their limits, and the values of the metric that belong to shares.

    Arrays have the shape (n_shares,), and `values` takes (n_shares, n_points). A share of 0 or 1
    that is not known to be so is moved by half a success. `limits` takes a confidence level.
    `correlation` is that of the errors; None if they are independent.
    """

    share: FloatArray
    standard_error: FloatArray
    limits: Callable[[float], tuple[FloatArray, FloatArray]]
    values: Callable[[FloatArray], FloatArray]
    correlation: FloatArray | None = None

    def root_of_squares(self, moves: FloatArray) -> float:
        """The joint move of the value, from its moves with the shares."""
        others = moves if self.correlation is None else self.correlation @ moves
        return math.sqrt(max(float(moves @ others), 0.0))


def rates(metric: Metric, matrix: Any) -> Measured:
    """A metric of one decision, at the prior of the matrix."""
    sample, outcome = matrix.rows, 2 * matrix.rows.positive + matrix._has_alert
    of_outcomes = np.bincount(outcome, weights=sample.number, minlength=4).astype(float).tolist()
    numbers = dict(zip(("tn", "fp", "fn", "tp"), of_outcomes, strict=True))  # of rows
    value, wilson_limits = metric._value(matrix), None
    if is_share(metric, matrix):
        sides = [{name: numbers[name] for name in names} for names in metric._share or ()]
        shares = _of_one_share(metric, matrix, numbers, sides)
        wilson_limits = _wilson_limits(value, sides)
    elif sample.is_plain:
        shares = _of_classes(metric, matrix)
    else:
        shares = _of_strata(metric, matrix)
    # Square-and-add misses the skewness of rare outcomes, and of a share that may have any value.
    is_rare = sample.is_plain and min(of_outcomes) <= _FEW
    scale = Scale(*metric._scale(matrix), *metric.facts.range)
    limits = partial(_limits, shares, value, scale, is_rare)
    errors = gradient(shares.values, shares.share) * shares.standard_error
    error = math.inf if math.isinf(value) else shares.root_of_squares(errors)
    return Measured(value, error, limits, "rates", wilson_limits=wilson_limits)


def _limits(
    shares: Shares, value: float, scale: Scale, is_rare: bool, level: float
) -> tuple[float, float]:
    """Limits by square-and-add, and of the worst and best combination of limits if necessary."""
    ends = shares.limits(level)
    k = len(shares.share)  # the shares; then each at its lower limit; then at its upper limit
    points = np.repeat(shares.share[:, np.newaxis], 2 * k + 1, axis=1)
    points[np.tile(np.arange(k), 2), 1 + np.arange(2 * k)] = np.concatenate(ends)
    centre, *moved = scale.forward(shares.values(points))
    at_limits = np.reshape(moved, (2, -1))
    # A value at an end of the range is infinite on the scale; a limit on its other side is NaN.
    with np.errstate(invalid="ignore"):  # infinite values have no difference
        moves = np.where(at_limits == centre, 0.0, at_limits - centre)
        down, up = np.minimum(moves.min(axis=0), 0.0), np.maximum(moves.max(axis=0), 0.0)
        # Of two shares with a positive correlation, both are too high if one is.
        low = centre - shares.root_of_squares(np.where(down == moves[0], -down, down))
        high = centre + shares.root_of_squares(np.where(up == moves[0], -up, up))
    low, high = float(scale.inverse(low)), float(scale.inverse(high))
    has_no_rows = bool(((ends[0] == 0) & (ends[1] == 1)).any())
    if is_rare or has_no_rows or math.isnan(low) or math.isnan(high):
        worst, best = _extremes(shares.values, *ends)
        low, high = np.fmin(low, worst), np.fmax(high, best)
    return max(min(low, value), scale.low), min(max(high, value), scale.high)


def _extremes(
    values_of: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray
) -> tuple[float, float]:
    """The values at the worst and at the best combination of limits.

    The direction in which a share moves the value may depend on the other shares, such as that of
    the prior on which of TPR and FPR is larger. So it is found in the middle, then at the corner,
    and then shares are moved to their other limit, one at a time, while this helps.
    """
    found = []
    for sign, ends in ((-1, (high, low)), (1, (low, high))):
        corner = (low + high) / 2
        for _ in range(2):
            with np.errstate(invalid="ignore"):  # infinite values have no derivative
                slope = gradient(values_of, corner)
            corner = np.select([slope > 0, slope < 0], ends[::-1], corner)
        extreme = float(values_of(corner[:, np.newaxis])[0])
        while True:
            moved = np.repeat(corner[:, np.newaxis], len(corner), axis=1)
            np.fill_diagonal(moved, np.where(corner == low, high, low))
            values = values_of(moved)
            place = int(np.argmax(np.where(np.isnan(values), -np.inf, sign * values)))
            if not sign * values[place] > sign * extreme:
                break
            corner, extreme = moved[:, place], float(values[place])
        found.append(extreme)
    return found[0], found[1]


def is_share(metric: Metric, matrix: ConfusionMatrix) -> bool:
    """Whether the value is a function of the share of successes in independent rows.

    At a known prior, this is so for outcomes of one class only. If the classes have different
    weights, successes must be of one class, and failures too. If rows were drawn by their decision,
    such as more alerts than others, all outcomes must be of one decision. An audit for future rows
    in a single stratum drew rows at random.
    """
    sample, outcomes = matrix.rows, metric._share
    if outcomes is None:
        return False
    is_one_stratum = sample.strata is not None and len(sample.strata.labels) == 1
    if not (sample.is_plain or (sample.scored is not None and is_one_stratum)):
        are_alerts = {name in ("tp", "fp") for names in outcomes for name in names}
        is_own = len(are_alerts) == 1 and not matrix.prior_is_known
        return is_own and _are_drawn_alike(matrix, are_alerts.pop())
    of_successes, of_failures = ({_CLASS[name] for name in names} for names in outcomes)
    if matrix.prior_is_known:
        return len(of_successes | of_failures) == 1
    return math.isclose(*sample.class_weight) or len(of_successes) == len(of_failures) == 1


_CLASS = {"tp": "positive", "fn": "positive", "fp": "negative", "tn": "negative"}
_OTHER_DECISION = {"tp": "fn", "fn": "tp", "fp": "tn", "tn": "fp"}


def trials_and_successes(
    metric: Metric, matrix: ConfusionMatrix
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
    """The rows of which a metric is a share, whatever is decided, and those that are successes.

    None for other metrics, such as precision, whose rows are the alerts.
    """
    if not (matrix.rows.is_plain and is_share(metric, matrix)):
        return None
    successes, failures = metric._share or ((), ())
    outcomes = {*successes, *failures}
    if {_OTHER_DECISION[name] for name in outcomes} != outcomes:
        return None
    trial, success = (_rows_of(matrix, names) for names in (outcomes, successes))
    is_itself = math.isclose(metric._value(matrix), success.sum() / trial.sum())
    return (trial, success) if is_itself else None


def _rows_of(matrix: ConfusionMatrix, outcomes: Iterable[str]) -> NDArray[np.bool_]:
    """The rows with one of these outcomes."""
    positive, alert = matrix.rows.positive, matrix._has_alert
    has = {"tp": alert & positive, "fn": ~alert & positive, "fp": alert & ~positive}
    has["tn"] = ~(alert | positive)
    found: NDArray[np.bool_] = np.any([has[name] for name in outcomes], axis=0)
    return found


def _are_drawn_alike(matrix: ConfusionMatrix, are_alerts: bool) -> bool:
    """Whether an audit for future rows drew these decisions apart from the others, at one rate."""
    sample, rows = matrix.rows, matrix._has_alert == are_alerts
    if sample.scored is None or not (rows.any() and sample.fixes_alerts(matrix.threshold)):
        return False
    assert sample.strata is not None
    stratum = sample.strata.code[rows]
    return bool((stratum == stratum[0]).all())


def _wilson_limits(value: float, sides: Sides) -> Limits | None:
    """Score limits of a metric that is itself a share, unless it has few successes or failures."""
    successes, failures = (sum(side.values()) for side in sides)
    trials = successes + failures
    if min(successes, failures) < _LEAST_OF_SCORES or not math.isclose(value, successes / trials):
        return None  # F1 is a function of such a share
    return partial(wilson, successes, trials)


def _of_one_share(
    metric: Metric, matrix: ConfusionMatrix, rows: Mapping[str, float], sides: Sides
) -> Shares:
    """The share of successes, with the exact limits of all metrics that are shares.

    The outcomes of the successes keep their ratio, and so do those of the failures. Differences of
    such metrics have `_wilson_limits`, or those of `calibrated_metrics.uncertainty.paired`.
    """
    of_pos, of_neg = matrix.rows.class_weight
    weight = {"tp": of_pos, "fn": of_pos, "fp": of_neg, "tn": of_neg}
    successes, failures = (sum(side.values()) for side in sides)
    trials = successes + failures

    def limits(level: float) -> tuple[FloatArray, FloatArray]:
        return clopper_pearson([successes], [trials], (1 - level) / 2)

    share = np.clip(successes, 0.5, trials - 0.5) / trials
    error = np.sqrt(np.array([share * (1 - share) / trials]))
    values = partial(_values_of_share, metric, rows, sides, weight)
    return Shares(np.array([successes / trials]), error, limits, values)


def _values_of_share(
    metric: Metric,
    numbers: Mapping[str, float],
    sides: Sides,
    weight: Mapping[str, float],
    shares: FloatArray,
) -> FloatArray:
    """Values at shares of successes, if the outcomes of each side keep their ratio."""
    found = {name: np.full(shares.shape[1], numbers[name]) for name in weight}
    trials = sum(sum(side.values()) for side in sides)
    for side, share in zip(sides, (shares[0], 1 - shares[0]), strict=True):
        total = sum(side.values())
        for name, number in side.items():
            part = number / total if total else 1 / len(side)
            found[name] = part * trials * share
    weighted = (weight[name] * found[name] for name in ("tp", "fp", "fn", "tn"))
    return metric._values(ConfusionMatrix._of(weighted))


def _of_classes(metric: Metric, matrix: ConfusionMatrix) -> Shares:
    """TPR and FPR of independent rows, and the share of positives unless the prior is known."""
    own = matrix._unweighted
    counts = [(own.tp, own.n_pos), (own.fp, own.n_neg)]
    if not matrix.prior_is_known:
        counts.append((own.n_pos, own.n_pos + own.n_neg))
    successes, trials = np.array(counts, dtype=float).T

    share = np.clip(successes, 0.5, trials - 0.5) / trials
    error = np.sqrt(share * (1 - share) / trials)
    values = partial(_values_of_classes, metric, matrix, matrix.rows.class_weight)
    return Shares(share, error, partial(jeffreys, successes, trials), values)


def _values_of_classes(
    metric: Metric, matrix: ConfusionMatrix, class_weight: Any, shares: FloatArray
) -> FloatArray:
    """Values at TPR, FPR and the share of positives, or the prior of the matrix."""
    tpr, fpr, prior = *shares[:2], matrix.prior
    if len(shares) > 2:
        prior = clip_prior(weighted_share(shares[2], class_weight))
    outcomes = prior * tpr, (1 - prior) * fpr, prior * (1 - tpr), (1 - prior) * (1 - fpr)
    return metric._values(ConfusionMatrix._of(outcomes))


def _of_strata(metric: Metric, matrix: ConfusionMatrix) -> Shares:
    """Shares of rows of all strata together.

    Limits of each stratum, in which most shares are near 0, would add up to too much. An audit has
    the shares of alerts, of positives among them and among other rows. Otherwise, as for plain
    rows, a metric that is a share has this one, and others have TPR, FPR and the prior. These are
    taken for a share, too, if a stratum has none of its rows, such as no alerts for the precision:
    other samples would have some.
    """
    sample = matrix.rows
    alert, positive = matrix._has_alert, sample.positive
    every = np.ones(len(alert), dtype=bool)
    if sample.is_audit:
        of_rows = [(alert, every), (positive, alert), (positive, ~alert)]
        values = partial(_values_of_decisions, metric, matrix)
    elif metric._share and _has_share_of_rows(metric._share, matrix):
        successes, failures = metric._share
        trials = _rows_of(matrix, (*successes, *failures))
        of_rows = [(_rows_of(matrix, successes), trials)]
        numbers = {name: float(getattr(matrix, name)) for name in _CLASS}
        sides = [{name: numbers[name] for name in names} for names in metric._share]
        values = partial(_values_of_share, metric, numbers, sides, dict.fromkeys(_CLASS, 1.0))
    else:
        of_rows = [(alert, positive), (alert, ~positive)]
        if not (matrix.prior_is_known or sample.fixes_prior):
            of_rows.append((positive, every))
        values = partial(_values_of_classes, metric, matrix, (1.0, 1.0))
    found = [share_in_strata(sample, success, rows) for success, rows in of_rows]
    share, error = np.transpose([(each.value, each.standard_error) for each in found])
    errors = np.array([errors_of_share(sample, success, rows) for success, rows in of_rows])
    errors /= np.where(error > 0, error, 1.0)[:, np.newaxis]
    correlation = errors @ errors.T
    np.fill_diagonal(correlation, 1.0)  # also of a share of 0, whose limits are not
    fixes_alerts, n_rows = sample.fixes_alerts(matrix.threshold), float(sample.row_weight.sum())

    def limits(level: float) -> tuple[FloatArray, FloatArray]:
        low, high = np.transpose([each.limits(level) for each in found])
        if fixes_alerts:  # and the scored rows are all rows, or a sample of them
            scored = jeffreys(share[0] * n_rows, n_rows, level)
            low[0], high[0] = (share[0], share[0]) if sample.scored is None else scored
        return low, high

    return Shares(share, error, limits, values, correlation)


def _has_share_of_rows(share: Share, matrix: ConfusionMatrix) -> bool:
    """Whether each stratum has rows of the share, and the prior does not change it."""
    names = {name for side in share for name in side}
    assert matrix.rows.strata is not None
    stratum = matrix.rows.strata.code
    if len(np.unique(stratum[_rows_of(matrix, names)])) < len(np.unique(stratum)):
        return False
    is_of_a_class = len({_CLASS[name] for name in names}) == 1
    return is_of_a_class or not (matrix.prior_is_known or matrix.rows.fixes_prior)


def _values_of_decisions(metric: Metric, matrix: ConfusionMatrix, shares: FloatArray) -> FloatArray:
    """Values at the shares of alerts, and of positives among them and among other rows."""
    alerts, of_alerts, of_others = shares
    population = ConfusionMatrix(
        tp=alerts * of_alerts,
        fp=alerts * (1 - of_alerts),
        fn=(1 - alerts) * of_others,
        tn=(1 - alerts) * (1 - of_others),
    )
    return metric._values(
        population.at_prior(matrix.prior) if matrix.prior_is_known else population
    )
