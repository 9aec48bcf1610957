"""Confusion matrices: one, stacks of them, calibrated, and those of a curve at thresholds."""

import dataclasses
import inspect
import itertools
import math
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import oracle
import pytest
from curves import OTHERS, OUTCOMES, ROWS, Y_SCORE, Y_TRUE, outcomes_of
from hypothesis import given
from samples import matrix_of
from sklearn.metrics import confusion_matrix as sklearn_confusion_matrix

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, scores

pytestmark = pytest.mark.filterwarnings("error")

ULP = 2.0**-52

# Multiples of 1/8: sums of them are exact.
EIGHTHS = st.integers(0, 400).map(lambda eighths: eighths / 8)
SOME_EIGHTHS = st.integers(1, 400).map(lambda eighths: eighths / 8)
PRIORS = st.one_of(
    st.sampled_from([1e-9, 0.01, 0.5, 0.99, 1 - 1e-9]),
    st.floats(-6, -0.31).map(lambda exponent: 10**exponent),
    st.floats(-6, -0.31).map(lambda exponent: 1 - 10**exponent),
)


@st.composite
def outcomes_of_both_classes(draw):
    """tp, fp, fn, tn with weight in both classes."""
    positives = draw(st.permutations([draw(EIGHTHS), draw(SOME_EIGHTHS)]))
    negatives = draw(st.permutations([draw(EIGHTHS), draw(SOME_EIGHTHS)]))
    return positives[0], negatives[0], positives[1], negatives[1]


def rows(matrix) -> np.ndarray:
    """The outcomes of a stack, shape (n_matrices, 4)."""
    return np.stack(outcomes_of(matrix), axis=1)


def assert_exact(values, exact, ulps=0):
    """Each outcome is within `ulps` of the exact one."""
    for value, true in zip(values, exact, strict=True):
        assert math.isfinite(value)
        assert abs(Fraction(float(value)) - true) <= Fraction(ulps * ULP) * true, (values, exact)


def assert_close(matrix, other, rel):
    for name in OUTCOMES:
        np.testing.assert_allclose(getattr(matrix, name), getattr(other, name), rtol=rel, atol=0)


@pytest.fixture
def matrix():
    return ConfusionMatrix(tp=80, fp=40, fn=20, tn=860)


@pytest.fixture
def stack():
    return ConfusionMatrix(tp=[0, 1, 2, 3], fp=[0, 0, 5, 7], fn=[3, 2, 1, 0], tn=[7, 7, 2, 0])


@pytest.fixture
def curve():
    return ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)


# ------------------------------------------------------------------------ one matrix


@pytest.mark.parametrize("eight", [8, 8.0, np.float32(8), np.int8(8), Fraction(8)], ids=repr)
def test_outcomes_and_totals_of_one_matrix_are_floats(eight):
    matrix = matrix_of(eight, 7, eight, 17)
    values = (*outcomes_of(matrix), matrix.n_pos, matrix.n_neg, matrix.prior)
    assert values == (8, 7, 8, 17, 16, 24, 0.4)
    assert all(type(value) is float for value in values)


def test_outcomes_are_keywords_because_the_order_of_scikit_learn_differs():
    y_true, y_pred = [0, 0, 0, 1, 1, 1, 1], [1, 0, 0, 1, 1, 1, 0]
    given = sklearn_confusion_matrix(y_true, y_pred).ravel()
    for arguments in (given, given[:1], (given,)):
        with pytest.raises(TypeError, match=r"tp=tp, fp=fp, fn=fn, tn=tn.*order tn, fp, fn, tp"):
            ConfusionMatrix(*arguments)
    with pytest.raises(TypeError, match="takes keywords"):
        ConfusionMatrix(1, fp=2, fn=3, tn=4)
    tn, fp, fn, tp = given
    matrix = ConfusionMatrix(tp=tp, fp=fp, fn=fn, tn=tn)
    assert outcomes_of(matrix) == outcomes_of(ConfusionMatrix.from_predictions(y_true, y_pred))
    assert list(inspect.signature(ConfusionMatrix).parameters) == list(OUTCOMES)


