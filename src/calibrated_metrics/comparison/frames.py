"""Rows of frames and tables by group: each group with its data, or a status that says why not."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _columns, _labels, _numbers, label_errors
from calibrated_metrics._messages import distinct, needs, warn_the_caller
from calibrated_metrics.comparison.grouping import (
    Groups,
    IntArray,
    groups_of_keys,
    names_of,
    package_of,
)
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.confusion.data import Measurable
from calibrated_metrics.engines.entries import Entries, Part
from calibrated_metrics.label_errors.rows import LabelRate
from calibrated_metrics.rows import HoldsRows
from calibrated_metrics.scores.metric import Data
from calibrated_metrics.uncertainty.estimate import Estimate

__all__ = [
    "UNDEFINED",
    "Group",
    "absent_class",
    "are_decisions",
    "cells_of",
    "groups_of",
    "groups_of_data",
    "is_mapping_of_data",
    "labelled",
    "numbers_of_counts",
    "rows_of_frame",
    "status_of",
    "warn_of_missing",
]

OK = "ok"
# A metric may be undefined on the data or reject them; a user's function may divide by 0.
UNDEFINED = (ValueError, TypeError, ArithmeticError)
_MOST_NAMES = 3  # in a warning


def rows_of_frame(
    frame: Any,
    by: Sequence[Hashable],
    columns: Mapping[str, Hashable | None],
    rates: Mapping[str, Any],
    pos_label: Any,
) -> Entries:
    """The rows of a frame.

    `columns` are names of columns by the arguments of `from_predictions`. `rates` are the
    sensitivity and the specificity of the labels, by argument: also names, or numbers or Estimates.
    """
    in_frame = {name: each for name, each in rates.items() if not isinstance(each, Real | Estimate)}
    keys, arrays = _keys_and_columns(frame, by, {**columns, **in_frame})
    n_rows = len(arrays["y_true"])
    of_labels = {
        name: LabelRate.of(name, arrays.pop(name, given), n_rows)
        for name, given in rates.items()
        if given is not None
    }
    _columns.same_index(frame=frame, **rates)
    labels, number = arrays["y_true"], np.ones(n_rows)
    if "counts" in arrays:
        if of_labels:
            raise ValueError("counts must be None for labels with errors: repeat the rows")
        number = _numbers.row_counts("counts", arrays["counts"])
    has_label, is_positive = ~_labels.are_missing(labels), np.zeros(n_rows, dtype=bool)
    is_positive[has_label] = _labels.equal_to(labels[has_label], pos_label)  # not of pandas.NA
    predicted = arrays.get("y_pred")
    lacks = ~has_label | _labels.are_missing(arrays["y_score"] if predicted is None else predicted)
    has_weight = number > 0
    if "sample_weight" in arrays:  # rows of weight 0 are dropped
        has_weight &= ~_labels.equal_to(arrays["sample_weight"], 0)
    is_used, lacks = ~lacks & has_weight, lacks & has_weight

    def data_of(rows: Part) -> Any:
        given: dict[str, Any] = {name: each[rows] for name, each in arrays.items()}
        given["pos_label"] = pos_label
        if of_labels:
            given |= {name: rate.of_rows(rows) for name, rate in of_labels.items()}
            return label_errors.from_predictions(**given)
        kind = ConfusionMatrix if "y_pred" in given else ConfusionCurve
        return kind.from_predictions(**given)

    of_labels_known = is_positive, has_label & ~is_positive, is_used
    return Entries(keys, labels, predicted, *of_labels_known, lacks * number, number, data_of)


def _keys_and_columns(
    frame: Any, by: Sequence[Hashable], columns: Mapping[str, Hashable | None]
) -> tuple[Any, dict[str, NDArray[Any]]]:
    """The columns of a frame that form groups, as a frame; others by argument, as arrays."""
    package, names = package_of(frame), names_of(frame)
    asked = [("by", name) for name in by]
    asked += [(argument, name) for argument, name in columns.items() if name is not None]
    for argument, name in asked:
        _columns.known_column(argument, "frame", name, names)
    if package == "polars":
        frame = frame.lazy().select(list(dict.fromkeys(name for _, name in asked))).collect()
    if len(frame) == 0:
        raise ValueError("frame must not be empty")
    named = [(argument, name) for argument, name in asked if argument != "by"]
    if package == "builtins":
        arrays = {argument: _columns.vector(argument, frame[name]) for argument, name in named}
        keys = {name: _columns.vector(f"by {name!r}", frame[name]) for name in by}
        _columns.same_length(**arrays, **{f"by {name!r}": each for name, each in keys.items()})
        return keys, arrays
    for argument, name in named:
        _columns.at_most_64_bits(f"{argument} ({name!r})", frame[name])
    arrays = {argument: frame[name].to_numpy() for argument, name in named}
    return frame.select(list(by)) if package == "pyarrow" else frame[list(by)], arrays


class Group(NamedTuple):
    """Numbers of labelled rows of each class, their data, and `OK` or why there are none.

    `n_missing` is the number of rows without a label or a score.
    """

    n_pos: int
    n_neg: int
    n_missing: int
    data: Data | Measurable | None
    status: str = OK


def groups_of(
    entries: Entries,
    pos_label: Any,
    missing: str,
    population: Mapping[Any, float] | None = None,
    set_prior: bool = False,
) -> tuple[Groups, list[Group]]:
    """The groups of entries, sorted by their keys, and the data or the status of each.

    `set_prior` says that all groups set the prior of each, for a warning.
    """
    _check_two_labels(entries, pos_label)
    groups = groups_of_keys(entries.keys)
    found = labelled(entries, groups, missing, population)
    if not any(each.n_pos for each in found):
        _check_negatives(entries.labels, pos_label)
    elif all(each.data is None and (missing == "drop" or not each.n_missing) for each in found):
        every_row = np.flatnonzero((entries.n_missing == 0) | (missing == "status"))
        _data_of(entries, every_row, population)  # raises an error of the column, such as text
    warn_of_missing(missing, [each.n_missing for each in found], groups.name, set_prior)
    return groups, found


def _check_negatives(labels: NDArray[Any], pos_label: Any) -> None:
    """Refuse labels without positives, unless all are 0 and positives are 1: it may be mistyped."""
    of_rows = labels[~_labels.are_missing(labels)]
    are_coded = _labels.equal_to(np.array([pos_label], dtype=object), 1).all()
    if not (are_coded and _labels.equal_to(of_rows, 0).all()):
        raise _labels.no_positives("y_true", pos_label, labels)


def is_mapping_of_data(given: Any) -> bool:
    """Whether these are curves or matrices by name, instead of a frame or labels."""
    kinds = (HoldsRows, Measurable)
    return isinstance(given, Mapping) and any(isinstance(each, kinds) for each in given.values())


def are_decisions(argument: str, data: Mapping[Any, Any]) -> bool:
    """Whether all data are those of decisions; a mixture with scores is refused."""
    kinds = {
        each.of_decisions if isinstance(each, Measurable) else isinstance(each, ConfusionMatrix)
        for each in data.values()
    }
    others = [each for each in data.values() if not isinstance(each, HoldsRows | Measurable)]
    if others or len(kinds) > 1:
        raise TypeError(
            f"{argument} must be a mapping to matrices only, or to curves only, got "
            f"{distinct([type(each).__name__ for each in data.values()])}"
        )
    return kinds.pop()


def groups_of_data(
    data: Mapping[Any, Data | Measurable], by: Sequence[Any], pos_label: Any
) -> tuple[Groups, list[Group]]:
    """The groups of a mapping in their order, with their data. Their name is `by`."""
    if len(by) > 1:
        raise ValueError(f"by must be one name for a mapping of groups, got {list(by)}")
    with needs("pandas"):
        import pandas as pd
    found = []
    for name, each in data.items():
        _labels.label_of_built(f"frame[{name!r}]", each.pos_label, pos_label)
        counted = each._with_rows("frame") if isinstance(each, ConfusionMatrix) else each
        found.append(Group(*numbers_of_counts(counted), 0, counted))
    return Groups(pd.DataFrame({by[0]: list(data)}), list(np.arange(len(data))[:, None])), found


def _check_two_labels(entries: Entries, pos_label: Any) -> None:
    """Refuse labels that are binary in each group, but not in all groups together.

    A group with one prediction does not show that predictions have another code, such as 1 and 2.
    """
    labels, names = entries.labels[entries.is_used], "y_true"
    if entries.predicted is not None:
        predicted = entries.predicted[entries.is_used]
        if not _labels.say_positive(predicted, pos_label):
            labels, names = np.concatenate([labels, predicted]), "y_true and y_pred"
    positive = _labels.equal_to(labels, pos_label)
    others = labels[~positive]
    if positive.any() and len(others) and not _labels.equal_to(others, others[0]).all():
        raise ValueError(
            f"{names} must hold exactly two labels, in all groups together, got "
            f"{distinct(labels.tolist())}: give each column the labels of y_true, or booleans"
        )


def labelled(
    entries: Entries, groups: Groups, missing: str, population: Mapping[Any, float] | None = None
) -> list[Group]:
    """The data of each group of entries, or its status."""
    is_kept = (entries.n_missing == 0) | (missing == "status")
    number = entries.number - (entries.n_missing if missing == "drop" else 0.0)
    n_pos = groups.sums(number * entries.is_positive)
    n_neg = groups.sums(number * entries.is_negative)
    numbers = zip(n_pos, n_neg, groups.sums(entries.n_missing), strict=True)
    found = []
    for rows, of_group in zip(groups.rows, numbers, strict=True):
        rows = rows[is_kept[rows]]
        try:
            found.append(Group(*of_group, _data_of(entries, rows, population)))
        except UNDEFINED as error:
            labels = entries.labels[rows]  # one of several may be that of the positives, mistyped
            is_one = (
                _labels.equal_to(labels, labels[:1]).all() and not entries.n_missing[rows].any()
            )
            status = absent_class(*of_group[:2]) if is_one else None
            found.append(Group(*of_group, None, status or str(error)))
    return found


def absent_class(n_pos: int, n_neg: int) -> str | None:
    """That a group lacks a class; None if it has both, or no rows."""
    n_rows = n_pos + n_neg
    if not n_rows or (n_pos and n_neg):
        return None
    name = "negatives" if n_pos else "positives"
    return f"no {name} among {n_rows} row{'s' if n_rows > 1 else ''}"


def _data_of(
    entries: Entries, rows: IntArray, population: Mapping[Any, float] | None
) -> Data | Measurable:
    if not rows.size:
        raise ValueError("no row has a label and a score")
    data: Data | Measurable = entries.data_of(rows)
    return data if population is None else data.at_population(population)


def cells_of(found: Estimate) -> dict[str, Any]:
    """The cells of a metric in a row of a result: numbers, and `OK` or why there are no limits."""
    names = ("value", "low", "high", "confidence_level")
    numbers = {name: float(getattr(found, name)) for name in names}
    return {**numbers, "status": status_of(found.reason)}


def status_of(reason: str | None) -> str:
    """`OK`, or why there is no interval."""
    return OK if reason is None else f"no interval: {reason}"


def numbers_of_counts(data: Data | Measurable) -> tuple[int, int]:
    """Numbers of rows of each class, by their labels as they are."""
    if isinstance(data, Measurable):
        rows = data.labelled
    elif not data.has_rows:
        return round(float(data._unweighted.n_pos)), round(float(data._unweighted.n_neg))
    else:
        rows = data.rows
    n_neg, n_pos = np.bincount(rows.positive, rows.number, minlength=2)
    return round(n_pos), round(n_neg)


def warn_of_missing(
    missing: str,
    n_missing: Sequence[int],
    name: Callable[[int], Any] | None = None,
    set_prior: bool = False,
) -> None:
    """Warn once of groups, or of a data set without names, whose rows lack a label or a score."""
    found = np.flatnonzero(n_missing)
    if not len(found):
        return
    more = ["..."] if len(found) > _MOST_NAMES else []
    n = sum(n_missing)
    effect = ', and pi0="mean" is the mean prior of the other groups' if set_prior else ""
    text = f"rows without a label or a score were dropped ({n}), which is right"
    if name is not None:
        listed = "; ".join([*(str(name(place)) for place in found[:_MOST_NAMES]), *more])
        where = f"{len(found)} of {len(n_missing)} groups ({listed})"
        text = (
            f"{where} have no values because rows lack a label or a score ({n} in all){effect}; "
            "missing='drop' drops such rows, which is right"
            if missing == "status"
            else f"rows without a label or a score were dropped in {where} ({n} in all), which is "
            "right"
        )
    warn_the_caller(
        f"missing values: {text} if neither the class nor the score of a row decides "
        "whether it lacks them; for labels of rows that were chosen by their scores, see "
        "audit.curve",
        UserWarning,
    )
