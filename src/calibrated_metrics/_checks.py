"""Checks of arguments: every refusal names the argument, its value and what is allowed."""

import math
from numbers import Integral, Real

import numpy as np


def real_number(name: str, value) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a real number, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite float64, got {value}")
    return number


def positive_number(name: str, value) -> float:
    value = real_number(name, value)
    if value <= 0:
        raise ValueError(f"{name} must be above 0, got {value}")
    return value


def open_unit(name: str, value) -> float:
    """A prior: strictly between 0 and 1."""
    value = real_number(name, value)
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie in the open interval (0, 1), got {value}")
    return value


def integer_at_least(name: str, value, least: int) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    return int(value)


def vector(name: str, values) -> np.ndarray:
    """A non-empty one-dimensional array."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must not hold masked values: drop them first")
    try:
        array = np.asarray(values)
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"{name} must be one-dimensional: {error}") from None
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty")
    return array


def real_vector(name: str, values) -> np.ndarray:
    """A vector of real numbers as float64; finiteness is not looked at."""
    array = vector(name, values)
    if array.dtype.kind == "O":
        odd = [value for value in array if not isinstance(value, Real)]
        if odd:
            raise TypeError(f"{name} must hold real numbers, got {odd[0]!r}")
        try:
            array = array.astype(np.float64)
        except OverflowError as error:
            raise ValueError(f"{name} must hold numbers within float64: {error}") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold real numbers, got dtype {array.dtype}")
    converted = array.astype(np.float64, copy=False)
    # What float64 cannot tell apart would silently become a tie.
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        lossy = max(abs(int(array.min())), abs(int(array.max()))) > 2**53
    else:
        lossy = array.dtype.itemsize > 8 and (converted != array).any()
    if lossy:
        raise ValueError(f"{name} must hold numbers that float64 can express, got {array.max()}")
    return converted


def finite_vector(name: str, values) -> np.ndarray:
    array = real_vector(name, values)
    finite = np.isfinite(array)
    if not finite.all():
        where = int(np.argmin(finite))
        raise ValueError(f"{name} must be finite, got {array[where]} at index {where}")
    return array


def same_length(**vectors) -> None:
    lengths = {name: len(values) for name, values in vectors.items() if values is not None}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"arguments must have the same length: {listed}")


def is_positive(y_true, pos_label, name: str = "y_true") -> np.ndarray:
    """Mask of the positives among binary labels of any type, shape (n_samples,).

    Raises
    ------
    ValueError
        If the labels are not binary, or are all of one class: there is no prior to calibrate.
    """
    labels = vector(name, y_true)
    if np.ndim(pos_label) != 0:
        raise TypeError(f"pos_label must be a single label, got {pos_label!r}")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise ValueError(f"{name} must not hold NaN")
    if labels.dtype.kind == "O" and any(map(_is_missing, labels)):
        raise ValueError(f"{name} must not hold missing labels")
    positive = np.broadcast_to(np.asarray(labels == pos_label, dtype=bool), labels.shape)
    n_positive = np.count_nonzero(positive)
    if n_positive == 0:
        raise ValueError(
            f"pos_label={pos_label!r} is not among the labels of {name}: {_distinct(labels)}"
        )
    if n_positive == labels.size:
        raise ValueError(
            f"{name} holds only the positive class {pos_label!r}: there is no prior to calibrate"
        )
    other = labels[np.argmin(positive)]
    if n_positive + np.count_nonzero(labels == other) != labels.size:
        raise ValueError(f"{name} must hold exactly two labels, got {_distinct(labels)}")
    return positive


def weights(sample_weight) -> np.ndarray:
    """Non-negative finite weights, not all zero."""
    array = finite_vector("sample_weight", sample_weight)
    if array.min() < 0:
        where = int(np.argmin(array))
        raise ValueError(f"sample_weight must not be negative, got {array[where]} at index {where}")
    if array.max() == 0:
        raise ValueError("sample_weight must not be all zero")
    normal("sample_weight", array)
    with np.errstate(over="ignore"):
        if not np.isfinite(array.sum()):
            raise ValueError("sample_weight must have a sum within float64, it overflows")
    return array


def normal(name: str, array: np.ndarray) -> None:
    """Refuse subnormal values: their ratios have lost their digits."""
    subnormal = (array > 0) & (array < np.finfo(np.float64).tiny)
    if subnormal.any():
        raise ValueError(
            f"{name} must be 0 or at least {np.finfo(np.float64).tiny}, got {array[subnormal][0]}"
        )


def both_classes(name: str, positive: np.ndarray) -> None:
    n_positive = int(np.count_nonzero(positive))
    if not 0 < n_positive < len(positive):
        raise ValueError(
            f"{name} must hold both classes, has {n_positive} positives among {len(positive)}"
        )


def generator(name: str, value) -> np.random.Generator:
    if not isinstance(value, np.random.Generator):
        raise TypeError(f"{name} must be a numpy.random.Generator, got {value!r}")
    return value


def _is_missing(label) -> bool:
    if label is None:
        return True
    try:
        return bool(label != label)  # NaN, NaT
    except TypeError:  # pandas.NA: neither true nor false
        return True


def _distinct(labels: np.ndarray, most: int = 6) -> str:
    seen = list(dict.fromkeys(labels.tolist()))
    listed = ", ".join(repr(label) for label in seen[:most])
    return f"[{listed}, ... {len(seen)} in all]" if len(seen) > most else f"[{listed}]"
