"""Rows whose labels may be late or wrong, and the number of positives that each counts as.

A label is positive with probability s (sensitivity) if the row is positive, and with probability
1 - c (c is the specificity) if it is negative, whatever its score. Then each row counts as
(label - (1 - c)) / (s + c - 1) positives: the expected value is 1 for a positive and 0 for a
negative, so sums are unbiased (Rogan & Gladen 1978, doi:10.1093/oxfordjournals.aje.a112510).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _numbers
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.codes import Codes
from calibrated_metrics.rows import Rows
from calibrated_metrics.uncertainty.estimate import Estimate
from calibrated_metrics.uncertainty.hull import HALF, HIGHEST

__all__ = ["CountedRows", "LabelRate"]


class LabelRate(NamedTuple):
    """Sensitivity or specificity of labels: arrays of shape (n_rows,), or () if equal for all.

    `low` and `high` are the limits of the `Estimate` `source` that all rows share, which is None if
    the rate is known.
    """

    value: FloatArray
    low: FloatArray
    high: FloatArray
    source: Estimate | None = None

    @classmethod
    def of(cls, name: str, given: Any, n_rows: int) -> LabelRate:
        """Read None (all labels are correct), a number, one per row, or an `Estimate` of either."""
        if isinstance(given, LabelRate):
            return given
        if not isinstance(given, Estimate):
            value = _of_rows(name, 1.0 if given is None else given, n_rows)
            return cls(value, value, value)
        if given.reason is not None:
            raise ValueError(f"{name} must be an Estimate with an interval, got {given!r}")
        value, low, high = (
            _of_rows(name, each, n_rows) for each in (given.value, given.low, given.high)
        )
        return cls(value, low, high, given)

    def is_from(self, source: Estimate) -> bool:
        """Whether the rates were estimated by this study."""
        return self.source is not None and self.source.identity == source.identity

    def of_rows(self, rows: Any) -> LabelRate:
        """The rates of some rows."""
        value, low, high = (each[rows] if each.ndim else each for each in self[:3])
        return self._replace(value=value, low=low, high=high)


def _of_rows(name: str, given: Any, n_rows: int) -> FloatArray:
    rates = np.asarray(_numbers.one_or_more(name, given, _numbers.probabilities))
    if rates.ndim and len(rates) != n_rows:
        raise ValueError(f"{name} must be one number or {n_rows}, one per row, got {len(rates)}")
    return rates


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Rows by descending score, and the number of positives that each counts as, its share.

    A share may be negative, or above 1. `rows` holds the labels as they are. A positive whose label
    is wrong counts as at least `of_missed` positives.
    """

    rows: Rows
    share: FloatArray
    of_missed: float = 0.0

    @cached_property
    def totals(self) -> tuple[float, float]:
        """Unbiased numbers of positives and of negatives, which may be negative."""
        number = self.rows.counts
        n_pos = float((number * self.share).sum())
        return n_pos, float(number.sum()) - n_pos

    @cached_property
    def ties(self) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
        """First and last row with the score of each row; None if all scores differ."""
        ascending = -self.rows.score
        if (ascending[1:] != ascending[:-1]).all():
            return None
        n_not_above = ascending.searchsorted(ascending, side="right")
        return ascending.searchsorted(ascending), n_not_above - 1

    def sum_above(self, values: FloatArray) -> FloatArray:
        """Sum of values over the rows with at least the score of each row."""
        sums: FloatArray = np.cumsum(values)
        return sums if self.ties is None else sums[self.ties[1]]

    def sum_below(self, values: FloatArray) -> FloatArray:
        """Sum of values over the rows with at most the score of each row."""
        sums: FloatArray = np.cumsum(values[::-1])[::-1]
        return sums if self.ties is None else sums[self.ties[0]]

    @cached_property
    def collapsed(self) -> CountedRows:
        """The same sums over the ranking: a run of rows that count as negatives is one row."""
        rows, is_negative = self.rows, self.share == 0
        if rows.clusters is not None or self.ties is not None or not is_negative.any():
            return self
        first = np.flatnonzero(~is_negative | ~np.append(False, is_negative[:-1]))
        number = np.diff(np.append(first, len(is_negative))).astype(np.float64)
        positive, score = rows.positive[first], rows.score[first]
        merged = replace(rows, positive=positive, score=score, number=number)
        return CountedRows(merged, self.share[first])

    def with_rows_at_the_ends(self, number: float, n_false_alerts: float) -> CountedRows:
        """The rows and some more, each in a cluster of its own.

        `number` rows with a positive label are added above all scores, and as many below them. Each
        counts as many positives as a typical row with a positive label, those below at least
        `of_missed`. `n_false_alerts` rows with a negative label, which count as none, are added
        above all scores.
        """
        rows, share = self.rows, self.share[self.rows.positive]
        typical = float((share**2).sum() / share.sum())
        n_below, below = max((number, typical), (HALF, self.of_missed), key=math.prod)
        clusters = rows.clusters
        if clusters is not None:
            clusters = Codes.of("clusters", np.r_[-1, -2, clusters.code, -3])
        more = replace(
            rows,
            score=np.r_[HIGHEST, HIGHEST, rows.score, -HIGHEST],
            positive=np.r_[True, False, rows.positive, True],
            number=np.r_[number, n_false_alerts, rows.counts, n_below],
            clusters=clusters,
        )
        return CountedRows(more, np.r_[typical, 0.0, self.share, below], self.of_missed)
