"""Interval of the recall at a precision: the bootstrap, with the lower limit 0 unless a test helps.

A sample may reach the precision at a high recall although the population never reaches it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from calibrated_metrics.binomial import fixed_sequence
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores.metric import Metric
from calibrated_metrics.uncertainty.bootstrap import bootstrap
from calibrated_metrics.uncertainty.estimate import Limits, Measured, Settings
from calibrated_metrics.uncertainty.units import n_of_classes

__all__ = ["recall_at_precision"]


def recall_at_precision(
    metric: Metric, curves: Sequence[ConfusionCurve], settings: Settings
) -> list[Measured]:
    """The recall at a precision of one sample at several priors, from the same draws."""
    precision, found = metric.options["precision"], bootstrap(metric, curves, settings)
    return [
        each
        if each.reason
        else replace(each, limits=_limits(each.limits, curve, precision), own_limits=None)
        for curve, each in zip(curves, found, strict=True)
    ]


def _limits(of_bootstrap: Limits, curve: ConfusionCurve, precision: float) -> Limits:
    """The limits of the bootstrap, with a lower one of 0 if no test shows the precision.

    There is no such test of weighted rows.
    """
    sample = curve.rows
    has_test = sample.is_plain and precision < 1
    if has_test:
        n_pos, n_neg = n_of_classes(sample)
        odds = precision * (1 - curve.prior) / (curve.prior * (1 - precision))
        matrices: Any = curve._unweighted.confusion_matrix(np.unique(sample.score)[::-1])
        tp, fp = matrices.tp, matrices.fp
        share = odds * n_pos / (odds * n_pos + n_neg)

    def limits(level: float) -> tuple[float, float]:
        low, high = of_bootstrap(level)
        tail = (1 - level) / 2
        is_reached = has_test and fixed_sequence(tp, tp + fp, share, int(n_pos), tail).passed.size
        return low if is_reached else 0.0, high

    return limits
