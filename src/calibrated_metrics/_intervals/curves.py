"""Intervals of scores of a curve: a method for each score, and the bootstrap for the others."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from calibrated_metrics import scores
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._intervals import influence as influences
from calibrated_metrics._intervals.asked import Asked, Settings
from calibrated_metrics._intervals.draws import values_of_draws
from calibrated_metrics._intervals.influence import Influence, Steps, largest_fbeta
from calibrated_metrics._intervals.limits import (
    LimitsAt,
    NewcombeLimits,
    Scale,
    TLimits,
    newcombe_variance,
    no_limits,
)
from calibrated_metrics._intervals.results import (
    AtPriors,
    PriorError,
    Result,
    with_error_of_prior,
)
from calibrated_metrics._intervals.samples import CurveSample, Drawn, Information, RowSample
from calibrated_metrics._thresholds.certification import Ranking, fixed_sequence
from calibrated_metrics.confusion import ConfusionCurve

__all__ = ["FEW", "HEAVY", "OfCurve"]


@dataclass(frozen=True, eq=False)
class OfCurve:
    """A score of a curve."""

    asked: Asked
    sample: Drawn

    def result(
        self, pi0: float | None, settings: Settings, prior: PriorError | None = None
    ) -> Result:
        result = self.weighted(
            AtPriors.one(self.asked.prior(pi0, self.sample.curve.prior)), settings
        )
        no_error = self.asked.function is scores.roc_auc or result.reason is not None
        if prior is None or no_error:
            return result
        return with_error_of_prior(result, self.value_at, prior, self.asked.scale)

    def weighted(self, at: AtPriors, settings: Settings) -> Result:
        if self.asked.function is scores.prg_auc:
            for pi0 in at.priors:
                if why := _why_no_gain(self.sample, pi0):
                    value = at.sum(self.value_at(each) for each in at.priors)
                    return Result(value, math.nan, no_limits, "influence", reason=why)
        method = None if settings.method == "bootstrap" else _METHODS.get(self.asked.function)
        return (method or _bootstrap)(self.asked, self.sample, at, settings)

    def value_at(self, pi0: float | None) -> float:
        curve = self.sample.curve
        return self.asked.value_of(curve.at_prior(self.asked.prior(pi0, curve.prior)))


def _average_precision(asked: Asked, sample: Drawn, at: AtPriors, settings: Settings) -> Result:
    """Union of the logit intervals at the curve and at half a negative more on top of it."""
    curves = [sample.curve.at_prior(pi0) for pi0 in at.priors]
    steps, odds_against = Steps.of(sample.curve), [each.n_neg / each.n_pos for each in curves]
    parts = [influences.average_precision(steps, odds) for odds in odds_against]
    values, parts_of_influence = zip(*parts, strict=True)
    influence = _weighted(at, parts_of_influence)
    information = sample.information(influence)
    half = 0.5 / information.n_neg
    parts = [influences.average_precision(steps, odds, half) for odds in odds_against]
    shifted, parts_of_shifted = zip(*parts, strict=True)
    standard_error = math.sqrt(sample.variance(influence))
    scale = at.scale(asked)
    centres = (
        scale.centre(at.sum(values), standard_error),
        scale.centre(at.sum(shifted), math.sqrt(sample.variance(_weighted(at, parts_of_shifted)))),
    )
    errors = [standard_error]
    if len(curves) > 1:
        errors = [math.sqrt(sample.variance(each)) for each in parts_of_influence]
    return Result(
        at.sum(map(asked.value_of, curves)),
        standard_error,
        TLimits(scale, centres, centres, information.df),
        "hull",
        _remarks(curves, information, values, shifted, errors),
        contributions=_of_rows(sample, influence),
    )


def _without_spread(
    at: AtPriors, value: float, standard_error: float, scale: Scale
) -> tuple[str, ...]:
    """A warning if the data say that the estimate has no error, which they cannot know."""
    is_difference = sum(at.weights) == 0  # of two priors, at which a score may be the same
    if is_difference or standard_error > _ROUNDING * abs(value):
        return ()
    if not scale.low < value < scale.high:  # the interval is the whole range
        return ()
    return (
        f"the standard error of the estimate {value:.4g} is 0: the sample holds no information "
        "about its error, and the interval may miss the true value",
    )


def _weighted(at: AtPriors, parts: Sequence[Influence]) -> Influence:
    if at.weights == (1.0,):
        return parts[0]
    return Influence(at.sum(each.pos for each in parts), at.sum(each.neg for each in parts))


def _roc_auc(asked: Asked, sample: Drawn, at: AtPriors, settings: Settings) -> Result:
    """Newcombe's method 5 with its variance scaled to that of DeLong.

    The variance of method 5 assumes a distribution of the scores; DeLong's does not, but it is
    unreliable if positives are few, most of all if it is small. A ratio below 1 is shrunk to 1.
    AUC-ROC is the same at every prior.
    """
    if sum(at.weights) == 0:
        return Result(0.0, 0.0, _zero_limits, "newcombe")
    value, influence = influences.roc_auc(Steps.of(sample.curve))
    n_pos, n_neg, _ = sample.information(influence)
    variance = sample.variance(influence)
    factor = 1.0
    if 0 < value < 1 and 0 < variance < math.inf:
        factor = variance / newcombe_variance(value, n_pos, n_neg)
        fewer = min(n_pos, n_neg)
        factor = max(factor, factor ** (fewer / (fewer + _SHRINKAGE)))
    df = sample.df_of_rarer_class
    return Result(
        asked.value_of(sample.curve.at_prior(at.priors[0])),
        math.sqrt(variance),
        NewcombeLimits(value, n_pos, n_neg, factor, df),
        "newcombe",
        contributions=_of_rows(sample, influence),
    )


def _zero_limits(level: float) -> tuple[float, float]:
    return 0.0, 0.0


_SHRINKAGE = 30  # rows of the rarer class at which the ratio of variances counts half


def _prg_auc(asked: Asked, sample: Drawn, at: AtPriors, settings: Settings) -> Result:
    curves = [sample.curve.at_prior(pi0) for pi0 in at.priors]
    steps = Steps.of(sample.curve)
    influence = _weighted(at, [influences.prg_auc(steps, each.prior)[1] for each in curves])
    standard_error = math.sqrt(sample.variance(influence))
    value = at.sum(map(asked.value_of, curves))
    scale = at.scale(asked)
    centres = (scale.centre(value, standard_error),)
    n_pos, _, df = sample.information(influence)
    return Result(
        value,
        standard_error,
        TLimits(scale, centres, centres, df),
        "influence",
        _remarks_on_gain(n_pos, at.priors) or _without_spread(at, value, standard_error, scale),
        contributions=_of_rows(sample, influence),
    )


def _remarks_on_gain(n_pos: float, priors: Sequence[float]) -> tuple[str, ...]:
    """A warning if the end of the curve, where recall is `pi0`, depends on few positives."""
    pi0 = min(priors)
    if n_pos * pi0 >= _FEW_UP_TO_PRIOR - _ROUNDING:
        return ()
    return (
        f"AUC-PR Gain at pi0={pi0:.4g} starts at recall pi0, whose position depends on only "
        f"n_pos * pi0 = {n_pos * pi0:.3g} positives; with fewer than {_FEW_UP_TO_PRIOR}, 95 % "
        "intervals covered 86 to 98 % in simulations",
    )


_FEW_UP_TO_PRIOR = 10


def _why_no_gain(sample: Drawn, pi0: float) -> str | None:
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


def _best_fbeta(asked: Asked, sample: Drawn, at: AtPriors, settings: Settings) -> Result:
    """Limits of the maximum with half a sample less, and without the bootstrap's bias."""
    if at.weights != (1.0,):  # the maxima of a sum are at different thresholds
        return _bootstrap(asked, sample, at, settings)
    curve = sample.curve.at_prior(at.priors[0])
    beta = asked.options.get("beta", 1.0)
    steps, odds_against = Steps.of(curve), curve.n_neg / curve.n_pos
    value, influence = influences.best_fbeta(steps, odds_against, beta)
    n_pos, n_neg, df = sample.information(influence)
    shifted = influences.best_fbeta(
        steps._replace(tpr=steps.tpr - 0.5 / n_pos, fpr=steps.fpr + 0.5 / n_neg),
        odds_against,
        beta,
    )[0]
    draws, undefined = _draws_of_best_fbeta(asked, sample, at, settings)
    most = (1 + beta**2) * (1 - 0.5 / n_pos) / (1 - 0.5 / n_pos + beta**2)
    scale = asked.scale
    on_scale = scale.forward(np.minimum(draws, most))
    spread, centre = float(np.nanstd(on_scale, ddof=1)), float(scale.forward(min(value, most)))
    bias = max(float(np.nanmean(on_scale)) - centre, 0.0)
    lower = (float(scale.forward(shifted)) - bias, spread)
    # The maximum may be cut off, but the interval contains the estimate.
    upper = (centre, spread if value < 1 else math.inf), (float(scale.forward(value)), 0.0)
    standard_error = float(np.nanstd(draws, ddof=1))
    return Result(
        asked.value_of(curve),
        standard_error,
        TLimits(scale, (lower,), upper, df),
        "max_h",
        _remarks([curve], sample.information(influence), [value], [shifted], [standard_error])
        + undefined,
        draws=draws,
    )