def test_repr_of_one_matrix_is_its_constructor_call(matrix):
    assert repr(matrix) == "ConfusionMatrix(tp=80.0, fp=40.0, fn=20.0, tn=860.0)"
    assert outcomes_of(eval(repr(matrix))) == outcomes_of(matrix)
    rates = ConfusionMatrix.from_rates(tpr=0.9, fpr=0.05, prior=0.01)
    assert repr(rates) == "ConfusionMatrix(tp=0.009, fp=0.0495, fn=0.001, tn=0.9405)"


def test_a_matrix_is_equal_to_itself_only(matrix, stack):
    """Matrices are compared by identity, so a matrix can be a key."""
    for each in (matrix, stack):
        twin = matrix_of(*outcomes_of(each))
        assert each == each
        assert each != twin
        assert len({each, each, twin}) == 2


def test_outcomes_cannot_be_assigned(matrix, stack):
    for each in (matrix, stack):
        for name in (*OUTCOMES, "other"):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(each, name, 1.0)
        for name in ("n_pos", "n_neg", "prior"):
            with pytest.raises(AttributeError):
                setattr(each, name, 1.0)


# ------------------------------------------------------------------------ a stack


def test_matrices_of_a_stack_may_differ_in_their_totals():
    stack = matrix_of([1, 5], [3, 0], [0, 5], [0, 10])
    np.testing.assert_array_equal(stack.n_pos, [1, 10])
    np.testing.assert_array_equal(stack.n_neg, [3, 10])
    np.testing.assert_array_equal(stack.prior, [0.25, 0.5])


def test_arrays_of_a_stack_are_read_only(stack):
    for each in (stack, stack.at_prior(0.2), matrix_of(1, 2, 3, 4).at_prior([0.1, 0.2])):
        for weights in outcomes_of(each):
            with pytest.raises(ValueError, match="read-only"):
                weights[0] = 1


def test_inputs_of_a_stack_are_neither_changed_nor_shared():
    given_arrays = [np.array([1.0, 2]), np.array([3.0, 4]), np.array([5.0, 6]), np.array([7.0, 8])]
    stack = matrix_of(*given_arrays)
    for values, weights in zip(given_arrays, outcomes_of(stack), strict=True):
        assert values.flags.writeable
        assert not np.shares_memory(values, weights)
        values[:] = 0
    np.testing.assert_array_equal(rows(stack), [[1, 3, 5, 7], [2, 4, 6, 8]])


# ------------------------------------------------------------------------ sequences and sums


def test_a_stack_is_the_sequence_of_its_matrices(stack):
    assert len(stack) == len(list(stack)) == 4
    for index, matrix in enumerate(stack):
        for each in (matrix, stack[index], stack[index - 4], stack[np.int64(index)]):
            assert outcomes_of(each) == rows(stack)[index].tolist()
            assert all(type(weight) is float for weight in outcomes_of(each))
    for index in (slice(1, 4, 2), [1, 3], np.array([1, 3]), stack.tp % 2 == 1):
        np.testing.assert_array_equal(rows(stack[index]), rows(stack)[[1, 3]])
        with pytest.raises(ValueError, match="read-only"):
            stack[index].tp[0] = 1
    assert len(stack[4:]) == 0
    for index in (4, -5):
        with pytest.raises(IndexError):
            stack[index]


def test_a_single_matrix_is_no_sequence(matrix):
    for use in (len, list, lambda each: each[0]):
        with pytest.raises(TypeError, match="a single confusion matrix has no"):
            use(matrix)


@given(st.lists(outcomes_of_both_classes(), min_size=1, max_size=4))
def test_sums_count_the_rows_of_all(each_outcome):
    matrices = [matrix_of(*outcome) for outcome in each_outcome]
    total = np.sum(each_outcome, axis=0).tolist()
    assert outcomes_of(sum(matrices)) == total
    stack = matrix_of(*np.transpose(each_outcome))
    assert outcomes_of(sum(stack)) == total
    np.testing.assert_array_equal(rows(stack + stack), 2 * rows(stack))


