"""The prior of new rows, and metrics at this prior, under label shift."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from calibrated_metrics._checks import FloatArray
from calibrated_metrics._intervals.asked import Asked, Settings
from calibrated_metrics._intervals.curves import FEW, HEAVY
from calibrated_metrics._intervals.estimate import Estimate, inside
from calibrated_metrics._intervals.limits import LimitsAt, PercentileLimits, no_limits
from calibrated_metrics._intervals.problems import problem_of
from calibrated_metrics._intervals.results import answer_with_remarks
from calibrated_metrics._label_free.histograms import ProfileLimits
from calibrated_metrics._label_free.results import LabelFreeEstimate
from calibrated_metrics._label_free.samples import LabelShift
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.probabilities import check_calibration

__all__ = [
    "TARGET",
    "at_given_prior",
    "estimate_of_prior",
    "remarks_on",
]

_FEW_NEW = 5
"""Expected new rows of a class below which an interval may be too short."""


def estimate_of_prior(shift: LabelShift, method: str, settings: Settings) -> LabelFreeEstimate:
    """The prior of the new rows; `method` as in `label_free.estimate_prior`."""
    value = shift.prior if method == "bins" else shift.em_prior
    reason = _refutation(shift, calibrated=method == "em")
    draws = None
    if reason is None:
        draw = shift.drawn_priors if method == "bins" else shift.drawn_em_priors
        draws = draw(settings.n_resamples, settings.generator)
    parts = _parts(value, draws, settings, reason)
    if method == "bins":
        parts["method"] = "profile likelihood"
    if method == "bins" and reason is None:
        limits_at = ProfileLimits(shift.histograms)
        low, high = limits_at(settings.confidence_level)
        parts |= {"low": low, "high": high, "limits_at": limits_at}
    return LabelFreeEstimate(
        **parts,
        target="prior of the population that the new rows come from",
        fit=shift.test,
    )


def at_given_prior(
    score: Callable[[ConfusionCurve], float],
    shift: LabelShift,
    settings: Settings,
    prior: float | Estimate,
    target: str,
) -> tuple[LabelFreeEstimate, list[str]]:
    """The labelled metric at a prior that is known, or estimated independently of these rows.

    Returns
    -------
    LabelFreeEstimate, and what to warn of.
    """
    reason = _refutation(shift)
    usable: float | Estimate = prior
    if isinstance(prior, Estimate):
        reason = reason or prior.reason
        usable = prior if prior.reason is None else inside(float(prior.value))
    found, remarks = answer_with_remarks(usable, settings, problem_of(Asked.of(score), shift.curve))
    withheld = {"low": math.nan, "high": math.nan, "standard_error": math.nan}
    parts = {each.name: getattr(found, each.name) for each in dataclasses.fields(Estimate)}
    if reason is not None:
        parts |= {**withheld, "limits_at": no_limits, "reason": reason}
    return LabelFreeEstimate(**parts, target=target, fit=shift.test, prior=prior), remarks


TARGET = "metric of the population that the new rows come from, not its value on these rows"


def _parts(
    value: float, draws: FloatArray | None, settings: Settings, reason: str | None
) -> dict[str, Any]:
    """Attributes of an estimate from its draws; None withholds its interval."""
    limits_at: LimitsAt = no_limits if draws is None else PercentileLimits(draws)
    low, high = limits_at(settings.confidence_level)
    return {
        "value": value,
        "low": low,
        "high": high,
        "standard_error": math.nan if draws is None else float(draws.std(ddof=1)),
        "confidence_level": settings.confidence_level,
        "method": "joint bootstrap",
        "reason": reason,
        "limits_at": limits_at,
    }


def _refutation(shift: LabelShift, *, calibrated: bool = False) -> str | None:
    """Why an interval would be wrong; None if the scores show no reason."""
    if shift.test.refuted:
        return (
            f"{shift.test.verdict}: the distribution of the scores of a class changed, not only "
            "the prior"
        )
    if calibrated:
        check = check_calibration(shift.positive, shift.scores, n_resamples=_CALIBRATION_DRAWS)
        if not check.trusted:
            return f"the labelled rows refute calibration: {check.message}"
    return None


_CALIBRATION_DRAWS = 199


def _lower_limit(prior: Estimate | float | None) -> float:
    """Lower limit of a prior estimated from the new rows; NaN for any other."""
    return float(prior.low) if isinstance(prior, LabelFreeEstimate) else math.nan


def remarks_on(shift: LabelShift, prior: float, found: LabelFreeEstimate) -> list[str]:
    """What makes an interval void or doubtful, at an estimate of the prior."""
    reason, lowest = found.reason, _lower_limit(found.prior)
    remarks = []
    if reason is not None:
        remarks.append(f"no interval: {reason}")
    elif shift.test.df < 1:
        remarks.append(shift.test.verdict)
    expected = len(shift.new) * min(prior, 1 - prior)
    if reason is None and expected < _FEW_NEW:
        remarks.append(
            f"the new rows are expected to hold {expected:.2g} rows of a class, fewer than "
            f"{_FEW_NEW}: the interval may be too short"
        )
    n_pos, n_neg = shift.curve.n_pos, shift.curve.n_neg
    weight = math.inf if lowest == 0 else (1 - lowest) / lowest * n_pos / n_neg
    if weight > HEAVY and n_pos < FEW:
        remarks.append(
            f"at the lower limit {lowest:.2g} of the prior one labelled negative weighs as much as "
            f"{weight:.3g} positives and there are {n_pos:g} positives: the metric is biased "
            "upwards there and its lower limit may be too high; more labelled negatives, or at "
            f"least {FEW} positives, are needed"
        )
    return remarks
