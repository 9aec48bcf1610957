"""Coverage of the intervals of `explain_change`: ``python benchmarks/change_coverage.py``.

Class counts are random. The intervals of the total, of the prior part and of the model part are
compared with the values of the two populations. The full simulation takes about 8 CPU minutes.
"""

import argparse
import sys
import time
import warnings
from typing import NamedTuple

import numpy as np
from scipy import stats

from calibrated_metrics import ConfusionCurve, comparison
from calibrated_metrics.registry import Metric

N_SAMPLES = 2000
N_RESAMPLES = 200  # of bootstraps
THRESHOLD = 1.0
METRICS = {
    "average precision": Metric("average_precision"),
    "AUC-ROC": Metric("roc_auc"),
    "precision": Metric("precision", options={"threshold": THRESHOLD}),
    "F1": Metric("fbeta", options={"threshold": THRESHOLD}),
    "best F1": Metric("best_fbeta"),
}
# Scores of the positives at a given quality of the model, and of the negatives.
DISTRIBUTIONS = {
    "binormal": (stats.norm, stats.norm()),
    "heavy tails": (lambda quality: stats.t(3, loc=quality), stats.t(3)),
    "exponential": (lambda quality: stats.expon(scale=2 * quality), stats.expon()),
}
PARTS = ("total", "prior_part", "model_part")


class Cell(NamedTuple):
    """Two populations and the expected number of positives in a sample of each."""

    metric: str
    distribution: str
    n_pos: int
    priors: tuple
    qualities: tuple


SAME_MODEL, WORSE_MODEL, WEAK_MODEL = (2.0, 2.0), (2.0, 1.3), (1.0, 1.0)
BOTH = (0.05, 0.02), WORSE_MODEL
CAUSES = [
    ((0.05, 0.05), SAME_MODEL),
    ((0.05, 0.05), WORSE_MODEL),
    ((0.05, 0.02), SAME_MODEL),
    BOTH,
]
CELLS = [
    *(Cell("average precision", "binormal", 40, *cause) for cause in CAUSES),
    Cell("average precision", "binormal", 40, (0.5, 0.5), SAME_MODEL),
    Cell("average precision", "binormal", 40, (0.5, 0.5), WORSE_MODEL),
    Cell("average precision", "binormal", 40, (0.5, 0.2), SAME_MODEL),
    Cell("average precision", "binormal", 40, (0.05, 0.5), SAME_MODEL),
    *(Cell("average precision", "binormal", 160, *cause) for cause in CAUSES),
    Cell("average precision", "binormal", 160, (0.5, 0.2), WORSE_MODEL),
    Cell("average precision", "heavy tails", 40, *BOTH),
    Cell("average precision", "exponential", 40, *BOTH),
    Cell("average precision", "binormal", 20, *BOTH),
    Cell("average precision", "binormal", 20, (0.05, 0.5), SAME_MODEL),
    # One negative of the second sample weighs 19 positives at the prior of the first.
    Cell("average precision", "binormal", 20, (0.05, 0.5), WEAK_MODEL),
    Cell("average precision", "binormal", 40, (0.05, 0.5), WEAK_MODEL),
    Cell("precision", "binormal", 40, *BOTH),
    Cell("F1", "binormal", 40, *BOTH),
    Cell("AUC-ROC", "binormal", 40, *BOTH),
    Cell("best F1", "binormal", 40, *BOTH),
]


def population(distribution, quality):
    """The curve of a population, with more thresholds in the tails."""
    of_positives, negatives = DISTRIBUTIONS[distribution]
    positives = of_positives(quality)
    tail = np.geomspace(1e-9, 0.01, 4000)
    levels = np.concatenate([tail, np.linspace(0.01, 0.99, 20_000)[1:-1], 1 - tail[::-1]])
    cuts = np.unique([each.isf(levels) for each in (positives, negatives)])[::-1]
    masses = [np.diff(each.sf(cuts), prepend=0.0, append=1.0) for each in (positives, negatives)]
    return ConfusionCurve.from_counts(np.append(cuts, cuts[-1] - 1), *masses)


def true_parts(cell):
    metric = METRICS[cell.metric]
    values = np.array(
        [
            [
                metric(population(cell.distribution, quality).at_prior(prior))
                for prior in cell.priors
            ]
            for quality in cell.qualities
        ]
    )
    total = values[1, 1] - values[0, 0]
    prior_part = (values[0, 1] - values[0, 0] + values[1, 1] - values[1, 0]) / 2
    return total, prior_part, total - prior_part


def draw(cell, index, rng):
    """The curve of a sample of the period before (0) or after (1), with random class counts."""
    of_positives, negatives = DISTRIBUTIONS[cell.distribution]
    n = round(cell.n_pos / cell.priors[index])
    n_pos = int(np.clip(rng.binomial(n, cell.priors[index]), 2, n - 2))
    positives = of_positives(cell.qualities[index])
    y_score = np.concatenate(
        [
            positives.rvs(size=n_pos, random_state=rng),
            negatives.rvs(size=n - n_pos, random_state=rng),
        ]
    )
    return ConfusionCurve.from_predictions(np.arange(n) < n_pos, y_score)


def measure(cell, n_samples, seed=0):
    """Share of samples whose interval contains the true value, and its mean width, of each part.

    A sample on which the metric is undefined is left out; their number is returned too.
    """
    truth = true_parts(cell)
    rng = np.random.default_rng([seed, *map(ord, repr(cell))])
    covered, widths = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(n_samples):
            curves = [draw(cell, index, rng) for index in (0, 1)]
            try:
                change = comparison.explain_change(
                    *curves, METRICS[cell.metric], n_resamples=N_RESAMPLES, rng=rng
                )
            except ValueError:
                continue
            parts = [getattr(change, name) for name in PARTS]
            covered.append([e.low <= true <= e.high for e, true in zip(parts, truth, strict=True)])
            widths.append([each.high - each.low for each in parts])
    undefined = n_samples - len(covered)
    return np.mean(covered, axis=0), np.mean(widths, axis=0), undefined


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=N_SAMPLES, help="samples per cell")
    n_samples = parser.parse_args().samples
    print("| metric | scores | positives | priors | qualities | total | prior part | model part |")
    print("|---|---|---|---|---|---|---|---|")
    start = time.process_time()
    for cell in CELLS:
        coverage, widths, undefined = measure(cell, n_samples)
        cells = [f"{100 * c:.1f} ({w:.3f})" for c, w in zip(coverage, widths, strict=True)]
        shown = [f"{a:g} → {b:g}" for a, b in (cell.priors, cell.qualities)]
        print(
            f"| {' | '.join([cell.metric, cell.distribution, str(cell.n_pos), *shown, *cells])} |",
            flush=True,
        )
        note = f", undefined on {undefined} samples" if undefined else ""
        print(f"{time.process_time() - start:.0f} s{note}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
