"""Claims of the note on label-free metrics of a calibrated classifier."""

import numpy as np

from reproduction.claims.lookup import cells, largest, rows
from reproduction.claims.registry import at_least, claim

# By distribution with density f: ∫ x f(x) dx and ∫ f(x) dx from t to 1.
INTEGRALS = {
    "U(0, 1)": (lambda t: (1 - t**2) / 2, lambda t: 1 - t),
    "F(x) = x²": (lambda t: 2 * (1 - t**3) / 3, lambda t: 1 - t**2),
}
METRICS = {
    "accuracy": lambda tp, fp, fn, tn: tp + tn,
    "precision": lambda tp, fp, fn, tn: tp / (tp + fp),
    "recall": lambda tp, fp, fn, tn: tp / (tp + fn),
    "f1": lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn),
}

for name, distribution in (("uniform", "U(0, 1)"), ("linear", "F(x) = x²")):

    @claim("CC", "definition", 0.0, name=f"integrals-{name}")
    def integrals(label_free, distribution=distribution):
        """TP and FP are the integrals of x f(x) and (1−x) f(x) above the threshold, FN and TN those
        below it; scores ~ {distribution}: largest error of four metrics over all thresholds"""
        tp_above, mass_above = INTEGRALS[distribution]
        errors = []
        for key, metric in METRICS.items():
            where = {"distribution": distribution, "computation": "distribution", "metric": key}
            t = cells(label_free, "threshold", **where)
            tp, fp = tp_above(t), mass_above(t) - tp_above(t)
            fn = tp_above(0.0) - tp
            expected = metric(tp, fp, fn, 1 - tp - fp - fn)
            errors.append(largest(cells(label_free, "value", **where) - expected))
        return max(errors)


SIZE_OF_THE_NOTE = (
    at_least("label_free.n_samples", 1000),
    at_least("label_free.n_thresholds", 201),
)


def roughness(label_free, computation):
    """Return the sums of the absolute second differences over the thresholds, by curve."""
    cells(label_free, "value", computation=computation)
    curves = rows(label_free, computation=computation).sort_values("threshold")
    by_curve = curves.groupby(["distribution", "metric"])["value"]
    return by_curve.apply(lambda values: np.abs(np.diff(values, 2)).sum())


@claim("CC", "Tables 1 and 2", 1.0, needs=SIZE_OF_THE_NOTE)
def ever_smoother(label_free):
    """metrics as functions of the threshold are smoother when computed from
    scores than from labels, and smoothest from the distribution: share of the
    pairs of a distribution and a metric"""
    labels, scores, distribution = (
        roughness(label_free, computation) for computation in ("labels", "scores", "distribution")
    )
    return ((labels > scores) & (scores > distribution)).mean()
