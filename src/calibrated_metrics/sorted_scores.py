"""Sorted scores of a class, and the counts of both classes at each threshold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
            is_sorted = bool((score[1:] >= score[:-1]).all())  # as tables and sums of curves are
            return cls(score if is_sorted else np.sort(score), None)
        order = np.argsort(score)
        return cls(score[order], weight[order])

    def with_end(self, each: float, score: float, weight: float) -> SortedScores:
        """These scores and one more, below or above all; `each` is the weight of those without."""
        own = np.full(len(self.score), each) if self.weight is None else self.weight
        place = 0 if score < self.score[0] else len(own)
        scores, weights = (  # np.insert is slower for short arrays
            np.concatenate([values[:place], [added], values[place:]])
            for values, added in ((self.score, score), (own, weight))
        )
        return SortedScores(scores, weights)

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

    Each distinct score of a positive, a cut, has two vertices: one just above it, where a run of
    negatives ends, and one at it, where all its ties are counted at once. The first vertex counts
    nothing, the last counts all. Thresholds are scores of the rows.
    """
    # For example, the positives 2 and 4 and the negatives 1, 2 and 3 have the cuts 4 and 2:
    #
    #                  start   above 4   at 4   above 2   at 2   end
    #     threshold      inf         -      4         3      2     1
    #     tp               0         0      1         1      2     2
    #     fp               0         0      0         1      2     3
    #
    # Above 4 no negative is new, so this vertex is left out.
    first = np.flatnonzero(np.append(True, pos.score[1:] != pos.score[:-1]))  # of its ties
    cuts = pos.score[first]  # ascending
    n_below = _number_below(cuts, neg.score)
    has_ties = bool((neg.score.take(n_below, mode="clip") == cuts).any())
    n_up_to = neg.score.searchsorted(cuts, side="right") if has_ties else n_below

    # By descending threshold: the start and each cut, each followed by the end of the next run.
    thresholds, tp, fp = np.empty((3, 2 * len(cuts) + 2))
    thresholds[0], thresholds[2::2] = np.inf, cuts[::-1]
    tp[0], tp[2::2] = 0.0, pos.weight_from(first)[::-1]
    fp[0], fp[2::2] = 0.0, neg.weight_from(n_below)[::-1]
    thresholds[1:-1:2], thresholds[-1] = neg.score.take(n_up_to, mode="clip")[::-1], neg.score[0]
    tp[1::2] = tp[::2]
    fp[1:-1:2], fp[-1] = neg.weight_from(n_up_to)[::-1], neg.weight_from(0)

    is_new = np.ones(len(fp), dtype=bool)
    is_new[1::2] = fp[1::2] > fp[::2]
    kept = np.flatnonzero(is_new)  # faster than a mask for each array
    return Vertices.read_only(*(counts.take(kept) for counts in (thresholds, tp, fp)))


def _number_below(cuts: FloatArray, scores: FloatArray) -> NDArray[np.intp]:
    """Number of scores below each cut; both are ascending, and cuts are distinct."""
    if _FEW_CUTS * len(cuts) < len(scores):
        return scores.searchsorted(cuts)
    # A stable sort merges two sorted runs in one pass, with each cut before equal scores.
    merged = np.argsort(np.concatenate([cuts, scores]), kind="stable")
    return np.flatnonzero(merged < len(cuts)) - np.arange(len(cuts))


_FEW_CUTS = 8  # with fewer than one cut in 8 scores, searching each is faster than merging all
