"""Results are equal to their copies and pickles, also if they hold NaN, on each Python version."""

import copy
import math
import pickle
from xml.etree import ElementTree

import numpy as np
import pytest

from calibrated_metrics import ConfusionMatrix, classification_report, label_free, thresholds
from calibrated_metrics.comparison import explain_change
from calibrated_metrics.thresholds import OperatingPoint
from calibrated_metrics.uncertainty import Estimate, interval
from calibrated_metrics.uncertainty.estimate import withheld

_Y_TRUE = np.arange(400) < 100
_Y_SCORE = np.random.default_rng(0).normal(2.0 * _Y_TRUE).round(1)

RESULTS = {
    "a threshold": lambda: thresholds.choose_threshold((_Y_TRUE, _Y_SCORE), min_precision=0.5),
    "no threshold": lambda: thresholds.choose_threshold((_Y_TRUE, _Y_SCORE), min_precision=0.99),
    "a threshold at an estimated prior": lambda: thresholds.choose_threshold(
        (_Y_TRUE, _Y_SCORE), pi0=Estimate.normal(0.2, 0.01, bounds=(0, 1)), min_recall=0.5
    ),
    "a change": lambda: explain_change(
        "roc_auc", (_Y_TRUE, _Y_SCORE), (_Y_TRUE[50:], _Y_SCORE[50:])
    ),
    "an estimate": lambda: interval("average_precision", (_Y_TRUE, _Y_SCORE)),
    "estimates at priors": lambda: interval("roc_auc", (_Y_TRUE, _Y_SCORE), pi0=[0.1, 0.2]),
    "a withheld interval": lambda: withheld(math.nan, 0.95, "hull", "one cluster"),
    "an estimated prior": lambda: label_free.estimate_prior(_Y_SCORE, (_Y_TRUE, _Y_SCORE)),
    "a test without degrees of freedom": lambda: label_free.LabelShiftTest(0.0, 0.0, math.nan),
}


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_a_result_is_equal_to_its_copies(result):
    found = result()
    again = [
        copy.copy(found),
        copy.deepcopy(found),
        pickle.loads(pickle.dumps(found)),
        result(),
    ]
    assert [each == found for each in again] == 4 * [True]
    assert {found, *again} == {found}


def test_results_that_differ_are_unequal():
    point = RESULTS["a threshold"]()
    other = thresholds.choose_threshold((_Y_TRUE, _Y_SCORE), min_precision=0.5, pi0=0.2)
    assert isinstance(point, OperatingPoint)
    assert point != other
    assert point != "a threshold"


def test_a_study_keeps_its_identity_in_copies_and_another_study_does_not_share_it():
    study, other = (Estimate.normal(0.6, 0.05, bounds=(0, 1)) for _ in range(2))
    assert study == other
    assert study.identity != other.identity
    for again in (copy.copy(study), copy.deepcopy(study), pickle.loads(pickle.dumps(study))):
        assert again.identity == study.identity
    assert study != Estimate.normal(0.6, 0.06, bounds=(0, 1))


def texts_of(result):
    """Texts in the HTML of a result, which must be well-formed."""
    return list(ElementTree.fromstring(f"<div>{result._repr_html_()}</div>").itertext())


def test_results_are_tables_in_notebooks():
    assert texts_of(Estimate.normal(0.6, 0.05)) == [
        *("value", "95 % interval (normal)"),
        *("0.6", "0.502 to 0.698"),
    ]
    assert texts_of(RESULTS["estimates at priors"]())[2::2] == ["0.9411", "0.9411"]
    assert texts_of(RESULTS["a withheld interval"]())[2:] == [
        *("nan", "withheld"),
        "no interval: one cluster",
    ]
    assert texts_of(RESULTS["an estimated prior"]())[-1].startswith("label shift is not refuted")
    assert texts_of(RESULTS["a threshold"]())[:2] == [
        *("score >= 0.68, certified at confidence level 0.95", "goal"),
    ]
    matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    assert texts_of(matrix)[2:] == [
        *("true label: negative", "860.0", "40.0"),
        *("true label: positive", "20.0", "80.0"),
    ]
    report = classification_report(matrix, pi0=[None, 0.1], metrics=["ppv", "recall"])
    text = " ".join(texts_of(report))
    assert " ".join(text.split()) == " ".join(str(report).split())


def test_long_results_stay_text_in_notebooks():
    long = np.linspace(0.1, 0.9, 60)
    assert Estimate(long, long, long, long, 0.95, "hull")._repr_html_() is None
    matrix = ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)
    assert matrix.at_prior([0.1, 0.2])._repr_html_() is None
