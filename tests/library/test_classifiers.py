"""Estimators of scikit-learn: a threshold that keeps its guarantee, a probability its prior."""

import pickle
from collections import Counter

import numpy as np
import pytest
from given_scores import GivenScores
from scipy.sparse import csr_matrix
from scipy.stats import norm
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from calibrated_metrics import ConfusionCurve
from calibrated_metrics.classifiers import (
    CertifiedThresholdClassifier,
    PriorCorrectedClassifier,
)
from calibrated_metrics.probabilities import rebase
from calibrated_metrics.scorers import scorer
from calibrated_metrics.thresholds import choose_threshold

PI0 = 0.05


def sample(seed, n_pos=300, n_neg=1500, shift=2.0):
    rng = np.random.default_rng(seed)
    y = (np.arange(n_pos + n_neg) < n_pos).astype(int)
    rows = np.column_stack([rng.normal(size=len(y)) + shift * y, rng.normal(size=len(y))])
    return rows, y


def certified(model=None, **given):
    given = {"pi0": PI0, "min_precision": 0.3, "random_state": 0, **given}
    return CertifiedThresholdClassifier(model or LogisticRegression(), **given)


# The samples of the checks are too small to certify much: no error is raised.
CHECKED = {
    "decision": CertifiedThresholdClassifier(
        LinearSVC(), min_precision=0.8, uncertified="negative"
    ),
    "pi0": PriorCorrectedClassifier(LogisticRegression(), pi0=0.1),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("classifier", CHECKED.values(), ids=CHECKED)
def test_it_passes_the_checks_of_scikit_learn(classifier):
    """No other check than the one of text labels, which need `pos_label`, may fail."""
    text = {"check_classifiers_classes": "it fits text labels, which need pos_label"}
    results = check_estimator(classifier, expected_failed_checks=text, on_fail=None, on_skip=None)
    # Checks that need the array API, or a package that is not installed, are skipped.
    assert [each["check_name"] for each in results if each["status"] == "failed"] == []
    assert Counter(each["status"] for each in results)["passed"] > 50


def test_the_threshold_is_that_of_rows_that_did_not_train_the_model():
    rows, y = sample(0)
    half = np.arange(len(y)) % 2 == 0
    split = [(np.flatnonzero(half), np.flatnonzero(~half))]
    classifier = certified(cv=split).fit(rows, y)
    model = LogisticRegression().fit(rows[half], y[half])
    y_score = model.predict_proba(rows[~half])[:, 1]
    point = choose_threshold((y[~half], y_score), pi0=PI0, min_precision=0.3)
    assert classifier.point_.certified
    assert classifier.threshold_ == point.threshold
    assert classifier.predict(rows[~half]).sum() == point.alerts
    assert classifier.score(rows, y) == np.mean(classifier.predict(rows) == y)


@pytest.mark.parametrize("model", [LogisticRegression(), LinearSVC()], ids=["proba", "decision"])
@pytest.mark.parametrize("positive", ["fraud", "ok"])
def test_either_label_may_be_positive(model, positive):
    rows, y = sample(1)
    negative = {"fraud": "ok", "ok": "fraud"}[positive]
    named = np.where(y == 1, positive, negative)
    split = list(StratifiedKFold(2).split(rows, y))[:1]
    classifier = certified(model, pos_label=positive, cv=split).fit(rows, named)
    predicted = classifier.predict(rows)
    assert (predicted == positive).mean() < 0.5
    assert set(predicted) == {"fraud", "ok"}
    above = classifier.decision_function(rows) > 0
    np.testing.assert_array_equal(classifier.classes_[above.astype(int)], predicted)
    as_numbers = certified(model, cv=split).fit(rows, y)
    np.testing.assert_array_equal(predicted == positive, as_numbers.predict(rows) == 1)


@pytest.mark.parametrize("dtype", [str, object])
@pytest.mark.parametrize("model", [LogisticRegression(), "prefit"], ids=["model", "prefit"])
def test_text_labels_need_the_positive_one(model, dtype):
    """The greater label would be certified, such as the recall of "ok" instead of "fraud"."""
    rows, y = sample(1)
    named = np.where(y == 1, "fraud", "ok").astype(dtype)
    given = {"min_precision": None, "min_recall": 0.9}
    if model == "prefit":
        model, given["cv"] = LogisticRegression().fit(rows, named), "prefit"
    with pytest.raises(ValueError, match=r"pos_label must be one of \['fraud', 'ok'\], got None"):
        certified(model, **given).fit(rows, named)
    classifier = certified(model, pos_label="fraud", **given).fit(rows, named)
    assert (classifier.predict(rows)[y == 1] == "fraud").mean() >= 0.9


def test_a_score_that_equals_the_threshold_is_positive():
    rows, y = sample(2)
    rows[:, 0] = rows[:, 0].round()  # whole scores are thresholds themselves
    classifier = certified(GivenScores().fit(rows, y), cv="prefit", min_precision=0.2).fit(rows, y)
    at = rows[:, 0] == classifier.threshold_
    assert at.any()
    assert (classifier.predict(rows[at]) == 1).all()
    assert (classifier.decision_function(rows[at]) > 0).all()
    below = np.array([[np.nextafter(classifier.threshold_, -np.inf), 0]])
    assert classifier.predict(below) == [0]
    assert classifier.decision_function(below) == 0


def test_a_trained_model_is_not_trained_again():
    rows, y = sample(3)
    model = LogisticRegression().fit(rows[::2], y[::2])
    before = model.coef_.copy()
    classifier = certified(model, cv="prefit").fit(rows[1::2], y[1::2])
    assert classifier.estimator_ is model
    np.testing.assert_array_equal(model.coef_, before)
    curve = ConfusionCurve.from_predictions(y[1::2], model.predict_proba(rows[1::2])[:, 1])
    assert classifier.threshold_ == choose_threshold(curve, pi0=PI0, min_precision=0.3).threshold
    frozen = clone(certified(FrozenEstimator(model), cv="prefit")).fit(rows[1::2], y[1::2])
    assert frozen.threshold_ == classifier.threshold_


@pytest.mark.parametrize("goal", [{"min_specificity": 0.9}, {"max_fpr": 0.1}, {"min_npv": 0.97}])
def test_goals_of_the_negatives(goal):
    rows, y = sample(3)
    classifier = certified(LogisticRegression().fit(rows, y), cv="prefit", min_precision=None)
    classifier.set_params(**goal).fit(rows, y)
    score = classifier.estimator_.predict_proba(rows)[:, 1]
    assert classifier.threshold_ == choose_threshold((y, score), pi0=PI0, **goal).threshold


def test_without_a_certified_threshold_fit_is_an_error_or_predicts_all_negative():
    rows, y = sample(4, n_pos=20, n_neg=60)
    message = r"no threshold can be certified for precision >= 0\.99 at pi0 = 0\.05 .*are needed"
    with pytest.raises(ValueError, match=message):
        certified(min_precision=0.99).fit(rows, y)
    classifier = certified(min_precision=0.99, uncertified="negative").fit(rows, y)
    assert classifier.threshold_ is None
    assert not classifier.point_.certified
    assert not classifier.predict(rows).any()
    assert (classifier.decision_function(rows) == -np.inf).all()


def test_after_a_failed_fit_there_is_no_threshold():
    rows, y = sample(0)
    classifier = certified().fit(rows, y)
    with pytest.raises(ValueError, match="no threshold can be certified"):
        classifier.fit(np.random.default_rng(0).normal(size=rows.shape), y)
    with pytest.raises(NotFittedError):
        classifier.predict(rows)


ORDER = np.random.default_rng(0).permutation(1800)


@pytest.mark.parametrize(
    ("train", "held_out", "message"),
    [
        (ORDER[:500], ORDER[400:900], "no row that trains the model"),
        (ORDER[:500], np.repeat(ORDER[500:900], 2), "cv must hold out each row once"),
        (
            np.arange(1000),
            np.arange(1000, 1800),
            r"cv must hold out rows of both classes \[0, 1\], got rows of \[0\] alone",
        ),
    ],
)
def test_a_split_that_voids_the_guarantee_is_refused(train, held_out, message):
    rows, y = sample(0)
    with pytest.raises(ValueError, match=message):
        certified(cv=[(train, held_out)]).fit(rows, y)


def test_scores_that_are_no_numbers_are_refused():
    rows, y = sample(2)
    classifier = certified(GivenScores().fit(rows, y), cv="prefit", min_precision=0.2).fit(rows, y)
    with pytest.raises(ValueError, match="estimator must give finite scores"):
        classifier.predict([[np.nan, 0]])


def test_scores_in_single_precision_and_the_first_class_agree_with_the_prediction():
    rows, y = sample(2)
    named = np.where(y == 1, "a", "b")  # the positive class is the first one
    given = GivenScores().fit(rows, y)
    classifier = certified(given, cv="prefit", min_precision=0.2).fit(rows, y)
    single = rows.astype(np.float32)
    above = classifier.decision_function(single) > 0
    np.testing.assert_array_equal(classifier.predict(single) == 1, above)
    model = LogisticRegression().fit(rows, named)
    first = certified(model, cv="prefit", pos_label="a").fit(rows, named)
    np.testing.assert_array_equal(first.predict(rows) == "b", first.decision_function(rows) > 0)


def test_it_works_inside_and_around_other_parts_of_scikit_learn():
    rows, y = sample(5)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression()),
        {"logisticregression__C": [0.01, 1]},
        scoring=scorer("average_precision", pi0=PI0),
        cv=3,
    )
    classifier = certified(search).fit(rows, y)
    assert classifier.point_.certified
    found = cross_validate(certified(), rows, y, cv=3, scoring=scorer("precision", pi0=PI0))
    assert (found["test_score"] > 0.2).all()
    again = pickle.loads(pickle.dumps(classifier))
    np.testing.assert_array_equal(again.predict(rows), classifier.predict(rows))
    sparse = certified().fit(csr_matrix(rows), y)
    np.testing.assert_array_equal(sparse.predict(rows), certified().fit(rows, y).predict(rows))


