"""Monitoring: a falling prior lowers the ordinary metric only, a falling likelihood both."""

import numpy as np
import pandas as pd
import pytest

from calibrated_metrics import ConfusionCurve, uncertainty
from reproduction.monitoring.drift import DRIFTS
from reproduction.monitoring.experiment import reference_prior, run

N_PERIODS = 10
N_FRAUDS, N_GENUINE = 400, 6000  # a week
SCENARIOS = ["as simulated", *DRIFTS]


def weeks(n_frauds):
    """A stream of so many frauds a week, scored well, after two weeks of training."""
    rng = np.random.default_rng(0)
    parts = []
    for period, n in enumerate((300, 500, *n_frauds), -1):
        labels = np.repeat([1, 0], [n, N_GENUINE]).astype(np.int8)
        scores = 1 / (1 + np.exp(-rng.normal(2.5 * labels - 2, 1)))
        parts.append(pd.DataFrame({"period": period, "y_true": labels, "y_score": scores}))
    table = pd.concat(parts, ignore_index=True)
    return table.assign(y_score=table["y_score"].where(table["period"] >= 1))


def monitored(stream, seed=1, scenarios=SCENARIOS):
    return run(stream, scenarios=scenarios, seed=seed)


@pytest.fixture(scope="module")
def stream():
    return weeks([N_FRAUDS] * N_PERIODS)


@pytest.fixture(scope="module")
def tables(stream):
    return monitored(stream)


def of(table, scenario, calibrated=None):
    rows = table[table["scenario"] == scenario]
    if calibrated is not None:
        rows = rows[rows["pi0"].notna() == calibrated]
    return rows.reset_index(drop=True)


def test_the_reference_prior_is_that_of_the_training_weeks_or_the_first_period(stream):
    ratios = [300 / (300 + N_GENUINE), 500 / (500 + N_GENUINE)]
    assert reference_prior(stream) == pytest.approx(np.mean(ratios), rel=1e-12)
    live = weeks([200, *[400] * 5]).dropna()
    assert reference_prior(live) == 200 / (200 + N_GENUINE)


def test_a_row_per_scenario_period_and_metric(tables, stream):
    values = tables.by_period
    assert not values[["scenario", "period", "metric", "pi0"]].duplicated().any()
    assert len(values) == len(SCENARIOS) * N_PERIODS * 2
    assert set(values["pi0"].dropna()) == {reference_prior(stream)}
    assert len(tables.trends) == len(SCENARIOS) * 2
    assert values.eval("prior - n_pos / (n_pos + n_neg)").abs().max() < 1e-12
    for table in tables:
        assert table.drop(columns="pi0", errors="ignore").notna().all(axis=None)


def test_values_and_intervals_are_those_of_the_library_with_the_error_of_the_prior(tables, stream):
    pi0, values = reference_prior(stream), of(tables.by_period, "as simulated")
    for period in range(1, N_PERIODS + 1):
        rows = stream[stream["period"] == period]
        curve = ConfusionCurve.from_predictions(rows["y_true"], rows["y_score"])
        for is_calibrated, prior in {False: None, True: pi0}.items():
            row = of(values, "as simulated", is_calibrated).query("period == @period")
            expected = uncertainty.interval("average_precision", curve, pi0=prior)
            found = row[["value", "low", "high"]].to_numpy()
            assert found.tolist() == [[expected.value, expected.low, expected.high]]
            assert row["status"].item() == "ok"


def test_differences_are_those_of_the_values_and_paired(tables):
    for scenario in SCENARIOS:
        rows = of(tables.differences, scenario)
        ordinary, calibrated = (of(tables.by_period, scenario, twin) for twin in (False, True))
        differences = ordinary["value"] - calibrated["value"]
        np.testing.assert_allclose(rows["value"], differences, rtol=1e-9)
    # Both metrics see the same rows: their chance cancels, and that of the prior remains.
    rows, single = of(tables.differences, "as simulated"), of(tables.by_period, "as simulated")
    assert (rows["high"] - rows["low"]).max() < 0.5 * (single["high"] - single["low"]).min()


