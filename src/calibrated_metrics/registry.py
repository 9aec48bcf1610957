"""Metrics by name: a registered score at a reference prior.

A score is a function of a `ConfusionCurve`, or of the `ConfusionMatrix` at a threshold::

    from calibrated_metrics import register_score

    @register_score(label="share of cases unread at 50 % recall")
    def work_saved(curve):
        first = (curve.tp >= curve.n_pos / 2).argmax()
        return 1 - (curve.tp[first] + curve.fp[first]) / (curve.n_pos + curve.n_neg)

    @register_score(label="false discovery rate", of="matrix", greater_is_better=False)
    def false_discovery_rate(matrix):
        return matrix.fp / (matrix.tp + matrix.fp)

`scorers.score_function` and `scorers.scorer` make functions and scorers for scikit-learn of them.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from calibrated_metrics import _checks, scores
from calibrated_metrics.confusion import ConfusionCurve

__all__ = [
    "Metric",
    "TimesPrior",
    "bounds_of",
    "forget_scores_of",
    "register_score",
    "registered_scores",
    "score_named",
    "thresholds_of",
    "values_of",
]

Function = TypeVar("Function", bound=Callable[..., Any])
Bounds = tuple[float, float]

THRESHOLD = "threshold"  # the option that names the matrix of a score of a matrix


@dataclass(frozen=True)
class Score:
    """A named score and its labels on figures, with ``{option}`` for the value of an option."""

    name: str
    function: Callable[..., Any]
    label: str
    calibrated_label: str
    of: Literal["curve", "matrix"] = "curve"
    bounds: Bounds = (0.0, 1.0)
    greater_is_better: bool = True

    @property
    def options(self) -> dict[str, Any]:
        """Options with their defaults; ``inspect.Parameter.empty`` marks a required option."""
        parameters = list(inspect.signature(self.function).parameters.values())[1:]
        of_function = {
            parameter.name: parameter.default
            for parameter in parameters
            if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        }
        required = {THRESHOLD: inspect.Parameter.empty} if self.of == "matrix" else {}
        return required | of_function

    def __call__(self, curve: ConfusionCurve, **options: float) -> float:
        if self.of == "curve":
            return float(self.function(curve, **options))
        matrix = curve.confusion_matrix(options.pop(THRESHOLD))
        return float(self.function(matrix, **options))


@dataclass(frozen=True)
class TimesPrior:
    """A reference prior given as a multiple of the data's own prior.

    Parameters
    ----------
    factor : float > 0
        The reference prior is `factor` times the prior of the curve, which must stay below 1.

    Raises
    ------
    ValueError, TypeError
        If `factor` is not a positive number; when it is used, if the product is not below 1.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, registry
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> registry.Metric("average_precision", registry.TimesPrior(1.01))(curve)
    0.835...
    """

    factor: float

    def __post_init__(self) -> None:
        _checks.positive_number("times_prior", self.factor)

    def at(self, prior: float) -> float:
        pi0 = self.factor * prior
        if not pi0 < 1:
            raise ValueError(
                f"times_prior={self.factor:g} at the prior {prior:g} gives the reference prior "
                f"{pi0:g}, which must be below 1"
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
        Options of the score: ``threshold`` for a score of a matrix (a score ``>= threshold`` is
        predicted positive), and those of its function, such as ``beta``.

    Raises
    ------
    ValueError
        For an unknown score or option, a missing option, or a `pi0` outside (0, 1).

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, registry
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> metric = registry.Metric("precision", pi0=0.01, options={"threshold": 0.7})
    >>> metric.key, metric(curve)
    ('precision(threshold=0.7)@pi0=0.01', 0.029...)
    """

    score: str
    pi0: float | TimesPrior | None = None
    options: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        entry = score_named(self.score)
        known = entry.options
        if not isinstance(self.options, Mapping):
            raise TypeError(f"options must be a mapping, got {_checks.shown(self.options)}")
        for option in self.options:
            if option not in known:
                raise ValueError(
                    f"score {self.score!r} has no option {option!r}"
                    f"{_checks.nearest(option, known)}; its options: {sorted(known) or 'none'}"
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
            value = score_named(self.score)(curve, **self.options)
        except Exception as error:
            error.add_note(f"metric {self.key} of {curve!r}")
            raise
        if not math.isfinite(value):
            raise ValueError(f"metric {self.key} must be finite, got {value} for {curve!r}")
        return value

    def check_options(self) -> None:
        """Raise ``TypeError`` or ``ValueError`` for options that the score does not accept."""
        if self.options:
            score_named(self.score)(_any_curve(), **self.options)

    def calibrated(self, curve: ConfusionCurve) -> ConfusionCurve:
        if self.pi0 is None:
            return curve
        pi0 = self.pi0.at(curve.prior) if isinstance(self.pi0, TimesPrior) else self.pi0
        return curve.at_prior(pi0)

    @cached_property
    def key(self) -> str:
        """Name in tables, such as ``fbeta(threshold=0.5)@pi0=0.5``."""
        options = ",".join(
            f"{name}={_shortest(value) if isinstance(value, Real) else repr(value)}"
            for name, value in sorted(self.options.items())
        )
        return self.score + (f"({options})" if options else "") + self._prior_suffix("@pi0={}")

    @property
    def settings(self) -> dict[str, Any]:
        """The options, with the score's defaults for those not given."""
        return {**score_named(self.score).options, **self.options}

    @property
    def family(self) -> str:
        """Label of the uncalibrated metric; its calibrated versions have the same family."""
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

        def value(match: re.Match[str]) -> str:
            # Other braces belong to mathtext.
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
    """Value of each metric by its key; metrics at one reference prior share a calibrated curve.

    Returns
    -------
    dict of str to float
        In the order of the metrics.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, registry
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> metrics = [registry.Metric("average_precision", pi0) for pi0 in (None, 0.1)]
    >>> registry.values_of(metrics, curve)
    {'average_precision': 0.833..., 'average_precision@pi0=0.1': 0.625}
    """
    calibrated: dict[float | TimesPrior | None, ConfusionCurve] = {}
    values = {}
    for metric in metrics:
        if metric.pi0 not in calibrated:
            calibrated[metric.pi0] = metric.calibrated(curve)
        values[metric.key] = metric._of_calibrated(calibrated[metric.pi0])
    return values


def thresholds_of(metrics: Iterable[Metric]) -> list[float]:
    """Distinct values of the option `threshold` of the metrics.

    Returns
    -------
    list of float
        Ascending; empty if no metric has this option.

    Examples
    --------
    >>> from calibrated_metrics import registry
    >>> registry.thresholds_of([registry.Metric("precision", options={"threshold": 0.7})])
    [0.7]
    """
    settings = (metric.settings for metric in metrics)
    return sorted({each[THRESHOLD] for each in settings if THRESHOLD in each})


def _shortest(number: float) -> str:
    """Shortest text that round-trips."""
    text = f"{number:g}"
    return text if float(text) == number else repr(float(number))


def _any_curve() -> ConfusionCurve:
    """A curve with a positive and a negative on either side of any threshold."""
    return ConfusionCurve.from_predictions([1, 0, 1, 0], [1e308, 1e308, -1e308, -1e308])


# ------------------------------------------------------------------------------ registry

_SCORES: dict[str, Score] = {}


def register_score(
    *,
    label: str,
    calibrated_label: str | None = None,
    name: str | None = None,
    of: Literal["curve", "matrix"] = "curve",
    bounds: Bounds = (0.0, 1.0),
    greater_is_better: bool = True,
) -> Callable[[Function], Function]:
    """Decorate a function of a curve or of a matrix so that configurations can name it.

    The function takes a `ConfusionCurve` (or, with ``of="matrix"``, a `ConfusionMatrix`) and, as
    further arguments, its options, which are numbers; it returns a finite float. In YAML:
    ``{score: name, pi0: 0.5, options: {threshold: 0.3}}``.

    Parameters
    ----------
    label, calibrated_label : str
        Labels on figures at the data's own prior and at a reference prior; the latter defaults to
        ``"calibrated " + label``. ``{option}`` stands for an option's value.
    name : str, default the function's name
    of : {"curve", "matrix"}, default="curve"
        What the function takes. A score of a matrix has the required option ``threshold``.
    bounds : tuple of two floats, default=(0, 1)
        Least and greatest possible value, possibly infinite. Intervals are clipped to them.
    greater_is_better : bool, default=True
        False for an error or a cost. `scorers.scorer` then returns the negative value.

    Returns
    -------
    callable
        A decorator that registers a function and returns it unchanged.

    Raises
    ------
    ValueError, TypeError
        If the name is taken, `of` is neither "curve" nor "matrix", `bounds` do not ascend, or for
        arguments of another type.

    See Also
    --------
    calibrated_metrics.scorers.score_function : The metric as a function of labels and scores.
    calibrated_metrics.scorers.scorer : The metric as a scorer of scikit-learn.

    Notes
    -----
    In a notebook or an interactive session, a score may be registered again. It replaces the
    score of that name from the same session, but not a score of the library or of another file.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionMatrix, register_score, registry
    >>> @register_score(label="miss rate", of="matrix", greater_is_better=False)
    ... def miss_rate(matrix):
    ...     return matrix.fn / matrix.n_pos
    >>> miss_rate(ConfusionMatrix(tp=80, fp=40, fn=20, tn=860))
    0.2
    >>> registry.Metric("miss_rate", options={"threshold": 0.5}).label
    'miss rate'
    >>> registry.forget_scores_of(__name__)  # so that the name is free again
    """
    _checks.one_of("of", of, ("curve", "matrix"))
    for argument, text in (("label", label), ("name", name)):
        if not (isinstance(text, str) or (argument == "name" and text is None)):
            raise TypeError(f"{argument} must be a string, got {text!r}")
    low, high = _checks.ascending_pair("bounds", bounds)

    def decorate(function: Function) -> Function:
        if not callable(function):
            raise TypeError(f"a registered score must be a function, got {function!r}")
        own_name = name or function.__name__
        calibrated = calibrated_label or f"calibrated {label}"
        known = _SCORES.get(own_name)
        if known and not known.function.__module__ == function.__module__ == "__main__":
            raise ValueError(
                f"a score named {own_name!r} is already registered; choose another name"
            )
        if of == "matrix" and THRESHOLD in list(inspect.signature(function).parameters)[1:]:
            raise ValueError(
                f"score {own_name!r} of a matrix must have no parameter {THRESHOLD!r}: it "
                "receives the matrix at that threshold"
            )
        _SCORES[own_name] = Score(
            own_name, function, label, calibrated, of, (low, high), greater_is_better
        )
        return function

    return decorate


def registered_scores() -> Mapping[str, Score]:
    """Return all registered scores by their names: those of the library, and your own.

    Returns
    -------
    mapping of str to Score
        A read-only view. A `Score` has the attributes `name`, `function`, `label`,
        `calibrated_label`, `of`, `bounds`, `greater_is_better` and `options`.

    Examples
    --------
    >>> from calibrated_metrics import registry
    >>> sorted(registry.registered_scores())[:3]
    ['accuracy', 'achievable_pr_auc', 'average_precision']
    """
    return MappingProxyType(_SCORES)


def score_named(name: str) -> Score:
    """Return a registered score.

    Returns
    -------
    Score
        See `registered_scores`.

    Raises
    ------
    TypeError
        If `name` is not a string.
    ValueError
        If no score has this name. The message suggests the nearest one.

    Examples
    --------
    >>> from calibrated_metrics import registry
    >>> score = registry.score_named("net_benefit")
    >>> score.of, list(score.options)
    ('matrix', ['threshold', 'threshold_probability'])
    """
    if not isinstance(name, str):
        raise TypeError(f"score must be the name of a registered score, got {_checks.shown(name)}")
    if name not in _SCORES:
        meant = _SYNONYMS.get(name.lower())
        hint = f" (it is {meant!r} here)" if meant else _checks.nearest(name, _SCORES)
        raise ValueError(f"unknown score {name!r}{hint}; registered: {sorted(_SCORES)}")
    return _SCORES[name]


_SYNONYMS = {
    "ap": "average_precision",
    "auc": "roc_auc",
    "auc_pr": "average_precision",
    "aupr": "average_precision",
    "auprc": "average_precision",
    "auroc": "roc_auc",
    "best_f1": "best_fbeta",
    "f1": "fbeta",
    "kappa": "cohen_kappa",
    "mcc": "matthews_corrcoef",
    "negative_predictive_value": "npv",
    "positive_predictive_value": "precision",
    "ppv": "precision",
    "pr_gain_auc": "prg_auc",
    "sensitivity": "recall",
    "tnr": "specificity",
    "tpr": "recall",
}
"""Other names of scores, for the message about an unknown name."""


def bounds_of(score: Callable[..., Any]) -> Bounds:
    """Least and greatest possible value of a metric or of a score's function.

    Returns
    -------
    tuple of two floats
        A function that is not registered has no known bounds: ``(-inf, inf)``.

    Examples
    --------
    >>> from calibrated_metrics import registry, scores
    >>> registry.bounds_of(scores.matthews_corrcoef)
    (-1.0, 1.0)
    """
    if isinstance(score, Metric):
        return score_named(score.score).bounds
    registered = (entry.bounds for entry in _SCORES.values() if entry.function is score)
    return next(registered, (-math.inf, math.inf))


def forget_scores_of(module_name: str) -> None:
    """Remove the scores that a module registered, so that its file can be loaded again.

    Examples
    --------
    >>> from calibrated_metrics import register_score, registry
    >>> @register_score(label="size")
    ... def size(curve):
    ...     return curve.n_pos + curve.n_neg
    >>> registry.forget_scores_of(__name__)
    >>> "size" in registry.registered_scores()
    False
    """
    for name, score in list(_SCORES.items()):
        if score.function.__module__ == module_name:
            del _SCORES[name]


_OF_A_CURVE: dict[Callable[..., Any], tuple[str, str]] = {
    scores.average_precision: ("AUC-PR", "AUC-P$_c$R"),
    scores.pr_auc: ("interpolated AUC-PR", "interpolated AUC-P$_c$R"),
    scores.achievable_pr_auc: ("achievable AUC-PR", "achievable AUC-P$_c$R"),
    scores.prg_auc: ("AUC-PR Gain", "AUC-P$_c$R Gain"),
    scores.roc_auc: ("AUC-ROC", "AUC-ROC"),
    scores.partial_average_precision: (
        "AUC-PR at recall {min_recall:g} to {max_recall:g}",
        "AUC-P$_c$R at recall {min_recall:g} to {max_recall:g}",
    ),
    scores.partial_roc_auc: ("AUC-ROC at FPR ≤ {max_fpr:g}", "AUC-ROC at FPR ≤ {max_fpr:g}"),
    scores.partial_gains_auc: (
        "gains AUC at alert rate ≤ {max_alert_rate:g}",
        "gains AUC$_c$ at alert rate ≤ {max_alert_rate:g}",
    ),
    scores.best_fbeta: ("best F{beta:g}", "best F{beta:g}$_c$"),
    scores.precision_at_recall: (
        "precision at recall ≥ {recall:g}",
        "precision$_c$ at recall ≥ {recall:g}",
    ),
    scores.recall_at_precision: (
        "recall at precision ≥ {precision:g}",
        "recall at precision$_c$ ≥ {precision:g}",
    ),
    scores.precision_at_top: (
        "precision at alert rate {alert_rate:g}",
        "precision$_c$ at alert rate {alert_rate:g}",
    ),
    scores.recall_at_top: (
        "recall at alert rate {alert_rate:g}",
        "recall$_c$ at alert rate {alert_rate:g}",
    ),
}
_OF_A_MATRIX: dict[Callable[..., Any], tuple[str, str]] = {
    scores.precision: ("precision", "precision$_c$"),
    scores.recall: ("recall", "recall"),
    scores.fbeta: ("F{beta:g}", "F{beta:g}$_c$"),
    scores.specificity: ("specificity", "specificity"),
    scores.npv: ("NPV", "NPV$_c$"),
    scores.accuracy: ("accuracy", "accuracy$_c$"),
    scores.balanced_accuracy: ("balanced accuracy", "balanced accuracy"),
    scores.matthews_corrcoef: ("MCC", "MCC$_c$"),
    scores.cohen_kappa: ("Cohen's κ", "Cohen's κ$_c$"),
    scores.net_benefit: (
        "net benefit at {threshold_probability:g}",
        "net benefit$_c$ at {threshold_probability:g}",
    ),
    scores.positive_likelihood_ratio: ("LR+", "LR+"),
    scores.negative_likelihood_ratio: ("LR−", "LR−"),
}
_OTHER_BOUNDS: dict[Callable[..., Any], Bounds] = {
    scores.prg_auc: (-math.inf, 1.0),
    scores.matthews_corrcoef: (-1.0, 1.0),
    scores.cohen_kappa: (-1.0, 1.0),
    scores.net_benefit: (-math.inf, 1.0),
    scores.positive_likelihood_ratio: (0.0, math.inf),
    scores.negative_likelihood_ratio: (0.0, math.inf),
}

_TABLES: tuple[tuple[Literal["curve", "matrix"], dict[Callable[..., Any], tuple[str, str]]], ...]
_TABLES = ("curve", _OF_A_CURVE), ("matrix", _OF_A_MATRIX)
for _of, _table in _TABLES:
    for _function, (_label, _calibrated) in _table.items():
        register_score(
            label=_label,
            calibrated_label=_calibrated,
            of=_of,
            bounds=_OTHER_BOUNDS.get(_function, (0.0, 1.0)),
            greater_is_better=_function is not scores.negative_likelihood_ratio,
        )(_function)
