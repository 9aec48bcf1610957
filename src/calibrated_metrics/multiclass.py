"""One-vs-rest curves of several classes at given class priors, and averages of their metrics."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._messages import warn_the_caller
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.rows import Columns, Rows
from calibrated_metrics.scores.facts import UndefinedMetricWarning
from calibrated_metrics.scores.metric import Metric, MetricLike
from calibrated_metrics.uncertainty.estimate import Estimate, Scale, warn_of, withheld
from calibrated_metrics.uncertainty.hull import HALF, HIGHEST, hull_of
from calibrated_metrics.uncertainty.interval import doubts_of, why_withheld
from calibrated_metrics.uncertainty.units import (
    Linear,
    Point,
    contributions_to_prior,
    linearise,
    n_of_classes,
)

__all__ = ["OneVsRest", "one_vs_rest"]


@dataclass(frozen=True, eq=False, repr=False)
class OneVsRest:
    """One-vs-rest curves of several classes, and averages of metrics over them.

    Attributes
    ----------
    curves : mapping of class to ConfusionCurve
        The curve of each class against all others, at the class priors. A class without rows has
        none; averages are over the other classes.
    priors : mapping of class to float
        The class priors, 0 for a class without rows.
    """

    curves: Mapping[Any, ConfusionCurve]
    priors: Mapping[Any, float]
    _class: NDArray[np.intp]  # place of the class of each row

    def __post_init__(self) -> None:
        for name in ("curves", "priors"):
            object.__setattr__(self, name, MappingProxyType(getattr(self, name)))

    def __reduce__(self) -> tuple[Any, ...]:  # read-only mappings have no pickle
        return OneVsRest, (dict(self.curves), dict(self.priors), self._class)

    def __repr__(self) -> str:
        priors = ", ".join(f"{name!r}: {prior:.4g}" for name, prior in self.priors.items())
        return f"OneVsRest(priors={{{priors}}})"

    def value(self, metric: MetricLike, *, average: str = "macro") -> float:
        """Average of a metric over the classes.

        Parameters
        ----------
        metric : str, callable or Metric
            As for `uncertainty.interval`. A metric with its own reference prior is computed at that
            prior for each class.
        average : {"macro", "weighted"}, default="macro"
            "macro": each class has the same weight. "weighted": its weight is its prior.
        """
        asked, shares = Metric(metric), self._shares(average)
        return math.fsum(shares * [asked(curve) for curve in self.curves.values()])

    def interval(
        self,
        metric: MetricLike,
        *,
        average: str = "macro",
        confidence_level: float = 0.95,
    ) -> Estimate:
        """Average of a metric over the classes, with a confidence interval.

        Each row is in all curves, so its influences on them are averaged. If the class priors are
        known, these are centred within the class; otherwise they include the error of the priors.
        The interval contains two t intervals on the logit
        scale: one around the value, and one around a value that allows for rare errors that the
        sample missed. For the latter, half a negative, with the weight of the negatives of an
        average unit of weight, is added above all scores of each curve, and half a positive below
        them. The changes of the metric of the curves are added as squares.
        ``docs/methods/coverage.md`` has the measured coverage.

        Parameters
        ----------
        metric, average
            As for `value`.
        confidence_level
            As for `uncertainty.interval`.

        Returns
        -------
        Estimate
            As for `uncertainty.interval`. Average precision, AUC-ROC, AUC-PR Gain and metrics of a
            decision have intervals; intervals of other metrics are withheld.

        Examples
        --------
        >>> import numpy as np
        >>> from calibrated_metrics import multiclass
        >>> rng = np.random.default_rng(0)
        >>> y_true = np.repeat([0, 1, 2], [600, 300, 100])
        >>> y_score = rng.normal(size=(1000, 3)) + 2 * (y_true[:, np.newaxis] == range(3))
        >>> classes = multiclass.one_vs_rest(y_true, y_score, pi0={0: 0.9, 1: 0.08, 2: 0.02})
        >>> classes.interval("average_precision")
        Estimate(0.6999, 95 % interval 0.624 to 0.7425, hull)
        """
        asked, level = Metric(metric), _checks.level("confidence_level", confidence_level)
        value, shares = self.value(asked, average=average), self._shares(average)
        try:
            self._check(asked)
        except ValueError as reason:
            found = withheld(value, level, "hull", str(reason))
        else:
            error = self._standard_error(asked, shares, average)
            points = [Point(value, error), Point(value + self._loss(asked, shares), error)]
            df = float(min(n_of_classes(each).min() for each in self._samples)) - 1
            limits = hull_of(points, df, Scale(*asked.facts.range), level)
            remarks = tuple(
                f"class {label!r} against the others: {doubt}"
                for label, curve in self.curves.items()
                for doubt in doubts_of(curve)
            )
            found = Estimate(value, *limits, error, level, "hull", remarks=remarks)
        warn_of(found.remarks)
        return found

    @property
    def _samples(self) -> list[Rows]:
        return [curve.rows for curve in self.curves.values() if curve.has_rows]

    def _shares(self, average: str) -> FloatArray:
        _checks.one_of("average", average, ("macro", "weighted"))
        if average == "weighted":
            return np.array([self.priors[label] for label in self.curves])
        return np.full(len(self.curves), 1 / len(self.curves))

    def _check(self, metric: Metric) -> None:
        """Refuse a metric whose average would have no valid interval."""
        if not (metric.of_matrix or metric.facts.interval == "hull"):
            raise ValueError(
                f"averages of {metric.name!r} have no interval: it has no influence function, and "
                "bootstrap intervals covered as little as 79 % instead of 95 %"
            )
        for name, curve in self.curves.items():
            if reason := why_withheld(metric, metric._prepare(curve)):
                raise ValueError(f"class {name!r}: {reason}")

    def _standard_error(self, metric: Metric, shares: FloatArray, average: str) -> float:
        """Error of the average, from the mean influence of each row."""
        of_classes = [linearise(metric, metric._prepare(curve)) for curve in self.curves.values()]
        sample = self._samples[0]
        error = sum(share * each.error for share, each in zip(shares, of_classes, strict=True))
        if next(iter(self.curves.values())).prior_is_known:
            weight = sample.row_weight
            mean = np.bincount(self._class, error) / np.bincount(self._class, weight)
            error = error - weight * mean[self._class]
        elif average == "weighted":  # the weights of the classes are estimates, too
            for each, of_class in zip(of_classes, self._samples, strict=True):
                error = error + each.value * contributions_to_prior(of_class)
        return Linear(0.0, error, sample).standard_error

    def _loss(self, metric: Metric, shares: FloatArray) -> float:
        """Change of the average if each curve independently has an error that the sample missed."""
        losses = []
        for share, curve, sample in zip(shares, self.curves.values(), self._samples, strict=True):
            weight, rest = sample.row_weight, ~sample.positive
            like = np.array([np.argmax(weight * rows) for rows in (sample.positive, rest)])
            typical = float((weight[rest] ** 2).sum() / weight[rest].sum() / weight[rest].max())
            scores, number = np.array([-HIGHEST, HIGHEST]), np.full(2, HALF * typical)
            more = sample.with_rows(like, np.array([True, False]), scores, number)
            half = curve._of_more_rows(more)
            losses.append(share * (metric(half) - metric(curve)))
        return math.copysign(math.hypot(*losses), sum(losses))


@_checks.plain_calls()
def one_vs_rest(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    pi0: Mapping[Any, float] | ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
) -> OneVsRest:
    """Build the curve of each class against all others, at given class priors.

    Rows of a class are weighted so that the class has its prior. The curve of a class is therefore
    at the prior of that class, and its negatives consist of the other classes in proportion to
    their priors.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        One label per row. Several labels per row (multi-label) are refused: build a
        `ConfusionCurve` of each column in a loop.
    y_score : array-like of shape (n_rows, n_classes)
        Finite scores, higher if the class of the column is more likely. For predicted labels, give
        ``y_pred[:, np.newaxis] == classes`` and a metric with ``threshold=1``.
    classes : array-like of shape (n_classes,), default=None
        Class of each column. None: the names of the columns of a frame, or the sorted labels if the
        columns have no names, as ``classes_`` of scikit-learn. A class without rows is left out
        with a warning.
    pi0 : mapping of class to float, or array-like of shape (n_classes,), default=None
        Reference priors of the classes, taken as known, each above 0 and 1 in total. An array has
        the order of `classes`, which must be given if labels are text. None: the priors of the
        population, estimated by the weighted shares of the classes unless `strata` fix them.
    sample_weight, clusters, strata : array-like of shape (n_rows,), default=None
        As for `ConfusionCurve.from_predictions`. Each stratum must lie in one class.

    Returns
    -------
    OneVsRest

    Raises
    ------
    ValueError
        If columns have names that are not the labels, and `classes` does not say their order.

    Examples
    --------
    >>> from calibrated_metrics import multiclass, scores
    >>> classes = multiclass.one_vs_rest(
    ...     ["a", "b", "c", "a"],
    ...     [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.2, 0.3], [0.4, 0.1, 0.5]],
    ...     pi0={"a": 0.5, "b": 0.25, "c": 0.25},
    ... )
    >>> scores.average_precision(classes.curves["c"])
    0.5
    >>> classes.value("average_precision", average="macro")
    0.777...
    """
    _check_shapes(y_true, y_score)
    _checks.same_index(y_true=y_true, y_score=y_score)
    rows = Columns.read(
        {"y_true": y_true, "row": np.arange(len(np.asarray(y_score)))},
        **{"sample_weight": sample_weight, "clusters": clusters, "strata": strata},
    )
    _checks.none_missing("y_true", rows["y_true"])
    found, code = np.unique(rows.kept(rows["y_true"]), return_inverse=True)
    known, score = found.tolist(), rows.kept(np.asarray(y_score))
    columns = _classes_of_columns(known, score.shape[1], classes, y_score)
    if absent := [label for label in columns if label not in known]:
        _warn_of_absent(absent, pi0)
    labels = [label for label in columns if label in known]
    score = score[:, [columns.index(label) for label in labels]]
    code = np.array([labels.index(label) for label in known])[code]
    weight = np.ones(len(code)) if rows.weight is None else rows.weight
    share = np.bincount(code, weight) / weight.sum()
    prior = share if pi0 is None else _priors_of(pi0, labels, classes is not None)
    curves = _curves_of(labels, code, score, weight * (prior / share)[code], rows)
    if pi0 is not None:
        curves = {label: curves[label].at_prior(prior[k]) for k, label in enumerate(labels)}
    of_class = dict(zip(labels, prior.tolist(), strict=True)) | dict.fromkeys(absent, 0.0)
    return OneVsRest(curves, of_class, code)


def _check_shapes(y_true: Any, y_score: Any) -> None:
    if _checks.dimensions("y_true", y_true) != 1:
        raise ValueError(
            f"y_true must hold one label per row, got shape {np.shape(y_true)}; for several labels "
            "per row (multi-label), build a ConfusionCurve of each column in a loop"
        )
    if np.ndim(y_score) != 2:
        raise ValueError(
            f"y_score must have the shape (n_rows, n_classes), got {np.shape(y_score)}; for "
            "predicted labels, give y_pred[:, np.newaxis] == classes with classes, and a metric "
            "with threshold=1; for scores of one class, use ConfusionCurve.from_predictions"
        )


def _classes_of_columns(found: list[Any], n_columns: int, classes: Any, frame: Any) -> list[Any]:
    """The class of each column of scores, for the sorted labels that were found."""
    names = list(getattr(frame, "columns", range(n_columns)))
    labels: list[Any]
    if classes is not None:
        labels = _checks.vector("classes", classes).tolist()
    elif set(names) == set(found):
        labels = names
    elif names == list(range(n_columns)):  # columns without names
        labels = found
    else:
        raise ValueError(
            f"y_score has the columns {_checks.shown(names)}, which are not the labels of y_true, "
            f"{_checks.shown(found)}: give the label of each column in classes"
        )
    is_right = len(set(labels)) == len(labels) == n_columns and set(found) <= set(labels)
    if not is_right or len(found) < 2:
        raise ValueError(
            "classes must hold the labels of y_true, each once, at least two, and one per column "
            f"of y_score, got {_checks.shown(labels)} for the labels {_checks.shown(found)} and "
            f"{n_columns} columns"
        )
    return labels


def _warn_of_absent(absent: list[Any], pi0: Any) -> None:
    named = f"y_true has no rows of the classes {_checks.distinct(absent)}"
    if pi0 is not None:
        raise ValueError(f"pi0 must be None if a class is absent, because {named}")
    warn_the_caller(f"{named}; averages are over the other classes", UndefinedMetricWarning)


def _curves_of(
    labels: list[Any],
    code: NDArray[np.intp],
    score: NDArray[Any],
    weight: FloatArray,
    rows: Columns,
) -> dict[Any, ConfusionCurve]:
    """The curve of each class against the others."""
    strata = rows.strata
    if strata is not None and len(strata.labels) < len(set(zip(strata.code, code, strict=True))):
        raise ValueError("strata must each lie in one class, such as strata by (hospital, class)")
    drawn = {
        "sample_weight": weight,
        "clusters": None if rows.clusters is None else rows.clusters.label_of_row,
        "strata": None if strata is None else strata.label_of_row,
    }
    return {
        label: ConfusionCurve.from_predictions(code == k, score[:, k], **drawn)
        for k, label in enumerate(labels)
    }


def _priors_of(pi0: Any, labels: list[Any], order_is_given: bool) -> FloatArray:
    if not hasattr(pi0, "items"):
        if not order_is_given and any(isinstance(label, str) for label in labels):
            raise ValueError(
                f"pi0 must be a mapping from class to prior, got {_checks.shown(pi0)}, whose "
                "order is not clear for labels that are text; or give the order in classes"
            )
        given = _checks.finite_vector("pi0", pi0)
        _checks.same_length(pi0=given, classes=np.array(labels))
        pi0 = dict(zip(labels, given.tolist(), strict=True))
    return _checks.shares("pi0", pi0, labels)
