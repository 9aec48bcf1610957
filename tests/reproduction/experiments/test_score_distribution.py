"""The population of calibrated probabilities that follow a distribution."""

import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from calibrated_metrics import ConfusionCurve, scores, spaces
from reproduction.label_free.score_distribution import curve_of_distribution

pytestmark = pytest.mark.filterwarnings("error")


def counts_of_beta(a, b):
    """∫_t^1 x f and ∫_t^1 (1 - x) f of Beta(a, b), through the incomplete beta function."""
    return lambda t: (
        a / (a + b) * special.betaincc(a + 1, b, t),
        b / (a + b) * special.betaincc(a, b + 1, t),
    )


def counts_of_uniform(low, high):
    def counts(t):
        t = np.clip(t, low, high)
        tp = (high**2 - t**2) / 2 / (high - low)
        return tp, (high - t) / (high - low) - tp

    return counts


# Scores known by their histogram: a survival function with kinks, and one empty bin.
BIN_WEIGHTS, BIN_EDGES = np.array([1, 4, 2, 0, 3]), np.array([0, 1 / 7, 1 / 3, 2 / 3, 0.9, 1])


def counts_of_histogram(t):
    low, high = (
        np.maximum(ends, np.expand_dims(t, -1)) for ends in (BIN_EDGES[:-1], BIN_EDGES[1:])
    )
    density = BIN_WEIGHTS / 10 / np.diff(BIN_EDGES)
    tp = (density * (high**2 - low**2) / 2).sum(axis=-1)
    return tp, (density * (high - low)).sum(axis=-1) - tp


DISTRIBUTIONS = {
    "histogram": (
        stats.rv_histogram((BIN_WEIGHTS, BIN_EDGES), density=False)(),
        counts_of_histogram,
    ),
    "powerlaw 2": (
        stats.powerlaw(2),
        lambda t: (2 * (1 - t**3) / 3, (1 - t**2) - 2 * (1 - t**3) / 3),
    ),
    "uniform": (stats.uniform(), counts_of_uniform(0, 1)),
    "uniform on [0.2, 0.7]": (stats.uniform(0.2, 0.5), counts_of_uniform(0.2, 0.7)),
    "uniform on [0, 0.5]": (stats.uniform(0, 0.5), counts_of_uniform(0, 0.5)),
} | {
    f"beta{a, b}": (stats.beta(a, b), counts_of_beta(a, b))
    for a, b in ((2, 1), (0.2, 0.3), (2, 3), (50, 50), (0.5, 300))
}
each_distribution = pytest.mark.parametrize(
    ("dist", "counts"), DISTRIBUTIONS.values(), ids=DISTRIBUTIONS
)
BETWEEN = [0.5, -1, 0, 0.123, 0.35, 0.777, 0.95, 1, 2, -np.inf, np.inf, 0.5]
NEAR_THE_ENDS = 10.0 ** -np.arange(2, 16)
THRESHOLDS = np.array([*BETWEEN, *NEAR_THE_ENDS, *(1 - NEAR_THE_ENDS)])


@pytest.mark.parametrize("n_thresholds", [2, 11, 1001])
@each_distribution
def test_vertices_are_equally_spaced_with_the_counts_in_closed_form(dist, counts, n_thresholds):
    curve = curve_of_distribution(dist, n_thresholds=n_thresholds)
    thresholds = np.linspace(1, 0, n_thresholds)
    np.testing.assert_array_equal(curve.thresholds, [np.inf, *thresholds[1:]])
    tp, fp = counts(thresholds)
    np.testing.assert_allclose(curve.tp, tp, atol=1e-10)
    np.testing.assert_allclose(curve.fp, fp, atol=1e-10)
    assert (curve.tp[0], curve.fp[0]) == (0, 0)
    assert curve.n_pos + curve.n_neg == pytest.approx(1, abs=1e-10)
    assert curve.prior == pytest.approx(dist.mean(), abs=1e-10)


@pytest.mark.parametrize("n_thresholds", [2, 11, 101])
@each_distribution
def test_counts_are_exact_at_any_threshold_whatever_the_vertices(dist, counts, n_thresholds):
    curve = curve_of_distribution(dist, n_thresholds=n_thresholds)
    tp, fp = counts(np.clip(THRESHOLDS, 0, 1))
    matrices = curve.confusion_matrix(THRESHOLDS)
    np.testing.assert_allclose(matrices.tp, tp, atol=1e-10)
    np.testing.assert_allclose(matrices.fp, fp, atol=1e-10)
    np.testing.assert_allclose(matrices.fn, dist.mean() - tp, atol=1e-10)
    np.testing.assert_allclose(matrices.tn, 1 - dist.mean() - fp, atol=1e-10)
    calibrated = curve.at_prior(0.1).confusion_matrix(THRESHOLDS)
    ratio = curve.n_pos / curve.n_neg * 9
    np.testing.assert_array_equal(calibrated.tp, matrices.tp)
    np.testing.assert_allclose(calibrated.fp, matrices.fp * ratio, rtol=1e-14)
    one = curve.confusion_matrix(0.35)
    assert (one.tp, one.fp) == pytest.approx(counts(np.array(0.35)), abs=1e-10)


@each_distribution
def test_counts_are_monotone_and_within_the_totals(dist, counts):
    curve = curve_of_distribution(dist, n_thresholds=11)
    matrices = curve.confusion_matrix(np.linspace(1.1, -0.1, 61))
    for of_class, total in ((matrices.tp, curve.n_pos), (matrices.fp, curve.n_neg)):
        assert (np.diff(of_class) >= 0).all()
        assert of_class[0] == 0
        assert total * (1 - 1e-10) <= of_class[-1] <= total


