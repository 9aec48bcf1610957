"""Coverage of intervals of one sample, and of differences between two samples or two models."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric
from calibrated_metrics.uncertainty import difference, interval
from validation import populations
from validation.engine import RNG, Design, Outcome, noticed, of_interval
from validation.populations import Population, binormal, exponential, heavy_tails

N_RESAMPLES = 100  # of bootstraps
AVERAGE_PRECISION, ROC_AUC = AREAS = Metric("average_precision"), Metric("roc_auc")
DECISIONS = PRECISION, RECALL, F1, NPV = tuple(map(Metric, ("precision", "recall", "f1", "npv")))
GAIN, BEST_F1 = Metric("prg_auc"), Metric("best_fbeta")
OF_A_CURVE = (
    Metric("pr_auc"),
    Metric("achievable_pr_auc"),
    Metric("partial_average_precision", min_recall=0.3, max_recall=0.7),
    Metric("partial_roc_auc", max_fpr=0.1),
    Metric("partial_gains_auc", max_alert_rate=0.05),
    Metric("precision_at_recall", recall=0.5),
    Metric("recall_at_precision", precision=0.3),
    Metric("precision_at_top", alert_rate=0.05),
    Metric("recall_at_top", alert_rate=0.05),
    BEST_F1,
)

Asked = tuple[Metric, float | None]
"""A metric and its reference prior; None is the prior of the sample."""
TrueValue = Callable[[Metric, float | None], float]


class Sample(NamedTuple):
    """Rows with one score, or the scores of two models or samples, and how they were drawn.

    `true_value` is that of the population; at its prior `prior`, if known, or that of the sample.
    """

    y_true: Any
    scores: tuple[Any, ...]
    true_value: TrueValue
    how: dict[str, Any] = {}  # noqa: RUF012
    prior: float | None = None


def data_of(metric: Metric, y_true: Any, score: Any, threshold: float, **how: Any) -> Any:
    """The matrix at the threshold for a metric of a decision, otherwise the curve."""
    if metric.of_matrix:
        return ConfusionMatrix.from_predictions(y_true, score >= threshold, **how)
    return ConfusionCurve.from_predictions(y_true, score, **how)


def designed(
    rows: str, name: str, draw: Callable[[RNG], Sample], asked: Sequence[Asked], threshold: float
) -> Design:
    """A design that records the interval, or that of the difference, of each metric asked."""

    def outcomes(rng: RNG) -> Iterator[Outcome]:
        y_true, scores, true_value, how, prior = draw(rng)
        n_pos = np.count_nonzero(y_true)
        smaller = min(n_pos, len(y_true) - n_pos)
        options = {"n_resamples": N_RESAMPLES, "rng": int(rng.integers(2**63))}
        if len(scores) == 2:
            options["paired"] = rows == "two models"
        for metric, pi0 in asked:
            with noticed() as warned:
                data = [data_of(metric, y_true, score, threshold, **how) for score in scores]
                function = interval if len(data) == 1 else difference
                estimate = function(metric, *data, pi0=prior if pi0 is None else pi0, **options)
            record = of_interval(estimate, true_value(metric, pi0), warned=warned())
            yield {"metric": metric.label, "pi0": pi0}, {**record, "smaller_class": smaller}

    return Design({"rows": rows, "design": name}, outcomes)


# --------------------------------------------------------------------------- independent rows


def independent(
    rows: str,
    population: Population,
    n_pos: int,
    n_neg: int,
    asked: Sequence[Asked],
    *,
    random_counts: bool = False,
) -> Design:
    threshold = population.threshold(recall=0.5)
    n = n_pos + n_neg

    def draw(rng: RNG) -> Sample:
        drawn = n_pos
        if random_counts:
            drawn = int(np.clip(rng.binomial(n, n_pos / n), 2, n - 2))
        y_true, score = population.draw(rng, drawn, n - drawn)

        def true_value(metric: Metric, pi0: float | None) -> float:
            # Without a reference prior, the interval is about the prior of the sample.
            return population.value(metric, drawn / n if pi0 is None else pi0, threshold)

        return Sample(y_true, (score,), true_value)

    return designed(rows, f"{population.name}, {n_pos:,}/{n_neg:,}", draw, asked, threshold)


def few() -> Iterator[Design]:
    for distance in (1, 2, 3):
        for sizes in ((1000, 10), (400, 20), (2000, 12)):
            yield independent("few negatives", binormal(distance), *sizes, [(ROC_AUC, None)])
    for sizes in ((2000, 10), (5000, 20)):
        yield independent("few negatives", populations.HARD_NEGATIVES, *sizes, [(ROC_AUC, None)])


def rare() -> Iterator[Design]:
    hard, missed, forest = populations.contaminated, populations.MISSED, populations.FOREST
    for population, n_pos, n_neg, pi0 in (
        (hard(0.001), 20, 980, None),
        (hard(0.0003), 60, 2940, None),
        (hard(0.001), 200, 1000, 0.01),
        (hard(0.001), 1000, 1000, 0.05),
        (hard(0.003), 300, 300, 0.05),
        (hard(0.0003), 1000, 1000, 0.05),
        *((missed, n_pos, 50 * n_pos, None) for n_pos in (20, 60, 200)),
        *((forest, n_pos, 50 * n_pos, None) for n_pos in (20, 60)),
    ):
        asked = [(metric, pi0) for metric in AREAS]
        yield independent("rare errors", population, n_pos, n_neg, asked)


ORDINARY: tuple[Asked, ...] = (
    *((metric, pi0) for pi0 in (None, 0.01, 0.5) for metric in (AVERAGE_PRECISION, PRECISION, F1)),
    (ROC_AUC, None),
    (RECALL, None),
    (NPV, None),
    (GAIN, 0.5),
)


def ordinary() -> Iterator[Design]:
    for population, priors in (
        *((binormal(distance), (0.5, 0.05, 0.005)) for distance in (0.5, 1, 2)),
        *(
            (population, (0.5, 0.05))
            for population in (
                *(populations.WIDE_POSITIVES, heavy_tails(2), exponential(4)),
                *(populations.log_normal(2), populations.PROBABILITIES),
            )
        ),
    ):
        for prior in priors:
            for n_pos in (20, 40, 160, 1000):
                n_neg = round(n_pos * (1 - prior) / prior)
                if n_neg <= 60_000:
                    yield independent("independent", population, n_pos, n_neg, ORDINARY)
    for population in (binormal(1), exponential(4)):
        for sizes in ((20, 20), (20, 380), (160, 3040)):
            yield independent("rounded scores", population.rounded(1), *sizes, ORDINARY)
            yield independent("random counts", population, *sizes, ORDINARY, random_counts=True)


def of_a_curve() -> Iterator[Design]:
    """Metrics whose errors come from bootstrap draws."""
    asked = [(metric, pi0) for pi0 in (None, 0.01) for metric in OF_A_CURVE]
    for population in (binormal(2), heavy_tails(2)):
        for n_pos in (20, 160):
            yield independent("bootstrap", population, n_pos, 19 * n_pos, asked)


# ------------------------------------------------------------------ strata, weights and clusters


def strata() -> Iterator[Design]:
    """Labels of some rows of each stratum of the scores; the population has 100,000 rows."""
    asked = [(AVERAGE_PRECISION, 0.01), *((metric, None) for metric in (*AREAS, *DECISIONS))]
    for cuts, sizes, prior, distance, threshold in (
        ((0.9, 0.98), (200, 100, 100), 0.01, 2.5, 2.0),
        ((0.9, 0.98), (400, 300, 300), 0.01, 2.5, 2.0),
        ((0.9, 0.98), (1000, 1000, 1000), 0.05, 2.5, 2.0),
        ((0.9, 0.98), (400, 300, 300), 0.01, 1.0, 2.0),
        ((0.5, 0.8, 0.95, 0.99), (100,) * 5, 0.02, 2.0, 1.5),
        ((0.7,), (250, 150), 0.1, 1.5, 1.0),
        ((0.5, 0.8), (200, 200, 200), 0.3, 1.5, 2.0),
    ):
        draw = partial(draw_audit, cuts, sizes, prior, distance, threshold)
        labels = "/".join(map(str, sizes))
        name = f"labels {labels}, prior {prior:g}, d′ = {distance:g}"
        yield designed("strata", name, draw, asked, threshold)


def draw_audit(
    cuts: Sequence[float],
    sizes: Sequence[int],
    prior: float,
    distance: float,
    threshold: float,
    rng: RNG,
) -> Sample:
    y_true = rng.random(100_000) < prior
    score = binormal(distance).draw_of(rng, y_true)
    stratum = np.searchsorted(np.quantile(score, cuts), score, side="right")
    members = [np.flatnonzero(stratum == each) for each in range(len(sizes))]
    rows = [rng.choice(each, n, replace=False) for each, n in zip(members, sizes, strict=True)]
    chosen = np.concatenate(rows)
    weight = (np.bincount(stratum) / sizes)[stratum[chosen]]
    how = {"sample_weight": weight, "strata": stratum[chosen]}

    def true_value(metric: Metric, pi0: float | None) -> float:
        return metric.at(pi0)(data_of(metric, y_true, score, threshold))

    return Sample(y_true[chosen], (score[chosen],), true_value, how)


def weights() -> Iterator[Design]:
    """Rows are kept with a probability that depends on the score; there are no strata."""
    kept: dict[str, Callable[[Any], Any]] = {
        "1 in 20 below 1": lambda score: np.where(score > 1, 1.0, 0.05),
        "0.02 to 1": lambda score: 0.02 + 0.98 / (1 + np.exp(-2 * (score - 1.5))),
        "0.33 to 1": lambda score: 0.33 + 0.67 / (1 + np.exp(-score)),
    }
    asked = [(metric, None) for metric in (*AREAS, *DECISIONS)]
    for name, probability in kept.items():
        for n, prior in ((3000, 0.02), (3000, 0.1), (20_000, 0.02)):
            draw = partial(draw_weighted, probability, n, prior)
            yield designed("weights", f"kept {name}, {n:,} rows, prior {prior:g}", draw, asked, 1.5)


def draw_weighted(kept: Callable[[Any], Any], n: int, prior: float, rng: RNG) -> Sample:
    y_true = rng.random(n) < prior
    score = binormal(2).draw_of(rng, y_true)
    share = kept(score)
    rows = rng.random(n) < share
    true_value = _at_known_prior(binormal(2), prior, 1.5)
    how = {"sample_weight": 1 / share[rows]}
    return Sample(y_true[rows], (score[rows],), true_value, how, prior)


def _at_known_prior(population: Population, prior: float, threshold: float) -> TrueValue:
    return lambda metric, pi0: population.value(metric, pi0 or prior, threshold)


def clusters() -> Iterator[Design]:
    """Customers with a common part of their scores; sizes are 1 to 20, or heavy-tailed."""
    asked = [(metric, None) for metric in (*AREAS, *DECISIONS)]
    for n_customers, heavy in ((60, False), (200, False), (200, True), (400, True)):
        for share in (0.1, 0.3):
            sizes = "3 to 300" if heavy else "1 to 20"
            name = f"{n_customers} customers of {sizes} rows, correlation {share:g}"
            for rows in ("clusters", "clusters ignored"):
                draw = partial(draw_customers, binormal(1.5), n_customers, share, heavy, rows)
                yield designed(rows, name, draw, asked, 1.5)
    for population in (heavy_tails(2), exponential(4)):
        threshold = population.threshold(recall=0.5)
        draw = partial(draw_customers, population, 200, 0.3, True, "clusters")
        name = f"200 customers of 3 to 300 rows, correlation 0.3, {population.name}"
        yield designed("clusters", name, draw, asked, threshold)


def draw_customers(
    population: Population, n_customers: int, share: float, heavy: bool, rows: str, rng: RNG
) -> Sample:
    prior = 0.1
    sizes = rng.integers(1, 21, n_customers)
    if heavy:
        sizes = np.minimum(3 * (1 + rng.pareto(1.2, n_customers)), 300).astype(int)
    customer = np.repeat(np.arange(n_customers), sizes)
    y_true = rng.random(len(customer)) < prior
    score = population.of_normal(y_true, correlated(rng, n_customers, share, customer))
    threshold = 1.5 if population is binormal(1.5) else population.threshold(recall=0.5)
    how = {"clusters": customer} if rows == "clusters" else {}
    return Sample(y_true, (score,), _at_known_prior(population, prior, threshold), how, prior)


def correlated(rng: RNG, n: int, share: float, of_row: Any) -> np.ndarray:
    """Standard normal numbers; rows of the same cluster share a part of their variance."""
    common = rng.normal(size=n)
    return np.sqrt(share) * common[of_row] + np.sqrt(1 - share) * rng.normal(size=len(of_row))


# -------------------------------------------------------------------------------- differences


def compared(
    a: Population,
    b: Population,
    n_pos: int,
    n_neg: int,
    asked: Sequence[Asked],
    correlation: float | None = None,
    threshold: float = 0.0,
) -> Design:
    """Two samples of the same size, or two models on the same rows if they are correlated."""
    n = n_pos + n_neg
    y_true = np.arange(n) < n_pos

    def true_value(metric: Metric, pi0: float | None) -> float:
        values = [each.value(metric, pi0 or n_pos / n, threshold) for each in (a, b)]
        return values[0] - values[1]

    def draw(rng: RNG) -> Sample:
        common, share = rng.normal(size=n), correlation or 0.0
        scores = (
            np.sqrt(share) * common + np.sqrt(1 - share) * rng.normal(size=n) for _ in range(2)
        )
        scores = [each.of_normal(y_true, x) for each, x in zip((a, b), scores, strict=True)]
        return Sample(y_true, tuple(scores), true_value)

    name = f"{a.name} and {b.name}, {n_pos:,}/{n_neg:,}"
    if correlation is None:
        return designed("two samples", name, draw, asked, threshold)
    return designed("two models", f"{name}, correlation {correlation:g}", draw, asked, threshold)


def differences() -> list[Design]:
    own_areas, own_decisions = ([(each, None) for each in of] for of in (AREAS, DECISIONS))
    found = [
        compared(binormal(a), binormal(b), n_pos, n_neg, own_areas, correlation)
        for n_pos, n_neg, a, b, correlation in (
            (150, 3000, 3.6, 3.4, 0.95),
            (150, 3000, 3.5, 3.5, 0.95),
            (150, 3000, 1.6, 1.5, 0.95),
            (150, 3000, 1.9, 1.5, 0.6),
            (30, 1500, 1.5, 1.5, 0.95),
            (30, 300, 3.0, 2.5, 0.7),
            (300, 300, 2.0, 2.2, 0.9),
            (10, 1000, 2.0, 1.5, 0.5),
        )
    ]
    of_draws = [(GAIN, None), (BEST_F1, None)]
    found.append(compared(binormal(2), binormal(1.8), 150, 1500, of_draws, 0.9))
    found += [
        compared(binormal(a), binormal(b), n_pos, n_neg, own_decisions, correlation, threshold)
        for n_pos, n_neg, a, b, correlation, threshold in (
            (150, 3000, 2.5, 2.3, 0.95, 2.0),
            (30, 600, 2.2, 1.8, 0.8, 2.0),
            (60, 60, 1.5, 1.5, 0.9, 1.0),
        )
    ]
    metrics = (AVERAGE_PRECISION, ROC_AUC, PRECISION, F1)
    asked = [(metric, pi0) for metric in metrics for pi0 in (None, 0.01)]
    found += [
        compared(a, binormal(2), n_pos, n_neg, asked, threshold=1.5)
        for a in (binormal(1), heavy_tails(2), binormal(2))
        for n_pos, n_neg in ((20, 20), (20, 380), (160, 160), (160, 3040))
    ]
    return [*found, compared(heavy_tails(2), binormal(2), 40, 760, asked, 0.6, 1.5)]


def designs() -> list[Design]:
    """All designs of one sample whose metrics need no bootstrap."""
    parts = (few, rare, ordinary, strata, weights, clusters)
    return [design for part in parts for design in part()]
