"""The numbers and formulas of the page *Which statement holds?*"""

import numpy as np
import pytest
from scipy.special import ndtri

from calibrated_metrics import ConfusionCurve, scores


def rescaled(precision, prior, pi0):
    true, false = precision * pi0 / prior, (1 - precision) * (1 - pi0) / (1 - prior)
    return true / (true + false)


def test_an_area_cannot_be_rescaled_as_a_precision():
    model = ConfusionCurve.from_binormal(2, 0, prior=0.5)
    area = scores.pr_auc(model.at_prior(0.01))
    assert scores.pr_auc(model) == pytest.approx(0.922, abs=0.0005)
    assert rescaled(area, 0.01, 0.5) == pytest.approx(0.973, abs=0.0005)


@pytest.mark.parametrize("pi0", [0.01, 0.1, 0.5])
def test_an_error_at_the_top_has_more_weight(pi0):
    """A positive that moves above the negative just above it raises AUC-PR as the page says."""
    n_pos, n_neg = 400, 4000
    positive = ndtri((np.arange(n_pos) + 0.5) / n_pos) + 2
    negative = ndtri((np.arange(n_neg) + 0.5) / n_neg)
    y_true, score = np.repeat([True, False], [n_pos, n_neg]), np.append(positive, negative)

    def area(score):
        curve = ConfusionCurve.from_predictions(y_true, score)
        return scores.average_precision(curve.at_prior(pi0))

    for recall in (0.3, 0.5, 0.9):
        place = round(n_pos * (1 - recall))
        above = negative[negative > positive[place]].min()
        moved = score.copy()
        moved[place] = np.nextafter(above, np.inf)
        tpr, fpr = (positive >= positive[place]).mean(), (negative > positive[place]).mean()
        weight = pi0 * (1 - pi0) * tpr / (pi0 * tpr + (1 - pi0) * fpr) ** 2
        rise = (area(moved) - area(score)) * n_pos * n_neg
        n_passed = ((positive > positive[place]) & (positive < above)).sum()
        assert n_passed == 0
        assert rise == pytest.approx(weight, rel=0.05)
