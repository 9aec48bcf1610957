"""Label-free metrics: exact matrices, honest uncertainty, another prior, the premise checked."""

import functools
import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import oracle
import pytest
from scipy import integrate, stats

from calibrated_metrics import ConfusionCurve, label_free, scores
from calibrated_metrics.label_free import (
    ConfusionMatrix,
    calibration_error,
    calibration_test,
    check_calibration,
    estimate,
    expected_confusion_matrix,
    labelled_confusion_matrix,
    population_confusion_matrix,
    rebase,
    threshold_metrics,
)
from calibrated_metrics.metrics import UndefinedMetricWarning

pytestmark = pytest.mark.filterwarnings("error")

Y_PROB = [0.25, 0.5, 0.5, 0.125, 1.0, 0.0, 0.75, 0.5, 0.875]
Y_TRUE = [0, 1, 0, 0, 1, 0, 1, 1, 1]
THRESHOLDS = [0.5, -1.0, 0.0, 0.3, 0.125, 0.9, 1.0, 2.0]  # in no order, on and off the scores

BETAS = {"U(0,1)": (1, 1), "x²": (2, 1), "Beta(.2,.3)": (0.2, 0.3), "Beta(2,3)": (2, 3)}


def assert_binomial(count, n, probability):
    """Within four standard deviations."""
    spread = math.sqrt(n * probability * (1 - probability))
    assert abs(count - n * probability) <= 4 * spread, f"{count} of {n}"


# ------------------------------------------------------------------------- confusion matrices


def exact_matrix(values, shares, threshold):
    """TP, FP, FN, TN by sums of fractions."""
    sums = [Fraction(0)] * 4
    for value, share in zip(values, shares, strict=True):
        positive = Fraction(share)
        above = value > threshold
        sums[0 if above else 2] += positive
        sums[1 if above else 3] += 1 - positive
    return sums


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_expected_matrix_is_the_sum_of_the_probabilities(threshold):
    exact = exact_matrix(Y_PROB, Y_PROB, threshold)
    assert expected_confusion_matrix(Y_PROB, threshold) == tuple(map(float, exact))


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_labelled_matrix_is_a_count(threshold):
    exact = exact_matrix(Y_PROB, Y_TRUE, threshold)
    assert labelled_confusion_matrix(Y_TRUE, Y_PROB, threshold) == tuple(map(float, exact))


def test_sums_of_many_awkward_probabilities():
    rng = np.random.default_rng(0)
    y_prob = np.concatenate([rng.beta(0.2, 0.3, 3000), 10.0 ** rng.uniform(-30, 0, 1000)])
    y_prob = rng.permutation(np.concatenate([y_prob, y_prob[:500]]))
    thresholds = rng.choice(y_prob, 20)
    matrix = expected_confusion_matrix(y_prob, thresholds)
    for index, threshold in enumerate(thresholds):
        for weights, exact in zip(matrix, exact_matrix(y_prob, y_prob, threshold), strict=True):
            assert oracle.relative_error(weights[index], exact) < 1e-13


@pytest.mark.parametrize(
    "matrix_at",
    [
        functools.partial(expected_confusion_matrix, Y_PROB),
        functools.partial(labelled_confusion_matrix, Y_TRUE, Y_PROB),
        functools.partial(population_confusion_matrix, stats.beta(2, 3)),
    ],
    ids=["expected", "labelled", "population"],
)
def test_many_thresholds_are_each_of_them(matrix_at):
    many = matrix_at(THRESHOLDS)
    for field in many:
        assert field.shape == (len(THRESHOLDS),)
    for index, threshold in enumerate(THRESHOLDS):
        one = matrix_at(threshold)
        assert all(type(weight) is float for weight in one)
        assert one == tuple(field[index] for field in many)
    assert all((field >= 0).all() for field in many)


def test_the_order_of_the_samples_does_not_matter():
    order = np.random.default_rng(1).permutation(len(Y_PROB))
    shuffled = expected_confusion_matrix(np.array(Y_PROB)[order], 0.3)
    assert shuffled == expected_confusion_matrix(Y_PROB, 0.3)


def test_matrices_are_those_of_the_curves():
    rng = np.random.default_rng(2)
    y_prob = rng.beta(0.5, 2, 300).round(2)
    y_true = rng.random(300) < y_prob
    ways = [
        (expected_confusion_matrix(y_prob, 0.2), ConfusionCurve.from_probabilities(y_prob)),
        (
            labelled_confusion_matrix(y_true, y_prob, 0.2),
            ConfusionCurve.from_predictions(y_true, y_prob),
        ),
        (
            population_confusion_matrix(stats.beta(2, 3), 0.2),
            ConfusionCurve.from_distribution(stats.beta(2, 3)),
        ),
    ]
    for matrix, curve in ways:
        assert matrix[:2] == pytest.approx(curve.counts_above(0.2), rel=1e-13)
        assert matrix.tp + matrix.fn == pytest.approx(curve.n_pos, rel=1e-12)
        assert matrix.fp + matrix.tn == pytest.approx(curve.n_neg, rel=1e-12)
        found = threshold_metrics(matrix)
        assert found.precision == pytest.approx(scores.precision(curve, 0.2), rel=1e-12)
        assert found.recall == pytest.approx(scores.recall(curve, 0.2), rel=1e-12)
        assert found.fbeta == pytest.approx(scores.fbeta(curve, 0.2), rel=1e-12)


