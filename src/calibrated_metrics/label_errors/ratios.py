"""Metrics of labels with errors, as ratios of unbiased sums over rows.

The classes of the rows are unknown, but each row counts as some number of positives. Products of
these numbers are unbiased, too, for two different rows, so a row that is compared with itself
counts as exactly one positive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from calibrated_metrics import _numbers
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.label_errors.corrected import CorrectedCounts
from calibrated_metrics.label_errors.rows import CountedRows
from calibrated_metrics.scores import (
    average_precision,
    fbeta,
    precision,
    recall,
    roc_auc,
    specificity,
)
from calibrated_metrics.scores.decision import weights_of
from calibrated_metrics.scores.metric import Metric

__all__ = [
    "CountsAbove",
    "Ratio",
    "is_supported",
    "of_average_precision",
    "of_outcomes",
    "of_roc_auc",
    "ratio_of",
]

_NO_ROWS = "undefined: with their errors, the labels say that a class has no rows"


class Ratio(NamedTuple):
    """A numerator and a denominator, and the contribution of each row to them.

    Contributions have the shape (2, n_rows): of a row that counts as one positive, and of one that
    counts as one negative.
    """

    numerator: float
    denominator: float
    of_numerator: FloatArray
    of_denominator: FloatArray

    def of_rows(self, share: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Contributions of rows that count as these numbers of positives."""
        (of_pos, of_neg), (by_pos, by_neg) = self.of_numerator, self.of_denominator
        return share * of_pos + (1 - share) * of_neg, share * by_pos + (1 - share) * by_neg

    @property
    def value(self) -> float:
        """The ratio, restricted to [0, 1]."""
        if not self.denominator > 0:
            raise ValueError(_NO_ROWS)
        return min(max(self.numerator / self.denominator, 0.0), 1.0)


def of_outcomes(sample: CountedRows, alert: Any, weights: Any, pi0: float | None) -> Ratio:
    """A metric of a decision, from the weights of TP, FP, FN and TN in both parts of the ratio.

    At a reference prior, both parts are multiplied by the numbers of both classes, so that they
    are sums of products.
    """
    share, number = sample.share, sample.rows.counts
    n_pos, n_neg = sample.totals
    parts = []
    for tp, fp, fn, tn in weights:
        pos, neg = np.where(alert, tp, fn), np.where(alert, fp, tn)
        if pi0 is not None:
            odds = (1 - pi0) / pi0
            sums = (number * share * pos).sum(), (number * (1 - share) * neg).sum()
            pos, neg = n_neg * pos + odds * sums[1], odds * n_pos * neg + sums[0]
        total = float((number * (share * pos + (1 - share) * neg)).sum())
        parts.append((total if pi0 is None else total / 2, np.array([pos, neg], dtype=np.float64)))
    (numerator, of_numerator), (denominator, of_denominator) = parts
    return Ratio(numerator, denominator, of_numerator, of_denominator)


class CountsAbove(NamedTuple):
    """Numbers of positives and negatives with at least the score of a row, if it is positive.

    Only for the rows `at`, which count as some positives. `odds` multiplies the negatives at a
    reference prior. `square` is the sum of the squared shares of the other rows.
    """

    at: Any
    share: FloatArray
    pos: FloatArray
    neg: FloatArray
    square: FloatArray
    odds: float

    @classmethod
    def of(cls, sample: CountedRows, pi0: float | None) -> CountsAbove:
        number, share = sample.rows.counts, sample.share
        at = np.flatnonzero(share)
        rank, of_pos, square = (
            sample.sum_above(number * each)[at] for each in (np.ones_like(share), share, share**2)
        )
        share = share[at]
        pos = of_pos - share + 1
        n_pos, n_neg = sample.totals
        if pi0 is not None and abs(n_neg) <= _numbers.ROUNDING * abs(n_pos):
            raise ValueError(_NO_ROWS)
        odds = 1.0 if pi0 is None else (1 - pi0) / pi0 * max(n_pos, 0.0) / n_neg
        return cls(at, share, pos, rank - pos, np.maximum(square - share**2, 0.0), odds)

    def precision(self, more_pos: Any = 0.0, more_neg: Any = 0.0) -> FloatArray:
        """Precision at the score of each row, if there were more positives or negatives."""
        pos = np.maximum(self.pos + more_pos, 0.0)
        whole = pos + self.odds * np.maximum(self.neg + more_neg, 0.0)
        precision: FloatArray = np.divide(pos, whole, out=np.zeros_like(pos), where=whole > 0)
        return precision

    @property
    def square_of_negatives(self) -> FloatArray:
        """Sum of squared shares of negatives of the other rows."""
        n_others = self.pos + self.neg - 1
        square: FloatArray = n_others - 2 * (self.pos - 1) + self.square
        return np.maximum(square, 0.0)


