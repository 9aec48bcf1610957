"""Displays of unusual data, names and axes."""

import itertools
import pickle
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from calibrated_metrics import ConfusionCurve
from calibrated_metrics.displays import (
    AchievableDisplay,
    ChangeDisplay,
    PrecisionRecallDisplay,
    PrecisionRecallGainDisplay,
    PriorSweepDisplay,
    ThresholdDisplay,
)
from calibrated_metrics.uncertainty import IntervalWarning

Y_TRUE = np.arange(300) < 60
Y_SCORE = np.random.default_rng(0).normal(2 * Y_TRUE)
CURVE = ConfusionCurve.from_predictions(Y_TRUE, Y_SCORE)
SPACES = {
    PrecisionRecallDisplay: "recall",
    AchievableDisplay: "recall",
    PrecisionRecallGainDisplay: "recall gain",
    ThresholdDisplay: "threshold",
    PriorSweepDisplay: "reference prior",
}
pytestmark = pytest.mark.filterwarnings("ignore::calibrated_metrics.uncertainty.IntervalWarning")


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


def pi0_of(display, low, high):
    return [low, high] if display is PriorSweepDisplay else low


def draw(display, **options):
    return display.from_curve(CURVE, pi0=pi0_of(display, 0.05, 0.1), **options)


def legend_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def changes(*periods):
    value = np.linspace(0.6, 0.3, len(periods))
    limits = {"prior_part_low": -0.3, "prior_part_high": 0.0}
    return pd.DataFrame(
        {"period": list(periods), "metric": "average_precision", "value": value}
        | {"reference_value": 0.7, "prior_part": value - 0.7, "model_part": 0.0}
        | limits
    )


# ------------------------------------------------------------------------------------ data


@pytest.mark.parametrize("display", SPACES)
@pytest.mark.parametrize(
    ("y_true", "y_score"),
    [([0, 1, 0, 0], [1, 2, 3, 4]), ([0, 1], [1, 2]), ([0, 1, 0, 1], [1] * 4), ([1, 0], [1, 2])],
    ids=["one positive", "one of each", "ties only", "worst"],
)
def test_small_samples_can_be_drawn(display, y_true, y_score):
    drawn = display.from_predictions(y_true, y_score, pi0=pi0_of(display, 0.05, 0.1))
    drawn.figure_.draw_without_rendering()


@pytest.mark.parametrize("display", SPACES)
@pytest.mark.parametrize("priors", [(1e-9, 2e-9), (1 - 2e-9, 1 - 1e-9)])
def test_priors_near_0_and_1_can_be_drawn(display, priors):
    display.from_curve(CURVE, pi0=pi0_of(display, *priors)).figure_.draw_without_rendering()


# ---------------------------------------------------------------------------------- warnings