TRAINED_ON_OTHERS = LogisticRegression().fit([[0], [1]], ["a", "b"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"cv": StratifiedKFold(3)},
            "one split, because the guarantee holds for one model, got 3",
        ),
        ({"cv": "held out"}, 'cv must be "prefit"'),
        ({"uncertified": "ignore"}, 'uncertified must be "raise" or "negative"'),
        ({"pos_label": 2}, r"pos_label must be one of the labels \[0, 1\], got 2"),
        ({"cv": "prefit", "estimator": TRAINED_ON_OTHERS}, "the two classes of the model"),
    ],
    ids=str,
)
def test_a_bad_argument_is_named(given, message):
    given = {"estimator": LogisticRegression(), **given}
    with pytest.raises((ValueError, TypeError), match=message):
        certified(given.pop("estimator"), **given).fit(*sample(7))


def test_the_precision_is_kept_in_the_population():
    """True precision of the decisions of models that are trained on half of the rows each time."""
    least, n_samples, n_certified, n_missed = 0.3, 60, 0, 0
    for seed in range(n_samples):
        rows, y = sample([10, seed], n_pos=100, n_neg=500)
        classifier = certified(
            LinearSVC(), min_precision=least, confidence_level=0.9, uncertified="negative"
        ).fit(rows, y)
        if not classifier.point_.certified:
            continue
        n_certified += 1
        weights, limit = classifier.estimator_.coef_[0], classifier.threshold_
        centre, spread = classifier.estimator_.intercept_[0], np.linalg.norm(weights)
        tpr = norm.sf((limit - centre - 2 * weights[0]) / spread)
        fpr = norm.sf((limit - centre) / spread)
        n_missed += PI0 * tpr < least * (PI0 * tpr + (1 - PI0) * fpr)
    assert n_certified > 0.5 * n_samples
    assert n_missed <= 0.1 * n_samples


