"""Davis & Goadrich's table and figures: the published numbers, and exact ones beside them."""

from fractions import Fraction

import numpy as np
import oracle
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, scores
from calibrated_metrics.dominance import compare
from reproduction.experiments import davis_goadrich as dg

COLUMNS = ["space", "prior", "calibrated", "pi0", "part", "x", "y", "area"]
TABLES = {"fig1": dg.fig1, "fig5": dg.fig5, "fig6": dg.fig6, "fig7": dg.fig7}


@pytest.fixture(params=TABLES)
def drawn(request):
    return TABLES[request.param]()


def lines(table):
    """Rows of each line, by what it shows, its space and its prior."""
    name = table.columns[0]
    of_lines = table[table["part"] == "line"]
    return dict(iter(of_lines.groupby([name, "space", "prior"], sort=False)))


def areas_of(table):
    return {key: rows["area"].iloc[0] for key, rows in lines(table).items()}


def exact_hull(name, pi0=None):
    """Figure 7's hulls at 20 positives and 2000 negatives."""
    points = {"I": [(0, 0), (10, 0), (20, 1500), (20, 2000)], "II": [(0, 0), (20, 500), (20, 2000)]}
    return oracle.Ranking.of_points(points[name]).by_formula(pi0)


# ------------------------------------------------------------------------------ all tables


def test_tables_of_curves_have_the_same_columns(drawn):
    assert list(drawn.columns[1:]) == COLUMNS
    assert drawn.index.tolist() == list(range(len(drawn)))
    assert drawn["x"].between(0, 1).all()
    assert drawn["y"].between(0, 1).all()
    assert drawn["area"].notna().equals(drawn["part"] == "line")


def test_the_prior_of_the_data_is_told_from_the_reference_priors(drawn):
    by_prior = drawn.groupby("prior")["calibrated"].unique()
    assert [list(flags) for flags in by_prior] == [[False], *[[True]] * (len(by_prior) - 1)]
    assert drawn[drawn["space"] == "roc"]["calibrated"].eq(False).all()


def test_lines_run_from_end_to_end_and_bound_their_areas(drawn):
    for (_name, space, prior), rows in lines(drawn).items():
        x, y = rows["x"].to_numpy(), rows["y"].to_numpy()
        assert (x[0], x[-1]) == (0, 1)
        assert (np.diff(x) >= 0).all()
        if space == "pr":
            assert y[-1] == pytest.approx(prior)
        assert np.trapezoid(y, x) == pytest.approx(rows["area"].iloc[0], abs=2e-3)


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


@pytest.mark.parametrize(
    "run", [*TABLES.values(), dg.table1, dg.fig6_areas, dg.fig7_areas], ids=lambda f: f.__name__
)
def test_reference_priors_can_be_chosen(run):
    none, many = run(reference_priors=()), run(reference_priors=(0.1, 0.3, 0.9))
    if run is dg.table1:
        assert [name for name in many if name not in none] == [
            "precision@pi0=0.1",
            "precision@pi0=0.3",
            "precision@pi0=0.9",
        ]
        return
    assert {0.1, 0.3, 0.9} <= set(many["prior"])
    assert not {0.1, 0.3, 0.9} & set(none["prior"])


@pytest.mark.parametrize(
    "run", [*TABLES.values(), dg.table1, dg.fig6_areas, dg.fig7_areas], ids=lambda f: f.__name__
)
def test_tables_are_the_same_again(run):
    pd.testing.assert_frame_equal(run(), run(), check_exact=True)


# --------------------------------------------------------------------------------- Table 1


def test_table_1_is_the_published_one():
    table = dg.table1()
    assert table["tp"].tolist() == [5, 6, 7, 8, 9, 10]
    assert table["fp"].tolist() == [5, 10, 15, 20, 25, 30]
    np.testing.assert_allclose(table["recall"], [0.25, 0.3, 0.35, 0.4, 0.45, 0.5], rtol=1e-15)
    assert table["precision"].round(3).tolist() == table["published_precision"].tolist()


