"""Metrics of the configuration, with their names in tables and figures."""

import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import scores
from calibrated_metrics.confusion import ConfusionCurve

_WITH_INDEX = ("best_fbeta", "precision", "fbeta", "npv", "accuracy", "matthews_corrcoef")


@dataclass(frozen=True)
class TimesPrior:
    """A reference prior given as a multiple of the data's own prior.

    Its value differs between data sets, because their priors differ.
    """

    times_prior: float

    def at(self, prior: float) -> float:
        pi0 = self.times_prior * prior
        if not pi0 < 1:
            raise ValueError(
                f"times_prior={self.times_prior:g} at the prior {prior:g} gives the reference "
                f"prior {pi0:g}, which must be below 1"
            )
        return pi0


@dataclass(frozen=True)
class Metric:
    """A registered score with its options, at a reference prior."""

    score: str
    pi0: float | TimesPrior | None = None
    options: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", dict(self.options))
        if self.of_library.of_matrix and "threshold" not in self.options:
            raise ValueError(f"score {self.score!r} needs the option 'threshold'")

    @cached_property
    def of_library(self) -> scores.Metric:
        """The metric without a multiple of the prior."""
        pi0 = None if isinstance(self.pi0, TimesPrior) else self.pi0
        return scores.Metric(self.score, pi0, **self.options)

    def at_prior_of(self, prior: float) -> scores.Metric:
        """The metric of the library for data with this prior."""
        is_multiple = isinstance(self.pi0, TimesPrior)
        return self.of_library.at(self.pi0.at(prior)) if is_multiple else self.of_library

    def pi0_at(self, prior: float = math.nan) -> float:
        """Reference prior, for the column `pi0` of tables; NaN for an ordinary metric.

        A multiple of the prior is NaN unless `prior`, the prior of the data, is given.
        """
        if isinstance(self.pi0, TimesPrior):
            return math.nan if math.isnan(prior) else self.pi0.at(prior)
        return math.nan if self.pi0 is None else float(self.pi0)

    def __call__(self, curve: ConfusionCurve) -> float:
        try:
            value = self.at_prior_of(curve.prior)(curve)
        except Exception as error:  # from a user's function
            raise ValueError(f"metric {self.key}: {type(error).__name__}: {error}") from error
        if not math.isfinite(value):
            raise ValueError(f"metric {self.key} must be finite, got {value} for {curve!r}")
        return value

    @property
    def greater_is_better(self) -> bool:
        return self.of_library.facts.greater_is_better

    @cached_property
    def key(self) -> str:
        """Name in tables, such as ``fbeta(threshold=0.5)@pi0=0.5``."""
        return self.of_library.at(None).key + self._prior_suffix("@pi0={}")

    @property
    def family(self) -> str:
        """Label of the uncalibrated metric, shared by its calibrated versions."""
        return self.of_library.label

    @property
    def label(self) -> str:
        """Label on figures, with the reference prior if there is one."""
        if self.pi0 is None:
            return self.family
        return f"{self._calibrated_label()} ({self.reference})"

    @property
    def reference(self) -> str:
        """The reference prior, such as ``π$_0$=0.5``; empty without one."""
        return self._prior_suffix("π$_0$={}")

    def _calibrated_label(self) -> str:
        if "AUC-PR" in self.family:
            return self.family.replace("AUC-PR", "AUC-P$_c$R", 1)
        with_index = self.of_library.name in _WITH_INDEX
        return f"{self.family}$_c$" if with_index else f"calibrated {self.family}"

    def _prior_suffix(self, template: str) -> str:
        if self.pi0 is None:
            return ""
        if isinstance(self.pi0, TimesPrior):
            return template.format(f"{_shortest(self.pi0.times_prior)}π")
        return template.format(_shortest(self.pi0))


def values_of(metrics: Iterable[Metric], curve: ConfusionCurve) -> dict[str, float]:
    """Value of each metric by its key."""
    return {metric.key: metric(curve) for metric in metrics}


def thresholds_of(metrics: Iterable[Metric]) -> list[float]:
    """Distinct values of the option `threshold` of the metrics, ascending, including defaults."""
    options = ({**metric.of_library.facts.options, **metric.options} for metric in metrics)
    return sorted({each["threshold"] for each in options if "threshold" in each})


def suited_to(y_score: ArrayLike, metrics: Iterable[Metric]) -> list[Metric]:
    """The metrics; without those whose threshold is a probability, if some scores are none.

    A threshold between 0 and 1 is taken as a probability. A warning names the metrics left out.
    """
    y_score, metrics = np.asarray(y_score), list(metrics)
    if ((y_score >= 0) & (y_score <= 1)).all():
        return metrics
    left_out = [metric for metric in metrics if any(0 < t < 1 for t in thresholds_of([metric]))]
    if left_out:
        names = ", ".join(metric.key for metric in left_out)
        warnings.warn(f"scores outside [0, 1] are not probabilities: without {names}", stacklevel=2)
    return [metric for metric in metrics if metric not in left_out]


def read_metrics(description: Mapping[str, Any]) -> list[Metric]:
    """Run the plug-ins of a description, `plugins` and `metrics`, and return its metrics.

    A plug-in that cannot be read raises an OSError; one that fails, or a metric that cannot be
    used, raises a ValueError.
    """
    for path in description["plugins"]:
        source = Path(path).read_bytes()
        try:
            names = {"__name__": path, "__file__": path}
            exec(compile(source, path, "exec"), names)  # nosec B102 # the user's own plug-in
        except (Exception, SystemExit) as error:
            raise ValueError(f"plug-in {path}: {type(error).__name__}: {error}") from error
    return [metric_of(**spec) for spec in description["metrics"]]


def metric_of(score: str, pi0: Any = None, options: Mapping[str, float] | None = None) -> Metric:
    return Metric(score, TimesPrior(**pi0) if isinstance(pi0, Mapping) else pi0, options or {})


def _shortest(number: float) -> str:
    """Shortest text that round-trips."""
    text = f"{number:g}"
    return text if float(text) == number else repr(float(number))
