"""Why a metric changed between two samples: the parts due to the prior, the mix and the model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from calibrated_metrics import _arguments, _columns, _hints, _labels, _numbers
from calibrated_metrics._arguments import RandomState, plain_calls
from calibrated_metrics._messages import shown
from calibrated_metrics._results import equal_values, hash_of_values
from calibrated_metrics.comparison.frames import (
    UNDEFINED,
    Group,
    labelled,
    numbers_of_counts,
    rows_of_frame,
    status_of,
    warn_of_missing,
)
from calibrated_metrics.comparison.grouping import Groups
from calibrated_metrics.comparison.mixes import mixed
from calibrated_metrics.comparison.parts import (
    PARTS,
    PARTS_OF_SEGMENTS,
    estimate_parts,
    values_at,
)
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.confusion.data import what_takes
from calibrated_metrics.rows import HoldsRows, same_labels
from calibrated_metrics.scores.metric import Data, DataLike, Metric, MetricLike
from calibrated_metrics.uncertainty.estimate import Estimate, Measured, Settings, doubted, warn_of
from calibrated_metrics.uncertainty.interval import doubts_of, measured, rows_of, value_of

__all__ = ["Change", "explain_change", "explain_changes", "named_periods"]


@dataclass(frozen=True, eq=False, repr=False)
class Change:
    """The change of a metric between two samples, with its two or three parts.

    Attributes
    ----------
    total : uncertainty.Estimate
        `value_after` minus `value_before`; exactly the sum of the values of the parts.
    prior_part, model_part : uncertainty.Estimate
        The part of the change due to the prior, and the part due to the scores within the classes.
    mix_part : uncertainty.Estimate or None
        The part due to the mix of segments within the classes; None without segments.
    prior_before, prior_after : float
        The priors of the two periods.
    value_before, value_after : float
        The metric of each sample at its own prior.
    before_at_prior_after, after_at_prior_before : float
        The metric of each sample at the prior of the other one.
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
    mix_part: Estimate | None = None

    __eq__, __hash__ = equal_values, hash_of_values

    @property
    def _parts(self) -> dict[str, Estimate]:
        found = {name: getattr(self, name) for name in PARTS_OF_SEGMENTS}
        return {name: part for name, part in found.items() if part is not None}

    @property
    def withheld(self) -> list[str]:
        """Reasons for which intervals are withheld."""
        reasons = (part.reason for part in self._parts.values())
        return list(dict.fromkeys(reason for reason in reasons if reason is not None))

    @property
    def remarks(self) -> list[str]:
        """Reasons for which intervals are missing or doubtful. Functions warn of them."""
        remarks = (remark for part in self._parts.values() for remark in part.remarks)
        return list(dict.fromkeys(remarks))

    def __repr__(self) -> str:
        parts = ",\n       ".join(f"{name}={part!r}" for name, part in self._parts.items())
        return f"Change({parts})"


