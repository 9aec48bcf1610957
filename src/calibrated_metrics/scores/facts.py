"""Records of all metrics by name, and the decorators that register a function as a metric."""

from __future__ import annotations

import functools
import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from types import MappingProxyType
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np

from calibrated_metrics import _arguments, _hints, _numbers
from calibrated_metrics._arguments import plain_calls
from calibrated_metrics._messages import shown, warn_the_caller
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix, Values
from calibrated_metrics.confusion.data import what_takes

__all__ = [
    "THRESHOLD",
    "Facts",
    "Range",
    "UndefinedMetricWarning",
    "decision_metric",
    "facts_of",
    "known_name",
    "quotient",
    "ranking_metric",
    "register_score",
    "registered_scores",
]

Range: TypeAlias = tuple[float, float]
Share: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""Outcomes of a matrix that are successes, and those that are failures."""
_EXCESS = 1e-9  # by which a rounded value may lie outside of its range
THRESHOLD = "threshold"  # the option that names the matrix of a metric of a matrix


def _doubts_of_scores(data: Any, options: Mapping[str, Any]) -> tuple[str, ...]:
    doubts: tuple[str, ...] = data._doubts_of_scores
    return doubts


@dataclass(frozen=True, eq=False)
class Facts:
    """The record of one metric.

    Attributes
    ----------
    name, label, synonyms : str, str, tuple of str
        In a label, ``{option}`` stands for the value of an option.
    function, of : callable, {"curve", "matrix"} or None
        The metric, and the kind of its first argument; None if this is unknown.
    range, greater_is_better : pair of float, bool
        Least and greatest possible value, and whether greater values are better.
    formula, source : str
        The definition in outcomes and rates, and where it is from, for the table of metrics.
    chance, perfect : str
        In the same notation, the value of constant scores, or of decisions that ignore the class
        with the share a of alerts, and that of a perfect ranking or of perfect decisions.
    unchecked : callable or None
        The function of a curve without a check of its kind.
    of_stack, undefined : callable or None, str
        For a metric of a matrix: the function of a stack, NaN where it is undefined, and where that
        is. None: `function` takes one matrix at a time.
    replacement : float
        What functions of labels return where the metric is undefined, by default.
    interval : str
        Name of the interval method of a curve, or of a matrix whose rows are independent; see
        `interval_of`.
    influence : callable or None
        (curve, options) -> influence of a positive and a negative on each step, up to a constant.
    jumps : bool
        Whether the value is that at the threshold where a curve reaches a required rate, and jumps
        if another step reaches it. Limits are then percentiles of bootstrap draws.
    loss : callable or None
        (curve, options) -> loss of each row, if the metric is the mean loss of its scores.
    caution : callable or None
        (weight of a negative over that of a positive) -> how much of the effects of few and of many
        added rows an interval allows for, see `calibrated_metrics.uncertainty.hull`; None: all.
    why_withheld : callable or None
        (curve or matrix, effective number of positives) -> why its interval would not be valid, or
        None.
    share : callable or None
        (options) -> the outcomes that are successes, and those that are failures, if the metric is
        a function of the share of successes among them; otherwise None.
    is_prior_free : bool
        Whether the metric is the same at each prior.
    doubts : callable
        (curve or matrix, options) -> remarks on scores that may not suit the metric.
    scale : callable or None
        (options, prior or None if it is not known) -> range on whose logit intervals are computed;
        None is `range`.
    """

    name: str
    function: Callable[..., Any]
    of: Literal["curve", "matrix"] | None = None
    label: str = ""
    synonyms: tuple[str, ...] = ()
    range: Range = (-math.inf, math.inf)
    greater_is_better: bool = True
    formula: str = ""
    source: str = ""
    chance: str = ""
    perfect: str = "1"
    unchecked: Callable[..., float] | None = None
    of_stack: Callable[..., FloatArray] | None = None
    undefined: str = ""
    replacement: float = 0.0
    interval: str = "bootstrap"
    influence: Callable[..., tuple[FloatArray, FloatArray]] | None = None
    jumps: bool = False
    loss: Callable[..., FloatArray] | None = None
    caution: Callable[[float], tuple[float, float]] | None = None
    why_withheld: Callable[[Any, float], str | None] | None = None
    share: Callable[[Mapping[str, Any]], Share | None] | None = None
    is_prior_free: bool = False
    doubts: Callable[[Any, Mapping[str, Any]], tuple[str, ...]] = field(
        default_factory=lambda: _doubts_of_scores  # a default would be a method of the class
    )
    scale: Callable[[Mapping[str, Any], float | None], Range] | None = None

    @functools.cached_property
    def options(self) -> dict[str, Any]:
        """Options with their defaults; ``inspect.Parameter.empty`` marks a required option."""
        parameters = list(inspect.signature(self.function).parameters.values())[1:]
        named = (p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))
        return {parameter.name: parameter.default for parameter in named}

    @property
    def has_influence(self) -> bool:
        """Whether the contribution of each row to the error is known."""
        return self.of == "matrix" or self.influence is not None or self.loss is not None

    @property
    def is_of_library(self) -> bool:
        return str(getattr(self.function, "__module__", "")).startswith("calibrated_metrics.")

    def has_function_of(self, other: Facts) -> bool:
        """Whether both have the same function, or a copy that came back from another process.

        Parameters
        ----------
        other : Facts
        """
        if self.function is other.function:
            return True
        own, others = (
            [getattr(each.function, name, None) for name in _OF_A_COPY] for each in (self, other)
        )
        return own[0] is not None and own == others and own[-1] is None

    def interval_of(self, data: ConfusionCurve | ConfusionMatrix) -> str:
        """Name of the method in `calibrated_metrics.uncertainty` that gives the interval of data.

        A matrix has shares of independent rows or of strata; other weights and clusters need the
        influence of each row.

        Parameters
        ----------
        data : ConfusionCurve, or ConfusionMatrix that holds its rows
        """
        if isinstance(data, ConfusionCurve):
            return self.interval
        return "rates" if data.rows.is_plain or data.rows.error_strata is not None else "hull"

    def value(self, data: Any, options: Mapping[str, Any]) -> float:
        """The value of a curve or of one matrix, which must be a number in the range.

        Parameters
        ----------
        data : ConfusionCurve or ConfusionMatrix, as in `of`
        options : mapping of names to values, such as ``{"beta": 2}``
        """
        try:
            found = (self.unchecked or self.function)(data, **options)
        except ZeroDivisionError as error:
            raise ValueError("the metric is undefined: it divides by 0") from error
        low, high = self.range
        if type(found) is float and low <= found <= high:
            return found
        is_number = isinstance(found, Real) and not isinstance(found, bool | np.bool_)
        if is_number and math.isinf(found) and found in self.range:
            return float(found)
        if isinstance(data, ConfusionCurve) and np.ndim(found):
            raise TypeError(
                f"metric {self.name!r} must return one number for a curve, got "
                f"{shown(found)}; a metric of a matrix needs a ConfusionMatrix, or "
                'register_score(..., of="matrix")'
            )
        value = _numbers.real_number(f"metric {self.name!r}", found)
        if not low - _EXCESS <= value <= high + _EXCESS:
            raise ValueError(
                f"metric {self.name!r} must lie in its range ({low:g}, {high:g}), got {value}; "
                "give its range in the argument range of register_score"
            )
        return value

    def values(self, matrices: ConfusionMatrix, options: Mapping[str, Any]) -> FloatArray:
        """The value of each matrix of a stack, or of one matrix; NaN where it is undefined.

        Parameters
        ----------
        matrices : ConfusionMatrix
        options : mapping of names to values, such as ``{"beta": 2}``
        """
        if self.of_stack is not None:
            return np.asarray(self.of_stack(matrices, **options), dtype=np.float64)
        return np.array([self._value_or_nan(matrix, options) for matrix in matrices])

    def _value_or_nan(self, matrix: ConfusionMatrix, options: Mapping[str, Any]) -> float:
        try:
            return float(self.function(matrix, **options))
        except (ValueError, ArithmeticError):  # undefined, such as 0/0
            return math.nan


_FACTS: dict[str, Facts] = {}  # by name
_NAMES: dict[str, str] = {}  # names by name and synonym, as `_key` writes them
_NO_METRICS = {
    **dict.fromkeys(("fpr", "false_positive_rate", "fall_out"), "it is 1 - 'specificity'"),
    **dict.fromkeys(("fnr", "false_negative_rate", "miss_rate"), "it is 1 - 'recall'"),
    **dict.fromkeys(("fdr", "false_discovery_rate"), "it is 1 - 'precision'"),
    **dict.fromkeys(("for", "false_omission_rate"), "it is 1 - 'npv'"),
    **dict.fromkeys(
        ("prior", "prevalence", "base_rate"), "use label_errors.prior(y_true), or audit.prior"
    ),
    **dict.fromkeys(
        ("recall_at_fpr", "tpr_at_fpr", "sensitivity_at_fpr"),
        "use Metric('recall_at_specificity', specificity=1 - fpr)",
    ),
    **dict.fromkeys(
        ("precision_at_fpr", "ppv_at_fpr"),
        "use Metric('precision_at_specificity', specificity=1 - fpr)",
    ),
    "gini": "it is 2 'roc_auc' - 1",
    "lift": "it is 'precision' / prior",
    **dict.fromkeys(
        ("ks", "ks_statistic", "max_youden", "best_youden"),
        "it is the highest 'youden_index': choose_threshold(curve, pi0=0.5, cost_fp=1, cost_fn=1)",
    ),
    **dict.fromkeys(
        ("gmean", "g_mean", "geometric_mean"), "it is the square root of 'recall' * 'specificity'"
    ),
    **dict.fromkeys(
        ("jaccard", "iou", "threat_score", "critical_success_index"), "it is 'f1' / (2 - 'f1')"
    ),
    "prauc": "use 'average_precision', or 'pr_auc' for the interpolated curve",
    "hit_rate": "use 'recall', or 'precision' for the share of alerts that are true",
    "f2": "use Metric('fbeta', beta=2)",
    "f0.5": "use Metric('fbeta', beta=0.5)",
    "precision_at_k": "use Metric('precision_at_top', alert_rate=k / n)",
    "recall_at_k": "use Metric('recall_at_top', alert_rate=k / n)",
}
"""What people ask for that is not a metric of its own, and what gives it."""

_FUNCTIONS_OF_ROWS = "calibrated_metrics.functions", "calibrated_metrics.probabilities"
_OF_A_COPY = "__code__", "__qualname__", "__module__", "__defaults__", "__closure__"

_Function = TypeVar("_Function", bound=Callable[..., Any])
_P = ParamSpec("_P")


def _register(facts: Facts) -> None:
    if facts.name in _FACTS:  # registered again: the synonyms may have changed
        for synonym in _FACTS[facts.name].synonyms:
            _NAMES.pop(_key(synonym), None)
    _FACTS[facts.name] = facts
    for name in (facts.name, *facts.synonyms):
        _NAMES[_key(name)] = facts.name


def _key(name: str) -> str:
    """The name in lower case, with underscores for spaces and hyphens: `auc_pr` for "AUC-PR"."""
    return re.sub(r"[\s_−-]+", "_", name.strip().lower().replace("'", ""))


def known_name(name: str) -> str | None:
    """The name of the metric that people call so, also as scikit-learn's function."""
    key = _key(name)
    return _NAMES.get(key) or _NAMES.get(key.removesuffix("_score"))


