"""Intervals of scores of a curve: a method for each score, and the bootstrap for the others."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrated_metrics import scores
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._intervals import influence as influences
from calibrated_metrics._intervals.asked import Asked, Settings
from calibrated_metrics._intervals.draws import values_of_draws
from calibrated_metrics._intervals.influence import Influence, Steps
from calibrated_metrics._intervals.limits import (
    LimitsAt,
    NewcombeLimits,
    TLimits,
    newcombe_variance,
    no_limits,
)
from calibrated_metrics._intervals.results import PriorError, Result, with_error_of_prior
from calibrated_metrics._intervals.samples import Information, RowSample, Sample
from calibrated_metrics._thresholds.certification import Ranking, fixed_sequence
from calibrated_metrics.confusion import ConfusionCurve

__all__ = ["OfCurve"]


@dataclass(frozen=True, eq=False)
class OfCurve:
    """A score of a curve."""

    asked: Asked
    sample: Sample

    def result(
        self, pi0: float | None, settings: Settings, prior: PriorError | None = None
    ) -> Result:
        pi0 = self.asked.prior(pi0, self.sample.curve.prior)
        if self.asked.function is scores.prg_auc and (why := _why_no_gain(self.sample, pi0)):
            value = self.asked.value_of(self.sample.curve.at_prior(pi0))
            return Result(value, math.nan, no_limits, "influence", reason=why)
        method = None if settings.method == "bootstrap" else _METHODS.get(self.asked.function)
        result = (method or _bootstrap)(self.asked, self.sample, pi0, settings)
        if prior is None or self.asked.function is scores.roc_auc:
            return result
        return with_error_of_prior(result, self.value_at, prior, self.asked.scale)

    def value_at(self, pi0: float | None) -> float:
        curve = self.sample.curve
        return self.asked.value_of(curve.at_prior(self.asked.prior(pi0, curve.prior)))


def _average_precision(asked: Asked, sample: Sample, pi0: float, settings: Settings) -> Result:
    """Union of the logit intervals at the curve and at half a negative more on top of it."""
    curve = sample.curve.at_prior(pi0)
    steps, odds_against = Steps.of(curve), curve.n_neg / curve.n_pos
    value, influence = influences.average_precision(steps, odds_against)
    information = sample.information(influence)
    shifted, influence_of_shifted = influences.average_precision(
        steps, odds_against, 0.5 / information.n_neg
    )
    standard_error = math.sqrt(sample.variance(influence))
    scale = asked.scale
    centres = (
        scale.centre(value, standard_error),
        scale.centre(shifted, math.sqrt(sample.variance(influence_of_shifted))),
    )
    return Result(
        asked.value_of(curve),
        standard_error,
        TLimits(scale, centres, centres, information.df),
        "hull",
        _remarks(curve, information, value, shifted, standard_error),
        contributions=_of_rows(sample, influence),
    )


def _roc_auc(asked: Asked, sample: Sample, pi0: float, settings: Settings) -> Result:
    """Newcombe's method 5 with its variance scaled to that of DeLong.

    The variance of method 5 assumes a distribution of the scores; DeLong's does not, but it is
    unreliable if positives are few, most of all if it is small. A ratio below 1 is shrunk to 1.
    """
    value, influence = influences.roc_auc(Steps.of(sample.curve))
    n_pos, n_neg, df = sample.information(influence)
    variance = sample.variance(influence)
    factor = 1.0
    if 0 < value < 1 and 0 < variance < math.inf:
        factor = variance / newcombe_variance(value, n_pos, n_neg)
        factor = max(factor, factor ** (n_pos / (n_pos + _SHRINKAGE)))
    return Result(
        asked.value_of(sample.curve.at_prior(pi0)),
        math.sqrt(variance),
        NewcombeLimits(value, n_pos, n_neg, factor, df),
        "newcombe",
        contributions=_of_rows(sample, influence),
    )


_SHRINKAGE = 30  # positives at which the ratio of variances counts half


def _prg_auc(asked: Asked, sample: Sample, pi0: float, settings: Settings) -> Result:
    curve = sample.curve.at_prior(pi0)
    _, influence = influences.prg_auc(Steps.of(curve), curve.prior)
    standard_error = math.sqrt(sample.variance(influence))
    value = asked.value_of(curve)
    centres = (asked.scale.centre(value, standard_error),)
    df = sample.information(influence).df
    return Result(
        value,
        standard_error,
        TLimits(asked.scale, centres, centres, df),
        "influence",
        contributions=_of_rows(sample, influence),
    )


def _why_no_gain(sample: Sample, pi0: float) -> str | None:
    """Why AUC-PR Gain has no valid interval, by any method; None if it has one."""
    curve = sample.curve.at_prior(pi0)
    n_pos, n_neg, _ = sample.information(influences.prg_auc(Steps.of(curve), curve.prior)[1])
    weight = _weight_of_a_negative(curve, n_pos, n_neg)
    if n_pos * pi0 >= 1 - _ROUNDING and weight <= 1 + _ROUNDING:
        return None
    return (
        f"AUC-PR Gain at pi0={pi0:.4g} needs n_pos * pi0 >= 1 and a negative that weighs at most "
        f"as much as a positive, got n_pos={n_pos:.6g} and the weight {weight:.3g}"
    )


def _weight_of_a_negative(curve: ConfusionCurve, n_pos: float, n_neg: float) -> float:
    """How many positives one negative weighs as much as."""
    return curve.n_neg / curve.n_pos * n_pos / n_neg


def _best_fbeta(asked: Asked, sample: Sample, pi0: float, settings: Settings) -> Result:
    """Limits of the maximum with half a sample less, and without the bootstrap's bias."""
    curve = sample.curve.at_prior(pi0)
    beta = asked.options.get("beta", 1.0)
    steps, odds_against = Steps.of(curve), curve.n_neg / curve.n_pos
    value, influence = influences.best_fbeta(steps, odds_against, beta)
    n_pos, n_neg, df = sample.information(influence)
    shifted = influences.best_fbeta(
        steps._replace(tpr=steps.tpr - 0.5 / n_pos, fpr=steps.fpr + 0.5 / n_neg),
        odds_against,
        beta,
    )[0]
    draws, undefined = _draws(asked, sample, pi0, settings)
    most = (1 + beta**2) * (1 - 0.5 / n_pos) / (1 - 0.5 / n_pos + beta**2)
    scale = asked.scale
    on_scale = scale.forward(np.minimum(draws, most))
    spread, centre = float(np.nanstd(on_scale, ddof=1)), float(scale.forward(min(value, most)))
    bias = max(float(np.nanmean(on_scale)) - centre, 0.0)
    lower = (float(scale.forward(shifted)) - bias, spread)
    upper = (centre, spread if value < 1 else math.inf)
    standard_error = float(np.nanstd(draws, ddof=1))
    return Result(
        asked.value_of(curve),
        standard_error,
        TLimits(scale, (lower,), (upper,), df),
        "max_h",
        _remarks(curve, sample.information(influence), value, shifted, standard_error) + undefined,
        draws=draws,
    )


