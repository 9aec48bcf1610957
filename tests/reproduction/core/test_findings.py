"""Words of the titles follow the bands of the table."""

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics.confusion import ConfusionCurve
from reproduction.core import findings
from reproduction.core.metrics import Metric

METRICS = [Metric(name, pi0) for name in ("average_precision", "prg_auc") for pi0 in (None, 0.5)]
RISES, SAME, WIDE = (0.1, 0.3, 0.01), (0.5, 0.5, 0.01), (0.4, 0.5, 0.2)


def bands(*of_metrics):
    """Two points of each metric, given as both values and half the width of the band."""
    return pd.DataFrame(
        {"metric": metric.key, "value": value, "low": value - half, "high": value + half}
        for metric, (*values, half) in zip(METRICS, of_metrics, strict=True)
        for value in values
    )


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (
            bands(RISES, SAME, RISES, SAME),
            "Ordinary metrics change with the class prior; calibrated metrics stay the same",
        ),
        (
            bands(*[RISES] * 4),
            "Ordinary metrics and calibrated metrics change with the class prior",
        ),
        (bands(*[SAME] * 4), "Ordinary metrics and calibrated metrics stay the same"),
        (
            bands(RISES, SAME, SAME, WIDE),
            "AUC-PR changes with the class prior; AUC-P$_c$R (π$_0$=0.5) and AUC-PR Gain stay the "
            "same; the bands of AUC-P$_c$R Gain (π$_0$=0.5) show no clear change",
        ),
    ],
)
def test_the_title_names_what_changes(table, text):
    assert findings.of_prior(table, METRICS) == text


@pytest.mark.parametrize("lowest", [0.0001, 0.001, 0.01, 0.1])
def test_a_metric_that_falls_with_the_prior_changes_however_small_its_values_are(lowest):
    """A bound of 0.025 called a nineteenfold fall of AUC-PR the same."""
    priors = lowest * np.array([1.0, 2.0, 5.0, 9.0])
    table = pd.concat(
        pd.DataFrame({"metric": metric.key, "value": metric.of_library(curve)}, index=[prior])
        for metric in METRICS
        for prior, curve in ((p, ConfusionCurve.from_binormal(2.0, 1.8, p)) for p in priors)
    )
    # Bands as narrow as those of many runs
    table = table.assign(low=0.995 * table["value"], high=1.005 * table["value"])
    assert findings.of_prior(table, METRICS) == (
        "Ordinary metrics change with the class prior; calibrated metrics stay the same"
    )


@pytest.mark.parametrize("change", [0.0228, 0.0251, 0.0293, 0.0369])
def test_a_change_across_its_panel_is_seen_though_it_is_small(change):
    """F1 of the simulated frauds in appendix A, for four seeds."""
    f1 = [Metric("fbeta", pi0, {"threshold": 0.5}) for pi0 in (None, 0.5)]
    keys = [metric.key for metric in f1 for _ in range(2)]
    table = pd.DataFrame({"metric": keys, "value": [0.7 - change, 0.7, 0.7, 0.7004]})
    table = table.assign(low=table["value"] - 2e-4, high=table["value"] + 2e-4)
    assert findings.changes(table, f1[0].key) == "changes"
    assert findings.changes(table, f1[1].key) == "constant"
    assert findings.calibrated_metrics_that_change(table) == 0
    assert findings.ordinary_metrics_that_stay(table) == 0


def test_values_below_the_panel_do_not_make_others_look_the_same():
    table = bands((0.3, 0.4, 0.01), (0.5, 0.5, 0.2), (-13.0, 0.2, 8.0), (0.1, 0.2, 0.04))
    kinds = [findings.changes(table, metric.key) for metric in METRICS]
    assert kinds == ["changes", "unclear", "unclear", "unclear"]


def test_bands_that_miss_each_other_by_chance_are_no_change():
    """Of a constant metric in 100 sweeps of 18 points with 30 runs each."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        runs = rng.normal(0.1, 0.02 / np.sqrt(np.arange(1, 19)), (30, 18))
        value, half = runs.mean(axis=0), 2.045 * runs.std(axis=0, ddof=1) / np.sqrt(30)
        table = pd.DataFrame({"metric": "a", "value": value, "low": value - half})
        assert findings.changes(table.assign(high=value + half), "a") != "changes"


@pytest.mark.parametrize(("values", "expected"), [([1, 2, 2], True), ([1, 3, 2], False)])
def test_a_mean_never_falls_if_no_step_does(values, expected):
    table = pd.DataFrame({"x": [0, 1, 2], "value": values})
    assert findings.never_falls(table, "x") is expected


def test_a_sentence_on_a_cause_names_what_changes_and_what_does_not():
    assert findings.of_cause("Rain changes", ["A", "B"], ["C"]) == "Rain changes A and B, but not C"
    assert findings.of_cause("Rain changes", [], ["C"]) == "Rain changes nothing"
