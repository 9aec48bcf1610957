"""Limits of shares in a population, from rows drawn in strata without replacement.

The limits are those of a beta distribution with the mean and the stratified variance of the share,
after half a success is added for the upper limit, and half a failure for the lower one. The success
is in the stratum of a random failure of the population. If the heaviest stratum hides successes,
this is too little, so no limit is closer than that of a single stratum at its own limit, with the
others as observed. These limits adapt the gamma limits of
weighted sums (Tiwari, Clegg & Zou 2006, doi:10.1177/0962280206070621; the half is the mid-p version
of Fay & Kim 2017, doi:10.1002/bimj.201600111) to shares. The limit of a share of 0 or 1 is exact.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from calibrated_metrics._numbers import FloatArray
from calibrated_metrics.binomial import jeffreys, none_of_population
from calibrated_metrics.rows import BoolArray, Rows
from calibrated_metrics.uncertainty.estimate import Measured
from calibrated_metrics.uncertainty.units import unit_errors

__all__ = ["Strata", "errors_of_share", "share_in_strata"]

_ADDED = 0.5  # rows
_OF_VARIANCE = 1e-24  # relative rounding error of a variance


def share_in_strata(sample: Rows, success: BoolArray, rows: BoolArray) -> Measured:
    """Share of successes among some rows of `sample.strata`.

    `sample.fraction` is the share of each stratum that was drawn; None is an unlimited population.
    """
    assert sample.strata is not None
    fraction = np.zeros(len(rows)) if sample.fraction is None else sample.fraction
    if not rows.any():
        return Measured(0.0, 0.0, lambda level: (0.0, 1.0), "strata")
    share, total = _share_and_total(sample, success, rows)
    variance = float((errors_of_share(sample, success, rows) ** 2).sum())
    _, first, stratum = np.unique(sample.strata.code[rows], return_index=True, return_inverse=True)
    n = np.bincount(stratum)
    size = sample.row_weight[rows][first] * n / total  # shares of the population
    strata = Strata(n, size, fraction[rows][first], variance)
    p = np.bincount(stratum, weights=success[rows]) / n
    others = _strata_without(sample, rows)

    def limits(level: float) -> tuple[float, float]:
        if len(n) == 1 and not strata.fraction.any():  # independent rows
            ends = jeffreys(p * n, n, level)
            low, high = float(ends[0][0]), float(ends[1][0])
        else:
            low, high = strata.limits(p, level)
        # Rows that the strata without them missed could all be failures, or all successes.
        missed = [size * none_of_population(n, 0, (1 - level) / 2) for n, size in others]
        more = float(max(missed, default=0.0)) / total
        return min(low, share / (1 + more)), max(high, (share + more) / (1 + more))

    return Measured(share, math.sqrt(variance), limits, "strata")


def _strata_without(sample: Rows, rows: BoolArray) -> list[tuple[float, float]]:
    """Rows and weight of each stratum that could have such rows, and has none."""
    if sample.is_audit or sample.fixes_prior:
        return []
    assert sample.strata is not None
    code = sample.strata.code
    n, has = np.bincount(code, sample.counts), np.bincount(code, rows) > 0
    weight = np.bincount(code, sample.counts * sample.row_weight)
    return list(zip(n[~has].tolist(), weight[~has].tolist(), strict=True))


def errors_of_share(sample: Rows, success: BoolArray, rows: BoolArray) -> FloatArray:
    """Errors that independent units contribute to a share, as `unit_errors`."""
    share, total = _share_and_total(sample, success, rows)
    return unit_errors(sample, sample.row_weight * rows * (success - share) / (total or 1.0))


def _share_and_total(sample: Rows, success: BoolArray, rows: BoolArray) -> tuple[float, float]:
    weight = sample.row_weight * sample.counts
    total = float(weight[rows].sum())
    return float(weight[rows & success].sum()) / (total or 1.0), total


class Strata(NamedTuple):
    """Rows of each stratum, its share of the population, and the share of it that was drawn.

    `variance` is that of the share of successes in the population.
    """

    n: NDArray[np.intp]
    size: FloatArray
    fraction: FloatArray
    variance: float

    def limits(self, p: FloatArray, level: float) -> tuple[float, float]:
        """Limits from the share of successes in each stratum."""
        return 1 - self._upper(1 - p, level), self._upper(p, level)

    def _upper(self, p: FloatArray, level: float) -> float:
        tail = (1 - level) / 2
        missed = self.size * none_of_population(self.n, self.fraction, tail)
        # The increase of the share if a single stratum is at its upper (mid-p) limit.
        _, limit = jeffreys(p * self.n, self.n, level)
        none = missed * math.log(2 * tail) / math.log(tail)
        alone = np.where(p > 0, self.size * (limit - p) * np.sqrt(1 - self.fraction), none)
        # Sizes may add up to slightly more than 1.
        return min(max(self._of_all(p, tail, missed), float((self.size @ p) + alone.max())), 1.0)

    def _of_all(self, p: FloatArray, tail: float, missed: FloatArray) -> float:
        """Upper limit of a beta distribution with the mean and variance after half a success."""
        if not p.any():
            return float(missed.max())
        others = self.size * (1 - p)
        if not others.any():
            return 1.0
        added = missed / -math.log(tail) * (1 - p)  # increase of the share by one more success
        mean, square = (float(others @ added**k / others.sum()) for k in (1, 2))
        mean, spread = float(self.size @ p) + _ADDED * mean, self.variance + _ADDED * square
        if mean >= 1 or spread <= _OF_VARIANCE * mean**2:  # for example if all rows were drawn
            return min(mean, 1.0)
        count = mean * (1 - mean) / spread
        return float(special.betaincinv(count * mean, count * (1 - mean), 1 - tail))
