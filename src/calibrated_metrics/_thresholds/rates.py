"""Rates of the decisions of a ranking, and their limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibrated_metrics._checks import FloatArray
from calibrated_metrics._thresholds import certification
from calibrated_metrics._thresholds.certification import Ranking


def observed(ranking: Ranking, at: Any = ...) -> tuple[FloatArray, FloatArray]:
    return ranking.tp[at] / ranking.n_pos, ranking.fp[at] / ranking.n_neg


def uniform_limits(ranking: Ranking, at: Any, alpha: float) -> tuple[FloatArray, FloatArray]:
    """Lower limits of recall and upper limits of the false positive rate, jointly."""
    return (
        certification.recall_limits(ranking.tp[at], ranking.n_pos, alpha / 2),
        certification.false_positive_rate_limits(ranking.fp[at], ranking.n_neg, alpha / 2),
    )


def precision(tpr: FloatArray, fpr: FloatArray, pi0: float) -> FloatArray:
    of_positives, of_negatives = pi0 * tpr, (1 - pi0) * fpr
    whole = of_positives + of_negatives
    return np.divide(of_positives, whole, out=np.zeros_like(whole), where=whole > 0)


def alert_rate(tpr: Any, fpr: Any, pi0: float) -> Any:
    return pi0 * tpr + (1 - pi0) * fpr


def alert_rate_limit(tp: float, fp: float, ranking: Ranking, pi0: float, alpha: float) -> float:
    """Upper limit by MOVER: the squared margins of the two rates add up."""
    tpr, fpr = tp / ranking.n_pos, fp / ranking.n_neg
    of_tpr = certification.upper_limit(int(tp), ranking.n_pos, alpha) - tpr
    of_fpr = certification.upper_limit(int(fp), ranking.n_neg, alpha) - fpr
    margin = math.hypot(pi0 * of_tpr, (1 - pi0) * of_fpr)
    return float(alert_rate(tpr, fpr, pi0)) + margin
