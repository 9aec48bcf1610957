"""Argument checks. Each error message names the argument, the allowed values and the value."""

from __future__ import annotations

import functools
import inspect
import math
import reprlib
from collections.abc import Callable, Iterable, Sequence, Sized
from contextlib import suppress
from decimal import Decimal
from numbers import Integral, Rational, Real
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics._hints import meant

FloatArray: TypeAlias = NDArray[np.float64]
RandomState: TypeAlias = np.random.Generator | int | None

LARGEST_COUNT = 2**53  # float64 represents all integers up to it
ROUNDING = 1e-12  # relative difference below which computed values count as equal
# Largest ratio of two weights: products of larger ratios leave the range of float64.
WIDEST_WEIGHTS = 1e300
# Outside of these limits, sums of weights or parts of them are no normal numbers of float64.
_LARGEST_TOTAL = 1e305
_LEAST_OF_A_CLASS = float(np.finfo(np.float64).tiny)
_SEVERAL = "; multiclass.one_vs_rest has metrics of several classes"
_NOT_NUMBERS = (bool, np.bool_, np.timedelta64)  # Python counts some of them as numbers

_P = ParamSpec("_P")
_T = TypeVar("_T")


def plain_calls(hint: str = "", **instead: str) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Say what to write instead of unknown keywords, and of too many arguments by position."""

    def decorate(function: Callable[_P, _T]) -> Callable[_P, _T]:
        parameters = inspect.signature(function).parameters
        by_position = [each.name for each in parameters.values() if each.kind in _BY_POSITION]
        named = [name for name in parameters if name not in by_position]
        name = function.__qualname__.removesuffix(".__init__")

        @functools.wraps(function)
        def checked(*args: _P.args, **keywords: _P.kwargs) -> _T:
            if len(args) > len(by_position):
                raise TypeError(
                    hint
                    or f"{name} takes only {', '.join(by_position)} by position; give the others "
                    f"by name: {', '.join(named)}"
                )
            hints = [
                f"{each!r}{f' ({instead[each]})' if each in instead else meant(each, parameters)}"
                for each in keywords
                if each not in parameters
            ]
            if hints:
                raise TypeError(f"{name} has no argument {', '.join(hints)}")
            return function(*args, **keywords)

        return checked

    return decorate


_BY_POSITION = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD


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


def dimensions(name: str, value: Any) -> int:
    """Number of dimensions of an array-like, 0 for a number."""
    try:
        return np.ndim(value)
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"{name} must be a number or one-dimensional: {error}") from None


def vector(name: str, values: Any) -> NDArray[Any]:
    """A non-empty one-dimensional array."""
    in_a_list = isinstance(values, list | tuple) and any(each is np.ma.masked for each in values)
    if in_a_list or (isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values)):
        raise ValueError(f"{name} must not hold masked values: drop them first")
    try:
        array = np.asarray(values)
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"{name} must be one-dimensional: {error}") from None
    if array.ndim != 1:
        one_column = array.ndim == 2 and array.shape[1] <= 2
        hint = f"; take one column, {name}[:, {array.shape[1] - 1}]" if one_column else ""
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}{hint}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty")
    return array


def real_vector(name: str, values: Any) -> FloatArray:
    """A vector of real numbers as float64; they need not be finite."""
    array = vector(name, values)
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
    return finite(name, real_vector(name, values))


def finite(name: str, array: FloatArray) -> FloatArray:
    _each(name, array, np.isfinite(array), "be finite")
    return array


def _each(name: str, array: FloatArray, passed: NDArray[np.bool_], allowed: str) -> None:
    if not passed.all():
        where = int(np.argmin(passed))
        raise ValueError(f"{name} must {allowed}, got {array[where]} at index {where}")


def thresholds(name: str, values: Any) -> FloatArray:
    """A number or a vector of numbers, as a vector. Infinite numbers are allowed."""
    array = vector(name, [values] if dimensions(name, values) == 0 else values)
    if array.dtype.kind == "b":
        raise TypeError(f"{name} must be a real number, got {shown(values)}")
    array = real_vector(name, array)
    if np.isnan(array).any():
        raise ValueError(f"{name} must not be NaN")
    return array


def float_dtype(values: Any) -> np.dtype[Any]:
    """float16 or float32 if a container of any kind holds them, and float64 for anything else."""
    array = np.asarray(values)
    if array.dtype.kind == "O":
        array = np.asarray(array.tolist())
    is_short = array.dtype.kind == "f" and array.dtype.itemsize < 8
    return array.dtype if is_short else np.dtype(np.float64)


def in_dtype(values: FloatArray, dtype: Any) -> FloatArray:
    """Thresholds rounded as NumPy rounds a number that it compares with an array of this dtype."""
    with np.errstate(over="ignore"):
        return values.astype(dtype).astype(np.float64)


def priors(name: str, values: Any) -> FloatArray:
    return np.array([open_unit(name, value) for value in real_vector(name, values)])


def probabilities(name: str, values: Any) -> FloatArray:
    array = finite_vector(name, values)
    _each(name, array, (array >= 0) & (array <= 1), "lie in [0, 1]")
    return array


def one_or_more(
    name: str, value: Any, checked: Callable[[str, Any], FloatArray]
) -> float | FloatArray:
    """A number, or a vector of numbers, that passes the check of a vector."""
    if dimensions(name, value) == 0:
        return float(checked(name, [real_number(name, value)])[0])
    return checked(name, value)


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


def same_length(**vectors: Sized | None) -> None:
    lengths = {name: len(values) for name, values in vectors.items() if values is not None}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"arguments must have the same length: {listed}")


def same_index(**columns: Any) -> Any:
    """The index that all Series of pandas, and estimates of their rows, have; None without any.

    Different indices are refused: the rows do not correspond.
    """
    found = {
        name: each.index if hasattr(each, "iloc") else getattr(each, "row_index", None)
        for name, each in columns.items()
    }
    indexed = {name: index for name, index in found.items() if index is not None}
    if not indexed:
        return None
    first = next(iter(indexed))
    for name, index in indexed.items():
        if not indexed[first].equals(index):
            of_both = "both" if hasattr(columns[name], "iloc") else "age in known_by_age"
            raise ValueError(
                f"{first} and {name} must have the same index, row by row; pass .to_numpy() of "
                f"{of_both} if their rows correspond by position"
            )
    return indexed[first]


def unit_labels(name: str, values: Any) -> NDArray[Any]:
    """Labels of clusters or strata, which may be tuples."""
    if isinstance(values, list) and values and all(isinstance(each, tuple) for each in values):
        labels = np.empty(len(values), dtype=object)
        labels[:] = values
        return labels
    return vector(name, values)


def label_of_built(name: str, known: Any, pos_label: Any) -> None:
    """Refuse another label of the positives than `known`, with which `name` was built."""
    if pos_label is None:
        return
    single_label("pos_label", pos_label)
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


def is_positive(y_true: Any, pos_label: Any, name: str = "y_true") -> NDArray[np.bool_]:
    """Mask of the positives among binary labels of any type, shape (n_samples,).

    Raises
    ------
    ValueError
        If the labels are not binary, or are all of one class.
    """
    labels = vector(name, y_true)
    single_label("pos_label", pos_label)
    none_missing(name, labels)
    positive = equal_to(labels, pos_label)
    n_positive = np.count_nonzero(positive)
    if n_positive == 0:
        raise _no_positives(name, pos_label, labels)
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
            f"{name} has the labels 1 and {shown(other)}, and it is not clear which one is "
            f"positive: pass pos_label={shown(other)}, or {name} == 1"
        )


def decisions(
    labels: NDArray[Any],
    predictions: NDArray[Any],
    pos_label: Any,
    names: tuple[str, str] = ("y_true", "y_pred"),
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Masks of the positives and of those predicted positive. One class may be absent."""
    y_true, y_pred = names
    single_label("pos_label", pos_label)
    none_missing(y_true, labels)
    none_missing(y_pred, predictions)
    positive, predicted = equal_to(labels, pos_label), equal_to(predictions, pos_label)
    of_true, of_predicted = labels[~positive], predictions[~predicted]
    if len(of_true) and not equal_to(of_true, of_true[0]).all():
        if positive.any():
            found = distinct(labels.tolist())
            raise ValueError(f"{y_true} must hold at most two labels, got {found}{_SEVERAL}")
        raise _no_positives(y_true, pos_label, labels)
    if predictions.dtype.kind == "b" and isinstance(pos_label, str):
        return positive, predictions  # whether each row is predicted positive
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
            else "scores become labels by a threshold, such as y_score >= 0.5 with "
            f"{y_true} == {shown(pos_label)}"
        )
        raise ValueError(f"{y_pred} must hold labels of {y_true} only, got {unknown}; {hint}")
    return positive, predicted