def integral(a, b, low, high):
    """∫ x^(a-1) (1-x)^(b-1) dx by quadrature; u = x^a or (1-x)^b removes either singularity."""

    def from_zero(a, b, low, high):
        value, error = integrate.quad(
            lambda u: (1 - u ** (1 / a)) ** (b - 1), low**a, high**a, epsabs=1e-13, epsrel=1e-13
        )
        assert error < 1e-11
        return value / a

    left = from_zero(a, b, min(low, 0.5), min(high, 0.5))
    return left + from_zero(b, a, 1 - max(high, 0.5), 1 - max(low, 0.5))


@pytest.mark.parametrize(("a", "b"), BETAS.values(), ids=BETAS)
def test_population_matrix_is_the_integral(a, b):
    thresholds = np.array([0, 1e-9, 1e-4, 0.01, 0.2, 0.35, 0.5, 0.7, 0.9, 0.999, 1 - 1e-9, 1])
    matrix = population_confusion_matrix(stats.beta(a, b), thresholds)
    norm = math.gamma(a) * math.gamma(b) / math.gamma(a + b)
    for index, threshold in enumerate(thresholds):
        exact = (
            integral(a + 1, b, threshold, 1.0),
            integral(a, b + 1, threshold, 1.0),
            integral(a + 1, b, 0.0, threshold),
            integral(a, b + 1, 0.0, threshold),
        )
        for weight, value in zip(matrix, exact, strict=True):
            assert weight[index] == pytest.approx(value / norm, abs=1e-11)
    np.testing.assert_allclose(sum(matrix), 1.0, atol=1e-12)


def test_population_matrices_known_in_closed_form():
    t = np.linspace(0, 1, 41)
    uniform = population_confusion_matrix(stats.uniform(), t)
    expected = (1 - t**2) / 2, (1 - t) ** 2 / 2, t**2 / 2, t - t**2 / 2
    np.testing.assert_allclose(uniform, expected, atol=1e-14)
    square = population_confusion_matrix(stats.powerlaw(2), t)  # F(x) = x²
    fn = 2 / 3 * t**3
    np.testing.assert_allclose(square, (2 / 3 - fn, 1 / 3 - t**2 + fn, fn, t**2 - fn), atol=1e-14)


def test_a_distribution_on_a_part_of_the_unit_interval():
    matrix = population_confusion_matrix(stats.uniform(0.2, 0.4), [0.1, 0.4, 0.8])
    np.testing.assert_allclose(matrix.tp, [0.4, 0.25, 0.0], atol=1e-14)
    assert matrix.tp[2] == matrix.fp[2] == 0


def test_samples_tend_to_their_distribution():
    y_prob = stats.beta(0.2, 0.3).rvs(200_000, random_state=np.random.default_rng(3))
    t = np.linspace(0, 1, 21)
    sample = np.array(expected_confusion_matrix(y_prob, t)) / len(y_prob)
    population = population_confusion_matrix(stats.beta(0.2, 0.3), t)
    np.testing.assert_allclose(sample, population, atol=4 * 0.5 / math.sqrt(len(y_prob)))


@pytest.mark.parametrize(
    ("y_prob", "kind"),
    [
        ([0.1, 1.5], ValueError),
        ([-0.1, 0.5], ValueError),
        ([0.1, np.nan], ValueError),
        ([0.1, np.inf], ValueError),
        ([], ValueError),
        ([[0.1, 0.2]], ValueError),
        (0.5, ValueError),
        (["0.5"], TypeError),
        ([None], TypeError),
        (np.ma.masked_array([0.1, 0.2], [True, False]), ValueError),
    ],
)
@pytest.mark.parametrize(
    "function",
    [
        lambda y_prob: expected_confusion_matrix(y_prob, 0.5),
        lambda y_prob: rebase(y_prob, prior=0.1, new_prior=0.2),
        lambda y_prob: calibration_error([0, 1], y_prob),
        lambda y_prob: calibration_test([0, 1], y_prob),
        lambda y_prob: check_calibration([0, 1], y_prob),
        lambda y_prob: estimate(scores.roc_auc, y_prob, rng=np.random.default_rng(0)),
    ],
    ids=["matrix", "rebase", "error", "test", "check", "estimate"],
)
def test_what_is_no_probability_is_refused(function, y_prob, kind):
    with pytest.raises(kind, match="y_prob"):
        function(y_prob)


