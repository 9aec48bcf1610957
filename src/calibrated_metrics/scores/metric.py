"""A metric with its options and reference prior."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _hints, _labels, _numbers
from calibrated_metrics._messages import shown, warn_the_caller
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.confusion.data import Measurable, what_takes
from calibrated_metrics.rows import built
from calibrated_metrics.scores.facts import THRESHOLD, Facts, Range, Share, facts_of

__all__ = [
    "Data",
    "DataLike",
    "Metric",
    "MetricLike",
    "metrics_of",
    "with_scores",
]

Data: TypeAlias = ConfusionCurve | ConfusionMatrix


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Metric:
    """A metric with its options and, if given, the reference prior at which it is computed.

    Parameters
    ----------
    score : str, callable or Metric
        Name or synonym of a metric ("average_precision", "auprc", "ppv", …), a function of
        `calibrated_metrics.scores`, or any function of a `ConfusionCurve` or `ConfusionMatrix`.
    pi0 : float in (0, 1), default=None
        Reference prior. None: the prior of the data.
    **options
        Options of the metric, such as ``beta=2``. A metric of a decision has the option
        `threshold`, at which it is computed from a curve.

    Attributes
    ----------
    name, key, label : str
        Name; in tables, the name as it was given, with options; and label on figures. A synonym,
        such as "ppv", is kept in tables and on figures.

    Examples
    --------
    >>> from calibrated_metrics import ConfusionCurve, Metric
    >>> curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> metric = Metric("f1", pi0=0.1, threshold=0.7)
    >>> metric, metric(curve)
    (Metric('f1(threshold=0.7)@pi0=0.1'), 0.4)
    """

    facts: Facts
    pi0: float | None
    options: Mapping[str, Any]
    _synonym: str | None

    def __init__(self, score: MetricLike | Facts, pi0: float | None = None, **options: Any):
        own_pi0, synonym = None, None
        if isinstance(score, Metric):
            own_pi0, facts, synonym = score.pi0, score.facts, score._synonym
            options = {**score.options, **options}
        else:
            facts = facts_of(score)
            synonym = score if isinstance(score, str) and score != facts.name else None
            if facts.of is None and isinstance(score, functools.partial) and not score.args:
                own_pi0, facts = score.keywords.get("pi0"), facts_of(score.func)
                options = {**score.keywords, **options}
                options.pop("pi0", None)
        if pi0 is not None and own_pi0 is not None:
            raise ValueError(
                f"pi0 must be None for a Metric that has its own reference prior {own_pi0}, got "
                f"{pi0}"
            )
        pi0 = own_pi0 if pi0 is None else pi0
        vars(self).update(
            facts=facts,
            pi0=None if pi0 is None else _numbers.open_unit("pi0", pi0),
            options=MappingProxyType(options),
            _synonym=synonym,
        )
        if self.facts.of is not None:
            self._check_options()

    def _check_options(self) -> None:
        name, known = self.facts.name, self.facts.options
        if self.of_matrix:
            known = {**known, THRESHOLD: None}
        for option in self.options:
            if option not in known:
                hint = _hints.meant(option, [*known, "pi0"])
                raise ValueError(
                    f"metric {name!r} has no option {option!r}{hint}; "
                    f"its options: {sorted(known) or 'none'}"
                )
        for option, default in known.items():
            if default is inspect.Parameter.empty and option not in self.options:
                if option in ("y_score", "y_pred", "y_prob"):
                    raise TypeError(
                        f"metric {name!r} must be a function of one ConfusionCurve or "
                        f"ConfusionMatrix, not of labels and {option}"
                    )
                raise ValueError(
                    f"metric {name!r} needs the option {option!r}: Metric({name!r}, {option}=...)"
                )

    @property
    def name(self) -> str:
        return self.facts.name

    @property
    def of_matrix(self) -> bool:
        return self.facts.of == "matrix"

    @property
    def _takes_labels(self) -> bool:
        """Whether a pair holds predicted labels: a metric of a decision without a threshold."""
        return self.of_matrix and THRESHOLD not in self.options

    @property
    def key(self) -> str:
        """Name in tables, such as ``fbeta(threshold=0.5)@pi0=0.5``."""
        return self._key_of_options + ("" if self.pi0 is None else f"@pi0={_shown(self.pi0)}")

    @property
    def _key_of_options(self) -> str:
        """Name with options, without the reference prior."""
        return (self._synonym or self.name) + _in_parentheses(self.options)

    @property
    def label(self) -> str:
        """Label on figures, without the reference prior and the threshold of a decision."""
        return self._label(THRESHOLD)

    def _label(self, *hidden: str) -> str:
        """The label, with options that were given and that its text does not name."""
        values, named = self._all_options, {*hidden}

        def value(match: re.Match[str]) -> str:
            option, layout = match.groups()  # other braces are part of mathtext
            named.add(option)
            return format(values[option], layout or "") if option in values else match[0]

        label = re.sub(r"\{(\w+)(?::([^{}]*))?\}", value, self.facts.label) or self.key
        synonym = self._synonym or label
        others = {name: each for name, each in self.options.items() if name not in named}
        text = label if synonym.lower() == label.lower() else synonym
        return text + _in_parentheses(others)

    def __repr__(self) -> str:
        return f"Metric({self.key!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Metric):
            return NotImplemented
        if self.pi0 != other.pi0 or not self.facts.has_function_of(other.facts):
            return False
        own, others = self._all_options, other._all_options
        return own.keys() == others.keys() and all(
            np.array_equal(own[name], others[name]) for name in own
        )

    def __hash__(self) -> int:
        return hash((self.facts.name, self.pi0))

    def __reduce__(self) -> tuple[Any, ...]:
        score = self.facts.name if self.facts.is_of_library else self.facts
        return _restored, (score, self.pi0, dict(self.options), self._synonym)

    def at(self, pi0: float | None) -> Metric:
        """Return the metric at another reference prior.

        Parameters
        ----------
        pi0 : None or float in (0, 1); None is the prior of the data
        """
        return _restored(self.facts, pi0, self.options, self._synonym)

    def check_options(self) -> None:
        """Raise ``TypeError`` or ``ValueError`` for options that the metric does not accept."""
        # A positive and a negative on each side of any threshold, or probabilities for a loss.
        high, low = (1e308, -1e308) if self.facts.loss is None else (0.75, 0.25)
        curve = ConfusionCurve.from_predictions([1, 0, 1, 0], [high, high, low, low])
        self.at(None)(curve.confusion_matrix(0.0) if self._takes_labels else curve)

    def __call__(self, data: DataLike, *, pos_label: Any = None) -> float:
        """Return the value of a curve, of a matrix, or of a pair.

        Parameters
        ----------
        data : ConfusionCurve, ConfusionMatrix, LabelsWithErrors or pair
            A pair is ``(y_true, y_score)``, or ``(y_true, y_pred)`` for a metric of a decision
            without a threshold.
        pos_label : scalar, default=None
            Label of the positives. None: 1 for a pair, and the own label of other data, which
            refuse another one.
        """
        if isinstance(data, Measurable):
            _labels.label_of_built("data", data.pos_label, pos_label)
            return data.value(self)
        prepared = self._prepare(data, pos_label=pos_label)
        value = self._value(prepared)
        if isinstance(data, tuple | list):
            for doubt in self.facts.doubts(prepared, self.options):
                warn_the_caller(doubt, UserWarning)
        return value

    def _prepare(self, data: DataLike, name: str = "data", *, pos_label: Any = None) -> Data:
        """Return the curve or matrix that the metric takes, at its reference prior."""
        kind = ConfusionMatrix if self._takes_labels else ConfusionCurve
        found: Any = built(name, data, kind, pos_label)
        if isinstance(found, ConfusionCurve) and self.of_matrix:
            found = found.confusion_matrix(self._required_threshold)
        elif isinstance(found, ConfusionMatrix) and self.facts.of == "curve":
            raise TypeError(f"{name} must be a ConfusionCurve for the metric {self.name!r}")
        elif isinstance(found, ConfusionMatrix) and THRESHOLD in self.options:
            raise ValueError(
                f"{name} must be a ConfusionCurve for a Metric with a threshold, got {found!r}"
            )
        elif not isinstance(found, ConfusionCurve | ConfusionMatrix):
            hint = what_takes(found)
            if not isinstance(found, Measurable) and np.shape(found) == (2, 2):
                hint = "; with counts [[tn, fp], [fn, tp]]: ConfusionMatrix(tp=, fp=, fn=, tn=)"
            raise TypeError(
                f"{name} must be a ConfusionCurve, a ConfusionMatrix or a pair (y_true, y_score), "
                f"got {shown(found)}{hint}"
            )
        prepared: Data = found if self.pi0 is None else found.at_prior(self.pi0)
        return prepared

    @property
    def _required_threshold(self) -> float:
        if THRESHOLD not in self.options:
            threshold = self.options.get("threshold_probability", 0.5)
            options = [f"{name}={_shown(value)}" for name, value in self.options.items()]
            raise ValueError(
                f"metric {self.name!r} of a curve needs a threshold, such as "
                f"Metric({', '.join([repr(self.name), *options, f'threshold={threshold}'])})"
            )
        return _numbers.real_number(THRESHOLD, self.options[THRESHOLD])

    @property
    def _arguments(self) -> dict[str, Any]:
        """The options that the function takes."""
        others = {THRESHOLD} if self.of_matrix else set()
        return {name: each for name, each in self.options.items() if name not in others}

    @property
    def _all_options(self) -> dict[str, Any]:
        """The options with their defaults."""
        return {**self.facts.options, **self.options}

    def _value(self, data: Data | Measurable) -> float:
        """Return the value of prepared data, a number in the range of the metric."""
        if isinstance(data, Measurable):
            return data.value(self)
        try:
            return self.facts.value(data, self._arguments)
        except Exception as error:
            error.add_note(f"metric {self.key} of {data!r}")
            raise

    def _values(self, matrices: ConfusionMatrix) -> FloatArray:
        """Return the values of a stack of matrices; NaN where the metric is undefined."""
        try:
            return self.facts.values(matrices, self._arguments)
        except Exception as error:
            error.add_note(f"metric {self.key} of {matrices!r}")
            raise

    @property
    def _share(self) -> Share | None:
        """Outcomes that are successes and failures, if the metric is a function of their share."""
        return None if self.facts.share is None else self.facts.share(self._all_options)

    def _scale(self, data: Data) -> Range:
        """Return the range on whose logit intervals are computed.

        Ends that depend on the prior hold only if it is known.
        """
        if self.facts.scale is None:
            return self.facts.range
        prior = float(data.prior) if data.prior_is_known else None
        return self.facts.scale(self._all_options, prior)


def metrics_of(metrics: Any) -> list[Metric]:
    """One or more metrics with different names."""
    if isinstance(metrics, str | Metric) or not isinstance(metrics, Iterable):
        metrics = [metrics]
    found = [Metric(each) for each in metrics]
    if not found:
        raise ValueError("metrics must name at least one metric, got none")
    for place, each in enumerate(found):
        if any(each == other or each.key == other.key for other in found[:place]):
            raise ValueError(f"metrics must have different names, got {each.key!r} twice")
    return found


def with_scores(metric: Metric, name: str, data: Any, pos_label: Any) -> tuple[Metric, Any]:
    """The metric at threshold 0.5 and the curve of scores 0 and 1, for a pair or a matrix.

    Other metrics and data are returned as given. `name` is that of the argument.
    """
    if not (metric._takes_labels and isinstance(data, tuple | list | ConfusionMatrix)):
        return metric, data
    rows = built(name, data, ConfusionMatrix, pos_label)._decisions()
    return Metric(metric, threshold=0.5), ConfusionCurve._from_rows(rows)


def _restored(
    score: str | Facts, pi0: float | None, options: Mapping[str, Any], synonym: str | None
) -> Metric:
    """A metric of a record, which a pickle carries for a function that a user registered."""
    metric = Metric(score, pi0, **options)
    vars(metric)["_synonym"] = synonym
    return metric


MetricLike: TypeAlias = str | Callable[..., Any] | Metric
DataLike: TypeAlias = ConfusionCurve | ConfusionMatrix | Measurable | tuple[ArrayLike, ArrayLike]


def _in_parentheses(options: Mapping[str, Any]) -> str:
    shown = (f"{name}={_shown(value)}" for name, value in sorted(options.items()))
    return f"({','.join(shown)})" if options else ""


def _shown(value: Any) -> str:
    """Shortest text of a number that round-trips, or the repr of anything else."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return repr(value)
    return _numbers.all_digits(float(value))
