"""Davis & Goadrich's theorems, each against exact arithmetic from its definition."""

import itertools
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import oracle
import pytest
from hypothesis import example, given

from calibrated_metrics import ConfusionCurve, spaces
from calibrated_metrics.dominance import Comparison, compare

pytestmark = pytest.mark.filterwarnings("error")


def dominates(curve, other):
    """Whether the first curve lies nowhere below the other."""
    return "other" not in compare(curve, other).leaders


def test_labels_and_scores_are_curves():
    better, worse = ([1, 1, 0, 0], [4, 2, 3, 1]), ([1, 1, 0, 0], [4, 1, 3, 2])
    curves = [ConfusionCurve.from_predictions(*rows) for rows in (better, worse)]
    assert compare(better, worse) == compare(*curves)
    assert dominates(better, worse)
    assert not dominates(worse, better)
    with pytest.raises(TypeError, match=r"other must be a ConfusionCurve or a pair .*, got 'rows'"):
        compare(better, "rows")


PRIORS = st.sampled_from([1e-6, 0.01, 0.3, 0.5, 0.99, 1 - 1e-6])
STEPS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any), max_size=6)


@st.composite
def rankings(draw):
    """Confusion matrices of whole numbers, ties and runs of either class among them."""
    d_tp, d_fp = np.array([*draw(STEPS), *draw(st.permutations([(1, 0), (0, 1)]))]).T
    points = zip([0, *np.cumsum(d_tp)], [0, *np.cumsum(d_fp)], strict=True)
    return oracle.Ranking.of_points((int(tp), int(fp)) for tp, fp in points)


@st.composite
def pairs(draw):
    """Two rankings, often with one made from the other, so that curves touch and dominate."""
    ranking = draw(rankings())
    other = draw(
        st.one_of(rankings(), st.sampled_from([ranking, oracle.hull(ranking), _worse(ranking)]))
    )
    return draw(st.permutations([ranking, other]))


def _worse(ranking):
    """All negatives above the first positive: only the end of the curve is left."""
    last = max(fp for tp, fp in ranking.points if tp < ranking.n_pos)
    return oracle.Ranking.of_points([(0, 0), (0, last), (ranking.n_pos, ranking.n_neg)])


def curve_of(ranking, pi0=None):
    tp, fp = np.array([[float(tp), float(fp)] for tp, fp in ranking.points]).T
    curve = ConfusionCurve(np.full(len(tp), np.nan), tp, fp)
    return curve if pi0 is None else curve.at_prior(pi0)


# --------------------------------------------------------------------- exact, by definition


def value_within(path, x):
    """y at x, which is not a vertex, on the straight segment above x."""
    for (x0, y0), (x1, y1) in itertools.pairwise(path):
        if x0 < x < x1:
            return y0 + (x - x0) / (x1 - x0) * (y1 - y0)
    raise AssertionError(f"nothing runs over {x}")


def limits(path, other, value=value_within):
    """Differences at both ends of each interval between vertices, where they are linear."""
    breaks = sorted({x for x, _ in (*path, *other)})
    for low, high in itertools.pairwise(breaks):
        first, second = (
            value(path, x) - value(other, x)
            for x in (low + (high - low) / 3, low + 2 * (high - low) / 3)
        )
        yield low, 2 * first - second
        yield high, 2 * second - first


def roc_path(ranking):
    return [(fp / ranking.n_neg, tp / ranking.n_pos) for tp, fp in ranking.points]


def dominates_in_roc(ranking, other):
    return all(gap >= 0 for _, gap in limits(roc_path(ranking), roc_path(other)))


# ---------------------------------------------------------------------------- Theorem 3.1


