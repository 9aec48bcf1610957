"""Populations of scores, smooth ones and ones that mislead, with their true curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from calibrated_metrics import ConfusionCurve


@dataclass(frozen=True)
class Mixture:
    """Scores of a class: a mixture of distributions, perhaps rounded to a number of decimals."""

    shares: tuple[float, ...]
    parts: tuple
    decimals: int | None = None

    def draw(self, rng: np.random.Generator, n: int) -> np.ndarray:
        numbers = rng.multinomial(n, self.shares)
        drawn = [
            part.rvs(size=k, random_state=rng) for part, k in zip(self.parts, numbers, strict=True)
        ]
        scores = rng.permutation(np.concatenate(drawn))
        return scores if self.decimals is None else np.round(scores, self.decimals)

    def at_least(self, thresholds: np.ndarray) -> np.ndarray:
        """P(score >= threshold)."""
        if self.decimals is not None:
            thresholds = thresholds - 0.5 * 10.0**-self.decimals
        sums = [
            w * _at_least(part, thresholds) for w, part in zip(self.shares, self.parts, strict=True)
        ]
        return np.sum(sums, axis=0)


def _at_least(part, thresholds: np.ndarray) -> np.ndarray:
    if isinstance(part, Atom):
        return (thresholds <= part.place).astype(float)
    return part.sf(thresholds)


@dataclass(frozen=True)
class Atom:
    """A score that many rows share."""

    place: float

    def rvs(self, size: int, random_state: np.random.Generator) -> np.ndarray:
        return np.full(size, self.place)


@dataclass(frozen=True)
class Population:
    """Scores of the positives and of the negatives."""

    pos: Mixture
    neg: Mixture
    low: float = -12.0
    high: float = 14.0

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int):
        """Labels and scores of this many rows of each class."""
        scores = np.concatenate([self.pos.draw(rng, n_pos), self.neg.draw(rng, n_neg)])
        return np.arange(n_pos + n_neg) < n_pos, scores

    def curve(self, prior: float, n: int = 200_001) -> ConfusionCurve:
        """The curve of the population."""
        at = np.linspace(self.high, self.low, n)
        if self.pos.decimals is not None:
            step = 10.0**-self.pos.decimals
            at = np.arange(round(self.high / step), round(self.low / step) - 1, -1) * step
        atoms = [
            part.place for part in (*self.pos.parts, *self.neg.parts) if isinstance(part, Atom)
        ]
        at = np.unique(np.concatenate([at, atoms]))[::-1]
        tpr, fpr = self.pos.at_least(at), self.neg.at_least(at)
        tpr[-1] = fpr[-1] = 1.0
        thresholds = np.concatenate([[np.inf], at])
        tp, fp = prior * np.append(0.0, tpr), (1 - prior) * np.append(0.0, fpr)
        return ConfusionCurve(thresholds, tp, fp)


def normal(mean: float, sd: float = 1.0):
    return stats.norm(mean, sd)


def one(part) -> Mixture:
    return Mixture((1.0,), (part,))


def binormal(distance: float) -> Population:
    return Population(one(normal(distance)), one(normal(0)))


def contaminated(share: float) -> Population:
    """A share of the negatives lies above nearly all positives, such as unlabelled frauds."""
    return Population(one(normal(4)), Mixture((1 - share, share), (normal(0), normal(8))))


POPULATIONS: dict[str, Population] = {
    "binormal 0.5": binormal(0.5),
    "binormal 1": binormal(1),
    "binormal 2": binormal(2),
    "binormal 3": binormal(3),
    "binormal 5": binormal(5),
    "hard 30 %": Population(Mixture((0.7, 0.3), (normal(3), normal(0))), one(normal(0))),
    "wide positives": Population(one(normal(2, 2)), one(normal(0))),
    "log-normal": Population(
        one(stats.lognorm(0.8, scale=3.0)), one(stats.lognorm(0.8)), 1e-6, 400.0
    ),
    "t2": Population(one(stats.t(2, loc=3)), one(stats.t(2)), -300.0, 300.0),
    "rounded": Population(Mixture((1.0,), (normal(2),), 1), Mixture((1.0,), (normal(0),), 1)),
    "forest": Population(
        Mixture((0.35, 0.6, 0.05), (Atom(1.0), stats.beta(2, 1), Atom(0.0))),
        Mixture((0.002, 0.398, 0.6), (Atom(1.0), stats.beta(0.5, 5), Atom(0.0))),
        0.0,
        1.0,
    ),
    "plateau at the top": Population(
        Mixture((0.25, 0.75), (stats.uniform(6, 1), normal(1.5))),
        Mixture((0.002, 0.998), (stats.uniform(6, 1), normal(0))),
    ),
    "missed 3 %": Population(Mixture((0.97, 0.03), (normal(4), normal(-5))), one(normal(0))),
    "worse than chance": binormal(-0.5),
}
Metric = Callable