@pytest.mark.parametrize("other", [1, None, "matrix", [1, 2, 3, 4]])
def test_only_matrices_can_be_added(matrix, other):
    for one, another in ((matrix, other), (other, matrix)):
        with pytest.raises(TypeError):
            one + another


# ------------------------------------------------------------------------ what is remembered


def test_a_matrix_of_rows_remembers_them_and_its_threshold(curve):
    for at in (curve, curve.at_prior(0.2)):
        matrix = at.confusion_matrix(6)
        assert (matrix.rows, matrix.threshold) == (curve.rows, 6.0)
        assert np.count_nonzero(matrix.rows.has_alert(6) & matrix.rows.positive) == matrix.tp
        assert at.confusion_matrix([6, 5])[1].threshold == 5.0
    of_vertices = ConfusionCurve(curve.thresholds, curve.tp, curve.fp).confusion_matrix(6)
    assert (of_vertices.has_rows, of_vertices.threshold) == (False, 6.0)


def test_a_matrix_remembers_its_counts_before_any_calibration(matrix, stack, curve):
    for own in (matrix, stack, curve.confusion_matrix(6), curve.confusion_matrix([6, 5])):
        assert_close(own._unweighted, own, rel=0)
        assert not own.prior_is_known
        prior = np.ravel(own.prior)[0]
        for at in (own.at_prior(0.2), own.at_prior(prior), own.at_prior(0.9).at_prior(0.2)):
            assert_close(at._unweighted, own, rel=0)
            assert at.prior_is_known
            assert at._rows is own._rows
    of_curve = curve.at_prior(0.2).confusion_matrix(6)
    assert outcomes_of(of_curve._unweighted) == outcomes_of(curve.confusion_matrix(6))
    at_priors = matrix.at_prior([0.2, 0.5])
    assert (outcomes_of(at_priors._unweighted), at_priors.prior_is_known) == (
        outcomes_of(matrix),
        True,
    )


# ------------------------------------------------------------------------ of predicted labels


@pytest.mark.parametrize(
    ("y_true", "y_pred", "options", "expected"),
    [
        ([1, 0, 1, 0, 0], [1, 0, 0, 0, 1], {}, [1, 1, 1, 2]),
        (["b", "a", "b"], ["b", "b", "a"], {"pos_label": "b"}, [1, 1, 1, 0]),
        ([1, 0, 1, 0], [1, 1, 0, 0], {"sample_weight": [0.5, 2, 0.25, 8]}, [0.5, 2, 0.25, 8]),
        ([1, 0, 1, 0], [1, 1, 0, 0], {"sample_weight": [0.5, 2, 0.5, 2]}, [0.5, 2, 0.5, 2]),
        ([1, 0, 7], [1, 1, 9], {"sample_weight": [1, 1, 0]}, [1, 1, 0, 0]),
        ([1, 1, 1], [1, 0, 0], {"sample_weight": [1, 2, 4]}, [1, 0, 6, 0]),
        ([0, 0], [0, 1], {}, [0, 1, 0, 1]),
        ([True, False], np.array([0.0, 1.0]), {"pos_label": True}, [0, 1, 1, 0]),
    ],
)
def test_predicted_labels_are_counted(y_true, y_pred, options, expected):
    matrix = ConfusionMatrix.from_predictions(y_true, y_pred, **options)
    assert outcomes_of(matrix) == expected
    assert all(type(weight) is float for weight in outcomes_of(matrix))


def test_predicted_labels_are_the_decisions_of_a_ranking():
    weights = np.where(np.array(Y_TRUE) == 1, 0.5, 4)
    for options in ({}, {"sample_weight": weights}, {"sample_weight": Y_SCORE}):
        curve = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE, **options)
        expected = curve.confusion_matrix(6)
        found = ConfusionMatrix.from_predictions(Y_TRUE, np.array(Y_SCORE) >= 6, **options)
        assert outcomes_of(found) == outcomes_of(expected)
        assert found.prior_is_known == expected.prior_is_known
        assert outcomes_of(found._unweighted) == outcomes_of(expected._unweighted)
        np.testing.assert_array_equal(
            found.rows.has_alert(found.threshold), expected.rows.has_alert(6)
        )