# ------------------------------------------------------------------------ another prior


def kept_of(rows, y, rate, seed=0):
    kept = (y == 1) | (np.random.default_rng(seed).random(len(y)) < rate)
    return rows[kept], y[kept]


def test_probabilities_after_down_sampling_are_those_of_all_rows():
    rows, y = sample(2, n_pos=2000, n_neg=38_000)
    few = kept_of(rows, y, 1 / 20)
    model = LogisticRegression().fit(rows, y)
    classifier = PriorCorrectedClassifier(LogisticRegression(), pi0=0.05).fit(*few)
    assert classifier.prior_ == np.mean(few[1])
    expected, found = (each.predict_proba(rows)[:, 1] for each in (model, classifier))
    wrong = classifier.estimator_.predict_proba(rows)[:, 1]
    assert np.abs(found - expected).max() < 0.05
    assert np.abs(wrong - expected).max() > 0.4
    assert found.mean() == pytest.approx(0.05, abs=0.003)
    same = rebase(wrong, prior=classifier.prior_, pi0=0.05)
    np.testing.assert_array_equal(found, same)
    np.testing.assert_array_equal(np.argsort(found), np.argsort(wrong))
    predicted = classifier.predict(rows)
    np.testing.assert_array_equal(predicted, (found > 0.5).astype(int))


def test_the_prior_of_a_balanced_model_is_given():
    rows, y = sample(3, n_pos=500, n_neg=9500)
    balanced = LogisticRegression(class_weight="balanced")
    classifier = PriorCorrectedClassifier(balanced, prior=0.5).fit(rows, y)
    assert (classifier.prior_, classifier.pi0_) == (0.5, 0.05)
    assert classifier.predict_proba(rows)[:, 1].mean() == pytest.approx(0.05, abs=0.005)


BALANCED = LogisticRegression(class_weight="balanced")


