"""Differences between two samples, and between two models on the same rows."""

import math
import warnings
from functools import partial

import numpy as np
import pytest
from samples import (
    BY_CONTRIBUTIONS,
    FAST,
    audit_of,
    curve_of,
    limits_of,
    matrix_of,
    rows_of,
)

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric, label_errors, scores
from calibrated_metrics.uncertainty import Estimate, IntervalWarning, difference, interval, p_value
from calibrated_metrics.uncertainty.units import covariance, linearise

pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore:the metric is undefined on"),
]


def two_models(noise=0.1, **drawn):
    """Curves of a model and of one with more noise, on the same rows."""
    y_true, score_a = rows_of()
    score_b = score_a + noise * np.random.default_rng(9).normal(size=200)
    return [ConfusionCurve.from_predictions(y_true, each, **drawn) for each in (score_a, score_b)]


# ---------------------------------------------------------------------------------- two samples


def test_the_difference_of_independent_samples_adds_squared_distances():
    a, b = curve_of(seed=1), curve_of(seed=2, shift=0.5)
    found = difference("average_precision", a, b, pi0=0.2)
    of_a, of_b = (interval("average_precision", each, pi0=0.2) for each in (a, b))
    value = of_a.value - of_b.value
    assert found.value == value
    assert found.method == "mover of hull"
    assert found.standard_error == pytest.approx(
        math.hypot(of_a.standard_error, of_b.standard_error)
    )
    assert limits_of(found) == pytest.approx(
        (
            value - math.hypot(of_a.value - of_a.low, of_b.high - of_b.value),
            value + math.hypot(of_a.high - of_a.value, of_b.value - of_b.low),
        )
    )


@pytest.mark.parametrize("metric", ["positive_likelihood_ratio", "diagnostic_odds_ratio"])
def test_a_ratio_with_one_false_positive_has_limits(metric):
    a, b = matrix_of(18, 1, 2, 9), matrix_of(12, 3, 8, 17)
    found, reversed_ = difference(metric, a, b), difference(metric, b, a)
    assert limits_of(found) == pytest.approx((-reversed_.high, -reversed_.low))
    assert np.isfinite(limits_of(found)).all()
    assert found.high > interval(metric, a).high - interval(metric, b).value > found.value
    assert 0 < p_value(metric, a, b) < 1


def test_samples_that_share_clusters_are_correlated():
    """The same patients before and after: equal labels are one cluster."""
    patient = np.arange(200) // 2
    y_true, y_score = rows_of()
    a, b = (
        ConfusionCurve.from_predictions(y_true, y_score + each, clusters=patient)
        for each in (0, 0.1 * np.random.default_rng(1).normal(size=200))
    )
    found = difference("roc_auc", a, b)
    other = ConfusionCurve.from_predictions(y_true, y_score, clusters=1000 + patient)
    apart = difference("roc_auc", other, b)
    assert found.standard_error < 0.5 * apart.standard_error
    one, two = (linearise(Metric("roc_auc"), each) for each in (a, b))
    expected = one.variance + two.variance - 2 * covariance(one, two)
    assert found.standard_error == pytest.approx(math.sqrt(expected), rel=1e-6)
    with pytest.warns(IntervalWarning, match="the samples share clusters, and the metric has no"):
        withheld = difference("pr_auc", a, b, **FAST)
    assert "influence" in withheld.reason


# ------------------------------------------------------------------------------------ two models


