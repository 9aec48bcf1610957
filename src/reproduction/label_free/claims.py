"""Functions that claims.yaml names: the selected rows in, one number out."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.label_free.experiment import slopes

__all__ = ["farthest_slope", "largest_spread", "smallest_ratio"]


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


def farthest_slope(rows: pd.DataFrame) -> float:
    """Slope of log error against log sample size that is farthest from -1/2."""
    slope = slopes(rows)["slope"]
    return float(slope[(slope + 0.5).abs().idxmax()])


def largest_spread(rows: pd.DataFrame) -> float:
    """Largest ratio of two errors of a line, each multiplied by the root of its sample size."""
    scaled = rows["rmse"] * np.sqrt(rows["n_samples"])
    lines = scaled.groupby([rows["distribution"], rows["computation"], rows["metric"]])
    return float((lines.max() / lines.min()).max())
