"""Metrics of labels and scores in scikit-learn's shape, each at a reference prior."""

from __future__ import annotations

import inspect
import re
import textwrap
import warnings
from collections.abc import Callable

import numpy as np

from calibrated_metrics import _checks, scores, spaces
from calibrated_metrics.confusion import ConfusionCurve

__all__ = [
    "UndefinedMetricWarning",
    "achievable_pr_auc_score",
    "achievable_precision_recall_curve",
    "average_precision_score",
    "best_f1_score",
    "best_fbeta_score",
    "f1_score",
    "fbeta_score",
    "pr_auc_score",
    "precision_recall_curve",
    "precision_recall_gain_curve",
    "precision_score",
    "prg_auc_score",
    "recall_score",
    "roc_auc_score",
    "roc_curve",
]


_PARAMETERS = {
    "y_true": """y_true : array-like of shape (n_samples,)
    Binary labels of any type, both present.""",
    "y_score": """y_score : array-like of shape (n_samples,)
    Finite scores; a higher score is more likely positive.""",
    "y_pred": """y_pred : array-like of shape (n_samples,)
    Predicted labels, of the same two values as `y_true`.""",
    "beta": """beta : float > 0
    Weight of recall against precision.""",
    "pi0": """pi0 : None, float in (0, 1) or array-like of shape (n_priors,), default=None
    Reference prior. None: the ordinary metric, at the data's own prior. An array gives one value
    per prior from one sort (curves take None or one float). Calibration scales the weight of the
    negatives so that the prior becomes `pi0` (Siblini et al., IDA 2020,
    doi:10.1007/978-3-030-44584-3_36).""",
    "pos_label": """pos_label : scalar, default=1
    Label of the positive class.""",
    "sample_weight": """sample_weight : array-like of shape (n_samples,), default=None
    Non-negative weights; samples of weight 0 are dropped.""",
    "zero_division": """zero_division : "warn", 0, 1 or nan, default="warn"
    What precision is where nothing is predicted positive; "warn" gives 0 with an
    `UndefinedMetricWarning`. Recall and F-beta are always defined, as both classes are present.""",
}
_RAISES = """Raises
------
ValueError, TypeError
    For labels that are not binary or lack a class; scores, weights or priors outside their
    range; lengths that differ; empty input."""


def _documented(function):
    """Add the common sections to a docstring: each parameter is described in one place."""
    if function.__doc__ is None:  # python -OO
        return function
    head, returns, rest = function.__doc__.partition("    Returns\n")
    described = [_PARAMETERS[name] for name in inspect.signature(function).parameters]
    parameters = "\n".join(["Parameters", "----------", *described])
    later = re.search(r"\n    (?:See Also|Notes|References|Examples)\n", rest)
    cut = later.start() if later else len(rest.rstrip())
    function.__doc__ = (
        f"{head}{textwrap.indent(parameters, '    ')}\n\n{returns}{rest[:cut].rstrip()}\n\n"
        f"{textwrap.indent(_RAISES, '    ')}\n{rest[cut:]}"
    )
    return function


class UndefinedMetricWarning(UserWarning):
    """A metric is 0/0 for these predictions and `zero_division` did not say what to return."""


# ------------------------------------------------------------------------ areas and maxima


@_documented
def average_precision_score(y_true, y_score, *, pi0=None, pos_label=1, sample_weight=None):
    """Average precision, the AUC-PR (with `pi0`: AUC-P_cR) of Siblini et al. (2020).

    Returns
    -------
    float in (0, 1], or ndarray of shape (n_priors,) for an array `pi0`; 1 is perfect.

    See Also
    --------
    pr_auc_score : The exactly interpolated area.

    Examples
    --------
    >>> from calibrated_metrics import average_precision_score
    >>> y_true, y_score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1]
    >>> average_precision_score(y_true, y_score)
    0.83...
    >>> average_precision_score(y_true, y_score, pi0=[0.5, 0.01])
    array([0.875     , 0.51470588])
    """
    curve = _curve(y_true, y_score, pos_label, sample_weight)
    return _at_priors(scores.average_precision, curve, pi0)


@_documented
def pr_auc_score(y_true, y_score, *, pi0=None, pos_label=1, sample_weight=None):
    """Area under the precision-recall curve, interpolated exactly (Davis & Goadrich, 2006).

    Returns
    -------
    float in (0, 1], or ndarray of shape (n_priors,) for an array `pi0`; 1 is perfect.
    """
    curve = _curve(y_true, y_score, pos_label, sample_weight)
    return _at_priors(scores.pr_auc, curve, pi0)


@_documented
def achievable_pr_auc_score(y_true, y_score, *, pi0=None, pos_label=1, sample_weight=None):
    """Area under the achievable precision-recall curve (Davis & Goadrich, 2006, Cor. 3.1).

    Returns
    -------
    float in (0, 1], or ndarray of shape (n_priors,) for an array `pi0`; 1 is perfect.
    """
    curve = _curve(y_true, y_score, pos_label, sample_weight)
    return _at_priors(scores.achievable_pr_auc, curve, pi0)


