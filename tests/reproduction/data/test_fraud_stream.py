"""The monitored stream is the simulator's, and a drift changes what it says and nothing else."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from reproduction.monitoring.stream import SCENARIOS, Drift, drifted, scored_stream
from reproduction.fraud.simulator import simulate_transactions
from reproduction.fraud.features import transaction_features

SIZE = {"n_customers": 300, "n_terminals": 600, "radius": 15.0}
N_PERIODS = 6
FIRST_DAY = 37 + 28 + 7


def small_stream(seed=5, **changes):
    return scored_stream(**{**SIZE, "n_periods": N_PERIODS, **changes}, seed=seed)


@pytest.fixture(scope="module")
def stream():
    return small_stream()


@pytest.fixture(scope="module")
def transactions():
    return simulate_transactions(**SIZE, n_days=FIRST_DAY + 7 * N_PERIODS, seed=5)


# ----------------------------------------------------------------------------- as simulated


def test_columns(stream):
    assert stream.dtypes.astype(str).to_dict() == {
        "day": "int16",
        "period": "int16",
        "y_true": "int8",
        "y_score": "float64",
    }
    assert stream.index.equals(pd.RangeIndex(len(stream)))
    assert stream["day"].is_monotonic_increasing


def test_periods_are_weeks_after_the_delay(stream):
    assert stream["period"].unique().tolist() == [-4, -3, -2, -1, *range(1, N_PERIODS + 1)]
    days = stream.groupby("period")["day"]
    assert (days.nunique() == 7).all()
    assert (days.min() == FIRST_DAY + 7 * (days.min().index - 1)).all()


@pytest.mark.parametrize("delay_weeks", [0, 2])
def test_the_delay_is_left_out(delay_weeks):
    periods = small_stream(delay_weeks=delay_weeks)["period"].unique()
    assert periods[periods < 1].max() == -delay_weeks


def test_every_transaction_of_those_weeks_is_there(stream, transactions):
    days = transactions["day"]
    of_weeks = transactions[(days >= 37) & ((days < 65) | (days >= FIRST_DAY))]
    assert stream["day"].tolist() == of_weeks["day"].tolist()
    assert stream["y_true"].tolist() == of_weeks["fraud"].astype(int).tolist()


def test_scores_are_those_of_a_model_of_the_training_weeks(stream, transactions):
    features = transaction_features(transactions)
    train = transactions["day"].between(37, 64)
    scaler = StandardScaler().fit(features[train])
    model = LogisticRegression().fit(
        scaler.transform(features[train]), transactions["fraud"][train]
    )
    later = transactions["day"] >= FIRST_DAY
    expected = model.predict_proba(scaler.transform(features[later]))[:, 1]
    np.testing.assert_allclose(stream["y_score"][stream["period"] >= 1], expected, rtol=1e-6)


def test_the_training_weeks_have_no_score(stream):
    assert (stream["y_score"].isna() == (stream["period"] < 1)).all()
    assert stream["y_score"].dropna().between(0, 1).all()


def test_the_stream_is_the_same_again(stream):
    pd.testing.assert_frame_equal(small_stream(), stream, check_exact=True)
    seed = np.random.SeedSequence(5)
    for _ in range(2):
        pd.testing.assert_frame_equal(small_stream(seed), stream, check_exact=True)


def test_another_seed_gives_another_stream(stream):
    assert len(small_stream(6)) != len(stream)


def test_a_longer_stream_begins_like_a_shorter_one(stream):
    longer = small_stream(n_periods=N_PERIODS + 3)
    begins = stream[stream["day"] < FIRST_DAY + 7 * N_PERIODS - 13]
    pd.testing.assert_frame_equal(longer.iloc[: len(begins)], begins, check_exact=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_periods", 1), ("train_weeks", 0), ("delay_weeks", -1), ("train_start_day", -1)],
)
def test_a_number_of_weeks_out_of_range_is_refused(name, value):
    with pytest.raises(ValueError, match=name):
        small_stream(**{name: value})


def test_a_stream_without_frauds_is_refused(monkeypatch):
    def without_frauds(**arguments):
        return simulate_transactions(**arguments).assign(fraud=False)

    monkeypatch.setattr("reproduction.monitoring.stream.simulate_transactions", without_frauds)
    with pytest.raises(ValueError, match="the training weeks must hold both classes"):
        small_stream()


# ---------------------------------------------------------------------------------- drifted

N_FRAUDS, N_GENUINE = 400, 3000  # in a period of the stand-in


@pytest.fixture(scope="module")
def stand_in():
    """Eight periods; every score occurs once, and tells the class it was drawn from."""
    rng = np.random.default_rng(0)
    n_periods, n = 8, N_FRAUDS + N_GENUINE
    labels = np.tile(np.repeat([1, 0], [N_FRAUDS, N_GENUINE]), n_periods).astype(np.int8)
    return pd.DataFrame(
        {
            "period": np.repeat(np.arange(1, n_periods + 1, dtype=np.int16), n),
            "y_true": labels,
            "y_score": (labels + rng.permutation(np.linspace(0.0, 0.9, len(labels)))) / 2,
        }
    )


def counts(table):
    """Transactions of each period (rows) and class (columns)."""
    return pd.crosstab(table["period"], table["y_true"])


@pytest.mark.parametrize("drift", [Drift(), *filter(None, SCENARIOS.values())])
def test_a_drifted_stream(stand_in, drift):
    table = drifted(stand_in, drift, seed=1)
    assert table.dtypes.astype(str).to_dict() == {
        "period": "int16",
        "y_true": "int8",
        "y_score": "float64",
    }
    assert table["period"].unique().tolist() == list(range(1, 9))
    assert table["y_score"].is_unique
    assert set(table["y_score"]) <= set(stand_in["y_score"])
    assert (table.loc[table["y_true"] == 0, "y_score"] < 0.5).all()


def test_without_drift_every_transaction_keeps_its_class_and_changes_its_period(stand_in):
    table = drifted(stand_in, Drift(), seed=1)
    for label in (0, 1):
        pools = [each.loc[each["y_true"] == label, "y_score"] for each in (table, stand_in)]
        assert set(pools[0]) == set(pools[1])
    merged = table.merge(stand_in, on="y_score")
    assert (merged["period_x"] == merged["period_y"]).mean() == pytest.approx(1 / 8, abs=0.02)


def test_a_prior_drift_thins_out_the_frauds_by_a_constant_factor(stand_in):
    sizes = counts(drifted(stand_in, Drift(frauds_kept=0.1), seed=1))
    assert (sizes[1].iloc[0], sizes[1].iloc[-1]) == (N_FRAUDS, N_FRAUDS / 10)
    factors = sizes[1].to_numpy()[1:] / sizes[1].to_numpy()[:-1]
    np.testing.assert_allclose(factors, 0.1 ** (1 / 7), atol=0.02)
    assert set(sizes[0]) == {N_GENUINE}


def test_a_prior_drift_leaves_the_scores_given_the_class(stand_in):
    """A trend in the stream itself must be gone: here its scores fall from week to week."""
    trending = stand_in.assign(y_score=stand_in["y_score"] - 0.05 * stand_in["period"])
    table = drifted(trending, Drift(frauds_kept=0.1), seed=1)
    for label in (0, 1):
        of_class = table[table["y_true"] == label]
        early, late = (
            of_class.loc[of_class["period"].isin(periods), "y_score"]
            for periods in ((1, 2), (6, 7, 8))
        )
        assert ks_2samp(early, late).pvalue > 0.01
        unshuffled = trending[trending["y_true"] == label].groupby("period")["y_score"].mean()
        assert unshuffled.iloc[0] - unshuffled.iloc[-1] > 0.3


def test_a_likelihood_drift_disguises_ever_more_frauds(stand_in):
    table = drifted(stand_in, Drift(frauds_disguised=0.4), seed=1)
    frauds = table[table["y_true"] == 1]
    share = (frauds["y_score"] < 0.5).groupby(frauds["period"]).mean()
    np.testing.assert_allclose(share, np.linspace(0.0, 0.4, 8), atol=0.08)
    assert share.iloc[0] == 0


def test_disguised_frauds_score_like_genuine_transactions(stand_in):
    table = drifted(stand_in, Drift(frauds_disguised=1.0), seed=1)
    last = table[table["period"] == 8]
    disguised, genuine = (last.loc[last["y_true"] == label, "y_score"] for label in (1, 0))
    assert ks_2samp(disguised, genuine).pvalue > 0.01


def test_a_likelihood_drift_leaves_the_prior(stand_in):
    sizes = counts(drifted(stand_in, Drift(frauds_disguised=0.4), seed=1))
    assert set(sizes[1]) == {N_FRAUDS}
    assert len(set(sizes[0])) == 1


def test_both_drifts_are_both(stand_in):
    table = drifted(stand_in, Drift(frauds_kept=0.1, frauds_disguised=0.4), seed=1)
    alone = counts(drifted(stand_in, Drift(frauds_kept=0.1), seed=1))
    assert counts(table)[1].tolist() == alone[1].tolist()
    frauds = table[table["y_true"] == 1]
    assert (frauds["y_score"] < 0.5).sum() > 50


def test_a_drift_is_the_same_again(stand_in):
    drift = SCENARIOS["both drifts"]
    first = drifted(stand_in, drift, seed=3)
    pd.testing.assert_frame_equal(drifted(stand_in, drift, seed=3), first, check_exact=True)
    seed = np.random.SeedSequence(3)
    for _ in range(2):
        pd.testing.assert_frame_equal(drifted(stand_in, drift, seed=seed), first, check_exact=True)
    other = drifted(stand_in, drift, seed=4)
    assert not other["y_score"].equals(first["y_score"])


def test_training_weeks_are_not_drawn_from(stream):
    table = drifted(stream, Drift(), seed=0)
    assert table["period"].min() == 1
    assert table["y_score"].notna().all()


def test_a_period_keeps_a_fraud(stand_in):
    sizes = counts(drifted(stand_in, Drift(frauds_kept=1e-6), seed=0))
    assert sizes[1].min() == 1


@pytest.mark.parametrize(
    ("shares", "error"),
    [
        ({"frauds_kept": 0.0}, ValueError),
        ({"frauds_kept": 1.1}, ValueError),
        ({"frauds_disguised": -0.1}, ValueError),
        ({"frauds_disguised": 1.1}, ValueError),
        ({"frauds_kept": "all"}, TypeError),
    ],
)
def test_a_share_out_of_range_is_refused(shares, error):
    with pytest.raises(error, match=next(iter(shares))):
        Drift(**shares)


def test_a_single_period_cannot_drift(stand_in):
    with pytest.raises(ValueError, match="at least 2 periods"):
        drifted(stand_in[stand_in["period"] == 1], Drift(), seed=0)


def test_a_stream_with_fewer_frauds_than_periods_is_refused(stand_in):
    few = stand_in[(stand_in["y_true"] == 0) | (stand_in.index < 3)]
    with pytest.raises(ValueError, match="at least one fraud per period"):
        drifted(few, Drift(), seed=0)
