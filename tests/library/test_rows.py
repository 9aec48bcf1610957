"""Rows and the kernel that sorts and counts them, against counting by brute force."""

import math
from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from calibrated_metrics import ConfusionCurve
from calibrated_metrics.codes import Codes
from calibrated_metrics.confusion.counts import Counts, SortedScores, sort_and_count
from calibrated_metrics.rows import Rows

pytestmark = pytest.mark.filterwarnings("error")

# Few scores: many ties within and between the classes, and runs of negatives.
SCORES = st.one_of(
    st.integers(-3, 3).map(float), st.floats(allow_nan=False, allow_infinity=False, width=32)
)
WEIGHTS = st.integers(1, 40).map(lambda eighths: eighths / 8)  # sums of them are exact
EVERY_SIDE = [-math.inf, *np.arange(-3.25, 3.5, 0.25).tolist(), 5e-324, -5e-324, math.inf]


@st.composite
def weighted_scores(draw):
    """Scores of one class, and their weights or None."""
    scores = draw(st.lists(SCORES, min_size=1, max_size=9))
    weights = st.lists(WEIGHTS, min_size=len(scores), max_size=len(scores))
    return scores, draw(st.none() | weights)


@st.composite
def rows(draw):
    """Labels, scores and weights (or None) of rows of both classes."""
    y_true = draw(st.permutations([0, 1, *draw(st.lists(st.integers(0, 1), max_size=9))]))
    n = len(y_true)
    weights = st.none() | st.lists(WEIGHTS, min_size=n, max_size=n)
    return y_true, draw(st.lists(SCORES, min_size=n, max_size=n)), draw(weights)


def sorted_scores(scores, weights):
    return SortedScores.sort(np.array(scores), None if weights is None else np.array(weights))


def weight_where(keep, scores, weights):
    weights = [1] * len(scores) if weights is None else weights
    return sum(weight for score, weight in zip(scores, weights, strict=True) if keep(score))


def vertices_by_brute_force(pos, neg):
    """One vertex per distinct score, less those inside a run of negatives."""
    thresholds = sorted({*pos[0], *neg[0]}, reverse=True)
    counts = [
        (t, *(weight_where(lambda score, t=t: score >= t, *of_class) for of_class in (pos, neg)))
        for t in [math.inf, *thresholds]
    ]
    last = len(counts) - 1
    return [
        vertex
        for k, vertex in enumerate(counts)
        if k in (0, last) or counts[k - 1][1] < vertex[1] or vertex[1] < counts[k + 1][1]
    ]


def sample_of(y_true, y_score, weights):
    return Rows.read(y_true, {"y_score": y_score}, sample_weight=weights)[0]


def outcomes_of(sample, thresholds=EVERY_SIDE):
    thresholds = np.array(thresholds)
    return np.array(Counts(sample).outcomes_at(thresholds))


def weighted_outcomes_of(sample):
    """Counts with the weights of the classes, which a sample does not include."""
    return outcomes_of(sample) * np.tile(sample.class_weight, 2)[:, None]


# ------------------------------------------------------------------------------ the kernel


@given(weighted_scores(), weighted_scores())
def test_the_vertices_are_those_of_counting_each_score(pos, neg):
    vertices = sort_and_count(sorted_scores(*pos), sorted_scores(*neg))
    assert list(zip(*vertices, strict=True)) == vertices_by_brute_force(pos, neg)
    assert all(counts.dtype == np.float64 for counts in vertices)


def test_weight_that_is_lost_in_the_sum_makes_no_vertex():
    vertices = sort_and_count(sorted_scores([4, 2], [1, 1]), sorted_scores([5, 3, 1], [1e17, 1, 1]))
    np.testing.assert_array_equal(vertices.thresholds, [np.inf, 5, 4, 2])
    np.testing.assert_array_equal(vertices.fp, [0, 1e17, 1e17, 1e17])


# -------------------------------------------------------------------------------- the rows


