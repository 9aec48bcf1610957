"""Labelled and new rows under label shift: the most likely prior, and the test of the fit.

The error of the prior and the fit depend on the differences by bin between the histogram of the new
rows and the mixture of the labelled histograms. The covariance of these differences by cluster
widens the interval of the prior and corrects the test of the fit (second order; Rao & Scott 1984,
doi:10.1214/aos/1176346391).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc

from calibrated_metrics import _numbers
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics._results import equal_values, hash_of_values
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.label_free.histograms import Histograms, bin_edges
from calibrated_metrics.rows import Columns, Rows
from calibrated_metrics.scores import Metric
from calibrated_metrics.uncertainty.estimate import t_quantile
from calibrated_metrics.uncertainty.interval import rows_of
from calibrated_metrics.uncertainty.units import n_of_classes

__all__ = ["LabelShift", "LabelShiftTest", "Labelled", "label_shift"]

Labelled: TypeAlias = ConfusionCurve | tuple[ArrayLike, ArrayLike]

_LEVEL = 0.05  # significance level
_ROWS_PER_BIN = 4  # labelled rows of the rarer class; with fewer, χ² rejects too often
_FEWEST_CLUSTERS = 5


class LabelShiftTest(NamedTuple):
    """Test whether new scores can be a mixture of the labelled classes.

    `statistic` is Pearson's χ² of the three histograms against their most likely fit under label
    shift, corrected for clusters. `df` is its degrees of freedom, the number of bins minus 2, and
    smaller with clusters. `p_value` is NaN with fewer than three bins, which any mixture fits.
    """

    statistic: float
    df: float
    p_value: float

    def __eq__(self, other: object) -> bool:
        return equal_values(self, other)

    def __hash__(self) -> int:
        return hash_of_values(self)

    @property
    def refuted(self) -> bool:
        """Whether label shift is rejected at significance level 0.05."""
        return self.p_value <= _LEVEL

    @property
    def verdict(self) -> str:
        """Human-readable result. It is never "verified": see `label_free.estimate_prior`."""
        if math.isnan(self.p_value):
            return "label shift was not tested: the scores fill fewer than three bins"
        return (
            f"label shift is {'refuted' if self.refuted else 'not refuted'} "
            f"(χ² = {self.statistic:.3g}, {self.df:.3g} df, p = {self.p_value:.2g})"
        )


class Errors(NamedTuple):
    """Errors of a prior and its fit.

    `inflation`, at least 1, is the variance of the prior over that of many independent rows. Errors
    of few labelled rows per bin look like a difference between the classes, so it contains the
    factor 1 + (n_bins - 1) (1 / n_pos + 1 / n_neg).
    `inflation_of_fit` is the factor of χ², which has `df_of_fit` degrees of freedom.
    """

    standard_error: float
    inflation: float
    df: float
    inflation_of_fit: float
    df_of_fit: float


class LabelShift(NamedTuple):
    """Labelled rows, and new rows that are assumed to differ in the class ratio only.

    `reason` says why an interval would be wrong; None if no reason was found.
    """

    curve: ConfusionCurve
    histograms: Histograms
    prior: float
    errors: Errors
    test: LabelShiftTest
    reason: str | None

    def limits(self, confidence_level: float) -> tuple[float, float]:
        """The priors that the likelihood ratio test does not reject."""
        t = t_quantile(confidence_level, self.errors.df)
        return self.histograms.limits(self.prior, self.errors.inflation * t**2 / 2)


def label_shift(
    new: ArrayLike, labelled: Labelled, pos_label: Any, clusters: ArrayLike | None, n_bins: int
) -> LabelShift:
    """Estimate the prior and test label shift. The arguments are those of `estimate_prior`."""
    curve = _labelled_curve(labelled, pos_label)
    sample: Rows = curve.rows
    dtypes = np.dtype(sample.dtype), _numbers.float_dtype(new)
    dtype = min(dtypes, key=lambda each: each.itemsize)
    score = _numbers.in_dtype(sample.score, dtype)
    new_scores = _numbers.in_dtype(_numbers.finite_vector("new", new), dtype)
    if (sample.clusters is None) != (clusters is None):
        raise ValueError("clusters must be given for new rows if labelled has clusters, else not")
    n_bins = _numbers.integer_at_least("n_bins", n_bins, 2)
    most_bins = min(n_bins, max(2, int(n_of_classes(sample).min()) // _ROWS_PER_BIN))
    edges = bin_edges(sample.positive, score, sample.counts, most_bins)
    bins = np.searchsorted(edges, np.concatenate([score, new_scores]), side="right")
    group = np.concatenate([np.where(sample.positive, 0, 1), np.full(len(new_scores), 2)])
    number = np.concatenate([sample.counts, np.ones(len(new_scores))])

    histograms, by_cluster = Histograms(*_counts(number, group, bins)), None
    if sample.clusters is not None:
        of_new = Columns.read({"new": new}, clusters=clusters).clusters
        assert of_new is not None
        cluster = sample.clusters.joined(of_new).code
        by_cluster = _counts(number, group, cluster, bins)
    prior = histograms.prior()
    fit = histograms.fit_at(prior)
    errors = _errors_of(prior, fit, np.array(histograms).sum(axis=1), by_cluster)
    statistic, df = histograms.chi_square(fit) / errors.inflation_of_fit, errors.df_of_fit
    test = LabelShiftTest(statistic, df, float(chdtrc(df, statistic)) if df else math.nan)
    reason = None
    if by_cluster is not None and _effective_clusters(by_cluster).min() < _FEWEST_CLUSTERS:
        reason = (
            "most rows of a class, or most new rows, are in too few clusters to estimate errors"
        )
    elif test.refuted:
        reason = f"{test.verdict}: the scores of a class changed, not only the prior"
    return LabelShift(curve, histograms, prior, errors, test, reason)


def _counts(number: FloatArray, *levels: NDArray[np.intp]) -> FloatArray:
    """Number of rows at each combination of levels of factors."""
    shape = tuple(int(each.max()) + 1 for each in levels)
    cell = np.ravel_multi_index(levels, shape)
    return np.bincount(cell, number, math.prod(shape)).astype(float).reshape(shape)


def _labelled_curve(labelled: Labelled, pos_label: Any) -> Any:
    metric = Metric("average_precision")
    curve = rows_of(metric, labelled, "labelled", pos_label=pos_label)
    sample = curve.rows
    if sample.weight is not None or sample.error_strata is not None:
        raise ValueError("labelled must have no strata, and no weights that differ within a class")
    if sample.score.min() == sample.score.max():
        raise ValueError(f"scores of labelled must not be all equal, got only {sample.score[0]}")
    return curve


# ------------------------------------------------------------- errors of the prior and of the fit


def _errors_of(
    prior: float, fit: Histograms, n_rows: FloatArray, by_cluster: FloatArray | None
) -> Errors:
    """Errors of an estimated prior and of its fit, the probabilities of the bins.

    `n_rows` has the shape (3,): positives, negatives and new rows. `by_cluster`, of shape
    (3, n_clusters, n_bins), has their numbers in each cluster; None if rows are independent.
    """
    effects = np.array([-prior, prior - 1, 1.0])  # of each histogram on the differences
    covariance = sum(
        effect**2 / n * (np.diag(share) - np.outer(share, share))
        for effect, n, share in zip(effects, n_rows, fit, strict=True)
    )
    inverse = np.linalg.pinv(covariance, hermitian=True)
    slope = fit.pos - fit.neg  # of the differences by the prior
    information, df_of_fit = float(slope @ inverse @ slope), float(len(slope) - 2)
    few = (len(slope) - 1) * float((1 / n_rows[:2]).sum())  # see `Errors`
    error = 1 / math.sqrt(information) if information > 0 else math.inf
    if by_cluster is None or information <= 0:
        df = max(float(n_rows[:2].min()) - 1, 1.0)
        return Errors(error * math.sqrt(1 + few), 1 + few, df, 1.0, df_of_fit)

    n_clusters = _effective_clusters(by_cluster)
    effects = effects * np.sqrt(n_clusters / np.maximum(n_clusters - 1, 0.5)) / n_rows
    sizes, totals = by_cluster.sum(axis=2, keepdims=True), by_cluster.sum(axis=1, keepdims=True)
    expected = sizes * totals / totals.sum(axis=2, keepdims=True)  # in clusters of these sizes
    deviations = np.einsum("g,gcb->cb", effects, by_cluster - expected)
    of_prior = deviations @ inverse @ slope / information
    inflation = max(float(of_prior @ of_prior) * information, 1.0)
    inflation *= 1 + few * inflation  # as many independent rows tell as much
    residuals = deviations - np.outer(of_prior, slope)
    df, error = float(n_clusters.min()) - 1, error * math.sqrt(inflation)
    # The factor and degrees of freedom with which χ² has the mean and variance of clustered rows.
    ratios = inverse @ (residuals.T @ residuals)
    mean, square = float(np.trace(ratios)), float(np.trace(ratios @ ratios))
    if df_of_fit == 0 or square <= 0:
        return Errors(error, inflation, df, 1.0, df_of_fit)
    return Errors(error, inflation, df, max(square / mean, 1.0), mean**2 / square)


def _effective_clusters(by_cluster: FloatArray) -> FloatArray:
    """Effective number of clusters of positives, negatives and new rows."""
    sizes = by_cluster.sum(axis=2)
    return np.asarray(sizes.sum(axis=1) ** 2 / (sizes**2).sum(axis=1))
