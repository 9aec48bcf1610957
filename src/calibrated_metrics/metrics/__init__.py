"""Metrics with scikit-learn's signatures and a reference prior `pi0`.

Calibration scales the weight of the negatives so that the prior becomes `pi0` (Siblini et al.,
IDA 2020, doi:10.1007/978-3-030-44584-3_36). Metrics of a ranking take scores, `y_score`; metrics
of a decision take predicted labels, `y_pred`.
"""

from calibrated_metrics.metrics.areas import (
    achievable_pr_auc_score,
    average_precision_score,
    partial_average_precision_score,
    partial_gains_auc_score,
    partial_roc_auc_score,
    pr_auc_score,
    prg_auc_score,
    roc_auc_score,
)
from calibrated_metrics.metrics.curves import (
    achievable_precision_recall_curve,
    precision_recall_curve,
    precision_recall_gain_curve,
    roc_curve,
)
from calibrated_metrics.metrics.points import (
    best_f1_score,
    best_fbeta_score,
    precision_at_recall_score,
    precision_at_top_score,
    recall_at_precision_score,
    recall_at_top_score,
)
from calibrated_metrics.metrics.rates import (
    f1_score,
    fbeta_score,
    negative_likelihood_ratio_score,
    npv_score,
    positive_likelihood_ratio_score,
    precision_score,
    recall_score,
    specificity_score,
)
from calibrated_metrics.metrics.summaries import (
    accuracy_score,
    balanced_accuracy_score,
    cohen_kappa_score,
    matthews_corrcoef_score,
    net_benefit_score,
)
from calibrated_metrics.scores import UndefinedMetricWarning

__all__ = [
    "UndefinedMetricWarning",
    "accuracy_score",
    "achievable_pr_auc_score",
    "achievable_precision_recall_curve",
    "average_precision_score",
    "balanced_accuracy_score",
    "best_f1_score",
    "best_fbeta_score",
    "cohen_kappa_score",
    "f1_score",
    "fbeta_score",
    "matthews_corrcoef_score",
    "negative_likelihood_ratio_score",
    "net_benefit_score",
    "npv_score",
    "partial_average_precision_score",
    "partial_gains_auc_score",
    "partial_roc_auc_score",
    "positive_likelihood_ratio_score",
    "pr_auc_score",
    "precision_at_recall_score",
    "precision_at_top_score",
    "precision_recall_curve",
    "precision_recall_gain_curve",
    "precision_score",
    "prg_auc_score",
    "recall_at_precision_score",
    "recall_at_top_score",
    "recall_score",
    "roc_auc_score",
    "roc_curve",
    "specificity_score",
]
