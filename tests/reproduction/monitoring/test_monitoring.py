"""Monitoring: a falling prior lowers the ordinary metric only, a falling likelihood both."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, f1_score

from calibrated_metrics import average_precision_score as calibrated_average_precision
from reproduction.core.metrics import Metric
from reproduction.monitoring.experiment import reference_prior, run
from reproduction.monitoring.settings import Settings

N_PERIODS = 10
N_FRAUDS, N_GENUINE = 400, 6000  # a week
AP, F1 = "average_precision", "fbeta(threshold=0.5)"
METRICS = [Metric(AP), Metric("prg_auc"), Metric("fbeta", options={"threshold": 0.5})]
SCENARIOS = Settings().scenarios()


def weeks(n_frauds, n_genuine=N_GENUINE, seed=0):
    """A stream of so many frauds a week, scored well, after two weeks of training."""
    rng = np.random.default_rng(seed)
    parts = []
    for period, n in zip(
        (-2, -1, *range(1, len(n_frauds) + 1)), (300, 500, *n_frauds), strict=True
    ):
        labels = np.repeat([1, 0], [n, n_genuine]).astype(np.int8)
        scores = 1 / (1 + np.exp(-rng.normal(2.5 * labels - 2, 1)))
        parts.append(pd.DataFrame({"period": period, "y_true": labels, "y_score": scores}))
    table = pd.concat(parts, ignore_index=True)
    return table.assign(y_score=table["y_score"].where(table["period"] >= 1))


def monitored(stream, seed=1, metrics=METRICS, scenarios=SCENARIOS, n_bootstrap=100, **options):
    return run(
        stream,
        metrics=metrics,
        scenarios=scenarios,
        n_bootstrap=n_bootstrap,
        seed=seed,
        **options,
    )


@pytest.fixture(scope="module")
def stream():
    return weeks([N_FRAUDS] * N_PERIODS)


@pytest.fixture(scope="module")
def tables(stream):
    return monitored(stream)


def of(table, scenario, metric=AP, calibrated=None):
    rows = table[(table["scenario"] == scenario) & (table["metric"] == metric)]
    if calibrated is None:
        return rows.reset_index(drop=True)
    return rows[rows["pi0"].notna() == calibrated].reset_index(drop=True)


# ------------------------------------------------------------------------ reference prior


def test_the_reference_prior_is_the_mean_of_the_training_weeks(stream):
    ratios = [300 / (300 + N_GENUINE), 500 / (500 + N_GENUINE)]
    assert reference_prior(stream) == pytest.approx(np.mean(ratios), rel=1e-12)


def test_without_training_weeks_the_reference_prior_is_that_of_the_first_period():
    live = weeks([200, *[400] * 5]).dropna()
    assert reference_prior(live) == 200 / (200 + N_GENUINE)


def test_the_reference_prior_can_be_set(stream):
    metrics = [Metric("roc_auc"), Metric("prg_auc", pi0=0.5)]
    tables = monitored(stream, metrics=metrics, scenarios=["x"], n_bootstrap=2, pi0=0.2)
    assert set(tables.by_period["pi0"].dropna()) == {0.2}
    assert set(tables.by_period["metric"]) == {AP, "roc_auc"}


# --------------------------------------------------------------------------------- tables


def test_a_row_per_scenario_period_and_metric(tables, stream):
    values = tables.by_period
    keys = values[["scenario", "period", "metric"]].assign(calibrated=values["pi0"].notna())
    expected = [
        (scenario, period, metric.key, calibrated)
        for scenario in SCENARIOS
        for period in range(1, N_PERIODS + 1)
        for metric in METRICS
        for calibrated in (False, True)
    ]
    assert list(keys.itertuples(index=False, name=None)) == expected
    assert set(values["pi0"].dropna()) == {reference_prior(stream)}
    assert len(tables.trends) == len(SCENARIOS) * 2 * len(METRICS)
    for table in tables:
        assert table.drop(columns="pi0", errors="ignore").notna().all(axis=None)


def test_values_as_simulated_are_those_of_the_weeks(tables, stream):
    pi0 = reference_prior(stream)
    for period, rows in stream[stream["period"] >= 1].groupby("period"):
        labels, scores = rows["y_true"], rows["y_score"]
        expected = {
            (AP, False): average_precision_score(labels, scores),
            (AP, True): calibrated_average_precision(labels, scores, pi0=pi0),
            (F1, False): f1_score(labels, scores >= 0.5),
        }
        for (metric, calibrated), value in expected.items():
            shown = of(tables.by_period, "as simulated", metric, calibrated)
            assert shown["value"][period - 1] == pytest.approx(value, rel=1e-9)


def test_counts_and_priors(tables):
    rows = of(tables.by_period, "prior drift", calibrated=False)
    np.testing.assert_allclose(rows["prior"], rows["n_pos"] / (rows["n_pos"] + rows["n_neg"]))
    assert (rows["n_pos"].iloc[0], rows["n_pos"].iloc[-1]) == (N_FRAUDS, N_FRAUDS / 10)
    assert set(of(tables.by_period, "likelihood drift")["n_pos"]) == {N_FRAUDS}


def test_the_band_is_that_of_a_bootstrap_of_the_rows(tables, stream):
    rng = np.random.default_rng(0)
    first = stream[stream["period"] == 1]
    by_class = [first.loc[first["y_true"] == label, "y_score"].to_numpy() for label in (1, 0)]
    labels = np.repeat([1, 0], [len(scores) for scores in by_class])
    draws = [
        average_precision_score(labels, np.concatenate([rng.choice(s, len(s)) for s in by_class]))
        for _ in range(200)
    ]
    row = of(tables.by_period, "as simulated", calibrated=False).iloc[0]
    width = np.ptp(np.quantile(draws, [0.025, 0.975]))
    assert row["low"] < row["value"] < row["high"]
    assert row["high"] - row["low"] == pytest.approx(width, rel=0.3)


# ------------------------------------------------------------------- differences, changes


def test_differences_are_those_of_the_values(tables):
    for scenario in SCENARIOS:
        rows = of(tables.differences, scenario)
        ordinary, calibrated = (
            of(tables.by_period, scenario, calibrated=which)["value"] for which in (False, True)
        )
        np.testing.assert_allclose(rows["value"] * rows["scale"], ordinary - calibrated, rtol=1e-9)
    largest = tables.differences["value"].abs().groupby(tables.differences["metric"]).max()
    np.testing.assert_allclose(largest, 1.0, rtol=1e-12)


def test_bands_of_differences_are_paired(tables):
    """Both metrics see the same draws: most of their chance cancels."""
    difference = of(tables.differences, "as simulated")
    single = of(tables.by_period, "as simulated", calibrated=True)
    widths = (difference["high"] - difference["low"]) * difference["scale"]
    assert (widths < 0.2 * (single["high"] - single["low"])).all()


def test_a_metric_that_no_prior_changes_has_no_difference(stream):
    differences = monitored(stream, metrics=[Metric("roc_auc")], n_bootstrap=5).differences
    rows = differences[differences["metric"] == "roc_auc"]
    np.testing.assert_allclose(rows[["value", "low", "high"]], 0.0, atol=1e-12)
    assert (rows["scale"] == 1).all()


def test_changes_are_those_of_the_values_since_the_first_period(tables):
    for scenario in SCENARIOS:
        values = of(tables.by_period, scenario, calibrated=False)
        changes = of(tables.changes, scenario)
        for column in ("period", "value", "prior"):
            assert changes[column].tolist() == values[column].tolist()[1:]
        difference = values["value"][1:].to_numpy() - values["value"][0]
        np.testing.assert_allclose(changes["total"], difference, rtol=0, atol=1e-15)
        assert (changes["total"] == changes["prior_part"] + changes["model_part"]).all()


# ----------------------------------------------------------------------- what is found


@pytest.mark.parametrize(
    ("scenario", "ordinary", "calibrated"),
    [
        ("as simulated", "flat", "flat"),
        ("prior drift", "falls", "flat"),
        ("likelihood drift", "falls", "falls"),
        ("both drifts", "falls", "falls"),
    ],
)
def test_what_falls(tables, scenario, ordinary, calibrated):
    for metric in (AP, F1):
        verdicts = of(tables.trends, scenario, metric)["verdict"].tolist()
        assert verdicts == [ordinary, calibrated]
    last = of(tables.changes, scenario).iloc[-1]
    assert (last["prior_part_high"] < 0) == (ordinary != calibrated or scenario == "both drifts")
    assert (last["model_part_high"] < 0) == (calibrated == "falls")


def test_a_rising_prior_lifts_the_ordinary_metric_only():
    rising = weeks(np.linspace(40, 400, 8).astype(int))
    trends = monitored(rising, scenarios=["as measured"]).trends
    assert of(trends, "as measured")["verdict"].tolist() == ["rises", "flat"]


def test_a_model_that_makes_no_mistake_is_flat():
    perfect = weeks([40] * 7).eval("y_score = y_score * 0 + y_true")
    scenarios = ["as simulated", "prior drift"]
    flat = monitored(perfect, scenarios=scenarios, n_bootstrap=20).trends
    assert (flat["slope"] == 0).all()
    assert (flat["p_value"] == 1).all()
    assert set(flat["verdict"]) == {"flat"}


def test_the_verdict_on_what_does_not_change_is_rarely_wrong(stream):
    """Calibrated metrics under a prior drift: both tests together err in under 5 % of runs."""
    wrong = 0
    for seed in range(20):
        tables = monitored(stream, seed, [Metric(AP)], ["prior drift"], n_bootstrap=60)
        ordinary, calibrated = tables.trends["verdict"]
        assert ordinary == "falls"
        wrong += calibrated != "flat"
    assert wrong <= 3


# ---------------------------------------------------------------------------- determinism


def test_another_seed_gives_other_bands_and_the_same_weeks(tables, stream):
    other = monitored(stream, seed=2, scenarios=["as simulated"])
    first, again = (of(each.by_period, "as simulated") for each in (tables, other))
    assert again["value"].equals(first["value"])
    assert (again["low"] != first["low"]).all()


def test_scenarios_and_the_order_of_metrics_do_not_disturb_each_other(tables, stream):
    alone = monitored(stream, metrics=METRICS[::-1], scenarios=["both drifts"])
    for metric in METRICS:
        for first, again in zip(tables[::2], alone[::2], strict=True):
            first, again = (of(table, "both drifts", metric.key) for table in (first, again))
            pd.testing.assert_frame_equal(again, first, check_exact=True)


def test_periods_may_be_dates():
    rows = weeks([400] * 6).dropna()
    dates = pd.to_datetime("2024-01-01") + pd.to_timedelta(7 * rows["period"], unit="D")
    named = rows.assign(period=dates.dt.strftime("%Y-%m-%d"))
    tables, dated = (
        monitored(each, scenarios=["as measured"], n_bootstrap=5) for each in (rows, named)
    )
    assert dated.by_period["period"].iloc[0] == "2024-01-08"
    for first, again in zip(tables, dated, strict=True):
        columns = [column for column in first if column != "period"]
        pd.testing.assert_frame_equal(again[columns], first[columns], check_exact=True)
