"""Displays: what they draw is what the library computes, and how they share axes and styles."""

import gc
import inspect
import math
import sys
import weakref

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.svm import LinearSVC

from calibrated_metrics import (
    ConfusionCurve,
    average_precision_score,
    comparison,
    precision_recall_curve,
    registry,
    scores,
    spaces,
    thresholds,
    uncertainty,
)
from calibrated_metrics.displays import (
    AchievableDisplay,
    ChangeDisplay,
    PrecisionRecallDisplay,
    PrecisionRecallGainDisplay,
    PriorSweepDisplay,
    ThresholdDisplay,
)
from calibrated_metrics.displays._inputs import Ranking

PI0 = 0.05
RNG = np.random.default_rng(0)
Y_TRUE = RNG.permutation(np.arange(600) < 100)
Y_SCORE = RNG.normal(2 * Y_TRUE)
OTHER_SCORE = RNG.normal(np.where(Y_TRUE & (RNG.random(600) < 0.5), 4, 0))
CURVE = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)
POINT = thresholds.choose_threshold(CURVE, pi0=PI0, min_precision=0.2)
pytestmark = pytest.mark.filterwarnings("ignore::calibrated_metrics.uncertainty.IntervalWarning")

WITH_BAND = (PrecisionRecallDisplay, PrecisionRecallGainDisplay)
OF_RANKING = (*WITH_BAND, AchievableDisplay, ThresholdDisplay)
EVERY = (*OF_RANKING, PriorSweepDisplay)


@pytest.fixture(autouse=True)
def _closed_figures():
    """Each test starts in the default style and leaves no figure open."""
    with mpl.rc_context():
        yield
    plt.close("all")


def months(*priors, separation=2.0, n=800):
    """Labelled scores of a month at each prior."""
    rng = np.random.default_rng(1)
    samples = {}
    for number, prior in enumerate(priors):
        y_true = np.arange(n) < round(prior * n)
        samples[f"month {number}"] = y_true, rng.normal(separation * y_true)
    return samples


def dashes_of(line):
    return str(line._unscaled_dash_pattern)


def legend_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


# ---------------------------------------------------------------------------- legend and title


@pytest.mark.parametrize("layout", ["constrained", "tight"])
def test_a_title_is_above_the_legend(layout):
    figure, ax = plt.subplots(layout=layout)
    for name in "ab":
        display = PrecisionRecallDisplay.from_curve(CURVE, name=name, ax=ax)
    ax.set_title("title")
    figure.draw_without_rendering()
    title, legend = ax.title.get_window_extent(), ax.get_legend().get_window_extent()
    assert ax.get_window_extent().y1 <= legend.y0 < legend.y1 < title.y0
    assert title.y1 < figure.bbox.y1
    display.ax_.legend()  # the user's own, within the axes
    figure.draw_without_rendering()
    assert 0 < ax.title.get_window_extent().y0 - ax.get_window_extent().y1 < legend.height / 2


def test_without_a_layout_the_legend_is_within_the_axes():
    figure, ax = plt.subplots()
    ThresholdDisplay.from_curve(CURVE, point=POINT, ax=ax)
    figure.draw_without_rendering()
    legend, axes = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert axes.y0 < legend.y0 < legend.y1 < axes.y1


# ---------------------------------------------------------------------- precision and recall


def test_the_line_is_the_interpolated_curve_at_the_prior():
    display = PrecisionRecallDisplay.from_predictions(Y_TRUE, Y_SCORE, pi0=PI0)
    recall, precision = spaces.precision_recall(spaces.interpolated(CURVE.at_prior(PI0)))
    np.testing.assert_array_equal(display.line_.get_xdata(), recall)
    np.testing.assert_array_equal(display.line_.get_ydata(), precision)
    np.testing.assert_array_equal(display.recall, recall)
    np.testing.assert_array_equal(display.precision, precision)
    drawn = set(zip(recall, precision, strict=True))
    at_thresholds = precision_recall_curve(Y_TRUE, Y_SCORE, pi0=PI0)
    assert set(zip(at_thresholds[1][:-1], at_thresholds[0][:-1], strict=True)) <= drawn


def test_the_legend_holds_average_precision_at_the_prior():
    display = PrecisionRecallDisplay.from_predictions(Y_TRUE, Y_SCORE, pi0=PI0, name="model")
    value = average_precision_score(Y_TRUE, Y_SCORE, pi0=PI0)
    assert display.area == value
    assert display.line_.get_label() == f"model (AP = {value:.2f})"
    assert legend_of(display.ax_)[0] == display.line_.get_label()
    assert display.pi0 == PI0
    assert display.ax_.get_ylabel() == "precision at π$_0$ = 0.05"


def test_without_pi0_the_prior_of_the_data_is_used():
    display = PrecisionRecallDisplay.from_predictions(Y_TRUE, Y_SCORE)
    assert display.pi0 == CURVE.prior
    assert display.area == average_precision_score(Y_TRUE, Y_SCORE)


def test_guide_lines_are_at_the_prior():
    display = PrecisionRecallDisplay.from_curve(CURVE, pi0=PI0, iso_f=(0.3, 0.7))
    assert set(display.chance_level_.get_ydata()) == {PI0}
    for line, f1 in zip(display.iso_f_, (0.3, 0.7), strict=True):
        recall, precision = line.get_data()
        np.testing.assert_allclose(2 * recall * precision / (recall + precision), f1)
        assert (np.diff(recall) > 0).all()
        assert recall[-1] == precision[0] == 1


def test_guide_lines_of_the_gain_are_at_the_prior():
    display = PrecisionRecallGainDisplay.from_curve(CURVE, pi0=PI0, iso_f=(0.3, 0.7))
    assert set(display.chance_level_.get_ydata()) == {0}
    for line, f1 in zip(display.iso_f_, (0.3, 0.7), strict=True):
        recall, precision = (PI0 / (1 - (1 - PI0) * gain) for gain in line.get_data())
        np.testing.assert_allclose(2 * recall * precision / (recall + precision), f1)


def test_no_guide_lines():
    display = PrecisionRecallDisplay.from_curve(CURVE, plot_chance_level=False, iso_f=())
    assert display.chance_level_ is None
    assert display.iso_f_ == []
    assert display.ax_.lines[:] == [display.line_]


