"""Metrics of the groups of a frame or table, one row per group and metric.

The rows of a group go the way of all rows: a curve or matrix is built by `from_predictions`, and
`calibrated_metrics.uncertainty.interval` measures it. Weights enter in `Rows.weighted`, and are
never normalised: metrics do not depend on their scale.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _arguments, _columns, _hints, _labels, _numbers
from calibrated_metrics._arguments import RandomState, plain_calls
from calibrated_metrics.comparison.frames import (
    UNDEFINED,
    Group,
    absent_class,
    are_decisions,
    cells_of,
    groups_of,
    groups_of_data,
    is_mapping_of_data,
    rows_of_frame,
)
from calibrated_metrics.comparison.grouping import Groups, package_of
from calibrated_metrics.confusion import ConfusionMatrix
from calibrated_metrics.engines.counting import count
from calibrated_metrics.engines.entries import Entries
from calibrated_metrics.label_errors import LabelsWithErrors
from calibrated_metrics.scores.metric import Metric, MetricLike, metrics_of
from calibrated_metrics.uncertainty.estimate import Estimate, Settings, warn_of
from calibrated_metrics.uncertainty.interval import estimate_or_value, value_of

__all__ = ["by_group"]

_LIMITS = ("low", "high", "confidence_level")
_SENSITIVITY = "label_sensitivity"
_DROPPED, _MODEL = "n_dropped", "model"
_COLUMNS = ("n_pos", "n_neg", "prior", "metric", "pi0", "value", *_LIMITS, "status")


@plain_calls(**_hints.COUNTS)
def by_group(
    frame: Any,
    by: Hashable | Sequence[Hashable],
    *,
    y_true: Hashable | None = None,
    y_score: Hashable | list[Hashable] | None = None,
    y_pred: Hashable | list[Hashable] | None = None,
    metrics: MetricLike | Sequence[MetricLike],
    pi0: ArrayLike | None = "mean",
    population: Mapping[Any, float] | None = None,
    pos_label: Any = None,
    sample_weight: Hashable | None = None,
    counts: Hashable | None = None,
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
        group is fetched. A mapping of groups to a `ConfusionMatrix`, `ConfusionCurve` or
        `LabelsWithErrors` each, such as tables of hospitals, has no columns to name.
    by : column name or list of column names
        Rows with the same values in these columns form a group; missing values form their own. For
        a mapping of groups, the name of their column in the result.
    y_true : column name
        Binary labels of any type; `pos_label` is that of the positives. If the data of a group
        cannot be used, its `status` says why. An error is raised if no group has positives and the
        labels are not all 0, if all groups together have more than two labels (with those
        predicted), or if no group and not all rows together can be used, such as text as scores.
    y_score, y_pred : column name, or list of column names
        Either finite scores, higher for more likely positives, or predicted labels, for metrics of
        a decision. With a list, the result has one row per column and a column `model` with its
        name, and each is measured on the rows for which it has a score.
    pos_label : scalar, default=None
        The label of the positives. None: 1, and the own label of a curve or matrix.
    metrics : str, callable or Metric, or a list of these
        As for `uncertainty.interval`. A `Metric` may have its own reference prior.
    pi0 : "mean", float in (0, 1), array-like of shape (n_priors,), or None, default="mean"
        Reference prior, taken as known, or several. "mean": the unweighted mean of the priors of
        the groups whose data can be used. None: the prior of each group.
    population : None or mapping of stratum to share, default=None
        Reference population of each group, as for `ConfusionCurve.at_population`, applied before
        `pi0`. If a group lacks a stratum, its `status` says so.
    sample_weight, counts, clusters, strata : column name, default=None
        As for `ConfusionCurve.from_predictions`; `counts` names the numbers of rows of a table of
        counts. For an engine, weights that differ within a class give values without intervals.
    label_sensitivity, label_specificity : column name, float or Estimate, default=None
        As for `label_errors.from_predictions`, if labels are late or wrong. An `Estimate` may
        have one value per row of the frame. Only for frames.
    missing : "status" or "drop", default="status"
        What to do with rows without a label or a score. "status": their group has no values, and
        its `status` says why. "drop": they are dropped, and a column `n_dropped` says how many;
        values are right if neither the class nor the score of a row decides whether it lacks
        them. Labels of rows that were chosen by their scores need `audit.curve`. There is one
        warning in both cases.
    confidence_level : float in (0, 1) or None, default=0.95
        None: no intervals, and no columns for them.
    n_resamples, rng
        As for `uncertainty.interval`. Warnings name the group, for the first three intervals.

    Returns
    -------
    frame of the same kind; pandas for a table, a path or a mapping; polars for a lazy frame
        One row per group, metric and prior. Groups are sorted by the columns `by`, missing values
        last; those of a mapping keep their order. Further columns: `n_pos`, `n_neg`, the numbers of
        labelled rows of each class, also of weight 0; `prior`, the weighted share of the positives,
        which `label_sensitivity` and `label_specificity` correct;
        `metric`, its name as it was given, with its options; `pi0`, the prior at which it was
        computed; `value`, `low`, `high`, `confidence_level`; `status`: "ok", or why `value` is NaN,
        or "no interval: " and why the limits are NaN (an index counts the rows of the group). A
        group of one class has no value at another prior; ``pi0=None`` gives what it has, such as
        the specificity. With `label_sensitivity`, also its mean over the rows that are used.

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
    0      FR    415  0.061  0.619  0.563  0.664     ok
    1      US    147  0.061  0.580  0.510  0.646     ok

    The 2 × 2 tables of two hospitals:

    >>> from calibrated_metrics import ConfusionMatrix
    >>> north = ConfusionMatrix(tp=58, fn=7, fp=10, tn=190)
    >>> south = ConfusionMatrix(tp=30, fn=10, fp=8, tn=300)
    >>> hospitals = {"North": north, "South": south}
    >>> table = comparison.by_group(hospitals, "hospital", metrics="ppv", pi0=0.1)
    >>> table[["hospital", "n_pos", "metric", "value", "low", "high"]].round(3)
      hospital  n_pos metric  value    low   high
    0    North     65    ppv  0.665  0.530  0.793
    1    South     40    ppv  0.762  0.624  0.872
    """
    given: dict[str, Any] = {"y_true": y_true, "y_score": y_score, "y_pred": y_pred}
    given |= {"sample_weight": sample_weight, "counts": counts}
    given |= {"clusters": clusters, "strata": strata}
    rates = {_SENSITIVITY: label_sensitivity, "label_specificity": label_specificity}
    is_of_data = is_mapping_of_data(frame)
    if is_of_data:
        _refuse({**given, **rates, "population": population})
    of_decisions = are_decisions("frame", frame) if is_of_data else y_pred is not None
    models = None if is_of_data else _models(y_true, y_score, y_pred)
    taken = (*_COLUMNS, _SENSITIVITY, _DROPPED, *([] if models is None else [_MODEL]))
    keys = _columns.columns_of_groups(by, "frame", taken)
    _arguments.one_of("missing", missing, ("status", "drop"))
    asked, common = _asked(metrics, of_decisions, pi0)
    if population is not None:
        _numbers.shares("population", population)
    settings = None
    if confidence_level is not None:
        settings = Settings.of(confidence_level, "auto", n_resamples, rng)
    if is_of_data:
        groups, *found = groups_of_data(frame, keys, pos_label)
    else:
        label = 1 if pos_label is None else pos_label
        _labels.single_label(label)
        predicted, found = "y_pred" if of_decisions else "y_score", []
        for name in [given[predicted]] if models is None else models:
            entries = _entries(frame, keys, {**given, predicted: name}, rates, label)
            groups, of_model = groups_of(entries, label, missing, population, common == "mean")
            found.append(of_model)
    if common is not None or all(each.pi0 for each in asked):
        found = [[_calibrated(each) for each in of_model] for of_model in found]
    has_errors = any(isinstance(each.data, LabelsWithErrors) for each in chain(*found))
    has_errors |= any(rate is not None for rate in rates.values())
    rows = _rows_of(groups, found, models, asked, common, settings, has_errors)
    names = [] if models is None else [_MODEL]
    names += [name for name in _COLUMNS if settings is not None or name not in _LIMITS]
    if has_errors:
        names.append(_SENSITIVITY)
    if missing == "drop":
        names.append(_DROPPED)
    columns = {name: [row[name] for row in rows] for name in names}
    return groups.table(np.repeat(np.arange(len(found[0])), len(found) * len(asked)), columns)


