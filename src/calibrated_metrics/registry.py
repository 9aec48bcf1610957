"""Metrics by name: a registered score and a reference prior.

A user adds a score by decorating a function of a `ConfusionCurve` in a file of their own::

    from calibrated_metrics import register_score

    @register_score(label="precision at recall 0.5")
    def precision_at_half_recall(curve):
        first = (curve.tp >= curve.n_pos / 2).argmax()
        return curve.tp[first] / (curve.tp[first] + curve.fp[first])
"""

from __future__ import annotations

import difflib
import importlib.util
import inspect
import math
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from calibrated_metrics import _checks, scores
from calibrated_metrics.confusion import ConfusionCurve

__all__ = [
    "Metric",
    "PluginError",
    "TimesPrior",
    "load_plugins",
    "register_score",
    "registered_scores",
    "score_named",
    "values_of",
]


@dataclass(frozen=True)
class Score:
    """A named function of a curve and what figures call it; ``{option}`` stands for an option."""

    name: str
    function: Callable[..., float]
    label: str
    calibrated_label: str

    @property
    def options(self) -> dict[str, object]:
        """Options of the function with their defaults, ``inspect.Parameter.empty`` for none."""
        parameters = list(inspect.signature(self.function).parameters.values())[1:]
        return {parameter.name: parameter.default for parameter in parameters}


@dataclass(frozen=True)
class TimesPrior:
    """A reference prior given as a multiple of the data's own prior."""

    factor: float

    def __post_init__(self):
        _checks.positive_number("times_prior", self.factor)

    def at(self, prior: float) -> float:
        pi0 = self.factor * prior
        if not pi0 < 1:
            raise ValueError(
                f"times_prior={self.factor:g} takes the prior {prior:g} to {pi0:g}; "
                "a reference prior must be below 1"
            )
        return pi0


@dataclass(frozen=True)
class Metric:
    """A registered score at a reference prior.

    Parameters
    ----------
    score : str
        Name of a registered score.
    pi0 : None, float in (0, 1) or TimesPrior, default=None
        None for the ordinary metric.
    options : mapping, default={}
        Options of the score's function, such as ``threshold`` or ``beta``.

    Raises
    ------
    ValueError
        For an unknown score or option, a missing option, or a `pi0` outside (0, 1).
    """

    score: str
    pi0: float | TimesPrior | None = None
    options: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self):
        entry = score_named(self.score)
        known = entry.options
        for option in self.options:
            if option not in known:
                raise ValueError(
                    f"score {self.score!r} has no option {option!r}"
                    f"{_nearest(option, known)}; its options: {sorted(known) or 'none'}"
                )
        for option, default in known.items():
            if default is inspect.Parameter.empty and option not in self.options:
                raise ValueError(f"score {self.score!r} needs the option {option!r}")
        object.__setattr__(self, "options", dict(self.options))
        if not (self.pi0 is None or isinstance(self.pi0, TimesPrior)):
            _checks.open_unit("pi0", self.pi0)

    def __call__(self, curve: ConfusionCurve) -> float:
        return self._of_calibrated(self.calibrated(curve))

    def _of_calibrated(self, curve: ConfusionCurve) -> float:
        try:
            value = float(score_named(self.score).function(curve, **self.options))
        except Exception as error:
            error.add_note(f"metric {self.key} of {curve!r}")
            raise
        if not math.isfinite(value):
            raise ValueError(f"metric {self.key} must be finite, is {value} for {curve!r}")
        return value

    def check_options(self) -> None:
        """Raise ``TypeError`` or ``ValueError`` for options that the score does not accept."""
        if self.options:
            score_named(self.score).function(_any_curve(), **self.options)

    def calibrated(self, curve: ConfusionCurve) -> ConfusionCurve:
        if self.pi0 is None:
            return curve
        pi0 = self.pi0.at(curve.prior) if isinstance(self.pi0, TimesPrior) else self.pi0
        return curve.at_prior(pi0)

    @cached_property
    def key(self) -> str:
        """Name in tables, such as ``fbeta(threshold=0.5)@pi0=0.5``."""
        options = ",".join(
            f"{name}={_shortest(value)}" for name, value in sorted(self.options.items())
        )
        return self.score + (f"({options})" if options else "") + self._prior_suffix("@pi0={}")

    @property
    def settings(self) -> dict[str, object]:
        """The options, with the score's defaults for those not given."""
        return {**score_named(self.score).options, **self.options}

    @property
    def family(self) -> str:
        """Label of the uncalibrated metric, which a calibrated one shares with its twin."""
        return self._label(score_named(self.score).label)

    @property
    def label(self) -> str:
        """Label on figures, with the reference prior where there is one."""
        entry = score_named(self.score)
        if self.pi0 is None:
            return self.family
        return self._label(entry.calibrated_label) + self._prior_suffix(" (π$_0$={})")

    def _label(self, template: str) -> str:
        values = self.settings

        def value(match: re.Match) -> str:
            # Braces around anything but an option belong to mathtext.
            name, layout = match.groups()
            return format(values[name], layout or "") if name in values else match[0]

        return re.sub(r"\{(\w+)(?::([^{}]*))?\}", value, template)

    def _prior_suffix(self, template: str) -> str:
        if self.pi0 is None:
            return ""
        if isinstance(self.pi0, TimesPrior):
            return template.format(f"{_shortest(self.pi0.factor)}π")
        return template.format(_shortest(self.pi0))