def test_table_1_at_a_reference_prior():
    table = dg.table1(reference_priors=[0.5, 0.05, 20 / 2020])
    for row in table.itertuples(index=False):
        tpr, fpr = Fraction(row.tp) / 20, Fraction(row.fp) / 2000
        *_, half, twentieth, own = row
        assert half == pytest.approx(float(tpr / (tpr + fpr)), rel=1e-14)
        assert twentieth == pytest.approx(float(tpr / (tpr + 19 * fpr)), rel=1e-14)
        assert own == pytest.approx(row.precision, rel=1e-14)


def test_between_other_points_nothing_was_published():
    table = dg.table1((2, 1), (4, 9), 8, 100)
    assert table[["tp", "fp"]].to_numpy().tolist() == [[2, 1], [3, 5], [4, 9]]
    assert table["published_precision"].isna().all()


# -------------------------------------------------------------------------------- Figure 1


def test_figure_1_models_look_alike_in_roc_space_only():
    areas = areas_of(dg.fig1())
    prior = 100 / 20_100
    assert areas["1", "roc", prior] == pytest.approx(0.95, abs=2e-5)
    assert areas["2", "roc", prior] == pytest.approx(0.95, abs=2e-5)
    assert areas["2", "pr", prior] > 1.8 * areas["1", "pr", prior]
    assert abs(areas["2", "pr", 0.5] - areas["1", "pr", 0.5]) < 0.01


def test_figure_1_differs_more_the_rarer_the_positives():
    gaps = []
    for n_neg in (100, 1000, 10_000, 100_000):
        areas = areas_of(dg.fig1(n_neg=n_neg, reference_priors=()))
        prior = 100 / (100 + n_neg)
        gaps.append(areas["2", "pr", prior] / areas["1", "pr", prior])
    assert gaps == sorted(gaps)


def test_figure_1_models_change_the_lead_once():
    table = dg.fig1()
    crossing = table[table["part"] == "crossing"].set_index(["space", "prior"])
    assert len(crossing) == 3
    recall = crossing.loc["roc", "y"].iloc[0]
    assert (crossing.loc["pr", "x"] == recall).all()
    for key, rows in lines(table).items():
        if key[1] == "pr":
            at_crossing = np.interp(recall, rows["x"], rows["y"])
            assert at_crossing == pytest.approx(crossing.loc[key[1:], "y"], abs=1e-3)


def test_figure_1_first_model_is_the_binormal_one():
    distance = np.sqrt(2) * 1.6448536269514722  # of equal variances, for an area of 0.95
    population = ConfusionCurve.from_binormal(distance, 0, 100 / 20_100)
    area = areas_of(dg.fig1())["1", "pr", 100 / 20_100]
    assert area == pytest.approx(scores.pr_auc(population), abs=1e-4)


# -------------------------------------------------------------------------------- Figure 5


def test_figure_5_hull_is_above_all_thresholds_in_every_space():
    table = dg.fig5()
    naive = table[(table["curve"] == "naive") & (table["part"] == "threshold")]
    for (name, space, prior), hull in lines(table).items():
        if name == "hull":
            points = naive[(naive["space"] == space) & (naive["prior"] == prior)]
            below = np.interp(points["x"], hull["x"], hull["y"])
            assert (below[:-1] >= points["y"].iloc[:-1] - 1e-12).all()  # at recall 1 any precision


def test_figure_5_hull_is_made_of_thresholds():
    table = dg.fig5()
    marks = table[table["part"] == "threshold"]
    for (_space, _prior), rows in marks.groupby(["space", "prior"]):
        naive, hull = (
            set(zip(*rows.loc[rows["curve"] == name, ["x", "y"]].to_numpy().T, strict=True))
            for name in ("naive", "hull")
        )
        assert hull < naive
        assert len(naive) == 8
        assert len(hull) == 5


