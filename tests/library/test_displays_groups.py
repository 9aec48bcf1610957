"""The display of groups: the dots and bars are the table of `by_group`."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from figures import column, legend_of, picture
from samples import EVERY, curve_of

from calibrated_metrics import (
    ConfusionMatrix,
    Metric,
    classification_report,
    comparison,
    register_score,
)
from calibrated_metrics.displays import ChangeDisplay, GroupsDisplay, Series
from calibrated_metrics.scores import registered_scores

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"hospital": np.repeat(["Bern", "Graz", "Lyon", "none"], [400, 300, 200, 50])})
FRAME["ward"] = np.arange(950) % 2
FRAME["ill"] = (RNG.random(950) < 0.25) & (FRAME["hospital"] != "none")
FRAME["score"] = RNG.normal(1.5 * FRAME["ill"])
pytestmark = [
    pytest.mark.filterwarnings("ignore::calibrated_metrics.uncertainty.IntervalWarning"),
    pytest.mark.usefixtures("own_figures"),
]


def table(by="hospital", **options):
    options = {"metrics": "average_precision", **options}
    return comparison.by_group(FRAME, by, y_true="ill", y_score="score", **options)


def test_the_dots_and_bars_are_those_of_the_table():
    values = table(pi0=0.1)
    display = GroupsDisplay.from_values(values, by="hospital")
    (dots,), (bars,) = display.line_, display.interval_
    np.testing.assert_array_equal(dots.get_xdata(), values["value"])
    ends = [segment[:, 0] for segment in bars[2][0].get_segments()[:3]]
    for found, expected in zip(ends, values[["low", "high"]].to_numpy()[:3], strict=True):
        np.testing.assert_allclose(found, expected)
    assert dots.get_linestyle() == "None"
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == ["Bern", "Graz", "Lyon", "none"]
    assert display.ax_.get_ylim() == (3.5, -0.5)  # the first group is at the top
    assert list(display.missing_.get_ydata()) == [3]
    assert display.ax_.get_xlabel() == "AUC-PR at π$_0$ = 0.1"
    assert legend_of(display.ax_) == ["AUC-PR", "no value", "95 % interval"]


@pytest.mark.filterwarnings("error")
def test_an_infinite_value_is_an_arrow_at_the_edge():
    sites = {
        "a": ConfusionMatrix(tp=20, fp=0, fn=5, tn=50),
        "b": ConfusionMatrix(tp=9, fp=3, fn=5, tn=47),
    }
    table = comparison.by_group(sites, "site", metrics="LR+", confidence_level=None)
    display = GroupsDisplay.from_values(table, by="site")
    assert display.infinite_.get_xydata().tolist() == [[0.98, 0]]
    assert legend_of(display.ax_) == ["LR+", "infinite"]


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_the_interval_of_an_infinite_value_ends_at_the_edge(scale):
    """An arrow without a line looked certain."""
    alarms = ConfusionMatrix(tp=12, fp=0, fn=8, tn=60), ConfusionMatrix(tp=1, fp=0, fn=1, tn=50)
    table = comparison.by_group(dict(zip("ab", alarms, strict=True)), "site", metrics="LR+")
    display = GroupsDisplay.from_values(table, by="site")
    display.ax_.set_xscale(scale)
    display.figure_.draw_without_rendering()
    starts = display.ax_.transData.transform(np.c_[table["low"], [0, 1]])
    edge = display.ax_.bbox.p0 + display.ax_.bbox.size * (0.98, 0)
    for line, start in zip(display.ax_.texts, starts, strict=True):
        ends = line.arrow_patch.get_transform().transform_path(line.arrow_patch.get_path()).vertices
        np.testing.assert_allclose(ends[[0, -1]], [start, (edge[0], start[1])])
    low, high = display.ax_.get_xlim()
    assert low < table["low"].min() < 2 * table["low"].max() < high


def test_the_axis_of_infinite_values_without_intervals_starts_at_0():
    infinite = Series(*np.array([[np.inf], [np.nan], [np.nan]]))
    low, high = GroupsDisplay(["a"], {"LR+": infinite}).plot().ax_.get_xlim()
    assert -0.1 < low < 0 < 1 < high < 1.1


def test_the_axis_says_that_priors_differ():
    sites = {
        "a": ConfusionMatrix(tp=20, fp=2, fn=5, tn=50),
        "b": ConfusionMatrix(tp=9, fp=3, fn=5, tn=47),
    }
    for pi0, label in ((None, "PPV, each at its own prior"), (0.1, "PPV at π$_0$ = 0.1")):
        display = GroupsDisplay.from_values(
            comparison.by_group(sites, "s", metrics="PPV", pi0=pi0), by="s"
        )
        assert display.ax_.get_xlabel() == label


def test_an_axis_names_the_prior_if_the_metric_depends_on_it():
    asked = {"AUC-ROC": "roc_auc", "recall(threshold=0)": Metric("recall", threshold=0)}
    for label, metric in {**asked, "AUC-PR at π$_0$ = 0.1": "average_precision"}.items():
        display = GroupsDisplay.from_values(table(pi0=0.1, metrics=metric), by="hospital")
        assert display.ax_.get_xlabel() == label
    curve, same = curve_of(), set()
    for name, metric in EVERY.items():
        of = metric._prepare(curve)
        at_two_priors = [metric._value(of.at_prior(pi0)) for pi0 in (0.1, 0.6)]
        same |= {name} if np.isclose(*at_two_priors, rtol=1e-9) else set()
    assert same == {name for name in EVERY if registered_scores()[name].is_prior_free}


def test_two_priors_are_side_by_side():
    values = table(pi0=[0.05, 0.3], confidence_level=0.9)
    display = GroupsDisplay.from_values(values, by="hospital")
    assert list(display.values) == ["π$_0$ = 0.05", "π$_0$ = 0.3"]
    for line, prior in zip(display.line_, (0.05, 0.3), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), values[values["pi0"] == prior]["value"])
    assert (display.line_[0].get_ydata() < display.line_[1].get_ydata()).all()
    assert display.line_[0].get_marker() != display.line_[1].get_marker()
    assert display.ax_.get_xlabel() == "AUC-PR"
    assert legend_of(display.ax_)[-1] == "90 % interval"


def test_groups_of_two_columns_at_their_own_priors():
    display = GroupsDisplay.from_values(
        table(["hospital", "ward"], pi0=None), by=["hospital", "ward"]
    )
    assert display.groups[:2] == ["Bern, 0", "Bern, 1"]
    assert list(display.values) == ["AUC-PR"]


def test_models_of_a_report():
    scores = {"A": FRAME["score"], "B": FRAME["score"] + RNG.normal(size=950)}
    report = classification_report(FRAME["ill"], y_score=scores, pi0=0.1).to_frame()
    display = GroupsDisplay.from_values(report, by="model", metric="roc_auc")
    assert display.groups == ["A", "B"]
    chosen = report[report["metric"] == "roc_auc"]
    np.testing.assert_array_equal(display.line_[0].get_xdata(), chosen["value"])


def test_a_stored_result_and_its_name():
    values = Series(*np.array([[0.5, 0.4], [np.nan, 0.3], [np.nan, 0.5]]))
    display = GroupsDisplay(["a", "b" * 40], {"AUC": values}).plot(
        name="$x$", curve_kwargs={"c": "k"}
    )
    assert legend_of(display.ax_) == [r"\$x\$", "no interval", "interval"]
    assert display.line_[0].get_color() == "k"
    with pytest.raises(ValueError, match="name must be None for several models or priors"):
        GroupsDisplay(["a", "b"], {"1": values, "2": values}).plot(name="x")


def few(metrics="average_precision", **options):
    """Three groups. The second has one positive and no interval."""
    frame = pd.DataFrame({"g": np.repeat(["A", "B", "C"], 300), "s": RNG.normal(size=900)})
    frame["y"] = np.concatenate([np.arange(300) < n for n in (30, 1, 30)])
    return comparison.by_group(frame, "g", y_true="y", y_score="s", metrics=metrics, **options)


@pytest.mark.parametrize("pi0", [0.01, [0.01, 0.1]], ids=["one prior", "two priors"])
def test_a_value_without_an_interval_is_an_open_marker(pi0):
    """A dot without a line looked like the most certain of all."""
    values = few(pi0=pi0)
    display = GroupsDisplay.from_values(values, by="g")
    assert len(display.withheld_) == len(display.line_)
    for opened, line in zip(display.withheld_, display.line_, strict=True):
        np.testing.assert_array_equal(opened.get_xydata(), line.get_xydata()[[1]])
        assert opened.get_markerfacecolor() == display.ax_.get_facecolor()
        assert opened.get_zorder() > line.get_zorder()
    assert legend_of(display.ax_).count("no interval") == 1


def test_values_are_not_marked_if_no_intervals_were_asked_for():
    display = GroupsDisplay.from_values(few(pi0=0.01, confidence_level=None), by="g")
    assert display.withheld_ == []
    assert legend_of(display.ax_) == ["AUC-PR"]


NORTH = "University Hospital North, ward "
OPTIONS = "0.05, 100", "0.05, 400", "0.50, 100"
ALIKE = {
    "end": [f"{NORTH}{letter}" for letter in "ABCDEFGHIJKLMNOP"],
    "start": [f"{letter} of the University Hospital North" for letter in "ABC"],
    "middle": [f"{'x' * 30} {letter} {'y' * 30}" for letter in "ABC"],
    "options": [f"Gradient boosting (rate = {each} rounds, balanced classes)" for each in OPTIONS],
    "department": [f"Department of {each}, {NORTH}A" for each in ("Cardiology", "Neurology")],
    "two places": [
        f"Department of Medicine, {campus} campus, {kind} wards, second admission series"
        for campus in ("Northern", "Southern")
        for kind in ("surgical", "medical")
    ],
    "mixed": [f"{NORTH}A", f"{NORTH}B", "Department of Cardiology, North", "short", "x" * 24],
    "equal as text": ["2024-01-01", "2024-01-01 00:00:00", pd.Timestamp("2024-01-01"), 1, "1"],
}


@pytest.mark.parametrize("names", ALIKE.values(), ids=ALIKE)
def test_no_two_groups_or_periods_have_the_same_label(names):
    """Names were cut at the end, so all wards of a hospital had one label."""
    values = Series(*np.full((3, len(names)), 0.5))
    of_groups = GroupsDisplay(names, {"AUC": values}).plot().ax_.get_yticklabels()
    of_periods = ChangeDisplay(names, values).plot().ax_.get_xticklabels()
    for labels in (of_groups, of_periods[: len(of_groups)]):
        found = [label.get_text() for label in labels]
        assert len(set(found)) == len(found)
        assert max(map(len, found)) <= 29


def test_the_label_of_names_that_differ_in_the_middle_shows_the_difference():
    """They were "Gradient boo…ed classes) (1)", "(2)", "(3)"."""
    display = GroupsDisplay(ALIKE["options"], {"AUC": Series(*np.full((3, 3), 0.5))}).plot()
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert all(option in label for option, label in zip(OPTIONS, labels, strict=True))


def test_the_label_of_names_that_differ_in_two_places_shows_both():
    """They were "Department o…sion series (1)", "(2)", "(3)", "(4)"."""
    display = GroupsDisplay(ALIKE["two places"], {"AUC": Series(*np.full((3, 4), 0.5))}).plot()
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels[:2] == ["… Northern … surgical …", "… Northern … medical …"]
    assert labels[2:] == ["… Southern … surgical …", "… Southern … medical …"]


def test_the_axis_has_the_label_of_an_own_metric_with_an_option():
    @register_score(label="top {share:.0%}", range=(0, 10))
    def top(curve, share=0.1):
        return share

    values = table(metrics=["top", Metric("top", share=0.2)], confidence_level=None)
    for metric, label in (("top", "top 10%"), ("top(share=0.2)", "top 20%")):
        display = GroupsDisplay.from_values(values, by="hospital", metric=metric)
        assert display.ax_.get_xlabel().startswith(label)


def test_labels_are_inside_a_narrow_figure():
    values = Series(*np.array([[0.5, 0.4], [0.3, np.nan], [0.6, np.nan]]))
    with mpl.rc_context({"figure.figsize": (3.3, 2.5)}):
        label = "AUC-PR at π$_0$ = 0.01"
        display = GroupsDisplay(ALIKE["mixed"][:2], {"AUC": values}, score_label=label).plot()
    display.figure_.draw_without_rendering()
    width = display.figure_.bbox.width
    for part in (display.ax_.xaxis.label, display.ax_.get_legend(), *display.ax_.get_yticklabels()):
        assert 0 <= part.get_window_extent().x0 < part.get_window_extent().x1 <= width


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (table(), {"by": "ward"}, r"values must have the columns \['ward'\]"),
        (table(["hospital", "ward"]), {"by": "hospital"}, r"one row for each of \['hospital'\]"),
        (table(metrics=["roc_auc", "prg_auc"]), {"by": "hospital"}, "one metric.*metric="),
    ],
)
def test_bad_tables(values, options, message):
    with pytest.raises(ValueError, match=message):
        GroupsDisplay.from_values(values, **options)


@picture
def test_picture_groups():
    return GroupsDisplay.from_values(table(pi0=[0.05, 0.3]), by="hospital", ax=column()).figure_
