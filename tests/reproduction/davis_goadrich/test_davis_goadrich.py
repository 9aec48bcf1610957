"""Davis & Goadrich: the tables against exact ones."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import oracle
import pytest
from scipy.spatial import cKDTree
from scipy.stats import norm

from calibrated_metrics import ConfusionCurve, scores
from reproduction.davis_goadrich import experiment as dg
from reproduction.davis_goadrich.curves import crossings

COLUMNS = ["space", "prior", "calibrated", "pi0", "part", "x", "y", "area"]
TABLES = {"fig1": dg.fig1(), "fig5": dg.fig5(), "fig6": dg.fig6(), "fig7": dg.fig7()}


@pytest.fixture(params=TABLES)
def drawn(request):
    return TABLES[request.param]


def lines(table):
    """Rows of each line, by what it shows, its space and its prior."""
    name = table.columns[0]
    of_lines = table[table["part"] == "line"]
    return dict(iter(of_lines.groupby([name, "space", "prior"], sort=False)))


def areas_of(table):
    return {key: rows["area"].unique().item() for key, rows in lines(table).items()}


def exact_hull(name, pi0=None):
    """Figure 7's hulls at 20 positives and 2000 negatives."""
    points = {"I": [(0, 0), (10, 0), (20, 1500), (20, 2000)], "II": [(0, 0), (20, 500), (20, 2000)]}
    return oracle.Ranking.of_points(points[name]).by_formula(pi0)


# ------------------------------------------------------------------------------ all tables


def test_tables_of_curves_have_the_same_columns(drawn):
    assert list(drawn.columns[1:]) == COLUMNS
    assert drawn["x"].between(0, 1).all()
    assert drawn["y"].between(0, 1).all()
    assert drawn["area"].notna().equals(drawn["part"] == "line")
    areas = drawn.groupby([drawn.columns[0], "space", "prior"])["area"]
    assert areas.min().equals(areas.max())


def test_the_prior_of_the_data_is_told_from_the_reference_priors(drawn):
    by_prior = drawn.groupby("prior")["calibrated"].unique()
    assert [list(flags) for flags in by_prior] == [[False], *[[True]] * (len(by_prior) - 1)]
    assert drawn[drawn["space"] == "roc"]["calibrated"].eq(False).all()


def test_lines_run_from_end_to_end(drawn):
    for (_name, space, prior), rows in lines(drawn).items():
        x, y = rows["x"].to_numpy(), rows["y"].to_numpy()
        assert (x[0], x[-1]) == (0, 1)
        assert (np.diff(x) >= 0).all()
        if space == "pr":
            assert y[-1] == pytest.approx(prior)


def test_marked_points_are_one_confusion_matrix_in_every_space(drawn):
    """Theorem 3.1: recall and precision give the ROC point back, at each prior."""
    marks = drawn[drawn["part"] != "line"]
    for _, of_curve in marks.groupby([drawn.columns[0], "part"]):
        fprs = []
        for (space, prior), rows in of_curve.groupby(["space", "prior"]):
            x, y = rows["x"].to_numpy(), rows["y"].to_numpy()
            fprs.append(x if space == "roc" else x * (1 / y - 1) * prior / (1 - prior))
        for fpr in fprs:
            np.testing.assert_allclose(fpr, fprs[0], rtol=1e-9, atol=1e-12)


def test_table_1_is_exact():
    table = dg.table1()
    assert table["tp"].tolist() == [5, 6, 7, 8, 9, 10]
    assert table["fp"].tolist() == [5, 10, 15, 20, 25, 30]
    for row in table.to_dict("records"):
        tpr, fpr = Fraction(row["tp"]) / 20, Fraction(row["fp"]) / 2000
        for column, ratio in {
            "precision": 100,
            "precision@pi0=0.5": 1,
            "precision@pi0=0.05": 19,
        }.items():
            assert row[column] == pytest.approx(float(tpr / (tpr + ratio * fpr)), rel=1e-14)


