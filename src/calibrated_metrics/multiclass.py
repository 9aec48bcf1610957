"""One-vs-rest curves of several classes at given class priors, and averages of their metrics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibrated_metrics import _arguments, _columns, _labels, _numbers
from calibrated_metrics._arguments import plain_calls
from calibrated_metrics._messages import distinct, needs, shown, warn_the_caller
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.comparison.frames import cells_of
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.rows import Columns, Rows
from calibrated_metrics.scores.facts import UndefinedMetricWarning
from calibrated_metrics.scores.metric import Metric, MetricLike, metrics_of
from calibrated_metrics.uncertainty.estimate import (
    Estimate,
    Scale,
    Settings,
    format_of,
    t_quantile,
    warn_of,
    withheld,
)
from calibrated_metrics.uncertainty.hull import HALF, HIGHEST, hull_of, rows_at_the_ends
from calibrated_metrics.uncertainty.interval import doubts_of, estimate, why_withheld
from calibrated_metrics.uncertainty.units import (
    Linear,
    Point,
    contributions_to_prior,
    linearise,
    n_of_classes,
    unit_errors,
)

__all__ = ["OneVsRest", "one_vs_rest"]


_OF_SCORES, _OF_LABELS = ("average_precision", "roc_auc"), ("precision", "recall", "f1")
_PREDICTED = 0.5  # threshold on the scores 0 and 1 of predicted labels


@dataclass(frozen=True, eq=False, repr=False)
class OneVsRest:
    """One-vs-rest curves of several classes, and averages of metrics over them.

    Attributes
    ----------
    curves : mapping of class to ConfusionCurve
        The curve of each class against all others, at the class priors. The scores of predicted
        labels are 1 for the class, otherwise 0. A class without rows has no curve; averages are
        over the other classes.
    priors : mapping of class to float
        The class priors, 0 for a class without rows.
    """

    curves: Mapping[Any, ConfusionCurve]
    priors: Mapping[Any, float]
    _class: NDArray[np.intp]  # place of the class of each row
    _of_labels: bool  # whether there are predicted labels instead of scores
    _are_strata: bool  # whether the priors are known, and rows of a class are alike

    def __post_init__(self) -> None:
        for name in ("curves", "priors"):
            object.__setattr__(self, name, MappingProxyType(getattr(self, name)))

    def __reduce__(self) -> tuple[Any, ...]:  # read-only mappings have no pickle
        mappings = dict(self.curves), dict(self.priors)
        return OneVsRest, (*mappings, self._class, self._of_labels, self._are_strata)

    def __repr__(self) -> str:
        priors = ", ".join(f"{name!r}: {prior:.4g}" for name, prior in self.priors.items())
        return f"OneVsRest(priors={{{priors}}})"

    def value(self, metric: MetricLike, *, average: str = "macro") -> float:
        """Average of a metric over the classes.

        Parameters
        ----------
        metric : str, callable or Metric
            As for `uncertainty.interval`; for predicted labels, a metric of a decision. A metric
            with its own reference prior is computed at that prior for each class. If it is
            undefined, such as the precision of a class that is never predicted, it counts as 0 with
            an `UndefinedMetricWarning`, as in scikit-learn.
        average : {"macro", "weighted", "micro"}, default="macro"
            "macro": each class has the same weight. "weighted": its weight is its prior. "micro",
            for predicted labels: precision, recall and F-beta of all decisions together, which are
            the accuracy.
        """
        return self._mean(*self._asked(metric, average))

    def interval(
        self, metric: MetricLike, *, average: str = "macro", confidence_level: float = 0.95
    ) -> Estimate:
        """Average of a metric over the classes, with a confidence interval.

        Each row is in all curves. If the class priors are known, errors are those within the
        classes; otherwise they include the error of the priors.

        For a metric of a decision, each class has limits of its counts. Their distances from the
        values are added like errors, with the correlations that the influences of the rows have
        (MOVER; Zou, Psychological Methods 2007, doi:10.1037/1082-989X.12.4.399).

        For a metric of a ranking, the interval contains two t intervals on the logit scale: one
        around the value, and one around a value that allows for rare errors that the sample missed.
        For the latter, half a negative, with the weight of the negatives of an average unit of
        weight, is added above all scores of each curve, and half a positive below them. The changes
        of the metric of the curves are added as squares.
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
            decision have intervals, as have the Brier score and log loss; intervals of other
            metrics are withheld. "accuracy", kappa, MCC and log loss are means of one class against
            all others; the accuracy is the micro average of recall.

        Examples
        --------
        >>> import numpy as np
        >>> from calibrated_metrics import multiclass
        >>> rng = np.random.default_rng(0)
        >>> y_true = np.repeat([0, 1, 2], [600, 300, 100])
        >>> y_score = rng.normal(size=(1000, 3)) + 2 * (y_true[:, np.newaxis] == range(3))
        >>> classes = multiclass.one_vs_rest(y_true, y_score, pi0={0: 0.9, 1: 0.08, 2: 0.02})
        >>> classes.interval("average_precision")
        Estimate(0.6999, 95 % interval 0.6239 to 0.7425, hull)
        """
        level = _numbers.level("confidence_level", confidence_level)
        found = self._average(*self._asked(metric, average), level)
        warn_of(found.remarks)
        return found

    def to_frame(
        self,
        metrics: MetricLike | Sequence[MetricLike] | None = None,
        *,
        confidence_level: float = 0.95,
        format: str | None = None,
    ) -> Any:
        """Metrics of the classes and their averages with intervals, as a DataFrame of pandas.

        Parameters
        ----------
        metrics : str, callable or Metric, or a list of these, default=None
            As for `value`. None: precision, recall and F1 of predicted labels; AUC-PR and AUC-ROC
            of scores.
        confidence_level
            As for `uncertainty.interval`.
        format : str, default=None
            A format of numbers, such as ".2f", or "" for the digits of a report, for a table with
            cells such as "0.51 [0.32, 0.67]", one row per class or average and one column per
            metric.

        Returns
        -------
        pandas.DataFrame
            Without a format, one row per metric and class or average, with the number of rows `n`,
            the `prior`, and the columns of `comparison.by_group` from `metric` on.

        Examples
        --------
        >>> from calibrated_metrics import multiclass
        >>> y_true = ["a"] * 40 + ["b"] * 30 + ["c"] * 20
        >>> y_pred = ["a"] * 36 + ["b"] * 32 + ["c"] * 22
        >>> classes = multiclass.one_vs_rest(y_true, y_pred=y_pred)
        >>> classes.to_frame(["precision", "recall"], format=".2f")
                                  precision             recall
        a                 1.00 [0.90, 1.00]  0.90 [0.76, 0.97]
        b                 0.88 [0.71, 0.96]  0.93 [0.78, 0.99]
        c                 0.91 [0.71, 0.99]  1.00 [0.83, 1.00]
        macro average     0.93 [0.84, 0.97]  0.94 [0.86, 0.98]
        weighted average  0.94 [0.86, 0.97]  0.93 [0.85, 0.97]
        micro average     0.93 [0.85, 0.97]  0.93 [0.85, 0.97]
        """
        with needs("pandas"):
            import pandas as pd
        level = _numbers.level("confidence_level", confidence_level)
        if metrics is None:
            metrics = _OF_LABELS if self._of_labels else _OF_SCORES
        n = dict.fromkeys(self.priors, 0)
        n |= zip(self.curves, np.bincount(self._class).tolist(), strict=True)
        records, texts = [], dict[str, dict[Any, str]]()
        for metric in metrics_of(metrics):
            for name, found in self._estimates(metric, level).items():
                about = {"class": name, "n": n.get(name, sum(n.values()))}
                about |= {"prior": self.priors.get(name), "metric": metric.key}
                records.append(about | cells_of(found))
                texts.setdefault(metric.label, {})[name] = f"{found:{format or format_of(found)}}"
        return pd.DataFrame(records if format is None else texts)

    def _estimates(self, metric: Metric, level: float) -> dict[Any, Estimate]:
        """The metric of each class, and its averages."""
        asked, _ = self._asked(metric)
        averages = {
            f"{average} average": self._average(*self._asked(metric, average), level)
            for average in ("macro", "weighted", "micro")
            if average != "micro" or (self._of_labels and _is_accuracy(metric))
        }
        warn_of(remark for each in averages.values() for remark in each.remarks)
        return {label: self._of_class(asked, label, level) for label in self.priors} | averages

    def _asked(self, metric: MetricLike, average: str = "macro") -> tuple[Metric, str]:
        """The metric of the curves, and the average. A micro average is a weighted recall."""
        _arguments.one_of("average", average, ("macro", "weighted", "micro"))
        asked = Metric(metric)
        if self._of_labels and not asked._takes_labels:
            raise ValueError(
                "metric must be one of a decision, without a threshold, for predicted labels, got "
                f"{asked!r}"
            )
        if average == "micro":
            if not (self._of_labels and _is_accuracy(asked)):
                raise ValueError(
                    'average="micro" is offered for precision, recall and F-beta of predicted '
                    f"labels, for which it is the accuracy, got {asked!r}"
                )
            asked, average = Metric("recall"), "weighted"
        return Metric(asked, threshold=_PREDICTED) if self._of_labels else asked, average

    def _shares(self, average: str) -> FloatArray:
        if average == "weighted":
            return np.array([self.priors[label] for label in self.curves])
        return np.full(len(self.curves), 1 / len(self.curves))

    def _mean(self, metric: Metric, average: str) -> float:
        """The average. Undefined values count as 0, with a warning."""
        values = [_value(metric, curve) for curve in self.curves.values()]
        undefined = [k for k, each in zip(self.curves, values, strict=True) if math.isnan(each)]
        if undefined:
            warn_the_caller(
                f"{metric.name} of the classes {distinct(undefined)} counts as 0: "
                f"{metric.facts.undefined}",
                UndefinedMetricWarning,
            )
        return math.fsum(self._shares(average) * np.nan_to_num(values))

    def _of_class(self, metric: Metric, label: Any, level: float) -> Estimate:
        """The metric of a class with its interval."""
        curve = self.curves.get(label)
        if curve is None:
            return withheld(math.nan, level, "", "y_true has no rows of this class")
        if math.isnan(_value(metric, curve)):
            return withheld(math.nan, level, "", metric.facts.undefined)
        if metric.of_matrix and self._are_strata:
            return estimate(metric, self._in_two_shares(metric, label), None, Settings(level))
        return estimate(metric, curve, None, Settings(level))

    def _in_two_shares(self, metric: Metric, label: Any) -> ConfusionCurve:
        """A class at known class priors, with the FPR of all other classes together.

        It has the variance of 1 / Σ(w² / n) rows, for other classes with the shares w and n rows.
        Limits of the FPR of each class, most of which are near 0, would add up to too much.
        """
        place = list(self.curves).index(label)
        n = np.bincount(self._class).astype(np.float64)
        matrix: Any = metric._prepare(self.curves[label])
        rates = np.bincount(self._class, matrix._has_alert) / n
        others = np.array([self.priors[each] for each in self.curves])
        others[place] = 0.0
        others /= others.sum()
        n_neg = 1 / (others**2 / n).sum()
        of_pos, of_neg = (
            size * np.array([1 - rate, rate])
            for size, rate in ((n[place], rates[place]), (n_neg, others @ rates))
        )
        rows = Rows.from_counts(np.array([-HIGHEST, HIGHEST]), of_pos, of_neg)
        curve = ConfusionCurve._from_rows(replace(rows, without_errors=None))
        return curve.at_prior(self.priors[label])

    def _average(self, metric: Metric, average: str, level: float) -> Estimate:
        """The average with its interval."""
        value, method = self._mean(metric, average), "mover" if metric.of_matrix else "hull"
        if reason := self._why_withheld(metric):
            return withheld(value, level, method, reason)
        parts = self._parts(metric, average)
        error = sum(parts[1:], parts[0]).standard_error
        if metric.of_matrix:
            down, up = self._distances(metric, average, parts, level)
            low, high = np.clip([value - down, value + up], *metric.facts.range).tolist()
        else:
            points = [Point(value, error), Point(value + self._loss(metric, average), error)]
            df = float(min(n_of_classes(each.rows).min() for each in self.curves.values())) - 1
            low, high = hull_of(points, df, Scale(*metric.facts.range), level)
        remarks = tuple(
            f"class {label!r} against the others: {doubt}"
            for label, curve in self.curves.items()
            for doubt in doubts_of(curve)
        )
        return Estimate(value, low, high, error, level, method, remarks=remarks)

    def _why_withheld(self, metric: Metric) -> str | None:
        """Why the average of a metric would have no valid interval."""
        if not (metric.of_matrix or metric.facts.interval == "hull"):
            return (
                f"averages of {metric.name!r} have no interval: it has no influence function, and "
                "bootstrap intervals covered as little as 79 % instead of 95 %"
            )
        for name, curve in self.curves.items():
            if reason := why_withheld(metric, metric._prepare(curve)):
                return f"class {name!r}: {reason}"
        return None

    def _parts(self, metric: Metric, average: str) -> list[Linear]:
        """Terms of the average, those of the classes and of their weights, with errors of rows."""
        parts, error = [], np.zeros(len(self._class))
        prior_is_known = next(iter(self.curves.values())).prior_is_known
        for share, curve in zip(self._shares(average), self.curves.values(), strict=True):
            each = Linear(0.0, np.zeros(len(self._class)), curve.rows)
            if not math.isnan(_value(metric, curve)):
                each = linearise(metric, metric._prepare(curve))
            if prior_is_known:
                weight = each.sample.row_weight
                mean = np.bincount(self._class, each.error) / np.bincount(self._class, weight)
                each = replace(each, error=each.error - weight * mean[self._class])
            elif average == "weighted":  # the weights of the classes are estimates, too
                error += each.value * contributions_to_prior(each.sample)
            parts.append(share * each)
        return [*parts, Linear(0.0, error, parts[0].sample)]

    def _distances(
        self, metric: Metric, average: str, parts: Sequence[Linear], level: float
    ) -> tuple[float, float]:
        """Distances of the average from its limits, from those of its terms."""
        errors = np.array([unit_errors(part.sample, part.error) for part in parts])
        size = np.linalg.norm(errors, axis=1)
        errors /= np.where(size > 0, size, 1.0)[:, np.newaxis]
        correlation = errors @ errors.T
        np.fill_diagonal(correlation, 1.0)
        distances = [t_quantile(level) * size[[-1, -1]]]
        for share, label in zip(self._shares(average), self.curves, strict=True):
            each = self._of_class(metric, label, level)
            value, low, high = each.value, each.low, each.high
            if math.isnan(value):  # undefined
                value, (low, high) = 0.0, metric.facts.range
            distances.insert(-1, share * np.array([value - low, high - value]))
        moved = np.array(distances)
        down, up = np.sqrt(np.maximum(np.diag(moved.T @ correlation @ moved), 0.0))
        return float(down), float(up)

    def _loss(self, metric: Metric, average: str) -> float:
        """Change of the average if each curve independently has an error that the sample missed."""
        losses = []
        for share, curve in zip(self._shares(average), self.curves.values(), strict=True):
            half = rows_at_the_ends(curve)(HALF, 1)
            losses.append(share * (metric(half) - metric(curve)))
        return math.copysign(math.hypot(*losses), sum(losses))


def _value(metric: Metric, curve: ConfusionCurve) -> float:
    """The metric of a class; NaN where it is undefined."""
    data = metric._prepare(curve)
    if isinstance(data, ConfusionMatrix) and metric.facts.of_stack is not None:
        return float(metric._values(data))
    return metric._value(data)


def _is_accuracy(metric: Metric) -> bool:
    """Whether the metric is the share of true decisions if both kinds of errors are as frequent."""
    matrix = ConfusionMatrix(tp=3, fp=7, fn=7, tn=10)
    return metric.pi0 is None and math.isclose(metric._value(matrix), 0.3)


@plain_calls()
def one_vs_rest(
    y_true: ArrayLike,
    y_score: ArrayLike | None = None,
    *,
    y_pred: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    pi0: Mapping[Any, float] | ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
) -> OneVsRest:
    """Build the curve of each class against all others, at given class priors.

    Give either scores or predicted labels.

    Rows of a class are weighted so that the class has its prior. The curve of a class is therefore
    at the prior of that class, and its negatives consist of the other classes in proportion to
    their priors.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        One label per row. Several labels per row (multi-label) are refused: build a
        `ConfusionCurve` of each column in a loop.
    y_score : array-like of shape (n_rows, n_classes)
        Finite scores, higher if the class of the column is more likely.
    y_pred : array-like of shape (n_rows,)
        Predicted labels.
    classes : array-like of shape (n_classes,), default=None
        The classes, for scores that of each column. None: the names of the columns of a frame; the
        sorted labels if the columns have no names, as ``classes_`` of scikit-learn, or for
        predicted labels. A class without rows is left out with a warning; predictions of it are
        errors.
    pi0 : mapping of class to float, or array-like of shape (n_classes,), default=None
        Reference priors of the classes, taken as known, each above 0 and 1 in total; that of a
        class without rows must be 0 or absent. An array has
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
        If columns have names that are not the labels, and `classes` does not say their order, or if
        `classes` has the names of the columns in another order.

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
    if (y_score is None) == (y_pred is None):
        raise ValueError("either y_score or y_pred must be given, and not both")
    name, given = ("y_score", y_score) if y_pred is None else ("y_pred", y_pred)
    _check_shapes(y_true, y_score)
    _columns.same_index(y_true=y_true, **{name: given})
    rows = Columns.read(
        {"y_true": y_true, name: np.arange(len(np.asarray(given)))},
        **{"sample_weight": sample_weight, "clusters": clusters, "strata": strata},
    )
    _labels.none_missing("y_true", rows["y_true"])
    found, code = np.unique(rows.kept(rows["y_true"]), return_inverse=True)
    known = found.tolist()
    if y_score is None:
        columns, every = _one_hot(known, y_pred, classes)
    else:
        every = np.asarray(y_score)
        columns = _classes_of_columns(known, every.shape[1], classes, y_score)
    score = rows.kept(every)
    labels = [label for label in columns if label in known]
    score = score[:, [columns.index(label) for label in labels]]
    code = np.array([labels.index(label) for label in known])[code]
    weight = np.ones(len(code)) if rows.weight is None else rows.weight
    share = np.bincount(code, weight) / weight.sum()
    absent = [label for label in columns if label not in known]
    prior = share if pi0 is None else _priors_of(pi0, columns, absent, classes is not None)
    if absent:
        warn_the_caller(
            f"y_true has no rows of the classes {distinct(absent)}; averages are over the "
            "other classes",
            UndefinedMetricWarning,
        )
    curves = _curves_of(code, score, weight * (prior / share)[code], rows)
    if pi0 is not None:
        curves = [each.at_prior(own) for each, own in zip(curves, prior, strict=True)]
    of_class = dict(zip(labels, prior.tolist(), strict=True)) | dict.fromkeys(absent, 0.0)
    are_alike = all(each is None for each in (rows.weight, rows.clusters, rows.strata))
    of_label = dict(zip(labels, curves, strict=True))
    return OneVsRest(of_label, of_class, code, y_score is None, pi0 is not None and are_alike)