@pytest.mark.parametrize(
    ("y_true", "y_pred", "options", "message"),
    [
        ([0, 1, 2], [0, 1, 1], {}, r"y_true must hold at most two labels, got \[0, 1, 2\]"),
        ([0, 1], [0, 2], {}, r"y_pred must hold labels of y_true only, got \[2\]"),
        ([1, 1], [0, 2], {}, r"y_pred must hold labels of y_true only, got \[2\]"),
        ([0, 1], [0.2, 0.7], {}, "scores become labels by a threshold"),
        (["a", "b"], [0.7, 0.2], {"pos_label": "a"}, r"y_score >= 0\.5 with y_true == 'a'$"),
        ([0, 1], [0], {}, "y_true has 2, y_pred has 1"),
        ([0, 1], [0, 1], {"sample_weight": [1]}, "sample_weight has 1"),
        ([0, 1], [None, 1], {}, "y_pred must not hold missing labels"),
    ],
)
def test_bad_predicted_labels_are_refused_by_name(y_true, y_pred, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ConfusionMatrix.from_predictions(y_true, y_pred, **options)


# ------------------------------------------------------------------------ invalid outcomes


@pytest.mark.parametrize("name", OUTCOMES)
@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (-1, ValueError, r"must not be negative, got -1\.0"),
        (math.nan, ValueError, "must be a finite float64, got nan"),
        (10**400, ValueError, "must be a finite float64, got 1000"),
        ("1", TypeError, "must be a real number, got '1'"),
        (True, TypeError, "must be a real number, got True"),
    ],
    ids=repr,
)
def test_an_outcome_must_be_a_finite_number_of_at_least_zero(name, value, kind, message):
    arguments = {each: 1 for each in OUTCOMES} | {name: value}
    with pytest.raises(kind, match=f"^{name} {message}"):
        ConfusionMatrix(**arguments)


@pytest.mark.parametrize("name", OUTCOMES)
@pytest.mark.parametrize(
    ("values", "kind", "message"),
    [
        ([1, -2], ValueError, r"must not be negative, got -2\.0 at index 1"),
        ([math.nan, 1], ValueError, "must be finite, got nan at index 0"),
        ([1, 10**400], ValueError, "must hold numbers within float64"),
        (["1", "2"], TypeError, "must hold real numbers, got dtype"),
        ([1, None], TypeError, "must hold real numbers, got None"),
        ([[1, 2]], ValueError, r"must be one-dimensional, got shape \(1, 2\)"),
        ([], ValueError, "must not be empty"),
    ],
    ids=lambda value: None if isinstance(value, type) else repr(value)[:24],
)
def test_outcomes_of_a_stack_must_be_finite_and_at_least_zero(name, values, kind, message):
    arguments = {each: [1, 1] for each in OUTCOMES} | {name: values}
    with pytest.raises(kind, match=f"^{name} {message}"):
        ConfusionMatrix(**arguments)


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (([1, 2], 1, 1, 1), r"must have the same shape.*tp \(2,\), fp \(\), fn \(\), tn \(\)$"),
        (([1, 2], [1, 2], [1], [1, 2]), r"must have the same shape.*fn \(1,\), tn \(2,\)$"),
        ((0, 0, 0, 0), "must not all be 0$"),
        (([1, 0], [0, 0], [0, 0], [0, -0.0]), "must not all be 0$"),
        ((1e308, 1e308, 1e308, 1e308), "must have a finite sum in float64"),
        (([1e308, 1], [1e308, 1], [1e308, 1], [1e308, 1]), "must have a finite sum in float64"),
    ],
)
def test_outcomes_that_are_no_matrix_together_are_refused(outcome, message):
    with pytest.raises(ValueError, match=f"^tp, fp, fn and tn {message}"):
        matrix_of(*outcome)


# ------------------------------------------------------------------------ calibration


