"""Do chosen thresholds keep their guarantee? They are judged by the population of the sample.

On ordinary data precision falls steadily as the threshold falls. On a plateau it stays just below
the required precision over all thresholds, or from some threshold on, so every one of many
thresholds is a chance to be misled.
"""

from collections.abc import Iterator
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from scipy import stats

from calibrated_metrics import ConfusionCurve
from calibrated_metrics.binomial import clopper_pearson
from calibrated_metrics.thresholds import choose_threshold
from calibrated_metrics.uncertainty import Estimate
from validation.engine import RNG, Design, Outcome
from validation.populations import Population, binormal, plateau

LEVEL, MIN_RECALL, PRIOR = 0.9, 0.8, 1 / 101
PRIOR_POSITIVES = 100  # expected positives among the rows that estimate the prior
N_RANKS = 60  # of thresholds that are tested alone


class Case(NamedTuple):
    """A population and a required precision at the reference prior."""

    data: str
    population: Population
    precision: float
    pi0: float
    n_pos: int

    @property
    def odds(self) -> float:
        """Least TPR / FPR with the required precision."""
        return self.precision * (1 - self.pi0) / (self.pi0 * (1 - self.precision))


def designs() -> list[Design]:
    ordinary = ((0.3, 1.0, 2), (0.3, 1.0, 3), (0.8, 1.0, 3), (0.3, 0.1, 3))
    cases = []
    for n_pos in (60, 150, 600):
        for precision, times_prior, distance in ordinary:
            population = binormal(distance)
            cases.append(Case("ordinary", population, precision, times_prior * PRIOR, n_pos))
        for precision, times_prior in ((0.3, 1.0), (0.8, 1.0), (0.3, 0.1)):
            for ratio, head in ((0.97, 0.0), (0.999, 0.0), (0.999, 0.1)):
                case = Case("plateau", binormal(1), precision, times_prior * PRIOR, n_pos)
                cases.append(case._replace(population=plateau(case.odds, ratio, head)))
    return [
        Design({**case._asdict(), "population": case.population.name}, partial(outcomes, case))
        for case in cases
    ]


def outcomes(case: Case, rng: RNG) -> Iterator[Outcome]:
    """Whether the threshold of each goal, knowledge of the prior and method misses the goal."""
    y_true, score = case.population.draw(rng, case.n_pos, 100 * case.n_pos)
    curve, pi0 = ConfusionCurve.from_predictions(y_true, score), case.pi0
    estimate = estimated_prior(pi0, rng)
    certified = partial(choose_threshold, curve, confidence_level=LEVEL)
    by_precision = {"min_precision": case.precision}
    of_estimate = certified(pi0=estimate.value, **by_precision).threshold
    plug_in = choose_threshold(curve, pi0=pi0, confidence_level=None, **by_precision).threshold
    chosen = [
        ("precision", "known", "certified", certified(pi0=pi0, **by_precision).threshold),
        (
            "precision",
            "range",
            "certified",
            certified(pi0=(pi0, 2 * pi0), **by_precision).threshold,
        ),
        ("precision", "estimated", "certified", certified(pi0=estimate, **by_precision).threshold),
        ("precision", "estimate taken as known", "certified", of_estimate),
        ("precision", "known", "observed", plug_in),
        ("precision", "known", "each tested alone", tested_alone(case, curve, score)),
        ("recall", "known", "certified", certified(pi0=pi0, min_recall=MIN_RECALL).threshold),
        ("alert rate", "known", "certified", certified(pi0=pi0, max_alert_rate=pi0).threshold),
        (
            *("alert rate", "range", "certified"),
            certified(pi0=(pi0 / 2, pi0), max_alert_rate=pi0).threshold,
        ),
    ]
    for goal, prior, method, threshold in chosen:
        labels = {"goal": goal, "prior": prior, "method": method}
        yield labels, judged(case, goal, threshold)


def judged(case: Case, goal: str, threshold: float | None) -> dict[str, float]:
    """Whether the goal is missed in the population, and recall relative to the best threshold.

    For the goal of recall, the alert rate takes the place of recall, inverted.
    """
    if threshold is None:
        return {"found": False, "missed": False, "relative": 0.0}
    tpr, fpr = case.population.rates(threshold)
    alerts = case.pi0 * tpr + (1 - case.pi0) * fpr
    best = best_of(case)
    missed, relative = {
        "precision": (tpr < case.odds * fpr, tpr / best["precision"]),
        "recall": (tpr < MIN_RECALL, best["recall"] / alerts),
        "alert rate": (alerts > case.pi0, tpr / best["alert rate"]),
    }[goal]
    return {"found": True, "missed": bool(missed), "relative": relative}


@cache
def best_of(case: Case) -> dict[str, float]:
    """Recall of the best threshold for each goal; for the goal of recall, its alert rate."""
    curve = case.population.curve(case.pi0)
    tpr, fpr = curve.tp / case.pi0, curve.fp / (1 - case.pi0)
    alerts = curve.tp + curve.fp
    # On a plateau the best recall jumps, so a ratio to it says little.
    precise = np.nan if case.data == "plateau" else tpr[tpr >= case.odds * fpr].max()
    return {
        "precision": precise,
        "recall": alerts[tpr >= MIN_RECALL].min(),
        "alert rate": tpr[alerts <= case.pi0].max(),
    }


def estimated_prior(pi0: float, rng: RNG) -> Estimate:
    """The share of positives among other rows, with Clopper-Pearson limits."""
    n_rows = round(PRIOR_POSITIVES / pi0)
    count = int(rng.binomial(n_rows, pi0))
    low, high = clopper_pearson(count, n_rows, (1 - LEVEL) / 2)
    value = count / n_rows
    error = np.sqrt(value * (1 - value) / n_rows)
    return Estimate(value, float(low), float(high), error, LEVEL, "clopper_pearson")


def tested_alone(case: Case, curve: ConfusionCurve, score: np.ndarray) -> float | None:
    """The loosest threshold at which a binomial test passes, as if it were the only one tested."""
    share = case.odds * curve.n_pos / (case.odds * curve.n_pos + curve.n_neg)
    ranks = np.geomspace(1, len(score), N_RANKS).round().astype(int)
    at = np.sort(score)[-ranks]
    matrices = curve.confusion_matrix(at)
    p_values = stats.binom.sf(matrices.tp - 1, matrices.tp + matrices.fp, share)
    passed = np.flatnonzero(p_values <= 1 - LEVEL)
    return float(at[passed[-1]]) if passed.size else None
