"""Metrics of a ranking, as functions of labels and scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks, scores
from calibrated_metrics.confusion import ConfusionCurve, Values
from calibrated_metrics.functions.documentation import Rows, metric_function


def of_ranking(
    score: Callable[..., float],
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    **options: float,
) -> Values:
    """The metric of labels and scores at each prior."""
    drawn = {"pos_label": pos_label, "sample_weight": sample_weight}
    curve = ConfusionCurve.from_predictions(y_true, y_score, **drawn)
    if pi0 is None:
        return score(curve, **options)
    priors = _checks.one_or_more("pi0", pi0, _checks.priors)
    if isinstance(priors, float):
        return score(curve.at_prior(priors), **options)
    return np.array([score(curve.at_prior(prior), **options) for prior in priors])


@metric_function(scores.average_precision, of_ranking)
def average_precision_score(y_true: ArrayLike, y_score: ArrayLike, **rows: Unpack[Rows]) -> Values:
    """>>> from calibrated_metrics import average_precision_score
    >>> average_precision_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.875..., 0.514...])
    """
    return of_ranking(scores.average_precision, y_true, y_score, **rows)


@metric_function(scores.pr_auc, of_ranking)
def pr_auc_score(y_true: ArrayLike, y_score: ArrayLike, **rows: Unpack[Rows]) -> Values:
    """>>> from calibrated_metrics import pr_auc_score
    >>> pr_auc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.843..., 0.511...])
    """
    return of_ranking(scores.pr_auc, y_true, y_score, **rows)


@metric_function(scores.achievable_pr_auc, of_ranking)
def achievable_pr_auc_score(y_true: ArrayLike, y_score: ArrayLike, **rows: Unpack[Rows]) -> Values:
    """>>> from calibrated_metrics import achievable_pr_auc_score
    >>> achievable_pr_auc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.917..., 0.538...])
    """
    return of_ranking(scores.achievable_pr_auc, y_true, y_score, **rows)


@metric_function(scores.prg_auc, of_ranking)
def prg_auc_score(y_true: ArrayLike, y_score: ArrayLike, **rows: Unpack[Rows]) -> Values:
    """>>> from calibrated_metrics import prg_auc_score
    >>> prg_auc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.5..., 0.994...])
    """
    return of_ranking(scores.prg_auc, y_true, y_score, **rows)


@metric_function(scores.roc_auc, of_ranking)
def roc_auc_score(y_true: ArrayLike, y_score: ArrayLike, **rows: Unpack[Rows]) -> Values:
    """>>> from calibrated_metrics import roc_auc_score
    >>> roc_auc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.833..., 0.833...])
    """
    return of_ranking(scores.roc_auc, y_true, y_score, **rows)


@metric_function(scores.best_fbeta, of_ranking)
def best_f1_score(y_true: ArrayLike, y_score: ArrayLike, **rows: Unpack[Rows]) -> Values:
    """>>> from calibrated_metrics import best_f1_score
    >>> best_f1_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.857..., 0.666...])
    """
    return of_ranking(scores.best_fbeta, y_true, y_score, beta=1.0, **rows)


@metric_function(scores.partial_average_precision, of_ranking)
def partial_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_recall: float = 0.0,
    max_recall: float = 1.0,
    **rows: Unpack[Rows],
) -> Values:
    """>>> from calibrated_metrics import partial_average_precision_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> partial_average_precision_score(y_true, y_score, min_recall=0.5, pi0=0.01)
    0.0294...
    """
    return of_ranking(
        scores.partial_average_precision,
        y_true,
        y_score,
        min_recall=min_recall,
        max_recall=max_recall,
        **rows,
    )


@metric_function(scores.partial_roc_auc, of_ranking)
def partial_roc_auc_score(
    y_true: ArrayLike, y_score: ArrayLike, *, max_fpr: float, **rows: Unpack[Rows]
) -> Values:
    """>>> from calibrated_metrics import partial_roc_auc_score
    >>> partial_roc_auc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], max_fpr=0.5)
    0.777...
    """
    return of_ranking(scores.partial_roc_auc, y_true, y_score, max_fpr=max_fpr, **rows)


@metric_function(scores.best_fbeta, of_ranking)
def best_fbeta_score(
    y_true: ArrayLike, y_score: ArrayLike, *, beta: float = 1.0, **rows: Unpack[Rows]
) -> Values:
    """>>> from calibrated_metrics import best_fbeta_score
    >>> best_fbeta_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], beta=2, pi0=0.1)
    0.625
    """
    return of_ranking(scores.best_fbeta, y_true, y_score, beta=beta, **rows)


@metric_function(scores.precision_at_recall, of_ranking)
def precision_at_recall_score(
    y_true: ArrayLike, y_score: ArrayLike, *, recall: float, **rows: Unpack[Rows]
) -> Values:
    """>>> from calibrated_metrics import precision_at_recall_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> precision_at_recall_score(y_true, y_score, recall=0.9, pi0=[0.5, 0.01])
    array([0.75      , 0.02941176])
    """
    return of_ranking(scores.precision_at_recall, y_true, y_score, recall=recall, **rows)


@metric_function(scores.recall_at_precision, of_ranking)
def recall_at_precision_score(
    y_true: ArrayLike, y_score: ArrayLike, *, precision: float, **rows: Unpack[Rows]
) -> Values:
    """>>> from calibrated_metrics import recall_at_precision_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> recall_at_precision_score(y_true, y_score, precision=0.5, pi0=[0.5, 0.01])
    array([1. , 0.5])
    """
    return of_ranking(scores.recall_at_precision, y_true, y_score, precision=precision, **rows)


@metric_function(scores.precision_at_top, of_ranking)
def precision_at_top_score(
    y_true: ArrayLike, y_score: ArrayLike, *, alert_rate: float, **rows: Unpack[Rows]
) -> Values:
    """>>> from calibrated_metrics import precision_at_top_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> precision_at_top_score(y_true, y_score, alert_rate=0.01, pi0=[0.5, 0.01])
    array([1. , 0.5])
    """
    return of_ranking(scores.precision_at_top, y_true, y_score, alert_rate=alert_rate, **rows)


@metric_function(scores.recall_at_top, of_ranking)
def recall_at_top_score(
    y_true: ArrayLike, y_score: ArrayLike, *, alert_rate: float, **rows: Unpack[Rows]
) -> Values:
    """>>> from calibrated_metrics import recall_at_top_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> recall_at_top_score(y_true, y_score, alert_rate=0.01, pi0=[0.5, 0.01])
    array([0.02, 0.5 ])
    """
    return of_ranking(scores.recall_at_top, y_true, y_score, alert_rate=alert_rate, **rows)
