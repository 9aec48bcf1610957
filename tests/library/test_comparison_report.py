"""`classification_report`: the values of `interval`, as text, as a mapping and as a frame."""

import math
import pickle
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from samples import limits_of, rows_of

from calibrated_metrics import (
    ConfusionCurve,
    ConfusionMatrix,
    Metric,
    classification_report,
    comparison,
    label_errors,
    scores,
)
from calibrated_metrics.comparison.report import Report, Row
from calibrated_metrics.displays import GroupsDisplay
from calibrated_metrics.uncertainty import Estimate, IntervalWarning, interval

pytestmark = pytest.mark.filterwarnings("error")
Y_TRUE, Y_SCORE = rows_of(n_pos=60, n_neg=240)
Y_PRED = Y_SCORE >= 1
OTHER = rows_of(seed=1, n_pos=60, n_neg=240)[1]
DECISIONS = ["precision", "recall", "specificity", "npv", "fbeta", "matthews_corrcoef"]
RANKING = ["average_precision", "roc_auc"]
MODELS = {"forest": Y_SCORE, "naive Bayes": OTHER}
LABELS = {name: y_score >= 1 for name, y_score in MODELS.items()}


def numbers(estimate):
    return [estimate.value, *limits_of(estimate), estimate.standard_error]


def expected(name, y_pred=Y_PRED, y_score=Y_SCORE, pi0=None):
    return interval(name, (Y_TRUE, y_pred if name in DECISIONS else y_score), pi0=pi0)


@pytest.mark.parametrize("pi0", [None, 0.01, Estimate.normal(0.02, 0.003, bounds=(0, 1))])
def test_a_report_has_the_estimates_of_interval(pi0):
    report = classification_report(Y_TRUE, Y_PRED, Y_SCORE, pi0=pi0)
    assert list(report) == [*DECISIONS, *RANKING]
    assert len(report) == 8
    for name, found in report.items():
        assert numbers(found) == numbers(expected(name, pi0=pi0)), name


def test_labels_or_scores_alone_are_enough():
    assert list(classification_report(Y_TRUE, Y_PRED)) == DECISIONS
    for report in (
        classification_report(Y_TRUE, y_score=Y_SCORE),
        classification_report(Y_TRUE, None, Y_SCORE),
    ):
        assert list(report) == RANKING


def test_counts_are_reported_like_the_rows():
    matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    report = classification_report(matrix, pi0=[None, 0.01])
    assert list(report[0.01]) == DECISIONS
    assert repr(report[0.01]["PPV"]) == repr(interval("ppv", matrix, pi0=0.01))
    rows = classification_report(Y_TRUE, Y_PRED, Y_SCORE)
    for counts in (
        ConfusionMatrix.from_predictions(Y_TRUE, Y_PRED),
        ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE),
    ):
        for name, estimate in classification_report(counts).items():
            assert repr(estimate) == repr(rows[name])
    with pytest.raises(KeyError, match=r"0.01; the keys are \['precision', 'recall'"):
        rows[0.01]
    labels = label_errors.from_predictions(Y_TRUE, y_pred=Y_PRED, label_sensitivity=0.9)
    report = classification_report(labels, metrics="ppv", pi0=0.1)
    assert repr(report["ppv"]) == repr(interval("ppv", labels, pi0=0.1))
    with pytest.warns(IntervalWarning, match="labels with errors .* are supported"):
        report = classification_report(labels)
    assert f"{report['npv']:.2f}" == "not supported"
    assert len(re.findall(" not supported$", str(report), re.MULTILINE)) == 2  # and MCC
    with pytest.raises(ValueError, match="y_score must be None for counts, got ConfusionMatrix"):
        classification_report(matrix, y_score=Y_SCORE)
    with pytest.raises(ValueError, match="y_true must count rows"):
        classification_report(ConfusionMatrix.from_rates(tpr=0.9, fpr=0.1, prior=0.2))
    with pytest.raises(ValueError, match="curve must hold its rows"):
        classification_report(ConfusionCurve.from_binormal(2, 0, 0.1, n_thresholds=9))


