"""Coverage of the intervals of `explain_change`: ``python benchmarks/change_coverage.py``.

Class counts are random. The intervals of the total, of the prior part and of the model part are
compared with the values of the two populations. Rows may be drawn in strata by score, or in
clusters of dependent rows, for which only the prior changes: the model part is then 0.
"""

import argparse
import sys
import time
import warnings
from typing import NamedTuple

import numpy as np
from scipy import stats

from calibrated_metrics import ConfusionCurve, Metric, comparison

N_SAMPLES = 2000
N_RESAMPLES = 200  # of bootstraps
THRESHOLD = 1.0
METRICS = {
    "average precision": Metric("average_precision"),
    "AUC-ROC": Metric("roc_auc"),
    "precision": Metric("precision", threshold=THRESHOLD),
    "F1": Metric("fbeta", threshold=THRESHOLD),
    "MCC": Metric("mcc", threshold=THRESHOLD),
    "AUC-PR Gain": Metric("prg_auc"),
    "best F1": Metric("best_fbeta"),
}
# Scores of the positives at a given quality of the model, and of the negatives.
DISTRIBUTIONS = {
    "binormal": (stats.norm, stats.norm()),
    "heavy tails": (lambda quality: stats.t(3, loc=quality), stats.t(3)),
    "exponential": (lambda quality: stats.expon(scale=2 * quality), stats.expon()),
    "log-normal": (lambda quality: stats.lognorm(1, scale=np.exp(quality)), stats.lognorm(1)),
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
    Cell("average precision", "log-normal", 40, *BOTH),
    Cell("average precision", "binormal", 20, *BOTH),
    Cell("average precision", "binormal", 10, *BOTH),
    Cell("average precision", "binormal", 40, (0.05, 0.02), (3.5, 3.5)),
    Cell("average precision", "binormal", 20, (0.05, 0.5), SAME_MODEL),
    # One negative of the second sample weighs 19 positives at the prior of the first.
    Cell("average precision", "binormal", 20, (0.05, 0.5), WEAK_MODEL),
    Cell("average precision", "binormal", 40, (0.05, 0.5), WEAK_MODEL),
    *(
        Cell(metric, "binormal", n_pos, *BOTH)
        for metric in ("precision", "F1", "MCC")
        for n_pos in (10, 40)
    ),
    Cell("AUC-PR Gain", "binormal", 160, (0.5, 0.2), WORSE_MODEL),
    Cell("AUC-ROC", "binormal", 10, *BOTH),
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
                    METRICS[cell.metric], *curves, n_resamples=N_RESAMPLES, rng=rng
                )
            except ValueError:
                continue
            parts = [getattr(change, name) for name in PARTS]
            covered.append([e.low <= true <= e.high for e, true in zip(parts, truth, strict=True)])
            widths.append([each.high - each.low for each in parts])
    undefined = n_samples - len(covered)
    return np.mean(covered, axis=0), np.mean(widths, axis=0), undefined


# ------------------------------------------------------------------------------------ clusters

N_CUSTOMERS, CORRELATION = 400, 0.3
CUSTOMERS = (
    "others in both months",
    "the same, with new effects",
    "the same, with the same effects",
)


def months_of_customers(customers, rng):
    """Labels, scores and customers of two months; 3 to 300 rows each, few have most positives."""
    size = np.clip(3 * (1 + rng.pareto(1.2, N_CUSTOMERS)), 3, 300).astype(int)
    risk, effect = rng.gamma(0.05, 1, N_CUSTOMERS), rng.normal(size=N_CUSTOMERS)
    for month, prior in enumerate((0.03, 0.015)):
        if month and customers != CUSTOMERS[2]:
            effect = rng.normal(size=N_CUSTOMERS)
        if month and customers == CUSTOMERS[0]:
            size, risk = rng.permutation(size), rng.gamma(0.05, 1, N_CUSTOMERS)
        of_row = np.repeat(np.arange(N_CUSTOMERS), size)
        shares = risk / (risk @ size) * size.sum() * prior
        y_true = rng.random(len(of_row)) < np.minimum(shares, 0.9)[of_row]
        noise = rng.normal(size=len(of_row))
        y_score = 2 * y_true + np.sqrt(CORRELATION) * effect[of_row]
        y_score += np.sqrt(1 - CORRELATION) * noise
        names = of_row + (month * N_CUSTOMERS if customers == CUSTOMERS[0] else 0)
        yield y_true, y_score, names


