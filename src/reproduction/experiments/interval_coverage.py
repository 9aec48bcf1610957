"""Coverage of the library's confidence intervals, measured on samples of known distributions."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import special, stats

from calibrated_metrics import uncertainty
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.registry import Metric, score_named
from calibrated_metrics.uncertainty import Estimate, IntervalWarning
from reproduction.experiments.random_streams import stream

__all__ = ["DESIGNS", "DISTRIBUTIONS", "SCORES", "cell"]

SCORES = (
    *("average_precision", "pr_auc", "achievable_pr_auc", "prg_auc", "roc_auc", "best_fbeta"),
    *("precision", "recall", "fbeta", "specificity", "npv", "accuracy", "balanced_accuracy"),
)
DESIGNS = {
    "independent": "independent rows, class counts fixed",
    "random counts": "independent rows, class counts random",
    "rounded": "scores rounded to two decimals",
    "groups": "groups of 1 to 50 correlated rows",
    "groups ignored": "groups of 1 to 50 correlated rows, taken as independent",
    "two samples": "difference of two independent samples",
    "two models": "difference of two models on the same rows",
}

_DECIMALS = 2
_LARGEST_GROUP = 50
_SHARED_IN_GROUP = 0.3  # correlation of the scores of a group, after a map to normal scores
_SHARED_BY_MODELS = 0.6  # correlation of the scores of two models on a row
_RECALL = 0.5  # of the decisions that are measured
_TAIL = np.geomspace(1e-12, 0.01, 3000)
_TAILS = np.concatenate([_TAIL, np.linspace(0.01, 0.99, 8000)[1:-1], 1 - _TAIL[::-1]])


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


def cell(
    *,
    design: str,
    distribution: str,
    n_pos: int,
    prior: float,
    pi0: float | None,
    n_samples: int,
    seed: int,
    scores: Sequence[str] = SCORES,
    other: str | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 200,
) -> pd.DataFrame:
    """Measure the coverage of intervals on simulated samples of one kind.

    Parameters
    ----------
    design : str
        A key of `DESIGNS`.
    distribution, other : str
        Keys of `DISTRIBUTIONS`. The design "two samples" and "two models" compare `distribution`
        with `other`, by default with itself.
    n_pos : int >= 2
        Number of positives: exact, or expected where class counts are random.
    prior : float in (0, 1)
        Prior of the samples.
    pi0 : None or float in (0, 1)
        Reference prior; None for the prior of each sample.
    n_samples : int >= 1
        Simulated samples.
    seed : int
    scores : sequence of str
        Names of registered scores; those of a decision are measured where recall is 0.5.
    confidence_level : float in (0, 1), default=0.95
    n_resamples : int, default=200
        Draws of each bootstrap.

    Returns
    -------
    DataFrame
        A row per `score` with its `method`, the number of samples whose interval was given
        (`n_given`), their `coverage`, the shares of intervals `below` and `above` the true value,
        the `mean_width`, the `bias` of the estimate, the share of samples with a warning
        (`warned`), and the coverage over the samples without one (`coverage_unwarned`).
    """
    if design not in DESIGNS:
        raise ValueError(f"design must be one of {list(DESIGNS)}, got {design!r}")
    simulated = _Cell(design, distribution, other or distribution, n_pos, prior)
    settings = {"pi0": pi0, "confidence_level": confidence_level, "n_resamples": n_resamples}
    key = (*map(ord, f"{design}/{distribution}/{other}"), n_pos, round(1e6 * prior))
    records = []
    for sample in range(n_samples):
        rng = stream(seed, "interval_coverage", *key, sample)
        drawn = simulated.draw(rng)
        for name in scores:
            estimate, warned = _quietly(simulated, drawn, name, settings, rng)
            true = simulated.true_value(name, drawn, pi0)
            records.append(
                (
                    name,
                    estimate.method,
                    estimate.value - true,
                    *_sides(estimate, true),
                    estimate.high - estimate.low,
                    warned,
                )
            )
    columns = ["score", "method", "bias", "below", "above", "mean_width", "warned"]
    table = _summary(pd.DataFrame(records, columns=columns))
    about = {
        "design": design,
        "distribution": distribution,
        "other": simulated.other,
        "n_pos": n_pos,
        "prior": prior,
        "pi0": pi0,
        "confidence_level": confidence_level,
        "n_samples": n_samples,
    }
    for place, (column, value) in enumerate(about.items()):
        table.insert(place, column, value)
    return table


def _sides(estimate: Estimate, true: float) -> tuple[float, float]:
    """Whether the interval lies below and above the true value; NaN if it is withheld."""
    if np.isnan(estimate.low):
        return np.nan, np.nan
    slack = 1e-9  # of the true values, which are sums over a grid
    return float(estimate.high < true - slack), float(estimate.low > true + slack)


def _summary(records: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for score, group in records.groupby("score", sort=False):
        given = group.dropna(subset=["below"])
        covered = 1 - given["below"] - given["above"]
        rows.append(
            {
                "score": score,
                "method": group["method"].iloc[0],
                "n_given": len(given),
                "coverage": covered.mean(),
                "below": given["below"].mean(),
                "above": given["above"].mean(),
                "mean_width": given["mean_width"].mean(),
                "bias": group["bias"].mean(),
                "warned": group["warned"].mean(),
                "coverage_unwarned": covered[~given["warned"]].mean(),
            }
        )
    return pd.DataFrame(rows)


def _quietly(simulated: _Cell, drawn: _Drawn, name: str, settings: dict, rng) -> tuple:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IntervalWarning)
        estimate = simulated.estimate(name, drawn, settings, rng)
    return estimate, any(issubclass(each.category, IntervalWarning) for each in caught)


@dataclass(frozen=True)
class _Drawn:
    """Labels, the scores of one or two models or samples, and groups."""

    y_true: np.ndarray
    y_score: np.ndarray
    y_true_other: np.ndarray | None = None
    y_score_other: np.ndarray | None = None
    groups: np.ndarray | None = None


@dataclass(frozen=True)
class _Cell:
    design: str
    distribution: str
    other: str
    n_pos: int
    prior: float

    @property
    def n_rows(self) -> int:
        return round(self.n_pos / self.prior)

    # ------------------------------------------------------------------------------- samples

    def draw(self, rng: np.random.Generator) -> _Drawn:
        if self.design in ("groups", "groups ignored"):
            return self._in_groups(rng)
        y_true = self._labels(rng)
        if self.design == "two models":
            shared = rng.standard_normal(len(y_true))
            models = (
                _scores(name, y_true, _correlated(shared, _SHARED_BY_MODELS, rng))
                for name in (self.distribution, self.other)
            )
            first, second = models
            return _Drawn(y_true, first, y_true, second)
        y_score = _drawn_scores(self.distribution, y_true, rng)
        if self.design == "two samples":
            y_true_other = self._labels(rng)
            return _Drawn(
                y_true, y_score, y_true_other, _drawn_scores(self.other, y_true_other, rng)
            )
        if self.design == "rounded":
            y_score = np.round(y_score, _DECIMALS)
        return _Drawn(y_true, y_score)

    def _labels(self, rng: np.random.Generator) -> np.ndarray:
        n_pos = self.n_pos
        if self.design == "random counts":
            n_pos = int(np.clip(rng.binomial(self.n_rows, self.prior), 2, self.n_rows - 2))
        return np.arange(self.n_rows) < n_pos

    def _in_groups(self, rng: np.random.Generator) -> _Drawn:
        sizes = rng.integers(1, _LARGEST_GROUP + 1, size=self.n_rows)
        groups = np.repeat(np.arange(self.n_rows), sizes)[: self.n_rows]
        y_true = rng.random(self.n_rows) < self.prior
        y_true[:2], y_true[-2:] = True, False  # both classes, in at least two groups
        shared = rng.standard_normal(self.n_rows)[groups]
        y_score = _scores(self.distribution, y_true, _correlated(shared, _SHARED_IN_GROUP, rng))
        return _Drawn(y_true, y_score, groups=groups)

    # ----------------------------------------------------------------------------- estimates

    def estimate(
        self, name: str, drawn: _Drawn, settings: dict, rng: np.random.Generator
    ) -> Estimate:
        metric = _metric(name, self.distribution)
        arguments = {**settings, "rng": rng}
        if self.design == "groups":
            return uncertainty.interval_from_predictions(
                metric, drawn.y_true, drawn.y_score, groups=drawn.groups, **arguments
            )
        if self.design == "two models":
            return uncertainty.difference_from_predictions(
                metric, drawn.y_true, drawn.y_score, drawn.y_score_other, **arguments
            )
        curve = ConfusionCurve.from_predictions(drawn.y_true, drawn.y_score)
        if self.design == "two samples":
            other = ConfusionCurve.from_predictions(drawn.y_true_other, drawn.y_score_other)
            return uncertainty.difference(metric, curve, other, **arguments)
        return uncertainty.interval(metric, curve, **arguments)

    def true_value(self, name: str, drawn: _Drawn, pi0: float | None) -> float:
        # Without a reference prior, an interval is about the prior of the sample.
        target = np.mean(drawn.y_true) if pi0 is None else pi0
        threshold = _threshold(self.distribution)
        rounded = self.design == "rounded"
        value = _true_value(name, self.distribution, rounded, float(target), threshold)
        if self.design in ("two samples", "two models"):
            value -= _true_value(name, self.other, rounded, float(target), threshold)
        return value


def _correlated(shared: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Normal scores that share a part of their variance."""
    own = rng.standard_normal(len(shared))
    return np.sqrt(share) * shared + np.sqrt(1 - share) * own


