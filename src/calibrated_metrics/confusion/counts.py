"""Counts of both classes at each threshold, before the classes are weighted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _numbers
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.rows import Rows, rows_of_both_classes

__all__ = [
    "Counts",
    "Population",
    "PositiveSteps",
    "SortedScores",
    "Vertices",
    "sort_and_count",
]

_FEW_CUTS = 8  # with fewer than one cut in 8 scores, searching each is faster than merging all


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
        is_lowest = bool(score <= self.score[0])
        both = (self.score, score), (own, weight)  # np.insert is slower for short arrays
        return SortedScores(
            *(np.concatenate([[one], many] if is_lowest else [many, [one]]) for many, one in both)
        )

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
    if _FEW_CUTS * len(cuts) < len(neg.score):
        n_below = neg.score.searchsorted(cuts)
    else:  # a stable sort merges two sorted runs in one pass, with each cut before equal scores
        merged = np.argsort(np.concatenate([cuts, neg.score]), kind="stable")
        n_below = np.flatnonzero(merged < len(cuts)) - np.arange(len(cuts))
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


class Population(Protocol):
    """A source of a curve that is not a sample, such as a pair of distributions."""

    def counts_at(self, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """TP and FP of the decision ``score >= threshold``, for each threshold.

        Parameters
        ----------
        thresholds : ndarray of shape (n_thresholds,)
        """
        ...


class PositiveSteps(NamedTuple):
    """Counts at the ROC segments on which TP grows, by descending threshold.

    Attributes
    ----------
    tp_start, tp_end, fp_start, fp_end : ndarray of shape (n_segments,)
        Counts before and after each segment. FP grows on a segment if scores are tied.
    """

    tp_start: FloatArray
    tp_end: FloatArray
    fp_start: FloatArray
    fp_end: FloatArray


@dataclass(frozen=True, eq=False)
class Counts:
    """Vertices before the classes are weighted, and results that do not depend on the weights.

    They count `rows`, or a `population`, or only the vertices are known. Rows of a single class
    have no vertices. `known_vertices` and `known_steps` are those of the rows, if they need not be
    sorted or searched.
    """

    rows: Rows | None = None
    known_vertices: Vertices | None = None
    population: Population | None = None
    known_steps: NDArray[np.intp] | None = None

    @cached_property
    def has_vertices(self) -> bool:
        return self.rows is None or self.rows.has_both_classes

    @cached_property
    def vertices(self) -> Vertices:
        if self.known_vertices is not None:
            return self.known_vertices
        if not self.has_vertices:
            missing = "negatives" if self.totals[0] else "positives"
            raise ValueError(
                f"the curve has no {missing}, so it has no metrics of its own: add it to curves "
                "that have some, such as those of other days"
            )
        return sort_and_count(*self.by_class)

    @cached_property
    def by_class(self) -> tuple[SortedScores, SortedScores]:
        """Sorted scores of the positives and of the negatives."""
        assert self.rows is not None
        positive, score, weight = self.rows.positive, self.rows.score, self.rows.weight_of_counts
        pos, neg = (
            SortedScores.sort(
                np.compress(of_class, score),
                None if weight is None else np.compress(of_class, weight),
            )
            for of_class in (positive, ~positive)
        )
        return pos, neg

    def at_scores(self) -> Vertices:
        """Counts of the decisions at each distinct score, descending."""
        pos, neg = self.by_class
        scores = np.concatenate([neg.score, pos.score])
        order = np.argsort(scores, kind="stable")  # merges two sorted runs in one pass
        scores = scores[order]
        first = np.flatnonzero(np.append(True, scores[1:] != scores[:-1]))  # of its ties
        n_pos_below = np.append(0, np.cumsum(order >= len(neg.score)))[first]
        tp, fp = pos.weight_from(n_pos_below), neg.weight_from(first - n_pos_below)
        return Vertices(*(counts[::-1].astype(np.float64) for counts in (scores[first], tp, fp)))

    @cached_property
    def totals(self) -> tuple[float, float]:
        """Weight of the positives and of the negatives."""
        if self.rows is None or (self.has_vertices and self.rows.weight_of_counts is not None):
            return float(self.vertices.tp[-1]), float(self.vertices.fp[-1])
        return self.rows.weight_of(self.rows.positive), self.rows.weight_of(~self.rows.positive)

    def __reduce__(self) -> tuple[object, ...]:
        # Copied caches would be writable.
        vertices = self.vertices if self.has_vertices else None
        return Counts, (self.rows, vertices, self.population)

    @property
    def _ends_of_steps(self) -> NDArray[np.intp]:
        """Index of the vertex at the end of each segment on which TP grows."""
        tp = self.vertices.tp
        return (tp[1:] > tp[:-1]).nonzero()[0] + 1

    @cached_property
    def positive_steps(self) -> PositiveSteps:
        end = self._ends_of_steps
        start, (_, tp, fp) = end - 1, self.vertices
        steps = PositiveSteps(tp.take(start), tp.take(end), fp.take(start), fp.take(end))
        for counts in steps:
            counts.flags.writeable = False
        return steps

    @cached_property
    def hull(self) -> Counts:
        """Vertices of the upper convex hull in ROC space."""
        from scipy.optimize import isotonic_regression  # slow to import

        thresholds, tp, fp = self.vertices
        end = self._ends_of_steps
        d_tp, d_fp = (np.diff(counts[end], prepend=0.0) for counts in (tp, fp))
        # Slopes FP/TP rather than precisions: they are accurate near 0, where good rankings start.
        slopes = (d_fp / fp[-1]) / (d_tp / tp[-1])
        blocks = isotonic_regression(slopes, weights=d_tp).blocks
        corners = np.concatenate([[0], end[blocks[1:] - 1]])
        if corners[-1] != len(tp) - 1:
            corners = np.append(corners, len(tp) - 1)
        vertices = Vertices.read_only(thresholds[corners], tp[corners], fp[corners])
        return Counts(known_vertices=vertices)

    @cached_property
    def collapsed(self) -> Counts | None:
        """The curve with one row for all rows of a class on a step; None if rows differ."""
        if self.rows is None or not self.rows.is_plain or self.rows.clusters is not None:
            return None
        d_tp, d_fp = (np.diff(counts) for counts in self.vertices[1:])
        positive, score, number = rows_of_both_classes(self.vertices.thresholds[1:], d_tp, d_fp)
        own = self.rows
        rows = Rows(positive, score, own.dtype, number, class_weight=own.class_weight)
        steps = np.concatenate([np.flatnonzero(counts > 0) for counts in (d_tp, d_fp)])
        return Counts(rows, self.vertices, known_steps=steps)

    def with_ends(self, rows: Rows) -> Counts:
        """The counts of these rows: those here and two more beyond their ends, without sorting.

        The last two of `rows` are a positive and a negative, at opposite ends.
        """
        own, number = self.rows, rows.weight_of_counts
        if own is None or own.weight is not None or number is None:  # sums are by the order of ties
            return Counts(rows)
        weights = (1.0, 1.0) if rows.weight is None else own.class_weight
        added = zip(self.by_class, weights, rows.score[-2:], number[-2:], strict=True)
        return Counts(rows, sort_and_count(*(each.with_end(*one) for each, *one in added)))

    @cached_property
    def step_of_row(self) -> NDArray[np.intp]:
        """Step of the curve on which each row is counted."""
        if self.known_steps is not None:
            return self.known_steps
        assert self.rows is not None
        score, ascending = self.rows.score, self.vertices.thresholds[:0:-1]
        order = np.argsort(score)  # searching in order stays in the cache
        steps = np.empty(len(score), dtype=np.intp)
        steps[order] = len(ascending) - ascending.searchsorted(score[order], side="right")
        # The weight of rows below the last vertex is too small to change the counts.
        return np.minimum(steps, len(self.vertices.thresholds) - 2)

    def outcomes_at(self, thresholds: FloatArray) -> tuple[FloatArray, ...]:
        """TP, FP, FN and TN at each threshold."""
        if self.rows is not None:
            limits = _numbers.in_dtype(thresholds, self.rows.dtype)
            (tp, fn), (fp, tn) = (of_class.weight_at(limits) for of_class in self.by_class)
            return tp, fp, fn, tn
        source = self.population
        count = self._counts_at_vertices if source is None else source.counts_at
        tp, fp = count(thresholds)
        n_pos, n_neg = self.vertices.tp[-1], self.vertices.fp[-1]
        # A population may sum in another order, so its counts may round differently.
        counts_all = thresholds <= self.vertices.thresholds[-1]
        tp = np.where(counts_all, n_pos, np.minimum(tp, n_pos))
        fp = np.where(counts_all, n_neg, np.minimum(fp, n_neg))
        return tp, fp, n_pos - tp, n_neg - fp

    def _counts_at_vertices(self, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
        at, tp, fp = self.vertices
        if np.isnan(at).any():
            raise ValueError("threshold: the thresholds of this curve are unknown")
        n_at_least = (-at).searchsorted(-thresholds, side="right")
        above, below = np.maximum(n_at_least - 1, 0), np.minimum(n_at_least, len(tp) - 1)
        known = (at[above] <= thresholds) | ((tp[above] == tp[below]) & (fp[above] == fp[below]))
        if not known.all():
            raise ValueError(
                f"threshold={thresholds[~known][0]} is not a vertex of this curve, and its counts "
                "between vertices are unknown"
            )
        return tp[above], fp[above]