@given(outcomes_of_both_classes(), PRIORS)
def test_calibration_scales_the_negatives_exactly(outcome, pi0):
    calibrated = matrix_of(*outcome).at_prior(pi0)
    exact = oracle.Matrix.of(*outcome).at_prior(pi0)
    # 1 - pi0 is exact for pi0 >= 0.5 and rounded once below.
    assert_exact(outcomes_of(calibrated), exact, ulps=4)
    assert (calibrated.tp, calibrated.fn) == (outcome[0], outcome[2])
    assert calibrated.prior == pytest.approx(pi0, rel=1e-14)
    assert all(type(weight) is float for weight in outcomes_of(calibrated))


@given(st.lists(outcomes_of_both_classes(), min_size=1, max_size=4), PRIORS)
def test_a_stack_is_calibrated_matrix_by_matrix(each_outcome, pi0):
    stack = matrix_of(*np.transpose(each_outcome)).at_prior(pi0)
    single = [outcomes_of(matrix_of(*outcome).at_prior(pi0)) for outcome in each_outcome]
    np.testing.assert_array_equal(rows(stack), single)


@given(outcomes_of_both_classes(), st.lists(PRIORS, min_size=1, max_size=4))
def test_an_array_of_priors_gives_a_stack(outcome, priors):
    matrix = matrix_of(*outcome)
    priors = [*priors, matrix.prior]
    for given_priors in (priors, tuple(priors), np.array(priors)):
        stack = matrix.at_prior(given_priors)
        assert all(weights.shape == (len(priors),) for weights in outcomes_of(stack))
        np.testing.assert_array_equal(
            rows(stack), [outcomes_of(matrix.at_prior(pi0)) for pi0 in priors]
        )
    assert outcomes_of(stack.at_prior(0.5))[1] == pytest.approx(matrix.at_prior(0.5).fp)


@given(outcomes_of_both_classes())
def test_the_own_prior_changes_no_bit(outcome):
    matrix = matrix_of(*outcome)
    assert outcomes_of(matrix.at_prior(matrix.prior)) == list(outcome)
    stack = matrix_of(*([weight, 1.0] for weight in outcome))
    assert rows(stack.at_prior(matrix.prior))[0].tolist() == list(outcome)


@given(outcomes_of_both_classes(), PRIORS, PRIORS)
def test_the_second_calibration_counts(outcome, first, second):
    matrix = matrix_of(*outcome)
    twice = matrix.at_prior(first).at_prior(second)
    assert_close(twice, matrix.at_prior(second), rel=20 * ULP)
    # The odds of a prior near 1 have lost digits.
    back = matrix.at_prior(first).at_prior(matrix.prior)
    assert_close(back, matrix, rel=20 * ULP / (1 - matrix.prior))


@pytest.mark.parametrize(
    "pi0", [0, 1, math.nan, True, "0.5", None, [], [0.5, 1], [[0.5]]], ids=repr
)
def test_priors_must_lie_between_zero_and_one(matrix, pi0):
    with pytest.raises((ValueError, TypeError), match=r"^pi0 must"):
        matrix.at_prior(pi0)


def test_a_stack_takes_no_array_of_priors(stack):
    with pytest.raises(ValueError, match=r"^pi0 must be a number for a stack of matrices"):
        stack.at_prior([0.1, 0.2, 0.3, 0.4])
    with pytest.raises(ValueError, match=r"^pi0 must be a number for a stack of matrices"):
        matrix_of(1, 2, 3, 4).at_prior([0.1]).at_prior([0.1])


@pytest.mark.parametrize(
    ("arguments", "pi0"),
    [
        ((1, 0, 1, 0), 0.5),
        ((0, 1, 0, 1), 0.5),
        (([1, 1], [1, 0], [1, 1], [1, 0]), 0.5),
    ],
)
def test_calibration_needs_weight_in_both_classes(arguments, pi0):
    with pytest.raises(ValueError, match="pi0 needs weight in both classes"):
        matrix_of(*arguments).at_prior(pi0)


