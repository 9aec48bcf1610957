"""Do chosen thresholds keep their guarantee? They are tested on the population of the sample.

On ordinary data precision falls steadily with the threshold. On a plateau it stays just below the
required precision over many thresholds. Each of them may by chance seem to be good enough.
"""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric
from calibrated_metrics.binomial import clopper_pearson
from calibrated_metrics.thresholds import OperatingPoint, choose_threshold
from calibrated_metrics.uncertainty import Estimate
from validation.engine import RNG, Design, Outcome
from validation.populations import Population, binormal, contaminated, plateau

LEVEL, MIN_RECALL, PRIOR = 0.9, 0.8, 1 / 101
COST_OF_A_MISS = 5  # in false alarms
PRIOR_POSITIVES = 100  # expected positives among the rows that estimate the prior
N_RANKS = 60  # of thresholds that are tested alone
# Required precision, reference prior relative to PRIOR, and d′; or ratio and head of the plateaus.
ORDINARY = ((0.3, 1.0, 2), (0.3, 1.0, 3), (0.8, 1.0, 3), (0.3, 0.1, 3))
GOALS = ((0.3, 1.0), (0.8, 1.0), (0.3, 0.1))
PLATEAUS = ((0.97, 0.0), (0.999, 0.0), (0.999, 0.1))
HIDDEN = 0.001  # share of the negatives above all positives, such as unlabelled frauds


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


def designs() -> Iterator[Design]:
    for case in cases():
        labels = {**case._asdict(), "population": case.population.name}
        yield Design(labels, partial(outcomes, case))


def cases() -> Iterator[Case]:
    for n_pos in (60, 150, 600):
        for precision, times_prior, distance in ORDINARY:
            yield Case("ordinary", binormal(distance), precision, times_prior * PRIOR, n_pos)
        yield Case("bad top", contaminated(HIDDEN), 0.3, PRIOR, n_pos)
        for (precision, times_prior), (ratio, head) in product(GOALS, PLATEAUS):
            case = Case("plateau", binormal(1), precision, times_prior * PRIOR, n_pos)
            yield case._replace(population=plateau(case.odds, ratio, head))


def outcomes(case: Case, rng: RNG) -> Iterator[Outcome]:
    """Whether the threshold of each goal, knowledge of the prior and method misses the goal."""
    y_true, score = case.population.draw(rng, case.n_pos, 100 * case.n_pos)
    curve, pi0 = ConfusionCurve.from_predictions(y_true, score), case.pi0
    estimate = estimated_prior(pi0, rng)
    goals = {
        "precision": {"min_precision": case.precision},
        "recall": {"min_recall": MIN_RECALL},
        "alert rate": {"max_alert_rate": pi0},
        "specificity": {"min_specificity": MIN_RECALL},
        "NPV": {"min_npv": 1 - pi0 / 2},
    }
    if pi0 == PRIOR:
        yield from at_own_prior(case, goals, rng)
    for goal, prior, given in (
        ("precision", "known", {"pi0": pi0}),
        ("precision", "range", {"pi0_range": (pi0, 2 * pi0)}),
        ("precision", "estimated", {"pi0": estimate}),
        ("recall", "known", {"pi0": pi0}),
        ("alert rate", "known", {"pi0": pi0}),
        ("specificity", "known", {"pi0": pi0}),
        ("NPV", "known", {"pi0": pi0}),
        ("NPV", "range", {"pi0_range": (pi0 / 2, pi0)}),
        ("alert rate", "range", {"pi0_range": (pi0 / 2, pi0)}),
        ("precision", "estimate taken as known", {"pi0": estimate.value}),
    ):
        chosen = choose_threshold(curve, **given, confidence_level=LEVEL, **goals[goal])
        labels = {"goal": goal, "prior": prior, "method": "certified"}
        yield labels, judged(case, goal, chosen.threshold)
    plug_in = choose_threshold(curve, pi0=pi0, confidence_level=None, **goals["precision"])
    alone = tested_alone(case, curve, score)
    for method, threshold in (("observed", plug_in.threshold), ("each tested alone", alone)):
        labels = {"goal": "precision", "prior": "known", "method": method}
        yield labels, judged(case, "precision", threshold)


