"""The difference of a metric between two models on the same rows.

It is the hull of the difference, with (1 - r)² times half a row added on which the models disagree
as much as possible; r is the correlation of their errors. The square was chosen by simulation. See
docs/methods/intervals.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionMatrix
from calibrated_metrics.rows import Codes, Rows
from calibrated_metrics.scores.metric import Data, Metric
from calibrated_metrics.uncertainty.bootstrap import Drawn, linear_of_ranking, values_at_priors
from calibrated_metrics.uncertainty.draws import draw_values
from calibrated_metrics.uncertainty.estimate import Estimate, Scale, Settings, withheld
from calibrated_metrics.uncertainty.hull import (
    HALF,
    Point,
    hull_of,
    with_half_rows,
    with_rows_at_the_ends,
)
from calibrated_metrics.uncertainty.interval import why_withheld
from calibrated_metrics.uncertainty.units import (
    Linear,
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
        if sample.positive.all() or not sample.positive.any():
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
    return None if codes is None else codes.of_rows


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


def paired_differences(metric: Metric, at: Pairs, settings: Settings) -> list[Estimate]:
    is_linear = has_influence(metric, at[0][0]) and settings.method is None
    estimates = (_by_contributions if is_linear else _by_draws)(metric, at, settings)
    for place, (a, b) in enumerate(at):
        if reason := why_withheld(metric, a) or why_withheld(metric, b):
            value, method = float(estimates[place].value), estimates[place].method
            estimates[place] = withheld(value, settings.confidence_level, method, reason)
    return estimates


def _by_contributions(metric: Metric, at: Pairs, settings: Settings) -> list[Estimate]:
    level, estimates = settings.confidence_level, []
    for a, b in at:
        of_a, of_b = linearise(metric, a), linearise(metric, b)
        own, points = of_a - of_b, [_point(of_a - of_b)]
        for one, other in _with_rows(a, b, of_a, of_b):
            points.append(_point(linearise(metric, one) - linearise(metric, other)))
        scale = scale_of(metric, a)
        limits = hull_of(points, own.df, scale, level)
        estimates.append(Estimate(own.value, *limits, own.standard_error, level, "hull"))
    return estimates


def _point(linear: Linear) -> Point:
    """The value and its standard error, without the errors of the rows."""
    return Point(linear.value, linear.standard_error)


def _with_rows(a: Data, b: Data, of_a: Linear, of_b: Linear) -> Iterator[tuple[Any, Any]]:
    """Both data with added rows on which the models disagree, in favour of either model."""
    more = max(of_a.excess, of_b.excess)
    if of_a.sample.error_strata is not None:
        yield with_half_rows(a, more)[0], with_half_rows(b, more)[0]
        return
    joint = (of_a.variance + of_b.variance - (of_a - of_b).variance) / 2
    agreement = max(correlation_of(joint, of_a, of_b), 0.0)
    number = max(HALF * (1 - agreement) ** 2, _FEWEST)
    for end in (1, -1):
        one, other = (
            with_rows_at_the_ends(data, number, way * end, more) for data, way in ((a, 1), (b, -1))
        )
        yield one, other


def _by_draws(metric: Metric, at: Pairs, settings: Settings) -> list[Estimate]:
    """The hull of standard errors from the same draws for both models and at each prior."""
    of_a, of_b = (linear_of_ranking(each) for each in at[0])
    added = [list(_with_rows(a, b, of_a, of_b)) for a, b in at]
    curves_a, curves_b = zip(*at, strict=True)
    values_of = [
        (values_at_priors(metric, curves_a, one), values_at_priors(metric, curves_b, other))
        for one, other in added[0]
    ]

    def differences(times: FloatArray, added: NDArray[np.int64]) -> FloatArray:
        of_pairs = [one(times, added) - other(times, added) for one, other in values_of]
        return np.concatenate(of_pairs, axis=1)

    level, n_priors = settings.confidence_level, len(at)
    values = [difference_at(metric, pair) for pair in at]
    try:
        with_added = [[difference_at(metric, pair) for pair in pairs] for pairs in added]
        samples = at[0][0].rows, added[0][0][0].rows
        prior_varies = not all(curve.prior_is_known for curve in (*curves_a, *curves_b))
        drawn = draw_values(*samples, differences, settings, prior_varies=prior_varies)
    except ValueError as error:
        return [withheld(value, level, "bootstrap", str(error)) for value in values]
    df, estimates = (of_a - of_b).df, []
    for place, (a, _) in enumerate(at):
        own = Drawn(values[place], drawn.own[:, place])
        more = zip(with_added[place], drawn.other[:, place::n_priors].T, strict=True)
        points = [own, *(Drawn(*each) for each in more)]
        limits = hull_of(points, df, scale_of(metric, a), level)
        numbers = own.value, *limits, own.standard_error
        estimates.append(Estimate(*numbers, level, "bootstrap", None, drawn.remarks))
    return estimates


def difference_at(metric: Metric, pair: tuple[Any, Any]) -> float:
    return metric.value(pair[0]) - metric.value(pair[1])


def scale_of(metric: Metric, data: Data) -> Scale:
    low, high = metric.scale(data)
    return Scale(low - high, high - low)


def correlation_of(covariance: float, a: Linear, b: Linear) -> float:
    errors = a.standard_error * b.standard_error
    return float(np.clip(covariance / errors, -1, 1)) if 0 < errors < math.inf else 0.0


def has_influence(metric: Metric, data: Data) -> bool:
    return isinstance(data, ConfusionMatrix) or metric.facts.influence is not None
