"""The parts of a change between two samples, each with its interval.

A part is a weighted sum of the metric of both samples at both priors, and with both mixes of
segments. The error of an unknown prior is included. The interval is a hull, as for one sample: it
contains two t intervals, that of both samples and that of both samples with half a row more of each
class. Without segments, the total has the interval of the difference between the samples. A metric
that is the same at each prior has a prior part of exactly 0, so its total is its model part.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.comparison.mixes import Mixed
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.rows import Rows
from calibrated_metrics.scores.metric import Data, Metric
from calibrated_metrics.uncertainty.bootstrap import draws_at_priors, linear_of_ranking
from calibrated_metrics.uncertainty.combine import square_and_add
from calibrated_metrics.uncertainty.difference import correlation_of_samples, share_clusters
from calibrated_metrics.uncertainty.estimate import Estimate, Measured, Scale, Settings, withheld
from calibrated_metrics.uncertainty.hull import hull_of, with_half_rows
from calibrated_metrics.uncertainty.interval import measured, why_withheld
from calibrated_metrics.uncertainty.units import (
    Linear,
    Point,
    contributions,
    contributions_to_prior,
    covariance,
    influences,
    linearise,
    slope_by_prior,
)

__all__ = ["PARTS", "PARTS_OF_SEGMENTS", "estimate_parts", "values_at"]

Pair: TypeAlias = tuple[Data, Data]  # before and after
Parts: TypeAlias = Mapping[str, FloatArray]
Priors: TypeAlias = Sequence[Linear]  # before and after
Split: TypeAlias = Callable[[Data], tuple[Linear, Linear]]  # into errors of scores and of a mix

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
    of_before: Callable[[], list[Measured]],
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
    is_prior_free = metric.facts.is_prior_free
    if is_prior_free:
        found["prior_part"] = 0.0
    found["total"] = sum(found[name] for name in parts if name != "total")  # exact sum
    try:
        if drawn and (mixes or share_clusters(*pair)):
            why = "a mix of segments changed" if mixes else "the samples share clusters"
            raise ValueError(f"{why}, and the metric has no influence function")
        points, remarks = _points(metric, pair, mixes, settings, drawn)
    except ValueError as error:  # or the metric is undefined on most draws
        return {name: withheld(value, level, method, str(error)) for name, value in found.items()}
    estimates = {}
    for name, value in found.items():
        if reason := _why_withheld(metric, data, pair, parts[name]):
            estimates[name] = withheld(value, level, method, reason)
            continue
        of_points, df = _part(parts[name], points)
        numbers = value, *hull_of(of_points, df, _scale(metric), level), of_points[0].standard_error
        estimates[name] = Estimate(*numbers, level, method, remarks=remarks)
    if not mixes:
        total = _total(metric, pair, settings, of_before)
        remarks = total.remarks if total.reason else remarks
        estimates["total"] = replace(total, value=found["total"], remarks=remarks)
    if is_prior_free:
        estimates["prior_part"] = Estimate(0.0, 0.0, 0.0, 0.0, level, "same at each prior")
        estimates["model_part"] = estimates["model_part" if mixes else "total"]
    return estimates


def _total(
    metric: Metric, pair: Pair, settings: Settings, of_before: Callable[[], list[Measured]]
) -> Estimate:
    """The change between two samples, as a difference of both."""
    (after,), (before,) = measured(metric, [pair[1]], settings), of_before()
    correlation = correlation_of_samples(metric, pair[1], pair[0])
    return square_and_add(after, before, correlation).at(settings.confidence_level)


def _why_withheld(
    metric: Metric, data: Sequence[Data], pair: Pair, weights: FloatArray
) -> str | None:
    """Why an interval of a value that the part uses would not be valid."""
    for sample, prior in np.argwhere(weights):
        reason = why_withheld(metric, data[sample].at_prior(float(pair[prior].prior)))
        if reason is not None:
            return reason
    return None


def _scale(metric: Metric) -> Scale:
    """The range of differences of a metric."""
    low, high = metric.facts.range
    return Scale(low - high, high - low)


def _part(weights: FloatArray, points: Sequence[Sequence[AtPriors]]) -> tuple[list[Point], float]:
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


def _sums(weights: FloatArray, samples: Sequence[AtPriors]) -> list[Linear]:
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


class AtPriors(NamedTuple):
    """A metric of one sample at both priors, with the degrees of freedom of variances.

    The errors of `values` apply if the priors are known. `slopes` are the derivatives of the values
    with respect to the prior, and `prior` is the prior of this sample, which is the one before
    (`place` 0) or after (1). `of_mix` are errors of the other sample, if it sets the mix.
    """

    values: Sequence[Linear]
    slopes: FloatArray
    prior: Linear
    df: float
    place: int
    of_mix: Sequence[Linear] = ()


def _prior_of(data: Data, *, is_known: bool) -> Linear:
    """The prior, whose error is 0 if it is known."""
    error = contributions_to_prior(data.rows)
    return Linear(float(data.prior), 0.0 * error if is_known else error, data.rows)


def _points(
    metric: Metric, pair: Pair, mixes: Sequence[Mixed], settings: Settings, drawn: bool
) -> tuple[list[Sequence[AtPriors]], tuple[str, ...]]:
    """Values of both samples, and of both with half rows; and what to warn of."""
    priors = [_prior_of(each, is_known=each.prior_is_known) for each in pair]
    if mixes:
        return list(zip(*(_of_mix(metric, mix, priors) for mix in mixes), strict=True)), ()
    of_samples, remarks = [], list[str]()
    for place, each in enumerate(pair):
        data = each if metric.facts.loss is not None else each._collapsed()
        if drawn and isinstance(data, ConfusionCurve):
            independent = settings._replace(seed=settings.seed + place)
            found, doubts = _from_draws(metric, data, place, priors, independent)
            remarks += [f"{('before', 'after')[place]}: {each}" for each in doubts]
        else:
            found = _from_influences(metric, data, place, priors)
        of_samples.append(found)
    before, after = of_samples
    points = itertools.zip_longest(before, after)  # a matrix without strata has one more
    return [(one or before[-1], other or after[-1]) for one, other in points], tuple(remarks)


def _from_influences(
    metric: Metric, data: Data, place: int, priors: Priors, split: Split | None = None
) -> list[AtPriors]:
    """Values with the errors of influences; `split` separates those of the mix of segments."""
    found = []
    for each in (data, *with_half_rows(data, linearise(metric, data).excess)):
        at = [each.at_prior(prior.value) for prior in priors]
        values, of_mix = [linearise(metric, one) for one in at], list[Linear]()
        if split is not None:
            values, of_mix = map(list, zip(*map(split, at), strict=True))
        own = _prior_of(each, is_known=data.prior_is_known)
        df = min(value.df for value in values)
        slopes = _slopes_of(metric, each, priors)
        found.append(AtPriors(values, slopes, own, df, place, of_mix))
    return found


def _from_draws(
    metric: Metric, curve: ConfusionCurve, place: int, priors: Priors, settings: Settings
) -> tuple[list[AtPriors], tuple[str, ...]]:
    """Each draw is an independent unit. The prior is a further unit, as draws have fixed priors."""
    ranking = linear_of_ranking(curve)
    half, df = with_half_rows(curve, ranking.excess)[0], ranking.df
    at = [curve.at_prior(prior.value) for prior in priors]
    drawn, remarks = draws_at_priors(metric, at, half, settings)
    error_of_prior = _prior_of(curve, is_known=curve.prior_is_known).standard_error
    units, found = Rows(np.empty(0, bool), np.empty(0)), []
    for each, draws in ((curve, drawn[:, 0]), (half, drawn[:, 1])):
        errors = (draws - draws.mean(axis=0)) / math.sqrt(len(draws) - 1)
        values = [
            Linear(metric._value(each.at_prior(prior.value)), np.append(error, 0.0), units)
            for prior, error in zip(priors, errors.T, strict=True)
        ]
        own = Linear(float(each.prior), np.append(0.0 * errors[:, 0], error_of_prior), units)
        found.append(AtPriors(values, _slopes_of(metric, each, priors), own, df, place))
    return found, remarks


def _slopes_of(metric: Metric, data: Data, priors: Priors) -> FloatArray:
    """Secants over the error of each prior: some metrics are step functions of the prior."""
    steps = [(data.at_prior(prior.value), prior.standard_error or None) for prior in priors]
    return np.array([slope_by_prior(metric, *step) for step in steps])


def _of_mix(metric: Metric, mix: Mixed, priors: Priors) -> list[AtPriors]:
    """Values of the sample, and of the sample with half a row more of each class."""
    if min(np.bincount(cell)[cell].min() for cell in mix.cells) < 2:
        raise ValueError("a class has a single row in a segment (stratum), which has no error")
    split = None if mix.place == mix.of_mix else partial(_within_and_between, metric, mix)
    return _from_influences(metric, mix.data, mix.place, priors, split)


def _within_and_between(metric: Metric, mix: Mixed, data: Data) -> tuple[Linear, Linear]:
    """Errors of the scores within cells, and errors of the mix of cells of the other sample.

    The influence of the share of a cell is the mean influence of its rows.
    """
    sample, other = data.rows, mix.samples[mix.of_mix]
    n_more = len(sample.score) - len(mix.cells[mix.place])
    cell = np.append(mix.cells[mix.place], 2 + np.max(mix.cells[0]) + np.arange(n_more))
    influence = influences(metric, data)
    weight, n = sample.row_weight * sample.counts, np.bincount(cell)
    mean = np.bincount(cell, weight * influence) / np.maximum(np.bincount(cell, weight), 1e-300)
    within = np.sqrt(n / np.maximum(n - 1, 1))[cell] * (influence - mean[cell])
    of_other = mean[mix.cells[mix.of_mix]]
    return (
        Linear(metric._value(data), contributions(sample, within), sample),
        Linear(0.0, np.append(contributions(other, of_other), np.zeros(n_more)), other),
    )
