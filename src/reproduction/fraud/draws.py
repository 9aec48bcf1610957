"""Random draws of the rows of a curve: undersampling of the negatives, and the bootstrap.

Only the number of drawn rows between two vertices matters, so no rows are drawn.
"""

import math
from collections.abc import Iterable

import numpy as np

from calibrated_metrics.confusion import ConfusionCurve

__all__ = ["n_negatives_kept", "resample", "steps_of", "undersample"]

_MOST_NEGATIVES = 10**9 - 1  # NumPy's limit for draws without replacement


def n_negatives_kept(curve: ConfusionCurve, pi0: float) -> int:
    """Return the number of negatives that undersampling keeps for the prior `pi0`.

    Raises
    ------
    ValueError
        If `pi0` is below the prior, or so high that no negative is kept.
    """
    # A rounding error must neither reject the prior itself nor drop a negative.
    slack = 1e-12
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


def undersample(
    curve: ConfusionCurve,
    pi0: float,
    rng: np.random.Generator,
    *,
    thresholds: Iterable[float] = (),
) -> ConfusionCurve:
    """Keep all positives and ``floor(n_pos (1 - pi0) / pi0)`` negatives, without replacement.

    Jeni et al., ACII 2013, doi:10.1109/ACII.2013.47. One multivariate hypergeometric draw.

    Parameters
    ----------
    curve : ConfusionCurve
        Of rows, not calibrated.
    pi0 : float in (0, 1)
        Target prior, at least the prior of the curve.
    thresholds : iterable of float, default=()
        Thresholds, in addition to the vertices, at which the drawn curve knows its counts.
    """
    at, tp, fp = _vertices_with(curve, thresholds)
    # Start at the lowest step, which has most negatives: later draws are then cheaper.
    kept = rng.multivariate_hypergeometric(
        steps_of(fp)[::-1], n_negatives_kept(curve, pi0), method="marginals"
    )[::-1]
    return ConfusionCurve(at, tp, _cumulative(kept))


def resample(
    curve: ConfusionCurve, rng: np.random.Generator, *, thresholds: Iterable[float] = ()
) -> ConfusionCurve:
    """Draw as many rows of each class as it has, with replacement.

    The arguments are those of `undersample`.
    """
    at, *counts = _vertices_with(curve, thresholds)
    tp, fp = (
        _cumulative(rng.multinomial(steps.sum(), steps / steps.sum()))
        for steps in map(steps_of, counts)
    )
    return ConfusionCurve(at, tp, fp)


def steps_of(cumulative: np.ndarray) -> np.ndarray:
    """Number of rows between each vertex and the next.

    Raises
    ------
    ValueError
        If they are not whole numbers, or too many to be drawn.
    """
    steps = np.diff(cumulative)
    whole = np.rint(steps)
    if not np.array_equal(steps, whole):
        raise ValueError("a random draw needs whole numbers of rows")
    if cumulative[-1] > _MOST_NEGATIVES:
        raise ValueError(f"a random draw takes at most {_MOST_NEGATIVES} rows of a class")
    return whole.astype(np.int64)


def _vertices_with(
    curve: ConfusionCurve, thresholds: Iterable[float]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Thresholds, TP and FP at the vertices and at further thresholds."""
    added = np.setdiff1d(np.array(list(thresholds), dtype=float), curve.thresholds)
    if added.size == 0:
        return curve.thresholds, curve.tp, curve.fp
    matrices = curve.confusion_matrix(added)
    at = np.concatenate([curve.thresholds, added])
    order = np.argsort(-at, kind="stable")
    tp = np.concatenate([curve.tp, matrices.tp])[order]
    return at[order], tp, np.concatenate([curve.fp, matrices.fp])[order]


def _cumulative(steps: np.ndarray) -> np.ndarray:
    return np.concatenate([[0.0], np.cumsum(steps)])
