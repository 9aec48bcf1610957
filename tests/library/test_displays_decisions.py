"""Displays of decisions: net benefit, expected cost, gains and lift, against slow formulas."""

import math
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

from calibrated_metrics import ConfusionCurve, Metric, scores, uncertainty
from calibrated_metrics.displays import (
    CostCurveDisplay,
    DecisionCurveDisplay,
    GainsDisplay,
    ThresholdDisplay,
)

PI0 = 0.05
RNG = np.random.default_rng(4)
Y_TRUE = np.arange(400) < 80
Y_SCORE = RNG.normal(1.5 * Y_TRUE).round(1)  # has ties
Y_PROB = expit(1.5 * Y_SCORE - 1.5**2 / 2 + logit(0.2))
CURVE = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


def legend_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


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
    assert display.ax_.get_ylabel() == f"net benefit (TP per case) at π$_0$ = {pi0}"


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


def test_a_band_that_would_not_be_valid_is_withheld():
    data = [1, 0, 0, 0], [0.6, 0.2, 0.1, 0.3]
    clusters = ["a", "b", "c", "c"]
    with pytest.warns(uncertainty.IntervalWarning, match="all positives are in one cluster"):
        display = DecisionCurveDisplay.from_predictions(
            *data, clusters=clusters, threshold_probability=[0.2, 0.4]
        )
    assert np.isnan(display.band.low).all()
    assert np.isfinite(display.net_benefit).all()


@pytest.mark.filterwarnings("always::calibrated_metrics.uncertainty.IntervalWarning")
@pytest.mark.parametrize(("display", "n"), [(DecisionCurveDisplay, 1), (ThresholdDisplay, 2)])
def test_a_withheld_band_is_warned_of_once(display, n):
    data = [1, 0, 0, 0], [0.6, 0.2, 0.1, 0.3]
    with pytest.warns(uncertainty.IntervalWarning) as found:
        display.from_predictions(*data, clusters=["a", "b", "c", "c"])
    assert len(found) == n


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


# ------------------------------------------------------------------------------ cost curves


def slow_least_cost(prior, cost_fp, cost_fn):
    """The least cost of all decisions ``score >= threshold``, in exact arithmetic."""
    prior, cost_fp, cost_fn = (Fraction(each) for each in (prior, cost_fp, cost_fn))
    pc = prior * cost_fn / (prior * cost_fn + (1 - prior) * cost_fp)
    costs = []
    for threshold in [*np.unique(Y_SCORE), math.inf]:
        fnr = Fraction(int(np.sum(Y_SCORE[Y_TRUE] < threshold)), int(Y_TRUE.sum()))
        fpr = Fraction(int(np.sum(Y_SCORE[~Y_TRUE] >= threshold)), int((~Y_TRUE).sum()))
        costs.append(fnr * pc + fpr * (1 - pc))
    return float(min(costs)), float(min(pc, 1 - pc))


@pytest.mark.parametrize(
    ("pi0", "costs"), [(None, (1, 1)), (PI0, (1, 20)), (0.01, (3.5, 1)), (0.9, (1e-150, 1e-151))]
)
def test_the_cost_curve_is_the_lower_envelope(pi0, costs):
    display = CostCurveDisplay.from_curve(CURVE, pi0=pi0, cost_fp=costs[0], cost_fn=costs[1])
    assert display.prior[-1] == pytest.approx(min(1, 10 * (pi0 or CURVE.prior)))
    trivial = display.chance_level_[0].get_ydata()
    for place in range(0, len(display.prior), 41):
        expected = slow_least_cost(display.prior[place], *costs)
        assert (display.cost[place], trivial[place]) == pytest.approx(expected, abs=1e-12)
    assert display.pi0 in display.prior
    np.testing.assert_array_equal(display.line_.get_data(), (display.prior, display.cost))


def test_the_prior_and_trivial_decisions_are_marked():
    display = CostCurveDisplay.from_curve(CURVE, pi0=0.2, cost_fn=4, name="model")
    labels = ["model", "π$_0$ = 0.2", "all or none positive\n(FN costs 4 × FP)"]
    assert sorted(legend_of(display.ax_)) == sorted(labels)
    assert set(display.chance_level_[1].get_xdata()) == {0.2}
    assert display.ax_.get_ylabel() == "normalised expected cost"
    assert "prior of the data" in legend_of(CostCurveDisplay.from_curve(CURVE).ax_)
    display.plot(plot_chance_level=False, name="model")
    assert legend_of(display.ax_) == ["model"]


