"""Checks of numbers and of vectors of numbers: their type, range and precision.

Each error message of a check names the argument, the value and what is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_FLOOR, Decimal
from numbers import Integral, Rational, Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _columns
from calibrated_metrics._messages import distinct, shown

FloatArray: TypeAlias = NDArray[np.float64]

LARGEST_COUNT = 2**53  # float64 represents all integers up to it
ROUNDING = 1e-12  # relative difference below which computed values count as equal
# Largest ratio of two weights: products of larger ratios leave the range of float64.
_WIDEST_WEIGHTS = 1e300
_NOT_NUMBERS = (bool, np.bool_, np.timedelta64)  # Python counts some of them as numbers


def real_number(name: str, value: Any) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, _NOT_NUMBERS) or not isinstance(value, Real | Decimal):
        raise TypeError(f"{name} must be a real number, got {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite float64, got {shown(value)}")
    return number


def _number_that(name: str, value: Any, is_allowed: Callable[[float], bool], allowed: str) -> float:
    number = real_number(name, value)
    if not is_allowed(number):
        raise ValueError(f"{name} must {allowed}, got {number}")
    return number


def positive_number(name: str, value: Any) -> float:
    return _number_that(name, value, lambda number: number > 0, "be above 0")


def at_least_zero(name: str, value: Any) -> float:
    return _number_that(name, value, lambda number: number >= 0, "not be negative")


def probability(name: str, value: Any) -> float:
    return _number_that(name, value, lambda number: 0 <= number <= 1, "lie in [0, 1]")


def share(name: str, value: Any) -> float:
    """A number above 0 and at most 1."""
    return _number_that(name, value, lambda number: 0 < number <= 1, "lie in (0, 1]")


def open_unit(name: str, value: Any) -> float:
    """A number strictly between 0 and 1, such as a prior."""
    allowed = "lie in the open interval (0, 1)"
    return _number_that(name, value, lambda number: 0 < number < 1, allowed)


def level(name: str, value: Any) -> float:
    """The level of an interval or of a test. Tails below 1e-12 would be lost to rounding."""
    number = open_unit(name, value)
    if not 1e-12 <= number <= 1 - 1e-12:
        raise ValueError(f"{name} must be at least 1e-12 and at most 1 - 1e-12, got {number}")
    return number


def integer_at_least(name: str, value: Any, least: int) -> int:
    if isinstance(value, _NOT_NUMBERS) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be an integer, got {shown(value)}")
    number = int(value)
    if number < least:
        raise ValueError(f"{name} must be at least {least}, got {shown(number)}")
    if number > LARGEST_COUNT:
        raise ValueError(f"{name} must be at most {LARGEST_COUNT}, got {shown(number)}")
    return number


def ascending_pair(name: str, value: Any) -> tuple[float, float]:
    """Two numbers that ascend, such as bounds. They may be infinite."""
    if not (
        isinstance(value, tuple | list)
        and len(value) == 2
        and all(isinstance(each, Real) and not isinstance(each, _NOT_NUMBERS) for each in value)
    ):
        raise TypeError(f"{name} must be a pair of numbers, got {shown(value)}")
    low, high = value
    if not low < high:
        raise ValueError(f"{name} must ascend, got {shown(value)}")
    return low, high


def shares(name: str, given: Any, labels: Sequence[Any] | None = None) -> FloatArray:
    """Shares in the order of `labels`, from a mapping with these labels as keys."""
    if not hasattr(given, "items"):
        raise TypeError(f"{name} must be a mapping of labels to shares, got {shown(given)}")
    of_label = dict(given.items())
    labels = list(of_label) if labels is None else labels
    known = set(labels)
    missing = [label for label in labels if label not in of_label]
    unknown = [label for label in of_label if label not in known]
    if missing or unknown:
        raise ValueError(
            f"{name} must have a share for each label of the data and no other; missing: "
            f"{distinct(missing)}, unknown: {distinct(unknown)}"
        )
    found = np.array([share(f"{name}[{shown(each)}]", of_label[each]) for each in labels])
    if abs(found.sum() - 1) > 1e-9:
        raise ValueError(f"{name} must hold shares that sum to 1, got a sum of {found.sum()}")
    return found


def real_vector(name: str, values: Any) -> FloatArray:
    """A vector of real numbers as float64; they need not be finite."""
    array = _columns.vector(name, values)
    if array.dtype.kind == "O":
        return _float64_of_objects(name, array)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold real numbers, got dtype {array.dtype}")
    converted = array.astype(np.float64, copy=False)
    if array.dtype.itemsize > 8:
        inexact = array[(converted != array) & ~np.isnan(array)]
    elif array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        inexact = array[(array > LARGEST_COUNT) | (array < -LARGEST_COUNT)]
    else:
        return converted
    if len(inexact):
        raise ValueError(
            f"{name} must hold numbers that float64 represents exactly, got {inexact[0]}"
        )
    return converted


def _float64_of_objects(name: str, array: NDArray[Any]) -> FloatArray:
    """Numbers of Python, and of columns that may miss some, as float64."""
    for place, value in enumerate(array):
        if not isinstance(value, Real | Decimal) or isinstance(value, np.timedelta64):
            raise TypeError(f"{name} must hold real numbers, got {shown(value)} at index {place}")
    try:
        converted: FloatArray = array.astype(np.float64)
    except OverflowError as error:
        raise ValueError(f"{name} must hold numbers within float64: {error}") from None
    # Distinct numbers that round to the same float64 would silently become ties.
    rounded = {
        each for each in array if isinstance(each, Rational | Decimal) and each != float(each)
    }
    if rounded and len(set(array)) > len(np.unique(converted)):
        raise ValueError(
            f"{name} must hold numbers that are distinct in float64, got {shown(max(rounded))}"
        )
    return converted


def finite_vector(name: str, values: Any) -> FloatArray:
    array = real_vector(name, values)
    _each(name, array, np.isfinite(array), "be finite")
    return array


def _each(name: str, array: FloatArray, passed: NDArray[np.bool_], allowed: str) -> None:
    if not passed.all():
        where = int(np.argmin(passed))
        raise ValueError(f"{name} must {allowed}, got {array[where]} at index {where}")


def not_negative(name: str, array: FloatArray) -> None:
    _each(name, array, array >= 0, "not be negative")


def normal(name: str, array: FloatArray) -> None:
    """Reject subnormal values, because their ratios are inaccurate."""
    least = np.finfo(np.float64).tiny
    subnormal = (array > 0) & (array < least)
    if subnormal.any():
        raise ValueError(f"{name} must be 0 or at least {least}, got {array[subnormal][0]}")


def priors(name: str, values: Any) -> FloatArray:
    return np.array([open_unit(name, value) for value in real_vector(name, values)])


def probabilities(name: str, values: Any) -> FloatArray:
    array = finite_vector(name, values)
    _each(name, array, (array >= 0) & (array <= 1), "lie in [0, 1]")
    return array


def weights(name: str, values: Any, *, may_be_zero: bool = False) -> FloatArray:
    """Non-negative finite weights, not all zero unless `may_be_zero`."""
    array = finite_vector(name, values)
    not_negative(name, array)
    if array.max() == 0:
        if may_be_zero:
            return array
        raise ValueError(f"{name} must not be all zero")
    normal(name, array)
    with np.errstate(over="ignore"):
        if not np.isfinite(array.sum()):
            raise ValueError(f"{name} must have a finite sum in float64: it overflows")
    least = array[array > 0].min()
    if array.max() / _WIDEST_WEIGHTS > least:
        raise ValueError(
            f"{name} must not hold values that differ by more than a factor of "
            f"{_WIDEST_WEIGHTS:g}, got {least} and {array.max()}"
        )
    return array


def row_counts(name: str, values: Any) -> FloatArray:
    """Numbers of identical rows, not all zero."""
    array = weights(name, values)
    part = array[array != np.rint(array)]
    if len(part):
        raise ValueError(
            f"{name} must hold whole numbers of rows, got {part[0]}; weights are sample_weight"
        )
    return array


def one_or_more(
    name: str, value: Any, checked: Callable[[str, Any], FloatArray]
) -> float | FloatArray:
    """A number, or a vector of numbers, that passes the check of a vector."""
    if _columns.dimensions(name, value) == 0:
        return float(checked(name, [real_number(name, value)])[0])
    return checked(name, value)


def float_dtype(values: Any) -> np.dtype[Any]:
    """float16 or float32 if a container of any kind holds them, and float64 for anything else."""
    array = np.asarray(values)
    if array.dtype.kind == "O":
        array = np.asarray(array.tolist())
    is_short = array.dtype.kind == "f" and array.dtype.itemsize < 8
    return array.dtype if is_short else np.dtype(np.float64)


def rounded_down(value: float, n_digits: int, like: float) -> float:
    """The greatest number at most `value` with the places of the first digits of `like`."""
    last = Decimal(1).scaleb(Decimal(like).adjusted() + 1 - n_digits)
    return float(Decimal(repr(float(value))).quantize(last, ROUND_FLOOR))


def all_digits(value: float) -> str:
    """Shortest text that round-trips."""
    text = f"{value:g}"
    return text if float(text) == value else repr(float(value)).removesuffix(".0")


def in_dtype(values: Any, dtype: Any) -> FloatArray:
    """Thresholds rounded as NumPy rounds a number that it compares with an array of this dtype."""
    with np.errstate(over="ignore"):
        return np.asarray(values, np.float64).astype(dtype).astype(np.float64)
