"""Two samples in segments: the scores of one with the mix of segments of the other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibrated_metrics._messages import distinct
from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.rows import Rows
from calibrated_metrics.scores.metric import Data

__all__ = ["Mixed", "mixed"]


class Mixed(NamedTuple):
    """The rows of the sample `place`, weighted so that its classes have the mix of `of_mix`.

    A cell is a segment of a class; `cells` are those of the rows of each sample.
    """

    data: Data
    place: int
    of_mix: int
    samples: Sequence[Rows]
    cells: Sequence[NDArray[np.intp]]


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
            f"only one of them has {distinct(names)}; join segments, or give no strata"
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
