"""AUC-PR at a prior of ½ by four formulas, which agree if no scores are tied.

- De Geest et al., *Online Action Detection*, ECCV 2016: calibrated precision w TP / (w TP + FP)
  with w = N₋ / N₊, averaged over the positives. Known second hand, from code that computes it.
- ODIN, ``code/calMetric.py`` of github.com/facebookresearch/odin (2018): TPR / (TPR + FPR) as
  precision, summed over a grid of thresholds. The code was read.
- QSARtuna, SparseChem and MELLODDY's performance_evaluation: the precision of each threshold at a
  prior of ½, joined by straight lines. The code was read.
- Siblini et al., IDA 2020: average precision at π₀ = ½, as the library computes it.
"""

import numpy as np
import pandas as pd
from scipy.special import ndtri

from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores import average_precision

RATIOS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)

_N_IN = 4000
# Mean and standard deviation of the scores of both sets of rows.
_IN, _OUT = (2.0, 1.0), (0.0, 1.5)
_N_GRID = 4000  # thresholds of ODIN's sum; its code has 100,000


def run() -> pd.DataFrame:
    """Measure one detector of out-of-distribution rows on test sets of different class ratios.

    The scores are quantiles, so nothing is drawn at random. Those of ``out_tied`` are rounded to
    even numbers.
    """
    rows = []
    for ratio in RATIOS:
        inside, outside = _quantiles(_N_IN, *_IN), _quantiles(round(ratio * _N_IN), *_OUT)
        samples = {"in": (inside, outside), "out": (-outside, -inside)}
        samples["out_tied"] = (2 * np.round(-outside / 2), 2 * np.round(-inside / 2))
        for positives, (pos, neg) in samples.items():
            prior = len(pos) / (len(pos) + len(neg))
            values = {
                "ordinary": at_prior(pos, neg, None),
                "siblini": at_prior(pos, neg, 0.5),
                "de_geest": de_geest(pos, neg),
                "de_geest_high": de_geest(pos, neg, positives_first=True),
                "odin": odin(pos, neg),
                "straight": straight(pos, neg),
            }
            for measure, value in values.items():
                pi0 = np.nan if measure == "ordinary" else 0.5
                rows.append((positives, ratio, prior, measure, pi0, value))
    return pd.DataFrame(rows, columns=["positives", "ratio", "prior", "measure", "pi0", "value"])


def de_geest(pos: np.ndarray, neg: np.ndarray, *, positives_first: bool = False) -> float:
    """Mean of w TP / (w TP + FP) over the positives, w = N₋ / N₊, row by row also within ties."""
    tp, fp = np.arange(1, len(pos) + 1), _above(neg, np.sort(pos)[::-1], positives_first)
    w = len(neg) / len(pos)
    return float(np.mean(w * tp / (w * tp + fp)))


def odin(pos: np.ndarray, neg: np.ndarray) -> float:
    """Sum of TPR / (TPR + FPR) times the decrease of TPR, over a grid of ascending thresholds."""
    grid = np.linspace(min(pos.min(), neg.min()), max(pos.max(), neg.max()), _N_GRID)
    tpr, fpr = (_above(rows, grid) / len(rows) for rows in (pos, neg))
    is_defined = tpr + fpr > 0
    tpr, fpr = tpr[is_defined], fpr[is_defined]
    precision = tpr / (tpr + fpr)
    return float(np.sum(-np.diff(tpr, prepend=1) * precision) + tpr[-1] * precision[-1])


def straight(pos: np.ndarray, neg: np.ndarray) -> float:
    """Area below straight lines between the points (TPR, TPR / (TPR + FPR)), from (0, 1)."""
    thresholds = np.unique(np.concatenate([pos, neg]))[::-1]
    tpr, fpr = (_above(rows, thresholds) / len(rows) for rows in (pos, neg))
    return float(np.trapezoid(np.append(1, tpr / (tpr + fpr)), np.append(0, tpr)))


def at_prior(pos: np.ndarray, neg: np.ndarray, pi0: float | None) -> float:
    """Average precision by the library."""
    labels = np.repeat([1, 0], [len(pos), len(neg)])
    curve = ConfusionCurve.from_predictions(labels, np.concatenate([pos, neg]))
    return average_precision(curve if pi0 is None else curve.at_prior(pi0))


def _above(rows: np.ndarray, thresholds: np.ndarray, strictly: bool = False) -> np.ndarray:
    """Number of rows with a score of at least, or strictly above, each threshold."""
    return len(rows) - np.sort(rows).searchsorted(thresholds, "right" if strictly else "left")


def _quantiles(n: int, mean: float, sd: float) -> np.ndarray:
    return mean + sd * ndtri((np.arange(n) + 0.5) / n)