# ------------------------------------------------------------------------- gains and lift


@pytest.mark.parametrize("pi0", [None, 0.01])
def test_gains_are_recall_against_the_share_of_alerts(pi0):
    display = GainsDisplay.from_curve(CURVE, pi0=pi0)
    prior = 0.2 if pi0 is None else pi0
    points = dict(zip(display.alert_rate.round(12), display.recall, strict=True))
    for threshold in np.unique(Y_SCORE)[::7]:
        recall, fpr = np.mean(Y_SCORE[Y_TRUE] >= threshold), np.mean(Y_SCORE[~Y_TRUE] >= threshold)
        rate = prior * recall + (1 - prior) * fpr
        assert np.interp(rate, display.alert_rate, display.recall) == pytest.approx(recall)
    assert points[0.0] == 0
    assert points[1.0] == pytest.approx(1)
    area = np.trapezoid(display.recall - display.alert_rate, display.alert_rate)
    assert area == pytest.approx((scores.roc_auc(CURVE) - 0.5) * (1 - prior))


def test_lift_is_precision_over_the_prior():
    display = GainsDisplay.from_curve(CURVE, pi0=0.01, kind="lift")
    rate, lift = display.line_.get_data()
    matrix = CURVE.at_prior(0.01).confusion_matrix(1.0)
    alerts = (matrix.tp + matrix.fp) / (matrix.n_pos + matrix.n_neg)
    assert np.interp(alerts, rate, lift) == pytest.approx(scores.precision(matrix) / 0.01)
    assert lift[-1] == pytest.approx(1)
    assert lift.max() <= 100 + 1e-9
    assert list(display.chance_level_.get_ydata()) == [1, 1]
    assert display.ax_.get_ylabel() == "lift (recall / alert rate) at π$_0$ = 0.01"
    (path,) = display.band_.get_paths()
    x, low, high, _ = display.band
    corners = {tuple(corner) for corner in path.vertices}
    assert set(zip(x, low / x, strict=True)) | set(zip(x, high / x, strict=True)) <= corners
    assert list(display.plot(kind="gains").chance_level_.get_ydata()) == [0, 1]
    with pytest.raises(ValueError, match='kind must be "gains" or "lift", got \'cost\''):
        display.plot(kind="cost")


def test_the_band_of_the_gains_covers_the_recall_of_the_population():
    """Of binormal scores, at alert rates at which recall is between 0.2 and 0.95."""
    rng, asked = np.random.default_rng(2), [0.02, 0.05, 0.1, 0.2, 0.4]
    grid = np.linspace(-4, 6, 4001)
    tpr, fpr = stats.norm.sf(grid - 1.5), stats.norm.sf(grid)
    recall = np.interp(asked, (PI0 * tpr + (1 - PI0) * fpr)[::-1], tpr[::-1])
    covered, y_true = np.zeros(5), np.arange(440) < 40
    for _ in range(60):
        curve = ConfusionCurve.from_predictions(y_true, rng.normal(1.5 * y_true))
        x, low, high, _ = GainsDisplay._band_of(curve.at_prior(PI0), 0.95)
        assert (np.diff(x) > 0).all()
        assert (low <= high).all()
        covered += (np.interp(asked, x, low) <= recall) & (recall <= np.interp(asked, x, high))
    assert (covered >= 54).all()
    assert covered.mean() < 59.9


# ---------------------------------------------------------------------------------- pictures


def column():
    """Axes of a figure that is 3.3 inches wide."""
    plt.rcParams.update({"font.size": 8})
    return plt.subplots(figsize=(3.3, 2.5), layout="constrained")[1]


picture = pytest.mark.mpl_image_compare(style="default", savefig_kwargs={"dpi": 80})


@picture
def test_picture_decision_curve():
    axes = column()
    for name, y_prob in (("A", Y_PROB), ("B", Y_PROB[::-1] ** 0.5)):
        display = DecisionCurveDisplay.from_predictions(Y_TRUE, y_prob, pi0=PI0, name=name, ax=axes)
    return display.figure_


@picture
def test_picture_cost_curve():
    return CostCurveDisplay.from_curve(CURVE, pi0=PI0, cost_fn=5, name="A", ax=column()).figure_


@picture
def test_picture_gains():
    return GainsDisplay.from_curve(CURVE, pi0=PI0, name="A", ax=column()).figure_


@picture
def test_picture_lift():
    return GainsDisplay.from_curve(CURVE, pi0=PI0, kind="lift", ax=column()).figure_