def _no_positives(name: str, pos_label: Any, labels: NDArray[Any]) -> ValueError:
    found = [label for label in labels.tolist() if not is_missing(label)]
    return ValueError(
        f"{name} holds no positives: pos_label={shown(pos_label)} is not among its labels "
        f"{distinct(found)}"
    )


def weighted_positives(all_labels: NDArray[Any], labels: NDArray[Any], pos_label: Any) -> None:
    """Refuse labels whose positives all have weight 0; `labels` are those of other rows."""
    if equal_to(all_labels, pos_label).any() and not equal_to(labels, pos_label).any():
        raise ValueError(
            f"y_true holds no positives (label {shown(pos_label)}) with a weight above 0"
        )


def some_positives(n_pos: Iterable[int], labels: Any, pos_label: Any) -> None:
    """Refuse labels without positives in any group, as `pos_label` may be mistyped."""
    if not any(n_pos):
        raise _no_positives("y_true", pos_label, np.asarray(labels))


def two_labels_of_groups(labels: NDArray[Any], positive: NDArray[np.bool_]) -> None:
    """Refuse labels that are binary in each group, but not in all groups together."""
    others = labels[~positive]
    if positive.any() and len(others) and not equal_to(others, others[0]).all():
        raise ValueError(
            "y_true must hold exactly two labels, in all groups together, got "
            f"{distinct(labels.tolist())}"
        )


