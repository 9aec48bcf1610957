"""Metrics of rows whose scores are calibrated probabilities."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._intervals.asked import Settings
from calibrated_metrics._intervals.estimate import Estimate
from calibrated_metrics._label_free.values import defined_values, value_of
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.registry import bounds_of

__all__ = ["estimate_from_probabilities"]


def estimate_from_probabilities(
    score: Callable[[ConfusionCurve], float],
    y_prob: ArrayLike,
    pi0: float | None,
    target: str,
    settings: Settings,
) -> Estimate:
    """A metric of rows whose scores are calibrated probabilities; `target` as in `estimate`."""
    probability = _checks.probabilities("y_prob", y_prob)
    value_of_curve = functools.partial(value_of, score, pi0)
    value = value_of_curve(ConfusionCurve.from_probabilities(probability))
    draw = _with_scores_drawn if target == "population" else _with_labels_drawn
    drawn = defined_values(
        value_of_curve,
        lambda: draw(probability, settings.generator),
        settings.n_resamples,
        "y_prob",
    )
    if target == "sample":
        return Estimate.percentile(value, drawn, confidence_level=settings.confidence_level)
    # Quantiles are not used: bootstrap draws contain ties and have twice the bias.
    return Estimate.normal(
        value,
        float(drawn.std(ddof=1)),
        bounds=bounds_of(score),
        confidence_level=settings.confidence_level,
    )


def _with_scores_drawn(y_prob: FloatArray, rng: np.random.Generator) -> ConfusionCurve:
    return ConfusionCurve.from_probabilities(y_prob[rng.integers(len(y_prob), size=len(y_prob))])


def _with_labels_drawn(y_prob: FloatArray, rng: np.random.Generator) -> ConfusionCurve:
    return ConfusionCurve.from_predictions(rng.random(len(y_prob)) < y_prob, y_prob)
