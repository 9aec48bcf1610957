"""Samples at the edge of a design: what cannot be right is refused, or warned of."""

import copy

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, Metric, multiclass, planning, scores
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
    found = planning.check_coverage(
        Metric("recall", threshold=threshold), (y_true, tested), n_pos=50, n_neg=50, n_samples=50
    )
    assert found.value == 0.8
    assert found.coverage.value > 0.8


@pytest.mark.parametrize("certify", [["min_recall"], {"confidence_level": 0.9}])
def test_a_plan_certifies_constraints_only(certify):
    pilot = ConfusionCurve.from_binormal(2, 0, prior=0.05)
    with pytest.raises(ValueError, match="certify must be a mapping of max_alert_rate, min_pr"):
        planning.rows_for(None, pilot, certify=certify)
