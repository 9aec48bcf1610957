"""The width of the interval of one estimand by different functions, relative to `interval`."""

import functools

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, Metric, audit, comparison, label_errors
from calibrated_metrics.displays.precision_recall import _precision
from calibrated_metrics.multiclass import one_vs_rest
from calibrated_metrics.uncertainty import band, interval
from calibrated_metrics.uncertainty.estimate import Scale

N_POS, N_NEG, N_SAMPLES, CUT = 30, 270, 25, 1.0
DECISIONS = {
    name: Metric(name, threshold=CUT) for name in ("precision", "recall", "f1", "npv", "mcc")
}
RANKINGS = {
    "AUC-PR": Metric("average_precision"),
    "AUC-ROC": Metric("roc_auc"),
    "Brier score": Metric("brier_score"),
}
POINTS = {
    "precision at a recall": Metric("precision_at_recall", recall=0.5),
    "recall at a specificity": Metric("recall_at_specificity", specificity=0.9),
}
AVERAGES = {
    "balanced accuracy": Metric("balanced_accuracy", threshold=CUT),
    "accuracy": Metric("accuracy", threshold=CUT),
}


def draws(y_score):
    """Each sample has draws of its own: the same draws of ranks would not average out."""
    return {"n_resamples": 50, "rng": int(1e9 * abs(y_score[0]))}


def rows_of(metric, seed):
    """Labels and scores, which are probabilities for a metric of them."""
    rng = np.random.default_rng([seed, 52])
    y_true = rng.permutation(np.arange(N_POS + N_NEG) < N_POS)
    y_score = rng.normal(size=len(y_true)) + 1.5 * y_true
    return y_true, 1 / (1 + np.exp(3.3 - 1.5 * y_score)) if metric.facts.loss else y_score


def curve_of(y_true, y_score, **drawn):
    return ConfusionCurve.from_predictions(y_true, y_score, **drawn)


def strata_of(y_true):
    return np.random.default_rng(len(y_true)).integers(2, size=len(y_true))


def of_clusters(metric, y_true, y_score):
    return interval(metric, curve_of(y_true, y_score, clusters=np.arange(len(y_true))))


def of_strata(metric, y_true, y_score):
    return interval(metric, curve_of(y_true, y_score, strata=strata_of(y_true)))


def of_audit(metric, y_true, y_score, stratum=None):
    stratum = np.zeros(len(y_true), int) if stratum is None else stratum
    design = {"score": y_score, "stratum": stratum, "n_rows": np.bincount(stratum)[stratum]}
    return interval(metric, audit.curve(design, y_true, target="future rows"))


def of_audit_in_strata(metric, y_true, y_score):
    return of_audit(metric, y_true, y_score, strata_of(y_true))


def of_counts(metric, y_true, y_score):
    return interval(metric, ConfusionCurve.from_counts(y_score, 1 * y_true, 1 * ~y_true))


def of_right_labels(metric, y_true, y_score):
    rates = {"label_sensitivity": 1.0, "label_specificity": 1.0}
    return interval(metric, label_errors.from_predictions(y_true, y_score, **rates))


def of_one_group(metric, y_true, y_score):
    frame = pd.DataFrame({"group": 0, "label": y_true, "score": y_score})
    columns = {"y_true": "label", "y_score": "score", "pos_label": True}
    return comparison.by_group(frame, "group", **columns, metrics=metric, pi0=None).iloc[0]


def of_report(metric, y_true, y_score):
    return comparison.classification_report(y_true, y_score=y_score, metrics=[metric])[metric.key]


def of_a_class(metric, y_true, y_score):
    table = one_vs_rest(1 * y_true, y_pred=1 * (y_score >= CUT)).to_frame(metric.name)
    return table[table["class"] == 1].iloc[0]


