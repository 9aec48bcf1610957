"""Counts of the decisions at each score of a sample, and a random half of its rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics._checks import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.confusion.data import Measurable
from calibrated_metrics.rows import Rows

__all__ = ["Ranking", "require_counts"]

_MOST_TO_HALVE = 10**9  # limit of NumPy's hypergeometric generator


class Ranking(NamedTuple):
    """Weights of the decisions ``score >= threshold``, one per distinct score, descending.

    They are numbers of rows if all rows of a class have the same weight. Weights of the classes are
    not included.
    """

    thresholds: FloatArray
    tp: FloatArray
    fp: FloatArray

    @classmethod
    def of(cls, data: ConfusionCurve | Measurable) -> Ranking:
        if isinstance(data, Measurable):
            return cls(*data.counts_at_scores())
        sample = data.rows
        thresholds = np.unique(sample.score)[::-1]
        counts: Any = data._unweighted.confusion_matrix(thresholds)
        if sample.weight is None and sample.without_errors is None:
            # Numbers that were computed from rates, such as 6.9999999.
            return cls(thresholds, np.rint(counts.tp), np.rint(counts.fp))
        return cls(thresholds, counts.tp, counts.fp)

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
    elif sample.clusters is not None:
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