def test_the_gain_curve_is_the_librarys():
    display = PrecisionRecallGainDisplay.from_predictions(Y_TRUE, Y_SCORE, pi0=PI0)
    recall_gain, precision_gain = spaces.precision_recall_gain(CURVE.at_prior(PI0))
    np.testing.assert_array_equal(display.line_.get_data(), (recall_gain, precision_gain))
    np.testing.assert_array_equal(display.recall_gain, recall_gain)
    np.testing.assert_array_equal(display.precision_gain, precision_gain)
    assert display.area == scores.prg_auc(CURVE.at_prior(PI0))


# ----------------------------------------------------------------------------------- the band


def slow_limits(y_true, y_score, recall, fpr, pi0, level):
    """Limits of precision at a recall, written from the docstring with SciPy's distributions."""
    positives, negatives = np.sort(y_score[y_true])[::-1], y_score[~y_true]
    n_pos, n_neg = len(positives), len(negatives)
    margin = stats.norm.ppf((1 + level) / 2) * math.sqrt(recall * (1 - recall) / n_pos)
    margin += 0.5 / n_pos

    def fpr_at(asked):
        """Share of the negatives above the lowest positive that is needed; there are no ties."""
        return np.mean(negatives > positives[math.ceil(asked * n_pos - 1e-9) - 1])

    k = fpr * n_neg
    low = stats.beta.ppf((1 - level) / 2, k, n_neg - k + 1) if k > 0 else 0.0
    high = stats.beta.ppf((1 + level) / 2, k + 1, n_neg - k) if k < n_neg else 1.0
    centre, half = math.log(max(fpr, 0.5 / n_neg)), 0.5 / n_neg
    strict = fpr_at(recall - margin) if recall > margin else 0.0
    loose = fpr_at(recall + margin) if recall + margin < 1 else 1.0

    def log(rate):
        return math.log(rate) if rate > 0 else -math.inf

    down = math.hypot(max(centre - log(strict), 0), centre - log(low))
    up = math.hypot(log(max(loose, half)) - centre, log(high) - centre)
    odds_against = (1 - pi0) / pi0
    return tuple(
        recall / (recall + odds_against * min(rate, 1))
        for rate in (math.exp(centre + up), math.exp(centre - down))
    )


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_band_is_that_of_the_slow_formula(level):
    display = PrecisionRecallDisplay.from_predictions(
        Y_TRUE, Y_SCORE, pi0=PI0, confidence_level=level
    )
    recalls, lows, highs, confidence_level = display.band
    assert confidence_level == level
    odds_against = (1 - PI0) / PI0
    for place in range(0, len(recalls), 37):
        recall = recalls[place]
        precision = display.precision[display.recall > 0][place]
        fpr = recall * (1 - precision) / (precision * odds_against)
        low, high = slow_limits(Y_TRUE, Y_SCORE, recall, fpr, PI0, level)
        assert lows[place] == pytest.approx(low, rel=1e-9)
        assert highs[place] == pytest.approx(high, rel=1e-9)


def test_the_band_contains_the_curve_and_grows_with_the_level():
    narrow, wide = (
        PrecisionRecallDisplay.from_curve(CURVE, pi0=PI0, confidence_level=level)
        for level in (0.8, 0.99)
    )
    precision = wide.precision[wide.recall > 0]
    assert (wide.band.low <= narrow.band.low).all()
    assert (narrow.band.low <= precision + 1e-12).all()
    assert (precision - 1e-12 <= narrow.band.high).all()
    assert (narrow.band.high <= wide.band.high).all()
    assert (wide.band.low < narrow.band.low).any()


def test_the_drawn_band_is_the_band():
    display = PrecisionRecallDisplay.from_curve(CURVE, pi0=PI0)
    (path,) = display.band_.get_paths()
    x, low, high, _ = display.band
    corners = {tuple(corner) for corner in path.vertices}
    assert set(zip(x, low, strict=True)) <= corners
    assert set(zip(x, high, strict=True)) <= corners


def test_the_band_of_the_gain_is_the_gain_of_the_band():
    of_precision = PrecisionRecallDisplay.from_curve(CURVE, pi0=PI0).band
    of_gain = PrecisionRecallGainDisplay.from_curve(CURVE, pi0=PI0).band
    in_space = of_precision.x >= PI0

    def gain(value):
        return (value - PI0) / ((1 - PI0) * value)

    np.testing.assert_allclose(of_gain.x, gain(of_precision.x[in_space]), atol=1e-12)
    np.testing.assert_allclose(of_gain.low, gain(of_precision.low[in_space]), atol=1e-9)
    np.testing.assert_allclose(of_gain.high, gain(of_precision.high[in_space]), atol=1e-9)


def test_the_band_covers_the_precision_of_the_population():
    rng = np.random.default_rng(2)
    y_true = np.arange(440) < 40
    recall = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    fpr = stats.norm.sf(stats.norm.isf(recall) + 1.5)
    precision = PI0 * recall / (PI0 * recall + (1 - PI0) * fpr)
    covered = np.zeros(len(recall))
    for _ in range(150):
        curve = ConfusionCurve.from_predictions(y_true, rng.normal(1.5 * y_true)).at_prior(PI0)
        band = PrecisionRecallDisplay._band_of(curve, Ranking(curve), 0.95)
        place = np.searchsorted(band.x, recall + 1e-9) - 1
        np.testing.assert_allclose(band.x[place], recall)
        covered += (band.low[place] <= precision) & (precision <= band.high[place])
    assert (covered >= 0.9 * 150).all()
    assert covered.mean() < 0.995 * 150


@pytest.mark.parametrize("display", WITH_BAND)
def test_weights_that_differ_widen_the_band(display):
    weight = RNG.exponential(size=len(Y_TRUE))
    equal, scaled, weighted = (
        display.from_predictions(Y_TRUE, Y_SCORE, pi0=PI0, sample_weight=each)
        for each in (None, np.full(len(Y_TRUE), 7.5), weight)
    )
    np.testing.assert_allclose(scaled.band[:3], equal.band[:3], rtol=1e-9)
    at = np.linspace(0.3, 0.7, 20)
    widths = (
        np.interp(at, each.band.x, each.band.high - each.band.low) for each in (equal, weighted)
    )
    assert np.mean(next(widths)) < np.mean(next(widths))


