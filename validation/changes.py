"""Coverage of the parts of `explain_change`, and the size of its model part as a test."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from calibrated_metrics import ConfusionCurve, Metric, comparison
from validation.engine import RNG, Design, Outcome, noticed, of_interval
from validation.intervals import (
    AVERAGE_PRECISION,
    BEST_F1,
    F1,
    GAIN,
    N_RESAMPLES,
    PRECISION,
    ROC_AUC,
    draw_audit,
)
from validation.populations import Population, binormal, exponential, heavy_tails, log_normal

PARTS = ("total", "prior_part", "model_part")
THRESHOLD = 1.0
SAME, WORSE, WEAK = ((binormal(a), binormal(b)) for a, b in ((2.0, 2.0), (2.0, 1.3), (1.0, 1.0)))
BOTH = ((0.05, 0.02), WORSE)
CAUSES = (((0.05, 0.05), SAME), ((0.05, 0.05), WORSE), ((0.05, 0.02), SAME), BOTH)
PERIODS = (
    *((AVERAGE_PRECISION, 40, *cause) for cause in CAUSES),
    (AVERAGE_PRECISION, 40, (0.5, 0.5), SAME),
    (AVERAGE_PRECISION, 40, (0.5, 0.5), WORSE),
    (AVERAGE_PRECISION, 40, (0.5, 0.2), SAME),
    (AVERAGE_PRECISION, 40, (0.05, 0.5), SAME),
    *((AVERAGE_PRECISION, 160, *cause) for cause in CAUSES),
    (AVERAGE_PRECISION, 160, (0.5, 0.2), WORSE),
    (AVERAGE_PRECISION, 40, (0.05, 0.02), (heavy_tails(2.0), heavy_tails(1.3))),
    (AVERAGE_PRECISION, 40, (0.05, 0.02), (exponential(4.0), exponential(2.6))),
    (AVERAGE_PRECISION, 40, (0.05, 0.02), (log_normal(2.0), log_normal(1.3))),
    (AVERAGE_PRECISION, 20, *BOTH),
    (AVERAGE_PRECISION, 10, *BOTH),
    (AVERAGE_PRECISION, 40, (0.05, 0.02), (binormal(3.5), binormal(3.5))),
    # One negative of the second sample weighs 19 positives at the prior of the first.
    *((AVERAGE_PRECISION, 20, (0.05, 0.5), model) for model in (SAME, WEAK)),
    (AVERAGE_PRECISION, 40, (0.05, 0.5), WEAK),
    *((metric, n_pos, *BOTH) for metric in (PRECISION, F1, Metric("mcc")) for n_pos in (10, 40)),
    (GAIN, 160, (0.5, 0.2), WORSE),
    *((ROC_AUC, n_pos, *BOTH) for n_pos in (10, 40)),
    (BEST_F1, 40, *BOTH),
)
N_CUSTOMERS, CORRELATION = 400, 0.3
CUSTOMERS = ("others in both months", "same customers, new effects", "same customers and effects")
AUDITS = (((400, 300, 300), (0.01, 0.005)), ((3000, 500, 500), (0.01, 0.02)))

Curves = tuple[ConfusionCurve, ConfusionCurve]


def designs() -> list[Design]:
    return [*_of_periods(), *_of_customers(), *_of_audits()]


def true_parts(
    metric: Metric, models: tuple[Population, Population], priors: tuple[float, float]
) -> tuple[float, float, float]:
    values = np.array(
        [[model.value(metric, prior, THRESHOLD) for prior in priors] for model in models]
    )
    total = values[1, 1] - values[0, 0]
    prior_part = (values[0, 1] - values[0, 0] + values[1, 1] - values[1, 0]) / 2
    return total, prior_part, total - prior_part


def _design(
    rows: str,
    name: str,
    metric: Metric,
    draw: Callable[[RNG], Curves],
    truth: tuple[float | None, ...],
) -> Design:
    """A design that records the parts whose true value is known."""
    at_threshold = Metric(metric.name, threshold=THRESHOLD) if metric.of_matrix else metric

    def outcomes(rng: RNG) -> Iterator[Outcome]:
        curves = draw(rng)
        options = {"n_resamples": N_RESAMPLES, "rng": int(rng.integers(2**63))}
        with noticed() as warned:
            try:
                change = comparison.explain_change(at_threshold, *curves, **options)
            except ValueError:  # the metric is undefined on this sample
                return
        labels = [curve.sample.positive for curve in curves]
        smaller = min(min(each.sum(), (~each).sum()) for each in labels)
        for part, true in zip(PARTS, truth, strict=True):
            if true is not None:
                record = of_interval(getattr(change, part), true, warned=warned())
                yield {"part": part}, {**record, "smaller_class": smaller}

    return Design({"rows": rows, "metric": metric.label, "design": name}, outcomes)


def _of_periods() -> Iterator[Design]:
    for metric, n_pos, priors, models in PERIODS:
        truth = true_parts(metric, models, priors)
        if metric == ROC_AUC:
            truth = truth[0], None, truth[2]  # the prior part is always 0
        names = " → ".join(model.name for model in models)
        name = f"{n_pos} positives, priors {priors[0]:g} → {priors[1]:g}, {names}"
        draw = partial(_draw_periods, n_pos, models, priors)
        yield _design("independent", name, metric, draw, truth)


def _draw_periods(n_pos: int, models: Any, priors: Any, rng: RNG) -> Curves:
    curves = []
    for model, prior in zip(models, priors, strict=True):
        n = round(n_pos / prior)
        drawn = int(np.clip(rng.binomial(n, prior), 2, n - 2))
        curves.append(ConfusionCurve.from_predictions(*model.draw(rng, drawn, n - drawn)))
    return tuple(curves)


def _of_customers() -> Iterator[Design]:
    """Only the prior changes, and rows belong to customers, so the model part is 0."""
    for metric in (AVERAGE_PRECISION, F1):
        for customers in CUSTOMERS:
            for rows in ("clusters", "clusters ignored"):
                draw = partial(_draw_customers, customers, rows == "clusters")
                yield _design(rows, customers, metric, draw, (None, None, 0.0))


def _draw_customers(customers: str, with_clusters: bool, rng: RNG) -> Curves:
    """Two months with 3 to 300 rows of each customer; few customers have most positives."""
    others, new_effects, _ = (customers == each for each in CUSTOMERS)
    size = np.clip(3 * (1 + rng.pareto(1.2, N_CUSTOMERS)), 3, 300).astype(int)
    risk, effect = rng.gamma(0.05, 1, N_CUSTOMERS), rng.normal(size=N_CUSTOMERS)
    curves = []
    for month, prior in enumerate((0.03, 0.015)):
        if month and (others or new_effects):
            effect = rng.normal(size=N_CUSTOMERS)
        if month and others:
            size, risk = rng.permutation(size), rng.gamma(0.05, 1, N_CUSTOMERS)
        of_row = np.repeat(np.arange(N_CUSTOMERS), size)
        shares = risk / (risk @ size) * size.sum() * prior
        y_true = rng.random(len(of_row)) < np.minimum(shares, 0.9)[of_row]
        score = 2 * y_true + np.sqrt(CORRELATION) * effect[of_row]
        score += np.sqrt(1 - CORRELATION) * rng.normal(size=len(of_row))
        names = (of_row + (month * N_CUSTOMERS if others else 0)) if with_clusters else None
        curves.append(ConfusionCurve.from_predictions(y_true, score, clusters=names))
    return tuple(curves)


def _of_audits() -> Iterator[Design]:
    model = binormal(2.5)
    for labels, priors in AUDITS:
        for metric in (AVERAGE_PRECISION, PRECISION, F1):
            shown = "/".join(map(str, labels))
            name = f"labels {shown}, priors {priors[0]:g} → {priors[1]:g}"
            truth = true_parts(metric, (model, model), priors)
            yield _design("strata", name, metric, partial(_draw_audits, labels, priors), truth)


def _draw_audits(labels: Any, priors: Any, rng: RNG) -> Curves:
    samples = [draw_audit((0.9, 0.98), labels, prior, 2.5, THRESHOLD, rng) for prior in priors]
    return tuple(
        ConfusionCurve.from_predictions(each.y_true, *each.scores, **each.how) for each in samples
    )
