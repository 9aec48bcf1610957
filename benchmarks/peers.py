"""Intervals and thresholds beside those of other packages, where these are installed.

It takes about ten minutes: ``pip install confidenceinterval MLstatkit mapie``, then
``python benchmarks/peers.py``. The peers have no reference prior, so all is at the prior of the
data.
"""

import contextlib
import functools
import importlib.util
import itertools
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.special import expit

from calibrated_metrics import ConfusionCurve, Metric, thresholds, uncertainty

sys.path.insert(0, str(Path(__file__).parents[1]))
from validation.populations import binormal, exponential, heavy_tails

POPULATIONS = {
    "binormal 2": binormal(2),
    "heavy tails": heavy_tails(2),
    "exponential": exponential(4),
}
NAMES = ("binormal 2", "heavy tails")
PRIOR = 0.05
SIZES = (40, 160)  # numbers of positives
N_SAMPLES = 500
N_RESAMPLES = 200  # of the bootstraps
LEVEL = 0.95

NAMES_OF_THRESHOLDS = ("binormal 2", "exponential")
GOAL, ALPHA = 0.3, 0.1  # precision, and the allowed share of thresholds that miss it


def sample(name, n_pos, seed):
    """Labels and scores of the positives and the negatives of a population."""
    rng = np.random.default_rng([seed, n_pos, *map(ord, name)])
    n_neg = round(n_pos / PRIOR) - n_pos
    y_true, y_score = POPULATIONS[name].draw(rng, n_pos, n_neg)
    return y_true.astype(int), y_score


# -------------------------------------------------------------------------------------- intervals


def intervals(name):
    """What is compared: a metric, the way, and a function of labels and scores."""
    has_ci, has_kit = map(importlib.util.find_spec, ("confidenceinterval", "MLstatkit"))
    threshold = POPULATIONS[name].threshold()
    precision = Metric("precision", threshold=threshold)

    def ours(metric, y_true, y_score):
        curve = ConfusionCurve.from_predictions(y_true, y_score)
        found = uncertainty.interval(metric, curve, rng=0)
        return found.low, found.high

    for metric in (Metric("average_precision"), Metric("roc_auc"), precision):
        yield metric, "`uncertainty`", functools.partial(ours, metric)
    if has_kit:
        import MLstatkit

        def by_kit(y_true, y_score):
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
                return MLstatkit.Bootstrapping(
                    y_true, y_score, "average_precision", n_bootstraps=N_RESAMPLES
                )[1:]

        yield Metric("average_precision"), f"MLstatkit, {N_RESAMPLES} draws", by_kit
    if has_ci:
        import confidenceinterval

        def by_delong(y_true, y_score):
            return confidenceinterval.roc_auc_score(y_true, y_score)[1]

        def by_wilson(y_true, y_score):
            y_pred = (y_score >= threshold).astype(int)
            return confidenceinterval.ppv_score(y_true, y_pred)[1]

        yield Metric("roc_auc"), "confidenceinterval, DeLong", by_delong
        yield precision, "confidenceinterval, Wilson", by_wilson


def measured(function, metric, name, n_pos):
    """Coverage, mean width, share outside the range of the metric, and CPU milliseconds."""
    population = POPULATIONS[name]
    true = population.value(metric, PRIOR)
    found, seconds = [], 0.0
    for seed in range(N_SAMPLES):
        y_true, y_score = sample(name, n_pos, seed)
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(function(y_true, y_score))
        seconds += time.process_time() - start
    low, high = np.array(found, dtype=float).T
    covered = ((low <= true) & (true <= high)).mean()
    outside = ((low < 0) | (high > 1)).mean()
    return covered, (high - low).mean(), outside, 1e3 * seconds / N_SAMPLES


def print_intervals():
    print(f"{100 * LEVEL:g} % intervals, prior {PRIOR}, {N_SAMPLES} samples\n")
    print("| metric | distribution | positives | by | coverage | width | beyond [0, 1] | ms |")
    print("|---|---|---|---|---|---|---|---|")
    for name, n_pos in itertools.product(NAMES, SIZES):
        for metric, way, function in sorted(intervals(name), key=lambda each: each[0].key):
            covered, width, outside, ms = measured(function, metric, name, n_pos)
            shares = f"{100 * covered:.1f} | {width:.3f} | {100 * outside:.0f}"
            print(f"| {metric.name} | {name} | {n_pos} | {way} | {shares} | {ms:.2f} |", flush=True)


# ------------------------------------------------------------------------------------- thresholds


def choices():
    """Ways to choose a threshold of expit(score), as functions of labels and scores."""

    def ours(y_true, y_score):
        point = thresholds.choose_threshold(
            (y_true, expit(y_score)), min_precision=GOAL, confidence_level=1 - ALPHA
        )
        return point.threshold

    yield "`choose_threshold`", ours
    if importlib.util.find_spec("mapie"):
        from mapie.risk_control import BinaryClassificationController

        def by_mapie(y_true, y_score, fwer_method):
            controller = BinaryClassificationController(
                lambda rows: np.column_stack([1 - rows[:, 0], rows[:, 0]]),
                risk="precision",
                target_level=GOAL,
                confidence_level=1 - ALPHA,
                fwer_method=fwer_method,
            )
            controller.calibrate(expit(y_score)[:, np.newaxis], y_true)
            found = controller.best_predict_param
            return None if found is None else float(found)

        for method in ("bonferroni_holm", "fixed_sequence"):
            yield f"MAPIE, {method}", functools.partial(by_mapie, fwer_method=method)


def rates(name, threshold):
    """Precision and recall in the infinite-sample limit."""
    tpr, fpr = POPULATIONS[name].rates(threshold)
    return PRIOR * tpr / (PRIOR * tpr + (1 - PRIOR) * fpr), tpr


def judged(function, name, n_pos):
    """Share of misses, mean recall relative to the best threshold, and CPU milliseconds."""
    precision, recall = rates(name, np.linspace(-5, 10, 100_001))
    best = recall[precision >= GOAL].max()
    missed = total = seconds = 0.0
    for seed in range(N_SAMPLES):
        y_true, y_score = sample(name, n_pos, seed)
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            threshold = function(y_true, y_score)
        seconds += time.process_time() - start
        if threshold is not None:
            precision, recall = rates(name, np.log(threshold) - np.log1p(-threshold))
            missed += precision < GOAL
            total += recall / best
    return missed / N_SAMPLES, total / N_SAMPLES, 1e3 * seconds / N_SAMPLES


def print_thresholds():
    print(f"Thresholds with a precision of {GOAL}, error probability {ALPHA}, prior {PRIOR}\n")
    print("| distribution | positives | by | missed | recall / best | ms |")
    print("|---|---|---|---|---|---|")
    for name, n_pos in itertools.product(NAMES_OF_THRESHOLDS, SIZES):
        for way, function in choices():
            missed, recall, ms = judged(function, name, n_pos)
            shares = f"{100 * missed:.1f} % | {recall:.2f}"
            print(f"| {name} | {n_pos} | {way} | {shares} | {ms:.1f} |", flush=True)


def run():
    print_intervals()
    print()
    print_thresholds()


if __name__ == "__main__":
    run()
