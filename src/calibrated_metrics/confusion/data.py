"""Curves, and the pairs that become them."""

from __future__ import annotations

from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from calibrated_metrics import _checks
from calibrated_metrics.confusion.curve import ConfusionCurve
from calibrated_metrics.confusion.matrix import ConfusionMatrix
from calibrated_metrics.confusion.measurable import what_takes
from calibrated_metrics.rows import built

__all__ = ["CurveLike", "as_curve"]

CurveLike: TypeAlias = ConfusionCurve | tuple[ArrayLike, ArrayLike]


def as_curve(name: str, data: Any, pos_label: Any = None) -> ConfusionCurve:
    """The curve itself, or that of a pair (y_true, y_score)."""
    curve = built(name, data, ConfusionCurve, pos_label)
    if not isinstance(curve, ConfusionCurve):
        of_matrix = "; ConfusionCurve.from_counts([0, 1], pos=[fn, tp], neg=[tn, fp]) is its curve"
        raise TypeError(
            f"{name} must be a ConfusionCurve or a pair (y_true, y_score), got "
            f"{_checks.shown(data)}{of_matrix if isinstance(data, ConfusionMatrix) else ''}"
            f"{what_takes(data)}"
        )
    if not (curve.n_pos and curve.n_neg):
        raise ValueError(f"{name} must hold both classes, got {curve!r}")
    return curve