def ranking_metric(**known: Any) -> Callable[[Callable[_P, float]], Callable[_P, float]]:
    """Register the decorated function of a curve as a metric of the library."""

    def decorate(function: Callable[_P, float]) -> Callable[_P, float]:
        unchecked: Callable[..., float] = function

        @functools.wraps(function)
        def metric(curve: Any, *args: Any, **options: Any) -> float:
            if not isinstance(curve, ConfusionCurve):
                raise _wrong_type(function.__name__, curve, ConfusionCurve)
            return unchecked(curve, *args, **options)

        facts: dict[str, Any] = {"range": (0, 1), "unchecked": function, **known}
        _register(Facts(function.__name__, metric, "curve", **facts))
        return cast("Callable[_P, float]", metric)

    return decorate


def decision_metric(
    undefined: str, **known: Any
) -> Callable[[Callable[_P, FloatArray]], Callable[_P, Values]]:
    """Register the decorated function of a matrix, NaN for 0/0 with the reason `undefined`."""

    def decorate(function: Callable[_P, FloatArray]) -> Callable[_P, Values]:
        unchecked: Callable[..., FloatArray] = function

        @functools.wraps(function)
        def metric(matrix: Any, *args: Any, **options: Any) -> Values:
            if not isinstance(matrix, ConfusionMatrix):
                raise _wrong_type(function.__name__, matrix, ConfusionMatrix)
            values = np.asarray(unchecked(matrix, *args, **options))
            return _raise_or_warn_if_nan(function.__name__, values, undefined)

        facts: dict[str, Any] = {"range": (0, 1), "interval": "rates"}
        facts |= {"of_stack": function, "undefined": undefined, **known}
        _register(Facts(function.__name__, metric, "matrix", **facts))
        return cast("Callable[_P, Values]", metric)

    return decorate