def _bootstrap(asked: Asked, sample: Drawn, at: AtPriors, settings: Settings) -> Result:
    """Union of the t intervals at the curve and at half a negative more on top of it."""
    curves = [sample.curve.at_prior(pi0) for pi0 in at.priors]
    values = [asked.value_of(each) for each in curves]
    information = sample.information(influences.average_precision(Steps.of(curves[0]), 1.0)[1])
    shifted = [
        asked.value_of(_with_half_a_negative_more(each, information.n_neg)) for each in curves
    ]
    draws, errors, undefined = _draws(asked, sample, at, settings)
    standard_error = float(np.nanstd(draws, ddof=1))
    value, scale = at.sum(values), at.scale(asked)
    centres = (
        scale.centre(value, standard_error),
        scale.centre(at.sum(shifted), standard_error),
    )
    remarks = _remarks(curves, information, values, shifted, errors.tolist())
    remarks = remarks or _without_spread(at, value, standard_error, scale)
    return Result(
        value,
        standard_error,
        TLimits(scale, centres, centres, information.df),
        "bootstrap",
        remarks + undefined,
        draws=draws,
    )


def _recall_at_precision(asked: Asked, sample: Drawn, at: AtPriors, settings: Settings) -> Result:
    """The bootstrap, with the lower limit 0 unless the precision is certainly reached."""
    result = _bootstrap(asked, sample, at, settings)
    precision, lowest = asked.options["precision"], min(at.priors)
    odds = precision * (1 - lowest) / (lowest * (1 - precision)) if precision < 1 else math.inf
    return result._replace(
        limits_at=_ReachedLimits(result.limits_at, _ranking_of(sample), odds, at.scale(asked))
    )