def test_tables_of_hospitals_are_reported_side_by_side():
    north = ConfusionMatrix(tp=58, fn=7, fp=10, tn=190)
    hospitals = {"North": north, "South": ConfusionMatrix(tp=30, fn=10, fp=8, tn=300)}
    report = classification_report(hospitals, pi0=[None, 0.1])
    for name, matrix in hospitals.items():
        for pi0 in (None, 0.1):
            alone = classification_report(matrix, pi0=pi0)
            assert dict(report[name][pi0]) == dict(alone)
    first, _, notes = str(report).split("\n\n")
    assert first.splitlines()[0] == "own prior"  # which differs
    assert notes.splitlines() == [
        "North: 65 positives, 200 negatives",
        "South: 40 positives, 308 negatives; [low, high]: 95 % intervals",
    ]
    frame = report.to_frame()
    display = GroupsDisplay.from_values(frame.query("pi0 == 0.1"), by="model", metric="ppv")
    assert list(display.groups) == ["North", "South"]
    plt.close(display.figure_)
    curves = {"A": ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)}
    assert dict(classification_report(curves)["A"]) == dict(classification_report(curves["A"]))
    for wrong in ({"C": north, **curves}, {"A": north, "B": 1}):
        with pytest.raises(TypeError, match="y_true must be a mapping to matrices only, or to cur"):
            classification_report(wrong)


def test_the_first_keys_are_models_and_priors_if_there_may_be_several():
    report = classification_report(Y_TRUE, LABELS, MODELS, pi0=[None, 0.01])
    assert list(report) == ["forest", "naive Bayes"]
    for model, of_model in report.items():
        assert list(of_model) == [None, 0.01]
        for pi0, of_prior in of_model.items():
            for name, found in of_prior.items():
                same = expected(name, LABELS[model], MODELS[model], pi0)
                assert numbers(found) == numbers(same)
    one = classification_report(Y_TRUE, {"forest": Y_PRED}, pi0=[0.01])
    assert numbers(one["forest"][0.01]["ppv"]) == numbers(expected("precision", pi0=0.01))


def test_names_of_metrics_may_be_synonyms():
    report = classification_report(Y_TRUE, Y_PRED, Y_SCORE)
    assert report["PPV"] is report["precision"]
    assert report["f1_score"] is report["fbeta"]
    assert report["AUC-PR"] is report["average_precision"]
    assert "sensitivity" in report
    for key in ("precison", "accuracy", 3, None):
        assert key not in report
    with pytest.raises(KeyError, match="did you mean 'precision'"):
        report["precison"]
    with pytest.raises(KeyError, match="'accuracy'; the keys are"):
        report["accuracy"]


def test_metrics_of_the_users_choice():
    at_threshold = Metric("npv", threshold=0.5, pi0=0.2)
    metrics = ["DOR", at_threshold, scores.roc_auc]
    report = classification_report(Y_TRUE, Y_PRED, Y_SCORE, metrics=metrics, pi0=0.01)
    odds_ratio = interval("dor", (Y_TRUE, Y_PRED), pi0=0.01)
    assert numbers(report["dor"]) == numbers(odds_ratio)
    same = interval(at_threshold, (Y_TRUE, Y_SCORE))
    assert numbers(report["npv(threshold=0.5)@pi0=0.2"]) == numbers(same)
    assert "NPV(threshold=0.5) at prior 0.2" in str(report)
    assert report.to_frame()["pi0"].tolist() == [0.01, 0.2, 0.01]
    assert list(classification_report(Y_TRUE, Y_PRED, metrics="ppv")) == ["ppv"]


def test_rows_are_taken_as_they_were_drawn():
    clusters, weight = np.arange(300) // 3, 1.0 + np.arange(300) % 3
    report = classification_report(
        Y_TRUE, Y_PRED, Y_SCORE, sample_weight=weight, clusters=clusters, confidence_level=0.9
    )
    drawn = {"sample_weight": weight, "clusters": clusters}
    matrix = ConfusionMatrix.from_predictions(Y_TRUE, Y_PRED, **drawn)
    curve = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, **drawn)
    for name, data in (("precision", matrix), ("average_precision", curve)):
        assert numbers(report[name]) == numbers(interval(name, data, confidence_level=0.9))
    assert "positives, 240 negatives of weight above 0 in 100 clusters; " in str(report)
    assert "90 % intervals" in str(report)


