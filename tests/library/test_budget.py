"""Precision and recall of the top k of each period: exact values, and coverage of the intervals."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from calibrated_metrics.uncertainty import IntervalWarning, budget, precision_recall_at_top


def values_of_all_orders(y_true, y_score, k, per):
    """Mean precision and recall of the top k over all orders of the rows in which scores fall."""
    hits, alerts = Fraction(0), 0
    for period in sorted(set(per)):
        rows = [i for i, each in enumerate(per) if each == period]
        orders = [
            order
            for order in itertools.permutations(rows)
            if all(y_score[i] >= y_score[j] for i, j in itertools.pairwise(order))
        ]
        hits += Fraction(sum(y_true[i] for order in orders for i in order[:k]), len(orders))
        alerts += min(k, len(rows))
    return hits / alerts, hits / sum(y_true)


@pytest.mark.filterwarnings("ignore:.* periods have fewer than k=7 rows")
@pytest.mark.parametrize("k", [1, 2, 4, 7])
@pytest.mark.parametrize("seed", range(5))
def test_values_are_means_over_all_orders_of_ties(seed, k):
    rng = np.random.default_rng(seed)
    per = rng.permutation(np.repeat(["mo", "tu", "we", "th", "fr"], [6, 2, 5, 6, 1])).tolist()
    y_true = (rng.random(20) < 0.5).astype(int).tolist()
    y_score = rng.integers(0, 3, 20).tolist()
    found = precision_recall_at_top(y_true, y_score, k=k, by=per)
    expected = values_of_all_orders(y_true, y_score, k, per)
    assert [each.value for each in found] == pytest.approx([float(each) for each in expected])


def test_the_error_is_that_of_leaving_out_each_period():
    hits, of = np.array([3.0, 5.0, 2.0, 9.0, 4.0]), np.array([10.0, 12.0, 10.0, 30.0, 7.0])
    without = [
        (hits.sum() - hits[i]) / (of.sum() - of[i]) - hits.sum() / of.sum() for i in range(5)
    ]
    found = budget._ratio(hits, of, 0.95, "alerts")
    assert found.standard_error == pytest.approx(np.sqrt(4 / 5 * np.sum(np.square(without))))
    assert 0 < found.low < found.value < found.high < 1


def days(rng, n_days):
    """Hits in the top 30, alerts, and positives of days whose volume and prior vary."""
    counts = []
    for n, prior in zip(rng.integers(200, 1200, n_days), rng.gamma(2, 0.01, n_days), strict=True):
        n_pos = rng.binomial(n, min(prior, 0.5))
        positive = np.arange(n) < n_pos
        top = np.argsort(-rng.normal(2 * positive))[:30]
        counts.append((positive[top].sum(), 30, n_pos))
    return np.array(counts, float)


@pytest.mark.parametrize("n_days", [5, 30])
def test_intervals_over_days_cover_and_those_of_rows_do_not(n_days):
    rng = np.random.default_rng(n_days)
    pool = days(rng, 3000)
    truth = pool[:, 0].sum() / pool[:, 1].sum()
    covered, binomial = [], []
    for _ in range(300):
        hits, alerts, _positives = pool[rng.integers(len(pool), size=n_days)].T
        found = budget._ratio(hits, alerts, 0.95, "alerts")
        covered.append(found.low <= truth <= found.high)
        of_rows = 1.96 * np.sqrt(found.value * (1 - found.value) / alerts.sum())
        binomial.append(abs(found.value - truth) <= of_rows)
    assert np.mean(covered) > 0.92
    assert np.mean(binomial) < 0.85


def test_periods_with_fewer_rows_than_alerts_are_noticed():
    """Such as times of day in place of days."""
    y_true, y_score = np.arange(60) % 3 == 0, np.arange(60.0)
    with pytest.warns(IntervalWarning, match="60 of 60 periods have fewer than k=2 rows"):
        precision_recall_at_top(y_true, y_score, k=2, by=np.arange(60))


def test_a_perfect_budget_has_an_interval_below_1():
    y_true = np.tile([1, 1, 0, 0, 0], 8)
    precision, recall = precision_recall_at_top(y_true, y_true, k=2, by=np.repeat(np.arange(8), 5))
    assert precision.value == recall.value == precision.high == 1
    assert 0.5 < precision.low < 1


def test_no_interval_without_two_periods_that_count():
    y_true, per = [1, 0, 0, 0, 0, 0], [1, 1, 2, 2, 3, 3]
    with pytest.warns(IntervalWarning) as warned:
        _, recall = precision_recall_at_top(y_true, range(6), k=1, by=per)
    assert np.isnan([recall.low, recall.high]).all()
    assert "all positives" in recall.reason
    assert [str(each.message) for each in warned] == [
        "3 periods: the coverage was measured only for 5 or more periods",
        "no interval: all positives are in one period, but at least two periods are needed",
    ]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"k": 0}, "k must be at least 1, got 0"),
        ({"by": [1, 2]}, "by has 2"),
        ({"y_true": [0, 0, 0]}, "y_true holds no positives"),
    ],
)
def test_bad_arguments_are_named(changed, message):
    arguments = {"y_true": [1, 0, 1], "y_score": [0.1, 0.2, 0.3], "k": 1, "by": [1, 1, 2]}
    with pytest.raises(ValueError, match=message):
        precision_recall_at_top(**{**arguments, **changed})
