"""Functions for `take` in claims.yaml: they reduce the selected rows to one number."""

import numpy as np
import pandas as pd


def smallest_ratio(rows: pd.DataFrame) -> float:
    """Smallest ratio of the roughness of curves: labels to scores, or scores to the exact curve.

    The roughness is the sum of the absolute second differences.
    """
    roughness = rows.pivot_table(
        "value",
        ["distribution", "metric"],
        "computation",
        aggfunc=lambda values: np.abs(np.diff(values, 2)).sum(),
    )
    less_rough = roughness[["scores", "distribution"]].to_numpy()
    return float((roughness[["labels", "scores"]] / less_rough).min(axis=None))


def largest_spread(rows: pd.DataFrame) -> float:
    """Largest ratio of two errors of a line, each multiplied by the root of the sample size."""
    scaled = rows["rmse"] * np.sqrt(rows["n_samples"])
    lines = scaled.groupby([rows["distribution"], rows["computation"], rows["metric"]])
    return float((lines.max() / lines.min()).max())


def ratio_of_distances(rows: pd.DataFrame) -> float:
    """Mean distance from the distribution of metrics from scores, divided by that from labels."""
    keys = ["distribution", "metric", "threshold"]
    values = rows.pivot_table("value", keys, "computation")
    distances = values.sub(values["distribution"], axis=0).abs().mean()
    return float(distances["scores"] / distances["labels"])
