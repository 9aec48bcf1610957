"""Metrics as functions of a curve or of a confusion matrix.

Metrics of a ranking take a `ConfusionCurve`, metrics of a decision take a `ConfusionMatrix`. They
do not calibrate. For the calibrated metric, apply them to ``curve.at_prior(pi0)`` or to
``matrix.at_prior(pi0)``. An undefined metric (0/0) raises ``ValueError`` for one matrix. For a
stack it is NaN for that matrix, with one `UndefinedMetricWarning`.

The Brier score and the log loss are known by name, for curves whose scores are probabilities. Every
other metric of a ranking is exactly 1 for a perfect ranking, except `precision_at_specificity`,
`precision_at_top` and `recall_at_top`, whose largest value depends on the prior.
"""

from calibrated_metrics.scores import proper  # noqa: F401 (it registers metrics)
from calibrated_metrics.scores.areas import (
    achievable_pr_auc,
    average_precision,
    partial_average_precision,
    partial_roc_auc,
    pr_auc,
    prg_auc,
    roc_auc,
)
from calibrated_metrics.scores.decision import (
    accuracy,
    alert_rate,
    balanced_accuracy,
    cohen_kappa,
    diagnostic_odds_ratio,
    fbeta,
    matthews_corrcoef,
    negative_likelihood_ratio,
    net_benefit,
    npv,
    positive_likelihood_ratio,
    precision,
    recall,
    specificity,
    youden_index,
)
from calibrated_metrics.scores.facts import (
    Facts,
    UndefinedMetricWarning,
    register_score,
    registered_scores,
)
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.scores.points import (
    best_fbeta,
    precision_at_recall,
    precision_at_specificity,
    precision_at_top,
    recall_at_precision,
    recall_at_specificity,
    recall_at_top,
    specificity_at_recall,
)

__all__ = [
    "Facts",
    "Metric",
    "UndefinedMetricWarning",
    "accuracy",
    "achievable_pr_auc",
    "alert_rate",
    "average_precision",
    "balanced_accuracy",
    "best_fbeta",
    "cohen_kappa",
    "diagnostic_odds_ratio",
    "fbeta",
    "matthews_corrcoef",
    "negative_likelihood_ratio",
    "net_benefit",
    "npv",
    "partial_average_precision",
    "partial_roc_auc",
    "positive_likelihood_ratio",
    "pr_auc",
    "precision",
    "precision_at_recall",
    "precision_at_specificity",
    "precision_at_top",
    "prg_auc",
    "recall",
    "recall_at_precision",
    "recall_at_specificity",
    "recall_at_top",
    "register_score",
    "registered_scores",
    "roc_auc",
    "specificity",
    "specificity_at_recall",
    "youden_index",
]