@given(rankings(), st.one_of(st.none(), PRIORS))
def test_the_coordinates_of_either_space_give_those_of_the_other(ranking, pi0):
    curve = curve_of(ranking, pi0)
    fpr, tpr = spaces.roc(curve)
    recall, precision = spaces.recall_precision(curve)
    found = recall > 0
    np.testing.assert_array_equal(tpr, recall)
    odds = curve.n_pos / curve.n_neg
    np.testing.assert_allclose(
        recall[found] * (1 / precision[found] - 1) * odds,
        fpr[found],
        rtol=1e-9,
        atol=1e-14 * max(1.0, odds),
    )
    np.testing.assert_allclose(
        tpr[found] / (tpr[found] + fpr[found] / odds), precision[found], rtol=1e-12
    )


# ---------------------------------------------------------------------------- Theorem 3.2


@given(pairs(), PRIORS)
def test_dominance_is_the_exact_one_at_any_prior(pair, pi0):
    expected = dominates_in_roc(*pair)
    assert dominates(*map(curve_of, pair)) == expected
    calibrated = [curve_of(ranking, pi0) for ranking in pair]
    assert dominates(*calibrated) == expected


# ------------------------------------------------------------------------- where they cross


@given(pairs())
@example([oracle.Ranking.of_points(((0, 0), (0, 1), (2, 1), (2, 2))),
          oracle.Ranking.of_points(((0, 0), (1, 0), (1, 2), (2, 2)))])  # fmt: skip
def test_leaders_are_the_exact_ones(pair):
    comparison = compare(*map(curve_of, pair))
    recalls = [crossing.tpr for crossing in comparison.crossings]
    assert len(comparison.leaders) == (len(recalls) + 1 if comparison.leaders else 0)
    assert recalls == sorted(recalls)
    assert all(one != next_ for one, next_ in itertools.pairwise(comparison.leaders))

    paths = [[(tpr, fpr) for fpr, tpr in roc_path(ranking)] for ranking in pair]
    breaks = sorted({x for x, _ in itertools.chain(*paths)} | set(map(Fraction, recalls)))
    seen = set()
    for low, high in itertools.pairwise(breaks):
        if high - low < 1e-9:  # a crossing that is a breakpoint but for its rounding
            continue
        recall = (low + high) / 2
        first, second = (value_within(path, recall) for path in paths)
        if abs(first - second) > 1e-9:
            stretch = sum(crossed < recall for crossed in recalls)
            assert comparison.leaders[stretch] == ("curve" if first < second else "other")
            seen.add(stretch)
    assert seen == set(range(len(comparison.leaders)))


@given(pairs())
def test_crossings_lie_on_both_curves(pair):
    for fpr, tpr in compare(*map(curve_of, pair)).crossings:
        for ranking in pair:
            segments = itertools.pairwise(roc_path(ranking))
            assert min(_distance((fpr, tpr), *ends) for ends in segments) < 1e-12


def _distance(point, start, end):
    point, start, end = (np.array(each, dtype=float) for each in (point, start, end))
    along = end - start
    length2 = along @ along
    share = np.clip((point - start) @ along / length2, 0, 1) if length2 else 0.0
    return np.linalg.norm(start + share * along - point)


@given(pairs())
def test_the_other_way_round_the_crossings_are_the_same(pair):
    curve, other = map(curve_of, pair)
    swapped = {"curve": "other", "other": "curve"}
    one, reverse = compare(curve, other), compare(other, curve)
    assert one.leaders == tuple(swapped[leader] for leader in reverse.leaders)
    np.testing.assert_allclose(one.crossings, reverse.crossings, rtol=1e-12, atol=1e-15)


def _roc(*points, n_pos=20, n_neg=2000):
    fpr, tpr = zip(*points, strict=True)
    return ConfusionCurve.from_roc(tpr=tpr, fpr=fpr, n_pos=n_pos, n_neg=n_neg)


def test_curves_that_only_touch_do_not_cross():
    upper = _roc((0, 0), (0.2, 0.6), (1, 1))
    lower = _roc((0, 0), (0.1, 0.1), (0.2, 0.6), (0.5, 0.6), (1, 1))
    assert compare(upper, lower) == Comparison(("curve",), ())
    assert compare(lower, upper) == Comparison(("other",), ())


