"""Probabilities at another prior, and the tests of their calibration."""

import math
from fractions import Fraction

import numpy as np
import oracle
import pytest

from calibrated_metrics import ConfusionCurve, scores
from calibrated_metrics.label_free import expected
from calibrated_metrics.probabilities import check_calibration, rebase

pytestmark = pytest.mark.filterwarnings("error")

Y_TRUE = [0, 1, 0, 0, 1, 0, 1, 1, 1]


def assert_binomial(count, n, probability):
    """Within four standard deviations."""
    spread = math.sqrt(n * probability * (1 - probability))
    assert abs(count - n * probability) <= 4 * spread, f"{count} of {n}"


def probabilities(n, a=0.2, b=0.3, seed=0):
    return np.random.default_rng(seed).beta(a, b, n)


@pytest.mark.parametrize(
    ("y_prob", "kind"),
    [
        ([0.1, 1.5], ValueError),
        ([0.1, np.nan], ValueError),
        ([], ValueError),
        (["0.5"], TypeError),
        (np.ma.masked_array([0.1, 0.2], [True, False]), ValueError),
    ],
)
def test_what_is_no_probability_is_refused(y_prob, kind):
    with pytest.raises(kind, match="y_prob"):
        rebase(y_prob, prior=0.1, pi0=0.2)
    with pytest.raises(kind, match="y_prob"):
        check_calibration([0, 1], y_prob)


# -------------------------------------------------------------------------------- another prior


@pytest.mark.parametrize("prior", [1e-6, 0.1, 0.5, 0.97])
@pytest.mark.parametrize("new_prior", [1e-9, 0.1, 0.3, 0.999])
def test_odds_multiply(prior, new_prior):
    y_prob = [0.0, 1e-300, 1e-9, 0.1, 0.3, 0.5, 0.9, 1 - 1e-12, 1.0]
    found = rebase(y_prob, prior=prior, pi0=new_prior)
    a = Fraction(new_prior) * (1 - Fraction(prior))
    b = (1 - Fraction(new_prior)) * Fraction(prior)
    for value, p in zip(found, map(Fraction, y_prob), strict=True):
        exact = p * a / (p * a + (1 - p) * b)
        assert oracle.error(value, exact) < 1e-15
        if exact > 1e-308:
            assert oracle.relative_error(value, exact) < 2e-15


def test_no_two_samples_swap():
    rng = np.random.default_rng(1)
    start = rng.random(300)
    y_prob = np.sort(start[:, None] * (1 + np.arange(8) * 2.0**-52), axis=None)
    y_prob = y_prob[y_prob <= 1]
    for prior, new_prior in rng.random((50, 2)):
        assert (np.diff(rebase(y_prob, prior=prior, pi0=new_prior)) >= 0).all()


def scored_at(prior, n, rng, scored_for):
    """Labels at a prior, and posteriors of N(1, 1) against N(0, 1) at the prior `scored_for`."""
    y_true = rng.random(n) < prior
    odds = np.exp(rng.normal(y_true.astype(float)) - 0.5) * scored_for / (1 - scored_for)
    return y_true, odds / (1 + odds)


def test_a_shifted_population_is_scored_right_after_rebasing():
    y_true, y_prob = scored_at(0.05, 20_000, np.random.default_rng(6), scored_for=0.4)
    rebased = rebase(y_prob, prior=0.4, pi0=0.05)
    assert not check_calibration(y_true, y_prob, rng=0).trusted
    assert check_calibration(y_true, rebased, rng=0).trusted
    measured = scores.average_precision(ConfusionCurve.from_predictions(y_true, y_prob))
    found = expected(
        scores.average_precision,
        rebased,
        target="sample",
        n_resamples=200,
        confidence_level=0.999,
        rng=7,
    )
    assert found.low <= measured <= found.high


def test_priors_beyond_float64_are_refused():
    with pytest.raises(ValueError, match=r"prior=.* and pi0=.* too far apart"):
        rebase([0.1, 0.2], prior=1 - 1e-16, pi0=1e-310)


# -------------------------------------------------------------------------------- calibration


def overconfident(p):
    return p**3 / (p**3 + (1 - p) ** 3)


def underconfident(p):
    return np.sqrt(p) / (np.sqrt(p) + np.sqrt(1 - p))


def calibration_error(y_true, y_prob, n_bins):
    return check_calibration(
        y_true, y_prob, significance_level=0.5, n_bins=n_bins, n_resamples=1, rng=0
    ).ece


def test_calibration_error_by_hand():
    y_true, y_prob = [0, 1, 1, 0, 1, 1], [0.1, 0.2, 0.6, 0.3, 0.9, 0.7]
    # Bins {0.1, 0.2}, {0.3, 0.6}, {0.7, 0.9} hold 1, 1 and 2 positives.
    exact = (abs(1 - 0.3) + abs(1 - 0.9) + abs(2 - 1.6)) / 6
    assert calibration_error(y_true, y_prob, n_bins=3) == pytest.approx(exact, rel=1e-14)
    assert calibration_error(y_true, y_prob, n_bins=1) == pytest.approx(1.2 / 6, rel=1e-14)


