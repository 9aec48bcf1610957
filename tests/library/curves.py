"""Curves of every kind, from a small ranking with ties, that tests share."""

import numpy as np

from calibrated_metrics import ConfusionCurve

Y_TRUE = [0, 1, 0, 0, 1, 0, 1, 0, 0, 0]
Y_SCORE = [9, 8, 8, 7, 6, 5, 4, 3, 2, 1]
OUTCOMES = ("tp", "fp", "fn", "tn")


def outcomes_of(matrix) -> list:
    return [getattr(matrix, name) for name in OUTCOMES]


def by_class(*class_weight):
    return np.where(np.array(Y_TRUE) == 1, *class_weight)


class Uniform:
    """Calibrated probabilities that are uniform in [0, 1]; at low thresholds it counts too much."""

    def counts_at(self, thresholds):
        t = np.clip(thresholds, 0.0, 1.0)
        excess = 1 + 1e-9 * (t < 0.1)
        return (1 - t**2) / 2 * excess, (1 - t) ** 2 / 2 * excess


def curve_of_population():
    return ConfusionCurve.from_population(
        Uniform(), [np.inf, 0.75, 0.5, 0], [0, 7 / 32, 0.375, 0.5], [0, 1 / 32, 0.125, 0.5]
    )


# Each function builds a curve: those of `ROWS` hold their rows, the others do not.
ROWS = {
    "predictions": lambda: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE),
    "weights of classes": lambda: ConfusionCurve.from_predictions(
        Y_TRUE, Y_SCORE, sample_weight=by_class(0.5, 3)
    ),
    "weights of rows": lambda: ConfusionCurve.from_predictions(
        Y_TRUE, Y_SCORE, sample_weight=Y_SCORE
    ),
    "counts": lambda: ConfusionCurve.from_counts(Y_SCORE, Y_TRUE, Y_SCORE),
    "probabilities": lambda: ConfusionCurve.from_probabilities(np.array(Y_SCORE) / 10),
    "weighted probabilities": lambda: ConfusionCurve.from_probabilities(
        np.array(Y_SCORE) / 10, sample_weight=Y_SCORE
    ),
    "sum": lambda: (
        ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)
        + ConfusionCurve.from_counts(Y_SCORE, Y_TRUE, Y_SCORE).at_prior(0.2)
    ),
}
OTHERS = {
    "population": curve_of_population,
    "binormal": lambda: ConfusionCurve.from_binormal(2, 1.8, 0.3, n_thresholds=21),
    "roc": lambda: ConfusionCurve.from_roc(
        tpr=[0, 0.5, 0.75, 1], fpr=[0, 0, 0.5, 1], n_pos=4, n_neg=8
    ),
    "vertices": lambda: ConfusionCurve([np.inf, 4, 3, 2], [0, 0, 0, 2], [0, 0, 1, 5]),
    "hull": lambda: ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE).hull(),
}
