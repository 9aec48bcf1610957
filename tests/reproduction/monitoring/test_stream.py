"""The monitored stream: simulated and scored, or the rows of a user's file."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from reproduction.core.streams import stream_seed
from reproduction.fraud.features import transaction_features
from reproduction.fraud.simulator import simulate_transactions
from reproduction.monitoring.settings import Settings
from reproduction.monitoring.stream import own, simulated

SIZE = {"n_customers": 300, "n_terminals": 600, "radius": 15.0}
N_PERIODS = 6
FIRST_DAY = 37 + 28 + 7


def small_stream(seed=5, **changes):
    settings = Settings(**{**SIZE, "n_periods": N_PERIODS, **changes})
    return simulated(**settings.of_simulator(), seed=seed)


@pytest.fixture(scope="module")
def stream():
    return small_stream()


@pytest.fixture(scope="module")
def transactions():
    seed = stream_seed(5, "fraud_stream")
    return simulate_transactions(**SIZE, n_days=FIRST_DAY + 7 * N_PERIODS, seed=seed)


# ------------------------------------------------------------------------------- simulated


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
    assert (stream["y_score"].isna() == (stream["period"] < 1)).all()


def test_the_stream_depends_on_the_seed_only(stream):
    pd.testing.assert_frame_equal(small_stream(), stream, check_exact=True)
    assert len(small_stream(6)) != len(stream)


def test_a_stream_without_frauds_is_refused(monkeypatch):
    def without_frauds(**arguments):
        return simulate_transactions(**arguments).assign(fraud=False)

    monkeypatch.setattr("reproduction.monitoring.stream.simulate_transactions", without_frauds)
    with pytest.raises(ValueError, match="the training weeks must hold both classes"):
        small_stream()


# ------------------------------------------------------------------------------- a file

NAMES = {"label": "is_fraud", "score": "probability", "period": "month"}
ROWS = pd.DataFrame(
    {
        "month": ["2024-02", "2024-02", "2024-01", "2024-01"],
        "is_fraud": [0, 1, 1, 0],
        "probability": [0.1, 0.9, 0.6, 0.7],
        "amount": [1, 2, 3, 4],
    }
)


@pytest.mark.parametrize("name", ["stream.csv", "stream.parquet"])
def test_a_file_is_read_in_order_of_period(tmp_path, name):
    path = tmp_path / name
    if path.suffix == ".csv":
        ROWS.to_csv(path, index=False)
    else:
        ROWS.to_parquet(path)
    rows = own(str(path), **NAMES)
    assert rows.to_dict("list") == {
        "period": ["2024-01", "2024-01", "2024-02", "2024-02"],
        "y_true": [1, 0, 0, 1],
        "y_score": [0.6, 0.7, 0.1, 0.9],
    }


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ROWS.rename(columns={"probability": "score"}), "'probability' must be a column of"),
        (ROWS.assign(probability=[0.1, None, 0.2, 0.3]), "probability must be finite"),
        (ROWS.assign(is_fraud=[0, 2, 1, 0]), "is_fraud must be 0 or 1"),
        (ROWS.assign(is_fraud=[0, 0, 1, 0]), "period 2024-02 must hold both classes"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path, rows, message):
    rows.to_csv(tmp_path / "stream.csv", index=False)
    with pytest.raises(ValueError, match=message):
        own(str(tmp_path / "stream.csv"), **NAMES)