def test_of_a_stretch_in_common_the_end_counts_as_the_crossing():
    first = _roc((0, 0), (0.1, 0.4), (0.5, 0.8), (0.8, 0.9), (1, 1))
    second = _roc((0, 0), (0.2, 0.5), (0.4, 0.7), (0.6, 1), (1, 1))
    comparison = compare(first, second)
    assert comparison.leaders == ("curve", "other")
    ((fpr, tpr),) = comparison.crossings
    assert (fpr, tpr) == pytest.approx((0.4, 0.7))


# ---------------------------------------------------------------------------- Corollary 3.1


@given(rankings(), st.one_of(st.none(), PRIORS))
def test_the_achievable_curve_is_the_image_of_the_roc_hull(ranking, pi0):
    shown = np.stack(spaces.recall_precision(curve_of(ranking, pi0).hull()))[:, 1:].T
    hull = oracle.hull(ranking.by_reweighting(pi0))
    for tp, fp in hull.points:
        if tp > 0:
            corner = float(hull.recall_of(tp)), float(hull.precision_of(tp, fp))
            assert np.isclose(shown, corner, rtol=1e-12, atol=0).all(axis=1).any()


# ------------------------------------------------------------------- what rounding must not do


@given(rankings(), st.integers(1, 9), PRIORS)
def test_a_curve_dominates_itself_at_any_prior_and_of_replicated_samples(ranking, k, pi0):
    more = curve_of(oracle.Ranking.of_points((k * tp, (k + 1) * fp) for tp, fp in ranking.points))
    curve = curve_of(ranking)
    for same in (curve, curve_of(ranking, pi0), more):
        assert compare(curve, same) == Comparison((), ())
        assert dominates(curve, same)
        assert dominates(same, curve)


@pytest.mark.parametrize("pi0", [1e-9, 0.01, 0.7])
@pytest.mark.parametrize("scale", [1.0, 3.3, 1e-7])
def test_roundings_of_weights_and_priors_are_ties(scale, pi0):
    rng = np.random.default_rng(3)
    y_true, y_score, weights = rng.random(20_000) < 0.2, rng.random(20_000), rng.random(20_000)
    curve = ConfusionCurve.from_predictions(y_true, y_score, sample_weight=weights)
    scaled = ConfusionCurve.from_predictions(
        y_true, y_score, sample_weight=scale * weights
    ).at_prior(pi0)
    assert compare(curve, scaled) == Comparison((), ())
    assert dominates(curve, scaled)
    assert dominates(scaled, curve)


@pytest.mark.parametrize("share", [0.11, 0.23, 0.37, 0.59, 0.83])
def test_a_rounded_vertex_on_a_steep_segment_is_a_tie(share):
    """A last bit of the recall is worth 1e-6 of the false positive rate there."""
    low, high = (0.1, 0.5), (0.9, 0.5 + 1e-10)
    between = (0.1 + share * 0.8, 0.5 + share * 1e-10)
    plain, more = _roc((0, 0), low, high, (1, 1)), _roc((0, 0), low, between, high, (1, 1))
    assert compare(plain, more) == Comparison((), ())


def test_differences_among_the_rarest_false_positives_are_seen():
    """FPRs of 1e-17, which an absolute tolerance could not distinguish."""
    low, high = (
        ConfusionCurve.from_roc(tpr=[0, 0.5, 1], fpr=[0, fpr, 1], n_pos=1, n_neg=1)
        for fpr in (1e-17, 1.001e-17)
    )
    assert dominates(low, high)
    assert not dominates(high, low)


def test_curves_that_begin_without_a_count():
    """A random draw can leave several vertices at (0, 0)."""
    empty = ConfusionCurve.from_roc(tpr=[0, 0, 0.75, 1], fpr=[0, 0, 0.5, 1], n_pos=4, n_neg=4)
    plain = ConfusionCurve.from_roc(tpr=[0, 0.75, 1], fpr=[0, 0.5, 1], n_pos=4, n_neg=4)
    assert compare(empty, plain) == Comparison((), ())