def none_missing(name: str, labels: NDArray[Any]) -> None:
    kind = labels.dtype.kind
    if kind not in "fcmMOT":
        return
    missing = are_missing(labels)
    if missing.any():
        what = {"f": "NaN", "c": "NaN", "m": "NaT", "M": "NaT"}.get(kind, "missing labels")
        raise ValueError(f"{name} must not hold {what} at index {np.argmax(missing)}")


def equal_to(labels: NDArray[Any], label: Any) -> NDArray[np.bool_]:
    """Mask of the labels that are equal to a single label."""
    try:
        with np.errstate(over="ignore"):  # a label beyond float32 among labels of float32
            equal = np.asarray(labels == label, dtype=bool)
    except (OverflowError, TypeError, ValueError):  # it cannot be compared with these labels
        return np.zeros(labels.shape, dtype=bool)
    return equal if equal.shape == labels.shape else np.broadcast_to(equal, labels.shape)


def single_label(name: str, label: Any) -> None:
    is_label = not isinstance(label, np.ndarray | np.void) and dimensions(name, label) == 0
    if not is_label:
        raise TypeError(f"{name} must be a single label, got {shown(label)}")


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
    if array.max() / WIDEST_WEIGHTS > least:
        raise ValueError(
            f"{name} must not hold values that differ by more than a factor of "
            f"{WIDEST_WEIGHTS:g}, got {least} and {array.max()}"
        )
    return array


def not_negative(name: str, array: FloatArray) -> None:
    _each(name, array, array >= 0, "not be negative")


def expressible(n_pos: float, n_neg: float) -> bool:
    """Whether total weights of the classes, and shares of them, are normal numbers of float64."""
    total, least = n_pos + n_neg, min(n_pos, n_neg)
    return total < _LARGEST_TOTAL and least >= _LEAST_OF_A_CLASS and least / total > 0


def normal(name: str, array: FloatArray) -> None:
    """Reject subnormal values, because their ratios are inaccurate."""
    least = np.finfo(np.float64).tiny
    subnormal = (array > 0) & (array < least)
    if subnormal.any():
        raise ValueError(f"{name} must be 0 or at least {least}, got {array[subnormal][0]}")


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


