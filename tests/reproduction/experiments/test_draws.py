"""Random draws of the rows of a curve: what is kept, what is known, and the laws of the counts."""

import math
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import oracle
import pytest
from hypothesis import given
from scipy import stats

from calibrated_metrics import ConfusionCurve, scores, spaces
from reproduction.fraud.draws import n_negatives_kept, resample, undersample

pytestmark = pytest.mark.filterwarnings("error")

Y_TRUE = [0, 1, 0, 0, 1, 0, 1, 0, 0, 0]
Y_SCORE = [9, 8, 8, 7, 6, 5, 4, 3, 2, 1]
SCORES = [
    (getattr(scores, name), getattr(oracle, name))
    for name in ("average_precision", "pr_auc", "achievable_pr_auc", "prg_auc", "roc_auc")
] + [(scores.best_fbeta, oracle.best_fbeta)]


@pytest.fixture
def curve():
    return ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)


@pytest.fixture(scope="module")
def wider_curve():
    rng = np.random.default_rng(31)
    y_true = np.repeat([1, 0], [12, 60])
    return ConfusionCurve.from_predictions(y_true, np.round(rng.normal(size=72) + y_true, 1))


@pytest.fixture(scope="module")
def counts_curve():
    """Bins of a score, one of them empty, one with negatives only."""
    return ConfusionCurve.from_counts([0.9, 0.7, 0.5, 0.3, 0.1], [6, 5, 0, 1, 0], [2, 5, 0, 23, 30])


DRAWS = {
    "undersample": lambda curve, seed, **options: undersample(
        curve, 0.5, np.random.default_rng(seed), **options
    ),
    "resample": lambda curve, seed, **options: resample(
        curve, np.random.default_rng(seed), **options
    ),
}


@pytest.fixture(params=DRAWS.values(), ids=DRAWS)
def draw(request):
    return request.param


def counts_at(curve, threshold):
    matrix = curve.confusion_matrix(threshold)
    return matrix.tp, matrix.fp


def arrays_of(curve):
    return curve.thresholds, curve.tp, curve.fp


def assert_same(curve, other):
    for values, others in zip(arrays_of(curve), arrays_of(other), strict=True):
        np.testing.assert_array_equal(values, others)


# ------------------------------------------------------------------------ what is kept


@pytest.mark.parametrize("pi0", [0.3, 0.31, 0.4, 0.5, 0.6, 0.75])
def test_undersampling_keeps_the_positives_and_so_many_negatives(curve, pi0):
    n_kept = math.floor(Fraction(str(pi0)) ** -1 * 3 - 3)
    assert n_negatives_kept(curve, pi0) == n_kept
    for seed in range(20):
        drawn = undersample(curve, pi0, np.random.default_rng(seed))
        np.testing.assert_array_equal(drawn.tp, curve.tp)
        np.testing.assert_array_equal(drawn.thresholds, curve.thresholds)
        assert (drawn.n_pos, drawn.n_neg) == (3, n_kept)
        assert (np.diff(drawn.fp) <= np.diff(curve.fp)).all()
        np.testing.assert_array_equal(drawn.fp, np.round(drawn.fp))


@pytest.mark.parametrize("n_pos", [1, 2, 3, 147, 492, 1000])
def test_number_kept_is_the_floor_in_exact_arithmetic(n_pos):
    curve = ConfusionCurve.from_roc([0, 1], [0, 1], n_pos, 10**6)
    decimals = ["0.001", "0.1", "0.2", "0.25", "0.3", "0.05", "0.01", "0.4", "0.00172", "0.5"]
    for decimal in decimals:
        exact = n_pos * (1 - Fraction(decimal)) / Fraction(decimal)
        if exact >= 1:
            assert n_negatives_kept(curve, float(decimal)) == math.floor(exact), decimal
    for n_kept in (1, 2, 3, 10, 999, 12_345, 999_999, 10**6):
        assert n_negatives_kept(curve, n_pos / (n_pos + n_kept)) == n_kept


