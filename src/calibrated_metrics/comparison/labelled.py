"""Labelled rows of groups and periods: their data, or a status that says why there are none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics._messages import warn_the_caller
from calibrated_metrics.comparison.frames import Groups, IntArray, groups_of_keys
from calibrated_metrics.confusion.measurable import Measurable
from calibrated_metrics.engines.counting import Entries
from calibrated_metrics.scores.metric import Data
from calibrated_metrics.uncertainty.estimate import Estimate

__all__ = [
    "OK",
    "UNDEFINED",
    "Group",
    "MeasuredCells",
    "groups_of",
    "numbers_of_counts",
    "warn_of_missing",
]

OK = "ok"
# A metric may be undefined on the data or reject them; a user's function may divide by 0.
UNDEFINED = (ValueError, TypeError, ArithmeticError)

_MOST_NAMES = 3  # in a warning


class MeasuredCells(NamedTuple):
    """Cells of a row of a result, why there is no interval, and what to warn of."""

    cells: Mapping[str, Any]
    reason: str | None
    remarks: Sequence[str]

    @classmethod
    def of(cls, found: Estimate) -> MeasuredCells:
        names = ("value", "low", "high", "confidence_level")
        cells = {name: float(getattr(found, name)) for name in names}
        return cls(cells, found.reason, () if found.reason else found.remarks)

    @property
    def status(self) -> str:
        return OK if self.reason is None else f"no interval: {self.reason}"


class Group(NamedTuple):
    """Numbers of labelled rows of each class, their data, and `OK` or why there are none.

    `n_missing` is the number of rows without a label or a score.
    """

    n_pos: int
    n_neg: int
    n_missing: int
    data: Data | Measurable | None
    status: str = OK

    def row(
        self, unknown: Mapping[str, Any], measure: Callable[[Any], MeasuredCells]
    ) -> tuple[dict[str, Any], Sequence[str]]:
        """The row of a result, and what to warn of.

        `unknown` are the cells of a group that cannot be measured; `measure` returns others in
        their place.
        """
        row = {"n_pos": self.n_pos, "n_neg": self.n_neg, **unknown, "status": self.status}
        if self.data is None:
            return row, ()
        try:
            found = measure(self.data)
        except UNDEFINED as error:
            return row | {"status": str(error)}, ()
        return row | {**found.cells, "status": found.status}, found.remarks


def numbers_of_counts(data: Data | Measurable) -> tuple[int, int]:
    """Numbers of rows of each class."""
    if isinstance(data, Measurable):
        return round(data.totals[0]), round(data.totals[1])
    if not data.has_rows:
        return round(float(data._unweighted.n_pos)), round(float(data._unweighted.n_neg))
    n_neg, n_pos = np.bincount(data.rows.positive, data.rows.number, minlength=2)
    return round(n_pos), round(n_neg)


def groups_of(
    entries: Entries, pos_label: Any, missing: str, population: Mapping[Any, float] | None = None
) -> tuple[Groups, list[Group]]:
    """The groups of entries, sorted by their keys, and the data or the status of each."""
    groups = groups_of_keys(entries.keys)
    is_kept = (entries.n_missing == 0) | (missing == "status")
    parts = [rows[is_kept[rows]] for rows in groups.rows]
    number = entries.number - (entries.n_missing if missing == "drop" else 0.0)
    n_pos = groups.sums(number * entries.is_positive)
    n_neg = groups.sums(number * entries.is_negative)
    n_missing = groups.sums(entries.n_missing)
    _checks.some_positives(n_pos, entries.labels, pos_label)

    def data_of(part: IntArray) -> Any:
        if not part.size:
            raise ValueError("no row has a label and a score")
        data = entries.data_of(part)
        return data if population is None else data.at_population(population)

    found = []
    for part, numbers in zip(parts, zip(n_pos, n_neg, n_missing, strict=True), strict=True):
        try:
            found.append(Group(*numbers, data_of(part)))
        except UNDEFINED as error:
            found.append(Group(*numbers, None, str(error)))
    if all(each.data is None and (missing == "drop" or not each.n_missing) for each in found):
        data_of(np.concatenate(parts))  # raises an error of the column, such as text as scores
    warn_of_missing(missing, n_missing, groups.name)
    return groups, found


def warn_of_missing(
    missing: str, n_missing: Sequence[int], name: Callable[[int], Any] = lambda _: "all rows"
) -> None:
    """Warn once of groups with rows without a label or a score."""
    found = np.flatnonzero(n_missing)
    if not len(found):
        return
    more = ["..."] if len(found) > _MOST_NAMES else []
    listed = "; ".join([*(str(name(place)) for place in found[:_MOST_NAMES]), *more])
    where = f"{len(found)} of {len(n_missing)} groups ({listed})"
    n = sum(n_missing)
    text = (
        f"{where} have no values because rows lack a label or a score ({n} in all); missing='drop' "
        "drops such rows, which is right"
        if missing == "status"
        else f"rows without a label or a score were dropped in {where} ({n} in all), which is right"
    )
    warn_the_caller(f"missing values: {text} if they are missing at random", UserWarning)
