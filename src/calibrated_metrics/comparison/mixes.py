"""Two samples in segments: the scores of one with the mix of segments of the other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray
from calibrated_metrics.comparison.values import AtPriors, Priors, from_influences
from calibrated_metrics.rows import Rows
from calibrated_metrics.scores.metric import Data, Metric
from calibrated_metrics.uncertainty.units import (
    Linear,
    contributions,
    influences,
)

__all__ = ["Mixed", "has_segments", "mixed", "values_of_mix"]


class Mixed(NamedTuple):
    """The rows of the sample `place`, weighted so that its classes have the mix of `of_mix`.

    A cell is a segment of a class; `cells` are those of the rows of each sample.
    """

    data: Data
    place: int
    of_mix: int
    samples: Sequence[Rows]
    cells: Sequence[NDArray[np.intp]]


def has_segments(data: Data) -> bool:
    """Whether the strata are segments: they do not fix the prior, and are not those of an audit."""
    rows = data.rows
    return not (rows.strata is None or rows.fixes_prior or rows.is_audit)


def mixed(pair: tuple[Data, Data]) -> list[Mixed]:
    """The scores of each sample with the mix of each sample.

    The numbers of rows of segments are treated as random. If they were fixed, the errors are too
    large.
    """
    rows = [each.rows for each in pair]
    samples = [replace(each, strata=None) for each in rows]
    before, after = (each.strata for each in rows)
    assert before is not None
    assert after is not None
    segments = before.joined(after)
    labels = segments.labels
    cell = 2 * segments.code + np.concatenate([each.positive for each in rows])
    cells = np.split(cell, [len(rows[0].positive)])
    shares = [_shares(*each, 2 * len(labels)) for each in zip(samples, cells, strict=True)]
    if alone := np.flatnonzero((shares[0] > 0) != (shares[1] > 0)).tolist():
        classes, named = ("negative", "positive"), labels.tolist()
        names = [(classes[each % 2], named[each // 2]) for each in alone]
        raise ValueError(
            "before and after must have rows of the same classes in each segment (stratum), but "
            f"only one of them has {_checks.distinct(names)}; join segments, or give no strata"
        )
    found = []
    for place, of_mix in itertools.product((0, 1), repeat=2):
        sample, cell = samples[place], cells[place]
        if place != of_mix:
            weight = sample.row_weight * (shares[of_mix][cell] / shares[place][cell])
            sample = replace(sample, weight=weight, class_weight=(1.0, 1.0))
        found.append(Mixed(pair[place]._of_rows(sample), place, of_mix, samples, cells))
    return found


def _shares(sample: Rows, cell: NDArray[np.intp], n_cells: int) -> FloatArray:
    """Share of each cell in the weight of its class."""
    weight = np.bincount(cell, sample.row_weight * sample.counts, n_cells).reshape(-1, 2)
    shares: FloatArray = (weight / weight.sum(axis=0)).ravel()
    return shares


def values_of_mix(metric: Metric, mix: Mixed, priors: Priors) -> list[AtPriors]:
    """Values of the sample, and of the sample with half a row more of each class."""
    if min(np.bincount(cell)[cell].min() for cell in mix.cells) < 2:
        raise ValueError("a class has a single row in a segment (stratum), which has no error")
    split = None if mix.place == mix.of_mix else partial(_within_and_between, metric, mix)
    return from_influences(metric, mix.data, mix.place, priors, split)


def _within_and_between(metric: Metric, mix: Mixed, data: Data) -> tuple[Linear, Linear]:
    """Errors of the scores within cells, and errors of the mix of cells of the other sample.

    The influence of the share of a cell is the mean influence of its rows.
    """
    sample, other = data.rows, mix.samples[mix.of_mix]
    n_more = len(sample.score) - len(mix.cells[mix.place])
    cell = np.append(mix.cells[mix.place], 2 + np.max(mix.cells[0]) + np.arange(n_more))
    influence = influences(metric, data)
    weight, n = sample.row_weight * sample.counts, np.bincount(cell)
    mean = np.bincount(cell, weight * influence) / np.maximum(np.bincount(cell, weight), 1e-300)
    within = np.sqrt(n / np.maximum(n - 1, 1))[cell] * (influence - mean[cell])
    of_other = mean[mix.cells[mix.of_mix]]
    return (
        Linear(metric._value(data), contributions(sample, within), sample),
        Linear(0.0, np.append(contributions(other, of_other), np.zeros(n_more)), other),
    )
