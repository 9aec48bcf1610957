"""Labels that are late or wrong: unbiased counts, values, intervals and what is refused."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from samples import EVERY, rows_of

from calibrated_metrics import (
    ConfusionCurve,
    ConfusionMatrix,
    Metric,
    audit,
    displays,
    label_free,
    planning,
    scores,
    spaces,
)
from calibrated_metrics.comparison import explain_change
from calibrated_metrics.label_errors import LabelsWithErrors, from_predictions
from calibrated_metrics.label_errors.ratios import of_average_precision, of_outcomes, of_roc_auc
from calibrated_metrics.label_errors.rows import LabelRate
from calibrated_metrics.rows import Rows
from calibrated_metrics.uncertainty import Estimate, interval

TRUTH = (1, 0, 1, 1, 0, 0)
SCORE = (5, 4, 3, 3, 3, 1)
SENSITIVITY = tuple(Fraction(each, 20) for each in (19, 6, 10, 12, 15, 8))
SPECIFICITY = tuple(Fraction(each, 20) for each in (18, 20, 19, 20, 18, 19))
THRESHOLDS = (5, 4, 3, 1)
SUPPORTED = {"precision", "recall", "fbeta", "specificity", "average_precision", "roc_auc"}


def all_labels():
    """All labels that the population may have, with their probabilities, as fractions."""
    for labels in itertools.product((0, 1), repeat=len(TRUTH)):
        probability = Fraction(1)
        for label, truth, s, c in zip(labels, TRUTH, SENSITIVITY, SPECIFICITY, strict=True):
            of_positive = s if truth else 1 - c
            probability *= of_positive if label else 1 - of_positive
        yield labels, probability


def shares_of(labels):
    return [
        (label - (1 - c)) / (s + c - 1)
        for label, s, c in zip(labels, SENSITIVITY, SPECIFICITY, strict=True)
    ]


def counted(labels):
    s, c = (np.array(rate, dtype=float) for rate in (SENSITIVITY, SPECIFICITY))
    return from_predictions(labels, SCORE, label_sensitivity=s, label_specificity=c).counted


def true_positives(shares, threshold):
    return sum(share for share, score in zip(shares, SCORE, strict=True) if score >= threshold)


def pairs_in_order(shares):
    """Pairs of two different rows, a positive and a negative; ties count half."""
    total = Fraction(0)
    for i, j in itertools.permutations(range(len(SCORE)), 2):
        order = (SCORE[i] > SCORE[j]) + Fraction(SCORE[i] == SCORE[j], 2)
        total += shares[i] * (1 - shares[j]) * order
    return total


def expected(function):
    return sum(probability * function(labels) for labels, probability in all_labels())


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_counts_are_unbiased_over_all_label_errors(threshold):
    assert expected(lambda labels: true_positives(shares_of(labels), threshold)) == true_positives(
        TRUTH, threshold
    )


def test_pairs_are_unbiased_over_all_label_errors():
    assert expected(lambda labels: pairs_in_order(shares_of(labels))) == pairs_in_order(TRUTH)


@pytest.mark.parametrize("metric", ["recall", "specificity"])
def test_a_metric_without_a_prior_has_one_interval(metric):
    """With a prior, the recall of 38 of 40 ill people was withheld: "it may have any value"."""
    table = ConfusionMatrix(tp=38, fp=87, fn=2, tn=35)
    labels = from_predictions(table, label_sensitivity=0.31, label_specificity=1.0)
    own, known = (interval(metric, labels, pi0=pi0) for pi0 in (None, 0.3))
    assert (own.low, own.high) == (known.low, known.high)
    assert own.reason is None


def test_the_prior_is_that_of_rogan_and_gladen_exactly():
    s, c, prior = Fraction(3, 5), Fraction(19, 20), Fraction(1, 50)
    of_labels = s * prior + (1 - c) * (1 - prior)
    assert (of_labels - (1 - c)) / (s + c - 1) == prior
    labels = np.arange(1000) < 1000 * of_labels
    curve = from_predictions(
        labels, np.arange(1000.0), label_sensitivity=float(s), label_specificity=float(c)
    )
    share = (labels.mean() - (1 - float(c))) / float(s + c - 1)
    assert curve.prior == pytest.approx(share, rel=1e-12)


@pytest.mark.parametrize("labels", [(1, 0, 1, 0, 0, 1), (0, 0, 1, 1, 1, 0), (0, 1, 0, 0, 0, 0)])
def test_sums_are_those_of_a_slow_computation(labels):
    sample, shares = counted(labels), shares_of(labels)
    for threshold in THRESHOLDS:
        ratio = of_outcomes(
            sample, sample.rows.score >= threshold, ((1, 0, 0, 0), (1, 1, 0, 0)), None
        )
        assert ratio.numerator == pytest.approx(float(true_positives(shares, threshold)), abs=1e-12)
    assert of_roc_auc(sample).numerator == pytest.approx(float(pairs_in_order(shares)), abs=1e-12)


def slow_average_precision(shares, odds):
    """Σ share · precision, in which the row itself counts as one positive, by a double loop."""
    total = Fraction(0)
    for i, share in enumerate(shares):
        above = [j for j in range(len(SCORE)) if SCORE[j] >= SCORE[i] and j != i]
        positives = 1 + sum(shares[j] for j in above)
        negatives = len(above) + 1 - positives
        positives, negatives = max(positives, 0), max(negatives, 0)
        total += share * Fraction(positives, positives + odds * negatives)
    return total


@pytest.mark.parametrize("labels", [(1, 0, 1, 0, 0, 1), (0, 0, 1, 1, 1, 0), (1, 1, 0, 0, 0, 0)])
@pytest.mark.parametrize("pi0", [None, Fraction(1, 10)])
def test_average_precision_is_that_of_a_double_loop(labels, pi0):
    shares = shares_of(labels)
    n_pos = sum(shares)
    odds = 1 if pi0 is None else (1 - pi0) / pi0 * max(n_pos, 0) / (len(shares) - n_pos)
    found = of_average_precision(counted(labels), None if pi0 is None else float(pi0))
    assert found.numerator == pytest.approx(float(slow_average_precision(shares, odds)), abs=1e-12)
    assert found.denominator == pytest.approx(float(n_pos), abs=1e-12)


# ------------------------------------------------------------------------------- all labels known

Y_TRUE, Y_SCORE = rows_of(3, 60, 400, 1.2)


def test_known_labels_give_the_ordinary_curve():
    for rates in ({"label_sensitivity": 1.0}, {"label_specificity": np.ones(460)}):
        curve = from_predictions(Y_TRUE, Y_SCORE, **rates)
        ordinary = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)
        found, wanted = (interval("average_precision", each) for each in (curve, ordinary))
        assert (found.value, found.low, found.high) == (wanted.value, wanted.low, wanted.high)


@pytest.mark.parametrize("score", [Y_SCORE, np.round(Y_SCORE)], ids=["continuous", "tied"])
@pytest.mark.parametrize("pi0", [None, 0.01, 0.3])
def test_values_of_known_labels_are_the_ordinary_ones(score, pi0):
    known, rates = Rows(Y_TRUE, score), LabelRate.of("label_sensitivity", 1.0, len(score))
    almost = rates._replace(low=rates.low - 1e-9)  # so that the ordinary curve is not used
    curve = LabelsWithErrors(known, almost, rates, of_decisions=False)
    ordinary = ConfusionCurve.from_predictions(Y_TRUE, score)
    if pi0 is not None:
        curve, ordinary = curve.at_prior(pi0), ordinary.at_prior(pi0)
    for name in sorted(SUPPORTED):
        metric = Metric(name) if name in ("average_precision", "roc_auc") else EVERY[name]
        assert metric(curve) == pytest.approx(metric(ordinary), rel=1e-12), name


# ---------------------------------------------------------------------------------------- values


def late(n=40_000, prior=0.05, sensitivity=0.6, seed=0, specificity=1.0, **drawn):
    """The curve of true labels, and labels with errors."""
    rng = np.random.default_rng(seed)
    y_true = rng.random(n) < prior
    score = rng.normal(2.0 * y_true)
    s, c = sensitivity, specificity
    known = rng.random(n) < np.where(y_true, getattr(s, "value", s), 1 - c)
    rates = {"label_sensitivity": sensitivity, "label_specificity": specificity}
    return (
        ConfusionCurve.from_predictions(y_true, score),
        from_predictions(known, score, **rates, **drawn),
    )


@pytest.mark.parametrize("pi0", [None, 0.01])
def test_corrected_values_are_near_the_true_ones(pi0):
    truth, curve = late(specificity=0.98)
    for metric in ("average_precision", Metric("precision", threshold=1.5), "roc_auc"):
        metric = Metric(metric, pi0)
        found = interval(metric, curve)
        assert found.low < metric(truth) < found.high
        assert abs(found.value - metric(truth)) < 0.06
        assert found.method == "labels with errors"


def test_decisions_are_those_of_the_curve():
    rng = np.random.default_rng(0)
    y_true, y_score = rows_of(1, 100, 900)
    label = y_true & (rng.random(1000) < 0.7)
    curve = from_predictions(label, y_score, label_sensitivity=0.7)
    matrix = from_predictions(label, y_pred=y_score >= 1, label_sensitivity=0.7)
    for name in ("tp", "fp", "fn", "tn"):
        one, other = (getattr(each.confusion_matrix(1.0), name) for each in (matrix, curve))
        assert one == pytest.approx(other, rel=1e-12)
    one, other = (
        interval(Metric("precision", threshold=1.0), curve, pi0=0.02),
        interval("precision", matrix, pi0=0.02),
    )
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)


def test_rows_with_uninformative_labels_are_left_out_whatever_their_label():
    y_true, y_score = rows_of(1, 100, 900)
    sensitivity = np.where(np.arange(1000) % 2, 0.8, 0.04)
    curve = from_predictions(y_true, y_score, label_sensitivity=sensitivity)
    half = slice(1, None, 2)
    wanted = from_predictions(y_true[half], y_score[half], label_sensitivity=0.8)
    assert curve.value("average_precision") == wanted.value("average_precision")


def test_the_order_of_rows_does_not_matter():
    y_true, y_score = rows_of(1, 50, 450)
    y_score = np.round(y_score, 1)
    sensitivity = np.random.default_rng(2).uniform(0.4, 1, 500)
    order = np.random.default_rng(3).permutation(500)
    one, other = (
        interval(
            "average_precision",
            from_predictions(y_true[rows], y_score[rows], label_sensitivity=sensitivity[rows]),
        )
        for rows in (slice(None), order)
    )
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)


# ----------------------------------------------------------------------------- estimated rates


def test_the_error_of_an_estimated_sensitivity_widens_intervals():
    _, known = late()
    _, estimated = late(sensitivity=Estimate.normal(0.6, 0.05, bounds=(0, 1)))
    for metric, is_wider in (
        (Metric("precision", threshold=1.5), True),
        ("average_precision", True),
        (Metric("recall", threshold=1.5), False),  # a common factor of both parts of the ratio
    ):
        widths = [
            each.high - each.low for each in (interval(metric, c) for c in (known, estimated))
        ]
        assert (widths[1] > 1.1 * widths[0]) == is_wider
        assert interval(metric, known).value == interval(metric, estimated).value


def test_an_error_that_all_rows_share_does_not_shrink_with_their_number():
    estimate = Estimate.normal(0.6, 0.06, bounds=(0, 1))
    metric = Metric("precision", threshold=1.5)
    found = interval(metric, late(n=400_000, sensitivity=estimate)[1])
    assert found.high - found.value > 0.1 * found.value


def test_an_estimate_per_row_is_common_to_the_rows():
    n = 20_000
    value = np.full(n, 0.6)
    by_row = Estimate(value, value - 0.1, value + 0.1, value * 0 + 0.05, 0.95, "given")
    number = Estimate(0.6, 0.5, 0.7, 0.05, 0.95, "given")
    found = [
        interval("average_precision", late(n, sensitivity=each)[1]) for each in (by_row, number)
    ]
    assert (found[0].low, found[0].high) == (found[1].low, found[1].high)


def test_limits_of_an_estimate_are_scaled_to_the_level():
    found = [
        interval(
            Metric("precision", threshold=1.5),
            late(sensitivity=Estimate.normal(0.6, 0.03, bounds=(0, 1), confidence_level=level))[1],
        )
        for level in (0.8, 0.95)
    ]
    assert found[0].high == pytest.approx(found[1].high, abs=0.01)


# --------------------------------------------------------------------------------- little known


def test_few_known_positives_withhold_rather_than_mislead():
    y_true, y_score = rows_of(0, 5, 995)
    label = y_true & (np.arange(1000) < 1)
    rng = np.random.default_rng(0)
    noisy = label | (rng.random(1000) < 0.1)
    rates = {"label_sensitivity": 0.5, "label_specificity": 0.9}
    curve = from_predictions(noisy, y_score, **rates)
    with pytest.warns(match="the labels"):
        found = interval("average_precision", curve)
    assert math.isnan(found.low)
    assert "the labels" in found.reason


def test_precision_is_bounded_although_the_number_of_positives_is_unknown():
    y_true, y_score = rows_of(0, 5, 995)
    noisy = y_true | (np.random.default_rng(0).random(1000) < 0.1)
    rates = {"label_sensitivity": 0.95, "label_specificity": 0.9}
    curve = from_predictions(noisy, y_score, **rates)
    found = interval(Metric("precision", threshold=1.5), curve, pi0=0.01)
    assert found.low == 0
    assert found.high < 0.3


@pytest.mark.parametrize("n_labels", [50, 45])
def test_labels_that_leave_no_negatives_withhold_the_interval(n_labels):
    """At a sensitivity of 0.5, 50 positive labels of 100 rows mean that all are positives."""
    label, score = np.arange(100) < n_labels, np.linspace(1, 0, 100)
    labels = from_predictions(label, score, label_sensitivity=0.45 if n_labels == 45 else 0.5)
    with pytest.warns(match="no interval"):
        found = interval("average_precision", labels, pi0=0.1)
    assert math.isnan(found.low)
    assert "the labels say" in found.reason


# -------------------------------------------------------------------------------------- refused


def test_metrics_that_are_not_supported_are_refused_by_name():
    _, curve = late(2000)
    for name, metric in EVERY.items():
        if name in SUPPORTED:
            assert math.isfinite(metric(curve))
            continue
        with pytest.raises(ValueError, match="labels with errors"):
            metric(curve)
        with pytest.raises(TypeError, match="labels with errors"):
            metric.facts.function(curve, **metric._arguments)


REFUSED = {
    "metric of a curve": scores.average_precision,
    "interval of a matrix": lambda curve: interval("precision", curve.confusion_matrix(1.0)),
    "own metric": lambda curve: interval(lambda data: 0.5, curve),
    "bootstrap": lambda curve: interval("average_precision", curve, method="bootstrap"),
    "population": lambda curve: interval("average_precision", curve, population={"a": 1}),
    "explain_change": lambda curve: explain_change("average_precision", curve, curve),
    "estimate_prior": lambda curve: label_free.estimate_prior([0.0, 1.0], curve),
    "rows_for": lambda curve: planning.rows_for("average_precision", curve, width=0.2),
    "audit": lambda curve: audit.design(np.arange(100.0), 50, pilot=curve),
    "spaces": spaces.roc,
    "decision curve": displays.DecisionCurveDisplay.from_curve,
    "precision-recall curve": displays.PrecisionRecallDisplay.from_curve,
    "gain curve": displays.PrecisionRecallGainDisplay.from_curve,
    "thresholds": displays.ThresholdDisplay.from_curve,
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_other_calls_are_refused_by_name(call):
    _, curve = late(2000)
    with pytest.raises((TypeError, ValueError), match="labels with errors"):
        call(curve)


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        ({"sample_weight": np.linspace(1, 2, 460)}, "sample_weight and strata are not supported"),
        ({"strata": np.arange(460) % 2}, "sample_weight and strata are not supported"),
        ({"label_sensitivity": 1.2}, r"label_sensitivity must lie in \[0, 1\], got 1\.2"),
        (
            {"label_sensitivity": np.ones(3) / 2},
            "label_sensitivity must be one number or 460, one per row, got 3",
        ),
        ({"label_sensitivity": 0.02}, r"label_specificity - 1 must be at least 0\.05"),
        ({"label_specificity": 0.5, "label_sensitivity": 0.5}, "must be at least"),
    ],
)
def test_rates_that_cannot_be_used_are_refused(drawn, message):
    with pytest.raises(ValueError, match=message):
        from_predictions(Y_TRUE, Y_SCORE, **{"label_sensitivity": 0.5, **drawn})


@pytest.mark.parametrize("kind", [ConfusionCurve, ConfusionMatrix])
def test_curves_and_matrices_say_what_builds_labels_with_errors(kind):
    with pytest.raises(TypeError, match=r"'label_sensitivity' \(.*label_errors\.from_predictions"):
        kind.from_predictions([1, 0], [1, 0], label_sensitivity=0.9)


def test_a_published_table_may_have_labels_with_errors():
    table, rates = ConfusionMatrix(tp=58, fp=10, fn=7, tn=190), {"label_sensitivity": 0.9}
    label, decision = (np.repeat(each, [58, 10, 7, 190]) for each in ([1, 0, 1, 0], [1, 1, 0, 0]))
    found = from_predictions(table, **rates)
    expected = from_predictions(label, y_pred=decision, **rates)
    for metric in ("precision", "recall"):
        assert repr(interval(metric, found)) == repr(interval(metric, expected))
    for data, more in ((table.at_prior(0.1), {}), (table, {"y_pred": decision})):
        with pytest.raises(ValueError, match="y_true must be labels, or alone a matrix of counts"):
            from_predictions(data, **more, **rates)


def test_scores_or_decisions_are_needed():
    with pytest.raises(ValueError, match="either y_score or y_pred must be given, and not both"):
        from_predictions([1, 0], [1, 0], y_pred=[1, 0])
    decisions = from_predictions([1, 0], y_pred=[1, 0], label_sensitivity=0.9)
    with pytest.raises(TypeError, match="data must have y_score for the metric 'roc_auc'"):
        decisions.value("roc_auc")
    with pytest.raises(ValueError, match="data must have y_score for a Metric with a threshold"):
        decisions.value(Metric("recall", threshold=0.5))