def _bootstrap(asked: Asked, sample: Sample, pi0: float, settings: Settings) -> Result:
    """Union of the t intervals at the curve and at half a negative more on top of it."""
    curve = sample.curve.at_prior(pi0)
    value = asked.value_of(curve)
    information = sample.information(influences.average_precision(Steps.of(curve), 1.0)[1])
    shifted = asked.value_of(_with_half_a_negative_more(curve, information.n_neg))
    draws, undefined = _draws(asked, sample, pi0, settings)
    standard_error = float(np.nanstd(draws, ddof=1))
    scale = asked.scale_at(curve.prior)
    centres = scale.centre(value, standard_error), scale.centre(shifted, standard_error)
    return Result(
        value,
        standard_error,
        TLimits(scale, centres, centres, information.df),
        "bootstrap",
        _remarks(curve, information, value, shifted, standard_error) + undefined,
        draws=draws,
    )


def _recall_at_precision(asked: Asked, sample: Sample, pi0: float, settings: Settings) -> Result:
    """The bootstrap, with the lower limit 0 unless the precision is certainly reached."""
    result = _bootstrap(asked, sample, pi0, settings)
    precision = asked.options["precision"]
    odds = precision * (1 - pi0) / (pi0 * (1 - precision)) if precision < 1 else math.inf
    return result._replace(limits_at=_ReachedLimits(result.limits_at, _ranking_of(sample), odds))


