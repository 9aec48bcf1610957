"""The groups of a table: the curve of each, or why its data cannot be used."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _checks
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.tables.cells import EACH_SCORE, Cells
from calibrated_metrics.tables.counting import Columns, count
from calibrated_metrics.tables.counts import Counts
from calibrated_metrics.tables.reading import opened

__all__ = ["CountedGroup", "counts_of_table", "groups_of_table", "ordered"]


class CountedGroup(NamedTuple):
    """Numbers of rows, prior, curve and status of a group: columns of the result of `curves`."""

    n_pos: int
    n_neg: int
    prior: float
    curve: ConfusionCurve | None
    status: str

    @classmethod
    def of(cls, counts: Counts) -> CountedGroup:
        n_of_classes = counts.n_of_classes()
        try:
            curve = counts.curve()
        except (ValueError, TypeError) as error:
            return cls(*n_of_classes, math.nan, None, str(error))
        return cls(*n_of_classes, curve.prior, curve, "ok")


def counts_of_table(
    table: Any, argument: str, columns: Columns, pos_label: Any, cells: Cells
) -> Counts:
    """Counts of all groups of a table, which the caller gave as `argument`."""
    _checks.single_label("pos_label", pos_label)
    for name, column in columns.named:
        if not isinstance(column, str):
            raise TypeError(f"{name} must be the name of a column of {argument}, got {column!r}")
    with opened(table, argument, [column for _, column in columns.named]) as rows:
        columns.check(rows, argument)
        kind = rows[columns.y_score].type()
        is_short = cells == EACH_SCORE and (kind.is_float32() or kind.is_float16())
        dtype = np.dtype(kind.to_numpy() if is_short else np.float64)
        counts = Counts(count(rows, columns, cells), pos_label, cells, dtype)
    if counts.table.num_rows == 0:
        raise ValueError(f"{argument} must not be empty")
    return counts


def groups_of_table(
    rows: Any, argument: str, columns: Columns, pos_label: Any, cells: Cells = EACH_SCORE
) -> tuple[Any, list[CountedGroup]]:
    """A DataFrame with the keys of each group, sorted, missing ones last; and the groups."""
    counts = counts_of_table(rows, argument, columns, pos_label, cells)
    keys = _keys(counts.table, list(columns.by))
    order, starts = ordered(keys)
    ends = np.append(starts[1:], len(order))
    table = counts.table.take(order).combine_chunks()  # slices need no copy
    parts = [table.slice(*each) for each in zip(starts, ends - starts, strict=True)]
    keys = keys.iloc[order[starts]].reset_index(drop=True)
    groups = [CountedGroup.of(replace(counts, table=part)) for part in parts]
    _checks.some_positives((each.n_pos for each in groups), counts.labels(), pos_label)
    return keys, groups


def _keys(table: Any, by: list[str]) -> Any:
    """The group of each row of the counts, as a DataFrame."""
    table = table.select([f"by_{place}" for place in range(len(by))])
    keys = table.to_pandas().set_axis(by, axis="columns")
    for name, column in zip(by, table.columns, strict=True):
        # If some integers are missing, pandas stores the others as float64.
        if "int" in str(column.type) and column.null_count and keys[name].abs().max() >= 2**53:
            raise ValueError(
                f"by must hold integers below 2**53 if some are missing, got {name!r} with "
                f"{int(keys[name].abs().max())}"
            )
    return keys


def ordered(keys: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows of a DataFrame of pandas by their keys, missing ones last; where groups start."""
    codes = np.array([_codes(keys.iloc[:, place]) for place in range(keys.shape[1])])
    order = np.lexsort(codes[::-1])
    is_new = (np.diff(codes[:, order], prepend=-1) != 0).any(axis=0)
    return order, np.flatnonzero(is_new)


def _codes(column: Any) -> NDArray[np.intp]:
    """Place of the value of each row among the sorted values; missing values are the last."""
    try:
        codes, values = column.factorize(sort=True)
    except TypeError:  # they cannot be sorted: in the order of their first rows
        codes, values = column.factorize()
    found: NDArray[np.intp] = np.where(codes < 0, len(values), codes)
    return found