@_documented
def prg_auc_score(y_true, y_score, *, pi0=None, pos_label=1, sample_weight=None):
    """Signed area under the precision-recall-gain curve (Flach & Kull, 2015).

    Returns
    -------
    float in (-inf, 1], or ndarray of shape (n_priors,) for an array `pi0`; 1 is perfect, 0 is
    what constant scores reach.

    Examples
    --------
    >>> from calibrated_metrics import prg_auc_score
    >>> prg_auc_score([1, 1, 0, 0, 0, 0, 0], [2, 1, 1, 1, 1, 1, 1], pi0=0.6)
    0.333...
    """
    curve = _curve(y_true, y_score, pos_label, sample_weight)
    return _at_priors(scores.prg_auc, curve, pi0)


@_documented
def roc_auc_score(y_true, y_score, *, pi0=None, pos_label=1, sample_weight=None):
    """Area under the ROC curve, the same at every prior.

    Returns
    -------
    float in [0, 1], or ndarray of shape (n_priors,) for an array `pi0`; 1 is perfect.
    """
    curve = _curve(y_true, y_score, pos_label, sample_weight)
    return _at_priors(scores.roc_auc, curve, pi0)


@_documented
def best_fbeta_score(y_true, y_score, *, beta=1.0, pi0=None, pos_label=1, sample_weight=None):
    """Largest F-beta over all thresholds.

    Returns
    -------
    float in (0, 1], or ndarray of shape (n_priors,) for an array `pi0`; 1 is perfect.
    """
    curve = _curve(y_true, y_score, pos_label, sample_weight)
    return _at_priors(lambda at: scores.best_fbeta(at, beta), curve, pi0)


@_documented
def best_f1_score(y_true, y_score, *, pi0=None, pos_label=1, sample_weight=None):
    """Largest F1 over all thresholds: `best_fbeta_score` with beta 1.

    Returns
    -------
    float in (0, 1], or ndarray of shape (n_priors,) for an array `pi0`; 1 is perfect.
    """
    return best_fbeta_score(
        y_true, y_score, pi0=pi0, pos_label=pos_label, sample_weight=sample_weight
    )


# ---------------------------------------------------------------------- hard predictions


@_documented
def precision_score(
    y_true, y_pred, *, pi0=None, pos_label=1, sample_weight=None, zero_division="warn"
):
    """Precision of predicted labels, TP / (TP + r FP) with r = π (1-π₀) / (π₀ (1-π)).

    Returns
    -------
    float in [0, 1], or ndarray of shape (n_priors,) for an array `pi0`; 1 is perfect.
    """
    undefined = _zero_division(zero_division)
    curve, predicted_any = _hard_curve(y_true, y_pred, pos_label, sample_weight)
    if predicted_any:
        return _at_priors(lambda at: scores.precision(at, 0.5), curve, pi0)
    if undefined is None:
        warnings.warn(
            "precision is undefined and set to 0: no sample is predicted positive; "
            "zero_division says what to return instead",
            UndefinedMetricWarning,
            stacklevel=2,
        )
    return _at_priors(lambda _: undefined or 0.0, curve, pi0)


@_documented
def recall_score(
    y_true, y_pred, *, pi0=None, pos_label=1, sample_weight=None, zero_division="warn"
):
    """Recall (true positive rate) of predicted labels, the same at every prior.

    Returns
    -------
    float in [0, 1], or ndarray of shape (n_priors,) for an array `pi0`; 1 is perfect.
    """
    _zero_division(zero_division)
    curve, _ = _hard_curve(y_true, y_pred, pos_label, sample_weight)
    return _at_priors(lambda at: scores.recall(at, 0.5), curve, pi0)


@_documented
def fbeta_score(
    y_true, y_pred, *, beta, pi0=None, pos_label=1, sample_weight=None, zero_division="warn"
):
    """F-beta of predicted labels, (1+β²) TP / ((1+β²) TP + β² FN + r FP).

    Returns
    -------
    float in [0, 1], or ndarray of shape (n_priors,) for an array `pi0`; 1 is perfect, 0 is
    what a prediction without positives gets.
    """
    _zero_division(zero_division)
    curve, _ = _hard_curve(y_true, y_pred, pos_label, sample_weight)
    return _at_priors(lambda at: scores.fbeta(at, 0.5, beta), curve, pi0)


@_documented
def f1_score(y_true, y_pred, *, pi0=None, pos_label=1, sample_weight=None, zero_division="warn"):
    """F1 of predicted labels: `fbeta_score` with beta 1.

    Returns
    -------
    float in [0, 1], or ndarray of shape (n_priors,) for an array `pi0`; 1 is perfect.
    """
    return fbeta_score(
        y_true,
        y_pred,
        beta=1.0,
        pi0=pi0,
        pos_label=pos_label,
        sample_weight=sample_weight,
        zero_division=zero_division,
    )


