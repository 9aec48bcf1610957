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
from figures import column, legend_of, picture
from scipy import stats
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

from calibrated_metrics import (
    ConfusionCurve,
    ConfusionMatrix,
    Metric,
    average_precision_score,
    comparison,
    precision_recall_curve,
    scores,
    spaces,
    thresholds,
    uncertainty,
)
from calibrated_metrics.displays import (
    Band,
    ChangeDisplay,
    PrecisionRecallDisplay,
    PrecisionRecallGainDisplay,
    PriorSweepDisplay,
    RocCurveDisplay,
    Series,
    ThresholdDisplay,
)
from calibrated_metrics.displays.drawing import next_style

PI0 = 0.05
RNG = np.random.default_rng(0)
Y_TRUE = RNG.permutation(np.arange(600) < 100)
Y_SCORE = RNG.normal(2 * Y_TRUE)
OTHER_SCORE = RNG.normal(np.where(Y_TRUE & (RNG.random(600) < 0.5), 4, 0))
CURVE = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)
POINT = thresholds.choose_threshold(CURVE, pi0=PI0, min_precision=0.2, confidence_level=0.9)
pytestmark = [
    pytest.mark.filterwarnings("ignore::calibrated_metrics.uncertainty.IntervalWarning"),
    pytest.mark.usefixtures("own_figures"),
]

WITH_BAND = (PrecisionRecallDisplay, PrecisionRecallGainDisplay)
OF_RANKING = (*WITH_BAND, RocCurveDisplay, ThresholdDisplay)
EVERY = (*OF_RANKING, PriorSweepDisplay)


def months(*priors, separation=2.0, n=800):
    """Labelled scores of a month at each prior."""
    rng = np.random.default_rng(1)
    samples = {}
    for number, prior in enumerate(priors):
        y_true = np.arange(n) < round(prior * n)
        samples[f"month {number}"] = y_true, rng.normal(separation * y_true)
    return samples


# ---------------------------------------------------------------------- precision and recall


def test_the_line_is_the_interpolated_curve_at_the_prior():
    display = PrecisionRecallDisplay.from_predictions(Y_TRUE, Y_SCORE, pi0=PI0)
    recall, precision = spaces.recall_precision(spaces.interpolated(CURVE.at_prior(PI0)))
    np.testing.assert_array_equal(display.line_.get_xdata(), recall)
    np.testing.assert_array_equal(display.line_.get_ydata(), precision)
    drawn = set(zip(recall, precision, strict=True))
    at_thresholds = precision_recall_curve(Y_TRUE, Y_SCORE, pi0=PI0)
    np.testing.assert_array_equal(display.precision, at_thresholds[0])
    np.testing.assert_array_equal(display.recall, at_thresholds[1])
    assert set(zip(at_thresholds[1][:-1], at_thresholds[0][:-1], strict=True)) <= drawn


def test_the_legend_holds_average_precision_at_the_prior():
    display = PrecisionRecallDisplay.from_predictions(Y_TRUE, Y_SCORE, pi0=PI0, name="model")
    value = average_precision_score(Y_TRUE, Y_SCORE, pi0=PI0)
    assert display.average_precision == value
    assert display.line_.get_label() == f"model (AP = {value:.2f})"
    assert legend_of(display.ax_)[0] == display.line_.get_label()
    assert display.pi0 == PI0


def test_without_pi0_the_prior_of_the_data_is_used():
    display = PrecisionRecallDisplay.from_predictions(Y_TRUE, Y_SCORE)
    assert (display.pi0, display.prevalence_pos_label) == (None, CURVE.prior)
    assert display.ax_.get_ylabel() == "precision"
    assert display.average_precision == average_precision_score(Y_TRUE, Y_SCORE)


@pytest.mark.parametrize("display", WITH_BAND)
def test_the_chance_level_is_that_of_the_prior(display):
    drawn = display.from_curve(CURVE, pi0=PI0)
    chance = {PrecisionRecallDisplay: PI0, PrecisionRecallGainDisplay: 0}[display]
    assert drawn.chance_level_.get_ydata() == pytest.approx([chance, chance])
    without = display.from_curve(CURVE, plot_chance_level=False)
    assert without.chance_level_ is None
    assert without.ax_.lines[:] == [without.line_]


