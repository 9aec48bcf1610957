"""Functions for `take` in claims.yaml: they reduce the selected rows to one number."""

import numpy as np
import pandas as pd


def range_of_crossings(rows: pd.DataFrame) -> float:
    """Range of the recall at which the two drawn lines cross, over the panels."""
    recalls = []
    for (space, _), view in rows[rows["part"] == "line"].groupby(["space", "prior"]):
        first, second = (line for _, line in view.groupby("model"))
        recall, other = ("y", "x") if space == "roc" else ("x", "y")
        at = np.linspace(0.01, 0.99, 9_801)  # near the ends the lines are vertical in a space
        lead = np.subtract(*(np.interp(at, each[recall], each[other]) for each in (first, second)))
        recalls += [*at[1:][lead[1:] * lead[:-1] < 0]]
    return float(np.ptp(recalls)) if recalls else np.inf


def largest_distance_above_the_hull(rows: pd.DataFrame) -> float:
    """Largest distance of a threshold above the image of the convex hull, over the panels."""
    distances = []
    for _, view in rows.groupby("prior"):
        hull = view[(view["curve"] == "hull") & (view["part"] == "line")]
        marks = view[view["part"] == "threshold"]
        distances += [*(marks["y"] - np.interp(marks["x"], hull["x"], hull["y"]))]
    return float(max(distances))
