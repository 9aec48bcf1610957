"""Functions that claims.yaml names: the selected rows in, one number out."""

from __future__ import annotations

import numpy as np
import pandas as pd


def smallest_ratio(rows: pd.DataFrame) -> float:
    """Roughness of a curve from labels over that from scores, or from scores over the exact one.

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
    """Largest ratio of two errors of a line, each multiplied by the root of its sample size."""
    scaled = rows["rmse"] * np.sqrt(rows["n_samples"])
    lines = scaled.groupby([rows["distribution"], rows["computation"], rows["metric"]])
    return float((lines.max() / lines.min()).max())
