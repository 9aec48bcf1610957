"""Random draws of the rows of a curve: undersampling of the negatives.

Only the number of drawn rows between two vertices matters, so individual rows are not drawn.
"""

import math
from collections.abc import Iterable

import numpy as np

from calibrated_metrics.confusion import ConfusionCurve


def n_negatives_kept(curve: ConfusionCurve, pi0: float) -> int:
    """Number of negatives that undersampling keeps for the prior `pi0`, at least 1."""
    slack = 1e-12  # a rounding error must neither reject the prior itself nor drop a negative
    if pi0 < curve.prior * (1 - slack):
        raise ValueError(
            f"pi0={pi0} must be at least the prior {curve.prior}: dropping negatives can only "
            "raise the prior"
        )
    n_kept = math.floor(curve.n_pos * (1 - pi0) / pi0 * (1 + slack))
    if n_kept == 0:
        raise ValueError(
            f"pi0={pi0} keeps no negatives; it must be at most {curve.n_pos / (curve.n_pos + 1)}"
        )
    return min(n_kept, int(curve.n_neg))


def with_vertices_at(curve: ConfusionCurve, thresholds: Iterable[float]) -> ConfusionCurve:
    """Add vertices at further thresholds to a curve of rows, so that draws have counts there."""
    at = np.union1d(curve.thresholds, list(thresholds))[::-1]
    matrices = curve.confusion_matrix(at)
    return ConfusionCurve(at, matrices.tp, matrices.fp)


def undersample(curve: ConfusionCurve, pi0: float, rng: np.random.Generator) -> ConfusionCurve:
    """Keep all positives and ``floor(n_pos (1 - pi0) / pi0)`` negatives, without replacement.

    `curve` must count rows, so it must not be calibrated. The drawn curve has counts at the
    vertices of `curve` only (see `with_vertices_at`).
    """
    # Start at the lowest step, which has most negatives, because later draws are then cheaper.
    kept = rng.multivariate_hypergeometric(
        steps_of(curve.fp)[::-1], n_negatives_kept(curve, pi0), method="marginals"
    )[::-1]
    return ConfusionCurve(curve.thresholds, curve.tp, np.append(0, kept).cumsum())


def steps_of(cumulative: np.ndarray) -> np.ndarray:
    """Number of rows between each vertex and the next."""
    return np.rint(np.diff(cumulative)).astype(np.int64)
