"""Functions for `take` in claims.yaml: they reduce the selected rows to one number."""

import numpy as np
import pandas as pd


def largest_distance_from_roc(rows: pd.DataFrame) -> float:
    """Largest distance in FPR of the points of PR curves from the ROC curve of the same model."""
    distances = []
    for _, model in rows.groupby("model"):
        is_roc = model["space"] == "roc"
        roc, pr = model[is_roc], model[~is_roc]
        fpr = pr["x"] * (1 / pr["y"] - 1) * pr["prior"] / (1 - pr["prior"])
        distances += [*(fpr - np.interp(pr["x"], roc["y"], roc["x"])).abs()]
    return float(max(distances))


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
    """Largest distance of a threshold above the convex hull or its image, over the panels."""
    distances = []
    for _, view in rows.groupby(["space", "prior"]):
        hull = view[(view["curve"] == "hull") & (view["part"] == "line")]
        marks = view[view["part"] == "threshold"]
        distances += [*(marks["y"] - np.interp(marks["x"], hull["x"], hull["y"]))]
    return float(max(distances))
