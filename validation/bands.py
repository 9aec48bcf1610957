"""Coverage of the pointwise bands of precision-recall displays; it is equal at every prior."""

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from calibrated_metrics import ConfusionCurve
from calibrated_metrics.spaces import false_positives_at
from calibrated_metrics.uncertainty.band import fpr_limits_at_recall
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


def covered(
    weighted: bool, population: Population, n_pos: int, n_neg: int, rng: RNG
) -> Iterator[Outcome]:
    """Whether the limits of the false positive rate contain the true rate, at each recall."""
    y_true, score = population.draw(rng, n_pos, n_neg)
    weight = rng.exponential(size=n_pos + n_neg) if weighted else None
    curve = ConfusionCurve.from_predictions(y_true, score, sample_weight=weight)
    fpr = false_positives_at(curve, RECALLS * curve.n_pos) / curve.n_neg
    low, high = fpr_limits_at_recall(curve, RECALLS, fpr, LEVEL)
    limit = population.curve(0.5)
    true = np.interp(RECALLS, limit.tp / 0.5, limit.fp / 0.5)
    inside = (low <= true * (1 + ROUNDING)) & (true <= high * (1 + ROUNDING))
    for recall, is_inside in zip(RECALLS, inside, strict=True):
        yield {"recall": float(recall)}, {"covered": float(is_inside)}
