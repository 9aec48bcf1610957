"""Registered metrics as functions of labels and scores, and as scorers of scikit-learn."""

import math
import pickle
import sys

import numpy as np
import pytest
import sklearn
from samples import OPTIONS
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from calibrated_metrics import (
    ConfusionCurve,
    Metric,
    functions,
    probabilities,
    register_score,
    scores,
)
from calibrated_metrics.displays import PrecisionRecallDisplay
from calibrated_metrics.scorers import score_function, scorer
from calibrated_metrics.scores import facts, registered_scores
from calibrated_metrics.scores.facts import facts_of

pytestmark = pytest.mark.filterwarnings("error")

NAMES = [
    name
    for name, entry in registered_scores().items()
    if getattr(scores, name, None) is entry.function
]
OF_RANKINGS = [name for name in NAMES if facts_of(name).of == "curve"]
OF_DECISIONS = [name for name in NAMES if facts_of(name).of == "matrix"]


def data(n=240, seed=0):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 4 == 0).astype(int)
    return rng.normal(size=(n, 2)) + y[:, None], y


X, Y = data()
MODEL = LogisticRegression().fit(X, Y)
WORDS = np.where(Y == 1, "fraud", "ok")


@pytest.fixture
def miss_rate(own_registry):
    register_score(label="miss rate", of="matrix", greater_is_better=False, range=(0, math.inf))(
        _miss_rate
    )


@pytest.fixture
def first_recall(own_registry):
    register_score(label="first recall")(_first_recall)


def _miss_rate(matrix, factor=1.0):
    return factor * matrix.fn / matrix.n_pos


def _first_recall(curve, alerts=0.5):
    first = (curve.tp + curve.fp > alerts * (curve.n_pos + curve.n_neg)).argmax()
    return curve.tp[first] / curve.n_pos


# -------------------------------------------------------------------------------- functions


def test_the_function_of_a_built_in_score_is_the_public_one():
    for name in NAMES:
        if hasattr(functions, f"{name}_score"):
            assert score_function(name) is getattr(functions, f"{name}_score")
    for synonym, name in (("PPV", "precision"), ("auprc", "average_precision")):
        assert score_function(synonym) is score_function(name)
        assert repr(scorer(synonym, pi0=0.1)) == repr(scorer(name, pi0=0.1))
    metric = Metric("fbeta", 0.1, beta=2.0)
    assert repr(scorer(metric)) == repr(scorer("fbeta", pi0=0.1, beta=2.0))
    assert repr(scorer(scores.precision)) == repr(scorer("precision"))


def test_an_own_score_of_a_curve_is_a_function_of_labels_and_scores(first_recall):
    function = score_function("_first_recall")
    y_score, weight = X[:, 0], np.arange(len(Y)) % 3
    curve = ConfusionCurve.from_predictions(Y, y_score, sample_weight=weight)
    for alerts in (0.5, 0.2):
        metric = Metric("_first_recall", alerts=alerts)
        found = function(Y, y_score, sample_weight=weight, alerts=alerts)
        assert type(found) is float
        assert found == metric(curve)
    found = function(WORDS, y_score, pi0=[0.01, 0.5], pos_label="fraud")
    curve = ConfusionCurve.from_predictions(Y, y_score)
    expected = [Metric("_first_recall", pi0)(curve) for pi0 in (0.01, 0.5)]
    np.testing.assert_array_equal(found, expected)


def test_an_own_score_of_a_matrix_is_a_function_of_predicted_labels(miss_rate):
    function = score_function("_miss_rate")
    predicted = np.where(X[:, 0] > 1, "fraud", "ok")
    found = function(WORDS, predicted, pos_label="fraud")
    missed = 1 - functions.recall_score(WORDS, predicted, pos_label="fraud")
    assert found == pytest.approx(missed, rel=1e-12)
    at_priors = function(WORDS, predicted, pos_label="fraud", pi0=[0.1, 0.2], factor=2.0)
    np.testing.assert_allclose(at_priors, [2 * found] * 2, rtol=1e-15)
    with pytest.raises(ValueError, match="y_pred must hold labels of y_true only"):
        function(WORDS, X[:, 0], pos_label="fraud")


