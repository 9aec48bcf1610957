"""Functions for `take` in claims.yaml: they reduce the selected rows to one number."""

from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.core.findings import calibrated_metrics_that_change, ordinary_metrics_that_stay

__all__ = [
    "calibrated_metrics_that_change",
    "gap_to_figure_6",
    "ordinary_metrics_that_stay",
    "roc_distance",
]
_ROOM = Path(__file__).parent


def roc_distance(rows: pd.DataFrame) -> float:
    """Largest difference in FPR, at the same TPR, of a ROC curve and that of the whole test set.

    It is multiplied by √n for n drawn negatives.
    """
    along = rows["y"] + 1e-9 * rows["x"]  # TPR; points of the same TPR in the order of their FPR
    whole = rows["sample"] == "all"
    differences = rows["x"] - np.interp(along, along[whole], rows.loc[whole, "x"])
    return float(differences.abs().max() * np.sqrt(rows["n_neg"].min()))


def gap_to_figure_6(rows: pd.DataFrame) -> float:
    """Largest distance of the closed form from the published curve, interpolated between points."""
    published = pd.read_csv(_ROOM / "figure_6.csv", index_col=0, header=None).T
    curve = np.interp(np.log(rows["pi0"]), np.log(published["pi0"]), published["closed_form"])
    return float((rows["closed_form"] - curve).abs().max())
