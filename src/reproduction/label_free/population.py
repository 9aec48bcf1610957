"""The population of a calibrated classifier whose scores follow a beta distribution."""

import numpy as np
from scipy.special import betaincc

from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix


def matrices(a: float, b: float, thresholds: np.ndarray) -> ConfusionMatrix:
    """Confusion matrices of scores ~ Beta(a, b), of total weight 1, at thresholds in [0, 1].

    ``TP = ∫_t^1 x f(x) dx`` and ``FP = ∫_t^1 (1 - x) f(x) dx`` are incomplete beta functions.
    """
    n_pos, n_neg = a / (a + b), b / (a + b)
    tp = n_pos * betaincc(a + 1, b, thresholds)
    fp = n_neg * betaincc(a, b + 1, thresholds)
    return ConfusionMatrix(tp=tp, fp=fp, fn=n_pos - tp, tn=n_neg - fp)


def curve(a: float, b: float, n_thresholds: int) -> ConfusionCurve:
    """Curve of the same population, with equally spaced thresholds from 1 down to 0."""
    thresholds = np.linspace(1.0, 0.0, n_thresholds)
    matrix = matrices(a, b, thresholds)
    tp, fp = np.maximum.accumulate([matrix.tp, matrix.fp], axis=1)  # monotone despite rounding
    thresholds[0] = np.inf
    return ConfusionCurve(thresholds, tp, fp)