@plain_calls('register_score needs parentheses and a label: @register_score(label="my metric")')
def register_score(
    *,
    label: str,
    name: str | None = None,
    of: Literal["curve", "matrix"] = "curve",
    range: Range = (0.0, 1.0),
    greater_is_better: bool = True,
    synonyms: tuple[str, ...] = (),
    stacks: bool = False,
    share: Share | None = None,
    is_prior_free: bool = False,
) -> Callable[[_Function], _Function]:
    """Register the decorated function of a curve or of a matrix as a metric.

    The metric can then be used by name in all functions. If a module is imported again, it replaces
    its own metrics.

    A curve has no vertices inside a run of negatives, where TP is constant. Areas, maxima, and the
    first vertex with some TP are exact; but the first vertex with some FP or some alerts may be too
    late. Interpolate there: ``np.interp(alerts, curve.tp + curve.fp, curve.tp)`` is the TP of a
    number of alerts. A quantity at a threshold is a metric of a matrix.

    Parameters
    ----------
    label : str
        Label on figures. ``{option}`` stands for the value of an option of the function, with a
        format as in ``{beta:g}``.
    name : str, default=None
        Name in calls, tables and configurations; None is the name of the function. Another module
        must not have registered it.
    of : {"curve", "matrix"}, default="curve"
        Kind of the first argument. A metric of a matrix gets the option `threshold`.
    range : pair of float, default=(0, 1)
        Least and greatest possible value; may be infinite. Intervals lie within this range. An
        interval needs a metric that does not depend on the number of rows, such as a cost per row.
    greater_is_better : bool, default=True
    synonyms : tuple of str, default=()
        Other names.
    stacks : bool, default=False
        Whether a function of a matrix also takes a stack of matrices, whose outcomes are arrays.
        Intervals are faster then. By default it gets one matrix at a time.
    share : pair of tuples of str, default=None
        If the metric of a matrix is a function of a share of rows: the outcomes that are successes,
        and those that are failures, such as ``(("tp",), ("fp",))`` of precision. Intervals are the
        exact binomial ones then.
    is_prior_free : bool, default=False
        Whether the metric is the same at each prior, such as recall.

    Returns
    -------
    callable
        The decorator, which returns the function unchanged.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, Metric, register_score
    >>> @register_score(label="share of cases unread at 50 % recall")
    ... def work_saved(curve):
    ...     first = (curve.tp >= curve.n_pos / 2).argmax()
    ...     return 1 - (curve.tp[first] + curve.fp[first]) / (curve.n_pos + curve.n_neg)
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> Metric("work_saved", pi0=0.1)(curve)
    0.95
    """
    _arguments.one_of("of", of, ("curve", "matrix"))
    _check_texts(label, name, synonyms)
    if stacks and of == "curve":
        raise ValueError(f'stacks must be False for of="curve", got {stacks!r}')
    low, high = _numbers.ascending_pair("range", range)
    if share is not None:
        _check_share(share, of)

    def decorate(function: _Function) -> _Function:
        if not callable(function):
            raise TypeError(f"a registered score must be a function, got {function!r}")
        own_name = getattr(function, "__name__", None) if name is None else name
        if own_name is None:
            raise ValueError(f"name must be given for a function without a name, got {function!r}")
        for each in (own_name, *synonyms):
            known = _FACTS.get(_NAMES.get(_key(each), ""))
            if known and known.function.__module__ != function.__module__:
                raise ValueError(
                    f"a score named {each!r} is already registered; choose another name"
                )
        facts = Facts(
            own_name,
            function,
            of,
            label,
            tuple(synonyms),
            (low, high),
            greater_is_better,
            of_stack=function if stacks else None,
            interval="rates" if of == "matrix" else "bootstrap",
            share=None if share is None else functools.partial(_given_share, share),
            is_prior_free=is_prior_free,
        )
        if share is not None:
            _check_value_of_share(facts, share)
        if of == "matrix" and THRESHOLD in facts.options:
            raise ValueError(
                f"score {own_name!r} of a matrix must have no parameter {THRESHOLD!r}: it "
                "receives the matrix at that threshold"
            )
        _register(facts)
        return function

    return decorate


