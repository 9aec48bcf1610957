"""Functions for `take` in claims.yaml: they reduce the selected rows to one number."""

import pandas as pd

# With fewer positives, the bias of a sample is not small relative to the spread of the runs.
_POSITIVES = 5000


def largest_gap(rows: pd.DataFrame) -> float:
    """Largest distance of the mean of the runs from the population, in standard errors."""
    rows = rows[rows["n_pos"] >= _POSITIVES]
    gaps = (rows["value"] - rows["population"]).groupby([rows["prior"], rows["metric"]])
    is_exact = gaps.agg(lambda gap: gap.abs().max()) <= 1e-12  # rounding only
    return float((gaps.mean().abs() / gaps.sem())[~is_exact].max())
