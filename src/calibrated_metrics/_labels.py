"""Checks of labels: two classes, the label of the positives, and missing labels."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _columns
from calibrated_metrics._messages import distinct, shown

_SEVERAL = "; multiclass.one_vs_rest has metrics of several classes"


def is_positive(y_true: Any, pos_label: Any, name: str = "y_true") -> NDArray[np.bool_]:
    """Mask of the positives among binary labels of any type, shape (n_samples,).

    Raises
    ------
    ValueError
        If the labels are not binary, or are all of one class.
    """
    labels = _columns.vector(name, y_true)
    single_label(pos_label)
    none_missing(name, labels)
    positive = equal_to(labels, pos_label)
    n_positive = np.count_nonzero(positive)
    if n_positive == 0:
        raise no_positives(name, pos_label, labels)
    if n_positive == labels.size:
        raise ValueError(
            f"{name} holds only the positive class {shown(pos_label)}: there is no prior to "
            "calibrate"
        )
    other = labels[np.argmin(positive)]
    if n_positive + np.count_nonzero(equal_to(labels, other)) != labels.size:
        found = distinct(labels.tolist())
        raise ValueError(f"{name} must hold exactly two labels, got {found}{_SEVERAL}")
    _clear_code(name, pos_label, other)
    return positive


def _clear_code(name: str, pos_label: Any, other: Any) -> None:
    """Refuse 1 as the positive of the labels 1 and 2, a code that usually means the opposite."""
    if isinstance(other, Real) and isinstance(pos_label, Real) and other > pos_label == 1:
        raise ValueError(
            f"{name} has the labels 1 and {shown(other)}, of which 1 often is the negative one: "
            f"pass pos_label={shown(other)}, or each column of labels == 1 if 1 is the positive one"
        )


def decisions(
    labels: NDArray[Any],
    predictions: NDArray[Any],
    pos_label: Any,
    names: tuple[str, str] = ("y_true", "y_pred"),
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Masks of the positives and of those predicted positive. One class may be absent."""
    y_true, y_pred = names
    single_label(pos_label)
    none_missing(y_true, labels)
    none_missing(y_pred, predictions)
    positive, predicted = equal_to(labels, pos_label), equal_to(predictions, pos_label)
    of_true, of_predicted = labels[~positive], predictions[~predicted]
    if len(of_true) and not equal_to(of_true, of_true[0]).all():
        if positive.any():
            found = distinct(labels.tolist())
            raise ValueError(f"{y_true} must hold at most two labels, got {found}{_SEVERAL}")
        raise no_positives(y_true, pos_label, labels)
    if say_positive(predictions, pos_label):
        return positive, predictions
    others = of_true if len(of_true) else of_predicted
    if len(others):
        if not len(of_true) and isinstance(others[0], str) != isinstance(pos_label, str):
            raise ValueError(
                f"{y_pred} must hold labels like those of {y_true}, got {distinct(others.tolist())}"
            )
        _clear_code(y_true, pos_label, others[0])
    known = equal_to(of_predicted, others[0] if len(others) else None)
    if not known.all():
        unknown = distinct(of_predicted[~known].tolist())
        hint = (
            "missing ones are None or NaN"
            if y_pred == "reference"
            else "scores become labels by a threshold: Metric(name, threshold=...), or "
            f"y_score >= 0.5 with {y_true} == {shown(pos_label)}"
        )
        raise ValueError(f"{y_pred} must hold labels of {y_true} only, got {unknown}; {hint}")
    return positive, predicted


def say_positive(predictions: NDArray[Any], pos_label: Any) -> bool:
    """Whether these are booleans, and not labels: whether each row is predicted positive."""
    return predictions.dtype.kind == "b" and pos_label not in (0, 1)


def no_positives(name: str, pos_label: Any, labels: NDArray[Any]) -> ValueError:
    found = [label for label in labels.tolist() if not _is_missing(label)]
    return ValueError(
        f"{name} holds no positives: pos_label={shown(pos_label)} is not among its labels "
        f"{distinct(found)}"
    )


def label_of_built(name: str, known: Any, pos_label: Any) -> None:
    """Refuse another label of the positives than `known`, with which `name` was built."""
    if pos_label is None:
        return
    single_label(pos_label)
    if known is None:
        raise ValueError(
            f"pos_label must be None if {name} has no labels, such as counts or rates, got "
            f"{shown(pos_label)}"
        )
    if not equal_to(np.array([known], dtype=object), pos_label).all():
        raise ValueError(
            f"pos_label must be None or {shown(known)}, with which {name} was built, got "
            f"{shown(pos_label)}"
        )


def single_label(pos_label: Any) -> None:
    is_array = isinstance(pos_label, np.ndarray | np.void)
    if is_array or _columns.dimensions("pos_label", pos_label) != 0:
        raise TypeError(f"pos_label must be a single label, got {shown(pos_label)}")


def equal_to(labels: NDArray[Any], label: Any) -> NDArray[np.bool_]:
    """Mask of the labels that are equal to a single label."""
    try:
        with np.errstate(over="ignore"):  # a label beyond float32 among labels of float32
            equal = np.asarray(labels == label, dtype=bool)
    except (OverflowError, TypeError, ValueError):  # it cannot be compared with these labels
        return np.zeros(labels.shape, dtype=bool)
    return equal if equal.shape == labels.shape else np.broadcast_to(equal, labels.shape)


def none_missing(name: str, labels: NDArray[Any]) -> None:
    kind = labels.dtype.kind
    if kind not in "fcmMOT":
        return
    missing = are_missing(labels)
    if missing.any():
        what = {"f": "NaN", "c": "NaN", "m": "NaT", "M": "NaT"}.get(kind, "missing labels")
        raise ValueError(f"{name} must not hold {what} at index {np.argmax(missing)}")


def _is_missing(label: Any) -> bool:
    if label is None:
        return True
    if isinstance(label, tuple):
        return any(map(_is_missing, label))
    try:
        return bool(label != label)  # NaN, NaT
    except TypeError:  # pandas.NA is neither true nor false
        return True


def are_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where labels or scores are None, NaN, NaT or pandas.NA."""
    if values.dtype.kind in "TO":  # objects, and text of NumPy that may be missing
        return np.array([*map(_is_missing, values)], dtype=bool)
    found: NDArray[np.bool_] = values != values
    return found
