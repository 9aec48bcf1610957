"""Metrics of a ranking, as functions of labels and scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks, scores
from calibrated_metrics.confusion import ConfusionCurve, Values
from calibrated_metrics.functions.documentation import Rows, documented


def of_ranking(
    score: Callable[..., float], rows: Rows, pi0: float | ArrayLike | None, **options: float
) -> Values:
    """The score of labels and scores at each prior."""
    y_true, y_score, pos_label, sample_weight = rows
    curve = ConfusionCurve.from_predictions(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
    )
    if pi0 is None:
        return score(curve, **options)
    priors = _checks.one_or_more("pi0", pi0, _checks.priors)
    if isinstance(priors, float):
        return score(curve.at_prior(priors), **options)
    return np.array([score(curve.at_prior(prior), **options) for prior in priors])


@documented(scores.average_precision)
def average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """>>> from calibrated_metrics import average_precision_score
    >>> average_precision_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.875..., 0.514...])
    """
    rows = y_true, y_score, pos_label, sample_weight
    return of_ranking(scores.average_precision, rows, pi0)


@documented(scores.pr_auc)
def pr_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """>>> from calibrated_metrics import pr_auc_score
    >>> pr_auc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.843..., 0.511...])
    """
    rows = y_true, y_score, pos_label, sample_weight
    return of_ranking(scores.pr_auc, rows, pi0)


@documented(scores.achievable_pr_auc)
def achievable_pr_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """>>> from calibrated_metrics import achievable_pr_auc_score
    >>> achievable_pr_auc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.917..., 0.538...])
    """
    rows = y_true, y_score, pos_label, sample_weight
    return of_ranking(scores.achievable_pr_auc, rows, pi0)


@documented(scores.prg_auc)
def prg_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """>>> from calibrated_metrics import prg_auc_score
    >>> prg_auc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.5..., 0.994...])
    """
    rows = y_true, y_score, pos_label, sample_weight
    return of_ranking(scores.prg_auc, rows, pi0)


@documented(scores.roc_auc)
def roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """>>> from calibrated_metrics import roc_auc_score
    >>> roc_auc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.833..., 0.833...])
    """
    rows = y_true, y_score, pos_label, sample_weight
    return of_ranking(scores.roc_auc, rows, pi0)


@documented(scores.best_fbeta)
def best_f1_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """>>> from calibrated_metrics import best_f1_score
    >>> best_f1_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], pi0=[0.5, 0.01])
    array([0.857..., 0.666...])
    """
    rows = y_true, y_score, pos_label, sample_weight
    return of_ranking(scores.best_fbeta, rows, pi0)


@documented(scores.partial_average_precision)
def partial_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    min_recall: float = 0.0,
    max_recall: float = 1.0,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """>>> from calibrated_metrics import partial_average_precision_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> partial_average_precision_score(y_true, y_score, min_recall=0.5, pi0=0.01)
    0.0294...
    """
    rows = y_true, y_score, pos_label, sample_weight
    return of_ranking(
        scores.partial_average_precision, rows, pi0, min_recall=min_recall, max_recall=max_recall
    )


@documented(scores.partial_roc_auc)
def partial_roc_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    max_fpr: float,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """>>> from calibrated_metrics import partial_roc_auc_score
    >>> partial_roc_auc_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], max_fpr=0.5)
    0.777...
    """
    rows = y_true, y_score, pos_label, sample_weight
    return of_ranking(scores.partial_roc_auc, rows, pi0, max_fpr=max_fpr)


@documented(scores.partial_gains_auc)
def partial_gains_auc_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    max_alert_rate: float,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """>>> from calibrated_metrics import partial_gains_auc_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> partial_gains_auc_score(y_true, y_score, max_alert_rate=0.5, pi0=0.2)
    0.6666666666666667
    """
    rows = y_true, y_score, pos_label, sample_weight
    return of_ranking(scores.partial_gains_auc, rows, pi0, max_alert_rate=max_alert_rate)


@documented(scores.best_fbeta)
def best_fbeta_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    beta: float = 1.0,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """>>> from calibrated_metrics import best_fbeta_score
    >>> best_fbeta_score([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], beta=2, pi0=0.1)
    0.625
    """
    rows = y_true, y_score, pos_label, sample_weight
    return of_ranking(scores.best_fbeta, rows, pi0, beta=beta)


@documented(scores.precision_at_recall)
def precision_at_recall_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    recall: float,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """>>> from calibrated_metrics import precision_at_recall_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> precision_at_recall_score(y_true, y_score, recall=0.9, pi0=[0.5, 0.01])
    array([0.75      , 0.02941176])
    """
    rows = y_true, y_score, pos_label, sample_weight
    return of_ranking(scores.precision_at_recall, rows, pi0, recall=recall)


@documented(scores.recall_at_precision)
def recall_at_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    precision: float,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """>>> from calibrated_metrics import recall_at_precision_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> recall_at_precision_score(y_true, y_score, precision=0.5, pi0=[0.5, 0.01])
    array([1. , 0.5])
    """
    rows = y_true, y_score, pos_label, sample_weight
    return of_ranking(scores.recall_at_precision, rows, pi0, precision=precision)


@documented(scores.precision_at_top)
def precision_at_top_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alert_rate: float,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """>>> from calibrated_metrics import precision_at_top_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> precision_at_top_score(y_true, y_score, alert_rate=0.01, pi0=[0.5, 0.01])
    array([1. , 0.5])
    """
    rows = y_true, y_score, pos_label, sample_weight
    return of_ranking(scores.precision_at_top, rows, pi0, alert_rate=alert_rate)


@documented(scores.recall_at_top)
def recall_at_top_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    alert_rate: float,
    pi0: float | ArrayLike | None = None,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> Values:
    """>>> from calibrated_metrics import recall_at_top_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> recall_at_top_score(y_true, y_score, alert_rate=0.01, pi0=[0.5, 0.01])
    array([0.02, 0.5 ])
    """
    rows = y_true, y_score, pos_label, sample_weight
    return of_ranking(scores.recall_at_top, rows, pi0, alert_rate=alert_rate)
