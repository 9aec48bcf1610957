"""Metrics of the groups of a frame or table, one row per group and metric.

`read` is the one reader of groups, for `by_group` and for `tables.curves`: a group has the data of
its rows, or a status that says why it has none. `row_of` is the one writer of rows of results.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _checks, label_errors
from calibrated_metrics._checks import FloatArray, RandomState
from calibrated_metrics._messages import warn_the_caller
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.confusion.measurable import Measurable
from calibrated_metrics.engines.counting import Columns, Entries, count
from calibrated_metrics.label_errors import LabelsWithErrors
from calibrated_metrics.label_errors.rows import LabelRate
from calibrated_metrics.scores.metric import Data, Metric, MetricLike
from calibrated_metrics.uncertainty.estimate import Estimate, Settings, warn_of
from calibrated_metrics.uncertainty.interval import at_priors, estimate

__all__ = [
    "OK",
    "UNDEFINED",
    "Group",
    "MeasuredCells",
    "by_group",
    "cells_of",
    "grouped",
    "metrics_of",
    "numbers_of_counts",
    "only_group",
    "row_of",
    "status_of",
    "warn_of_missing",
]

BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.intp]

OK = "ok"
# A metric may be undefined on the data or reject them; a user's function may divide by 0.
UNDEFINED = (ValueError, TypeError, ArithmeticError)
# Cells of a row, why there is no interval, and what to warn of.
MeasuredCells: TypeAlias = tuple[Mapping[str, Any], str | None, Sequence[str]]

_LIMITS = ("low", "high", "confidence_level")
_SENSITIVITY = "label_sensitivity"
_DROPPED = "n_dropped"
_MOST_NAMES = 3  # in a warning
_COLUMNS = ("n_pos", "n_neg", "prior", "metric", "pi0", "value", *_LIMITS, "status")
_FRAMES = {"pandas": ["DataFrame"], "polars": ["DataFrame", "LazyFrame"], "pyarrow": ["Table"]}
_FRAMES |= {"ibis": ["Table"], "builtins": ["dict"]}


@_checks.plain_calls()
def by_group(
    frame: Any,
    by: Hashable | Sequence[Hashable],
    *,
    y_true: Hashable,
    y_score: Hashable | None = None,
    y_pred: Hashable | None = None,
    metrics: MetricLike | Sequence[MetricLike],
    pi0: ArrayLike | None = "mean",
    population: Mapping[Any, float] | None = None,
    pos_label: Any = 1,
    sample_weight: Hashable | None = None,
    clusters: Hashable | None = None,
    strata: Hashable | None = None,
    label_sensitivity: Any = None,
    label_specificity: Any = None,
    missing: str = "status",
    confidence_level: float | None = 0.95,
    n_resamples: int = 1000,
    rng: RandomState = None,
) -> Any:
    """Measure each group of a frame or table at a common prior, with confidence intervals.

    At a common prior, groups with different priors can be compared (Siblini et al., IDA 2020,
    doi:10.1007/978-3-030-44584-3_36, section 5).

    Parameters
    ----------
    frame : DataFrame of pandas or polars, LazyFrame, Table of pyarrow or Ibis, dict or path
        The rows; a dict has an array for each column. The engine of an Ibis table, or for parquet
        files an embedded DuckDB, counts them as in `tables.curves`; each distinct score of each
        group is fetched.
    by : column name or list of column names
        Rows with the same values in these columns form a group; missing values form their own.
    y_true : column name
        Binary labels of any type; `pos_label` is that of the positives. If the data of a group
        cannot be used, its `status` says why. An error is raised if no group has positives, or if
        no group and not all rows together can be used, such as text as scores.
    y_score, y_pred : column name
        Either finite scores, higher for more likely positives, or predicted labels, for metrics of
        a decision.
    pos_label : scalar, default=1
        The label of the positives.
    metrics : str, callable or Metric, or a list of these
        As for `uncertainty.interval`. A `Metric` may have its own reference prior.
    pi0 : "mean", float in (0, 1), array-like of shape (n_priors,), or None, default="mean"
        Reference prior, taken as known, or several. "mean": the unweighted mean of the priors of
        the groups whose data can be used. None: the prior of each group.
    population : None or mapping of stratum to share, default=None
        Reference population of each group, as for `ConfusionCurve.at_population`, applied before
        `pi0`. If a group lacks a stratum, its `status` says so.
    sample_weight, clusters, strata : column name, default=None
        As `sample_weight`, `clusters` and `strata` of `ConfusionCurve.from_predictions`. For a
        table, weights that differ within a class give values without intervals.
    label_sensitivity, label_specificity : column name, float or Estimate, default=None
        As for `label_errors.from_predictions`, if labels are late or wrong. An `Estimate` may
        have one value per row of the frame. Only for frames.
    missing : "status" or "drop", default="status"
        What to do with rows without a label or a score. "status": their group has no values, and
        its `status` says why. "drop": they are dropped, and a column `n_dropped` says how many;
        values are right if such rows are missing at random. There is one warning in both cases.
    confidence_level : float in (0, 1) or None, default=0.95
        None: no intervals, and no columns for them.
    n_resamples, rng
        As for `uncertainty.interval`. Warnings name the group, for the first three intervals.

    Returns
    -------
    frame of the same kind; pandas for a table or a path, polars for a lazy frame
        One row per group, metric and prior. Groups are sorted by the columns `by`, missing values
        last. Further columns: `n_pos`, `n_neg`, the numbers of labelled rows of each class;
        `prior`, the weighted share of the positives; `metric`, its name with its options; `pi0`,
        the prior at which it was computed; `value`, `low`, `high`, `confidence_level`; `status`:
        "ok", or why `value` is NaN, or "no interval: " and why the limits are NaN.
        With `label_sensitivity`, also its mean over the rows that are used.

    Examples
    --------
    Two populations with different priors:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from calibrated_metrics import comparison
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame({"country": np.repeat(["FR", "US"], [4000, 8000])})
    >>> frame["fraud"] = rng.random(12000) < np.where(frame["country"] == "FR", 0.1, 0.02)
    >>> frame["score"] = rng.normal(size=12000) + 2 * frame["fraud"]
    >>> columns = {"y_true": "fraud", "y_score": "score"}
    >>> table = comparison.by_group(frame, "country", **columns, metrics="average_precision")
    >>> table[["country", "n_pos", "pi0", "value", "low", "high", "status"]].round(3)
      country  n_pos    pi0  value    low   high status
    0      FR    415  0.061  0.619  0.560  0.664     ok
    1      US    147  0.061  0.580  0.504  0.646     ok
    """
    keys = _checks.columns_of_groups(by, "frame", (*_COLUMNS, _SENSITIVITY, _DROPPED))
    _checks.one_of("missing", missing, ("status", "drop"))
    asked, common = _at_priors(_metrics_of(metrics, y_score, y_pred), pi0)
    if population is not None:
        _checks.shares("population", population)
    _checks.single_label("pos_label", pos_label)
    settings = None
    if confidence_level is not None:
        settings = Settings.of(confidence_level, "auto", n_resamples, rng)
    columns: dict[str, Any] = {"y_true": y_true, "y_score": y_score, "y_pred": y_pred}
    columns |= {"sample_weight": sample_weight, "clusters": clusters, "strata": strata}
    rates = {_SENSITIVITY: label_sensitivity, "label_specificity": label_specificity}
    entries = _entries(frame, keys, columns, rates, pos_label)
    groups, found = grouped(entries, pos_label, missing, population)
    if isinstance(common, str):  # the unweighted mean; NaN if no group can be used
        priors = [float(each.data.prior) for each in found if each.data is not None]
        common = float(np.mean(priors)) if priors else math.nan
    table, remarks = _table(groups, found, asked, common, settings, missing)
    warn_of(remarks)
    return table


def metrics_of(metrics: Any) -> list[Metric]:
    """One or more metrics with different names."""
    if isinstance(metrics, str | Metric) or not isinstance(metrics, Iterable):
        metrics = [metrics]
    found = [Metric(each) for each in metrics]
    if not found:
        raise ValueError("metrics must name at least one metric, got none")
    keys = [each.key for each in found]
    if repeated := [key for key in keys if keys.count(key) > 1]:
        raise ValueError(f"metrics must have different names, got {repeated[0]!r} twice")
    return found


def _metrics_of(metrics: Any, y_score: Any, y_pred: Any) -> list[Metric]:
    """The metrics of scores with their threshold, or those of decisions."""
    if (y_score is None) == (y_pred is None):
        raise ValueError(
            f"either y_score or y_pred must name a column, got {y_score!r} and {y_pred!r}"
        )
    found = metrics_of(metrics)
    for each in found:
        if y_pred is None and each.of_matrix:
            _ = each._required_threshold  # raises an error
        if y_pred is not None and each.facts.of is not None and not each._takes_labels:
            raise ValueError(f"y_score must name a column for the metric {each.key!r}, got y_pred")
    return found


def _at_priors(metrics: list[Metric], pi0: Any) -> tuple[list[Metric], float | str | None]:
    """The metrics, at each of several priors, and the prior of those without one of their own."""
    if pi0 is None or isinstance(pi0, str):
        if pi0 not in (None, "mean"):
            raise ValueError(f'pi0 must be "mean", numbers in (0, 1) or None, got {pi0!r}')
        return metrics, pi0
    if _checks.dimensions("pi0", pi0) == 0:
        return metrics, _checks.open_unit("pi0", pi0)
    priors = _checks.priors("pi0", pi0)
    at_each = [[each] if each.pi0 else [each.at(prior) for prior in priors] for each in metrics]
    return list(chain.from_iterable(at_each)), None


# ------------------------------------------------------------------------- the reader of groups


class Group(NamedTuple):
    """Numbers of labelled rows of each class, their data, and `OK` or why there are none.

    `n_missing` is the number of rows without a label or a score.
    """

    n_pos: int
    n_neg: int
    data: Data | Measurable | None
    status: str
    n_missing: int = 0

    @classmethod
    def of(
        cls, n_pos: int, n_neg: int, data: Callable[[], Data | Measurable], n_missing: int
    ) -> Group:
        """A group with the data that a function returns, or the reason for which it fails."""
        try:
            return cls(n_pos, n_neg, data(), OK, n_missing)
        except UNDEFINED as error:
            return cls(n_pos, n_neg, None, str(error), n_missing)


def grouped(
    entries: Entries, pos_label: Any, missing: str, population: Mapping[Any, float] | None = None
) -> tuple[Groups, list[Group]]:
    """The groups of entries, sorted by their keys, and the data of each."""
    groups, kept = groups_of_keys(entries.keys), (entries.n_missing == 0) | (missing == "status")
    parts = [part[kept[part]] for part in groups.rows]
    build = entries.builder(np.concatenate(parts))

    def data(part: IntArray) -> Any:
        if not part.size:
            raise ValueError("no row has a label and a score")
        found = build(part)
        return found if population is None else found.at_population(population)

    number = entries.number - (entries.n_missing if missing == "drop" else 0.0)
    of_classes = entries.is_positive, entries.is_negative
    n_pos, n_neg = (groups.sums(number * of_class) for of_class in of_classes)
    _checks.some_positives(n_pos, entries.labels, pos_label)
    numbers = zip(n_pos, n_neg, parts, groups.sums(entries.n_missing), strict=True)
    found = [Group.of(pos, neg, partial(data, part), n) for pos, neg, part, n in numbers]
    can_be_used = [
        each.data is not None or (each.n_missing and missing == "status") for each in found
    ]
    if not any(can_be_used):
        data(np.concatenate(parts))  # raises an error of the whole column, such as text as scores
    warn_of_missing(missing, found, groups.name)
    return groups, found


def only_group(entries: Entries, missing: str) -> Any:
    """The data of all entries."""
    kept = np.flatnonzero((entries.n_missing == 0) | (missing == "status"))
    data = entries.builder(kept)(kept)
    warn_of_missing(missing, [Group(0, 0, data, OK, int(entries.n_missing.sum()))])
    return data


def warn_of_missing(
    missing: str, groups: Sequence[Group], name: Callable[[int], Any] = lambda _: "all rows"
) -> None:
    """Warn once of groups with rows without a label or a score."""
    found = [place for place, each in enumerate(groups) if each.n_missing]
    if not found:
        return
    more = ["..."] if len(found) > _MOST_NAMES else []
    listed = "; ".join([*(str(name(place)) for place in found[:_MOST_NAMES]), *more])
    where = f"{len(found)} of {len(groups)} groups ({listed})"
    n = sum(each.n_missing for each in groups)
    text = (
        f"{where} have no values because rows lack a label or a score ({n} in all); missing='drop' "
        "drops such rows, which is right"
        if missing == "status"
        else f"rows without a label or a score were dropped in {where} ({n} in all), which is right"
    )
    warn_the_caller(f"missing values: {text} if they are missing at random", UserWarning)


def numbers_of_counts(data: Data | Measurable) -> tuple[int, int]:
    """Numbers of rows of each class."""
    if isinstance(data, Measurable):
        return round(data.totals[0]), round(data.totals[1])
    if not data.has_rows:
        return round(float(data._unweighted.n_pos)), round(float(data._unweighted.n_neg))
    n_neg, n_pos = np.bincount(data.rows.positive, data.rows.number, minlength=2)
    return round(n_pos), round(n_neg)


def _table(
    groups: Groups,
    measured: Sequence[Group],
    metrics: Sequence[Metric],
    pi0: float | None,
    settings: Settings | None,
    missing: str,
) -> tuple[Any, list[str]]:
    """A frame with one row per group and metric, and what to warn of."""
    rows, remarks = [], []
    for index, group in enumerate(measured):
        for metric in metrics:
            at = pi0 if metric.pi0 is None else None
            measure = partial(_measured, metric, pi0=at, settings=settings)
            row, of_row = row_of(group, _cells(group, metric, at, settings), measure)
            rows.append(row)
            remarks += [f"{groups.name(index)}, {row['metric']}: {each}" for each in of_row]
    names = [name for name in _COLUMNS if settings is not None or name not in _LIMITS]
    if any(_SENSITIVITY in row for row in rows):
        names.append(_SENSITIVITY)
    if missing == "drop":
        names.append(_DROPPED)
    places = np.repeat(np.arange(len(measured)), len(metrics))
    columns = {name: [row.get(name, 1.0) for row in rows] for name in names}
    return groups.table(places, columns), remarks


def _cells(
    group: Group, metric: Metric, pi0: float | None, settings: Settings | None
) -> dict[str, Any]:
    """The cells of a metric and a group before it is measured."""
    prior = math.nan if group.data is None else float(group.data.prior)
    cells = {"prior": prior, "metric": metric.at(None).key, "pi0": metric.pi0 or pi0 or prior}
    cells |= dict.fromkeys(("value", *_LIMITS), math.nan)
    if settings is not None:
        cells["confidence_level"] = settings.confidence_level
    if isinstance(group.data, LabelsWithErrors):
        cells[_SENSITIVITY] = float(group.data.sensitivity.value.mean())
    return cells | {_DROPPED: group.n_missing}


def _measured(
    metric: Metric, data: Data | Measurable, pi0: float | None, settings: Settings | None
) -> MeasuredCells:
    if settings is None:
        return {"value": _value(metric, data, pi0)}, None, ()
    if not isinstance(data, Measurable) and (reason := data.rows.without_errors):
        return {"value": _value(metric, data, pi0)}, reason, ()
    found = estimate(metric, data, pi0, settings)
    return cells_of(found), found.reason, () if found.reason else found.remarks


def _value(metric: Metric, data: Data | Measurable, pi0: float | None) -> float:
    if isinstance(data, Measurable):
        return data.value(metric, pi0=pi0)
    (prepared,) = at_priors(metric, metric._prepare(data), pi0)
    return metric._value(prepared)


# ------------------------------------------------------------------------- the writer of rows


def row_of(
    group: Group, cells: Mapping[str, Any], measure: Callable[[Any], MeasuredCells]
) -> tuple[dict[str, Any], Sequence[str]]:
    """The row of a group, and what to warn of.

    `cells` are those of a group that cannot be measured; `measure` returns others in their place.
    """
    row = {"n_pos": group.n_pos, "n_neg": group.n_neg, **cells, "status": group.status}
    if group.data is None:
        return row, ()
    try:
        found, reason, remarks = measure(group.data)
    except UNDEFINED as error:
        return row | {"status": str(error)}, ()
    return row | {**found, "status": status_of(reason)}, remarks


def cells_of(found: Estimate) -> dict[str, float]:
    """The numbers of an estimate."""
    return {name: float(getattr(found, name)) for name in ("value", *_LIMITS)}


def status_of(reason: str | None) -> str:
    return OK if reason is None else f"no interval: {reason}"


# ------------------------------------------------------------------- frames of three packages


def _entries(
    frame: Any,
    by: Sequence[Hashable],
    columns: dict[str, Any],
    rates: Mapping[str, Any],
    pos_label: Any,
) -> Entries:
    """The rows of a frame, or the counts of a table, and the data of some of them."""
    if _package_of(frame) == "ibis":
        for name in [name for name, rate in rates.items() if rate is not None]:
            raise ValueError(f"{name} must be None for a table or a path: read the rows in a frame")
        return count(frame, "frame", Columns(by=by, **columns), pos_label)
    in_frame = {name: each for name, each in rates.items() if not isinstance(each, Real | Estimate)}
    keys, arrays = _keys_and_columns(frame, by, columns | in_frame)
    n_rows = len(arrays["y_true"])
    of_labels = {
        name: LabelRate.of(name, arrays.pop(name, given), n_rows)
        for name, given in rates.items()
        if given is not None
    }
    labels, weight = arrays["y_true"], arrays.get("sample_weight")
    has_label, is_positive = ~_checks.are_missing(labels), np.zeros(n_rows, dtype=bool)
    is_positive[has_label] = _checks.equal_to(labels[has_label], pos_label)  # not of pandas.NA
    lacks = ~has_label | _checks.are_missing(arrays["y_pred" if "y_pred" in arrays else "y_score"])
    if weight is not None:
        lacks &= ~_checks.equal_to(weight, 0)  # rows of weight 0 are dropped

    def data(rows: IntArray) -> Any:
        given: dict[str, Any] = {name: each[rows] for name, each in arrays.items()}
        given["pos_label"] = pos_label
        if of_labels:
            given |= {name: rate.of_rows(rows) for name, rate in of_labels.items()}
            return label_errors.from_predictions(**given)
        kind = ConfusionMatrix if "y_pred" in given else ConfusionCurve
        return kind.from_predictions(**given)

    is_negative, n_missing = has_label & ~is_positive, lacks.astype(np.float64)
    ones = np.ones(n_rows)
    return Entries(keys, labels, is_positive, is_negative, n_missing, ones, lambda rows: data)


def _keys_and_columns(
    frame: Any, by: Sequence[Hashable], columns: Mapping[str, Hashable | None]
) -> tuple[Any, dict[str, NDArray[Any]]]:
    """The columns of a frame that form groups, as a frame; others by argument, as arrays."""
    package = _package_of(frame)
    names = list(frame.collect_schema()) if package == "polars" else _names(frame)
    asked = [("by", name) for name in by]
    asked += [(argument, name) for argument, name in columns.items() if name is not None]
    for argument, name in asked:
        _checks.known_column(argument, "frame", name, names)
    if package == "polars":
        frame = frame.lazy().select(list(dict.fromkeys(name for _, name in asked))).collect()
    if len(frame) == 0:
        raise ValueError("frame must not be empty")
    named = [(argument, name) for argument, name in asked if argument != "by"]
    if package == "builtins":
        arrays = {argument: _checks.vector(argument, frame[name]) for argument, name in named}
        keys = {name: _checks.vector(f"by {name!r}", frame[name]) for name in by}
        _checks.same_length(**arrays, **{f"by {name!r}": each for name, each in keys.items()})
        return keys, arrays
    arrays = {argument: frame[name].to_numpy() for argument, name in named}
    return frame.select(list(by)) if package == "pyarrow" else frame[list(by)], arrays


def _package_of(frame: Any) -> str:
    """Package of the class of a frame, or of a class that it extends; ibis for a path."""
    if isinstance(frame, str | os.PathLike):
        return "ibis"
    for base in type(frame).__mro__:
        package = base.__module__.partition(".")[0]
        if base.__name__ in _FRAMES.get(package, ()):
            return package
    raise TypeError(
        "frame must be a DataFrame of pandas or polars, a LazyFrame, a Table of pyarrow or Ibis, a "
        "dict of arrays, or a path of parquet files, got "
        f"{type(frame).__module__}.{type(frame).__qualname__}"
    )


def _names(frame: Any) -> list[Any]:
    if isinstance(frame, dict):
        return list(frame)
    return list(getattr(frame, "column_names", frame.columns))  # of pyarrow, or of the others


class Groups:
    """The groups of a frame, sorted by their keys; missing keys are last.

    `rows` holds the numbers of the rows of each group.
    """

    def __init__(self, keys: Any, rows: Sequence[IntArray]):
        self._keys, self.rows = keys, rows
        self._first = np.array([each[0] for each in rows])

    def sums(self, values: FloatArray) -> list[int]:
        """The sum of whole numbers of rows over each group."""
        starts = np.cumsum([0, *map(len, self.rows[:-1])])
        sums = np.add.reduceat(values[np.concatenate(self.rows)], starts)
        found: list[int] = sums.astype(np.intp).tolist()
        return found

    def name(self, index: int) -> str:
        """The keys of a group in words, such as ``month=3, country=FR``."""
        row = int(self._first[index])
        return ", ".join(f"{name}={self._keys[name][row]}" for name in _names(self._keys))

    def table(self, index: IntArray, columns: Mapping[str, Any]) -> Any:
        """A frame with the keys of the groups `index`, and further columns."""
        keys, rows = self._keys, self._first[index]
        package = _package_of(keys)
        if package == "pandas":
            return keys.take(rows).reset_index(drop=True).assign(**columns)
        if package == "polars":
            return keys[rows].hstack(type(keys)(columns))
        if package == "builtins":
            columns = {name: np.asarray(each) for name, each in columns.items()}
            return {name: each[rows] for name, each in keys.items()} | columns
        of_keys = zip(keys.column_names, keys.take(rows).columns, strict=True)
        return type(keys).from_pydict({**dict(of_keys), **columns})


def groups_of_keys(keys: Any) -> Groups:
    """The groups of the rows of a frame that holds only keys."""
    return _GROUPS[_package_of(keys)](keys)


def _sorted_groups(keys: Any) -> Groups:
    """The groups of a DataFrame of pandas, or of a dict of arrays."""
    if isinstance(keys, dict):
        columns = list(keys.values())
    else:
        # A level of the index may have the name of a column, and columns may have several levels.
        keys = keys.reset_index(drop=True).set_axis(keys.columns.to_flat_index(), axis="columns")
        columns = [keys.iloc[:, place] for place in range(keys.shape[1])]
    codes = np.array([_codes(each) for each in columns])
    order = np.lexsort(codes[::-1])
    is_new = (np.diff(codes[:, order]) != 0).any(axis=0)
    return Groups(keys, np.split(order, 1 + np.flatnonzero(is_new)))


def _codes(column: Any) -> IntArray:
    """Place of the value of each row among the sorted values; missing values are the last."""
    if isinstance(column, np.ndarray):
        is_known = ~_checks.are_missing(column)
        values, codes = np.unique(column[is_known], return_inverse=True)
        found = np.full(len(column), len(values))
        found[is_known] = codes
        return found
    try:
        codes, values = column.factorize(sort=True)
    except TypeError:  # they cannot be sorted: in the order of their first rows
        codes, values = column.factorize()
    return np.where(codes < 0, len(values), codes)


def _polars_groups(keys: Any) -> Groups:
    by, number = keys.columns, _new_name(keys)
    numbered = keys.with_row_index(number).group_by(by).agg(number)
    rows = numbered.sort(by, nulls_last=True)[number]
    return Groups(keys, [each.to_numpy().astype(np.intp) for each in rows])


def _arrow_groups(keys: Any) -> Groups:
    by, number = keys.column_names, _new_name(keys)
    numbered = keys.append_column(number, [np.arange(len(keys))]).group_by(by)
    lists = numbered.aggregate([(number, "list")]).sort_by([(each, "ascending") for each in by])
    return Groups(keys, [np.sort(each.values.to_numpy()) for each in lists[f"{number}_list"]])


def _new_name(keys: Any) -> str:
    return "row of " + "/".join(_names(keys))  # longer than each name, so it differs from all


_GROUPS: Mapping[str, Callable[[Any], Groups]] = {
    "pandas": _sorted_groups,
    "polars": _polars_groups,
    "pyarrow": _arrow_groups,
    "builtins": _sorted_groups,
}
