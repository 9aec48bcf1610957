"""No operation on curves and matrices loses how their rows were drawn."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from samples import limits_of

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, Metric
from calibrated_metrics.uncertainty import interval

RNG = np.random.default_rng(5)
N = 400
Y_TRUE = RNG.random(N) < 0.3
Y_SCORE = np.round(RNG.normal(size=N) + 1.5 * Y_TRUE, 1)
THRESHOLDS = [0.3, 0.8, 1.4]
DESIGNS = {
    "rows": {},
    "negatives kept 1 in 100": {"sample_weight": np.where(Y_TRUE, 1, 100)},
    "weights": {"sample_weight": 1.0 + np.arange(N) % 3},
    "clusters": {"clusters": np.arange(N) // 8},
    "segments": {"strata": np.arange(N) % 3},
    "classes": {"strata": Y_TRUE},
}
every_design = pytest.mark.parametrize("drawn", DESIGNS.values(), ids=DESIGNS)
METRICS = ("precision", "mcc")


def curve_of(drawn, rows=slice(None)):
    of_rows = {name: values[rows] for name, values in drawn.items()}
    return ConfusionCurve.from_predictions(Y_TRUE[rows], Y_SCORE[rows], **of_rows)


def same_intervals(found, expected, pi0=0.05):
    """Without a prior and at a prior."""
    for name, prior in itertools.product(METRICS, {None, pi0}):
        one, other = (interval(name, each, pi0=prior) for each in (found, expected))
        assert limits_of(one) == pytest.approx(limits_of(other), rel=1e-12)
        assert one.value == pytest.approx(other.value, rel=1e-12)
        assert one.standard_error == pytest.approx(other.standard_error, rel=1e-12)


@every_design
@pytest.mark.parametrize("pi0", [None, 0.1], ids=["own prior", "at a prior"])
def test_an_item_of_a_stack_is_the_matrix_at_its_threshold(drawn, pi0):
    curve = curve_of(drawn) if pi0 is None else curve_of(drawn).at_prior(pi0)
    stack, expected = curve.confusion_matrix(THRESHOLDS), curve.confusion_matrix(0.8)
    by_mask = stack[np.array([False, True, False])][0]
    items = [stack[1], stack[1:][0], by_mask, list(stack)[1]]
    if pi0 is not None:
        items.append(curve_of(drawn).confusion_matrix(THRESHOLDS).at_prior(pi0)[1])
    for item in items:
        assert item.prior_is_known == expected.prior_is_known
        same_intervals(item, expected)


@every_design
def test_a_matrix_at_several_priors_has_items_at_each(drawn):
    matrix = curve_of(drawn).confusion_matrix(0.8)
    items = matrix.at_prior([0.1, 0.4])
    for item, pi0 in zip(items, (0.1, 0.4), strict=True):
        same_intervals(item, matrix.at_prior(pi0))


@every_design
def test_a_vertex_of_a_curve_is_the_matrix_at_its_threshold(drawn):
    curve = curve_of(drawn)
    for at in (curve, curve.at_prior(0.1)):
        place = len(at) // 2
        expected = at.confusion_matrix(at.thresholds[place])
        same_intervals(at[place], expected)
        same_intervals(at[place - 1 : place + 1][1], expected)
        same_intervals(list(at)[place], expected)


@every_design
def test_scores_at_a_threshold_are_decisions(drawn):
    decisions = ConfusionMatrix.from_predictions(Y_TRUE, Y_SCORE >= 0.8, **drawn)
    same_intervals(curve_of(drawn).confusion_matrix(0.8), decisions)


@every_design
def test_copies_keep_their_rows(drawn):
    curve, ap = curve_of(drawn), Metric("average_precision")
    expected, stack = curve.confusion_matrix(0.8), curve.confusion_matrix(THRESHOLDS)
    for copied in (copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))):
        for matrix in (copied(expected), copied(curve).confusion_matrix(0.8), copied(stack)[1]):
            same_intervals(matrix, expected, pi0=None)
        assert limits_of(interval(ap, copied(curve))) == limits_of(interval(ap, curve))


@every_design
def test_a_sum_is_the_matrix_of_the_rows_of_both(drawn):
    """Integer weights that count as rows would give an interval that is ten times too short."""
    whole = curve_of(drawn).confusion_matrix(0.8)
    parts = [
        curve_of(drawn, np.arange(N) < 160).confusion_matrix(0.8),
        curve_of(drawn, np.arange(N) >= 160).confusion_matrix(0.8),
    ]
    same_intervals(parts[0] + parts[1], whole)
    same_intervals(sum(parts), whole)


@every_design
def test_a_sum_of_decisions_at_different_thresholds_keeps_the_rows(drawn):
    first, last = np.arange(N) < 160, np.arange(N) >= 160
    found = curve_of(drawn, first).confusion_matrix(0.8) + curve_of(drawn, last).confusion_matrix(
        1.1
    )
    alert = np.where(first, Y_SCORE >= 0.8, Y_SCORE >= 1.1)
    same_intervals(found, ConfusionMatrix.from_predictions(Y_TRUE, alert, **drawn))


def test_segments_that_were_drawn_apart_are_added():
    segment = np.arange(N) % 3
    parts = [curve_of({"strata": segment}, segment == each) for each in range(3)]
    expected = curve_of({"strata": segment})
    for total in (sum(parts), parts[0] + (parts[1] + parts[2])):
        assert total.rows.error_strata is not None
        one, other = (interval("average_precision", each) for each in (total, expected))
        assert limits_of(one) == pytest.approx(limits_of(other), rel=1e-12)
        same_intervals(total.confusion_matrix(0.8), expected.confusion_matrix(0.8))
    pooled = parts[0] + parts[0]
    assert pooled.rows.error_strata is None


def test_sums_of_counts_are_counts():
    one, other = ConfusionMatrix(tp=30, fp=9, fn=5, tn=99), ConfusionMatrix(tp=3, fp=1, fn=2, tn=9)
    same_intervals(one + other, ConfusionMatrix(tp=33, fp=10, fn=7, tn=108))
    y_true, y_pred = np.repeat([1, 0, 1, 0], [3, 1, 2, 9]), np.repeat([1, 1, 0, 0], [3, 1, 2, 9])
    of_rows = ConfusionMatrix.from_predictions(y_true, y_pred)
    same_intervals(one + of_rows, ConfusionMatrix(tp=33, fp=10, fn=7, tn=108))


def test_a_sum_at_a_common_prior_stays_at_it():
    parts = [curve_of({}, rows).confusion_matrix(0.8) for rows in (slice(160), slice(160, N))]
    weighted = [
        curve_of(DESIGNS["negatives kept 1 in 100"], rows) for rows in (slice(160), slice(160, N))
    ]
    total = sum(each.at_prior(each.prior) for each in parts)
    assert total.prior_is_known
    unequal = weighted[0].confusion_matrix(0.8) + parts[1]
    assert interval("precision", unequal).reason is None
    rows = np.arange(N) < 160
    weight = np.where(rows & ~Y_TRUE, 100, 1)
    expected = ConfusionMatrix.from_predictions(Y_TRUE, Y_SCORE >= 0.8, sample_weight=weight)
    same_intervals(unequal, expected)


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (
            lambda: (
                curve_of(DESIGNS["clusters"]).confusion_matrix(0.8)
                + curve_of({}).confusion_matrix(0.8)
            ),
            "clusters must be given for both",
        ),
        (
            lambda: (
                ConfusionMatrix.from_rates(tpr=0.8, fpr=0.1, prior=0.2)
                + ConfusionMatrix(tp=1, fp=2, fn=3, tn=4)
            ),
            "numbers n_pos and n_neg of rows",
        ),
        (
            lambda: (
                curve_of({}).confusion_matrix(THRESHOLDS)
                + curve_of({}).confusion_matrix(THRESHOLDS)
            )[1],
            "sum of stacks; add single matrices",
        ),
    ],
    ids=["another design", "rates", "stacks"],
)
def test_a_sum_whose_rows_cannot_be_joined_has_values_but_no_interval(build, reason):
    total = build()
    assert Metric("precision")(total) > 0
    assert Metric("precision")(total + total) == pytest.approx(Metric("precision")(total))
    for each in (total, total + total, total.at_prior(0.1), copy.deepcopy(total)):
        with pytest.raises(ValueError, match=f"data must count rows, got .*{reason}"):
            interval("precision", each)


@every_design
def test_a_hull_has_no_rows_and_so_no_intervals(drawn):
    hull = curve_of(drawn).hull()
    for matrix in (hull[1], hull.confusion_matrix(hull.thresholds[1])):
        with pytest.raises(ValueError, match="a curve without rows"):
            interval("precision", matrix)
