"""Metrics of the configuration: multiples of the prior, keys of tables, labels of figures."""

import math
import pickle

import pytest

from calibrated_metrics import ConfusionCurve, register_score, scores
from reproduction.core.metrics import Metric, TimesPrior, thresholds_of

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def curve():
    return ConfusionCurve.from_predictions(
        [0, 1, 0, 0, 1, 0, 1, 0, 0, 0], [9, 8, 8, 7, 6, 5, 4, 3, 2, 1]
    )


def test_multiple_of_the_prior(curve):
    metric = Metric("average_precision", TimesPrior(1.5))
    assert metric(curve) == pytest.approx(scores.average_precision(curve.at_prior(0.45)))
    assert metric.at_prior_of(0.3).pi0 == pytest.approx(0.45)
    rarer = curve.at_prior(0.01)
    assert metric(rarer) == pytest.approx(scores.average_precision(curve.at_prior(0.015)))
    assert Metric("average_precision", TimesPrior(1))(curve) == pytest.approx(
        scores.average_precision(curve), rel=1e-14
    )


@pytest.mark.parametrize("factor", [10 / 3, 3.4, 10, 1e300])
def test_multiples_that_leave_no_negatives_are_refused(curve, factor):
    """The prior is 0.3, so that a factor of 1/0.3 or more reaches 1."""
    metric = Metric("roc_auc", TimesPrior(factor))
    with pytest.raises(ValueError, match=r"times_prior=.*prior 0\.3"):
        metric(curve)
    assert math.isfinite(Metric("roc_auc", TimesPrior(3.3))(curve))


def test_a_metric_of_a_decision_needs_a_threshold():
    with pytest.raises(ValueError, match="'npv' needs the option 'threshold'"):
        Metric("npv")


def test_thresholds_of_metrics():
    metrics = [
        Metric("roc_auc"),
        Metric("precision", options={"threshold": 0.7}),
        Metric("npv", 0.1, {"threshold": -2.5}),
        Metric("fbeta", 0.1, {"threshold": 0.7, "beta": 0.5}),
        Metric("best_fbeta", options={"beta": 9}),
    ]
    assert thresholds_of(metrics) == [-2.5, 0.7]
    assert thresholds_of(iter(metrics[:2])) == [0.7]
    assert thresholds_of([]) == []


def test_thresholds_of_own_scores_of_a_curve(own_registry):
    """A default counts; an option with another name does not."""

    @register_score(label="F2")
    def f2(curve, threshold=1 / 3, level=0.9):
        return scores.fbeta(curve.confusion_matrix(threshold), 2.0)

    assert thresholds_of([Metric("f2"), Metric("f2", options={"threshold": 0.25})]) == [0.25, 1 / 3]


def test_infinite_values_are_refused():
    curve = ConfusionCurve.from_predictions([1, 0], [2, 1])
    metric = Metric("positive_likelihood_ratio", 0.5, {"threshold": 2})
    with pytest.raises(ValueError, match=r"positive_.*@pi0=0\.5 must be finite, got inf"):
        metric(curve)


def test_equal_metrics_are_equal_and_hashable():
    one, same, other = (Metric("fbeta", 0.5, {"threshold": threshold}) for threshold in (1, 1.0, 2))
    assert (one == same, one == other, hash(one) == hash(same)) == (True, False, True)
    assert Metric("roc_auc", 0.5) != Metric("roc_auc", TimesPrior(0.5))
    assert pickle.loads(pickle.dumps(one)) == one


@pytest.mark.parametrize(
    ("metric", "key"),
    [
        (Metric("average_precision"), "average_precision"),
        (Metric("prg_auc", TimesPrior(1.01)), "prg_auc@pi0=1.01π"),
        (Metric("prg_auc", TimesPrior(10)), "prg_auc@pi0=10π"),
        (Metric("fbeta", 0.5, {"threshold": 0.5}), "fbeta(threshold=0.5)@pi0=0.5"),
    ],
)
def test_keys(metric, key):
    assert metric.key == key


@pytest.mark.parametrize(
    ("metric", "label"),
    [
        (Metric("average_precision"), "AUC-PR"),
        (Metric("average_precision", 0.5), "AUC-P$_c$R (π$_0$=0.5)"),
        (Metric("prg_auc", TimesPrior(1.01)), "AUC-P$_c$R Gain (π$_0$=1.01π)"),
        (Metric("best_fbeta"), "best F1"),
        (Metric("best_fbeta", 0.5), "best F1$_c$ (π$_0$=0.5)"),
        (Metric("fbeta", options={"threshold": 1}), "F1"),
        (Metric("roc_auc", 0.5), "calibrated AUC-ROC (π$_0$=0.5)"),
        (Metric("npv", 0.25, {"threshold": 1}), "NPV$_c$ (π$_0$=0.25)"),
        (Metric("accuracy", 0.5, {"threshold": 1}), "accuracy$_c$ (π$_0$=0.5)"),
        (
            Metric("recall_at_precision", 0.5, {"precision": 0.2}),
            "calibrated recall at precision ≥ 0.2 (π$_0$=0.5)",
        ),
    ],
)
def test_labels(metric, label):
    assert metric.label == label
    assert Metric(metric.score, options=metric.options).label == metric.family


def test_the_reference_prior_of_a_metric():
    assert math.isnan(Metric("roc_auc").pi0_at(0.2))
    assert Metric("roc_auc", 0.3).pi0_at() == Metric("roc_auc", 0.3).pi0_at(0.2) == 0.3
    assert Metric("roc_auc", TimesPrior(10)).pi0_at(0.02) == 0.2
    assert math.isnan(Metric("roc_auc", TimesPrior(10)).pi0_at())
