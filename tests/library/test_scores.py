"""Scores of curves and matrices: published numbers, extreme inputs, and every small matrix.

`test_properties.py` compares them with exact arithmetic on random rankings.
"""

import itertools
import math
import os
import subprocess
import sys
import warnings
from fractions import Fraction

import numpy as np
import oracle
import pytest
from samples import matrix_of

from calibrated_metrics import ConfusionCurve, prg_auc_score, scores
from calibrated_metrics.scores import UndefinedMetricWarning
from calibrated_metrics.scores.facts import facts_of

pytestmark = pytest.mark.filterwarnings("error")

TOLERANCE = 1e-12
EPS = np.finfo(float).eps


# ------------------------------------------------------------------------ extreme interpolation

STEEP_CURVES = {
    "10 to 11 over 1e9": [(0, 0), (10, 0), (11, 10**9)],
    "from (0, 1)": [(0, 0), (0, 1), (10, 1), (11, 10**9)],
    "from (0, 1e9)": [(0, 0), (0, 10**9), (11, 10**9 + 1)],
    "to a nearly flat step": [(0, 0), (1, 0), (10**9, 1), (10**9 + 1, 2)],
    "a negative among 1e9 positives": [(0, 0), (10**9, 1), (2 * 10**9, 10**9)],
    "collinear": [(0, 0), (1, 10**8), (10, 10**9), (11, 11 * 10**8)],
    "diagonal": [(0, 0), (11, 10**9)],
    "small growth": [(0, 0), (10**6, 3 * 10**8), (10**6 + 1, 3 * 10**8 + 1), (10**6 + 9, 10**9)],
}
STEEP_PRIORS = [None, 0.5, *(10.0**-k for k in (1, 3, 6, 9)), *(1 - 10.0**-k for k in (1, 3, 6, 9))]


def _curve_of(points):
    return ConfusionCurve(np.full(len(points), np.nan), *np.transpose(points))


@pytest.mark.parametrize("points", STEEP_CURVES.values(), ids=STEEP_CURVES)
def test_interpolation_is_exact_over_extreme_segments(case, points):
    # A difference near 0 has the absolute accuracy of its terms. So has the place of an alert rate
    # or of a specificity.
    differences = ("prg_auc", "roc_auc", "partial_roc", "partial_gains", "precision_at_top")
    error_of = oracle.relative_error
    at_a_place = ("recall_at", "specificity_at", "precision_at_specificity")
    if case.name.startswith((*differences, *at_a_place)):
        error_of = oracle.error
    for pi0 in STEEP_PRIORS:
        curve, ranking = _curve_of(points), oracle.Ranking.of_points(points)
        if pi0 is not None:
            curve = curve.at_prior(pi0)
        with np.errstate(all="raise"):
            value = case.curve(curve)
        exact = case.oracle(ranking.by_formula(pi0))
        assert error_of(value, exact) <= TOLERANCE, f"pi0={pi0}: {value}, is {float(exact)}"


def test_interpolation_is_exact_for_any_growth_of_a_segment():
    """From (0, F) the area is ∫ t / (t + F), two terms that cancel where F is large."""
    for growth in np.geomspace(1e-12, 1e3, 301):
        points = [(0, 0), (0, Fraction(1 / growth)), (1, Fraction(1 / growth))]
        value = scores.pr_auc(_curve_of([(tp, float(fp)) for tp, fp in points]))
        exact = oracle.pr_auc(oracle.Ranking.of_points(points))
        assert oracle.relative_error(value, exact) <= 1e-14, growth


# ------------------------------------------------------------------------ published numbers


def test_prg_crosses_the_axis_at_the_reference_prior():
    """The code published with Siblini et al. gives 1.25, although an area is at most 1."""
    y_true, y_score = [1, 1, 0, 0, 0, 0, 0], [2, 1, 1, 1, 1, 1, 1]
    assert prg_auc_score(y_true, y_score, pi0=0.6) == pytest.approx(1 / 3, abs=1e-15)
    ranking = oracle.Ranking.of_samples(y_true, y_score).by_formula(Fraction(3, 5))
    assert oracle.prg_auc(ranking) == Fraction(1, 3)


@pytest.mark.parametrize(
    ("tp", "exact"), [(9, 0.0295), (8.66, 0.0287)], ids=["TP=9", "TP=8.66, recall 0.02"]
)
def test_davis_goadrich_figure_6(tp, exact):
    curve = ConfusionCurve([np.inf, 0.5, 0], [0, tp, 433], [0, 0, 56_164])
    assert scores.pr_auc(curve) == pytest.approx(exact, abs=5e-5)


DG_FIGURE_7 = {
    "I": ([0, 0, 0.75, 1], [0, 0.5, 1, 1], 0.8125, 0.520),
    "II": ([0, 0.25, 1], [0, 1, 1], 0.875, 1 / 26),
}