@pytest.mark.parametrize(
    ("threshold", "kind"),
    [
        (np.nan, ValueError),
        ([0.5, np.inf], ValueError),
        ([], ValueError),
        ([[0.5]], ValueError),
        ([[0.5], [0.1, 0.2]], ValueError),
        ("0.5", TypeError),
        (None, ValueError),
        (True, TypeError),
    ],
)
@pytest.mark.parametrize(
    "matrix_at",
    [
        functools.partial(expected_confusion_matrix, Y_PROB),
        functools.partial(labelled_confusion_matrix, Y_TRUE, Y_PROB),
        functools.partial(population_confusion_matrix, stats.uniform()),
    ],
    ids=["expected", "labelled", "population"],
)
def test_what_is_no_threshold_is_refused(matrix_at, threshold, kind):
    with pytest.raises(kind, match="threshold"):
        matrix_at(threshold)


def test_labels_are_checked_as_everywhere():
    with pytest.raises(ValueError, match="y_true has 2, y_score has 3"):
        labelled_confusion_matrix([0, 1], [0.1, 0.2, 0.3], 0.5)
    with pytest.raises(ValueError, match="only the positive class"):
        labelled_confusion_matrix([1, 1], [0.1, 0.2], 0.5)
    with pytest.raises(ValueError, match="y_score"):
        labelled_confusion_matrix([0, 1], [0.1, np.nan], 0.5)
    named = labelled_confusion_matrix(["no", "yes"], [0.1, 0.9], 0.5, pos_label="yes")
    assert named == (1, 0, 0, 1)


def test_a_distribution_elsewhere_is_refused():
    with pytest.raises(ValueError, match="dist"):
        population_confusion_matrix(stats.norm(), 0.5)
    with pytest.raises(TypeError, match="dist"):
        population_confusion_matrix([0.1, 0.9], 0.5)


# ------------------------------------------------------------------------- threshold metrics


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0, 7.0])
def test_metrics_of_a_matrix_are_their_definitions(beta):
    for tp, fp, fn, tn in itertools.product((0, 1, 3), (0, 2), (0, 5), (0, 4)):
        if tp + fp + fn + tn == 0:
            continue
        found = threshold_metrics(ConfusionMatrix(tp, fp, fn, tn), beta=beta)
        assert found.accuracy == pytest.approx((tp + tn) / (tp + fp + fn + tn), rel=1e-15)
        b2 = beta**2
        for value, part, whole in (
            (found.precision, tp, tp + fp),
            (found.recall, tp, tp + fn),
            (found.fbeta, (1 + b2) * tp, (1 + b2) * tp + b2 * fn + fp),
        ):
            if whole == 0:
                assert math.isnan(value)
            else:
                assert value == pytest.approx(part / whole, rel=1e-14)
                assert 0 <= value <= 1


def test_precision_above_all_scores_is_missing_and_never_0():
    found = threshold_metrics(expected_confusion_matrix([0.2, 0.6], [0.1, 0.6, 0.9]))
    np.testing.assert_array_equal(np.isnan(found.precision), [False, True, True])
    np.testing.assert_array_equal(found.recall[1:], 0)
    np.testing.assert_array_equal(found.fbeta[1:], 0)
    assert np.isfinite(found.accuracy).all()


def test_extreme_beta_gives_precision_or_recall():
    matrix = expected_confusion_matrix(Y_PROB, 0.4)
    found = threshold_metrics(matrix)
    assert threshold_metrics(matrix, beta=1e-300).fbeta == pytest.approx(found.precision)
    assert threshold_metrics(matrix, beta=1e300).fbeta == pytest.approx(found.recall)


def test_the_shape_of_the_answer_is_that_of_the_question():
    one = threshold_metrics(expected_confusion_matrix(Y_PROB, 0.4))
    assert all(type(value) is float for value in one)
    many = threshold_metrics(expected_confusion_matrix(Y_PROB, [0.4]))
    assert all(value.shape == (1,) for value in many)
    assert one == tuple(value[0] for value in many)


def test_uniform_scores_have_known_metrics():
    t = np.linspace(0, 0.95, 20)
    found = threshold_metrics(population_confusion_matrix(stats.uniform(), t))
    np.testing.assert_allclose(found.accuracy, 0.5 + t - t**2, atol=1e-13)
    np.testing.assert_allclose(found.precision, (1 + t) / 2, atol=1e-13)
    np.testing.assert_allclose(found.recall, 1 - t**2, atol=1e-13)


