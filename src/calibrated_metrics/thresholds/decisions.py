"""Counts of the decisions at each score of a sample, their rates with limits, and halves."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _numbers
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.binomial import clopper_pearson
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.confusion.data import Measurable
from calibrated_metrics.rows import Rows

__all__ = [
    "Ranking",
    "Rates",
    "false_positive_rate_limits",
    "recall_limits",
    "require_counts",
]

_LOWEST = -np.finfo(np.float64).max
_MOST_TO_HALVE = 10**9  # limit of NumPy's hypergeometric generator


class Ranking(NamedTuple):
    """Weights of the decisions ``score >= threshold``, one per distinct score, descending.

    They are numbers of rows if all rows of a class have the same weight. Weights of the classes are
    not included. `dtype` is that of the scores, None if rows were counted by score.
    """

    thresholds: FloatArray
    tp: FloatArray
    fp: FloatArray
    dtype: Any = None

    @classmethod
    def of(cls, data: ConfusionCurve | Measurable) -> Ranking:
        if isinstance(data, Measurable):
            return cls(*data.counts_at_scores())
        sample, (thresholds, tp, fp) = data.rows, data._counts.at_scores()
        if sample.weight is None and sample.without_errors is None:
            # Numbers that were computed from rates, such as 6.9999999.
            tp, fp = np.rint(tp), np.rint(fp)
        return cls(thresholds, tp, fp, sample.dtype if sample.number is None else None)

    def threshold(self, at: int) -> float:
        """A number with few digits that admits the rows at and above a place, and no others.

        Rows that are scored alone differ in the last digits, so it lies well between the score and
        the next lower one, in the upper half: the new rows that it admits below the score are few.
        Whole scores have no such errors, and counted scores may be lower edges of bins.
        """
        score = float(self.thresholds[at])
        is_whole = (self.thresholds == np.rint(self.thresholds)).all()
        if self.dtype is None or (is_whole and abs(score) <= _numbers.LARGEST_COUNT):
            return score
        lower = max(score - (abs(score) or 1.0), _LOWEST)
        if at + 1 < len(self.thresholds):
            lower = float(self.thresholds[at + 1])
        half = score / 2 - lower / 2  # of the gap
        bottom, top = score - half, score - half / 4
        for n_digits in range(1, 18):
            number = _numbers.rounded_down(top, n_digits, like=max(bottom, top, key=abs))
            if number >= bottom and lower < _numbers.in_dtype(number, self.dtype) < score:
                return number
        return score

    @property
    def n_pos(self) -> float:
        return float(self.tp[-1])

    @property
    def n_neg(self) -> float:
        return float(self.fp[-1])

    @property
    def alerts(self) -> FloatArray:
        return self.tp + self.fp

    def rates(self, at: Any = ...) -> tuple[FloatArray, FloatArray]:
        """TPR and FPR at some thresholds."""
        return self.tp[at] / self.n_pos, self.fp[at] / self.n_neg

    @property
    def rise_ends(self) -> NDArray[np.intp]:
        """Indices of the thresholds that count more positives than the next higher threshold.

        Other thresholds are worse: between two of these, only false alerts are added.
        """
        return np.flatnonzero(np.diff(self.tp, prepend=0.0) > 0)

    @property
    def reverse(self) -> Ranking:
        """That of the opposite labels and scores: alerts are rows below a threshold, last all."""
        tp = np.append(self.n_neg - self.fp[::-1], self.n_neg)
        fp = np.append(self.n_pos - self.tp[::-1], self.n_pos)
        return Ranking(np.append(-self.thresholds[::-1], -np.inf), tp, fp)

    def halves(self, seed: int) -> tuple[Ranking, Ranking]:
        """Two random halves of the rows of each class, drawn without replacement."""
        generator = np.random.default_rng(seed)
        one, other = [], []
        for counts in (self.tp, self.fp):
            at_score = np.diff(counts, prepend=0.0).astype(np.int64)
            if counts[-1] >= _MOST_TO_HALVE:
                raise ValueError(
                    f"curve must count fewer than {_MOST_TO_HALVE} rows of a class to be halved, "
                    f"got {counts[-1]:g}"
                )
            half = at_score.sum() // 2
            drawn = generator.multivariate_hypergeometric(at_score, half, method="marginals")
            one.append(np.cumsum(drawn, dtype=np.float64))
            other.append(counts - one[-1])
        return Ranking(self.thresholds, *one), Ranking(self.thresholds, *other)


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


def require_counts(data: ConfusionCurve | Measurable) -> Rows:
    """The rows, unless a binomial test cannot count them, as they are weighted or dependent."""
    if isinstance(data, Measurable):
        raise ValueError(
            "confidence_level must be None for labels with errors: no test of a threshold is known "
            "to be valid for them"
        )
    sample = data.rows
    reason = sample.without_errors
    if sample.weight is not None:
        reason = "it has weights that differ within a class (equal weights are allowed)"
    elif sample.error_clusters is not None:
        reason = (
            "it has clusters of dependent rows (one random row of each cluster is allowed, for a "
            "guarantee about such rows)"
        )
    elif sample.error_strata is not None and not sample.fixes_prior:
        reason = "it has strata with rows of both classes (strata within a class are allowed)"
    if reason is not None:
        raise ValueError(
            f"curve must count independent rows for a guarantee, but {reason}. Without a "
            "guarantee, confidence_level=None chooses a threshold, and uncertainty.interval gives "
            "the limits of its precision on other rows"
        )
    return sample
