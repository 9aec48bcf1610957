"""The score and the settings that the caller of an interval asks for."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from calibrated_metrics import _checks, scores
from calibrated_metrics._checks import RandomState
from calibrated_metrics._intervals.limits import Scale
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.registry import (
    THRESHOLD,
    Bounds,
    Metric,
    Score,
    TimesPrior,
    registered_scores,
    score_named,
)

__all__ = ["Asked", "ScoreLike", "Settings"]

ScoreLike: TypeAlias = str | Metric | Callable[..., Any]


_ROUNDING = 1e-9


@dataclass(frozen=True)
class Settings:
    confidence_level: float
    method: str
    n_resamples: int
    generator: np.random.Generator

    @classmethod
    def of(
        cls, confidence_level: float, method: str, n_resamples: int, rng: RandomState
    ) -> Settings:
        _checks.one_of("method", method, ("auto", "bootstrap"))
        return cls(
            _checks.level("confidence_level", confidence_level),
            method,
            _checks.integer_at_least("n_resamples", n_resamples, 2),
            _checks.generator("rng", rng),
        )


@dataclass(frozen=True)
class Asked:
    """A score with its options, however it was named."""

    function: Callable[..., Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    of_matrix: bool | None = None  # None for a function that is not registered
    bounds: Bounds = (-math.inf, math.inf)
    threshold: float | None = None
    pi0: float | TimesPrior | None = None
    name: str = "score"

    @classmethod
    def of(cls, score: ScoreLike) -> Asked:
        if isinstance(score, Metric):
            return cls._registered(score_named(score.score), score.options, score.pi0)
        if isinstance(score, str):
            return cls._registered(score_named(score), {})
        if not callable(score):
            raise TypeError(
                "score must be the name of a registered score, a Metric, or a function of a "
                f"ConfusionCurve or a ConfusionMatrix, got {score!r}"
            )
        function, options = score, {}
        if isinstance(score, functools.partial) and not score.args:
            function, options = score.func, score.keywords
        for entry in registered_scores().values():
            if entry.function is function:
                return cls._registered(entry, options)
        return cls(score, name=getattr(score, "__name__", repr(score)))

    @classmethod
    def _registered(
        cls, entry: Score, options: Mapping[str, Any], pi0: float | TimesPrior | None = None
    ) -> Asked:
        given = {name: value for name, value in options.items() if name != THRESHOLD}
        for name, default in entry.options.items():
            if default is inspect.Parameter.empty and name not in {*given, THRESHOLD}:
                raise ValueError(
                    f"score {entry.name!r} needs the option {name!r}: pass it in a Metric, or in a "
                    "functools.partial of the score's function"
                )
        threshold = options.get(THRESHOLD)
        of_matrix = entry.of == "matrix"
        return cls(entry.function, given, of_matrix, entry.bounds, threshold, pi0, entry.name)

    def __call__(self, data: ConfusionCurve | ConfusionMatrix) -> Any:
        return self.function(data, **self.options)

    def value_of(self, data: ConfusionCurve | ConfusionMatrix) -> float:
        """The value, which is finite unless a likelihood ratio is infinite."""
        if self.of_matrix and math.isinf(self.bounds[1]):
            return float(self(data))
        value = _checks.real_number(f"{self.name}(...)", self(data))
        low, high = self.bounds
        if not low - _ROUNDING <= value <= high + _ROUNDING:
            raise ValueError(
                f"score {self.name!r} must lie in its bounds ({low:g}, {high:g}), got {value}; "
                "give its range in the argument bounds of register_score"
            )
        return value

    @property
    def scale(self) -> Scale:
        """Scale on which normal approximations are made."""
        if self.function is scores.fbeta:
            return Scale(0.0, 1.0 + self.options.get("beta", 1.0) ** 2)
        if self.function is scores.net_benefit:  # it is linear in both rates
            return Scale(-math.inf, math.inf)
        return Scale(*self.bounds)

    def scale_at(self, prior: float) -> Scale:
        """Scale of the values that are possible at a prior, on which draws are taken."""
        if self.function is scores.precision_at_top:
            return Scale(0.0, min(1.0, prior / self.options["alert_rate"]))
        if self.function is scores.recall_at_top:
            return Scale(0.0, min(1.0, self.options["alert_rate"] / prior))
        return self.scale

    def prior(self, pi0: float | None, own: float) -> float:
        """The prior at which the score is asked for."""
        if self.pi0 is None:
            return own if pi0 is None else pi0
        if pi0 is not None:
            raise ValueError(
                f"pi0 must be None for a Metric that has its own reference prior {self.pi0}, "
                f"got {pi0}"
            )
        return self.pi0.at(own) if isinstance(self.pi0, TimesPrior) else self.pi0

    def check_threshold(self) -> None:
        """Raise ``ValueError`` for a score of a matrix without a threshold."""
        if self.of_matrix:
            _ = self.required_threshold

    @property
    def required_threshold(self) -> float:
        """The threshold at which a score of a matrix is taken from a curve or from rows."""
        if self.threshold is None:
            raise ValueError(
                f"score {self.name!r} of a confusion matrix needs a threshold, such as "
                f"Metric({self.name!r}, options={{'threshold': 0.5}}), or a ConfusionMatrix"
            )
        return self.threshold
