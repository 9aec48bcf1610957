"""Curves of the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from calibrated_metrics import _columns, scores
from calibrated_metrics._estimators import rows_at, same_number_of_rows
from calibrated_metrics._messages import warn_the_caller
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.displays.constructors import curves_of, scores_of_estimators

__all__ = ["curves_of_folds", "pooled_curve"]

_FEWEST_FOLDS = 5  # the pooled value lies below all of n by chance in about 1 of 2**n cases


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
        tested, labels = rows_at(rows, test), np.asarray(y)[test]
        found = scores_of_estimators(
            estimator, tested, labels, pos_label, response_method, needs_label=needs_label
        )
        of_fold = {
            name: None if each is None else np.asarray(each)[test] for name, each in drawn.items()
        }
        curves.append(curves_of(labels, *found, of_fold))
    return curves


def pooled_curve(cv_results: Mapping[str, Any], curves: Sequence[ConfusionCurve]) -> ConfusionCurve:
    """The curve of the test rows of all folds. Folds that test a row several times are refused."""
    tested = np.concatenate(cv_results["indices"]["test"])
    if len(np.unique(tested)) < len(tested):
        raise ValueError(
            "pooled must be False if a row is in several test folds, as in repeated "
            "cross-validation: use one repeat, or draw each repeat on its own; the mean of the "
            "scores of a row would be that of an ensemble"
        )
    pooled = sum(curves[1:], curves[0])
    of_folds, value = [scores.roc_auc(each) for each in curves], scores.roc_auc(pooled)
    if len(curves) >= _FEWEST_FOLDS and value < min(of_folds):
        warn_the_caller(
            f"the pooled AUC-ROC, {value:.3g}, is below that of each fold, {min(of_folds):.3g} to "
            f"{max(of_folds):.3g}, so scores of different folds may not be comparable: their "
            "models may have different scales, or the folds may be sites with different scores",
            UserWarning,
        )
    return pooled
