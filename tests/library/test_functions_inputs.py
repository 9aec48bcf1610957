"""What the functions accept: labels, scores, weights and containers of any kind."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, functions

pytestmark = pytest.mark.filterwarnings("error")

Y_TRUE = [0, 1, 0, 0, 1, 0, 1, 0, 0, 0]
Y_SCORE = [9, 8, 8, 7, 6, 5, 4, 3, 2, 1]
Y_PRED = [1, 1, 0, 0, 1, 0, 0, 0, 1, 0]
WEIGHTS = [1, 2, 3, 1, 1, 0, 2, 1, 4, 1]

OF_SCORES = [
    ConfusionCurve.from_predictions,
    functions.average_precision_score,
    functions.precision_recall_curve,
    functions.precision_recall_gain_curve,
    functions.roc_curve,
]

# ------------------------------------------------------------------------ labels of any type


def test_categorical_and_nullable_labels(case):
    words = ["fraud" if label else "ok" for label in Y_TRUE]
    expected = case(Y_TRUE, Y_SCORE, pi0=0.3)
    for labels, pos_label in (
        (pd.Series(words, dtype="category"), "fraud"),
        (pd.Series(words, dtype="string"), "fraud"),
        (pd.Series(Y_TRUE, dtype="Int64"), 1),
        (pd.Series(Y_TRUE, dtype="boolean"), True),
    ):
        assert case(labels, Y_SCORE, pos_label=pos_label, pi0=0.3) == expected


BAD_LABELS = {
    "three labels": ([0, 1, 2] * 3 + [1], {}),
    "only positives": ([1] * 10, {}),
    "only negatives": ([0] * 10, {}),
    "pos_label missing": (["ok", "fraud"] * 5, {}),
    "pos_label mistyped": (["ok", "fraud"] * 5, {"pos_label": "Fraud"}),
    "pos_label NaN": (Y_TRUE, {"pos_label": math.nan}),
    "pos_label a list": ([0, 0, 1, 1] * 2 + [1, 1], {"pos_label": [1, 0] * 4 + [1, 1]}),
    "pos_label an array": (Y_TRUE, {"pos_label": np.array(1)}),
    "pos_label a huge integer": ([0.0, 1.0] * 5, {"pos_label": 10**400}),
    "a list among the labels": (np.array([0, 1, []] * 3 + [1], dtype=object), {}),
    "NaN": ([0, 1, math.nan] * 3 + [1], {}),
    "None": ([0, 1, None] * 3 + [1], {}),
    "NaN for the negatives, in objects": (np.array([1, math.nan] * 5, dtype=object), {}),
    "NA": (pd.Series([0, 1, None] * 3 + [1], dtype="Int64"), {}),
    "NA in strings": (pd.Series(["a", None] * 5, dtype="string"), {"pos_label": "a"}),
    "NaT": (np.array(["2020-01-01", "NaT"] * 5, dtype="M8[D]"),
            {"pos_label": np.datetime64("2020-01-01")}),
    "one too few": (Y_TRUE[:9], {}),
    "empty": ([], {}),
    "two-dimensional": (np.reshape(Y_TRUE, (5, 2)), {}),
    "frame": (pd.DataFrame({"y": Y_TRUE}), {}),
    "nothing": (None, {}),
    "ragged": ([[0], [1, 0]] * 5, {}),
    "masked": (np.ma.array(Y_TRUE, mask=[1] + [0] * 9), {}),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_LABELS)
def test_bad_labels_are_refused_by_name(kind):
    y_true, options = BAD_LABELS[kind]
    for function in OF_SCORES:
        with pytest.raises((ValueError, TypeError), match=r"y_true|pos_label"):
            function(y_true, Y_SCORE, **options)
    if kind not in ("only positives", "only negatives"):  # which have a precision
        with pytest.raises((ValueError, TypeError), match=r"y_true|pos_label"):
            functions.precision_score(y_true, Y_PRED, **options)


@pytest.mark.parametrize("value", [10**5000, -(10**5000)], ids=["positive", "negative"])
def test_numbers_that_python_does_not_print_are_refused_by_name(value):
    for options in ({"pi0": value}, {"sample_weight": [value, 1]}, {"pos_label": value}):
        with pytest.raises((ValueError, TypeError), match=next(iter(options))):
            functions.roc_auc_score([0, 1], [1, 2], **options)


def test_messages_name_the_value_and_what_is_allowed():
    for call, message in (
        (lambda: functions.roc_auc_score([0, 1, 2], [1, 2, 3]), r"exactly two labels.*\[0, 1, 2\]"),
        (lambda: functions.roc_auc_score([0, 2], [1, 2]), r"pos_label=1 is not among.*\[0, 2\]"),
        (lambda: functions.roc_auc_score([1, 1], [1, 2]), r"only the positive class 1.*no prior"),
        (lambda: functions.roc_auc_score([0, 1], [1]), "y_true has 2.*y_score has 1"),
        (lambda: functions.roc_auc_score([0, 1], [1, 2], pi0=1.5), r"pi0.*\(0, 1\), got 1\.5"),
        (
            lambda: functions.recall_score([0, 1] * 50, np.arange(100) / 101),
            r"\.\.\. 99 in all\]; scores become labels by a threshold",
        ),
        (lambda: functions.roc_auc_score(range(100), range(100)), r"\.\.\. 100 in all"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            call()


# ------------------------------------------------------------------------ scores and weights

BAD_SCORES = {
    "NaN": [1.0] * 9 + [math.nan],
    "infinity": [1.0] * 9 + [math.inf],
    "None": [1.0] * 9 + [None],
    "NA": pd.Series([1.0] * 9 + [None], dtype="Float64"),
    "complex": [1.0] * 9 + [1j],
    "complex objects": np.array([1.0] * 9 + [1j], dtype=object),
    "strings": [str(score) for score in Y_SCORE],
    "series of strings": pd.Series([str(score) for score in Y_SCORE]),
    "dates": np.array(["2020-01-01"] * 10, dtype="M8[D]"),
    "one too few": Y_SCORE[:9],
    "empty": [],
    "column": np.reshape(Y_SCORE, (10, 1)),
    "nothing": None,
    "ragged": [[0], [1, 0]] * 5,
    "too large an integer": [10**400, *Y_SCORE[1:]],
    "masked": np.ma.array(Y_SCORE, mask=[1] + [0] * 9),
    "a masked element in a list": [np.ma.masked, *Y_SCORE[1:]],
}


@pytest.mark.parametrize("y_score", BAD_SCORES.values(), ids=BAD_SCORES)
def test_bad_scores_are_refused_by_name(y_score):
    for function in OF_SCORES:
        for arguments in ({}, {"sample_weight": WEIGHTS}):
            with pytest.raises((ValueError, TypeError), match="y_score"):
                function(Y_TRUE, y_score, **arguments)


BAD_WEIGHTS = {
    "negative": [1.0] * 9 + [-1e-300],
    "all zero": [0] * 10,
    "NaN": [1.0] * 9 + [math.nan],
    "infinity": [1.0] * 9 + [math.inf],
    "None": [1.0] * 9 + [None],
    "strings": ["1"] * 10,
    "one too few": [1] * 9,
    "empty": [],
    "column": np.ones((10, 1)),
    "overflow": [1e308] * 10,
    "too far apart": [1e-200] + [1e200] * 9,
    "masked": np.ma.array(np.ones(10), mask=[1] + [0] * 9),
}


@pytest.mark.parametrize("weights", BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
def test_bad_weights_are_refused_by_name(weights):
    for function in OF_SCORES:
        with pytest.raises((ValueError, TypeError), match="sample_weight"):
            function(Y_TRUE, Y_SCORE, sample_weight=weights)
    with pytest.raises((ValueError, TypeError), match="sample_weight"):
        functions.recall_score(Y_TRUE, Y_PRED, sample_weight=weights)


@pytest.mark.parametrize("label", [0, 1])
def test_a_class_without_weight_is_missing(case, label):
    weights = [0 if y == label else 1 for y in Y_TRUE]
    with pytest.raises(ValueError, match="y_true"):
        case(Y_TRUE, Y_SCORE, sample_weight=weights)


def _read_only(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


CONTAINERS = {
    "list": list,
    "float32": lambda v: np.array(v, np.float32),
    "uint8": lambda v: np.array(v, np.uint8),
    "big-endian": lambda v: np.array(v, ">f8"),
    "objects": lambda v: np.array(v, dtype=object),
    "fractions": lambda v: [Fraction(x) for x in v],
    "read-only": _read_only,
    "strided": lambda v: np.repeat(v, 3)[::3],
    "column of a matrix": lambda v: np.stack([v, v], axis=1)[:, 0],
    "series with an odd index": lambda v: pd.Series(v, index=[7, 7, *range(100, 92, -1)]),
    "nullable series": lambda v: pd.Series(v, dtype="Int64"),
    "masked nowhere": np.ma.array,
    "range-like": lambda v: memoryview(np.array(v)),
}


def test_numbers_in_any_container(case):
    expected = case(Y_TRUE, Y_SCORE, pi0=0.3, sample_weight=WEIGHTS)
    for kind, make in CONTAINERS.items():
        value = case(make(Y_TRUE), make(Y_SCORE), pi0=0.3, sample_weight=make(WEIGHTS))
        assert value == expected, kind


def test_predicted_labels_in_any_container(hard_case):
    expected = hard_case(Y_TRUE, Y_PRED, pi0=0.3, sample_weight=WEIGHTS)
    for kind, make in CONTAINERS.items():
        value = hard_case(make(Y_TRUE), make(Y_PRED), pi0=0.3, sample_weight=make(WEIGHTS))
        assert value == expected, kind


@pytest.mark.parametrize(
    "y_score",
    [
        [2**53 + 1, 2**53],
        np.array([2**53 + 1, 2**53]),
        np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64),
        np.array([1 + 1e-18, 1], dtype=np.longdouble) + np.array([1e-18, 0], dtype=np.longdouble),
    ],
    ids=["list", "int64", "uint64", "longdouble"],
)
def test_scores_that_float64_cannot_tell_apart(y_score):
    """Different scores must not silently become a tie: refused, or kept apart."""
    if np.asarray(y_score)[0] == np.asarray(y_score)[1]:
        pytest.skip("the platform's type does not tell them apart either")
    try:
        value = functions.roc_auc_score([1, 0], y_score)
    except (ValueError, TypeError) as error:
        assert "y_score" in str(error)  # noqa: PT017
    else:
        assert value == 1


@pytest.mark.parametrize("value", ["raise", 0.5, None])
def test_other_values_of_zero_division_are_refused(value):
    with pytest.raises(ValueError, match='zero_division must be "warn", 0, 1 or nan, got'):
        functions.precision_score(Y_TRUE, Y_PRED, zero_division=value)
