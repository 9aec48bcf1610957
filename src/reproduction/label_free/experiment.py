"""The note's experiment: metrics of a calibrated classifier with and without labels."""

import warnings
from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from calibrated_metrics.confusion import ConfusionCurve, ConfusionMatrix
from calibrated_metrics.scores.decision import accuracy, fbeta, precision, recall
from calibrated_metrics.scores.facts import UndefinedMetricWarning
from reproduction.core.metrics import Metric
from reproduction.core.streams import stream
from reproduction.label_free import population

# Parameters of the beta distribution that the scores follow.
DISTRIBUTIONS = {
    "U(0, 1)": (1.0, 1.0),
    "F(x) = x²": (2.0, 1.0),
    "Beta(0.2, 0.3)": (0.2, 0.3),
    "Beta(2, 3)": (2.0, 3.0),
}
AREAS = (Metric("average_precision"), Metric("average_precision", 0.5))

_METRICS = {"accuracy": accuracy, "precision": precision, "recall": recall, "f1": fbeta}
_KEYS = ["distribution", "computation", "metric"]
# The note predicts positive where the score is above the threshold, not at it.
_THRESHOLD = np.nextafter(0.5, 1.0)
_N_VERTICES = 10_001  # with these, areas of the distributions are within 2e-6 of their limits


def run(*, n_samples: int, n_thresholds: int, seed: int) -> pd.DataFrame:
    """Compute accuracy, precision, recall and F1 in three ways at thresholds from 0 to 1.

    These are labels that are drawn for `n_samples` scores, these scores alone, and the distribution
    of the scores. Precision has no row at a threshold above all scores.
    """
    thresholds = np.linspace(0.0, 1.0, n_thresholds)
    above = np.nextafter(thresholds, 2.0)
    parts = []
    for index, (name, shape) in enumerate(DISTRIBUTIONS.items()):
        curves = _drawn_curves(*shape, n_samples, stream(seed, "label_free", index))
        computed = {key: curve.confusion_matrix(above) for key, curve in curves.items()}
        computed["distribution"] = population.matrices(*shape, thresholds)
        for computation, matrices in computed.items():
            for metric, values in _metrics_of_matrix(matrices).items():
                columns = dict(zip(_KEYS, (name, computation, metric), strict=True))
                parts.append(pd.DataFrame({**columns, "threshold": thresholds, "value": values}))
    return pd.concat(parts).dropna(subset="value").reset_index(drop=True)


def convergence(*, sizes: Sequence[int], n_runs: int, seed: int) -> pd.DataFrame:
    """Measure the errors of metrics of samples with respect to those of the distribution.

    Accuracy, precision, recall and F1 are at the threshold 0.5. The error is the root mean square
    over the runs.
    """
    errors = []
    for index, (name, shape) in enumerate(DISTRIBUTIONS.items()):
        exact = _metrics_of_population(*shape)
        for (point, n_samples), run_index in product(enumerate(sizes), range(n_runs)):
            rng = stream(seed, "label_free", index, point, run_index)
            for computation, curve in _drawn_curves(*shape, n_samples, rng).items():
                found = _metrics_of_matrix(curve.confusion_matrix(_THRESHOLD))
                found |= {area.key: area(curve) for area in AREAS}
                errors.extend(
                    (name, computation, metric, n_samples, (value - exact[metric]) ** 2)
                    for metric, value in found.items()
                )
    keys = [*_KEYS, "n_samples"]
    table = pd.DataFrame(errors, columns=[*keys, "rmse"])
    table = np.sqrt(table.groupby(keys, sort=False)["rmse"].mean()).reset_index()
    table.insert(3, "pi0", table["metric"].map({area.key: area.pi0_at() for area in AREAS}))
    return table


def _drawn_curves(
    a: float, b: float, n_samples: int, rng: np.random.Generator
) -> dict[str, ConfusionCurve]:
    """Curves of a sample of calibrated probabilities: with labels drawn from them, and without."""
    y_prob = rng.random(n_samples) if a == b == 1 else rng.beta(a, b, n_samples)
    y_true = rng.random(n_samples) < y_prob
    return {
        "labels": ConfusionCurve.from_predictions(y_true, y_prob),
        "scores": ConfusionCurve.from_probabilities(y_prob),
    }


def _metrics_of_matrix(matrix: ConfusionMatrix) -> dict[str, float | np.ndarray]:
    """Metrics of the note; NaN where nothing is predicted positive and precision is undefined."""
    with warnings.catch_warnings(category=UndefinedMetricWarning, action="ignore"):
        return {name: metric(matrix) for name, metric in _METRICS.items()}


def _metrics_of_population(a: float, b: float) -> dict[str, float]:
    curve = population.curve(a, b, _N_VERTICES)
    # In the infinite-sample limit all interpolations agree; this one needs the fewest vertices.
    areas = {area.key: Metric("pr_auc", area.pi0)(curve) for area in AREAS}
    (matrix,) = population.matrices(a, b, np.array([0.5]))
    return _metrics_of_matrix(matrix) | areas