def excluded(metric, customers, n_samples, *, with_clusters):
    """Share of samples in which the interval of the model part excludes 0, and its mean width."""
    rng = np.random.default_rng([1, CUSTOMERS.index(customers)])
    limits = []
    for _ in range(n_samples):
        curves = [
            ConfusionCurve.from_predictions(*rows, clusters=names if with_clusters else None)
            for *rows, names in months_of_customers(customers, rng)
        ]
        part = comparison.explain_change(metric, *curves).model_part
        limits.append((part.low, part.high))
    low, high = np.array(limits).T
    return ((low > 0) | (high < 0)).mean(), (high - low).mean()


def print_clusters(n_samples):
    print("\n| metric | customers | excludes 0 with clusters (width) | without |")
    print("|---|---|---|---|")
    for metric in (METRICS["average precision"], Metric("fbeta", threshold=1.5)):
        for customers in CUSTOMERS:
            cells = [
                "{:.1%} ({:.3f})".format(
                    *excluded(metric, customers, n_samples, with_clusters=with_clusters)
                )
                for with_clusters in (True, False)
            ]
            print(f"| {metric.key} | {customers} | {' | '.join(cells)} |", flush=True)


# -------------------------------------------------------------------------------------- strata

N_SCORED = 100_000  # rows of a month; an audit labels some of them
QUALITY = 2.5
AUDITED = ("average precision", "precision", "F1")
AUDITS = [((400, 300, 300), (0.01, 0.005)), ((3000, 500, 500), (0.01, 0.02))]


def audited(labels, prior, rng):
    """Labels in each stratum: the lowest 90 %, the next 8 % and the top 2 % of the scores."""
    y_true = rng.random(N_SCORED) < prior
    y_score = rng.normal(size=N_SCORED) + QUALITY * y_true
    strata = np.split(np.argsort(y_score), [int(0.9 * N_SCORED), int(0.98 * N_SCORED)])
    rows = [rng.choice(of, n, replace=False) for of, n in zip(strata, labels, strict=True)]
    weight = np.repeat([len(of) / n for of, n in zip(strata, labels, strict=True)], labels)
    rows = np.concatenate(rows)
    return ConfusionCurve.from_predictions(
        y_true[rows], y_score[rows], sample_weight=weight, strata=np.repeat(np.arange(3), labels)
    )


def print_strata(n_samples):
    print("\n| metric | labels | priors | total | prior part | model part |")
    print("|---|---|---|---|---|---|")
    for labels, priors in AUDITS:
        for name in AUDITED:
            truth = true_parts(Cell(name, "binormal", 0, priors, (QUALITY, QUALITY)))
            rng = np.random.default_rng(labels)
            found = []
            for _ in range(n_samples):
                curves = [audited(labels, prior, rng) for prior in priors]
                change = comparison.explain_change(METRICS[name], *curves)
                parts = [getattr(change, part) for part in PARTS]
                found.append([(part.low, part.high) for part in parts])
            low, high = np.moveaxis(np.array(found), -1, 0)
            covered = ((low <= truth) & (truth <= high)).mean(axis=0)
            widths = (high - low).mean(axis=0)
            cells = [f"{100 * c:.1f} ({w:.3f})" for c, w in zip(covered, widths, strict=True)]
            shown = f"{labels} | {priors[0]:g} → {priors[1]:g}"
            print(f"| {name} | {shown} | {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=N_SAMPLES, help="samples per cell")
    n_samples = parser.parse_args().samples
    print_plain(n_samples)
    print_clusters(n_samples)
    print_strata(n_samples)


def print_plain(n_samples):
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