@pytest.mark.parametrize(
    ("outcome", "pi0", "named"),
    [
        ((1e3, 0, 0, 1e3), 5e-324, "5e-324"),
        ((1e3, 1e3, 0, 1e3), 1e-308, "1e-308"),
        ((1e3, 1e3, 0, 1e3), [0.5, 1e-308, 0.1], "1e-308"),
        (([1, 1e3], [1, 1e3], [1, 0], [1, 1e3]), 1e-306, "1e-306"),
        ((1e300, 0, 1, 1e-300), 0.5, "0.5"),
        ((1e-300, 1, 0, 1e300), 1 - 1e-16, "0.9999999999999999"),
    ],
)
def test_priors_whose_weights_leave_float64_are_refused(outcome, pi0, named):
    with pytest.raises(ValueError, match=f"^pi0={named} gives weights outside the range of"):
        matrix_of(*outcome).at_prior(pi0)


# ------------------------------------------------------------------------ at thresholds of a curve


@st.composite
def weighted_rankings(draw, scores):
    """Labels, scores and weights; each class has some weight."""
    rest = draw(st.lists(st.integers(0, 1), max_size=10))
    y_true = draw(st.permutations([0, 1, *rest]))
    y_score = draw(st.lists(scores, min_size=len(y_true), max_size=len(y_true)))
    weights = draw(st.lists(SOME_EIGHTHS, min_size=len(y_true), max_size=len(y_true)))
    return y_true, y_score, weights


ANY_SCORE = st.one_of(
    st.integers(-3, 3).map(float), st.floats(allow_nan=False, allow_infinity=False)
)


def _every_side(y_score) -> list[float]:
    """Each score, its neighbouring floats, the middles of the gaps, and both infinities."""
    distinct = sorted({float(score) for score in y_score})
    middles = [low / 2 + high / 2 for low, high in itertools.pairwise(distinct)]
    neighbours = [math.nextafter(score, end) for score in distinct for end in (-math.inf, math.inf)]
    return [*distinct, *middles, *neighbours, math.inf, -math.inf]


SOURCES = {
    "predictions": lambda y_true, y_score, weights: ConfusionCurve.from_predictions(
        y_true, y_score, sample_weight=weights
    ),
    "counts": lambda y_true, y_score, weights: ConfusionCurve.from_counts(
        y_score,
        [weight if label else 0 for label, weight in zip(y_true, weights, strict=True)],
        [0 if label else weight for label, weight in zip(y_true, weights, strict=True)],
    ),
}


@pytest.mark.parametrize("build", SOURCES.values(), ids=SOURCES)
@given(weighted_rankings(ANY_SCORE), st.none() | PRIORS)
def test_matrices_of_a_curve_are_exact_at_any_threshold(build, ranking, pi0):
    y_true, y_score, weights = ranking
    curve = build(*ranking)
    curve = curve if pi0 is None else curve.at_prior(pi0)
    exact = oracle.Ranking.of_samples(y_true, y_score, weights).by_formula(pi0)
    thresholds = _every_side(y_score)
    stack = rows(curve.confusion_matrix(thresholds))
    for threshold, values in zip(thresholds, stack, strict=True):
        assert_exact(values, exact.matrix_at(threshold), ulps=0 if pi0 is None else 8)
        assert outcomes_of(curve.confusion_matrix(threshold)) == values.tolist()


def test_one_threshold_gives_floats_and_an_array_gives_arrays(curve):
    single = curve.confusion_matrix(6)
    assert all(type(weight) is float for weight in outcomes_of(single))
    for thresholds in ([6], (6,), np.array([6]), np.array([6.0])):
        stack = curve.confusion_matrix(thresholds)
        assert all(weights.shape == (1,) for weights in outcomes_of(stack))
        assert rows(stack)[0].tolist() == outcomes_of(single)


@pytest.mark.parametrize(
    ("threshold", "kind"),
    [
        (math.nan, ValueError),
        ([1, math.nan], ValueError),
        (["1"], TypeError),
        (True, TypeError),
        ([[1, 2]], ValueError),
        (np.ma.masked_array([1.0, 2.0], [0, 1]), ValueError),
    ],
    ids=lambda value: None if isinstance(value, type) else repr(value)[:24],
)
def test_bad_thresholds(curve, threshold, kind):
    for each in (curve, curve.at_prior(0.2), curve.hull()):
        with pytest.raises(kind, match=r"^threshold must"):
            each.confusion_matrix(threshold)


