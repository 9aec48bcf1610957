"""AUC-PR at a prior of ½ in four notations, two of them older than Siblini et al. (2020).

- De Geest et al., *Online Action Detection*, ECCV 2016: calibrated precision w TP / (w TP + FP)
  with w = N₋ / N₊, averaged over the positives. Known second hand, from code that computes it.
- ODIN, ``code/calMetric.py`` of github.com/facebookresearch/odin (2018): TPR / (TPR + FPR) as
  precision, summed over a grid of thresholds. The code was read.
- Wu et al., AJHG 2021, doi:10.1016/j.ajhg.2021.08.012: balanced precision, the precision expected
  if half of the rows were positives. Known second hand, from the R package mikropml.
- Siblini et al., IDA 2020: average precision at π₀ = ½, as the library computes it.
"""

import numpy as np
import pandas as pd
from scipy.special import ndtri

from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores import average_precision

RATIOS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)

_COLUMNS = ["positives", "ratio", "prior", "measure", "pi0", "value"]
_N_IN = 4000
# Mean and standard deviation of the scores of both sets of rows.
_IN, _OUT = (2.0, 1.0), (0.0, 1.5)
_N_GRID = 4000  # thresholds of ODIN's sum; its code has 100,000


def run() -> pd.DataFrame:
    """Measure one detector of out-of-distribution rows on test sets of different class ratios.

    The scores are quantiles, so nothing is drawn at random. The table has one row per set of
    positives, class ratio and measure: `positives` (``in`` or ``out``); `ratio`,
    out-of-distribution rows per in-distribution row; `prior`; `measure`; `pi0`; and `value`.
    """
    rows = []
    for ratio in RATIOS:
        inside, outside = _quantiles(_N_IN, *_IN), _quantiles(round(ratio * _N_IN), *_OUT)
        for positives, pos, neg in (("in", inside, outside), ("out", -outside, -inside)):
            prior = len(pos) / (len(pos) + len(neg))
            values = {
                "ordinary": at_prior(pos, neg, None),
                "siblini": at_prior(pos, neg, 0.5),
                "de_geest": de_geest(pos, neg),
                "odin": odin(pos, neg),
                "balanced": balanced(pos, neg),
            }
            for measure, value in values.items():
                pi0 = np.nan if measure == "ordinary" else 0.5
                rows.append((positives, ratio, prior, measure, pi0, value))
    return pd.DataFrame(rows, columns=_COLUMNS)


def de_geest(pos: np.ndarray, neg: np.ndarray) -> float:
    """Mean of w TP / (w TP + FP) over the positives, w = N₋ / N₊."""
    tp, fp = _counts(pos, neg)
    w = len(neg) / len(pos)
    return float(np.mean(w * tp / (w * tp + fp)))


def odin(pos: np.ndarray, neg: np.ndarray) -> float:
    """Sum of TPR / (TPR + FPR) times the decrease of TPR, over a grid of ascending thresholds."""
    grid = np.linspace(min(pos.min(), neg.min()), max(pos.max(), neg.max()), _N_GRID)
    tpr, fpr = (1 - np.sort(rows).searchsorted(grid) / len(rows) for rows in (pos, neg))
    is_defined = tpr + fpr > 0
    tpr, fpr = tpr[is_defined], fpr[is_defined]
    precision = tpr / (tpr + fpr)
    return float(np.sum(-np.diff(tpr, prepend=1) * precision) + tpr[-1] * precision[-1])


def balanced(pos: np.ndarray, neg: np.ndarray) -> float:
    """Mean balanced precision over the positives: the odds of precision, multiplied by N₋ / N₊."""
    tp, fp = _counts(pos, neg)
    precision, prior = tp / (tp + fp), len(pos) / (len(pos) + len(neg))
    true, false = precision * (1 - prior), (1 - precision) * prior
    return float(np.mean(true / (true + false)))


def at_prior(pos: np.ndarray, neg: np.ndarray, pi0: float | None) -> float:
    """Average precision by the library."""
    labels = np.repeat([1, 0], [len(pos), len(neg)])
    curve = ConfusionCurve.from_predictions(labels, np.concatenate([pos, neg]))
    return average_precision(curve if pi0 is None else curve.at_prior(pi0))


def _counts(pos: np.ndarray, neg: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """TP and FP at the score of each positive; no scores are tied."""
    thresholds = np.sort(pos)[::-1]
    fp = len(neg) - np.sort(neg).searchsorted(thresholds)
    return np.arange(1, len(pos) + 1), fp


def _quantiles(n: int, mean: float, sd: float) -> np.ndarray:
    return mean + sd * ndtri((np.arange(n) + 0.5) / n)