@pytest.mark.parametrize("metric", ["pr_auc", "best_fbeta"])
@pytest.mark.parametrize("paired", [False, True])
def test_a_difference_by_draws_of_clusters_is_antisymmetric(metric, paired):
    a, b = two_models(0.5, clusters=np.arange(200) // 3)
    options = {"paired": paired, "n_resamples": 4, "rng": 0}
    for pi0 in (None, Estimate(0.3, 0.2, 0.4, 0.05, 0.95, "audit")):
        with warnings.catch_warnings(category=IntervalWarning, action="ignore"):
            found = difference(metric, a, b, pi0=pi0, **options)
            swapped = difference(metric, b, a, pi0=pi0, **options)
        assert swapped.value == pytest.approx(-found.value, abs=1e-12)
        expected = (-found.high, -found.low)
        assert limits_of(swapped) == pytest.approx(expected, abs=1e-12, nan_ok=True)
        assert swapped.standard_error == pytest.approx(
            found.standard_error, rel=1e-6, abs=1e-12, nan_ok=True
        )


def test_models_of_an_audit_are_compared():
    y_true, y_score, weight, strata = audit_of()
    other = y_score + 0.5 * np.random.default_rng(1).normal(size=300)
    a, b = (
        ConfusionCurve.from_predictions(y_true, each, sample_weight=weight, strata=strata)
        for each in (y_score, other)
    )
    for metric in ("average_precision", "pr_auc"):
        with pytest.warns(IntervalWarning, match="the stratum 0, whose weight exceeds its share"):
            found = difference(metric, a, b, paired=True, **FAST)
        assert found.low < found.value < found.high


@pytest.mark.parametrize("drawn", [{}, {"sample_weight": 1.0 + np.arange(200) % 3}])
def test_a_bootstrap_of_a_difference_has_the_standard_error_of_contributions(drawn):
    a, b = two_models(0.5, **drawn)
    auto = difference("average_precision", a, b, paired=True)
    drawn = difference(
        "average_precision", a, b, paired=True, method="bootstrap", n_resamples=400, rng=1
    )
    assert (auto.method, drawn.method) == ("mover of hull", "mover of bootstrap")
    assert drawn.standard_error == pytest.approx(auto.standard_error, rel=0.2)


def test_an_array_of_priors_gives_the_differences_at_each():
    for paired, metric in ((True, "average_precision"), (True, "pr_auc"), (False, "pr_auc")):
        a, b = two_models(0.5)
        found = difference(metric, a, b, paired=paired, pi0=[0.2, 0.4], **FAST)
        alone = difference(metric, a, b, paired=paired, pi0=0.4, **FAST)
        assert (found.low[1], found.high[1]) == pytest.approx(limits_of(alone), rel=1e-12)
        assert found.value.shape == (2,)


def test_the_error_of_a_common_prior_counts_once():
    a = curve_of()
    same = difference("average_precision", a, a, pi0=Estimate.normal(0.3, 0.05))
    known = difference("average_precision", a, a, pi0=0.3)
    assert limits_of(same) == pytest.approx(limits_of(known))
    b = curve_of(1, shift=0.5)
    wider = difference("average_precision", a, b, pi0=Estimate.normal(0.3, 0.05))
    known = difference("average_precision", a, b, pi0=0.3)
    assert wider.low < known.low
    assert wider.standard_error > known.standard_error


# ------------------------------------------------------------------------------------- withheld


def test_a_difference_is_withheld_with_its_intervals():
    y_true, y_score = rows_of()
    gains = [
        scores.prg_auc(ConfusionCurve.from_predictions(y_true, each).at_prior(0.01))
        for each in (y_score, -y_score)
    ]
    for paired in (False, True):
        with pytest.warns(IntervalWarning, match="no interval: AUC-PR Gain"):
            found = difference(
                "prg_auc", (y_true, y_score), (y_true, -y_score), pi0=0.01, paired=paired
            )
        assert np.isnan([*limits_of(found), found.standard_error]).all()
        assert "n_pos * pi0 >= 2" in found.reason
        assert found.value == pytest.approx(np.subtract(*gains))


def test_models_on_one_positive_have_no_interval():
    y_true, y_score = rows_of(n_pos=1)
    for metric in BY_CONTRIBUTIONS.values():
        with pytest.warns(IntervalWarning, match="at least two rows of each class"):
            found = difference(metric, (y_true, y_score), (y_true, -y_score), paired=True, pi0=0.5)
        assert math.isnan(found.low)


def test_paired_positives_in_one_cluster_have_no_interval():
    clusters = np.where(np.arange(200) < 40, 0, 1 + np.arange(200) // 5)
    with pytest.warns(IntervalWarning, match="no interval: all positives are in one cluster"):
        found = difference("roc_auc", *two_models(clusters=clusters), paired=True)
    assert math.isnan(found.high)


# ---------------------------------------------------------------------------------- bad arguments

CURVE, MATRIX = curve_of(), ConfusionMatrix(tp=3, fp=1, fn=2, tn=9)
Y_TRUE, Y_SCORE = rows_of()


def rows(y_true=Y_TRUE, **drawn):
    return ConfusionCurve.from_predictions(y_true, Y_SCORE[: len(y_true)], **drawn)


@pytest.mark.parametrize(
    ("a", "b", "match"),
    [
        (rows(), rows(Y_TRUE[:-1]), "the same rows with paired=True, got 200 and 199"),
        (rows(), rows(Y_TRUE[::-1]), "labels differ"),
        (rows(), rows(sample_weight=1 + np.arange(200) % 2), "weights differ"),
        (rows(), rows(clusters=np.arange(200) // 2), "clusters differ"),
        (rows(clusters=np.arange(200)), rows(clusters=np.arange(200) // 2), "clusters differ"),
        (rows(), rows(strata=np.arange(200) % 4), "strata differ"),
        (
            rows(),
            ConfusionCurve.from_counts([1, 2], [20, 20], [100, 60]),
            "b must be built from ro",
        ),
    ],
)
def test_paired_rows_that_differ_are_refused(a, b, match):
    with pytest.raises(ValueError, match=match):
        difference("roc_auc", a, b, paired=True)


@pytest.mark.parametrize(
    "build",
    [
        ConfusionCurve.from_predictions,
        lambda *pair, **label: ConfusionCurve.from_predictions(*pair, **label).confusion_matrix(1),
        partial(label_errors.from_predictions, label_sensitivity=0.9),
    ],
)
def test_samples_whose_negatives_have_different_labels_are_refused(build):
    a, b = (
        build(np.where(Y_TRUE, "fraud", negative), Y_SCORE, pos_label="fraud")
        for negative in ("legit", "open")
    )
    metric = "recall" if isinstance(a, ConfusionMatrix) else "average_precision"
    message = r"must have one label of the negatives, got \['legit', 'open'\] beside 'fraud'; "
    with pytest.raises(ValueError, match="a and b " + message):
        difference(metric, a, b)
    if not hasattr(a, "labelled"):
        with pytest.raises(ValueError, match="data that are added " + message):
            a + b


@pytest.mark.parametrize(
    ("call", "kind", "match"),
    [
        (lambda: difference("roc_auc", CURVE, None), TypeError, "b must be"),
        (lambda: difference("roc_auc", MATRIX, CURVE), TypeError, "a must be a ConfusionCurve"),
        (
            lambda: difference(
                Metric("recall", threshold=1), CURVE, CURVE, paired=True, method="bootstrap"
            ),
            ValueError,
            "method must be \"auto\" for the metric 'recall' of a decision",
        ),
        (
            lambda: difference("roc_auc", (Y_TRUE, Y_SCORE), (Y_TRUE, Y_SCORE * np.nan)),
            ValueError,
            "y_score must be finite",
        ),
    ],
)
def test_bad_arguments_are_refused(call, kind, match):
    with pytest.raises(kind, match=match):
        call()


def test_a_gain_on_few_rows_is_noticed():
    y_true, easy = np.arange(600) < 60, np.random.default_rng(0).normal(size=600)
    gaining = easy + 4.0 * np.isin(np.arange(600), [3, 30, 50])
    with pytest.warns(IntervalWarning, match="rests on few rows, one of which makes 67 % of its"):
        difference("roc_auc", (y_true, gaining), (y_true, easy), paired=True)
    a, b = two_models(0.5)
    assert difference("roc_auc", a, b, paired=True).remarks == ()


def test_a_class_on_which_decisions_agree_is_noticed_if_one_row_could_change_much():
    y_true = np.arange(250) < 50
    a, fewer = np.isin(np.arange(250), [*range(30), *range(50, 60)]), np.arange(250) < 6
    with pytest.warns(IntervalWarning, match="the models agree on all negatives, and the interval"):
        difference("precision", (y_true, a), (y_true, a & ~fewer), paired=True, pi0=0.05)
    many = np.isin(np.arange(250), range(100, 200, 2))  # one positive of 50 would change little
    assert not difference("accuracy", (y_true, a), (y_true, a ^ many), paired=True).remarks
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        difference("precision", (y_true, a), (y_true, a), paired=True)  # allowed for


def test_few_rows_are_not_noticed_if_models_differ_in_all():
    """Three rows make the difference, but other rows may go either way."""
    y_true = np.arange(420) < 20
    a, b = np.random.default_rng(3).normal(size=(2, 420)) + 2.5 * y_true
    assert difference("roc_auc", (y_true, a), (y_true, b), paired=True).remarks == ()


def test_models_that_differ_in_other_rows_only_have_an_interval_of_their_recall():
    y_true = np.arange(400) < 60
    a, b = (ConfusionMatrix.from_predictions(y_true, np.arange(400) % 60 < 40) for _ in range(2))
    other = ConfusionMatrix.from_predictions(
        y_true, (np.arange(400) % 60 < 40) | (np.arange(400) > 350)
    )
    most = 1.96**2 / (60 + 1.96**2)  # of the score test, if no row of 60 disagrees
    for each in (b, other):
        found = difference("recall", a, each, paired=True)
        assert found.value == 0
        assert limits_of(found) == pytest.approx((-most, most), rel=1e-4)


def test_two_models_on_the_same_rows_are_noticed():
    rng = np.random.default_rng(0)
    y_true = rng.random(200) < 0.3
    a, b = ((y_true, rng.normal(y_true)) for _ in range(2))
    with pytest.warns(IntervalWarning, match="same labels in the same order.* paired=True"):
        difference("roc_auc", a, b)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        difference("roc_auc", a, b, paired=True)
        ordered = np.sort(y_true)
        difference("roc_auc", (ordered, a[1]), (ordered, b[1]))


def test_an_infinite_ratio_and_a_prior_with_an_error_are_refused_with_the_way():
    rare = ConfusionMatrix(tp=18, fp=0, fn=6, tn=60)
    other = ConfusionMatrix(tp=20, fp=2, fn=4, tn=58)
    with pytest.raises(ValueError, match=r"a is infinite.*sensitivity and specificity"):
        difference("positive_likelihood_ratio", rare, other)
    with pytest.raises(TypeError, match="a number here; difference takes an Estimate"):
        p_value("ppv", rare, other, pi0=Estimate.normal(0.1, 0.02))


@pytest.mark.parametrize("dtype", [str, object])
def test_clusters_of_two_samples_have_labels_of_one_type(dtype):
    """The customer 7 of one sample was another one than "7" of the other, in some containers."""
    y_true, scores_ = rows_of()[:2]
    number = np.arange(len(y_true)) // 3
    text = number.astype(str).astype(dtype)
    a, b = (
        ConfusionCurve.from_predictions(y_true, scores_, clusters=each) for each in (number, text)
    )
    with pytest.raises(ValueError, match="labels of one type, got 0 and '0'"):
        difference("roc_auc", a, b)
