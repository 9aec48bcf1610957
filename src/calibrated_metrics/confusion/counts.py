"""Counts of a curve before its classes are weighted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics._checks import FloatArray
from calibrated_metrics.rows import Rows, rows_of_both_classes
from calibrated_metrics.sorted_scores import Vertices, sort_and_count

__all__ = ["Counts", "Population", "PositiveSteps"]


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
    have no vertices. `known_steps` are those of the rows, if they need not be searched.
    """

    known_vertices: Vertices | None
    rows: Rows | None = None
    population: Population | None = None
    known_steps: NDArray[np.intp] | None = None

    @classmethod
    def of_rows(cls, rows: Rows) -> Counts:
        return cls(sort_and_count(*rows.by_class) if rows.has_both_classes else None, rows)

    @property
    def vertices(self) -> Vertices:
        if self.known_vertices is None:
            missing = "negatives" if self.totals[0] else "positives"
            raise ValueError(
                f"the curve has no {missing}, so it has no metrics of its own: add it to curves "
                "that have some, such as those of other days"
            )
        return self.known_vertices

    @cached_property
    def totals(self) -> tuple[float, float]:
        """Weight of the positives and of the negatives."""
        if self.known_vertices is None:
            assert self.rows is not None
            return self.rows.weight_of(self.rows.positive), self.rows.weight_of(~self.rows.positive)
        return float(self.vertices.tp[-1]), float(self.vertices.fp[-1])

    def __reduce__(self) -> tuple[object, ...]:
        # Copied caches would be writable.
        return Counts, (self.known_vertices, self.rows, self.population)

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
        return Counts(Vertices.read_only(thresholds[corners], tp[corners], fp[corners]))

    @cached_property
    def collapsed(self) -> Counts | None:
        """The curve with one row for all rows of a class on a step; None if rows differ."""
        if self.rows is None or not self.rows.is_plain:
            return None
        d_tp, d_fp = (np.diff(counts) for counts in self.vertices[1:])
        positive, score, number = rows_of_both_classes(self.vertices.thresholds[1:], d_tp, d_fp)
        own = self.rows
        rows = Rows(positive, score, own.dtype, number, class_weight=own.class_weight)
        steps = np.concatenate([np.flatnonzero(counts > 0) for counts in (d_tp, d_fp)])
        return Counts(self.vertices, rows, known_steps=steps)

    def with_ends(self, rows: Rows) -> Counts:
        """The counts of these rows and of a positive and a negative beyond the ends of the curve.

        They are the last two of `rows`, in this order, at opposite ends.
        """
        own = self.rows
        assert own is not None
        if own.weight is not None:  # their sums depend on the order of ties
            return Counts.of_rows(rows)
        weights = (1.0, 1.0) if rows.weight is None else own.class_weight
        added = zip(weights, rows.score[-2:].tolist(), rows.weight_of_last(2), strict=True)
        ranked = zip(own.by_class, added, strict=True)
        vertices = sort_and_count(*(of_class.with_end(*one) for of_class, one in ranked))
        places, lowest = -vertices.thresholds[1:], len(vertices.thresholds) - 2
        moved = places.searchsorted(-self.vertices.thresholds[1:])
        steps = np.append(moved[self.step_of_row], places.searchsorted(-rows.score[-2:]))
        return Counts(vertices, rows, known_steps=np.minimum(steps, lowest))

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
            return self.rows.outcomes_at(thresholds)
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