@pytest.mark.parametrize("n_thresholds", [11, 1001])
@pytest.mark.parametrize("threshold", [-math.inf, 0.0, "low"])
@each_distribution
def test_nothing_lies_below_the_support(dist, counts, threshold, n_thresholds):
    threshold = dist.support()[0] if threshold == "low" else threshold
    matrix = curve_of_distribution(dist, n_thresholds=n_thresholds).confusion_matrix(threshold)
    assert (matrix.fn, matrix.tn) == (0, 0)
    with pytest.raises(ValueError, match="npv is undefined"):
        scores.npv(matrix)


def test_a_distribution_has_its_integrals():
    """Against quadrature; u = x^a removes the singularity at 0 of Beta(0.2, 0.3)."""
    a, b = 0.2, 0.3
    curve = curve_of_distribution(stats.beta(a, b), n_thresholds=2)
    norm = special.beta(a, b)
    for threshold in (1e-9, 1e-4, 0.01, 0.2, 0.35, 0.5):
        below = [
            integrate.quad(
                lambda u, a, b: (1 - u ** (1 / a)) ** (b - 1) / a,
                *(0, threshold**a1),
                args=(a1, b1),
                epsabs=1e-13,
                epsrel=1e-13,
            )[0]
            / norm
            for a1, b1 in ((a + 1, b), (a, b + 1))
        ]
        matrix = curve.confusion_matrix(threshold)
        assert (matrix.fn, matrix.tn) == pytest.approx(tuple(below), abs=1e-11)


def test_samples_tend_to_their_distribution():
    y_prob = stats.beta(0.2, 0.3).rvs(200_000, random_state=np.random.default_rng(3))
    population = curve_of_distribution(stats.beta(0.2, 0.3), n_thresholds=2)
    of_sample, of_population = (
        curve.confusion_matrix(np.linspace(0, 1, 21))
        for curve in (ConfusionCurve.from_probabilities(y_prob), population)
    )
    for name in ("tp", "fp", "fn", "tn"):
        np.testing.assert_allclose(
            getattr(of_sample, name) / len(y_prob),
            getattr(of_population, name),
            atol=4 * 0.5 / math.sqrt(len(y_prob)),
        )


@pytest.mark.parametrize("pi0", [None, 0.01, 0.3, 0.9])
def test_metrics_of_uniform_scores_are_known(pi0):
    """TP = (1 - t²)/2 and FP = (1 - t)²/2."""
    t = np.linspace(0.05, 0.95, 19)
    curve = curve_of_distribution(stats.uniform(), n_thresholds=11)
    matrix = (curve if pi0 is None else curve.at_prior(pi0)).confusion_matrix(t)
    pi0 = 0.5 if pi0 is None else pi0
    tpr, fpr = 1 - t**2, (1 - t) ** 2
    np.testing.assert_allclose(scores.recall(matrix), tpr, atol=1e-13)
    np.testing.assert_allclose(scores.specificity(matrix), 1 - fpr, atol=1e-13)
    expected = pi0 * tpr / (pi0 * tpr + (1 - pi0) * fpr)
    np.testing.assert_allclose(scores.precision(matrix), expected, rtol=1e-12)
    expected = (1 - pi0) * (1 - fpr) / ((1 - pi0) * (1 - fpr) + pi0 * (1 - tpr))
    np.testing.assert_allclose(scores.npv(matrix), expected, rtol=1e-10)  # FN and TN are small
    expected = pi0 * tpr + (1 - pi0) * (1 - fpr)
    np.testing.assert_allclose(scores.accuracy(matrix), expected, rtol=1e-12)


def test_uniform_scores_have_known_areas():
    """Precision is (1 + t)/2."""
    curve = curve_of_distribution(stats.uniform(), n_thresholds=20_001)
    area, _ = integrate.quad(lambda t: 2 * t * (1 + t) / 2, 0, 1)
    assert scores.pr_auc(curve) == pytest.approx(area, abs=1e-7)
    assert scores.roc_auc(curve) == pytest.approx(5 / 6, abs=1e-7)
    assert scores.best_fbeta(curve) == pytest.approx(
        max((1 - t**2) / ((1 - t) + 0.5) for t in np.linspace(0, 1, 20_001)), abs=1e-12
    )


@pytest.mark.parametrize(
    "dist", [stats.triang(0, scale=0.5), stats.beta(2, 3, 0, 0.1)], ids=["triangle", "beta"]
)
def test_coordinates_are_finite_where_a_density_is_zero(dist):
    curve = curve_of_distribution(dist, n_thresholds=11)
    assert curve.tp[1] + curve.fp[1] == 0
    for space in (
        *(spaces.roc, spaces.recall_precision, spaces.recall_precision_gain),
        *(spaces.achievable_recall_precision, lambda c: spaces.roc(spaces.interpolated(c))),
    ):
        assert np.isfinite(space(curve)).all()


@pytest.mark.parametrize(
    "dist", [stats.norm(), stats.uniform(0, 2), stats.uniform(-0.1, 0.5), stats.expon()]
)
def test_scores_outside_the_unit_interval_are_refused(dist):
    with pytest.raises(ValueError, match=r"dist must have its support within \[0, 1\]"):
        curve_of_distribution(dist, n_thresholds=11)
