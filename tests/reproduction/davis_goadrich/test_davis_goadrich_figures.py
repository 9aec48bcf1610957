"""The figures of Davis & Goadrich show their tables."""

import numpy as np
import pytest
from figure_checks import assert_readable

from reproduction.davis_goadrich import experiment, figure

TABLES = {
    "fig1": [experiment.fig1()],
    "fig5": [experiment.fig5()],
    "fig6": [experiment.fig6()],
    "fig7": [experiment.fig7(), experiment.fig7_areas()],
}


@pytest.fixture(params=TABLES, scope="module")
def drawn(request):
    tables = TABLES[request.param]
    return tables, getattr(figure, f"draw_{request.param}")(*tables)


def test_all_text_can_be_read(drawn):
    _, figure = drawn
    assert_readable(figure)


def test_panels_show_the_rows_of_their_space_and_prior(drawn):
    (table, *_), figure = drawn
    views = table.groupby(["space", "prior", "calibrated"], sort=False)
    for axes, ((space, prior, _), rows) in zip(figure.axes, views, strict=False):
        assert ("ROC space" if space == "roc" else f"= {prior:.2g}\n") in axes.get_title()
        shown = np.concatenate([line.get_xydata() for line in axes.get_lines()])
        assert sorted(map(tuple, shown)) == sorted(map(tuple, rows[["x", "y"]].to_numpy()))
        for area in rows["area"].dropna().unique():
            assert f"{area:.4f}" in axes.get_title()


def test_figure_7_shows_the_areas_and_what_they_prefer():
    drawn, all_areas = figure.draw_fig7(*TABLES["fig7"]), TABLES["fig7"][1]
    below = drawn.axes[-3:]
    assert [axes.get_title() for axes in below] == [
        "AUC-ROC\nprefers II at every prior",
        "AUC-PR\nprefers I at every prior",
        "AUC-PR Gain\nprefers I up to π$_0$ = 0.4, then II",
    ]
    for axes, measure in zip(below, ("roc_auc", "pr_auc", "prg_auc"), strict=True):
        for line, curve in zip(axes.get_lines(), ("I", "II"), strict=False):
            areas = all_areas.query(f"measure == '{measure}' and curve == '{curve}'")
            expected = areas.drop_duplicates("prior").sort_values("prior")
            np.testing.assert_allclose(line.get_xydata(), expected[["prior", "area"]], rtol=1e-12)


def test_titles_follow_the_tables():
    (table,) = TABLES["fig1"]
    assert figure.draw_fig1(table.assign(area=0.5)).get_suptitle() == (
        "AUC-ROC is 0.50 for both; at the prior of the data, AUC-PR is 0.50 for both"
    )
    (table,) = TABLES["fig6"]
    title = figure.draw_fig6(table.assign(area=0.25)).get_suptitle()
    assert title.endswith(": straight lines 0.250, correct interpolation 0.250")
