"""Scores as functions of the prior: their default priors and their crossings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import expit, logit

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray, RandomState
from calibrated_metrics._intervals.asked import Asked, ScoreLike, Settings
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.registry import THRESHOLD, Metric

__all__ = [
    "Sweep",
    "SweepCrossing",
    "ascending_priors",
    "crossings_of",
    "default_priors",
    "label_of",
    "settings_of",
]

_N_PRIORS = 41
_ROUNDING = 1e-12  # differences of scores below this are no lead


class SweepCrossing(NamedTuple):
    """A prior at which the better of two models changes.

    Attributes
    ----------
    first, second : str
        Names of the models.
    pi0 : float
        The prior at which both have the same score.
    value : float
        This score.
    """

    first: str
    second: str
    pi0: float
    value: float


class Sweep(NamedTuple):
    """A score of a curve as a function of the prior."""

    asked: Asked
    curve: ConfusionCurve

    def at(self, pi0: float) -> float:
        return self._value_of(self.curve.at_prior(pi0))

    def at_all(self, priors: FloatArray) -> FloatArray:
        return np.array([self.at(float(pi0)) for pi0 in priors])

    @property
    def own_value(self) -> float:
        return self._value_of(self.curve)

    def _value_of(self, curve: ConfusionCurve) -> float:
        if not self.asked.of_matrix:
            return self.asked.value_of(curve)
        return self.asked.value_of(curve.confusion_matrix(self.asked.required_threshold))


def settings_of(
    confidence_level: float | None, n_resamples: int, rng: RandomState
) -> Settings | None:
    if confidence_level is None:
        return None
    return Settings.of(confidence_level, "auto", n_resamples, rng)


def default_priors(curves: Iterable[ConfusionCurve]) -> FloatArray:
    own = [curve.prior for curve in curves]
    return np.geomspace(min(own) / 10, max(0.5, *own), _N_PRIORS)


def ascending_priors(pi0: ArrayLike) -> FloatArray:
    priors = _checks.priors("pi0", pi0)
    if not (np.diff(priors) > 0).all():
        raise ValueError(f"pi0 must ascend strictly, got {priors}")
    return priors


def crossings_of(
    sweeps: Mapping[str, Sweep], values: Mapping[str, FloatArray], priors: FloatArray
) -> list[SweepCrossing]:
    """Crossings of each pair of models, by ascending prior within a pair."""
    return [
        SweepCrossing(first, second, pi0, sweeps[first].at(pi0))
        for first, second in combinations(sweeps, 2)
        for pi0 in _equal_at(sweeps[first], sweeps[second], values[first] - values[second], priors)
    ]


def _equal_at(
    first: Sweep, second: Sweep, differences: FloatArray, priors: FloatArray
) -> list[float]:
    """Priors at which the difference changes its sign."""

    def difference(log_odds: float) -> float:
        pi0 = float(expit(log_odds))
        return first.at(pi0) - second.at(pi0)

    apart = np.flatnonzero(np.abs(differences) > _ROUNDING)
    changes = np.flatnonzero(np.diff(np.sign(differences[apart])))
    brackets = [logit(priors[apart[[change, change + 1]]]) for change in changes]
    return [float(expit(brentq(difference, *bracket, xtol=1e-9))) for bracket in brackets]


def label_of(score: ScoreLike, asked: Asked) -> str:
    if isinstance(score, Metric):
        return score.family
    if asked.of_matrix is None:  # not registered
        return asked.name
    options = dict(asked.options)
    if asked.threshold is not None:
        options[THRESHOLD] = asked.threshold
    return Metric(asked.name, options=options).family
