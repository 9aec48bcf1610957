"""Curves of Davis and Goadrich as rows of tables: lines and marked points in each space.

The columns are `space` ("roc" or "pr"); `prior`, at which precision is measured; `calibrated`,
False if that is the prior of the data; `pi0`, the reference prior if the curve is calibrated;
`part`, "line" or the kind of marked point; `x`, `y`; and `area` under the line.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from calibrated_metrics import spaces
from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.dominance import compare
from calibrated_metrics.scores.areas import pr_auc, roc_auc

_PLOTTED_POINTS = 400


def lines(
    curve: ConfusionCurve, reference_priors: Sequence[float] = (0.5,), *, straight: bool = False
) -> pd.DataFrame:
    """The curve in every view. In PR space it is exact, or `straight` between vertices."""
    tables = []
    for view, at_view in _views(curve, reference_priors):
        if view["space"] == "roc":
            (x, y), area = spaces.roc(at_view), roc_auc(at_view)
        elif straight:
            x, y = spaces.recall_precision(at_view)
            area = np.trapezoid(y, x)
        else:
            between = spaces.interpolated(at_view, _PLOTTED_POINTS)
            (x, y), area = spaces.recall_precision(between), pr_auc(at_view)
        tables.append(pd.DataFrame({**view, "part": "line", "x": x, "y": y, "area": area}))
    return pd.concat(tables)


def marks(
    part: str,
    curve: ConfusionCurve,
    reference_priors: Sequence[float] = (0.5,),
    vertices: slice = slice(1, -1),
) -> pd.DataFrame:
    """Vertices of the curve in every view."""
    tables = []
    for view, at_view in _views(curve, reference_priors):
        space = spaces.roc if view["space"] == "roc" else spaces.recall_precision
        x, y = space(at_view)
        points = {"x": x[vertices], "y": y[vertices], "area": np.nan}
        tables.append(pd.DataFrame({**view, "part": part, **points}))
    return pd.concat(tables)


def crossings(first: ConfusionCurve, second: ConfusionCurve) -> pd.DataFrame:
    """Points at which the better curve changes, the same confusion matrix in every view."""
    fpr, tpr = np.transpose([(0, 0), *compare(first, second).crossings, (1, 1)])
    sizes = {"n_pos": first.n_pos, "n_neg": first.n_neg}
    return marks("crossing", ConfusionCurve.from_roc(tpr=tpr, fpr=fpr, **sizes))


def _views(
    curve: ConfusionCurve, reference_priors: Sequence[float]
) -> Iterator[tuple[dict, ConfusionCurve]]:
    """Columns and curve of each view: ROC space, then PR space at each prior."""
    own = {"prior": curve.prior, "calibrated": False, "pi0": np.nan}
    yield {"space": "roc", **own}, curve
    yield {"space": "pr", **own}, curve
    for pi0 in reference_priors:
        at_pi0 = {"prior": pi0, "calibrated": True, "pi0": pi0}
        yield {"space": "pr", **at_pi0}, curve.at_prior(pi0)
