"""The parts of a change between two samples, each with its interval.

A part is a weighted sum of the metric of both samples at both priors, and with both mixes of
segments. The error of an unknown prior is included. The interval is a hull, as for one sample: it
contains two t intervals, that of both samples and that of both samples with half a row more of each
class. Without segments, the total has the interval of the difference between the samples.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from calibrated_metrics._checks import FloatArray
from calibrated_metrics.comparison.mixes import Mixed, values_of_mix
from calibrated_metrics.comparison.values import AtPriors, prior_of, values_of
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores.metric import Data, Metric
from calibrated_metrics.uncertainty.difference import correlation_of_samples, square_and_add
from calibrated_metrics.uncertainty.estimate import Estimate, Measured, Scale, Settings, withheld
from calibrated_metrics.uncertainty.hull import hull_of
from calibrated_metrics.uncertainty.interval import measured, why_withheld
from calibrated_metrics.uncertainty.prior import ReferencePrior, with_error_of_prior
from calibrated_metrics.uncertainty.units import (
    Linear,
    Point,
    covariance,
)

__all__ = ["PARTS", "PARTS_OF_SEGMENTS", "estimate_parts", "values_at", "with_error_of_other_prior"]

Pair: TypeAlias = tuple[Data, Data]  # before and after
Samples: TypeAlias = Sequence[AtPriors]
Parts: TypeAlias = Mapping[str, FloatArray]

PARTS: Parts = {
    "total": np.array([[-1.0, 0.0], [0.0, 1.0]]),
    "prior_part": np.array([[-0.5, 0.5], [-0.5, 0.5]]),
    "model_part": np.array([[-0.5, -0.5], [0.5, 0.5]]),
}
"""Weight of the metric of each sample (row) at the prior of each sample (column)."""


def _shapley_value(cause: int) -> FloatArray:
    """Weights of the orders of three causes: a change from 0 to 1, mean over the orders."""
    before, after = np.moveaxis(np.zeros((2, 2, 2)), cause, 0)
    after += np.array([[2, 1], [1, 2]]) / 6
    before -= after
    return np.moveaxis(np.array([before, after]), 0, cause).reshape(4, 2)


PARTS_OF_SEGMENTS: Parts = {
    "total": np.array([[-1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 1.0]]),
    "prior_part": _shapley_value(2),
    "mix_part": _shapley_value(1),
    "model_part": _shapley_value(0),
}
"""As above; a row for the scores of each sample, divided by the mix of each sample."""


def values_at(metric: Metric, data: Sequence[Data], priors: Sequence[float]) -> FloatArray:
    """The metric of each sample (row) at each prior (column)."""
    return np.array([[metric._value(each.at_prior(prior)) for prior in priors] for each in data])


def estimate_parts(
    metric: Metric,
    pair: Pair,
    mixes: Sequence[Mixed],
    values: FloatArray,
    settings: Settings,
    of_before: Callable[[], Measured],
) -> dict[str, Estimate]:
    """Each part by its name. Priors that were not set have the error of their samples.

    `of_before` gives the metric of the sample before, which several changes may share.
    """
    parts = PARTS_OF_SEGMENTS if mixes else PARTS
    data = [mix.data for mix in mixes] or pair
    is_linear = settings.method is None and metric.facts.interval == "hull"
    drawn = isinstance(pair[0], ConfusionCurve) and not is_linear
    method, level = "bootstrap" if drawn else "hull", settings.confidence_level
    found = {name: float((weights * values).sum()) for name, weights in parts.items()}
    found["total"] = sum(found[name] for name in parts if name != "total")  # exact sum
    try:
        if drawn and (mixes or _share_clusters(pair)):
            why = "a mix of segments changed" if mixes else "the samples share clusters"
            raise ValueError(f"{why}, and the metric has no influence function")
        points, remarks = _points(metric, pair, mixes, settings, drawn)
    except ValueError as error:  # or the metric is undefined on most draws
        return {name: withheld(value, level, method, str(error)) for name, value in found.items()}
    estimates = {}
    for name, value in found.items():
        if name == "total" and not mixes:
            (after,) = measured(metric, [pair[1]], settings)
            correlation = correlation_of_samples(metric, pair[1], pair[0])
            total = square_and_add(after, of_before(), correlation).at(level)
            estimates[name] = replace(
                total, value=value, remarks=total.remarks if total.reason else remarks
            )
            continue
        if reason := _why_withheld(metric, data, pair, parts[name]):
            estimates[name] = withheld(value, level, method, reason)
            continue
        of_points, df = _part(parts[name], points)
        limits = hull_of(of_points, df, _scale(metric), level)
        standard_error = of_points[0].standard_error
        numbers = value, *limits, standard_error
        estimates[name] = Estimate(*numbers, level, method, remarks=remarks)
    return estimates


def _why_withheld(
    metric: Metric, data: Sequence[Data], pair: Pair, weights: FloatArray
) -> str | None:
    """Why an interval of a value that the part uses would not be valid."""
    for sample, prior in np.argwhere(weights):
        reason = why_withheld(metric, data[sample].at_prior(float(pair[prior].prior)))
        if reason is not None:
            return reason
    return None


def with_error_of_other_prior(
    parts: Mapping[str, Estimate],
    metric: Metric,
    data: Sequence[Data],
    priors: Sequence[float],
    places: Sequence[int],
    prior: Estimate,
) -> dict[str, Estimate]:
    """Parts with the error of a prior that was estimated on other data.

    It is the prior before (place 0), after (1), or at both places.
    """
    known, weights_of = ReferencePrior.of(prior), PARTS if len(data) == 2 else PARTS_OF_SEGMENTS

    def part_at(weights: FloatArray, moved: float) -> float:
        at = [moved if place in places else each for place, each in enumerate(priors)]
        return float((weights * values_at(metric, data, at)).sum())

    return {
        name: part
        if part.reason
        else with_error_of_prior(part, known, partial(part_at, weights_of[name]), _scale(metric))
        for name, part in parts.items()
    }


def _scale(metric: Metric) -> Scale:
    """The range of differences of a metric."""
    low, high = metric.facts.range
    return Scale(low - high, high - low)


def _part(weights: FloatArray, points: Sequence[Samples]) -> tuple[list[Point], float]:
    """A weighted sum of the values of both samples, and its degrees of freedom.

    The variances of both samples add up, with the covariance of shared clusters.
    """
    sums = [_sums(weights, samples) for samples in points]
    shared = 2 * covariance(*sums[0])
    variances = [np.array([each.variance for each in pair]) for pair in sums]
    dfs = [min(each.df for each in points[0] if each.place == place) for place in (0, 1)]
    terms = variances[0] ** 2 / np.maximum(dfs, 1.0)
    df = float(variances[0].sum() ** 2 / terms.sum()) if terms.any() else math.inf
    errors = [math.sqrt(max(float(each.sum()) + shared, 0.0)) for each in variances]
    values = [before.value + after.value for before, after in sums]
    return [Point(*each) for each in zip(values, errors, strict=True)], df


def _sums(weights: FloatArray, samples: Samples) -> list[Linear]:
    """Values of each sample, with the error that its prior and its mix add to both samples."""
    slopes = sum(row * each.slopes for row, each in zip(weights, samples, strict=True))
    found = []
    for place, first in enumerate((samples[0], samples[-1])):
        total = slopes[place] * replace(first.prior, value=0.0)
        for row, each in zip(weights.tolist(), samples, strict=True):
            terms = each.values if each.place == place else each.of_mix
            for weight, term in zip(row, terms, strict=bool(terms)):
                total = total + weight * term
        found.append(total)
    return found


def _points(
    metric: Metric, pair: Pair, mixes: Sequence[Mixed], settings: Settings, drawn: bool
) -> tuple[list[Samples], tuple[str, ...]]:
    """Values of both samples, and of both with half rows; and what to warn of."""
    priors = [prior_of(each, is_known=each.prior_is_known) for each in pair]
    if mixes:
        of_mixes = [values_of_mix(metric, mix, priors) for mix in mixes]
        return list(zip(*of_mixes, strict=True)), ()
    other = settings._replace(seed=settings.seed + 1)  # independent draws
    before, of_before = values_of(metric, pair[0], 0, priors, settings, drawn)
    after, of_after = values_of(metric, pair[1], 1, priors, other, drawn)
    remarks = *(f"before: {each}" for each in of_before), *(f"after: {each}" for each in of_after)
    points = itertools.zip_longest(before, after)  # a matrix without strata has one more
    return [(one or before[-1], other or after[-1]) for one, other in points], remarks


def _share_clusters(pair: Pair) -> bool:
    before, after = (each.rows.clusters if each.has_rows else None for each in pair)
    if before is None or after is None:
        return False
    return bool(np.isin(before.labels, after.labels).any())