def _check_texts(label: Any, name: Any, synonyms: Any) -> None:
    for argument, text in (("label", label), ("name", "" if name is None else name)):
        if not isinstance(text, str):
            raise TypeError(f"{argument} must be a string, got {text!r}")
    if not isinstance(synonyms, tuple | list) or not all(isinstance(n, str) for n in synonyms):
        raise TypeError(f"synonyms must be a tuple of strings, got {synonyms!r}")


def _given_share(share: Share, options: Mapping[str, Any]) -> Share:
    return share


def _check_share(share: Any, of: str) -> None:
    is_pair = isinstance(share, tuple | list) and len(share) == 2
    outcomes = [name for names in share for name in names] if is_pair else []
    if of == "curve" or not outcomes or not {"tp", "fp", "fn", "tn"}.issuperset(outcomes):
        raise ValueError(
            'share must be successes and failures of a metric with of="matrix", such as '
            f'(("tp",), ("fp",)), got {share!r} and of={of!r}'
        )


def _check_value_of_share(facts: Facts, share: Share) -> None:
    """Refuse a share if the metric, with its defaults, depends on another outcome."""
    if inspect.Parameter.empty in facts.options.values():
        return
    counts = {"tp": 3.0, "fp": 5.0, "fn": 7.0, "tn": 11.0}
    value = facts.function(ConfusionMatrix(**counts))
    for outcome in sorted(counts.keys() - {each for part in share for each in part}):
        moved = facts.function(ConfusionMatrix(**{**counts, outcome: 13.0}))
        if not math.isclose(value, moved, rel_tol=_EXCESS):
            raise ValueError(
                f"share must name each outcome that metric {facts.name!r} depends on, got "
                f"{share!r} without {outcome!r}"
            )


