"""Bootstrap draws of the rows of a sample, and the values of metrics on their curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics._messages import with_bar
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.design import Labels, codes_of
from calibrated_metrics.sample import Sample
from calibrated_metrics.sorted_scores import SortedScores, sort_and_count
from calibrated_metrics.uncertainty.estimate import Settings

__all__ = ["Draws", "SortedRows", "defined_values", "draw_values"]


class Draws(NamedTuple):
    """Values of draws of shape (n_draws, n_values), and what to warn of.

    `own` are values on draws of the rows of the sample, and `other` on draws of these rows and
    about half a row more of each class.
    """

    own: FloatArray
    other: FloatArray
    remarks: tuple[str, ...]


def draw_values(
    sample: Sample,
    with_added: Sample,
    values_of: Callable[[FloatArray], Sequence[float] | FloatArray],
    settings: Settings,
    *,
    prior_varies: bool,
) -> Draws:
    """Values of draws of rows; ValueError if they are undefined on more than half of them.

    `with_added` has the rows of `sample`, then added ones, drawn a Poisson number of times with the
    mean `number`. `values_of` takes the number of times that each of these rows is drawn.
    """
    rows = _Rows(sample, prior_varies)
    assert with_added.number is not None
    mean = with_added.number[len(sample.score) :]

    def values_of_draw(generator: np.random.Generator) -> list[Any]:
        own, added = rows.drawn(generator), generator.poisson(mean).astype(np.float64)
        return [values_of(np.append(own, each)) for each in (np.zeros(len(mean)), added)]

    values, remarks = defined_values(values_of_draw, settings)
    own, other = values.transpose(1, 0, 2)
    return Draws(own, other, remarks)


def defined_values(
    value_of_draw: Callable[[np.random.Generator], Any], settings: Settings
) -> tuple[FloatArray, tuple[str, ...]]:
    """Values of draws; ValueError if undefined on more than half of them, otherwise a remark."""
    generator, n_draws = settings.generator, settings.n_resamples
    values, errors = [], []
    for _ in with_bar(range(n_draws), "draws"):
        try:
            values.append(value_of_draw(generator))
        except ValueError as error:  # the metric is defined on the data, but not on this draw
            errors.append(error)
    if not errors:
        return np.array(values), ()
    undefined = f"the metric is undefined on {len(errors)} of {n_draws} draws, e.g. {errors[0]}"
    if len(values) < max(n_draws / 2, 2):
        raise ValueError(undefined)
    return np.array(values), (f"{undefined}; they are left out",)


class _Rows:
    """Rows that are drawn with replacement, within their class or within their stratum, if any.

    Whole clusters are drawn, with their rows of both classes. A class that is drawn apart has the
    same number of rows in each draw, so that no draw is without positives. If the prior varies,
    the share of this class is then drawn from a beta distribution.
    """

    def __init__(self, sample: Sample, prior_varies: bool):
        self.unit, self.positive = np.arange(len(sample.score)), sample.positive
        within: Labels = sample.positive
        if sample.design.clusters is not None:
            self.unit, within = codes_of(sample.design.clusters), np.zeros(len(sample.score))
        if sample.error_strata is not None:
            within = sample.error_strata
        self.class_share = None
        if prior_varies and within is sample.positive:
            variance = float((sample.unit_errors(sample.contributions_to_prior()) ** 2).sum())
            number_of_rows = sample.prior * (1 - sample.prior) / variance
            self.class_share = sample.prior, number_of_rows
        group = np.empty(self.unit.max() + 1, dtype=np.intp)
        group[self.unit] = codes_of(within)
        self.groups = [np.flatnonzero(group == each) for each in range(group.max() + 1)]
        fraction = sample.design.fraction
        self.spread = None if fraction is None else np.sqrt(1 - fraction)
        number = sample.number
        self.number = None if number is None or (number == 1).all() else number

    def drawn(self, generator: np.random.Generator) -> FloatArray:
        """How many times each row is in a draw of the same size."""
        times = np.empty(sum(map(len, self.groups)))
        for members in self.groups:
            if self.number is None:
                drawn = generator.integers(len(members), size=len(members))
                times[members] = np.bincount(drawn, minlength=len(members))
            else:
                number = self.number[members]
                n = float(number.sum())
                times[members] = generator.multinomial(round(n), number / n)
        times = times[self.unit]
        if self.class_share is not None:
            prior, n = self.class_share
            drawn_prior = generator.beta(prior * n + 0.5, (1 - prior) * n + 0.5)
            of_class = drawn_prior / prior, (1 - drawn_prior) / (1 - prior)
            return times * np.where(self.positive, *of_class)
        # The error is smaller if much of a finite population was drawn (Rao & Wu 1988).
        return times if self.spread is None else 1 + self.spread * (times - 1)


class SortedRows:
    """Rows sorted once, from which the curve of each draw is counted.

    The vertices of all rows are enough for all draws, because a draw has no other scores.
    """

    def __init__(self, sample: Sample):
        self._thresholds = sort_and_count(*sample.by_class).thresholds
        self._dtype = sample.dtype
        self._of_classes = []
        for of_class in (sample.positive, ~sample.positive):
            rows = np.flatnonzero(of_class)
            rows = rows[np.argsort(sample.score[rows], kind="stable")]
            score = sample.score[rows]
            self._of_classes.append(
                (rows, score, sample.row_weight[rows], score.searchsorted(self._thresholds))
            )

    def curve(self, times: FloatArray) -> ConfusionCurve:
        """The curve of a draw; `times` is how often each row occurs in it."""
        drawn = [
            SortedScores(score, weight * times[rows]) for rows, score, weight, _ in self._of_classes
        ]
        tp, fp = (
            of_class.weight_from(index)
            for of_class, (*_, index) in zip(drawn, self._of_classes, strict=True)
        )
        counts = _Counts(drawn[0], drawn[1], self._dtype)
        return ConfusionCurve.from_population(counts, self._thresholds, tp, fp)


class _Counts(NamedTuple):
    """Counts of a draw, which are exact at any threshold."""

    pos: SortedScores
    neg: SortedScores
    dtype: Any

    def counts_at(self, thresholds: FloatArray) -> tuple[FloatArray, FloatArray]:
        thresholds = _checks.in_dtype(thresholds, self.dtype)
        return self.pos.weight_at(thresholds)[0], self.neg.weight_at(thresholds)[0]
