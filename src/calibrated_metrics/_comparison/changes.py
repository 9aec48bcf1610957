"""Changes between two samples as results and as rows of a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from numpy.typing import ArrayLike

from calibrated_metrics import _checks
from calibrated_metrics._comparison.groups import OK, UNDEFINED, GroupOfRows, LabelledRows
from calibrated_metrics._intervals.asked import Asked, Settings
from calibrated_metrics._intervals.changes import PeriodPrior, parts_of_change
from calibrated_metrics._intervals.curves import OfCurve
from calibrated_metrics._intervals.estimate import Estimate
from calibrated_metrics._intervals.matrices import OfMatrix
from calibrated_metrics._intervals.problems import problem_of
from calibrated_metrics._intervals.results import Result
from calibrated_metrics._intervals.samples import RowSample
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix

__all__ = [
    "Change",
    "Counts",
    "Labelled",
    "Period",
    "PriorOfPeriod",
    "change_between",
    "pair_of_priors",
    "reference_and_others",
    "row_of_change",
    "sample_of",
    "without_reference_prior",
]

Counts: TypeAlias = ConfusionCurve | ConfusionMatrix
Labelled: TypeAlias = tuple[ArrayLike, ArrayLike]
PriorOfPeriod: TypeAlias = float | Estimate | None


@dataclass(frozen=True, eq=False, repr=False)
class Change:
    """The change of a metric between two samples, with its two parts.

    Attributes
    ----------
    total : uncertainty.Estimate
        `value_after` minus `value_before`. Its value is exactly
        ``prior_part.value + model_part.value``.
    prior_part : uncertainty.Estimate
        The part that the change of the prior causes.
    model_part : uncertainty.Estimate
        The part that the change of the scores within the classes causes.
    prior_before, prior_after : float
        The priors of the two periods.
    value_before, value_after : float
        The metric of each sample at its own prior.
    before_at_prior_after, after_at_prior_before : float
        The metric of each sample at the prior of the other one.
    withheld : list of str
        Reasons for which intervals are withheld.
    """

    total: Estimate
    prior_part: Estimate
    model_part: Estimate
    prior_before: float
    prior_after: float
    value_before: float
    value_after: float
    before_at_prior_after: float
    after_at_prior_before: float

    @property
    def withheld(self) -> list[str]:
        """Reasons for which intervals are withheld."""
        reasons = (getattr(self, name).reason for name in _PARTS)
        return list(dict.fromkeys(reason for reason in reasons if reason is not None))

    def __repr__(self) -> str:
        parts = ",\n       ".join(f"{name}={getattr(self, name)!r}" for name in _PARTS)
        return f"Change({parts})"


_PARTS = ("total", "prior_part", "model_part")


class Period(NamedTuple):
    """The score of a sample, and its prior."""

    problem: OfCurve | OfMatrix
    prior: PeriodPrior

    @classmethod
    def of(cls, asked: Asked, data: Counts | Labelled, known: PriorOfPeriod, name: str) -> Period:
        if isinstance(data, tuple | list) and len(data) == 2:
            data = ConfusionCurve.from_predictions(*data)
        problem = problem_of(asked, data, name)
        if isinstance(known, Estimate):
            return cls(problem, PeriodPrior.estimated(known))
        if known is not None:
            return cls(problem, PeriodPrior(_checks.open_unit("pi0", known)))
        if isinstance(data, ConfusionCurve) and data.prior_is_known:
            return cls(problem, PeriodPrior(data.prior))
        return cls(problem, PeriodPrior.of_counts(float(data.n_pos), float(data.n_neg)))


def pair_of_priors(
    pi0: tuple[PriorOfPeriod, PriorOfPeriod] | None,
) -> tuple[PriorOfPeriod, PriorOfPeriod]:
    if pi0 is None:
        return None, None
    if not (isinstance(pi0, tuple | list) and len(pi0) == 2):
        raise TypeError(f"pi0 must be None or a pair (before, after), got {pi0!r}")
    return pi0[0], pi0[1]


def without_reference_prior(asked: Asked) -> Asked:
    if asked.pi0 is not None:
        raise ValueError(
            f"score must have no reference prior of its own, got {asked.pi0}: a metric at a fixed "
            "prior has no prior part; use uncertainty.difference"
        )
    return asked


def change_between(before: Period, after: Period, settings: Settings) -> tuple[Change, list[str]]:
    """The change, and what to warn of."""
    parts = parts_of_change(before.problem, after.problem, (before.prior, after.prior), settings)
    old, new = before.prior.value, after.prior.value
    change = Change(
        total=_estimate(parts.total, settings),
        prior_part=_estimate(parts.prior, settings),
        model_part=_estimate(parts.model, settings),
        prior_before=old,
        prior_after=new,
        value_before=before.problem.value_at(old),
        value_after=after.problem.value_at(new),
        before_at_prior_after=before.problem.value_at(new),
        after_at_prior_before=after.problem.value_at(old),
    )
    return change, [remark for part in parts for remark in part.remarks]


def _estimate(part: Result, settings: Settings) -> Estimate:
    return Estimate.from_limits(
        part.value,
        part.standard_error,
        part.limits_at,
        confidence_level=settings.confidence_level,
        method=part.method,
        reason=part.reason,
    )


# -------------------------------------------------------------------------- several periods


def reference_and_others(
    asked: Asked, periods: Mapping[Any, Counts | Labelled], reference: Any
) -> tuple[Period, dict[Any, Counts | Labelled]]:
    """The reference, and the periods without it."""
    if not periods:
        raise ValueError("periods must not be empty")
    if isinstance(reference, ConfusionCurve | ConfusionMatrix):
        return Period.of(asked, reference, None, "reference"), dict(periods)
    name = next(iter(periods)) if reference is None else reference
    if not _is_key(name, periods):
        raise ValueError(
            "reference must be the name of a period, a ConfusionCurve or a ConfusionMatrix, got "
            f"{reference!r}; the periods are {list(periods)}"
        )
    sample = sample_of(periods[name])
    if sample.data is None:
        raise ValueError(f"reference {name!r} cannot be used: {sample.status}")
    # NaN differs from itself.
    others = {key: data for key, data in periods.items() if key is not name and key != name}
    return Period.of(asked, sample.data, None, f"reference {name!r}"), others


def named_periods(periods: Any) -> Mapping[Any, Any]:
    """Periods by their names, which are 0, 1, 2, … in a sequence."""
    if isinstance(periods, Mapping):
        return periods
    if isinstance(periods, str | ConfusionCurve) or not isinstance(periods, Iterable):
        raise TypeError(f"periods must be a mapping or a sequence, got {periods!r}")
    return dict(enumerate(periods))


def _is_key(name: Any, periods: Mapping[Any, Any]) -> bool:
    try:
        return name in periods
    except TypeError:  # not hashable
        return False


def row_of_change(
    asked: Asked, reference: Period, data: Counts | Labelled, settings: Settings
) -> tuple[dict[str, Any], list[str]]:
    """The change from the reference in the cells of a row, and what to warn of."""
    sample, level = sample_of(data), settings.confidence_level
    cells: dict[str, Any] = {"n_pos": sample.n_pos, "n_neg": sample.n_neg}
    if sample.data is None:
        return cells | _cells(None, sample.status, level), []
    try:
        period = Period.of(asked, sample.data, None, "period")
        change, remarks = change_between(reference, period, settings)
    except UNDEFINED as error:
        return cells | _cells(None, str(error), level), []
    withheld = change.withheld
    status = f"no interval: {withheld[0]}" if withheld else OK
    return cells | _cells(change, status, level), remarks


class _Sample(NamedTuple):
    n_pos: int
    n_neg: int
    data: Counts | None
    status: str


def sample_of(data: Counts | Labelled) -> _Sample:
    if isinstance(data, ConfusionCurve):
        own = data.counted
        return _Sample(round(own.n_pos), round(own.n_neg), data, OK)
    if isinstance(data, ConfusionMatrix):
        return _Sample(round(float(data.n_pos)), round(float(data.n_neg)), data, OK)
    if not (isinstance(data, tuple | list) and len(data) == 2):
        raise TypeError(
            "periods must hold ConfusionCurves, ConfusionMatrices or pairs (y_true, y_score), got "
            f"{data!r}"
        )
    try:
        labelled = LabelledRows(*map(_checks.vector, ("y_true", "y_score"), data))
    except ValueError as error:
        return _Sample(0, 0, None, str(error))
    rows = GroupOfRows.of(labelled, 1)
    assert not isinstance(rows.data, RowSample)
    return _Sample(rows.n_pos, rows.n_neg, rows.data, rows.status)


def _cells(change: Change | None, status: str, confidence_level: float) -> dict[str, Any]:
    names = {
        "prior": "prior_after",
        "value": "value_after",
        "reference_prior": "prior_before",
        "reference_value": "value_before",
    }
    cells: dict[str, Any] = {
        name: math.nan if change is None else getattr(change, attribute)
        for name, attribute in names.items()
    }
    for name in _PARTS:
        part = None if change is None else getattr(change, name)
        for suffix, attribute in (("", "value"), ("_low", "low"), ("_high", "high")):
            cells[name + suffix] = math.nan if part is None else getattr(part, attribute)
    return cells | {"confidence_level": confidence_level, "status": status}
