"""The chance level of average precision, against all rankings in exact arithmetic."""

import itertools
import math

import numpy as np
import oracle
import pytest

from calibrated_metrics import ConfusionCurve, baselines, scores

PRIORS = [None, 0.02, 0.5, 0.9]
SIZES = [(1, 1), (1, 4), (2, 2), (4, 1), (1, 9), (3, 6), (6, 3), (9, 1)]


def rankings(n_pos, n_neg, pi0=None):
    """All rankings without ties."""
    n = n_pos + n_neg
    for positive in itertools.combinations(range(n), n_pos):
        labels = [row in positive for row in range(n)]
        yield oracle.Ranking.of_samples(labels, range(n)).by_reweighting(pi0)


@pytest.mark.parametrize("pi0", PRIORS)
@pytest.mark.parametrize(("n_pos", "n_neg"), SIZES)
def test_the_chance_level_is_that_of_all_rankings(n_pos, n_neg, pi0):
    values = [oracle.average_precision(each) for each in rankings(n_pos, n_neg, pi0)]
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / len(values)
    found = baselines.chance_level(n_pos, n_neg, pi0=pi0)
    assert found.expected == pytest.approx(float(mean), rel=1e-13)
    assert found.standard_deviation == pytest.approx(math.sqrt(variance), rel=1e-12)


@pytest.mark.parametrize(("n_pos", "n_neg"), [(1, 1), (5, 3), (20, 980), (300, 40), (200, 20_000)])
def test_chance_level_at_the_own_prior_has_a_closed_form(n_pos, n_neg):
    """Rank k is a positive with probability P/n; each other rank then with (P - 1)/(n - 1)."""
    n = n_pos + n_neg
    harmonic = math.fsum(1 / rank for rank in range(1, n + 1))
    expected = (harmonic + (n_pos - 1) * (n - harmonic) / (n - 1)) / n
    assert baselines.chance_level(n_pos, n_neg).expected == pytest.approx(expected, rel=1e-12)


def test_the_spread_at_the_own_prior_has_a_closed_form():
    """The sum over the first r ranks has the mean h k / r + (r - h) k (k - 1) / (r (r - 1)).

    k is the number of positives among them, and h the harmonic number of r. A positive at rank r
    instead of a negative thus adds a polynomial in k, whose mean square needs moments only.
    """
    n_pos, n = 3000, 50_000
    rank = np.arange(3.0, n + 1)
    before = rank - 1
    harmonic = np.cumsum(1 / np.arange(1.0, n))[1:]
    constant = 1 / rank - harmonic / before
    slope = 1 / rank - 2 * (before - harmonic) / (before * (before - 1))

    def moment(i):  # of k (k - 1) … (i factors) times the number of negatives
        ways = np.prod([(n_pos - j) * (rank - j) / (n - j) for j in range(i)], axis=0)
        return ways * (rank - i) * (n - n_pos) / (n - i)

    mean_square = constant**2 * moment(1) + slope**2 * moment(3)
    mean_square += (2 * constant * slope + slope**2) * moment(2)
    # Two ranks with one positive: the precision is 1 or 1/2, with variance 1/16.
    first = 2 * n_pos * (n - n_pos) / (n * (n - 1)) / 16
    variance = first + (mean_square / rank**2).sum()
    found = baselines.chance_level(n_pos, n - n_pos).standard_deviation
    assert found == pytest.approx(math.sqrt(variance) / n_pos, rel=1e-12)


@pytest.mark.parametrize(("pi0", "value"), [(0.5, 0.306853), (0.1, 0.0517555), (0.01, 0.00501675)])
def test_the_worst_curve_has_the_least_area(pi0, value):
    """The value at 0.5 is also in the tests of the R package PRROC."""
    worst = ConfusionCurve.from_roc(tpr=[0, 0, 1], fpr=[0, 1, 1], n_pos=3, n_neg=5).at_prior(pi0)
    assert 1 + (1 - pi0) * math.log(1 - pi0) / pi0 == pytest.approx(value, rel=1e-5)
    assert scores.pr_auc(worst) == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_pos": 0, "n_neg": 5}, "n_pos must be at least 1, got 0"),
        ({"n_pos": 9, "n_neg": 1, "pi0": 1e-308}, "pi0=1e-308 gives weights outside"),
        ({"n_pos": 2**53 - 5, "n_neg": 5}, r"n_pos \+ n_neg must be at most 100000000, got \d+"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        baselines.chance_level(**arguments)