# The thresholds of a curve that is built from rates are unknown.
WITH_THRESHOLDS = {name: build for name, build in (ROWS | OTHERS).items() if name != "roc"}


@pytest.mark.parametrize("pi0", [None, 0.01])
@pytest.mark.parametrize("build", WITH_THRESHOLDS.values(), ids=WITH_THRESHOLDS)
def test_matrices_at_the_vertices_and_at_both_ends_are_those_of_the_curve(build, pi0):
    curve = build() if pi0 is None else build().at_prior(pi0)
    stack = curve.confusion_matrix(curve.thresholds)
    # The vertices of populations are computed elsewhere than their counts, and end at the totals.
    np.testing.assert_allclose(stack.tp, curve.tp, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(stack.fp, curve.fp, rtol=1e-9, atol=1e-12 * curve.n_neg)
    np.testing.assert_allclose(stack.n_pos, curve.n_pos, rtol=1e-15)
    np.testing.assert_allclose(stack.n_neg, curve.n_neg, rtol=4e-15)
    n_pos, n_neg = curve.n_pos, curve.n_neg
    nothing, everything = curve.confusion_matrix(math.inf), curve.confusion_matrix(-math.inf)
    assert outcomes_of(nothing) == pytest.approx([0, 0, n_pos, n_neg], rel=1e-15, abs=0)
    assert outcomes_of(everything) == pytest.approx([n_pos, n_neg, 0, 0], rel=1e-15, abs=0)


UNKNOWN_BETWEEN_VERTICES = {
    "hull": lambda curve: curve.hull(),
    "hull at a prior": lambda curve: curve.hull().at_prior(0.5),
    "vertices": lambda curve: ConfusionCurve(curve.thresholds, curve.tp, curve.fp),
}


@pytest.mark.parametrize("lost", UNKNOWN_BETWEEN_VERTICES.values(), ids=UNKNOWN_BETWEEN_VERTICES)
def test_counts_between_vertices_are_unknown_without_rows(curve, lost):
    """2.5 is inside a run of negatives, where only a curve of rows has counts."""
    for threshold in (2.5, [4, 2.5]):
        with pytest.raises(ValueError, match=r"threshold=2\.5 is not a vertex"):
            lost(curve).confusion_matrix(threshold)


def test_counts_between_vertices_that_are_equal_are_known():
    """There is no score between 6 and 5, so both vertices have the same counts."""
    curve = ConfusionCurve([np.inf, 6, 5, 1], [0, 2, 2, 3], [0, 1, 1, 4])
    assert outcomes_of(curve.confusion_matrix(5.5)) == [2, 1, 1, 3]
    assert outcomes_of(curve.confusion_matrix(6)) == [2, 1, 1, 3]
    assert outcomes_of(curve.confusion_matrix(0.5)) == [3, 4, 0, 0]
    for threshold in (6.5, 4.5, math.nextafter(6, 7), math.nextafter(1, 2)):
        with pytest.raises(ValueError, match="is not a vertex of this curve"):
            curve.confusion_matrix(threshold)


@pytest.mark.parametrize(
    "curve",
    [
        ConfusionCurve.from_roc(tpr=[0, 1, 1], fpr=[0, 0.5, 1], n_pos=3, n_neg=7),
        ConfusionCurve.from_roc(tpr=[0, 1, 1], fpr=[0, 0.5, 1], n_pos=3, n_neg=7)
        .at_prior(0.5)
        .hull(),
    ],
    ids=["from_roc", "its hull"],
)
def test_curves_without_thresholds_have_no_matrix_at_a_threshold(curve):
    for threshold in (0.5, [0.5, 0.1], math.inf):
        with pytest.raises(ValueError, match="the thresholds of this curve are unknown"):
            curve.confusion_matrix(threshold)


# ------------------------------------------------------------------------------------ from rates


@pytest.mark.parametrize("prior", [1e-9, 0.01, 0.5, 0.999])
def test_a_matrix_of_rates_has_these_rates_and_the_prior(prior):
    matrix = ConfusionMatrix.from_rates(tpr=0.9, fpr=0.05, prior=prior)
    assert matrix.prior == pytest.approx(prior, rel=1e-14)
    assert scores.recall(matrix) == pytest.approx(0.9, rel=1e-14)
    assert scores.specificity(matrix) == pytest.approx(0.95, rel=1e-14)
    assert matrix.n_pos + matrix.n_neg == pytest.approx(1, rel=1e-14)
    counted = ConfusionMatrix(tp=90, fp=50, fn=10, tn=950).at_prior(prior)
    for score in (scores.precision, scores.npv, scores.fbeta, scores.matthews_corrcoef):
        assert score(matrix) == pytest.approx(score(counted), rel=1e-12)


@pytest.mark.parametrize(
    "rates",
    [
        {"tpr": np.array([0.5, 0.9]), "fpr": [0.01, 0.05], "prior": 0.01},
        {"tpr": 0.9, "fpr": 0.05, "prior": [0.01, 0.5]},
    ],
)
def test_arrays_of_rates_or_priors_give_a_stack(rates):
    for index, matrix in enumerate(ConfusionMatrix.from_rates(**rates)):
        alone = {name: np.broadcast_to(each, 2)[index] for name, each in rates.items()}
        assert outcomes_of(matrix) == outcomes_of(ConfusionMatrix.from_rates(**alone))


def test_rates_measured_on_rows_have_their_sizes():
    study = ConfusionMatrix.from_rates(tpr=0.8, fpr=0.25, n_pos=65, n_neg=200)
    assert outcomes_of(study) == pytest.approx([52, 50, 13, 150], rel=1e-15)
    assert study._with_rows("study").has_rows
    at_prior = ConfusionMatrix.from_rates(tpr=0.8, fpr=0.25, prior=0.01)
    for rates in (at_prior, at_prior.at_prior(0.1)):
        with pytest.raises(ValueError, match="study must count rows"):
            rates._with_rows("study")
    for score in (scores.precision, scores.npv, scores.fbeta):
        assert score(study.at_prior(0.01)) == pytest.approx(score(at_prior), rel=1e-13)
    stack = ConfusionMatrix.from_rates(tpr=[0.8, 1], fpr=0.25, n_pos=65, n_neg=200)
    np.testing.assert_allclose(rows(stack), [[52, 50, 13, 150], [65, 50, 0, 150]], rtol=1e-15)


@pytest.mark.parametrize(
    ("given_sizes", "named"),
    [
        ({}, r"\[\]"),
        ({"n_pos": 5}, r"\['n_pos'\]"),
        ({"prior": 0.1, "n_pos": 5, "n_neg": 5}, r"\['prior', 'n_pos', 'n_neg'\]"),
    ],
)
def test_rates_need_either_a_prior_or_both_sizes(given_sizes, named):
    message = f"^either prior, or n_pos and n_neg must be given, got {named}$"
    with pytest.raises(ValueError, match=message):
        ConfusionMatrix.from_rates(tpr=0.9, fpr=0.05, **given_sizes)


@pytest.mark.parametrize("name", ["n_pos", "n_neg"])
@pytest.mark.parametrize("bad", [0, math.nan, "5", [5]], ids=repr)
def test_sizes_of_the_classes_must_be_positive_numbers(name, bad):
    with pytest.raises((ValueError, TypeError), match=name):
        ConfusionMatrix.from_rates(tpr=0.9, fpr=0.05, **{"n_pos": 5, "n_neg": 5, name: bad})


@pytest.mark.parametrize("name", ["tpr", "fpr", "prior"])
@pytest.mark.parametrize("bad", [-0.1, 1.1, np.nan, "0.5", [0.5, 1.5], []], ids=repr)
def test_rates_outside_their_range_are_refused_by_name(name, bad):
    rates = {"tpr": 0.9, "fpr": 0.05, "prior": 0.01, name: bad}
    with pytest.raises((ValueError, TypeError), match=name):
        ConfusionMatrix.from_rates(**rates)
