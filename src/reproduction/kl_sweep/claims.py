"""Functions for `take` in claims.yaml: they reduce the selected rows to one number."""

import pandas as pd


def smallest_ratio_of_roughness(rows: pd.DataFrame) -> float:
    """Largest second difference of an ordinary curve, divided by that of its calibrated version."""
    curves = rows.pivot_table("value", "squared_distance", "metric")  # means over the runs
    roughness = curves.diff().diff().abs().max()
    score = roughness.index.str.partition("@").get_level_values(0)
    is_ordinary = roughness.index == score
    ordinary, calibrated = (
        roughness[rows_of].groupby(score[rows_of]).max() for rows_of in (is_ordinary, ~is_ordinary)
    )
    return float((ordinary / calibrated).min())
