"""Metrics of the groups of a frame or table, one row per group and metric."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks
from calibrated_metrics._checks import RandomState
from calibrated_metrics.comparison.frames import Groups, groups_of_keys, read_columns
from calibrated_metrics.comparison.labelled import UNDEFINED, Labelled
from calibrated_metrics.confusion.measurable import Measurable
from calibrated_metrics.label_errors import LabelsWithErrors
from calibrated_metrics.label_errors.rows import LabelRate
from calibrated_metrics.scores.metric import Data, Metric, MetricLike
from calibrated_metrics.tables.counting import Columns
from calibrated_metrics.tables.groups import groups_of_table
from calibrated_metrics.tables.reading import is_table
from calibrated_metrics.uncertainty.estimate import Estimate, Settings, warn_of, withheld
from calibrated_metrics.uncertainty.interval import at_priors, estimate

__all__ = ["by_group", "metrics_of"]

_LIMITS = ("low", "high", "confidence_level")
_SENSITIVITY = "label_sensitivity"
_RATES = (_SENSITIVITY, "label_specificity")
_COLUMNS = ("n_pos", "n_neg", "prior", "metric", "pi0", "value", *_LIMITS, "status")


@_checks.plain_calls(y_pred="use y_score and a metric with threshold=0.5")
def by_group(
    frame: Any,
    by: Hashable | Sequence[Hashable],
    *,
    y_true: Hashable,
    y_score: Hashable,
    metrics: MetricLike | Sequence[MetricLike],
    pi0: ArrayLike | None = "mean",
    population: Mapping[Any, float] | None = None,
    pos_label: Any = 1,
    sample_weight: Hashable | None = None,
    clusters: Hashable | None = None,
    strata: Hashable | None = None,
    label_sensitivity: Any = None,
    label_specificity: Any = None,
    confidence_level: float | None = 0.95,
    n_resamples: int = 1000,
    rng: RandomState = None,
) -> Any:
    """Measure each group of a frame or table at a common prior, with confidence intervals.

    At a common prior, groups with different priors can be compared (Siblini et al., IDA 2020,
    doi:10.1007/978-3-030-44584-3_36, section 5).

    Parameters
    ----------
    frame : DataFrame of pandas or polars, LazyFrame, Table of pyarrow or Ibis, or path
        The rows. The engine of an Ibis table, or for parquet files an embedded DuckDB, counts them
        as in `tables.curves`; each distinct score of each group is fetched.
    by : column name or list of column names
        Rows with the same values in these columns form a group; missing values form their own.
    y_true, y_score : column name
        Binary labels of any type, with positives labelled `pos_label`, and finite scores, higher
        for more likely positives. If the data of a group cannot be used, its `status` says why. No
        error is raised, unless no group has positives.
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
    keys = _checks.columns_of_groups(by, "frame", (*_COLUMNS, _SENSITIVITY))
    asked = metrics_of(metrics)
    for each in asked:
        if each.of_matrix:
            _ = each.required_threshold  # raises an error
    asked, common = _at_priors(asked, pi0)
    if population is not None:
        _checks.shares("population", population)
    _checks.single_label("pos_label", pos_label)
    settings = None
    if confidence_level is not None:
        settings = Settings.of(confidence_level, "auto", n_resamples, rng)
    columns = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight}
    columns |= {"clusters": clusters, "strata": strata}
    columns |= {"label_sensitivity": label_sensitivity, "label_specificity": label_specificity}
    read = _groups_of_table if is_table(frame) else _groups_of_frame
    groups, measured = read(frame, keys, columns, pos_label)
    if population is not None:
        measured = [each.at_population(population) for each in measured]
    common = _mean_prior(measured) if isinstance(common, str) else common
    table, remarks = _table(groups, measured, asked, common, settings)
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


