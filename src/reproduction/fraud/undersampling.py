"""The undersampling heuristic: drop negatives at random until the prior is pi0, measure, repeat.

Siblini et al. cite Jeni, Cohn & De La Torre for it (ACII 2013, doi:10.1109/ACII.2013.47). The code
of these authors, github.com/laszlojeni/skew, scales the counts instead, which is calibration.
This module has a simulation of the heuristic and its exact expected value, for average precision.
"""

import numpy as np

from calibrated_metrics.confusion import ConfusionCurve
from calibrated_metrics.scores import average_precision
from reproduction.fraud.draws import n_negatives_kept, steps_of


def simulated_average_precision(
    curve: ConfusionCurve, pi0: float, n_runs: int, rng: np.random.Generator
) -> np.ndarray:
    """Average precision of `n_runs` draws of `draws.undersample`.

    Only the number of kept negatives above each positive is needed, which is one multivariate
    hypergeometric draw over the gaps between positives.
    """
    n_kept = n_negatives_kept(curve, pi0)
    if n_kept == curve.n_neg:
        return np.full(n_runs, average_precision(curve))
    rises = curve.positive_steps
    d_recall = (rises.tp_end - rises.tp_start) / curve.n_pos
    # Empty gaps need no draw. Most negatives are below all positives. They are drawn first,
    # because later draws are cheaper if fewer negatives are left.
    fp_groups, group = np.unique(rises.fp_end, return_inverse=True)
    gaps = steps_of(np.concatenate([[0.0], fp_groups, [curve.n_neg]]))
    values = np.empty(n_runs)
    for run in range(n_runs):
        kept = rng.multivariate_hypergeometric(gaps[::-1], n_kept, method="marginals")[::-1]
        fp = np.cumsum(kept[:-1])[group]
        areas = np.cumsum(rises.tp_end / (rises.tp_end + fp) * d_recall)  # up to each positive
        values[run] = areas[-1]
    return values


def expected_average_precision(curve: ConfusionCurve, pi0: float) -> float:
    """Exact expected value of `simulated_average_precision` over the random draws.

    The number of kept negatives above a positive is hypergeometric. The closed form,
    ``average_precision(curve.at_prior(pi0))``, replaces it by its expected value. 1/(TP + FP) is
    convex in FP, so the expectation lies above the closed form (Jensen's inequality).
    """
    n_kept = n_negatives_kept(curve, pi0)
    rises = curve.positive_steps
    d_recall = (rises.tp_end - rises.tp_start) / curve.n_pos
    precision = np.empty(len(rises.tp_end))
    for fp in np.unique(rises.fp_end):
        count, probability = _hypergeometric(int(curve.n_neg), int(fp), n_kept)
        rows = rises.fp_end == fp
        tp = rises.tp_end[rows, None]
        precision[rows] = np.sum(tp / (tp + count) * probability, axis=1)
    return float(np.sum(d_recall * precision))


def _hypergeometric(n_total: int, n_marked: int, n_drawn: int) -> tuple[np.ndarray, np.ndarray]:
    """Possible numbers of marked items among the drawn ones, and their probabilities.

    Counts further than 12 standard deviations plus 40 from the mean are left out; their total
    probability is below 1e-20. SciPy's `hypergeom.pmf` takes minutes on Kaggle's data.
    """
    share = n_drawn / n_total
    mean = n_marked * share
    reach = 12 * np.sqrt(mean * (1 - share)) + 40
    n_unmarked_left = n_total - n_marked - n_drawn
    lowest = max(0, -n_unmarked_left, int(mean - reach))
    highest = min(n_marked, n_drawn, int(mean + reach))
    before = np.arange(lowest, highest, dtype=np.float64)
    ratio = ((n_marked - before) * (n_drawn - before)) / (
        (before + 1) * (n_unmarked_left + before + 1)
    )
    log_probability = np.append(0.0, np.log(ratio)).cumsum()
    probability = np.exp(log_probability - log_probability.max())
    return np.append(before, highest), probability / probability.sum()