@pytest.mark.parametrize("display", WITH_BAND)
def test_a_curve_without_rows_has_no_band(display):
    population = ConfusionCurve.from_binormal(1.5, 0, 0.1, n_thresholds=200)
    with pytest.raises(ValueError, match=r"not whole numbers.*confidence_level=None to draw"):
        display.from_curve(population)
    assert display.from_curve(population, confidence_level=None).band_ is None


# ------------------------------------------------------------------------------- achievable


def test_the_achievable_curve_is_the_hull():
    display = AchievableDisplay.from_predictions(Y_TRUE, Y_SCORE, pi0=PI0, name="model")
    hull = CURVE.at_prior(PI0).hull()
    recall, precision = spaces.precision_recall(spaces.interpolated(hull))
    np.testing.assert_array_equal(display.line_.get_data(), (recall, precision))
    np.testing.assert_array_equal(display.vertices_.get_data(), spaces.precision_recall(hull))
    own = spaces.precision_recall(spaces.interpolated(CURVE.at_prior(PI0)))
    np.testing.assert_array_equal(display.curve_line_.get_data(), own)
    assert display.area == scores.pr_auc(hull) == scores.achievable_pr_auc(CURVE.at_prior(PI0))
    assert legend_of(display.ax_) == [
        f"model, achievable (area = {display.area:.2f})",
        "model (ranking)",
    ]


def test_the_achievable_curve_on_test_data():
    tuning = ConfusionCurve.from_predictions(Y_TRUE[::2], Y_SCORE[::2])
    test = ConfusionCurve.from_predictions(Y_TRUE[1::2], Y_SCORE[1::2])
    display = AchievableDisplay.from_curve(tuning, test=test, pi0=PI0)
    achieved = thresholds.achievable_on_test(tuning, test.at_prior(PI0))
    assert display.area == scores.pr_auc(achieved)
    np.testing.assert_array_equal(display.vertices_.get_data(), spaces.precision_recall(achieved))
    assert display.line_.get_label().startswith("achievable, test data (area")


# ------------------------------------------------------------------------ sweep over the prior


def test_the_sweep_is_the_score_at_each_prior():
    priors = [0.01, 0.1, 0.4]
    display = PriorSweepDisplay.from_predictions(Y_TRUE, Y_SCORE, pi0=priors, name="model")
    estimate = uncertainty.interval("average_precision", CURVE, pi0=priors)
    np.testing.assert_array_equal(display.line_.get_xdata(), priors)
    np.testing.assert_allclose(display.line_.get_ydata(), estimate.value, rtol=1e-12)
    np.testing.assert_allclose(display.limits["model"], (estimate.low, estimate.high), rtol=1e-12)
    assert display.own == {"model": (CURVE.prior, scores.average_precision(CURVE))}
    (mark,) = display.own_prior_
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == display.own["model"]
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_ylabel() == "AUC-PR at π$_0$"


def test_the_default_priors_surround_the_prior_of_the_data():
    display = PriorSweepDisplay.from_curve(CURVE, confidence_level=None)
    assert display.pi0[[0, -1]] == pytest.approx([CURVE.prior / 10, 0.5])
    assert display.band_ == []


@pytest.mark.parametrize(
    ("score", "label", "value_of"),
    [
        (
            registry.Metric("precision", options={"threshold": 1.0}),
            "precision",
            lambda curve: scores.precision(curve.confusion_matrix(1.0)),
        ),
        (registry.Metric("best_fbeta", options={"beta": 2}), "best F2", None),
        (scores.roc_auc, "AUC-ROC", scores.roc_auc),
        (lambda curve: curve.prior**2, "<lambda>", lambda curve: curve.prior**2),
    ],
)
def test_the_sweep_of_any_score(score, label, value_of):
    display = PriorSweepDisplay.from_curve(
        CURVE, score=score, pi0=[0.1, 0.2], n_resamples=20, confidence_level=None
    )
    value_of = value_of or (lambda curve: scores.best_fbeta(curve, 2))
    expected = [value_of(CURVE.at_prior(pi0)) for pi0 in (0.1, 0.2)]
    np.testing.assert_allclose(display.line_.get_ydata(), expected, rtol=1e-12)
    assert display.ax_.get_ylabel() == f"{label} at π$_0$"


def test_models_cross_where_their_scores_are_equal():
    display = PriorSweepDisplay.from_predictions(
        Y_TRUE, {"even": Y_SCORE, "sharp": OTHER_SCORE}, pi0=[0.02, 0.1, 0.5]
    )
    (crossing,) = display.crossings
    assert (crossing.first, crossing.second) == ("even", "sharp")
    values = [
        average_precision_score(Y_TRUE, each, pi0=crossing.pi0) for each in (Y_SCORE, OTHER_SCORE)
    ]
    assert values == pytest.approx([crossing.value] * 2, abs=1e-7)
    (mark,) = display.crossing_
    assert mark.get_xdata()[0] == crossing.pi0
    signs = [
        np.sign(
            np.subtract(
                *(average_precision_score(Y_TRUE, s, pi0=pi0) for s in (Y_SCORE, OTHER_SCORE))
            )
        )
        for pi0 in (crossing.pi0 * 0.99, crossing.pi0 * 1.01)
    ]
    assert signs == [-1, 1]


def test_equal_models_do_not_cross():
    display = PriorSweepDisplay.from_predictions(Y_TRUE, {"a": Y_SCORE, "b": 2 * Y_SCORE})
    assert display.crossings == []


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"pi0": [0.5, 0.1]}, ValueError, "pi0 must ascend strictly"),
        ({"pi0": [0.0, 0.1]}, ValueError, r"pi0 must lie in the open interval \(0, 1\)"),
        ({"score": registry.Metric("roc_auc", 0.1)}, ValueError, "no reference prior of its own"),
        ({"score": "precision"}, ValueError, "needs a threshold"),
        ({"score": "averege_precision"}, ValueError, "did you mean 'average_precision'"),
        ({"curve_kwargs": [{}, {}]}, ValueError, r"one dict per line \(1\), got 2"),
        ({"confidence_level": 2}, ValueError, "confidence_level must lie"),
    ],
)
def test_bad_arguments_of_a_sweep(arguments, error, message):
    with pytest.raises(error, match=message):
        PriorSweepDisplay.from_curve(CURVE, **arguments)


