"""Scores of fitted estimators, for scorers and displays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics._messages import extra

__all__ = ["scores_of"]


def scores_of(
    estimator: Any,
    X: Any,  # noqa: N803
    y: Any,
    pos_label: Any,
    methods: Sequence[str],
) -> Any:
    """Scores that rise with the probability of `pos_label`, of the first method that exists.

    Outlier detectors give low scores to outliers. These are the positives, unless the labels are
    -1 for outliers and 1 for other rows, and `pos_label` is 1.
    """
    classes = list(getattr(estimator, "classes_", ()))
    if len(classes) == 2 and pos_label in classes:
        method = next((each for each in methods if hasattr(estimator, each)), methods[0])
        response, column = np.asarray(getattr(estimator, method)(X)), classes.index(pos_label)
        if response.ndim == 2:
            return response[:, column]
        return response if column == 1 else -response
    if not classes and _is_outlier_detector(estimator):
        scores = np.asarray(estimator.decision_function(X))
        has_label_of_outliers = _checks.equal_to(np.asarray(y), -1).any()
        return scores if has_label_of_outliers and pos_label == 1 else -scores
    raise ValueError(
        f"estimator must be a fitted classifier of two classes, one of them {pos_label!r} "
        f"(pos_label), or an outlier detector, got {estimator!r} with the classes {classes}"
    )


def _is_outlier_detector(estimator: Any) -> bool:
    with extra("sklearn"):
        from sklearn.base import is_outlier_detector
    return bool(is_outlier_detector(estimator))
