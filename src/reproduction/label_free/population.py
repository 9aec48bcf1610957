"""The population of a calibrated classifier whose scores follow a beta distribution."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincc

from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix

__all__ = ["curve", "matrices"]


def matrices(a: float, b: float, thresholds: np.ndarray) -> ConfusionMatrix:
    """Confusion matrices of scores ~ Beta(a, b), of total weight 1, at thresholds in [0, 1].

    ``TP = ∫_t^1 x f(x) dx`` and ``FP = ∫_t^1 (1 - x) f(x) dx`` are incomplete beta functions.
    """
    tp, fp = _counts(a, b, thresholds)
    return ConfusionMatrix(tp, fp, a / (a + b) - tp, b / (a + b) - fp)


def curve(a: float, b: float, n_thresholds: int) -> ConfusionCurve:
    """Curve of the same population, with equally spaced thresholds from 1 down to 0."""
    thresholds = np.linspace(1.0, 0.0, n_thresholds)
    tp, fp = (np.maximum.accumulate(counts) for counts in _counts(a, b, thresholds))
    thresholds[0] = np.inf
    return ConfusionCurve(thresholds, tp, fp)


def _counts(a: float, b: float, thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    tp = a / (a + b) * betaincc(a + 1, b, thresholds)
    fp = b / (a + b) * betaincc(a, b + 1, thresholds)
    return tp, fp