def test_a_value_that_is_not_finite_is_refused(own_registry):
    register_score(label="odd", name="odd")(lambda curve: math.inf)
    with pytest.raises(ValueError, match="metric 'odd' must be a finite float64, got inf"):
        score_function("odd")(Y, X[:, 0])


# ---------------------------------------------------------------------------------- scorers


@pytest.mark.parametrize("pi0", [None, 0.01])
@pytest.mark.parametrize("name", OF_RANKINGS)
def test_rankings_are_scored_by_scores(name, pi0):
    options = OPTIONS.get(name, {})
    expected = score_function(name)(Y, MODEL.decision_function(X), pi0=pi0, **options)
    assert scorer(name, pi0=pi0, **options)(MODEL, X, Y) == expected


@pytest.mark.parametrize("pi0", [None, 0.01])
@pytest.mark.parametrize("name", OF_DECISIONS)
def test_decisions_are_scored_by_predicted_labels_or_at_a_threshold(name, pi0):
    options = {"beta": 1.0} if name == "fbeta" else OPTIONS.get(name, {})
    sign = 1 if facts_of(name).greater_is_better else -1
    for given, predicted in (
        ({}, MODEL.predict(X)),
        ({"threshold": 0.2}, MODEL.predict_proba(X)[:, 1] >= 0.2),
    ):
        expected = score_function(name)(Y, predicted.astype(int), pi0=pi0, **options)
        found = scorer(name, pi0=pi0, **OPTIONS.get(name, {}), **given)(MODEL, X, Y)
        assert found == sign * expected


@pytest.mark.parametrize("name", ["brier_score", "log_loss"])
def test_proper_scores_are_scored_by_probabilities(name):
    expected = get_scorer(f"neg_{name}")(MODEL, X, Y)
    assert scorer(name)(MODEL, X, Y) == pytest.approx(expected, rel=1e-12)
    options, probability = {"pi0": 0.2, "rebase": True}, MODEL.predict_proba(X)[:, 1]
    expected = -getattr(probabilities, name)(Y, probability, **options)
    assert scorer(name, **options)(MODEL, X, Y) == pytest.approx(expected, rel=1e-12)


def test_several_classes_are_refused_with_what_takes_them():
    with pytest.raises(
        ValueError, match=r"two labels, got \[0, 1, 2\]; multiclass.one_vs_rest has"
    ):
        scorer("f1", pi0=0.1)(MODEL, X, Y + (X[:, 0] > 1))


def test_methods_of_the_estimator():
    model = GaussianNB().fit(X, Y)  # without decision_function
    expected = functions.roc_auc_score(Y, model.predict_proba(X)[:, 1])
    assert scorer("roc_auc")(model, X, Y) == expected
    positive = (MODEL.decision_function(X) >= 0.5).astype(int)
    at_distance = scorer("precision", threshold=0.5, response_method="decision_function")
    assert at_distance(MODEL, X, Y) == functions.precision_score(Y, positive)
    of_probabilities = scorer("average_precision", response_method="predict_proba")
    assert of_probabilities(MODEL, X, Y) == scorer("average_precision")(MODEL, X, Y)


def test_the_positive_label():
    model = LogisticRegression().fit(X, WORDS)
    for pos_label in ("ok", "fraud"):
        positive = (pos_label == WORDS).astype(int)
        column = list(model.classes_).index(pos_label)
        expected = functions.average_precision_score(positive, model.predict_proba(X)[:, column])
        found = scorer("average_precision", pos_label=pos_label)(model, X, WORDS)
        assert found == pytest.approx(expected, rel=1e-12)
        predicted = (model.predict(X) == pos_label).astype(int)
        found = scorer("npv", pos_label=pos_label, pi0=0.2)(model, X, WORDS)
        assert found == functions.npv_score(positive, predicted, pi0=0.2)
        found = scorer("npv", pos_label=pos_label, pi0=0.2, threshold=0.5)(model, X, WORDS)
        assert found == functions.npv_score(positive, predicted, pi0=0.2)


