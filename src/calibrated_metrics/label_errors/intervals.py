"""Intervals of metrics of labels with errors.

A metric is a ratio of sums over rows. The interval contains the values that a test of
``numerator - value * denominator = 0`` does not reject (Fieller 1954), since the corrected number
of rows of a class may be near 0. Rows are added at both ends of the ranking, as Agresti & Coull
(1998, doi:10.1080/00031305.1998.10480550) add successes and failures. For average precision, the
interval also contains the means of limits of the precision at each positive, because precision is
not linear where few negatives were found. Then the errors of estimated sensitivities and
specificities are added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.binomial import clopper_pearson
from calibrated_metrics.codes import Codes
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.label_errors.corrected import CorrectedCounts
from calibrated_metrics.label_errors.ratios import (
    CountsAbove,
    Ratio,
    of_outcomes,
    ratio_of,
)
from calibrated_metrics.label_errors.rows import CountedRows
from calibrated_metrics.rows import BoolArray, Rows
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.combine import correlation_of, square_and_add
from calibrated_metrics.uncertainty.difference import difference_at, scale_of
from calibrated_metrics.uncertainty.estimate import (
    Estimate,
    Measured,
    Scale,
    Settings,
    doubted,
    t_quantile,
    with_shifts,
    withheld,
)
from calibrated_metrics.uncertainty.interval import doubts_of_clusters, measured
from calibrated_metrics.uncertainty.units import (
    Linear,
    class_in_one_cluster,
    covariance,
    linearise,
    n_of_classes,
    unit_errors,
)

__all__ = ["difference_of", "interval_of", "prior_of"]

METHOD = "labels with errors"
_PRECISION, _FALSE_ALERTS = ((1, 0, 0, 0), (1, 1, 0, 0)), ((0, 1, 0, 0), (0, 1, 0, 1))
_REFUTED = "no value agrees with the labels and their errors, so these may be those of other labels"
_ONE_CLASS = "by the labels and their errors, all rows may be of one class"
_NOTHING = "with their errors, the labels say nothing about the metric: it may have any value"


def interval_of(metric: Metric, data: CorrectedCounts, level: float) -> Estimate:
    """The interval of a supported metric, with doubts as remarks."""
    data = _without_prior(metric, data)
    found = _at_known_rates(metric, data, level)
    found = _with_errors_of_rates(found, [data], lambda moved: metric._value(*moved), (0, 1))
    doubts = doubts_of_clusters(data.counted.rows) + data.doubts_of_rows_left_out
    if metric.of_matrix:
        doubts += _doubts_of_decisions(metric, data, level)
    return doubted(found, doubts)


def _without_prior(metric: Metric, data: Any) -> Any:
    """The data without a reference prior that the metric does not depend on."""
    has_prior = isinstance(data, CorrectedCounts) and metric.facts.is_prior_free
    return replace(data, pi0=None) if has_prior else data


def prior_of(data: CorrectedCounts, level: float) -> Estimate:
    """The prior of rows with equal rates, a linear function of the share of positive labels.

    It is restricted to [0, 1] after the errors of the rates were added.
    """
    positive = data.labelled.positive
    number, n = np.count_nonzero(positive), len(positive)

    def prior_of_share(share: Any, data: CorrectedCounts = data) -> Any:
        return (share - 1 + data.specificity.value) / data.informative

    share = np.array([number / n, *clopper_pearson(number, n, (1 - level) / 2)])
    value, low, high = prior_of_share(share).tolist()
    error = math.sqrt(share[0] * (1 - share[0]) / n) / float(data.informative)
    found = _not_refuted(Estimate(value, low, high, error, level, METHOD), data)
    found = _with_errors_of_rates(found, [data], lambda of: prior_of_share(share[0], *of), (0, 1))
    return replace(found, value=min(max(value, 0.0), 1.0))


def _not_refuted(found: Estimate, data: CorrectedCounts) -> Estimate:
    """The estimate, with a remark if fewer or more labels are positive than the rates let expect.

    If the difference is significant, the interval is withheld.
    """
    level, every = found.confidence_level, np.ones(len(data.counted.rows.score), dtype=bool)
    for excess, error, reason in _excesses(data, every, "labels"):
        if excess > t_quantile(level) * error:
            return withheld(float(found.value), level, METHOD, reason)
        if excess > error:
            return doubted(found, (f"{reason}: their errors may be others",))
    return found


def _doubts_of_decisions(metric: Metric, data: CorrectedCounts, level: float) -> tuple[str, ...]:
    """Remarks if the labels of the alerts, or of the other rows, contradict the rates.

    Then a corrected outcome is 0, such as that of missed positives, whatever the labels say.
    """
    alert = data.counted.rows.has_alert(data.threshold_of(metric))
    return tuple(
        f"{reason}: their errors may be others, or depend on the score"
        for rows, of_which in ((alert, "labels of alerts"), (~alert, "labels of other rows"))
        for excess, error, reason in _excesses(data, rows, of_which)
        if excess > t_quantile(level) * error
    )


def _excesses(
    data: CorrectedCounts, rows: BoolArray, of_which: str
) -> list[tuple[float, float, str]]:
    """How far the positive labels of some rows exceed what each rate allows, in numbers of labels.

    With the standard error of this number, and words.
    """
    positive = data.counted.rows.positive[rows]
    s, c = (
        np.broadcast_to(each.of_rows(data.order).high, len(rows))[rows]
        for each in (data.sensitivity, data.specificity)
    )
    number, n, most, least = positive.sum(), len(positive), s.sum(), (1 - c).sum()
    return [
        (
            float(excess) - 1e-8 * n,
            math.sqrt(float((rate * (1 - rate)).sum())),
            f"{number} of {n} {of_which} are positive, but by their {text} should be",
        )
        for rate, excess, text in (
            (s, number - most, f"sensitivity, at most {most:.4g}"),
            (c, least - number, f"specificity, at least {least:.4g}"),
        )
    ]


def difference_of(
    metric: Metric, pair: tuple[Any, Any], paired: bool, settings: Settings
) -> Estimate:
    """Difference by square-and-add; an estimated rate moves both samples together.

    One of the pair may be a curve or matrix, with correct labels.
    """
    level = settings.confidence_level
    values, errors = [], []
    for each in (pair := tuple(_without_prior(metric, each) for each in pair)):
        if isinstance(each, ConfusionCurve | ConfusionMatrix):
            values += measured(metric, [each], settings)
            errors.append(linearise(metric, each))
        else:
            values.append(Measured.of(_at_known_rates(metric, each, level)))
            errors.append(_linear_in_data(metric, each, paired))
    of_both = covariance(*errors)
    if paired and all(getattr(each, "checked", None) is not None for each in pair):
        of_both -= _missing_variance(metric, pair, errors) / 2
    one, other = values
    found = square_and_add(one, other, correlation_of(of_both, *errors)).at(level)
    value_of = partial(difference_at, metric)
    found = _with_errors_of_rates(found, pair, value_of, scale_of(metric, pair[0]))
    doubts = (each.doubts_of_rows_left_out for each in pair if isinstance(each, CorrectedCounts))
    return doubted(found, tuple(dict.fromkeys(chain.from_iterable(doubts))))


def _at_known_rates(metric: Metric, data: CorrectedCounts, level: float) -> Estimate:
    """The interval if sensitivities and specificities are known; it may be the whole range."""
    is_whole = metric.of_matrix or data.checked is not None
    sample = data.counted if is_whole else data.counted.collapsed
    reach, rows = t_quantile(level), sample.rows
    try:
        own = _linear(metric, data, sample)
    except ValueError as undefined:
        return withheld(math.nan, level, METHOD, str(undefined))
    if rows.error_clusters is not None:
        if one := class_in_one_cluster(rows):
            return withheld(own.value, level, METHOD, f"all {one} of the labels are in one cluster")
        reach = t_quantile(level, float(n_of_classes(rows).min()) - 1)
    number, error = own.excess * reach**2 / 2, own.standard_error
    widened = 1.0 if data.checked is None else _excess_of_checked(metric, data, own)
    error *= widened
    more = sample.with_rows_at_the_ends(number, number if metric.of_matrix else 0.0)
    try:
        low, high = _limits(ratio_of(metric, data, more), more, reach * widened)
    except ValueError:  # a class would have no rows
        return withheld(own.value, level, METHOD, _ONE_CLASS)
    if metric.of_matrix and high >= 1:
        high = _greatest(metric, data, more, reach * widened)
    if data.checked is not None and not metric.of_matrix and 0 < own.value < 1:
        low, high = Scale(0.0, 1.0).limits(own.value, t_quantile(level, _df(own)) * error)
    if metric.name == "average_precision" and (data.checked is None or data.prior_is_known):
        above = CountsAbove.of(sample, data.pi0)
        limits = _means_of_limits(above, reach * math.sqrt(own.excess))
        low, high = min(low, limits[0]), max(high, limits[1])
    low, high = min(low, own.value), max(high, own.value)
    return _not_refuted(Estimate(own.value, low, high, error, level, METHOD), data)


def _df(own: Linear) -> float:
    """Degrees of freedom of a ranking with checked rows: few of them carry most of the error.

    Satterthwaite's (1946, doi:10.2307/3002019), and 15 more (chosen by simulation).
    """
    squares = unit_errors(own.sample, own.error) ** 2
    return 15 + float(squares.sum() ** 2 / (squares**2).sum())


def _excess_of_checked(metric: Metric, data: CorrectedCounts, own: Linear) -> float:
    """Expected over observed standard error, at least 1: people found few errors by chance."""
    assert data.checked is not None
    expected = data.checked.expected_variance(*_of_classes(metric, data, own.value))
    return math.sqrt(max(expected / own.variance, 1.0))


def _of_classes(metric: Metric, data: CorrectedCounts, value: float) -> FloatArray:
    """What each row of the data contributes to the error, as a positive and as a negative."""
    ratio = ratio_of(metric, data, data.counted)
    of_rows = (ratio.of_numerator - value * ratio.of_denominator) / ratio.denominator
    found: FloatArray = of_rows[:, np.argsort(data.order)]
    return found


def _missing_variance(metric: Metric, pair: Any, errors: Sequence[Linear]) -> float:
    """Expected less observed variance of the difference of two models of checked rows.

    People labelled few of the rows on which the models differ, and may have met no error there.
    """
    of_classes = [
        _of_classes(metric, each, own.value) for own, each in zip(errors, pair, strict=True)
    ]
    shares = (pair[0].checked.expected + pair[1].checked.expected) / 2
    checked = pair[0].checked._replace(expected=shares)
    expected: float = checked.expected_variance(*of_classes[0] - of_classes[1])
    apart = errors[0].variance + errors[1].variance - 2 * covariance(*errors)
    return max(expected - apart, 0.0)


def _linear(metric: Metric, data: CorrectedCounts, sample: CountedRows) -> Linear:
    """The value, and the contribution of each row to its error."""
    ratio = ratio_of(metric, data, sample)
    value = metric._value(data) if metric.of_matrix else ratio.value
    above, below = ratio.of_rows(sample.share)
    of_rows = _less_mean(above - value * below, sample.rows)
    return Linear(value, of_rows / ratio.denominator, sample.rows)


def _linear_in_data(metric: Metric, data: CorrectedCounts, paired: bool) -> Linear:
    """`_linear` of all rows; with `paired`, rows without clusters are in one of their number.

    Then errors of the same rows in other data have a covariance.
    """
    own = _linear(metric, data, data.counted)
    if not paired or own.sample.clusters is not None:
        return own
    by_row = Codes.of("row", data.order)
    return replace(own, sample=replace(own.sample, clusters=by_row))


def _less_mean(of_rows: FloatArray, rows: Rows) -> FloatArray:
    centred: FloatArray = of_rows - (rows.counts * of_rows).sum() / rows.counts.sum()
    return centred


def _limits(ratio: Ratio, sample: CountedRows, reach: float) -> tuple[float, float]:
    """Least and greatest value in [0, 1] that the test does not reject."""
    x, y = (
        unit_errors(sample.rows, _less_mean(each, sample.rows))
        for each in ratio.of_rows(sample.share)
    )
    variances = (x * x).sum(), (x * y).sum(), (y * y).sum()
    low, high = limits_of_ratio(ratio.numerator, ratio.denominator, variances, reach)
    return float(low), float(high)


def limits_of_ratio(
    numerator: Any, denominator: Any, variances: Sequence[Any], reach: float
) -> tuple[FloatArray, FloatArray]:
    """Least and greatest m in [0, 1] with |numerator - m denominator| <= reach standard errors.

    `variances` are that of the numerator, the covariance, and that of the denominator.
    """
    a = denominator**2 - reach**2 * variances[2]
    b = numerator * denominator - reach**2 * variances[1]
    c = numerator**2 - reach**2 * variances[0]
    root = np.sqrt(np.maximum(b**2 - a * c, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = (b - root) / a, (b + root) / a
    first, last = np.fmin(*ends), np.fmax(*ends)
    # The values between the ends; if a <= 0, those outside of them, or all if there are no ends.
    inside, below, above = a > 0, first >= 0, last <= 1
    everything = ~inside & ((b**2 <= a * c) | (below == above))
    low = np.where(inside, first, np.where(everything | below, 0.0, last))
    high = np.where(inside, last, np.where(everything | above, 1.0, first))
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def _greatest(metric: Metric, data: CorrectedCounts, sample: CountedRows, reach: float) -> float:
    """The metric if all positives are alerts, at a limit of the precision or of the FPR.

    These limits are useful although the number of positives may be unknown.
    """
    threshold = data.threshold_of(metric)
    matrix = data.confusion_matrix(threshold)
    if (alerts := float(matrix.tp + matrix.fp)) == 0:
        return 1.0
    alert = sample.rows.has_alert(threshold)
    weights = _FALSE_ALERTS if data.prior_is_known else _PRECISION
    low, high = _limits(of_outcomes(sample, alert, weights, None), sample, reach)
    if data.prior_is_known:
        return metric._value(ConfusionMatrix.from_rates(tpr=1, fpr=low, prior=data.prior))
    others = float(matrix.fn + matrix.tn)
    return metric._value(ConfusionMatrix(tp=high * alerts, fp=(1 - high) * alerts, fn=0, tn=others))


def _means_of_limits(above: CountsAbove, reach: float) -> tuple[float, float]:
    """Means of the lower and of the upper limits of the precision at the positives.

    They allow for one negative that was missed.
    """
    of_pos, odds = above.square, above.odds
    of_neg, of_both = above.square_of_negatives + 1.0, above.pos - 1 - of_pos
    whole = of_pos + 2 * odds * of_both + odds**2 * of_neg
    variances = of_pos, of_pos + odds * of_both, whole
    limits = limits_of_ratio(above.pos, above.pos + odds * above.neg, variances, reach)
    low, high = (float((above.share * each).sum() / above.share.sum()) for each in limits)
    return low, high


def _with_errors_of_rates(
    found: Estimate, data: Sequence[Any], value_of: Callable[..., float], bounds: Any
) -> Estimate:
    """Add the errors of estimated rates; withhold an interval that is the whole range.

    Each estimate moves the rates of all rows to its lower, and to its upper limit. Curves and
    matrices among the data have no rates.
    """
    if found.reason is not None:
        return found
    value, level = float(found.value), found.confidence_level
    shifts = []
    for source in {each.identity: each for one in data for each in _sources(one)}.values():
        factor = t_quantile(level) / t_quantile(source.confidence_level)
        for end in ("low", "high"):
            moved = [each.moved(source, end) if _sources(each) else each for each in data]
            try:
                shifts.append(factor * (value_of(moved) - value))
            except ValueError:  # a class would have no rows
                return withheld(value, level, found.method, _NOTHING)
    found = with_shifts(found, shifts)
    low, high = max(float(found.low), bounds[0]), min(float(found.high), bounds[1])
    if not low <= high or (low <= bounds[0] and high >= bounds[1]):
        return withheld(value, level, found.method, _NOTHING if low <= high else _REFUTED)
    return replace(found, low=low, high=high)


def _sources(data: Any) -> list[Estimate]:
    """The estimates of the rates of labels with errors; none of a curve or matrix."""
    if isinstance(data, ConfusionCurve | ConfusionMatrix):
        return []
    return [rate.source for rate in (data.sensitivity, data.specificity) if rate.source is not None]
