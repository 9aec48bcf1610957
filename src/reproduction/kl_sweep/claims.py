"""Functions for `take` in claims.yaml: they reduce the selected rows to one number."""

import pandas as pd

from reproduction.core import findings


def metrics_that_fall(rows: pd.DataFrame) -> int:
    """Number of metrics whose mean falls somewhere as the distance grows."""
    of_metrics = rows.groupby("metric")
    return sum(not findings.never_falls(each, "squared_distance") for _, each in of_metrics)


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
