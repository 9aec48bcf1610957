"""Functions that claims.yaml names: the selected rows in, one number out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

__all__ = [
    "largest_area_gap",
    "largest_distance_above_the_hull",
    "largest_distance_of_marks",
    "largest_jump",
    "recalls_with_another_leader",
]


def largest_area_gap(rows: pd.DataFrame) -> float:
    """Distance of an area from the area under the points; infinite unless x rises from 0 to 1."""
    gaps = []
    for _, line in rows.groupby([rows.columns[0], "space", "prior"]):
        x = line["x"].to_numpy()
        rises = x[0] == 0 and x[-1] == 1 and (np.diff(x) >= 0).all()
        gap = np.abs(np.trapezoid(line["y"], x) - line["area"].to_numpy()).max()
        gaps.append(gap if rises else np.inf)
    return float(np.max(gaps))


def largest_distance_of_marks(rows: pd.DataFrame) -> float:
    """Largest vertical distance of a marked point from the lines that it lies on."""
    distances = []
    for view in _views(rows):
        marks = view[view["part"] != "line"]
        for name, of_curve in marks.groupby(rows.columns[0]):
            names = view.loc[view["part"] == "line", rows.columns[0]].unique()
            for each in names if name == "both" else [name]:
                distances.append((of_curve["y"] - _height(view, each, of_curve["x"])).abs().max())
    return float(np.max(distances))


def largest_distance_above_the_hull(rows: pd.DataFrame) -> float:
    """Largest distance of a threshold of Figure 5 above the image of the convex hull."""
    distances = []
    for view in _views(rows):
        marks = view[(view["part"] == "threshold") & (view["curve"] == "naive")]
        distances.append((marks["y"] - _height(view, "hull", marks["x"])).max())
    return float(np.max(distances))


def recalls_with_another_leader(rows: pd.DataFrame) -> int:
    """Number of recalls at which the leader in ROC space does not lead in PR space.

    The drawn lines are not accurate enough to tell which model leads next to a crossing.
    """
    crossings = rows.loc[(rows["part"] == "crossing") & (rows["space"] == "pr"), "x"].to_numpy()
    recalls = np.linspace(0.01, 0.99, 99)
    recalls = recalls[np.abs(recalls[:, np.newaxis] - crossings).min(axis=1) > 0.005]
    roc = rows[rows["space"] == "roc"].rename(columns={"x": "y", "y": "x"})  # FPR at a recall
    leads_in_roc = _height(roc, "1", recalls) < _height(roc, "2", recalls)
    return sum(
        int((leads_in_roc != (_height(pr, "1", recalls) > _height(pr, "2", recalls))).sum())
        for pr in _views(rows[rows["space"] == "pr"])
    )


def largest_jump(rows: pd.DataFrame) -> float:
    """Largest step of an area from one drawn prior to the next."""
    lines = rows.pivot_table("area", "prior", ["measure", "curve"])
    return float(lines.diff().abs().max(axis=None))


def _views(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The rows of each panel."""
    return (view for _, view in rows.groupby(["space", "prior"]))


def _height(view: pd.DataFrame, name: str, x: pd.Series | np.ndarray) -> np.ndarray:
    """Height of a line at places."""
    line = view[(view[view.columns[0]] == name) & (view["part"] == "line")]
    return np.interp(x, line["x"], line["y"])