@pytest.mark.parametrize(
    ("matrix", "kind"),
    [
        ((1, 1, 1, 1), TypeError),
        (ConfusionMatrix(1, -1, 1, 1), ValueError),
        (ConfusionMatrix(1, np.nan, 1, 1), ValueError),
        (ConfusionMatrix("1", 1, 1, 1), TypeError),
        (ConfusionMatrix(0, 0, 0, 0), ValueError),
        (ConfusionMatrix([1, 2], [1, 2], [1, 2], [1, 2, 3]), ValueError),
        (ConfusionMatrix([1, 2], 1, [1, 2], [1, 2]), ValueError),
        (ConfusionMatrix([1, 0], [1, 0], [1, 0], [1, 0]), ValueError),
    ],
)
def test_what_is_no_confusion_matrix_is_refused(matrix, kind):
    with pytest.raises(kind, match="matrix"):
        threshold_metrics(matrix)


@pytest.mark.parametrize("beta", [0, -1, np.inf])
def test_beta_must_be_positive(beta):
    with pytest.raises(ValueError, match="beta"):
        threshold_metrics(ConfusionMatrix(1, 1, 1, 1), beta=beta)


# -------------------------------------------------------------------------------- uncertainty


def prior_of(curve):
    return curve.prior


def probabilities(n, a=0.2, b=0.3, seed=0):
    return np.random.default_rng(seed).beta(a, b, n)


@pytest.mark.parametrize("pi0", [None, 0.1])
@pytest.mark.parametrize("target", ["population", "sample"])
def test_the_value_is_that_of_the_expected_curve(case, pi0, target):
    y_prob = probabilities(80)
    curve = ConfusionCurve.from_probabilities(y_prob)
    found = estimate(
        case.curve, y_prob, pi0=pi0, target=target, n_bootstrap=20, rng=np.random.default_rng(0)
    )
    assert found.value == case.curve(curve if pi0 is None else curve.at_prior(pi0))
    assert found.standard_error > 0
    assert found.low < found.high


def test_standard_errors_of_the_prior_are_known():
    """That of a mean of the scores; that of a mean of Bernoulli labels."""
    y_prob = probabilities(500)
    rng = np.random.default_rng(1)
    known = {
        "population": y_prob.std() / math.sqrt(500),
        "sample": math.sqrt((y_prob * (1 - y_prob)).sum()) / 500,
    }
    for target, standard_error in known.items():
        found = estimate(prior_of, y_prob, target=target, n_bootstrap=4000, rng=rng)
        assert found.standard_error == pytest.approx(standard_error, rel=4 / math.sqrt(2 * 4000))
        assert found.low == pytest.approx(found.value - 1.96 * standard_error, rel=0.02)
        assert found.high == pytest.approx(found.value + 1.96 * standard_error, rel=0.02)


def test_both_sources_make_up_the_spread_of_labelled_samples():
    score, dist = functools.partial(scores.precision, threshold=0.4), stats.beta(2, 3)
    rng = np.random.default_rng(2)
    measured = []
    for _ in range(2000):
        y_prob = dist.rvs(400, random_state=rng)
        measured.append(score(ConfusionCurve.from_predictions(rng.random(400) < y_prob, y_prob)))
    y_prob = dist.rvs(400, random_state=rng)
    parts = [
        estimate(score, y_prob, target=target, n_bootstrap=2000, rng=rng).standard_error
        for target in ("population", "sample")
    ]
    assert math.hypot(*parts) == pytest.approx(np.std(measured), rel=0.1)


COVERED = {
    "average precision": (scores.average_precision, None, stats.beta(0.2, 0.3)),
    "calibrated average precision": (scores.average_precision, 0.5, stats.beta(2, 3)),
    "precision": (functools.partial(scores.precision, threshold=0.5), None, stats.beta(2, 3)),
    "best F1": (scores.best_fbeta, 0.1, stats.uniform()),
}


@pytest.mark.parametrize(("score", "pi0", "dist"), COVERED.values(), ids=COVERED)
def test_95_percent_of_the_confidence_intervals_hold_the_population(score, pi0, dist):
    # No step is left in an interpolated area: the limit of average precision.
    limit = scores.pr_auc if score is scores.average_precision else score
    population = ConfusionCurve.from_distribution(dist, n_thresholds=2001)
    true = limit(population if pi0 is None else population.at_prior(pi0))
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(200):
        y_prob = dist.rvs(400, random_state=rng)
        found = estimate(score, y_prob, pi0=pi0, n_bootstrap=100, rng=rng)
        hits += found.low <= true <= found.high
    assert_binomial(hits, 200, 0.95)


@pytest.mark.parametrize(("score", "pi0", "dist"), COVERED.values(), ids=COVERED)
def test_95_percent_of_the_prediction_intervals_hold_the_labelled_metric(score, pi0, dist):
    rng = np.random.default_rng(4)
    hits = 0
    for _ in range(200):
        y_prob = dist.rvs(400, random_state=rng)
        curve = ConfusionCurve.from_predictions(rng.random(400) < y_prob, y_prob)
        measured = score(curve if pi0 is None else curve.at_prior(pi0))
        found = estimate(score, y_prob, pi0=pi0, target="sample", n_bootstrap=100, rng=rng)
        hits += found.low <= measured <= found.high
    assert_binomial(hits, 200, 0.95)


