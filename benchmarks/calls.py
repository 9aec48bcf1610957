"""Calls that `commits.py` times at two commits. Each entry builds its data and returns the call."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pandas as pd

from calibrated_metrics import (
    ConfusionCurve,
    ConfusionMatrix,
    Metric,
    average_precision_score,
    comparison,
    displays,
    label_errors,
    label_free,
    probabilities,
    thresholds,
    uncertainty,
)

RANKING = ("average_precision", "roc_auc", "pr_auc", "prg_auc", "best_f1")
DECISION = ("precision", "recall", "f1", "specificity", "matthews_corrcoef")
INTERVAL, DIFFERENCE = uncertainty.interval, uncertainty.difference
PRIOR = {"pi0": 0.1}


def sample(n: int, prior: float = 0.05, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([seed, n])
    y_true = np.arange(n) < max(round(prior * n), 2)
    return y_true.astype(int), rng.normal(1.5 * y_true)


def entries() -> Iterator[tuple[str, Callable[[], object]]]:
    """Names of calls, and the calls. Few rows tell the fixed cost, many the cost per row."""
    for n in (100, 1_000, 10_000, 100_000):
        y, s = sample(n)
        p, t = (s > 1).astype(int), s + np.sin(np.arange(n))
        rng = np.random.default_rng(n)
        weight, customer = rng.random(n) + 0.5, rng.permutation(n) // 5
        curve = ConfusionCurve.from_predictions(y, s)
        weighted = ConfusionCurve.from_predictions(y, s, sample_weight=weight)
        clustered = ConfusionCurve.from_predictions(y, s, clusters=customer)
        stratified = ConfusionCurve.from_predictions(y, s, strata=customer % 4)
        matrix = ConfusionMatrix.from_predictions(y, p)
        probability = scores_to_probabilities(s)
        later, size = sample(n, 0.08, 1), f"{n:,} rows"
        yield f"ten metrics, {size}", partial(ten_metrics, y, s, p)
        yield f"average precision, {size}", partial(average_precision_score, y, s, **PRIOR)
        for metric in ("average_precision", "roc_auc"):
            yield f"interval, {metric}, {size}", partial(INTERVAL, metric, (y, s), **PRIOR)
            pair = metric, (y, s), (y, t)
            yield f"paired difference, {metric}, {size}", partial(DIFFERENCE, *pair, paired=True)
            both = metric, (y, s), later
            yield f"difference, {metric}, {size}", partial(DIFFERENCE, *both, **PRIOR)
            yield f"change, {metric}, {size}", partial(comparison.explain_change, *both)
        for name, each in (("weights", weighted), ("clusters", clustered)):
            yield f"interval, {name}, {size}", partial(INTERVAL, "average_precision", each, **PRIOR)
        yield f"interval, strata, {size}", partial(INTERVAL, "average_precision", stratified)
        for metric in ("precision", "f1"):
            yield f"interval, {metric}, {size}", partial(INTERVAL, metric, matrix, **PRIOR)
        yield f"Brier score, {size}", partial(probabilities.brier_score, y, probability, **PRIOR)
        for goal in ({"min_precision": 0.3}, {"beta": 1.0}, {"cost_fp": 1.0, "cost_fn": 10.0}):
            chosen = partial(thresholds.choose_threshold, curve, **PRIOR, **goal, rng=0)
            yield f"threshold, {next(iter(goal))}, {size}", chosen
        report = partial(comparison.classification_report, y, p, s, **PRIOR, rng=0)
        yield f"report, {size}", report
        if n > 10_000:
            continue
        jumps = Metric("recall_at_precision", precision=0.3)
        yield f"interval, recall at precision, {size}", partial(INTERVAL, jumps, (y, s), rng=0)
        yield f"interval, bootstrap, {size}", partial(INTERVAL, "pr_auc", (y, s), rng=0)
        yield f"interval, late labels, {size}", partial(with_late_labels, y, s)
        new = sample(n, 0.1, 2)[1]
        estimated = partial(label_free.estimate, "average_precision", new, (y, s), rng=0)
        yield f"without labels, {size}", estimated
    for n_groups, n in ((100, 1_000), (1_000, 100)):
        frame = groups(n_groups, n)
        columns = {"y_true": "y", "y_score": "s", "metrics": "average_precision"}
        name = f"by_group, {n_groups:,} groups of {n:,} rows"
        yield name, partial(comparison.by_group, frame, "g", **columns)
        values = partial(comparison.by_group, frame, "g", **columns, confidence_level=None)
        yield f"{name}, values", values
    for display in ("PrecisionRecallDisplay", "ThresholdDisplay"):
        yield f"{display}, 1,000 rows", partial(drawn, display)


def scores_to_probabilities(score: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(1 - score))


def ten_metrics(y_true: np.ndarray, y_score: np.ndarray, y_pred: np.ndarray) -> list[float]:
    curve = ConfusionCurve.from_predictions(y_true, y_score).at_prior(0.1)
    matrix = ConfusionMatrix.from_predictions(y_true, y_pred).at_prior(0.1)
    return [Metric(each)(curve) for each in RANKING] + [Metric(each)(matrix) for each in DECISION]


def with_late_labels(y_true: np.ndarray, y_score: np.ndarray) -> object:
    data = label_errors.from_predictions(y_true, y_score, label_sensitivity=0.8)
    return INTERVAL("average_precision", data)


def groups(n_groups: int, n_rows: int) -> pd.DataFrame:
    y_true, y_score = sample(n_groups * n_rows, 0.1)
    return pd.DataFrame({"y": y_true, "s": y_score, "g": np.arange(len(y_true)) % n_groups})


def drawn(name: str) -> object:
    import matplotlib.pyplot as plt

    display = getattr(displays, name).from_predictions(*sample(1_000), **PRIOR)
    display.figure_.canvas.draw()
    plt.close(display.figure_)
    return name
