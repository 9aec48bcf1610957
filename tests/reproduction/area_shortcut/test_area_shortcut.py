"""The rescaled area: right for a matrix, wrong for a curve."""

import numpy as np
import pytest
from figure_checks import assert_readable
from scipy.integrate import quad
from scipy.stats import norm

from calibrated_metrics import ConfusionMatrix
from calibrated_metrics.scores import precision
from reproduction.area_shortcut import experiment, figure


@pytest.fixture(scope="module")
def table():
    return experiment.run()


@pytest.mark.parametrize("pi0", [0.001, 0.3, 0.5, 0.9])
def test_rescaling_is_exact_for_one_threshold(pi0):
    matrix = ConfusionMatrix(tp=30, fp=20, fn=10, tn=140)
    ours = experiment.rescaled(precision(matrix), 0.2, pi0)
    assert ours == pytest.approx(precision(matrix.at_prior(pi0)), rel=1e-12)


@pytest.mark.parametrize(("mean", "sd"), [(2.0, 1.0), (2.2, 2.0)])
@pytest.mark.parametrize("prior", [0.01, 0.5])
def test_areas_of_populations_agree_with_quadrature(table, mean, sd, prior):
    def value(recall):
        fpr = norm.sf(mean + sd * norm.isf(recall))
        return prior * recall / (prior * recall + (1 - prior) * fpr)

    is_model = table["model"] == ("d = 2" if sd == 1 else "wide")
    (ours,) = table.loc[is_model & (table["prior"] == prior), "auc_pr"]
    assert ours == pytest.approx(quad(value, 0, 1, limit=200)[0], abs=1e-5)


def test_the_rescaled_area_is_right_at_the_reference_prior(table):
    at_half = table[table["prior"] == table["pi0"]]
    np.testing.assert_allclose(at_half["shortcut"], at_half["exact"], rtol=1e-12)


def test_the_rescaled_area_is_wrong_away_from_the_reference_prior_and_swaps_two_models(table):
    error = (table["shortcut"] - table["exact"]) * np.sign(table["pi0"] - table["prior"])
    assert (error[table["prior"] != table["pi0"]] > 0).all()  # Jensen's inequality
    rescaled = table.pivot_table("shortcut", "prior", "model")
    assert rescaled.loc[0.01, "d = 2"] == pytest.approx(0.973, abs=0.0005)
    rare = rescaled.loc[:0.05]
    assert (rare["wide"] > rare["d = 2"] + 0.001).all()


def test_the_figure_can_be_read(table):
    drawn = figure.draw(table)
    assert_readable(drawn)
    lines = iter(drawn.axes[1].get_lines())
    for model in ("d = 2", "wide"):
        rows = table[table["model"] == model]
        for column in ("exact", "shortcut"):
            np.testing.assert_array_equal(next(lines).get_xydata(), rows[["prior", column]])


def test_the_title_follows_the_table(table):
    title = figure.draw(table).get_suptitle()
    assert title.endswith("by up to 0.12,\nand swaps the two models on the right at 6 of 13 priors")
    title = figure.draw(table.assign(shortcut=table["exact"])).get_suptitle()
    assert title.endswith("by up to 0.00,\nand swaps the two models on the right at 0 of 13 priors")