@pytest.mark.parametrize(("fpr", "tpr", "roc", "pr"), DG_FIGURE_7.values(), ids=DG_FIGURE_7)
def test_davis_goadrich_figure_7(fpr, tpr, roc, pr):
    """Curve II wins in ROC space and loses in PR space."""
    curve = ConfusionCurve.from_roc(tpr=tpr, fpr=fpr, n_pos=20, n_neg=2000)
    assert scores.roc_auc(curve) == pytest.approx(roc, abs=1e-15)
    assert scores.pr_auc(curve) == pytest.approx(pr, abs=5e-4 if pr > 0.5 else 1e-15)
    assert scores.achievable_pr_auc(curve) == pytest.approx(scores.pr_auc(curve), abs=1e-15)


# ------------------------------------------------------------------------ limits

PERFECT = ([1, 1, 1, 0, 0], [5, 4, 3, 2, 1])
WORST = ([1, 1, 0, 0, 0], [1, 2, 3, 4, 5])
CONSTANT = ([1, 1, 0, 0, 0], [7, 7, 7, 7, 7])


@pytest.mark.parametrize("pi0", [None, 1e-300, 1e-100, 1e-20, 1 - 2**-53])
def test_priors_at_the_ends_of_float64(case, pi0):
    for sample in (PERFECT, WORST, CONSTANT, ([0, 1, 0, 1, 1], [5, 4, 4, 2, 2])):
        ranking = oracle.Ranking.of_samples(*sample).by_formula(pi0)
        assert oracle.error(case(*sample, pi0=pi0), case.oracle(ranking)) <= TOLERANCE


def test_scale_of_the_weights_does_not_matter(case):
    """Either refused by name, or right; never a silent 0, 1 or NaN."""
    y_true, y_score, pi0 = [1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1], 0.3
    expected = case(y_true, y_score, pi0=pi0)
    for scale in (1e-300, 1e-200, 1e-100, 1e100, 1e200, 1e300):
        try:
            value = case(y_true, y_score, pi0=pi0, sample_weight=np.full(6, scale))
        except ValueError as error:
            assert "weight" in str(error)  # noqa: PT017
        else:
            assert value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("light", [1e-300, 1e-100, 1e-20])
def test_one_sample_that_weighs_next_to_nothing(case, light):
    for at, y_true in itertools.product(range(4), itertools.product([0, 1], repeat=4)):
        weights = np.ones(4)
        weights[at] = light
        if 0 < sum(y_true) < 4:
            ranking = oracle.Ranking.of_samples(y_true, [4, 3, 2, 1], weights.tolist())
            value = case(y_true, [4, 3, 2, 1], sample_weight=weights)
            # FN = n_pos - TP is known to a rounding of n_pos, recall gain multiplies it by the odds
            odds = float(ranking.n_pos / ranking.n_neg)
            lost = 4 * EPS * (1 + odds) if case.name == "prg_auc" else 0
            assert oracle.error(value, case.oracle(ranking)) <= TOLERANCE + lost, (at, y_true)


def test_weights_below_the_normal_floats_are_refused_or_right(case):
    """Never a silent NaN or a wrong value, although subnormal weights have few digits."""
    for y_true, light in itertools.product(([0, 1, 0], [1, 0, 1]), (5e-324, 1e-320, 1e-310)):
        for weights in ([light] * 3, [light, 1, light], [1, light, 1], [1, light, light]):
            try:
                value = case(y_true, [3, 2, 1], sample_weight=weights)
            except ValueError as error:
                assert "weight" in str(error)  # noqa: PT017
            else:
                exact = case.oracle(oracle.Ranking.of_samples(y_true, [3, 2, 1], weights))
                assert oracle.error(value, exact) <= TOLERANCE, (y_true, weights)


def test_probabilities_below_the_normal_floats_are_refused_or_right(case):
    for light in (5e-324, 1e-320, 1e-310):
        try:
            value = case.curve(ConfusionCurve.from_probabilities([light, 0.0]))
        except ValueError as error:
            assert "y_prob" in str(error)  # noqa: PT017
        else:
            q = Fraction(light)
            ranking = oracle.Ranking.of_points([(0, 0), (q, 1 - q), (q, 2 - q)])
            assert oracle.error(value, case.oracle(ranking)) <= TOLERANCE, light


@pytest.mark.parametrize("light", [1e-100, 1e-200, 1e-299])
def test_small_values_do_not_underflow(case, light):
    """A light positive below heavy negatives, and the reverse: relative accuracy, never 0."""
    if case.name.startswith(
        ("roc", "prg", "partial_roc", "recall", "specificity", "precision_at_top", "precision_at_s")
    ):
        return  # 0 or a difference from 1
    for weights in ([1.0, light, 1.0], [1.0, light, light]):
        for pi0 in (None, 1e-100):
            ranking = oracle.Ranking.of_samples([0, 1, 0], [3, 2, 1], weights)
            exact = case.oracle(ranking if pi0 is None else ranking.by_formula(pi0))
            value = case([0, 1, 0], [3, 2, 1], sample_weight=weights, pi0=pi0)
            assert oracle.relative_error(value, exact) <= 1e-13, (weights, pi0)


