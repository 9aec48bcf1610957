"""Rankings that displays are built from: labelled scores, curves, estimators, folds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks, spaces
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._intervals.asked import Asked, ScoreLike, Settings
from calibrated_metrics._intervals.bands import fpr_limits_at_recall
from calibrated_metrics._intervals.estimate import Estimate
from calibrated_metrics._intervals.problems import problem_of, problem_of_rows
from calibrated_metrics._intervals.results import PriorLike, answer
from calibrated_metrics._intervals.samples import CurveSample, RowSample
from calibrated_metrics.confusion import ConfusionCurve

__all__ = ["Ranking", "fold_rankings", "scores_of"]

_RESPONSES = ("predict_proba", "decision_function")


class Ranking:
    """A curve, with its rows where their weights or groups matter to intervals."""

    def __init__(
        self, curve: ConfusionCurve, argument: str = "curve", rows: RowSample | None = None
    ):
        if not isinstance(curve, ConfusionCurve):
            raise TypeError(f"{argument} must be a ConfusionCurve, got {curve!r}")
        self.curve, self._argument, self._rows = curve, argument, rows

    @classmethod
    def of_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = 1,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Ranking:
        if sample_weight is None and groups is None:
            return cls(ConfusionCurve.from_predictions(y_true, y_score, pos_label=pos_label))
        rows = RowSample(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, groups=groups
        )
        return cls(rows.curve, rows=rows)

    def at(self, pi0: float | None) -> ConfusionCurve:
        return self.curve if pi0 is None else self.curve.at_prior(pi0)

    @property
    def sample(self) -> CurveSample | RowSample:
        """What the variances of intervals come from."""
        if self._rows is not None:
            return self._rows
        try:
            return CurveSample(self.curve, self._argument)
        except ValueError as error:
            raise ValueError(
                f"{error}; set confidence_level=None to draw the curve without a band"
            ) from None

    def interval(self, score: ScoreLike, pi0: PriorLike, settings: Settings) -> Estimate:
        asked = Asked.of(score)
        if self._rows is not None:
            return answer(pi0, settings, problem_of_rows(asked, self._rows))
        return answer(pi0, settings, problem_of(asked, self.curve, self._argument))

    def fpr_limits(
        self, curve: ConfusionCurve, level: float, *, least_recall: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Recalls of the curve from `least_recall`, above 0, and limits of the FPR there."""
        fpr, recall = spaces.roc(spaces.interpolated(curve))
        shown = (recall > 0) & (recall >= least_recall)
        low, high = fpr_limits_at_recall(self.sample, recall[shown], fpr[shown], level)
        return recall[shown], low, high


# -------------------------------------------------------------------------------- estimators


def scores_of(estimator: Any, X: Any, pos_label: Any, response_method: str) -> Any:  # noqa: N803
    """Scores of a fitted binary classifier that rise with the probability of `pos_label`."""
    classes = list(getattr(estimator, "classes_", ()))
    if len(classes) != 2:
        raise ValueError(
            "estimator must be a fitted classifier of two classes, got "
            f"{estimator!r} with the classes {classes}"
        )
    if pos_label not in classes:
        raise ValueError(f"pos_label={pos_label!r} is not among the classes {classes}")
    column = classes.index(pos_label)
    method = _response(estimator, response_method)
    response = np.asarray(getattr(estimator, method)(X))
    if method == "predict_proba":
        return response[:, column]
    return response if column == 1 else -response


def _response(estimator: Any, asked: str) -> str:
    if asked not in ("auto", *_RESPONSES):
        raise ValueError(f"response_method must be one of {['auto', *_RESPONSES]}, got {asked!r}")
    for method in _RESPONSES if asked == "auto" else (asked,):
        if hasattr(estimator, method):
            return method
    raise TypeError(
        f"estimator must have the method {' or '.join(_RESPONSES) if asked == 'auto' else asked}, "
        f"got {estimator!r}"
    )


def fold_rankings(
    cv_results: Mapping[str, Any],
    X: Any,  # noqa: N803
    y: Any,
    *,
    pos_label: Any,
    response_method: str,
    sample_weight: ArrayLike | None,
) -> list[Ranking]:
    """The ranking of the test rows of each fold of scikit-learn's `cross_validate`."""
    if not (isinstance(cv_results, Mapping) and {"estimator", "indices"} <= cv_results.keys()):
        raise ValueError(
            "cv_results must hold the keys 'estimator' and 'indices': call cross_validate with "
            "return_estimator=True and return_indices=True"
        )
    labels = _checks.vector("y", y)
    weight = None if sample_weight is None else _checks.weights("sample_weight", sample_weight)
    _checks.same_length(y=labels, sample_weight=weight)
    n_rows = len(cv_results["indices"]["train"][0]) + len(cv_results["indices"]["test"][0])
    if n_rows != len(labels):
        raise ValueError(f"y must hold the {n_rows} rows of cv_results, got {len(labels)}")
    folds = zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True)
    return [
        Ranking.of_predictions(
            labels[rows],
            scores_of(estimator, _rows_of(X, rows), pos_label, response_method),
            pos_label=pos_label,
            sample_weight=None if weight is None else weight[rows],
        )
        for estimator, rows in folds
    ]


def _rows_of(X: Any, rows: Any) -> Any:  # noqa: N803
    if isinstance(X, list | tuple):
        return [X[row] for row in rows]
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