@plain_calls(
    pi0="set priors with at_prior, or use uncertainty.difference for the change at one prior",
    **_hints.HOW_DRAWN,
    **_hints.OF_METRIC,
)
def explain_change(
    metric: MetricLike,
    before: DataLike,
    after: DataLike,
    *,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 1000,
    rng: RandomState = None,
) -> Change:
    """Split the change of a metric into parts due to the prior, the mix and the model.

    Let V(F, π) be the metric at the prior π if F is the distribution of the scores in each class::

        prior part = (V(F₀, π₁) - V(F₀, π₀) + V(F₁, π₁) - V(F₁, π₀)) / 2
        model part = (V(F₁, π₀) - V(F₀, π₀) + V(F₁, π₁) - V(F₀, π₁)) / 2

    Each part is the mean over both orders of the two changes (Kitagawa, JASA 1955,
    doi:10.2307/2281213; Shapley 1953, doi:10.1515/9781400881970-018). Without segments, the model
    part includes every change of F, including changes of the population of a class.

    If both samples have strata that are segments, F consists of the mix of segments in each class
    and of the scores in each segment and class. The mix is then a third part, and each part is the
    mean over the six orders of the three changes (Das Gupta, Demography 1978, doi:10.2307/2060493).

    ``docs/methods/intervals.md`` describes the intervals. For the change at one reference
    prior, use `uncertainty.difference`.

    Parameters
    ----------
    metric : str, callable or Metric
        As for `uncertainty.interval`, without a reference prior of its own.
    before, after : ConfusionCurve, ConfusionMatrix, or pair (y_true, y_score) or (y_true, y_pred)
        Two samples without common rows, such as two periods. The error of their priors is included
        unless these were set by `at_prior`, or fixed by the classes as strata. Equal labels of
        clusters mean the same cluster, also across the samples. Strata are segments if a stratum
        contains both classes; each segment must be in both samples. The numbers of rows of segments
        are treated as random. Strata within classes, such as (age, diagnosis), are not segments:
        both priors must be set by `at_prior`, and there are two parts.
    pos_label, confidence_level, method, n_resamples, rng
        As for `uncertainty.interval`, with the same errors and warnings.

    Returns
    -------
    Change

    Examples
    --------
    The prior falls to a fifth, and the model does not change:

    >>> import numpy as np
    >>> from calibrated_metrics import ConfusionCurve, comparison
    >>> rng = np.random.default_rng(0)
    >>> curves = []
    >>> for n_pos in (500, 100):
    ...     y_true = np.arange(10_000) < n_pos
    ...     y_score = rng.normal(size=10_000) + 2 * y_true
    ...     curves.append(ConfusionCurve.from_predictions(y_true, y_score))
    >>> comparison.explain_change("average_precision", *curves)
    Change(total=Estimate(-0.3194, 95 % interval -0.4086 to -0.2115, mover of hull),
           prior_part=Estimate(-0.2545, 95 % interval -0.3 to -0.2189, hull),
           model_part=Estimate(-0.06493, 95 % interval -0.1574 to 0.0344, hull))
    """
    settings = Settings.of(confidence_level, method, n_resamples, rng)
    asked = _without_prior(metric)
    data = (
        rows_of(asked, before, "before", method=settings.method, pos_label=pos_label),
        rows_of(asked, after, "after", method=settings.method, pos_label=pos_label),
    )
    change = _change(asked, data, settings)
    warn_of(change.remarks)
    return change


def _change(
    metric: Metric,
    data: tuple[Data, Data],
    settings: Settings,
    of_before: Callable[[], list[Measured]] | None = None,
) -> Change:
    for name, each in zip(("before", "after"), data, strict=True):
        _check_prior(name, each)
    same_labels("before and after", data[0].rows, data[1].rows)
    pair = data
    mixes = mixed(pair) if all(each.rows.has_segments for each in pair) else []
    if mixes:
        pair = mixes[0].data, mixes[-1].data
    sources = [mix.data for mix in mixes] or pair
    old, new = (float(each.prior) for each in pair)
    values = values_at(metric, sources, [old, new])  # of shape (n_sources, 2)
    for name, value in (("before", values[0, 0]), ("after", values[-1, 1])):
        _numbers.real_number(f"the metric of {name}", value)
    doubts = tuple(
        f"{name}: {doubt}"
        for name, each in zip(("before", "after"), data, strict=True)
        for doubt in doubts_of(each)
    )
    before = of_before or partial(measured, metric, [pair[0]], settings)
    parts = {
        name: doubted(part, doubts)
        for name, part in estimate_parts(metric, pair, mixes, values, settings, before).items()
    }
    (before_old, before_new), *_, (after_old, after_new) = values.tolist()
    return Change(
        **parts,
        prior_before=old,
        prior_after=new,
        value_before=before_old,
        value_after=after_new,
        before_at_prior_after=before_new,
        after_at_prior_before=after_old,
    )


def _check_prior(name: str, data: Data) -> None:
    """Refuse data without a metric at other priors, or whose own prior is unknown.

    The rows of strata within classes do not tell their prior, unless it or a population was set.
    """
    if not (data.n_pos > 0 and data.n_neg > 0):
        raise ValueError(
            f"{name} must hold rows of both classes, got n_pos={data.n_pos:g} and "
            f"n_neg={data.n_neg:g}: without them there is no metric at another prior"
        )
    sample = data.rows
    are_within_classes = sample.fixes_prior and sample.error_strata is not None
    prior_was_set = data.class_weight != sample.class_weight
    population_was_set = sample.weight is not None
    if are_within_classes and not (prior_was_set or population_was_set):
        raise ValueError(
            f"{name} has strata that lie within a class, such as (segment, label), so its rows do "
            "not tell its prior: give the segment alone as strata, or set the prior with at_prior"
        )