def registered_scores() -> Mapping[str, Facts]:
    """Return the records of all metrics, the library's and your own.

    Returns
    -------
    mapping of str to Facts
        Read-only, by name.

    Examples
    --------
    >>> from calibrated_metrics.scores import registered_scores
    >>> registered_scores()["average_precision"].label
    'AUC-PR'
    """
    return MappingProxyType(_FACTS)


def facts_of(score: Any) -> Facts:
    """The record of a metric that is given by name, synonym or function."""
    if isinstance(score, Facts):
        return score
    if isinstance(score, str):
        name = score if score in _FACTS else known_name(score)
        if name is None:
            key = re.sub(r"@\w+$", "_at_k", _key(score).removesuffix("_score"))
            instead = _NO_METRICS.get(key)
            hint = f" ({instead})" if instead else _hints.nearest(key, _NAMES)
            raise ValueError(f"unknown metric {score!r}{hint}; known are {sorted(_FACTS)}")
        return _FACTS[name]
    if not callable(score):
        of_several = "; classification_report(..., metrics=[...]) takes several"
        hint = of_several if isinstance(score, list | tuple) else ""
        raise TypeError(
            "metric must be a name, a Metric, or a function of a ConfusionCurve or a "
            f"ConfusionMatrix, got {shown(score)}{hint}"
        )
    if str(getattr(score, "__module__", "")).startswith(_FUNCTIONS_OF_ROWS):
        return facts_of(score.__name__)  # the metric as a function of labels and scores
    known = (facts for facts in _FACTS.values() if facts.function is score)
    return next(known, None) or Facts(getattr(score, "__name__", repr(score)), score)


class UndefinedMetricWarning(UserWarning):
    """A metric is undefined (0/0) for some of the data, and no replacement value was given."""


def quotient(part: Values, whole: Values) -> FloatArray:
    """part / whole: NaN for 0/0, infinite for any other division by 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.divide(part, whole))


def _raise_or_warn_if_nan(name: str, values: FloatArray, reason: str) -> Values:
    """The values of a metric. NaN raises an error for a number, and a warning in an array."""
    undefined = np.isnan(values)
    if values.ndim == 0:
        if undefined:
            raise ValueError(f"{name} is undefined: {reason}")
        return float(values)
    if undefined.any():
        warn_the_caller(
            f"{name} is undefined for {undefined.sum()} of {values.size} matrices (NaN): {reason}",
            UndefinedMetricWarning,
        )
    return values


def _wrong_type(name: str, data: Any, kind: type) -> TypeError:
    hint = what_takes(data)
    if isinstance(data, ConfusionCurve):
        hint = "; take the matrix at a threshold, curve.confusion_matrix(threshold)"
    return TypeError(f"{name} takes a {kind.__name__}, got {shown(data)}{hint}")
