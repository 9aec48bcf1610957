"""Cells of scores: how an engine rounds scores to the lower edges of cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

__all__ = ["EACH_SCORE", "Cells"]

_MOST_CELLS = 2.0**50


@dataclass(frozen=True)
class Cells:
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
        # Adjacent floats of larger scores are at least as far apart as the edges. Infinite scores
        # are missing here: DuckDB may evaluate a comparison of a column from the statistics of a
        # parquet file, which omit NaN (duckdb/duckdb, issue 25521), but not of this expression.
        has_cell = score.nullif(math.inf).abs() < _MOST_CELLS / n
        near = ibis.ifelse(has_cell, score, 0.0)  # the index of others may not be an integer
        index = (near * n).floor().cast("float64")
        lower, upper = index / n, (index + 1.0) / n
        edge = ibis.cases((near < lower, (index - 1.0) / n), (near >= upper, upper), else_=lower)
        return ibis.ifelse(has_cell, edge, score)


EACH_SCORE = Cells(None)
