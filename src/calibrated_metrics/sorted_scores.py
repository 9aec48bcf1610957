"""Sorted scores of a class, and the counts of both classes at each threshold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from calibrated_metrics._checks import FloatArray

__all__ = ["SortedScores", "Vertices", "sort_and_count"]


@dataclass(frozen=True, eq=False)
class SortedScores:
    """Scores of one class, ascending, with their weights; None if each weighs 1."""

    score: FloatArray
    weight: FloatArray | None

    @classmethod
    def sort(cls, score: FloatArray, weight: FloatArray | None = None) -> SortedScores:
        if weight is None:
            return cls(np.sort(score), None)
        order = np.argsort(score)
        return cls(score[order], weight[order])

    @cached_property
    def _weight_from(self) -> FloatArray:
        """Weight of each score and of all above it, with a last entry 0."""
        assert self.weight is not None
        total = np.zeros(len(self.weight) + 1)
        np.cumsum(self.weight[::-1], out=total[-2::-1])
        return total

    def weight_from(self, index: Any) -> Any:
        """Weight of the scores at an index and above it; for an array of indices, an array."""
        return len(self.score) - index if self.weight is None else self._weight_from[index]

    def weight_at(self, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Weight of the scores at each threshold and above it, and of those below it.

        The latter is added from below, since a difference of sums would lose digits.
        """
        n_below = self.score.searchsorted(thresholds)
        at_least = np.asarray(self.weight_from(n_below), dtype=np.float64)
        if self.weight is None:
            return at_least, np.asarray(n_below, dtype=np.float64)
        return at_least, np.append(0.0, np.cumsum(self.weight))[n_below]


class Vertices(NamedTuple):
    """Counts of the decisions ``score >= threshold``, by descending threshold."""

    thresholds: FloatArray
    tp: FloatArray
    fp: FloatArray

    @classmethod
    def read_only(cls, *counts: FloatArray) -> Vertices:
        """Arrays that nothing else holds, and that nothing can change."""
        for each in counts:
            each.flags.writeable = False
        return cls(*counts)

    def __reduce__(self) -> tuple[object, ...]:
        return Vertices.read_only, tuple(self)  # copied arrays would be writable


def sort_and_count(pos: SortedScores, neg: SortedScores) -> Vertices:
    """Count both classes at each threshold at which a curve can bend.

    Each distinct score of a positive has two vertices: one just above it, where a run of negatives
    ends, and one at it, where all its ties are counted at once. The first vertex counts nothing,
    the last counts all. Thresholds are scores of the rows.
    """
    # Index of the lowest row of each cut, which is the first of its ties.
    cut_from = np.flatnonzero(np.append(True, pos.score[1:] != pos.score[:-1]))
    cuts = pos.score[cut_from]  # distinct scores of the positives, ascending
    neg_from = neg.score.searchsorted(cuts)
    has_ties = bool((neg.score.take(neg_from, mode="clip") == cuts).any())
    neg_above = neg.score.searchsorted(cuts, side="right") if has_ties else neg_from

    # One row per cut, by descending cut: just above it, and at it.
    thresholds, tp, fp = (np.empty((len(cuts), 2)) for _ in range(3))
    thresholds[::-1, 0], thresholds[::-1, 1] = neg.score.take(neg_above, mode="clip"), cuts
    fp[::-1, 0], fp[::-1, 1] = neg.weight_from(neg_above), neg.weight_from(neg_from)
    tp[::-1, 1] = pos.weight_from(cut_from)
    tp[0, 0], tp[1:, 0] = 0.0, tp[:-1, 1]

    thresholds = np.concatenate([[np.inf], thresholds.ravel(), neg.score[:1]])
    tp = np.concatenate([[0.0], tp.ravel(), tp[-1:, 1]])
    fp = np.concatenate([[0.0], fp.ravel(), [neg.weight_from(0)]])
    # A vertex above a cut, and the last one, is new only if negatives were counted on the way.
    is_new = np.ones(len(fp), dtype=bool)
    is_new[1::2] = fp[1::2] > fp[:-1:2]
    if is_new.all():
        return Vertices.read_only(thresholds, tp, fp)
    kept = np.flatnonzero(is_new)  # faster than a mask for each array
    return Vertices.read_only(*(counts.take(kept) for counts in (thresholds, tp, fp)))
