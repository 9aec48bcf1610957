"""Figure 5: its table and its figure."""

import numpy as np
import pandas as pd
import pytest
from figure_checks import assert_readable
from scipy import stats

from reproduction.core.metrics import Metric, read_metrics
from reproduction.core.settings import Metrics
from reproduction.core.sweeps import bands
from reproduction.kl_sweep import experiment, figure
from reproduction.kl_sweep.settings import Settings

MEANS = [0.0, 1.5, 1.0, 2.0]
SETTINGS = Settings(n_samples=2000, mu0=MEANS, lowest_prior=0.01).of_one_run()
COLUMNS = ["mu0", "kl", "squared_distance", "run", "prior", "n_pos", "n_neg"]
COLUMNS += ["metric", "pi0", "value", "population"]
METRICS = read_metrics(Metrics().described("sweep"))


def run(metrics=METRICS, runs=(0, 4), seed=11, **changes):
    return experiment.run(metrics, **{**SETTINGS, **changes}, seed=seed, runs=runs)


@pytest.fixture(scope="module")
def table():
    return run()


def test_a_row_per_run_distance_and_metric_in_order(table):
    assert list(table.columns) == COLUMNS
    expected = [(i, mu0, m.key) for i in range(4) for mu0 in MEANS for m in METRICS]
    assert list(zip(table["run"], table["mu0"], table["metric"], strict=True)) == expected
    assert np.isfinite(table[["value", "population"]]).all(axis=None)


@pytest.mark.parametrize("cut", [1, 4])
def test_the_table_does_not_depend_on_how_runs_are_divided(table, cut):
    parts = [run(runs=runs) for runs in ((0, cut), (cut, 4))]
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), table, check_exact=True)


def test_the_divergence_is_that_of_the_classes():
    x = np.linspace(-10, 14, 20_001)
    positives, negatives = stats.norm(2.0), stats.norm(0.5)
    log_ratio = positives.logpdf(x) - negatives.logpdf(x)
    divergence = np.trapezoid(positives.pdf(x) * log_ratio, x)
    table = run([Metric("roc_auc")], runs=(0, 1), mu0=[0.5])
    assert table["kl"].item() == pytest.approx(divergence, rel=1e-6)
    assert table["squared_distance"].item() == pytest.approx(2.25)


def test_each_run_and_distance_draws_its_prior(table):
    drawn = table.groupby(["run", "mu0"])["prior"].agg(["nunique", "first"])
    assert (drawn["nunique"] == 1).all()
    assert drawn["first"].nunique() == 16
    assert (table["n_pos"] == (table["prior"] * 2000).round()).all()
    assert (table["n_pos"] + table["n_neg"] == 2000).all()


def test_priors_are_uniform_over_the_range():
    table = run([Metric("roc_auc")], runs=(0, 50), n_samples=100)
    uniform = stats.uniform(0.01, 0.5 - 0.01)
    assert table["prior"].between(0.01, 0.5).all()
    assert stats.kstest(table["prior"], uniform.cdf).pvalue > 1e-3


@pytest.mark.parametrize(("prior", "n_pos"), [(0.3, 30), (0.001, 1), (0.999, 99)])
def test_one_prior_can_be_asked_for_and_keeps_both_classes(prior, n_pos):
    table = run([Metric("roc_auc")], n_samples=100, lowest_prior=prior, highest_prior=prior)
    assert set(table["n_pos"]) == {n_pos}


# --------------------------------------------------------------------------------------- figure


def test_the_figure_shows_means_populations_and_both_axes(table):
    drawn = figure.draw(bands(table, ["mu0", "kl", "squared_distance"]), METRICS)
    assert_readable(drawn)
    panels = zip(drawn.axes, METRICS[::2], METRICS[1::2], strict=True)
    for axes, *family in panels:
        for line, (metric, column) in zip(
            axes.get_lines(),
            [(metric, column) for metric in family for column in ("value", "population")],
            strict=False,
        ):
            means = table[table["metric"] == metric.key].groupby("kl")[column].mean()
            np.testing.assert_allclose(line.get_xdata(), means.index)
            np.testing.assert_allclose(line.get_ydata(), means, atol=1e-12)
        left, right = axes.get_xlim()
        assert left > right  # as in the paper
        (upper,) = axes.child_axes
        assert upper.get_xlim() == pytest.approx(2 * np.array(axes.get_xlim()))
        assert upper.get_xlabel() == "(μ$_1$ − μ$_0$)²"


def test_the_title_names_the_metrics_that_never_fall(table):
    rising = bands(table, ["mu0", "kl", "squared_distance"])
    rising["value"] = rising["kl"]
    title = figure.draw(rising, METRICS).get_suptitle()
    assert "prior, the ordinary metrics and the calibrated metrics never fall" in " ".join(
        title.split()
    )
    is_auc_pr = rising["metric"] == METRICS[0].key
    one = rising.assign(value=rising["kl"].where(is_auc_pr, -rising["kl"]))
    assert "only AUC-PR never falls" in figure.draw(one, METRICS).get_suptitle()
    none = figure.draw(rising.assign(value=-rising["kl"]), METRICS).get_suptitle()
    assert "each metric falls somewhere" in none
