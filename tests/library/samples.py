"""Samples, metrics with options and settings that tests of intervals share."""

import numpy as np

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric
from calibrated_metrics.scores import registered_scores

OPTIONS = {
    "net_benefit": {"threshold_probability": 0.2},
    "partial_average_precision": {"min_recall": 0.2, "max_recall": 0.7},
    "partial_roc_auc": {"max_fpr": 0.2},
    "precision_at_recall": {"recall": 0.5},
    "recall_at_precision": {"precision": 0.5},
    "recall_at_specificity": {"specificity": 0.8},
    "specificity_at_recall": {"recall": 0.5},
    "precision_at_specificity": {"specificity": 0.8},
    "precision_at_top": {"alert_rate": 0.3},
    "recall_at_top": {"alert_rate": 0.3},
}
THRESHOLD = 0.75
EVERY = {
    name: Metric(
        name, **OPTIONS.get(name, {}), **({"threshold": THRESHOLD} if facts.of == "matrix" else {})
    )
    for name, facts in registered_scores().items()
    if facts.loss is None
}
"""Each metric of the library, of a curve with any scores."""
BY_CONTRIBUTIONS = {name: EVERY[name] for name in ("average_precision", "roc_auc", "prg_auc")}
DECISIONS = {name: metric for name, metric in EVERY.items() if metric.of_matrix}
WITHOUT_DRAWS = {**BY_CONTRIBUTIONS, **DECISIONS}
FAST = {"n_resamples": 60, "rng": 0}


def rows_of(seed=0, n_pos=40, n_neg=160, shift=1.5, decimals=None):
    """Labels and normal scores."""
    rng = np.random.default_rng(seed)
    y_true = np.arange(n_pos + n_neg) < n_pos
    y_score = rng.normal(size=n_pos + n_neg) + shift * y_true
    return y_true, y_score if decimals is None else np.round(y_score, decimals)


def curve_of(seed=0, n_pos=40, n_neg=160, shift=1.5, decimals=None, **drawn):
    rows = rows_of(seed, n_pos, n_neg, shift, decimals)
    return ConfusionCurve.from_predictions(*rows, **drawn)


def matrix_of(tp, fp, fn, tn):
    return ConfusionMatrix(tp=tp, fp=fp, fn=fn, tn=tn)


def limits_of(found):
    return found.low, found.high


def audit_of(seed=0, n=300):
    """Labels, scores, weights and strata of rows that were drawn by their score."""
    rng = np.random.default_rng(seed)
    y_score = rng.normal(size=n)
    y_true = rng.random(n) < 1 / (1 + np.exp(2 - 2 * y_score))
    strata = np.digitize(y_score, [-0.5, 0.4, 1.0])
    return y_true, y_score, np.array([8.0, 4.0, 2.0, 1.0])[strata], strata


def short(value) -> str:
    """An id for a parameter, the same in every process."""
    return repr(value)[:30] if "0x" not in repr(value).lower() else type(value).__name__
