"""The difference of a metric between two models on the same rows.

It is the hull of the difference, with (1 - r)² times half a row added on which the models disagree
as much as possible; r is the correlation of their errors. The square was chosen by simulation. The
t interval is moved for skewness. See docs/methods/intervals.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics.codes import Codes
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.rows import Rows
from calibrated_metrics.scores.metric import Data, Metric
from calibrated_metrics.uncertainty.bootstrap import (
    draw_values,
    like,
    linear_of_ranking,
    rise_by_missed_rows,
)
from calibrated_metrics.uncertainty.estimate import Limits, Measured, Scale, Settings
from calibrated_metrics.uncertainty.hull import (
    HALF,
    MISSED,
    caution_of,
    hull_of,
    limits_of_ranking,
    with_half_rows,
    with_rows_at_the_ends,
)
from calibrated_metrics.uncertainty.interval import why_withheld
from calibrated_metrics.uncertainty.units import (
    Linear,
    Point,
    linearise,
    unit_errors,
)

__all__ = [
    "Pairs",
    "check_same_rows",
    "correlation_of",
    "difference_at",
    "has_influence",
    "paired_differences",
    "scale_of",
    "with_skewness",
]

Pairs = list[tuple[Any, Any]]
"""Data of `a` and of `b`, at each reference prior."""
_FEWEST = 1e-30  # added rows, as their number must be above 0
_LARGE_ERROR = 0.5  # of a row, of the standard error of a difference of models that agree
_SAME = 1e-12  # variance of a difference, relative to those of the models; rounding only
_OF_FEW = 0.95  # of the error with added rows, which matters if few rows make the difference
_TWO = 2.0  # standard errors
_MOVE = 1.5  # (2 z² + 1) / 6 at about 95 %


def check_same_rows(a: Rows, b: Rows, *more: Mapping[str, Any]) -> None:
    """Refuse samples whose rows differ in anything but their scores, or in further columns."""
    for name, sample in (("a", a), ("b", b)):
        if sample.is_binned:
            raise ValueError(
                f"with paired=True, {name} must be built from rows, because counts do not tell "
                "which row has which score"
            )
        if not sample.has_both_classes:
            raise ValueError(f"with paired=True, {name} must hold rows of both classes")
    n_a, n_b = len(a.score), len(b.score)
    if n_a != n_b:
        raise ValueError(f"a and b must have the same rows with paired=True, got {n_a} and {n_b}")
    if a.index is not None and b.index is not None and not a.index.equals(b.index):
        raise ValueError(
            "a and b must have the same index, row by row, with paired=True; pass .to_numpy() of "
            "their columns if their rows correspond by position"
        )
    of_a, of_b = (
        dict[str, Any](
            labels=sample.positive,
            weights=sample.row_weight,
            clusters=_labels(sample.clusters),
            strata=_labels(sample.strata),
            targets=sample.scored,
            **further,
        )
        for sample, further in zip((a, b), more or ({}, {}), strict=True)
    )
    for what in of_a:
        if not np.array_equal(of_a[what], of_b[what]):
            raise ValueError(
                f"a and b must have the same rows in the same order with paired=True, but their "
                f"{what} differ"
            )


def _labels(codes: Codes | None) -> NDArray[Any] | None:
    return None if codes is None else codes.label_of_row


def paired_differences(metric: Metric, at: Pairs, settings: Settings) -> list[Measured]:
    is_linear = has_influence(metric, at[0][0]) and settings.method is None
    found = _by_contributions(metric, at) if is_linear else _by_draws(metric, at, settings)
    reasons = [why_withheld(metric, a) or why_withheld(metric, b) for a, b in at]
    return [
        Measured.withheld(each.value, each.method, reason) if reason else each
        for each, reason in zip(found, reasons, strict=True)
    ]


def _by_contributions(metric: Metric, at: Pairs) -> list[Measured]:
    found = []
    for a, b in at:
        of_a, of_b = linearise(metric, a), linearise(metric, b)
        scale = scale_of(metric, a)
        is_inside = scale.low < of_a.value - of_b.value < scale.high
        is_plain = of_a.sample.error_strata is None and metric.facts.loss is None
        if isinstance(a, ConfusionCurve) and is_plain and is_inside:
            found.append(_of_rankings(metric, (a, b), of_a, of_b))
            continue
        is_decision = isinstance(a, ConfusionMatrix)
        decisions_differ = is_decision and not np.array_equal(a._has_alert, b._has_alert)
        own, ways = of_a - of_b, _ways_to_add(of_a, of_b, decisions_differ)
        skewness, df = _skewness(own), own.df
        doubts = _doubts_of_few_rows(own, _correlation(of_a, of_b))
        points = [own.point, with_skewness(own.point, skewness)]
        del of_a, of_b, own  # their errors need as much memory as the rows
        for add in ways:
            points.append((linearise(metric, add(a, 1)) - linearise(metric, add(b, -1))).point)
        limits = partial(hull_of, points, df, scale)
        found.append(Measured(*points[0], limits, "hull", remarks=doubts))
    return found


def _of_rankings(metric: Metric, pair: tuple[Any, Any], of_a: Linear, of_b: Linear) -> Measured:
    """The difference of two rankings, with errors that allow for rows that the sample missed."""
    own, more, ends = of_a - of_b, max(of_a.excess, of_b.excess), (1, -1)
    number = _number_of_added(of_a, of_b)

    def moved(number: float, side: int) -> list[Any]:
        """The models with rows added against the first one (side 1) or the other one."""
        return [
            with_rows_at_the_ends(data, number, side * end, more)
            for data, end in zip(pair, ends, strict=True)
        ]

    # The interval reaches about `_TWO` errors, so this part of one is `_MOVE` times the skewness.
    skewness, errors, values = _MOVE * _skewness(own) / _TWO, [], []
    for side in ends:
        with_few, with_many = moved(number, side), moved(number * MISSED / HALF, side)
        few = linearise(metric, with_few[0]) - linearise(metric, with_few[1])
        least = max(own.standard_error, _OF_FEW * few.standard_error)
        errors.append(least + max(-side * skewness, 0.0) * own.standard_error)
        values.append([few.value, difference_at(metric, with_many)])
    caution, scale = caution_of(metric, pair[0]), scale_of(metric, pair[0])
    limits = limits_of_ranking(own.value, errors, values, caution, own.df, scale)
    doubts = _doubts_of_few_rows(own, _correlation(of_a, of_b))
    return Measured(*own.point, limits, "hull", remarks=doubts)


def _skewness(own: Linear) -> float:
    """Skewness of the sum of the contributions of units: 1 / √n if n equal ones make it."""
    errors = unit_errors(own.sample, own.error)
    errors = errors / max(np.abs(errors).max(), _FEWEST)
    return float((errors**3).sum() / max((errors**2).sum(), _FEWEST) ** 1.5)


def with_skewness(own: Point, skewness: float) -> Point:
    """The value moved by a correction for skewness.

    It is that of Johnson (1978, doi:10.1080/01621459.1978.10480051). If one model gained on few
    rows, there may be more of them than the sample shows.
    """
    return Point(own.value + _MOVE * skewness * own.standard_error, own.standard_error)


def _doubts_of_few_rows(own: Linear, r: float) -> tuple[str, ...]:
    """A remark if one row makes much of the error of a difference of models that else agree.

    r is the correlation of their errors. If one model gained on a tenth of 30 to 80 positives,
    simulated 95 % intervals of AUC-ROC covered 79 to 91 %. A sample that lacks such rows cannot
    show this.
    """
    largest = float(np.abs(unit_errors(own.sample, own.error)).max())
    if largest * r <= _LARGE_ERROR * own.standard_error:
        return ()
    units, part = "rows" if own.sample.clusters is None else "clusters", largest**2 / own.variance
    return (
        f"the difference rests on few {units}, one of which makes {100 * part:.0f} % of its "
        "variance: the interval may be too short",
    )


def _number_of_added(of_a: Linear, of_b: Linear) -> float:
    """Rows to add: (1 - r)² times half a row, where r is the correlation of errors."""
    return max(HALF * (1 - _correlation(of_a, of_b)) ** 2, _FEWEST)


def _correlation(of_a: Linear, of_b: Linear) -> float:
    """The correlation of the errors of both models, at least 0."""
    joint = (of_a.variance + of_b.variance - (of_a - of_b).variance) / 2
    return max(correlation_of(joint, of_a, of_b), 0.0)


def _ways_to_add(
    of_a: Linear, of_b: Linear, decisions_differ: bool = False
) -> list[Callable[[Any, int], Any]]:
    """Functions that add rows on which the models disagree, in favour of either model.

    They take the data of a model and 1 for the first or -1 for the other model. If no row shows a
    difference, but others do, such as negatives for recall, a whole row is added.
    """
    more = max(of_a.excess, of_b.excess)
    if of_a.sample.error_strata is not None:
        return [lambda data, side: with_half_rows(data, more)[0]]
    number, variance = _number_of_added(of_a, of_b), (of_a - of_b).variance
    if decisions_differ and variance <= _SAME * (of_a.variance + of_b.variance):
        number = 1.0
    return [
        lambda data, side: with_rows_at_the_ends(data, number, side, more),
        lambda data, side: with_rows_at_the_ends(data, number, -side, more),
    ]


def _by_draws(metric: Metric, at: Pairs, settings: Settings) -> list[Measured]:
    """The hull of standard errors from the same draws for both models and at each prior."""
    of_a, of_b = (linear_of_ranking(each) for each in at[0])
    ways, of_both = _ways_to_add(of_a, of_b), of_a - of_b
    added = [[(add(a, 1), add(b, -1)) for add in ways] for a, b in at]
    is_known = all(curve.prior_is_known for pair in at for curve in pair)

    def values_of(drawn: list[tuple[ConfusionCurve, ConfusionCurve]]) -> Any:
        """Values of shape (1 + n_ways, 2, n_priors): of the rows, and with added ones."""
        own, more = [curve for curve, _ in drawn[:2]], [curve for _, curve in drawn]
        return [
            [
                [metric._value(like(curve, pair[model])) for pair in at]
                for model, curve in enumerate(models)
            ]
            for models in (own, *zip(more[::2], more[1::2], strict=True))
        ]

    values = [difference_at(metric, pair) for pair in at]
    try:
        with_added = [[difference_at(metric, pair) for pair in pairs] for pairs in added]
        curves = [curve for pair in added[0] for curve in pair]
        sample = at[0][0].rows
        draws, remarks = draw_values(sample, curves, values_of, settings, prior_varies=not is_known)
    except ValueError as error:
        return [Measured.withheld(value, "bootstrap", str(error)) for value in values]
    skewness, found = _skewness(of_both), []
    remarks += _doubts_of_few_rows(of_both, _correlation(of_a, of_b))
    differences = draws[:, :, 0] - draws[:, :, 1]
    for place, pair in enumerate(at):
        own = Point.of_draws(values[place], differences[:, 0, place])
        more = map(Point.of_draws, with_added[place], differences[:, 1:, place].T)
        points = own, with_skewness(own, skewness), *more
        limits: Limits = partial(hull_of, points, of_both.df, scale_of(metric, pair[0]))
        is_least = [
            bool((draws[:, 0, model, place] >= metric._value(curve)).all())
            for model, curve in enumerate(pair)
        ]
        if any(is_least):
            limits = partial(_raised, metric, pair, is_least, own.value, limits)
        found.append(Measured(*own, limits, "bootstrap", remarks=remarks))
    return found


def _raised(
    metric: Metric,
    pair: tuple[Any, Any],
    is_least: Sequence[bool],
    value: float,
    limits: Limits,
    level: float,
) -> tuple[float, float]:
    """Limits that allow for rises of values that no draw lowers, by square-and-add."""
    low, high = limits(level)
    rise_of_a, rise_of_b = (
        rise_by_missed_rows(metric, curve, level) if least else 0.0
        for curve, least in zip(pair, is_least, strict=True)
    )
    return value - math.hypot(value - low, rise_of_b), value + math.hypot(high - value, rise_of_a)


def difference_at(metric: Metric, pair: Sequence[Any]) -> float:
    return metric._value(pair[0]) - metric._value(pair[1])


def scale_of(metric: Metric, data: Data) -> Scale:
    (low, high), (least, most) = metric._scale(data), metric.facts.range
    return Scale(low - high, high - low, least - most, most - least)


def correlation_of(covariance: float, a: Linear, b: Linear) -> float:
    errors = a.standard_error * b.standard_error
    return float(np.clip(covariance / errors, -1, 1)) if 0 < errors < math.inf else 0.0


def has_influence(metric: Metric, data: Data) -> bool:
    return isinstance(data, ConfusionMatrix) or metric.facts.has_influence
