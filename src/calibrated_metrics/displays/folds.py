"""Curves of the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks
from calibrated_metrics._estimators import same_number_of_rows
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.displays.ranking import curves_of, scores_of_estimator

__all__ = ["check_pooled", "curves_of_folds"]

_KEYS = ("estimator", "indices")


def curves_of_folds(
    cv_results: Mapping[str, Any],
    X: Any,  # noqa: N803
    y: ArrayLike,
    drawn: Mapping[str, ArrayLike | None],
    response_method: str,
    pos_label: Any,
) -> list[ConfusionCurve]:
    """The curve of the test rows of each fold, scored by the estimator of the fold."""
    if missing := [key for key in _KEYS if key not in cv_results]:
        raise ValueError(
            f"`cv_results` does not contain one of the following required keys: {missing}. Call "
            "cross_validate with return_estimator=True and return_indices=True"
        )
    folds = cv_results["indices"]
    expected, n_rows = len(folds["train"][0]) + len(folds["test"][0]), np.shape(X)[0]
    if n_rows != expected:
        raise ValueError(
            f"`X` does not contain the correct number of samples. Expected {expected}, got {n_rows}"
        )
    same_number_of_rows(X, y, *drawn.values())
    _checks.same_index(X=X, y=y, **drawn)
    curves = []
    for estimator, test in zip(cv_results["estimator"], folds["test"], strict=True):
        rows, labels = _taken(X, test), np.asarray(y)[test]
        y_score, positive = scores_of_estimator(estimator, rows, labels, pos_label, response_method)
        of_fold = {
            name: None if each is None else np.asarray(each)[test] for name, each in drawn.items()
        }
        curves.append(curves_of(labels, y_score, positive, of_fold))
    return curves


def check_pooled(cv_results: Mapping[str, Any]) -> None:
    """Refuse folds that test a row several times."""
    tested = np.concatenate(cv_results["indices"]["test"])
    if len(np.unique(tested)) < len(tested):
        raise ValueError(
            "pooled must be False if a row is in several test folds, as in repeated "
            "cross-validation: average its scores, and use from_predictions"
        )


def _taken(X: Any, rows: Any) -> Any:  # noqa: N803
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return (np.asarray(X) if isinstance(X, list) else X)[rows]