def test_labels_may_be_text_and_decisions_true_or_false():
    text = np.where(Y_TRUE, "sick", "healthy")
    same = classification_report(Y_TRUE, Y_PRED, Y_SCORE)
    for labels in (Y_PRED, np.where(Y_PRED, "sick", "healthy")):
        report = classification_report(text, labels, Y_SCORE, pos_label="sick")
        assert str(report) == str(same)
    with pytest.raises(ValueError, match=r"pos_label=1 is not among its labels \['healthy', 'sick"):
        classification_report(text, Y_PRED)


def test_the_text_has_a_column_per_prior_or_per_model():
    report = classification_report(Y_TRUE, Y_PRED, pi0=[None, 0.01], metrics=["ppv", "npv"])
    cells = [[cell_of(report[pi0][name]) for pi0 in (None, 0.01)] for name in report[None]]
    lines = str(report).splitlines()
    assert [re.split(" {2,}", line) for line in lines[:3]] == [
        ["", "own prior 0.2", "prior 0.01"],
        ["ppv", *cells[0]],
        ["NPV", *cells[1]],
    ]
    assert {len(line) for line in lines[:3]} == {len(lines[0])}
    of_models = str(classification_report(Y_TRUE, LABELS, pi0=[None, 0.01]))
    first, second, last = of_models.split("\n\n")
    assert first.startswith("own prior 0.2\n")
    assert second.startswith("prior 0.01\n")
    assert first.splitlines()[1].split() == ["forest", "naive", "Bayes"]
    assert last == "60 positives, 240 negatives; [low, high]: 95 % intervals"


@pytest.mark.parametrize(
    ("arguments", "heads", "labels"),
    [
        (
            {"metrics": [Metric("precision", threshold=each) for each in (0, 1, 2)]},
            ["own prior 0.2"],
            ["precision(threshold=0)", "precision(threshold=1)", "precision(threshold=2)"],
        ),
        (
            {"metrics": "roc_auc", "pi0": [0.0123, 0.01234, None]},
            ["prior 0.0123", "prior 0.01234", "own prior 0.2"],
            ["AUC-ROC"],
        ),
        (
            {"metrics": "roc_auc", "pi0": [Estimate.normal(0.2, sd) for sd in (0.01, 0.02)]},
            ["prior 0.2 (1)", "prior 0.2 (2)"],
            ["AUC-ROC"],
        ),
        (
            {"metrics": "roc_auc", "y_score": {1: Y_SCORE, "1": -Y_SCORE}},
            ["1", "'1'"],
            ["AUC-ROC"],
        ),
    ],
)
def test_rows_and_columns_of_equal_text_are_told_apart(arguments, heads, labels):
    report = classification_report(Y_TRUE, **{"y_score": Y_SCORE, **arguments})
    split = [re.split(" {2,}", line) for line in str(report).splitlines()]
    first, *lines = [line for line in split if line[0] in ("", *labels) and len(line) > 1]
    assert first[1:] == heads
    assert [line[0] for line in lines] == labels
    cells = [cell for line in lines for cell in line[1:]]
    assert sorted(cells) == sorted(cell_of(row.estimate) for row in report.rows)


def cell_of(found):
    """Two digits of the distance from 1, or three decimals."""
    value, low, high = (
        f"{each:.4f}" if each > 0.99 else f"{each:.3f}" for each in numbers(found)[:3]
    )
    return f"{value} [{low}, {high}]"


