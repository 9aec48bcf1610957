"""The coverage simulation: its samples, and its table."""

import math
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from reproduction.experiments import interval_coverage
from reproduction.experiments.interval_coverage import SAMPLES_PER_RUN, Population
from reproduction.experiments.score_distributions import threshold_of
from reproduction.settings import CoverageDesign, CoverageGrid

FEW = CoverageGrid(
    designs=list(get_args(CoverageDesign)),
    distributions=["binormal 1"],
    n_pos=[20],
    priors=[0.2],
    pi0s=[None, 0.5],
    scores=["average_precision", "roc_auc", "precision"],
)
NAMES = ["design", "distribution", "n_pos", "prior", "pi0", "score"]


def measured(grid, runs=(0,), seed=0):
    return interval_coverage.run(grid, n_resamples=10, runs=runs, seed=seed)


@pytest.fixture(scope="module")
def few():
    return measured(FEW)


def test_a_cell_has_a_row_per_reference_prior_and_score(few):
    table = interval_coverage.summary([few])
    # AUC-ROC does not depend on the reference prior.
    assert len(table) == 7 * 5
    assert (table["n_samples"] == SAMPLES_PER_RUN).all()
    assert (table["n_given"] == SAMPLES_PER_RUN).all()
    assert (table["status"] == "measured").all()
    assert table["pi0"].isna().sum() == 7 * 3
    np.testing.assert_allclose(table["coverage"] + table["below"] + table["above"], 1)
    assert table["mean_width"].gt(0).all()


def test_the_table_does_not_depend_on_the_blocks(few):
    grid = FEW.model_copy(update={"designs": ["rounded", "random counts"]})
    whole = interval_coverage.summary([measured(grid, range(2))])
    parts = interval_coverage.summary([measured(grid, [run]) for run in range(2)])
    assert whole.to_csv() == parts.to_csv()
    alone = measured(grid)
    of_all = few[few["design"].isin(grid.designs)].set_index(NAMES).sort_index()
    pd.testing.assert_frame_equal(alone.set_index(NAMES).sort_index(), of_all)
    assert not alone.equals(measured(grid, seed=1))


def test_a_reference_prior_that_equals_the_prior_is_measured_once():
    grid = CoverageGrid(
        distributions=["binormal 1"], n_pos=[20], priors=[0.5], scores=["precision"]
    )
    assert measured(grid)["pi0"].tolist() == pytest.approx([np.nan, 0.01], nan_ok=True)


def test_most_intervals_contain_the_true_value(few):
    table = interval_coverage.summary([few])
    assert len(table) > 0
    # Four standard deviations below 0.95, except where groups are ignored.
    least = 0.95 - 4 * math.sqrt(0.05 * 0.95 / SAMPLES_PER_RUN)
    assert table.loc[table["design"] != "groups ignored", "coverage"].min() > least


def test_an_interval_is_judged_by_the_true_value_of_its_population(monkeypatch):
    monkeypatch.setattr(Population, "true_value", lambda *_: 2.0)
    grid = CoverageGrid(distributions=["binormal 1"], n_pos=[20], scores=["roc_auc"])
    row = interval_coverage.summary([measured(grid)]).iloc[0]
    assert (row["coverage"], row["below"], row["above"]) == (0, 1, 0)
    assert row["bias"] < -1


def test_a_withheld_interval_is_not_counted():
    grid = CoverageGrid(
        distributions=["binormal 1"], n_pos=[20], pi0s=[0.01, 0.5], scores=["prg_auc"]
    )
    table = interval_coverage.summary([measured(grid)]).set_index("pi0")
    assert table["status"].to_dict() == {0.01: "withheld", 0.5: "measured"}
    assert table["n_given"].to_dict() == {0.01: 0, 0.5: SAMPLES_PER_RUN}
    assert table["warned"].to_dict() == {0.01: 1.0, 0.5: 0.0}
    assert math.isnan(table.loc[0.01, "coverage"])


def draw(design, other=None, *, n_pos=1000, prior=0.1, seed=0):
    population = Population(design, "binormal 1", other, n_pos, prior)
    return population.draw(np.random.default_rng(seed))


def test_groups_share_a_part_of_their_scores():
    rows = draw("groups").curve.sample
    sizes = np.bincount(rows.clusters)
    assert sizes.max() <= 50
    scores = rows.score - rows.positive
    means = np.bincount(rows.clusters, weights=scores) / sizes
    between = np.var(means[sizes > 25])
    assert between == pytest.approx(0.3 + 0.7 / 38, abs=0.08)
    assert np.var(scores) == pytest.approx(1, abs=0.1)


def test_two_models_agree_on_many_rows():
    models = draw("two models", "binormal 2", n_pos=2000, prior=0.5)
    a, b, positive = models.a.sample.score, models.b.sample.score, models.a.sample.positive
    correlation = np.corrcoef(a[~positive], b[~positive])[0, 1]
    assert correlation == pytest.approx(0.6, abs=0.06)
    gain = b[positive].mean() - a[positive].mean()
    assert gain == pytest.approx(1, abs=0.1)


def test_random_counts_are_binomial():
    counts = [draw("random counts", n_pos=50, seed=seed).curve.n_pos for seed in range(400)]
    assert np.mean(counts) == pytest.approx(50, abs=4 * math.sqrt(45 / 400))
    assert np.var(counts) == pytest.approx(45, rel=0.3)


def test_both_samples_have_their_counts_at_the_threshold_of_the_decisions():
    """A wide gap between the positives of the second sample holds the threshold of the first."""
    population = Population("two samples", "binormal 0.5", "binormal 2", 5, 0.001)
    threshold = threshold_of("binormal 0.5")
    rates = [
        pair.b.confusion_matrix(threshold).fp / pair.b.n_neg
        for pair in (population.draw(np.random.default_rng(seed)) for seed in range(20))
    ]
    assert np.mean(rates) == pytest.approx(norm.sf(threshold), abs=0.01)
    assert np.std(rates) < 0.02
