"""Coverage if a part of the alerts and of the other rows is verified.

The intervals are about future rows, from the population of which all rows are a random sample.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from calibrated_metrics import ConfusionCurve, audit
from validation import samples
from validation.engine import RNG, Design
from validation.intervals import designed
from validation.populations import Population, binormal, heavy_tails
from validation.samples import AREAS, Sample, true_at

OF_DECISIONS = ("precision", "npv", "recall", "specificity", "f1")
TARGETS = {"partly verified": "future rows", "taken as these rows": "these rows"}
VERIFIED = ((1.0, 0.1), (0.6, 0.4), (0.2, 0.2))  # shares of the alerts and of the other rows


def designs() -> Iterator[Design]:
    for population, prior, n, verified in product(
        (binormal(1.5), heavy_tails(2)), (0.05, 0.4), (600, 4000), VERIFIED
    ):
        threshold = population.threshold(0.7)
        name = f"{population.name}, prior {prior:g}, {n:,} rows, verified {verified}"
        decisions = samples.decisions(threshold, *OF_DECISIONS)
        asked = [*product(decisions, [None]), (decisions[0], 0.1)]
        areas = list(product(AREAS, [None]))
        for rows, target in TARGETS.items():
            draw = partial(_verified, population, prior, n, verified, threshold, target)
            yield designed(rows, name, draw, asked + areas * (rows == "partly verified"))
    for population, prior, (n_alerts, n_others) in product(
        (binormal(1.5), heavy_tails(2)), (0.05, 0.4), ((100, 400), (40, 40), (300, 100))
    ):
        threshold = population.threshold(0.7)
        name = f"{population.name}, prior {prior:g}, {n_alerts} alerts, {n_others} others"
        draw = partial(_of_decisions, population, prior, (n_alerts, n_others), threshold)
        decisions = samples.decisions(threshold, *OF_DECISIONS)
        asked = [*product(decisions, [None]), (decisions[0], 0.1)]
        yield designed("sampled by the prediction", name, draw, asked)


def _verified(
    population: Population,
    prior: float,
    n: int,
    verified: tuple[float, float],
    threshold: float,
    target: str,
    rng: RNG,
) -> Sample:
    y_true = rng.random(n) < prior
    score = population.draw_of(rng, y_true)
    alert = score >= threshold
    rows = rng.random(n) < np.where(alert, *verified)
    number = np.where(alert, alert.sum(), (~alert).sum())
    design = {"score": score[rows], "stratum": alert[rows], "n_rows": number[rows]}
    design["lowest"] = np.where(alert, threshold, score.min())[rows]
    design["highest"] = np.where(alert, score.max(), np.nextafter(threshold, -np.inf))[rows]
    curve = audit.curve(design, y_true[rows], target=target)
    return Sample((curve,), true_at(prior, population))


def _of_decisions(
    population: Population, prior: float, sizes: tuple[int, int], threshold: float, rng: RNG
) -> Sample:
    """Fixed numbers of alerts and of other rows, whose shares of the population are known."""
    tpr, fpr = population.rates(threshold)
    alerts = prior * tpr + (1 - prior) * fpr
    n = 2 * max(int(size / share) for size, share in zip(sizes, (alerts, 1 - alerts), strict=True))
    y_true = rng.random(n + 100) < prior
    score = population.draw_of(rng, y_true)
    alert = score >= threshold
    rows = np.append(np.flatnonzero(alert)[: sizes[0]], np.flatnonzero(~alert)[: sizes[1]])
    weight = np.where(alert[rows], alerts / sizes[0], (1 - alerts) / sizes[1])
    decision = np.where(alert, threshold, threshold - 1)
    curve = ConfusionCurve.from_predictions(
        y_true[rows], decision[rows], sample_weight=weight, strata=alert[rows]
    )
    return Sample((curve,), true_at(prior, population))
