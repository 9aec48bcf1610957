"""Coverage of intervals of labels that are late or wrong. A withheld interval contains the truth.

The rates of the labels are known, differ between rows, or are estimated from other rows, from
reports of old events, or from rows with both labels; or people labelled a part of the rows. Reports
may be incomplete, and their delays may change: then the estimate should have a remark.
"""

import math
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle, product
from typing import Any

import numpy as np
from scipy.special import expit, logit

from calibrated_metrics import ConfusionCurve, label_errors
from calibrated_metrics.label_errors import LabelsWithErrors
from calibrated_metrics.uncertainty import Estimate, interval
from validation import populations, samples
from validation.engine import RNG, Design, Outcome, attempted, of_interval
from validation.intervals import Asked, designed
from validation.populations import Population, binormal, exponential, heavy_tails
from validation.samples import AREAS, Sample, true_at

SCORES = (heavy_tails(2), binormal(1), exponential(4), populations.FOREST, binormal(2.5))
PRIORS = (0.005, 0.03, 0.12, 0.3)
# Sensitivity and specificity.
RATES = ((0.3, 1.0), (0.5, 0.97), (0.8, 0.9), (0.95, 1.0), (0.3, 0.9))
DELAYS = ("stationary", "from 20 to 40 days", "no reports of the first 200 days")
Labels = tuple[np.ndarray, dict[str, Any]]
"""Labels with errors, and the arguments that describe them."""


def designs() -> Iterator[Design]:
    yield from checked()
    yield from delays()
    for part in (known, by_row, estimated, clusters, differences):
        yield from map(_with_withheld, part())


def _with_withheld(design: Design) -> Design:
    """The design with a column `contained`, which counts withheld intervals as the whole range."""

    def outcomes(rng: RNG) -> Iterator[Outcome]:
        for labels, record in design.outcomes(rng):
            covered = record.get("covered", math.nan)
            yield labels, {**record, "contained": 1.0 if math.isnan(covered) else covered}

    return Design(design.labels, outcomes)


def asked(population: Population) -> Asked:
    precision, recall, f1 = samples.decisions(
        population.threshold(0.6), "precision", "recall", "f1"
    )
    return [
        *product((AREAS[0], precision, f1), (None, 0.01, 0.2)),
        *product((AREAS[1], recall), [None]),
    ]


def _wrong(rng: RNG, y_true: np.ndarray, sensitivity: Any, specificity: Any) -> np.ndarray:
    return rng.random(len(y_true)) < np.where(y_true, sensitivity, 1 - specificity)


def _drawn(
    population: Population, prior: float, n: int, labels_of: Callable[..., Labels], rng: RNG
) -> Sample:
    y_true = rng.random(n) < prior
    score = population.draw_of(rng, y_true)
    label, rates = labels_of(rng, y_true, score)
    labels = label_errors.from_predictions(label, score, **rates)
    return Sample((labels,), true_at(prior, population))


def _design(
    rows: str, name: str, population: Population, prior: float, n: int, labels_of: Any
) -> Design:
    name = f"{population.name}, prior {prior:g}, {n:,} rows, {name}"
    draw = partial(_drawn, population, prior, n, labels_of)
    return designed(rows, name, draw, asked(population))


def known() -> Iterator[Design]:
    scores = cycle(SCORES)
    for n, (s, c), prior in product((1000, 4000, 20_000), RATES, PRIORS):
        labels_of = partial(_known, s, c)
        name = f"sensitivity {s:g}, specificity {c:g}"
        yield _design("known rates", name, next(scores), prior, n, labels_of)


def _known(s: float, c: float, rng: RNG, y_true: np.ndarray, score: np.ndarray) -> Labels:
    return _wrong(rng, y_true, s, c), {"label_sensitivity": s, "label_specificity": c}


def by_row() -> Iterator[Design]:
    """Rows with high scores are investigated at once; the others have labels by their age."""
    scores = cycle(SCORES)
    for n, prior, c in product((1000, 5000, 20_000), (0.01, 0.1, 0.3), (1.0, 0.95)):
        name = f"sensitivity 1 or 0.3 to 0.9, specificity {c:g}"
        yield _design("rates by row", name, next(scores), prior, n, partial(_by_row, c))


def _by_row(c: float, rng: RNG, y_true: np.ndarray, score: np.ndarray) -> Labels:
    s = np.where(score >= np.quantile(score, 0.98), 1.0, rng.uniform(0.3, 0.9, len(score)))
    return _wrong(rng, y_true, s, c), {"label_sensitivity": s, "label_specificity": c}


def estimated() -> Iterator[Design]:
    scores = cycle(SCORES)
    for (kind, labels_of), n, prior in product(
        (
            *((f"sensitivity from {k} positives", partial(_late, k)) for k in (50, 150, 500)),
            *((f"both rates from {k} rows", partial(_judged, k)) for k in (150, 500)),
            ("sensitivity by age from old events", partial(_arriving, 180.0)),
            ("sensitivity by age in reversed time", partial(_arriving, None)),
            ("sensitivity by age, monthly files", partial(_arriving, 180.0, days=30)),
        ),
        (1500, 10_000),
        (0.02, 0.25),
    ):
        yield _design("estimated rates", kind, next(scores), prior, n, labels_of)


