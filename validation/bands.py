"""Coverage of the pointwise bands of precision-recall displays.

At a known prior it is that of the false positive rate. Otherwise rows are random.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from calibrated_metrics import ConfusionCurve
from calibrated_metrics.uncertainty.band import fpr_limits_at_recall, limits_at_recall
from calibrated_metrics.uncertainty.estimate import Scale
from validation.engine import RNG, ROUNDING, Design, Outcome
from validation.populations import NORMAL, OTHERS, Population

LEVEL = 0.95
RECALLS = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98])
SIZES = ((20, 400), (40, 4000), (160, 160), (160, 1600), (1000, 5000))


def designs() -> Iterator[Design]:
    for rows, population, (n_pos, n_neg) in product(
        ("independent", "rounded scores", "weights"), (*NORMAL, *OTHERS), SIZES
    ):
        labels = {"rows": rows, "design": f"{population.name}, {n_pos}/{n_neg:,}"}
        drawn = population.rounded(1) if rows == "rounded scores" else population
        yield Design(labels, partial(covered, rows == "weights", drawn, n_pos, n_neg))
    for population, (n_pos, n_neg) in product((*NORMAL, *OTHERS), SIZES):
        labels = {"rows": "random rows", "design": f"{population.name}, {n_pos}/{n_neg:,}"}
        yield Design(labels, partial(covered_at_own_prior, population, n_pos, n_neg))


def covered(
    weighted: bool, population: Population, n_pos: int, n_neg: int, rng: RNG
) -> Iterator[Outcome]:
    """Whether the limits of the false positive rate contain the true rate, at each recall."""
    y_true, score = population.draw(rng, n_pos, n_neg)
    weight = rng.exponential(size=n_pos + n_neg) if weighted else None
    curve = ConfusionCurve.from_predictions(y_true, score, sample_weight=weight)
    low, high = fpr_limits_at_recall(curve, RECALLS, LEVEL)
    yield from _outcomes(low, _true(population), high)


def covered_at_own_prior(
    population: Population, n_pos: int, n_neg: int, rng: RNG
) -> Iterator[Outcome]:
    """Whether the limits contain the precision of the population, at each recall."""
    prior = n_pos / (n_pos + n_neg)
    y_true = rng.random(n_pos + n_neg) < prior
    curve = ConfusionCurve.from_predictions(y_true, population.draw_of(rng, y_true))
    limits = limits_at_recall(curve, RECALLS, LEVEL, _precision, Scale(0.0, 1.0))
    yield from _outcomes(limits[0], _precision(RECALLS, _true(population), prior), limits[1])


def _precision(recall: Any, fpr: Any, prior: float) -> Any:
    return prior * recall / (prior * recall + (1 - prior) * fpr)


def _true(population: Population) -> Any:
    """False positive rates of the population."""
    limit = population.curve(0.5)
    return np.interp(RECALLS, limit.tp / 0.5, limit.fp / 0.5)


def _outcomes(low: Any, true: Any, high: Any) -> Iterator[Outcome]:
    inside = (low <= true * (1 + ROUNDING)) & (true <= high * (1 + ROUNDING))
    for recall, is_inside in zip(RECALLS, inside, strict=True):
        yield {"recall": float(recall)}, {"covered": float(is_inside)}