def _check_shapes(y_true: Any, y_score: Any) -> None:
    if _columns.dimensions("y_true", y_true) != 1:
        raise ValueError(
            f"y_true must hold one label per row, got shape {np.shape(y_true)}; for one-hot "
            "labels, np.argmax(y_true, axis=1) is the number of the class; for several labels per "
            "row (multi-label), build a ConfusionCurve of each column in a loop"
        )
    if y_score is not None and np.ndim(y_score) != 2:
        raise ValueError(
            f"y_score must have the shape (n_rows, n_classes), got {np.shape(y_score)}; predicted "
            "labels are y_pred; for scores of one class, use ConfusionCurve.from_predictions"
        )


def _one_hot(found: list[Any], y_pred: Any, classes: Any) -> tuple[list[Any], FloatArray]:
    """The classes of predicted labels, and a score for each of them, 1 for the predicted class."""
    predicted = _columns.vector("y_pred", y_pred)
    _labels.none_missing("y_pred", predicted)
    labels = set(predicted.tolist())
    if not labels & set(found):
        raise ValueError(
            f"y_pred must hold labels of y_true, {distinct(found)}, got {distinct(labels)}"
        )
    given = sorted(labels.union(found)) if classes is None else classes
    columns = _classes_of_columns(found, len(given), given, None)
    if unknown := labels - set(columns):
        raise ValueError(f"classes must hold the labels of y_pred, but {unknown} are missing")
    of_classes = [_labels.equal_to(predicted, label) for label in columns]
    return columns, np.column_stack(of_classes).astype(np.float64)


