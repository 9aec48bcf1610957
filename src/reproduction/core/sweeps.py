"""A point of the synthetic sweeps: Gaussian classes, scored by their likelihood ratio."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from calibrated_metrics.confusion import ConfusionCurve
from reproduction.core.metrics import Metric, values_of


def likelihood_ratio_sample(
    n_pos: int, n_neg: int, mu1: float, mu0: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw x from N(mu1, 1) and N(mu0, 1) and score it by p(x | 1) / p(x | 0).

    Returns
    -------
    y_true : ndarray of shape (n_pos + n_neg,), int8
    y_score : ndarray of shape (n_pos + n_neg,), float64
    """
    y_true = np.zeros(n_pos + n_neg, dtype=np.int8)
    y_true[:n_pos] = 1
    x = rng.standard_normal(n_pos + n_neg)
    x[:n_pos] += mu1
    x[n_pos:] += mu0
    # log ratio (mu1 - mu0) (x - (mu1 + mu0) / 2), in place: a run holds 10⁶ points
    x -= (mu1 + mu0) / 2
    x *= mu1 - mu0
    return y_true, np.exp(x, out=x)


def measured_and_population(
    metrics: Sequence[Metric],
    n_pos: int,
    n_neg: int,
    mu1: float,
    mu0: float,
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    """One row per metric: its value on a sample and on the population at the sample's prior."""
    y_true, y_score = likelihood_ratio_sample(n_pos, n_neg, mu1, mu0, rng)
    prior = n_pos / (n_pos + n_neg)
    sample = values_of(metrics, ConfusionCurve.from_predictions(y_true, y_score))
    population = values_of(metrics, ConfusionCurve.from_binormal(mu1, mu0, prior))
    return [
        {
            "n_pos": n_pos,
            "n_neg": n_neg,
            "metric": metric.key,
            "pi0": metric.pi0_at(prior),
            "value": sample[metric.key],
            "population": population[metric.key],
        }
        for metric in metrics
    ]
