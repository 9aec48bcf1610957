"""Figure 4: its table and its figure."""

import numpy as np
import pandas as pd
import pytest
from figure_checks import (
    assert_readable,
    assert_same_files_whatever_the_users_settings,
)

from reproduction.core import findings
from reproduction.core.metrics import Metric, TimesPrior, read_metrics
from reproduction.core.settings import Metrics
from reproduction.core.sweeps import bands
from reproduction.pi_sweep import experiment
from reproduction.pi_sweep.figure import draw
from reproduction.pi_sweep.settings import Settings

PRIORS = [0.5, 0.05, 0.2]
SETTINGS = Settings(n_samples=2000, priors=PRIORS).of_one_run()
COLUMNS = ["prior", "run", "n_pos", "n_neg", "metric", "pi0", "value", "population"]
METRICS = read_metrics(Metrics().described("sweep"))


def run(metrics=METRICS, runs=(0, 4), seed=11, **changes):
    return experiment.run(metrics, **{**SETTINGS, **changes}, seed=seed, runs=runs)


@pytest.fixture(scope="module")
def table():
    return run()


def test_a_row_per_run_prior_and_metric_in_order(table):
    assert list(table.columns) == COLUMNS
    expected = [(i, p, m.key) for i in range(4) for p in PRIORS for m in METRICS]
    assert list(zip(table["run"], table["prior"], table["metric"], strict=True)) == expected
    assert np.isfinite(table[["value", "population"]]).all(axis=None)


@pytest.mark.parametrize("cut", [1, 4])
def test_the_table_does_not_depend_on_how_runs_are_divided(table, cut):
    parts = [run(runs=runs) for runs in ((0, cut), (cut, 4))]
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), table, check_exact=True)


def test_a_run_does_not_depend_on_the_other_metrics(table):
    of_all = table[table["metric"] == METRICS[2].key].reset_index(drop=True)
    pd.testing.assert_frame_equal(run(METRICS[2:3]), of_all, check_exact=True)


def test_runs_priors_and_seeds_differ(table):
    areas = ~table["metric"].str.startswith("fbeta")  # F1 at a low threshold is always the same
    assert not table[areas].duplicated(["metric", "value"]).any()
    assert (run(seed=12)["value"] != table["value"])[areas].all()


def test_the_share_of_positives_is_the_prior(table):
    assert (table["n_pos"] == (2000 * table["prior"]).round()).all()
    assert (table["n_pos"] + table["n_neg"] == 2000).all()


def test_a_class_without_a_point_is_refused_by_name():
    with pytest.raises(ValueError, match="leaves one of the classes empty"):
        Settings(n_samples=100, priors=[0.001])


# --------------------------------------------------------------------------------------- figure


MORE = [*METRICS, Metric("achievable_pr_auc"), Metric("achievable_pr_auc", TimesPrior(1.01))]


@pytest.mark.parametrize("metrics", [METRICS[:1], MORE], ids=["one", "more"])
def test_the_figure_is_readable_and_shows_the_table(metrics):
    table = bands(run(metrics), ["prior"])
    figure = draw(table, metrics)
    assert_readable(figure)
    rows = table[table["metric"] == "average_precision"].sort_values("prior")
    line, *_ = figure.axes[0].get_lines()
    band, *_ = figure.axes[0].collections
    np.testing.assert_allclose(line.get_xydata(), rows[["prior", "value"]])
    drawn = {tuple(point) for point in band.get_paths()[0].vertices}
    for limit in ("low", "high"):
        assert drawn >= set(rows[["prior", limit]].itertuples(index=False, name=None))


def test_files_do_not_depend_on_the_settings_of_the_user(table, tmp_path):
    swept = bands(table, ["prior"])
    assert_same_files_whatever_the_users_settings(lambda: draw(swept, METRICS), tmp_path)


def test_no_title_contradicts_a_claim(verdicts):
    """Of eight seeds."""
    for seed in range(8):
        table = bands(run(seed=seed, priors=[0.01, 0.1, 0.5]), ["prior"])
        title = findings.of_prior(table, METRICS)
        changing = title.partition(" change")[0]
        judged = verdicts("pi_sweep", pi_sweep_bands=table)
        assert judged["fig4-calibrated-metrics-are-flat"] == "holds"
        assert judged["fig4-auc-pr-and-f1-fall"] == "holds"
        assert not any(name in changing for name in ("alibrated", "π$_0$")), title
        assert changing.startswith("Ordinary") or {"AUC-PR", "F1"} <= set(changing.split(" and "))


def test_a_tilted_line_of_a_calibrated_metric_breaks_its_claim_and_the_title(table, verdicts):
    tilted = bands(table, ["prior"])
    is_tilted = (tilted["metric"] == METRICS[5].key) & (tilted["prior"] < 0.1)
    for column in ("value", "low", "high"):
        tilted[column] -= 0.1 * is_tilted
    judged = verdicts("pi_sweep", pi_sweep_bands=tilted)
    assert judged["fig4-calibrated-metrics-are-flat"] == "differs"
    assert METRICS[5].label in findings.of_prior(tilted, METRICS).partition("change")[0]


def test_the_title_for_small_priors_names_the_fall():
    """AUC-PR falls nineteenfold, although by only 0.024."""
    priors = [0.001, 0.003, 0.01, 0.02]
    table = run(n_samples=200_000, priors=priors, runs=(0, 5), seed=0)
    title = draw(bands(table, ["prior"]), METRICS).get_suptitle()
    assert title.startswith("AUC-PR and F1 change with the class prior; ")
