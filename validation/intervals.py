"""Coverage of the 95 % intervals of rankings and decisions, on samples of known populations.

``python validation/intervals.py PART [n_samples]`` prints a table in some minutes. Parts: few (a
class of 10 to 20 rows), rare (negatives above all positives, positives below all negatives),
ordinary, strata (audits), weights (tied to the scores), clusters, paired (two models), decisions
(exact sums over all counts, no samples).
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from populations import POPULATIONS, Mixture, Population, binormal, contaminated, normal, one
from scipy import stats

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric
from calibrated_metrics.uncertainty import Estimate, IntervalWarning, difference, interval

SEED = 20261123
AREAS = ("average_precision", "roc_auc")
DECISIONS = ("precision", "recall", "f1", "npv")

Drawn = tuple[Estimate, float]
"""An interval, and the true value."""


class Cell(NamedTuple):
    """A design, and a function that draws a sample and estimates the metric."""

    name: str
    draw: Callable[[np.random.Generator], Drawn]


def measured(cell: Cell, n_samples: int) -> str:
    """A row of the table: coverage, shares, mean width, and width over the needed one.

    Needed are 3.92 standard deviations of the error of the estimate.
    """
    covered, zero, warned, widths, errors = [], [], [], [], []
    for number in range(n_samples):
        rng = np.random.default_rng([SEED, number, *cell.name.encode()])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimate, true = cell.draw(rng)
        if estimate.reason is not None:
            continue
        covered.append(estimate.low - 1e-9 <= true <= estimate.high + 1e-9)
        zero.append(estimate.low <= 0 <= estimate.high)
        warned.append(any(issubclass(each.category, IntervalWarning) for each in caught))
        widths.append(estimate.high - estimate.low)
        errors.append(estimate.value - true)
    needed = 3.92 * np.std(errors)
    shares = f"{np.mean(covered):.3f} | {1 - np.mean(zero):.3f} | {np.mean(warned):.2f}"
    width = f"{np.mean(widths):.4f} | {np.mean(widths) / needed:.2f}"
    return f"| {cell.name} | {shares} | {width} | {n_samples - len(covered)} |"


# ------------------------------------------------------------------------------ one population


def of_population(
    metric: str, name: str, population: Population, n_pos: int, n_neg: int, pi0: float | None = None
) -> Cell:
    true = Metric(metric).value(population.curve(pi0 or n_pos / (n_pos + n_neg)))

    def draw(rng: np.random.Generator) -> Drawn:
        return interval(metric, population.draw(rng, n_pos, n_neg), pi0=pi0), true

    prior = "own prior" if pi0 is None else f"prior {pi0:g}"
    return Cell(f"{metric}, {name}, {n_pos:,}/{n_neg:,}, {prior}", draw)


def few() -> Iterator[Cell]:
    hard = Population(one(normal(1)), Mixture((0.9, 0.1), (normal(0), normal(6, 0.5))))
    for distance in (1, 2, 3):
        for sizes in ((1000, 10), (400, 20), (2000, 12)):
            yield of_population("roc_auc", f"d' = {distance}", binormal(distance), *sizes)
    for sizes in ((2000, 10), (5000, 20)):
        yield of_population("roc_auc", "10 % hard negatives", hard, *sizes)


def rare() -> Iterator[Cell]:
    of_negatives = (
        (0.001, 20, 980, None),
        (0.0003, 60, 2940, None),
        (0.001, 200, 1000, 0.01),
        (0.001, 1000, 1000, 0.05),
        (0.003, 300, 300, 0.05),
        (0.0003, 1000, 1000, 0.05),
    )
    for metric in AREAS:
        for share, *sizes in of_negatives:
            population = contaminated(share)
            yield of_population(metric, f"{share:.2%} hard negatives", population, *sizes)
        for sizes in ((20, 1000), (60, 3000), (200, 10_000)):
            yield of_population(metric, "3 % missed", POPULATIONS["missed 3 %"], *sizes)
        for sizes in ((20, 1000), (60, 3000)):
            yield of_population(metric, "forest", POPULATIONS["forest"], *sizes)


def ordinary() -> Iterator[Cell]:
    for distance in (0.5, 1, 2):
        for prior in (0.5, 0.05, 0.005):
            for n_pos in (20, 40, 160, 1000):
                n_neg = round(n_pos * (1 - prior) / prior)
                if n_neg > 60_000:
                    continue
                for pi0 in (None, 0.01, 0.5):
                    for metric in AREAS if pi0 is None else AREAS[:1]:
                        name, population = f"d' = {distance}", binormal(distance)
                        yield of_population(metric, name, population, n_pos, n_neg, pi0)


# ------------------------------------------------------------------ strata, weights and clusters


def strata() -> Iterator[Cell]:
    """Labels of some rows of each stratum of the scores; the population is known."""
    designs = (
        ((0.9, 0.98), (200, 100, 100), 0.01, 2.5, 2.0),
        ((0.9, 0.98), (400, 300, 300), 0.01, 2.5, 2.0),
        ((0.9, 0.98), (1000, 1000, 1000), 0.05, 2.5, 2.0),
        ((0.9, 0.98), (400, 300, 300), 0.01, 1.0, 2.0),
        ((0.5, 0.8, 0.95, 0.99), (100,) * 5, 0.02, 2.0, 1.5),
        ((0.7,), (250, 150), 0.1, 1.5, 1.0),
        ((0.5, 0.8), (200, 200, 200), 0.3, 1.5, 2.0),
    )
    for design in designs:
        for metric in (*AREAS, *DECISIONS):
            yield _audit(metric, None, *design)
        yield _audit("average_precision", 0.01, *design)


def _audit(
    metric: str,
    pi0: float | None,
    cuts: tuple[float, ...],
    sizes: tuple[int, ...],
    prior: float,
    distance: float,
    threshold: float,
) -> Cell:
    def draw(rng: np.random.Generator) -> Drawn:
        y_true = rng.random(100_000) < prior
        score = rng.normal(size=100_000) + distance * y_true
        stratum = np.searchsorted(np.quantile(score, cuts), score, side="right")
        members = [np.flatnonzero(stratum == each) for each in range(len(sizes))]
        pairs = zip(members, sizes, strict=True)
        rows = np.concatenate([rng.choice(each, n, replace=False) for each, n in pairs])
        weight = (np.bincount(stratum) / sizes)[stratum[rows]]
        drawn = {"sample_weight": weight, "strata": stratum[rows]}
        true = Metric(metric, pi0=pi0)(data_of(metric, y_true, score, threshold))
        data = data_of(metric, y_true[rows], score[rows], threshold, **drawn)
        return interval(metric, data, pi0=pi0), true

    at = "own prior" if pi0 is None else f"prior {pi0:g}"
    labels = "/".join(map(str, sizes))
    return Cell(f"{metric}, labels {labels}, {at}, population {prior:g}, d' = {distance:g}", draw)


def data_of(
    metric: str, y_true: Any, score: Any, threshold: float, **drawn: Any
) -> ConfusionCurve | ConfusionMatrix:
    if metric in AREAS:
        return ConfusionCurve.from_predictions(y_true, score, **drawn)
    return ConfusionMatrix.from_predictions(y_true, score >= threshold, **drawn)


def weights() -> Iterator[Cell]:
    """Rows are kept with a probability that depends on the score; there are no strata."""
    kept = {
        "1 in 20 below 1": lambda score: np.where(score > 1, 1.0, 0.05),
        "0.02 to 1": lambda score: 0.02 + 0.98 / (1 + np.exp(-2 * (score - 1.5))),
        "0.33 to 1": lambda score: 0.33 + 0.67 / (1 + np.exp(-score)),
    }
    for name, probability in kept.items():
        for n, prior in ((3000, 0.02), (3000, 0.1), (20_000, 0.02)):
            for metric in (*AREAS, *DECISIONS):
                yield _weighted(metric, name, probability, n, prior)


def _weighted(
    metric: str, name: str, probability: Callable[[Any], Any], n: int, prior: float
) -> Cell:
    true = _true_value(metric, 2.0, 1.5, prior)

    def draw(rng: np.random.Generator) -> Drawn:
        y_true = rng.random(n) < prior
        score = rng.normal(size=n) + 2 * y_true
        share = probability(score)
        rows = rng.random(n) < share
        data = data_of(metric, y_true[rows], score[rows], 1.5, sample_weight=1 / share[rows])
        return interval(metric, data, pi0=prior), true

    return Cell(f"{metric}, kept {name}, {n:,} rows, prior {prior:g}", draw)


def _true_value(metric: str, distance: float, threshold: float, prior: float) -> float:
    if metric not in DECISIONS:
        return Metric(metric).value(binormal(distance).curve(prior))
    rates = stats.norm.sf([threshold - distance, threshold])
    return Metric(metric).value(ConfusionMatrix.from_rates(*rates, prior=prior))


def clusters() -> Iterator[Cell]:
    """Customers with a common part of their scores; sizes are 1 to 20, or heavy-tailed."""
    for n_customers, heavy in ((60, False), (200, False), (200, True), (400, True)):
        for share in (0.1, 0.3):
            for metric in (*AREAS, *DECISIONS):
                yield _clustered(metric, n_customers, share, heavy=heavy)


def _clustered(metric: str, n_customers: int, share: float, *, heavy: bool) -> Cell:
    prior = 0.1
    true = _true_value(metric, 1.5, 1.5, prior)

    def draw(rng: np.random.Generator) -> Drawn:
        sizes = rng.integers(1, 21, n_customers)
        if heavy:
            sizes = np.minimum(3 * (1 + rng.pareto(1.2, n_customers)), 300).astype(int)
        customer = np.repeat(np.arange(n_customers), sizes)
        y_true = rng.random(len(customer)) < prior
        common, own = rng.normal(size=n_customers)[customer], rng.normal(size=len(customer))
        score = np.sqrt(share) * common + np.sqrt(1 - share) * own + 1.5 * y_true
        data = data_of(metric, y_true, score, 1.5, clusters=customer)
        return interval(metric, data, pi0=prior), true

    sizes = "heavy-tailed" if heavy else "1 to 20"
    return Cell(f"{metric}, {n_customers} customers of {sizes} rows, correlation {share:g}", draw)


# -------------------------------------------------------------------------------- two models


def paired() -> Iterator[Cell]:
    of_areas = (
        (150, 3000, 3.6, 3.4, 0.95),
        (150, 3000, 3.5, 3.5, 0.95),
        (150, 3000, 1.6, 1.5, 0.95),
        (150, 3000, 1.9, 1.5, 0.6),
        (30, 1500, 1.5, 1.5, 0.95),
        (30, 300, 3.0, 2.5, 0.7),
        (300, 300, 2.0, 2.2, 0.9),
        (10, 1000, 2.0, 1.5, 0.5),
    )
    of_decisions = (
        (150, 3000, 2.5, 2.3, 0.95, 2.0),
        (30, 600, 2.2, 1.8, 0.8, 2.0),
        (60, 60, 1.5, 1.5, 0.9, 1.0),
    )
    for metric in AREAS:
        for design in of_areas:
            yield _of_models(metric, *design)
    for metric in ("prg_auc", "best_fbeta"):
        yield _of_models(metric, 150, 1500, 2.0, 1.8, 0.9)
    for metric in DECISIONS:
        for design in of_decisions:
            yield _of_models(metric, *design)


def _of_models(
    metric: str, n_pos: int, n_neg: int, a: float, b: float, share: float, threshold: float = 0.0
) -> Cell:
    prior = n_pos / (n_pos + n_neg)
    true = _true_value(metric, a, threshold, prior) - _true_value(metric, b, threshold, prior)
    y_true = np.arange(n_pos + n_neg) < n_pos

    def draw(rng: np.random.Generator) -> Drawn:
        common = np.sqrt(share) * rng.normal(size=len(y_true))
        scores = (
            common + np.sqrt(1 - share) * rng.normal(size=len(y_true)) + each * y_true
            for each in (a, b)
        )
        kind = "roc_auc" if metric not in DECISIONS else metric
        pair = [data_of(kind, y_true, score, threshold) for score in scores]
        return difference(metric, *pair, paired=True), true

    return Cell(f"{metric}, {n_pos}/{n_neg:,}, d' {a:g} and {b:g}, correlation {share:g}", draw)


# ------------------------------------------------------------------------------- exact sums

TPR = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.985, 0.99, 0.998)
EXPECTED_FP = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20)
MOST_FP = 60  # more have a negligible probability


def decisions() -> None:
    """Coverage of metrics of a decision at each TPR and expected number of false positives."""
    print("| metric | positives/negatives | prior | least coverage | at TPR, FP | mean |")
    print("|---|---|---|---|---|---|")
    for n_pos, n_neg in ((20, 380), (20, 20), (60, 60)):
        for pi0 in (None, 0.01):
            for metric in (*DECISIONS, "matthews_corrcoef", "cohen_kappa"):
                cells = list(_exact(metric, n_pos, n_neg, pi0))
                least, *place = min(cells)
                mean = np.mean([cell[0] for cell in cells])
                at = "own" if pi0 is None else pi0
                print(f"| {metric} | {n_pos}/{n_neg} | {at} | {least:.3f} | {place} | {mean:.3f} |")


def _exact(
    metric: str, n_pos: int, n_neg: int, pi0: float | None
) -> Iterator[tuple[float, float, float]]:
    """Coverage, TPR and expected false positives; counts for which 0/0 occurs are left out."""
    most = min(n_neg, MOST_FP)
    limits = np.full((2, n_pos + 1, most + 1), np.nan)
    for tp, fp in itertools.product(range(n_pos + 1), range(most + 1)):
        matrix = ConfusionMatrix(tp=tp, fp=fp, fn=n_pos - tp, tn=n_neg - fp)
        with contextlib.suppress(ValueError):
            estimate = interval(metric, matrix, pi0=pi0)
            limits[:, tp, fp] = estimate.low, estimate.high
    known = ~np.isnan(limits[0])
    for tpr, expected in itertools.product(TPR, EXPECTED_FP):
        fpr = expected / n_neg
        if fpr > 0.95:
            continue
        prior = n_pos / (n_pos + n_neg) if pi0 is None else pi0
        true = Metric(metric).value(ConfusionMatrix.from_rates(tpr, fpr, prior=prior))
        chance = np.outer(
            stats.binom.pmf(np.arange(n_pos + 1), n_pos, tpr),
            stats.binom.pmf(np.arange(most + 1), n_neg, fpr),
        )
        covered = (limits[0] <= true + 1e-12) & (true - 1e-12 <= limits[1])
        yield (chance * covered)[known].sum() / chance[known].sum(), tpr, expected


PARTS = {part.__name__: part for part in (few, rare, ordinary, strata, weights, clusters, paired)}


def run(part: str, n_samples: int = 500) -> None:
    if part == "decisions":
        return decisions()
    print(f"| {part} | coverage | excludes 0 | warned | width | width / needed | withheld |")
    print("|---|---|---|---|---|---|---|")
    for cell in PARTS[part]():
        print(measured(cell, n_samples), flush=True)


if __name__ == "__main__":
    run(sys.argv[1], *map(int, sys.argv[2:]))