def test_a_wider_confidence_gives_a_wider_interval():
    y_prob = probabilities(200)
    for target in ("population", "sample"):
        widths = []
        for confidence in (0.5, 0.9, 0.99):
            found = estimate(
                scores.roc_auc,
                y_prob,
                target=target,
                confidence=confidence,
                rng=np.random.default_rng(0),
            )
            widths.append(found.high - found.low)
        assert widths == sorted(widths)


def test_the_same_generator_gives_the_same_estimate():
    first, second = (
        estimate(scores.roc_auc, probabilities(50), n_bootstrap=30, rng=np.random.default_rng(5))
        for _ in range(2)
    )
    assert first == second


def test_draws_on_which_a_metric_is_undefined_are_left_out_with_a_warning():
    y_prob = [0.6, 0.1, 0.2, 0.3, 0.1, 0.2]  # a bootstrap draw misses the first with (5/6)^6
    score = functools.partial(scores.precision, threshold=0.5)
    with pytest.warns(UndefinedMetricWarning, match=r"undefined on \d+ of 300 draws.*left out"):
        found = estimate(score, y_prob, n_bootstrap=300, rng=np.random.default_rng(0))
    assert found == pytest.approx((0.6, 0.0, 0.6, 0.6), abs=1e-12)


def test_a_metric_that_is_mostly_undefined_is_refused():
    y_prob = np.full(20, 0.01)
    with pytest.raises(ValueError, match=r"y_prob says too little about the metric: .* undefined"):
        estimate(scores.roc_auc, y_prob, target="sample", rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="precision is undefined"):
        estimate(
            functools.partial(scores.precision, threshold=0.5),
            y_prob,
            rng=np.random.default_rng(0),
        )


@pytest.mark.parametrize(
    ("arguments", "kind", "named"),
    [
        ({"score": "roc_auc"}, TypeError, "score"),
        ({"score": lambda curve: math.nan}, ValueError, r"score\(curve\)"),
        ({"score": lambda curve: "high"}, TypeError, r"score\(curve\)"),
        ({"target": "labels"}, ValueError, "target"),
        ({"target": ["sample"]}, ValueError, "target"),
        ({"n_bootstrap": 1}, ValueError, "n_bootstrap"),
        ({"n_bootstrap": 10.0}, TypeError, "n_bootstrap"),
        ({"confidence": 1.0}, ValueError, "confidence"),
        ({"pi0": 1.5}, ValueError, "pi0"),
        ({"rng": 0}, TypeError, "rng"),
        ({"y_prob": [0.0, 0.0]}, ValueError, "y_prob"),
        ({"y_prob": [1.0, 1.0]}, ValueError, "y_prob"),
    ],
)
def test_bad_arguments_of_an_estimate_are_refused(arguments, kind, named):
    good = {"score": scores.roc_auc, "y_prob": [0.2, 0.7], "rng": np.random.default_rng(0)}
    with pytest.raises(kind, match=named):
        estimate(**good | arguments)


# -------------------------------------------------------------------------------- another prior


@pytest.mark.parametrize("prior", [1e-6, 0.1, 0.5, 0.97])
@pytest.mark.parametrize("new_prior", [1e-9, 0.1, 0.3, 0.999])
def test_odds_multiply(prior, new_prior):
    y_prob = [0.0, 1e-300, 1e-9, 0.1, 0.3, 0.5, 0.9, 1 - 1e-12, 1.0]
    found = rebase(y_prob, prior=prior, new_prior=new_prior)
    a = Fraction(new_prior) * (1 - Fraction(prior))
    b = (1 - Fraction(new_prior)) * Fraction(prior)
    for value, p in zip(found, map(Fraction, y_prob), strict=True):
        exact = p * a / (p * a + (1 - p) * b)
        assert oracle.error(value, exact) < 1e-15
        if exact > 1e-308:
            assert oracle.relative_error(value, exact) < 2e-15


def test_certainty_stays():
    np.testing.assert_array_equal(rebase([0, 1], prior=1e-9, new_prior=0.999), [0, 1])


def test_an_equal_prior_changes_nothing():
    y_prob = probabilities(100)
    same = rebase(y_prob, prior=0.3, new_prior=0.3)
    np.testing.assert_array_equal(same, y_prob)
    assert not np.shares_memory(same, y_prob)


def test_rebasing_goes_back_and_in_steps():
    y_prob = np.random.default_rng(0).random(1000)
    there = rebase(y_prob, prior=0.2, new_prior=0.01)
    np.testing.assert_allclose(rebase(there, prior=0.01, new_prior=0.2), y_prob, rtol=1e-13)
    halfway = rebase(y_prob, prior=0.2, new_prior=0.6)
    np.testing.assert_allclose(rebase(halfway, prior=0.6, new_prior=0.01), there, rtol=1e-13)


