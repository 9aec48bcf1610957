"""Davis & Goadrich: what the claims notice, and that the figures show their tables."""

import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_all_text_is_inside, assert_no_texts_overlap
from perturbed import broken, moved

from reproduction.davis_goadrich import experiment, figure

NAMES = ["table1", "fig1", "fig5", "fig6", "fig6_areas", "fig7", "fig7_areas"]
DRAW = {
    "fig1": figure.draw_fig1,
    "fig5": figure.draw_fig5,
    "fig6": figure.draw_fig6,
    "fig7": figure.draw_fig7,
}


def _as_read_from_file(table):
    return pd.read_csv(io.StringIO(table.to_csv(index=False)))


TABLES = {
    f"dg_{name}": _as_read_from_file(table)
    for name, table in zip(NAMES, experiment.run(), strict=True)
}


def broken_by(name, edited):
    return broken("davis_goadrich", TABLES | {name: edited})


def test_all_claims_are_as_expected():
    assert broken("davis_goadrich", TABLES) == set()


DRAWN_LINES = [
    (f"dg_{figure}", curve, space)
    for figure, curves in {
        "fig1": ["1", "2"],
        "fig5": ["naive", "hull"],
        "fig6": ["straight lines", "exact"],
        "fig7": ["I", "II"],
    }.items()
    for curve in curves
    for space in ("roc", "pr")
    if (figure, space) != ("fig6", "roc")
]


@pytest.mark.parametrize("column", ["x", "y", "area"])
@pytest.mark.parametrize(("name", "curve", "space"), DRAWN_LINES)
def test_a_visible_change_of_a_line_breaks_a_claim(name, curve, space, column):
    key = TABLES[name].columns[0]
    place = "" if column == "area" else "and 0.3 < x < 0.9"
    rows = f"{key} == '{curve}' and space == '{space}' and part == 'line' {place}"
    if TABLES[name].query(rows).empty:  # a straight line has no point there
        rows = rows.removesuffix(place)
    assert broken_by(name, moved(TABLES[name], rows, column))


@pytest.mark.parametrize("name", ["dg_fig1", "dg_fig5", "dg_fig6", "dg_fig7"])
def test_a_mark_beside_its_lines_breaks_a_claim(name):
    edited = moved(TABLES[name], "part != 'line' and space == 'pr'", "y", share=-0.2)
    assert f"{name.replace('_', '-')}-panels" in broken_by(name, edited)


@pytest.mark.parametrize("measure", ["roc_auc", "pr_auc", "prg_auc"])
@pytest.mark.parametrize("curve", ["I", "II"])
def test_a_visible_change_of_an_area_breaks_a_claim(measure, curve):
    rows = f"measure == '{measure}' and curve == '{curve}' and 0.2 < prior < 0.3"
    assert broken_by("dg_fig7_areas", moved(TABLES["dg_fig7_areas"], rows, "area"))


@pytest.mark.parametrize("column", ["fp", "recall", "precision", *TABLES["dg_table1"].columns[4:]])
def test_a_change_of_table_1_breaks_a_claim(column):
    assert broken_by("dg_table1", moved(TABLES["dg_table1"], "tp == 7", column))


def test_models_swapped_in_pr_space_break_a_claim():
    table = TABLES["dg_fig1"].copy()
    in_pr = table["space"] == "pr"
    table.loc[in_pr, "model"] = table.loc[in_pr, "model"].replace({"1": "2", "2": "1"})
    assert "dg-fig1-areas-of-models" in broken_by("dg_fig1", table)


EDITS = {
    "dg-fig1-areas-of-models": ("dg_fig1", "model == '2' and space == 'roc'", "area", 0.98),
    "dg-theorem-3.2": ("dg_fig1", "part == 'crossing' and calibrated", "x", 1.01),
    "dg-corollary-3.1": ("dg_fig5", "curve == 'naive' and part == 'threshold'", "y", 1.2),
    "dg-fig6-straight-lines": ("dg_fig6", "curve == 'straight lines'", "area", 1.001),
    "dg-fig6-exact": ("dg_fig6", "curve == 'exact'", "area", 1.001),
    "dg-fig7-auc-roc": ("dg_fig7", "space == 'roc' and curve == 'I'", "area", 1.01),
    "dg-fig7-auc-pr-of-II": ("dg_fig7", "curve == 'II'", "area", 1.05),
    "dg-fig7-auc-pr-of-I": ("dg_fig7", "curve == 'I'", "area", 0.99),
    "dg-fig7-preferences": ("dg_fig7_areas", "curve == 'I' and prior > 0.9", "area", 0.9),
    "dg-fig7-gain-turns": ("dg_fig7_areas", "mark == 'equal areas'", "prior", 1.1),
}


@pytest.mark.parametrize("claim", EDITS)
def test_each_claim_can_fail(claim):
    name, rows, column, factor = EDITS[claim]
    edited = TABLES[name].copy()
    edited.loc[edited.query(rows).index, column] *= factor
    assert claim in broken_by(name, edited)


# -------------------------------------------------------------------------------------- figures


@pytest.fixture(params=DRAW)
def drawn(request):
    names = [name for name in TABLES if name.startswith(f"dg_{request.param}")]
    tables = [TABLES[name] for name in names if name != "dg_fig6_areas"]
    yield tables, DRAW[request.param](*tables)
    plt.close("all")


def test_all_text_can_be_read(drawn):
    _, figure = drawn
    assert_all_text_is_inside(figure)
    assert_no_texts_overlap(figure)


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
    drawn = figure.draw_fig7(TABLES["dg_fig7"], TABLES["dg_fig7_areas"])
    below = drawn.axes[-3:]
    assert [axes.get_title() for axes in below] == [
        "AUC-ROC\nprefers II at every prior",
        "AUC-PR\nprefers I at every prior",
        "AUC-PR Gain\nprefers I up to π$_0$ = 0.4, then II",
    ]
    for axes, measure in zip(below, ("roc_auc", "pr_auc", "prg_auc"), strict=True):
        for line, curve in zip(axes.get_lines(), ("I", "II"), strict=False):
            areas = TABLES["dg_fig7_areas"].query(f"measure == '{measure}' and curve == '{curve}'")
            expected = areas.drop_duplicates("prior").sort_values("prior")
            np.testing.assert_allclose(line.get_xydata(), expected[["prior", "area"]], rtol=1e-12)
    plt.close("all")
