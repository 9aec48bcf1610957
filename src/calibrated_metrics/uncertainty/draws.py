"""Bootstrap draws of the rows of a sample, and the curves of each draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _numbers
from calibrated_metrics._messages import with_bar
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.confusion.counts import SortedScores, Vertices
from calibrated_metrics.rows import Rows
from calibrated_metrics.uncertainty.estimate import Settings
from calibrated_metrics.uncertainty.units import contributions_to_prior, unit_errors

__all__ = ["RowsOfSteps", "RowsToDraw", "defined_values"]

ENOUGH_DRAWS = 100


def defined_values(
    value_of_draw: Callable[[np.random.Generator], Any], settings: Settings
) -> tuple[FloatArray, tuple[str, ...]]:
    """Values of draws, and remarks; ValueError if they are undefined on more than half of them."""
    generator, n_draws = np.random.default_rng(settings.seed), settings.n_resamples
    values, errors = [], []
    for _ in with_bar(range(n_draws), "draws"):
        try:
            values.append(value_of_draw(generator))
        except ValueError as error:  # the metric is defined on the data, but not on this draw
            errors.append(error)
    few = f"n_resamples={n_draws} is too few for an interval: use {ENOUGH_DRAWS} or more"
    remarks = () if n_draws >= ENOUGH_DRAWS else (few,)
    if not errors:
        return np.array(values), remarks
    undefined = f"the metric is undefined on {len(errors)} of {n_draws} draws, e.g. {errors[0]}"
    if len(values) < max(n_draws / 2, 2):
        raise ValueError(undefined)
    return np.array(values), (*remarks, f"{undefined}; they are left out")


class RowsToDraw:
    """Rows that are drawn with replacement, within their class or within their stratum, if any.

    Whole clusters are drawn, with their rows of both classes. A class that is drawn apart has the
    same number of rows in each draw, so that no draw is without positives. If the prior varies,
    the share of this class is then drawn from a beta distribution.
    """

    def __init__(self, sample: Rows, prior_varies: bool, scores: Sequence[FloatArray]):
        unit, within = np.arange(len(sample.score)), sample.positive.astype(np.intp)
        if sample.error_clusters is not None:
            unit, within = sample.error_clusters.code, np.zeros_like(unit)
        if sample.error_strata is not None:
            within = sample.error_strata.code
        self._class_share = None
        if prior_varies and sample.error_clusters is None and sample.error_strata is None:
            variance = float((unit_errors(sample, contributions_to_prior(sample)) ** 2).sum())
            number_of_rows = sample.prior * (1 - sample.prior) / variance
            self._class_share = sample.prior, number_of_rows
        group = np.empty(unit.max() + 1, dtype=np.intp)
        group[unit] = within
        keys = []
        if sample.error_clusters is None:  # in an order that does not depend on that of the rows
            keys = [sample.row_weight, *np.sort(scores, axis=0)]
        by_group = np.lexsort((*keys, group))
        self._place = np.argsort(by_group)[unit]  # of each row among the units by group
        number = np.ones(len(group)) if sample.number is None else sample.number
        self._is_counted = bool((number != 1).any())
        self._numbers = np.split(number[by_group], np.cumsum(np.bincount(group))[:-1])
        fraction = sample.fraction
        self._spread = None if fraction is None else np.sqrt(1 - fraction)
        self._sizes = None
        if sample.scored is not None:
            _, first = np.unique(within, return_index=True)
            self._sizes = sample.scored[first]

    def times(self, generator: np.random.Generator) -> FloatArray:
        """How many times each row is in a draw of the same size."""
        of_groups = [self._times(number, generator) for number in self._numbers]
        if self._class_share is not None:
            prior, n = self._class_share
            drawn_prior = generator.beta(prior * n + 0.5, (1 - prior) * n + 0.5)
            of_classes = (1 - drawn_prior) / (1 - prior), drawn_prior / prior
            of_groups = [w * times for w, times in zip(of_classes, of_groups, strict=True)]
        if self._sizes is not None:  # of the strata, among the scored rows that a draw would have
            n = round(self._sizes.sum())
            sizes = generator.multinomial(n, self._sizes / self._sizes.sum())
            of_groups = [w * k for w, k in zip(sizes / self._sizes, of_groups, strict=True)]
        times = np.concatenate(of_groups).take(self._place)
        # The error is smaller if much of a finite population was drawn (Rao & Wu 1988).
        return times if self._spread is None else 1 + self._spread * (times - 1)

    def _times(self, number: FloatArray, generator: np.random.Generator) -> NDArray[Any]:
        """How many times each unit of a group, which stands for a number of units, is drawn."""
        if self._is_counted:
            n = float(number.sum())
            return generator.multinomial(round(n), number / n)
        drawn = generator.integers(len(number), size=len(number))
        return np.bincount(drawn, minlength=len(number))


class RowsOfSteps:
    """Rows of a curve, assigned once to its steps, from which the curves of each draw are counted.

    The vertices of all rows are enough for all draws, because a draw has no other scores.
    """

    def __init__(self, curve: ConfusionCurve):
        rows = curve.rows
        self._thresholds, self._weight, self._dtype = curve.thresholds, rows.row_weight, rows.dtype
        positive, score = rows.positive, rows.score
        # One place for each class and vertex, so that one pass counts the rows of both classes.
        self._place = curve._counts.step_of_row + 1 + len(curve) * ~positive
        by_score = np.argsort(score, kind="stable")
        self._of_classes = [
            (of_class, score[of_class])
            for of_class in (by_score[positive[by_score]], by_score[~positive[by_score]])
        ]

    def curves(
        self, times: FloatArray, added: Sequence[int] = ()
    ) -> tuple[ConfusionCurve, ConfusionCurve]:
        """The curve of a draw without the last rows, the added ones, and the curve with them.

        `times` and `added` are how often each of the other rows and of the added ones occurs.
        """
        n, n_own = len(self._thresholds), len(times)
        own, more = self._weight[:n_own] * times, self._weight[n_own:] * added
        counts: Any = np.bincount(self._place[:n_own], own, 2 * n).reshape(2, n)
        counts.cumsum(axis=1, out=counts)  # in place: large new arrays cost more than the sums
        without = self._curve(counts, own, 0.0 * more)
        counts = counts.copy()
        for place, weight in zip(self._place[n_own:].tolist(), more.tolist(), strict=True):
            of_class, vertex = divmod(place, n)
            counts[of_class, vertex:] += weight
        return without, self._curve(counts, own, more)

    def _curve(self, counts: FloatArray, *weights: FloatArray) -> ConfusionCurve:
        drawn = _Draw(self._of_classes, weights, self._dtype)
        return ConfusionCurve._of_vertices(Vertices(self._thresholds, *counts), drawn)


class _Draw(NamedTuple):
    """Rows of each class by score, and parts of their weights: counts at any threshold."""

    of_classes: list[tuple[NDArray[np.intp], FloatArray]]
    weights: tuple[FloatArray, ...]
    dtype: Any

    def counts_at(self, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
        thresholds, weight = _numbers.in_dtype(thresholds, self.dtype), np.concatenate(self.weights)
        tp, fp = (
            SortedScores(score, weight[rows]).weight_at(thresholds)[0]
            for rows, score in self.of_classes
        )
        return tp, fp
