"""Months without labels: the estimated prior and AUC-PR, and the test of label shift.

Labelled rows of earlier months and the scores of a new month are drawn. The prior changes, and in
some designs the scores drift too, in a way that the test of label shift may or may not see.
"""

import functools
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from calibrated_metrics import ConfusionCurve, Metric, label_free
from calibrated_metrics.uncertainty import interval
from validation.engine import RNG, Design, Outcome, noticed, of_interval
from validation.intervals import correlated
from validation.populations import HARD_POSITIVES, Population, binormal, exponential

LEVEL = 0.9
N_NEW, PRIOR = 20_000, 0.015
METRIC = Metric("average_precision")
N_CUSTOMERS, CORRELATION = 400, 0.3


class Drift(NamedTuple):
    """Changes of the scores, in standard deviations of the negatives."""

    name: str
    positives: float = 0.0  # shift of all positives
    negatives: float = 0.0  # shift of all negatives
    tail: float = 0.0  # share of the negatives whose scores are those of positives

    def rates(self, population: Population, threshold: Any) -> tuple[Any, Any]:
        """Rates of the new month at a threshold."""
        sd = population.neg.parts[0].std()
        tpr = population.pos.at_least(threshold - self.positives * sd)
        shifted = threshold - self.negatives * sd
        in_tail = population.pos.at_least(shifted)
        return tpr, (1 - self.tail) * population.neg.at_least(shifted) + self.tail * in_tail


NO_DRIFT = Drift("none")
DRIFTS = (
    Drift("negatives +0.1 sd", negatives=0.1),
    Drift("positives −0.3 sd", positives=-0.3),
    Drift("positives +0.3 sd", positives=0.3),
    Drift("0.3 % of the negatives score as positives", tail=0.003),
)


def designs() -> list[Design]:
    """Months with independent rows, with drifts, and with rows of customers."""
    without_drift = [
        _design("independent", population, NO_DRIFT, n_labelled, new_prior)
        for population in (binormal(2), exponential(5), HARD_POSITIVES)
        for n_labelled in (5000, 20_000)
        for new_prior in (0.006, 0.03)
    ]
    with_drift = [
        _design("independent", population, drift, 20_000, new_prior)
        for population in (binormal(2), exponential(5))
        for drift in DRIFTS
        for new_prior in (0.006, 0.03)
    ]
    of_customers = [
        _design(rows, binormal(2), NO_DRIFT, 20_000, 0.03)
        for rows in ("clusters", "clusters ignored")
    ]
    return without_drift + with_drift + of_customers


def _design(
    rows: str, population: Population, drift: Drift, n_labelled: int, new_prior: float
) -> Design:
    labels = {
        "rows": rows,
        "population": population.name,
        "drift": drift.name,
        "n_labelled": n_labelled,
        "new_prior": new_prior,
    }
    return Design(labels, partial(_outcomes, rows, population, drift, n_labelled, new_prior))


@functools.cache
def true_average_precision(population: Population, drift: Drift, prior: float) -> float:
    """AUC-PR of the new month's population; for continuous scores it is the interpolated area."""
    at = population.curve(prior).thresholds[1:]
    sd = population.neg.parts[0].std()
    shifts = (0.0, drift.positives * sd, drift.negatives * sd)
    at = np.unique(np.concatenate([at + shift for shift in shifts]))[::-1]
    tpr, fpr = (np.concatenate([[0.0], rate[:-1], [1.0]]) for rate in drift.rates(population, at))
    curve = ConfusionCurve(np.append(np.inf, at), prior * tpr, (1 - prior) * fpr)
    return float(Metric("pr_auc").value(curve))


def _outcomes(
    rows: str, population: Population, drift: Drift, n_labelled: int, new_prior: float, rng: RNG
) -> Iterator[Outcome]:
    y_true, y_new = rng.random(n_labelled) < PRIOR, rng.random(N_NEW) < new_prior
    how: dict[str, Any] = {}
    clusters = None
    if rows == "independent":
        in_tail = rng.random(N_NEW) < drift.tail
        score, new = population.draw_of(rng, y_true), population.draw_of(rng, y_new | in_tail)
        sd = population.neg.parts[0].std()
        new += sd * np.where(y_new, drift.positives, drift.negatives)
    else:
        customers = [rng.integers(N_CUSTOMERS, size=n) for n in (n_labelled, N_NEW)]
        score, new = (
            population.of_normal(y, correlated(rng, N_CUSTOMERS, CORRELATION, of_row))
            for y, of_row in zip((y_true, y_new), customers, strict=True)
        )
        if rows == "clusters":
            how, clusters = {"clusters": customers[0]}, customers[1] + N_CUSTOMERS
    labelled = ConfusionCurve.from_predictions(y_true, score, **how)
    true = true_average_precision(population, drift, new_prior)
    options = {"confidence_level": LEVEL, "clusters": clusters}
    with noticed():
        found = {
            "prior": (label_free.estimate_prior(new, labelled, **options), new_prior),
            "AUC-PR": (label_free.estimate(METRIC, new, labelled, **options), true),
            "AUC-PR at the old prior": (interval(METRIC, labelled, confidence_level=LEVEL), true),
        }
    for name, (estimate, truth) in found.items():
        record = of_interval(estimate, truth)
        for column in ("width", "error"):
            record[column] /= truth
        yield {"estimate": name}, record
