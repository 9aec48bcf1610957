"""Coverage of the parts of `explain_change`, and the size of its model part as a test."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np

from calibrated_metrics import ConfusionCurve, Metric, comparison
from validation import samples
from validation.engine import RNG, Design, Outcome, of_interval
from validation.populations import Population, binormal, exponential, heavy_tails, log_normal
from validation.samples import AVERAGE_PRECISION, BEST_F1, GAIN, ROC_AUC, Curves, decisions

Models = tuple[Population, Population]
Priors = tuple[float, float]

PRECISION, F1, MCC = decisions(1.0, "precision", "f1", "mcc")
SAME, WORSE, WEAK = ((binormal(a), binormal(b)) for a, b in ((2.0, 2.0), (2.0, 1.3), (1.0, 1.0)))
# Metric, positives of a period, priors and models of both periods.
RARER = (0.05, 0.02)
PERIODS: tuple[tuple[Metric, int, Priors, Models], ...] = (
    *product([AVERAGE_PRECISION], (40, 160), ((0.05, 0.05), RARER), (SAME, WORSE)),
    *product([AVERAGE_PRECISION], [40], [(0.5, 0.5)], (SAME, WORSE)),
    *product([AVERAGE_PRECISION], [40], [(0.5, 0.2), (0.05, 0.5)], [SAME]),
    *product((AVERAGE_PRECISION, GAIN), [160], [(0.5, 0.2)], [WORSE]),
    (AVERAGE_PRECISION, 40, RARER, (heavy_tails(2.0), heavy_tails(1.3))),
    (AVERAGE_PRECISION, 40, RARER, (exponential(4.0), exponential(2.6))),
    (AVERAGE_PRECISION, 40, RARER, (log_normal(2.0), log_normal(1.3))),
    (AVERAGE_PRECISION, 40, RARER, (binormal(3.5), binormal(3.5))),
    *product([AVERAGE_PRECISION], (10, 20), [RARER], [WORSE]),
    # At the prior of the first sample, a negative of the second one weighs as much as 19 positives.
    *product([AVERAGE_PRECISION], [20], [(0.05, 0.5)], (SAME, WEAK)),
    (AVERAGE_PRECISION, 40, (0.05, 0.5), WEAK),
    *product((PRECISION, F1, MCC, ROC_AUC), (10, 40), [RARER], [WORSE]),
    (BEST_F1, 40, RARER, WORSE),
)
N_CUSTOMERS, CORRELATION = 400, 0.3
CUSTOMERS = ("others in both months", "same customers, new effects", "same customers and effects")
AUDITS = (((400, 300, 300), (0.01, 0.005)), ((3000, 500, 500), (0.01, 0.02)))


def designs() -> Iterator[Design]:
    for metric, n_pos, priors, models in PERIODS:
        truth = true_parts(metric, models, priors)
        if metric == ROC_AUC:
            del truth["prior_part"]  # always 0
        name = f"{n_pos} positives, {_shown(priors)}, {models[0].name} → {models[1].name}"
        yield _design("independent", name, metric, partial(_periods, n_pos, models, priors), truth)
    for (labels, priors), metric in product(AUDITS, (AVERAGE_PRECISION, PRECISION, F1)):
        name = f"labels {'/'.join(map(str, labels))}, {_shown(priors)}"
        truth = true_parts(metric, (binormal(2.5), binormal(2.5)), priors)
        yield _design("strata", name, metric, partial(_audits, labels, priors), truth)
    for metric, customers, rows in product(
        (AVERAGE_PRECISION, F1), CUSTOMERS, ("clusters", "clusters ignored")
    ):
        draw = partial(_customers, customers, rows == "clusters")
        # Only the prior changes, and rows belong to customers.
        yield _design(rows, customers, metric, draw, {"model_part": 0.0})


def _shown(priors: Priors) -> str:
    return f"priors {priors[0]:g} → {priors[1]:g}"


def true_parts(metric: Metric, models: Models, priors: Priors) -> dict[str, float]:
    values = np.array([[model.value(metric, prior) for prior in priors] for model in models])
    total = values[1, 1] - values[0, 0]
    prior_part = (values[0, 1] - values[0, 0] + values[1, 1] - values[1, 0]) / 2
    return {"total": total, "prior_part": prior_part, "model_part": total - prior_part}


def _design(
    rows: str, name: str, metric: Metric, draw: Callable[[RNG], Curves], truth: dict[str, float]
) -> Design:
    """A design that records the parts whose true value is known."""

    def outcomes(rng: RNG) -> Iterator[Outcome]:
        curves = draw(rng)
        options = {"n_resamples": samples.N_RESAMPLES, "rng": int(rng.integers(2**63))}
        try:
            change = comparison.explain_change(metric, *curves, **options)
        except ValueError:  # the metric is undefined on this sample
            return
        smaller = samples.smaller_class(curves)
        for part, true in truth.items():
            record = of_interval(getattr(change, part), true)
            yield {"part": part}, {**record, "smaller_class": smaller}

    return Design({"rows": rows, "metric": metric.label, "design": name}, outcomes)


def _periods(n_pos: int, models: Models, priors: Priors, rng: RNG) -> Curves:
    curves = []
    for model, prior in zip(models, priors, strict=True):
        n = round(n_pos / prior)
        drawn = int(np.clip(rng.binomial(n, prior), 2, n - 2))
        curves.append(ConfusionCurve.from_predictions(*model.draw(rng, drawn, n - drawn)))
    return tuple(curves)


def _customers(customers: str, with_clusters: bool, rng: RNG) -> Curves:
    """Two months; few customers have most positives."""
    others, new_effects, _ = (customers == each for each in CUSTOMERS)
    size = samples.heavy_sizes(rng, N_CUSTOMERS)
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
        score = 2 * y_true + samples.correlated(rng, effect[of_row], CORRELATION)
        names = (of_row + (month * N_CUSTOMERS if others else 0)) if with_clusters else None
        curves.append(ConfusionCurve.from_predictions(y_true, score, clusters=names))
    return tuple(curves)


def _audits(labels: tuple[int, ...], priors: Priors, rng: RNG) -> Curves:
    audits = (samples.audited((0.9, 0.98), labels, prior, 2.5, rng) for prior in priors)
    return tuple(audit.curves[0] for audit in audits)
