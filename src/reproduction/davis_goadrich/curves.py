"""Curves of Davis and Goadrich as rows of tables: lines and marked points in each space.

Tables of curves have the columns `space` ("roc" or "pr"); `prior`, the one that precision is
measured at; `calibrated`, False where that is the prior of the data; `pi0`, the reference prior
where the curve is calibrated; `part`, "line" or the kind of point that is marked; `x`, `y`; and
`area` under the line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from calibrated_metrics import spaces
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.dominance import compare
from calibrated_metrics.scores.areas import pr_auc, roc_auc

__all__ = ["area_under_straight_lines", "crossings", "lines", "marks", "views"]

_PLOTTED_POINTS = 400


def views(
    curve: ConfusionCurve, reference_priors: Sequence[float]
) -> Iterator[tuple[dict, ConfusionCurve]]:
    """The columns that name a view, and the curve in it: ROC space, then PR space at each prior."""
    own = {"prior": curve.prior, "calibrated": False, "pi0": np.nan}
    yield {"space": "roc", **own}, curve
    yield {"space": "pr", **own}, curve
    for pi0 in reference_priors:
        at_pi0 = {"prior": pi0, "calibrated": True, "pi0": pi0}
        yield {"space": "pr", **at_pi0}, curve.at_prior(pi0)


def lines(
    curve: ConfusionCurve,
    reference_priors: Sequence[float],
    /,
    *,
    straight: bool = False,
    **name: str,
) -> pd.DataFrame:
    """The curve in every view; in PR space exact, or `straight` from vertex to vertex."""
    tables = []
    for view, at_view in views(curve, reference_priors):
        if view["space"] == "roc":
            points, area = spaces.roc(at_view), roc_auc(at_view)
        elif straight:
            points, area = spaces.recall_precision(at_view), area_under_straight_lines(at_view)
        else:
            between = spaces.interpolated(at_view, _PLOTTED_POINTS)
            points, area = spaces.recall_precision(between), pr_auc(at_view)
        tables.append(_rows({**name, **view, "part": "line"}, points, area))
    return pd.concat(tables)


def marks(
    part: str,
    curve: ConfusionCurve,
    reference_priors: Sequence[float],
    vertices: slice,
    /,
    **name: str,
) -> pd.DataFrame:
    """Vertices of the curve in every view."""
    tables = []
    for view, at_view in views(curve, reference_priors):
        space = spaces.roc if view["space"] == "roc" else spaces.recall_precision
        points = tuple(coordinate[vertices] for coordinate in space(at_view))
        tables.append(_rows({**name, **view, "part": part}, points, np.nan))
    return pd.concat(tables)


def crossings(
    first: ConfusionCurve, second: ConfusionCurve, reference_priors: Sequence[float], /, **name: str
) -> pd.DataFrame:
    """Points at which the lead changes: one confusion matrix in every view."""
    found = compare(first, second).crossings
    through = ConfusionCurve.from_roc(
        [0.0, *(crossing.fpr for crossing in found), 1.0],
        [0.0, *(crossing.tpr for crossing in found), 1.0],
        first.n_pos,
        first.n_neg,
    )
    return marks("crossing", through, reference_priors, slice(1, -1), **name)


def area_under_straight_lines(curve: ConfusionCurve) -> float:
    """Area in PR space with straight lines from vertex to vertex, which is wrong."""
    recall, precision = spaces.recall_precision(curve)
    return float(np.trapezoid(precision, recall))


def _rows(columns: dict, points: tuple[np.ndarray, np.ndarray], area: float) -> pd.DataFrame:
    x, y = points
    return pd.DataFrame({**columns, "x": x, "y": y, "area": area})
