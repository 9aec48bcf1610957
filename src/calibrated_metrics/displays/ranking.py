"""Constructors of the displays that show one ranking."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks
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
        estimator : fitted classifier
            An estimator with the attribute ``classes_``, such as a classifier, a pipeline or a
            search. The name of its class is the default `name`.
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            Binary labels of any type, both present; the positives are labelled `pos_label`.
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            Method that returns the scores. "auto": ``predict_proba`` if the estimator has it.
        **options : further arguments of `from_predictions`
        """
        _checks.same_index(X=X, y=y)
        y_score = _scores_of(estimator, X, pos_label, response_method)
        options = {"name": type(estimator).__name__, "pos_label": pos_label, **options}
        return cls.from_predictions(y, y_score, **options)


def _scores_of(estimator: Any, X: Any, pos_label: Any, response_method: str) -> Any:  # noqa: N803
    """Scores of a fitted binary classifier that rise with the probability of `pos_label`."""
    classes = list(getattr(estimator, "classes_", ()))
    if len(classes) != 2 or pos_label not in classes:
        raise ValueError(
            f"estimator must be a fitted classifier of two classes, one of them {pos_label!r} "
            f"(pos_label), got {estimator!r} with the classes {classes}"
        )
    _checks.one_of("response_method", response_method, ("auto", *_RESPONSES))
    if response_method == "auto":
        has_probabilities = hasattr(estimator, "predict_proba")
        response_method = "predict_proba" if has_probabilities else "decision_function"
    response, column = np.asarray(getattr(estimator, response_method)(X)), classes.index(pos_label)
    if response.ndim == 2:
        return response[:, column]
    return response if column == 1 else -response
