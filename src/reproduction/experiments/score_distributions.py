"""Known distributions of the scores of both classes: samples, and the true values of metrics."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from scipy import special, stats

from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores import registered_scores
from reproduction.core.metrics import Metric

__all__ = [
    "DISTRIBUTIONS",
    "curve_of_sample",
    "metric_at_threshold",
    "scores_of_normal",
    "threshold_of",
    "true_value",
]

DECIMALS = 2  # of rounded scores
_RECALL = 0.5  # of the decisions that are measured
_TAIL = np.geomspace(1e-12, 0.01, 3000)
_TAILS = np.concatenate([_TAIL, np.linspace(0.01, 0.99, 8000)[1:-1], 1 - _TAIL[::-1]])
_NEVER = 1e-9  # share of rounded scores that the true values leave out


class Mixture:
    """Scores from either of two frozen distributions, with the probability 1/2 each."""

    def __init__(self, *parts: Any):
        self.parts = parts
        self._values = np.unique([part.isf(_TAILS) for part in parts])
        self._cdf = 1 - self.sf(self._values)

    def sf(self, x: Any) -> Any:
        return sum(part.sf(x) for part in self.parts) / len(self.parts)

    def ppf(self, q: np.ndarray) -> np.ndarray:
        return np.interp(q, self._cdf, self._values)

    def rvs(self, size: int, random_state: np.random.Generator) -> np.ndarray:
        drawn = [part.rvs(size=size, random_state=random_state) for part in self.parts]
        return np.choose(random_state.integers(len(drawn), size=size), drawn)


# Scores of the positives and of the negatives.
DISTRIBUTIONS = {
    "binormal 0.5": (stats.norm(0.5), stats.norm()),
    "binormal 1": (stats.norm(1), stats.norm()),
    "binormal 2": (stats.norm(2), stats.norm()),
    "wide positives": (stats.norm(1.5, 2), stats.norm()),
    "heavy tails": (stats.t(3, loc=2), stats.t(3)),
    "exponential": (stats.expon(scale=4), stats.expon()),
    "probabilities": (stats.beta(2, 2), stats.beta(1, 4)),
    "two kinds": (Mixture(stats.norm(), stats.norm(3)), stats.norm()),
}


# -------------------------------------------------------------------------------------- samples


def curve_of_sample(
    distribution: str,
    n_pos: int,
    n_neg: int,
    rng: np.random.Generator,
    *,
    threshold: float,
    rounded: bool = False,
) -> ConfusionCurve:
    """Draw the curve of a sample without drawing each negative.

    Given the scores of the positives, the numbers of negatives that tie with one of them or lie
    between two of them are multinomial. No metric depends on the order of the negatives between
    two positives, except for those of a decision, at one `threshold`. So this is the distribution
    of the curve of `n_pos` + `n_neg` drawn rows.
    """
    positives, negatives = DISTRIBUTIONS[distribution]
    drawn = positives.rvs(size=n_pos, random_state=rng)
    if rounded:
        drawn = np.round(drawn, DECIMALS)
    scores = np.unique(np.append(drawn, threshold))
    pos = np.bincount(np.searchsorted(scores, drawn), minlength=len(scores))
    reach = 0.5 / 10**DECIMALS if rounded else 0.0
    above = negatives.sf(np.column_stack([scores - reach, scores + reach]).ravel())
    # The survival function may round differently by one ulp.
    shares = np.maximum(-np.diff(np.concatenate([[1.0], above, [0.0]])), 0.0)
    neg = rng.multinomial(n_neg, shares / shares.sum())
    places = np.empty(2 * len(scores) + 1)
    places[1::2], places[2:-1:2] = scores, (scores[1:] + scores[:-1]) / 2
    places[0], places[-1] = scores[0] - 1, scores[-1] + 1
    all_pos = np.zeros(len(places), dtype=np.int64)
    all_pos[1::2] = pos
    reached = all_pos + neg > 0
    return ConfusionCurve.from_counts(places[reached], all_pos[reached], neg[reached])


def scores_of_normal(distribution: str, y_true: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Scores of the distribution from normal scores, by an increasing map in each class."""
    positives, negatives = DISTRIBUTIONS[distribution]
    quantiles = special.ndtr(normal)
    found = np.empty(len(y_true))
    found[y_true] = positives.ppf(quantiles[y_true])
    found[~y_true] = negatives.ppf(quantiles[~y_true])
    return found


# ---------------------------------------------------------------------------------- true values


@functools.cache
def metric_at_threshold(score: str, distribution: str) -> Metric:
    """The metric of a registered score; a decision is taken where recall is about 0.5."""
    options = {}
    if registered_scores()[score].of == "matrix":
        options["threshold"] = threshold_of(distribution)
    return Metric(score, options=options)


@functools.cache
def threshold_of(distribution: str) -> float:
    """Threshold of the decisions: half of the positives score above it, up to rounding."""
    positives, _ = DISTRIBUTIONS[distribution]
    values = positives.ppf(np.array([1 - _RECALL]))
    return float(np.round(values[0], DECIMALS))


@functools.lru_cache(maxsize=10_000)
def true_value(metric: Metric, distribution: str, pi0: float, *, rounded: bool = False) -> float:
    """The value of a metric in the infinite-sample limit at the prior `pi0`."""
    curve = _population(distribution, rounded, metric.options.get("threshold")).at_prior(pi0)
    if metric.score == "average_precision" and not rounded:
        # The limit of average precision for continuous scores is the interpolated area.
        return Metric("pr_auc")(curve)
    return metric(curve)


@functools.cache
def _population(distribution: str, rounded: bool, threshold: float | None) -> ConfusionCurve:
    """The curve in the infinite-sample limit, with weight 1 in each class."""
    laws = DISTRIBUTIONS[distribution]
    parts = [part for law in laws for part in getattr(law, "parts", [law])]
    grid = np.unique([part.isf(_TAILS) for part in parts])
    if rounded:
        reached = grid[(laws[0].sf(grid) > _NEVER) & (laws[1].sf(grid) < 1 - _NEVER)]
        first, last = (round(end * 10**DECIMALS) for end in (reached[0], reached[-1]))
        values = np.round(np.arange(first, last + 1) / 10**DECIMALS, DECIMALS)
        cuts = values - 0.5 / 10**DECIMALS
    else:
        values = grid if threshold is None else np.union1d(grid, threshold)
        cuts = values.copy()
    cuts[0] = -np.inf
    positives, negatives = (np.append(-np.diff(law.sf(cuts)), law.sf(cuts[-1])) for law in laws)
    return ConfusionCurve.from_counts(values, positives, negatives)