def test_the_gain_curve_is_the_librarys():
    display = PrecisionRecallGainDisplay.from_predictions(Y_TRUE, Y_SCORE, pi0=PI0)
    recall_gain, precision_gain = spaces.recall_precision_gain(CURVE.at_prior(PI0))
    np.testing.assert_array_equal(display.line_.get_data(), (recall_gain, precision_gain))
    np.testing.assert_array_equal(display.recall_gain, recall_gain)
    np.testing.assert_array_equal(display.precision_gain, precision_gain)
    assert display.prg_auc == scores.prg_auc(CURVE.at_prior(PI0))


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
    positives = np.sort(Y_SCORE[Y_TRUE])[::-1]
    for place in range(0, len(recalls), 37):
        recall = recalls[place]
        lowest = positives[math.ceil(recall * len(positives) - 1e-9) - 1]
        fpr = np.mean(Y_SCORE[~Y_TRUE] > lowest)
        low, high = slow_limits(Y_TRUE, Y_SCORE, recall, fpr, PI0, level)
        assert lows[place] == pytest.approx(low, rel=1e-9)
        assert highs[place] == pytest.approx(high, rel=1e-9)


def test_the_band_is_drawn():
    display = PrecisionRecallDisplay.from_curve(CURVE, pi0=PI0)
    (path,) = display.band_.get_paths()
    corners = {tuple(corner) for corner in path.vertices}
    for limits in (display.band.low, display.band.high):
        assert set(zip(display.band.x, limits, strict=True)) <= corners


def test_the_band_of_the_gain_is_the_gain_of_the_band():
    of_precision = PrecisionRecallDisplay.from_curve(CURVE, pi0=PI0).band
    of_gain = PrecisionRecallGainDisplay.from_curve(CURVE, pi0=PI0).band

    def gain(value):
        return (value - PI0) / ((1 - PI0) * value)

    recall = PI0 / (1 - (1 - PI0) * of_gain.x)
    for name in ("low", "high"):
        limits = getattr(of_precision, name)
        near = np.searchsorted(of_precision.x, np.minimum(recall, 1))
        between = [limits[np.maximum(near - step, 0)] for step in (1, 0)]
        found = getattr(of_gain, name)
        assert (found >= gain(np.minimum(*between)) - 0.02).all()
        assert (found <= gain(np.maximum(*between)) + 0.02).all()


@pytest.mark.parametrize("display", WITH_BAND)
def test_a_curve_without_rows_has_no_band(display):
    population = ConfusionCurve.from_binormal(1.5, 0, 0.1, n_thresholds=200)
    with pytest.raises(ValueError, match=r"curve must hold its rows.*confidence_level=None draws"):
        display.from_curve(population)
    assert display.from_curve(population, confidence_level=None).band_ is None


# ------------------------------------------------------------------------ sweep over the prior


@pytest.mark.parametrize(
    ("metric", "data"),
    [
        ("average_precision", CURVE),
        (Metric("ppv", threshold=0.5), CURVE),
        ("ppv", ConfusionMatrix(tp=58, fp=10, fn=7, tn=190)),
    ],
    ids=["ranking", "threshold", "matrix"],
)
def test_the_sweep_is_the_score_at_each_prior_with_its_interval(metric, data):
    priors = [0.01, 0.1, 0.5]
    display = PriorSweepDisplay.from_curve(metric, {"model": data}, pi0=priors)
    estimate = uncertainty.interval(metric, data, pi0=priors)
    (line,) = display.line_
    np.testing.assert_array_equal(line.get_xdata(), priors)
    np.testing.assert_allclose(line.get_ydata(), estimate.value, rtol=1e-12)
    limits = estimate.low, estimate.high
    np.testing.assert_allclose(display.bands["model"][1:3], limits, rtol=1e-12)


def test_the_sweep_marks_the_own_prior():
    display = PriorSweepDisplay.from_predictions("average_precision", Y_TRUE, {"model": Y_SCORE})
    assert display.own == {"model": (CURVE.prior, scores.average_precision(CURVE))}
    mark = display.own_prior_
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == display.own["model"]
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_ylabel() == "AUC-PR at π$_0$"
    below = PriorSweepDisplay.from_predictions(
        "average_precision", Y_TRUE, {"model": Y_SCORE}, pi0=CURVE.prior * np.array([0.1, 0.5])
    )
    assert below.own_prior_ is None
    assert legend_of(below.ax_)[0] == f"model (prior of the data: {CURVE.prior:.2f})"


@pytest.mark.parametrize(
    ("score", "label", "value_of"),
    [
        (
            Metric("precision", threshold=1.0),
            "precision(threshold=1)",
            lambda curve: scores.precision(curve.confusion_matrix(1.0)),
        ),
        (Metric("best_fbeta", beta=2), "best F2", None),
        (scores.roc_auc, "AUC-ROC", scores.roc_auc),
        (lambda curve: curve.prior**2, "<lambda>", lambda curve: curve.prior**2),
    ],
)
def test_the_sweep_of_any_score(score, label, value_of):
    display = PriorSweepDisplay.from_curve(
        score, CURVE, pi0=[0.1, 0.2], n_resamples=20, confidence_level=None
    )
    value_of = value_of or (lambda curve: scores.best_fbeta(curve, 2))
    expected = [value_of(CURVE.at_prior(pi0)) for pi0 in (0.1, 0.2)]
    np.testing.assert_allclose(display.line_[0].get_ydata(), expected, rtol=1e-12)
    assert display.ax_.get_ylabel() == f"{label} at π$_0$"


