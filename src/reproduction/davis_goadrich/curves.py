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
from calibrated_metrics.scores.areas import pr_auc, roc_auc

_PLOTTED_POINTS = 400
_ROUNDING = 1e-12  # of rates


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
    """Points at which the better curve changes, the same confusion matrix in every view.

    Along each curve in ROC space, FPR + TPR rises. At the same sum, the better curve has the lower
    FPR - TPR. If the curves have a stretch in common, its end counts as the crossing.
    """
    paths = [spaces.roc(each) for each in (first, second)]
    sums = np.unique(np.concatenate([fpr + tpr for fpr, tpr in paths]))
    one, other = (np.interp(sums, fpr + tpr, fpr - tpr) for fpr, tpr in paths)
    gap = np.where(np.isclose(one, other, rtol=0, atol=_ROUNDING), 0.0, one - other)
    apart = np.flatnonzero(gap)
    end = apart[1:][np.diff(np.sign(gap[apart])) != 0]
    share = gap[end - 1] / (gap[end - 1] - gap[end])
    at, difference = (x[end - 1] + share * (x[end] - x[end - 1]) for x in (sums, one))
    fpr, tpr = (np.r_[0, (at + sign * difference) / 2, 1] for sign in (1, -1))
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
