"""Values of published figures, read from the authors' images (`figure_*.csv`)."""

from pathlib import Path

import numpy as np
import pandas as pd


def values_of(figure: str) -> pd.DataFrame:
    """Readings, with the prior as index and a column per line; NaN where a line cannot be read."""
    values = pd.read_csv(Path(__file__).with_name(f"{figure}.csv"), index_col=0).T
    return values.set_axis(values.index.astype(float))


def distances(ours: pd.DataFrame, figure: str) -> np.ndarray:
    """Distances of our values from the readings, at the same priors, in the columns of both.

    A distance is NaN if `ours`, with the prior as index, does not have the prior of a reading.
    """
    values = values_of(figure)
    values = values[values.columns.intersection(ours.columns)]
    # The priors of the readings are rounded.
    ours = ours[values.columns].reindex(values.index, method="nearest", tolerance=1e-6)
    return np.abs(ours - values).to_numpy()[values.notna()]


def are_of(data: pd.DataFrame) -> bool:
    """Whether the data that the table `fraud_data` describes are those of the paper."""
    described = data[["simulated", "n_rows", "n_frauds"]].iloc[0]
    return described.tolist() == [False, 284_807, 492]