def test_models_cross_where_their_scores_are_equal():
    display = PriorSweepDisplay.from_predictions(
        "average_precision",
        Y_TRUE,
        {"even": Y_SCORE, "sharp": OTHER_SCORE},
        pi0=[0.02, 0.1, 0.5],
    )
    (crossing,) = display.crossings
    assert (crossing.first, crossing.second) == ("even", "sharp")

    def gap(pi0):
        even, sharp = (average_precision_score(Y_TRUE, s, pi0=pi0) for s in (Y_SCORE, OTHER_SCORE))
        return sharp - even

    assert gap(crossing.pi0) == pytest.approx(0, abs=1e-7)
    assert gap(crossing.pi0 * 0.99) * gap(crossing.pi0 * 1.01) < 0
    value = average_precision_score(Y_TRUE, Y_SCORE, pi0=crossing.pi0)
    assert crossing.value == pytest.approx(value, abs=1e-7)
    assert display.crossing_.get_xdata()[0] == crossing.pi0
    assert f"equal at π$_0$ = {crossing.pi0:.2g}" in legend_of(display.ax_)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"pi0": [0.5, 0.1]}, ValueError, "pi0 must ascend strictly"),
        ({"metric": Metric("roc_auc", 0.1)}, ValueError, "no reference prior of its own"),
        ({"metric": "precision"}, ValueError, "needs a threshold"),
        ({"curve": 3}, TypeError, "curve must be a ConfusionCurve, a ConfusionMatrix or a pair"),
    ],
)
def test_bad_arguments_of_a_sweep(arguments, error, message):
    with pytest.raises(error, match=message):
        PriorSweepDisplay.from_curve(**{"metric": "average_precision", "curve": CURVE, **arguments})


def test_a_matrix_of_rates_is_swept_without_a_band():
    rates = ConfusionMatrix.from_rates(tpr=0.9, fpr=0.05, prior=0.1)
    with pytest.raises(ValueError, match="n_pos and n_neg"):
        PriorSweepDisplay.from_curve("ppv", rates)
    assert PriorSweepDisplay.from_curve("ppv", rates, confidence_level=None).band_ == []


def test_one_name_for_several_models_is_an_error():
    with pytest.raises(ValueError, match="name must be None for several models or priors, got 'x'"):
        PriorSweepDisplay(np.array([0.1]), {"a": [1], "b": [1]}).plot(name="x")
    with pytest.raises(ValueError, match="at least one model"):
        PriorSweepDisplay.from_predictions("average_precision", Y_TRUE, {})


# ------------------------------------------------------------------------------- thresholds


def test_the_lines_are_precision_recall_and_alerts_at_the_prior():
    display = ThresholdDisplay.from_curve(CURVE, pi0=PI0, confidence_level=None)
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
    assert display.point_ == display.threshold_ == []
    assert display.statement is None


def test_the_chosen_point_is_on_the_lines_with_its_guarantee():
    display = ThresholdDisplay.from_predictions(Y_TRUE, Y_SCORE, point=POINT)
    assert display.pi0 == PI0
    assert POINT.threshold in display.thresholds
    assert [set(line.get_xdata()) for line in display.threshold_] == [{POINT.threshold}] * 2
    for bars, value, low in (
        (display.point_[0], POINT.precision, POINT.precision_low),
        (display.point_[1], POINT.recall, POINT.recall_low),
    ):
        marker, _, (bar,) = bars
        assert list(marker.get_ydata()) == [value]
        ((_, bottom), (_, top)) = bar.get_segments()[0]
        assert (bottom, top) == (pytest.approx(low), pytest.approx(value))
    at = list(display.thresholds).index(POINT.threshold)
    assert display.precision[at] == pytest.approx(POINT.precision)
    assert display.alerts_per_1000[at] == pytest.approx(POINT.alerts_per_1000)
    assert display.statement in [label.replace("\n", " ") for label in legend_of(display.ax_)]
    assert display.statement == (
        f"score ≥ {POINT.threshold:.15g}: precision ≥ 0.2 at π$_0$ = 0.05, certified at 90 %"
    )


