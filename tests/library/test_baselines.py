"""Chance and least values of areas, against all rankings in exact arithmetic."""

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


def tied_rankings(n_pos, n_neg, pi0=None):
    """All rankings, with and without ties."""
    n = n_pos + n_neg
    labels = [True] * n_pos + [False] * n_neg
    for values in itertools.product(range(n), repeat=n):
        yield oracle.Ranking.of_samples(labels, values).by_reweighting(pi0)


# ------------------------------------------------------------------------------ chance level


@pytest.mark.parametrize("pi0", PRIORS)
@pytest.mark.parametrize(("n_pos", "n_neg"), SIZES)
def test_chance_level_and_least_value_are_those_of_all_rankings(n_pos, n_neg, pi0):
    values = [oracle.average_precision(each) for each in rankings(n_pos, n_neg, pi0)]
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / len(values)
    found = baselines.chance_level(n_pos, n_neg, pi0=pi0)
    assert found.expected == pytest.approx(float(mean), rel=1e-13)
    assert found.standard_deviation == pytest.approx(math.sqrt(variance), rel=1e-12)
    least = baselines.least_average_precision(n_pos, n_neg, pi0=pi0)
    assert least == pytest.approx(float(min(values)), rel=1e-14)


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


# ------------------------------------------------------------------------------- least value


@pytest.mark.parametrize("pi0", [None, 0.1, 0.8])
@pytest.mark.parametrize(("n_pos", "n_neg"), [(1, 3), (2, 2), (3, 1)])
def test_ties_do_not_lower_the_least_value(n_pos, n_neg, pi0):
    values = [oracle.average_precision(each) for each in tied_rankings(n_pos, n_neg, pi0)]
    least = baselines.least_average_precision(n_pos, n_neg, pi0=pi0)
    assert least == pytest.approx(float(min(values)), rel=1e-14)


@pytest.mark.parametrize(("pi0", "value"), [(0.5, 0.306853), (0.1, 0.0517555), (0.01, 0.00501675)])
def test_least_value_of_many_positives(pi0, value):
    """The value at 0.5 is also in the tests of the R package PRROC."""
    limit = 1 + (1 - pi0) * math.log(1 - pi0) / pi0
    assert limit == pytest.approx(value, rel=1e-5)
    assert baselines.least_average_precision(10**6, 1, pi0=pi0) == pytest.approx(limit, rel=1e-4)
    worst = ConfusionCurve.from_roc(tpr=[0, 0, 1], fpr=[0, 1, 1], n_pos=3, n_neg=5).at_prior(pi0)
    assert scores.pr_auc(worst) == pytest.approx(limit, rel=1e-12)


# ------------------------------------------------------------------------------- the test


@pytest.mark.parametrize("pi0", [None, 0.01, 0.7])
@pytest.mark.parametrize(
    "values", [[9, 8, 7, 6, 5, 4, 3, 2, 1, 0], [5, 5, 4, 4, 4, 3, 2, 2, 1, 1], [1, 1, 1, 0, 0] * 2]
)
def test_p_value_is_the_share_of_assignments_that_are_as_good(values, pi0):
    y_true = [1, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    n = len(values)

    def exact(positive):
        labels = [row in positive for row in range(n)]
        ranking = oracle.Ranking.of_samples(labels, values)
        return oracle.average_precision(ranking.by_reweighting(pi0))

    every = [exact(positive) for positive in itertools.combinations(range(n), 3)]
    observed = exact({0, 2, 6})
    found = baselines.chance_test((y_true, values), pi0=pi0)
    assert found.is_exact
    assert found.value == pytest.approx(float(observed), rel=1e-14)
    assert found.p_value == pytest.approx(sum(each >= observed for each in every) / len(every))


def test_random_assignments_agree_with_all(monkeypatch):
    rng = np.random.default_rng(1)
    y_true = np.arange(16) < 5
    y_score = np.round(rng.normal(0.8 * y_true), 1)
    exact = baselines.chance_test((y_true, y_score), pi0=0.05)
    monkeypatch.setattr(baselines, "_ALL_RANKINGS", 0)
    drawn = baselines.chance_test((y_true, y_score), pi0=0.05, n_resamples=20_000, rng=0)
    assert exact.is_exact
    assert not drawn.is_exact
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.012)
    assert drawn == baselines.chance_test((y_true, y_score), pi0=0.05, n_resamples=20_000, rng=0)


