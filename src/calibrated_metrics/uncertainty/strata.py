"""Limits of shares of rows that were drawn in strata of a finite population, without replacement.

The share of all strata together has the limits of a beta distribution with its mean and its
stratified variance. To each limit belongs half a row more of the heaviest stratum, against the
limit: gamma limits of weighted sums (Fay & Feuer 1997, doi:10.1002/(SICI)1097-0258(19970415)16:7<
791::AID-SIM500>3.0.CO;2-#; the half is the mid-p version of Fay & Kim 2017,
doi:10.1002/bimj.201600111), carried over to shares. The limit of a share of 0 or 1 is exact.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from calibrated_metrics.binomial import none_of_population
from calibrated_metrics.sample import BoolArray, Sample, codes_of

__all__ = ["StratifiedShare"]

_ADDED = 0.5  # rows


class StratifiedShare(NamedTuple):
    """Share of successes among some rows of all strata, its limits, and the weight of the rows."""

    share: float
    low: float
    high: float
    standard_error: float
    weight: float

    @classmethod
    def of(cls, sample: Sample, success: BoolArray, rows: BoolArray, level: float) -> StratifiedShare:
        """Of `sample.strata`, of each of which the share `sample.fraction` was drawn."""
        assert sample.strata is not None
        assert sample.fraction is not None
        if not rows.any():
            return cls(0.0, 0.0, 1.0, 0.0, 0.0)
        _, first, stratum = np.unique(
            codes_of(sample.strata)[rows], return_index=True, return_inverse=True
        )
        weight, fraction = sample.row_weight[rows][first], sample.fraction[rows][first]
        n, total = np.bincount(stratum), sample.weight_of(rows)
        p = np.bincount(stratum, weights=success[rows]) / n
        share, other = (min(float((weight * n * each).sum()) / total, 1.0) for each in (p, 1 - p))
        squares = (1 - fraction) * n**2 / np.maximum(n - 1, 1) * p * (1 - p)
        variance = float((weight**2 * squares).sum()) / total**2
        tail = (1 - level) / 2
        all_missed = weight * n * none_of_population(n, fraction, tail) / total
        missed = float(all_missed.max())
        of_row = all_missed / -math.log(tail)
        first, second = float(of_row.mean()), float((of_row**2).mean())

        def upper(share: float) -> float:
            if share <= 0:
                return missed
            mean = (share + _ADDED * first) / (1 + _ADDED * first)
            spread = variance + _ADDED * second * (1 - mean) ** 2
            if spread == 0 or mean >= 1:
                return mean
            size = mean * (1 - mean) / spread
            return float(special.betaincinv(size * mean, size * (1 - mean), 1 - tail))

        return cls(share, 1 - upper(other), upper(share), math.sqrt(variance), total)