def test_one_name_for_several_models_is_an_error():
    with pytest.raises(ValueError, match="name must be None for several models, got 'x'"):
        PriorSweepDisplay(np.array([0.1]), {"a": [1], "b": [1]}).plot(name="x")
    with pytest.raises(ValueError, match="at least one model"):
        PriorSweepDisplay.from_predictions(Y_TRUE, {})


# ------------------------------------------------------------------------------- thresholds


def test_the_lines_are_precision_recall_and_alerts_at_the_prior():
    display = ThresholdDisplay.from_curve(CURVE, pi0=PI0)
    matrices = CURVE.confusion_matrix(display.thresholds).at_prior(PI0)
    expected = (
        scores.precision(matrices),
        scores.recall(matrices),
        1000 * (matrices.tp + matrices.fp) / (matrices.n_pos + matrices.n_neg),
    )
    for line, values in zip(display.line_, expected, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), display.thresholds)
        np.testing.assert_allclose(line.get_ydata(), values, rtol=1e-12)
    assert display.line_[2].axes is display.alerts_ax_
    assert display.alerts_ax_.get_yscale() == "log"
    assert display.point_ == []
    assert display.statement is None


def test_the_chosen_point_is_on_the_lines_with_its_guarantee():
    display = ThresholdDisplay.from_predictions(Y_TRUE, Y_SCORE, point=POINT)
    assert display.pi0 == PI0
    assert POINT.threshold in display.thresholds
    line, *marks = display.point_
    assert set(line.get_xdata()) == {POINT.threshold}
    drawn = [tuple(mark.get_ydata()) for mark in marks]
    assert drawn == [
        (POINT.precision,),
        (POINT.precision_low, POINT.precision),
        (POINT.recall,),
        (POINT.recall_low, POINT.recall),
        (POINT.alerts_per_1000,),
    ]
    at = list(display.thresholds).index(POINT.threshold)
    assert display.precision[at] == pytest.approx(POINT.precision)
    assert display.alerts_per_1000[at] == pytest.approx(POINT.alerts_per_1000)
    title = display.ax_.get_legend().get_title().get_text()
    assert title.replace("\n", " ") == display.statement
    assert display.statement == (
        f"score ≥ {POINT.threshold:.3g}: precision ≥ 0.2 at π$_0$ = 0.05, certified at 90 %"
    )


@pytest.mark.parametrize(
    ("goal", "statement"),
    [
        ({"min_precision": 0.999}, "no threshold: precision ≥ 0.999 at π$_0$ = 0.05 cannot be"),
        ({"min_recall": 0.8, "confidence_level": None}, "0.05, without a guarantee"),
        ({"beta": 1}, ": best F-beta, beta = 1 at π$_0$ = 0.05, value ≥ 0."),
        ({"cost_fp": 1, "cost_fn": 9}, "cost_fn = 9 at π$_0$ = 0.05, value ≤ 0."),
        ({"max_alert_rate": 0.2}, "alert rate ≤ 0.2 at π$_0$ = 0.05, certified at 90 %"),
    ],
)
def test_the_statement_says_what_is_certified(goal, statement):
    point = thresholds.choose_threshold(CURVE, pi0=PI0, **goal)
    display = ThresholdDisplay.from_curve(CURVE, point=point, confidence_level=None)
    assert statement in display.statement
    assert bool(display.point_) == (point.threshold is not None)


def test_the_bands_of_thresholds_are_the_intervals():
    display = ThresholdDisplay.from_curve(CURVE, pi0=PI0)
    for score, (at, low, high, level) in display.bands.items():
        assert level == 0.95
        for place in (0, len(at) // 2, -1):
            metric = registry.Metric(score, options={"threshold": at[place]})
            estimate = uncertainty.interval(metric, CURVE, pi0=PI0)
            assert (low[place], high[place]) == (estimate.low, estimate.high)


def test_a_range_of_priors_takes_the_worse_end():
    display = ThresholdDisplay.from_curve(CURVE, pi0=(0.01, 0.1))
    low, high = (ThresholdDisplay.from_curve(CURVE, pi0=pi0) for pi0 in (0.01, 0.1))
    np.testing.assert_array_equal(display.precision, low.precision)
    np.testing.assert_array_equal(display.alerts_per_1000, high.alerts_per_1000)
    assert display.ax_.get_ylabel() == "precision, recall at π$_0$ = 0.01"
    assert display.alerts_ax_.get_ylabel() == "alerts per 1000 at π$_0$ = 0.1"
    assert display.pi0 == (0.01, 0.1)


def test_displays_of_thresholds_share_the_axes_of_alerts():
    first = ThresholdDisplay.from_curve(CURVE, pi0=PI0, name="a", point=POINT)
    second = ThresholdDisplay.from_predictions(Y_TRUE, OTHER_SCORE, pi0=PI0, name="b", ax=first.ax_)
    assert second.alerts_ax_ is first.alerts_ax_
    assert len(first.figure_.axes) == 2
    assert legend_of(first.ax_)[:4] == ["a, precision", "a, recall", "b, precision", "b, recall"]
    assert "certified" in first.ax_.get_legend().get_title().get_text()
    lines = *first.line_, *second.line_
    assert len({line.get_color() for line in lines}) == 6
    assert len(set(map(dashes_of, lines))) == 6


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"point": POINT, "pi0": 0.3}, ValueError, "pi0 must be None or the prior of point, 0.05"),
        ({"point": 0.7}, TypeError, "point must be None or an OperatingPoint, got 0.7"),
        ({"pi0": 2.0}, ValueError, "pi0 must lie in the open interval"),
        ({"curve": CURVE.hull()}, ValueError, "counts"),
        ({"curve": spaces.interpolated(CURVE)}, ValueError, "curve must have known thresholds"),
        ({"curve": "curve"}, TypeError, "curve must be a ConfusionCurve, got 'curve'"),
    ],
)
def test_bad_arguments_of_thresholds(arguments, error, message):
    with pytest.raises(error, match=message):
        ThresholdDisplay.from_curve(**{"curve": CURVE, **arguments})


# ------------------------------------------------------------------------------- estimators


