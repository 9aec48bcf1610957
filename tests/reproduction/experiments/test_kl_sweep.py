"""Figure 5's table."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from calibrated_metrics import ConfusionCurve
from reproduction.kl_sweep import experiment as kl_sweep
from reproduction.core.metrics import Metric, values_of
from reproduction.settings import Config, KlSweep, read_metrics

MEANS = [0.0, 1.5, 1.0, 2.0]
SETTINGS = KlSweep(n_samples=2000, mu0=MEANS, lowest_prior=0.01)
COLUMNS = ["mu0", "kl", "squared_distance", "run", "prior", "n_pos", "n_neg"]
COLUMNS += ["metric", "pi0", "value", "population"]


@pytest.fixture(scope="module")
def metrics():
    return read_metrics(Config().metrics_of("kl_sweep"))


def run(metrics, runs=range(4), seed=11, **changes):
    settings = SETTINGS.model_copy(update=changes)
    return kl_sweep.run(settings, metrics, seed=seed, runs=runs)


@pytest.fixture(scope="module")
def table(metrics):
    return run(metrics)


def test_a_row_per_run_distance_and_metric_in_order(table, metrics):
    assert list(table.columns) == COLUMNS
    expected = [(i, mu0, m.key) for i in range(4) for mu0 in MEANS for m in metrics]
    assert list(zip(table["run"], table["mu0"], table["metric"], strict=True)) == expected


def test_no_value_is_missing(table):
    assert np.isfinite(table[["value", "population"]]).all(axis=None)


def test_the_table_is_the_same_again(table, metrics):
    pd.testing.assert_frame_equal(run(metrics), table, check_exact=True)


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_the_table_does_not_depend_on_how_runs_are_divided(table, metrics, cut):
    parts = [run(metrics, runs=runs) for runs in (range(cut), range(cut, 4))]
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), table, check_exact=True)


def test_the_distance_is_given_as_divergence_and_squared(table):
    np.testing.assert_allclose(table["kl"], (2.0 - table["mu0"]) ** 2 / 2)
    np.testing.assert_allclose(table["squared_distance"], (2.0 - table["mu0"]) ** 2)


def test_the_divergence_is_that_of_the_classes():
    x = np.linspace(-10, 14, 20_001)
    positives, negatives = stats.norm(2.0), stats.norm(0.5)
    log_ratio = positives.logpdf(x) - negatives.logpdf(x)
    divergence = np.trapezoid(positives.pdf(x) * log_ratio, x)
    table = run([Metric("roc_auc")], runs=[0], mu0=[0.5])
    assert table["kl"].item() == pytest.approx(divergence, rel=1e-6)


def test_each_run_and_distance_draws_its_prior(table):
    drawn = table.groupby(["run", "mu0"])["prior"].agg(["nunique", "first"])
    assert (drawn["nunique"] == 1).all()
    assert drawn["first"].nunique() == 16
    assert (table["n_pos"] == (table["prior"] * 2000).round()).all()
    assert (table["n_pos"] + table["n_neg"] == 2000).all()


def test_priors_are_uniform_over_the_range():
    table = run([Metric("roc_auc")], runs=range(50), n_samples=100)
    uniform = stats.uniform(0.01, 0.5 - 0.01)
    assert table["prior"].between(0.01, 0.5).all()
    assert stats.kstest(table["prior"], uniform.cdf).pvalue > 1e-3


def test_one_prior_can_be_asked_for():
    table = run([Metric("roc_auc")], lowest_prior=0.3, highest_prior=0.3)
    assert set(table["prior"]) == {0.3}
    assert set(table["n_pos"]) == {600}


def test_the_population_is_that_of_the_classes_drawn(table, metrics):
    for (mu0, n_pos, n_neg), group in table.groupby(["mu0", "n_pos", "n_neg"]):
        curve = ConfusionCurve.from_binormal(2.0, mu0, n_pos / (n_pos + n_neg))
        expected = values_of(metrics, curve)
        assert dict(zip(group["metric"], group["population"], strict=True)) == expected


def test_calibrated_populations_do_not_depend_on_the_prior(table):
    calibrated = table[table["metric"].str.contains("pi0")]
    assert calibrated.groupby(["metric", "mu0"])["population"].agg(np.ptp).max() < 1e-9


def test_calibrated_populations_grow_with_the_divergence(table):
    calibrated = table[table["metric"].str.contains("pi0")]
    for _, group in calibrated.groupby("metric"):
        by_divergence = group.groupby("kl")["population"].first()
        assert (by_divergence.diff().dropna() > 0).all()


def test_equal_means_give_the_prior_as_average_precision(table):
    equal = table[(table["mu0"] == 2.0) & (table["metric"] == "average_precision")]
    assert len(equal) == 4
    ratio = equal["n_pos"] / 2000
    np.testing.assert_allclose(equal["value"], ratio, rtol=1e-14)
    np.testing.assert_allclose(equal["population"], ratio, rtol=1e-14)


@pytest.mark.parametrize("metric", ["prg_auc", "prg_auc@pi0=0.5"])
def test_equal_means_gain_nothing(table, metric):
    equal = table[(table["mu0"] == 2.0) & (table["metric"] == metric)]
    np.testing.assert_allclose(equal[["value", "population"]], 0.0, atol=1e-12)


def test_a_prior_below_one_point_keeps_one_positive():
    table = run([Metric("roc_auc")], n_samples=100, lowest_prior=0.001, highest_prior=0.001)
    assert set(table["n_pos"]) == {1}


def test_a_prior_above_one_point_keeps_one_negative():
    table = run([Metric("roc_auc")], n_samples=100, lowest_prior=0.999, highest_prior=0.999)
    assert set(table["n_neg"]) == {1}
