"""Coverage where few rows decide, and whether a warning says so (the column `doubted`)."""

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
from scipy import stats

from calibrated_metrics import ConfusionCurve, Metric
from validation.engine import RNG, Design
from validation.intervals import designed
from validation.populations import Population, binormal, one, two
from validation.samples import AREAS, Sample, true_at

# A reference population of two segments. The scores of the second one are higher.
OF_SEGMENT = {"a": 0.65, "b": 0.35}
OF_CELL = {("a", 1): 0.05, ("b", 1): 0.05, ("a", 0): 0.6, ("b", 0): 0.3}
SHIFT, PRIOR = 0.7, 0.1
GAINING, NOISE = 0.1, 0.1  # share of the positives that one model ranks higher; of its scores


def designs() -> Iterator[Design]:
    yield from segments()
    yield from models()


def segments() -> Iterator[Design]:
    """The second segment has half of the positives of the population, and few of the sample."""
    for strata, distances, n_pos in product(
        ("segment", "segment and class"), ((2.0, 1.0), (1.0, 2.5), (2.5, 2.5)), (1, 2, 3, 5, 9, 20)
    ):
        name = f"{n_pos} positives in one, d′ {distances[0]:g} and {distances[1]:g}"
        draw = partial(_segments, strata, distances, n_pos)
        yield designed(f"strata: {strata}", name, draw, list(product(AREAS, [None])))


def _segments(strata: str, distances: tuple[float, float], n_pos: int, rng: RNG) -> Sample:
    of_a, of_b = (stats.norm(d + move) for d, move in zip(distances, (0, SHIFT), strict=True))
    population = Population(
        "two segments", two(0.5, of_a, of_b), two(1 / 3, stats.norm(), stats.norm(SHIFT))
    )
    sizes = {("a", 1): 60, ("b", 1): n_pos, ("a", 0): 800, ("b", 0): max(40, 10 * n_pos)}
    if strata == "segment":
        sizes = {}
        for name, n in (("a", 860), ("b", max(8, 7 * n_pos))):
            positives = rng.binomial(n, OF_CELL[name, 1] / OF_SEGMENT[name])
            sizes |= {(name, 1): positives, (name, 0): n - positives}
    cells = [cell for cell, n in sizes.items() for _ in range(n)]
    segment = np.array([cell[0] for cell in cells])
    y_true = np.array([cell[1] == 1 for cell in cells])
    distance = np.where(segment == "a", *distances)
    score = rng.normal(size=len(cells)) + SHIFT * (segment == "b") + distance * y_true
    curve = ConfusionCurve.from_predictions(
        y_true, score, strata=segment if strata == "segment" else cells
    )
    share = OF_SEGMENT if strata == "segment" else OF_CELL
    return Sample((curve.at_population(share),), true_at(PRIOR, population))


def models() -> Iterator[Design]:
    """One model gives a tenth of the positives higher scores; else the models are nearly equal."""
    for n_pos, distance in product((30, 50, 80, 300), (1.0, 2.0)):
        name = f"{n_pos}/{20 * n_pos:,}, d′ = {distance:g}"
        draw = partial(_models, n_pos, distance)
        asked = [*AREAS, Metric("recall", threshold=distance)]
        yield designed("two models, few differ", name, draw, list(product(asked, [None])))


def _models(n_pos: int, distance: float, rng: RNG) -> Sample:
    y_true = np.arange(21 * n_pos) < n_pos
    score = binormal(distance).draw_of(rng, y_true)
    gain = 3 * (y_true & (rng.random(len(y_true)) < GAINING))
    scores = (score + gain + NOISE * rng.normal(size=len(y_true)), score)
    spread = np.sqrt(1 + NOISE**2)
    ordinary, gaining = (stats.norm(distance + move, spread) for move in (0, 3))
    better = Population("better", two(GAINING, ordinary, gaining), one(stats.norm(0, spread)))
    curves = tuple(ConfusionCurve.from_predictions(y_true, each) for each in scores)
    return Sample(curves, true_at(1 / 21, better, binormal(distance)), 1 / 21)
