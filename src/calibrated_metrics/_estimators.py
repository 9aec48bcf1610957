"""Scores of fitted estimators, for scorers and displays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from calibrated_metrics import _labels
from calibrated_metrics._messages import extra

__all__ = ["rows_at", "same_number_of_rows", "scores_of"]


def same_number_of_rows(*columns: Any) -> None:
    """Refuse columns, such as a sparse matrix and labels, of different lengths; None has none."""
    with extra("sklearn"):
        from sklearn.utils import check_consistent_length
    check_consistent_length(*columns)


def rows_at(rows: Any, index: Any) -> Any:
    """Rows of an array, a list, a sparse matrix or a DataFrame of pandas or polars."""
    if hasattr(rows, "iloc"):
        return rows.iloc[index]
    return (np.asarray(rows) if isinstance(rows, list) else rows)[index]


def scores_of(
    estimator: Any,
    X: Any,  # noqa: N803
    y: Any,
    pos_label: Any,
    methods: Sequence[str],
) -> Any:
    """Scores that rise with the probability of `pos_label`, of the first method that exists.

    Outlier detectors give low scores to outliers, which are the positives.
    """
    classes = list(getattr(estimator, "classes_", ()))
    if len(classes) == 2 and pos_label in classes:
        method = next((each for each in methods if hasattr(estimator, each)), None)
        if method is None:
            raise AttributeError(
                f"{type(estimator).__name__} has none of the following attributes: "
                f"{', '.join(methods)}."
            )
        response, column = np.asarray(getattr(estimator, method)(X)), classes.index(pos_label)
        if response.ndim == 2:
            return response[:, column]
        return response if column == 1 else -response
    if not classes and _is_outlier_detector(estimator):
        if pos_label == 1 and _labels.equal_to(np.asarray(y), -1).any():
            raise ValueError(
                "pos_label must be -1 for an outlier detector and labels of which -1 is that of "
                "outliers, got 1"
            )
        return -np.asarray(estimator.decision_function(X))
    if len(classes) == 2:
        raise _labels.no_positives("y", pos_label, np.asarray(estimator.classes_))
    got = type(estimator).__name__ if len(classes) < 2 else f"{len(classes)} classes instead"
    raise ValueError(
        f"Expected 'estimator' to be a binary classifier. Got {got}. It must be a fitted "
        f"classifier of two classes, one of them {pos_label!r} (pos_label), or an outlier "
        f"detector; got {estimator!r} with the classes {classes}"
    )


def _is_outlier_detector(estimator: Any) -> bool:
    """Whether it is one, fitted or not; an estimator that is not fitted raises an error."""
    with extra("sklearn"):
        from sklearn.base import is_outlier_detector
        from sklearn.utils.validation import check_is_fitted
    if hasattr(estimator, "fit"):
        check_is_fitted(estimator)
    return bool(is_outlier_detector(estimator))