def test_priors_out_of_reach_are_refused(curve, wider_curve):
    assert n_negatives_kept(curve, 0.75) == 1
    for pi0, message in ((0.29, r"pi0=0\.29.*at least the prior 0\.3"), (0.76, "at most 0.75")):
        for use in (n_negatives_kept, lambda *given: undersample(*given, np.random.default_rng(0))):
            with pytest.raises(ValueError, match=message):
                use(curve, pi0)


def test_undersampling_at_the_prior_keeps_everything(curve, wider_curve, counts_curve):
    for each in (curve, wider_curve, counts_curve):
        assert_same(undersample(each, each.prior, np.random.default_rng(0)), each)


def test_resampling_keeps_the_size_of_each_class(curve, counts_curve):
    for each in (curve, counts_curve, curve.hull()):
        drawn = resample(each, np.random.default_rng(0))
        assert (drawn.n_pos, drawn.n_neg) == (each.n_pos, each.n_neg)
        np.testing.assert_array_equal(drawn.thresholds, each.thresholds)


def test_only_whole_numbers_of_rows_can_be_drawn(draw):
    for fractional in (
        ConfusionCurve.from_counts([1, 2], [1, 2], [2.5, 2.5]),
        ConfusionCurve.from_probabilities(np.array(Y_SCORE) / 20),
        ConfusionCurve.from_binormal(1, 0, 0.2, n_thresholds=11),
    ):
        with pytest.raises(ValueError, match="a random draw needs whole numbers of rows"):
            draw(fractional, 0)


def test_a_class_of_a_billion_rows_is_too_large_for_numpy(draw):
    largest = ConfusionCurve.from_counts([1, 2], [0, 1e9 - 1], [1e9 - 6, 5])
    assert draw(largest, 0).n_pos == 1e9 - 1
    for n_neg in (1e9, 1e19):
        curve = ConfusionCurve.from_counts([1, 2], [0, 1e9], [n_neg - 6, 6])
        with pytest.raises(ValueError, match="a random draw takes at most 999999999 rows"):
            draw(curve, 0)


def test_draws_leave_the_curve_as_it_was_and_advance_their_generator(wider_curve):
    before = [values.copy() for values in arrays_of(wider_curve)]
    rng = np.random.default_rng(0)
    drawn = [undersample(wider_curve, 0.5, rng, thresholds=[2.55]) for _ in range(2)]
    drawn += [resample(wider_curve, rng, thresholds=[2.55]) for _ in range(2)]
    for values, original in zip(arrays_of(wider_curve), before, strict=True):
        np.testing.assert_array_equal(values, original)
    for one, other in (drawn[:2], drawn[2:]):
        assert not np.array_equal(one.fp, other.fp)


# ------------------------------------------------------------------------ thresholds given


@st.composite
def rows(draw):
    """Labels and scores with many ties; both classes are present."""
    y_true = draw(st.permutations([0, 1, *draw(st.lists(st.integers(0, 1), max_size=22))]))
    n = len(y_true)
    return y_true, draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n))


