"""Cells of scores: how an engine rounds scores to cells, and the thresholds of the cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray

__all__ = ["EACH_SCORE", "ByLogOdds", "ByScore", "Rounding", "rounding_of"]

_MOST_CELLS = 2.0**50


@dataclass(frozen=True)
class ByScore:
    """Cells from k / n up to (k + 1) / n, where n is the resolution; None keeps each score.

    The key of a cell is its lower edge. Every engine rounds the quotient of two numbers as NumPy
    does, so scores are compared with quotients. A rounded product could put a score into the wrong
    cell.
    """

    resolution: float | None

    def key(self, score: Any) -> Any:
        """Lower edge of the cell; scores that are missing or not finite are kept."""
        import ibis

        n = self.resolution
        if n is None:
            return score
        # Adjacent floats of larger scores are at least as far apart as the edges.
        has_cell = _comparable(score).abs() < _MOST_CELLS / n
        near = ibis.ifelse(has_cell, score, 0.0)  # the index of others may not be an integer
        index = (near * n).floor().cast("float64")
        lower, upper = index / n, (index + 1.0) / n
        edge = ibis.cases((near < lower, (index - 1.0) / n), (near >= upper, upper), else_=lower)
        return ibis.ifelse(has_cell, edge, score)

    def thresholds(self, keys: FloatArray, lowest: Any, highest: Any) -> FloatArray:
        """Threshold of each cell."""
        _refuse_infinite(keys)
        return keys


@dataclass(frozen=True)
class ByLogOdds:
    """Cells of log-odds from k / n up to (k + 1) / n; 0 and 1 are cells of their own.

    The key of a cell is k. Logarithms of two engines may differ in the last digit, so a threshold
    is the lower edge of its cell only if it separates the scores of the cell from those below.
    Otherwise it is the lowest score of the cell.
    """

    resolution: float

    def key(self, score: Any) -> Any:
        """Index of the cell; missing for scores outside [0, 1]."""
        import ibis

        inside = (_comparable(score) > 0) & (_comparable(score) < 1)
        probability = ibis.ifelse(inside, score, 0.5)  # the logarithm of others may be an error
        odds = probability / (1.0 - probability)
        index = (odds.ln() * self.resolution).floor().cast("float64")
        beyond = 1000.0 * self.resolution + 2.0  # log-odds of float64 lie within 746
        return ibis.cases((inside, index), (score == 0, -beyond), (score == 1, beyond))

    def thresholds(self, keys: FloatArray, lowest: FloatArray, highest: FloatArray) -> FloatArray:
        """Threshold of each cell, from the extreme scores of each part of a cell."""
        _refuse_infinite(np.concatenate([lowest, highest]))
        outside = np.isnan(keys)
        if outside.any():
            found = lowest[outside][0] if lowest[outside][0] < 0 else highest[outside][0]
            raise ValueError(f"y_score must lie in [0, 1] for scale='log-odds', got {found}")
        cells, place = np.unique(keys, return_inverse=True)
        low, high = np.full(len(cells), np.inf), np.full(len(cells), -np.inf)
        np.minimum.at(low, place, lowest)
        np.maximum.at(high, place, highest)
        below = np.append(-np.inf, high[:-1])
        if (below >= low).any():
            raise ValueError("scale='log-odds' needs an engine with a non-decreasing logarithm")
        with np.errstate(over="ignore"):
            edges = 1.0 / (1.0 + np.exp(-cells / self.resolution))
        separates = (below < edges) & (edges <= low)
        return np.where(separates, edges, low)[place]


def _comparable(score: Any) -> Any:
    """The score, missing if it is infinite.

    DuckDB may evaluate a comparison of a column from the statistics of a parquet file, which omit
    NaN (duckdb/duckdb, issue 25521). It does not do so for this expression.
    """
    return score.nullif(math.inf)


def _refuse_infinite(scores: FloatArray) -> None:
    infinite = scores[~np.isfinite(scores)]
    if len(infinite):
        raise ValueError(f"y_score must be finite, got {infinite[0]}")


Rounding = ByScore | ByLogOdds
EACH_SCORE = ByScore(None)


def rounding_of(resolution: Any, scale: str) -> Rounding:
    """The cells for the arguments of a caller."""
    _checks.one_of("scale", scale, ("score", "log-odds"))
    if resolution is None and scale == "score":
        return EACH_SCORE
    if resolution is None:
        raise ValueError(f"scale={scale!r} needs a resolution, got None")
    resolution = _checks.positive_number("resolution", resolution)
    if scale == "score":
        return ByScore(resolution)
    if resolution > 1e9:
        raise ValueError(f"resolution must be at most 1e9 for {scale=}, got {resolution}")
    return ByLogOdds(resolution)
