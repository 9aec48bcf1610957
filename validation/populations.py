"""Populations of scores with known true and false positive rates."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special, stats

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric
from validation.engine import RNG

_TAIL = np.geomspace(1e-12, 0.01, 3000)
_LEVELS = np.concatenate([_TAIL, np.linspace(0.01, 0.99, 8000)[1:-1], 1 - _TAIL[::-1]])


@dataclass(frozen=True, eq=False)
class Mixture:
    """Scores of a class: a mixture of distributions."""

    shares: tuple[float, ...]
    parts: tuple[Any, ...]

    def draw(self, rng: RNG, n: int) -> np.ndarray:
        numbers = rng.multinomial(n, self.shares)
        drawn = [
            part.rvs(size=k, random_state=rng) for part, k in zip(self.parts, numbers, strict=True)
        ]
        return rng.permutation(np.concatenate(drawn))

    def at_least(self, threshold: Any) -> Any:
        """P(score >= threshold)."""
        return sum(w * part.sf(threshold) for w, part in zip(self.shares, self.parts, strict=True))


@dataclass(frozen=True, eq=False)
class Population:
    """Scores of the positives and of the negatives, rounded if `decimals` is given."""

    name: str
    pos: Mixture
    neg: Mixture
    decimals: int | None = None

    def rounded(self, decimals: int) -> "Population":
        return Population(f"{self.name}, {decimals} decimals", self.pos, self.neg, decimals)

    def draw(self, rng: RNG, n_pos: int, n_neg: int) -> tuple[np.ndarray, np.ndarray]:
        """Labels and scores of this many rows of each class."""
        y_true = np.arange(n_pos + n_neg) < n_pos
        return y_true, self.draw_of(rng, y_true)

    def draw_of(self, rng: RNG, y_true: np.ndarray) -> np.ndarray:
        """Scores of rows with these labels."""
        score = np.empty(len(y_true))
        score[y_true] = self.pos.draw(rng, int(y_true.sum()))
        score[~y_true] = self.neg.draw(rng, int((~y_true).sum()))
        return score if self.decimals is None else np.round(score, self.decimals)

    def of_normal(self, y_true: np.ndarray, normal: np.ndarray) -> np.ndarray:
        """Map standard normal numbers to scores; each class must have a single distribution."""
        (pos,), (neg,) = self.pos.parts, self.neg.parts
        uniform = special.ndtr(normal)
        return np.where(y_true, pos.ppf(uniform), neg.ppf(uniform))

    def rates(self, threshold: Any) -> tuple[Any, Any]:
        """True and false positive rate of the decision ``score >= threshold``."""
        if self.decimals is not None:
            step = 10.0**-self.decimals
            threshold = (np.ceil(np.round(np.asarray(threshold) / step, 6)) - 0.5) * step
        return self.pos.at_least(threshold), self.neg.at_least(threshold)

    @functools.cached_property
    def points(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Thresholds, TPR and FPR of many vertices, more of them in the tails."""
        at = np.unique([part.isf(_LEVELS) for part in (*self.pos.parts, *self.neg.parts)])
        if self.decimals is not None:
            at = np.unique(np.round(at, self.decimals))
        at = at[::-1]
        tpr, fpr = self.rates(at)
        tpr[-1] = fpr[-1] = 1.0
        return np.append(np.inf, at), np.append(0.0, tpr), np.append(0.0, fpr)

    def curve(self, prior: float) -> ConfusionCurve:
        """The curve in the infinite-sample limit."""
        at, tpr, fpr = self.points
        return ConfusionCurve(at, prior * tpr, (1 - prior) * fpr)

    def threshold(self, recall: float = 0.5) -> float:
        """The highest of many thresholds with at least this recall."""
        at, tpr, _ = self.points
        return float(at[np.searchsorted(tpr, recall)])

    def value(self, metric: Metric, prior: float) -> float:
        """The metric in the infinite-sample limit."""
        return _value(self, metric, float(prior))


@functools.lru_cache(maxsize=50_000)
def _value(population: Population, metric: Metric, prior: float) -> float:
    if metric.of_matrix:
        tpr, fpr = population.rates(metric.options["threshold"])
        return float(metric._value(ConfusionMatrix.from_rates(tpr=tpr, fpr=fpr, prior=prior)))
    if metric.name == "average_precision" and population.decimals is None:
        # The limit of average precision for continuous scores is the interpolated area.
        metric = Metric("pr_auc")
    return float(metric(population.curve(prior)))


def one(part: Any) -> Mixture:
    return Mixture((1.0,), (part,))


def two(share: float, first: Any, second: Any) -> Mixture:
    """`share` of the rows have scores from the second distribution."""
    return Mixture((1 - share, share), (first, second))


def _family(name: str, pos: Callable[[float], Any], neg: Any) -> Callable[[float], Population]:
    """Populations with one distribution of the negatives, by a parameter of the positives."""
    return functools.cache(lambda x: Population(name.format(x), one(pos(x)), one(neg)))


binormal = _family("d′ = {:g}", stats.norm, stats.norm())
heavy_tails = _family("heavy tails", lambda x: stats.t(3, loc=x), stats.t(3))
exponential = _family("exponential", lambda x: stats.expon(scale=x), stats.expon())
log_normal = _family("log-normal", lambda x: stats.lognorm(1, scale=np.exp(x)), stats.lognorm(1))


@functools.cache
def contaminated(share: float) -> Population:
    """A share of the negatives lies above nearly all positives, such as unlabelled frauds."""
    negatives = two(share, stats.norm(), stats.norm(8))
    return Population(f"{share:.2%} hard negatives", one(stats.norm(4)), negatives)


@functools.cache
def plateau(odds: float, ratio: float, head: float) -> "Population":
    """TPR / FPR is 3 × `odds` up to TPR = `head`, then `ratio` × `odds`.

    A score is minus the false positive rate at the score.
    """
    of_head, slope = head / (3 * odds), ratio * odds
    positives = two(
        head, stats.uniform(-1 / slope, (1 - head) / slope), stats.uniform(-of_head, of_head or 1)
    )
    name = f"plateau at {ratio:g} of the odds" + (f", head of recall {head:g}" if head else "")
    return Population(name, positives, one(stats.uniform(-1, 1)))


HARD_POSITIVES = Population(
    "30 % hard positives", two(0.3, stats.norm(3), stats.norm()), one(stats.norm())
)
HARD_NEGATIVES = Population(
    "10 % hard negatives", one(stats.norm(1)), two(0.1, stats.norm(), stats.norm(6, 0.5))
)
WIDE_POSITIVES = Population("wide positives", one(stats.norm(1.5, 2)), one(stats.norm()))
PROBABILITIES = Population("probabilities", one(stats.beta(2, 2)), one(stats.beta(1, 4)))
MISSED = Population("3 % missed", two(0.03, stats.norm(4), stats.norm(-5)), one(stats.norm()))
FOREST = Population("forest of 10 trees", one(stats.beta(2, 0.5)), one(stats.beta(0.1, 1.2)), 1)
NORMAL = tuple(map(binormal, (0.5, 1, 2)))
OTHERS = (WIDE_POSITIVES, heavy_tails(2), exponential(4), PROBABILITIES)