@pytest.mark.parametrize(
    ("goal", "statement"),
    [
        ({"min_precision": 0.999}, "no threshold is certified at 90 %: precision ≥ 0.999 at π$_0$"),
        (
            {"max_alert_rate": 1e-6, "confidence_level": None},
            "no threshold: alert rate ≤ 1e-06",
        ),
        (
            {"beta": 1, "min_precision": 0.2},
            ": precision ≥ 0.2 at π$_0$ = 0.05, certified at 90 %; "
            "best F-beta, beta = 1, without a guarantee",
        ),
        ({"beta": 1}, ": best F-beta, beta = 1 at π$_0$ = 0.05, value ≥ 0."),
        ({"cost_fp": 1, "cost_fn": 9}, "cost_fn = 9 at π$_0$ = 0.05, value ≤ 0."),
    ],
)
def test_the_statement_says_what_is_certified(goal, statement):
    point = thresholds.choose_threshold(CURVE, **{"pi0": PI0, "confidence_level": 0.9, **goal})
    display = ThresholdDisplay.from_curve(CURVE, point=point, confidence_level=None)
    assert statement in display.statement
    assert bool(display.point_) == (point.threshold is not None)
    title = display.ax_.get_legend().get_title().get_text().replace("\n", " ")
    assert title == ("" if display.point_ else display.statement)


@pytest.mark.parametrize("pi0", [PI0, None])
def test_the_bands_of_thresholds_are_the_intervals(pi0):
    display = ThresholdDisplay.from_curve(CURVE, pi0=pi0)
    for score, (at, low, high, level) in display.bands.items():
        assert level == 0.95
        for place in (0, len(at) // 2, -1):
            metric = Metric(score, threshold=at[place])
            estimate = uncertainty.interval(metric, CURVE, pi0=pi0)
            assert (low[place], high[place]) == pytest.approx((estimate.low, estimate.high))


def test_a_range_of_priors_takes_the_worse_end():
    display, low, high = (
        ThresholdDisplay.from_curve(CURVE, **prior, confidence_level=None)
        for prior in ({"pi0_range": (0.01, 0.1)}, {"pi0": 0.01}, {"pi0": 0.1})
    )
    np.testing.assert_array_equal(display.precision, low.precision)
    np.testing.assert_array_equal(display.alerts_per_1000, high.alerts_per_1000)
    assert display.line_[0].get_label() == "precision at π$_0$ = 0.01"
    assert display.alerts_ax_.get_ylabel() == "alerts per 1000\nat π$_0$ = 0.1"
    assert display.pi0_range == (0.01, 0.1)


def test_displays_of_thresholds_share_two_axes():
    first = ThresholdDisplay.from_curve(CURVE, name="a", point=POINT, confidence_level=None)
    second = ThresholdDisplay.from_predictions(
        Y_TRUE, OTHER_SCORE, pi0=PI0, name="b", ax=first.axes_, confidence_level=None
    )
    assert second.axes_ == first.axes_ == first.figure_.axes
    precisions = [f"{name}: precision at π$_0$ = 0.05" for name in "ab"]
    assert [each for each in legend_of(first.ax_) if "precision at" in each] == precisions
    for display in (first, second):  # one colour for a model
        assert len({line.get_color() for line in display.line_}) == 1
    assert first.line_[0].get_color() != second.line_[0].get_color()
    assert first.line_[0].get_linestyle() != first.line_[1].get_linestyle()


def test_a_single_axes_shows_no_alerts():
    axes = plt.subplots()[1]
    display = ThresholdDisplay.from_curve(CURVE, point=POINT, ax=axes)
    assert display.alerts_ax_ is None
    assert display.figure_.axes == [axes]
    assert len(display.line_) == 2
    assert axes.get_xlabel() == "threshold"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"point": POINT, "pi0": 0.3}, ValueError, "pi0_range must be None with a point"),
        ({"point": 0.7}, TypeError, "point must be None or an OperatingPoint, got 0.7"),
        ({"curve": CURVE.hull()}, ValueError, "counts"),
        ({"curve": spaces.interpolated(CURVE)}, ValueError, "curve must have known thresholds"),
        ({"curve": "curve"}, TypeError, "curve must be a ConfusionCurve or a pair .*, got 'curve'"),
    ],
)
def test_bad_arguments_of_thresholds(arguments, error, message):
    with pytest.raises(error, match=message):
        ThresholdDisplay.from_curve(**{"curve": CURVE, **arguments})


# ------------------------------------------------------------------------------- estimators


@pytest.fixture(scope="module")
def labelled():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(300) % 5 == 0, "fraud", "ok")
    x = rng.normal(size=(300, 2)) + (y == "fraud")[:, None]
    return pd.DataFrame(x, columns=["a", "b"]), y


@pytest.mark.parametrize("display", OF_RANKING)
def test_the_scores_are_those_of_the_positive_class(display, labelled):
    x, y = labelled
    model = LogisticRegression().fit(x, y)
    options = {"pi0": PI0, "pos_label": "fraud", "confidence_level": None}
    expected = display.from_predictions(y, model.predict_proba(x)[:, 0], **options)
    found = display.from_estimator(model, x, y, **options)
    for one, other in zip(_lines_of(found), _lines_of(expected), strict=True):
        np.testing.assert_array_equal(one.get_data(), other.get_data())
    assert "LogisticRegression" in _lines_of(found)[0].get_label()