def test_a_frame_has_the_columns_of_by_group():
    frame = pd.DataFrame({"all": 0, "y": Y_TRUE, "s": Y_SCORE})
    same = comparison.by_group(
        frame, "all", y_true="y", y_score="s", metrics=RANKING, pi0=0.01
    ).drop(columns="all")
    found = classification_report(Y_TRUE, y_score=Y_SCORE, pi0=0.01).to_frame()
    pd.testing.assert_frame_equal(found, same)
    models = classification_report(Y_TRUE, LABELS, pi0=[None, 0.01]).to_frame()
    assert models.columns.tolist() == ["model", *same.columns]
    assert models["model"].unique().tolist() == ["forest", "naive Bayes"]
    assert models["pi0"].unique().tolist() == [0.2, 0.01]
    assert (models["status"] == "ok").all()


def test_a_frame_with_a_format_is_ready_for_a_paper():
    report = classification_report(Y_TRUE, Y_PRED, metrics=["PPV", "recall"], pi0=[None, 0.01])
    frame = report.to_frame(format=".2f")
    assert frame.columns.tolist() == ["own prior 0.2", "prior 0.01"]
    assert frame.index.tolist() == ["PPV", "recall (sensitivity)"]
    assert frame.loc["PPV", "prior 0.01"] == f"{report[0.01]['ppv']:.2f}"
    assert f"{report[None]['recall']:.2f} & {report[0.01]['recall']:.2f}" in frame.to_latex()
    models = classification_report(Y_TRUE, LABELS, metrics="ppv", pi0=[None, 0.01])
    found = models.to_frame(format=".3f")
    assert found.columns[0] == ("own prior 0.2", "forest")
    assert found.iloc[0, 3] == f"{models['naive Bayes'][0.01]['ppv']:.3f}"


def test_what_is_undefined_or_withheld_is_said():
    with pytest.warns(IntervalWarning, match="precision is undefined: nothing is predicted pos"):
        report = classification_report(Y_TRUE, np.zeros(300, int), metrics=["ppv", "sensitivity"])
    assert math.isnan(report["ppv"].value)
    assert report["ppv"].reason == "precision is undefined: nothing is predicted positive"
    assert report["recall"].value == 0
    text = str(report)
    assert text.splitlines()[1].endswith(" undefined")
    assert "ppv: no interval: precision is undefined" in text

    def costs(matrix: ConfusionMatrix) -> float:
        raise ValueError("unsupported currency")

    with pytest.warns(IntervalWarning, match="unsupported currency"):
        report = classification_report(Y_TRUE, Y_PRED, metrics=costs)
    assert str(report).splitlines()[1].endswith(" undefined")
    clusters = np.where(Y_TRUE, -1, np.arange(300))
    with pytest.warns(IntervalWarning, match="all positives are in one cluster"):
        report = classification_report(Y_TRUE, Y_PRED, metrics="recall", clusters=clusters)
    assert "[withheld]" in str(report)
    assert report.to_frame()["status"][0].startswith("no interval: all positives are in one")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "y_pred or y_score must be given"),
        ({"y_pred": LABELS, "y_score": Y_SCORE}, "y_pred and y_score must be mappings with the sa"),
        ({"y_pred": LABELS, "y_score": {"forest": Y_SCORE}}, r"y_score of \['forest'\]"),
        ({"y_pred": {}}, "must be mappings with the same models"),
        ({"y_pred": Y_PRED, "metrics": "AUC-PR"}, "y_score must be given for the metric 'AUC-PR'"),
        ({"y_score": Y_SCORE, "metrics": "ppv"}, "y_pred must be given for the metric 'ppv'"),
        ({"y_pred": Y_PRED, "metrics": []}, "metrics must name at least one metric"),
        ({"y_pred": Y_PRED, "metrics": ["ppv", "precision"]}, "got 'precision' twice"),
        ({"y_pred": Y_PRED, "pi0": 2}, r"pi0 must lie in the open interval \(0, 1\), got 2"),
        ({"y_pred": Y_PRED, "pi0": []}, "pi0 must hold at least one prior"),
        ({"y_pred": Y_PRED, "pi0": [0.1, 0.1]}, "none twice"),
        ({"y_pred": Y_SCORE}, "y_pred must hold labels of y_true only"),
        ({"y_pred": Y_PRED[1:]}, "arguments must have the same length"),
        ({"y_pred": Y_PRED, "confidence_level": 95}, "confidence_level must lie"),
    ],
)
def test_what_cannot_be_reported_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        classification_report(Y_TRUE, **arguments)