def _without_prior(metric: MetricLike) -> Metric:
    found = Metric(metric)
    if found.pi0 is not None:
        raise ValueError(
            f"metric must have no reference prior of its own, got {found.pi0}: a metric at a fixed "
            "prior has no prior part; use uncertainty.difference"
        )
    return found


@plain_calls()
def explain_changes(
    metric: MetricLike,
    periods: Mapping[Any, DataLike] | Sequence[DataLike],
    *,
    reference: Any = None,
    pos_label: Any = None,
    missing: str = "status",
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 1000,
    rng: RandomState = None,
) -> list[dict[str, Any]]:
    """Split the change of a metric from a reference to each of several periods into its parts.

    Parameters
    ----------
    metric, pos_label, confidence_level, method, n_resamples, rng
        As for `explain_change`. Warnings name the period, for the first three intervals.
    periods : mapping or sequence
        The sample of each period: a `ConfusionCurve`, a `ConfusionMatrix`, or a pair
        (y_true, y_score) or (y_true, y_pred), as for `explain_change`. The names of the periods are
        the keys of the mapping, or 0, 1, 2, … in a sequence.
    reference : name of a period, ConfusionCurve or ConfusionMatrix, default=None
        The period or sample with which the periods are compared. None: the first period.
    missing : "status" or "drop", default="status"
        What to do with rows of pairs without a label or a score, as for `comparison.by_group`.

    Returns
    -------
    list of dict
        One row per period in the given order, without the reference; ``pandas.DataFrame(rows)``
        turns them into a table. Keys: `period`; `metric`; `n_pos`, `n_neg`, `prior`; `value`, the
        metric at the prior of the period; `reference_prior`, `reference_value`; `total`,
        `prior_part` and `model_part`, and `mix_part` if the reference has segments, each with its
        limits, such as `total_low`; `confidence_level`; `status`: "ok", or why values are NaN, or
        "no interval: " and why the limits are NaN. Each interval holds for its period alone. The
        sampling error of the reference is part of each. If no period or not the reference has
        positives, an error is raised.

    Examples
    --------
    >>> from calibrated_metrics import comparison
    >>> months = {
    ...     "May": ([1, 1, 1, 0, 0, 0], [0.9, 0.8, 0.4, 0.5, 0.2, 0.1]),
    ...     "June": ([0, 0, 0, 0, 0, 0], [0.9, 0.8, 0.4, 0.5, 0.2, 0.1]),
    ... }
    >>> comparison.explain_changes("roc_auc", months)[0]["status"]
    'no positives among 6 rows'
    """
    settings = Settings.of(confidence_level, method, n_resamples, rng)
    found = _without_prior(metric)
    named = named_periods(periods)
    _arguments.one_of("missing", missing, ("status", "drop"))
    groups = {name: _group_of(found, each, pos_label, missing) for name, each in named.items()}
    n_missing = [group.n_missing for group in groups.values()]
    warn_of_missing(missing, n_missing, list(groups).__getitem__)
    base, others = _reference_and_others(groups, reference, pos_label)
    # Errors of the reference are errors of the call.
    rows_of_base = rows_of(found, base, "reference", method=settings.method)
    _check_prior("reference", rows_of_base)
    data = [group.data for group in groups.values() if isinstance(group.data, HoldsRows)]
    same_labels("periods", rows_of_base.rows, *(each.rows for each in data if each.has_rows))
    parts = PARTS_OF_SEGMENTS if rows_of_base.rows.has_segments else PARTS
    of_base = cache(partial(measured, found, [rows_of_base], settings))  # once for all periods
    rows, remarks = [], []
    for period, group in others.items():
        cells, of_row = _row(found, rows_of_base, group, settings, parts, of_base)
        rows.append({"period": period, "metric": found.key, **cells})
        remarks += [f"period {period}, {remark}" for remark in of_row]
    if len(others) == len(named) and not any(row["n_pos"] for row in rows):
        raise ValueError(f"periods must hold positives, got none: {rows[0]['status']}")
    warn_of(remarks)
    return rows