def values_of(metrics: Iterable[Metric], curve: ConfusionCurve) -> dict[str, float]:
    """Value of each metric by its key; one calibration serves all metrics of a reference prior."""
    calibrated, values = {}, {}
    for metric in metrics:
        if metric.pi0 not in calibrated:
            calibrated[metric.pi0] = metric.calibrated(curve)
        values[metric.key] = metric._of_calibrated(calibrated[metric.pi0])
    return values


def _shortest(number: float) -> str:
    """As few digits as tell the number from every other."""
    text = f"{number:g}"
    return text if float(text) == number else repr(float(number))


def _any_curve() -> ConfusionCurve:
    """A curve with a positive and a negative on either side of any threshold."""
    return ConfusionCurve.from_predictions([1, 0, 1, 0], [1e308, 1e308, -1e308, -1e308])


# ------------------------------------------------------------------------------ registry

_SCORES: dict[str, Score] = {}


def register_score(*, label: str, calibrated_label: str | None = None, name: str | None = None):
    """Decorate a function of a `ConfusionCurve` so that configs can name it.

    The function takes the curve and, as further arguments, its options, all numbers; it returns a
    finite float. An operating point must be an option called ``threshold``. In YAML:
    ``{score: name, pi0: 0.5, options: {threshold: 0.3}}``.

    Parameters
    ----------
    label, calibrated_label : str
        What figures call it at the data's own prior and at a reference prior; the latter
        defaults to ``"calibrated " + label``. ``{option}`` stands for an option's value.
    name : str, default the function's name
    """

    def decorate(function):
        score = Score(
            name or function.__name__, function, label, calibrated_label or f"calibrated {label}"
        )
        # A cell of a notebook may be run again.
        if score.name in _SCORES and function.__module__ != "__main__":
            raise ValueError(
                f"a score named {score.name!r} is registered already; choose another name"
            )
        _SCORES[score.name] = score
        return function

    return decorate


def registered_scores() -> Mapping[str, Score]:
    return MappingProxyType(_SCORES)


def score_named(name: str) -> Score:
    if not isinstance(name, str):
        raise TypeError(f"score must be the name of a registered score, got {name!r}")
    if name not in _SCORES:
        raise ValueError(
            f"unknown score {name!r}{_nearest(name, _SCORES)}; registered: {sorted(_SCORES)}"
        )
    return _SCORES[name]


def _forget_scores_of(module_name: str) -> None:
    """So that a file can be loaded again."""
    for name, score in list(_SCORES.items()):
        if score.function.__module__ == module_name:
            del _SCORES[name]


class PluginError(Exception):
    """A user's file with scores could not be run."""


def load_plugins(paths: Iterable[str | Path]) -> None:
    """Run the users' files that register scores.

    Raises
    ------
    FileNotFoundError
        If one does not exist.
    PluginError
        If one fails; its own error is the cause.
    """
    for path in map(Path, paths):
        if not path.is_file():
            raise FileNotFoundError(f"no file {str(path)!r}")
        where = zlib.crc32(str(path.resolve()).encode())
        module_name = f"calibrated_metrics_plugin_{path.stem}_{where:08x}"
        _forget_scores_of(module_name)
        spec = importlib.util.spec_from_file_location(module_name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            raise PluginError(f"{path}: {type(error).__name__}: {error}") from error


def _nearest(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


for _function, _label, _calibrated in (
    (scores.average_precision, "AUC-PR", "AUC-P$_c$R"),
    (scores.pr_auc, "interpolated AUC-PR", "interpolated AUC-P$_c$R"),
    (scores.achievable_pr_auc, "achievable AUC-PR", "achievable AUC-P$_c$R"),
    (scores.prg_auc, "AUC-PR Gain", "AUC-P$_c$R Gain"),
    (scores.roc_auc, "AUC-ROC", "AUC-ROC"),
    (scores.best_fbeta, "best F{beta:g}", "best F{beta:g}$_c$"),
    (scores.precision, "precision", "precision$_c$"),
    (scores.recall, "recall", "recall"),
    (scores.fbeta, "F{beta:g}", "F{beta:g}$_c$"),
):
    register_score(label=_label, calibrated_label=_calibrated)(_function)