def _late(k: int, rng: RNG, y_true: np.ndarray, score: np.ndarray) -> Labels:
    """A share of the positives is known; it is estimated from k positives of another period."""
    s = 0.6
    found = label_errors.rates(np.arange(2 * k) < k, _wrong(rng, np.arange(2 * k) < k, s, 1.0))
    return _wrong(rng, y_true, s, 1.0), {"label_sensitivity": found.sensitivity}


def _judged(k: int, rng: RNG, y_true: np.ndarray, score: np.ndarray) -> Labels:
    """A judge labels the rows, and k other rows with 40 % positives."""
    truth = rng.random(k) < 0.4
    found = label_errors.rates(truth, _wrong(rng, truth, 0.8, 0.93))
    rates = {"label_sensitivity": found.sensitivity, "label_specificity": found.specificity}
    return _wrong(rng, y_true, 0.8, 0.93), rates


def _arriving(
    longest_delay: float | None, rng: RNG, y_true: np.ndarray, score: np.ndarray, days: int = 0
) -> Labels:
    """Reports arrive within 180 days; 400 events of the last 360 days, and rows of this month.

    With `days`, reports arrive in files, and the last file is read on its day.
    """

    def delays(size: int) -> np.ndarray:
        return 180 * rng.beta(0.7, 2.5, size)

    event = rng.uniform(0, 360, 400)
    report = event + delays(400)
    files = {"files": np.arange(0, 361, days)} if days else {}
    report = np.ceil(report / days) * days if days else report
    seen = report <= 360
    age = rng.uniform(0 if days else 5, 60, len(y_true))
    sensitivity = label_errors.known_by_age(
        age, event[seen], report[seen], as_of=360, longest_delay=longest_delay, **files
    )
    return y_true & (delays(len(age)) <= age), {"label_sensitivity": sensitivity}


def delays() -> Iterator[Design]:
    for kind, n in product(DELAYS, (550, 5000)):
        labels = {"rows": f"delays: {kind}", "design": f"{n:,} events", "smaller_class": n}
        yield Design(labels, partial(_known_by_age, kind, n))


def _known_by_age(kind: str, n: int, rng: RNG) -> Iterator[Outcome]:
    """Which share is known after 30 days, from reports of 240 days; the mean delay is 30 days."""
    age, longest, first = 30.0, 120.0, -200 if kind.startswith("no reports") else 0
    event = rng.uniform(first, 240, n)
    mean = 20 + event / 12 if kind.startswith("from") else 30
    report = event + rng.exponential(mean, n)
    seen = (report >= 0) & (report <= 240)
    true = np.expm1(-age / 30) / np.expm1(-longest / 30)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = label_errors.known_by_age(
            [age], event[seen], report[seen], as_of=240, longest_delay=longest
        )
    limits = (float(each[0]) for each in (found.value, found.low, found.high, found.standard_error))
    one = Estimate(*limits, found.confidence_level, found.method, found.reason)
    yield {"metric": "share known"}, {**of_interval(one, float(true)), "doubted": bool(warned)}


def clusters() -> Iterator[Design]:
    """Customers of 1 to 20 rows with a common part of their scores, and of their labels' delays."""
    for n, share, prior in product((150, 600, 1500), (0.1, 0.3), (0.05, 0.2)):
        name = f"{n} customers, correlation {share:g}, prior {prior:g}"
        draw = partial(_customers, n, share, prior)
        yield designed("clusters", name, draw, asked(binormal(2)))


def _customers(n: int, share: float, prior: float, rng: RNG) -> Sample:
    customer = np.repeat(np.arange(n), rng.integers(1, 21, n))
    y_true = rng.random(len(customer)) < prior
    normal = samples.correlated(rng, rng.normal(size=n)[customer], share)
    score, s = binormal(2).of_normal(y_true, normal), rng.uniform(0.3, 0.9, n)[customer]
    labels = label_errors.from_predictions(
        _wrong(rng, y_true, s, 0.97),
        score,
        clusters=customer,
        label_sensitivity=s,
        label_specificity=0.97,
    )
    return Sample((labels,), true_at(prior, binormal(2)))


def differences() -> Iterator[Design]:
    a, b = binormal(2.2), binormal(1.8)
    for kind, n, prior in product(
        ("two models", "two models, checked by people", "a recent and an old month"),
        (2000, 10_000),
        (0.03, 0.2),
    ):
        draw = partial(_pair, kind, n, prior)
        metrics = (*AREAS, *samples.decisions(1.5, "precision", "recall", "f1"))
        name = f"{a.name} and {b.name}, prior {prior:g}, {n:,} rows"
        yield designed(kind, name, draw, list(product(metrics, (None, 0.02))))


