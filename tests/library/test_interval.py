"""Intervals of each metric: properties, priors, reasons to withhold them, and bad arguments.

`test_identities.py` compares intervals of equal questions.
"""

import itertools
import math
import warnings

import numpy as np
import pytest
from samples import EVERY, FAST, curve_of, limits_of, matrix_of, rows_of

from calibrated_metrics import (
    ConfusionCurve,
    ConfusionMatrix,
    Metric,
    register_score,
    scores,
    uncertainty,
)
from calibrated_metrics.uncertainty import Estimate, IntervalWarning, difference, interval

pytestmark = pytest.mark.filterwarnings("error")
every_metric = pytest.mark.parametrize("metric", EVERY.values(), ids=EVERY)
CURVE = curve_of()
FEW_DRAWS = {"n_resamples": 10, "rng": 0}
FREE_OF_PRIOR = {
    *("roc_auc", "partial_roc_auc", "recall", "specificity", "balanced_accuracy"),
    *("positive_likelihood_ratio", "negative_likelihood_ratio"),
    *("youden_index", "diagnostic_odds_ratio"),
    *("recall_at_specificity", "specificity_at_recall"),
}


# ---------------------------------------------------------------------------------- properties


@every_metric
def test_limits_lie_within_the_range_of_the_metric(metric):
    low, high = metric.facts.range
    for shift, pi0 in itertools.product((-3, 0, 6), (0.5, 0.9)):
        curve = curve_of(n_pos=4, n_neg=7, shift=shift)
        with warnings.catch_warnings(category=IntervalWarning, action="ignore"):
            found = interval(metric, curve, pi0=pi0, confidence_level=0.999, **FEW_DRAWS)
        assert low <= found.low <= found.value <= found.high <= high


@every_metric
@pytest.mark.parametrize("weight", [1, 20])
def test_without_a_prior_its_error_is_included(metric, weight):
    """Also if one of 20 negatives was kept, which does not tell the prior."""
    curve = curve_of(sample_weight=np.where(np.arange(200) < 40, 1, weight))
    assert not curve.prior_is_known
    with warnings.catch_warnings(category=IntervalWarning, action="ignore"):
        default, known = (interval(metric, curve, pi0=pi0, **FAST) for pi0 in (None, curve.prior))
    assert default.value == pytest.approx(known.value, rel=1e-12)
    if metric.facts.interval == "bootstrap" or default.reason is not None:
        return  # of other draws, or withheld
    if metric.name in FREE_OF_PRIOR:
        assert limits_of(default) == pytest.approx(limits_of(known), rel=1e-9)
    else:
        assert default.high - default.low > known.high - known.low
    assert default.standard_error > known.standard_error * (1 - 1e-9)


@every_metric
def test_an_array_of_priors_gives_arrays(metric):
    priors = [0.2, 0.3, 0.2]
    found = interval(metric, CURVE, pi0=priors, **FEW_DRAWS)
    single = [interval(metric, CURVE, pi0=pi0, **FEW_DRAWS) for pi0 in priors]
    for name in ("value", "low", "high", "standard_error"):
        of_each = [getattr(each, name) for each in single]
        np.testing.assert_allclose(getattr(found, name), of_each, rtol=1e-12)


# ------------------------------------------------------------------------------ estimated priors


@pytest.mark.parametrize("drawn", ["sample_weight", "clusters"])
def test_limits_lie_in_the_range(drawn):
    """The logit of F1 is that of a longer range, and that of a perfect value is infinite."""
    y_true, unit = np.arange(24) < 8, np.arange(24) % 8 + 1
    matrix = ConfusionMatrix.from_predictions(y_true, np.arange(24) < 9, **{drawn: unit})
    assert interval("f1", matrix, confidence_level=0.99).high == 1
    perfect, worst = (
        ConfusionCurve.from_predictions(y_true, sign * y_true) for sign in (2.0, -2.0)
    )
    prior = Estimate.normal(0.1, 0.04)
    assert interval("average_precision", perfect, pi0=prior).high == 1
    decisions = [each.confusion_matrix(1.0) for each in (perfect, worst)]
    assert difference("f1", *decisions, pi0=prior, paired=True).high == 1


