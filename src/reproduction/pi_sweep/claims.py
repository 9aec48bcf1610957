"""Functions that claims.yaml names: the selected rows in, one number out."""

from __future__ import annotations

import pandas as pd

# With fewer, the bias of a finite sample is not small compared with the spread of the runs.
_POSITIVES = 5000


def largest_gap(rows: pd.DataFrame) -> float:
    """Largest distance of the mean of the runs from the population, in standard errors."""
    rows = rows[rows["n_pos"] >= _POSITIVES]
    gaps = (rows["value"] - rows["population"]).groupby([rows["prior"], rows["metric"]])
    is_exact = gaps.agg(lambda gap: gap.abs().max()) <= 1e-12  # rounding has no standard error
    return float((gaps.mean().abs() / gaps.sem())[~is_exact].max())
