"""Claims of the note on label-free metrics of a calibrated classifier."""

from functools import partial

import numpy as np

from reproduction.claims.lookup import largest, rows, wide
from reproduction.claims.registry import AtMost, Need, Tolerance, at_least, claim

# ---------------------------------------------------------------------------------- definitions

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
            found = rows(
                label_free, distribution=distribution, computation="distribution", metric=key
            )
            t = found["threshold"].to_numpy()
            tp, fp = tp_above(t), mass_above(t) - tp_above(t)
            fn = tp_above(0.0) - tp
            errors.append(largest(found["value"] - metric(tp, fp, fn, 1 - tp - fp - fn)))
        return max(errors)


# ------------------------------------------------------------------------------- Tables 1 and 2


@claim("CC", "Tables 1 and 2", 4)
def number_of_distributions(label_free):
    """number of distributions, one per row"""
    return label_free["distribution"].nunique()


@claim("CC", "Table 1", 3)
def number_of_computations(label_free):
    """number of computations, one per column"""
    return label_free["computation"].nunique()


@claim("CC", "Table 2", 4)
def number_of_metrics(label_free):
    """number of metrics, one per column"""
    return label_free["metric"].nunique()


SIZE_OF_THE_NOTE = (
    at_least("label_free.n_samples", 1000),
    at_least("label_free.n_thresholds", 201),
)


def roughness(curve):
    """Return the sum of the absolute second differences of a metric over the thresholds."""
    return np.abs(np.diff(curve.sort_values("threshold")["value"], 2)).sum()


@claim("CC", "Tables 1 and 2", 1.0, needs=SIZE_OF_THE_NOTE)
def ever_smoother(label_free):
    """metrics as functions of the threshold are smoother when computed from
    scores than from labels, and smoothest from the distribution: share of the
    pairs of a distribution and a metric"""
    labels, scores, distribution = (
        rows(label_free, computation=computation)
        .groupby(["distribution", "metric"])[["threshold", "value"]]
        .apply(roughness)
        for computation in ("labels", "scores", "distribution")
    )
    return ((labels > scores) & (scores > distribution)).mean()


# ---------------------------------------------------------------------------------- convergence
SPREAD_OF_SIZES = Need(
    "label_free.sizes",
    "to span a factor of at least 100",
    lambda sizes: max(sizes) >= 100 * min(sizes),
)
CHANCE = Tolerance(0.1, "four standard errors of a slope from 200 runs at six sample sizes")

convergence = partial(
    claim, "CC", "text", needs=(at_least("label_free.n_runs", 100), SPREAD_OF_SIZES)
)

for computation in ("labels", "scores"):

    @convergence(-0.5, CHANCE, name=f"converges-{computation}")
    def converges(label_free_rates, computation=computation):
        """metrics computed from the {computation} of a sample converge to those of the distribution
        as n^(−1/2): the exponent that is farthest from −1/2"""
        slopes = rows(label_free_rates, computation=computation)["slope"]
        return slopes[(slopes + 0.5).abs().idxmax()]


@convergence(AtMost(1.0))
def scores_are_nearer(label_free_convergence):
    """metrics computed from scores are closer to those of the distribution than metrics computed
    from labels: largest ratio of their root mean square errors"""
    keys = ["distribution", "metric", "n_samples"]
    by_computation = wide(label_free_convergence, keys, "computation", "rmse")
    return (by_computation["scores"] / by_computation["labels"]).max()