def test_ranges_below_float64_are_refused():
    curve = ConfusionCurve.from_predictions([1, 0], [2, 1], sample_weight=[0.1, 1])
    with pytest.raises(ValueError, match=r"min_recall=0\.0 and max_recall=5e-324 are too close"):
        scores.partial_average_precision(curve, max_recall=5e-324)
    with pytest.raises(ValueError, match="alert_rate=5e-324 gives a number of alerts below"):
        scores.precision_at_top(curve, 5e-324)


# ------------------------------------------------------------------------ options


@pytest.mark.parametrize("beta", [0, -1.0, math.nan, math.inf, "2", None, True, 1j])
def test_beta_must_be_a_positive_number(beta):
    curve = ConfusionCurve.from_predictions(*PERFECT)
    with pytest.raises((ValueError, TypeError), match="beta"):
        scores.best_fbeta(curve, beta)
    with pytest.raises((ValueError, TypeError), match="beta"):
        scores.fbeta(curve.confusion_matrix(2.5), beta)


@pytest.mark.parametrize("beta", [1e-300, 1e-200, 1e-9, 1e9, 1e200, 1e300])
def test_extreme_beta(beta):
    """F-beta tends to precision for beta to 0, to recall for beta to infinity."""
    y_true, y_score = [0, 1, 1, 0, 1], [5, 4, 3, 2, 1]
    ranking = oracle.Ranking.of_samples(y_true, y_score)
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    try:
        values = scores.best_fbeta(curve, beta), scores.fbeta(curve.confusion_matrix(2.5), beta)
        nothing_predicted = scores.fbeta(curve.confusion_matrix(9), beta)
    except ValueError as error:
        assert "beta" in str(error)  # noqa: PT017
        return
    exact = oracle.best_fbeta(ranking, beta), ranking.fbeta_of(2, 1, beta)
    assert all(oracle.error(*pair) <= TOLERANCE for pair in zip(values, exact, strict=True))
    assert nothing_predicted == 0


# ------------------------------------------------------------------------ metrics of a decision


def _outcomes():
    """Every confusion matrix of some small numbers, and of very different ones."""
    small = itertools.product((0, 1, 3), (0, 2), (0, 5), (0, 4))
    wide = itertools.product((0, 1e-9, 1e12), repeat=4)
    return [outcomes for outcomes in (*small, *wide) if any(outcomes)]


def _exact_of(hard_case, outcomes):
    return hard_case.exact(*map(Fraction, outcomes))


def test_metrics_of_a_matrix_are_their_definitions(hard_case):
    for outcomes in _outcomes():
        matrix, exact = matrix_of(*outcomes), _exact_of(hard_case, outcomes)
        if exact is None:
            name = hard_case.of_matrix.__name__
            with pytest.raises(ValueError, match=f"^{name} is undefined: (nothing|there is)"):
                hard_case.matrix(matrix)
        else:
            value = hard_case.matrix(matrix)
            assert type(value) is float
            low, high = facts_of(hard_case.of_matrix).range
            assert low <= value <= high
            assert oracle.error(value, exact) <= 4 * EPS, outcomes


def test_metrics_of_a_stack_are_those_of_each_matrix(hard_case):
    """NaN where a matrix alone is an error, and a warning exactly if there is one."""
    all_outcomes = _outcomes()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        values = hard_case.matrix(matrix_of(*np.array(all_outcomes, dtype=float).T))
    defined = np.array([_exact_of(hard_case, each) is not None for each in all_outcomes])
    assert [each.category for each in caught] == [UndefinedMetricWarning] * (not defined.all())
    np.testing.assert_array_equal(np.isnan(values), ~defined)
    one_by_one = [
        hard_case.matrix(matrix_of(*outcomes))
        for outcomes, is_defined in zip(all_outcomes, defined, strict=True)
        if is_defined
    ]
    np.testing.assert_array_equal(values[defined], one_by_one)
    assert (values.dtype, values.flags.writeable) == (np.float64, True)


THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
PRINT_SCORES = """
import numpy as np
from calibrated_metrics import ConfusionCurve, Metric, scores

REQUIRED = ("max_fpr", "max_alert_rate", "recall", "precision", "alert_rate", "specificity")
of_a_curve = [
    Metric(name, **{key: 0.1 for key in each.options if key in REQUIRED})
    for name, each in scores.registered_scores().items()
    if each.of == "curve" and each.loss is None
]
rng = np.random.default_rng(0)
y_true = rng.integers(0, 5, 200_000) == 0
curve = ConfusionCurve.from_predictions(y_true, rng.normal(size=200_000) + y_true)
print(*(score(curve.at_prior(pi0)).hex() for score in of_a_curve for pi0 in (0.001, 0.01, 0.5)))
"""


def test_scores_do_not_depend_on_the_number_of_threads():
    """Tables are the same to the last byte on any number of cores."""
    printed = [
        subprocess.run(
            [sys.executable, "-c", PRINT_SCORES],
            env=os.environ | dict.fromkeys(THREADS, n_threads),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for n_threads in ("1", "2")
    ]
    assert len(printed[0].split()) > 30
    assert printed[0] == printed[1]