def test_no_two_samples_swap():
    rng = np.random.default_rng(1)
    start = rng.random(300)
    y_prob = np.sort(start[:, None] * (1 + np.arange(8) * 2.0**-52), axis=None)
    y_prob = y_prob[y_prob <= 1]
    for prior, new_prior in rng.random((50, 2)):
        assert (np.diff(rebase(y_prob, prior=prior, new_prior=new_prior)) >= 0).all()


def test_labelled_scores_keep_their_curve():
    """Only the thresholds are renamed."""
    y_prob = probabilities(300)
    y_true = np.random.default_rng(1).random(300) < y_prob
    before = ConfusionCurve.from_predictions(y_true, y_prob)
    after = ConfusionCurve.from_predictions(y_true, rebase(y_prob, prior=0.4, new_prior=0.2))
    np.testing.assert_array_equal(after.tp, before.tp)
    np.testing.assert_array_equal(after.fp, before.fp)


def weighted_curve(y_prob, weight):
    """Expected curve of distinct probabilities, each counting as `weight` samples."""
    order = np.argsort(-y_prob)
    p, w = y_prob[order], weight[order]
    steps = [np.concatenate([[0.0], np.cumsum(w * share)]) for share in (p, 1 - p)]
    return ConfusionCurve(np.concatenate([[np.inf], p]), *steps)


@pytest.mark.parametrize("pi0", [1e-3, 0.3, 0.9])
def test_rebased_and_reweighted_probabilities_have_the_calibrated_curve(case, pi0):
    y_prob = np.random.default_rng(5).beta(1, 3, 200)
    prior = y_prob.mean()
    weight = pi0 * y_prob / prior + (1 - pi0) * (1 - y_prob) / (1 - prior)
    rebased = rebase(y_prob, prior=prior, new_prior=pi0)
    moved = weighted_curve(rebased, weight)
    calibrated = ConfusionCurve.from_probabilities(y_prob).at_prior(pi0)
    assert moved.prior == pytest.approx(pi0, rel=1e-12)
    assert case.curve(moved) == pytest.approx(case.curve(calibrated), rel=1e-10)
    assert weight.mean() == pytest.approx(1, rel=1e-12)


def test_rebased_probabilities_alone_have_another_curve():
    """Neither the prior nor the ROC curve is that of calibration."""
    y_prob = probabilities(2000, 2, 3)
    prior = y_prob.mean()
    curve = ConfusionCurve.from_probabilities(y_prob)
    rebased = ConfusionCurve.from_probabilities(rebase(y_prob, prior=prior, new_prior=0.05))
    expected = stats.beta(2, 3).expect(lambda x: rebase([x], prior=0.4, new_prior=0.05).item())
    assert expected > 0.06  # not 0.05
    assert rebased.prior == pytest.approx(expected, abs=0.005)
    assert scores.roc_auc(rebased) - scores.roc_auc(curve) > 0.005
    assert scores.roc_auc(curve.at_prior(0.05)) == pytest.approx(scores.roc_auc(curve), rel=1e-12)
    gap = scores.average_precision(rebased) - scores.average_precision(curve.at_prior(0.05))
    assert gap > 0.01


def scored_at(prior, n, rng, scored_for):
    """Labels at a prior, and posteriors of N(1, 1) against N(0, 1) at the prior `scored_for`."""
    y_true = rng.random(n) < prior
    odds = np.exp(rng.normal(y_true.astype(float)) - 0.5) * scored_for / (1 - scored_for)
    return y_true, odds / (1 + odds)


def test_a_shifted_population_is_scored_right_after_rebasing():
    y_true, y_prob = scored_at(0.05, 20_000, np.random.default_rng(6), scored_for=0.4)
    rebased = rebase(y_prob, prior=0.4, new_prior=0.05)
    assert not check_calibration(y_true, y_prob).trusted
    assert check_calibration(y_true, rebased).trusted
    measured = scores.average_precision(ConfusionCurve.from_predictions(y_true, y_prob))
    found = estimate(
        scores.average_precision,
        rebased,
        target="sample",
        n_bootstrap=200,
        confidence=0.999,
        rng=np.random.default_rng(7),
    )
    assert found.low <= measured <= found.high


@pytest.mark.parametrize("name", ["prior", "new_prior"])
@pytest.mark.parametrize(
    ("value", "kind"), [(0, ValueError), (1, ValueError), (np.nan, ValueError), ("0.1", TypeError)]
)
def test_priors_must_be_priors(name, value, kind):
    with pytest.raises(kind, match=name):
        rebase([0.1, 0.2], **{"prior": 0.1, "new_prior": 0.2} | {name: value})