@every_metric
def test_the_error_of_the_prior_widens_the_interval(metric):
    known = interval(metric, CURVE, pi0=0.4, **FAST)
    exact = interval(metric, CURVE, pi0=Estimate.normal(0.4, 0.0), **FAST)
    wide = interval(metric, CURVE, pi0=Estimate.normal(0.4, 0.05), **FAST)
    assert limits_of(exact) == pytest.approx(limits_of(known), rel=1e-9)
    if metric.name in FREE_OF_PRIOR:
        assert limits_of(wide) == pytest.approx(limits_of(known), rel=1e-9)
        assert wide.standard_error == pytest.approx(known.standard_error)
    else:
        assert wide.low < known.low
        assert known.high < wide.high or known.high == metric.facts.range[1]
        assert wide.standard_error > known.standard_error
    assert wide.value == known.value


@every_metric
@pytest.mark.parametrize("value", [0.0, 0.02])
def test_the_value_and_limits_of_an_estimated_prior_may_be_0_or_1(metric, value):
    prior = Estimate(value, 0.0, 0.07, 0.02, 0.95, "audit")
    other = Estimate(1 - value, 0.93, 1.0, 0.02, 0.95, "audit")
    for given in (prior, other):
        with warnings.catch_warnings(category=IntervalWarning, action="ignore"):
            found = interval(metric, CURVE, pi0=given, **FEW_DRAWS)
        if found.reason is None:
            assert found.low - 1e-12 <= found.value <= found.high + 1e-12


def test_a_prior_at_a_lower_level_than_the_interval_is_refused():
    prior = Estimate(0.2, 0.15, 0.27, 0.03, 0.9, "audit")
    found = interval("average_precision", CURVE, pi0=prior, confidence_level=0.9)
    assert found.low < found.value < found.high
    with pytest.raises(ValueError, match=r"pi0 must be an Estimate at a confidence level of at le"):
        interval("average_precision", CURVE, pi0=prior)


@every_metric
@pytest.mark.parametrize("pi0", [None, 0.999, Estimate.normal(0.1, 0.02, bounds=(0.01, 0.5))])
@pytest.mark.parametrize("y_score", [[1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1, 1]])
def test_the_value_at_an_end_of_its_range_lies_in_its_interval(metric, pi0, y_score):
    curve = ConfusionCurve.from_predictions([1, 1, 1, 0, 0, 0, 0], y_score)
    with warnings.catch_warnings(category=IntervalWarning, action="ignore"):
        try:
            found = interval(metric, curve, pi0=pi0, **FEW_DRAWS)
        except ValueError:  # 0/0
            return
    if found.reason is None:
        assert found.low - 1e-12 <= found.value <= found.high + 1e-12


# ------------------------------------------------------------------------------------- withheld