def test_figure_5_straight_lines_are_wrong_in_pr_space_both_ways():
    """They claim what nothing achieves, and miss what is achievable."""
    areas = areas_of(dg.fig5())
    prior = 100 / 2100
    assert areas["naive", "roc", prior] < areas["hull", "roc", prior]
    assert areas["naive", "pr", prior] > areas["hull", "pr", prior]
    assert areas["naive", "pr", 0.5] < areas["hull", "pr", 0.5]


def test_figure_5_areas_are_those_of_the_thresholds():
    fpr, tpr = [0, 0.25, 0.5, 1], [0, 0.5, 0.5, 1]
    curve = ConfusionCurve.from_roc(fpr, tpr, 4, 8)
    areas = areas_of(dg.fig5(fpr, tpr, 4, 8))
    assert areas["hull", "pr", curve.prior] == scores.achievable_pr_auc(curve)
    assert areas["hull", "roc", curve.prior] == scores.roc_auc(curve.hull())
    assert areas["naive", "roc", curve.prior] == scores.roc_auc(curve)
    assert areas["naive", "pr", curve.prior] == pytest.approx(
        0.5 * 1 / 2 + 0.5 * (1 / 3 + 1 / 3) / 2
    )


# -------------------------------------------------------------------------------- Figure 6


def test_figure_6_areas():
    table = dg.fig6_areas().query("not calibrated")
    found = table[["interpolation", "tp", "area", "published"]].to_numpy().tolist()
    assert found == [
        ["straight lines", 8.66, pytest.approx(0.514, abs=5e-4), 0.50],
        ["exact", 8.66, pytest.approx(0.0287, abs=5e-5), 0.031],
        ["exact", 9, pytest.approx(0.0295, abs=5e-5), 0.031],
        ["integer steps", 9, pytest.approx(0.0303, abs=5e-5), 0.031],
    ]


def test_figure_6_areas_are_exact():
    table = dg.fig6_areas(reference_priors=(0.05, 0.5, 0.99)).query("interpolation == 'exact'")
    for row in table.itertuples():
        ranking = oracle.Ranking.of_points([(0, 0), (row.tp, 0), (433, 56_164)])
        ranking = ranking.by_formula(row.prior if row.calibrated else None)
        assert oracle.relative_error(row.area, oracle.pr_auc(ranking)) < 1e-12


def test_figure_6_integer_steps_are_trapezoids_of_exact_points():
    prior = 433 / (433 + 56_164)
    for row in dg.fig6_areas().query("interpolation == 'integer steps'").itertuples():
        ratio = prior / (1 - prior) * (1 - row.prior) / row.prior
        tp = np.arange(9, 434)
        fp = 56_164 * (tp - 9) / (433 - 9)
        precision = tp / (tp + ratio * fp)
        area = 9 / 433 + np.trapezoid(precision, tp / 433)
        assert row.area == pytest.approx(area, rel=1e-12)


def test_figure_6_straight_lines():
    for row in dg.fig6_areas().query("interpolation == 'straight lines'").itertuples():
        assert row.area == pytest.approx(0.02 + 0.98 * (1 + row.prior) / 2, rel=1e-12)


def test_figure_6_lines_have_the_areas_of_the_table():
    areas = dg.fig6_areas().set_index(["interpolation", "tp", "prior"])["area"]
    for (name, _space, prior), area in areas_of(dg.fig6()).items():
        assert area == areas[name, 8.66, prior]


def test_figure_6_of_other_data_has_nothing_published():
    assert dg.fig6_areas(0.1, 40, 1000)["published"].isna().all()
    assert dg.fig6_areas().query("calibrated")["published"].isna().all()


# -------------------------------------------------------------------------------- Figure 7


