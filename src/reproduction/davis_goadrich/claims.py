"""Functions for `take` in claims.yaml: they reduce the selected rows to one number."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd


def largest_error_of_a_panel(rows: pd.DataFrame) -> float:
    """Largest error of an area under a line, or largest vertical distance of a mark from its line.

    It is infinite unless x rises from 0 to 1 along each line.
    """
    errors = []
    for view, curve, line in _lines(rows):
        marks = view[(view["part"] != "line") & view.iloc[:, 0].isin([curve, "both"])]
        errors += [*(np.interp(marks["x"], line["x"], line["y"]) - marks["y"])]
        errors += [*(np.trapezoid(line["y"], line["x"]) - line["area"])]
        rises = (np.diff(line["x"], prepend=0, append=1) >= 0).all()
        errors.append(0 if rises else np.inf)
    return float(np.abs(errors).max())


def largest_distance_above_the_hull(rows: pd.DataFrame) -> float:
    """Largest distance of a threshold of Figure 5 above the image of the convex hull."""
    distances = []
    for view, curve, line in _lines(rows):
        if curve == "hull":
            marks = view[view["part"] == "threshold"]
            distances += [*(marks["y"] - np.interp(marks["x"], line["x"], line["y"]))]
    return float(max(distances))


def largest_jump(rows: pd.DataFrame) -> float:
    """Largest step of an area from one drawn prior to the next."""
    lines = rows.pivot_table("area", "prior", ["measure", "curve"])
    return float(lines.diff().abs().max(axis=None))


def _lines(rows: pd.DataFrame) -> Iterator[tuple[pd.DataFrame, str, pd.DataFrame]]:
    """Each line with the rows of its panel and the name of its curve."""
    for _, view in rows.groupby(["space", "prior"]):
        for curve, line in view[view["part"] == "line"].groupby(rows.columns[0]):
            yield view, curve, line