def of_average_precision(sample: CountedRows, pi0: float | None) -> Ratio:
    """Mean precision at the scores of positives, and its influences.

    The derivative of the precision is a secant over the standard error of the counts, because the
    precision bends strongly where few negatives were found.
    """
    above, number, share = CountsAbove.of(sample, pi0), sample.rows.counts, sample.share
    precision, influences = above.precision(), []
    for square, of_pos in ((above.square, 1.0), (above.square_of_negatives, 0.0)):
        step, slope = np.sqrt(np.maximum(square, 1.0)), np.zeros_like(number)
        move = step * of_pos, step * (1 - of_pos)
        rise = above.precision(*move) - above.precision(*np.negative(move))
        slope[above.at] = rise / (2 * step)
        influences.append(sample.sum_below(number * share * slope) - share * slope)
    of_rows = np.array(influences)
    of_rows[0, above.at] += precision
    weight = number[above.at] * above.share
    n_pos, n_neg = sample.totals
    if pi0 is not None and n_pos > 0:  # the numbers of both classes change the odds
        by_log_odds = -float((weight * precision * (1 - precision)).sum())
        of_rows += by_log_odds * np.array([[1 / n_pos], [-1 / n_neg]])
    by_rows = np.array([np.ones_like(share), np.zeros_like(share)])
    return Ratio(float((weight * precision).sum()), n_pos, of_rows, by_rows)


def of_roc_auc(sample: CountedRows) -> Ratio:
    """Share of the pairs of a positive and a negative in which the positive has the higher score.

    Ties count half. Pairs of a row with itself are left out.
    """
    number, share = sample.rows.counts, sample.share
    n_pos, n_neg = sample.totals
    pos, neg = number * share, number * (1 - share)
    below = (sample.sum_below(neg) + n_neg - sample.sum_above(neg)) / 2
    above = (sample.sum_above(pos) + n_pos - sample.sum_below(pos)) / 2
    own = number * share * (1 - share)
    numerator = float((pos * below).sum() - own.sum() / 2)
    of_denominator = np.ones_like(share) * [[n_neg], [n_pos]]
    denominator = n_pos * n_neg - float(own.sum())
    return Ratio(numerator, denominator, np.array([below, above]), of_denominator)


_RANKINGS: dict[Any, Callable[[CountedRows, float | None], Ratio]] = {
    average_precision: of_average_precision,
    roc_auc: lambda sample, _: of_roc_auc(sample),
}
_DECISIONS: dict[Any, Callable[..., Any]] = {
    precision: lambda: ((1, 0, 0, 0), (1, 1, 0, 0)),
    recall: lambda: ((1, 0, 0, 0), (1, 0, 1, 0)),
    specificity: lambda: ((0, 0, 0, 1), (0, 1, 0, 1)),
    fbeta: lambda beta=1.0: ((1, 0, 0, 0), (1, *weights_of(beta), 0)),
}
"""Weights of TP, FP, FN and TN in the numerator and in the denominator, from the options."""


def is_supported(metric: Metric) -> bool:
    return metric.facts.function in _RANKINGS or metric.facts.function in _DECISIONS


def ratio_of(metric: Metric, data: CorrectedCounts, sample: CountedRows) -> Ratio:
    """A supported metric of these rows, for the decision and at the prior of the data."""
    if not metric.of_matrix:
        return _RANKINGS[metric.facts.function](sample, data.pi0)
    alert = sample.rows.has_alert(data.threshold_of(metric))
    weights = _DECISIONS[metric.facts.function](**metric._arguments)
    return of_outcomes(sample, alert, weights, data.pi0)