def test_ties_share_a_bin_whatever_their_order():
    y_prob, y_true = np.repeat([0.2, 0.4, 0.8], [7, 10, 3]), np.array([0, 1] * 10)
    expected = calibration_error(y_true, y_prob, n_bins=4)
    rng = np.random.default_rng(0)
    for _ in range(20):
        order = rng.permutation(20)
        assert calibration_error(y_true[order], y_prob[order], n_bins=4) == pytest.approx(
            expected, rel=1e-14
        )


def test_spiegelhalters_statistic_is_its_definition():
    y_true, y_prob = Y_TRUE, [0.25, 0.5, 0.375, 0.125, 0.9375, 0.0625, 0.75, 0.5, 0.875]
    pairs = list(zip(y_true, map(Fraction, y_prob), strict=True))
    top = sum((y - p) * (1 - 2 * p) for y, p in pairs)
    bottom = sum((1 - 2 * p) ** 2 * p * (1 - p) for _, p in pairs)
    found = check_calibration(y_true, y_prob, rng=0)
    assert found.z == pytest.approx(float(top) / math.sqrt(bottom), rel=1e-14)
    brier = sum((y - p) ** 2 - p * (1 - p) for y, p in pairs)
    assert top == brier  # the Brier score less its expected value


@pytest.mark.parametrize(
    ("a", "b", "level"),
    [(1, 1, 0.2), (0.2, 0.3, 0.05), (0.2, 5, 0.05)],
    ids=["even", "sure", "rare"],
)
def test_the_check_distrusts_calibrated_scores_at_its_level(a, b, level):
    rng = np.random.default_rng(3)
    distrusted = 0
    for _ in range(300):
        y_prob = rng.beta(a, b, 200)
        y_true = rng.random(200) < y_prob
        check = check_calibration(y_true, y_prob, significance_level=level, n_resamples=99, rng=rng)
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
        check = check_calibration(y_true, distorted, n_resamples=199, rng=0)
        assert not check.trusted
        assert check.z * sign > 3
        assert check.message.startswith("evidence against calibration; do not")
        told = f"Brier score is {word} than expected under calibration (z = {check.z:.2f})"
        assert told in check.message


def test_the_check_finds_what_the_brier_score_hides():
    """A common shift of evenly spread probabilities."""
    rng = np.random.default_rng(5)
    passed = found = 0
    for _ in range(20):
        y_prob = rng.uniform(0.1, 0.9, 2000)
        y_true = rng.random(2000) < y_prob + 0.08
        check = check_calibration(y_true, y_prob, n_resamples=199, rng=0)
        passed += abs(check.z) < 2.58
        found += not check.trusted
    assert passed >= 15
    assert found == 20


def test_the_check_finds_a_wrong_prior_of_rare_positives():
    rng = np.random.default_rng(6)
    y_true, y_prob = scored_at(0.01, 20_000, rng, scored_for=0.02)
    check = check_calibration(y_true, y_prob, n_resamples=199, rng=0)
    assert not check.trusted
    told = f"share of positives is {y_true.mean():.3g} and the mean probability {y_prob.mean():.3g}"
    assert told in check.message
    assert y_prob.mean() > 1.8 * y_true.mean()


def test_the_check_states_the_calibration_error():
    rng = np.random.default_rng(7)
    y_prob = rng.random(300)
    y_true = np.where(rng.random(300) < y_prob, "bad", "good")
    check = check_calibration(y_true, y_prob, pos_label="bad", n_bins=5, rng=0)
    assert check.trusted
    assert check.message.startswith("no evidence against calibration: p = ")
    assert f"error {check.ece:.3g} (calibrated probabilities: up to" in check.message


@pytest.mark.parametrize(
    ("y_true", "y_prob"),
    [([0, 1, 1], [0.0, 0.0, 0.6]), ([0, 0, 1], [1.0, 0.3, 0.6]), ([0, 1], [0.0, 0.0])],
)
def test_an_impossible_label_is_proof(y_true, y_prob):
    check = check_calibration(y_true, y_prob, rng=0)
    assert check.p_value == 0
    assert not check.trusted
    assert check.message.endswith("a label contradicts a probability of 0 or 1")


def test_probabilities_whose_brier_score_cannot_vary_are_refused():
    for y_prob in ([0.0, 1.0], [0.5, 0.5], [0.5, 1.0]):
        with pytest.raises(ValueError, match=r"y_prob .* other than 0, 0.5 and 1"):
            check_calibration([0, 1], y_prob)


@pytest.mark.parametrize(
    ("arguments", "kind", "named"),
    [
        ({"significance_level": 0.0}, ValueError, "significance_level"),
        ({"n_bins": 0}, ValueError, "n_bins"),
        ({"n_resamples": 18}, ValueError, "n_resamples must be at least 19"),
        ({"rng": 3.0}, TypeError, "rng"),
        ({"y_true": [0, 0]}, ValueError, "y_true"),
        ({"y_true": [0, 1, 1]}, ValueError, "y_true has 3, y_prob has 2"),
        ({"pos_label": 2}, ValueError, "pos_label"),
    ],
)
def test_bad_arguments_of_the_check_are_refused(arguments, kind, named):
    with pytest.raises(kind, match=named):
        check_calibration(**{"y_true": [0, 1], "y_prob": [0.3, 0.6]} | arguments)


def test_the_fewest_draws_that_can_judge_are_enough():
    assert check_calibration([0, 1], [0.3, 0.6], n_resamples=19).trusted