# ROC vertices (FPR, TPR) of the lines. Those of Figure 1 are populations with normal scores.
VERTICES = {
    ("fig5", "naive"): np.transpose([dg._FPR, dg._TPR]),
    ("fig5", "exact"): np.transpose([dg._FPR, dg._TPR]),
    ("fig5", "hull"): [(0, 0), (0.002, 0.15), (0.04, 0.5), (0.15, 0.8), (0.5, 0.96), (1, 1)],
    ("fig6", "straight lines"): [(0, 0), (0, 0.02), (1, 1)],
    ("fig6", "exact"): [(0, 0), (0, 0.02), (1, 1)],
    ("fig7", "I"): [(0, 0), (0, 0.5), (0.75, 1), (1, 1)],
    ("fig7", "II"): [(0, 0), (0.25, 1), (1, 1)],
}
for curve, sd in (("1", 1.0), ("2", 1.5)):
    mean = norm.ppf(0.95) * np.hypot(1, sd)
    at = np.linspace(mean + 8 * sd, -8, 2000)
    VERTICES["fig1", curve] = np.transpose([norm.sf(at), norm.sf((at - mean) / sd)])


def filled(vertices):
    """Many points on the straight lines between vertices."""
    share = np.linspace(0, 1, 100_000 // len(vertices))[:, None]
    return np.concatenate([a + share * (b - a) for a, b in pairwise(np.array(vertices, float))])


def in_pr_space(points, prior):
    fpr, tpr = points[np.any(points, axis=1)].T
    precision = prior * tpr / (prior * tpr + (1 - prior) * fpr)
    return np.transpose([np.append(0, tpr), np.append(precision[0], precision)])


@pytest.mark.parametrize("name", TABLES)
def test_each_drawn_point_is_on_the_exact_line(name):
    """Lines are straight in ROC space, and some wrongly in PR space, too."""
    for (curve, space, prior), rows in lines(TABLES[name]).items():
        vertices = np.array(VERTICES[name, curve])
        if space == "roc":
            exact = filled(vertices)
        elif curve in ("naive", "straight lines"):
            exact = filled(in_pr_space(vertices, prior))
        else:
            exact = in_pr_space(filled(vertices), prior)
        distances, _ = cKDTree(exact).query(rows[["x", "y"]])
        assert distances.max() < 0.005, (curve, space, prior)  # the width of a line


# -------------------------------------------------------------------------------- Figure 5


def test_figure_5_hull_is_made_of_thresholds():
    marks = TABLES["fig5"].query("part == 'threshold'")
    for _, rows in marks.groupby(["space", "prior"]):
        naive, hull = (
            set(zip(*rows.loc[rows["curve"] == name, ["x", "y"]].to_numpy().T, strict=True))
            for name in ("naive", "hull")
        )
        assert hull < naive
        assert (len(naive), len(hull)) == (8, 5)


def test_figure_5_areas_are_those_of_the_thresholds():
    curve = ConfusionCurve.from_roc(tpr=dg._TPR, fpr=dg._FPR, n_pos=100, n_neg=2000)
    areas = areas_of(TABLES["fig5"])
    assert areas["hull", "pr", curve.prior] == scores.achievable_pr_auc(curve)
    assert areas["hull", "roc", curve.prior] == scores.roc_auc(curve.hull())
    assert areas["naive", "roc", curve.prior] == scores.roc_auc(curve)
    assert areas["exact", "pr", curve.prior] == scores.pr_auc(curve)
    fpr, tpr = np.array(dg._FPR[1:]), np.array(dg._TPR[1:])
    for pi0 in (curve.prior, 0.5):
        precision = tpr / (tpr + fpr * (1 - pi0) / pi0)
        area = tpr[0] * precision[0] + np.trapezoid(precision, tpr)
        assert areas["naive", "pr", pi0] == pytest.approx(area, rel=1e-12)


# -------------------------------------------------------------------------------- Figure 6


def test_figure_6_areas_are_exact():
    prior = 433 / (433 + 56_164)
    point = oracle.Ranking.of_points([(0, 0), (8.66, 0), (433, 56_164)])
    for (name, _space, at), area in areas_of(TABLES["fig6"]).items():
        if name == "exact":
            exact = oracle.pr_auc(point.by_formula(None if at == prior else at))
            assert oracle.relative_error(area, exact) < 1e-12
        else:
            assert area == pytest.approx(0.02 + 0.98 * (1 + at) / 2, rel=1e-12)


# -------------------------------------------------------------------------------- Figure 7


def test_figure_7_areas_are_exact_at_every_prior():
    for row in dg.fig7_areas().iloc[::5].itertuples():
        hull = exact_hull(row.curve, None if row.mark == "data" else row.prior)
        assert oracle.error(row.area, getattr(oracle, row.measure)(hull)) < 1e-12


def test_figure_7_auc_pr_agrees_with_auc_roc_at_no_prior():
    """A prior of 1 is the limit: r ∫ FPR/TPR dTPR is missing to 1, (1 - ln 2) 3/4 against 1/4."""
    first, second = dg._FIGURE_7.values()
    for pi0 in np.concatenate([np.geomspace(1e-6, 0.5, 200), 1 - np.geomspace(1e-6, 0.5, 200)]):
        assert scores.pr_auc(first.at_prior(pi0)) > scores.pr_auc(second.at_prior(pi0))
    pi0 = 1 - 1e-5
    missing = [1 - scores.pr_auc(curve.at_prior(pi0)) for curve in (first, second)]
    expected = [0.75 * (1 - np.log(2)), 0.25]
    np.testing.assert_allclose(np.array(missing) * pi0 / (1 - pi0), expected, rtol=1e-4)


def test_figure_7_gain_areas_are_equal_at_two_fifths():
    """Area of I is 1 - 3/8 odds up to odds of 1, that of II is 3/4 throughout."""
    table = dg.fig7_areas().query("mark == 'equal areas'")
    assert set(table["measure"]) == {"prg_auc"}
    np.testing.assert_allclose(table["prior"], 0.4, rtol=1e-12)
    np.testing.assert_allclose(table["area"], 0.75, rtol=1e-12)
    exact = [oracle.prg_auc(exact_hull(name, Fraction(2, 5))) for name in ("I", "II")]
    assert exact == [Fraction(3, 4), Fraction(3, 4)]


def test_figure_7_curves_cross_at_the_same_matrix_in_every_space():
    crossing = TABLES["fig7"].query("part == 'crossing'").set_index(["space", "calibrated"])
    assert crossing.loc[("roc", False), ["x", "y"]].tolist() == pytest.approx([0.15, 0.6])
    assert crossing.loc[("pr", False), ["x", "y"]].tolist() == pytest.approx([0.6, 1 / 26])
    assert crossing.loc[("pr", True), ["x", "y"]].tolist() == pytest.approx([0.6, 0.8])


def crossings_of(*paths):
    """Crossings in ROC space of two curves through these points."""
    curves = [
        ConfusionCurve.from_roc(fpr=fpr, tpr=tpr, n_pos=20, n_neg=2000)
        for fpr, tpr in (zip(*path, strict=True) for path in paths)
    ]
    return crossings(*curves).query("space == 'roc'")[["x", "y"]].to_numpy().tolist()


def test_curves_that_only_touch_do_not_cross():
    upper = [(0, 0), (0.2, 0.6), (1, 1)]
    lower = [(0, 0), (0.1, 0.1), (0.2, 0.6), (0.5, 0.6), (1, 1)]
    assert crossings_of(upper, lower) == crossings_of(lower, upper) == []


def test_of_a_stretch_in_common_the_end_counts_as_the_crossing():
    first = [(0, 0), (0.1, 0.4), (0.5, 0.8), (0.8, 0.9), (1, 1)]
    second = [(0, 0), (0.2, 0.5), (0.4, 0.7), (0.6, 1), (1, 1)]
    assert crossings_of(first, second) == [pytest.approx([0.4, 0.7])]


def test_steps_cross_where_their_paths_do():
    first, second = [(0, 0), (0, 0.5), (0.5, 0.5), (0.5, 1), (1, 1)], [(0, 0), (0.25, 1), (1, 1)]
    assert crossings_of(first, second) == [pytest.approx([0.125, 0.5])]