@given(rows(), st.lists(st.integers(-10, 10).map(lambda x: x / 2), max_size=4), st.integers(0, 99))
def test_draws_know_their_counts_at_the_thresholds_given(sample, thresholds, seed):
    curve, rng = ConfusionCurve.from_predictions(*sample), np.random.default_rng(seed)
    thresholds = [*thresholds, 100, -100]
    pi0 = curve.n_pos / (curve.n_pos + max(1, curve.n_neg // 2))
    own = curve.confusion_matrix(thresholds)
    for drawn in (
        undersample(curve, pi0, rng, thresholds=thresholds),
        resample(curve, rng, thresholds=thresholds),
    ):
        matrix = drawn.confusion_matrix(thresholds)
        assert (matrix.tp + matrix.fn == drawn.n_pos).all()
        assert (matrix.fp + matrix.tn == drawn.n_neg).all()
        for counts in ("tp", "fp", "fn", "tn"):  # nothing is drawn where nothing is
            assert (getattr(matrix, counts)[getattr(own, counts) == 0] == 0).all()
        calibrated = drawn.at_prior(0.3).confusion_matrix(thresholds)
        np.testing.assert_array_equal(calibrated.tp, matrix.tp)


@pytest.mark.parametrize("pi0", [None, 0.01, 0.9])
def test_a_draw_of_everything_has_the_counts_and_the_scores_of_the_curve(curve, pi0):
    thresholds = [2.5, 7.5, 100, -100, *Y_SCORE]
    drawn = undersample(curve, curve.prior, np.random.default_rng(0), thresholds=thresholds)
    assert len(drawn) > len(curve)
    before, after = (each if pi0 is None else each.at_prior(pi0) for each in (curve, drawn))
    for threshold in thresholds:
        assert counts_at(after, threshold) == counts_at(before, threshold)
    for score, _ in SCORES:
        assert score(after) == pytest.approx(score(before), rel=1e-13)


def test_order_and_repeats_of_the_thresholds_given_do_not_matter(curve, draw):
    once = draw(curve, 0, thresholds=[2.5, 5.5])
    for thresholds in ((5.5, 2.5, 2.5), iter([5.5, 2.5]), np.array([5.5, 2.5])):
        assert_same(draw(curve, 0, thresholds=thresholds), once)
    for thresholds in ([], [6, 4]):  # none, and vertices
        assert_same(draw(curve, 0, thresholds=thresholds), draw(curve, 0))


def test_draws_know_only_their_vertices_and_what_they_were_given(curve, draw):
    drawn = draw(curve, 0, thresholds=[2.5])
    again = resample(drawn, np.random.default_rng(0), thresholds=[2.5, 6, 100])
    assert counts_at(again, 100) == (0, 0)
    assert counts_at(again, 2.5)[0] == drawn.n_pos
    with pytest.raises(ValueError, match=r"threshold=1\.5 is not a vertex"):
        drawn.confusion_matrix(1.5)
    with pytest.raises(ValueError, match=r"threshold=1\.5 is not a vertex"):
        resample(drawn, np.random.default_rng(0), thresholds=[1.5])
    with pytest.raises(ValueError, match="only curves that hold their rows can be added"):
        drawn + curve


def test_unknown_thresholds_cannot_be_kept(draw):
    curve = ConfusionCurve.from_roc([0, 0.5, 1], [0, 1, 1], 4, 8)
    assert draw(curve, 0).n_pos == 4
    with pytest.raises(ValueError, match="the thresholds of this curve are unknown"):
        draw(curve, 0, thresholds=[0.5])


# ------------------------------------------------------------------------ laws of the counts


def within(sample_mean, mean, variance, n, sigmas=5.0):
    """`n` independent draws have this mean, within `sigmas` standard errors."""
    return np.all(np.abs(sample_mean - mean) <= sigmas * np.sqrt(np.asarray(variance) / n) + 1e-12)


def assert_law(draws, laws):
    """Mean and variance of each column are those of its law."""
    n = len(draws)
    mean, variance, _, excess = np.array([law.stats("mvsk") for law in laws], dtype=float).T
    fourth = variance**2 * (excess + 3)
    assert within(draws.mean(axis=0), mean, variance, n)
    assert within(draws.var(axis=0, ddof=1), variance, fourth - np.square(variance), n)


@pytest.mark.parametrize("name", ["wider_curve", "counts_curve"])
def test_undersampled_counts_are_hypergeometric(name, request):
    curve, rng, n_draws = request.getfixturevalue(name), np.random.default_rng(37), 8000
    draws = np.array([undersample(curve, 0.4, rng).fp for _ in range(n_draws)])
    assert (draws[:, -1] == 18).all()
    inside = (curve.fp > 0) & (curve.fp < 60)
    laws = [stats.hypergeom(60, int(fp), 18) for fp in curve.fp[inside]]
    assert_law(draws[:, inside], laws)
    # The gaps share a fixed total: their covariance is -k_i k_j m (N - m) / (N² (N - 1)).
    gaps = np.diff(draws, axis=1)
    sizes = np.diff(curve.fp)
    largest = np.argsort(sizes)[-2:]
    expected = -np.prod(sizes[largest]) * 18 * (60 - 18) / (60**2 * 59)
    centred = gaps[:, largest] - 18 * sizes[largest] / 60
    products = centred.prod(axis=1)
    assert within(products.mean(), expected, products.var(), n_draws)


@pytest.mark.parametrize("name", ["wider_curve", "counts_curve"])
def test_resampled_counts_are_multinomial_and_the_classes_independent(name, request):
    curve, rng, n_draws = request.getfixturevalue(name), np.random.default_rng(41), 8000
    drawn = [resample(curve, rng) for _ in range(n_draws)]
    tp, fp = (np.array([getattr(each, name) for each in drawn]) for name in ("tp", "fp"))
    for draws, counts, total in ((tp, curve.tp, 12), (fp, curve.fp, 60)):
        assert (draws[:, -1] == total).all()
        inside = (counts > 0) & (counts < total)
        laws = [stats.binom(total, count / total) for count in counts[inside]]
        assert_law(draws[:, inside], laws)
    middle = len(curve) // 2
    correlation = np.corrcoef(tp[:, middle], fp[:, middle])[0, 1]
    assert abs(correlation) < 5 / math.sqrt(n_draws)


def test_spread_of_resampled_precision_at_a_small_prior():
    """TP and FP at a threshold are binomial with the sizes of the rows; calibration scales FP.

    A draw of 396 calibrated negatives, or of 4000 for 40 rows, would have another spread.
    """
    rng, n_draws, threshold = np.random.default_rng(47), 4000, 0.3
    y_true = np.repeat([1, 0], [4, 40])
    curve = ConfusionCurve.from_predictions(y_true, rng.normal(size=44) + 1.5 * y_true)
    tp, fp = counts_at(curve, threshold)
    assert (0 < tp < 4, 0 < fp < 40) == (True, True)
    weight = 4 * 99 / 40
    drawn = [resample(curve, rng, thresholds=[threshold]).at_prior(0.01) for _ in range(n_draws)]
    counts = np.array([counts_at(each, threshold) for each in drawn])
    laws = stats.binom(4, tp / 4), stats.binom(40, fp / 40)
    assert_law(counts / [1, weight], laws)
    # Where TP and FP are 0, count precision as 0: the same in both.
    values = counts[:, 0] / np.maximum(counts.sum(axis=1), 1e-9)
    k, m = np.arange(5), np.arange(41)
    probability = np.outer(laws[0].pmf(k), laws[1].pmf(m))
    precision = k[:, None] / np.maximum(k[:, None] + weight * m, 1e-9)
    mean = (probability * precision).sum()
    variance, fourth = ((probability * (precision - mean) ** p).sum() for p in (2, 4))
    assert within(values.mean(), mean, variance, n_draws)
    assert within(values.var(ddof=1), variance, fourth - variance**2, n_draws)


def test_scores_and_coordinates_of_any_draw_are_defined(wider_curve, curve):
    rng = np.random.default_rng(43)
    with np.errstate(all="raise"):
        for _ in range(50):
            for drawn in (
                *(undersample(wider_curve, 0.5, rng), resample(wider_curve, rng)),
                *(undersample(curve, 0.5, rng), resample(curve, rng, thresholds=[100, 200])),
            ):
                points = zip(drawn.tp.tolist(), drawn.fp.tolist(), strict=True)
                ranking = oracle.Ranking.of_points(points)
                for score, exact in SCORES:
                    assert oracle.error(score(drawn), exact(ranking)) < 1e-12
                for space in (spaces.roc, spaces.recall_precision, spaces.recall_precision_gain):
                    assert np.isfinite(space(drawn)).all()
