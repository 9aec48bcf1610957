"""Figure 2: the curves of one model on imbalanced data and on a balanced sample of the data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from calibrated_metrics import _checks, scores, spaces
from calibrated_metrics.confusion import ConfusionCurve
from reproduction.fraud.draws import undersample
from reproduction.core.streams import stream

__all__ = ["run"]

_Points = tuple[np.ndarray, np.ndarray]
_SPACES: dict[str, tuple[Callable[[ConfusionCurve], _Points], Callable]] = {
    "roc": (spaces.roc, scores.roc_auc),
    "pr": (
        lambda curve: spaces.recall_precision(spaces.interpolated(curve)),
        scores.average_precision,
    ),
    "prg": (spaces.recall_precision_gain, scores.prg_auc),
}


def run(curve: ConfusionCurve, *, seed: int, pi0: float = 0.5, n_points: int = 500) -> pd.DataFrame:
    """Draw one model's curves at the data's prior and at a higher one.

    Three curves in each space: of all data; of a sample whose prior is `pi0`, made by leaving out
    negatives at random; and of all data, calibrated to `pi0`, which is what the sample estimates.

    Parameters
    ----------
    curve : ConfusionCurve
        Of a test set with unit weights.
    seed : int
        Of the draw of the negatives.
    pi0 : float in (0, 1), default=0.5
        At least the prior of the data.
    n_points : int, default=500
        Largest number of points per curve, at least 2, spread evenly along its length.

    Returns
    -------
    DataFrame
        A row per point, by descending threshold: `space` ("roc", "pr" or "prg"), `sample` ("all",
        "undersampled" or "calibrated"), the `prior` that it is taken at, `pi0`, which is empty
        unless the curve is calibrated, `n_pos` and `n_neg` of the data used, the coordinates `x`
        and `y`, and the `area` under the curve (average precision in PR space).

    Raises
    ------
    ValueError
        If `pi0` is below the prior of the data, or the negatives do not have unit weights.

    References
    ----------
    Siblini, Fréry, He-Guelton, Oblé, Wang, "Master your Metrics with Calibration", IDA 2020,
    doi:10.1007/978-3-030-44584-3_36, Figure 2.
    """
    _checks.integer_at_least("n_points", n_points, 2)
    undersampled = undersample(curve, pi0, stream(seed, "curves_at_priors"))
    samples = {
        "all": (curve, curve),
        "undersampled": (undersampled, undersampled),
        "calibrated": (curve, curve.at_prior(pi0)),
    }
    parts = []
    for space, (coordinates, area) in _SPACES.items():
        for sample, (data, weighted) in samples.items():
            x, y = _thinned(*coordinates(weighted), n_points)
            parts.append(
                pd.DataFrame(
                    {
                        "space": space,
                        "sample": sample,
                        "prior": weighted.prior,
                        "pi0": pi0 if sample == "calibrated" else np.nan,
                        "n_pos": int(data.n_pos),
                        "n_neg": int(data.n_neg),
                        "x": x,
                        "y": y,
                        "area": area(weighted),
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


def _thinned(x: np.ndarray, y: np.ndarray, n_points: int) -> _Points:
    """At most `n_points` points of a line, including both ends, evenly along its length."""
    if len(x) <= n_points:
        return x, y
    length = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    wanted = np.linspace(0.0, length[-1], n_points)
    kept = np.unique(length.searchsorted(wanted).clip(max=len(x) - 1))
    kept[-1] = len(x) - 1
    return x[kept], y[kept]
