"""Constructors of the displays that show one ranking."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from numpy.typing import ArrayLike

from calibrated_metrics import _checks
from calibrated_metrics._estimators import scores_of
from calibrated_metrics.confusion import ConfusionCurve, CurveLike

__all__ = ["RankingDisplay"]

_RESPONSES = ("predict_proba", "decision_function")


class RankingDisplay(ABC):
    """A display of one ranking, built from labelled scores, an estimator or a curve."""

    @classmethod
    @abstractmethod
    def from_curve(cls, curve: CurveLike, **options: Any) -> Self:
        """Plot a curve."""

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = 1,
        sample_weight: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        **options: Any,
    ) -> Self:
        """Plot labelled scores, with the arguments of `ConfusionCurve.from_predictions`.

        `options` are arguments of `from_curve`, such as `pi0`, and of `plot`, such as `name`.
        """
        drawn = {"sample_weight": sample_weight, "clusters": clusters, "strata": strata}
        curve = ConfusionCurve.from_predictions(y_true, y_score, pos_label=pos_label, **drawn)
        return cls.from_curve(curve, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        pos_label: Any = 1,
        response_method: str = "auto",
        **options: Any,
    ) -> Self:
        """Plot the scores of a fitted binary classifier.

        Parameters
        ----------
        estimator : fitted classifier or outlier detector
            An estimator with the attribute ``classes_``, such as a classifier, a pipeline or a
            search, or an outlier detector, whose scores are negated as for `scorers.scorer`. The
            name of its class is the default `name`.
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            Binary labels of any type, both present; the positives are labelled `pos_label`.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            Method that returns the scores. "auto": ``predict_proba`` if the estimator has it.
        **options : further arguments of `from_predictions`
        """
        _checks.same_index(X=X, y=y)
        _checks.one_of("response_method", response_method, ("auto", *_RESPONSES))
        methods = _RESPONSES if response_method == "auto" else (response_method,)
        y_score = scores_of(estimator, X, y, pos_label, methods)
        options = {"name": type(estimator).__name__, "pos_label": pos_label, **options}
        return cls.from_predictions(y, y_score, **options)
