"""Coverage of intervals of one sample, and of differences between two samples or two models."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy import special

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric
from calibrated_metrics.uncertainty import difference, interval
from validation import populations, samples
from validation.engine import RNG, Design, Outcome, attempted
from validation.populations import Population, binormal, exponential, heavy_tails
from validation.samples import AREAS, AVERAGE_PRECISION, BEST_F1, GAIN, ROC_AUC, Sample, true_at

OF_A_CURVE = (
    Metric("pr_auc"),
    Metric("achievable_pr_auc"),
    Metric("partial_average_precision", min_recall=0.3, max_recall=0.7),
    Metric("partial_roc_auc", max_fpr=0.1),
    Metric("precision_at_recall", recall=0.5),
    Metric("recall_at_precision", precision=0.3),
    Metric("precision_at_top", alert_rate=0.05),
    Metric("recall_at_top", alert_rate=0.05),
    BEST_F1,
)
OFTEN_0 = (
    Metric("recall_at_precision", precision=0.3),
    Metric("precision_at_top", alert_rate=0.003),
    Metric("recall_at_top", alert_rate=0.003),
)
Asked = Sequence[tuple[Metric, float | None]]
"""Metrics and their reference priors, the arguments of a `TrueValue`."""


def designs() -> Iterator[Design]:
    """All designs whose metrics need no bootstrap."""
    for part in (few_or_rare, ordinary, strata, hospitals, weights, clusters):
        yield from part()


def designed(rows: str, name: str, draw: Callable[[RNG], Sample], asked: Asked) -> Design:
    """A design that records the interval of each metric, or of its difference."""

    def outcomes(rng: RNG) -> Iterator[Outcome]:
        try:
            curves, true_value, prior = draw(rng)
        except ValueError:  # a class has no rows
            for metric, pi0 in asked:
                yield {"metric": metric.label, "pi0": pi0}, {"refused": 1.0}
            return
        smaller = samples.smaller_class(curves)
        options = {"n_resamples": samples.N_RESAMPLES, "rng": int(rng.integers(2**63))}
        function = interval
        if len(curves) == 2:
            function = partial(difference, paired=rows.startswith("two models"))
        for metric, pi0 in asked:
            options["pi0"] = prior if pi0 is None else pi0
            record = attempted(
                partial(function, metric, *curves, **options), true_value(metric, pi0)
            )
            yield {"metric": metric.label, "pi0": pi0}, {**record, "smaller_class": smaller}

    return Design({"rows": rows, "design": name}, outcomes)


def at_own_prior(threshold: float) -> Asked:
    return [(metric, None) for metric in (*AREAS, *samples.decisions(threshold))]


# --------------------------------------------------------------------------- independent rows


def independent(rows: str, population: Population, n_pos: int, n_neg: int, asked: Asked) -> Design:
    """Fixed numbers of rows of each class, such as case-control data: their prior is known."""
    prior = n_pos / (n_pos + n_neg)

    def draw(rng: RNG) -> Sample:
        curve = ConfusionCurve.from_predictions(*population.draw(rng, n_pos, n_neg))
        return Sample((curve,), true_at(prior, population), prior)

    return designed(rows, f"{population.name}, {n_pos:,}/{n_neg:,}", draw, asked)


def few_or_rare() -> Iterator[Design]:
    for population, sizes in (
        *product(map(binormal, (1, 2, 3)), ((1000, 10), (400, 20), (2000, 12))),
        *product([populations.HARD_NEGATIVES], ((2000, 10), (5000, 20))),
    ):
        yield independent("few negatives", population, *sizes, [(ROC_AUC, None)])
    hard = populations.contaminated
    for population, n_pos, n_neg, pi0 in (
        (hard(0.001), 20, 980, None),
        (hard(0.0003), 60, 2940, None),
        (hard(0.001), 200, 1000, 0.01),
        (hard(0.001), 1000, 1000, 0.05),
        (hard(0.003), 300, 300, 0.05),
        (hard(0.0003), 1000, 1000, 0.05),
        *((populations.MISSED, n_pos, 50 * n_pos, None) for n_pos in (20, 60, 200)),
        *((populations.FOREST, n_pos, 50 * n_pos, None) for n_pos in (20, 60)),
    ):
        asked = list(product(AREAS, [pi0]))
        yield independent("rare errors", population, n_pos, n_neg, asked)


def ordinary() -> Iterator[Design]:
    others = (*populations.OTHERS, populations.log_normal(2))
    for population, prior, n_pos in (
        *product((*populations.NORMAL, *others), (0.5, 0.05), (20, 40, 160, 1000)),
        *product(populations.NORMAL, (0.005,), (20, 40, 160)),
    ):
        n_neg = round(n_pos * (1 - prior) / prior)
        yield independent("independent", population, n_pos, n_neg, ordinary_metrics(population))
    for population, sizes in product(
        (binormal(1).rounded(1), exponential(4).rounded(1)), ((20, 20), (20, 380), (160, 3040))
    ):
        yield independent("rounded scores", population, *sizes, ordinary_metrics(population))


def ordinary_metrics(population: Population) -> Asked:
    precision, recall, f1, npv = samples.decisions(population.threshold())
    return [
        *product((AVERAGE_PRECISION, precision, f1), (None, 0.01, 0.5)),
        *product((ROC_AUC, recall, npv), [None]),
        (GAIN, 0.5),
    ]


def of_a_curve() -> Iterator[Design]:
    """Metrics whose errors come from bootstrap draws."""
    asked = list(product(OF_A_CURVE, (None, 0.01)))
    for population, n_pos in product((binormal(2), heavy_tails(2)), (20, 160)):
        yield independent("bootstrap", population, n_pos, 19 * n_pos, asked)
    asked = list(product(OFTEN_0, (None, 0.01)))
    for distance, sizes in product((1.0, 1.5), ((30, 1000), (53, 1546))):
        yield independent("value often 0", binormal(distance), *sizes, asked)
        models = binormal(distance), binormal(1.0)
        yield compared(models, *sizes, asked, correlation=0.9)


# ------------------------------------------------------------------ strata, weights and clusters


def strata() -> Iterator[Design]:
    for cuts, sizes, prior, distance, threshold in (
        ((0.9, 0.98), (200, 100, 100), 0.01, 2.5, 2.0),
        ((0.9, 0.98), (400, 300, 300), 0.01, 2.5, 2.0),
        ((0.9, 0.98), (1000, 1000, 1000), 0.05, 2.5, 2.0),
        ((0.9, 0.98), (400, 300, 300), 0.01, 1.0, 2.0),
        ((0.5, 0.8, 0.95, 0.99), (100,) * 5, 0.02, 2.0, 1.5),
        ((0.7,), (250, 150), 0.1, 1.5, 1.0),
        ((0.5, 0.8), (200, 200, 200), 0.3, 1.5, 2.0),
    ):
        name = f"labels {'/'.join(map(str, sizes))}, prior {prior:g}, d′ = {distance:g}"
        asked = [(AVERAGE_PRECISION, 0.01), *at_own_prior(threshold)]
        yield designed(
            "strata", name, partial(samples.audited, cuts, sizes, prior, distance), asked
        )


def hospitals() -> Iterator[Design]:
    """Decisions on rows of hospitals, which are strata: their rates differ, as do their sizes."""
    decided = samples.decisions(0.5, "precision", "recall", "f1", "npv", "alert_rate")
    for (n_rows, n), prior, by_class in (
        *product(((400, 3), (400, 10), (400, 20), (2000, 20)), (0.3, 0.05), [False]),
        *product(((400, 10), (2000, 20)), (0.3, 0.1), [True]),
    ):
        rng = np.random.default_rng([n_rows, n])
        sizes = np.maximum(np.round(n_rows * rng.dirichlet(np.full(n, 3.0))), 5).astype(int)
        logits = special.logit([[prior], [0.8], [0.08]]) + 0.5 * rng.normal(size=(3, n))
        draw = partial(_in_hospitals, sizes, special.expit(logits), by_class)
        name = f"{n_rows:,} rows of {n} hospitals, prior {prior:g}"
        rows = "hospitals by class" if by_class else "hospitals"
        yield designed(rows, name, draw, list(product(decided, (None, 0.02))))


def _in_hospitals(sizes: np.ndarray, rates: np.ndarray, by_class: bool, rng: RNG) -> Sample:
    """Rows with the prior, TPR and FPR of their hospital; with fixed classes if `by_class`."""
    hospital = np.repeat(np.arange(len(sizes)), sizes)
    number = np.arange(len(hospital)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    n_pos = np.maximum(np.round(rates[0] * sizes), 1)
    y_true = rng.random(len(hospital)) < rates[0, hospital]
    if by_class:
        y_true, rates = number < n_pos[hospital], np.vstack([n_pos / sizes, rates[1:]])
    prior, tpr, fpr = rates
    alert = rng.random(len(hospital)) < np.where(y_true, tpr[hospital], fpr[hospital])
    strata = 2 * hospital + y_true if by_class else hospital
    curve = ConfusionCurve.from_predictions(y_true, alert.astype(float), strata=strata)
    tp, fp = sizes @ (prior * tpr), sizes @ ((1 - prior) * fpr)
    population = ConfusionMatrix(tp=tp, fp=fp, fn=sizes @ prior - tp, tn=sizes @ (1 - prior) - fp)

    def true_value(metric: Metric, pi0: float | None) -> float:
        return float(metric._value(population if pi0 is None else population.at_prior(pi0)))

    return Sample((curve,), true_value)


def weights() -> Iterator[Design]:
    """Rows are kept with a probability that depends on the score; there are no strata.

    In some designs, all positives are kept.
    """
    kept = {
        "1 in 20 below 1": lambda score: np.where(score > 1, 1.0, 0.05),
        "0.02 to 1": lambda score: 0.02 + 0.98 / (1 + np.exp(-2 * (score - 1.5))),
        "0.33 to 1": lambda score: 0.33 + 0.67 / (1 + np.exp(-score)),
    }
    sizes = ((3000, 0.02), (3000, 0.1), (20_000, 0.02))
    kinds = {"weights": "", "weights by class": " if negative"}
    for (rows, which), (name, probability), (n, prior) in product(
        kinds.items(), kept.items(), sizes
    ):
        name = f"kept {name}{which}, {n:,} rows, prior {prior:g}"
        draw = partial(_weighted, probability, rows == "weights", n, prior)
        yield designed(rows, name, draw, at_own_prior(1.5))


def _weighted(
    kept: Callable[[Any], Any], of_positives: bool, n: int, prior: float, rng: RNG
) -> Sample:
    y_true = rng.random(n) < prior
    score = binormal(2).draw_of(rng, y_true)
    share = np.where(y_true & (not of_positives), 1.0, kept(score))
    rows = rng.random(n) < share
    curve = ConfusionCurve.from_predictions(
        y_true[rows], score[rows], sample_weight=1 / share[rows]
    )
    return Sample((curve,), true_at(prior, binormal(2)), prior)


def clusters() -> Iterator[Design]:
    """Customers with a common part of their scores; sizes are 1 to 20, or heavy-tailed."""
    of_sizes = ((60, "1 to 20"), (200, "1 to 20"), (200, "3 to 300"), (400, "3 to 300"))
    kinds = ("clusters", "clusters ignored")
    for population, (n, sizes), share, rows in (
        *product([binormal(1.5)], of_sizes, (0.1, 0.3), kinds),
        *product((heavy_tails(2), exponential(4)), [(200, "3 to 300")], [0.3], kinds[:1]),
    ):
        name = f"{n} customers of {sizes} rows, correlation {share:g}, {population.name}"
        draw = partial(_customers, population, n, sizes, share, rows == "clusters")
        yield designed(rows, name, draw, at_own_prior(population.threshold()))


def _customers(
    population: Population, n: int, sizes: str, share: float, with_clusters: bool, rng: RNG
) -> Sample:
    n_rows = samples.heavy_sizes(rng, n) if sizes == "3 to 300" else rng.integers(1, 21, n)
    customer = np.repeat(np.arange(n), n_rows)
    y_true = rng.random(len(customer)) < 0.1
    normal = samples.correlated(rng, rng.normal(size=n)[customer], share)
    curve = ConfusionCurve.from_predictions(
        *(y_true, population.of_normal(y_true, normal)),
        clusters=customer if with_clusters else None,
    )
    return Sample((curve,), true_at(0.1, population), 0.1)


# -------------------------------------------------------------------------------- differences

# Metrics, positives, negatives, d′ of both models, correlation of their scores.
MODELS = (
    (AREAS, 150, 3000, 3.6, 3.4, 0.95),
    (AREAS, 150, 3000, 3.5, 3.5, 0.95),
    (AREAS, 150, 3000, 1.6, 1.5, 0.95),
    (AREAS, 150, 3000, 1.9, 1.5, 0.6),
    (AREAS, 30, 1500, 1.5, 1.5, 0.95),
    (AREAS, 30, 300, 3.0, 2.5, 0.7),
    (AREAS, 300, 300, 2.0, 2.2, 0.9),
    (AREAS, 10, 1000, 2.0, 1.5, 0.5),
    (AREAS, 41, 72, 1.6, 0.9, 0.3),
    (AREAS, 60, 120, 1.5, 1.5, 0.5),
    ((GAIN, BEST_F1), 150, 1500, 2.0, 1.8, 0.9),
    (samples.decisions(2.0), 150, 3000, 2.5, 2.3, 0.95),
    (samples.decisions(2.0), 30, 600, 2.2, 1.8, 0.8),
    (samples.decisions(1.0), 60, 60, 1.5, 1.5, 0.9),
)


def differences() -> Iterator[Design]:
    for metrics, n_pos, n_neg, a, b, correlation in MODELS:
        asked = [(metric, None) for metric in metrics]
        yield compared((binormal(a), binormal(b)), n_pos, n_neg, asked, correlation)
    asked = list(product((*AREAS, *samples.decisions(1.5, "precision", "f1")), (None, 0.01)))
    yield compared((heavy_tails(2), binormal(2)), 40, 760, asked, 0.6)
    yield from at_lower_priors()
    for a, sizes in product(
        (binormal(1), heavy_tails(2), binormal(2)), ((20, 20), (20, 380), (160, 160), (160, 3040))
    ):
        yield compared((a, binormal(2)), *sizes, asked)


def at_lower_priors() -> Iterator[Design]:
    """Two models on rows of which most negatives were dropped."""
    for a, b, sizes, pi0 in (
        (2.5, 1.5, (200, 200), 0.01),
        (2.5, 2.0, (200, 200), 0.1),
        (2.5, 2.0, (200, 2000), 0.01),
        (2.5, 1.8, (200, 2000), 0.003),
        (2.5, 2.5, (90, 210), 0.01),
    ):
        metrics = (AREAS[0], *samples.decisions(1.5, "precision", "f1"))
        asked = list(product(metrics, [pi0]))
        yield compared((binormal(a), binormal(b)), *sizes, asked, 0.5)


def compared(
    models: Sequence[Population], n_pos: int, n_neg: int, asked: Asked, correlation: float = 0.0
) -> Design:
    """Two samples of the same size, or two models on the same rows if they are correlated."""
    n = n_pos + n_neg
    y_true = np.arange(n) < n_pos

    def draw(rng: RNG) -> Sample:
        common = rng.normal(size=n)
        normal = [samples.correlated(rng, common, correlation) for _ in models]
        scores = [each.of_normal(y_true, x) for each, x in zip(models, normal, strict=True)]
        curves = tuple(ConfusionCurve.from_predictions(y_true, each) for each in scores)
        return Sample(curves, true_at(n_pos / n, *models), n_pos / n)

    name = f"{models[0].name} and {models[1].name}, {n_pos:,}/{n_neg:,}"
    if not correlation:
        return designed("two samples", name, draw, asked)
    return designed("two models", f"{name}, correlation {correlation:g}", draw, asked)
