"""Thresholds in scikit-learn: fixed ones keep their guarantee, tuned ones do not."""

import numpy as np
import pytest
from given_scores import GivenScores
from scipy.stats import norm
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.tree import DecisionTreeClassifier

from calibrated_metrics import ConfusionCurve, Metric, functions, register_score, scores
from calibrated_metrics.scorers import scorer
from calibrated_metrics.thresholds import choose_threshold

pytestmark = pytest.mark.filterwarnings("error")

PI0 = 0.01


def sample(rng, n_pos=100, n_neg=2000, shift=2.0, decimals=None):
    y = np.arange(n_pos + n_neg) < n_pos
    y_score = rng.normal(size=len(y)) + shift * y
    return (y_score if decimals is None else np.round(y_score, decimals)), y.astype(int)


# ------------------------------------------------------------------------------------- fixed


@pytest.mark.parametrize("labels", [(0, 1), ("ok", "suspicious"), (False, True)], ids=str)
@pytest.mark.parametrize("decimals", [None, 1], ids=["distinct", "tied"])
def test_a_fixed_threshold_makes_the_decisions_of_the_operating_point(labels, decimals):
    y_score, y = sample(np.random.default_rng(0), decimals=decimals)
    curve = ConfusionCurve.from_predictions(y, y_score)
    point = choose_threshold(curve, pi0=PI0, min_precision=0.1)
    assert point.certified
    assert (y_score == point.threshold).any()  # a score that equals the threshold

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


def test_a_score_that_equals_the_threshold_is_positive_on_both_sides():
    """One step up, scikit-learn and the confusion matrix both exclude the score."""
    y_score, y = sample(np.random.default_rng(1), decimals=1)
    rows, curve = y_score[:, None], ConfusionCurve.from_predictions(y, y_score)
    frozen = FrozenEstimator(GivenScores().fit(rows, y))
    at_least = curve.confusion_matrix(1.5)
    for threshold in (1.5, np.nextafter(1.5, 2)):
        fixed = FixedThresholdClassifier(
            frozen, threshold=threshold, response_method="decision_function"
        )
        predicted = fixed.fit(rows, y).predict(rows)
        matrix = curve.confusion_matrix(threshold)
        assert predicted.sum() == matrix.tp + matrix.fp
        assert (predicted.sum() == at_least.tp + at_least.fp) == (threshold == 1.5)


# ------------------------------------------------------------------------------------- tuned


def tuned(y_score, y, scoring, **given):
    frozen = FrozenEstimator(GivenScores().fit(y_score[:, None], y))
    return TunedThresholdClassifierCV(
        frozen, scoring=scoring, response_method="decision_function", **given
    ).fit(y_score[:, None], y)


def test_a_tuned_threshold_maximises_the_calibrated_score():
    y_score, y = sample(np.random.default_rng(3))
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


def test_a_tuned_threshold_misses_the_precision_and_a_certified_one_does_not(own_registry):
    """Number of samples whose threshold truly misses the required precision; α is 0.1."""

    @register_score(label="recall if precise", name="recall_if_precise", of="matrix")
    def recall_if_precise(matrix, least=0.1):
        predicted = matrix.tp + matrix.fp
        return matrix.tp / matrix.n_pos if matrix.tp >= least * predicted > 0 else 0.0

    def truly_misses(threshold):
        tpr, fpr = norm.sf(threshold - 2), norm.sf(threshold)
        return PI0 * tpr < 0.1 * (PI0 * tpr + (1 - PI0) * fpr)

    grid = np.linspace(1, 4, 101)
    n_samples, n_tuned, n_certified, n_found = 30, 0, 0, 0
    for seed in range(n_samples):
        y_score, y = sample(np.random.default_rng([6, seed]), n_pos=200, n_neg=400)
        asked = scorer("recall_if_precise", pi0=PI0, least=0.1)
        found = tuned(y_score, y, asked, thresholds=grid, cv="prefit", refit=False)
        n_tuned += truly_misses(found.best_threshold_)
        curve = ConfusionCurve.from_predictions(y, y_score)
        point = choose_threshold(curve, pi0=PI0, min_precision=0.1, confidence_level=0.9)
        n_found += point.certified
        n_certified += point.certified and truly_misses(point.threshold)
    assert n_tuned > 0.25 * n_samples
    assert n_certified <= 0.1 * n_samples
    assert n_found > 0.8 * n_samples


@pytest.mark.parametrize("labels", [(0, 1), ("ok", "fraud"), (False, True)], ids=str)
@pytest.mark.parametrize(
    "metric", [Metric("average_precision"), Metric("precision", threshold=0.5)], ids=repr
)
def test_a_metric_of_scores_cannot_tune_a_threshold(metric, labels):
    """scikit-learn passes predicted labels, which were tuned as if they were scores."""
    y_score, y = sample(np.random.default_rng(0))
    rows, named = y_score[:, None], np.array(labels)[y]
    scoring = scorer(metric, pos_label=labels[1])
    tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scoring)
    message = r"_score.* needs scores, got predicted labels .*, such as scorer\(\"f1\"\)"
    with pytest.raises(ValueError, match=message):
        tuned.fit(rows, named)
    tuned.set_params(scoring=scorer("f1", pos_label=labels[1])).fit(rows, named)
    assert scoring(tuned, rows, named) > 0.1


def test_scores_that_equal_labels_are_scores():
    y = np.arange(200) < 50
    tree = DecisionTreeClassifier().fit(y[:, None], y)
    assert scorer("average_precision")(tree, y[:, None], y) == 1
