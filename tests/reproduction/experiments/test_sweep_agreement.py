"""Verdicts on tables whose gap is known."""

import numpy as np
import pandas as pd
import pytest

from reproduction.experiments import pi_sweep, sweep_agreement
from reproduction.experiments.sweep_agreement import ENOUGH_POSITIVES, TOLERATED_ERRORS
from reproduction.core.metrics import Metric
from reproduction.settings import PiSweep

COLUMNS = ["prior", "metric", "pi0", "n_runs", "n_pos", "value", "population", "gap"]
COLUMNS += ["standard_error", "z", "verdict"]


def sweep(gap, *, n_runs=30, n_pos=ENOUGH_POSITIVES, spread=0.01, prior=0.5, metric="area"):
    """Runs whose values scatter by `spread` around a population value plus `gap`."""
    scatter = np.linspace(-1, 1, n_runs) if n_runs > 1 else np.zeros(1)
    deviation = scatter.std(ddof=1) if n_runs > 1 else 1.0
    population = np.full(n_runs, 0.6)
    return pd.DataFrame(
        {
            "prior": prior,
            "metric": metric,
            "pi0": np.nan,
            "run": range(n_runs),
            "n_pos": n_pos,
            "value": population + gap + spread * scatter / deviation,
            "population": population,
        }
    )


def judged(*arguments, **options):
    (row,) = sweep_agreement.run(sweep(*arguments, **options), "prior").to_dict("records")
    return row


def test_a_row_per_point_and_metric_in_order():
    parts = [sweep(0, prior=p, metric=m) for p in (0.5, 0.1, 0.3) for m in ("b", "a")]
    result = sweep_agreement.run(pd.concat(parts, ignore_index=True), "prior")
    assert list(result.columns) == COLUMNS
    pairs = list(zip(result["prior"], result["metric"], strict=True))
    assert pairs == [(p, m) for p in (0.5, 0.1, 0.3) for m in ("b", "a")]


def test_the_point_may_be_the_divergence():
    table = sweep(0).rename(columns={"prior": "kl"})
    assert list(sweep_agreement.run(table, "kl").columns) == ["kl", *COLUMNS[1:]]


def test_the_reference_prior_is_kept_where_all_runs_share_it():
    first, last = sweep(0, metric="a"), sweep(0, metric="b")
    table = pd.concat([first.assign(pi0=0.5), last.assign(pi0=np.linspace(0.1, 0.2, 30))])
    result = sweep_agreement.run(table, "prior").set_index("metric")
    assert result.loc["a", "pi0"] == 0.5
    assert np.isnan(result.loc["b", "pi0"])


def test_means_gap_and_standard_error():
    row = judged(0.002, n_runs=25, spread=0.05)
    assert row["n_runs"] == 25
    assert row["value"] == pytest.approx(0.602)
    assert row["population"] == pytest.approx(0.6)
    assert row["gap"] == pytest.approx(0.002)
    assert row["standard_error"] == pytest.approx(0.05 / 5)
    assert row["z"] == pytest.approx(0.2)


def test_the_smallest_number_of_positives_is_given():
    parts = pd.concat([sweep(0, n_pos=20_000), sweep(0, n_pos=15_000)], ignore_index=True)
    assert sweep_agreement.run(parts, "prior")["n_pos"].item() == 15_000


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(
    ("errors", "n_pos", "verdict"),
    [
        (0.0, ENOUGH_POSITIVES, "agrees"),
        (TOLERATED_ERRORS - 0.01, ENOUGH_POSITIVES, "agrees"),
        (TOLERATED_ERRORS + 0.01, ENOUGH_POSITIVES, "differs"),
        (100.0, ENOUGH_POSITIVES, "differs"),
        (0.0, ENOUGH_POSITIVES - 1, "few positives"),
        (TOLERATED_ERRORS + 0.01, ENOUGH_POSITIVES - 1, "few positives"),
    ],
)
def test_the_verdict_follows_the_gap_in_standard_errors(sign, errors, n_pos, verdict):
    row = judged(sign * errors * 0.01 / np.sqrt(30), n_pos=n_pos)
    assert row["z"] == pytest.approx(sign * errors)
    assert row["verdict"] == verdict


def test_an_exact_value_agrees():
    row = judged(0.0, spread=0.0)
    assert (row["z"], row["verdict"]) == (0.0, "agrees")


def test_rounding_is_no_gap():
    row = judged(1e-15, spread=1e-17)
    assert (row["z"], row["verdict"]) == (0.0, "agrees")


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_a_constant_gap_without_spread_differs():
    table = sweep(0.0, spread=0.0).assign(value=0.625, population=0.5)
    row = sweep_agreement.run(table, "prior").iloc[0]
    assert row["z"] == np.inf
    assert row["verdict"] == "differs"


def test_populations_may_differ_between_runs():
    table = sweep(0.0, spread=0.001)
    drawn = np.random.default_rng(0).uniform(-0.3, 0.3, len(table))
    shifted = table.assign(value=table["value"] + drawn, population=table["population"] + drawn)
    row = sweep_agreement.run(shifted, "prior").iloc[0]
    assert row["standard_error"] == pytest.approx(0.001 / np.sqrt(30))
    assert row["verdict"] == "agrees"


def test_a_single_run_is_not_judged():
    """It has no standard error."""
    assert judged(0.001, n_runs=1)["verdict"] not in {"agrees", "differs"}


@pytest.mark.parametrize("few", [{"n_runs": 9}, {"n_pos": ENOUGH_POSITIVES - 1}])
@pytest.mark.parametrize("gap", [0.0, 1.0])
def test_a_point_that_cannot_differ_does_not_agree(few, gap):
    assert judged(gap, **few)["verdict"] == f"few {'runs' if 'n_runs' in few else 'positives'}"


def test_two_runs_are_not_judged_as_if_their_spread_were_known():
    """Of two runs without a gap, z exceeds 4 one time in six."""
    rng = np.random.default_rng(0)
    points = 500
    table = pd.DataFrame(
        {
            "prior": np.repeat(np.arange(points), 2),
            "metric": "area",
            "pi0": np.nan,
            "run": np.tile([0, 1], points),
            "n_pos": ENOUGH_POSITIVES,
            "value": 0.6 + 0.01 * rng.standard_normal(2 * points),
            "population": 0.6,
        }
    )
    assert (sweep_agreement.run(table, "prior")["verdict"] == "differs").mean() < 0.01


def test_a_sweep_agrees_with_its_population():
    settings = PiSweep(n_samples=40_000, priors=[0.5, 0.3])
    metrics = [Metric("average_precision"), Metric("roc_auc")]
    result = sweep_agreement.run(pi_sweep.run(settings, metrics, seed=0, runs=range(10)), "prior")
    assert set(result["verdict"]) == {"agrees"}


def test_a_wrong_population_is_noticed():
    settings = PiSweep(n_samples=40_000, priors=[0.5, 0.3])
    table = pi_sweep.run(settings, [Metric("roc_auc")], seed=0, runs=range(10))
    wrong = table.assign(population=table["population"] + 0.01)
    assert set(sweep_agreement.run(wrong, "prior")["verdict"]) == {"differs"}
