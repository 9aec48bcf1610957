"""Monitoring: a falling prior lowers the ordinary metric only, a falling likelihood both."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, f1_score

from calibrated_metrics import average_precision_score as calibrated_average_precision
from reproduction.monitoring.stream import SCENARIOS, Drift, scored_stream
from reproduction.monitoring import experiment as monitoring
from reproduction.core.metrics import Metric

# Weeks with few frauds have a warning.

N_PERIODS = 10
N_FRAUDS, N_GENUINE = 400, 6000  # a week
AP = "average_precision"


def weeks(n_frauds, n_genuine=N_GENUINE, seed=0):
    """A live stream of so many frauds a week, scored well, after two weeks of training."""
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


@pytest.fixture(scope="module")
def stream():
    return weeks([N_FRAUDS] * N_PERIODS)


@pytest.fixture(scope="module")
def tables(stream):
    return monitoring.run(stream, seed=1, n_bootstrap=100)


def of(table, scenario, metric=AP, calibrated=None):
    rows = table[(table["scenario"] == scenario) & (table["metric"] == metric)]
    if calibrated is None:
        return rows.reset_index(drop=True)
    return rows[rows["pi0"].notna() == calibrated].reset_index(drop=True)


# ------------------------------------------------------------------------ reference prior


def test_the_reference_prior_is_the_mean_of_the_training_weeks(stream):
    ratios = [300 / (300 + N_GENUINE), 500 / (500 + N_GENUINE)]
    assert monitoring.historical_prior(stream) == pytest.approx(np.mean(ratios), rel=1e-12)


def test_the_reference_prior_does_not_know_the_live_weeks(stream):
    without_live_frauds = stream.assign(y_true=stream["y_true"].where(stream["period"] < 1, 0))
    prior = monitoring.historical_prior(stream)
    assert monitoring.historical_prior(without_live_frauds) == prior


def test_a_stream_without_history_is_refused(stream):
    with pytest.raises(ValueError, match="training weeks"):
        monitoring.run(stream[stream["period"] >= 1], seed=0)


def test_a_history_without_frauds_is_refused(stream):
    with pytest.raises(ValueError, match="fraud ratio of the training weeks"):
        monitoring.historical_prior(stream.assign(y_true=0))


# --------------------------------------------------------------------------------- tables


def test_a_row_per_scenario_period_and_metric(tables, stream):
    values = tables.by_period
    assert list(values.columns) == [
        *("scenario", "period", "n_pos", "n_neg", "prior"),
        *("metric", "pi0", "value", "low", "high"),
    ]
    keys = values[["scenario", "period", "metric"]].assign(calibrated=values["pi0"].notna())
    expected = [
        (scenario, period, metric.key, calibrated)
        for scenario in SCENARIOS
        for period in range(1, N_PERIODS + 1)
        for metric in monitoring.METRICS
        for calibrated in (False, True)
    ]
    assert list(keys.itertuples(index=False, name=None)) == expected
    assert set(values["pi0"].dropna()) == {monitoring.historical_prior(stream)}


def test_a_trend_per_scenario_and_metric(tables):
    trends = tables.trends
    assert len(trends) == len(SCENARIOS) * 2 * len(monitoring.METRICS)
    assert set(trends["verdict"]) <= {"falls", "flat", "rises"}
    assert trends["p_value"].between(0, 1).all()


def test_no_value_is_missing(tables):
    for table in tables:
        assert table.drop(columns="pi0", errors="ignore").notna().all(axis=None)


def test_values_as_simulated_are_those_of_the_weeks(tables, stream):
    pi0 = monitoring.historical_prior(stream)
    for period, rows in stream[stream["period"] >= 1].groupby("period"):
        labels, scores = rows["y_true"], rows["y_score"]
        expected = {
            (AP, False): average_precision_score(labels, scores),
            (AP, True): calibrated_average_precision(labels, scores, pi0=pi0),
            ("fbeta(threshold=0.5)", False): f1_score(labels, scores >= 0.5),
        }
        for (metric, calibrated), value in expected.items():
            shown = of(tables.by_period, "as simulated", metric, calibrated)
            assert shown["value"][period - 1] == pytest.approx(value, rel=1e-9)


def test_counts_and_priors(tables):
    for scenario in SCENARIOS:
        rows = of(tables.by_period, scenario, calibrated=False)
        np.testing.assert_allclose(rows["prior"], rows["n_pos"] / (rows["n_pos"] + rows["n_neg"]))
    falling = of(tables.by_period, "prior drift", calibrated=False)["n_pos"]
    assert (falling.iloc[0], falling.iloc[-1]) == (N_FRAUDS, N_FRAUDS / 10)
    assert set(of(tables.by_period, "likelihood drift")["n_pos"]) == {N_FRAUDS}


def test_values_lie_within_their_bands(tables):
    values = tables.by_period
    assert values["value"].between(values["low"], values["high"]).mean() > 0.99
    assert (values["low"] < values["high"]).all()


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
    assert row["high"] - row["low"] == pytest.approx(
        np.ptp(np.quantile(draws, [0.025, 0.975])), rel=0.3
    )


def test_bands_widen_as_frauds_get_rare(tables):
    rows = of(tables.by_period, "prior drift", calibrated=True)
    widths = rows["high"] - rows["low"]
    assert widths.iloc[-1] > 2 * widths.iloc[0]


# ---------------------------------------------------------------------------- differences


def test_differences_are_those_of_the_values(tables):
    for scenario in SCENARIOS:
        rows = of(tables.differences, scenario)
        ordinary, calibrated = (
            of(tables.by_period, scenario, calibrated=which)["value"] for which in (False, True)
        )
        np.testing.assert_allclose(rows["value"] * rows["scale"], ordinary - calibrated, rtol=1e-9)


def test_the_largest_difference_is_one(tables):
    largest = tables.differences["value"].abs().groupby(tables.differences["metric"]).max()
    np.testing.assert_allclose(largest, 1.0, rtol=1e-12)


def test_the_difference_follows_the_prior(tables):
    rows = of(tables.differences, "prior drift")
    below = rows["prior"] < rows["pi0"]
    assert (np.sign(rows["value"]) == np.where(below, -1, 1)).all()
    assert rows["value"].corr(rows["prior"], method="spearman") > 0.9


def test_bands_of_differences_are_paired(tables):
    """Both metrics see the same draws: most of their chance cancels."""
    difference = of(tables.differences, "as simulated")
    single = of(tables.by_period, "as simulated", calibrated=True)
    widths = (difference["high"] - difference["low"]) * difference["scale"]
    assert (widths < 0.2 * (single["high"] - single["low"])).all()


def test_a_metric_that_no_prior_changes_has_no_difference(stream):
    tables = monitoring.run(stream, seed=1, metrics=[Metric("roc_auc")], n_bootstrap=5)
    np.testing.assert_allclose(tables.differences[["value", "low", "high"]], 0.0, atol=1e-12)
    assert (tables.differences["scale"] == 1).all()


# -------------------------------------------------------------------------------- changes


def test_changes_are_those_of_the_values_since_the_first_period(tables):
    for scenario in SCENARIOS:
        values = of(tables.by_period, scenario, calibrated=False)
        changes = of(tables.changes, scenario)
        assert changes["period"].tolist() == values["period"].tolist()[1:]
        assert changes["value"].tolist() == values["value"].tolist()[1:]
        assert changes["prior"].tolist() == values["prior"].tolist()[1:]
        assert set(changes["reference_value"]) == {values["value"][0]}
        difference = changes["value"] - changes["reference_value"]
        np.testing.assert_allclose(changes["total"], difference, rtol=0, atol=1e-15)
        assert (changes["total"] == changes["prior_part"] + changes["model_part"]).all()
        assert set(changes["status"]) == {"ok"}


@pytest.mark.parametrize(
    ("scenario", "prior_falls", "model_falls"),
    [
        ("as simulated", False, False),
        ("prior drift", True, False),
        ("likelihood drift", False, True),
        ("both drifts", True, True),
    ],
)
def test_what_causes_the_change(tables, scenario, prior_falls, model_falls):
    last = of(tables.changes, scenario).iloc[-1]
    assert (last["prior_part_high"] < 0) == prior_falls
    assert (last["model_part_high"] < 0) == model_falls


# --------------------------------------------------------------------------------- trends


@pytest.mark.parametrize(
    ("scenario", "ordinary", "calibrated"),
    [
        ("as simulated", "flat", "flat"),
        ("prior drift", "falls", "flat"),
        ("likelihood drift", "falls", "falls"),
        ("both drifts", "falls", "falls"),
    ],
)
@pytest.mark.parametrize("metric", [AP, "fbeta(threshold=0.5)"])
def test_what_falls(tables, metric, scenario, ordinary, calibrated):
    verdicts = of(tables.trends, scenario, metric)["verdict"].tolist()
    assert verdicts == [ordinary, calibrated]


def test_slopes_are_least_squares(tables):
    for scenario in SCENARIOS:
        for calibrated in (False, True):
            values = of(tables.by_period, scenario, calibrated=calibrated)
            trend = of(tables.trends, scenario, calibrated=calibrated).iloc[0]
            slope, _ = np.polyfit(values["period"], values["value"], 1)
            assert trend["slope"] == pytest.approx(slope, rel=1e-6)
            assert trend["mean"] == pytest.approx(values["value"].mean())
            assert trend["low"] < trend["slope"] < trend["high"]


def test_a_verdict_needs_both_kinds_of_evidence(tables):
    trends = tables.trends
    excludes_0 = (trends["low"] > 0) | (trends["high"] < 0)
    moves = trends["verdict"] != "flat"
    assert (moves == (excludes_0 & (trends["p_value"] <= 0.05))).all()
    assert (
        np.sign(trends["slope"])[moves] == np.where(trends["verdict"] == "falls", -1, 1)[moves]
    ).all()


def test_a_rising_prior_lifts_the_ordinary_metric_only():
    rising = weeks(np.linspace(40, 400, 8).astype(int))
    tables = monitoring.run(rising, seed=0, scenarios={"as it is": None}, n_bootstrap=100)
    assert of(tables.trends, "as it is")["verdict"].tolist() == ["rises", "flat"]


def test_a_model_that_makes_no_mistake_is_flat():
    perfect = weeks([40] * 7).eval("y_score = y_score * 0 + y_true")
    for seed in range(3):
        tables = monitoring.run(perfect, seed=seed, n_bootstrap=20)
        flat = tables.trends[tables.trends["scenario"].isin(["as simulated", "prior drift"])]
        assert (flat["slope"] == 0).all()
        assert (flat["p_value"] == 1).all()
        assert set(flat["verdict"]) == {"flat"}


def test_a_steep_trend_is_as_unlikely_as_permutations_can_tell(tables):
    p_values = of(tables.trends, "likelihood drift")["p_value"]
    assert (p_values < 0.001).all()
    assert (tables.trends["p_value"] >= 1e-4).all()


def test_the_verdict_on_what_does_not_change_is_rarely_wrong(stream):
    """Calibrated metrics under a prior drift: both tests together err in under 5 % of runs."""
    scenario = {"prior drift": Drift(frauds_kept=0.1)}
    wrong = 0
    for seed in range(20):
        tables = monitoring.run(
            stream, seed=seed, metrics=[Metric(AP)], scenarios=scenario, n_bootstrap=60
        )
        ordinary, calibrated = of(tables.trends, "prior drift")["verdict"]
        assert ordinary == "falls"
        wrong += calibrated != "flat"
    assert wrong <= 3


# ---------------------------------------------------------------------------- determinism


def test_the_tables_are_the_same_again(tables, stream):
    for first, again in zip(tables, monitoring.run(stream, seed=1, n_bootstrap=100), strict=True):
        pd.testing.assert_frame_equal(again, first, check_exact=True)


def test_another_seed_gives_other_bands_and_the_same_weeks(tables, stream):
    other = monitoring.run(stream, seed=2, n_bootstrap=100, scenarios={"as simulated": None})
    first = of(tables.by_period, "as simulated")
    again = of(other.by_period, "as simulated")
    assert again["value"].equals(first["value"])
    assert (again["low"] != first["low"]).all()


def test_scenarios_and_the_order_of_metrics_do_not_disturb_each_other(tables, stream):
    alone = monitoring.run(
        stream,
        seed=1,
        metrics=monitoring.METRICS[::-1],
        scenarios={"both drifts": SCENARIOS["both drifts"]},
        n_bootstrap=100,
    )
    for metric in monitoring.METRICS:
        for first, again in zip(tables[::2], alone[::2], strict=True):
            first, again = (of(table, "both drifts", metric.key) for table in (first, again))
            pd.testing.assert_frame_equal(again, first, check_exact=True)


# ------------------------------------------------------------------------------- refusals


def test_a_metric_with_a_prior_of_its_own_is_refused(stream):
    with pytest.raises(ValueError, match="no reference prior"):
        monitoring.run(stream, seed=0, metrics=[replace(Metric(AP), pi0=0.5)])


def test_too_few_periods_are_refused():
    with pytest.raises(ValueError, match="4 periods are too few for a trend"):
        monitoring.run(weeks([50] * 4), seed=0)


def test_too_few_draws_are_refused(stream):
    with pytest.raises(ValueError, match="n_bootstrap"):
        monitoring.run(stream, seed=0, n_bootstrap=1)


# --------------------------------------------------------------------- simulated stream


def test_the_simulated_stream_shows_it_at_small_size():
    stream = scored_stream(n_customers=300, n_terminals=600, radius=15.0, n_periods=12, seed=5)
    trends = monitoring.run(stream, seed=5, n_bootstrap=100).trends
    assert of(trends, "prior drift")["verdict"].tolist() == ["falls", "flat"]
    assert of(trends, "likelihood drift")["verdict"].tolist() == ["falls", "falls"]