def test_a_period_of_a_single_class_has_no_value():
    rows = weeks([0, *[400] * 6, 0, 300]).dropna()
    tables = monitored(rows, scenarios=["as measured"])
    values = of(tables.by_period, "as measured", calibrated=False)
    assert values["n_pos"].tolist() == [0, *[400] * 6, 0, 300]
    assert values["value"].isna().tolist() == [True, *[False] * 6, True, False]
    assert tables.changes["period"].tolist() == [3, 4, 5, 6, 7, 9]
    assert tables.differences["period"].tolist() == [2, 3, 4, 5, 6, 7, 9]
    assert tables.trends["verdict"].isin(["no trend found", "falls"]).all()
    assert reference_prior(rows) == 400 / (400 + N_GENUINE)
    assert values["prior"].tolist() == [n / (n + N_GENUINE) for n in values["n_pos"]]
    assert values["status"].str.contains("no positives").tolist() == values["value"].isna().tolist()


def test_a_period_of_one_fraud_has_a_value_but_no_interval_and_no_part_in_the_trend():
    rows = weeks([400, 400, 1, 400, 400, 400]).dropna()
    tables = monitored(rows, scenarios=["as measured"])
    values = of(tables.by_period, "as measured", calibrated=False)
    assert values["value"].notna().all()
    is_withheld = [False, False, True, False, False, False]
    for table in (values, tables.differences):
        assert table["low"].isna().tolist() == is_withheld
        assert table["high"].isna().tolist() == is_withheld
    assert values["status"].str.startswith("no interval: ").tolist() == is_withheld
    places, used = [0, 1, 3, 4, 5], values["value"][[0, 1, 3, 4, 5]]
    assert tables.trends["slope"][0] == pytest.approx(np.polyfit(places, used, 1)[0], rel=1e-9)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_changes_are_those_of_the_values_since_the_first_period(tables, scenario):
    values = of(tables.by_period, scenario, calibrated=False).set_index("period")["value"]
    changes = of(tables.changes, scenario).set_index("period")
    total = changes["prior_part"] + changes["model_part"]
    pd.testing.assert_series_equal(total, values.loc[2:] - values[1], check_names=False)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_falls(tables, scenario):
    model_falls = scenario in ("likelihood drift", "both drifts")
    prior_falls = scenario in ("prior drift", "both drifts")
    falls = of(tables.trends, scenario)["verdict"] == "falls"
    assert falls.tolist() == [model_falls or prior_falls, model_falls]
    last = of(tables.changes, scenario).iloc[-1]
    assert (last["prior_part_high"] < 0) == prior_falls
    assert (last["model_part_high"] < 0) == model_falls


def test_the_verdict_on_what_does_not_change_is_rarely_wrong(stream):
    """Calibrated metrics under a prior drift: both tests together err in under 5 % of runs."""
    runs = [monitored(stream, seed, ["prior drift"]).trends for seed in range(10)]
    assert all(trends["verdict"][0] == "falls" for trends in runs)
    assert sum(trends["verdict"][1] in ("falls", "rises") for trends in runs) <= 1


def test_scenarios_do_not_disturb_each_other(tables, stream):
    alone = monitored(stream, scenarios=["both drifts"])
    first, again = (of(each.by_period, "both drifts") for each in (tables, alone))
    pd.testing.assert_frame_equal(again, first, check_exact=True)


def test_periods_may_be_dates_and_a_prior_may_rise():
    rows = weeks(np.linspace(40, 400, 8).astype(int)).dropna()
    dates = pd.to_datetime("2024-01-01") + pd.to_timedelta(7 * rows["period"], unit="D")
    named = rows.assign(period=dates.dt.strftime("%Y-%m-%d"))
    tables, dated = (monitored(each, scenarios=["as measured"]) for each in (rows, named))
    assert of(tables.trends, "as measured")["verdict"].tolist() == ["rises", "no trend found"]
    assert dated.by_period["period"].iloc[0] == "2024-01-08"
    first, again = (each.by_period.drop(columns="period") for each in (tables, dated))
    pd.testing.assert_frame_equal(again, first, check_exact=True)


@pytest.mark.parametrize(("fall", "verdict"), [(0.0, "holds"), (0.1, "differs")])
def test_a_fall_of_the_calibrated_metric_under_prior_drift_breaks_a_claim(
    tables, verdicts, fall, verdict
):
    values = tables.by_period
    late = (values["scenario"] == "prior drift") & (values["period"] > N_PERIODS / 2)
    moved = values.assign(value=values["value"] - fall * late)
    judged = verdicts("monitoring", monitoring=moved)
    assert judged["figD11-calibrated-auc-pr-is-flat"] == verdict
