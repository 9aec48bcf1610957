"""Functions for `take` in claims.yaml: they reduce the selected rows to one number."""

import pandas as pd


def smallest_rise(rows: pd.DataFrame) -> float:
    """Smallest rise of a mean curve from one divergence to the next; negative if a curve falls."""
    return float(_curves(rows).diff().min(axis=None))


def smallest_ratio_of_roughness(rows: pd.DataFrame) -> float:
    """Largest second difference of an ordinary curve, divided by that of its calibrated version."""
    roughness = _curves(rows).diff().diff().abs().max()
    score = roughness.index.str.partition("@").get_level_values(0)
    is_ordinary = roughness.index == score
    ordinary, calibrated = (
        roughness[rows_of].groupby(score[rows_of]).max() for rows_of in (is_ordinary, ~is_ordinary)
    )
    return float((ordinary / calibrated).min())


def _curves(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over the runs: one row per distance of the classes, one column per metric."""
    return rows.pivot_table("value", "squared_distance", "metric")