def test_an_own_score_is_a_scorer(first_recall, miss_rate):
    found = scorer("_first_recall", alerts=0.2)(MODEL, X, Y)
    assert found == score_function("_first_recall")(Y, MODEL.decision_function(X), alerts=0.2)
    missed = 1 - functions.recall_score(Y, MODEL.predict(X))
    assert scorer("_miss_rate", factor=3.0)(MODEL, X, Y) == pytest.approx(-3 * missed)


def test_cross_validation_scores_each_fold_at_the_prior():
    folds = StratifiedKFold(3)
    asked = {
        "ap": scorer("average_precision", pi0=0.01),
        "f1": scorer("fbeta", pi0=0.01, threshold=0.3),
    }
    found = cross_validate(LogisticRegression(), X, Y, cv=folds, scoring=asked)
    for fold, (train, test) in enumerate(folds.split(X, Y)):
        model = LogisticRegression().fit(X[train], Y[train])
        y_score = model.predict_proba(X[test])[:, 1]
        expected = functions.average_precision_score(
            Y[test], model.decision_function(X[test]), pi0=0.01
        )
        assert found["test_ap"][fold] == expected
        predicted = (y_score >= 0.3).astype(int)
        assert found["test_f1"][fold] == functions.f1_score(Y[test], predicted, pi0=0.01)


def test_a_search_takes_the_best_value_of_a_score_that_is_better_if_smaller(miss_rate):
    search = GridSearchCV(
        LogisticRegression(), {"C": [1e-4, 1.0]}, scoring=scorer("_miss_rate"), cv=2
    ).fit(X, Y)
    assert search.best_params_ == {"C": 1.0}
    assert -1 < search.best_score_ < 0


def test_a_fold_without_positives_is_recorded_as_an_error():
    negatives, others = np.flatnonzero(Y == 0)[:30], np.arange(100, len(Y))
    asked = {"cv": [(others, negatives)], "scoring": scorer("average_precision", pi0=0.01)}
    with pytest.warns(UserWarning, match="Scoring failed.*"):
        values = cross_val_score(LogisticRegression(), X, Y, error_score=-9.0, **asked)
    assert values.tolist() == [-9]


def test_weights_are_routed():
    weight = 1.0 + np.arange(len(Y)) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        weighted = scorer("average_precision", pi0=0.01).set_score_request(sample_weight=True)
        found = cross_validate(
            LogisticRegression().set_fit_request(sample_weight=False),
            X,
            Y,
            cv=StratifiedKFold(2),
            scoring=weighted,
            params={"sample_weight": weight},
        )["test_score"]
    for fold, (train, test) in enumerate(StratifiedKFold(2).split(X, Y)):
        y_score = LogisticRegression().fit(X[train], Y[train]).decision_function(X[test])
        expected = functions.average_precision_score(
            Y[test], y_score, pi0=0.01, sample_weight=weight[test]
        )
        assert found[fold] == expected
    at_threshold = scorer("precision", threshold=0.3)
    predicted = (MODEL.predict_proba(X)[:, 1] >= 0.3).astype(int)
    expected = functions.precision_score(Y, predicted, sample_weight=weight)
    assert at_threshold(MODEL, X, Y, sample_weight=weight) == expected
    all_at_it = DummyClassifier(strategy="prior").fit(X, Y)
    assert scorer("recall", threshold=float(np.mean(Y)))(all_at_it, X, Y) == 1


def test_scores_of_an_outlier_detector_are_negated():
    """The average precision was that of the other rows, .026 for .874."""
    rng = np.random.default_rng(0)
    outlier = rng.random(2000) < 0.05
    rows = rng.normal(size=(2000, 4)) * np.where(outlier, 3, 1)[:, None]
    model = make_pipeline(StandardScaler(), IsolationForest(random_state=0)).fit(rows)
    expected = functions.average_precision_score(outlier, -model.decision_function(rows), pi0=0.05)
    of_fraud = scorer("average_precision", pi0=0.05)
    detected = scorer("average_precision", pi0=0.05, pos_label=-1)
    labels = np.where(outlier, -1, 1)
    assert of_fraud(model, rows, outlier.astype(int)) == expected > 0.8
    assert detected(model, rows, labels) == expected
    display = PrecisionRecallDisplay.from_estimator(model, rows, labels, pos_label=-1, pi0=0.05)
    assert display.average_precision == expected
    for of_others in (scorer("average_precision"), PrecisionRecallDisplay.from_estimator):
        with pytest.raises(ValueError, match="pos_label must be -1 for an outlier detector"):
            of_others(model, rows, labels)  # the other rows were the positives
    at_threshold = scorer("recall", threshold=0.0, pos_label=-1)
    recall = functions.recall_score(outlier, model.decision_function(rows) <= 0, pos_label=True)
    assert at_threshold(model, rows, labels) == recall
    for refused in (LinearRegression().fit(X, Y), KMeans(2, n_init=1).fit(X)):
        with pytest.raises(ValueError, match=r"two classes, .* or an outlier detector; got"):
            of_fraud(refused, X, Y)


