"""Do chosen thresholds keep their guarantee? Simulation on samples of known populations.

On ordinary data precision falls steadily as the threshold falls. On a plateau it stays just below
the required precision over all thresholds, or from some threshold on, so every one of many
thresholds is a chance to be misled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import pandas as pd
from scipy import special, stats
from scipy.optimize import brentq
from tqdm import tqdm

from calibrated_metrics.binomial import clopper_pearson
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.thresholds import choose_threshold
from calibrated_metrics.uncertainty import Estimate
from reproduction.core.streams import stream

__all__ = ["ORDINARY", "PLATEAUS", "Binormal", "Cell", "Plateau", "run", "summary"]

_MIN_RECALL = 0.8
_ALERTS_PER_CASE = 1.0  # bound of the alert rate, in multiples of the reference prior
_PRIOR_POSITIVES = 100  # expected positives among the rows that estimate the prior
_N_POINTWISE_RANKS = 60


class Population(Protocol):
    """Distributions of the scores of both classes."""

    def sample(self, n_pos: int, n_neg: int, rng: np.random.Generator) -> np.ndarray:
        """Scores of the positives, then of the negatives."""

    def rates(self, threshold: float) -> tuple[float, float]:
        """True and false positive rate of the decision ``score >= threshold``."""

    @property
    def bracket(self) -> tuple[float, float]:
        """Thresholds that count almost everything and almost nothing."""


@dataclass(frozen=True)
class Binormal:
    """Negatives N(0, 1), positives N(distance, 1)."""

    distance: float

    def __str__(self) -> str:
        return f"binormal, d' = {self.distance:g}"

    bracket = -6.0, 12.0

    def sample(self, n_pos: int, n_neg: int, rng: np.random.Generator) -> np.ndarray:
        scores = rng.standard_normal(n_pos + n_neg)
        scores[:n_pos] += self.distance
        return scores

    def rates(self, threshold: float) -> tuple[float, float]:
        return float(special.ndtr(self.distance - threshold)), float(special.ndtr(-threshold))


@dataclass(frozen=True)
class Plateau:
    """TPR / FPR is three times the required odds up to TPR = head, then `ratio` times the odds.

    Scores are minus the false positive rate at the score.
    """

    odds: float
    ratio: float
    head: float

    def __str__(self) -> str:
        head = f" after a head of recall {self.head:g}" if self.head else ""
        return f"plateau at {self.ratio:g} of the odds{head}"

    bracket = -1.0, 0.0

    def sample(self, n_pos: int, n_neg: int, rng: np.random.Generator) -> np.ndarray:
        uniform = rng.random(n_pos + n_neg)
        positives = uniform[:n_pos]
        slope = np.where(positives < self.head, 3 * self.odds, self.ratio * self.odds)
        positives /= slope
        return -uniform

    def rates(self, threshold: float) -> tuple[float, float]:
        fpr = -threshold
        on_plateau = self.ratio * self.odds * fpr
        tpr = max(min(self.head, 3 * self.odds * fpr), min(1.0, on_plateau))
        return tpr, min(1.0, fpr)


class Cell(NamedTuple):
    """A population kind and a requirement; the reference prior is a multiple of the data's."""

    min_precision: float
    times_prior: float
    distance: float | None = None
    ratio: float = 1.0
    head: float = 0.0

    def population(self, odds: float) -> Binormal | Plateau:
        if self.distance is not None:
            return Binormal(self.distance)
        return Plateau(odds, self.ratio, self.head)


ORDINARY = (
    Cell(0.3, 1.0, distance=2.0),
    Cell(0.3, 1.0, distance=3.0),
    Cell(0.8, 1.0, distance=3.0),
    Cell(0.3, 0.1, distance=3.0),
)
PLATEAUS = tuple(
    Cell(min_precision, times_prior, ratio=ratio, head=head)
    for min_precision, times_prior in ((0.3, 1.0), (0.8, 1.0), (0.3, 0.1))
    for ratio, head in ((0.97, 0.0), (0.999, 0.0), (0.999, 0.1))
)


