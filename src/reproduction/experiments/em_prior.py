"""Prior of new rows from calibrated probabilities, the fixed point of the EM algorithm.

Saerens, Latinne & Decaestecker, Neural Computation 14 (2002), doi:10.1162/089976602753284446. The
log-likelihood is concave in the prior, so Newton's method with bisection finds its maximum.
"""

from __future__ import annotations

import numpy as np

__all__ = ["em_prior"]

_TOLERANCE = 1e-10  # relative to the prior
_NEAR_0 = 1e-15


def em_prior(
    y_prob: np.ndarray,
    calibrated_at: float,
    *,
    weight: np.ndarray | None = None,
    start: float = 0.5,
) -> float:
    """Most likely prior of rows whose probabilities are calibrated at another prior.

    Parameters
    ----------
    y_prob : ndarray of shape (n_samples,), in [0, 1]
    calibrated_at : float in (0, 1)
    weight : ndarray of shape (n_samples,), default=None
        Number of times that each row counts.
    start : float in (0, 1), default=0.5
        First guess.
    """
    weight = np.ones(len(y_prob)) if weight is None else weight
    of_negative = (1 - y_prob) / (1 - calibrated_at)
    difference = y_prob / calibrated_at - of_negative
    low, high, prior = 0.0, 1.0, min(max(start, _NEAR_0), 1 - _NEAR_0)
    while high - low > _TOLERANCE * prior and _NEAR_0 <= prior <= 1 - _NEAR_0:
        ratio = difference / (of_negative + prior * difference)
        slope, curvature = (weight * ratio).sum(), (weight * ratio**2).sum()
        low, high = (prior, high) if slope > 0 else (low, prior)
        step = slope / curvature if curvature > 0 else 0.0
        if abs(step) <= _TOLERANCE * prior:
            return prior
        prior = prior + step if low < prior + step < high else (low + high) / 2
    return 0.0 if prior < _NEAR_0 else 1.0 if prior > 1 - _NEAR_0 else prior