class TestEstimators:
    @pytest.fixture
    def data(self):
        rng = np.random.default_rng(0)
        y = np.where(np.arange(300) % 5 == 0, "fraud", "ok")
        x = rng.normal(size=(300, 2)) + (y == "fraud")[:, None]
        return pd.DataFrame(x, columns=["a", "b"]), y

    @pytest.mark.parametrize("display", EVERY)
    def test_the_scores_are_those_of_the_positive_class(self, display, data):
        x, y = data
        model = LogisticRegression().fit(x, y)
        options = {"pi0": _pi0_of(display), "pos_label": "fraud"}
        expected = display.from_predictions(y, model.predict_proba(x)[:, 0], **options)
        found = display.from_estimator(model, x, y, **options)
        for one, other in zip(_lines_of(found), _lines_of(expected), strict=True):
            np.testing.assert_array_equal(one.get_data(), other.get_data())
        assert "LogisticRegression" in _lines_of(found)[0].get_label()

    @pytest.mark.parametrize("pos_label", ["fraud", "ok"])
    def test_a_decision_function_is_turned_to_the_positive_class(self, pos_label, data):
        x, y = data
        model = LogisticRegression().fit(x, y)
        areas = [
            PrecisionRecallDisplay.from_estimator(
                model, x, y, pos_label=pos_label, response_method=method, confidence_level=None
            ).area
            for method in ("predict_proba", "decision_function")
        ]
        assert areas[0] == pytest.approx(areas[1])
        assert areas[0] > 0.5

    def test_auto_takes_what_the_estimator_has(self, data):
        x, y = data
        model = LinearSVC().fit(x, y)
        display = PrecisionRecallDisplay.from_estimator(model, x, y, pos_label="fraud", name="svc")
        assert display.area == average_precision_score(y == "fraud", -model.decision_function(x))
        assert display.line_.get_label().startswith("svc (AP")

    def test_several_estimators_in_one_sweep(self, data):
        x, y = data
        models = {"a": LogisticRegression().fit(x, y), "b": LinearSVC().fit(x, y)}
        display = PriorSweepDisplay.from_estimator(
            models, x, y, pos_label="fraud", confidence_level=None
        )
        assert list(display.values) == ["a", "b"]
        assert [line.get_label() for line in display.line_] == ["a", "b"]

    @pytest.mark.parametrize(
        ("make", "arguments", "error", "message"),
        [
            (
                lambda x, y: LogisticRegression(),
                {},
                ValueError,
                "a fitted classifier of two classes",
            ),
            (lambda x, y: LinearRegression().fit(x, y == "ok"), {}, ValueError, "two classes"),
            (
                lambda x, y: LogisticRegression().fit(x, y),
                {"pos_label": 1},
                ValueError,
                "pos_label=1",
            ),
            (
                lambda x, y: LinearSVC().fit(x, y),
                {"response_method": "predict_proba"},
                TypeError,
                "must have the method predict_proba",
            ),
            (
                lambda x, y: LinearSVC().fit(x, y),
                {"response_method": "predict"},
                ValueError,
                "response_method must be one of",
            ),
        ],
    )
    def test_bad_estimators(self, make, arguments, error, message, data):
        x, y = data
        with pytest.raises(error, match=message):
            PrecisionRecallDisplay.from_estimator(
                make(x, y), x, y, **{"pos_label": "fraud", **arguments}
            )

    @pytest.fixture
    def cv_results(self, data):
        x, y = data
        return cross_validate(
            LogisticRegression(), x, y, cv=3, return_estimator=True, return_indices=True
        )

    @pytest.mark.parametrize("display", WITH_BAND)
    def test_folds_are_drawn_at_one_prior(self, display, cv_results, data):
        x, y = data
        folds = display.from_cv_results(cv_results, x, y, pos_label="fraud", name="model")
        assert len(folds.line_) == 3
        assert folds.pi0 == pytest.approx(0.2)
        model, rows = cv_results["estimator"][1], cv_results["indices"]["test"][1]
        alone = display.from_predictions(
            y[rows], model.predict_proba(x.iloc[rows])[:, 0], pi0=folds.pi0, pos_label="fraud"
        )
        np.testing.assert_array_equal(folds.line_[1].get_data(), alone.line_.get_data())
        assert folds.area[1] == alone.area
        mean, spread = np.mean(folds.area), np.std(folds.area)
        label = folds.line_[0].get_label()
        assert label.startswith("model (")
        assert f"= {mean:.2f} ± {spread:.2g})" in label
        assert [line.get_label() for line in folds.line_[1:]] == ["_nolegend_"] * 2
        assert len({line.get_color() for line in folds.line_}) == 1
        assert folds.band_ is None

    def test_each_fold_has_an_entry_if_it_has_a_style(self, cv_results, data):
        x, y = data
        display = PrecisionRecallDisplay.from_cv_results(
            cv_results, x, y, pos_label="fraud", curve_kwargs=[{"ls": ":"}, {}, {}]
        )
        assert [label[:6] for label in legend_of(display.ax_)[:3]] == ["fold 0", "fold 1", "fold 2"]
        assert display.line_[0].get_linestyle() == ":"
        assert len({line.get_color() for line in display.line_}) == 3

    @pytest.mark.parametrize(
        ("drop", "n_rows", "message"),
        [("indices", 300, "return_indices=True"), (None, 299, "y must hold the 300 rows")],
    )
    def test_bad_results_of_a_cross_validation(self, drop, n_rows, message, cv_results, data):
        x, y = data
        given = {key: value for key, value in cv_results.items() if key != drop}
        with pytest.raises(ValueError, match=message):
            PrecisionRecallDisplay.from_cv_results(given, x, y[:n_rows], pos_label="fraud")


def draw_any(display):
    if display is ChangeDisplay:
        return display.from_changes(CHANGES)
    return display.from_predictions(Y_TRUE, Y_SCORE, pi0=_pi0_of(display))


def _pi0_of(display):
    return [0.05, 0.1] if display is PriorSweepDisplay else PI0


def _lines_of(display):
    return display.line_ if isinstance(display.line_, list) else [display.line_]


# ------------------------------------------------------------------------------ periods


MONTHS = months(0.2, 0.1, 0.0, 0.05)
CHANGES = comparison.explain_changes(MONTHS, "average_precision")


def parts_drawn(display):
    return {part: [bar.get_height() for bar in bars] for part, bars in display.bars_.items()}