@dataclass(frozen=True, eq=False)
class _ReachedLimits:
    """Limits that include a recall of 0 unless a test shows that some threshold has these odds.

    On a sample, the maximum over thresholds can be far above 0 although no threshold of the
    population reaches the precision.
    """

    limits_at: LimitsAt
    ranking: Ranking | None
    odds: float
    scale: Scale

    def __call__(self, level: float) -> tuple[float, float]:
        low, high = self.limits_at(level)
        if self._is_reached((1 - level) / 2):
            return low, high
        # In a difference of two priors, a recall of 0 can also be the one that is subtracted.
        return self.scale.low, high if self.scale.low == 0 else self.scale.high

    def _is_reached(self, alpha: float) -> bool:
        if self.ranking is None or math.isinf(self.odds):
            return False
        return fixed_sequence(self.ranking, self.odds, alpha).loosest is not None


def _ranking_of(sample: Drawn) -> Ranking | None:
    """Counts of independent rows; None with groups or weights, for which there is no test."""
    if isinstance(sample, RowSample) and (sample.group is not None or (sample.weight != 1).any()):
        return None
    try:
        return Ranking.of(sample.curve)
    except ValueError:
        return None


def _of_rows(sample: Drawn, influence: Influence) -> FloatArray | None:
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
    own = curve.counted
    fp = np.minimum(own.fp + 0.5 * own.n_neg / n_neg, own.n_neg)
    fp[0] = 0.0
    return ConfusionCurve(own.thresholds, own.tp, fp).at_prior(curve.prior)


