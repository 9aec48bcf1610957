"""Coverage of the pointwise bands of precision-recall displays; it is equal at every prior."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from calibrated_metrics import ConfusionCurve
from calibrated_metrics.spaces import false_positives_at
from calibrated_metrics.uncertainty.band import fpr_limits_at_recall
from validation.engine import RNG, ROUNDING, Design, Outcome
from validation.populations import (
    PROBABILITIES,
    WIDE_POSITIVES,
    Population,
    binormal,
    exponential,
    heavy_tails,
)

LEVEL = 0.95
RECALLS = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98])
SIZES = ((20, 400), (40, 4000), (160, 160), (160, 1600), (1000, 5000))
POPULATIONS = (
    *map(binormal, (0.5, 1, 2)),
    *(WIDE_POSITIVES, heavy_tails(2), exponential(4), PROBABILITIES),
)


def designs() -> list[Design]:
    return [
        Design(
            {"rows": rows, "design": f"{population.name}, {n_pos}/{n_neg:,}"},
            partial(covered, rows, population, n_pos, n_neg),
        )
        for rows in ("independent", "rounded scores", "weights")
        for population in POPULATIONS
        for n_pos, n_neg in SIZES
    ]


def covered(
    rows: str, population: Population, n_pos: int, n_neg: int, rng: RNG
) -> Iterator[Outcome]:
    """Whether the limits of the false positive rate contain the true rate, at each recall."""
    if rows == "rounded scores":
        population = population.rounded(1)
    y_true, score = population.draw(rng, n_pos, n_neg)
    weight = rng.exponential(size=n_pos + n_neg) if rows == "weights" else None
    curve = ConfusionCurve.from_predictions(y_true, score, sample_weight=weight)
    fpr = false_positives_at(curve, RECALLS * curve.n_pos) / curve.n_neg
    low, high = fpr_limits_at_recall(curve, RECALLS, fpr, LEVEL)
    limit = population.curve(0.5)
    true = np.interp(RECALLS, limit.tp / 0.5, limit.fp / 0.5)
    inside = (low <= true * (1 + ROUNDING)) & (true <= high * (1 + ROUNDING))
    for recall, is_inside in zip(RECALLS, inside, strict=True):
        yield {"recall": float(recall)}, {"covered": float(is_inside)}
