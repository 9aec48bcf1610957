"""Metrics for scikit-learn: scorers, and functions of labels and scores.

`scorer` needs scikit-learn: ``pip install ".[sklearn]"`` in a copy of the repository.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _arguments, _columns, _labels, _numbers, functions, scores
from calibrated_metrics._estimators import scores_of
from calibrated_metrics._messages import extra
from calibrated_metrics.confusion import Values
from calibrated_metrics.functions.value import value_of
from calibrated_metrics.scores.facts import THRESHOLD, Facts, facts_of
from calibrated_metrics.scores.metric import Metric, MetricLike

__all__ = ["score_function", "scorer"]

_SCORES_OF_RANKING = ("decision_function", "predict_proba")
_SCORES_OF_THRESHOLD = ("predict_proba", "decision_function")
_POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD


def score_function(metric: str | Callable[..., Any] | Facts) -> Callable[..., Values]:
    """Return a registered metric as a function with scikit-learn's signature.

    Parameters
    ----------
    metric : str or callable
        Name or synonym of a metric, or its function.

    Returns
    -------
    callable
        ``function(y_true, y_score, *, pi0=None, pos_label=1, sample_weight=None, **options)`` for a
        metric of a curve, and the same with predicted labels ``y_pred`` for a metric of a matrix.
        For a metric of this library it is the function of `calibrated_metrics`, if there is one.

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
    facts = facts_of(metric)
    if getattr(scores, facts.name, None) is facts.function:
        function: Callable[..., Values] | None = getattr(functions, f"{facts.name}_score", None)
        if function is not None:
            return function
    return _function_of_rows(facts)


def scorer(
    metric: MetricLike,
    *,
    pi0: float | None = None,
    pos_label: Any = 1,
    response_method: str | None = None,
    **options: float,
) -> Any:
    """Return a scorer for `cross_validate`, `GridSearchCV` and other parts of scikit-learn.

    Each test fold needs both classes: use stratified folds. For weights, see
    ``docs/how-to/scikit-learn.md``.

    Parameters
    ----------
    metric : str, callable or Metric
        Name or synonym of a metric, its function, or a `Metric`.
    pi0 : None or float in (0, 1), default=None
        Reference prior, the same for all folds; None is the prior of each test fold.
    pos_label : scalar, default=1
        Label of the positive class.
    response_method : {"decision_function", "predict_proba"}, default=None
        Method of the estimator that returns the scores. None: the first of these that the estimator
        has; for a metric at a `threshold`, ``predict_proba`` is tried first, and for a proper score
        it is required.
    **options : float
        Options of the metric, such as ``beta``. A metric of a decision is computed from the labels
        of ``predict``, or with the option ``threshold`` from scores: a score ``>= threshold`` is
        predicted positive.

    Returns
    -------
    scorer
        A scorer for scikit-learn: ``scorer(estimator, X, y)`` returns a float. Its sign is changed
        for metrics where smaller is better. It can be cloned and pickled. Scores of an outlier
        detector are negated, since outliers are the positives; labels -1 and 1 need `pos_label`.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from calibrated_metrics.scorers import scorer
    >>> X, y = make_classification(1000, weights=[0.9], random_state=0)
    >>> scoring = scorer("average_precision", pi0=0.01)
    >>> cross_val_score(LogisticRegression(), X, y, cv=3, scoring=scoring).round(2)
    array([0.74, 0.85, 0.68])
    """
    with extra("sklearn"):
        from sklearn.metrics import make_scorer
    asked = Metric(metric, pi0, **options)
    asked.check_options()
    given = {"pos_label": pos_label, **asked.facts.options, **asked.options}
    if asked.pi0 is not None:
        given["pi0"] = asked.pi0
    function = score_function(asked.facts)
    threshold = given.pop(THRESHOLD, None)
    methods = _responses(response_method, asked)
    greater = asked.facts.greater_is_better
    made = make_scorer(function, response_method=methods, greater_is_better=greater, **given)
    if asked._takes_labels:
        return made
    return _ScorerOfScores(made, function, 1 if greater else -1, methods, threshold, given)


def _responses(asked: str | None, metric: Metric) -> str | Sequence[str]:
    if metric._takes_labels:
        if asked is not None:
            raise ValueError(
                f"response_method must be None for the metric {metric.name!r} of predicted labels, "
                f"got {asked!r}; give the option {THRESHOLD!r} to apply a threshold to scores"
            )
        return "predict"
    if asked is None and metric.facts.loss is not None:  # of probabilities
        return ("predict_proba",)
    if asked is None:
        return _SCORES_OF_RANKING if metric.facts.of == "curve" else _SCORES_OF_THRESHOLD
    _arguments.one_of("response_method", asked, _SCORES_OF_RANKING)
    return (asked,)


def _function_of_rows(facts: Facts) -> Callable[..., Values]:
    """A metric that is not of the library as a function of labels, predictions and options."""
    predictions = "y_score" if facts.of == "curve" else "y_pred"
    named = {"pi0": None, "pos_label": 1, "sample_weight": None}
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        *(inspect.Parameter(name, _POSITIONAL) for name in ("y_true", predictions)),
        *(
            inspect.Parameter(name, keyword, default=default)
            for name, default in {**facts.options, **named}.items()
        ),
    ]
    function = _OwnScore(value_of, facts)
    function.__name__ = f"{facts.name}_score"
    function.__signature__ = inspect.Signature(parameters)
    return function


class _OwnScore(partial[Values]):
    """`value_of` a metric, with the name and signature that scikit-learn shows.

    Unlike a local function, it can be pickled.
    """

    __name__: str
    __signature__: inspect.Signature

    def __call__(self, *args: Any, **keywords: Any) -> Values:
        given = self.__signature__.bind(*args, **keywords)  # arguments may be given by name
        return super().__call__(*given.args, **given.kwargs)

    def __repr__(self) -> str:
        return self.__name__


@dataclass(frozen=True, eq=False, repr=False)
class _ScorerOfScores:
    """A scorer that takes the scores of an estimator, also of an outlier detector, as displays do.

    `made` is the scorer of scikit-learn, which keeps requests of metadata. A threshold turns scores
    into predicted labels.
    """

    made: Any
    function: Callable[..., Values]
    sign: int
    methods: Sequence[str]
    threshold: float | None
    given: Mapping[str, Any]

    def __call__(
        self,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        _columns.same_index(y=y, sample_weight=sample_weight)
        given = {**self.given, "sample_weight": sample_weight}
        scores = scores_of(estimator, X, y, given["pos_label"], self.methods)
        if self.threshold is not None:
            limit = _numbers.in_dtype(self.threshold, _numbers.float_dtype(scores))
            scores = _numbers.finite_vector("y_score", scores) >= limit
            y, given["pos_label"] = _labels.is_positive(y, given["pos_label"]), np.True_
        return self.sign * float(self.function(y, scores, **given))

    def set_score_request(self, **requests: Any) -> _ScorerOfScores:
        """Request weights, as scorers of scikit-learn do."""
        self.made.set_score_request(**requests)
        return self

    def get_metadata_routing(self) -> Any:
        """Requests of weights, for scikit-learn."""
        return self.made.get_metadata_routing()

    def __repr__(self) -> str:
        at = "" if self.threshold is None else f" at score >= {_numbers.all_digits(self.threshold)}"
        return f"{self.made!r}{at}"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"a scorer of scores has no attribute {name!r}: TunedThresholdClassifierCV, which "
            "passes labels, needs a metric of a decision without a threshold, such as "
            'scorer("f1")'
        )