@pytest.mark.parametrize("table_of", [list, pd.DataFrame, pl.DataFrame])
def test_the_parts_are_those_of_the_table(table_of):
    display = ChangeDisplay.from_changes(table_of(CHANGES))
    assert display.periods == ["month 1", "month 2", "month 3"]
    np.testing.assert_array_equal(display.line_.get_ydata(), [each["value"] for each in CHANGES])
    for part, heights in parts_drawn(display).items():
        np.testing.assert_array_equal(heights, [each[part] for each in CHANGES])
        np.testing.assert_array_equal(
            display.parts[part].low, [each[f"{part}_low"] for each in CHANGES]
        )
    assert display.reference == CHANGES[0]["reference_value"]
    assert set(display.reference_.get_ydata()) == {display.reference}
    assert [text.get_text() for text in display.missing_] == ["no value"]
    assert display.axes_ == [display.ax_, display.parts_ax_]
    assert legend_of(display.parts_ax_) == ["prior part", "model part"]
    parts = sum(display.parts[part].value for part in display.parts)
    np.testing.assert_allclose(display.measured.value - display.reference, parts)


def test_periods_are_measured_with_their_intervals():
    display = ChangeDisplay.from_periods(MONTHS, "average_precision", confidence_level=0.9)
    assert display.periods == list(MONTHS)
    for place, (y_true, y_score) in enumerate(MONTHS.values()):
        if place == 2:
            assert np.isnan([each[place] for each in display.measured]).all()
            continue
        estimate = uncertainty.interval_from_predictions(
            "average_precision", y_true, y_score, confidence_level=0.9
        )
        drawn = tuple(each[place] for each in display.measured)
        assert drawn == (estimate.value, estimate.low, estimate.high)
    assert np.isnan(display.parts["prior_part"].value[0])
    assert display.ax_.get_ylabel() == "AUC-PR"
    assert legend_of(display.ax_) == ["AUC-PR", "reference", "90 % interval"]
    assert [each.get_text() for each in display.parts_ax_.get_xticklabels()] == list(MONTHS)


def frame_of(samples):
    return pd.concat(
        pd.DataFrame({"month": month, "y": y_true, "score": y_score})
        for month, (y_true, y_score) in samples.items()
    )


def by_month(**options):
    options = {"metrics": "average_precision", "pi0": None, **options}
    return comparison.by_group(frame_of(MONTHS), "month", y_true="y", y_score="score", **options)


def test_values_of_groups_have_intervals():
    table = by_month()
    display = ChangeDisplay.from_values(table, period="month", name="model")
    assert display.periods == list(MONTHS)
    np.testing.assert_array_equal(display.line_.get_ydata(), table["value"])
    np.testing.assert_array_equal(display.measured.low, table["low"])
    assert display.parts_ax_ is None
    assert display.bars_ == {}
    assert legend_of(display.ax_) == ["model", "95 % interval"]
    assert display.ax_.get_ylabel() == "AUC-PR"
    assert display.ax_.get_xlim() == (-0.5, len(MONTHS) - 0.5)


def test_values_at_a_common_prior_say_so():
    display = ChangeDisplay.from_values(by_month(pi0=0.02), period="month")
    assert display.ax_.get_ylabel() == "AUC-PR at π$_0$ = 0.02"


def test_values_of_groups_join_their_changes():
    display = ChangeDisplay.from_changes(CHANGES, values=by_month(), period="month")
    measured = ChangeDisplay.from_periods(MONTHS, "average_precision")
    assert display.periods == measured.periods
    np.testing.assert_allclose(display.measured, measured.measured)
    for part, series in display.parts.items():
        np.testing.assert_allclose(series, measured.parts[part])


def test_one_of_several_metrics_of_groups_is_drawn():
    table = by_month(metrics=["average_precision", "roc_auc"])
    display = ChangeDisplay.from_values(table, period="month", metric="roc_auc")
    chosen = table[table["metric"] == "roc_auc"]
    expected = chosen[["value", "low", "high"]].to_numpy().T
    np.testing.assert_array_equal(np.array(display.measured), expected)
    assert display.ax_.get_ylabel() == "AUC-ROC"
    with pytest.raises(ValueError, match=r"metric must be one of those in values.*got None"):
        ChangeDisplay.from_values(table, period="month")


def test_one_axes_is_divided_in_two():
    figure, panels = plt.subplots(1, 2)
    display = ChangeDisplay.from_changes(CHANGES, ax=panels[1])
    assert display.figure_ is figure
    assert len(figure.axes) == 3
    assert display.ax_.get_position().y0 > display.parts_ax_.get_position().y1
    other = ChangeDisplay.from_changes(CHANGES, ax=display.axes_, name="b", plot_parts=False)
    assert other.ax_ is display.ax_
    assert other.reference_ in display.ax_.lines


def test_names_of_periods_are_short():
    days = pd.date_range("2024-01-01", periods=30)
    table = pd.DataFrame({"day": days, "metric": "m", "value": 0.5, "low": 0.4, "high": 0.6})
    display = ChangeDisplay.from_values(table, period="day")
    labels = [each.get_text() for each in display.ax_.get_xticklabels()]
    assert labels[:2] == ["2024-01-01", "2024-01-04"]
    assert len(labels) == 10
    assert display.ax_.get_xticklabels()[0].get_rotation() == 45


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"changes": []}, ValueError, "changes must not be empty"),
        (
            {"changes": 3},
            TypeError,
            "changes must be a list of dicts, a DataFrame or a Table, got 3",
        ),
        ({"changes": [{"period": 1}]}, ValueError, r"changes must have the columns \['metric'"),
        (
            {"changes": [*CHANGES, CHANGES[0] | {"metric": "m"}]},
            ValueError,
            "metric must be one of",
        ),
        ({"values": by_month(pi0="mean"), "period": "month"}, ValueError, "pi0=None"),
        ({"values": by_month()}, ValueError, "period must name the column"),
        ({"values": by_month(), "period": "day"}, ValueError, r"must have the columns \['day'\]"),
        ({"ax": []}, ValueError, "ax must hold 2 Axes, got 0"),
        ({"confidence_level": 0.9}, ValueError, "must be that of changes, 0.95, got 0.9"),
    ],
)
def test_bad_arguments_of_changes(arguments, error, message):
    with pytest.raises(error, match=message):
        ChangeDisplay.from_changes(**{"changes": CHANGES, **arguments})


