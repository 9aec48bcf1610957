"""Samples at the edge of a design: what cannot be right is refused, or warned of."""

import copy

import numpy as np
import pandas as pd
import pytest
from samples import limits_of

from calibrated_metrics import (
    ConfusionCurve,
    ConfusionMatrix,
    Metric,
    audit,
    multiclass,
    planning,
    scores,
)
from calibrated_metrics.comparison import explain_change
from calibrated_metrics.displays import PrecisionRecallDisplay
from calibrated_metrics.planning.populations import PilotPopulation
from calibrated_metrics.uncertainty import IntervalWarning, difference, interval

Y_TRUE = np.arange(90) % 3 == 0
SCORE = np.random.default_rng(0).normal(size=90) + Y_TRUE


def test_tuples_as_labels_of_clusters():
    pairs = [(i // 3, "x") for i in range(90)]
    found, expected = (
        interval("average_precision", ConfusionCurve.from_predictions(Y_TRUE, SCORE, clusters=c))
        for c in (pairs, np.arange(90) // 3)
    )
    assert (found.low, found.high) == (expected.low, expected.high)


@pytest.mark.parametrize("labels", [[(float("nan"), "x")] * 90, np.full(90, np.datetime64("NaT"))])
def test_missing_labels_of_strata_are_refused(labels):
    with pytest.raises(ValueError, match="strata must not hold"):
        ConfusionCurve.from_predictions(Y_TRUE, SCORE, strata=labels)


def test_dates_are_labels_of_a_population():
    days = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-02"] * 30))
    curve = ConfusionCurve.from_predictions(Y_TRUE, SCORE, strata=days.astype("datetime64[ns]"))
    same = curve.at_population(days.value_counts(normalize=True).to_dict())
    assert scores.roc_auc(same) == pytest.approx(scores.roc_auc(curve), rel=1e-12)


def test_strata_that_were_weighted_differently_cannot_be_added():
    curve = ConfusionCurve.from_predictions(Y_TRUE, SCORE, strata=np.arange(90) // 45)
    with pytest.raises(ValueError, match="equal within each stratum"):
        curve.at_population({0: 0.2, 1: 0.8}) + curve.at_population({0: 0.8, 1: 0.2})


def test_a_segment_with_few_positives_that_weighs_much_is_warned_of():
    group = np.repeat(["a", "b"], [60, 30])
    curve = ConfusionCurve.from_predictions(Y_TRUE, SCORE, strata=group)
    few = ConfusionCurve.from_predictions(Y_TRUE & (np.arange(90) < 63), SCORE, strata=group)
    with pytest.warns(IntervalWarning, match="stratum 'b', .* has 1 positives") as warned:
        interval("average_precision", few, population={"a": 0.2, "b": 0.8})
    assert len(warned) == 1
    with pytest.warns(IntervalWarning, match="stratum 'b'"):
        difference("average_precision", curve, few, population={"a": 0.2, "b": 0.8})


def test_several_classes_can_be_copied_and_name_their_columns():
    labels = np.repeat(["a", "b", "c"], 30)
    score = np.random.default_rng(0).normal(size=(90, 3)) + (labels[:, None] == list("cab"))
    found = multiclass.one_vs_rest(labels, pd.DataFrame(score, columns=list("cab")))
    assert list(found.curves) == ["c", "a", "b"]
    assert copy.deepcopy(found).value("roc_auc") == found.value("roc_auc") > 0.6


@pytest.mark.parametrize("threshold", [1, 0.5])
def test_tied_scores_of_a_pilot_stay_tied(threshold):
    y_true = np.arange(200) < 40
    tested = np.where(y_true, np.arange(200) < 32, np.arange(200) >= 180).astype(int)
    pilot = PilotPopulation(ConfusionCurve.from_predictions(y_true, tested), 0.2)
    assert Metric("recall", threshold=threshold)(pilot.curve) == 0.8
    sample = pilot.draw(np.random.default_rng(0).normal(size=500), 100)
    assert set(np.unique(sample.rows.score)) == {0, 1}
    assert Metric("recall", threshold=threshold)(sample) == pytest.approx(0.8, abs=0.12)


@pytest.mark.parametrize("certify", [["min_recall"], {"confidence_level": 0.9}])
def test_a_plan_certifies_constraints_only(certify):
    pilot = ConfusionCurve.from_binormal(2, 0, prior=0.05)
    with pytest.raises(ValueError, match="certify must be a mapping of max_alert_rate, max_fpr"):
        planning.rows_for(None, pilot, certify=certify)


def test_the_end_of_a_range_that_depends_on_the_prior_needs_a_known_prior():
    """Otherwise no interval would contain a value above that of the sample."""
    y_true = np.arange(1000) < 20
    metric = Metric("precision_at_top", alert_rate=0.04)
    curve = ConfusionCurve.from_predictions(y_true, y_true + 0.001 * np.arange(1000))
    estimated, known = (
        interval(metric, curve, pi0=pi0, n_resamples=100, rng=0) for pi0 in (None, curve.prior)
    )
    assert estimated.value == known.value == known.high == pytest.approx(0.5)
    assert estimated.high > 0.55


def test_an_audit_at_its_own_population_is_the_audit():
    n_rows, stratum = np.repeat([100, 4000], [20, 60]), np.repeat(["top", "rest"], [20, 60])
    design = {"score": np.linspace(1, 0, 80), "stratum": stratum, "n_rows": n_rows}
    curve = audit.curve(design, np.arange(80) % 4 == 0, target="these rows")
    shares = {"top": 100 / 4100, "rest": 4000 / 4100}
    for metric in ("average_precision", Metric("recall", threshold=0.8)):
        own, at_population = (interval(metric, curve, population=each) for each in (None, shares))
        assert limits_of(at_population) == pytest.approx(limits_of(own))


def test_strata_of_single_rows_are_refused():
    with pytest.raises(ValueError, match=r"strata must not all have a single row, .* are clusters"):
        ConfusionCurve.from_predictions([1, 0, 1, 0], [4, 3, 2, 1], strata=[1, 2, 3, 4])


def test_a_single_stratum_is_no_stratum_if_a_class_is_absent():
    with_stratum, without = (
        ConfusionMatrix.from_predictions([1, 1, 1], [1, 0, 1], strata=strata)
        for strata in (["a"] * 3, None)
    )
    assert limits_of(interval("precision", with_stratum)) == limits_of(
        interval("precision", without)
    )


def few_clusters(shift=0.0):
    rng = np.random.default_rng(3)
    y_true = np.arange(300) % 5 == 0
    return ConfusionCurve.from_predictions(
        y_true, rng.normal(size=300) + 2 * y_true + shift, clusters=np.arange(300) % 4
    )


@pytest.mark.parametrize(
    "of_curve",
    [
        lambda curve: explain_change("average_precision", curve, few_clusters(0.1)),
        PrecisionRecallDisplay.from_curve,
        lambda curve: multiclass.one_vs_rest(
            np.where(curve.rows.positive, "a", "b"),
            curve.rows.score[:, None] * [1, -1],
            clusters=curve.rows.clusters.label_of_row,
            classes=["a", "b"],
        ).interval("average_precision"),
    ],
    ids=["change", "display", "classes"],
)
def test_few_clusters_are_warned_of_everywhere(of_curve):
    with pytest.warns(IntervalWarning, match="most positives are in fewer than 5 clusters"):
        of_curve(few_clusters())


def test_a_change_needs_both_classes():
    none = ConfusionMatrix(tp=0, fp=4, fn=0, tn=196)
    some = ConfusionMatrix(tp=3, fp=2, fn=0, tn=195)
    with pytest.raises(ValueError, match=r"before must hold rows of both classes, got n_pos=0"):
        explain_change("precision", none, some)
