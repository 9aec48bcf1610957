"""Dominance of curves: is one model better than another at every threshold and every prior?

A curve dominates another in ROC space if and only if it does in PR space, at every reference prior
(Davis & Goadrich, ICML 2006, Theorem 3.2, doi:10.1145/1143844.1143874).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from calibrated_metrics import spaces
from calibrated_metrics._arguments import plain_calls
from calibrated_metrics._numbers import ROUNDING, FloatArray
from calibrated_metrics.confusion import ConfusionCurve, CurveLike
from calibrated_metrics.confusion.data import as_curve

__all__ = ["Comparison", "Crossing", "compare"]


class Crossing(NamedTuple):
    """The last common point of two curves before the lead changes: rates in [0, 1].

    `tpr` is recall, the abscissa of the crossing in PR space, and `fpr` that in ROC space.
    """

    fpr: float
    tpr: float


@dataclass(frozen=True)
class Comparison:
    """Which of two curves lies above the other, from recall 0 to recall 1.

    `leaders` names the upper curve on each stretch between the `crossings`; it is empty if the
    curves coincide. Touching without crossing is not reported.
    """

    leaders: tuple[str, ...]
    crossings: tuple[Crossing, ...]


@plain_calls()
def compare(curve: CurveLike, other: CurveLike, *, pos_label: Any = None) -> Comparison:
    """Return which curve lies above the other in each range of recall, and where they cross.

    The comparison is exact up to rounding: rates within a relative difference of 1e-12 are tied.

    Parameters
    ----------
    curve, other : ConfusionCurve or pair (y_true, y_score)
        At any priors. The answer holds in ROC space and in PR space at every common prior.
    pos_label : scalar, default=None
        Label of the positives. None: 1 for a pair, and the own label of a curve or matrix.

    Returns
    -------
    Comparison

    Examples
    --------
    The two curves of Davis & Goadrich's Figure 7 cross at a recall of 0.6, at any prior:

    >>> from calibrated_metrics import ConfusionCurve
    >>> from calibrated_metrics.dominance import compare
    >>> first = ConfusionCurve.from_roc(
    ...     tpr=[0, 0.5, 1, 1], fpr=[0, 0, 0.75, 1], n_pos=20, n_neg=2000
    ... )
    >>> second = ConfusionCurve.from_roc(tpr=[0, 1, 1], fpr=[0, 0.25, 1], n_pos=20, n_neg=2000)
    >>> compare(first, second)
    Comparison(leaders=('curve', 'other'), crossings=(Crossing(fpr=0.15, tpr=0.6),))
    """
    curves = as_curve("curve", curve, pos_label), as_curve("other", other, pos_label)
    paths = _recall_path(curves[0]), _recall_path(curves[1])
    stretches = _Stretches.of(*paths)
    apart = np.flatnonzero(stretches.signs)
    signs = stretches.signs.flat[apart]
    new_lead = np.diff(signs, prepend=0.0) != 0
    leaders = tuple("curve" if sign < 0 else "other" for sign in signs[new_lead])
    crossings = tuple(stretches.parting(int(end)) for end in apart[new_lead][1:])
    return Comparison(leaders, crossings)


class _Path(NamedTuple):
    """A curve as a function of one coordinate x: linear pieces from each x to the next.

    At a jump of the function, the end of a piece and the start of the next differ.
    """

    x_start: FloatArray
    x_end: FloatArray
    y_start: FloatArray
    y_end: FloatArray

    def over(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """y and its rounding error at both ends of intervals within a piece: (n_intervals, 2)."""
        piece = self.x_end.searchsorted(right)
        start, end = self.x_start[piece, None], self.x_end[piece, None]
        y_start, rise = self.y_start[piece, None], (self.y_end - self.y_start)[piece, None]
        x = np.column_stack([left, right])
        y = y_start + (x - start) / (end - start) * rise
        return y, ROUNDING * (y + end / (end - start) * rise)


class _Stretches(NamedTuple):
    """Two paths between their common breakpoints; arrays of shape (n_stretches, 2), for both ends.

    `signs` is 1 where the first path has the greater y, -1 where the second has, 0 where tied.
    """

    x: FloatArray
    first: FloatArray
    second: FloatArray
    signs: FloatArray

    @classmethod
    def of(cls, first: _Path, second: _Path) -> _Stretches:
        breaks = np.unique(np.concatenate([[0.0], first.x_end, second.x_end]))
        left, right = breaks[:-1], breaks[1:]
        # Breakpoints that differ only by rounding are one; they have no stretch between them.
        wide = right - left > ROUNDING * right
        left, right = left[wide], right[wide]
        (y1, rounding1), (y2, rounding2) = first.over(left, right), second.over(left, right)
        gap = y1 - y2
        signs = np.where(np.abs(gap) > rounding1 + rounding2, np.sign(gap), 0.0)
        return cls(np.column_stack([left, right]), y1, y2, signs)

    def parting(self, end: int) -> Crossing:
        """Crossing of two paths (FPR by recall) on the stretch with flat index `end`, or start."""
        stretch, at_right = divmod(end, 2)
        (left, right), first, second = self.x[stretch], self.first[stretch], self.second[stretch]
        share = 0.0
        if at_right and self.signs[stretch, 0] != 0:
            gap_left, gap_right = first - second
            share = gap_left / (gap_left - gap_right)
        fpr = min(y[0] + share * (y[1] - y[0]) for y in (first, second))
        return Crossing(float(fpr), float(left + share * (right - left)))


def _recall_path(curve: ConfusionCurve) -> _Path:
    """The false positive rate by recall."""
    fpr, tpr = spaces.roc(curve)
    start = np.flatnonzero(tpr[1:] > tpr[:-1])
    return _Path(tpr[start], tpr[start + 1], fpr[start], fpr[start + 1])