def test_an_axes_without_a_grid_cannot_be_divided():
    axes = plt.figure().add_axes((0, 0, 1, 1))
    with pytest.raises(ValueError, match="ax must have a place in a grid of subplots"):
        ChangeDisplay.from_changes(CHANGES, ax=axes)


# ---------------------------------------------------------------- axes, styles and packages


@pytest.mark.parametrize("display", EVERY)
def test_displays_compose_on_one_figure(display):
    figure, axes = plt.subplots()
    first, second = (
        display.from_predictions(Y_TRUE, scores, pi0=_pi0_of(display), name=name, ax=axes)
        for name, scores in (("a", Y_SCORE), ("b", OTHER_SCORE))
    )
    assert first.ax_ is second.ax_ is axes
    assert first.figure_ is second.figure_ is figure
    labels = legend_of(axes)
    assert len(labels) == len(set(labels))
    assert any(label.startswith("a") for label in labels)
    assert any(label.startswith("b") for label in labels)


@pytest.mark.parametrize("display", WITH_BAND)
def test_guide_lines_are_drawn_once(display):
    first = display.from_curve(CURVE, pi0=PI0, name="a")
    second = display.from_curve(CURVE, pi0=PI0, name="b", ax=first.ax_)
    assert second.chance_level_ is first.chance_level_
    assert second.iso_f_ == first.iso_f_
    assert len(first.ax_.lines) == 2 + 1 + 4
    first.chance_level_.remove()
    third = display.from_curve(CURVE, pi0=PI0, name="c", ax=first.ax_)
    assert third.chance_level_ in first.ax_.lines


def test_cleared_axes_are_as_new():
    display = ThresholdDisplay.from_curve(CURVE, point=POINT)
    display.ax_.clear()
    again = PrecisionRecallDisplay.from_curve(CURVE, pi0=0.2, ax=display.ax_)
    assert again.ax_.get_ylabel() == "precision at π$_0$ = 0.2"
    assert again.chance_level_ in again.ax_.lines
    assert dashes_of(again.line_) == dashes_of(mpl.lines.Line2D([], [], linestyle="-"))


def test_a_closed_figure_is_freed():
    display = PrecisionRecallDisplay.from_curve(CURVE)
    figure = weakref.ref(display.figure_)
    plt.close("all")
    del display
    gc.collect()
    assert figure() is None


def test_the_axis_names_the_prior_only_if_it_is_one():
    first = PrecisionRecallDisplay.from_curve(CURVE, pi0=PI0)
    assert first.ax_.get_ylabel() == "precision at π$_0$ = 0.05"
    second = PrecisionRecallDisplay.from_curve(CURVE, pi0=0.2, ax=first.ax_)
    assert first.ax_.get_ylabel() == "precision"
    assert first.chance_level_.get_label() == "chance level, 0.05"
    assert second.chance_level_.get_label() == "chance level, 0.2"


@pytest.mark.parametrize("style", ["default", "ggplot", "dark_background", "grayscale"])
def test_colours_are_those_of_the_style(style):
    plt.style.use(style)
    cycle = [look["color"] for look in mpl.rcParams["axes.prop_cycle"]]
    first = PrecisionRecallDisplay.from_curve(CURVE, name="a")
    second = PrecisionRecallDisplay.from_curve(CURVE, name="b", ax=first.ax_)
    assert [first.line_.get_color(), second.line_.get_color()] == cycle[:2]
    assert first.chance_level_.get_color() == first.ax_.xaxis.label.get_color()
    band = first.band_.get_facecolor()[0]
    assert tuple(band[:3]) == mpl.colors.to_rgb(cycle[0])


def test_lines_differ_in_grey():
    display = PrecisionRecallDisplay.from_curve(CURVE, iso_f=(), confidence_level=None)
    lines = [display.line_] + [
        PrecisionRecallDisplay.from_curve(
            CURVE, ax=display.ax_, iso_f=(), confidence_level=None
        ).line_
        for _ in range(5)
    ]
    assert len(set(map(dashes_of, lines))) == 6
    changes = ChangeDisplay.from_changes(CHANGES)
    assert len({bars[0].get_hatch() for bars in changes.bars_.values()}) == 2


def test_a_grey_copy_shows_two_lines():
    """Without colour, the dashes of the second line leave gaps."""
    figure, axes = plt.subplots(figsize=(3.3, 2.5), dpi=100)
    flat = {"a": np.full(9, 0.3), "b": np.full(9, 0.7)}
    display = PriorSweepDisplay(np.linspace(0.1, 0.9, 9), flat).plot(axes)
    axes.set_axis_off()
    axes.get_legend().remove()
    figure.canvas.draw()
    grey = np.asarray(figure.canvas.buffer_rgba())[..., :3].mean(axis=2)
    inked = []
    for line in display.line_:
        ((_, row),) = axes.transData.transform([(0.5, line.get_ydata()[0])])
        around = grey[grey.shape[0] - round(row) - 2 : grey.shape[0] - round(row) + 2]
        left, right = axes.transData.transform([(0.11, 0), (0.89, 0)])[:, 0].astype(int)
        inked.append((around.min(axis=0)[left:right] < 200).mean())
    assert inked[0] == 1
    assert 0.4 < inked[1] < 0.95


def test_a_style_with_line_styles_decides():
    cycle = mpl.cycler(color=["k", "k"]) + mpl.cycler(linestyle=[":", "-."])
    with plt.rc_context({"axes.prop_cycle": cycle}):
        first = PrecisionRecallDisplay.from_curve(CURVE)
        second = PrecisionRecallDisplay.from_curve(CURVE, ax=first.ax_)
    assert [first.line_.get_linestyle(), second.line_.get_linestyle()] == [":", "-."]


@pytest.mark.filterwarnings("error", "ignore::DeprecationWarning")  # of older matplotlib itself
@pytest.mark.parametrize("display", OF_RANKING)
def test_axes_can_become_logarithmic(display):
    drawn = display.from_curve(CURVE, pi0=PI0)
    drawn.ax_.set_xscale("log")
    drawn.ax_.set_yscale("log")
    drawn.figure_.canvas.draw()
    low, high = drawn.ax_.get_xlim()
    x = _lines_of(drawn)[0].get_xdata()
    assert 0 < low <= x[x > 0].min()
    assert high >= x.max()
    assert ((x >= low) & (x <= high)).sum() >= 50


