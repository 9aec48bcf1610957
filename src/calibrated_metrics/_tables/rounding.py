"""Cells of scores: how an engine rounds them, and the thresholds of the cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrated_metrics import _checks
from calibrated_metrics._checks import FloatArray

__all__ = ["EACH_SCORE", "ByLogOdds", "Rounding", "rounding_of"]

_SCALES = ("score", "log-odds")


@dataclass(frozen=True)
class ByScore:
    """Cells from k / n up to (k + 1) / n, n being the resolution; None keeps each score.

    The key of a cell is its lower edge. The edges are quotients of two numbers, which every engine
    and NumPy round alike, and a score is compared with them: a product or a quotient that was
    rounded does not put it into the wrong cell.
    """

    resolution: float | None

    @property
    def cells(self) -> str | None:
        return None if self.resolution is None else _cells(self.resolution, "score")

    def key(self, score: Any) -> Any:
        """Lower edge of the cell; scores that are missing or not finite are kept."""
        import ibis

        n = self.resolution
        if n is None:
            return score
        # Further away, floats lie as far apart as the edges or further.
        has_cell = score.abs() < _MOST_CELLS / n
        near = ibis.ifelse(has_cell, score, 0.0)  # the index of others may be no integer
        index = (near * n).floor().cast("float64")
        lower, upper = index / n, (index + 1.0) / n
        edge = ibis.cases((near < lower, (index - 1.0) / n), (near >= upper, upper), else_=lower)
        return ibis.ifelse(has_cell, edge, score)


@dataclass(frozen=True)
class ByLogOdds:
    """Cells of log-odds from k / n up to (k + 1) / n; 0 and 1 are cells of their own.

    The key of a cell is k. Logarithms of two engines may differ in the last digit. Therefore the
    extreme scores of each cell are fetched, and a threshold is the lower edge of its cell if this
    edge separates the scores of the cell from those below, otherwise the lowest score.
    """

    resolution: float

    @property
    def cells(self) -> str:
        return _cells(self.resolution, "log-odds")

    def key(self, score: Any) -> Any:
        import ibis

        inside = (score > 0) & (score < 1)
        probability = ibis.ifelse(inside, score, 0.5)  # the logarithm of others may be an error
        odds = probability / (1.0 - probability)
        index = (odds.ln() * self.resolution).floor().cast("float64")
        return ibis.cases(
            (inside, index),
            (score == 0, -self._outside),
            (score == 1, self._outside),
            (score < 0, -2 * self._outside),
            (score > 1, 2 * self._outside),
        )

    @property
    def _outside(self) -> float:
        """Key of the score 1, beyond those of all other scores: their log-odds lie within 746."""
        return 1000.0 * self.resolution + 2.0

    def thresholds(self, keys: FloatArray, lowest: FloatArray, highest: FloatArray) -> FloatArray:
        """Threshold of each cell.

        Raises
        ------
        ValueError
            For scores that are missing, not finite, or no probabilities.
        """
        outside = ~(np.abs(keys) <= self._outside)
        for scores in (lowest[outside], highest[outside]):
            if not np.isfinite(scores).all():
                raise ValueError(f"y_score must be finite, got {scores[~np.isfinite(scores)][0]}")
            if len(scores):
                raise ValueError(
                    f"y_score must lie in [0, 1] for scale='log-odds', got {scores[0]}"
                )
        order = np.argsort(keys)
        lowest, highest = lowest[order], highest[order]
        below = np.append(-np.inf, highest[:-1])
        if (below >= lowest).any():
            raise ValueError(
                "scale='log-odds' needs an engine with a non-decreasing logarithm: two cells of "
                "this table overlap"
            )
        with np.errstate(over="ignore"):
            edges = 1.0 / (1.0 + np.exp(-keys[order] / self.resolution))
        separates = (below < edges) & (edges <= lowest)
        thresholds = np.empty_like(keys)
        thresholds[order] = np.where(separates, edges, lowest)
        return thresholds


Rounding = ByScore | ByLogOdds
EACH_SCORE = ByScore(None)

_MOST_CELLS = 2.0**50
_FINEST_LOG_ODDS = 1e9


def _cells(resolution: float, scale: str) -> str:
    return f"resolution={resolution!r} with scale={scale!r}"


def rounding_of(resolution: Any, scale: str) -> Rounding:
    _checks.one_of("scale", scale, _SCALES)
    if resolution is None:
        if scale != "score":
            raise ValueError(f"scale={scale!r} needs a resolution, got None")
        return EACH_SCORE
    resolution = _checks.positive_number("resolution", resolution)
    if scale == "score":
        return ByScore(resolution)
    if resolution > _FINEST_LOG_ODDS:
        raise ValueError(
            f"resolution must be at most {_FINEST_LOG_ODDS:g} for scale={scale!r}, got {resolution}"
        )
    return ByLogOdds(resolution)
