"""Coverage of the pointwise bands of displays: precision at a recall.

It takes about two minutes: ``python benchmarks/band_coverage.py``.
"""

import numpy as np

from calibrated_metrics import ConfusionCurve
from calibrated_metrics.spaces import false_positives_at
from calibrated_metrics.uncertainty.band import fpr_limits_at_recall
from reproduction.experiments.score_distributions import DISTRIBUTIONS

LEVEL = 0.95
N_SAMPLES = 1000
SIZES = ((20, 400), (40, 4000), (160, 160), (160, 1600), (1000, 5000))
RECALLS = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98])
DECIMALS = 1  # of rounded scores
KINDS = ("independent rows", "rounded scores", "weights")


def true_fpr(name, kind):
    """False positive rate of the population at each recall."""
    positives, negatives = DISTRIBUTIONS[name]
    if kind != "rounded scores":
        grid = np.unique(
            [law.ppf(np.linspace(1e-9, 1 - 1e-9, 200_001)) for law in (positives, negatives)]
        )
    else:
        step = 10.0**-DECIMALS
        grid = (np.arange(-10_000, 10_000) + 0.5) * step
    tpr, fpr = (law.sf(grid)[::-1] for law in (positives, negatives))
    return np.interp(RECALLS, tpr, fpr)


def coverage(name, kind, n_pos, n_neg):
    """Share of samples whose limits contain the true value, at each recall, in percent."""
    true = true_fpr(name, kind)
    y_true = np.arange(n_pos + n_neg) < n_pos
    covered = np.zeros(len(RECALLS))
    for sample in range(N_SAMPLES):
        rng = np.random.default_rng([sample, n_pos, n_neg, *map(ord, name)])
        sizes = zip(DISTRIBUTIONS[name], (n_pos, n_neg), strict=True)
        y_score = np.concatenate([law.rvs(size=n, random_state=rng) for law, n in sizes])
        if kind == "rounded scores":
            y_score = np.round(y_score, DECIMALS)
        weight = rng.exponential(size=n_pos + n_neg) if kind == "weights" else None
        curve = ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weight)
        fpr = false_positives_at(curve, RECALLS * curve.n_pos) / curve.n_neg
        low, high = fpr_limits_at_recall(curve, RECALLS, fpr, LEVEL)
        covered += (low <= true * (1 + 1e-9)) & (true <= high * (1 + 1e-9))
    return 100 * covered / N_SAMPLES


def run():
    print(f"Coverage of {100 * LEVEL:g} % bands of precision at a recall, {N_SAMPLES} samples; the")
    print("same at every reference prior\n")
    print("| rows | distribution | positives | negatives | least | mean | greatest |")
    print("|---|---|---|---|---|---|---|")
    for kind in KINDS:
        cells = []
        for name in DISTRIBUTIONS:
            for sizes in SIZES:
                cells.append(coverage(name, kind, *sizes))
                _print_row(kind, name, *sizes, cells[-1])
        _print_row(kind, "all", "all", "all", np.array(cells))


def _print_row(kind, name, n_pos, n_neg, values):
    shares = [f"{value:.1f}" for value in (values.min(), values.mean(), values.max())]
    print("|", " | ".join([kind, name, str(n_pos), str(n_neg), *shares]), "|", flush=True)


if __name__ == "__main__":
    run()
