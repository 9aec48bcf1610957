"""The figures of the note on calibrated classifiers show their tables, and can be read."""

import itertools

import numpy as np
import pytest
from figure_checks import assert_readable

from reproduction.label_free import experiment, figure

NAMES = list(experiment.DISTRIBUTIONS)
COMPUTATIONS = {"labels": "drawn labels", "scores": "scores alone", "distribution": "distribution"}
METRICS = {"accuracy": "accuracy", "precision": "precision", "recall": "recall", "f1": "F1"}
GRIDS = [
    (figure.draw_by_computation, "computation", COMPUTATIONS, "metric", METRICS),
    (figure.draw_by_metric, "metric", METRICS, "computation", COMPUTATIONS),
]


def legend_entries(figure):
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def rows_of(table, **columns):
    for column, value in columns.items():
        table = table[table[column] == value]
    return table


@pytest.mark.parametrize(("draw", "column", "titles", "line_column", "labels"), GRIDS)
def test_a_table_has_a_row_per_distribution(draw, column, titles, line_column, labels):
    table = experiment.run(n_samples=300, n_thresholds=41, seed=0)
    assert "differ by 0.000 on average" in draw(table.assign(value=0.5)).get_suptitle()
    drawn = draw(table)
    assert_readable(drawn)
    assert [axes.get_title() for axes in drawn.axes[: len(titles)]] == list(titles.values())
    assert [axes.get_ylabel() for axes in drawn.axes[:: len(titles)]] == NAMES
    assert legend_entries(drawn) == list(labels.values())
    panels = itertools.product(NAMES, titles)
    for axes, (distribution, title) in zip(drawn.axes, panels, strict=True):
        for line, of_line in zip(axes.get_lines(), labels, strict=True):
            which = {"distribution": distribution, column: title, line_column: of_line}
            rows = rows_of(table, **which)
            np.testing.assert_array_equal(line.get_xydata(), rows[["threshold", "value"]])


def test_convergence_has_a_panel_per_metric_and_a_guide_below_all_lines():
    table = experiment.convergence(sizes=[50, 200, 800], n_runs=5, seed=0)
    drawn = figure.draw_convergence(table.assign(rmse=0.1))
    assert drawn.get_suptitle().endswith("than drawn labels in 0 of 72 points")
    drawn = figure.draw_convergence(table)
    assert_readable(drawn)
    titles = [axes.get_title() for axes in drawn.axes]
    assert titles == [*METRICS.values(), "AUC-PR", "AUC-P$_c$R (π$_0$=0.5)"]
    assert legend_entries(drawn) == [*NAMES, "drawn labels", "scores alone", "slope −1/2"]
    of_lines = list(itertools.product(NAMES, ("labels", "scores")))
    for axes, metric in zip(drawn.axes, table["metric"].unique(), strict=True):
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
        *lines, guide = axes.get_lines()
        x, y = guide.get_data()
        np.testing.assert_allclose(np.diff(np.log(y)) / np.diff(np.log(x)), -0.5)
        for line, (distribution, computation) in zip(lines, of_lines, strict=True):
            which = {"distribution": distribution, "computation": computation, "metric": metric}
            rows = rows_of(table, **which)
            np.testing.assert_array_equal(line.get_xydata(), rows[["n_samples", "rmse"]])
            assert (np.asarray(line.get_ydata()) > y).all()