def column_name(argument: str, frame: str, name: Any) -> None:
    """Refuse a value that cannot be compared with names, such as a list or pandas.NA."""
    try:
        hash(name)
        bool(name == name)
    except TypeError:
        raise TypeError(
            f"{argument} must be the name of a column of {frame}, got {shown(name)}; make it a "
            f"column first: {frame}.assign(name=...)"
        ) from None


def known_column(argument: str, frame: str, name: Any, names: Sequence[Any]) -> None:
    """Refuse a name that is not that of a single column of the frame."""
    column_name(argument, frame, name)
    if (n_found := names.count(name)) != 1:
        found = "no column" if n_found == 0 else f"{n_found} columns"
        raise ValueError(
            f"{argument} must name a column of {frame}, got {name!r}; it has {found} of this name "
            f"among {list(names)}"
        )


def columns_of_groups(by: Any, frame: str, taken: Iterable[str]) -> list[Any]:
    """The columns that form groups. They are also columns of the result, beside those `taken`."""
    names = list(by) if isinstance(by, list | tuple) else [by]
    if not names:
        raise ValueError("by must name at least one column, got none")
    for name in names:
        column_name("by", frame, name)
        if name in taken:
            raise ValueError(f"by must not name a column of the result, got {name!r}")
    if len(set(names)) < len(names):
        raise ValueError(f"by must name different columns, got {names}")
    return names


def one_of(name: str, value: Any, allowed: Iterable[str]) -> None:
    if not isinstance(value, str) or value not in allowed:
        listed = " or ".join(f'"{each}"' for each in allowed)
        raise ValueError(f"{name} must be {listed}, got {shown(value)}")


def generator(name: str, value: RandomState) -> np.random.Generator:
    """The given generator, a generator seeded by an integer, or an unseeded one for None."""
    if isinstance(value, np.random.Generator):
        return value
    if value is None:
        return np.random.default_rng()
    if isinstance(value, _NOT_NUMBERS) or not isinstance(value, Integral):
        raise TypeError(
            f"{name} must be None, an int or a numpy.random.Generator, got {shown(value)}"
        )
    if value < 0:
        raise ValueError(f"{name} must not be negative, got {shown(value)}")
    return np.random.default_rng(int(value))


def is_missing(label: Any) -> bool:
    if label is None:
        return True
    if isinstance(label, tuple):
        return any(map(is_missing, label))
    try:
        return bool(label != label)  # NaN, NaT
    except TypeError:  # pandas.NA is neither true nor false
        return True


def are_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where labels or scores are None, NaN, NaT or pandas.NA."""
    if values.dtype.kind in "TO":  # objects, and text of NumPy that may be missing
        return np.array([*map(is_missing, values)], dtype=bool)
    found: NDArray[np.bool_] = values != values
    return found


def shown(value: Any) -> str:
    """The repr of a value, shortened in the middle; that of Python's number for one of NumPy's.

    The value is shortened before it is written, because nested lists may be huge.
    """
    text = _REPR.repr(value.item() if isinstance(value, np.floating | np.integer) else value)
    return text if len(text) <= 400 else f"{text[:400]}..."


class _Repr(reprlib.Repr):
    def repr_int(self, x: int, level: int) -> str:
        try:
            return super().repr_int(x, level)
        except ValueError:  # Python converts no integer of more than 4300 digits
            return f"an integer of {x.bit_length()} bits"


_REPR = _Repr()
_REPR.maxlevel, _REPR.maxlist, _REPR.maxtuple, _REPR.maxdict, _REPR.maxset = 3, 6, 6, 6, 6
_REPR.maxstring, _REPR.maxlong, _REPR.maxother = 100, 100, 200


def distinct(labels: Iterable[Any], most: int = 6) -> str:
    """The first few of the distinct labels, and their number; in ascending order if they have one.

    This order does not depend on that of the rows, which an engine returns in any order.
    """
    seen = list(labels)
    with suppress(TypeError):  # labels that cannot be hashed or sorted
        seen = list(dict.fromkeys(seen))
        seen.sort()
    listed = ", ".join(map(shown, seen[:most]))
    return f"[{listed}, ... {len(seen)} in all]" if len(seen) > most else f"[{listed}]"