class _Draws(NamedTuple):
    """Values of bootstrap draws, NaN where the score is undefined, and what to warn of."""

    values: FloatArray
    standard_errors: FloatArray  # of the score at each prior
    remarks: tuple[str, ...]


def _draws(asked: Asked, sample: Drawn, at: AtPriors, settings: Settings) -> _Draws:
    at_priors = []

    def value_of(draw: ConfusionCurve) -> float:
        at_priors.append([asked.value_of(draw.at_prior(pi0)) for pi0 in at.priors])
        return float(at.sum(at_priors[-1]))

    draw = functools.partial(sample.draw, at.priors[0], settings.generator)
    values, remarks = values_of_draws(value_of, draw, settings.n_resamples, "the data")
    return _Draws(values, np.std(at_priors, axis=0, ddof=1), remarks)


def _draws_of_best_fbeta(
    asked: Asked, sample: Drawn, at: AtPriors, settings: Settings
) -> tuple[FloatArray, tuple[str, ...]]:
    """As `_draws`, with many draws at once if the rows need no weights and no groups."""
    if not isinstance(sample, CurveSample):
        draws = _draws(asked, sample, at, settings)
        return draws.values, draws.remarks
    (pi0,), beta = at.priors, asked.options.get("beta", 1.0)
    drawn = sample.draw_rates(settings.n_resamples, settings.generator)
    return np.concatenate([largest_fbeta(*rates, (1 - pi0) / pi0, beta) for rates in drawn]), ()


HEAVY, FEW = 20, 160
"""An estimate is biased upwards if a negative weighs more positives, and positives are fewer."""
_OPTIMISM = 0.8
_ROUNDING = 1e-9


def _remarks(
    curves: Sequence[ConfusionCurve],
    information: Information,
    values: Sequence[float],
    shifted: Sequence[float],
    standard_errors: Sequence[float],
) -> tuple[str, ...]:
    """Warnings for each prior at which the estimate is known to be biased upwards."""
    of_priors = zip(curves, values, shifted, standard_errors, strict=True)
    found = (_remark(each, information, *numbers) for each, *numbers in of_priors)
    return tuple(dict.fromkeys(remark for remark in found if remark is not None))


def _remark(
    curve: ConfusionCurve,
    information: Information,
    value: float,
    shifted: float,
    standard_error: float,
) -> str | None:
    n_pos, n_neg, _ = information
    weight = _weight_of_a_negative(curve, n_pos, n_neg)
    if min(n_pos, n_neg) <= 1:
        return (
            f"a standard error needs at least two samples of each class, got n_pos={n_pos:.6g} "
            f"and n_neg={n_neg:.6g}: the interval is the whole range of the score"
        )
    if weight > HEAVY and n_pos < FEW:
        return (
            f"at pi0={curve.prior:.4g} one negative weighs as much as {weight:.3g} positives and "
            f"n_pos={n_pos:.6g}: the estimate is biased upwards and the interval may miss the "
            f"true value; more negatives, or at least {FEW} positives, are needed"
        )
    if value - shifted > max(_OPTIMISM * standard_error, _ROUNDING):
        return (
            f"the interval at pi0={curve.prior:.4g} is unreliable: half a negative more at the top "
            f"of the ranking lowers the estimate from {value:.4g} to {shifted:.4g}, by more than "
            f"{_OPTIMISM} standard errors ({standard_error:.2g}): the estimate is biased upwards "
            "and the interval may miss the true value; more negatives are needed"
        )
    return None