def _pair(kind: str, n: int, prior: float, rng: RNG) -> Sample:
    """Two models on the same rows, or a month with late labels and one without.

    The labels of the models are late, or those of a judge, and people labelled a tenth of the rows.
    """
    models, is_paired = (binormal(2.2), binormal(1.8)), kind.startswith("two models")
    found = label_errors.rates(np.arange(300) < 150, _wrong(rng, np.arange(300) < 150, 0.5, 1.0))
    curves, y_true, common = [], rng.random(n) < prior, rng.normal(size=n)
    label, rates = _wrong(rng, y_true, 0.5, 1.0), {"label_sensitivity": found.sensitivity}
    if kind == "two models, checked by people":
        label = _wrong(rng, y_true, 0.8, 0.93)
        rates = {"reference": np.where(rng.permutation(n) < n / 10, y_true, np.nan)}
    for place, model in enumerate(models):
        if place == 1 and not is_paired:
            y_true, common = rng.random(n) < prior, rng.normal(size=n)
            label, rates = y_true, {}
        score = model.of_normal(y_true, samples.correlated(rng, common, 0.8 if is_paired else 0.0))
        curves.append(label_errors.from_predictions(label, score, **rates))
    return Sample(tuple(curves), true_at(prior, *models))


def checked() -> Iterator[Design]:
    """People labelled a random part of the rows; the judge's errors depend on the score or not."""
    scores = cycle(SCORES)
    for n, part, prior, s, c, slope in (
        (6000, 0.08, 0.1, 0.85, 0.94, 0.0),
        (6000, 0.08, 0.1, 0.85, 0.94, 1.0),
        (6000, 0.02, 0.1, 0.85, 0.94, 0.0),
        (6000, 0.02, 0.3, 0.95, 0.97, 0.5),
        (2000, 0.2, 0.3, 0.9, 0.8, 0.0),
        (6000, 0.1, 0.1, 0.6, 0.7, 0.0),
        (20_000, 0.05, 0.02, 0.85, 0.98, 0.0),
        (3000, 0.1, 0.5, 0.7, 0.9, 0.8),
        (1000, 0.2, 0.2, 0.98, 0.99, 0.0),
        (10_000, 0.03, 0.05, 0.9, 0.9, 1.0),
        (1500, 75, 0.1, 0.7, 0.9, 0.5),
        (1500, 75, 0.05, 0.7, 0.9, 0.5),
        (1500, 75, 0.1, 0.9, 0.9, 0.0),
    ):
        population = next(scores)
        chosen = f"{part:g} of each label" if part >= 1 else f"{part:g}"
        name = (
            f"{population.name}, prior {prior:g}, {n:,} rows, of which people labelled {chosen}, "
            f"sensitivity {s:g}, specificity {c:g}, slope of errors {slope:g}"
        )
        draw = partial(_with_people, population, n, part, prior, s, c, slope)
        outcomes = partial(_of_people, draw, population, prior)
        yield Design({"rows": "checked by people", "design": name}, outcomes)


def _with_people(
    population: Population,
    n: int,
    part: float,
    prior: float,
    s: float,
    c: float,
    slope: float,
    rng: RNG,
) -> tuple[LabelsWithErrors, ConfusionCurve]:
    """All rows with the labels of the judge and of people, and the rows of people alone.

    People labelled a part of the rows, or this number of rows of each label.
    """
    y_true = rng.random(n) < prior
    score = population.draw_of(rng, y_true)
    by_score = slope * np.where(y_true, -1, 1) * (score - score.mean()) / score.std()
    wrong = expit(np.where(y_true, logit(1 - s), logit(1 - c)) + by_score)
    rows, drawn = rng.permutation(n) < part * n, {}
    label = y_true ^ (rng.random(n) < wrong)
    if part >= 1:
        rows = np.zeros(n, dtype=bool)
        for each in (label, ~label):
            rows[rng.choice(np.flatnonzero(each), int(part), replace=False)] = True
        number = np.where(label, label.sum(), (~label).sum())
        drawn = {"strata": label[rows], "sample_weight": number[rows]}
    labels = label_errors.from_predictions(label, score, reference=np.where(rows, y_true, np.nan))
    return labels, ConfusionCurve.from_predictions(y_true[rows], score[rows], **drawn)


def _of_people(
    draw: Callable[[RNG], Any], population: Population, prior: float, rng: RNG
) -> Iterator[Outcome]:
    """Intervals, and their widths divided by those of the people's labels alone."""
    true_value = true_at(prior, population)
    try:
        both, people = draw(rng)
    except ValueError:  # people found rows of one class
        return
    for metric, pi0 in asked(population):
        labels = {"metric": metric.label, "pi0": pi0}
        record, alone = (
            attempted(partial(interval, metric, each, pi0=pi0), true_value(metric, pi0))
            for each in (both, people)
        )
        covered = record.get("covered", math.nan)
        yield (
            labels,
            {
                **record,
                "contained": 1.0 if math.isnan(covered) else covered,
                "of_people": record.get("width", math.nan) / alone.get("width", math.nan),
                "smaller_class": samples.smaller_class((people,)),
            },
        )