def test_auto_takes_what_the_estimator_has(labelled):
    x, y = labelled
    model = LinearSVC().fit(x, y)
    display = PrecisionRecallDisplay.from_estimator(model, x, y, pos_label="fraud", name="svc")
    value = average_precision_score(y == "fraud", -model.decision_function(x))
    assert display.average_precision == value
    assert display.line_.get_label().startswith("svc (AP")


def test_bad_estimators(labelled):
    x, y = labelled
    for model, pos_label, message in (
        (LinearRegression().fit(x, y == "ok"), "fraud", "a fitted classifier of two classes"),
        (LogisticRegression().fit(x, y), 1, "pos_label=1 is not among its labels"),
    ):
        with pytest.raises(ValueError, match=message):
            PrecisionRecallDisplay.from_estimator(model, x, y, pos_label=pos_label)
    model = LogisticRegression().fit(x, y)
    with pytest.raises(ValueError, match="X and y must have the same index"):
        PrecisionRecallDisplay.from_estimator(model, x[::-1], pd.Series(y), pos_label="fraud")
    with pytest.raises(ValueError, match='response_method must be "auto" or'):
        PrecisionRecallDisplay.from_estimator(
            LinearSVC().fit(x, y), x, y, pos_label="fraud", response_method="predict"
        )


def draw(display, y_score=Y_SCORE, **options):
    """Any display of this data."""
    if display is ChangeDisplay:
        return display.from_changes(CHANGES, **options)
    if display is ThresholdDisplay:  # its bands take long
        options = {"confidence_level": None, **options}
    if display is PriorSweepDisplay:
        options = {"pi0": [0.05, 0.1], **options}
        return display.from_predictions("average_precision", Y_TRUE, y_score, **options)
    return display.from_predictions(Y_TRUE, y_score, **{"pi0": PI0, **options})


def _lines_of(display):
    return display.line_ if isinstance(display.line_, list) else [display.line_]


# ------------------------------------------------------------------------------ periods


MONTHS = months(0.2, 0.1, 0.0, 0.05)
CHANGES = comparison.explain_changes("average_precision", MONTHS)


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
    assert list(display.missing_.get_xdata()) == [1]
    assert "no value" in legend_of(display.ax_)
    assert display.axes_ == [display.ax_, display.parts_ax_]
    assert legend_of(display.parts_ax_) == ["prior part", "model part"]
    parts = sum(display.parts[part].value for part in display.parts)
    np.testing.assert_allclose(display.measured.value - display.reference, parts)


def test_periods_are_measured_with_their_intervals():
    display = ChangeDisplay.from_periods("average_precision", MONTHS, confidence_level=0.9)
    assert display.periods == list(MONTHS)
    for place, (y_true, y_score) in enumerate(MONTHS.values()):
        if place == 2:
            assert np.isnan([each[place] for each in display.measured]).all()
            continue
        data = y_true, y_score
        estimate = uncertainty.interval("average_precision", data, confidence_level=0.9)
        drawn = tuple(each[place] for each in display.measured)
        assert drawn == (estimate.value, estimate.low, estimate.high)
    assert np.isnan(display.parts["prior_part"].value[0])
    assert display.ax_.get_ylabel() == "AUC-PR"
    assert legend_of(display.ax_) == ["AUC-PR", "reference, month 0", "no value", "90 % interval"]
    assert display.parts_ax_.get_ylabel() == "change\nfrom month 0"
    assert [each.get_text() for each in display.parts_ax_.get_xticklabels()] == list(MONTHS)


def frame_of(samples):
    return pd.concat(
        pd.DataFrame({"month": month, "y": y_true, "score": y_score})
        for month, (y_true, y_score) in samples.items()
    )


def by_month(**options):
    options = {"metrics": "average_precision", "pi0": None, **options}
    return comparison.by_group(frame_of(MONTHS), "month", y_true="y", y_score="score", **options)


def test_periods_without_any_value_are_refused():
    with pytest.raises(ValueError, match="pos_label=2 is not among its labels"):
        by_month(pos_label=2)
    table = by_month().assign(value=math.nan)
    with pytest.raises(ValueError, match="measured must hold a value, got NaN in each period"):
        ChangeDisplay.from_values(table, period="month")


def test_values_of_groups_have_intervals():
    table = by_month()
    display = ChangeDisplay.from_values(table, period="month", name="model")
    assert display.periods == list(MONTHS)
    np.testing.assert_array_equal(display.line_.get_ydata(), table["value"])
    np.testing.assert_array_equal(display.measured.low, table["low"])
    assert display.parts_ax_ is None
    assert display.bars_ == {}
    assert legend_of(display.ax_) == ["model", "no value", "95 % interval"]
    assert display.ax_.get_ylabel() == "AUC-PR, each at its own prior"
    at_prior = ChangeDisplay.from_values(by_month(pi0=0.02), period="month")
    assert at_prior.ax_.get_ylabel() == "AUC-PR at π$_0$ = 0.02"


