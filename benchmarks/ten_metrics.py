"""Time of the ten metrics of the paper, compared with scikit-learn and with one sort."""

import itertools

import numpy as np
from kept import compare, released
from paired import median_seconds
from sklearn.metrics import average_precision_score

from calibrated_metrics import ConfusionCurve
from reproduction.core.metrics import read_metrics, values_of
from reproduction.core.settings import Metrics

SIZES = (10**2, 10**3, 10**4, 10**5, 10**6)
PRIORS = (0.2, 0.002)
COMPARED = (10**3, 10**6)  # sizes


def ten_paper_metrics():
    metrics = read_metrics(Metrics().described("paper"))
    assert len(metrics) == 10
    return metrics


def scored_labels(n, prior, tied, rng):
    n_pos = max(1, round(prior * n))
    y_true = np.zeros(n, dtype=np.int64)
    y_true[rng.choice(n, n_pos, replace=False)] = 1
    y_score = rng.normal(size=n) + y_true
    return y_true, np.round(y_score, 1) if tied else y_score


def ways(metrics, y_true, y_score):
    """Functions that compute the ten metrics, one average precision, and one sort."""
    return [
        lambda: values_of(metrics, ConfusionCurve.from_predictions(y_true, y_score)),
        lambda: average_precision_score(y_true, y_score),
        lambda: np.sort(y_score),
    ]


def comparisons():
    """Ten metrics and one call of scikit-learn."""
    metrics = ten_paper_metrics()
    rng = np.random.default_rng(0)
    for n in COMPARED:
        ours, theirs, _ = ways(metrics, *scored_labels(n, PRIORS[0], False, rng))
        yield compare(
            f"ten metrics of {n}",
            f"metrics of a ranking of {n:,} rows",
            ("ten metrics", ours),
            (f"{released('scikit-learn')}, `average_precision_score` alone", theirs),
        )


def run():
    metrics = ten_paper_metrics()
    rng = np.random.default_rng(0)
    print("Ten metrics of one ranking, compared with one average_precision_score of scikit-learn")
    print("and with one np.sort of n floats (medians of paired runs, including validation)\n")
    print("| scores | π | n | ten metrics, ms | scikit-learn, ms | ratio | ÷ np.sort |")
    print("|---|---|---|---|---|---|---|")
    for kind, prior, n in itertools.product(("continuous", "tied"), PRIORS, SIZES):
        labelled = scored_labels(n, prior, kind == "tied", rng)
        ours, theirs, sort = median_seconds(ways(metrics, *labelled), budget=2.0)
        print(
            f"| {kind} | {prior:g} | {n:,} | {1e3 * ours:.3f} | {1e3 * theirs:.3f} | "
            f"{ours / theirs:.3f} | {ours / sort:.1f} |",
            flush=True,
        )
