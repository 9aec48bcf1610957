"""A metric of one sample at the priors of two samples, and its errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.rows import Rows
from calibrated_metrics.scores.metric import Data, Metric
from calibrated_metrics.uncertainty.bootstrap import draws_at_priors, linear_of_ranking
from calibrated_metrics.uncertainty.estimate import Settings
from calibrated_metrics.uncertainty.hull import with_half_rows
from calibrated_metrics.uncertainty.units import (
    Linear,
    contributions_to_prior,
    linearise,
    slope_by_prior,
)

__all__ = ["AtPriors", "Priors", "from_influences", "prior_of", "values_of"]

Priors: TypeAlias = Sequence[Linear]  # before and after
Split: TypeAlias = Callable[[Data], tuple[Linear, Linear]]  # into errors of scores and of a mix


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


def prior_of(data: Data, *, is_known: bool) -> Linear:
    """The prior, whose error is 0 if it is known."""
    error = contributions_to_prior(data.rows)
    return Linear(float(data.prior), 0.0 * error if is_known else error, data.rows)


def values_of(
    metric: Metric, data: Data, place: int, priors: Priors, settings: Settings, drawn: bool
) -> tuple[list[AtPriors], tuple[str, ...]]:
    """Values of the sample, and of the sample with half a row more of each class.

    Errors come from bootstrap draws or from influences. What to warn of is also returned.
    """
    data = data._collapsed()
    if drawn and isinstance(data, ConfusionCurve):
        return _from_draws(metric, data, place, priors, settings)
    return from_influences(metric, data, place, priors), ()


def from_influences(
    metric: Metric, data: Data, place: int, priors: Priors, split: Split | None = None
) -> list[AtPriors]:
    """Values with the errors of influences; `split` separates those of the mix of segments."""
    found = []
    for each in (data, *with_half_rows(data, linearise(metric, data).excess)):
        at = [each.at_prior(prior.value) for prior in priors]
        values, of_mix = [linearise(metric, one) for one in at], list[Linear]()
        if split is not None:
            values, of_mix = map(list, zip(*map(split, at), strict=True))
        own = prior_of(each, is_known=data.prior_is_known)
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
    drawn = draws_at_priors(metric, at, half, settings)
    error_of_prior = prior_of(curve, is_known=curve.prior_is_known).standard_error
    units, found = Rows(np.empty(0, bool), np.empty(0)), []
    for each, draws in ((curve, drawn.own), (half, drawn.others[:, 0])):
        errors = (draws - draws.mean(axis=0)) / math.sqrt(len(draws) - 1)
        values = [
            Linear(metric._value(each.at_prior(prior.value)), np.append(error, 0.0), units)
            for prior, error in zip(priors, errors.T, strict=True)
        ]
        own = Linear(float(each.prior), np.append(0.0 * errors[:, 0], error_of_prior), units)
        found.append(AtPriors(values, _slopes_of(metric, each, priors), own, df, place))
    return found, drawn.remarks


def _slopes_of(metric: Metric, data: Data, priors: Priors) -> FloatArray:
    """Secants over the error of each prior: some metrics are step functions of the prior."""
    steps = [(data.at_prior(prior.value), prior.standard_error or None) for prior in priors]
    return np.array([slope_by_prior(metric, *step) for step in steps])
