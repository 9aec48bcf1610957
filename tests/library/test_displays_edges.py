"""Displays of unusual data, names and axes."""

import pickle
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figures import legend_of

from calibrated_metrics import ConfusionCurve, ConfusionMatrix, register_score
from calibrated_metrics.displays import (
    ChangeDisplay,
    PrecisionRecallDisplay,
    PrecisionRecallGainDisplay,
    PriorSweepDisplay,
    RocCurveDisplay,
    ThresholdDisplay,
)
from calibrated_metrics.displays.period_tables import Series
from calibrated_metrics.uncertainty import IntervalWarning

Y_TRUE = np.arange(300) < 60
Y_SCORE = np.random.default_rng(0).normal(2 * Y_TRUE)
CURVE = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)
EVERY = (
    PrecisionRecallDisplay,
    PrecisionRecallGainDisplay,
    RocCurveDisplay,
    ThresholdDisplay,
    PriorSweepDisplay,
)
pytestmark = [
    pytest.mark.filterwarnings("ignore::calibrated_metrics.uncertainty.IntervalWarning"),
    pytest.mark.usefixtures("own_figures"),
]


def draw(display, curve=CURVE, priors=(0.05, 0.1), **options):
    if display is PriorSweepDisplay:
        return display.from_curve("average_precision", curve, pi0=priors, **options)
    if display is ThresholdDisplay:  # its bands take most of the time of a test
        options = {"confidence_level": None, **options}
    return display.from_curve(curve, pi0=priors[0], **options)


def changes(*periods):
    value = np.linspace(0.6, 0.3, len(periods))
    limits = {"prior_part_low": -0.3, "prior_part_high": 0.0}
    return pd.DataFrame(
        {"period": list(periods), "metric": "average_precision", "value": value}
        | {"reference_value": 0.7, "prior_part": value - 0.7, "model_part": 0.0}
        | limits
    )


# ------------------------------------------------------------------------------------ data


@pytest.mark.parametrize("display", EVERY)
@pytest.mark.parametrize(
    ("y_true", "y_score"),
    [([0, 1, 0, 0], [1, 2, 3, 4]), ([0, 1, 0, 1], [1] * 4), ([1, 0], [1, 2])],
    ids=["one positive", "ties only", "worst"],
)
def test_small_samples_can_be_drawn(display, y_true, y_score):
    draw(display, (y_true, y_score)).figure_.draw_without_rendering()


@pytest.mark.parametrize("display", EVERY)
@pytest.mark.parametrize("priors", [(1e-9, 2e-9), (1 - 2e-9, 1 - 1e-9)])
def test_priors_near_0_and_1_can_be_drawn(display, priors):
    draw(display, priors=priors).figure_.draw_without_rendering()


def test_an_error_names_the_model_that_has_no_value():
    silent = ConfusionMatrix(tp=0, fp=0, fn=9, tn=738)
    models = {"A": ConfusionMatrix(tp=8, fp=1, fn=18, tn=65), "B": silent}
    with pytest.raises(
        ValueError, match=r"^B: precision is undefined.*; draw the other models wit"
    ):
        PriorSweepDisplay.from_curve("ppv", models, pi0=[0.1, 0.2])
    with pytest.raises(ValueError, match=r"^precision is undefined"):
        PriorSweepDisplay.from_curve("ppv", silent, pi0=[0.1, 0.2])


# ---------------------------------------------------------------------------------- warnings