def _groups_of_frame(
    frame: Any, by: Sequence[Hashable], columns: Mapping[str, Any], pos_label: Any
) -> tuple[Groups, list[Labelled]]:
    given = {name: columns[name] for name in _RATES if columns[name] is not None}
    named = {name: each for name, each in columns.items() if name not in _RATES}
    named |= {name: each for name, each in given.items() if not isinstance(each, Real | Estimate)}
    arrays, groups = read_columns(frame, named, by)
    n_rows = sum(map(len, groups.rows))
    rates = {
        name: LabelRate.of(name, arrays.pop(name, each), n_rows) for name, each in given.items()
    }
    measured = [
        Labelled.of_columns(
            {name: None if each is None else each[rows] for name, each in arrays.items()}
            | {name: rate.of_rows(rows) for name, rate in rates.items()},
            pos_label,
        )
        for rows in groups.rows
    ]
    _checks.some_positives((each.n_pos for each in measured), arrays["y_true"], pos_label)
    return groups, measured


def _groups_of_table(
    table: Any, by: Sequence[Hashable], columns: Mapping[str, Any], pos_label: Any
) -> tuple[Groups, list[Labelled]]:
    for name in _RATES:
        if columns[name] is not None:
            raise ValueError(f"{name} must be None for a table or a path: read the rows in a frame")
    drawn = {"sample_weight": columns["sample_weight"]}
    drawn |= {name: columns[name] for name in ("clusters", "strata")}
    named = Columns(columns["y_true"], columns["y_score"], by, **drawn)
    keys, found = groups_of_table(table, "frame", named, pos_label)
    measured = [Labelled(each.n_pos, each.n_neg, each.curve, each.status) for each in found]
    return groups_of_keys(keys), measured


def _mean_prior(groups: Iterable[Labelled]) -> float:
    """The unweighted mean of the priors of the groups that can be used; NaN if there are none."""
    priors = [float(each.data.prior) for each in groups if each.data is not None]
    return float(np.mean(priors)) if priors else math.nan


def _table(
    groups: Groups,
    measured: Sequence[Labelled],
    metrics: Sequence[Metric],
    pi0: float | None,
    settings: Settings | None,
) -> tuple[Any, list[str]]:
    """A frame with one row per group and metric, and what to warn of."""
    rows, remarks = [], []
    for index, group in enumerate(measured):
        for metric in metrics:
            row, of_row = _row(group, metric, pi0, settings)
            rows.append(row)
            remarks += [f"{groups.name(index)}, {row['metric']}: {each}" for each in of_row]
    names = [name for name in _COLUMNS if settings is not None or name not in _LIMITS]
    if any(_SENSITIVITY in row for row in rows):
        names.append(_SENSITIVITY)
    places = np.repeat(np.arange(len(measured)), len(metrics))
    columns = {name: [row.get(name, 1.0) for row in rows] for name in names}
    return groups.table(places, columns), remarks


def _row(
    group: Labelled, metric: Metric, pi0: float | None, settings: Settings | None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The row of a metric and a group, and what to warn of."""
    given = pi0 if metric.pi0 is None else None
    prior = math.nan if group.data is None else float(group.data.prior)
    row: dict[str, Any] = dict.fromkeys(_COLUMNS, math.nan)
    row |= {"n_pos": group.n_pos, "n_neg": group.n_neg}
    row |= {"prior": prior, "metric": metric.at(None).key, "pi0": metric.pi0 or given or prior}
    row["status"] = group.status
    if isinstance(group.data, LabelsWithErrors):
        row[_SENSITIVITY] = float(group.data.label_sensitivity.mean())
    if settings is not None:
        row["confidence_level"] = settings.confidence_level
    if group.data is None:
        return row, ()
    try:
        if settings is None:
            return row | {"value": _value(metric, group.data, given)}, ()
        found = _estimate(metric, group.data, given, settings)
    except UNDEFINED as error:
        return row | {"status": str(error)}, ()
    row |= {name: float(getattr(found, name)) for name in ("value", "low", "high")}
    if found.reason is not None:
        return row | {"status": f"no interval: {found.reason}"}, ()
    return row, found.remarks


def _estimate(
    metric: Metric, data: Data | Measurable, pi0: float | None, settings: Settings
) -> Estimate:
    if not isinstance(data, Measurable) and (reason := data.rows.without_errors):
        return withheld(_value(metric, data, pi0), settings.confidence_level, "", reason)
    return estimate(metric, data, pi0, settings)


def _value(metric: Metric, data: Data | Measurable, pi0: float | None) -> float:
    if isinstance(data, Measurable):
        return data.value(metric, pi0=pi0)
    (prepared,) = at_priors(metric, metric.prepare(data), pi0)
    return metric.value(prepared)