def test_the_axis_of_priors_can_become_linear():
    display = PriorSweepDisplay.from_curve(CURVE)
    display.ax_.set_xscale("linear")
    display.figure_.canvas.draw()
    assert display.ax_.get_xlim()[1] >= 0.5
    again = PriorSweepDisplay.from_curve(CURVE, ax=display.ax_)
    assert again.ax_.get_xscale() == "linear"


def test_styles_of_the_user_come_first():
    display = PrecisionRecallDisplay.from_curve(
        CURVE,
        curve_kwargs={"c": "red", "lw": 3, "label": "mine"},
        band_kwargs={"color": "green", "alpha": 0.5},
        chance_level_kwargs={"ls": "-", "color": "blue"},
    )
    assert (display.line_.get_color(), display.line_.get_linewidth()) == ("red", 3)
    assert display.line_.get_label() == "mine"
    assert tuple(display.band_.get_facecolor()[0]) == mpl.colors.to_rgba("green", 0.5)
    assert display.chance_level_.get_color() == "blue"
    assert display.chance_level_.get_linestyle() == "-"
    threshold = ThresholdDisplay.from_curve(
        CURVE, point=POINT, curve_kwargs=[{"lw": 1}, {"lw": 2}, {"lw": 3}], point_kwargs={"ls": ":"}
    )
    assert [line.get_linewidth() for line in threshold.line_] == [1, 2, 3]
    assert threshold.point_[0].get_linestyle() == ":"


def test_a_display_can_be_drawn_again_under_another_name():
    display = PrecisionRecallDisplay.from_curve(CURVE, name="first")
    axes = display.ax_
    assert display.plot(name="second") is display
    assert display.ax_ is not axes
    assert legend_of(display.ax_)[0].startswith("second (AP")


@pytest.mark.parametrize("display", EVERY)
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"ax": "axes"}, TypeError, "ax must be None or an Axes of matplotlib, got 'axes'"),
        ({"curve_kwargs": "red"}, TypeError, "curve_kwargs must be None, a dict or a list"),
        ({"curve_kwargs": [{}] * 9}, ValueError, "one dict per line .*, got 9"),
        ({"curve_kwargs": {"c": "r", "color": "b"}}, TypeError, "aliases"),
        ({"nane": "model"}, TypeError, "unexpected keyword argument 'nane'"),
        ({"y_score": [0.5] * 3}, ValueError, "arguments must have the same length"),
        ({"pos_label": "fraud"}, ValueError, "y_true holds no positives: pos_label='fraud'"),
    ],
)
def test_bad_arguments(display, arguments, error, message):
    given = {"y_true": Y_TRUE, "y_score": Y_SCORE, "pi0": _pi0_of(display), **arguments}
    with pytest.raises(error, match=message):
        display.from_predictions(**given)


@pytest.mark.parametrize("display", [*EVERY, ChangeDisplay])
def test_a_missing_matplotlib_is_named_with_its_extra(display, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
    with pytest.raises(ImportError, match=r'pip install "calibrated-metrics\[plots\]"'):
        draw_any(display)


@pytest.mark.parametrize("display", [*EVERY, ChangeDisplay])
def test_constructors_have_the_shape_of_scikit_learns(display):
    assert display.plot.__doc__
    assert list(inspect.signature(display.plot).parameters)[:2] == ["self", "ax"]
    constructors = [name for name in dir(display) if name.startswith("from_")]
    assert constructors
    for name in constructors:
        parameters = inspect.signature(getattr(display, name)).parameters
        assert "name" in parameters, name


# --------------------------------------------------------------------------------- pictures


def picture(function):
    """Compare the figure with its baseline, at a column's width."""
    compared = pytest.mark.mpl_image_compare(style="default", savefig_kwargs={"dpi": 80})
    return compared(function)


def column():
    """Axes of a figure that is 3.3 inches wide."""
    plt.rcParams.update({"font.size": 8})
    return plt.subplots(figsize=(3.3, 2.5), layout="constrained")[1]


@picture
def test_picture_precision_recall():
    axes = column()
    PrecisionRecallDisplay.from_predictions(Y_TRUE, Y_SCORE, pi0=PI0, name="A", ax=axes)
    return PrecisionRecallDisplay.from_predictions(
        Y_TRUE, OTHER_SCORE, pi0=PI0, name="B", ax=axes
    ).figure_


@picture
def test_picture_precision_recall_log():
    display = PrecisionRecallDisplay.from_curve(CURVE, pi0=PI0, ax=column())
    display.ax_.set_xscale("log")
    return display.figure_


@picture
def test_picture_precision_recall_gain():
    return PrecisionRecallGainDisplay.from_curve(CURVE, pi0=0.2, name="A", ax=column()).figure_


@picture
def test_picture_achievable():
    return AchievableDisplay.from_curve(CURVE, pi0=PI0, name="A", ax=column()).figure_


@picture
def test_picture_prior_sweep():
    models = {"A": Y_SCORE, "B": OTHER_SCORE}
    return PriorSweepDisplay.from_predictions(Y_TRUE, models, ax=column()).figure_


@picture
def test_picture_threshold():
    return ThresholdDisplay.from_curve(CURVE, point=POINT, ax=column()).figure_


@picture
def test_picture_change():
    return ChangeDisplay.from_periods(MONTHS, "average_precision", ax=column()).figure_


@picture
def test_picture_dark():
    with plt.style.context("dark_background"):
        display = PrecisionRecallDisplay.from_curve(CURVE, pi0=PI0, name="A", ax=column())
    return display.figure_


def test_intervals_are_named_by_the_level_at_which_they_were_computed():
    changes = comparison.explain_changes(MONTHS, "average_precision", confidence_level=0.5)
    table = by_month(confidence_level=0.5, pi0=None)
    for display in (
        ChangeDisplay.from_changes(changes, values=table, period="month"),
        ChangeDisplay.from_values(table, period="month"),
    ):
        assert display.confidence_level == 0.5
        assert "50 % interval" in legend_of(display.ax_)
        plt.close(display.figure_)
