"""Four formulas of AUC-PR at a prior of ½: against fractions and scikit-learn."""

from fractions import Fraction

import numpy as np
import pytest
from figure_checks import assert_readable
from sklearn.metrics import auc, precision_recall_curve

from reproduction.half_prior import experiment, figure

POS, NEG = np.array([5.0, 3.0, 2.5]), np.array([4.0, 3.5, 1.0, 0.5, 0.0])


@pytest.fixture(scope="module")
def table():
    return experiment.run()


def average_precision_at_half(pos, neg):
    """Mean over the positives of TPR / (TPR + FPR) as a fraction."""
    total = Fraction(0)
    for threshold in pos:
        tpr = Fraction(int((pos >= threshold).sum()), len(pos))
        fpr = Fraction(int((neg >= threshold).sum()), len(neg))
        total += tpr / (tpr + fpr)
    return total / len(pos)


@pytest.mark.parametrize(("pos", "neg"), [(POS, NEG), (NEG, POS), (-POS, -NEG), (POS, NEG[:1])])
def test_the_formulas_are_one_metric_without_ties(pos, neg):
    expected = float(average_precision_at_half(pos, neg))
    for value in (
        experiment.de_geest(pos, neg),
        experiment.de_geest(pos, neg, positives_first=True),
        experiment.at_prior(pos, neg, 0.5),
    ):
        assert value == pytest.approx(expected, rel=1e-12)


def test_the_grid_of_odin_takes_the_precision_at_the_other_end_of_a_step():
    # The falls of TPR are at 2.5, 3 and 5, and TPR is 2/3, 1/3 and 0 above them.
    steps = [Fraction(2, 3) / (Fraction(2, 3) + Fraction(2, 5)), Fraction(1, 3) / Fraction(1, 3)]
    expected = (Fraction(1, 3) * steps[0] + Fraction(1, 3) * Fraction(1, 3) / Fraction(11, 15)) + (
        Fraction(1, 3) * steps[1]
    )
    assert experiment.odin(POS, NEG) == pytest.approx(float(expected), rel=1e-12)


def test_straight_lines_are_those_of_the_trapezoidal_rule_with_balanced_weights():
    pos, neg = np.array([3.0, 2.0, 2.0, 0.0]), np.array([2.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    labels, weights = np.repeat([1, 0], [4, 6]), np.repeat([1 / 4, 1 / 6], [4, 6])
    precision, recall, _ = precision_recall_curve(
        labels, np.concatenate([pos, neg]), sample_weight=weights
    )
    assert experiment.straight(pos, neg) == pytest.approx(auc(recall, precision), rel=1e-12)


def test_row_by_row_the_order_of_a_tie_decides():
    constant = np.zeros(2)
    first, last = (
        experiment.de_geest(constant, constant, positives_first=each) for each in (True, False)
    )
    assert first == 1
    assert last == pytest.approx((1 / 3 + 1 / 2) / 2, rel=1e-12)
    assert experiment.at_prior(constant, constant, 0.5) == 0.5


def test_the_figure_can_be_read(table):
    same = figure.draw(table.assign(value=0.5)).get_suptitle()
    assert same.endswith("differ by up to 0.000, with tied scores by up to 0.00")
    drawn = figure.draw(table)
    assert_readable(drawn)
    for axes, positives in zip(drawn.axes, ("in", "out", "out_tied"), strict=True):
        lines = axes.get_lines()[:6]
        for line, measure in zip(lines, figure._LABELS, strict=True):
            rows = table[(table["positives"] == positives) & (table["measure"] == measure)]
            np.testing.assert_array_equal(line.get_xydata(), rows[["ratio", "value"]])
