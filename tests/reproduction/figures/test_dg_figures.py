"""Davis & Goadrich's figures show what their tables hold, and all of it can be read."""

import functools
import io
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figure_checks import (
    assert_all_text_is_inside,
    assert_no_texts_overlap,
    assert_same_files_whatever_the_users_settings,
    settle,
)

from reproduction.davis_goadrich import experiment as davis_goadrich
from reproduction.figures import dg_fig1, dg_fig5, dg_fig6, dg_fig7, style

FIRST, SECOND = (look["color"] for look in style.CATEGORIES[:2])


@dataclass(frozen=True)
class Drawn:
    """A figure of the paper, from the files that its tables are kept in."""

    draw: object
    tables: tuple
    colors: dict
    suptitle: str

    def read(self, **changes):
        return [_as_read_from_file(table(**changes)) for table in self.tables]

    def __call__(self, **changes):
        return self.draw(*self.read(**changes))


def _as_read_from_file(table):
    return pd.read_csv(io.StringIO(table.to_csv(index=False)))


FIGURES = {
    "dg_fig1": Drawn(
        dg_fig1.draw, (davis_goadrich.fig1,), {"1": FIRST, "2": SECOND}, "equal AUC-ROC"
    ),
    "dg_fig5": Drawn(
        dg_fig5.draw, (davis_goadrich.fig5,), {"naive": FIRST, "hull": SECOND}, "convex hull"
    ),
    "dg_fig6": Drawn(
        dg_fig6.draw,
        (davis_goadrich.fig6,),
        {"straight lines": FIRST, "exact": SECOND},
        "overestimates the area",
    ),
    "dg_fig7": Drawn(
        dg_fig7.draw,
        (davis_goadrich.fig7, davis_goadrich.fig7_areas),
        {"I": FIRST, "II": SECOND},
        "AUC-ROC prefers curve II",
    ),
}
VARIANTS = [
    *((name, None) for name in FIGURES),
    *((name, priors) for name in FIGURES for priors in ((), (0.01, 0.5))),
    ("dg_fig7", (0.01, 0.2, 0.5)),
]


@functools.cache
def drawn(name, priors=None):
    changes = {} if priors is None else {"reference_priors": priors}
    return FIGURES[name](**changes)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(params=FIGURES)
def name(request):
    return request.param


def views(table):
    return list(table.groupby(["space", "prior", "calibrated"], sort=False))


# ------------------------------------------------------------------------------ readability


@pytest.mark.parametrize(("name", "priors"), VARIANTS)
def test_all_text_lies_within_the_figure(name, priors):
    assert_all_text_is_inside(drawn(name, priors))


@pytest.mark.parametrize(("name", "priors"), VARIANTS)
def test_no_text_lies_on_another(name, priors):
    assert_no_texts_overlap(drawn(name, priors))


@pytest.mark.parametrize(("name", "priors"), VARIANTS)
def test_legends_hide_no_data(name, priors):
    figure = drawn(name, priors)
    settle(figure)
    legend = figure.legends[0].get_window_extent()
    for axes in figure.axes:
        label = axes.xaxis.label.get_window_extent()
        assert legend.y1 <= label.y0
        assert axes.get_window_extent().y0 > label.y1


@pytest.mark.parametrize(("name", "priors"), VARIANTS)
def test_all_data_lie_within_panels_about_square(name, priors):
    figure = drawn(name, priors)
    settle(figure)
    for axes in figure.axes:
        for line in axes.get_lines():
            for values, (low, high) in zip(
                line.get_data(), (axes.get_xlim(), axes.get_ylim()), strict=True
            ):
                assert (low <= np.asarray(values)).all()
                assert (np.asarray(values) <= high).all()
        box = axes.get_window_extent()
        assert box.width == pytest.approx(box.height, rel=0.25)
        assert box.width > 0.24 * figure.bbox.width


def test_figures_are_as_wide_as_a_page(name):
    width, height = drawn(name).get_size_inches()
    assert width == style.FULL_WIDTH
    assert height < 9


def test_the_users_settings_are_untouched_and_change_nothing(name, tmp_path):
    assert_same_files_whatever_the_users_settings(FIGURES[name], tmp_path)