def of_macro(metric, y_true, y_score):
    if metric.name == "roc_auc":
        return one_vs_rest(1 * y_true, np.column_stack([-y_score, y_score])).interval(metric)
    average = "macro" if metric.name == "balanced_accuracy" else "weighted"
    classes = one_vs_rest(1 * y_true, y_pred=1 * (y_score >= CUT))
    return classes.interval("recall", average=average)


def of_own_metric(metric, y_true, y_score):
    def own(data):
        return metric.facts.function(data)

    data = curve_of(y_true, y_score)
    return interval(own, data.confusion_matrix(CUT) if metric.of_matrix else data, **draws(y_score))


def of_bootstrap(metric, y_true, y_score):
    return interval(metric, curve_of(y_true, y_score), method="bootstrap", **draws(y_score))


def of_a_band(metric, y_true, y_score):
    curve, level = curve_of(y_true, y_score), 0.95
    if metric.name == "precision_at_recall":
        at = np.array([metric.options["recall"]])
        low, high = band.limits_at_recall(curve, at, level, _precision, Scale(0.0, 1.0))
    else:
        at = 1 - np.array([metric.options["specificity"]])
        low, high = band.recall_limits_at_fpr(curve, at, level)
    return pd.Series({"low": low[0], "high": high[0]})


ALL = DECISIONS | RANKINGS
WITH_DRAWS = {name: RANKINGS[name] for name in ("AUC-PR", "AUC-ROC")}
SUPPORTED = {name: ALL[name] for name in ("precision", "recall", "f1", "AUC-PR", "AUC-ROC")}
EQUAL = 0.97, 1.03
DOORS = {  # function, metrics, least and greatest ratio; with a reason if they are not EQUAL
    "clusters of one row each": (of_clusters, ALL, EQUAL),
    "counts": (of_counts, ALL, EQUAL),
    "by_group with one group": (of_one_group, ALL, EQUAL),
    "classification_report": (of_report, ALL, EQUAL),
    "labels without errors": (of_right_labels, SUPPORTED, EQUAL),
    "one of two classes": (of_a_class, DECISIONS, EQUAL),
    "an audit of all rows": (of_audit, ALL, EQUAL),
    # Shares of strata that were drawn apart have gamma-like limits, not exact ones.
    "two strata at random": (of_strata, ALL, (0.95, 1.06)),
    "an audit of all rows, two strata": (of_audit_in_strata, ALL, (0.95, 1.07)),
    # The classes share their rows, which the average of two intervals allows for by correlations.
    "average of two classes": (of_macro, AVERAGES | {"AUC-ROC": ALL["AUC-ROC"]}, (0.97, 1.1)),
    # A function says neither that it is a share nor how its rows contribute.
    "own function": (of_own_metric, DECISIONS | WITH_DRAWS, (0.88, 1.2)),
    "bootstrap": (of_bootstrap, WITH_DRAWS, (0.97, 1.22)),
    # A band holds at each abscissa; a value at a required rate jumps, and has percentiles of draws.
    "a band": (of_a_band, POINTS, (0.85, 1.03)),
}


def width(found):
    limits = found if isinstance(found, pd.Series) else vars(found)
    return limits["high"] - limits["low"]


@functools.cache
def usual_width(metric, seed):
    rows = rows_of(metric, seed)
    return width(interval(metric, curve_of(*rows), **draws(rows[1])))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("door", DOORS)
def test_equal_questions_have_intervals_of_equal_width(door):
    function, metrics, (least, most) = DOORS[door]
    ratios = {}
    for name, metric in metrics.items():
        widths = [
            [width(function(metric, *rows_of(metric, seed))), usual_width(metric, seed)]
            for seed in range(N_SAMPLES)
        ]
        ratios[name] = np.divide(*np.mean(widths, axis=0))
    assert all(least <= each <= most for each in ratios.values()), ratios
    is_equal = all(EQUAL[0] <= each <= EQUAL[1] for each in ratios.values())
    assert is_equal == ((least, most) == EQUAL)  # no range is wider than it must be