# ------------------------------------------------------------------------------- curves


@_documented
def precision_recall_curve(y_true, y_score, *, pi0=None, pos_label=1, sample_weight=None):
    """Precision and recall at each threshold, in scikit-learn's order.

    Vertices inside a run of negatives are left out. `pi0` is None or one float.

    Returns
    -------
    precision, recall : ndarray of shape (n_thresholds + 1,)
        By ascending threshold; recall descends. The last element, precision 1 and recall 0, has
        no threshold.
    thresholds : ndarray of shape (n_thresholds,)
        Element i predicts positive where ``y_score >= thresholds[i]``.
    """
    curve = _calibrated(_curve(y_true, y_score, pos_label, sample_weight), pi0)
    return _from_lowest_threshold(curve, *spaces.precision_recall(curve))


@_documented
def achievable_precision_recall_curve(
    y_true, y_score, *, pi0=None, pos_label=1, sample_weight=None
):
    """Precision and recall of the vertices of the ROC convex hull (Davis & Goadrich, 2006).

    Returns
    -------
    precision, recall : ndarray of shape (n_thresholds + 1,)
    thresholds : ndarray of shape (n_thresholds,)
        In the order of `precision_recall_curve`.
    """
    curve = _calibrated(_curve(y_true, y_score, pos_label, sample_weight), pi0).hull()
    return _from_lowest_threshold(curve, *spaces.precision_recall(curve))


@_documented
def precision_recall_gain_curve(y_true, y_score, *, pi0=None, pos_label=1, sample_weight=None):
    """Precision gain and recall gain at each threshold with a recall gain above 0.

    Source: Flach & Kull (2015). `pi0` is None or one float.

    Returns
    -------
    precision_gain, recall_gain : ndarray of shape (n_thresholds + 1,)
        By ascending threshold; recall gain descends from 1. The last element is the crossing of
        recall gain 0, interpolated, and has no threshold.
    thresholds : ndarray of shape (n_thresholds,)
    """
    curve = _calibrated(_curve(y_true, y_score, pos_label, sample_weight), pi0)
    recall_gain, precision_gain = spaces.precision_recall_gain(curve)
    n_thresholds = len(recall_gain) - 1
    return precision_gain[::-1], recall_gain[::-1], curve.thresholds[-n_thresholds:][::-1]


@_documented
def roc_curve(y_true, y_score, *, pi0=None, pos_label=1, sample_weight=None):
    """False and true positive rate at each threshold, the same at every prior.

    Vertices inside a run of negatives are left out. `pi0` is None or one float.

    Returns
    -------
    fpr, tpr, thresholds : ndarray of shape (n_vertices,)
        By descending threshold; the first is ``inf``, where nothing is predicted positive.
    """
    curve = _calibrated(_curve(y_true, y_score, pos_label, sample_weight), pi0)
    return (*spaces.roc(curve), curve.thresholds)


# -------------------------------------------------------------------------------- helpers


def _curve(y_true, y_score, pos_label, sample_weight) -> ConfusionCurve:
    return ConfusionCurve.from_predictions(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
    )


def _calibrated(curve: ConfusionCurve, pi0) -> ConfusionCurve:
    return curve if pi0 is None else curve.at_prior(pi0)


def _at_priors(score: Callable[[ConfusionCurve], float], curve: ConfusionCurve, pi0):
    if pi0 is None or np.ndim(pi0) == 0:
        return score(_calibrated(curve, pi0))
    return np.array([score(curve.at_prior(prior)) for prior in _checks.real_vector("pi0", pi0)])


def _from_lowest_threshold(curve, recall, precision):
    precision = precision[::-1].copy()
    precision[-1] = 1.0
    return precision, recall[::-1], curve.thresholds[:0:-1]


def _hard_curve(y_true, y_pred, pos_label, sample_weight) -> tuple[ConfusionCurve, bool]:
    """Curve of 0/1 scores: the predicted positives lie above threshold 0.5."""
    y_true, y_pred = _checks.vector("y_true", y_true), _checks.vector("y_pred", y_pred)
    _checks.same_length(y_true=y_true, y_pred=y_pred)
    try:
        unknown = set(y_pred.tolist()) - set(y_true.tolist())
    except TypeError as error:
        raise TypeError(f"y_true and y_pred must hold plain labels: {error}") from None
    if unknown:
        raise ValueError(f"y_pred must hold labels of y_true only, got {sorted(unknown, key=repr)}")
    predicted = np.broadcast_to(y_pred == pos_label, y_pred.shape)
    curve = _curve(y_true, predicted, pos_label, sample_weight)
    tp, fp = curve.counts_above(0.5)
    return curve, tp + fp > 0


def _zero_division(value) -> float | None:
    if isinstance(value, str) and value == "warn":
        return None
    if isinstance(value, (int, float)) and (value in (0, 1) or np.isnan(value)):
        return float(value)
    raise ValueError(f'zero_division must be "warn", 0, 1 or nan, got {value!r}')
