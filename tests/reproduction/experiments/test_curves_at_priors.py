"""Figure 2's table: three curves in three spaces, with the areas that the library gives them."""

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, scores, spaces
from reproduction.fraud import curves as curves_at_priors
from reproduction.core.sweeps import likelihood_ratio_sample

AREAS = {"roc": scores.roc_auc, "pr": scores.average_precision, "prg": scores.prg_auc}
SAMPLES = ("all", "undersampled", "calibrated")


@pytest.fixture(scope="module")
def curve():
    labelled = likelihood_ratio_sample(600, 199_400, 2.2, 0.0, np.random.default_rng(0))
    return ConfusionCurve.from_predictions(*labelled)


@pytest.fixture(scope="module")
def table(curve):
    return curves_at_priors.run(curve, seed=1)


def line(table, space, sample):
    return table[(table["space"] == space) & (table["sample"] == sample)]


def test_three_curves_in_three_spaces(table):
    assert list(table.columns) == [
        *("space", "sample", "prior", "pi0", "n_pos", "n_neg", "x", "y", "area"),
    ]
    assert (table["pi0"].notna() == (table["sample"] == "calibrated")).all()
    assert set(table["pi0"].dropna()) == {0.5}
    groups = list(table.groupby(["space", "sample"], sort=False).groups)
    assert groups == [(space, sample) for space in AREAS for sample in SAMPLES]


def test_curves_have_few_points_and_both_ends(table, curve):
    sizes = table.groupby(["space", "sample"]).size()
    assert sizes.max() <= 500
    assert sizes.min() > 100
    assert line(table, "roc", "all")[["x", "y"]].iloc[[0, -1]].to_numpy().tolist() == [
        [0, 0],
        [1, 1],
    ]
    assert line(table, "pr", "all")["x"].iloc[[0, -1]].tolist() == [0, 1]
    assert line(table, "pr", "all")["y"].iloc[-1] == pytest.approx(curve.prior)
    assert line(table, "prg", "calibrated")["x"].iloc[[0, -1]].tolist() == [0, 1]


@pytest.mark.parametrize("space", AREAS)
def test_curves_run_to_the_right(table, space):
    for sample in SAMPLES:
        assert line(table, space, sample)["x"].is_monotonic_increasing


@pytest.mark.parametrize("n_points", [2, 3, 50])
def test_at_most_as_many_points_as_asked_for(curve, n_points):
    sizes = (
        curves_at_priors.run(curve, seed=1, n_points=n_points).groupby(["space", "sample"]).size()
    )
    assert sizes.between(2, n_points).all()


def test_a_short_curve_is_left_whole():
    curve = ConfusionCurve.from_predictions([1, 0, 1, 0, 0, 0], [6, 5, 4, 3, 2, 1])
    table = curves_at_priors.run(curve, seed=0)
    x, y = spaces.roc(curve)
    assert line(table, "roc", "all")["x"].tolist() == x.tolist()
    assert line(table, "roc", "all")["y"].tolist() == y.tolist()


@pytest.mark.parametrize("space", AREAS)
def test_areas_are_those_of_the_library(table, curve, space):
    for sample, expected in (("all", curve), ("calibrated", curve.at_prior(0.5))):
        rows = line(table, space, sample)
        assert rows["area"].unique().tolist() == [AREAS[space](expected)]
        assert rows["prior"].iloc[0] == expected.prior


@pytest.mark.parametrize("space", ["roc", "prg"])
def test_thinned_curves_enclose_the_areas(table, space):
    """Straight lines are exact in both spaces, so points lost are all that can be missing."""
    for sample in SAMPLES:
        rows = line(table, space, sample)
        assert np.trapezoid(rows["y"], rows["x"]) == pytest.approx(rows["area"].iloc[0], abs=2e-3)


def test_the_undersampled_curve_is_of_a_balanced_sample(table):
    rows = line(table, "pr", "undersampled")
    assert (rows[["n_pos", "n_neg"]] == 600).all(axis=None)
    assert set(rows["prior"]) == {0.5}
    others = table[table["sample"] != "undersampled"]
    assert set(others["n_neg"]) == {199_400}


@pytest.mark.parametrize("space", AREAS)
def test_the_calibrated_curve_lies_on_the_balanced_one(table, space):
    balanced, calibrated = (line(table, space, each) for each in ("undersampled", "calibrated"))
    grid = np.linspace(0.05, 0.95, 91)
    gap = np.abs(
        np.interp(grid, balanced["x"], balanced["y"])
        - np.interp(grid, calibrated["x"], calibrated["y"])
    )
    assert gap.max() < 0.06


def test_roc_does_not_change_and_precision_does(table):
    areas = table.groupby(["space", "sample"])["area"].first()
    assert areas["roc", "all"] == pytest.approx(areas["roc", "calibrated"], rel=1e-12)
    assert areas["pr", "all"] < 0.3
    assert areas["pr", "calibrated"] > 0.9
    assert areas["prg", "all"] > 0.99 > areas["prg", "calibrated"]


def test_the_table_is_the_same_again(table, curve):
    again = curves_at_priors.run(curve, seed=1)
    pd.testing.assert_frame_equal(again, table, check_exact=True)
    other = curves_at_priors.run(curve, seed=2)
    same = other["sample"].ne("undersampled").to_numpy()
    kept = table["sample"].ne("undersampled").to_numpy()
    assert other[same]["y"].tolist() == table[kept]["y"].tolist()
    assert other[~same]["area"].tolist()[0] != table[~kept]["area"].tolist()[0]


def test_a_prior_below_that_of_the_data_is_refused(curve):
    with pytest.raises(ValueError, match="pi0"):
        curves_at_priors.run(curve, seed=0, pi0=0.001)


def test_a_single_point_is_refused(curve):
    with pytest.raises(ValueError, match="n_points"):
        curves_at_priors.run(curve, seed=0, n_points=1)
