"""Displays of decisions: net benefit, against slow formulas."""

import warnings

import numpy as np
import pytest
from figures import column, picture
from scipy.special import expit, logit

from calibrated_metrics import ConfusionCurve, Metric, scores, uncertainty
from calibrated_metrics.displays import DecisionCurveDisplay, ThresholdDisplay

PI0 = 0.05
RNG = np.random.default_rng(4)
Y_TRUE = np.arange(400) < 80
Y_SCORE = RNG.normal(1.5 * Y_TRUE).round(1)  # has ties
Y_PROB = expit(1.5 * Y_SCORE - 1.5**2 / 2 + logit(0.2))
CURVE = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)
pytestmark = pytest.mark.usefixtures("own_figures")


# ------------------------------------------------------------------------- decision curves


def slow_net_benefit(y_true, y_prob, prior, pi0, p):
    """The formula of Vickers & Elkin, after the odds of each row were multiplied."""
    treated = [0.0, 0.0]
    for positive, prob in zip(y_true, y_prob, strict=True):
        odds = prob / (1 - prob) * pi0 / (1 - pi0) / (prior / (1 - prior))
        treated[int(positive)] += odds / (1 + odds) >= p
    tpr, fpr = treated[1] / np.sum(y_true), treated[0] / np.sum(~y_true)
    return pi0 * tpr - (1 - pi0) * fpr * p / (1 - p)


@pytest.mark.parametrize(("pi0", "prior"), [(PI0, None), (PI0, 0.5), (0.7, 0.1)])
def test_net_benefit_is_that_of_probabilities_at_the_reference_prior(pi0, prior):
    p = [0.012, 0.05, 0.11, 0.31, 0.83]
    display = DecisionCurveDisplay.from_predictions(
        Y_TRUE, Y_PROB, pi0=pi0, prior=prior, threshold_probability=p, confidence_level=None
    )
    expected = [slow_net_benefit(Y_TRUE, Y_PROB, prior or 0.2, pi0, each) for each in p]
    np.testing.assert_allclose(display.net_benefit, expected, atol=1e-12)
    np.testing.assert_array_equal(display.line_.get_data(), (p, display.net_benefit))
    assert display.ax_.get_ylabel() == f"net benefit (TP per case)\nat π$_0$ = {pi0}"


def test_probabilities_that_are_calibrated_at_the_reference_prior_are_not_converted():
    """The formula of dcurves with a prevalence, which does not convert probabilities."""
    display = DecisionCurveDisplay.from_predictions(
        Y_TRUE, Y_PROB, pi0=PI0, prior=PI0, threshold_probability=[0.1], confidence_level=None
    )
    sensitivity, false_alarms = np.mean(Y_PROB[Y_TRUE] >= 0.1), np.mean(Y_PROB[~Y_TRUE] >= 0.1)
    expected = sensitivity * PI0 - false_alarms * (1 - PI0) * 0.1 / 0.9
    assert display.net_benefit == pytest.approx([expected])


@pytest.mark.parametrize("weight", [None, np.where(Y_TRUE, 3.0, 0.7), np.arange(400) % 3 + 0.1])
def test_a_probability_that_is_equal_to_the_threshold_is_treated(weight):
    y_prob = np.where(Y_TRUE, 0.3, 0.1)
    display = DecisionCurveDisplay.from_predictions(
        Y_TRUE, y_prob, sample_weight=weight, threshold_probability=[0.1, 0.3]
    )
    prior = np.average(Y_TRUE, weights=weight)
    assert display.net_benefit == pytest.approx([prior - (1 - prior) / 9, prior])


