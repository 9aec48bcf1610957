"""Coverage of intervals about the population of random rows, whose prior is estimated, too.

No reference prior is given. The numbers of positives and negatives are random: rows are drawn from
the population, belong to customers with their own rates of positives, or lack most negatives.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from calibrated_metrics import ConfusionCurve
from validation import samples
from validation.engine import RNG, Design
from validation.intervals import Asked, designed
from validation.populations import FOREST, Population, binormal
from validation.samples import AREAS, GAIN, Sample, true_at

OF_DECISIONS = ("precision", "npv", "recall", "f1", "mcc", "kappa", "accuracy")
KEPT = 0.05  # share of the negatives
FEW_POSITIVES = 10  # expected ones; designs of customers have at least as many


def designs() -> Iterator[Design]:
    for part in (plain, customers, two_samples):
        yield from part()


def asked(population: Population, *recalls: float) -> Asked:
    """Metrics of a curve, and of decisions with about these recalls, at the population's prior."""
    at = dict.fromkeys(map(population.threshold, recalls))
    decisions = [each for threshold in at for each in samples.decisions(threshold, *OF_DECISIONS)]
    return list(product((*AREAS, GAIN, *decisions), [None]))


def plain() -> Iterator[Design]:
    for rows, population, prior, n in product(
        ("random rows", "negatives kept 1 in 20"),
        (binormal(1), binormal(2.5), FOREST),
        (0.007, 0.03, 0.15, 0.45),
        (300, 2000, 12_000),
    ):
        share = KEPT if rows == "negatives kept 1 in 20" else 1.0
        name = f"{population.name}, prior {prior:g}, {n:,} rows"
        draw = partial(_plain, population, prior, n, share)
        yield designed(rows, name, draw, asked(population, 0.15, 0.65, 0.95))


def _plain(population: Population, prior: float, n: int, share: float, rng: RNG) -> Sample:
    """About n rows. This share of the negatives of the population was kept."""
    y_true = rng.random(round(n / (prior + (1 - prior) * share))) < prior
    y_true = y_true[y_true | (rng.random(len(y_true)) < share)]
    weight = np.where(y_true, 1.0, 1 / share)
    curve = ConfusionCurve.from_predictions(
        y_true, population.draw_of(rng, y_true), sample_weight=weight
    )
    return Sample((curve,), true_at(prior, population))


def customers() -> Iterator[Design]:
    """Customers whose rates of positives have a beta distribution, with a correlation of scores.

    In half of the designs, one customer has a tenth of the rows.
    """
    population = binormal(2)
    for prior, n, n_rows, concentration, has_big, share in product(
        *((0.02, 0.1, 0.4), (50, 150), (8, 30), (4, 40), (False, True), (0.0, 0.4)),
    ):
        if prior * n * n_rows >= FEW_POSITIVES:
            name = (
                f"{n} customers of {n_rows} rows, rates Beta({concentration * prior:g}, "
                f"{concentration * (1 - prior):g}), correlation {share:g}"
            )
            name += ", one with a tenth of the rows" if has_big else ""
            draw = partial(_customers, prior, n, n_rows, concentration, has_big, share)
            yield designed("customers with rates", name, draw, asked(population, 0.84))


def _customers(
    prior: float,
    n: int,
    n_rows: float,
    concentration: float,
    has_big: bool,
    share: float,
    rng: RNG,
) -> Sample:
    sizes = 1 + rng.poisson(n_rows - 1, size=n)
    if has_big:
        sizes[0] = sizes[1:].sum() // 9
    rate = rng.beta(concentration * prior, concentration * (1 - prior), size=n)
    customer = np.repeat(np.arange(n), sizes)
    y_true = rng.random(len(customer)) < rate[customer]
    normal = samples.correlated(rng, rng.normal(size=n)[customer], share)
    score = binormal(2).of_normal(y_true, normal)
    curve = ConfusionCurve.from_predictions(y_true, score, clusters=customer)
    return Sample((curve,), true_at(prior, binormal(2)))


def two_samples() -> Iterator[Design]:
    """Two samples of one population."""
    for population, prior, (n_a, n_b) in product(
        (binormal(1), binormal(2.5)), (0.02, 0.1, 0.5), ((300, 300), (2000, 2000), (500, 10_000))
    ):
        name = f"{population.name}, prior {prior:g}, {n_a:,} and {n_b:,} rows"
        draw = partial(_pair, population, prior, (n_a, n_b))
        metrics = (*AREAS, *samples.decisions(population.threshold(), *OF_DECISIONS))
        yield designed("two random samples", name, draw, list(product(metrics, [None])))


def _pair(population: Population, prior: float, sizes: tuple[int, int], rng: RNG) -> Sample:
    curves = tuple(_plain(population, prior, n, 1.0, rng).curves[0] for n in sizes)
    return Sample(curves, true_at(prior, population, population))