def run(
    cells: Sequence[Cell] = ORDINARY + PLATEAUS,
    n_pos: Sequence[int] = (60, 150, 600),
    *,
    seed: int,
    runs: Iterable[int],
    negatives_per_positive: int = 100,
    confidence_level: float = 0.9,
) -> pd.DataFrame:
    """Choose thresholds on samples and judge them by the population.

    Parameters
    ----------
    cells : sequence of Cell
    n_pos : sequence of int
        Positives of a sample.
    seed : int
    runs : iterable of int
        Each run draws one sample per cell and number of positives.
    negatives_per_positive : int, default=100
    confidence_level : float in (0, 1), default=0.9

    Returns
    -------
    DataFrame
        A row per cell, number of positives, goal, knowledge of the prior, method and run: `data`,
        `goal`, `pi0`, `prior` ("known", "range", "estimated" or "estimate taken as known"),
        `method` ("empirical" is the plug-in; "pointwise" ignores the choice), `n_pos`, `n_neg`,
        `run`; `found`, whether a threshold was chosen; `missed`, whether it violates the goal in
        the population; and `relative`, the recall relative to that of the best threshold, or for a
        goal of recall, the alert rate of the best threshold relative to the chosen one's. It is 0
        if nothing was found, and NaN for a goal of precision on a plateau.
    """
    rows = []
    for run_index in tqdm(runs, desc="threshold guarantees", disable=None, leave=False):
        for place, cell in enumerate(cells):
            for size in n_pos:
                n_neg = negatives_per_positive * size
                rng = stream(seed, "threshold_guarantees", run_index, place, size)
                for row in _of_sample(cell, size, n_neg, 1 - confidence_level, rng):
                    rows.append({**row, "n_pos": size, "n_neg": n_neg, "run": run_index})
    return pd.DataFrame(rows)


