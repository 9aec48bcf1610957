"""Partial areas and points of a ranking: definitions at ties and ends, chance, and errors."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from samples import limits_of

from calibrated_metrics import (
    ConfusionCurve,
    Metric,
    precision_at_specificity_score,
    precision_at_top_score,
    register_score,
    scores,
    uncertainty,
)

pytestmark = pytest.mark.filterwarnings("error")

Y_TRUE = [1, 0, 1, 1, 0, 0, 1, 0, 0]
Y_SCORE = [5, 4, 4, 4, 4, 3, 2, 2, 1]  # ties of four and of two samples


def curve_of(y_true=Y_TRUE, y_score=Y_SCORE, **given):
    return ConfusionCurve.from_predictions(y_true, y_score, **given)


# -------------------------------------------------------------------------- between vertices


@pytest.mark.parametrize("k", range(1, 10))
def test_the_top_k_is_averaged_over_all_orders_of_tied_samples(k):
    orders = itertools.product(itertools.permutations([1, 2, 3, 4]), itertools.permutations([6, 7]))
    found = [sum(Y_TRUE[row] for row in (0, *fours, 5, *twos, 8)[:k]) for fours, twos in orders]
    expected = Fraction(sum(found), len(found))
    top = {"alert_rate": k / 9}
    assert scores.precision_at_top(curve_of(), **top) == pytest.approx(float(expected / k))
    assert scores.recall_at_top(curve_of(), **top) == pytest.approx(float(expected / 4))


@pytest.mark.parametrize("pi0", [None, 0.01])
def test_precision_at_a_specificity_is_that_of_the_formula_at_this_recall(pi0):
    """0 of 5 negatives lie above the tie at 4, 2 of 5 up to it; 1 and 3 of the 4 positives."""
    for specificity, recall in ((0.9, 1 / 4 + 1 / 8), (0.8, 1 / 2), (0.6, 3 / 4), (0.4, 3 / 4)):
        prior, fpr = pi0 or 4 / 9, 1 - specificity
        expected = prior * recall / (prior * recall + (1 - prior) * fpr)
        value = precision_at_specificity_score(Y_TRUE, Y_SCORE, specificity=specificity, pi0=pi0)
        assert value == pytest.approx(expected)


def test_a_requirement_that_differs_by_a_rounding_error_is_reached():
    curve = curve_of(np.arange(10) < 3, -np.arange(10), sample_weight=np.full(10, 0.1))
    for recall in (1 / 3, np.nextafter(1 / 3, 1)):
        assert scores.precision_at_recall(curve, recall) == 1
    assert scores.recall_at_precision(curve, np.nextafter(0.3, 1)) == 1
    tied = curve_of([1, 0, 1, 0], [2, 2, 1, 1])
    assert scores.recall_at_precision(tied, 0.5 + 1e-9) == 0


# -------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("score", "option"),
    [
        (scores.partial_roc_auc, "max_fpr"),
        (scores.precision_at_recall, "recall"),
        (scores.recall_at_precision, "precision"),
        (scores.recall_at_specificity, "specificity"),
        (scores.specificity_at_recall, "recall"),
        (scores.precision_at_specificity, "specificity"),
        (scores.precision_at_top, "alert_rate"),
        (scores.recall_at_top, "alert_rate"),
    ],
)
@pytest.mark.parametrize("bad", [0, -0.1, 1.1, math.nan, math.inf, "0.5", None, True, [0.5]])
def test_options_outside_their_range_are_refused_by_name(score, option, bad):
    with pytest.raises((ValueError, TypeError), match=option):
        score(curve_of(), **{option: bad})


@pytest.mark.parametrize(
    ("low", "high"), [(0.5, 0.5), (0.6, 0.5), (-0.1, 0.5), (0.5, 1.1), (math.nan, 1), (0, "1")]
)
def test_ranges_of_recall_must_ascend_within_0_and_1(low, high):
    with pytest.raises((ValueError, TypeError), match=r"(min|max)_recall"):
        scores.partial_average_precision(curve_of(), low, high)


@pytest.mark.parametrize("bad", [0, 1, -0.1, math.nan, "0.5", None, True, [0.5, 1], [], [[0.5]]])
def test_threshold_probabilities_outside_their_range_are_refused(bad):
    with pytest.raises((ValueError, TypeError), match="threshold_probability"):
        scores.net_benefit(curve_of().confusion_matrix(3), bad)


@pytest.mark.parametrize(("name", "meant"), [("k", "alert_rate=k / n"), ("share", "alert_rate")])
def test_other_words_for_the_alert_rate_are_answered(name, meant):
    with pytest.raises(ValueError, match=rf"no option '{name}' \(use {meant}\)"):
        Metric("precision_at_top", **{name: 3})
    with pytest.raises(TypeError, match=rf"\(use {meant}\)"):
        precision_at_top_score([1, 0], [2, 1], **{name: 1})


@pytest.mark.parametrize("pi0", [None, 0.1])
def test_a_metric_of_your_own_at_the_top_interpolates_inside_runs_of_negatives(pi0, own_registry):
    """At 0.1, the first vertex with enough alerts would give 0.603."""

    @register_score(label="own")
    def own(curve):
        alerts = 0.1 * (curve.n_pos + curve.n_neg)
        return np.interp(alerts, curve.tp + curve.fp, curve.tp) / alerts

    rng = np.random.default_rng(0)
    y_true = rng.random(3000) < 0.01
    pair = y_true, rng.normal(2 * y_true)
    found, expected = (
        uncertainty.interval(each, pair, pi0=pi0, rng=0)
        for each in (own, Metric("precision_at_top", alert_rate=0.1))
    )
    assert limits_of(found) == pytest.approx(limits_of(expected), rel=1e-9)
    assert found.value == pytest.approx(expected.value, rel=1e-12)
    assert pi0 is None or found.value == pytest.approx(0.706, abs=5e-4)