def test_probabilities_that_are_calibrated_at_another_prior_than_that_of_the_rows_are_warned_of():
    case_control = Y_TRUE[:100], Y_PROB[:100]  # 80 of 100 rows are positive
    options = {"threshold_probability": [0.1], "confidence_level": None}
    with pytest.warns(
        uncertainty.IntervalWarning, match=r"rows, 0\.8, but .* convert them with .*"
    ):
        wrong = DecisionCurveDisplay.from_predictions(*case_control, pi0=PI0, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        right = DecisionCurveDisplay.from_predictions(*case_control, pi0=PI0, prior=0.2, **options)
        DecisionCurveDisplay.from_predictions(*case_control, **options)
        DecisionCurveDisplay.from_predictions(Y_TRUE, Y_PROB, pi0=PI0, **options)
    assert wrong.net_benefit < right.net_benefit


def test_the_band_is_the_interval_at_each_threshold():
    curve = ConfusionCurve.from_predictions(Y_TRUE, Y_PROB)
    display = DecisionCurveDisplay.from_curve(
        curve, pi0=PI0, threshold_probability=[0.04, 0.2], confidence_level=0.8
    )
    for place, p in enumerate(display.threshold_probability):
        odds = p / (1 - p) * (1 - PI0) / PI0 * 0.2 / 0.8
        metric = Metric("net_benefit", threshold=odds / (1 + odds), threshold_probability=p)
        found = uncertainty.interval(metric, curve, pi0=PI0, confidence_level=0.8)
        drawn = display.net_benefit[place], display.band.low[place], display.band.high[place]
        assert drawn == pytest.approx((found.value, found.low, found.high))


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ((Y_TRUE, Y_SCORE), {}, r"scores of curve must lie in \[0, 1\]"),
        (ConfusionCurve.from_binormal(1, 0, 0.1, n_thresholds=9), {}, "curve must hold its rows"),
        ((Y_TRUE, Y_PROB), {"prior": 1.0}, r"prior must .* got 1.0"),
        ((Y_TRUE, Y_PROB), {"threshold_probability": [0, 0.5]}, "threshold_probability must"),
        ((Y_TRUE, Y_PROB), {"threshold_probability": []}, "threshold_probability must not be emp"),
        ((Y_TRUE, Y_PROB), {"confidence_level": 95}, "confidence_level"),
    ],
)
def test_bad_arguments_of_decision_curves(data, options, message):
    with pytest.raises(ValueError, match=message):
        DecisionCurveDisplay.from_curve(data, **options)


@pytest.mark.filterwarnings("always::calibrated_metrics.uncertainty.IntervalWarning")
@pytest.mark.parametrize(("display", "n"), [(DecisionCurveDisplay, 1), (ThresholdDisplay, 2)])
def test_a_band_that_would_not_be_valid_is_withheld_with_one_warning(display, n):
    """One for each line that has a band."""
    data = [1, 0, 0, 0], [0.6, 0.2, 0.1, 0.3]
    with pytest.warns(uncertainty.IntervalWarning, match="all positives are in one clu") as found:
        drawn = display.from_predictions(*data, clusters=["a", "b", "c", "c"])
    assert len(found) == n
    (band, *_) = [drawn.band] if n == 1 else drawn.bands.values()
    assert np.isnan(band.low).all()


# ---------------------------------------------------------------- net benefit of arrays


def test_net_benefit_of_an_array_of_thresholds():
    p = [0.1, 0.25, 0.5]
    matrix = CURVE.confusion_matrix(1.0).at_prior(0.3)
    each = [scores.net_benefit(matrix, one) for one in p]
    np.testing.assert_array_equal(scores.net_benefit(matrix, p), each)
    stack = CURVE.confusion_matrix([0.0, 1.0, 2.0])
    paired = [
        scores.net_benefit(CURVE.confusion_matrix(threshold), one)
        for threshold, one in zip([0.0, 1.0, 2.0], p, strict=True)
    ]
    np.testing.assert_allclose(scores.net_benefit(stack, np.array(p)), paired, rtol=1e-14)
    with pytest.raises(ValueError, match=r"threshold_probability must be .* 3 matrices .* got 2"):
        scores.net_benefit(stack, [0.1, 0.2])


# ---------------------------------------------------------------------------------- pictures


@picture
def test_picture_decision_curve():
    axes = column()
    for name, y_prob in (("A", Y_PROB), ("B", Y_PROB[::-1] ** 0.5)):
        display = DecisionCurveDisplay.from_predictions(Y_TRUE, y_prob, pi0=PI0, name=name, ax=axes)
    return display.figure_
