"""What a sample must reach: a width, a difference from another model, or a certificate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from calibrated_metrics import _numbers
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.planning.populations import PilotPopulation, numbers_of_positives
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.thresholds import choose_threshold
from calibrated_metrics.uncertainty.difference import difference_of
from calibrated_metrics.uncertainty.estimate import Estimate, Settings, withheld
from calibrated_metrics.uncertainty.interval import estimate

__all__ = ["Goal", "check_goals", "check_width", "rows_of_certificate"]

_DRAWS = 100  # of a bootstrap
_MET_WITHOUT_MODEL = {  # constraints that hold if all rows are predicted so
    "positive": {"min_recall"},
    "negative": {"max_alert_rate", "min_specificity", "max_fpr"},
}
_CONSTRAINTS = {"min_precision", "min_npv"}.union(*_MET_WITHOUT_MODEL.values())


class Goal(NamedTuple):
    """Goal for a sample: an interval of a given width, a difference, or a certificate."""

    metric: Metric | None
    populations: list[PilotPopulation]
    width: float | None
    difference: float
    certify: Mapping[str, float] | None
    correlation: float | None
    pi0: float | None
    level: float

    def factor(self, n_pos: int, n_neg: int, generator: Generator) -> float:
        """By how much √n must grow for a sample to reach the goal, at most 1 if it does.

        Its error is assumed to fall with √n. The factor is 0 or infinite for a certificate, and
        infinite for an interval that is withheld.
        """
        curves = self.curves(n_pos, n_neg, generator)
        if self.metric is None:
            goal: dict[str, Any] = {"pi0": self.pi0, "rng": generator, **(self.certify or {})}
            chosen = choose_threshold(curves[0], confidence_level=self.level, **goal)
            return 0.0 if chosen.certified else math.inf
        settings = Settings(self.level)
        if self.takes_draws:
            settings = Settings(self.level, None, _DRAWS, int(generator.integers(2**63)))
        if self.width is not None:
            found = _if_defined(estimate, self.metric, *curves, None, settings)
            return math.inf if found.reason else float(found.high - found.low) / self.width
        is_paired = self.correlation is not None
        found = _if_defined(difference_of, self.metric, *curves, None, is_paired, settings)
        limit = float(found.low if self.difference > 0 else found.high)
        return math.inf if found.reason else 1 - limit / self.difference

    @property
    def takes_draws(self) -> bool:
        """Whether the error of the metric comes from bootstrap draws."""
        return self.metric is not None and self.metric.facts.interval not in ("hull", "rates")

    def curves(self, n_pos: int, n_neg: int, generator: Generator) -> list[ConfusionCurve]:
        """A sample for each model."""
        one, other = generator.normal(size=(2, n_pos + n_neg))
        numbers = numbers_of_positives(n_pos, n_neg, self.pi0, generator)
        r = self.correlation or 0.0
        normals = one, r * one + math.sqrt(1 - r**2) * other
        if self.correlation is not None:
            numbers[1] = numbers[0]  # the models predict the same rows
        samples = zip(self.populations, normals, numbers, strict=False)
        return [population.draw(*each) for population, *each in samples]


def _if_defined(function: Callable[..., Estimate], *arguments: Any) -> Estimate:
    """An estimate; it is withheld if the metric is undefined on a sample (0/0)."""
    try:
        return function(*arguments)
    except ValueError as error:
        return withheld(math.nan, 0.95, "simulation", str(error))


def check_goals(metric: Any, goals: Mapping[str, Any], correlation: float | None) -> None:
    certify, given = goals["certify"], {name for name, goal in goals.items() if goal is not None}
    if certify is not None and not (isinstance(certify, Mapping) and set(certify) <= _CONSTRAINTS):
        allowed = ", ".join(sorted(_CONSTRAINTS))
        raise ValueError(f"certify must be a mapping of {allowed}, got {certify!r}")
    if len(given) != 1 or (metric is None) != ("certify" in given):
        raise ValueError(
            "a metric with width or difference, or metric=None with certify, must be given, got "
            f"metric={metric!r} and {' and '.join(sorted(given)) or 'no goal'}"
        )
    for label, met in _MET_WITHOUT_MODEL.items():
        if certify and set(certify) <= met:
            others = ", ".join(sorted(_CONSTRAINTS - met))
            raise ValueError(
                f"certify={dict(certify)} is met by calling all rows {label}, whatever the model: "
                f"add one of {others}"
            )
    r = _numbers.real_number("correlation", correlation or 0.0)
    if not -1 < r < 1 or (r and "difference" not in given):
        raise ValueError(f"correlation must lie in (-1, 1), and needs difference, got {r}")


def check_width(width: float, metric: Metric | None) -> None:
    assert metric is not None
    low, high = metric.facts.range
    if not _numbers.positive_number("width", width) < high - low:
        raise ValueError(
            f"width must be less than {high - low:g}, the range of the metric, got {width}"
        )


def rows_of_certificate(
    population: ConfusionCurve, pi0: float | None, certify: Mapping[str, float], quantile: float
) -> float:
    """About how many rows certify a threshold; ValueError if no threshold meets the constraints.

    At the threshold that needs the fewest rows, each share differs from its limit by at least
    `quantile` times its standard error.
    """
    at = population.at_prior(pi0 or population.prior)
    tpr, fpr, tiny = at.tp[1:] / at.n_pos, at.fp[1:] / at.n_neg, np.finfo(np.float64).tiny
    prior, alerts = population.prior, at.prior * tpr + (1 - at.prior) * fpr

    def predictive(right: FloatArray, wrong: FloatArray, of_right: float, own: float) -> Any:
        """Precision, or that of negatives, from rates of classes with these priors."""
        true, false = of_right * right, (1 - of_right) * wrong
        share = true / np.maximum(true + false, tiny)
        rare = 1 / np.maximum(own * right, tiny) + 1 / np.maximum((1 - own) * wrong, tiny)
        return share, (share * (1 - share)) ** 2 * rare

    shares = {  # with n times their variance
        "min_precision": predictive(tpr, fpr, at.prior, prior),
        "min_npv": predictive(1 - fpr, 1 - tpr, 1 - at.prior, 1 - prior),
        "min_recall": (tpr, tpr * (1 - tpr) / prior),
        "min_specificity": (1 - fpr, fpr * (1 - fpr) / (1 - prior)),
        "max_fpr": (-fpr, fpr * (1 - fpr) / (1 - prior)),
        "max_alert_rate": (-alerts, alerts * (1 - alerts)),
    }
    n_rows = np.ones(len(alerts))
    for name, limit in certify.items():
        share, variance = shares[name]
        limit = _numbers.open_unit(name, limit)
        margin = share + limit if name.startswith("max") else share - limit
        needed = variance * (quantile / np.maximum(margin, tiny**0.25)) ** 2
        n_rows = np.maximum(n_rows, np.where(margin > 0, needed, np.inf))
    if not np.isfinite(n_rows).any():
        raise ValueError(f"no plan: no threshold of the pilot meets certify={dict(certify)}")
    return float(n_rows.min())