def test_priors_beyond_float64_are_refused():
    with pytest.raises(ValueError, match=r"prior=.* and new_prior=.* too far apart"):
        rebase([0.1, 0.2], prior=1 - 1e-16, new_prior=1e-310)


# ----------------------------------------------------------------------- check of the premise


def overconfident(p):
    return p**3 / (p**3 + (1 - p) ** 3)


def underconfident(p):
    return np.sqrt(p) / (np.sqrt(p) + np.sqrt(1 - p))


def test_calibration_error_by_hand():
    y_true, y_prob = [0, 1, 1, 0, 1, 1], [0.1, 0.2, 0.6, 0.3, 0.9, 0.7]
    # Bins {0.1, 0.2}, {0.3, 0.6}, {0.7, 0.9} hold 1, 1 and 2 positives.
    exact = (abs(1 - 0.3) + abs(1 - 0.9) + abs(2 - 1.6)) / 6
    assert calibration_error(y_true, y_prob, n_bins=3) == pytest.approx(exact, rel=1e-14)
    assert calibration_error(y_true, y_prob, n_bins=1) == pytest.approx(1.2 / 6, rel=1e-14)


def test_bins_hold_equally_many_samples():
    y_prob = probabilities(1003, 0.1, 2)
    y_true = np.random.default_rng(0).random(1003) < y_prob
    order = np.argsort(y_prob)
    bounds = np.array([(2 * i + 1) * 7 // (2 * 1003) for i in range(1003)])
    assert np.ptp(np.bincount(bounds)) <= 1
    expected = sum(
        abs((y_true[order][bounds == k] - y_prob[order][bounds == k]).sum()) for k in range(7)
    )
    found = calibration_error(y_true, y_prob, n_bins=7)
    assert found == pytest.approx(expected / 1003, rel=1e-12)


def test_ties_share_a_bin_whatever_their_order():
    y_prob, y_true = np.repeat([0.2, 0.4, 0.8], [7, 10, 3]), np.array([0, 1] * 10)
    expected = calibration_error(y_true, y_prob, n_bins=4)
    rng = np.random.default_rng(0)
    for _ in range(20):
        order = rng.permutation(20)
        assert calibration_error(y_true[order], y_prob[order], n_bins=4) == pytest.approx(
            expected, rel=1e-14
        )


def test_calibrated_scores_have_the_error_that_is_told():
    rng = np.random.default_rng(1)
    p, n, n_bins = 0.3, 4000, 20
    y_prob = p + rng.uniform(-1e-3, 1e-3, n)
    errors = [calibration_error(rng.random(n) < y_prob, y_prob, n_bins=n_bins) for _ in range(200)]
    told = math.sqrt(2 * n_bins * p * (1 - p) / (math.pi * n))
    assert np.mean(errors) == pytest.approx(told, rel=0.05)


def test_spiegelhalters_statistic_is_its_definition():
    y_true, y_prob = Y_TRUE, [0.25, 0.5, 0.375, 0.125, 0.9375, 0.0625, 0.75, 0.5, 0.875]
    pairs = list(zip(y_true, map(Fraction, y_prob), strict=True))
    top = sum((y - p) * (1 - 2 * p) for y, p in pairs)
    bottom = sum((1 - 2 * p) ** 2 * p * (1 - p) for _, p in pairs)
    found = calibration_test(y_true, y_prob)
    assert found.statistic == pytest.approx(float(top) / math.sqrt(bottom), rel=1e-14)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(found.statistic)), rel=1e-12)
    brier = sum((y - p) ** 2 - p * (1 - p) for y, p in pairs)
    assert top == brier  # how much the Brier score exceeds its promise


@pytest.mark.parametrize("level", [0.05, 0.2])
def test_spiegelhalters_test_keeps_its_level(level):
    rng = np.random.default_rng(2)
    rejected = 0
    for _ in range(1000):
        y_prob = rng.beta(1, 3, 400)
        rejected += calibration_test(rng.random(400) < y_prob, y_prob).p_value < level
    assert_binomial(rejected, 1000, level)


@pytest.mark.parametrize("level", [0.05, 0.2])
@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.2, 0.3), (0.2, 5)], ids=["even", "sure", "rare"])
def test_the_check_distrusts_calibrated_scores_at_its_level(a, b, level):
    rng = np.random.default_rng(3)
    distrusted = 0
    for _ in range(300):
        y_prob = rng.beta(a, b, 200)
        y_true = rng.random(200) < y_prob
        check = check_calibration(y_true, y_prob, level=level, n_resamples=99, rng=rng)
        distrusted += not check.trusted
        assert check.trusted == (check.p_value > level)
    assert_binomial(distrusted, 300, level)


