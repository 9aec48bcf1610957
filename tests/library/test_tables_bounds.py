"""Certified bounds contain the exact value and are attained by some order of the rows."""

import itertools
import math
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import oracle
import pytest
from hypothesis import given

from calibrated_metrics import ConfusionCurve, Metric, register_score, scores
from calibrated_metrics.sample import Sample
from calibrated_metrics.tables import bounds

pytestmark = pytest.mark.filterwarnings("error")

ROUNDING = 1e-12


def curve_of_sums(edges, pos, neg):
    """The curve of sums of weights of a table, even if these are whole numbers."""
    return ConfusionCurve._from_sample(Sample.from_counts(edges, pos, neg, without_errors="sums"))


def curve_of(cells, build=ConfusionCurve.from_counts):
    """The curve of cells (positives, negatives), the best cell first."""
    pos, neg = np.array(cells, dtype=float).T
    return build(np.arange(len(cells))[::-1].astype(float), pos, neg)


# ------------------------------------------------------------------------- within the bounds

PRIORS = st.one_of(st.none(), st.sampled_from([0.001, 0.5, 0.999]), st.floats(0.01, 0.99))
WHOLE = st.integers(1, 4).map(float)
FRACTIONAL = st.one_of(WHOLE, st.integers(1, 30).map(lambda tenths: tenths / 10))


