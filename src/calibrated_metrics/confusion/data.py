"""Data that users give: curves and matrices, pairs that become them, and labels with errors."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks
from calibrated_metrics.confusion.curve import ConfusionCurve
from calibrated_metrics.confusion.matrix import ConfusionMatrix
from calibrated_metrics.confusion.measurable import Measurable, what_takes

__all__ = ["CurveLike", "as_curve", "built", "check_label"]

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


def built(name: str, data: Any, kind: Any, pos_label: Any) -> Any:
    """The curve or matrix (`kind`) of a pair; curves and matrices as given.

    `pos_label` None is the label 1 of a pair, or the label with which other data were built.
    """
    if isinstance(data, tuple | list) and len(data) == 2:
        return kind.from_predictions(*data, pos_label=1 if pos_label is None else pos_label)
    if isinstance(data, ConfusionCurve | ConfusionMatrix | Measurable):
        check_label(name, data, pos_label)
    return data


def check_label(
    name: str, data: ConfusionCurve | ConfusionMatrix | Measurable, pos_label: Any
) -> None:
    """Refuse another label of the positives than that with which a curve or matrix was built."""
    if pos_label is None:
        return
    _checks.single_label("pos_label", pos_label)
    known = data.pos_label
    if known is None:
        raise ValueError(
            f"pos_label must be None if {name} has no labels, such as counts or rates, got "
            f"{_checks.shown(pos_label)}"
        )
    if not _checks.equal_to(np.array([known], dtype=object), pos_label).all():
        raise ValueError(
            f"pos_label must be None or {_checks.shown(known)}, with which {name} was built, got "
            f"{_checks.shown(pos_label)}"
        )