def _scores(distribution: str, y_true: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Scores of the distribution from normal scores, by an increasing map in each class."""
    positives, negatives = DISTRIBUTIONS[distribution]
    quantiles = special.ndtr(normal)
    found = np.empty(len(y_true))
    found[y_true] = positives.ppf(quantiles[y_true])
    found[~y_true] = negatives.ppf(quantiles[~y_true])
    return found


def _drawn_scores(distribution: str, y_true: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    positives, negatives = DISTRIBUTIONS[distribution]
    found = np.empty(len(y_true))
    found[y_true] = positives.rvs(size=np.count_nonzero(y_true), random_state=rng)
    found[~y_true] = negatives.rvs(size=np.count_nonzero(~y_true), random_state=rng)
    return found


# -------------------------------------------------------------------------------- true values


def _metric(name: str, distribution: str) -> Metric:
    options = {"threshold": _threshold(distribution)} if score_named(name).of == "matrix" else {}
    return Metric(name, options=options)


@functools.cache
def _threshold(distribution: str) -> float:
    """Threshold of the decisions: half of the positives score above it, up to rounding."""
    positives, _ = DISTRIBUTIONS[distribution]
    values = positives.ppf(np.array([1 - _RECALL]))
    return float(np.round(values[0], _DECIMALS))


@functools.cache
def _population(distribution: str, rounded: bool, threshold: float) -> ConfusionCurve:
    """The curve in the infinite-sample limit, with weight 1 in each class."""
    laws = DISTRIBUTIONS[distribution]
    parts = [part for law in laws for part in getattr(law, "parts", [law])]
    grid = np.unique([part.isf(_TAILS) for part in parts])
    if rounded:
        first, last = (round(end * 10**_DECIMALS) for end in (grid[0], grid[-1]))
        values = np.round(np.arange(first, last + 1) / 10**_DECIMALS, _DECIMALS)
        cuts = values - 0.5 / 10**_DECIMALS
    else:
        values = np.union1d(grid, threshold)
        cuts = values.copy()
    cuts[0] = -np.inf
    positives, negatives = (np.append(-np.diff(law.sf(cuts)), law.sf(cuts[-1])) for law in laws)
    return ConfusionCurve.from_counts(values, positives, negatives)


@functools.lru_cache(maxsize=1000)
def _true_value(name: str, distribution: str, rounded: bool, pi0: float, threshold: float) -> float:
    curve = _population(distribution, rounded, threshold).at_prior(pi0)
    # The limit of average precision for continuous scores is the interpolated area.
    limit = "pr_auc" if name == "average_precision" and not rounded else name
    options = {"threshold": threshold} if score_named(name).of == "matrix" else {}
    return Metric(limit, options=options)(curve)