def test_the_observed_assignment_counts_as_one_of_those_drawn():
    y_true = np.arange(300) < 20
    found = baselines.chance_test((y_true, 1.0 * y_true), n_resamples=99, rng=0)
    assert found == (1.0, 0.01, False)


@pytest.mark.parametrize("decimals", [0, 8])
def test_the_test_is_valid(decimals):
    """Under the null hypothesis a p-value of at most α occurs in at most α of the samples."""
    rng = np.random.default_rng(2)
    y_true = np.arange(400) < 12
    p_values = np.array(
        [
            baselines.chance_test(
                (y_true, np.round(rng.normal(size=400), decimals)),
                pi0=0.001,
                n_resamples=99,
                rng=rng,
            ).p_value
            for _ in range(1000)
        ]
    )
    for level in (0.01, 0.05, 0.2):
        assert (p_values <= level).mean() < level + 4 * math.sqrt(level / 1000)
    if decimals == 8:
        assert (p_values <= 0.2).mean() > 0.15


def test_counts_and_weights_of_classes_are_rows():
    y_true, y_score = np.array([1, 0, 0, 1, 0, 0]), np.array([3, 3, 2, 2, 1, 1])
    rows = baselines.chance_test((y_true, y_score), pi0=0.1)
    counts = ConfusionCurve.from_counts([3, 2, 1], pos=[1, 1, 0], neg=[1, 1, 2])
    assert baselines.chance_test(counts, pi0=0.1) == rows
    weighted = ConfusionCurve.from_predictions(
        y_true, y_score, sample_weight=np.where(y_true, 1.0, 4.5)
    )
    assert baselines.chance_test(weighted).value == pytest.approx(
        scores.average_precision(weighted), rel=1e-14
    )
    assert baselines.chance_test(weighted).p_value == rows.p_value


# -------------------------------------------------------------------------------- errors

ROWS = [1, 0, 0, 1, 0], [5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: baselines.chance_level(0, 5), "n_pos must be at least 1, got 0"),
        (lambda: baselines.chance_level(9, 1, pi0=1e-308), "pi0=1e-308 gives weights outside"),
        (
            lambda: baselines.chance_test(ROWS, n_resamples=0),
            "n_resamples must be at least 1, got 0",
        ),
        (
            lambda: baselines.chance_test(
                ConfusionCurve.from_predictions(*ROWS, sample_weight=[1, 2, 3, 4, 5])
            ),
            "curve must hold independent rows, .* got weights",
        ),
        (
            lambda: baselines.chance_test(
                ConfusionCurve.from_predictions(*ROWS, clusters=[1, 1, 2, 2, 3])
            ),
            "got clusters",
        ),
        (
            lambda: baselines.chance_test(
                ConfusionCurve.from_roc(tpr=[0, 1], fpr=[0, 1], n_pos=1, n_neg=1)
            ),
            "curve must hold its rows",
        ),
        (
            lambda: baselines.chance_test(ConfusionCurve.from_probabilities([0.2, 0.9])),
            "curve must hold independent rows",
        ),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: baselines.chance_level(2**53 - 5, 5),
        lambda: baselines.chance_test(ConfusionCurve.from_counts([1, 2], [1e10, 1], [1, 1e10])),
    ],
)
def test_more_rows_than_fit_into_memory_are_refused(call):
    with pytest.raises(
        ValueError, match=r"n_pos \+ n_neg must be at most 100000000, got \d+ \+ \d+$"
    ):
        call()


def test_assignments_of_many_positives_are_drawn():
    """All 5,000 assignments of one negative would have 25 million positives."""
    y_true = np.arange(5_000) != 100
    found = baselines.chance_test((y_true, -np.arange(5_000.0)), n_resamples=9)
    assert not found.is_exact