# ------------------------------------------------------------------------------ what is shown


@pytest.mark.parametrize(("name", "priors"), VARIANTS)
def test_each_space_and_prior_has_a_panel_that_says_so(name, priors):
    changes = {} if priors is None else {"reference_priors": priors}
    table, *_ = FIGURES[name].read(**changes)
    figure = drawn(name, priors)
    for axes, ((space, prior, calibrated), _) in zip(figure.axes, views(table), strict=False):
        title = axes.get_title()
        labels = axes.get_xlabel(), axes.get_ylabel()
        if space == "roc":
            assert title.startswith("ROC space\nthe same at every prior\narea ")
            assert labels == ("false positive rate", "true positive rate")
        else:
            which = "reference prior π$_0$" if calibrated else "the data's prior π"
            assert title.startswith(f"PR space\n{which} = {prior:.2g}\narea ")
            assert labels == ("recall", "precision")


def test_the_title_says_the_point(name):
    assert FIGURES[name].suptitle in drawn(name).get_suptitle()


def test_lines_are_those_of_the_table(name):
    table, *_ = FIGURES[name].read()
    table = table.astype({table.columns[0]: str})
    for axes, (_, rows) in zip(drawn(name).axes, views(table), strict=False):
        for curve, color in FIGURES[name].colors.items():
            expected = rows[(rows[table.columns[0]] == curve) & (rows["part"] == "line")]
            (line,) = [
                line
                for line in axes.get_lines()
                if line.get_color() == color and line.get_linestyle() != "None"
            ]
            np.testing.assert_array_equal(line.get_xydata(), expected[["x", "y"]])
            assert f"{expected['area'].iloc[0]:.4f} (" in axes.get_title()


def test_marks_are_those_of_the_table(name):
    table, *_ = FIGURES[name].read()
    for axes, (_, rows) in zip(drawn(name).axes, views(table), strict=False):
        expected = rows.loc[rows["part"] != "line", ["x", "y"]].to_numpy()
        marks = [line for line in axes.get_lines() if line.get_linestyle() == "None"]
        np.testing.assert_array_equal(np.concatenate([m.get_xydata() for m in marks]), expected)


def test_every_line_and_mark_is_in_the_legend(name):
    figure = drawn(name)
    (legend,) = figure.legends
    entries = [text.get_text() for text in legend.get_texts()]
    lines = [line for axes in figure.axes for line in axes.get_lines()]
    assert entries == list(dict.fromkeys(line.get_label() for line in lines))
    assert all(axes.get_legend() is None for axes in figure.axes)


# --------------------------------------------------------------------------------- Figure 7


@pytest.mark.parametrize("priors", [None, (), (0.01, 0.2, 0.5)])
def test_figure_7_has_a_panel_per_measure_below(priors):
    below = [axes for axes in drawn("dg_fig7", priors).axes if "prior" in axes.get_xlabel()]
    assert [axes.get_title() for axes in below] == [
        "AUC-ROC\nprefers II at every prior",
        "AUC-PR\nprefers I at every prior",
        "AUC-PR Gain\nprefers I up to π$_0$ = 0.4, then II",
    ]


def test_figure_7_shows_the_areas():
    _, areas = FIGURES["dg_fig7"].read()
    for axes, measure in zip(
        drawn("dg_fig7").axes[-3:], ("roc_auc", "pr_auc", "prg_auc"), strict=True
    ):
        of_measure = areas[areas["measure"] == measure]
        first, second, at_data, crossing = axes.get_lines()
        for line, curve in ((first, "I"), (second, "II")):
            expected = of_measure[of_measure["curve"] == curve].sort_values("prior")
            np.testing.assert_array_equal(line.get_xydata(), expected[["prior", "area"]])
        assert (axes.get_xlabel(), axes.get_xscale()) == ("reference prior π$_0$", "linear")
        assert set(at_data.get_xdata()) == set(
            of_measure.loc[of_measure["mark"] == "data", "prior"]
        )
        equal = of_measure.loc[of_measure["mark"] == "equal areas", ["prior", "area"]].to_numpy()
        np.testing.assert_array_equal(crossing.get_xydata(), equal[:1].reshape(-1, 2))