def summary(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """Share of misses over the runs, with its standard error, and mean relative recall.

    Parameters
    ----------
    tables : list of DataFrame
        Of `run`.

    Returns
    -------
    DataFrame
        A row per cell, goal, knowledge of the prior, method and number of positives: their
        columns, `n_runs`, `missed`, `standard_error`, `nothing_found` and `relative`.
    """
    keys = ["data", "goal", "pi0", "prior", "method", "n_pos", "n_neg"]
    groups = pd.concat(tables).groupby(keys, sort=False)
    table = groups.agg(
        n_runs=("run", "size"),
        missed=("missed", "mean"),
        nothing_found=("found", lambda found: 1 - found.mean()),
        relative=("relative", "mean"),
    ).reset_index()
    error = np.sqrt(table["missed"] * (1 - table["missed"]) / table["n_runs"])
    table.insert(table.columns.get_loc("missed") + 1, "standard_error", error)
    return table


def _of_sample(
    cell: Cell, n_pos: int, n_neg: int, alpha: float, rng: np.random.Generator
) -> Iterator[dict]:
    """One row per goal, knowledge of the prior and method."""
    pi0 = cell.times_prior * n_pos / (n_pos + n_neg)
    odds = cell.min_precision * (1 - pi0) / (pi0 * (1 - cell.min_precision))
    population = cell.population(odds)
    y_true = np.arange(n_pos + n_neg) < n_pos
    y_score = population.sample(n_pos, n_neg, rng)
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    level = 1 - alpha
    estimate = _estimated_prior(pi0, level, rng)

    def judged(goal: _Goal, prior: str, method: str, threshold: float | None) -> dict:
        return {
            "data": str(population),
            "goal": str(goal),
            "pi0": pi0,
            "prior": prior,
            "method": method,
            **goal.judged(population, threshold),
        }

    precision = _MinPrecision(cell.min_precision, odds)
    ask = {"min_precision": cell.min_precision}
    for prior, known in (
        ("known", pi0),
        ("range", (pi0, 2 * pi0)),
        ("estimated", estimate),
        ("estimate taken as known", estimate.value),
    ):
        point = choose_threshold(curve, pi0=known, confidence_level=level, **ask)
        yield judged(precision, prior, point.method, point.threshold)
    plug_in = choose_threshold(curve, pi0=pi0, confidence_level=None, **ask)
    yield judged(precision, "known", "empirical", plug_in.threshold)
    yield judged(precision, "known", "pointwise", _pointwise(curve, y_score, odds, alpha))

    recall = _MinRecall(_MIN_RECALL, pi0)
    point = choose_threshold(curve, pi0=pi0, min_recall=_MIN_RECALL, confidence_level=level)
    yield judged(recall, "known", point.method, point.threshold)

    for prior, known, true_prior in (("known", pi0, pi0), ("range", (pi0 / 2, pi0), pi0)):
        rate = _MaxAlertRate(_ALERTS_PER_CASE * pi0, true_prior)
        point = choose_threshold(curve, pi0=known, max_alert_rate=rate.most, confidence_level=level)
        yield judged(rate, prior, point.method, point.threshold)


def _estimated_prior(pi0: float, level: float, rng: np.random.Generator) -> Estimate:
    """The share of positives among other rows, with Clopper-Pearson limits."""
    n_rows = round(_PRIOR_POSITIVES / pi0)
    count = int(rng.binomial(n_rows, pi0))
    low, high = clopper_pearson(count, n_rows, (1 - level) / 2)
    value = count / n_rows
    error = np.sqrt(value * (1 - value) / n_rows)
    return Estimate(value, float(low), float(high), error, level, "clopper_pearson")


def _pointwise(
    curve: ConfusionCurve, y_score: np.ndarray, odds: float, alpha: float
) -> float | None:
    """The loosest threshold at which a binomial test passes, as if it were the only one tested."""
    share = odds * curve.n_pos / (odds * curve.n_pos + curve.n_neg)
    ranks = np.geomspace(1, len(y_score), _N_POINTWISE_RANKS).round().astype(int)
    thresholds = np.sort(y_score)[-ranks]
    matrices = curve.confusion_matrix(thresholds)
    p_values = stats.binom.sf(matrices.tp - 1, matrices.tp + matrices.fp, share)
    passed = np.flatnonzero(p_values <= alpha)
    return float(thresholds[passed[-1]]) if passed.size else None


# ------------------------------------------------------------------------- goals in a population


class _Goal(Protocol):
    def judged(self, population: Population, threshold: float | None) -> dict: ...


@dataclass(frozen=True)
class _MinPrecision:
    least: float
    odds: float

    def __str__(self) -> str:
        return f"precision >= {self.least:g}"

    def judged(self, population: Population, threshold: float | None) -> dict:
        best = self._best_recall(population)
        if threshold is None:
            return _not_found(best)
        tpr, fpr = population.rates(threshold)
        return {"found": True, "missed": tpr < self.odds * fpr, "relative": tpr / best}

    def _best_recall(self, population: Population) -> float:
        if isinstance(population, Plateau):
            return np.nan  # the plateau jumps there, so a ratio to it says little

        def excess(threshold: float) -> float:
            tpr, fpr = population.rates(threshold)
            return np.log(tpr) - np.log(fpr) - np.log(self.odds)

        return population.rates(brentq(excess, *population.bracket))[0]


@dataclass(frozen=True)
class _MinRecall:
    least: float
    pi0: float

    def __str__(self) -> str:
        return f"recall >= {self.least:g}"

    def judged(self, population: Population, threshold: float | None) -> dict:
        if threshold is None:
            return _not_found(1.0)
        best = brentq(lambda t: population.rates(t)[0] - self.least, *population.bracket)
        alerts = [_alert_rate(population, t, self.pi0) for t in (best, threshold)]
        missed = population.rates(threshold)[0] < self.least
        return {"found": True, "missed": missed, "relative": alerts[0] / alerts[1]}


@dataclass(frozen=True)
class _MaxAlertRate:
    most: float
    pi0: float

    def __str__(self) -> str:
        return f"alert rate <= {self.most:.4g}"

    def judged(self, population: Population, threshold: float | None) -> dict:
        if threshold is None:
            return _not_found(1.0)
        best = brentq(
            lambda t: _alert_rate(population, t, self.pi0) - self.most, *population.bracket
        )
        recalls = [population.rates(t)[0] for t in (threshold, best)]
        missed = _alert_rate(population, threshold, self.pi0) > self.most
        return {"found": True, "missed": missed, "relative": recalls[0] / recalls[1]}


def _alert_rate(population: Population, threshold: float, pi0: float) -> float:
    tpr, fpr = population.rates(threshold)
    return pi0 * tpr + (1 - pi0) * fpr


def _not_found(best: float) -> dict:
    return {"found": False, "missed": False, "relative": 0.0 * best}
