"""Registered metrics for scikit-learn: scorers, and functions of labels and scores.

`scorer` needs scikit-learn (``pip install "calibrated-metrics[sklearn]"``); `score_function` does
not.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks, metrics, scores
from calibrated_metrics._optional import extra
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix, Values
from calibrated_metrics.metrics._arguments import at_priors, curve_of, matrix_of
from calibrated_metrics.registry import THRESHOLD, Metric, Score, score_named

__all__ = ["score_function", "scorer"]

_SCORES_OF_RANKING = ("decision_function", "predict_proba")
_SCORES_OF_THRESHOLD = ("predict_proba", "decision_function")


def score_function(score: str) -> Callable[..., Values]:
    """Return a registered metric as a function with scikit-learn's signature.

    Parameters
    ----------
    score : str
        Name of a registered score, of this library or your own.

    Returns
    -------
    callable
        ``function(y_true, y_score, *, pi0=None, pos_label=1, sample_weight=None, **options)`` for a
        score of a curve, and the same with predicted labels ``y_pred`` for a score of a matrix. It
        returns a float, or an array for an array `pi0`. For a metric of this library it is the
        function in `metrics`.

    Raises
    ------
    ValueError, TypeError
        If there is no score of this name. The function raises as those in `metrics`, and if the
        value is not finite.

    Examples
    --------
    >>> from calibrated_metrics import register_score
    >>> from calibrated_metrics.scorers import score_function
    >>> @register_score(label="miss rate", of="matrix", greater_is_better=False)
    ... def example_miss_rate(matrix):
    ...     return matrix.fn / matrix.n_pos
    >>> miss_rate_score = score_function("example_miss_rate")
    >>> miss_rate_score(["ok", "fraud", "fraud"], ["ok", "ok", "fraud"], pos_label="fraud")
    0.5
    """
    entry = score_named(score)
    if getattr(scores, entry.name, None) is entry.function:
        function: Callable[..., Values] = getattr(metrics, f"{entry.name}_score")
        return function
    return _OfLabels(entry)


def scorer(
    score: str,
    *,
    pi0: float | None = None,
    pos_label: Any = 1,
    response_method: str | None = None,
    **options: float,
) -> Any:
    """Return a scorer for `cross_validate`, `GridSearchCV` and other parts of scikit-learn.

    Folds, and data with another prior, are scored at the same prior if `pi0` is given.

    Parameters
    ----------
    score : str
        Name of a registered score, of this library or your own.
    pi0 : None or float in (0, 1), default=None
        Reference prior; None is the prior of each test fold.
    pos_label : scalar, default=1
        Label of the positive class.
    response_method : {"decision_function", "predict_proba"}, default=None
        Method of the estimator that returns the scores. None takes the first that the estimator
        has. A metric of a ranking tries ``decision_function`` first, as scikit-learn's scorers do;
        a metric at a `threshold` tries ``predict_proba`` first, as `FixedThresholdClassifier` does.
    **options : float
        Options of the score, such as ``beta``. A score of a matrix is computed from the labels of
        ``predict``, or with the option ``threshold`` from scores: a score ``>= threshold`` is
        predicted positive.

    Returns
    -------
    scorer
        Made by `sklearn.metrics.make_scorer`: ``scorer(estimator, X, y)`` returns a float, which is
        negative for a score that is better if smaller. It can be cloned and pickled.

    Raises
    ------
    ImportError
        Without scikit-learn.
    ValueError, TypeError
        For an unknown score or option, a missing option, or values outside their range.

    See Also
    --------
    score_function : The metric as a function of labels and scores.
    calibrated_metrics.thresholds.choose_threshold : A threshold with a guarantee.

    Notes
    -----
    Weights reach the scorer by metadata routing: ``sklearn.set_config(enable_metadata_routing=
    True)``, ``scorer(...).set_score_request(sample_weight=True)``, and ``params={"sample_weight":
    ...}`` of `cross_validate`. Without it, all rows count alike.

    A test fold without a positive or without a negative has no value: scikit-learn then warns and
    records `error_score`. Use stratified folds.

    `TunedThresholdClassifierCV` takes a scorer of a matrix without the option `threshold`, such as
    ``scorer("fbeta", pi0=0.01)``. Its threshold is empirical and has no guarantee: it maximises
    scores that are interpolated and averaged over folds.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from calibrated_metrics.scorers import scorer
    >>> X, y = make_classification(1000, weights=[0.9], random_state=0)
    >>> scorer("average_precision", pi0=0.01)
    make_scorer(average_precision_score, response_method=('decision_function', 'predict_proba'), ...
    >>> values = cross_val_score(
    ...     LogisticRegression(), X, y, cv=3, scoring=scorer("average_precision", pi0=0.01)
    ... )
    >>> values.round(2)
    array([0.74, 0.85, 0.68])
    """
    with extra("sklearn"):
        from sklearn.metrics import make_scorer
    entry = score_named(score)
    of_labels = entry.of == "matrix" and THRESHOLD not in options
    metric = Metric(score, options={THRESHOLD: 0.0, **options} if of_labels else options)
    metric.check_options()
    given = {"pos_label": pos_label, **metric.settings}
    if pi0 is not None:
        given["pi0"] = _checks.open_unit("pi0", pi0)
    function = score_function(score)
    if entry.of == "matrix":
        threshold = given.pop(THRESHOLD)
        function = function if of_labels else _AtThreshold(function, threshold)
    return make_scorer(
        function,
        response_method=_responses(response_method, entry, of_labels),
        greater_is_better=entry.greater_is_better,
        **given,
    )


def _responses(asked: str | None, entry: Score, of_labels: bool) -> str | tuple[str, ...]:
    if of_labels:
        if asked is not None:
            raise ValueError(
                f"response_method must be None for the score {entry.name!r} of predicted labels, "
                f"got {asked!r}; give the option {THRESHOLD!r} to apply a threshold to scores"
            )
        return "predict"
    if asked is None:
        return _SCORES_OF_RANKING if entry.of == "curve" else _SCORES_OF_THRESHOLD
    if not (isinstance(asked, str) and asked in _SCORES_OF_RANKING):
        raise ValueError(
            f"response_method must be one of {list(_SCORES_OF_RANKING)} or None, got {asked!r}"
        )
    return asked


@dataclass(frozen=True, repr=False)
class _OfLabels:
    """A registered score as a function of labels and of scores or predicted labels."""

    entry: Score

    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pi0: float | ArrayLike | None = None,
        pos_label: Any = 1,
        sample_weight: ArrayLike | None = None,
        **options: float,
    ) -> Values:
        def value_of(data: ConfusionCurve | ConfusionMatrix) -> float:
            value = self.entry.function(data, **options)
            return _checks.real_number(f"score {self.entry.name}", value)

        if self.entry.of == "curve":
            return at_priors(value_of, curve_of(y_true, y_score, pos_label, sample_weight), pi0)
        matrix = matrix_of(y_true, y_score, pos_label, sample_weight)
        return at_priors(value_of, matrix, pi0)

    @property
    def __signature__(self) -> inspect.Signature:
        of_call = inspect.signature(type(self).__call__).parameters
        names = ("y_true", "y_score", "pi0", "pos_label", "sample_weight")
        y_true, predicted, *keywords = (of_call[name] for name in names)
        if self.entry.of == "matrix":
            predicted = predicted.replace(name="y_pred")
        options = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default in self.entry.options.items()
            if not (self.entry.of == "matrix" and name == THRESHOLD)
        ]
        return inspect.Signature([y_true, predicted, *options, *keywords])

    @property
    def __name__(self) -> str:
        return f"{self.entry.name}_score"

    def __repr__(self) -> str:
        return self.__name__


@dataclass(frozen=True, repr=False)
class _AtThreshold:
    """A metric of predicted labels as a function of scores: ``score >= threshold`` is positive."""

    function: Callable[..., Values]
    threshold: float

    def __call__(
        self, y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any = 1, **given: Any
    ) -> Values:
        (threshold,) = _checks.in_dtype(np.array([self.threshold]), _checks.float_dtype(y_score))
        predicted = _checks.finite_vector("y_score", y_score) >= threshold
        positive = _checks.is_positive(y_true, pos_label)
        _checks.same_length(y_true=positive, y_score=predicted)
        return self.function(positive, predicted, pos_label=np.True_, **given)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.function)

    @property
    def __name__(self) -> str:  # part of the representation of a scorer
        return f"{self.function.__name__} at score >= {self.threshold:g}"
