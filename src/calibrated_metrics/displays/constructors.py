"""Constructors of the displays of rankings, with scikit-learn's names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _arguments, _columns
from calibrated_metrics._estimators import same_number_of_rows, scores_of
from calibrated_metrics.confusion import ConfusionCurve

__all__ = ["RankingDisplay", "curves_of", "scores_of_estimators"]

_OF_PRIORS = ("pi0", "pi0_range", "prior", "point")  # arguments that set a reference prior
_RESPONSES = ("predict_proba", "decision_function")


class RankingDisplay(ABC):
    """A display of rankings, built from labelled scores, estimators or curves."""

    NAME: ClassVar[str | None] = None  # of a model without a name

    @classmethod
    @abstractmethod
    def from_curve(cls, curve: Any, **options: Any) -> Self:
        """Plot a curve."""

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike | Mapping[str, ArrayLike],
        *,
        pos_label: Any = None,
        sample_weight: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Plot labelled scores, with the arguments of `ConfusionCurve.from_predictions`.

        `y_score` may be a dict of several models by their names, except for `ThresholdDisplay`.
        `options` are arguments of `from_curve`, such as `pi0`, and of `plot`.
        """
        drawn = {"sample_weight": sample_weight, "clusters": clusters, "strata": strata}
        curves = curves_of(y_true, y_score, pos_label, drawn)
        name = cls.NAME if name is None and not isinstance(y_score, Mapping) else name
        return cls.from_curve(curves, name=name, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        pos_label: Any = None,
        response_method: str = "auto",
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Plot the scores of a fitted binary classifier.

        Parameters
        ----------
        estimator : fitted classifier or outlier detector, or dict of str to them
            An estimator with the attribute ``classes_``, such as a classifier, a pipeline or a
            search, or an outlier detector, whose scores are negated as for `scorers.scorer`. The
            name of its class is the default `name`. Or several estimators by their names.
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            Binary labels of any type, both present.
        pos_label : scalar, default=None
            Label of the positives. None: the second of ``classes_``, and 1 for outlier detectors;
            at a reference prior, which is that of the positives, text labels need it.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            Method that returns the scores. "auto": ``predict_proba`` if the estimator has it.
        **options : further arguments of `from_predictions`
        """
        weight = options.get("sample_weight")
        needs = any(options.get(each) is not None for each in _OF_PRIORS)
        found = scores_of_estimators(estimator, X, y, pos_label, response_method, weight, needs)
        if name is None and not isinstance(estimator, Mapping):
            name = type(estimator).__name__
        return cls.from_predictions(y, found[0], pos_label=found[1], name=name, **options)


def scores_of_estimators(
    estimator: Any,
    rows: Any,
    y: Any,
    pos_label: Any,
    response_method: str,
    weight: Any = None,
    needs_label: bool = False,
) -> tuple[Any, Any]:
    """Scores of an estimator, or a dict of them, and the label of the positives.

    `needs_label` says that a prior is given, which is that of text labels only if one is named.
    """
    _columns.same_index(X=rows, y=y)
    same_number_of_rows(rows, y, weight)
    if isinstance(estimator, Mapping):
        found = {
            model: scores_of_estimators(
                each, rows, y, pos_label, response_method, needs_label=needs_label
            )
            for model, each in estimator.items()
        }
        labels = {label for _, label in found.values()} or {pos_label}
        if len(labels) > 1:
            raise ValueError(
                f"pos_label must be given for estimators with different classes: {labels}"
            )
        return {model: scores for model, (scores, _) in found.items()}, labels.pop()
    if pos_label is None:
        pos_label = [1, *getattr(estimator, "classes_", ())][-1]
        if needs_label and isinstance(pos_label, str):
            raise ValueError(
                f"pos_label must be one of {[*map(str, estimator.classes_)]} at a reference prior, "
                "which is that of the positives, got None"
            )
    methods = _RESPONSES if response_method == "auto" else (response_method,)
    if hasattr(estimator, response_method):  # otherwise the error names what is missing
        _arguments.one_of("response_method", response_method, ("auto", *_RESPONSES))
    return scores_of(estimator, rows, y, pos_label, methods), pos_label


def curves_of(y_true: ArrayLike, y_score: Any, pos_label: Any, drawn: Mapping[str, Any]) -> Any:
    """The curve of labelled scores, or a dict of curves; `pos_label` None is 1."""
    if isinstance(y_score, Mapping):
        return {name: curves_of(y_true, each, pos_label, drawn) for name, each in y_score.items()}
    label = 1 if pos_label is None else pos_label
    try:
        return ConfusionCurve.from_predictions(y_true, y_score, pos_label=label, **drawn)
    except ValueError as error:
        raise _of_labels(error, y_true, pos_label) from None


def _of_labels(error: ValueError, y_true: ArrayLike, pos_label: Any) -> ValueError:
    """The error, after what scikit-learn says of labels that are not binary, or of no known one."""
    if not str(error).startswith(("y_true holds no positives", "y_true must hold exactly two")):
        return error
    labels = sorted(dict.fromkeys(np.asarray(y_true).tolist()), key=str)
    is_continuous = any(isinstance(label, float) and label % 1 for label in labels)
    if is_continuous or len(labels) > 2:
        kind = "continuous" if is_continuous else "multiclass"
        return ValueError(f"The target y is not binary. Got {kind} type of target: {error}")
    if pos_label is not None:
        return error
    listed = ", ".join(map(repr, labels))
    return ValueError(f"y_true takes value in {{{listed}}} and pos_label is not specified: {error}")
