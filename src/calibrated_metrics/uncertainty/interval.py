"""Metrics with intervals at one or more reference priors, by the method of their record."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from calibrated_metrics import _hints, _numbers
from calibrated_metrics._arguments import RandomState, plain_calls
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.confusion.data import Measurable
from calibrated_metrics.rows import BoolArray, Rows
from calibrated_metrics.scores.metric import Data, DataLike, Metric, MetricLike
from calibrated_metrics.uncertainty.best_fbeta import best_fbeta
from calibrated_metrics.uncertainty.bootstrap import bootstrap
from calibrated_metrics.uncertainty.estimate import (
    Estimate,
    Measured,
    Scale,
    Settings,
    doubted,
    of_priors,
    stacked,
    warn_of,
    withheld,
)
from calibrated_metrics.uncertainty.hull import hull, with_half_rows
from calibrated_metrics.uncertainty.prior import PriorLike, ReferencePrior, with_error_of_prior
from calibrated_metrics.uncertainty.rates import is_share, rates
from calibrated_metrics.uncertainty.recall_at_precision import recall_at_precision
from calibrated_metrics.uncertainty.units import class_in_one_cluster, n_of_classes

__all__ = [
    "CHANGES",
    "at_priors",
    "doubts_of",
    "doubts_of_clusters",
    "estimate",
    "estimate_or_value",
    "interval",
    "intervals_along",
    "measured",
    "rows_of",
    "value_of",
    "why_withheld",
]

_LEAST_PRIOR = 1e-100  # variances are divided by squares of priors
_FEW, _RAISED = 10, 1.5  # positives of a stratum, and its weight per row relative to the mean
CHANGES = 10  # between the classes, in the order of the rows; fewer may be alike by chance
_CELLS = 4  # of a 2 × 2 table
_FEW_CLUSTERS = 5  # the effective number (Kish 1965) of those that hold a class
METHODS: dict[str, Callable[..., list[Measured]]] = {
    "hull": hull,
    "best_fbeta": best_fbeta,
    "recall_at_precision": recall_at_precision,
    "bootstrap": bootstrap,
}
"""Methods by name, except rates: functions of a metric, data at each prior, and settings."""


@plain_calls(
    "interval takes one pair: interval(metric, (y_true, y_score)), or interval(metric, (y_true, "
    "y_pred)) for decisions",
    **_hints.HOW_DRAWN,
    **_hints.OF_METRIC,
)
def interval(
    metric: MetricLike,
    data: DataLike,
    *,
    pi0: PriorLike = None,
    population: Mapping[Any, float] | None = None,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 1000,
    rng: RandomState = None,
) -> Estimate:
    """Estimate a metric with a confidence interval.

    The interval is about the population from which the rows were drawn. Without `pi0`, its prior is
    estimated, and the error of this estimate is included. The methods are
    in ``docs/methods/intervals.md``, their measured coverage in ``docs/methods/coverage.md``.

    Parameters
    ----------
    metric : str, callable or Metric
        Name of a metric, such as "average_precision", or a function of a curve or matrix.
    data : ConfusionCurve, ConfusionMatrix, or pair (y_true, y_score) or (y_true, y_pred)
        Rows, or their counts. Weights, clusters and strata with which a curve or matrix was built
        are taken into account. A pair holds predicted labels if the metric is one of a decision
        without a threshold, such as "precision".
    pi0 : None, float in (0, 1), array-like of shape (n_priors,) or Estimate, default=None
        Reference prior. None: the prior of the population, estimated by that of the data, or the
        prior that strata within the classes fix. ``pi0=curve.prior`` takes the prior of the data as
        known, such as for a case-control study with published counts only. The error of an
        `Estimate`, which must be independent of the data, is included.
    population : None or mapping of stratum to share, default=None
        Reference population of the strata, as for `ConfusionCurve.at_population`, applied before
        `pi0`.
    pos_label : scalar, default=None
        Label of the positives. None: 1 for a pair, and the own label of a curve or matrix.
    confidence_level : float in (0, 1), default=0.95
        Nominal probability that the interval contains the true value.
    method : {"auto", "bootstrap"}, default="auto"
        "auto": the method that suits the metric. "bootstrap": for any metric of a curve.
    n_resamples : int >= 2, default=1000
        Number of draws of a bootstrap.
    rng : None, int or numpy.random.Generator, default=None
        Random state of a bootstrap. All priors of an array use the same draws.

    Returns
    -------
    Estimate
        With arrays of shape (n_priors,) for an array of priors. An interval that would not be
        valid is withheld: its limits are NaN, and `reason` says why. An `IntervalWarning` is given
        if it is withheld, or if its coverage may be below its level.

    Examples
    --------
    Average precision of 40 positives and 960 negatives, at the prior of the data and at 0.01:

    >>> import numpy as np
    >>> from calibrated_metrics import ConfusionCurve
    >>> from calibrated_metrics.uncertainty import interval
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(1000) < 40
    >>> y_score = rng.normal(size=1000) + 2 * y_true
    >>> curve = ConfusionCurve.from_predictions(y_true, y_score)
    >>> interval("average_precision", curve)
    Estimate(0.5133, 95 % interval 0.3386 to 0.6684, hull)
    >>> interval("average_precision", curve, pi0=0.01)
    Estimate(0.2762, 95 % interval 0.1148 to 0.4522, hull)

    The positive predictive value of a test at a prevalence of 1 %:

    >>> from calibrated_metrics import ConfusionMatrix
    >>> interval("ppv", ConfusionMatrix(tp=58, fp=10, fn=7, tn=190), pi0=0.01)
    Estimate(0.1527, 95 % interval 0.09309 to 0.2581, rates)
    """
    settings = Settings.of(confidence_level, method, n_resamples, rng)
    found = estimate(
        Metric(metric), data, pi0, settings, population=population, pos_label=pos_label
    )
    warn_of(found.remarks)
    return found


def estimate(
    metric: Metric,
    data: DataLike,
    pi0: PriorLike,
    settings: Settings,
    *,
    population: Mapping[Any, float] | None = None,
    pos_label: Any = None,
) -> Estimate:
    """`interval`, with warnings as remarks of the result."""
    given = {"population": population, "pos_label": pos_label}
    if isinstance(data, Measurable):
        found: Estimate = data.interval(metric, pi0, settings, **given)
        return found
    data = rows_of(metric, data, "data", method=settings.method, **given)
    at = at_priors(metric, data, pi0)
    estimates = [each.at(settings.confidence_level) for each in measured(metric, at, settings)]
    if isinstance(pi0, Estimate) and estimates[0].reason is None:
        prior, scale = ReferencePrior.of(pi0), Scale(*metric._scale(data), *metric.facts.range)
        halves = [] if isinstance(data, ConfusionMatrix) else with_half_rows(data, 1.0)
        value_at, *others = (_at_prior(metric, each) for each in (data, *halves))
        found = with_error_of_prior(estimates[0], prior, value_at, scale, others)
        is_at_an_end = not 0 < float(pi0.value) < 1
        return _of_other_limit(metric, data, prior, found, settings) if is_at_an_end else found
    return of_priors(estimates, pi0)


def _of_other_limit(
    metric: Metric, data: Data, prior: ReferencePrior, found: Estimate, settings: Settings
) -> Estimate:
    """An estimate at a prior of 0 or 1, where no rows show its error: with that at the other limit.

    The limit towards the end of the prior stays.
    """
    low, high = prior.limits(settings.confidence_level)
    at_other = data.at_prior(high if prior.value < 0.5 else low)
    own = measured(metric, [at_other], settings)[0].at(settings.confidence_level)
    if own.reason is not None:
        return replace(own, value=found.value)
    limits = (found.low, own.high) if own.value >= found.value else (own.low, found.high)
    return replace(found, low=limits[0], high=limits[1], remarks=own.remarks)


def estimate_or_value(
    metric: Metric, data: Data | Measurable, pi0: Any, settings: Settings
) -> Estimate:
    """`estimate`, or the value with the reason if the data have no interval."""
    try:
        return estimate(metric, data, pi0, settings)
    except (ValueError, ArithmeticError) as error:
        value = value_of(metric, data, pi0)  # which may be undefined, too
        return withheld(value, settings.confidence_level, "none", str(error))


def value_of(metric: Metric, data: Data | Measurable, pi0: Any) -> float:
    """The value at a reference prior."""
    if isinstance(data, Measurable):
        return data.value(metric, pi0=pi0)
    (prepared,) = at_priors(metric, metric._prepare(data), pi0)
    return metric._value(prepared)


def rows_of(
    metric: Metric,
    data: DataLike,
    name: str,
    *,
    method: str | None = None,
    population: Mapping[Any, float] | None = None,
    pos_label: Any = None,
) -> Data:
    """The curve or matrix that a metric takes, with the rows needed to estimate its error.

    `name` is that of the argument, for error messages.
    """
    prepared = metric._prepare(data, name, pos_label=pos_label)
    if population is not None:
        prepared = prepared.at_population(population)
    if isinstance(prepared, ConfusionMatrix):
        prepared = prepared._with_rows(name)
    if not prepared.has_rows:
        raise ValueError(
            f"{name} must hold its rows: build it with from_predictions or from_counts; a curve of "
            "vertices, a hull or a distribution has none"
        )
    sample = prepared.rows
    if sample.without_errors is not None:
        raise ValueError(f"{name} must count rows, but {sample.without_errors}")
    has_both = sample.has_both_classes
    if not has_both and not (isinstance(prepared, ConfusionMatrix) and is_share(metric, prepared)):
        raise ValueError(f"{name} must hold rows of both classes for an interval")
    least, most = sorted((float(prepared.n_pos), float(prepared.n_neg)))
    if has_both and least < most * _LEAST_PRIOR:
        raise ValueError(
            f"{name} must have classes whose weights differ at most {1 / _LEAST_PRIOR:g}-fold for "
            f"an interval, got n_pos={prepared.n_pos:g} and n_neg={prepared.n_neg:g}"
        )
    if not sample.clusters_are_within_strata:
        raise ValueError(f"clusters of {name} must each lie in one stratum for an interval")
    if isinstance(prepared, ConfusionMatrix):
        of_decision = f"for the metric {metric.name!r} of a decision"
        if method is not None:
            raise ValueError(f'method must be "auto" {of_decision}, got {method!r}')
        if sample.error_clusters is not None and sample.error_strata is not None:
            raise ValueError(f"{name} must not have both clusters and strata {of_decision}")
    return prepared


def at_priors(metric: Metric, data: Data, pi0: PriorLike) -> list[Data]:
    """The data at each reference prior."""
    if pi0 is None:
        return [data]
    if metric.pi0 is not None:
        raise ValueError(
            f"pi0 must be None for a Metric that has its own reference prior {metric.pi0}, got "
            f"{pi0}"
        )
    if isinstance(pi0, Estimate):
        return [data.at_prior(ReferencePrior.of(pi0).value)]
    priors = np.ravel(_numbers.one_or_more("pi0", pi0, _numbers.priors))
    if priors.min() < _LEAST_PRIOR:
        raise ValueError(f"pi0 must be at least {_LEAST_PRIOR:g} for an interval, got {pi0}")
    return [data.at_prior(prior) for prior in priors]


def _at_prior(metric: Metric, data: Data) -> Callable[[float], float]:
    """The metric as a function of the prior."""
    return lambda prior: metric._value(data.at_prior(prior))


def measured(metric: Metric, at: list[Data], settings: Settings) -> list[Measured]:
    """The metric of the same prepared data at priors, with doubts as remarks."""
    data = at[0]
    method = settings.method or metric.facts.interval_of(data)
    if isinstance(data, ConfusionMatrix) and is_share(metric, data):  # of one of the decisions
        method = "rates"
    reasons = [why_withheld(metric, each) for each in at]
    if all(reasons):  # the method could fail
        found = [Measured.withheld(metric._value(each), method, "") for each in at]
    elif method == "rates":
        found = [rates(metric, each) for each in at]
    else:
        found = METHODS[method](metric, at, settings)
    doubts = metric.facts.doubts(data, metric.options) + doubts_of(data)
    return [
        Measured.withheld(each.value, method, reason) if reason else doubted(each, doubts)
        for each, reason in zip(found, reasons, strict=True)
    ]


def why_withheld(metric: Metric, data: Data) -> str | None:
    """Why an interval would not be valid; None if it would be."""
    sample = data.rows
    if not (isinstance(data, ConfusionMatrix) and sample.is_plain):  # others need a variance
        if one := class_in_one_cluster(sample):
            return (
                f"all {one} are in one cluster, so the variation between "
                "clusters is unknown; at least two are needed"
            )
        n_pos, n_neg = n_of_classes(sample)
        if min(n_pos, n_neg) <= 1:
            few = f"at least two rows of each class are needed, got {n_pos=:.6g} and {n_neg=:.6g}"
            return "; ".join([few, *_doubts_of_counts(data)])
    if isinstance(data, ConfusionMatrix) and _lacks_other_rows(metric, data):
        return (
            f"the audit has no rows with scores below the threshold {data.threshold:g}, which "
            f"{metric.name!r} needs: label some of them, as a stratum of their own"
        )
    if not metric.facts.is_of_library and _depends_on_size(metric, data):
        return "the metric depends on the number of rows: divide counts by n_pos + n_neg"
    own_reason = metric.facts.why_withheld
    return None if own_reason is None else own_reason(data, float(n_of_classes(sample)[0]))


def _lacks_other_rows(metric: Metric, matrix: ConfusionMatrix) -> bool:
    """Whether an audit has strata of alerts only, and the metric is not one of alerts."""
    sample = matrix.rows
    if not (sample.is_audit and matrix._has_alert.all()):
        return False
    if sample.score_range is not None and not sample.fixes_alerts(matrix.threshold):
        return False
    of_alerts = {"tp", "fp"}.issuperset(sum(metric._share or (("fn",),), ()))
    return matrix.prior_is_known or not of_alerts


def _depends_on_size(metric: Metric, data: Data) -> bool:
    """Whether half of each weight gives another value, as for a number of rows."""
    if isinstance(data, ConfusionMatrix):  # with a row more of each outcome, as counts may be 0
        outcomes = (each + 1 for each in (data.tp, data.fp, data.fn, data.tn))
        tp, fp, fn, tn = (each * np.array([1.0, 0.5]) for each in outcomes)
        whole, half = metric._values(ConfusionMatrix(tp=tp, fp=fp, fn=fn, tn=tn))
    else:
        whole, half = metric._value(data), metric._value(data._halved())
    return not np.isclose(half, whole, rtol=1e-9, atol=0, equal_nan=True)


def doubts_of(data: Data) -> tuple[str, ...]:
    """Remarks on rows that may not show the errors of the population."""
    sample = data.rows
    doubts = doubts_of_clusters(sample) + _doubts_of_repeats(sample) + _doubts_of_counts(data)
    has_strata = isinstance(data, ConfusionCurve) and sample.error_strata is not None
    return doubts + _doubts_of_strata(sample) if has_strata else doubts


def doubts_of_clusters(sample: Rows) -> tuple[str, ...]:
    """Remarks on a class most of whose rows are in few clusters: others may have higher rates.

    Simulated intervals then covered 75 to 95 % instead of 95 %.
    """
    if sample.error_clusters is None:
        return ()
    cluster = sample.error_clusters.code
    doubts = []
    for rows, name in ((sample.positive, "positives"), (~sample.positive, "negatives")):
        n_rows = np.bincount(cluster, rows * sample.counts)
        if n_rows.sum() ** 2 < _FEW_CLUSTERS * (n_rows**2).sum():
            doubts.append(
                f"most {name} are in fewer than {_FEW_CLUSTERS} clusters: the interval may be too "
                "short"
            )
    return tuple(doubts)


def _doubts_of_repeats(sample: Rows) -> tuple[str, ...]:
    """A remark on labels that repeat in the same order, such as those of repeated cross-validation.

    If rows were passed 3 to 10 times, simulated 95 % intervals covered 43 to 74 %.
    """
    if sample.clusters is not None or sample.is_binned:
        return ()
    n_times = _times_repeated(sample.positive)
    n_rows = len(sample.positive) // n_times
    once = sample.positive[:n_rows]
    if n_times == 1 or np.count_nonzero(once[1:] != once[:-1]) < CHANGES:
        return ()
    return (
        f"the labels of {n_rows} rows occur {n_times} times in the same order: if these are the "
        "same rows, use one repeat, or pass the rows as clusters",
    )


def _times_repeated(labels: BoolArray) -> int:
    """How often the same labels follow each other: a common divisor of the numbers of both."""
    largest = math.gcd(len(labels), np.count_nonzero(labels))
    times = np.arange(largest, 1, -1)
    for n_times in times[largest % times == 0].tolist():
        n_rows = len(labels) // n_times
        is_begun = np.array_equal(labels[:n_rows], labels[n_rows : 2 * n_rows])
        if is_begun and np.array_equal(labels[n_rows:], labels[:-n_rows]):
            return int(n_times)
    return 1


def _doubts_of_counts(data: Data) -> tuple[str, ...]:
    """A remark on whole weights, one for each label and score, as the counts of a table are."""
    sample = data.rows
    is_table = isinstance(data, ConfusionMatrix) and len(sample.score) <= _CELLS
    if sample.number is not None or (sample.weight is None and not is_table):
        return ()
    weight = sample.row_weight
    if weight.max() <= 1 or (weight != np.rint(weight)).any():
        return ()
    units = [each.code for each in (sample.clusters, sample.strata) if each is not None]
    _, key = np.unique(np.column_stack([sample.score, *units]), axis=0, return_inverse=True)
    rarer, other = sorted((key[sample.positive], key[~sample.positive]), key=len)
    is_once = all(len(np.unique(each)) == len(each) for each in (rarer, other))
    if not (is_once and (is_table or 2 * np.isin(rarer, other).sum() >= len(rarer))):
        return ()
    return (
        "sample_weight looks like numbers of rows, since it is whole and each label and score has "
        "one row, but an interval takes each row as one observation: give numbers of rows as "
        "counts=, or to ConfusionMatrix(tp=...) or ConfusionCurve.from_counts",
    )


def _doubts_of_strata(sample: Rows) -> tuple[str, ...]:
    """Remarks on strata with raised weights and few positives; unseen ones may have high scores.

    Simulated intervals of average precision then covered 86 to 89 % instead of 95 %.
    """
    if sample.is_audit or sample.fixes_prior:
        return ()
    assert sample.error_strata is not None
    labels, stratum = sample.error_strata.labels, sample.error_strata.code
    n_pos, n = (
        np.bincount(stratum, each) for each in (sample.positive * sample.counts, sample.counts)
    )
    weight = np.bincount(stratum, sample.row_weight * sample.counts) / n
    is_few = (n_pos < _FEW) & (weight > _RAISED * sample.row_weight.mean())
    return tuple(
        f"the stratum {label!r}, whose weight exceeds its share of the rows, has {number:g} "
        f"positives, fewer than {_FEW}: the interval may be too short"
        for label, number in zip(labels[is_few].tolist(), n_pos[is_few], strict=True)
    )


def intervals_along(
    metrics: Sequence[Metric], data: DataLike, level: float, pi0: PriorLike = None
) -> Estimate:
    """Intervals of metrics that differ in a threshold, as arrays, with common warnings."""
    settings = Settings.of(level, "auto", 1000, None)
    found = stacked([estimate(each, data, pi0, settings) for each in metrics])
    warn_of(found.remarks)
    return found