def test_warnings_point_at_the_caller():
    few = ConfusionCurve.from_predictions([0, 1, 0, 0], [1, 2, 3, 4])
    months = dict.fromkeys("ab", few)
    for call in (
        lambda: PriorSweepDisplay.from_curve("roc_auc", few, pi0=[0.1, 0.2]),
        lambda: PriorSweepDisplay.from_predictions("roc_auc", [0, 1, 0, 0], [1, 2, 3, 4]),
        lambda: ChangeDisplay.from_periods("average_precision", months),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        found = [each for each in caught if each.category is IntervalWarning]
        assert found
        assert {each.filename for each in found} == {__file__}


# ------------------------------------------------------------------------------------ names


NAMES = ["_a", "cost $5_", r"$\input{x}$", r"$\frac$", "100 %", "{pi0}", "<b>", "é 中"]


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("display", EVERY)
def test_names_are_shown_literally(display):
    for name in NAMES[:2]:
        drawn = draw(display, name=name)
        drawn.figure_.draw_without_rendering()
        assert name in "".join(legend_of(drawn.ax_)).replace(r"\$", "$")
        plt.close(drawn.figure_)
    if display is PrecisionRecallDisplay:
        drawn = draw(display, dict.fromkeys(NAMES, CURVE))
        drawn.figure_.draw_without_rendering()
        for name, label in zip(NAMES, legend_of(drawn.ax_), strict=False):
            assert name in label.replace(r"\$", "$")


@pytest.mark.filterwarnings("ignore:Glyph")
def test_names_of_periods_are_shown_literally():
    display = ChangeDisplay.from_changes(changes(*NAMES))
    display.reference_name = NAMES[2]
    display.plot(name=NAMES[0])
    display.figure_.draw_without_rendering()
    labels = [label.get_text() for label in display.parts_ax_.get_xticklabels()]
    assert [label.replace(r"\$", "$") for label in labels] == NAMES
    assert legend_of(display.ax_)[0] == " _a"


def test_the_label_of_a_metric_may_hold_mathtext():
    @register_score(label="a$_c$")
    def labelled(curve):
        return curve.prior

    display = PriorSweepDisplay.from_curve("labelled", CURVE, confidence_level=None)
    assert legend_of(display.ax_)[0] == "a$_c$"


@pytest.mark.filterwarnings("error::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::calibrated_metrics.uncertainty.IntervalWarning")
@pytest.mark.parametrize("display", EVERY)
def test_long_names_are_broken_into_lines(display):
    name = "a long name of a model " * 4 + "a" * 90
    drawn = draw(display, name=name)
    drawn.figure_.draw_without_rendering()
    assert drawn.ax_.get_legend().get_window_extent().width < drawn.ax_.get_window_extent().width
    assert "".join(name.split()) in "".join("".join(legend_of(drawn.ax_)).split())


def test_long_names_of_periods_are_cut():
    display = ChangeDisplay.from_changes(changes("x" * 100, "b"))
    labels = [label.get_text() for label in display.parts_ax_.get_xticklabels()]
    assert labels == ["x" * 12 + "…" + "x" * 11, "b"]


# ------------------------------------------------------------------------------------- axes


@pytest.mark.parametrize("display", EVERY)
def test_all_data_lie_within_small_axes(display):
    figure, axes = plt.subplots(figsize=(3, 3), layout="constrained")
    draw(display, ax=axes)
    figure.draw_without_rendering()
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    for line in axes.lines:
        if line.get_transform() == axes.transData:
            x, y = line.get_data()
            assert ((left <= np.asarray(x)) & (np.asarray(x) <= right)).all()
            assert ((low <= np.asarray(y)) & (np.asarray(y) <= high)).all()
    for text in axes.texts:
        assert axes.bbox.contains(*text.get_window_extent().min)


def test_changes_on_one_axes_have_the_same_periods():
    axes = plt.subplots()[1]
    first = ChangeDisplay.from_changes(changes("a", np.nan), ax=axes).line_
    second = ChangeDisplay.from_changes(changes("a", float("nan")), ax=axes, name="b").line_
    for look in ("color", "marker", "linestyle", "xdata"):
        assert np.any(plt.getp(first, look) != plt.getp(second, look)), look
    with pytest.raises(ValueError, match=r"ax must show the periods \['b'\], got"):
        ChangeDisplay.from_changes(changes("b"), ax=axes)


def test_bars_of_two_displays_do_not_hide_each_other():
    first = ChangeDisplay.from_changes(changes("a", "b"))
    with pytest.raises(ValueError, match="give a single Axes"):
        ChangeDisplay.from_changes(changes("a", "b"), ax=first.axes_)
    again = ChangeDisplay.from_changes(changes("a", "b"), ax=first.ax_, name="again")
    assert again.line_ in first.ax_.lines


def test_axes_of_subplots_are_a_pair():
    _, axes = plt.subplots(2, 1)
    display = ChangeDisplay.from_changes(changes("a", "b"), ax=axes)
    assert display.axes_ == axes.tolist()


def test_a_long_label_of_the_ordinate_is_inside_the_figure():
    with plt.rc_context({"figure.figsize": (3.3, 2.6)}):
        values = {"a": np.array([0.1, 0.2])}
        label = "net cost per 1 000 cases and month"
        display = PriorSweepDisplay(np.array([0.1, 0.2]), values, score_label=label).plot()
    display.figure_.draw_without_rendering()
    box = display.ax_.yaxis.label.get_window_extent()
    assert 0 <= box.y0 < box.y1 <= display.figure_.bbox.height


@pytest.mark.parametrize("display", EVERY)
def test_displays_in_a_subfigure(display):
    part, _ = plt.figure(layout="constrained").subfigures(1, 2)
    assert draw(display, ax=part.subplots()).figure_ is part


@pytest.mark.parametrize("display", EVERY)
def test_displays_are_pickled_and_extended(display):
    copy = pickle.loads(pickle.dumps(draw(display, name="a")))
    again = draw(display, name="b", ax=copy.ax_)
    assert any(label.startswith("a") for label in legend_of(again.ax_))


# ----------------------------------------------------------------------------------- periods


def test_a_period_with_two_rows_is_an_error():
    with pytest.raises(ValueError, match="one row for each period, got 3 rows"):
        ChangeDisplay.from_changes(changes("a", "a", "b"))
    table = pd.DataFrame({"month": ["a", "a", "b"], "metric": "roc_auc", "value": [0.7, 0.8, 0.9]})
    with pytest.raises(
        ValueError, match="one row for each 'month', got 3 rows of 2: draw each mod"
    ):
        ChangeDisplay.from_values(table, period="month")


DAYS = pd.to_datetime([f"2023-09-{day:02}" for day in (*range(1, 10), *range(24, 31))])
MONTHS = pd.PeriodIndex(["2016-11", "2016-12", "2017-01", "2017-03"], freq="M")
HOLES = {
    "text": (MONTHS.astype(str), [0, 1, 2, 4]),
    "period": (MONTHS, [0, 1, 2, 4]),
    "first days": (MONTHS.to_timestamp(), [0, 1, 2, 4]),
    "last days": (MONTHS.to_timestamp(how="end"), [0, 1, 2, 4]),
    "weeks": (pd.period_range("2024-01-01", periods=4, freq="W")[[0, 1, 3]], [0, 1, 3]),
    "weeks as text": (["2024-01-01/2024-01-07", "2024-01-08/2024-01-14"], [0, 1]),
    "days": (DAYS, [*range(9), *range(23, 30)]),
    "dates of Python": (DAYS.date[[0, 1, 3]], [0, 1, 3]),
    "NumPy": (DAYS.to_numpy(), [*range(9), *range(23, 30)]),
    "time zone": (DAYS.tz_localize("Europe/Paris"), [*range(9), *range(23, 30)]),
    "years": ([2015, 2016, 2018], [0, 1, 3]),
    "numbers that are no years": ([201611, 201612, 201701], [0, 1, 2]),
    "names": (["Dec-2016", "Jan-2017", "Mar-2017"], [0, 1, 2]),
    "descending": (["2017-03", "2017-01", "2016-12"], [0, 1, 2]),
    "missing": (["2017-01", "2017-03", pd.NaT], [0, 1, 2]),
    "one": (["2017-01"], [0]),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("periods", "places"), HOLES.values(), ids=HOLES)
def test_a_missing_period_is_a_hole(periods, places):
    """The neighbours of a missing month were joined side by side."""
    value = np.linspace(0.3, 0.6, len(places))
    table = pd.DataFrame({"t": pd.Series(periods, dtype=object), "metric": "roc_auc"})
    display = ChangeDisplay.from_values(table.assign(value=value), period="t")
    x, y = display.line_.get_data()
    np.testing.assert_array_equal(x[~np.isnan(x)], places)
    np.testing.assert_array_equal(y[~np.isnan(y)], value)
    assert np.isnan(x).sum() == (np.diff(places) > 1).sum()
    assert display.ax_.get_xticks().tolist() == (
        places if len(places) < 9 else [0, 3, 6, 23, 26, 29]
    )


@pytest.mark.parametrize(("n_periods", "capsize"), [(12, 2), (60, 0)])
def test_error_bars_of_many_periods_have_no_caps(n_periods, capsize):
    display = ChangeDisplay.from_changes(changes(*range(n_periods)))
    for bars in display.bars_.values():
        assert bool(bars.errorbar[1]) == bool(capsize)
    assert len(display.ax_.get_xticks()) <= 12


def test_two_metrics_on_one_axes_have_no_common_label():
    """The second took the label of the axis, so AUC-PR was read as AUC-ROC."""
    values = Series(*np.full((3, 2), 0.5))
    first = ChangeDisplay(["a", "b"], values, score_label="AUC-PR at π$_0$ = 0.05").plot(name="A")
    ChangeDisplay(["a", "b"], values, score_label="AUC-ROC").plot(ax=first.ax_, name="B")
    assert first.ax_.get_ylabel() == "metric"