def test_values_and_parts_without_an_interval_have_open_diamonds():
    samples = {**months(0.2, 0.1), "few": (np.arange(len(Y_SCORE)) == 7, Y_SCORE)}
    with pytest.warns(uncertainty.IntervalWarning, match="at least two rows of each class"):
        display = ChangeDisplay.from_periods("average_precision", samples)
    assert np.isfinite(display.measured.value).all()
    assert list(display.withheld_.get_xdata()) == [2]
    assert display.withheld_.get_markerfacecolor() == display.ax_.get_facecolor()
    for axes in display.axes_:
        assert legend_of(axes).count("no interval") == 1
    frame = frame_of(samples)
    columns = {"y_true": "y", "y_score": "score", "metrics": "average_precision"}
    table = comparison.by_group(frame, "month", **columns, pi0=None)
    display = ChangeDisplay.from_values(table.assign(label_sensitivity=0.5), period="month")
    assert display.incomplete_.get_marker() != display.withheld_.get_marker()
    rows = comparison.explain_changes("average_precision", months(0.2, 0.1))
    assert ChangeDisplay.from_changes(rows).withheld_ is None  # it has no intervals of values


def test_a_period_that_cannot_be_compared_keeps_its_value():
    """Numbers of rows that are not whole, such as rounded products of rates."""
    rates = ConfusionMatrix(tp=46.7, fp=9, fn=3.3, tn=41)
    periods = {"May": ConfusionMatrix(tp=40, fp=9, fn=10, tn=41), "June": rates}
    with pytest.warns(uncertainty.IntervalWarning, match="not whole"):
        display = ChangeDisplay.from_periods("precision", periods)
    assert display.measured.value[1] == pytest.approx(46.7 / 55.7)
    assert list(display.withheld_.get_xdata()) == [1]


def test_intervals_are_named_by_the_level_at_which_they_were_computed():
    table = by_month(confidence_level=0.5, pi0=None)
    for display in (
        ChangeDisplay.from_periods("average_precision", MONTHS, confidence_level=0.5),
        ChangeDisplay.from_values(table, period="month"),
    ):
        assert display.confidence_level == 0.5
        assert "50 % interval" in legend_of(display.ax_)


def test_one_of_several_metrics_of_groups_is_drawn():
    table = by_month(metrics=["average_precision", "roc_auc"])
    display = ChangeDisplay.from_values(table, period="month", metric="roc_auc")
    chosen = table[table["metric"] == "roc_auc"]
    expected = chosen[["value", "low", "high"]].to_numpy().T
    np.testing.assert_array_equal(np.array(display.measured), expected)
    assert display.ax_.get_ylabel() == "AUC-ROC"
    same = ChangeDisplay.from_values(table, period="month", metric="AUC-ROC")
    np.testing.assert_array_equal(np.array(same.measured), expected)
    with pytest.raises(ValueError, match="values must have one metric"):
        ChangeDisplay.from_values(table, period="month")
    with pytest.raises(ValueError, match=r"values must have the metric 'ppv', got \['average_pre"):
        ChangeDisplay.from_values(table, period="month", metric="ppv")


def test_a_single_axes_shows_no_parts():
    figure, axes = plt.subplots()
    display = ChangeDisplay.from_changes(CHANGES, ax=axes)
    assert display.axes_ == figure.axes == [axes]
    assert display.parts_ax_ is None
    other = ChangeDisplay.from_changes(CHANGES, ax=axes, name="b")
    assert other.reference_ in axes.lines
    assert legend_of(axes).count("reference") == 1


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
        ({"changes": []}, TypeError, "changes must be a DataFrame or a list of dicts"),
        ({"changes": [{"period": 1}]}, ValueError, r"changes must have the columns \['metric'"),
        (
            {"changes": [*CHANGES, CHANGES[0] | {"metric": "m"}]},
            ValueError,
            "changes must have one metric",
        ),
        ({"ax": []}, TypeError, "ax must be None, an Axes or a pair of Axes"),
        (
            {"changes": [*CHANGES, {**CHANGES[0], "period": "x", "confidence_level": 0.9}]},
            ValueError,
            r"tables must have one confidence level, got \[0.95, 0.9\]",
        ),
    ],
)
def test_bad_arguments_of_changes(arguments, error, message):
    with pytest.raises(error, match=message):
        ChangeDisplay.from_changes(**{"changes": CHANGES, **arguments})


# ---------------------------------------------------------------- axes, styles and packages


