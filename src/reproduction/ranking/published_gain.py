"""Calibrated AUC-PR Gain as the published code of Siblini et al. computes it."""

import bisect
from typing import NamedTuple

import numpy as np

from calibrated_metrics import _numbers
from calibrated_metrics.confusion import ConfusionCurve


class _Vertex(NamedTuple):
    """A point of the curve; vertices sort by recall gain, then by falling precision gain."""

    recall_gain: float
    precision_loss: float  # minus the precision gain
    tp: float
    fp: float


def prg_auc_as_published(curve: ConfusionCurve, pi0: float) -> float:
    """Area under the calibrated precision-recall-gain curve, by the published formulas.

    The gains at the thresholds are right. Where the curve crosses its axes between two
    thresholds, the formulas are those of the ordinary curve (π₀ = π):

    - recall gain 0 is assumed at TP = N₊π, but is at N₊π₀: the segment is extrapolated, and
      precision gain can exceed 1 there;
    - precision gain 0 at recall gain x is assumed at TP = N₊π / (1 - (1-π) x), but is at
      N₊π₀ / (1 - (1-π₀) x): the point moves along recall gain, sometimes past its neighbours.

    `curve` is at the data's own prior π, not calibrated. The area can exceed 1. It is correct at π₀
    = π. It is 0 where the published code divides by zero, which is possible only if π₀ < π, because
    that code stores 0 for NaN.

    At π₀ < π a point that has moved past a neighbour makes the published code take the next
    crossing from a wrong pair of vertices. Then vertices inside a run of negatives matter, too. A
    curve of rows omits them; `ConfusionCurve` keeps the vertices that it is given.

    References: ``prgc.py`` of the code of Siblini et al.; Flach & Kull, "Precision-Recall-Gain
    Curves: PR Analysis Done Right", NIPS 2015, for the ordinary curve.
    """
    odds = _numbers.open_unit("pi0", pi0) / (1.0 - pi0)
    vertices = _from_recall_gain_zero(curve, odds)
    # The crossings are found before any is inserted; each insertion shifts the later ones by one.
    losses = np.array([vertex.precision_loss for vertex in vertices])
    changes_sign = losses[1:] * losses[:-1] < 0
    for n_inserted, end in enumerate((np.flatnonzero(changes_sign) + 1).tolist()):
        start, stop = vertices[end - 1 + n_inserted : end + 1 + n_inserted]
        try:
            tp, fp = _where_precision_gain_is_zero(curve, start, stop)
        except ZeroDivisionError:
            return 0.0
        bisect.insort_left(vertices, _Vertex(_recall_gain(curve, odds, tp), 0.0, tp, fp))
    recall_gains, losses = np.array(vertices)[:, :2].T
    counted = recall_gains >= 0
    recall_gains, losses = recall_gains[counted], losses[counted]
    return -float((np.diff(recall_gains) * (losses[1:] + losses[:-1])).sum()) / 2


def _from_recall_gain_zero(curve: ConfusionCurve, odds: float) -> list[_Vertex]:
    """Vertices at non-negative recall gain, starting with the one that is assumed at 0."""
    counted = curve.tp > 0
    tp, fp = curve.tp[counted], curve.fp[counted]
    recall_gains = _recall_gain(curve, odds, tp)
    precision_losses = -_precision_gain(curve, tp, fp)
    precision_losses[-1] = 0.0  # exactly 0, so that rounding causes no crossing next to it
    first = int(recall_gains.searchsorted(0.0))
    columns = (recall_gains, precision_losses, tp, fp)
    vertices = [_Vertex(*row) for row in zip(*(c[first:].tolist() for c in columns), strict=True)]
    if vertices[0].recall_gain > 0:
        before = len(curve) - len(vertices) - 1
        tp_before, fp_before = curve.tp.item(before), curve.fp.item(before)
        tp = curve.n_pos * curve.prior
        share = (tp - tp_before) / (vertices[0].tp - tp_before)
        fp = fp_before + share * (vertices[0].fp - fp_before)
        vertices.insert(0, _Vertex(0.0, -_precision_gain(curve, tp, fp), tp, fp))
    return vertices


def _recall_gain(curve: ConfusionCurve, odds: float, tp):
    return 1.0 - odds * ((curve.n_pos - tp) / tp)


def _precision_gain(curve: ConfusionCurve, tp, fp):
    return 1.0 - (curve.n_pos / curve.n_neg) * (fp / tp)


def _where_precision_gain_is_zero(
    curve: ConfusionCurve, start: _Vertex, stop: _Vertex
) -> tuple[float, float]:
    """TP and FP of the point inserted between two vertices on either side of precision gain 0."""
    if stop.tp > start.tp:
        share = start.precision_loss / (start.precision_loss - stop.precision_loss)
        recall_gain = start.recall_gain + share * (stop.recall_gain - start.recall_gain)
        tp = curve.n_pos**2 / (curve.n_pos + curve.n_neg - curve.n_neg * recall_gain)
        share = (tp - start.tp) / (stop.tp - start.tp)
    else:
        fp = curve.n_neg / curve.n_pos * start.tp
        share = (fp - start.fp) / (stop.fp - start.fp)
    return start.tp + share * (stop.tp - start.tp), start.fp + share * (stop.fp - start.fp)
