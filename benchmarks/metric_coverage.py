"""Coverage of intervals: areas, points of a curve, and summaries of decisions.

It takes about half an hour: ``python benchmarks/metric_coverage.py``.
"""

import itertools
import warnings

import numpy as np
from scipy import stats

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric, uncertainty
from reproduction.experiments.score_distributions import DISTRIBUTIONS

LEVEL = 0.95
PRIOR = 0.05
N_SAMPLES = 1000
N_RESAMPLES = 100
SIZES = (20, 160)
PRIORS = (None, 0.01)
NAMES = ("binormal 2", "heavy tails")
OF_A_CURVE = {
    "pr_auc": {},
    "achievable_pr_auc": {},
    "partial_average_precision": {"min_recall": 0.3, "max_recall": 0.7},
    "partial_roc_auc": {"max_fpr": 0.1},
    "partial_gains_auc": {"max_alert_rate": 0.05},
    "precision_at_recall": {"recall": 0.5},
    "recall_at_precision": {"precision": 0.3},
    "precision_at_top": {"alert_rate": 0.05},
    "recall_at_top": {"alert_rate": 0.05},
}
OF_A_MATRIX = {
    "matthews_corrcoef": {},
    "cohen_kappa": {},
    "net_benefit": {"threshold_probability": 0.1},
    "positive_likelihood_ratio": {},
    "negative_likelihood_ratio": {},
}
COUNTS = ((20, 20), (20, 380))
NEGLIGIBLE = 1e-8  # probability of counts that are left out
RATES = ((0.5, 0.05), (0.8, 0.2), (0.9, 0.02))


def population(name):
    """The curve in the infinite-sample limit."""
    grid = np.unique([law.isf(np.linspace(1e-6, 1 - 1e-6, 40_001)) for law in DISTRIBUTIONS[name]])
    cuts = np.append(-np.inf, grid[1:])
    positives, negatives = (
        np.append(-np.diff(law.sf(cuts)), law.sf(cuts[-1])) for law in DISTRIBUTIONS[name]
    )
    return ConfusionCurve.from_counts(grid, positives, negatives)


def simulated(name, n_pos, pi0):
    """Shares of intervals below and above the true value, bias, and share with a warning."""
    n = round(n_pos / PRIOR)
    true_curve = population(name).at_prior(PRIOR if pi0 is None else pi0)
    y_true = np.arange(n) < n_pos
    metrics = {score: Metric(score, **options) for score, options in OF_A_CURVE.items()}
    true_values = {score: metric(true_curve) for score, metric in metrics.items()}
    records = {score: [] for score in metrics}
    for sample in range(N_SAMPLES):
        rng = np.random.default_rng([sample, n_pos, *map(ord, name)])
        positives, negatives = DISTRIBUTIONS[name]
        y_score = np.concatenate(
            [
                positives.rvs(size=n_pos, random_state=rng),
                negatives.rvs(size=n - n_pos, random_state=rng),
            ]
        )
        curve = ConfusionCurve.from_predictions(y_true, y_score)
        for score, metric in metrics.items():
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                found = uncertainty.interval(
                    metric,
                    curve,
                    pi0=pi0,
                    confidence_level=LEVEL,
                    n_resamples=N_RESAMPLES,
                    rng=rng,
                )
            true = true_values[score]
            records[score].append(
                (
                    found.high < true - 1e-9,
                    found.low > true + 1e-9,
                    found.value - true,
                    bool(caught),
                )
            )
    return {score: np.mean(rows, axis=0) for score, rows in records.items()}


def summed(name, n_pos, n_neg, tpr, fpr, pi0):
    """Coverage of a score of a matrix, summed over the counts for which it is defined."""
    metric = Metric(name, **OF_A_MATRIX[name])
    true = metric(ConfusionMatrix(tp=tpr, fp=fpr, fn=1 - tpr, tn=1 - fpr).at_prior(pi0))
    of_tp = stats.binom(n_pos, tpr).pmf(np.arange(n_pos + 1))
    of_fp = stats.binom(n_neg, fpr).pmf(np.arange(n_neg + 1))
    covered = total = 0.0
    for tp, fp in zip(*np.nonzero(np.outer(of_tp, of_fp) > NEGLIGIBLE), strict=True):
        matrix = ConfusionMatrix(tp=int(tp), fp=int(fp), fn=n_pos - int(tp), tn=n_neg - int(fp))
        try:
            found = uncertainty.interval(metric, matrix, pi0=pi0, confidence_level=LEVEL)
        except ValueError as error:
            assert "is undefined" in str(error)  # noqa: PT017
            continue
        total += of_tp[tp] * of_fp[fp]
        covered += of_tp[tp] * of_fp[fp] * (found.low <= true <= found.high)
    return covered / total


def run():
    print(f"Coverage of {100 * LEVEL:g} % intervals of a decision, summed over all counts\n")
    print("| metric | positives | negatives | TPR | FPR | π₀ | coverage |")
    print("|---|---|---|---|---|---|---|")
    for name, counts, rates, pi0 in itertools.product(OF_A_MATRIX, COUNTS, RATES, (0.01, 0.5)):
        coverage = summed(name, *counts, *rates, pi0)
        cells = (name, *counts, *rates, pi0, f"{100 * coverage:.1f}")
        print("|", " | ".join(map(str, cells)), "|", flush=True)
    print(
        f"\nCoverage of {100 * LEVEL:g} % intervals of a curve, {N_SAMPLES} samples, prior {PRIOR}"
    )
    print("\n| metric | distribution | positives | π₀ | coverage | above | below | bias | warned |")
    print("|---|---|---|---|---|---|---|---|---|")
    for n_pos, pi0, name in itertools.product(SIZES, PRIORS, NAMES):
        for score, (below, above, bias, warned) in simulated(name, n_pos, pi0).items():
            shares = [f"{100 * share:.1f}" for share in (1 - below - above, above, below)]
            cells = (score, name, n_pos, pi0, *shares, f"{bias:+.3f}", f"{100 * warned:.0f}")
            print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    run()