def _rows_of(
    groups: Groups,
    found: Sequence[Sequence[Group]],
    models: Sequence[Hashable] | None,
    asked: Sequence[Metric],
    common: float | str | None,
    settings: Settings | None,
    has_errors: bool,
) -> list[dict[str, Any]]:
    """Rows by group, model and metric, from the groups of each model. It warns of intervals."""
    at_each = list(chain.from_iterable(zip(*found, strict=True)))
    if isinstance(common, str):  # the unweighted mean; NaN if no group can be used
        priors = [float(each.data.prior) for each in at_each if each.data is not None]
        common = float(np.mean(priors)) if priors else math.nan
    rows, remarks = [], []
    for place, group in enumerate(at_each):
        model = {} if models is None else {_MODEL: models[place % len(models)]}
        for metric in asked:
            pi0 = common if metric.pi0 is None else None
            row, of_row = _row(group, metric, pi0, settings, has_errors)
            rows.append(row | model)
            if of_row:
                name = groups.name(place // len(found))
                of_which = ", ".join(map(str, [name, *model.values(), row["metric"]]))
                remarks += [f"{of_which}: {each}" for each in of_row]
    warn_of(remarks)
    return rows


def _refuse(given: Mapping[str, Any]) -> None:
    """Refuse arguments about columns for a mapping of groups."""
    for name in [name for name, each in given.items() if each is not None]:
        raise ValueError(f"{name} must be None for a mapping of groups, which has no columns")


def _models(y_true: Any, y_score: Any, y_pred: Any) -> list[Hashable] | None:
    """The columns of several models, or None for one column."""
    if (y_score is None) == (y_pred is None):
        raise ValueError(
            f"either y_score or y_pred must name a column, got {y_score!r} and {y_pred!r}; tables "
            "of counts go in as a mapping of names to ConfusionMatrix(tp=..., fp=..., ...)"
        )
    if y_true is None:
        raise ValueError("y_true must name a column, got None")
    models = y_pred if y_score is None else y_score
    if not isinstance(models, list):
        return None
    if not models or len(set(models)) < len(models):
        raise ValueError(f"y_score or y_pred must list different columns, got {models}")
    return models


def _entries(
    frame: Any, keys: list[Any], columns: Mapping[str, Any], rates: Mapping[str, Any], label: Any
) -> Entries:
    """The rows of a frame, or of a table as its engine counts them."""
    if package_of(frame) != "ibis":
        return rows_of_frame(frame, keys, columns, rates, label)
    for name in [name for name, rate in rates.items() if rate is not None]:
        raise ValueError(f"{name} must be None for a table or a path: read the rows in a frame")
    return count(frame, "frame", keys, columns, label)


def _asked(metrics: Any, of_decisions: bool, pi0: Any) -> tuple[list[Metric], float | str | None]:
    """The metrics, at each of several priors, and the prior of those without one of their own."""
    found = metrics_of(metrics)
    for each in found:
        if not of_decisions and each.of_matrix:
            _ = each._required_threshold  # raises an error
        if of_decisions and each.facts.of is not None and not each._takes_labels:
            raise ValueError(
                f"y_score must name a column for the metric {each.key!r}, got decisions"
            )
    if pi0 is None or isinstance(pi0, str):
        if pi0 not in (None, "mean"):
            raise ValueError(f'pi0 must be "mean", numbers in (0, 1) or None, got {pi0!r}')
        return found, pi0
    if isinstance(pi0, Estimate):
        raise TypeError(
            f"pi0 must be a number here; classification_report takes an Estimate, got {pi0!r}"
        )
    if _columns.dimensions("pi0", pi0) == 0:
        return found, _numbers.open_unit("pi0", pi0)
    priors = _numbers.priors("pi0", pi0)
    at_each = [[each] if each.pi0 else [each.at(prior) for prior in priors] for each in found]
    return list(chain.from_iterable(at_each)), None


def _calibrated(group: Group) -> Group:
    """The group, without its data if they are decisions that cannot have a reference prior."""
    try:
        if isinstance(group.data, ConfusionMatrix):
            group.data.at_prior(0.5)
    except ValueError as error:
        status = absent_class(group.n_pos, group.n_neg) or str(error)
        return group._replace(data=None, status=status)
    return group


def _row(
    group: Group, metric: Metric, pi0: float | None, settings: Settings | None, has_errors: bool
) -> tuple[dict[str, Any], Sequence[str]]:
    """The row of a metric and a group, and what to warn of."""
    data, prior, sensitivity = group.data, math.nan, math.nan
    if data is not None:
        prior, sensitivity = float(data.prior), 1.0
    elif not has_errors and group.status == absent_class(group.n_pos, group.n_neg):
        prior = float(group.n_pos > 0)
    if isinstance(data, LabelsWithErrors):
        sensitivity = float(data.sensitivity.of_rows(data.order).value.mean())
    row = {
        "n_pos": group.n_pos,
        "n_neg": group.n_neg,
        "prior": prior,
        "metric": metric._key_of_options,
        "pi0": metric.pi0 or pi0 or prior,
        **dict.fromkeys(("value", *_LIMITS), math.nan),
        "status": group.status,
        _SENSITIVITY: sensitivity,
        _DROPPED: group.n_missing,
    }
    if settings is not None:
        row["confidence_level"] = settings.confidence_level
    if data is None:
        return row, ()
    try:
        if settings is None:
            return row | {"value": value_of(metric, data, pi0)}, ()
        found = estimate_or_value(metric, data, pi0, settings)
    except UNDEFINED as error:
        return row | {"status": str(error)}, ()
    return row | cells_of(found), () if found.reason else found.remarks