def test_warnings_point_at_the_caller():
    few = ConfusionCurve.from_predictions([0, 1, 0, 0], [1, 2, 3, 4])
    months = dict.fromkeys("ab", few)
    for call in (
        lambda: PriorSweepDisplay.from_curve(few, pi0=[0.1, 0.2]),
        lambda: PriorSweepDisplay.from_predictions([0, 1, 0, 0], [1, 2, 3, 4], pi0=[0.1]),
        lambda: ChangeDisplay.from_periods(months, "average_precision"),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        found = [each for each in caught if each.category is IntervalWarning]
        assert found
        assert {each.filename for each in found} == {__file__}


# ------------------------------------------------------------------------------------ names


@pytest.mark.parametrize("display", SPACES)
def test_a_name_that_begins_with_an_underscore_is_in_the_legend(display):
    drawn = draw(display, name="_a")
    assert legend_of(drawn.ax_)[0].startswith(" _a")


def test_changes_of_a_model_whose_name_begins_with_an_underscore():
    assert legend_of(ChangeDisplay.from_changes(changes("a"), name="_a").ax_)[0] == " _a"


@pytest.mark.filterwarnings("error::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::calibrated_metrics.uncertainty.IntervalWarning")
@pytest.mark.parametrize("display", SPACES)
@pytest.mark.parametrize("name", ["a" * 150, "a long name of a model " * 8])
def test_long_names_leave_the_axes_their_width(display, name):
    drawn = draw(display, name=name)
    drawn.figure_.draw_without_rendering()
    assert drawn.ax_.get_position().width > 0.75
    assert "".join(name.split()) in "".join("".join(legend_of(drawn.ax_)).split())


def test_long_names_of_periods_are_cut():
    display = ChangeDisplay.from_changes(changes("x" * 100, "b"), plot_parts=False)
    labels = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert labels == ["x" * 23 + "…", "b"]


# ------------------------------------------------------------------------------------- axes


@pytest.mark.parametrize(
    ("first", "second"), [(a, b) for a, b in itertools.permutations(SPACES, 2)]
)
def test_displays_on_one_axes_have_one_abscissa(first, second):
    axes = draw(first, name="a").ax_
    n_axes = len(axes.figure.axes)
    if SPACES[first] == SPACES[second]:
        assert draw(second, name="b", ax=axes).ax_ is axes
    else:
        with pytest.raises(ValueError, match=f"ax must have '{SPACES[second]}.*on the x-axis"):
            draw(second, name="b", ax=axes)
        assert len(axes.figure.axes) == n_axes
        axes.clear()
        draw(second, name="b", ax=axes)


def test_sweeps_of_two_scores_share_axes():
    axes = draw(PriorSweepDisplay).ax_
    PriorSweepDisplay.from_curve(CURVE, score="roc_auc", pi0=[0.1, 0.2], name="b", ax=axes)
    assert axes.get_ylabel() == "score at π$_0$"


def test_changes_on_one_axes_have_the_same_periods():
    first = ChangeDisplay.from_changes(changes("a", np.nan), plot_parts=False)
    same = changes("a", float("nan"))
    ChangeDisplay.from_changes(same, plot_parts=False, ax=first.ax_, name="b")
    with pytest.raises(ValueError, match=r"ax must have \['b'\] on the x-axis"):
        ChangeDisplay.from_changes(changes("b"), plot_parts=False, ax=first.ax_)


def test_bars_of_two_displays_do_not_hide_each_other():
    first = ChangeDisplay.from_changes(changes("a", "b"))
    with pytest.raises(ValueError, match="set plot_parts=False"):
        ChangeDisplay.from_changes(changes("a", "b"), ax=first.axes_)


def test_axes_of_subplots_are_a_pair():
    _, axes = plt.subplots(2, 1)
    display = ChangeDisplay.from_changes(changes("a", "b"), ax=axes)
    assert display.axes_ == axes.tolist()


@pytest.mark.parametrize("display", SPACES)
def test_displays_in_a_subfigure(display):
    part, _ = plt.figure(layout="constrained").subfigures(1, 2)
    assert draw(display, ax=part.subplots()).figure_ is part


@pytest.mark.parametrize("display", SPACES)
def test_displays_are_pickled_and_extended(display):
    copy = pickle.loads(pickle.dumps(draw(display, name="a")))
    again = draw(display, name="b", ax=copy.ax_)
    assert any(label.startswith("a") for label in legend_of(again.ax_))


# ----------------------------------------------------------------------------------- periods


def test_changes_of_an_arrow_table():
    table = changes("a", "b")
    display = ChangeDisplay.from_changes(pa.Table.from_pandas(table))
    np.testing.assert_array_equal(display.line_.get_ydata(), table["value"])


def test_a_period_with_two_rows_is_an_error():
    with pytest.raises(ValueError, match="one row for each period, got 3 rows of 2 periods"):
        ChangeDisplay.from_changes(changes("a", "a", "b"))


@pytest.mark.parametrize(("n_periods", "capsize"), [(12, 2), (60, 0)])
def test_error_bars_of_many_periods_have_no_caps(n_periods, capsize):
    display = ChangeDisplay.from_changes(changes(*range(n_periods)))
    for bars in display.bars_.values():
        assert bool(bars.errorbar[1]) == bool(capsize)
    assert len(display.ax_.get_xticks()) <= 12
