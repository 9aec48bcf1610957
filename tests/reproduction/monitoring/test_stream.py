"""The monitored stream: simulated and scored, or the rows of a user's file."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reproduction.core.streams import stream_seed
from reproduction.fraud.features import transaction_features
from reproduction.fraud.simulator import simulate_transactions
from reproduction.monitoring.settings import Settings
from reproduction.monitoring.stream import own, simulated

SIZE = {"n_customers": 300, "n_terminals": 600, "radius": 15.0}
N_PERIODS = 6
SETTINGS = Settings(**SIZE, n_periods=N_PERIODS)
FIRST_DAY = 37 + 28 + 7


@pytest.fixture(scope="module")
def stream():
    return simulated(**SETTINGS.of_stream(seed=5))


@pytest.fixture(scope="module")
def transactions():
    seed = stream_seed(5, "fraud_stream")
    return simulate_transactions(**SIZE, n_days=FIRST_DAY + 7 * N_PERIODS, seed=seed)


def test_every_transaction_of_the_training_and_monitored_weeks_is_there(stream, transactions):
    days = transactions["day"]
    of_weeks = transactions[(days >= 37) & ((days < 65) | (days >= FIRST_DAY))]
    assert stream["period"].tolist() == ((of_weeks["day"] - FIRST_DAY) // 7 + 1).tolist()
    assert stream["y_true"].tolist() == of_weeks["fraud"].astype(int).tolist()
    assert stream["period"].unique().tolist() == [-4, -3, -2, -1, *range(1, N_PERIODS + 1)]


def test_scores_are_those_of_a_model_of_the_training_weeks(stream, transactions):
    features, frauds = transaction_features(transactions), transactions["fraud"]
    train, later = transactions["day"].between(37, 64), transactions["day"] >= FIRST_DAY
    converged = LogisticRegression(tol=1e-10, max_iter=10_000)  # another solver
    model = make_pipeline(StandardScaler(), converged)
    expected = model.fit(features[train], frauds[train]).predict_proba(features[later])[:, 1]
    np.testing.assert_allclose(stream["y_score"][stream["period"] >= 1], expected, rtol=1e-4)
    assert (stream["y_score"].isna() == (stream["period"] < 1)).all()


def test_a_stream_without_frauds_is_refused(monkeypatch, transactions):
    simulate = "reproduction.monitoring.stream.simulate_transactions"
    monkeypatch.setattr(simulate, lambda **_: transactions.assign(fraud=False))
    with pytest.raises(ValueError, match=r"monitoring\.n_customers must hold both classes"):
        simulated(**SETTINGS.of_stream(seed=5))


ROWS = pd.DataFrame({"is_fraud": [0, 1, 1, 0], "probability": [0.1, 0.9, 0.6, 0.7]})
ROWS["month"] = ["2024-02", "2024-02", "2024-01", "2024-01"]


def read(rows, path):
    rows.to_csv(path, index=False)
    names = {"label": "is_fraud", "score": "probability", "period": "month"}
    chosen = Settings(path=str(path), columns=names)
    return own(**chosen.of_stream(seed=0), path=str(path))


def test_a_file_is_read_in_order_of_period(tmp_path):
    rows = read(ROWS, tmp_path / "stream.csv")
    assert rows["period"].tolist() == ["2024-01", "2024-01", "2024-02", "2024-02"]
    assert rows["y_score"].tolist() == [0.6, 0.7, 0.1, 0.9]


def test_one_period_with_both_classes_is_too_few(tmp_path):
    message = "month must have at least 2 periods with both classes, got 1 among 2 periods; set mon"
    with pytest.raises(ValueError, match=message):
        read(ROWS.assign(is_fraud=[0, 0, 1, 0]), tmp_path / "stream.csv")
