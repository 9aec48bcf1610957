"""The note's experiment: metrics of a calibrated classifier with and without labels."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats
from tqdm import tqdm

from calibrated_metrics import _checks, scores
from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from reproduction.core.streams import stream
from reproduction.label_free.score_distribution import curve_of_distribution
from reproduction.core.metrics import Metric

__all__ = ["AREAS", "DISTRIBUTIONS", "convergence", "convergence_and_slopes", "run", "slopes"]

DISTRIBUTIONS = {
    "U(0, 1)": stats.uniform(),
    "F(x) = x²": stats.beta(2, 1),
    "Beta(0.2, 0.3)": stats.beta(0.2, 0.3),
    "Beta(2, 3)": stats.beta(2, 3),
}
AREAS = (Metric("average_precision"), Metric("average_precision", 0.5))

# The note predicts positive where the score is above the threshold, not at it.
_THRESHOLD = np.nextafter(0.5, 1.0)
_SMALLEST_SAMPLE = 50  # below, a draw may have no score above the threshold
_N_VERTICES = 10_001  # areas of the distributions are then within 2e-6 of their limits


def run(*, n_samples: int, n_thresholds: int, seed: int) -> pd.DataFrame:
    """Compute accuracy, precision, recall and F1 in three ways at equally spaced thresholds.

    Parameters
    ----------
    n_samples : int >= 50
        Scores drawn from each distribution, and labels drawn from the scores.
    n_thresholds : int >= 2
        From 0 to 1.
    seed : int

    Returns
    -------
    DataFrame
        A row per `distribution`, `computation` (by drawn labels, by the scores alone, or by the
        distribution itself), `metric` and `threshold`, with its `value`. Precision has no row at a
        threshold above all scores.
    """
    n_samples = _checks.integer_at_least("n_samples", n_samples, _SMALLEST_SAMPLE)
    n_thresholds = _checks.integer_at_least("n_thresholds", n_thresholds, 2)
    thresholds = np.linspace(0.0, 1.0, n_thresholds)
    parts = []
    for index, (name, dist) in enumerate(DISTRIBUTIONS.items()):
        y_true, y_prob = _draw(dist, n_samples, stream(seed, "label_free", index))
        curves = {
            "labels": ConfusionCurve.from_predictions(y_true, y_prob),
            "scores": ConfusionCurve.from_probabilities(y_prob),
            "distribution": curve_of_distribution(dist, n_thresholds=2),
        }
        for computation, curve in curves.items():
            matrices = curve.confusion_matrix(np.nextafter(thresholds, 2.0))
            for metric, values in _metrics_of_matrix(matrices).items():
                columns = {"distribution": name, "computation": computation, "metric": metric}
                parts.append(pd.DataFrame({**columns, "threshold": thresholds, "value": values}))
    return pd.concat(parts).dropna(subset="value").reset_index(drop=True)


def convergence(*, sizes: Sequence[int], n_runs: int, seed: int) -> pd.DataFrame:
    """Measure how far metrics of samples are from those of the distribution.

    Accuracy, precision, recall and F1 are taken at the threshold 0.5, average precision over all
    thresholds, also calibrated to the reference prior 0.5.

    Parameters
    ----------
    sizes : sequence of int >= 50
        Sample sizes.
    n_runs : int >= 1
        Samples drawn of each size.
    seed : int

    Returns
    -------
    DataFrame
        A row per `distribution`, `computation` (by drawn labels or by the scores alone), `metric`
        with its `pi0`, and `n_samples`, with `rmse`, the root mean square error over the runs.
    """
    sizes = [_checks.integer_at_least("sizes", size, _SMALLEST_SAMPLE) for size in sizes]
    if not sizes:
        raise ValueError("sizes must not be empty")
    n_runs = _checks.integer_at_least("n_runs", n_runs, 1)
    errors = []
    for index, (name, dist) in enumerate(DISTRIBUTIONS.items()):
        exact = _metrics_of_population(name)
        progress = tqdm(sizes, desc=f"label-free {name}", disable=None, leave=False)
        for point, n_samples in enumerate(progress):
            for run_index in range(n_runs):
                rng = stream(seed, "label_free", index, point, run_index)
                measured = _metrics_of_sample(*_draw(dist, n_samples, rng))
                for computation, values in measured.items():
                    errors.extend(
                        (name, computation, metric, n_samples, (value - exact[metric]) ** 2)
                        for metric, value in values.items()
                    )
    keys = ["distribution", "computation", "metric", "n_samples"]
    table = pd.DataFrame(errors, columns=[*keys, "rmse"])
    return _with_pi0(np.sqrt(table.groupby(keys, sort=False)["rmse"].mean()).reset_index())


def convergence_and_slopes(**settings) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make the tables of `convergence`, with its settings, and of `slopes`."""
    errors = convergence(**settings)
    return errors, slopes(errors)


def slopes(table: pd.DataFrame) -> pd.DataFrame:
    """Fit log error against log sample size; -1/2 is the rate of independent samples.

    Parameters
    ----------
    table : DataFrame
        Of `convergence`, with at least two sizes.

    Returns
    -------
    DataFrame
        A row per `distribution`, `computation` and `metric`, with its `pi0` and the
        least-squares `slope`.
    """
    if table["n_samples"].nunique() < 2:
        raise ValueError("table must hold at least two sizes to fit a slope")
    rows = []
    keys = ["distribution", "computation", "metric"]
    for key, group in table.groupby(keys, sort=False):
        fit = stats.linregress(np.log(group["n_samples"]), np.log(group["rmse"]))
        rows.append((*key, fit.slope))
    return _with_pi0(pd.DataFrame(rows, columns=[*keys, "slope"]))


def _with_pi0(table: pd.DataFrame) -> pd.DataFrame:
    table.insert(3, "pi0", table["metric"].map({area.key: area.pi0_at() for area in AREAS}))
    return table


def _draw(dist, n_samples: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Labels and the calibrated probabilities they are drawn from."""
    y_prob = dist.rvs(size=n_samples, random_state=rng)
    return rng.random(n_samples) < y_prob, y_prob


def _metrics_of_matrix(matrix: ConfusionMatrix) -> dict[str, float | np.ndarray]:
    """Metrics of the note; NaN where nothing is predicted positive and precision is undefined."""
    with warnings.catch_warnings(category=scores.UndefinedMetricWarning, action="ignore"):
        return {
            "accuracy": scores.accuracy(matrix),
            "precision": scores.precision(matrix),
            "recall": scores.recall(matrix),
            "f1": scores.fbeta(matrix),
        }


@functools.cache
def _metrics_of_population(name: str) -> dict[str, float]:
    dist = DISTRIBUTIONS[name]
    curve = curve_of_distribution(dist, n_thresholds=_N_VERTICES)
    # In the infinite-sample limit all interpolations agree; this one needs the fewest vertices.
    areas = {area.key: scores.pr_auc(area.calibrated(curve)) for area in AREAS}
    return _metrics_of_matrix(curve.confusion_matrix(_THRESHOLD)) | areas


def _metrics_of_sample(y_true: np.ndarray, y_prob: np.ndarray) -> dict[str, dict[str, float]]:
    return {
        "labels": _metrics(ConfusionCurve.from_predictions(y_true, y_prob)),
        "scores": _metrics(ConfusionCurve.from_probabilities(y_prob)),
    }


def _metrics(curve: ConfusionCurve) -> dict[str, float]:
    areas = {area.key: area(curve) for area in AREAS}
    return _metrics_of_matrix(curve.confusion_matrix(_THRESHOLD)) | areas