def named_periods(periods: Any) -> Mapping[Any, Any]:
    """Periods by their names, which are 0, 1, 2, … in a sequence."""
    if isinstance(periods, Mapping):
        return periods
    if isinstance(periods, str | ConfusionCurve) or not isinstance(periods, Iterable):
        raise TypeError(f"periods must be a mapping or a sequence, got {shown(periods)}")
    if hasattr(periods, "columns"):
        raise TypeError(
            "periods must be a mapping or a sequence, got a frame; pass a pair for each period: "
            '{name: (rows["y_true"], rows["y_score"]) for name, rows in frame.groupby("period")}'
        )
    return dict(enumerate(periods))


def _reference_and_others(
    periods: Mapping[Any, Group], reference: Any, pos_label: Any
) -> tuple[Any, dict[Any, Group]]:
    """The data of the reference, and the periods without it."""
    if not periods:
        raise ValueError("periods must not be empty")
    if isinstance(reference, ConfusionCurve | ConfusionMatrix):
        _labels.label_of_built("reference", reference.pos_label, pos_label)
        return reference, dict(periods)
    name = next(iter(periods)) if reference is None else reference
    if name not in list(periods):  # it need not be hashable
        raise ValueError(
            "reference must be the name of a period, a ConfusionCurve or a ConfusionMatrix, got "
            f"{shown(reference)}; the periods are {list(periods)}"
        )
    sample = periods[name]
    if sample.data is None:
        raise ValueError(f"reference {name!r} cannot be used: {sample.status}")
    # NaN differs from itself.
    others = {key: data for key, data in periods.items() if key is not name and key != name}
    return sample.data, others


def _row(
    metric: Metric,
    reference: Data,
    period: Group,
    settings: Settings,
    parts: Iterable[str],
    of_reference: Callable[[], list[Measured]],
) -> tuple[dict[str, Any], Sequence[str]]:
    """The change from the reference as a row of the result, and what to warn of."""
    row = {
        "n_pos": period.n_pos,
        "n_neg": period.n_neg,
        **dict.fromkeys(("prior", "value", "reference_prior", "reference_value"), math.nan),
        **{f"{part}{end}": math.nan for part in parts for end in ("", "_low", "_high")},
        "confidence_level": settings.confidence_level,
        "status": period.status,
    }
    if period.data is None:
        return row, ()
    try:
        value = value_of(metric, period.data, None)
        row |= {"prior": float(period.data.prior), "value": value}  # even if there is no interval
        after = rows_of(metric, period.data, "after", method=settings.method)
        change = _change(metric, (reference, after), settings, of_reference)
    except UNDEFINED as error:
        return row | {"status": str(error)}, ()
    row |= {"prior": change.prior_after, "value": change.value_after}
    row |= {"reference_prior": change.prior_before, "reference_value": change.value_before}
    for name, part in change._parts.items():
        row |= {name: part.value, f"{name}_low": part.low, f"{name}_high": part.high}
    return row | {"status": status_of(next(iter(change.withheld), None))}, change.remarks


def _group_of(metric: Metric, period: Any, pos_label: Any, missing: str) -> Group:
    """The rows of a curve, a matrix or a pair, or why they cannot be used."""
    if isinstance(period, ConfusionCurve | ConfusionMatrix):
        _labels.label_of_built("periods", period.pos_label, pos_label)
        return Group(*numbers_of_counts(period), 0, period)
    if not (isinstance(period, tuple | list) and len(period) == 2):
        raise TypeError(
            "periods must hold ConfusionCurves, ConfusionMatrices or pairs (y_true, y_score), "
            f"got {shown(period)}{what_takes(period)}"
        )
    names = "y_true", "y_pred" if metric._takes_labels else "y_score"
    frame = dict(zip(names, period, strict=True))
    _columns.same_index(**frame)
    label = 1 if pos_label is None else pos_label
    try:
        entries = rows_of_frame(frame, [], {name: name for name in names}, {}, label)
    except ValueError as error:
        return Group(0, 0, 0, None, str(error))
    (group,) = labelled(entries, Groups({}, [np.arange(len(entries.number))]), missing)
    return group
