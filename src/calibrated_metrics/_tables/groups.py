"""Groups of a table: the curve of each, or why its data cannot be used."""

from __future__ import annotations

from typing import Any

from calibrated_metrics import _checks
from calibrated_metrics._comparison.frames import Groups, frame_of
from calibrated_metrics._comparison.groups import OK, UNDEFINED, GroupOfRows
from calibrated_metrics._tables.counting import Columns, Fetched, Query
from calibrated_metrics._tables.reading import opened, without_statistics
from calibrated_metrics._tables.rounding import EACH_SCORE, Rounding

__all__ = ["fetched", "groups_of_table"]


def fetched(
    table: Any, argument: str, columns: Columns, pos_label: Any, rounding: Rounding
) -> Fetched:
    """Counts of the cells of a table, which must not be empty."""
    _checks.single_label("pos_label", pos_label)
    with opened(table, argument, columns.names) as rows:
        columns.check(rows, argument)
        with without_statistics(rows):
            cells = Query(columns, pos_label, rounding).fetch(rows)
    if not len(cells):
        raise ValueError(f"{argument} must not be empty")
    return cells


def groups_of_table(
    table: Any,
    argument: str,
    columns: Columns,
    pos_label: Any,
    rounding: Rounding = EACH_SCORE,
) -> tuple[Groups, list[GroupOfRows]]:
    """The groups of a table, sorted by their keys, and the data of each."""
    cells = fetched(table, argument, columns, pos_label, rounding)
    groups = frame_of(cells.groups).grouped(columns.by)
    return groups, [_group(cells, rows) for rows in groups.rows]


_WEIGHTED = (
    "the counts of a table hold sums of weights, and an interval needs the weights of the rows"
)


def _group(cells: Fetched, rows: Any) -> GroupOfRows:
    n_of_class = cells.n_of_class(rows)
    try:
        curve = cells.curve(rows)
    except UNDEFINED as error:
        return GroupOfRows(*n_of_class, None, str(error))
    weighted = cells.query.columns.sample_weight is not None
    return GroupOfRows(*n_of_class, curve, OK, _WEIGHTED if weighted else None)
