"""The figures of the note on calibrated classifiers show their tables, and can be read."""

import functools
import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_checks import (
    assert_all_text_is_inside,
    assert_no_texts_overlap,
    assert_same_files_whatever_the_users_settings,
    settle,
)

from reproduction.label_free import experiment as label_free_metrics
from reproduction.figures import cc_convergence, cc_table1, cc_table2, style

NAMES = list(label_free_metrics.DISTRIBUTIONS)
COMPUTATIONS = {
    "labels": "drawn labels",
    "scores": "scores alone",
    "distribution": "distribution",
}
METRICS = {"accuracy": "accuracy", "precision": "precision", "recall": "recall", "f1": "F1"}


@functools.cache
def curves():
    return label_free_metrics.run(n_samples=300, n_thresholds=41, seed=0)


@functools.cache
def errors():
    return label_free_metrics.convergence(sizes=[50, 200, 800], n_runs=5, seed=0)


DRAWN = {
    "cc_table1": lambda: cc_table1.draw(curves()),
    "cc_table2": lambda: cc_table2.draw(curves()),
    "cc_convergence": lambda: cc_convergence.draw(errors()),
}

# For looking at; what changes or saves a figure draws it anew.
drawn = functools.cache(lambda name: DRAWN[name]())


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(params=DRAWN)
def figure(request):
    return drawn(request.param)


def legend_entries(figure):
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def rows_of(table, **columns):
    for column, value in columns.items():
        table = table[table[column] == value]
    return table


# -------------------------------------------------------------------------- what all have


def test_all_text_lies_within_the_figure_and_clear_of_other_text(figure):
    assert_all_text_is_inside(figure)
    assert_no_texts_overlap(figure)


def test_all_data_lie_within_the_axes(figure):
    settle(figure)
    for axes in figure.axes:
        for values, limits in zip("xy", (axes.get_xlim(), axes.get_ylim()), strict=True):
            for line in axes.get_lines():
                data = getattr(line, f"get_{values}data")()
                assert np.all((np.asarray(data) >= limits[0]) & (np.asarray(data) <= limits[1]))


def test_the_legend_hides_no_data(figure):
    settle(figure)
    (legend,) = figure.legends
    box = legend.get_window_extent()
    for axes in figure.axes:
        assert not box.overlaps(axes.get_window_extent())


def test_figures_are_as_wide_as_a_page(figure):
    width, height = figure.get_size_inches()
    assert width == style.FULL_WIDTH
    assert height < 9


@pytest.mark.parametrize("name", DRAWN)
def test_the_users_settings_are_untouched_and_change_nothing(name, tmp_path):
    assert_same_files_whatever_the_users_settings(DRAWN[name], tmp_path)


# ---------------------------------------------------------------------------- the two tables


GRIDS = {
    "cc_table1": ("computation", COMPUTATIONS, "metric", METRICS),
    "cc_table2": ("metric", METRICS, "computation", COMPUTATIONS),
}


@pytest.mark.parametrize("name", GRIDS)
def test_a_row_per_distribution_and_a_named_column(name):
    _, titles, _, labels = GRIDS[name]
    figure = drawn(name)
    assert len(figure.axes) == len(NAMES) * len(titles)
    top, first = figure.axes[: len(titles)], figure.axes[:: len(titles)]
    assert [axes.get_title() for axes in top] == list(titles.values())
    assert [axes.get_ylabel() for axes in first] == NAMES
    bottom = figure.axes[-len(titles) :]
    assert {axes.get_xlabel() for axes in bottom} == {"threshold"}
    assert legend_entries(figure) == list(labels.values())


@pytest.mark.parametrize("name", GRIDS)
def test_every_line_is_that_of_the_table(name):
    column, titles, line_column, labels = GRIDS[name]
    panels = itertools.product(NAMES, titles)
    for axes, (distribution, title) in zip(drawn(name).axes, panels, strict=True):
        assert len(axes.get_lines()) == len(labels)
        for line, of_line in zip(axes.get_lines(), labels, strict=True):
            rows = rows_of(
                curves(), distribution=distribution, **{column: title, line_column: of_line}
            )
            assert len(rows) > 10
            np.testing.assert_array_equal(line.get_xdata(), rows["threshold"])
            np.testing.assert_array_equal(line.get_ydata(), rows["value"])


@pytest.mark.parametrize("name", GRIDS)
def test_lines_of_a_panel_differ_in_more_than_colour(name):
    lines = drawn(name).axes[0].get_lines()
    assert len({line.get_color() for line in lines}) == len(lines)
    looks = {(line.get_linestyle(), line.get_linewidth()) for line in lines}
    assert len(looks) == len(lines)


@pytest.mark.parametrize("name", GRIDS)
def test_one_distribution_is_one_row(name):
    module = {"cc_table1": cc_table1, "cc_table2": cc_table2}[name]
    figure = module.draw(rows_of(curves(), distribution="Beta(2, 3)"))
    assert len(figure.axes) == len(GRIDS[name][1])
    assert figure.axes[0].get_ylabel() == "Beta(2, 3)"


# ------------------------------------------------------------------------------- convergence


def test_a_panel_per_metric_and_a_line_per_distribution_and_computation():
    figure = drawn("cc_convergence")
    titles = [axes.get_title() for axes in figure.axes]
    assert titles[:5] == [*METRICS.values(), "AUC-PR"]
    assert titles[5].startswith("AUC-P$_c$R")
    assert legend_entries(figure) == [*NAMES, "drawn labels", "scores alone", "slope −1/2"]
    lines = list(itertools.product(NAMES, ("labels", "scores")))
    for axes, metric in zip(figure.axes, errors()["metric"].unique(), strict=True):
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
        *of_table, _ = axes.get_lines()
        for line, (distribution, computation) in zip(of_table, lines, strict=True):
            rows = rows_of(
                errors(), distribution=distribution, computation=computation, metric=metric
            )
            np.testing.assert_array_equal(line.get_xdata(), rows["n_samples"])
            np.testing.assert_array_equal(line.get_ydata(), rows["rmse"])


def test_the_guide_falls_as_the_root_and_crosses_no_line():
    for axes in drawn("cc_convergence").axes:
        *of_table, guide = axes.get_lines()
        x, y = guide.get_data()
        np.testing.assert_allclose(np.diff(np.log(y)) / np.diff(np.log(x)), -0.5)
        for line in of_table:
            assert (np.asarray(line.get_ydata()) > y).all()


def test_a_panel_for_each_metric_that_is_there():
    table = errors()[errors()["metric"].isin(["recall", "average_precision"])]
    figure = cc_convergence.draw(table)
    assert [axes.get_title() for axes in figure.axes] == ["recall", "AUC-PR"]
