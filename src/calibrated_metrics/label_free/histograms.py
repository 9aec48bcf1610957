"""Histograms of labelled and new scores: the most likely prior of the new rows, and the fit.

The histogram of the new rows is a mixture of those of the labelled positives and negatives; all
three give the bin probabilities of both classes and the prior (Hosmer, Biometrics 1973,
doi:10.2307/2529141).

At a prior π, let s be the expected number of positives among the new rows. Where the likelihood is
greatest, the share r of positives among the new rows of a bin is, with ``a = π / (n_pos + s)`` and
``b = (1 - π) / (n_neg + n_new - s)``, the root in [0, 1] of
``(a - b) new r² + (a pos + b neg - (a - b) new) r - a pos = 0``. The sum of ``new r`` over the bins
must equal s. Since it falls as s grows, bisection finds s. The derivative of the profile likelihood
by π has the sign of ``s - n_new π``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, xlogy

from calibrated_metrics._numbers import FloatArray

__all__ = ["Histograms", "bin_edges"]

_FARTHEST = 40.0  # logit of a prior that is practically 1
_TINY = 1e-200  # replaces 0 in a denominator where the numerator is 0


class Histograms(NamedTuple):
    """Numbers of labelled positives, labelled negatives and new rows per bin, or probabilities.

    Each has the shape (n_bins,); fits at several priors have more dimensions before it.
    """

    pos: FloatArray
    neg: FloatArray
    new: FloatArray

    def prior(self) -> float:
        """Maximum likelihood estimate of the prior of the new rows."""
        n_new = self.new.sum()

        def likelihood_rises(logits: FloatArray) -> Any:
            priors = expit(logits)
            return self._new_positives(priors, n_new * priors).sum(axis=-1) > n_new * priors

        return _prior_at(_bisect(likelihood_rises, -_FARTHEST, _FARTHEST))

    def limits(self, prior: float, loss: float) -> tuple[float, float]:
        """Priors below and above the most likely one at which this much likelihood is lost."""
        least = self.log_likelihood(prior) - loss
        centre = float(np.clip(logit(prior), -_FARTHEST, _FARTHEST))

        def is_below(logits: FloatArray) -> Any:
            return (self.log_likelihood(expit(logits)) >= least) == [False, True]

        low, high = _bisect(is_below, [-_FARTHEST, centre], [centre, _FARTHEST], 24)
        return min(_prior_at(low), prior), max(_prior_at(high), prior)

    def fit_at(self, prior: FloatArray | float) -> Histograms:
        """Most likely probabilities of the bins at each prior."""
        prior = np.asarray(prior, dtype=np.float64)

        def is_below(positives: FloatArray) -> Any:
            return self._new_positives(prior, positives).sum(axis=-1) > positives

        zeros = np.zeros(prior.shape)
        positives = self._new_positives(prior, _bisect(is_below, zeros, zeros + self.new.sum(), 36))
        pos, neg = self.pos + positives, self.neg + self.new - positives
        pos, neg = (each / each.sum(axis=-1, keepdims=True) for each in (pos, neg))
        share = prior[..., np.newaxis]
        return Histograms(pos, neg, share * pos + (1 - share) * neg)

    def log_likelihood(self, prior: FloatArray | float) -> FloatArray:
        """Greatest log-likelihood at each prior, up to a constant."""
        fit = self.fit_at(prior)
        terms = xlogy(self.pos, fit.pos) + xlogy(self.neg, fit.neg) + xlogy(self.new, fit.new)
        return np.asarray(terms.sum(axis=-1))

    def chi_square(self, fit: Histograms) -> float:
        """Pearson's statistic of the three histograms, with n_bins - 2 degrees of freedom."""
        observed = np.array(self)
        expected = np.array(fit) * observed.sum(axis=1, keepdims=True)
        possible = expected > 0
        return float(((observed - expected)[possible] ** 2 / expected[possible]).sum())

    def _new_positives(self, prior: FloatArray, positives: FloatArray) -> FloatArray:
        """Expected positives among the new rows of each bin, if there are `positives` in all."""
        a = (prior / (self.pos.sum() + positives))[..., np.newaxis]
        b = ((1 - prior) / (self.neg.sum() + self.new.sum() - positives))[..., np.newaxis]
        square, constant = (a - b) * self.new, a * self.pos
        linear = constant + b * self.neg - square
        root = np.sqrt(np.maximum(linear**2 + 4 * square * constant, 0.0))
        share = np.where(
            linear >= 0,
            2 * constant / np.maximum(linear + root, _TINY),
            (root - linear) / np.maximum(2 * square, _TINY),
        )
        return np.asarray(self.new * np.clip(share, 0.0, 1.0))


def _bisect(
    is_below: Callable[[FloatArray], Any], low: Any, high: Any, n_halvings: int = 52
) -> Any:
    """Numbers below which a condition is true, and above which it is false."""
    low, high = np.asarray(low), np.asarray(high)
    for _ in range(n_halvings):
        middle = (low + high) / 2
        below = is_below(middle)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def _prior_at(logit_of_prior: float) -> float:
    return 0.0 if logit_of_prior < 1 - _FARTHEST else float(expit(logit_of_prior))


def bin_edges(
    positive: NDArray[np.bool_], score: FloatArray, number: FloatArray, n_bins: int
) -> FloatArray:
    """Ascending lower edges of all bins but the lowest; each edge is a score of labelled rows.

    Shares are those of a balanced mixture, so that rare positives spread over several bins.
    """
    of_class = np.bincount(positive, number)
    order = np.argsort(-score, kind="stable")
    share_above = np.cumsum((number / of_class[positive.astype(np.intp)])[order]) / 2
    wanted = np.arange(1, n_bins) / n_bins
    edges = np.unique(score[order][np.searchsorted(share_above, wanted * (1 - 1e-9))])
    return np.asarray(edges[edges > score.min()])