@pytest.mark.parametrize(
    "model",
    [
        BALANCED,
        make_pipeline(StandardScaler(), LogisticRegression(class_weight={0: 1, 1: 9})),
        FrozenEstimator(BALANCED.fit(*sample(3))),
    ],
)
def test_a_balanced_model_without_its_prior_warns(model):
    """The share of positives in the rows is not the prior of its probabilities."""
    with pytest.warns(UserWarning, match="prior must be given if estimator weights the classes"):
        PriorCorrectedClassifier(model, pi0=0.1).fit(*sample(3))


def test_weights_reach_a_model_that_requests_them():
    rows, y = sample(4)
    weight = np.where(y == 1, 1.0, 3.0)
    expected = PriorCorrectedClassifier(LogisticRegression(), pi0=0.5).fit(rows, y, weight)
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        found = PriorCorrectedClassifier(model, pi0=0.5).fit(rows, y, weight)
        assert found.prior_ == expected.prior_
        np.testing.assert_array_equal(found.estimator_.coef_, expected.estimator_.coef_)
        refused = PriorCorrectedClassifier(model.set_fit_request(sample_weight=False), pi0=0.5)
        with pytest.raises(ValueError, match="sample_weight must be None, because the estimator"):
            refused.fit(rows, y, weight)
        assert refused.fit(rows, y).prior_ == np.mean(y)


def test_weights_are_those_of_the_model_and_of_its_prior():
    rows, y = sample(4)
    weight = np.where(y == 1, 1.0, 3.0)
    classifier = PriorCorrectedClassifier(LogisticRegression(), pi0=0.5)
    classifier.fit(rows, y, sample_weight=weight)
    assert classifier.prior_ == pytest.approx(300 / (300 + 3 * 1500))
    model = LogisticRegression().fit(rows, y, sample_weight=weight)
    np.testing.assert_array_equal(classifier.estimator_.coef_, model.coef_)


@pytest.mark.parametrize("positive", ["fraud", "ok"])
def test_probabilities_of_either_label_may_be_converted(positive):
    rows, y = sample(5)
    negative = {"fraud": "ok", "ok": "fraud"}[positive]
    named = np.where(y == 1, positive, negative)
    model = PriorCorrectedClassifier(LogisticRegression(), pi0=0.01).fit(rows, y)
    text = PriorCorrectedClassifier(LogisticRegression(), pi0=0.01, pos_label=positive)
    text.fit(rows, named)
    column = text.classes_.tolist().index(positive)
    expected = model.predict_proba(rows)[:, 1]
    np.testing.assert_allclose(text.predict_proba(rows)[:, column], expected, rtol=1e-6)
    assert set(text.predict(rows)) == {"fraud", "ok"}


def test_a_trained_model_and_a_search_can_be_wrapped():
    rows, y = sample(6)
    model = LogisticRegression().fit(*kept_of(rows, y, 0.2))
    frozen = PriorCorrectedClassifier(FrozenEstimator(model), prior=0.5, pi0=0.2).fit(rows, y)
    same = rebase(model.predict_proba(rows)[:, 1], prior=0.5, pi0=0.2)
    np.testing.assert_array_equal(frozen.predict_proba(rows)[:, 1], same)
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2)
    found = cross_validate(
        PriorCorrectedClassifier(search, pi0=0.1), rows, y, cv=2, scoring="neg_log_loss"
    )
    assert np.isfinite(found["test_score"]).all()
    again = pickle.loads(pickle.dumps(frozen))
    np.testing.assert_array_equal(again.predict_proba(rows), frozen.predict_proba(rows))


@pytest.mark.parametrize(
    ("model", "given", "message"),
    [
        (LogisticRegression(), {}, "pi0 or prior must be given"),
        (LogisticRegression(), {"pi0": 1.5}, r"pi0 must lie in the open interval \(0, 1\)"),
        (LogisticRegression(), {"prior": 0}, r"prior must lie in the open interval \(0, 1\)"),
        (LogisticRegression(), {"pi0": 0.1, "pos_label": 2}, "pos_label must be one of the labels"),
        (LinearSVC(), {"pi0": 0.1}, "estimator must have predict_proba"),
    ],
)
def test_what_cannot_be_converted_is_refused(model, given, message):
    rows, y = sample(7)
    with pytest.raises(ValueError, match=message):
        PriorCorrectedClassifier(model, **given).fit(rows, y)
    with pytest.raises(NotFittedError):
        PriorCorrectedClassifier(model, **given).predict_proba(rows)


def test_text_needs_a_positive_label():
    rows, y = sample(7)
    with pytest.raises(ValueError, match=r"pos_label must be one of \['fraud', 'ok'\], got None"):
        PriorCorrectedClassifier(LogisticRegression(), pi0=0.1).fit(
            rows, np.where(y, "fraud", "ok")
        )
