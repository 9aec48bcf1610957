"""Curves of the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calibrated_metrics import _columns
from calibrated_metrics._estimators import same_number_of_rows
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.displays.ranking import curves_of, scores_of_estimators

__all__ = ["check_pooled", "curves_of_folds"]


def curves_of_folds(
    cv_results: Any,
    rows: Any,
    y: Any,
    drawn: Any,
    response_method: str,
    pos_label: Any,
    needs_label: bool,
) -> list[ConfusionCurve]:
    """The curve of the test rows of each fold, scored by the estimator of the fold."""
    if missing := {"estimator", "indices"} - set(cv_results):
        raise ValueError(
            f"`cv_results` does not contain one of the following required keys: {missing}. Call "
            "cross_validate with return_estimator=True and return_indices=True"
        )
    folds = cv_results["indices"]
    expected, n_rows = len(folds["train"][0]) + len(folds["test"][0]), np.shape(rows)[0]
    if n_rows != expected:
        raise ValueError(
            f"`X` does not contain the correct number of samples. Expected {expected}, got {n_rows}"
        )
    same_number_of_rows(rows, y, *drawn.values())
    _columns.same_index(X=rows, y=y, **drawn)
    curves = []
    for estimator, test in zip(cv_results["estimator"], folds["test"], strict=True):
        tested, labels = _taken(rows, test), np.asarray(y)[test]
        found = scores_of_estimators(
            estimator, tested, labels, pos_label, response_method, needs_label=needs_label
        )
        of_fold = {
            name: None if each is None else np.asarray(each)[test] for name, each in drawn.items()
        }
        curves.append(curves_of(labels, *found, of_fold))
    return curves


def check_pooled(cv_results: Mapping[str, Any]) -> None:
    """Refuse folds that test a row several times."""
    tested = np.concatenate(cv_results["indices"]["test"])
    if len(np.unique(tested)) < len(tested):
        raise ValueError(
            "pooled must be False if a row is in several test folds, as in repeated "
            "cross-validation: use one repeat, or draw each repeat on its own; the mean of the "
            "scores of a row would be that of an ensemble"
        )


def _taken(rows: Any, test: Any) -> Any:
    if hasattr(rows, "iloc"):
        return rows.iloc[test]
    return (np.asarray(rows) if isinstance(rows, list) else rows)[test]
