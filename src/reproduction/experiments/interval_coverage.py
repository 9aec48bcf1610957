"""Coverage of the library's confidence intervals, measured on samples of known distributions."""

from __future__ import annotations

import functools
import itertools
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import pandas as pd
from tqdm import tqdm

from calibrated_metrics import uncertainty
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.uncertainty import Estimate, IntervalWarning
from reproduction.core.streams import stream
from reproduction.experiments.score_distributions import (
    DECIMALS,
    curve_of_sample,
    metric_at_threshold,
    scores_of_normal,
    threshold_of,
    true_value,
)
from reproduction.core.metrics import Metric
from reproduction.settings import CoverageGrid

__all__ = ["SAMPLES_PER_RUN", "run", "summary"]

CONFIDENCE_LEVEL = 0.95
SAMPLES_PER_RUN = 50
DESIGNS = {
    "independent": "independent rows, class counts fixed",
    "random counts": "independent rows, class counts random",
    "rounded": f"scores rounded to {DECIMALS} decimals",
    "groups": "groups of 1 to 50 correlated rows",
    "groups ignored": "groups of 1 to 50 correlated rows, taken as independent",
    "two samples": "difference of two independent samples",
    "two models": "difference of two models on the same rows",
}

_LARGEST_GROUP = 50
_SHARED_IN_GROUP = 0.3  # correlation of the scores of a group, after a map to normal scores
_SHARED_BY_MODELS = 0.6  # correlation of the scores of two models on a row
_SLACK = 1e-9  # of the true values, which are sums over a grid

_CELL = ["design", "distribution", "other", "n_pos", "prior", "pi0", "score"]
_COUNTS = ["n_samples", "n_given", "below", "above", "warned", "given_unwarned", "missed_unwarned"]
_SUMS = ["width", "bias"]


def run(grid: CoverageGrid, *, n_resamples: int, runs: Iterable[int], seed: int) -> pd.DataFrame:
    """Simulate samples of every cell of a grid, and compare intervals with the true values.

    Parameters
    ----------
    grid : CoverageGrid
        One sample serves all scores and all reference priors.
    n_resamples : int >= 2
        Draws of each bootstrap.
    runs : iterable of int
        Each run draws 50 samples per distribution, number of positives and prior.
    seed : int

    Returns
    -------
    DataFrame
        A row per run and cell of the grid, with the counts and sums that `summary` needs. AUC-ROC
        does not depend on the reference prior, so it has cells at the first one only. A reference
        prior equal to the prior of the samples has no cells if the grid also lists None.
    """
    records = []
    for run_index in tqdm(runs, desc="interval coverage", disable=None, leave=False):
        samples = range(run_index * SAMPLES_PER_RUN, (run_index + 1) * SAMPLES_PER_RUN)
        for design, distribution, n_pos, prior in itertools.product(
            grid.designs, grid.distributions, grid.n_pos, grid.priors
        ):
            population = Population(design, distribution, grid.other, n_pos, prior)
            asked = [
                (pi0, score, population.question(score))
                for place, pi0 in enumerate(grid.pi0s)
                for score in grid.scores
                if not (pi0 == prior and None in grid.pi0s) and (score != "roc_auc" or place == 0)
            ]
            for sample in samples:
                for (pi0, score, _), outcome in zip(
                    asked, population.outcomes(asked, sample, n_resamples, seed), strict=True
                ):
                    records.append((*population.names, pi0, score, run_index, *outcome))
    columns = [*_CELL, "run", "method", *_COUNTS, *_SUMS]
    records = pd.DataFrame(records, columns=columns).astype({"pi0": float})
    cells = records.groupby([*_CELL, "run", "method"], sort=False, dropna=False)
    return cells.sum().reset_index()


