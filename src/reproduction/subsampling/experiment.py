"""AUC-PR at a small prior from a test set with more positives: subsample or calibrate?

The positives of the test set are subsampled until their share is π₀, or all rows are kept and the
metric is calibrated to π₀. The abstract of Brabec et al., *On Model Evaluation under Non-constant
Class Imbalance*, ICCS 2020, doi:10.1007/978-3-030-50423-6_6, says that such subsampling is not
necessary and can lead to significant errors, and that the order of classifiers changes with the
imbalance. Only the abstract was read; the models and numbers here are ours.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from calibrated_metrics.confusion import ConfusionMatrix
from calibrated_metrics.scores import pr_auc, precision
from reproduction.core.gaussian import gaussian_curve
from reproduction.core.streams import stream

METHODS = ("calibrated", "one subsample", "mean of subsamples")

# Negatives are N(0, 1). Mean and standard deviation of the positives of each model.
MODELS = {"narrow": (2.0, 1.0), "wide": (2.0, 1.25)}

# Proposition 1: reference priors, numbers of positives, and subsamples for each pair.
_PRIORS, _SIZES, _N_DRAWS = (0.01, 0.05), (100, 1000, 10_000, 100_000), 1000


def proposition_1(*, seed: int) -> pd.DataFrame:
    """Precision in subsamples of the positives as the data grow, with recall 0.8 and FPR 0.02.

    The data have nine negatives per positive. `rmse` is the root mean square difference of the
    precision in a subsample from the calibrated precision.
    """
    rows = []
    for index, (pi0, n_pos) in enumerate(product(_PRIORS, _SIZES)):
        tp, fp, n_neg = n_pos * 8 // 10, n_pos * 18 // 100, 9 * n_pos
        data = ConfusionMatrix(tp=tp, fp=fp, fn=n_pos - tp, tn=n_neg - fp)
        calibrated, kept = precision(data.at_prior(pi0)), n_kept(n_neg, pi0)
        rng = stream(seed, "proposition_1", index)
        drawn = rng.hypergeometric(tp, n_pos - tp, kept, _N_DRAWS)
        sampled = drawn / (drawn + fp)
        rmse = np.sqrt(np.mean((sampled - calibrated) ** 2))
        rows.append((pi0, n_pos, kept, calibrated, sampled.mean(), rmse))
    columns = ["pi0", "n_pos", "n_kept", "calibrated", "mean", "rmse"]
    return pd.DataFrame(rows, columns=columns)


def run(
    *,
    n_pos: int,
    n_neg: int,
    priors: Sequence[float],
    n_runs: int,
    n_subsamples: int,
    seed: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make the tables of errors and of orders.

    `times_rows` is the squared ratio of `rmse` to that of the calibrated value. If errors fall with
    the root of the sample size, the test set must be this many times as large for the error of the
    calibrated value.
    """
    draws = (stream(seed, "subsampling", run) for run in range(n_runs))
    estimates = np.array([_estimates(n_pos, n_neg, priors, n_subsamples, rng) for rng in draws])
    curves = [gaussian_curve(*model) for model in MODELS.values()]
    population = np.array([[pr_auc(curve.at_prior(pi0)) for pi0 in priors] for curve in curves])
    return _tables(estimates, population, priors)


def n_kept(n_neg: int, pi0: float) -> int:
    """Number of positives that subsampling keeps for the prior `pi0`; all negatives are kept."""
    return round(n_neg * pi0 / (1 - pi0))


def _estimates(
    n_pos: int, n_neg: int, priors: Sequence[float], n_subsamples: int, rng: np.random.Generator
) -> list[list[tuple[float, ...]]]:
    """Estimates on one test set: by model, reference prior and method."""
    estimates = []
    for mean, sd in MODELS.values():
        pos, neg = rng.normal(mean, sd, n_pos), np.sort(rng.standard_normal(n_neg))
        fp = n_neg - neg.searchsorted(np.sort(pos)[::-1])
        estimates.append([of_test_set(fp, n_neg, pi0, n_subsamples, rng) for pi0 in priors])
    return estimates


def of_test_set(
    fp: np.ndarray, n_neg: int, pi0: float, n_subsamples: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Average precision at `pi0` by each of `METHODS`.

    `fp` counts the negatives above each positive. A subsample keeps some of these counts, so no
    rows need to be sorted.
    """
    n_pos = len(fp)
    tp, ratio = np.arange(1, n_pos + 1), n_pos / n_neg * (1 - pi0) / pi0
    calibrated = np.mean(tp / (tp + ratio * fp))
    kept = n_kept(n_neg, pi0)
    draws = rng.random((n_subsamples, n_pos)).argsort(axis=1)[:, :kept]
    precision = tp[:kept] / (tp[:kept] + fp[np.sort(draws, axis=1)])
    subsampled = precision.mean(axis=1)
    return float(calibrated), float(subsampled[0]), float(subsampled.mean())


def _tables(
    estimates: np.ndarray, population: np.ndarray, priors: Sequence[float]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Summaries of `estimates` (run, model, reference prior, method)."""
    mean = estimates.mean(axis=0)
    rmse = np.sqrt(np.mean((estimates - population[..., None]) ** 2, axis=0))
    times = (rmse / rmse[..., :1]) ** 2
    gap = population[0] - population[1]
    right = ((estimates[:, 0] - estimates[:, 1]) * gap[:, None] > 0).mean(axis=0)
    errors, orders = [], []
    for (i, pi0), (j, method) in product(enumerate(priors), enumerate(METHODS)):
        orders.append((pi0, method, gap[i], right[i, j]))
        for k, model in enumerate(MODELS):
            at = k, i, j
            errors.append((pi0, method, model, population[k, i], mean[at], rmse[at], times[at]))
    columns = ["pi0", "method", "model", "population", "mean", "rmse", "times_rows"]
    of_orders = ["pi0", "method", "gap", "right_order"]
    return pd.DataFrame(errors, columns=columns), pd.DataFrame(orders, columns=of_orders)
