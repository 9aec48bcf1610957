"""The population of calibrated probabilities that follow a distribution."""

from typing import Any

import numpy as np
from scipy.integrate import quad, tanhsinh

from calibrated_metrics.confusion import ConfusionCurve


def curve_of_distribution(dist: Any, *, n_thresholds: int) -> ConfusionCurve:
    """Build the curve of a calibrated classifier whose scores follow a distribution.

    At threshold t, ``TP = ∫_t^1 x f(x) dx`` and ``FP = ∫_t^1 (1 - x) f(x) dx``, each within 1e-10.
    The total weight is 1.

    Parameters
    ----------
    dist : frozen continuous scipy.stats distribution
        Its support must lie in [0, 1].
    n_thresholds : int >= 2
        Number of vertices, equally spaced from 1 down to 0.
    """
    population = ScoreDistribution(dist)
    return ConfusionCurve.from_population(population, *population.vertices(n_thresholds))


class ScoreDistribution:
    """Calibrated probabilities X with a known distribution: TP = ∫ x dF, FP = ∫ (1 - x) dF."""

    def __init__(self, dist: Any):
        low, high = dist.support()
        if not (0 <= low < high <= 1):
            raise ValueError(f"dist must have its support within [0, 1], got [{low}, {high}]")
        self._dist, self._low, self._high = dist, low, high
        # Quantiles split long intervals in which the survival function falls steeply.
        quantiles = dist.ppf([0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999])
        self._breaks = np.concatenate([[low, high], quantiles])

    def counts_at(self, thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        inside, place = np.unique(-np.clip(thresholds, 0.0, 1.0), return_inverse=True)
        _, tp, fp = self._counts_at(np.concatenate([[1.0], -inside]))
        # At or below the support the counts are the totals; sums over another grid may round.
        everything = thresholds <= self._low
        return (
            np.where(everything, np.inf, tp[place + 1]),
            np.where(everything, np.inf, fp[place + 1]),
        )

    def vertices(self, n_thresholds: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        thresholds, tp, fp = self._counts_at(np.linspace(1.0, 0.0, n_thresholds))
        thresholds[0] = np.inf
        return thresholds, tp, fp

    def _counts_at(self, descending: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Counts at descending thresholds that start at 1.

        Integration by parts gives ∫_a^b x dF = a S(a) - b S(b) + ∫_a^b S. The survival function S
        is bounded even where the density is not. It has kinks at the ends of the support, so
        intervals end there.
        """
        inside = np.clip(descending, self._low, self._high)
        grid = np.unique(np.concatenate([inside, self._breaks]))[::-1]
        upper, lower = grid[:-1], grid[1:]
        survival = self._dist.sf(grid)
        d_tp = lower * survival[1:] - upper * survival[:-1] + self._integrals(lower, upper)
        d_fp = np.diff(survival) - d_tp
        wanted = np.searchsorted(-grid, -inside)
        tp, fp = (
            np.concatenate([[0.0], np.cumsum(np.maximum(steps, 0.0))])[wanted]
            for steps in (d_tp, d_fp)
        )
        return descending, tp, fp

    def _integrals(self, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """∫ S over each interval."""
        # S falls by at most 1, so on tiny intervals the trapezoidal rule is exact up to rounding.
        areas: np.ndarray = (upper - lower) * (self._dist.sf(lower) + self._dist.sf(upper)) / 2
        wide = upper - lower > 1e-12
        integral = tanhsinh(self._dist.sf, lower[wide], upper[wide], atol=1e-16, rtol=1e-12)
        areas[wide] = integral.integral
        for index in np.flatnonzero(wide)[~integral.success]:  # kinks: bisect adaptively
            areas[index], error = quad(
                self._dist.sf, lower[index], upper[index], epsabs=1e-13, epsrel=1e-12, limit=1000
            )
            if error > 1e-11:
                raise ValueError(
                    f"dist could not be integrated between {lower[index]} and {upper[index]}: "
                    f"its survival function is too irregular (error {error:.1g})"
                )
        return areas
