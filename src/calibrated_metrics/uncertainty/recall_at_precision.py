"""Interval of the recall at a precision: the bootstrap, with the lower limit 0 unless a test helps.

A sample may reach the precision at a high recall although the population never reaches it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibrated_metrics.binomial import fixed_sequence
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.bootstrap import bootstrap
from calibrated_metrics.uncertainty.estimate import Estimate, Settings
from calibrated_metrics.uncertainty.units import n_of_classes

__all__ = ["recall_at_precision"]


def recall_at_precision(
    metric: Metric, curves: Sequence[ConfusionCurve], settings: Settings
) -> list[Estimate]:
    """Intervals of the recall at a precision of curves."""
    precision, tail = metric.options["precision"], (1 - settings.confidence_level) / 2
    return [
        estimate
        if estimate.reason or _is_reached(curve, precision, tail)
        else replace(estimate, low=0.0)
        for curve, estimate in zip(curves, bootstrap(metric, curves, settings), strict=True)
    ]


def _is_reached(curve: ConfusionCurve, precision: float, alpha: float) -> bool:
    """Whether a test shows that a threshold has the precision; never for weighted rows."""
    sample = curve.rows
    if not sample.is_plain or precision == 1:
        return False
    n_pos, n_neg = n_of_classes(sample)
    odds = precision * (1 - curve.prior) / (curve.prior * (1 - precision))
    tp, fp, _, _ = sample.outcomes_at(np.unique(sample.score)[::-1])
    share = odds * n_pos / (odds * n_pos + n_neg)
    return fixed_sequence(tp, tp + fp, share, int(n_pos), alpha).passed.size > 0