def at_own_prior(case: Case, goals: Mapping[str, Any], rng: RNG) -> Iterator[Outcome]:
    """The same for random rows without a reference prior; and limits of optimised values."""
    y_true = rng.random(101 * case.n_pos) < PRIOR
    curve = ConfusionCurve.from_predictions(y_true, case.population.draw_of(rng, y_true))
    optimised = {"F1": {"beta": 1}, "cost": {"cost_fp": 1, "cost_fn": COST_OF_A_MISS}}
    for goal, arguments in {**goals, **optimised}.items():
        chosen = choose_threshold(curve, confidence_level=LEVEL, **arguments)
        labels = {"goal": goal, "prior": "own", "method": "certified"}
        if goal in goals:
            yield labels, judged(case, goal, chosen.threshold)
        else:
            yield labels, {"missed": float(limit_is_missed(case, goal, chosen))}


def limit_is_missed(case: Case, goal: str, chosen: OperatingPoint) -> bool:
    """Whether the value in the population is worse than the limit."""
    tpr, fpr = case.population.rates(np.inf if chosen.threshold is None else chosen.threshold)
    matrix = ConfusionMatrix.from_rates(tpr=tpr, fpr=fpr, prior=PRIOR)
    if goal == "F1":
        return bool(Metric("f1")(matrix) < chosen.value_limit)
    return bool(matrix.fp + COST_OF_A_MISS * matrix.fn > chosen.value_limit)


def judged(case: Case, goal: str, threshold: float | None) -> dict[str, float]:
    """Whether the goal is missed in the population; recall relative to the best for a precision."""
    tpr, fpr = case.population.rates(np.inf if threshold is None else threshold)
    missed = {
        "precision": tpr < case.odds * fpr,
        "recall": threshold is not None and tpr < MIN_RECALL,
        "alert rate": case.pi0 * tpr + (1 - case.pi0) * fpr > case.pi0,
        "specificity": 1 - fpr < MIN_RECALL,
        "NPV": threshold is not None and case.pi0 * (1 - tpr) > odds_of_npv(case) * (1 - fpr),
    }[goal]
    relative = tpr / best_recall(case) if goal == "precision" else np.nan
    return {"missed": bool(missed), "relative": relative}


def odds_of_npv(case: Case) -> float:
    """Greatest FN / (1 - FPR) with the required NPV, 1 - pi0 / 2."""
    return (1 - case.pi0) * (case.pi0 / 2) / (1 - case.pi0 / 2)


@cache
def best_recall(case: Case) -> float:
    """Recall of the best threshold for the required precision."""
    if case.data == "plateau":
        return np.nan  # it jumps, so a ratio to it is not informative
    curve = case.population.curve(case.pi0)
    tpr, fpr = curve.tp / case.pi0, curve.fp / (1 - case.pi0)
    return tpr[tpr >= case.odds * fpr].max()


def estimated_prior(pi0: float, rng: RNG) -> Estimate:
    """The share of positives among other rows, with Clopper-Pearson limits."""
    n_rows = round(PRIOR_POSITIVES / pi0)
    count = int(rng.binomial(n_rows, pi0))
    low, high = clopper_pearson(count, n_rows, (1 - LEVEL) / 2)
    value = count / n_rows
    error = np.sqrt(value * (1 - value) / n_rows)
    return Estimate(value, float(low), float(high), error, LEVEL, "clopper_pearson")


def tested_alone(case: Case, curve: ConfusionCurve, score: np.ndarray) -> float | None:
    """The lowest threshold at which a binomial test passes, as if it were the only one tested."""
    share = case.odds * curve.n_pos / (case.odds * curve.n_pos + curve.n_neg)
    ranks = np.geomspace(1, len(score), N_RANKS).round().astype(int)
    at = np.sort(score)[-ranks]
    matrices = curve.confusion_matrix(at)
    p_values = stats.binom.sf(matrices.tp - 1, matrices.tp + matrices.fp, share)
    passed = np.flatnonzero(p_values <= 1 - LEVEL)
    return float(at[passed[-1]]) if passed.size else None
