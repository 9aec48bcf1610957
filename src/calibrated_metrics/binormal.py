"""The binormal population: likelihood ratios of two normal distributions with equal variances."""

from __future__ import annotations

import numpy as np

from calibrated_metrics._numbers import FloatArray

__all__ = ["Binormal"]


class Binormal:
    """Likelihood ratios of N(mu1, 1) against N(mu0, 1), whose means are `distance` apart.

    The logarithm of the ratio is normal in both classes. The total weight is 1.
    """

    # At larger distances of the means, likelihood ratios overflow float64.
    MAX_DISTANCE = 25.0
    _TAIL = 9.0  # standard deviations; the mass of the tail beyond is 1e-19

    def __init__(self, distance: float, prior: float):
        self.distance, self.prior = distance, prior

    def counts_at(self, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
        """TP and FP of the decision ``ratio >= threshold``, for each threshold."""
        if self.distance == 0:  # every likelihood ratio is 1
            counted = (thresholds <= 1).astype(np.float64)
            return self.prior * counted, (1.0 - self.prior) * counted
        with np.errstate(divide="ignore"):
            return self._counts_at_log(np.log(np.maximum(thresholds, 0.0)))

    def vertices(self, n_thresholds: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Thresholds, TP and FP, equally spaced in the log-likelihood ratio."""
        if self.distance == 0:
            ends = np.array([0.0, 1.0])
            return np.array([np.inf, 1.0]), self.prior * ends, (1.0 - self.prior) * ends
        reach = self.distance * (self.distance / 2 + self._TAIL)
        log_ratio = np.linspace(reach, -reach, n_thresholds)
        thresholds = np.exp(log_ratio)
        tp, fp = self._counts_at_log(log_ratio)
        thresholds[0], tp[0], fp[0] = np.inf, 0.0, 0.0
        tp[-1], fp[-1] = self.prior, 1.0 - self.prior
        # With nearly equal means some ratios round to the same float: keep the last of them.
        keep = np.append(thresholds[:-1] > thresholds[1:], True)
        return thresholds[keep], tp[keep], fp[keep]

    def _counts_at_log(self, log_ratio: FloatArray) -> tuple[FloatArray, FloatArray]:
        from scipy.special import ndtr  # slow to import, and most uses do not need it

        half, below = self.distance / 2, -log_ratio / self.distance
        return self.prior * ndtr(half + below), (1.0 - self.prior) * ndtr(below - half)