def summary(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """Coverage of the intervals over all runs.

    Parameters
    ----------
    tables : list of DataFrame
        Of `run`.

    Returns
    -------
    DataFrame
        A row per design, distribution (and `other`, of the second sample or model), number of
        positives, prior, reference prior and score: the `method`, the number of samples
        (`n_samples`) and of those whose interval was given (`n_given`), `status` ("measured", or
        "withheld" if none was given), their `coverage` with its `standard_error`, the shares of
        intervals `below` and `above` the true value, the `mean_width`, the mean `bias` of the
        estimate, the share of samples with a warning (`warned`), and the coverage over the samples
        without one (`coverage_unwarned`). An empty `pi0` is the prior of each sample.
    """
    runs = pd.concat(tables)
    sums = runs.drop(columns="run").groupby([*_CELL, "method"], sort=False, dropna=False).sum()
    table = sums.reset_index()
    given, n_samples = table["n_given"].where(table["n_given"] > 0), table["n_samples"]
    for column in ("below", "above"):
        table[column] = table[column] / given
    coverage = 1 - table["below"] - table["above"]
    table.insert(table.columns.get_loc("below"), "coverage", coverage)
    error = np.sqrt(coverage * (1 - coverage) / given)
    table.insert(table.columns.get_loc("below"), "standard_error", error)
    table.insert(table.columns.get_loc("n_samples"), "confidence_level", CONFIDENCE_LEVEL)
    status = np.where(table["n_given"] > 0, "measured", "withheld")
    table.insert(table.columns.get_loc("coverage"), "status", status)
    unwarned = table["given_unwarned"].where(table["given_unwarned"] > 0)
    table["warned"] /= n_samples
    table["coverage_unwarned"] = 1 - table["missed_unwarned"] / unwarned
    table["mean_width"] = table["width"] / given
    table["bias"] /= n_samples
    return table.drop(columns=["given_unwarned", "missed_unwarned", "width"])


class _Outcome(NamedTuple):
    """What a sample adds to the row of a run."""

    method: str
    n_samples: int
    n_given: int
    below: int
    above: int
    warned: int
    given_unwarned: int
    missed_unwarned: int
    width: float
    bias: float


def _outcome(estimate: Estimate, true: float, warned: bool) -> _Outcome:
    given = not np.isnan(estimate.low)
    below, above = estimate.high < true - _SLACK, estimate.low > true + _SLACK
    return _Outcome(
        estimate.method,
        1,
        given,
        below,
        above,
        warned,
        given and not warned,
        (below or above) and not warned,
        estimate.high - estimate.low if given else 0.0,
        estimate.value - true,
    )


# -------------------------------------------------------------------------------------- samples


class Sample(Protocol):
    """A sample, or a pair of samples or models."""

    prior: float

    def estimate(self, metric: Metric, pi0: float | None, **options: int) -> Estimate: ...


@dataclass(frozen=True)
class _Curve:
    curve: ConfusionCurve

    @property
    def prior(self) -> float:
        return self.curve.prior

    def estimate(self, metric: Metric, pi0: float | None, **options: int) -> Estimate:
        return uncertainty.interval(metric.of_library, self.curve, pi0=pi0, **options)


@dataclass(frozen=True)
class _TwoCurves:
    a: ConfusionCurve
    b: ConfusionCurve
    paired: bool = False

    @property
    def prior(self) -> float:
        return self.a.prior

    def estimate(self, metric: Metric, pi0: float | None, **options: int) -> Estimate:
        return uncertainty.difference(
            metric.of_library, self.a, self.b, pi0=pi0, paired=self.paired, **options
        )


@dataclass(frozen=True)
class Population:
    """Where the samples of a cell come from."""

    design: str
    distribution: str
    other: str | None
    n_pos: int
    prior: float

    @property
    def names(self) -> tuple:
        return self.design, self.distribution, self.other or "", self.n_pos, self.prior

    @property
    def n_rows(self) -> int:
        return round(self.n_pos / self.prior)

    def question(self, score: str) -> Metric:
        return metric_at_threshold(score, self.distribution)

    def outcomes(
        self, asked: list[tuple], sample: int, n_resamples: int, seed: int
    ) -> Iterator[_Outcome]:
        name = f"{self.design}/{self.distribution}/{self.other}"
        key = (*map(ord, name), self.n_pos, round(1e6 * self.prior), sample)
        rng = stream(seed, "interval_coverage", *key)
        drawn = self.draw(rng)
        bootstrap = {"n_resamples": n_resamples, "rng": int(rng.integers(2**63))}
        for pi0, _, metric in asked:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", IntervalWarning)
                estimate = drawn.estimate(
                    metric, pi0, confidence_level=CONFIDENCE_LEVEL, **bootstrap
                )
            warned = any(issubclass(each.category, IntervalWarning) for each in caught)
            # Without a reference prior, an interval is about the prior of the sample.
            true = self.true_value(metric, drawn.prior if pi0 is None else pi0)
            yield _outcome(estimate, true, warned)

    def true_value(self, metric: Metric, pi0: float) -> float:
        value = functools.partial(true_value, metric, pi0=pi0, rounded=self.design == "rounded")
        if self.design in ("two samples", "two models"):
            return value(self.distribution) - value(self.other or self.distribution)
        return value(self.distribution)

    def draw(self, rng: np.random.Generator) -> Sample:
        if self.design in ("groups", "groups ignored"):
            return self._draw_groups(rng)
        if self.design == "two models":
            return self._draw_models(rng)
        n_pos = self.n_pos
        if self.design == "random counts":
            n_pos = int(np.clip(rng.binomial(self.n_rows, self.prior), 2, self.n_rows - 2))
        draw = functools.partial(
            curve_of_sample,
            n_pos=n_pos,
            n_neg=self.n_rows - n_pos,
            rng=rng,
            threshold=threshold_of(self.distribution),
            rounded=self.design == "rounded",
        )
        curve = draw(self.distribution)
        if self.design == "two samples":
            return _TwoCurves(curve, draw(self.other or self.distribution))
        return _Curve(curve)

    def _draw_groups(self, rng: np.random.Generator) -> Sample:
        sizes = rng.integers(1, _LARGEST_GROUP + 1, size=self.n_rows)
        groups = np.repeat(np.arange(self.n_rows), sizes)[: self.n_rows]
        y_true = rng.random(self.n_rows) < self.prior
        y_true[:2], y_true[-2:] = True, False  # both classes, in at least two groups
        shared = rng.standard_normal(self.n_rows)[groups]
        normal = _correlated(shared, _SHARED_IN_GROUP, rng)
        y_score = scores_of_normal(self.distribution, y_true, normal)
        clusters = groups if self.design == "groups" else None
        return _Curve(ConfusionCurve.from_predictions(y_true, y_score, clusters=clusters))

    def _draw_models(self, rng: np.random.Generator) -> Sample:
        y_true = np.arange(self.n_rows) < self.n_pos
        shared = rng.standard_normal(self.n_rows)
        a, b = (
            ConfusionCurve.from_predictions(
                y_true, scores_of_normal(name, y_true, _correlated(shared, _SHARED_BY_MODELS, rng))
            )
            for name in (self.distribution, self.other or self.distribution)
        )
        return _TwoCurves(a, b, paired=True)


def _correlated(shared: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Normal scores that share a part of their variance."""
    own = rng.standard_normal(len(shared))
    return np.sqrt(share) * shared + np.sqrt(1 - share) * own