@pytest.mark.parametrize(
    ("distort", "sign", "word"), [(overconfident, 1, "worse"), (underconfident, -1, "better")]
)
def test_the_check_finds_wrong_confidence(distort, sign, word):
    rng = np.random.default_rng(4)
    for _ in range(10):
        y_prob = rng.random(1000)
        y_true = rng.random(1000) < y_prob
        distorted = distort(y_prob)
        assert calibration_test(y_true, distorted).p_value < 1e-3
        check = check_calibration(y_true, distorted, n_resamples=199)
        assert not check.trusted
        assert check.z * sign > 3
        assert check.message.startswith("do not trust label-free estimates")
        assert f"Brier score is {word} than they promise (z = {check.z:.2f})" in check.message


def test_the_check_finds_what_the_brier_score_hides():
    """A common shift of evenly spread probabilities."""
    rng = np.random.default_rng(5)
    passed = found = 0
    for _ in range(20):
        y_prob = rng.uniform(0.1, 0.9, 2000)
        y_true = rng.random(2000) < y_prob + 0.08
        passed += calibration_test(y_true, y_prob).p_value > 0.01
        found += not check_calibration(y_true, y_prob, n_resamples=199).trusted
    assert passed >= 15
    assert found == 20


def test_the_check_finds_a_wrong_prior_of_rare_positives():
    rng = np.random.default_rng(6)
    y_true, y_prob = scored_at(0.01, 20_000, rng, scored_for=0.02)
    check = check_calibration(y_true, y_prob, n_resamples=199)
    assert not check.trusted
    assert "are positive where the probabilities promise 0.0197" in check.message


def test_the_check_agrees_with_its_parts():
    rng = np.random.default_rng(7)
    y_prob = rng.random(300)
    y_true = np.where(rng.random(300) < y_prob, "bad", "good")
    check = check_calibration(y_true, y_prob, pos_label="bad", n_bins=5)
    assert check.ece == calibration_error(y_true, y_prob, pos_label="bad", n_bins=5)
    spiegelhalter = calibration_test(y_true, y_prob, pos_label="bad")
    assert check.z == spiegelhalter.statistic
    assert check.trusted
    assert check.message.startswith("no evidence against calibration: p = ")
    assert f"error {check.ece:.3g} where" in check.message


def test_the_same_labels_get_the_same_answer():
    rng = np.random.default_rng(8)
    y_prob = rng.random(100)
    y_true = rng.random(100) < y_prob
    first = check_calibration(y_true, y_prob)
    assert check_calibration(y_true, y_prob) == first
    assert check_calibration(y_true, y_prob, rng=np.random.default_rng(0)) == first
    own = check_calibration(y_true, y_prob, rng=np.random.default_rng(9))
    assert abs(own.p_value - first.p_value) < 0.1


@pytest.mark.parametrize(
    ("y_true", "y_prob"),
    [([0, 1, 1], [0.0, 0.0, 0.6]), ([0, 0, 1], [1.0, 0.3, 0.6]), ([0, 1], [0.0, 0.0])],
)
def test_an_impossible_label_is_proof(y_true, y_prob):
    check = check_calibration(y_true, y_prob)
    assert check.p_value == 0
    assert not check.trusted
    assert check.message.endswith("a label contradicts a probability of 0 or 1")
    assert calibration_test(y_true, y_prob).p_value == 0


def test_probabilities_whose_brier_score_cannot_vary_are_refused():
    for y_prob in ([0.0, 1.0], [0.5, 0.5], [0.5, 1.0]):
        for function in (calibration_test, check_calibration):
            with pytest.raises(ValueError, match=r"y_prob .* other than 0, 0.5 and 1"):
                function([0, 1], y_prob)


@pytest.mark.parametrize(
    ("arguments", "kind", "named"),
    [
        ({"level": 0.0}, ValueError, "level"),
        ({"level": 5}, ValueError, "level"),
        ({"n_bins": 0}, ValueError, "n_bins"),
        ({"n_bins": 2.5}, TypeError, "n_bins"),
        ({"n_resamples": 0}, ValueError, "n_resamples"),
        ({"n_resamples": 18}, ValueError, "n_resamples must be at least 19"),
        ({"rng": 3}, TypeError, "rng"),
        ({"y_true": [0, 0]}, ValueError, "y_true"),
        ({"y_true": [0, 1, 1]}, ValueError, "y_true has 3, y_prob has 2"),
        ({"pos_label": 2}, ValueError, "pos_label"),
    ],
)
def test_bad_arguments_of_the_check_are_refused(arguments, kind, named):
    with pytest.raises(kind, match=named):
        check_calibration(**{"y_true": [0, 1], "y_prob": [0.3, 0.6]} | arguments)


def test_the_fewest_draws_that_can_judge_are_enough():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check = check_calibration([0, 1], [0.3, 0.6], n_resamples=19)
    assert check.trusted


def test_every_public_name_is_there():
    for name in label_free.__all__:
        assert getattr(label_free, name).__doc__
