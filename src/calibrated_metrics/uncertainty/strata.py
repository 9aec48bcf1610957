"""Limits of shares of rows that were drawn in strata of a finite population, without replacement.

The limits are those of a beta distribution with the mean and the stratified variance of the share,
after half a row is added against each limit. The row has the weights of random rows of the
population: a success that the sample missed may be anywhere. These are gamma limits of weighted
sums (Tiwari, Clegg & Zou 2006, doi:10.1177/0962280206070621; the half is the mid-p version of Fay &
Kim 2017, doi:10.1002/bimj.201600111), carried over to shares. The limit of a share of 0 or 1 is
exact.
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
    def of(
        cls, sample: Sample, success: BoolArray, rows: BoolArray, level: float
    ) -> StratifiedShare:
        """Of `sample.strata`, of each of which the share `sample.fraction` was drawn."""
        assert sample.strata is not None
        assert sample.fraction is not None
        if not rows.any():
            return cls(0.0, 0.0, 1.0, 0.0, 0.0)
        total, tail = sample.weight_of(rows), (1 - level) / 2
        share = sample.weight_of(rows & success) / total
        errors = sample.unit_errors(sample.row_weight * rows * (success - share) / total)
        variance = float((errors**2).sum())
        _, first, n = np.unique(
            codes_of(sample.strata)[rows], return_index=True, return_counts=True
        )
        size = sample.row_weight[rows][first] * n / total  # shares of the population
        missed = size * none_of_population(n, sample.fraction[rows][first], tail)
        added = missed / -math.log(tail)  # what one more row adds to the share, if there can be one
        moments = _ADDED * float(size @ added), _ADDED * float(size @ added**2)

        def upper(share: float) -> float:
            if share <= 0:
                return float(missed.max())
            mean = (share + moments[0]) / (1 + moments[0])
            spread = variance + moments[1] * (1 - mean) ** 2
            if spread == 0 or mean >= 1:
                return mean
            count = mean * (1 - mean) / spread
            return float(special.betaincinv(count * mean, count * (1 - mean), 1 - tail))

        low, high = min(1 - upper(1 - share), share), max(upper(share), share)
        return cls(share, low, high, math.sqrt(variance), total)