def test_figure_7_areas_are_the_published_ones():
    table = dg.fig7_areas().query("mark == 'data' and measure != 'prg_auc'")
    rows = table.set_index(["measure", "curve"])
    assert rows.loc[("roc_auc", "II"), "area"] == 0.875
    assert rows.loc[("roc_auc", "I"), "area"] == 0.8125
    assert rows.loc[("pr_auc", "II"), "area"] == pytest.approx(1 / 26, rel=1e-15)
    assert rows.loc[("pr_auc", "I"), "area"] == pytest.approx(0.520, abs=5e-4)
    assert rows["published"].to_dict() == {
        ("roc_auc", "I"): 0.813,
        ("roc_auc", "II"): 0.875,
        ("pr_auc", "I"): 0.514,
        ("pr_auc", "II"): 0.038,
    }
    assert (rows["area"] - rows["published"]).abs().max() < 0.006


def test_figure_7_areas_are_exact_rationals():
    assert oracle.roc_auc(exact_hull("I")) == Fraction(13, 16)
    assert oracle.roc_auc(exact_hull("II")) == Fraction(7, 8)
    assert oracle.average_precision(exact_hull("II")) == Fraction(1, 26)  # precision is constant
    assert Fraction(oracle.pr_auc(exact_hull("II"))) - Fraction(1, 26) < Fraction(1, 10**70)


@pytest.mark.parametrize("measure", ["roc_auc", "pr_auc", "prg_auc"])
def test_figure_7_areas_are_exact_at_every_prior(measure):
    table = dg.fig7_areas(reference_priors=(0.05, 0.5, 0.9), n_priors=7)
    for row in table[table["measure"] == measure].itertuples():
        exact = getattr(oracle, measure)(
            exact_hull(row.curve, None if row.mark == "data" else row.prior)
        )
        assert oracle.error(row.area, exact) < 1e-12


def test_figure_7_auc_pr_agrees_with_auc_roc_at_no_prior():
    """A prior of 1 is the limit: r ∫ FPR/TPR dTPR is missing to 1, (1 - ln 2) 3/4 against 1/4."""
    first, second = dg._curves_of_figure_7(20, 2000).values()
    assert dg.prior_of_equal_areas(first, second) is None
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


def test_figure_7_preferences():
    table = dg.fig7_areas().query("mark == 'grid'")
    areas = table.set_index(["measure", "curve", "prior"]).sort_index()["area"]
    assert (areas["roc_auc", "II"] > areas["roc_auc", "I"]).all()
    assert (areas["pr_auc", "I"] > areas["pr_auc", "II"]).all()
    prefers_second = areas["prg_auc", "II"] > areas["prg_auc", "I"]
    assert (prefers_second == (prefers_second.index > 0.4)).all()


def test_figure_7_curves_cross_at_the_same_matrix_in_every_space():
    crossing = dg.fig7().query("part == 'crossing'").set_index(["space", "calibrated"])
    assert crossing.loc[("roc", False), ["x", "y"]].tolist() == pytest.approx([0.15, 0.6])
    assert crossing.loc[("pr", False), ["x", "y"]].tolist() == pytest.approx([0.6, 1 / 26])
    assert crossing.loc[("pr", True), ["x", "y"]].tolist() == pytest.approx([0.6, 0.8])


def test_other_class_sizes_have_nothing_published():
    assert dg.fig7_areas(30, 300)["published"].isna().all()


def test_prior_of_equal_areas_is_a_root():
    one = ConfusionCurve.from_roc([0, 0, 0.75, 1], [0, 0.3, 1, 1], 1, 1)
    other = ConfusionCurve.from_roc([0, 0.25, 1], [0, 0.98, 1], 1, 1)
    pi0 = dg.prior_of_equal_areas(one, other)
    assert compare(one, other).crossings  # dominance would leave none
    assert scores.pr_auc(one.at_prior(pi0)) == pytest.approx(scores.pr_auc(other.at_prior(pi0)))
    assert dg.prior_of_equal_areas(other, one) == pytest.approx(pi0)
    assert dg.prior_of_equal_areas(one, one) is None
