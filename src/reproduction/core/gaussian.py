"""Population curves of two classes with normal scores."""

import numpy as np
from scipy.special import ndtr

from calibrated_metrics.confusion import ConfusionCurve


def gaussian_curve(mean: float, sd: float, n_thresholds: int = 20_001) -> ConfusionCurve:
    """Population curve of positives N(mean, sd²) and negatives N(0, 1)."""
    thresholds = np.linspace(max(mean + 8 * sd, 8), min(mean - 8 * sd, -8), n_thresholds)
    fpr, tpr = ndtr(-thresholds), ndtr((mean - thresholds) / sd)
    return ConfusionCurve.from_roc(tpr=[0, *tpr, 1], fpr=[0, *fpr, 1], n_pos=1, n_neg=1)