def test_a_report_keeps_no_rows():
    report = classification_report(Y_TRUE, Y_PRED, Y_SCORE)
    assert len(pickle.dumps(report)) < 4_000
    longer = classification_report(np.tile(Y_TRUE, 50), np.tile(Y_PRED, 50), np.tile(Y_SCORE, 50))
    assert len(pickle.dumps(longer)) < 1.1 * len(pickle.dumps(report))


def test_rows_with_missing_values_are_dropped_for_all_models():
    other = np.where(np.arange(300) % 100 == 7, np.nan, OTHER)
    models = {"forest": pd.Series(Y_SCORE), "naive Bayes": pd.Series(other)}
    with pytest.raises(ValueError, match="y_score must be finite, got nan at index 7"):
        classification_report(Y_TRUE, y_score=models)
    kept = ~np.isnan(other)
    expected = {name: each[kept] for name, each in models.items()}
    with pytest.warns(UserWarning, match=r"without a label or a score were dropped \(3\), which"):
        found = classification_report(Y_TRUE, y_score=models, missing="drop")
    text = str(found["forest"]).replace("; rows dropped for missing values: 3", "")
    assert str(found["forest"]) != text
    assert text == str(classification_report(Y_TRUE[kept], y_score=expected)["forest"])
    with pytest.raises(ValueError, match="y_true and y_score of 'forest' must have the same index"):
        classification_report(pd.Series(Y_TRUE)[::-1], y_score=models, missing="drop")


def test_a_missing_label_counts_as_often_as_its_row():
    columns = {"y_pred": [1, 0, 1, 0, 1], "counts": [8, 5, 3, 9, 6], "missing": "drop"}
    with pytest.warns(UserWarning, match=r"were dropped \(6\)"):
        found = classification_report([1, 1, 0, 0, None], **columns)
    assert "13 positives, 12 negatives; rows dropped for missing values: 6" in str(found)


def test_a_report_of_clustered_rows_says_how_many_clusters_there_are():
    report = classification_report(Y_TRUE, Y_PRED, clusters=np.arange(300) // 3)
    assert "60 positives, 240 negatives in 100 clusters; [low, high]" in str(report)


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.987, 0.982, 0.9923, "0.987 [0.982, 0.992]"),
        (0.998, 0.9973, 0.9986, "0.9980 [0.9973, 0.9986]"),
        (16.3, 8.758, 31.7, "16.3 [8.8, 31.7]"),
        (140.2, 52.4, 371, "140 [52, 371]"),
        (0.5, 0.4, math.inf, "0.500 [0.400, inf]"),
        (0.0, 0.0, 0.00042, "0.00000 [0.00000, 0.00042]"),
    ],
)
def test_a_cell_of_a_report_has_one_number_of_decimals(value, low, high, text):
    found = Estimate(value, low, high, 0.1, 0.95, "rates")
    row = Row(None, None, Metric("precision"), found, 1, 1, 0.5)
    assert text in str(Report([row], ("metric",)))


def test_a_value_without_an_interval_is_kept():
    """A published table in per cent of the rows (stats.stackexchange.com, question 56498)."""
    matrix = ConfusionMatrix(tp=46.7, fp=9, fn=3.3, tn=41)
    with pytest.warns(IntervalWarning):
        report = classification_report(matrix, pi0=0.0027)
    assert report["precision"].value == pytest.approx(0.01385332)
    assert report["recall"].value == pytest.approx(0.934)
    assert (report.to_frame()["status"].str.startswith("no interval: data must count rows")).all()
    text = str(report)
    assert "0.014 [withheld]" in text
    assert "undefined" not in text
    assert text.count("not whole") == 1  # once for all metrics


def test_undefined_is_a_share_of_no_rows():
    with pytest.warns(IntervalWarning):
        report = classification_report(ConfusionMatrix(tp=0, fp=0, fn=5, tn=20))
    assert f"{report['precision']:.2f}" == "undefined"
    assert "precision" in report["precision"].reason
    assert report["recall"].value == 0
