"""The published AUC-PR Gain, against numbers of the authors' code."""

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
    # In exact arithmetic: only FP changes at the crossing; the code divides by zero.
    (3, [5, 5, 0, 1, 4], {0.5: 3 / 8}),
    (2, [2, 5, 1, 3, 4], {0.25: 23 / 36}),
    (2, [5, 0, 2, 2, 0], {0.25: 11 / 18}),
    (3, [1, 0, 3, 5, 0], {0.25: 0}),
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


rankings = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 12)), min_size=2, max_size=25)


@given(rankings)
def test_at_the_prior_it_is_right(ranking):
    y_true, y_score = zip(*ranking, strict=True)
    assume(0 < sum(y_true) < len(y_true))
    curve = ConfusionCurve.from_predictions(y_true, y_score)
    assert prg_auc_as_published(curve, curve.prior) == pytest.approx(
        scores.prg_auc(curve), abs=1e-9
    )
