"""The parts of a change between two samples, each with its interval.

A part is a weighted sum of the metric of both samples at both priors. The error of a prior that is
not known is included. The interval is a hull, as for one sample: it contains the t intervals of
both samples, and of both with half a row more of each class.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from calibrated_metrics._checks import FloatArray
from calibrated_metrics.comparison.values import AtPriors, prior_of, values_of
from calibrated_metrics.scores.metric import Data, Metric
from calibrated_metrics.uncertainty.estimate import Estimate, withheld
from calibrated_metrics.uncertainty.hull import Point, hull, hull_of
from calibrated_metrics.uncertainty.interval import method_of, why_withheld
from calibrated_metrics.uncertainty.linear import Linear, covariance
from calibrated_metrics.uncertainty.prior import ReferencePrior, with_error_of_prior
from calibrated_metrics.uncertainty.rates import rates
from calibrated_metrics.uncertainty.scale import Scale
from calibrated_metrics.uncertainty.settings import Settings

__all__ = ["PARTS", "estimate_parts", "values_at", "with_error_of_other_prior"]

Pair: TypeAlias = tuple[Data, Data]  # before and after
Samples: TypeAlias = tuple[AtPriors, AtPriors]

PARTS: Mapping[str, FloatArray] = {
    "total": np.array([[-1.0, 0.0], [0.0, 1.0]]),
    "prior_part": np.array([[-0.5, 0.5], [-0.5, 0.5]]),
    "model_part": np.array([[-0.5, -0.5], [0.5, 0.5]]),
}
"""Weight of the metric of each sample (row) at the prior of each sample (column)."""


def values_at(metric: Metric, pair: Pair, priors: Sequence[float]) -> FloatArray:
    """The metric of each sample (row) at each prior (column)."""
    return np.array([[metric.value(each.at_prior(prior)) for prior in priors] for each in pair])


def estimate_parts(
    metric: Metric, pair: Pair, values: FloatArray, settings: Settings
) -> dict[str, Estimate]:
    """Each part by its name. Priors that were not set have the error of their samples."""
    drawn = any(method_of(metric, each, settings) not in (hull, rates) for each in pair)
    method, level = "bootstrap" if drawn else "hull", settings.confidence_level
    found = {name: float((weights * values).sum()) for name, weights in PARTS.items()}
    found["total"] = found["prior_part"] + found["model_part"]  # to the last digit
    try:
        if drawn and _share_clusters(pair):
            raise ValueError("the samples share clusters, and the metric has no influence function")
        points, remarks = _points(metric, pair, settings, drawn)
    except ValueError as error:  # or the metric is undefined on most draws
        return {name: withheld(value, level, method, str(error)) for name, value in found.items()}
    estimates = {}
    for name, value in found.items():
        if reason := _why_withheld(metric, pair, PARTS[name]):
            estimates[name] = withheld(value, level, method, reason)
            continue
        parts, df = _part(PARTS[name], points)
        limits = hull_of(parts, df, _scale(metric), level)
        estimates[name] = Estimate(
            value, *limits, parts[0].standard_error, level, method, remarks=remarks
        )
    return estimates


def _why_withheld(metric: Metric, pair: Pair, weights: FloatArray) -> str | None:
    """Why an interval of a value that the part uses would not be valid."""
    for sample, prior in np.argwhere(weights):
        reason = why_withheld(metric, pair[sample].at_prior(float(pair[prior].prior)))
        if reason is not None:
            return reason
    return None


def with_error_of_other_prior(
    parts: Mapping[str, Estimate], metric: Metric, pair: Pair, place: int, prior: Estimate
) -> dict[str, Estimate]:
    """Parts with the error of the prior before (place 0) or after (1), estimated on other data."""
    priors, known = [float(each.prior) for each in pair], ReferencePrior.of(prior)

    def part_at(weights: FloatArray, moved: float) -> float:
        at = [*priors[:place], moved, *priors[place + 1 :]]
        return float((weights * values_at(metric, pair, at)).sum())

    return {
        name: part
        if part.reason
        else with_error_of_prior(part, known, partial(part_at, PARTS[name]), _scale(metric))
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
    terms = variances[0] ** 2 / [max(each.df, 1.0) for each in points[0]]
    df = float(variances[0].sum() ** 2 / terms.sum()) if terms.any() else math.inf
    errors = [math.sqrt(max(float(each.sum()) + shared, 0.0)) for each in variances]
    values = [before.value + after.value for before, after in sums]
    return [Point(*each) for each in zip(values, errors, strict=True)], df


def _sums(weights: FloatArray, samples: Samples) -> list[Linear]:
    """The values of each sample, with the error that its prior adds to both."""
    before, after = samples
    slopes = weights[0] * before.slopes + weights[1] * after.slopes
    sums = []
    for weight, slope, each in zip(weights.tolist(), slopes, samples, strict=True):
        values = weight[0] * each.values[0] + weight[1] * each.values[1]
        sums.append(replace(values, error=values.error + slope * each.prior.error))
    return sums


def _points(
    metric: Metric, pair: Pair, settings: Settings, drawn: bool
) -> tuple[list[Samples], tuple[str, ...]]:
    """Values of both samples, and of both with half rows; and what to warn of."""
    priors = [prior_of(each, is_known=each.prior_is_known) for each in pair]
    other = settings._replace(seed=settings.seed + 1)  # independent draws
    before, of_before = values_of(metric, pair[0], priors, settings, drawn)
    after, of_after = values_of(metric, pair[1], priors, other, drawn)
    remarks = *(f"before: {each}" for each in of_before), *(f"after: {each}" for each in of_after)
    points = itertools.zip_longest(before, after)  # a matrix without strata has one more
    return [(one or before[-1], other or after[-1]) for one, other in points], remarks


def _share_clusters(pair: Pair) -> bool:
    before, after = (None if each.sample is None else each.sample.clusters for each in pair)
    return before is not None and after is not None and bool(np.isin(before, after).any())
