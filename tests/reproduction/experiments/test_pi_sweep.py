"""Figure 4's table."""

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve
from reproduction.experiments import pi_sweep
from reproduction.core.metrics import Metric, values_of
from reproduction.settings import Config, PiSweep, read_metrics

PRIORS = [0.5, 0.05, 0.2]
SETTINGS = PiSweep(n_samples=2000, priors=PRIORS)
COLUMNS = ["prior", "run", "n_pos", "n_neg", "metric", "pi0", "value", "population"]


@pytest.fixture(scope="module")
def metrics():
    return read_metrics(Config().metrics_of("pi_sweep"))


def run(metrics, runs=range(4), seed=11, **changes):
    settings = SETTINGS.model_copy(update=changes)
    return pi_sweep.run(settings, metrics, seed=seed, runs=runs)


@pytest.fixture(scope="module")
def table(metrics):
    return run(metrics)


def areas(table):
    """Rows of areas; F1 at a threshold below all points is the same in every run."""
    return ~table["metric"].str.startswith("fbeta")


def test_a_row_per_run_prior_and_metric_in_order(table, metrics):
    assert list(table.columns) == COLUMNS
    expected = [(i, p, m.key) for i in range(4) for p in PRIORS for m in metrics]
    assert list(zip(table["run"], table["prior"], table["metric"], strict=True)) == expected


def test_no_value_is_missing(table):
    assert np.isfinite(table[["value", "population"]]).all(axis=None)


def test_the_table_is_the_same_again(table, metrics):
    pd.testing.assert_frame_equal(run(metrics), table, check_exact=True)


def test_another_seed_gives_other_values(table, metrics):
    other = run(metrics, seed=12)
    assert (other["value"] != table["value"])[areas(table)].all()


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_the_table_does_not_depend_on_how_runs_are_divided(table, metrics, cut):
    parts = [run(metrics, runs=runs) for runs in (range(cut), range(cut, 4))]
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), table, check_exact=True)


def test_a_run_does_not_depend_on_the_other_metrics(table, metrics):
    alone = run(metrics[2:3])
    of_all = table[table["metric"] == metrics[2].key].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, of_all, check_exact=True)


def test_runs_and_priors_differ(table):
    assert not table[areas(table)].duplicated(["metric", "value"]).any()


def test_exact_class_counts_are_the_prior(table):
    assert (table["n_pos"] == (2000 * table["prior"]).round()).all()
    assert (table["n_pos"] + table["n_neg"] == 2000).all()


def test_drawn_class_counts_scatter_around_the_prior(metrics):
    table = run(metrics[:1], runs=range(100), class_counts="bernoulli", n_samples=400)
    assert (table["n_pos"] + table["n_neg"] == 400).all()
    for prior, group in table.groupby("prior"):
        variance = 400 * prior * (1 - prior)
        assert abs(group["n_pos"].mean() - 400 * prior) < 4 * np.sqrt(variance / 100)
        assert 0.6 * variance < group["n_pos"].var() < 1.5 * variance


def test_the_population_is_that_of_the_classes_drawn(metrics):
    for class_counts in ("exact", "bernoulli"):
        table = run(metrics, runs=[5], class_counts=class_counts)
        for (n_pos, n_neg), group in table.groupby(["n_pos", "n_neg"]):
            curve = ConfusionCurve.from_binormal(2.0, 1.8, n_pos / (n_pos + n_neg))
            expected = values_of(metrics, curve)
            assert dict(zip(group["metric"], group["population"], strict=True)) == expected


def test_calibrated_populations_do_not_depend_on_the_prior(table):
    calibrated = table[table["metric"].str.contains("pi0")]
    spans = calibrated.groupby("metric")["population"].agg(np.ptp)
    assert len(spans) == 3
    assert spans.max() < 1e-9


def test_ordinary_populations_depend_on_the_prior(table):
    ordinary = table[~table["metric"].str.contains("pi0")]
    assert ordinary.groupby("metric")["population"].agg(np.ptp).min() > 0.05


def test_calibrated_twins_meet_at_the_reference_prior(table):
    at_half = table[table["prior"] == 0.5].set_index(["run", "metric"])
    for run_index in range(4):
        for name in ("average_precision", "prg_auc", "fbeta(threshold=0.5)"):
            twins = at_half.loc[[(run_index, name), (run_index, f"{name}@pi0=0.5")]]
            for column in ("value", "population"):
                assert np.ptp(twins[column]) < 1e-12


def test_equal_means_give_the_prior_as_average_precision():
    metrics = [Metric("average_precision"), Metric("average_precision", 0.25)]
    table = run(metrics, mu0=2.0)
    for metric, group in table.groupby("metric"):
        expected = group["prior"] if metric == "average_precision" else 0.25
        np.testing.assert_allclose(group["value"], expected, rtol=1e-14)
        np.testing.assert_allclose(group["population"], expected, rtol=1e-14)


def test_a_class_without_a_point_is_refused_by_name(metrics):
    with pytest.raises(ValueError, match=r"pi_sweep: 100 points at prior 0\.001 hold 0 positives"):
        run(metrics, n_samples=100, priors=[0.001])


def test_the_settings_of_the_metrics_and_runs_change_no_number(table, metrics):
    settings = PiSweep(n_samples=2000, priors=PRIORS, n_runs=99, runs_per_job=1, metrics="paper")
    again = pi_sweep.run(settings, metrics, seed=11, runs=range(4))
    pd.testing.assert_frame_equal(again, table, check_exact=True)