@st.composite
def rows(draw):
    """Labels, scores with ties, weights (None for unit weights) and the width of the cells."""
    n = draw(st.integers(2, 14))
    labels = [1, 0, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    values = draw(st.lists(st.integers(0, 24), min_size=n, max_size=n))
    kind = draw(st.sampled_from([None, WHOLE, FRACTIONAL]))
    weights = None if kind is None else draw(st.lists(kind, min_size=n, max_size=n))
    return labels, values, weights, draw(st.sampled_from([1, 2, 5, 10, 30]))


def rounded_curve(labels, values, weights, width):
    cells = np.array(values) // width
    weights, positive = np.ones(len(values)) if weights is None else weights, np.array(labels) == 1
    sums = [
        [
            float(np.sum(np.array(weights)[of_class & (cells == cell)]))
            for of_class in (positive, ~positive)
        ]
        for cell in sorted(set(cells.tolist()))
    ]
    pos, neg = np.array(sums).T
    edges = np.array(sorted(set(cells.tolist()))) * float(width)
    return edges, pos, neg


@given(rows(), PRIORS)
def test_the_exact_value_lies_within_the_bounds(cases, drawn, pi0):
    labels, values, weights, width = drawn
    edges, pos, neg = rounded_curve(labels, values, weights, width)
    curve = (ConfusionCurve.from_counts if weights is None else curve_of_sums)(edges, pos, neg)
    exact = oracle.Ranking.of_samples([label == 1 for label in labels], values, weights)
    exact = exact.by_reweighting(None if pi0 is None else pi0)
    for case in cases:
        metric = Metric(case.score.__name__, **case.options)
        low, high = bounds(metric, curve, pi0=pi0)
        value = Fraction(case.oracle(exact))
        assert Fraction(low) <= value <= Fraction(high), case.name


@given(rows(), PRIORS, st.integers(-2, 27))
def test_exact_decisions_lie_within_the_bounds(hard_case, drawn, pi0, threshold):
    labels, values, weights, width = drawn
    edges, pos, neg = rounded_curve(labels, values, weights, width)
    curve = (ConfusionCurve.from_counts if weights is None else curve_of_sums)(edges, pos, neg)
    exact = oracle.Ranking.of_samples([label == 1 for label in labels], values, weights)
    value = hard_case.oracle(exact.by_formula(pi0), threshold)
    options = {"threshold": threshold, **hard_case.options}
    metric = Metric(hard_case.of_matrix.__name__, **options)
    if value is None:
        return
    try:
        low, high = bounds(metric, curve, pi0=pi0)
    except ValueError as error:
        if "is undefined" not in str(error):
            raise
        return
    if math.isinf(value):
        assert high == math.inf
    else:
        assert low <= value <= high
    if threshold in edges or threshold < edges.min():
        assert high == pytest.approx(low, rel=1e-9, abs=1e-9)


# --------------------------------------------------------------------------------- attained


def weak_orders(n_pos, n_neg):
    """All orders with ties of a cell: sequences of groups (positives, negatives)."""
    if n_pos == n_neg == 0:
        yield ()
        return
    for of_pos, of_neg in itertools.product(range(n_pos + 1), range(n_neg + 1)):
        if of_pos + of_neg:
            for rest in weak_orders(n_pos - of_pos, n_neg - of_neg):
                yield ((of_pos, of_neg), *rest)


CELLS = [((2, 1), (1, 2)), ((0, 2), (3, 2)), ((1, 1), (2, 0), (1, 1)), ((1, 0), (2, 2), (0, 1))]


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("pi0", [None, 0.1])
def test_an_order_of_the_rows_attains_each_bound(cases, cells, pi0):
    curve = curve_of(cells)
    orders = [
        curve_of(list(itertools.chain(*order)))
        for order in itertools.product(*(weak_orders(*cell) for cell in cells))
    ]
    if pi0 is not None:
        orders = [order.at_prior(pi0) for order in orders]
    for case in cases:
        values = [case.curve(order) for order in orders]
        metric = Metric(case.score.__name__, **case.options)
        low, high = bounds(metric, curve, pi0=pi0)
        assert (low, high) == pytest.approx((min(values), max(values)), abs=ROUNDING), case.name


def test_small_weights_approach_the_lower_bound_of_average_precision():
    """Without unit weights, the bound is the limit of ever more rows of the same weight."""
    low, _ = bounds("average_precision", curve_of([(2, 1), (1, 2)], curve_of_sums))
    values = []
    for n in (1, 10, 1000):
        untied = [(0, 1), *[(1 / n, 0)] * (2 * n), (0, 2), *[(1 / n, 0)] * n]
        values.append(scores.average_precision(curve_of(untied)))
    assert values == sorted(values, reverse=True)
    assert low < values[-1] < low + 1e-3


def test_cells_of_many_positives_are_bounded_as_closely():
    cells = [(500, 3), (40, 300), (2, 900)]
    untied = itertools.chain(*([(0, neg), *[(1, 0)] * pos] for pos, neg in cells))
    lowest = scores.average_precision(curve_of(list(untied)))
    low, _ = bounds("average_precision", curve_of(cells))
    assert 0 <= lowest - low < 0.02 / 542
    part = Metric("partial_average_precision", min_recall=0.4, max_recall=0.95)
    untied = itertools.chain(*([(0, neg), *[(1, 0)] * pos] for pos, neg in cells))
    lowest = part(curve_of(list(untied)))
    low, _ = bounds(part, curve_of(cells))
    assert 0 <= lowest - low < 1e-3


# ------------------------------------------------------------------------------------- edges

CURVE = curve_of([(4, 1), (2, 5), (1, 90)])


def test_a_metric_may_have_its_own_prior():
    assert bounds(Metric("pr_auc", pi0=0.2), CURVE) == bounds("pr_auc", CURVE, pi0=0.2)
    assert bounds("pr_auc", CURVE.at_prior(0.2)) == bounds("pr_auc", CURVE, pi0=0.2)
    with pytest.raises(ValueError, match="pi0 must be None for a Metric that has its own"):
        bounds(Metric("pr_auc", pi0=0.2), CURVE, pi0=0.3)


def test_other_scores_are_refused(own_registry):
    @register_score(label="size")
    def size(curve):
        return curve.n_pos + curve.n_neg

    with pytest.raises(ValueError, match=r"metric must be one of .*'roc_auc'.*, got 'size'"):
        bounds("size", CURVE)
    with pytest.raises(ValueError, match="metric 'precision' of a curve needs a threshold"):
        bounds("precision", CURVE)
    with pytest.raises(ValueError, match="recall must lie in"):
        bounds(Metric("precision_at_recall", recall=2), CURVE)


def test_other_curves_are_refused():
    of_rows = ConfusionCurve.from_predictions([1, 0, 1], [3, 2, 1])
    for curve in (of_rows, CURVE.hull(), CURVE + of_rows):
        with pytest.raises(ValueError, match=r"curve must be built by tables\.curves or from_"):
            bounds("roc_auc", curve)
    with pytest.raises(TypeError, match="curve must be a ConfusionCurve, got 3"):
        bounds("roc_auc", 3)


def test_undefined_scores_are_an_error():
    metric = Metric("precision", threshold=3.0)
    with pytest.raises(ValueError, match="precision is undefined: nothing is predicted positive"):
        bounds(metric, curve_of([(1, 0), (0, 2)]))


def test_whether_positives_weigh_one_is_kept():
    unit, other = curve_of([(2, 1), (1, 2)]), curve_of([(2, 1), (1, 2)], curve_of_sums)
    low = {curve: bounds("average_precision", curve)[0] for curve in (unit, other)}
    assert low[unit] > low[other]
    merged = bounds("average_precision", unit + other)[0]
    assert merged == pytest.approx(bounds("average_precision", other + other)[0], abs=ROUNDING)
