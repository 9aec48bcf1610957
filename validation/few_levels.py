"""Coverage of values at a required rate, which jump where scores have few levels."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from scipy import stats

from calibrated_metrics import ConfusionCurve, Metric
from validation.engine import RNG, Design
from validation.intervals import designed, independent
from validation.populations import binormal
from validation.samples import Sample, TrueValue, correlated

ASKED = [
    (metric, None)
    for metric in (
        Metric("specificity_at_recall", recall=0.8),
        Metric("specificity_at_recall", recall=0.9),
        Metric("recall_at_specificity", specificity=0.9),
        Metric("precision_at_recall", recall=0.8),
        Metric("recall_at_precision", precision=0.5),
    )
]
SIZES = (30, 300), (60, 600), (200, 800)
LOWEST, HIGHEST = -0.5, 3.0  # scores between which the limits of the levels are evenly spaced
# Shares of the positives and of the negatives at each level, from the highest score on. The second
# level has a recall of 0.8 and a specificity of 0.9, plus a distance.
POSITIVES, NEGATIVES = (0.5, 0.3, 0.2), (0.03, 0.07, 0.9)
CORRELATION, ROWS_OF_CUSTOMER = 0.5, 5


def designs() -> Iterator[Design]:
    for sizes, distance in product(SIZES, (1.5, 2.5)):
        yield independent("continuous", binormal(distance), *sizes, ASKED)
        for n_levels in (3, 5, 10):
            name = f"{n_levels} levels, d′ = {distance:g}"
            cuts = np.linspace(LOWEST, HIGHEST, n_levels - 1)
            yield _at_levels(name, cuts, distance, sizes)
    for sizes, excess in product(SIZES, (-0.02, 0.0, 0.02)):
        yield _near_goals(sizes, excess)
    for n_levels in (5, 10):
        cuts = np.linspace(LOWEST, HIGHEST, n_levels - 1)
        yield _clustered(n_levels, cuts)
        yield _of_models(n_levels, cuts)


def _at_levels(name: str, cuts: np.ndarray, distance: float, sizes: tuple[int, int]) -> Design:
    """Levels between the cuts of normal scores."""
    y_true = np.arange(sum(sizes)) < sizes[0]

    def draw(rng: RNG) -> Sample:
        score = np.searchsorted(cuts, rng.normal(size=len(y_true)) + distance * y_true)
        curve = ConfusionCurve.from_predictions(y_true, score)
        return Sample((curve,), _true_value(cuts, distance, y_true.mean()), y_true.mean())

    return designed("few levels", f"{name}, {sizes[0]:,}/{sizes[1]:,}", draw, ASKED)


def _near_goals(sizes: tuple[int, int], excess: float) -> Design:
    """A level whose recall and specificity exceed the required ones a little, or miss them."""
    y_true, move = np.arange(sum(sizes)) < sizes[0], np.array([0.0, excess, -excess])
    shares = np.add(POSITIVES, move), np.subtract(NEGATIVES, move)

    def true_value(metric: Metric, pi0: float | None) -> float:
        tpr, fpr = (np.append(0.0, np.cumsum(each)) for each in shares)
        prior = y_true.mean()
        limit = ConfusionCurve([np.inf, 3, 2, 1], prior * tpr, (1 - prior) * fpr)
        return float(metric.at(pi0)(limit))

    def draw(rng: RNG) -> Sample:
        levels = [rng.choice([3, 2, 1], n, p=each) for n, each in zip(sizes, shares, strict=True)]
        curve = ConfusionCurve.from_predictions(y_true, np.concatenate(levels))
        return Sample((curve,), true_value, y_true.mean())

    name = f"recall and specificity {excess:+g}, {sizes[0]:,}/{sizes[1]:,}"
    return designed("a level near the required value", name, draw, ASKED)


def _clustered(n_levels: int, cuts: np.ndarray) -> Design:
    """Random rows of customers with correlated scores, at the prior of the population."""

    def draw(rng: RNG) -> Sample:
        customer = np.repeat(np.arange(120), ROWS_OF_CUSTOMER)
        y_true = rng.random(len(customer)) < 0.2
        score = correlated(rng, rng.normal(size=120)[customer], CORRELATION) + 2 * y_true
        level = np.searchsorted(cuts, score)
        curve = ConfusionCurve.from_predictions(y_true, level, clusters=customer)
        return Sample((curve,), _true_value(cuts, 2.0, 0.2))

    return designed("clusters", f"{n_levels} levels, 120 customers", draw, ASKED)


def _of_models(n_levels: int, cuts: np.ndarray) -> Design:
    """Two models with correlated scores of the same 60 positives and 600 negatives."""
    y_true, prior = np.arange(660) < 60, 60 / 660

    def true_difference(metric: Metric, pi0: float | None) -> float:
        first, second = (_true_value(cuts, each, prior)(metric, pi0) for each in (2.5, 1.5))
        return first - second

    def draw(rng: RNG) -> Sample:
        common = rng.normal(size=len(y_true))
        levels = [
            np.searchsorted(cuts, correlated(rng, common, CORRELATION) + each * y_true)
            for each in (2.5, 1.5)
        ]
        curves = tuple(ConfusionCurve.from_predictions(y_true, each) for each in levels)
        return Sample(curves, true_difference, prior)

    return designed("two models", f"{n_levels} levels, 60/600", draw, ASKED)


def _true_value(cuts: np.ndarray, distance: float, prior: float) -> TrueValue:
    """The value of normal scores of which only the level is known, in the infinite-sample limit."""
    tpr, fpr = (np.r_[0, stats.norm.sf(cuts[::-1] - d), 1] for d in (distance, 0))
    limit = ConfusionCurve(
        np.append(np.inf, np.arange(len(tpr) - 1)[::-1]), prior * tpr, (1 - prior) * fpr
    )
    return lambda metric, pi0: float(metric.at(pi0)(limit))
