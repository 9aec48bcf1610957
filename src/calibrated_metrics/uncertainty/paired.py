"""The difference of a metric between two models on the same rows.

It is the hull of the difference, with (1 - r)² times half a row added on which the models disagree
as much as possible; r is the correlation of their errors. The square was chosen by simulation. See
docs/methods/intervals.md.
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
    linear_of_ranking,
    rise_by_missed_rows,
)
from calibrated_metrics.uncertainty.estimate import Limits, Measured, Scale, Settings
from calibrated_metrics.uncertainty.hull import (
    HALF,
    hull_of,
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
    "doubts_of_models",
    "has_influence",
    "paired_differences",
    "scale_of",
]

Pairs = list[tuple[Any, Any]]
"""Data of `a` and of `b`, at each reference prior."""
_FEWEST = 1e-30  # added rows, as their number must be above 0
_FEW_ROWS = 10  # that tell models apart
_SMALL_SHARE = 0.2  # of the variance


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


def doubts_of_models(a: Data, b: Data) -> tuple[str, ...]:
    """A remark if few rows of a class tell two rankings apart.

    Their number is (Σd²)² / Σd⁴ for contributions d to the difference of AUC-ROC, in which all rows
    of a class weigh alike. If one model gained on a tenth of 30 to 80 positives, simulated 95 %
    intervals covered 71 to 90 %. The sample does not show whether a model gained on rare rows that
    it lacks, so equal models with few positives have the same remark.
    """
    if isinstance(a, ConfusionMatrix) or isinstance(b, ConfusionMatrix):
        return ()
    judge, doubts = Metric("roc_auc"), []
    own = linearise(judge, a.at_prior(a.prior)) - linearise(judge, b.at_prior(b.prior))
    sample = own.sample
    for name, rows in (("positives", sample.positive), ("negatives", ~sample.positive)):
        squares = unit_errors(sample, np.where(rows, own.error, 0.0)) ** 2
        if squares.sum() <= _SMALL_SHARE * own.variance:
            continue
        clusters = sample.clusters
        n_units = (
            np.count_nonzero(rows) if clusters is None else len(np.unique(clusters.code[rows]))
        )
        number = squares.sum() ** 2 / (squares**2).sum()
        if number < _FEW_ROWS:
            doubts.append(
                f"few {name}, about {number:.0f} of {n_units}, tell the models apart: the interval "
                "may be too short"
            )
    return tuple(doubts)


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
        own, ways = of_a - of_b, _ways_to_add(of_a, of_b)
        points, df = [own.point], own.df
        del of_a, of_b, own  # their errors need as much memory as the rows
        for add in ways:
            points.append((linearise(metric, add(a, 1)) - linearise(metric, add(b, -1))).point)
        limits = partial(hull_of, points, df, scale_of(metric, a))
        found.append(Measured(*points[0], limits, "hull"))
    return found


def _ways_to_add(of_a: Linear, of_b: Linear) -> list[Callable[[Any, int], Any]]:
    """Functions that add rows on which the models disagree, in favour of either model.

    They take the data of a model and 1 for the first or -1 for the other model.
    """
    more = max(of_a.excess, of_b.excess)
    if of_a.sample.error_strata is not None:
        return [lambda data, side: with_half_rows(data, more)[0]]
    joint = (of_a.variance + of_b.variance - (of_a - of_b).variance) / 2
    agreement = max(correlation_of(joint, of_a, of_b), 0.0)
    number = max(HALF * (1 - agreement) ** 2, _FEWEST)
    return [
        lambda data, side: with_rows_at_the_ends(data, number, side, more),
        lambda data, side: with_rows_at_the_ends(data, number, -side, more),
    ]


def _by_draws(metric: Metric, at: Pairs, settings: Settings) -> list[Measured]:
    """The hull of standard errors from the same draws for both models and at each prior."""
    of_a, of_b = (linear_of_ranking(each) for each in at[0])
    ways = _ways_to_add(of_a, of_b)
    added = [[(add(a, 1), add(b, -1)) for add in ways] for a, b in at]
    is_known = all(curve.prior_is_known for pair in at for curve in pair)

    def values_of(drawn: Sequence[ConfusionCurve]) -> list[float]:
        """Those of the first model, then those of the other one."""
        return [
            metric._value(_like(each, pair[model]))
            for model, each in enumerate(drawn)
            for pair in at
        ]

    values = [difference_at(metric, pair) for pair in at]
    try:
        with_added = [[difference_at(metric, pair) for pair in pairs] for pairs in added]
        sample = at[0][0].rows
        draws = draw_values(sample, added[0], values_of, settings, prior_varies=not is_known)
    except ValueError as error:
        return [Measured.withheld(value, "bootstrap", str(error)) for value in values]
    df, found = (of_a - of_b).df, []
    of_pair = slice(None, len(at)), slice(len(at), None)
    drawn, others = (
        each[..., of_pair[0]] - each[..., of_pair[1]] for each in (draws.own, draws.others)
    )
    for place, pair in enumerate(at):
        own = Point.of_draws(values[place], drawn[:, place])
        more = map(Point.of_draws, with_added[place], others[:, :, place].T)
        limits: Limits = partial(hull_of, (own, *more), df, scale_of(metric, pair[0]))
        is_least = [
            bool((draws.own[:, of_model][:, place] >= metric._value(curve)).all())
            for of_model, curve in zip(of_pair, pair, strict=True)
        ]
        if any(is_least):
            limits = partial(_raised, metric, pair, is_least, own.value, limits)
        found.append(Measured(*own, limits, "bootstrap", remarks=draws.remarks))
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


def _like(drawn: ConfusionCurve, curve: ConfusionCurve) -> ConfusionCurve:
    """The curve of a draw at the prior of another one, if that is known."""
    return drawn.at_prior(curve.prior) if curve.prior_is_known else drawn


def difference_at(metric: Metric, pair: Sequence[Any]) -> float:
    return metric._value(pair[0]) - metric._value(pair[1])


def scale_of(metric: Metric, data: Data) -> Scale:
    low, high = metric._scale(data)
    return Scale(low - high, high - low)


def correlation_of(covariance: float, a: Linear, b: Linear) -> float:
    errors = a.standard_error * b.standard_error
    return float(np.clip(covariance / errors, -1, 1)) if 0 < errors < math.inf else 0.0


def has_influence(metric: Metric, data: Data) -> bool:
    return isinstance(data, ConfusionMatrix) or metric.facts.influence is not None
