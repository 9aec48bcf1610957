"""Confidence limits of rates: at one threshold, and at all thresholds of a ranking at once."""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np

from calibrated_metrics._checks import FloatArray
from calibrated_metrics.binomial import clopper_pearson
from calibrated_metrics.thresholds.ranking import Ranking

__all__ = ["Rates", "false_positive_rate_limits", "recall_limits"]


class Rates(NamedTuple):
    """TPR and FPR at a threshold that was chosen without these rows, with Clopper-Pearson limits.

    Limits of weighted sums are by MOVER (Zou & Donner 2008, doi:10.1002/sim.3095).
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def at(cls, place: int, ranking: Ranking, alpha: float) -> Self:
        """Rates at a threshold; each limit has the error probability `alpha`."""
        successes = np.array([ranking.tp[place], ranking.fp[place]])
        trials = np.array([ranking.n_pos, ranking.n_neg])
        return cls(successes / trials, *clopper_pearson(successes, trials, alpha))

    def upper_limit(self, of_tpr: float, of_fpr: float) -> float:
        """Upper limit of ``of_tpr TPR + of_fpr FPR``."""
        weight = np.array([of_tpr, of_fpr])
        worse = np.where(weight > 0, self.high, self.low)
        return float(weight @ self.value) + math.hypot(*(weight * (worse - self.value)))


def recall_limits(tp: FloatArray, n_pos: float, alpha: float) -> FloatArray:
    """Lower limits of recall that hold at all thresholds at once with probability 1 - `alpha`.

    The recall at the score of the k-th highest positive has a Clopper-Pearson limit if k is fixed
    beforehand. Limits of several ranks k are combined by Bonferroni's correction. A threshold
    between two ranks has at least the recall of the higher threshold.
    """
    ranks = _ranks(n_pos)
    stricter = np.append(0.0, ranks)[ranks.searchsorted(tp, side="right")]
    return clopper_pearson(stricter, n_pos, alpha / len(ranks))[0]


def false_positive_rate_limits(fp: FloatArray, n_neg: float, alpha: float) -> FloatArray:
    """Upper limits of the false positive rate, as `recall_limits`, each from a lower score.

    Just above the score of the k-th highest negative, k - 1 negatives are counted.
    """
    ranks = _ranks(n_neg)
    counted = np.append(ranks - 1, n_neg)[ranks.searchsorted(fp + 1)]
    return clopper_pearson(counted, n_neg, alpha / len(ranks))[1]


def _ranks(n: float) -> FloatArray:
    """Ranks from 1 to n, about 1.5 standard deviations of a binomial count apart."""
    n_ranks = math.ceil(math.pi * math.sqrt(n) / 1.5)
    angles = np.linspace(0, math.pi / 2, n_ranks + 1)[1:]
    return np.unique(np.ceil(n * np.sin(angles) ** 2 - 1e-9))
