"""Months without labels: the estimated prior and AUC-PR, and the test of label shift.

Labelled rows of earlier months and the scores of a new month are drawn. The prior changes. In some
designs the scores drift as well, and the test of label shift may or may not detect it.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

from scipy import stats

from calibrated_metrics import ConfusionCurve, label_free
from calibrated_metrics.uncertainty import interval
from validation.engine import RNG, Design, Outcome, of_interval
from validation.populations import HARD_POSITIVES, Population, binormal, exponential, one, two
from validation.samples import AVERAGE_PRECISION, correlated

LEVEL = 0.9
N_NEW, PRIOR = 20_000, 0.015
N_CUSTOMERS, CORRELATION = 400, 0.3
ALL = NORMAL, SKEWED, _ = binormal(2), exponential(5), HARD_POSITIVES
# Shifts of the positives and of the negatives, in standard deviations, and the share of the
# negatives with scores like those of positives.
DRIFTS = {
    "negatives +0.1 sd": (0, 0.1, 0),
    "positives −0.3 sd": (-0.3, 0, 0),
    "positives +0.3 sd": (0.3, 0, 0),
    "0.3 % of the negatives score as positives": (0, 0, 0.003),
}
SHIFTED = {
    NORMAL: lambda of_pos, of_neg: (stats.norm(2 + of_pos), stats.norm(of_neg)),
    SKEWED: lambda of_pos, of_neg: (stats.expon(of_pos, 5), stats.expon(of_neg)),
}


def designs() -> Iterator[Design]:
    months = (
        *product(["independent"], ALL, ["none"], (5000, 20_000), (0.006, 0.03)),
        *product(["few labelled"], ALL, ["none"], (1000, 2000), (0.03, 0.3)),
        *product(["independent"], SHIFTED, DRIFTS, [20_000], (0.006, 0.03)),
        ("clusters", NORMAL, "none", 20_000, 0.03),
    )
    names = ("rows", "population", "drift", "n_labelled", "new_prior")
    for rows, population, drift, *sizes in months:
        labels = dict(zip(names, (rows, population.name, drift, *sizes), strict=True))
        new = population if drift == "none" else drifted(population, *DRIFTS[drift])
        draw = _clusters if rows == "clusters" else _independent
        yield Design(labels, partial(_outcomes, partial(draw, population, new), new, *sizes))


def drifted(population: Population, of_pos: float, of_neg: float, tail: float) -> Population:
    pos, neg = SHIFTED[population](of_pos, of_neg)
    return Population(population.name, one(pos), two(tail, neg, pos))


def _independent(
    population: Population, new: Population, y_true: Any, y_new: Any, rng: RNG
) -> tuple[ConfusionCurve, Any, None]:
    labelled = ConfusionCurve.from_predictions(y_true, population.draw_of(rng, y_true))
    return labelled, new.draw_of(rng, y_new), None


def _clusters(
    population: Population, new: Population, y_true: Any, y_new: Any, rng: RNG
) -> tuple[ConfusionCurve, Any, Any]:
    customers = [rng.integers(N_CUSTOMERS, size=len(y)) for y in (y_true, y_new)]
    common = [rng.normal(size=N_CUSTOMERS)[of_row] for of_row in customers]
    score = population.of_normal(y_true, correlated(rng, common[0], CORRELATION))
    labelled = ConfusionCurve.from_predictions(y_true, score, clusters=customers[0])
    of_new = new.of_normal(y_new, correlated(rng, common[1], CORRELATION))
    return labelled, of_new, customers[1] + N_CUSTOMERS


def _outcomes(
    draw: Any, population: Population, n_labelled: int, new_prior: float, rng: RNG
) -> Iterator[Outcome]:
    y_true, y_new = rng.random(n_labelled) < PRIOR, rng.random(N_NEW) < new_prior
    labelled, new, clusters = draw(y_true, y_new, rng)
    options = {"confidence_level": LEVEL, "clusters": clusters}
    old = interval(AVERAGE_PRECISION, labelled, confidence_level=LEVEL)
    true = population.value(AVERAGE_PRECISION, new_prior)
    for name, estimate, truth in (
        ("prior", label_free.estimate_prior(new, labelled, **options), new_prior),
        ("AUC-PR", label_free.estimate(AVERAGE_PRECISION, new, labelled, **options), true),
        ("AUC-PR at the old prior", old, true),
    ):
        record = of_interval(estimate, truth)
        for column in ("width", "error"):
            record[column] /= truth
        yield {"estimate": name}, record
