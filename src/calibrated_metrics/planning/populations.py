"""Populations from which samples of any size are drawn: distributions, or smoothed rows."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.rows import Rows
from calibrated_metrics.scores.metric import Metric, MetricLike

__all__ = ["PilotPopulation", "numbers_of_positives", "planned"]

_SMOOTH = 200_000  # rows of a class of a smoothed pilot


class PilotPopulation:
    """Scores of two classes with the distribution of a pilot, and their curve at a prior.

    Scores of a class are spread evenly between the vertices of the curve, unless they are tied.
    """

    def __init__(self, pilot: ConfusionCurve, prior: float):
        self._is_tied = pilot.has_rows and _is_tied(pilot.rows)
        self._dtype = pilot.rows.dtype if self._is_tied else np.dtype(np.float64)
        if pilot.has_rows and not self._is_tied:
            pilot = _smoothed(pilot.rows)
        self.curve = pilot.at_prior(prior)
        self._vertices = np.arange(len(pilot), dtype=np.float64)
        self._rates = pilot.tp / pilot.n_pos, pilot.fp / pilot.n_neg
        is_unknown = np.isnan(pilot.thresholds).any()
        self._score = -self._vertices if is_unknown else pilot.thresholds.copy()
        self._score[0] = self._score[1] + 1.0  # instead of infinity

    def draw(self, normal: FloatArray, n_pos: int) -> ConfusionCurve:
        """The curve of a sample, from a normal quantile for each row, positives first."""
        of_classes = zip(np.split(ndtr(-normal), [n_pos]), self._rates, strict=True)
        place = np.concatenate([np.interp(*each, self._vertices) for each in of_classes])
        below = np.ceil(place).astype(np.intp)
        scores = self._score[below]
        if not self._is_tied:
            scores += (below - place) * (self._score[below - 1] - scores)
        y_true = np.arange(len(normal)) < n_pos
        return ConfusionCurve.from_predictions(y_true, scores.astype(self._dtype))


def planned(metric: MetricLike, pi0: float | None) -> Metric:
    """The metric at a prior, refused if it is one of probabilities, since samples have scores."""
    checked = Metric(metric, pi0)
    if checked.facts.loss is not None:
        raise ValueError(
            f"metric must be one of a decision or a ranking, got {checked.name!r}: plans draw "
            "scores that keep the ranking of the pilot, but are no probabilities"
        )
    return checked


def numbers_of_positives(
    n_pos: int, n_neg: int, pi0: float | None, generator: Generator
) -> NDArray[np.intp]:
    """Positives of two samples, each with a row of both classes. They vary without `pi0`."""
    if pi0 is not None:
        return np.full(2, n_pos)
    n = n_pos + n_neg
    return np.clip(generator.binomial(n, n_pos / n, size=2), 1, n - 1)


def _is_tied(sample: Rows) -> bool:
    """Whether there are at most half as many distinct scores as rows, as with ratings."""
    sample.require_alike("a pilot")
    return bool(2 * len(np.unique(sample.score)) <= sample.counts.sum())


def _smoothed(sample: Rows) -> ConfusionCurve:
    score, place = np.unique(sample.score, return_inverse=True)
    number = np.bincount(place, sample.counts)
    normal = ndtri((np.cumsum(number) - number / 2) / number.sum())
    generator, smooth = np.random.default_rng(0), []
    for rows in (sample.positive, ~sample.positive):
        n = np.cumsum(np.bincount(place[rows], sample.counts[rows], len(normal)))
        many = normal[n.searchsorted((np.arange(_SMOOTH) + 0.5) / _SMOOTH * n[-1])]
        width = 0.9 * float(n[-1]) ** -0.2  # standard deviations (Silverman)
        noisy = many + width * many.std() * generator.normal(size=_SMOOTH)
        smooth.append(many.mean() + (noisy - many.mean()) / math.hypot(1, width))
    both = np.concatenate(smooth)
    beyond = both - np.clip(both, normal[0], normal[-1])
    scores = np.interp(both, normal, score) + beyond
    return ConfusionCurve.from_predictions(np.arange(2 * _SMOOTH) < _SMOOTH, scores)
