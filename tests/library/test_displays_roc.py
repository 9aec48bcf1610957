"""The ROC display: scikit-learn's values, and a band of the true positive rate."""

import math

import numpy as np
import pytest
from figures import column, legend_of, picture
from scipy import stats
from sklearn import metrics

from calibrated_metrics import ConfusionCurve
from calibrated_metrics.displays import RocCurveDisplay
from calibrated_metrics.uncertainty import IntervalWarning
from calibrated_metrics.uncertainty.band import recall_limits_at_fpr

RNG = np.random.default_rng(0)
Y_TRUE = RNG.permutation(np.arange(600) < 100)
Y_SCORE = RNG.normal(2 * Y_TRUE)
OTHER_SCORE = RNG.normal(np.where(Y_TRUE & (RNG.random(600) < 0.5), 4, 0))
pytestmark = pytest.mark.usefixtures("own_figures")


def test_the_curve_and_its_area_are_those_of_scikit_learn():
    weight = RNG.random(600) + 0.5
    display = RocCurveDisplay.from_predictions(Y_TRUE, Y_SCORE)
    fpr, tpr, _ = metrics.roc_curve(Y_TRUE, Y_SCORE)
    corners = set(zip(display.fpr.round(9), display.tpr.round(9), strict=True))
    assert set(zip(fpr.round(9), tpr.round(9), strict=True)) <= corners
    weighted = RocCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, sample_weight=weight)
    area = metrics.roc_auc_score(Y_TRUE, Y_SCORE, sample_weight=weight)
    assert weighted.roc_auc == pytest.approx(area, rel=1e-12)


def test_the_prior_changes_nothing():
    display = RocCurveDisplay.from_predictions(Y_TRUE, Y_SCORE)
    at_prior = RocCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, pi0=0.01)
    np.testing.assert_allclose(at_prior.band[:3], display.band[:3], rtol=1e-12)
    assert at_prior.roc_auc == pytest.approx(display.roc_auc)
    assert at_prior.ax_.get_ylabel() == "true positive rate"


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("fpr", [0.0, 0.01, 0.1, 0.5, 0.99])
def test_the_limits_are_those_of_the_slow_formula(fpr, level):
    """Errors of the threshold and of the missed positives, added on the scale of the logarithm."""
    positives, negatives = Y_SCORE[Y_TRUE], np.sort(Y_SCORE[~Y_TRUE])
    n_pos, n_neg = len(positives), len(negatives)
    specificity = 1 - fpr

    def missed_at(share):
        """Share of the positives below the highest negative that must be excluded."""
        return np.mean(positives < negatives[math.ceil(share * n_neg - 1e-9) - 1])

    margin = stats.norm.ppf((1 + level) / 2) * math.sqrt(specificity * fpr / n_neg) + 0.5 / n_neg
    found, half = missed_at(specificity), 0.5 / n_pos
    k, tail = round(found * n_pos), (1 - level) / 2
    low = stats.beta.ppf(tail, k, n_pos - k + 1) if k else 0.0
    high = stats.beta.ppf(1 - tail, k + 1, n_pos - k) if k < n_pos else 1.0
    fewer = missed_at(specificity - margin) if specificity > margin else 0.0
    more = missed_at(specificity + margin) if specificity + margin < 1 else 1.0
    centre = max(found, half)
    with np.errstate(divide="ignore"):
        down = np.hypot(
            max(np.log(centre / np.float64(fewer)), 0), np.log(centre / np.float64(low))
        )
        up = np.hypot(np.log(max(more, half) / centre), np.log(high / centre))
    limits = 1 - min(centre * np.exp(up), 1), 1 - centre * np.exp(-down)
    curve = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)
    drawn = np.ravel(recall_limits_at_fpr(curve, np.array([fpr]), level))
    np.testing.assert_allclose(drawn, limits, rtol=1e-9, atol=1e-12)


def test_dependent_rows_have_a_wider_band():
    twice = np.tile(np.arange(600), 2)
    rows = np.tile(Y_TRUE, 2), np.tile(Y_SCORE, 2)
    with pytest.warns(IntervalWarning, match="labels of 600 rows occur 2 times"):
        independent = RocCurveDisplay.from_predictions(*rows).band
    clustered = RocCurveDisplay.from_predictions(*rows, clusters=twice).band
    widths = [np.mean(band.high - band.low) for band in (independent, clustered)]
    assert widths[1] > 1.2 * widths[0]


def test_the_chance_level_is_the_diagonal():
    display = RocCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, name="A")
    np.testing.assert_array_equal(*display.chance_level_.get_data())
    assert legend_of(display.ax_)[1:] == ["Chance level (AUC = 0.5)", "95 % band, pointwise"]


@picture
def test_picture_roc():
    axes = column()
    RocCurveDisplay.from_predictions(Y_TRUE, Y_SCORE, name="A", ax=axes)
    return RocCurveDisplay.from_predictions(Y_TRUE, OTHER_SCORE, name="B", ax=axes).figure_
