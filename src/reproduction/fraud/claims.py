"""Functions for `take` in claims.yaml: they reduce the selected rows to one number."""

from pathlib import Path

import numpy as np
import pandas as pd

_ROOM = Path(__file__).parent


def roc_distance(rows: pd.DataFrame) -> float:
    """Largest distance of a ROC curve from that of all data, times √n for n drawn negatives.

    Distances are measured perpendicular to the diagonal, where both rates have equal errors.
    """
    rows = rows.assign(along=rows["x"] + rows["y"], height=(rows["y"] - rows["x"]) / 2)
    whole = rows[rows["sample"] == "all"]
    distances = rows["height"] - np.interp(rows["along"], whole["along"], whole["height"])
    return float(distances.abs().max() * np.sqrt(rows["n_neg"].min()))


def gap_to_figure_6(rows: pd.DataFrame) -> float:
    """Largest distance of the closed form from the published curve, interpolated between points."""
    published = pd.read_csv(_ROOM / "figure_6.csv", index_col=0, header=None).T
    curve = np.interp(np.log(rows["pi0"]), np.log(published["pi0"]), published["closed_form"])
    return float((rows["closed_form"] - curve).abs().max())


def drift(rows: pd.DataFrame) -> float:
    """Largest range, over the metrics, of the means of the runs at different priors."""
    means = rows.pivot_table("value", "prior", "metric")
    return float(np.ptp(means, axis=0).max())
