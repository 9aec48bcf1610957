"""Vertices of a curve before calibration, and what is derived from them once for all priors."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._sources import Counts, Source

MOST_NEGATIVES = 10**9 - 1  # NumPy's limit for draws without replacement


class Rises(NamedTuple):
    """The m ROC segments on which TP grows, by descending threshold.

    Each segment is one group of tied scores that includes a positive. Areas and maxima need
    nothing else: between two rises only FP grows.

    Attributes
    ----------
    tp_start, tp_end, fp_start, fp_end : ndarray of shape (m,)
        Weights at both ends of each segment; ``tp_end > tp_start``, ``fp_end >= fp_start``.
    """

    tp_start: FloatArray
    tp_end: FloatArray
    fp_start: FloatArray
    fp_end: FloatArray


class Vertices:
    """Vertices before calibration, with cached quantities that are derived from them."""

    def __init__(
        self, thresholds: FloatArray, tp: FloatArray, fp: FloatArray, source: Source | None = None
    ):
        freeze(thresholds, tp, fp)
        self.thresholds, self.tp, self.fp, self.source = thresholds, tp, fp, source
        self.n_pos, self.n_neg = float(tp[-1]), float(fp[-1])

    def __reduce__(self) -> tuple[Any, ...]:
        return Vertices, (self.thresholds, self.tp, self.fp, self.source)

    @cached_property
    def rise_ends(self) -> NDArray[np.intp]:
        """Index of the vertex at the end of each rise."""
        return np.flatnonzero(self.tp[1:] > self.tp[:-1]) + 1

    @cached_property
    def rises(self) -> Rises:
        end = self.rise_ends
        tp = self.tp.take(end)
        tp_start = np.append(0.0, tp[:-1])  # between two rises TP is constant
        rises = Rises(tp_start, tp, self.fp.take(end - 1), self.fp.take(end))
        freeze(*rises)
        return rises

    @cached_property
    def hull(self) -> Vertices:
        """Vertices of the upper convex hull in ROC space, which is the same at every prior."""
        from scipy.optimize import isotonic_regression  # slow to import

        end = self.rise_ends
        d_tp = np.diff(self.tp[end], prepend=0.0)
        d_fp = np.diff(self.fp[end], prepend=0.0)
        # Slopes FP/TP rather than precisions: they are accurate near 0, where good rankings start.
        slopes = (d_fp / self.n_neg) / (d_tp / self.n_pos)
        blocks = isotonic_regression(slopes, weights=d_tp).blocks
        corners = np.concatenate([[0], end[blocks[1:] - 1]])
        if corners[-1] != len(self.tp) - 1:
            corners = np.append(corners, len(self.tp) - 1)
        return Vertices(self.thresholds[corners], self.tp[corners], self.fp[corners])

    def counts_at(self, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """TP and FP of the scores ``>= threshold``, for each threshold."""
        if self.source is not None:
            tp, fp = self.source.counts_at(thresholds)
            # The source may add weights in another order, so its counts may round differently.
            counts_all = thresholds <= self.thresholds[-1]
            return (
                np.where(counts_all, self.n_pos, np.minimum(tp, self.n_pos)),
                np.where(counts_all, self.n_neg, np.minimum(fp, self.n_neg)),
            )
        if np.isnan(self.thresholds).any():
            raise ValueError("threshold: the thresholds of this curve are unknown")
        n_at_least = (-self.thresholds).searchsorted(-thresholds, side="right")
        above, below = np.maximum(n_at_least - 1, 0), np.minimum(n_at_least, len(self.tp) - 1)
        known = (self.thresholds[above] <= thresholds) | (
            (self.tp[above] == self.tp[below]) & (self.fp[above] == self.fp[below])
        )
        if not known.all():
            raise ValueError(
                f"threshold={thresholds[~known][0]} is not a vertex of this curve, and its counts "
                "between vertices are unknown; for a random draw, pass this threshold in the "
                "argument `thresholds`"
            )
        return self.tp[above], self.fp[above]

    def with_vertices_at(self, thresholds: Iterable[float]) -> Vertices:
        """Vertices that include one at each of these thresholds."""
        if isinstance(thresholds, memoryview):  # Python reads few of its formats
            thresholds = np.asarray(thresholds)
        is_number = isinstance(thresholds, np.ndarray) and thresholds.ndim == 0
        if is_number or not isinstance(thresholds, Iterable):
            raise TypeError(
                f"thresholds must be a sequence of numbers, got {_checks.shown(thresholds)}"
            )
        wanted = [_checks.real_number("thresholds", each) for each in thresholds]
        added = np.setdiff1d(np.array(wanted), self.thresholds)
        if isinstance(self.source, Counts) or added.size == 0:
            return self
        tp, fp = self.counts_at(added)
        all_thresholds = np.concatenate([self.thresholds, added])
        order = np.argsort(-all_thresholds, kind="stable")
        tp, fp = np.concatenate([self.tp, tp])[order], np.concatenate([self.fp, fp])[order]
        return Vertices(all_thresholds[order], tp, fp)

    def drawn(self, tp: FloatArray, fp: FloatArray) -> Vertices:
        """The same thresholds with other counts."""
        if isinstance(self.source, Counts):  # all weight lies at the thresholds
            source = self.source.with_counts(np.diff(tp), np.diff(fp))
            return Vertices(self.thresholds, tp, fp, source)
        return Vertices(self.thresholds, tp, fp)


def whole_steps(of: str, cumulative: FloatArray, most: int = 2**53) -> NDArray[np.int64]:
    """Number of samples between each vertex and the next.

    Raises
    ------
    ValueError
        If the weights are not whole numbers, or their sum exceeds `most`.
    """
    steps = np.diff(cumulative)
    whole = np.rint(steps)
    if not np.array_equal(steps, whole):
        raise ValueError(
            f"a random draw needs whole-number weights of the {of}, but some are not whole numbers"
        )
    if cumulative[-1] > most:
        raise ValueError(
            f"a random draw takes at most {most} samples of a class, got {cumulative[-1]:g} {of}"
        )
    return whole.astype(np.int64)


def cumulative(steps: NDArray[np.int64]) -> FloatArray:
    return np.concatenate([[0.0], np.cumsum(steps)])


def freeze(*arrays: FloatArray) -> None:
    for array in arrays:
        array.flags.writeable = False


def outside_runs_of_negatives(tp: FloatArray) -> NDArray[np.bool_]:
    """Mask of the vertices at which TP changes on either side, and both ends."""
    grows: NDArray[np.bool_] = np.diff(tp) > 0
    either: NDArray[np.bool_] = np.append(True, grows) | np.append(grows, True)
    return either
