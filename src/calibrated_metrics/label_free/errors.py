"""Errors of the prior and of the fit of three histograms, of independent or of clustered rows.

Both depend on the differences by bin between the histogram of the new rows and the mixture of the
labelled histograms. The covariance of these differences by cluster widens the interval of the prior
and corrects the test of the fit (second order; Rao & Scott 1984, doi:10.1214/aos/1176346391).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from calibrated_metrics._checks import FloatArray
from calibrated_metrics.label_free.histograms import Histograms

__all__ = ["Errors", "effective_clusters", "errors_of"]


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


def errors_of(
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

    n_clusters = effective_clusters(by_cluster)
    effects = effects * np.sqrt(n_clusters / np.maximum(n_clusters - 1, 0.5)) / n_rows
    deviations = np.einsum("g,gcb->cb", effects, _less_expected(by_cluster))
    of_prior = deviations @ inverse @ slope / information
    inflation = max(float(of_prior @ of_prior) * information, 1.0)
    inflation *= 1 + few * inflation  # as many independent rows tell as much
    residuals = deviations - np.outer(of_prior, slope)
    of_fit = _inflation_of_fit(inverse @ (residuals.T @ residuals), df_of_fit)
    df = float(n_clusters.min()) - 1
    return Errors(error * math.sqrt(inflation), inflation, df, *of_fit)


def _inflation_of_fit(ratios: FloatArray, df: float) -> tuple[float, float]:
    """Factor and degrees of freedom with which χ² has the mean and variance of clustered rows."""
    mean, square = float(np.trace(ratios)), float(np.trace(ratios @ ratios))
    return (1.0, df) if df == 0 or square <= 0 else (max(square / mean, 1.0), mean**2 / square)


def effective_clusters(by_cluster: FloatArray) -> FloatArray:
    """Effective number of clusters of positives, negatives and new rows."""
    sizes = by_cluster.sum(axis=2)
    return np.asarray(sizes.sum(axis=1) ** 2 / (sizes**2).sum(axis=1))


def _less_expected(by_cluster: FloatArray) -> FloatArray:
    """Numbers by cluster and bin minus their expected values for a cluster of that size."""
    sizes, totals = by_cluster.sum(axis=2, keepdims=True), by_cluster.sum(axis=1, keepdims=True)
    return np.asarray(by_cluster - sizes * totals / totals.sum(axis=2, keepdims=True))