@pytest.mark.parametrize("in_one", ["positives", "negatives"])
@pytest.mark.parametrize("name", ["average_precision", "pr_auc", "precision"])
def test_a_class_in_one_cluster_has_no_interval(name, in_one):
    """The sum of the errors over such a cluster is 0, so it cannot estimate a variance."""
    is_positive = np.arange(200) < 40
    clusters = np.where(is_positive == (in_one == "positives"), 0, 1 + np.arange(200) // 5)
    curve = curve_of(clusters=clusters)
    with pytest.warns(
        IntervalWarning, match=f"no interval: all {in_one} are in one cluster"
    ) as caught:
        found = interval(EVERY[name], curve, pi0=0.3)
    assert [warning.filename for warning in caught] == [__file__]
    assert np.isnan([*limits_of(found), found.standard_error]).all()
    assert "at least two are needed" in found.reason
    assert repr(found) == f"Estimate({found.value:.4g}, no interval: {found.reason})"
    assert found.value == EVERY[name](curve.at_prior(0.3))


@pytest.mark.parametrize("metric", ["average_precision", "cohen_kappa"])
def test_a_class_in_few_clusters_makes_an_interval_doubtful(metric):
    n = np.arange(200)
    spread = np.where(n < 40, n // 4, 100 + n // 4)
    few = np.where(n < 32, 0, spread)  # 32 of the 40 positives
    metric = EVERY[metric]
    interval(metric, curve_of(clusters=spread))
    with pytest.warns(IntervalWarning, match="most positives are in fewer than 5 clusters") as got:
        found = interval(metric, curve_of(clusters=few))
    assert found.reason is None
    assert found.remarks == (str(got[0].message),)


@pytest.mark.parametrize("n_repeats", [1, 2, 5])
def test_labels_that_repeat_are_doubtful_without_clusters(n_repeats):
    """Such as those of repeated cross-validation. The labels of matched pairs alternate."""
    rng = np.random.default_rng(0)
    y_true, rows = np.tile(rng.random(60) < 0.4, n_repeats), np.tile(np.arange(60), n_repeats)
    y_score = y_true + rng.normal(size=len(y_true))
    matched = np.tile([True, False], 60)
    if n_repeats > 1:
        with pytest.warns(IntervalWarning, match=f"labels of 60 rows occur {n_repeats} times"):
            interval("roc_auc", (y_true, y_score))
    curves = [
        ConfusionCurve.from_predictions(y_true, y_score, clusters=rows),
        ConfusionCurve.from_predictions(y_true[:60], y_score[:60]),
        ConfusionCurve.from_predictions(matched, matched + rng.normal(size=120)),
    ]
    for curve in curves:
        assert interval("roc_auc", curve).remarks == ()


@pytest.mark.parametrize(("n_pos", "n_neg"), [(1, 5), (5, 1)])
def test_one_row_of_a_class_is_no_sample(n_pos, n_neg):
    curve = curve_of(n_pos=n_pos, n_neg=n_neg)
    for metric in ("average_precision", "pr_auc", "best_fbeta"):
        with pytest.warns(IntervalWarning, match=f"at least two rows of each class.*{n_pos=}"):
            assert math.isnan(interval(metric, curve).low)
    assert interval("recall", ConfusionMatrix(tp=1, fp=1, fn=0, tn=5)).reason is None


def test_rows_whose_weight_is_lost_in_the_sum_are_no_rows():
    curve = ConfusionCurve.from_predictions(
        [0, 0, 1, 1, 0], [4, 3, 3, 2, 1], sample_weight=[2.0**53, 1e-9, 1, 1, 1e-200]
    )
    with pytest.warns(IntervalWarning, match="at least two rows of each class"):
        assert 0 < interval("average_precision", curve).value < 1


def test_auc_pr_gain_is_withheld_where_no_method_works():
    with pytest.warns(IntervalWarning, match="no interval: AUC-PR Gain .* n_pos=40"):
        found = interval("prg_auc", CURVE, pi0=0.02)
    assert np.isnan(limits_of(found)).all()
    assert found.value == scores.prg_auc(CURVE.at_prior(0.02))
    with pytest.warns(IntervalWarning, match="no interval"):
        drawn = interval("prg_auc", CURVE, pi0=0.02, method="bootstrap", **FAST)
    assert math.isnan(drawn.low)
    with pytest.warns(IntervalWarning, match="no interval"):
        found = interval("prg_auc", CURVE, pi0=[0.5, 0.02])
    assert np.isnan(found.low).tolist() == [False, True]
    assert found.reason is None


# --------------------------------------------------------------------------------- bad arguments

MATRIX = ConfusionMatrix(tp=3, fp=1, fn=2, tn=9)
STACK = ConfusionMatrix(tp=[1, 2], fp=[1, 1], fn=[1, 1], tn=[1, 1])
PRECISION = EVERY["precision"]
WITHHELD = Estimate(0.1, math.nan, math.nan, math.nan, 0.95, "bins", "label shift is refuted")
STRATA = np.digitize(rows_of()[1], [0.5, 1.5])


@pytest.mark.parametrize(
    ("call", "kind", "match"),
    [
        (lambda: interval("net_benefit", MATRIX), ValueError, "option 'threshold_probability'"),
        (lambda: interval("roc_auc", MATRIX), TypeError, "data must be a ConfusionCurve"),
        (lambda: interval("roc_auc", ([0, 1], [1, np.nan])), ValueError, "y_score must be finite"),
        (lambda: interval("precision", CURVE), ValueError, "needs a threshold"),
        (lambda: interval(PRECISION, MATRIX), ValueError, "ConfusionCurve for a Metric with a th"),
        (lambda: interval("roc_auc", CURVE, pi0=[[0.1]]), ValueError, "pi0"),
        (lambda: interval("prg_auc", CURVE, pi0=[0.5, 1e-200]), ValueError, "at least 1e-100"),
        (lambda: interval(Metric("roc_auc", 0.1), CURVE, pi0=0.1), ValueError, "pi0 must be None"),
        (lambda: interval("roc_auc", CURVE, pi0=WITHHELD), ValueError, "an Estimate .*refuted"),
        (lambda: interval("roc_auc", CURVE, confidence_level=1e-300), ValueError, "at least 1e-12"),
        (lambda: interval("roc_auc", CURVE, confidence_level=1 - 1e-16), ValueError, "at most"),
        (lambda: interval("recall", MATRIX, method="bootstrap"), ValueError, "method must be"),
        (
            lambda: interval("recall", ConfusionMatrix.from_rates(tpr=0.5, fpr=0.1, prior=0.1)),
            ValueError,
            "n_pos and n_neg",
        ),
        (lambda: interval("recall", STACK), ValueError, "single confusion matrix"),
        (
            lambda: interval("roc_auc", ConfusionCurve.from_probabilities([0.1, 0.8])),
            ValueError,
            "it was built from probabilities without labels",
        ),
        (lambda: interval("roc_auc", CURVE.hull()), ValueError, "data must hold its rows"),
        (
            lambda: interval(PRECISION, curve_of(clusters=STRATA, strata=STRATA)),
            ValueError,
            "must not have both clusters and strata for the metric 'precision'",
        ),
        (
            lambda: interval("roc_auc", curve_of(clusters=np.arange(200) // 7, strata=STRATA)),
            ValueError,
            "clusters of data must each lie in one stratum for an interval",
        ),
        (
            lambda: interval("roc_auc", curve_of(sample_weight=np.geomspace(1, 1e300, 200))),
            ValueError,
            r"classes whose weights differ at most 1e\+100-fold for an interval, got n_pos=",
        ),
    ],
)
def test_bad_arguments_are_refused(call, kind, match):
    with pytest.raises(kind, match=match):
        call()


def test_a_calibrated_matrix_counts_its_rows():
    calibrated = interval("precision", MATRIX.at_prior(0.1))
    assert limits_of(calibrated) == pytest.approx(limits_of(interval("precision", MATRIX, pi0=0.1)))


def cost(matrix):
    return matrix.fp + 10 * matrix.fn


def cost_per_row(matrix):
    return cost(matrix) / (matrix.n_pos + matrix.n_neg)


def false_alarms_at_half_recall(curve):
    return float(curve.fp[(curve.tp >= curve.n_pos / 2).argmax()])


def false_alarm_rate_at_half_recall(curve):
    return false_alarms_at_half_recall(curve) / curve.n_neg


@pytest.mark.parametrize("pi0", [None, 0.01])
@pytest.mark.parametrize("data", [MATRIX, matrix_of(50, 0, 0, 100)], ids=["errors", "perfect"])
def test_a_metric_of_counts_has_a_value_but_no_interval(data, pi0, own_registry):
    """The interval of a cost of 980 was 0.24 to 980."""
    register_score(label="cost", of="matrix", range=(0, math.inf))(cost)
    register_score(label="cost per row", of="matrix", range=(0, 10))(cost_per_row)
    for metric in ("cost", cost):
        with pytest.warns(IntervalWarning, match="depends on the number of rows"):
            found = interval(metric, data, pi0=pi0)
        assert found.value == cost(data if pi0 is None else data.at_prior(pi0))
        assert np.isnan(limits_of(found)).all()
        with pytest.warns(IntervalWarning, match="depends on the number of rows"):
            uncertainty.difference(metric, data, MATRIX, pi0=pi0)
    assert interval("cost_per_row", data, pi0=pi0).reason is None


def test_a_metric_of_counts_of_a_curve_has_a_value_but_no_interval(own_registry):
    with pytest.warns(IntervalWarning, match=r"number of rows.*divide counts by n_pos \+ n_neg"):
        found = interval(false_alarms_at_half_recall, CURVE, **FAST)
    assert found.value == false_alarms_at_half_recall(CURVE) > 0
    assert np.isnan(limits_of(found)).all()
    assert interval(false_alarm_rate_at_half_recall, CURVE, **FAST).reason is None


def test_a_metric_may_belong_to_no_module():
    """As the functions of code that was run by `exec`."""

    def rate(curve):
        return false_alarm_rate_at_half_recall(curve)

    rate.__module__ = None
    assert interval(rate, CURVE, **FAST).reason is None
