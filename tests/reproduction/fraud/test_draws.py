"""Random draws of the rows of a curve: what is kept, what is known, and the laws of the counts."""

import math
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from calibrated_metrics import ConfusionCurve
from reproduction.fraud.draws import n_negatives_kept, resample, undersample

pytestmark = pytest.mark.filterwarnings("error")

Y_TRUE = [0, 1, 0, 0, 1, 0, 1, 0, 0, 0]
Y_SCORE = [9, 8, 8, 7, 6, 5, 4, 3, 2, 1]


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


def test_only_whole_numbers_of_rows_can_be_drawn(draw):
    with pytest.raises(ValueError, match="a random draw needs whole numbers of rows"):
        draw(ConfusionCurve.from_counts([1, 2], [1, 2], [2.5, 2.5]), 0)


def test_undersampling_at_the_prior_keeps_everything(curve, wider_curve, counts_curve):
    for each in (curve, wider_curve, counts_curve):
        assert_same(undersample(each, each.prior, np.random.default_rng(0)), each)


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


def test_order_and_repeats_of_the_thresholds_given_do_not_matter(curve, draw):
    once = draw(curve, 0, thresholds=[2.5, 5.5])
    for thresholds in ((5.5, 2.5, 2.5), iter([5.5, 2.5]), np.array([5.5, 2.5])):
        assert_same(draw(curve, 0, thresholds=thresholds), once)
    for thresholds in ([], [6, 4]):  # none, and vertices
        assert_same(draw(curve, 0, thresholds=thresholds), draw(curve, 0))


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