SCORERS = {
    "of a ranking": ("average_precision", {"pi0": 0.01}),
    "of a decision": ("precision", {}),
    "at a threshold": ("precision", {"threshold": 0.3, "pi0": 0.1}),
    "of an own score": ("_first_recall", {"alerts": 0.3}),
    "of an own decision": ("_miss_rate", {"threshold": 0.3}),
}


@pytest.mark.parametrize(("name", "given"), SCORERS.values(), ids=SCORERS)
def test_scorers_are_cloned_and_pickled(first_recall, miss_rate, name, given):
    original = scorer(name, **given)
    for copy in (
        clone(original, safe=False),
        pickle.loads(pickle.dumps(original)),
        clone(GridSearchCV(MODEL, {"C": [1]}, scoring=original)).scoring,
    ):
        assert copy(MODEL, X, Y) == original(MODEL, X, Y)
        assert repr(copy) == repr(original)


def test_a_pickled_scorer_does_not_need_the_registry(miss_rate):
    """A worker process does not know the scores that a session has registered."""
    dumped = pickle.dumps(scorer("_miss_rate"))
    expected = scorer("_miss_rate")(MODEL, X, Y)
    del facts._FACTS["_miss_rate"], facts._NAMES["_miss_rate"]
    assert "_miss_rate" not in registered_scores()
    assert pickle.loads(dumped)(MODEL, X, Y) == expected


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"metric": "average_precision", "pi0": [0.1, 0.5]}, "pi0"),
        ({"metric": "average_precision", "response_method": "predict"}, "response_method"),
        ({"metric": "precision", "response_method": "predict_proba"}, "response_method"),
        ({"metric": "fbeta", "beta": -1}, "beta"),
        ({"metric": "net_benefit"}, "needs the option 'threshold_probability'"),
        ({"metric": 3}, "metric must be a name, a Metric, or a function"),
    ],
)
def test_bad_arguments_are_refused_at_once(arguments, match):
    with pytest.raises((ValueError, TypeError), match=match):
        scorer(**arguments)


def test_scikit_learn_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.metrics", None)
    with pytest.raises(ImportError, match=r"extra 'sklearn': pip install "):
        scorer("average_precision")
    assert score_function("roc_auc")([0, 1], [1, 2]) == 1


@pytest.mark.filterwarnings("default")
def test_a_report_of_skore_takes_each_kind_of_scorer():
    from skore import evaluate

    report = evaluate(LogisticRegression(), X, Y, splitter=0.5, pos_label=1)
    kinds = {
        "f1": {},
        "precision": {"pi0": 0.01},
        "average_precision": {"pi0": 0.01},
        "roc_auc": {},
        "best_f1": {},
        "brier_score": {},
        "log_loss": {},
        "fbeta": {"threshold": 0.3},
        "recall_at_precision": {"precision": 0.3, "pi0": 0.2},
    }
    for place, (name, options) in enumerate(kinds.items()):
        scoring = scorer(name, **options)
        report.metrics.add(scoring, name=f"our_{place}")
        expected = scoring(report.estimator_, report.X_test, report.y_test)
        assert getattr(report.metrics, f"our_{place}")() == expected


@pytest.mark.parametrize("name", ["average_precision", "f1", "brier_score"])
def test_text_labels_without_a_positive_label_are_refused_in_the_words_of_functions(name):
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, WORDS)
    message = r"pos_label=1 is not .*\['fraud',? 'ok'\]"
    with pytest.raises(ValueError, match=message):
        scorer(name)(model, X, WORDS)
