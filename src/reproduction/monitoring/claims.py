"""Functions for `take` in claims.yaml: they reduce the selected rows to one number."""

import pandas as pd


def late_minus_early(rows: pd.DataFrame) -> float:
    """Largest difference over all lines: mean of the second minus mean of the first half."""
    is_late = rows["period"] > rows["period"].median()
    means = rows.pivot_table("value", [rows["scenario"], rows["pi0"].notna()], is_late)
    return (means[True] - means[False]).max()
