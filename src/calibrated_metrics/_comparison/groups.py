"""Metrics of a group of rows, with the reason where a value or an interval is missing."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _checks
from calibrated_metrics._comparison.frames import Groups, check_comparable, frame_of
from calibrated_metrics._intervals.asked import Asked, ScoreLike, Settings
from calibrated_metrics._intervals.problems import problem_of, problem_of_rows
from calibrated_metrics._intervals.results import Problem
from calibrated_metrics._intervals.samples import RowSample
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.registry import Metric

__all__ = [
    "OK",
    "UNDEFINED",
    "GroupOfRows",
    "LabelledRows",
    "NamedScore",
    "Row",
    "check_columns",
    "check_prior",
    "groups_of_frame",
    "mean_prior",
    "named_scores",
    "table_of_groups",
]

OK = "ok"

# A metric may be undefined on a group or refuse its data; a function of the caller may divide by 0.
UNDEFINED = (ValueError, TypeError, ArithmeticError)


class NamedScore(NamedTuple):
    """A score as the caller asked for it, and its name in tables, without its reference prior."""

    name: str
    asked: Asked


def named_scores(metrics: ScoreLike | Sequence[ScoreLike]) -> list[NamedScore]:
    if isinstance(metrics, str | Metric) or not isinstance(metrics, Iterable):
        metrics = [metrics]
    found = [_named(score) for score in metrics]
    if not found:
        raise ValueError("metrics must name at least one score, got none")
    seen = [(each.name, each.asked.pi0) for each in found]
    for each in seen:
        if seen.count(each) > 1:
            raise ValueError(f"metrics must have different names, got {each[0]!r} twice")
    return found


def _named(score: ScoreLike) -> NamedScore:
    asked = Asked.of(score)
    if isinstance(score, Metric):
        return NamedScore(dataclasses.replace(score, pi0=None).key, asked)
    return NamedScore(asked.name, asked)


class LabelledRows(NamedTuple):
    """Columns of labelled rows."""

    labels: NDArray[Any]
    scores: NDArray[Any]
    weight: NDArray[Any] | None = None
    clusters: NDArray[Any] | None = None

    def take(self, rows: NDArray[np.intp]) -> LabelledRows:
        weight, clusters = (
            None if each is None else each[rows] for each in (self.weight, self.clusters)
        )
        return LabelledRows(self.labels[rows], self.scores[rows], weight, clusters)


class Row(NamedTuple):
    """A metric of a group."""

    pi0: float
    value: float
    low: float
    high: float
    status: str
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class GroupOfRows:
    """A group: its data, or why they cannot be used.

    Attributes
    ----------
    n_pos, n_neg : int
        Numbers of rows. Rows without a label are in neither.
    data : ConfusionCurve, RowSample or None
    status : str
        `OK`, or why there are no data.
    no_interval : str or None
        Why the data, which are then a curve, allow values but no intervals.
    """

    n_pos: int
    n_neg: int
    data: ConfusionCurve | RowSample | None
    status: str
    no_interval: str | None = None

    @classmethod
    def of(cls, labelled: LabelledRows, pos_label: Any) -> GroupOfRows:
        labels, scores, weight, clusters = labelled
        n_pos, n_neg = _numbers_of_rows(labels, pos_label)
        try:
            if weight is None and clusters is None:
                curve = ConfusionCurve.from_predictions(labels, scores, pos_label=pos_label)
                return cls(n_pos, n_neg, curve, OK)
            rows = RowSample(
                labels, scores, pos_label=pos_label, sample_weight=weight, groups=clusters
            )
        except UNDEFINED as error:
            return cls(n_pos, n_neg, None, str(error))
        return cls(n_pos, n_neg, rows, OK)

    @property
    def prior(self) -> float:
        """The prior of the data, NaN if they cannot be used."""
        if self.data is None:
            return math.nan
        return (self.data if isinstance(self.data, ConfusionCurve) else self.data.curve).prior

    def row(self, asked: Asked, pi0: float | None, settings: Settings | None) -> Row:
        """A metric at `pi0`, or at its own reference prior; without settings, no limits."""
        given = pi0 if asked.pi0 is None else None
        at = math.nan if given is None else given
        if self.data is None:
            return _without_value(self.status, at)
        try:
            at = asked.prior(given, self.prior)
            return self._measured(asked, at, given, settings)
        except UNDEFINED as error:
            return _without_value(str(error), at)

    def _measured(
        self, asked: Asked, at: float, given: float | None, settings: Settings | None
    ) -> Row:
        if self.no_interval is not None:
            value = self._value_of_curve(asked, at)
            status = OK if settings is None else f"no interval: {self.no_interval}"
            return Row(at, value, math.nan, math.nan, status)
        problem = self._problem(asked)
        if settings is None:
            return Row(at, problem.value_at(given), math.nan, math.nan, OK)
        try:
            result = problem.result(given, settings)
        except UNDEFINED as error:  # such as a bootstrap with too few draws
            return _without_limits(at, problem.value_at(given), str(error))
        if result.reason is not None:
            return _without_limits(at, result.value, result.reason)
        limits = result.limits_at(settings.confidence_level)
        return Row(at, result.value, *limits, OK, result.remarks)

    def _value_of_curve(self, asked: Asked, pi0: float) -> float:
        assert isinstance(self.data, ConfusionCurve)
        curve = self.data.at_prior(pi0)
        if asked.of_matrix:
            return asked.value_of(curve.confusion_matrix(asked.required_threshold))
        return asked.value_of(curve)

    def _problem(self, asked: Asked) -> Problem:
        if isinstance(self.data, RowSample):
            return problem_of_rows(asked, self.data)
        assert self.data is not None
        return problem_of(asked, self.data)


def groups_of_frame(
    frame: Any,
    by: Sequence[Hashable],
    y_true: Hashable,
    y_score: Hashable,
    pos_label: Any,
    sample_weight: Hashable | None,
    groups: Hashable | None,
) -> tuple[Groups, list[GroupOfRows]]:
    """The groups of a DataFrame, sorted by their keys, and the data of each."""
    data = frame_of(frame)
    for key in by:
        data.column("by", key)
    labelled = LabelledRows(
        data.column("y_true", y_true),
        data.column("y_score", y_score),
        None if sample_weight is None else data.column("sample_weight", sample_weight),
        None if groups is None else data.column("groups", groups),
    )
    found = data.grouped(by)
    return found, [GroupOfRows.of(labelled.take(rows), pos_label) for rows in found.rows]


def _without_limits(pi0: float, value: float, reason: str) -> Row:
    return Row(pi0, value, math.nan, math.nan, f"no interval: {reason}")


def _without_value(status: str, pi0: float) -> Row:
    return Row(pi0, math.nan, math.nan, math.nan, status)


def _numbers_of_rows(labels: NDArray[Any], pos_label: Any) -> tuple[int, int]:
    """Numbers of positive and of other labels; missing labels are not counted."""
    if labels.dtype.kind == "O":
        known = [label for label in labels.tolist() if not _checks.is_missing(label)]
        n_pos = sum(bool(label == pos_label) for label in known)
        return n_pos, len(known) - n_pos
    of_class = labels == pos_label
    n_known = np.count_nonzero(labels == labels)  # NaN differs from itself
    return int(np.count_nonzero(of_class)), int(n_known - np.count_nonzero(of_class))


_LIMITS = ("low", "high", "confidence_level")
_COLUMNS = ("n_pos", "n_neg", "prior", "metric", "pi0", "value", *_LIMITS, "status")


def check_columns(keys: Sequence[Hashable], of_result: Sequence[str] = _COLUMNS) -> None:
    if not keys:
        raise ValueError("by must name at least one column, got none")
    for key in keys:
        check_comparable("by", key)
    if taken := [key for key in keys if key in of_result]:
        raise ValueError(f"by must not name a column of the result, got {taken[0]!r}")
    if len(set(keys)) < len(keys):
        raise ValueError(f"by must name different columns, got {list(keys)}")


def check_prior(pi0: float | str | None) -> None:
    if isinstance(pi0, str) and pi0 != "mean":
        raise ValueError(f'pi0 must be "mean", a number in (0, 1) or None, got {pi0!r}')
    if not (pi0 is None or isinstance(pi0, str)):
        _checks.open_unit("pi0", pi0)


def mean_prior(groups: Sequence[GroupOfRows]) -> float:
    """The unweighted mean of the priors of the groups that can be used; NaN if there are none."""
    priors = [group.prior for group in groups if group.data is not None]
    return float(np.mean(priors)) if priors else math.nan


def table_of_groups(
    groups: Groups,
    measured: Sequence[GroupOfRows],
    scores: Sequence[NamedScore],
    pi0: float | None,
    settings: Settings | None,
) -> tuple[Any, list[str]]:
    """A frame with a row per group and metric, and what to warn of."""
    columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
    remarks = []
    level = math.nan if settings is None else settings.confidence_level
    for index, group in enumerate(measured):
        for name, asked in scores:
            row = group.row(asked, pi0, settings)
            of_group = group.n_pos, group.n_neg, group.prior, name
            of_row = row.pi0, row.value, row.low, row.high, level, row.status
            for column, cell in zip(columns.values(), of_group + of_row, strict=True):
                column.append(cell)
            remarks += [f"{groups.name(index)}, {name}: {remark}" for remark in row.remarks]
    if settings is None:
        for name in _LIMITS:
            del columns[name]
    places = np.repeat(np.arange(len(measured)), len(scores))
    return groups.table(places, columns), remarks