@pytest.mark.parametrize("display", EVERY)
def test_displays_compose_on_one_figure(display):
    figure, axes = plt.subplots()
    first, second = (
        draw(display, y_score, name=name, ax=axes)
        for name, y_score in (("a", Y_SCORE), ("b", OTHER_SCORE))
    )
    assert first.ax_ is second.ax_ is axes
    assert first.figure_ is second.figure_ is figure
    labels = legend_of(axes)
    assert len(labels) == len(set(labels))
    assert any(label.startswith("a") for label in labels)
    assert any(label.startswith("b") for label in labels)


def test_legends_name_what_is_drawn_once():
    display = PrecisionRecallDisplay.from_curve(CURVE, pi0=PI0, name="a", confidence_level=0.9)
    PrecisionRecallDisplay.from_curve(CURVE, pi0=PI0, name="b", ax=display.ax_)
    PrecisionRecallDisplay.from_curve(
        CURVE, pi0=PI0, name="c", ax=display.ax_, confidence_level=None
    )
    labels = legend_of(display.ax_)
    assert [label[0] for label in labels[:3]] == ["a", "b", "c"]
    assert labels[3:] == [
        "Chance level (AP = 0.05)",
        "90 % band, pointwise",
        "95 % band, pointwise",
    ]


@pytest.mark.parametrize("pi0", [0.02, 0.1])
def test_groups_with_other_priors_show_the_reference_prior(pi0):
    """Priors that rounding made unequal left "precision", and a chance level of 0.02 +/- 0.00."""
    rng, sites = np.random.default_rng(0), {}
    for name, n_pos, n in (("north", 473, 2880), ("south", 144, 799), ("east", 493, 2325)):
        y_true = np.arange(n) < n_pos
        sites[name] = (y_true, rng.normal(2 * y_true))
    display = PrecisionRecallDisplay.from_curve(sites, pi0=pi0, plot_chance_level=True)
    assert display.ax_.get_ylabel() == f"precision at π$_0$ = {pi0:g}"
    assert f"Chance level (AP = {pi0:.2f})" in legend_of(display.ax_)


def test_reference_priors_of_several_lines_are_named():
    curves = {f"{pi0:g}": CURVE.at_prior(pi0) for pi0 in (0.3, 0.1, 0.2)}
    display = PrecisionRecallDisplay.from_curve(curves)
    assert display.ax_.get_ylabel() == "precision at π$_0$ = 0.1 to 0.3"
    assert "Chance level (AP = 0.10 to 0.30)" in legend_of(display.ax_)


def test_no_two_of_ten_models_have_the_same_line_in_a_style_of_four_colours():
    with plt.style.context("grayscale"):
        _, ax = plt.subplots()
        looks = set()
        for _ in range(10):
            style = next_style(ax, {})
            (line,) = ax.plot([0, 1], **style)
            looks.add((line.get_color(), str(style.get("linestyle"))))
    assert len(looks) == 10


def test_models_are_told_apart_in_a_column_of_a_paper():
    """At 3.3 inches: a line style per model, a patch per band, and the legend off the curves."""
    figure, ax = plt.subplots(figsize=(3.3, 3.6), layout="constrained")
    displays = [
        PrecisionRecallDisplay.from_predictions(Y_TRUE, Y_SCORE, pi0=PI0, name=name, ax=ax)
        for name in ("logistic regression", "random forest", "naive Bayes")
    ]
    figure.draw_without_rendering()
    lines = [display.line_ for display in displays]
    assert [line.get_linestyle() for line in lines] == ["-", "--", "-."]
    legend = ax.get_legend()
    box = legend.get_window_extent()
    assert box.y1 < ax.xaxis.label.get_window_extent().y0
    assert box.y0 > 0
    assert box.width < figure.bbox.width
    patches = legend.findobj(mpl.patches.Rectangle)
    shown = {mpl.colors.to_rgb(patch.get_facecolor()) for patch in patches}
    assert shown == {mpl.colors.to_rgb(line.get_color()) for line in lines}
    assert legend_of(ax).count("95 % band, pointwise") == 1


def test_a_line_style_of_the_user_is_kept():
    display = PrecisionRecallDisplay.from_curve(CURVE, curve_kwargs={"ls": ":"})
    with pytest.warns(FutureWarning, match="is deprecated"):
        same = PrecisionRecallDisplay.from_curve(CURVE, linestyle="--", ax=display.ax_)
    assert (display.line_.get_linestyle(), same.line_.get_linestyle()) == (":", "--")
    with mpl.rc_context({"axes.prop_cycle": mpl.cycler(linestyle=["-.", "-"])}):
        first = PrecisionRecallDisplay.from_curve(CURVE)
        second = PrecisionRecallDisplay.from_curve(CURVE, ax=first.ax_)
    assert (first.line_.get_linestyle(), second.line_.get_linestyle()) == ("-.", "-")