def _classes_of_columns(found: list[Any], n_columns: int, classes: Any, frame: Any) -> list[Any]:
    """The class of each column of scores, for the sorted labels that were found."""
    names = list(getattr(frame, "columns", range(n_columns)))
    labels: list[Any]
    if classes is not None:
        labels = _columns.vector("classes", classes).tolist()
        if names != list(range(n_columns)) and names != labels and set(names) == set(labels):
            raise ValueError(
                f"classes must have the order of the columns of y_score, {shown(names)}, "
                f"or be None, got {shown(labels)}"
            )
    elif set(names) == set(found):
        labels = names
    elif names == list(range(n_columns)):  # columns without names
        labels = found
    else:
        raise ValueError(
            f"y_score has the columns {shown(names)}, which are not the labels of y_true, "
            f"{shown(found)}: give the label of each column in classes"
        )
    is_right = len(set(labels)) == len(labels) == n_columns and set(found) <= set(labels)
    if not is_right or len(found) < 2:
        raise ValueError(
            "classes must hold the labels of y_true, each once, at least two, and one per column "
            f"of y_score, got {shown(labels)} for the labels {shown(found)} and "
            f"{n_columns} columns"
        )
    return labels


def _curves_of(
    code: NDArray[np.intp], score: NDArray[Any], weight: FloatArray, rows: Columns
) -> list[ConfusionCurve]:
    """The curve of each class against the others."""
    strata = rows.strata
    if strata is not None and len(strata.labels) < len(set(zip(strata.code, code, strict=True))):
        raise ValueError("strata must each lie in one class, such as strata by (hospital, class)")
    units = {"clusters": rows.clusters, "strata": strata}
    drawn = {name: each.label_of_row for name, each in units.items() if each is not None}
    return [
        ConfusionCurve.from_predictions(code == k, of_class, sample_weight=weight, **drawn)
        for k, of_class in enumerate(score.T)
    ]


def _priors_of(pi0: Any, columns: list[Any], absent: list[Any], order_is_given: bool) -> FloatArray:
    """Priors of the classes that have rows; those of absent classes must be 0."""
    if not hasattr(pi0, "items"):
        if not order_is_given and any(isinstance(label, str) for label in columns):
            raise ValueError(
                f"pi0 must be a mapping from class to prior, got {shown(pi0)}, whose "
                "order is not clear for labels that are text; or give the order in classes"
            )
        given = _numbers.finite_vector("pi0", pi0)
        _columns.same_length(pi0=given, classes=np.array(columns))
        pi0 = dict(zip(columns, given.tolist(), strict=True))
    of_class = dict(pi0.items())
    if any(of_class.pop(label, 0) != 0 for label in absent):
        raise ValueError(
            f"pi0 must be 0 for classes without rows in y_true, {distinct(absent)}: there "
            "are none to weight; give the others priors that sum to 1"
        )
    return _numbers.shares("pi0", of_class, [label for label in columns if label not in absent])
