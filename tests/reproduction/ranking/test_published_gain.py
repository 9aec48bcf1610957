"""The published AUC-PR Gain, against numbers of the authors' code and in exact arithmetic."""

from bisect import insort_left
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from calibrated_metrics import ConfusionCurve, scores
from reproduction.ranking.published_gain import prg_auc_as_published

# Positives first; the values are what the authors' code returns.
RECORDED = [
    (2, [2, 1, 1, 1, 1, 1, 1], {0.6: 1.25}),
    (
        4,
        [-0.3, -0.8, 0.3, 0.9, 1.1, 0.1, -0.6, -0.8, 0.7, 1.6, 0.3, -1.2],
        {
            1.01 * 4 / 12: -0.06412594098353297,
            0.5: -0.006944444444444465,
            0.05: 0.07769313634964604,
        },
    ),
    (
        3,
        [-1.0, 1.6, 0.2, -1.7, -0.1, -1.2, -0.6, -0.5, -0.7, 0.6, -0.1, -0.6, 0.4, 0.8],
        {1.01 * 3 / 14: 0.604680819994774, 0.5: 0.05639730639730675, 0.05: 0.9227104843448334},
    ),
    (
        5,
        [-2.5, -0.2, -1.6, -0.5, -0.5, -2.0, -0.2, -0.3, 1.0, -1.2, 0.7, -1.1, -0.3],
        {1.01 * 5 / 13: -0.28508527690426283, 0.5: -0.25737847222222227, 0.05: -0.651704130116959},
    ),
    (
        8,
        [-1.1, -1.0, -1.1, 1.2, -0.2, -0.8, -0.9, 0.6, -1.1, -1.3, 0.6, -1.2, -0.3, -0.0, -0.4],
        {0.5: 0.10833333333333339, 0.05: 0.7768983863166687},
    ),
]


def full_curve(y_true, y_score):
    """With a vertex at each distinct score."""
    matrices = ConfusionCurve.from_predictions(y_true, y_score).confusion_matrix(
        thresholds := [np.inf, *np.unique(y_score)[::-1]]
    )
    return ConfusionCurve(thresholds, matrices.tp, matrices.fp)


@pytest.mark.parametrize(("n_pos", "y_score", "expected"), RECORDED)
def test_equals_what_the_authors_code_returned(n_pos, y_score, expected):
    y_true = (np.arange(len(y_score)) < n_pos).astype(int)
    for pi0, value in expected.items():
        curve = full_curve(y_true, y_score)
        assert prg_auc_as_published(curve, pi0) == pytest.approx(value, abs=1e-12)


def exactly(y_true, y_score, pi0):
    """The published method step by step: the area, and whether rounding could decide it.

    The area is None where the method divides by zero.
    """
    n_pos, n_neg = sum(y_true), len(y_true) - sum(y_true)
    odds, prior = pi0 / (1 - pi0), Fraction(n_pos, n_pos + n_neg)

    def recall_gain(tp):
        return 1 - odds * (n_pos - tp) / tp

    def point(tp, fp):
        return (recall_gain(tp), Fraction(n_pos, n_neg) * Fraction(fp) / tp - 1, tp, Fraction(fp))

    groups = sorted(set(y_score), reverse=True)
    pairs = list(zip(y_true, y_score, strict=True))
    counts = [(Fraction(0), 0)] + [
        (Fraction(sum(y for y, s in pairs if s >= t)), sum(1 - y for y, s in pairs if s >= t))
        for t in groups
    ]
    first = next(i for i, (tp, _) in enumerate(counts) if tp and recall_gain(tp) >= 0)
    points = [point(tp, fp) for tp, fp in counts[first:]]
    on_edge = any(gain == 0 or loss == 0 for gain, loss, _, _ in points[:-1])
    if points[0][0] > 0:
        (tp0, fp0), (tp1, fp1) = counts[first - 1 : first + 1]
        tp = n_pos * prior
        fp = fp0 + (tp - tp0) / (tp1 - tp0) * (fp1 - fp0)
        points.insert(0, (Fraction(0), *point(tp, fp)[1:]))
        on_edge |= points[0][1] == 0
    ends = [i for i in range(1, len(points)) if points[i - 1][1] * points[i][1] < 0]
    for shift, end in enumerate(ends):
        (x0, y0, tp0, fp0), (x1, y1, tp1, fp1) = points[end - 1 + shift : end + 1 + shift]
        try:
            if tp1 > tp0:
                x = x0 + y0 / (y0 - y1) * (x1 - x0)
                share = (n_pos * prior / (1 - (1 - prior) * x) - tp0) / (tp1 - tp0)
            else:
                share = (Fraction(n_neg, n_pos) * tp0 - fp0) / (fp1 - fp0)
        except ZeroDivisionError:
            return None, on_edge
        tp = tp0 + share * (tp1 - tp0)
        on_edge |= recall_gain(tp) == 0
        insort_left(points, (recall_gain(tp), Fraction(0), tp, fp0 + share * (fp1 - fp0)))
    counted = [p for p in points if p[0] >= 0]
    area = -sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(counted))
    return area, on_edge


rankings = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 12)), min_size=2, max_size=25)


@given(rankings, st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=97))
def test_equals_the_method_in_exact_arithmetic(ranking, pi0):
    y_true, y_score = zip(*ranking, strict=True)
    prior = Fraction(sum(y_true), len(y_true))
    # Below the prior a point can move onto a neighbour exactly: then rounding decides.
    assume(0 < prior < 1 and pi0 > prior)
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    expected, on_edge = exactly(y_true, y_score, pi0)
    assume(not on_edge)
    assert prg_auc_as_published(curve, float(pi0)) == pytest.approx(float(expected), abs=1e-9)


def test_below_the_prior_it_follows_the_method_too():
    """On continuous scores: no point moves onto a neighbour exactly."""
    rng = np.random.default_rng(0)
    n_zero_divisions = 0
    for _ in range(150):
        y_true = np.append(rng.integers(0, 2, 23), [0, 1])
        y_score = rng.normal(size=25) + 0.3 * y_true
        pi0 = Fraction(int(rng.integers(50, 1000)), 1009) * Fraction(int(y_true.sum()), 25)
        expected, _ = exactly(y_true.tolist(), y_score.tolist(), pi0)
        n_zero_divisions += expected is None
        found = prg_auc_as_published(full_curve(y_true, y_score), float(pi0))
        assert found == pytest.approx(float(expected or 0), abs=1e-9)
    assert n_zero_divisions > 0


@given(rankings)
def test_at_the_prior_it_is_right(ranking):
    y_true, y_score = zip(*ranking, strict=True)
    assume(0 < sum(y_true) < len(y_true))
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    assert prg_auc_as_published(curve, curve.prior) == pytest.approx(
        scores.prg_auc(curve), abs=1e-9
    )
