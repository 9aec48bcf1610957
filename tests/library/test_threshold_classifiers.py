"""Thresholds in scikit-learn: fixed ones keep their guarantee, tuned ones do not."""

import numpy as np
import pytest
from given_scores import GivenScores
from samples import rows_of
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.tree import DecisionTreeClassifier

from calibrated_metrics import ConfusionCurve, Metric, functions, scores
from calibrated_metrics.scorers import scorer
from calibrated_metrics.thresholds import choose_threshold

pytestmark = pytest.mark.filterwarnings("error")

PI0 = 0.01


def sample(seed, decimals=None):
    """Scores, and labels 0 and 1."""
    y_true, y_score = rows_of(seed, 100, 2000, shift=2.0, decimals=decimals)
    return y_score, y_true.astype(int)


# ------------------------------------------------------------------------------------- fixed


@pytest.mark.parametrize("labels", [(0, 1), ("ok", "suspicious"), (False, True)], ids=str)
@pytest.mark.parametrize("decimals", [None, 1], ids=["distinct", "tied"])
def test_a_fixed_threshold_makes_the_decisions_of_the_operating_point(labels, decimals):
    y_score, y = sample(0, decimals)
    curve = ConfusionCurve.from_predictions(y, y_score)
    point = choose_threshold(curve, pi0=PI0, min_precision=0.1)
    assert point.certified

    rows, named = y_score[:, None], np.array(labels)[y]
    frozen = FrozenEstimator(GivenScores().fit(rows, named))
    classifier = FixedThresholdClassifier(
        frozen, threshold=point.threshold, response_method="decision_function", pos_label=labels[1]
    ).fit(rows, named)
    predicted = classifier.predict(rows) == labels[1]
    np.testing.assert_array_equal(predicted, y_score >= point.threshold)
    assert predicted.sum() == point.alerts
    assert functions.precision_score(y, predicted, pi0=PI0) == pytest.approx(point.precision)
    assert functions.recall_score(y, predicted) == pytest.approx(point.recall)


# ------------------------------------------------------------------------------------- tuned


def tuned(y_score, y, scoring, **given):
    frozen = FrozenEstimator(GivenScores().fit(y_score[:, None], y))
    return TunedThresholdClassifierCV(
        frozen, scoring=scoring, response_method="decision_function", **given
    ).fit(y_score[:, None], y)


def test_a_tuned_threshold_maximises_the_calibrated_score():
    y_score, y = sample(3)
    thresholds = np.linspace(-1, 5, 61)
    found = tuned(y_score, y, scorer("fbeta", pi0=PI0), thresholds=thresholds, cv="prefit",
                  refit=False)  # fmt: skip
    matrices = ConfusionCurve.from_predictions(y, y_score).confusion_matrix(thresholds)
    values = [
        functions.f1_score(y, (y_score >= threshold).astype(int), pi0=PI0)
        for threshold in thresholds
    ]
    assert found.best_score_ == pytest.approx(max(values), rel=1e-9)
    assert found.best_threshold_ == pytest.approx(thresholds[np.argmax(values)])
    at_own_prior = thresholds[np.argmax(scores.fbeta(matrices))]
    assert found.best_threshold_ > at_own_prior  # at 1 % the best threshold is stricter


@pytest.mark.parametrize("labels", [(0, 1), ("ok", "fraud"), (False, True)], ids=str)
@pytest.mark.parametrize(
    "metric", [Metric("average_precision"), Metric("precision", threshold=0.5)], ids=repr
)
def test_a_metric_of_scores_cannot_tune_a_threshold(metric, labels):
    """scikit-learn passes predicted labels, which were tuned as if they were scores."""
    y_score, y = sample(0)
    rows, named = y_score[:, None], np.array(labels)[y]
    scoring = scorer(metric, pos_label=labels[1])
    tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scoring)
    message = r"passes labels, needs a metric of a decision .*, such as scorer\(\"f1\"\)"
    with pytest.raises(AttributeError, match=message):
        tuned.fit(rows, named)
    tuned.set_params(scoring=scorer("f1", pos_label=labels[1])).fit(rows, named)
    assert scoring(tuned, rows, named) > 0.1


def test_scores_that_equal_labels_are_scores():
    y = np.arange(200) < 50
    tree = DecisionTreeClassifier().fit(y[:, None], y)
    with pytest.warns(UserWarning, match="only 0 and 1"):
        assert scorer("average_precision")(tree, y[:, None], y) == 1
