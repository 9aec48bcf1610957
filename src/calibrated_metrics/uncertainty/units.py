"""A value plus the errors of independent units, rows or clusters: the basis of most intervals.

The error that a row contributes to a value follows from the influence of the row. Sums and
differences of such values, such as those of two models on the same rows, are again such values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics._numbers import ROUNDING, FloatArray
from calibrated_metrics.binomial import STEP, gradient
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.rows import Rows
from calibrated_metrics.scores.metric import Metric

__all__ = [
    "Linear",
    "Point",
    "class_in_one_cluster",
    "contributions",
    "contributions_to_prior",
    "covariance",
    "effects_of_a_row",
    "influences",
    "linearise",
    "n_of_classes",
    "slope_by_prior",
    "unit_errors",
]


class Point(NamedTuple):
    """A value and its standard error."""

    value: float
    standard_error: float

    @classmethod
    def of_draws(cls, value: float, draws: FloatArray) -> Point:
        """A value, with the error that draws of the rows show."""
        return cls(value, float(draws.std(ddof=1)))


@dataclass(frozen=True, eq=False)
class Linear:
    """A value, and the error that each row of a sample contributes to it."""

    value: float
    error: FloatArray
    sample: Rows

    def __add__(self, other: Linear) -> Linear:
        return Linear(self.value + other.value, self.error + other.error, self.sample)

    def __sub__(self, other: Linear) -> Linear:
        return Linear(self.value - other.value, self.error - other.error, self.sample)

    def __rmul__(self, factor: float) -> Linear:
        return Linear(factor * self.value, factor * self.error, self.sample)

    @cached_property
    def variance(self) -> float:
        return float((unit_errors(self.sample, self.error) ** 2).sum())

    @property
    def standard_error(self) -> float:
        return math.sqrt(self.variance)

    @property
    def point(self) -> Point:
        """The value and its standard error, without the errors of the rows."""
        return Point(self.value, self.standard_error)

    @cached_property
    def df(self) -> float:
        """Degrees of freedom of the variance."""
        sample = self.sample
        if sample.is_plain:
            return float(n_of_classes(sample).min()) - 1
        if sample.is_audit:
            return math.inf  # t would be too wide: half a positive of the heaviest stratum is added
        if sample.error_strata is not None and sample.error_clusters is None:
            stratum = sample.error_strata.code
            variance = np.bincount(stratum, unit_errors(sample, self.error) ** 2).astype(float)
            n = np.bincount(stratum, sample.counts)
            return _satterthwaite(variance, np.maximum(n - 1, 1.0))
        return _satterthwaite(self._expected_squares)

    @property
    def _expected_squares(self) -> FloatArray:
        """Expected squared errors of units.

        The rows of a class are assumed to differ in their weight only, and the rows of a cluster to
        have the correlation that the variance implies.
        """
        sample = self.sample
        unit = np.arange(len(self.error))
        if sample.error_clusters is not None:
            unit = sample.error_clusters.code
        number = sample.counts
        apart, together = np.zeros((2, unit.max() + 1))  # variances without and with correlation
        for rows in (sample.positive, ~sample.positive):
            weight = np.where(rows, sample.row_weight, 0.0)
            weight /= weight.max()  # squares of very small or large weights are lost
            squares = number * weight**2
            variance = float((number * self.error**2)[rows].sum() / squares.sum())
            apart += variance * np.bincount(unit, squares)
            together += variance * np.bincount(unit, number * weight) ** 2
        correlated = together.sum() - apart.sum()
        correlation = (self.variance - apart.sum()) / correlated if correlated > 0 else 0.0
        expected: FloatArray = apart + min(max(correlation, 0.0), 1.0) * (together - apart)
        return expected

    @property
    def excess(self) -> float:
        """Design effect of the clusters: the variance over that of independent rows, at least 1."""
        if self.sample.error_clusters is None:
            return 1.0
        independent = float((self.error**2).sum())
        return max(self.variance / independent, 1.0) if independent > 0 else 1.0


def _satterthwaite(variance: FloatArray, df: FloatArray | float = 1.0) -> float:
    """Degrees of freedom of a sum of variances (Satterthwaite 1946, doi:10.2307/3002019)."""
    if not variance.any():
        return math.inf
    variance = variance / variance.max()  # squares of very small variances are lost
    return float(variance.sum() ** 2 / (variance**2 / df).sum())


def covariance(a: Linear, b: Linear) -> float:
    """Covariance of estimates from two samples, in which equal labels of clusters are one."""
    if a.sample.clusters is None or b.sample.clusters is None:
        return 0.0
    cluster = a.sample.clusters.joined(b.sample.clusters).code
    n = cluster.max() + 1
    of_a = np.bincount(cluster[: len(a.error)], weights=a.error, minlength=n)
    of_b = np.bincount(cluster[len(a.error) :], weights=b.error, minlength=n)
    return float(of_a @ of_b)


def linearise(metric: Metric, data: ConfusionCurve | ConfusionMatrix) -> Linear:
    """Value of a metric of prepared data, and the contribution of each row to its error.

    The error of the prior is included unless it is known.
    """
    sample = data.rows
    value, error = metric._value(data), contributions(sample, influences(metric, data))
    if not (data.prior_is_known or metric.facts.is_prior_free) and math.isfinite(value):
        error = error + slope_by_prior(metric, data) * contributions_to_prior(sample)
    return Linear(value, error, sample)


def influences(metric: Metric, data: ConfusionCurve | ConfusionMatrix) -> FloatArray:
    """Influence of each row on the metric: the derivative by the share of such rows in their class.

    It is known up to a constant of each class.
    """
    if isinstance(data, ConfusionMatrix):
        return _influence_of_decision(metric, data)
    if metric.facts.loss is not None:
        share = np.where(data.rows.positive, data.prior, 1 - data.prior)
        return share * metric.facts.loss(data, **metric._arguments)
    assert metric.facts.influence is not None
    pos, neg = metric.facts.influence(data, **metric._arguments)
    positive, step = data.rows.positive, data._counts.step_of_row
    influence: FloatArray = neg[step]
    influence[positive] = pos[step[positive]]
    return influence


def _influence_of_decision(metric: Metric, matrix: ConfusionMatrix) -> FloatArray:
    """An alert moves TPR or FPR, and each of them moves the metric."""
    by_tpr, by_fpr = _slopes_by_rates(metric, matrix)
    influence: FloatArray = np.where(matrix.rows.positive, by_tpr, by_fpr) * matrix._has_alert
    return influence


def _slopes_by_rates(metric: Metric, matrix: ConfusionMatrix) -> FloatArray:
    """Derivatives of a metric by TPR and FPR; 0 if it is infinite."""

    def values_of(rates: FloatArray) -> FloatArray:
        return metric._values(
            ConfusionMatrix.from_rates(tpr=rates[0], fpr=rates[1], prior=matrix.prior)
        )

    if math.isinf(metric._value(matrix)):
        return np.zeros(2)
    return gradient(values_of, np.array([matrix.tp / matrix.n_pos, matrix.fp / matrix.n_neg]))


def effects_of_a_row(metric: Metric, matrix: ConfusionMatrix) -> FloatArray:
    """How far the decision of one row moves a metric, for a positive and for a negative.

    Weighted rows count as their effective number.
    """
    slopes = np.abs(_slopes_by_rates(metric, matrix))
    effects: FloatArray = slopes / n_of_classes(replace(matrix.rows, clusters=None))
    return effects


def slope_by_prior(
    metric: Metric, data: ConfusionCurve | ConfusionMatrix, step: float | None = None
) -> float:
    """Derivative of a metric by the prior, or a secant over a step in each direction."""
    prior = float(data.prior)
    step = STEP * prior * (1 - prior) if step is None else min(step, prior / 2, (1 - prior) / 2)
    low, high = (metric._value(data.at_prior(prior + move)) for move in (-step, step))
    return (high - low) / (2 * step)


# ----------------------------------------------------------------------- errors of rows and units


def n_of_classes(sample: Rows) -> FloatArray:
    """Effective numbers of positives and of negatives, or of their clusters (Kish 1965)."""
    if sample.weight is None and sample.error_clusters is None:
        if sample.number is None:
            n_pos = np.count_nonzero(sample.positive)
            return np.array([n_pos, len(sample.positive) - n_pos], dtype=np.float64)
        n_neg, n_pos = np.bincount(sample.positive, sample.number, 2)
        return np.array([n_pos, n_neg])
    number = sample.counts
    effective = []
    for rows in (sample.positive, ~sample.positive):
        weight = sample.row_weight * rows
        weight /= weight.max()  # squares of very small or large weights are lost
        if sample.error_clusters is None:
            sums = (number * weight).sum(), (number * weight**2).sum()
        else:
            of_clusters = np.bincount(sample.error_clusters.code, number * weight)
            sums = of_clusters.sum(), (of_clusters**2).sum()
        effective.append(sums[0] ** 2 / sums[1])
    return np.array(effective)


def class_in_one_cluster(sample: Rows) -> str | None:
    """The class whose rows are all in one cluster, so that its error cannot be estimated."""
    if sample.error_clusters is not None:
        cluster = sample.error_clusters.code
        for name, rows in (("positives", sample.positive), ("negatives", ~sample.positive)):
            clusters = cluster[rows]
            if (clusters == clusters[0]).all():
                return name
    return None


def contributions(sample: Rows, influence: FloatArray) -> FloatArray:
    """Contribution of each row to the error of an estimate.

    `influence` is that of each row, see `influences`. √(n / (n - 1)) makes the variance unbiased.
    """
    positive, row_weight = sample.positive, sample.row_weight
    weight = row_weight if sample.number is None else row_weight * sample.number
    total, moment = np.bincount(positive, weight, 2), np.bincount(positive, weight * influence, 2)
    del weight  # arrays of rows are changed in place, which saves memory
    n = np.maximum(n_of_classes(sample)[::-1], 1 + 1e-12)  # by label: negatives come first
    share = np.where(positive, *(np.sqrt(n / (n - 1)) / total)[::-1])
    share *= row_weight
    mean = moment / total
    errors: FloatArray = influence - np.where(positive, *mean[::-1])
    if max(errors.max(), -errors.min()) <= ROUNDING * np.abs(mean).max():
        errors[:] = 0.0  # such as those of a perfect ranking
    errors *= share
    return errors


def contributions_to_prior(sample: Rows) -> FloatArray:
    """Contribution of each row to the error of the weighted share of positives."""
    share: FloatArray = sample.row_weight / (sample.row_weight * sample.counts).sum()
    return share * (sample.positive - float((share * sample.counts)[sample.positive].sum()))


def unit_errors(sample: Rows, contributions: FloatArray) -> FloatArray:
    """Errors of independent units: rows, or sums over clusters, centred within strata.

    The sum of their squares is the variance of the estimate. If an audit drew rows from scored rows
    of an unlimited population, the errors of the shares of its strata follow.
    """
    errors, strata = contributions, sample.error_strata
    if sample.number is not None:
        errors = np.sqrt(sample.number) * errors
    clusters, fraction, scored = sample.error_clusters, sample.fraction, sample.scored
    if clusters is not None:
        errors = np.bincount(clusters.code, weights=errors).astype(np.float64, copy=False)
    if strata is None:
        return errors
    centred = _centred(errors, strata.code if clusters is None else sample.stratum_of_cluster)
    if scored is not None:  # the shares of the strata have errors, too
        _, first = np.unique(strata.code, return_index=True)
        of_strata = np.bincount(strata.code, weights=sample.counts * contributions)
        return np.append(centred, of_strata / np.sqrt(scored[first]))
    return centred if fraction is None else centred * np.sqrt(1 - fraction)


def _centred(errors: FloatArray, stratum: NDArray[np.intp]) -> FloatArray:
    """Errors less their mean in each stratum, times √(n / (n - 1)).

    A stratum with one unit tells nothing of its error; centring would make it 0.
    """
    n = np.bincount(stratum)
    mean = np.where(n > 1, np.bincount(stratum, weights=errors) / n, 0.0)
    factor = np.sqrt(n / np.maximum(n - 1, 1))
    centred: FloatArray = factor[stratum] * (errors - mean[stratum])
    return centred
