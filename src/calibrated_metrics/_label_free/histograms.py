"""Histograms of labelled and new scores: maximum likelihood of the new prior, and the fit test.

The model is that of Hosmer (Biometrics 1973), sampling scheme M2: histograms of labelled positives
and negatives, and a histogram of their mixture. Label shift means that the mixture has the same
components. The bin probabilities of both classes and the new prior are estimated together from all
three histograms.

At a prior π, let ``s`` be the expected number of positives among the new rows. Setting the
derivatives of the likelihood to 0 gives, with ``a = π / (n_pos + s)`` and
``b = (1 - π) / (n_neg + n_new - s)``, the share r of positives among the new rows of a bin as the
root in [0, 1] of ``(a - b) new r² + (a pos + b neg - (a - b) new) r - a pos = 0``. The sum of
``new r`` over the bins falls as ``s`` grows, so it equals ``s`` once. The derivative of the profile
likelihood by π has the sign of ``s - n_new π``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri, xlogy

from calibrated_metrics._checks import FloatArray

__all__ = ["Fit", "Histograms", "ProfileLimits", "bin_edges"]

_FARTHEST = 40.0  # logit of the priors nearest to 0 and 1 that are told from them
_HALVINGS = 52
_ROUNDS, _POINTS = 5, 25  # of the search for a limit: its logit is exact to 80 / 24**5


class Fit(NamedTuple):
    """Maximum likelihood at one prior per histogram."""

    prior: FloatArray  # shape (...)
    pos: FloatArray  # probabilities of the bins, shape (..., n_bins)
    neg: FloatArray


@dataclass(frozen=True, eq=False)
class Histograms:
    """Counts per bin of labelled positives, labelled negatives and new rows.

    Each has the shape (..., n_bins); the leading dimensions count independent problems.
    """

    pos: NDArray[Any]
    neg: NDArray[Any]
    new: NDArray[Any]

    @property
    def n_bins(self) -> int:
        return int(self.new.shape[-1])

    @property
    def n_pos(self) -> NDArray[Any]:
        return np.asarray(self.pos.sum(axis=-1))

    @property
    def n_neg(self) -> NDArray[Any]:
        return np.asarray(self.neg.sum(axis=-1))

    @property
    def n_new(self) -> NDArray[Any]:
        return np.asarray(self.new.sum(axis=-1))

    def prior(self) -> NDArray[Any]:
        """Maximum likelihood estimate of the prior of the new rows, shape (...)."""
        low = np.full(self.n_new.shape, -_FARTHEST)
        high = -low
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            rises = self._excess(expit(middle)) > 0
            low, high = np.where(rises, middle, low), np.where(rises, high, middle)
        estimate = expit((low + high) / 2)
        estimate = np.where(low == -_FARTHEST, 0.0, estimate)
        return np.where(high == _FARTHEST, 1.0, estimate)

    def fit_at(self, prior: NDArray[Any] | float) -> Fit:
        """Most likely probabilities of the bins at a prior."""
        prior = np.asarray(prior, dtype=np.float64)
        low = np.zeros(np.broadcast_shapes(prior.shape, self.n_new.shape))
        high = low + self.n_new
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            rises = (self.new * self._share(prior, middle)).sum(axis=-1) > middle
            low, high = np.where(rises, middle, low), np.where(rises, high, middle)
        positives = ((low + high) / 2)[..., None]
        split = self.new * self._share(prior, positives[..., 0])
        pos, neg = self.pos + split, self.neg + self.new - split
        return Fit(prior, pos / pos.sum(-1, keepdims=True), neg / neg.sum(-1, keepdims=True))

    def log_likelihood(self, prior: NDArray[Any] | float) -> NDArray[Any]:
        """Greatest log-likelihood at a prior, up to a constant."""
        fit = self.fit_at(prior)
        share = fit.prior[..., None]
        mixture = share * fit.pos + (1 - share) * fit.neg
        terms = xlogy(self.pos, fit.pos) + xlogy(self.neg, fit.neg) + xlogy(self.new, mixture)
        return np.asarray(terms.sum(axis=-1))

    def chi_square(self, fit: Fit) -> NDArray[Any]:
        """Pearson's statistic of the three histograms, with n_bins - 2 degrees of freedom."""
        mixture = fit.prior[..., None] * fit.pos + (1 - fit.prior[..., None]) * fit.neg
        statistic = np.zeros(self.n_new.shape)
        for observed, probability in (
            (self.pos, fit.pos),
            (self.neg, fit.neg),
            (self.new, mixture),
        ):
            expected = probability * observed.sum(axis=-1, keepdims=True)
            with np.errstate(invalid="ignore", divide="ignore"):
                terms = np.where(expected > 0, (observed - expected) ** 2 / expected, 0.0)
            statistic += terms.sum(axis=-1)
        return statistic

    def _excess(self, prior: NDArray[Any]) -> NDArray[Any]:
        """Sign of the derivative of the profile likelihood."""
        expected = self.n_new * prior
        found = (self.new * self._share(prior, expected)).sum(axis=-1)
        return np.asarray(found - expected)

    def _share(self, prior: NDArray[Any], positives: NDArray[Any]) -> NDArray[Any]:
        """Share of positives among the new rows of each bin, if there are so many positives."""
        a = (prior / (self.n_pos + positives))[..., None]
        b = ((1 - prior) / (self.n_neg + self.n_new - positives))[..., None]
        square = (a - b) * self.new
        constant = a * self.pos
        linear = constant + b * self.neg - square
        root = np.sqrt(np.maximum(linear**2 + 4 * square * constant, 0.0))
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(
                linear >= 0, 2 * constant / (linear + root), (root - linear) / (2 * square)
            )
        return np.asarray(np.clip(np.nan_to_num(share), 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class ProfileLimits:
    """Limits between which the likelihood ratio test does not reject a prior.

    Unlike quantiles of draws, they keep their coverage where the prior is near 0 or 1.
    """

    histograms: Histograms

    def __call__(self, level: float) -> tuple[float, float]:
        estimate = float(self.histograms.prior())
        least = self.histograms.log_likelihood(estimate) - ndtri((1 + level) / 2) ** 2 / 2
        accepted = np.full(2, np.clip(logit(estimate), -_FARTHEST, _FARTHEST))
        rejected = np.array([-_FARTHEST, _FARTHEST])
        for _ in range(_ROUNDS):
            tried = np.linspace(accepted, rejected, _POINTS)
            likely = self.histograms.log_likelihood(expit(tried)) >= least
            last = np.logical_and.accumulate(likely).sum(axis=0) - 1
            ends = np.arange(2)
            accepted = tried[np.maximum(last, 0), ends]
            rejected = tried[np.minimum(last + 1, _POINTS - 1), ends]
        low, high = accepted
        return (0.0 if low == -_FARTHEST else float(expit(low))), float(expit(high))


def bin_edges(positive: NDArray[np.bool_], scores: FloatArray, n_bins: int) -> FloatArray:
    """Ascending lower edges of all bins but the lowest; each edge is a score.

    The bins hold about equal shares of a balanced mixture of both classes. With rare positives,
    equal shares of the rows would place nearly all positives in one bin.
    """
    order = np.argsort(-scores, kind="stable")
    ordered, is_positive = scores[order], positive[order]
    last_of_ties = np.append(np.flatnonzero(np.diff(ordered)), len(ordered) - 1)
    tp = np.cumsum(is_positive)[last_of_ties]
    fp = last_of_ties + 1 - tp
    share_above = (tp / tp[-1] + fp / fp[-1]) / 2
    wanted = np.arange(1, n_bins) / n_bins
    at = np.searchsorted(share_above, wanted * (1 - 1e-12))
    thresholds = ordered[last_of_ties]
    return np.unique(thresholds[at[at < len(thresholds) - 1]])