@pytest.mark.parametrize(
    ("weights", "class_weight"),
    [
        (None, (1, 1)),
        ([1, 1, 1, 1], (1, 1)),
        ([2.5, 2.5, 2.5, 2.5], (2.5, 2.5)),
        ([3, 0.5, 3, 0.5], (3, 0.5)),
        ([3, 0.5, 3, np.nextafter(0.5, 1)], (3, 0.5)),
        ([3, 0.5, 3, 0.6], None),
        ([3, 0.5, 4, 0.5], None),
    ],
)
def test_weights_that_are_equal_within_each_class_are_weights_of_the_classes(weights, class_weight):
    sample = sample_of([1, 0, 1, 0], [4, 3, 2, 1], weights)
    if class_weight is None:
        np.testing.assert_array_equal(sample.weight, weights)
        assert sample.class_weight == (1, 1)
    else:
        assert sample.weight is None
        assert sample.class_weight == pytest.approx(class_weight, rel=1e-12)


def test_rows_of_weight_0_are_dropped_whatever_they_hold():
    rows = ["a", "b", None, "a", "c"], [3, 2, 1, math.nan, math.inf]
    weight, columns = [1, 2, 0, 0, 0], {"y_score": rows[1]}
    sample, _ = Rows.read(rows[0], columns, pos_label="a", sample_weight=weight)
    np.testing.assert_array_equal(sample.positive, [True, False])
    np.testing.assert_array_equal(sample.score, [3, 2])
    assert sample.class_weight == (1, 2)


def test_a_score_that_is_not_finite_is_named_by_its_row():
    with pytest.raises(ValueError, match=r"y_score must be finite, got nan at index 3$"):
        sample_of([1, 0, 1, 0], [math.nan, 3, 2, math.nan], [0, 1, 1, 2])


@given(rows(), rows())
def test_a_sum_of_samples_holds_the_rows_of_both(one, other):
    together = sample_of(
        [*one[0], *other[0]],
        [*one[1], *other[1]],
        [*(one[2] or [1] * len(one[0])), *(other[2] or [1] * len(other[0]))],
    )
    added = sample_of(*one) + sample_of(*other)
    np.testing.assert_array_equal(added.score, together.score)
    np.testing.assert_array_equal(added.positive, together.positive)
    np.testing.assert_array_equal(added.row_weight, together.row_weight)
    np.testing.assert_array_equal(weighted_outcomes_of(added), weighted_outcomes_of(together))


@given(rows(), st.sampled_from([(1.0, 1.0), (0.5, 4.0)]))
def test_weights_of_the_classes_multiply_those_of_the_rows(drawn, class_weight):
    sample = sample_of(*drawn)
    weighted = sample.with_class_weight(class_weight)
    # Weights of the classes replace those before: a second calibration replaces the first.
    before = np.ones(len(drawn[0])) if sample.weight is None else sample.weight
    expected = before * np.where(sample.positive, *class_weight)
    np.testing.assert_array_equal(weighted.row_weight, expected)


# ------------------------------------------------------------------- errors, cells, precision


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        (sample_of([1, 0], [2, 1], None), None),
        (sample_of([1, 0, 1], [2, 1, 0], [1, 2, 3]), None),
        (Rows.read([1, 0], {"y_pred": [1, 1]})[0], None),
        (Rows.from_counts(np.arange(2.0), np.array([3.0, 0]), np.array([0, 4.0])), None),
        # Rates that were rounded give whole numbers up to a rounding error.
        (Rows.from_counts(np.arange(2.0), np.array([3 - 1e-9, 0]), np.array([0, 4.0])), None),
        (
            Rows.from_counts(np.arange(2.0), np.array([2.5, 0]), np.array([0, 4.0])),
            "it has numbers of rows that are not whole",
        ),
        (Rows.from_probabilities([0.5, 0.2], None), "it was built from probabilities"),
    ],
)
def test_what_is_no_row_tells_no_errors(sample, reason):
    for each in (sample, sample + sample_of([1, 0], [2, 1], None), sample + sample):
        assert (each.without_errors is None) == (reason is None)
        assert (each.without_errors or "").startswith(reason or "")


