"""Functions for `take` in claims.yaml: they reduce the selected rows to one number."""

import numpy as np
import pandas as pd

from reproduction.fraud.published import distances


def roc_distance(rows: pd.DataFrame) -> float:
    """Largest difference in FPR, at the same TPR, of a ROC curve and that of the whole test set.

    It is multiplied by √n for n drawn negatives.
    """
    along = rows["y"] + 1e-9 * rows["x"]  # TPR; points of the same TPR in the order of their FPR
    whole = rows["sample"] == "all"
    differences = rows["x"] - np.interp(along, along[whole], rows.loc[whole, "x"])
    return float(differences.abs().max() * np.sqrt(rows["n_neg"].min()))


def gaps_of_closed_form(rows: pd.DataFrame) -> np.ndarray:
    """Distances of the closed form from the published dots of Figure 6."""
    return distances(rows.set_index("pi0")[["closed_form"]], "figure_6")


def gaps_of_undersampling(rows: pd.DataFrame) -> np.ndarray:
    """Distances of the mean of the draws from the published line of Figure 6."""
    return distances(rows.set_index("pi0")[["mean"]], "figure_6")


def gaps_to_appendix_a(rows: pd.DataFrame) -> np.ndarray:
    """Distances of the means of the draws from the published lines of appendix A."""
    return distances(rows.pivot_table("value", "prior", "metric"), "figure_A7")