@dataclass(frozen=True, eq=False)
class _ReachedLimits:
    """Limits with the lower one at 0 unless a test shows that some threshold has these odds.

    On a sample, the maximum over thresholds can be far above 0 although no threshold of the
    population reaches the precision.
    """

    limits_at: LimitsAt
    ranking: Ranking | None
    odds: float

    def __call__(self, level: float) -> tuple[float, float]:
        low, high = self.limits_at(level)
        if self.ranking is None or math.isinf(self.odds):
            return 0.0, high
        reached = fixed_sequence(self.ranking, self.odds, (1 - level) / 2).loosest is not None
        return (low if reached else 0.0), high


def _ranking_of(sample: Sample) -> Ranking | None:
    """Counts of independent rows; None with groups or weights, for which there is no test."""
    if isinstance(sample, RowSample) and (sample.group is not None or (sample.weight != 1).any()):
        return None
    try:
        return Ranking.of(sample.curve._vertices.source)
    except ValueError:
        return None


def _of_rows(sample: Sample, influence: Influence) -> FloatArray | None:
    return sample.contributions(influence) if isinstance(sample, RowSample) else None


_METHODS: dict[Callable[..., Any], Callable[..., Result]] = {
    scores.average_precision: _average_precision,
    scores.roc_auc: _roc_auc,
    scores.prg_auc: _prg_auc,
    scores.best_fbeta: _best_fbeta,
    scores.recall_at_precision: _recall_at_precision,
}
"""Methods for scores of a curve; the bootstrap for the others."""


def _with_half_a_negative_more(curve: ConfusionCurve, n_neg: float) -> ConfusionCurve:
    """The curve with the false positive rate raised by half a negative at every threshold."""
    own = curve.uncalibrated
    fp = np.minimum(own.fp + 0.5 * own.n_neg / n_neg, own.n_neg)
    fp[0] = 0.0
    return ConfusionCurve(own.thresholds, own.tp, fp).at_prior(curve.prior)


def _draws(
    asked: Asked, sample: Sample, pi0: float, settings: Settings
) -> tuple[FloatArray, tuple[str, ...]]:
    """Values of bootstrap draws, NaN where the score is undefined, and what to warn of."""
    draw = functools.partial(sample.draw, pi0, settings.generator)
    return values_of_draws(asked.value_of, draw, settings.n_resamples, "the data")


_HEAVY, _FEW = 20, 160
_OPTIMISM = 0.8
_ROUNDING = 1e-9


def _remarks(
    curve: ConfusionCurve,
    information: Information,
    value: float,
    shifted: float,
    standard_error: float,
) -> tuple[str, ...]:
    """Warnings where the estimate is known to be biased upwards."""
    n_pos, n_neg, _ = information
    weight = _weight_of_a_negative(curve, n_pos, n_neg)
    if min(n_pos, n_neg) <= 1:
        return (
            f"a standard error needs at least two samples of each class, got n_pos={n_pos:.6g} "
            f"and n_neg={n_neg:.6g}: the interval is the whole range of the score",
        )
    if weight > _HEAVY and n_pos < _FEW:
        return (
            f"at pi0={curve.prior:.4g} one negative weighs as much as {weight:.3g} positives and "
            f"n_pos={n_pos:.6g}: the estimate is biased upwards and the interval may miss the "
            f"true value; more negatives, or at least {_FEW} positives, are needed",
        )
    if value - shifted > max(_OPTIMISM * standard_error, _ROUNDING):
        return (
            f"half a negative more at the top lowers the estimate from {value:.4g} to "
            f"{shifted:.4g}, by more than {_OPTIMISM} standard errors ({standard_error:.2g}): the "
            "estimate is biased upwards and the interval may miss the true value",
        )
    return ()