def test_scores_that_were_rounded_differently_cannot_be_added():
    cells = np.arange(2.0), np.array([1.0, 2.0]), np.array([3.0, 4.0])
    tenths, whole = (replace(Rows.from_counts(*cells), cells=name) for name in ("tenths", "whole"))
    assert (tenths + tenths).cells == (tenths + sample_of([1, 0], [2, 1], None)).cells == "tenths"
    with pytest.raises(ValueError, match="if their scores were rounded alike, got tenths and whol"):
        tenths + whole


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_thresholds_are_compared_in_the_precision_of_the_scores(dtype):
    score = np.array([0.9, 0.8, 0.7, 0.1], dtype)
    sample = sample_of([1, 0, 1, 0], score, None)
    thresholds = [0.7, 0.8, 1e300, -1e300, math.inf]
    expected = [np.count_nonzero(score >= dtype(t)) for t in (0.7, 0.8, 1, 0, math.inf)]
    tp, fp, _, _ = outcomes_of(sample, thresholds)
    assert (tp + fp).tolist() == expected == [3, 2, 0, 4, 0]
    assert [np.count_nonzero(sample.has_alert(t)) for t in thresholds] == expected
    curve = ConfusionCurve.from_predictions([1, 0, 1, 0], score)
    assert curve.confusion_matrix(0.7).tp == 2
    both = curve + ConfusionCurve.from_predictions([1, 0], np.array([0.5, 0.25], np.float16))
    assert both.rows.dtype == np.result_type(dtype, np.float16)
    assert both.rows.dtype == dtype


# ------------------------------------------------------------------------ how rows were drawn


def drawn(**how):
    y_true, y_score = [1, 1, 1, 1, 0, 0, 0, 0], [8, 7, 3, 2, 6, 5, 4, 1]
    return Rows.read(y_true, {"y_score": y_score}, **how)[0]


def test_strata_hold_rows_of_one_weight():
    with pytest.raises(ValueError, match="sample_weight must be equal within each stratum, but"):
        drawn(strata=["a"] * 4 + ["b"] * 4, sample_weight=[1, 1, 1, 2, 1, 1, 1, 1])


@pytest.mark.parametrize(
    ("strata", "fixes_prior", "change_errors"),
    [
        ("aaaabbbb", True, False),
        ("aaaaaaaa", False, False),
        ("aabbccdd", True, True),
        ("abababab", False, True),
    ],
)
def test_what_strata_say_about_the_prior_and_errors(strata, fixes_prior, change_errors):
    sample = drawn(strata=list(strata))
    assert sample.strata.label_of_row.tolist() == list(strata)
    assert sample.fixes_prior is fixes_prior
    assert (sample.error_strata is not None) == change_errors


def test_added_samples_tell_both_how_they_were_drawn():
    clusters = list("aabbccdd")
    both = drawn(clusters=clusters) + drawn(clusters=clusters)
    assert both.clusters.label_of_row.tolist() == 2 * clusters
    with pytest.raises(ValueError, match="clusters must be given for both curves that are added"):
        drawn(clusters=clusters) + drawn()


@pytest.mark.parametrize(
    "labels",
    [
        np.arange(-100, 101, dtype=np.int8),
        np.array([2**64 - 1, 2**64 - 3, 2**64 - 3], dtype=np.uint64),
        np.array([-(2**63), -(2**63) + 1], dtype=np.int64),
        np.array([3, 0, 3], dtype=np.uint8),
    ],
)
def test_codes_of_integers_are_those_of_numpy(labels):
    codes, (distinct, code) = Codes.of("clusters", labels), np.unique(labels, return_inverse=True)
    np.testing.assert_array_equal(codes.labels, distinct)
    assert codes.labels.dtype == labels.dtype
    np.testing.assert_array_equal(codes.code, code)