def test_a_stored_result_is_drawn():
    band = Band(np.array([0.5, 1]), np.array([0.2, 0.1]), np.array([0.6, 0.4]), 0.8)
    precision, recall = np.array([0.2, 0.5, 1]), np.array([1, 0.5, 0])
    options = {"pi0": 0.1, "prevalence_pos_label": 0.1}
    display = PrecisionRecallDisplay(precision, recall, band=band, **options).plot(name="stored")
    points = list(zip(*display.line_.get_data(), strict=True))
    assert points == [(1, 0.2), (0.5, 0.2), (0.5, 0.5), (0, 0.5), (0, 1)]
    assert legend_of(display.ax_) == [
        "stored",
        "Chance level (AP = 0.10)",
        "80 % band, pointwise",
    ]
    assert PrecisionRecallDisplay(precision, recall, pi0=0.1).plot().band_ is None
    periods = Series(*np.array([[0.5, 0.4], [0.4, 0.3], [0.6, 0.5]]))
    assert legend_of(ChangeDisplay(["a", "b"], periods).plot().ax_) == ["value", "interval"]


def test_a_closed_figure_is_freed():
    display = PrecisionRecallDisplay.from_curve(CURVE)
    figure = weakref.ref(display.figure_)
    plt.close("all")
    del display
    gc.collect()
    assert figure() is None


def test_a_long_label_of_a_small_figure_is_not_cut_off():
    with plt.rc_context({"font.size": 8}):
        figure, ax = plt.subplots(figsize=(3.3, 2.6), layout="constrained")
        names = "LightGBM_tuned & co", "random forest (balanced)", "logistic regression"
        models = dict.fromkeys(names, CURVE)
        PrecisionRecallGainDisplay.from_curve(models, pi0=0.05, ax=ax)
        figure.canvas.draw()
    label = ax.yaxis.label.get_window_extent()
    assert 0 <= label.y0 < label.y1 <= figure.bbox.height


def test_the_axis_names_the_prior_only_if_it_is_one():
    first = PrecisionRecallDisplay.from_curve(CURVE, pi0=PI0)
    assert first.ax_.get_ylabel() == "precision at π$_0$ = 0.05"
    second = PrecisionRecallDisplay.from_curve(CURVE, pi0=0.2, ax=first.ax_)
    assert first.ax_.get_ylabel() == "precision"
    assert first.chance_level_.get_label() == "Chance level (AP = 0.05)"
    assert second.chance_level_.get_label() == "Chance level (AP = 0.20)"


@pytest.mark.parametrize("style", ["ggplot", "dark_background"])
def test_colours_are_those_of_the_style(style):
    plt.style.use(style)
    cycle = [look["color"] for look in mpl.rcParams["axes.prop_cycle"]]
    first = PrecisionRecallDisplay.from_curve(CURVE, name="a")
    second = PrecisionRecallDisplay.from_curve(CURVE, name="b", ax=first.ax_)
    assert [first.line_.get_color(), second.line_.get_color()] == cycle[:2]
    assert first.chance_level_.get_color() == first.ax_.xaxis.label.get_color()
    band = first.band_.get_facecolor()[0]
    assert tuple(band[:3]) == mpl.colors.to_rgb(cycle[0])


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


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"ax": "axes"}, TypeError, "ax must be None.* of matplotlib, got 'axes'"),
        ({"c": "r", "color": "b"}, TypeError, "aliases"),
        ({"nane": "model"}, TypeError, r"plot of this display .* no such keyword: 'nane'"),
        ({"y_score": [0.5] * 3}, ValueError, "arguments must have the same length"),
        ({"pos_label": "fraud"}, ValueError, "y_true holds no positives: pos_label='fraud'"),
    ],
)
def test_bad_arguments(arguments, error, message):
    for display in EVERY:
        with pytest.raises(error, match=message):
            draw(display, **arguments)


def test_a_missing_matplotlib_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
    for display in (*EVERY, ChangeDisplay):
        with pytest.raises(ImportError, match=r"extra 'plots': pip install .*plots"):
            draw(display)


def test_plot_has_the_shape_of_scikit_learns():
    for display in (*EVERY, ChangeDisplay):
        parameters = list(inspect.signature(display.plot).parameters)
        assert parameters[:3] == ["self", "ax", "name"]
        assert parameters[-1] == "kwargs"


# --------------------------------------------------------------------------------- pictures


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
def test_picture_prior_sweep():
    models = {"A": Y_SCORE, "B": OTHER_SCORE}
    return PriorSweepDisplay.from_predictions(
        "average_precision", Y_TRUE, models, ax=column()
    ).figure_


@picture
def test_picture_threshold():
    return ThresholdDisplay.from_curve(CURVE, point=POINT, ax=column(2)).figure_


@picture
def test_picture_change():
    return ChangeDisplay.from_periods("average_precision", MONTHS, ax=column(2)).figure_
