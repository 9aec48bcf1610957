"""Every source of fraud data gives a scored test set and says where it comes from."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_info

from calibrated_metrics import ConfusionCurve, scores
from reproduction.data import creditcard, creditcard_sources
from reproduction.fraud.data import FraudData, scored_test_set
from reproduction.fraud.simulator import simulate_transactions
from reproduction.files import sha256_of, write_json
from reproduction.settings import Fraud, Simulator


def curve_of(predictions):
    return ConfusionCurve.from_predictions(predictions["y_true"], predictions["y_score"])


SAMPLE = Path(__file__).parents[3] / "../shared/data/creditcard_sample.parquet"
SMALL = Simulator(
    n_customers=100,
    n_terminals=200,
    n_days=43,
    radius=15.0,
    train_start_day=7,
    train_weeks=2,
    delay_weeks=1,
    test_weeks=2,
)


def simulated(seed=3, settings=SMALL):
    return scored_test_set(Fraud(simulator=settings), resources="unused", seed=seed)


def kaggle_like(n=400, n_frauds=20):
    """Rows with Kaggle's columns, frauds apart in V1."""
    rng = np.random.default_rng(0)
    names = [name for name in creditcard.COLUMNS if name != "Class"]
    frame = pd.DataFrame(rng.normal(size=(n, len(names))), columns=names)
    frame["Class"] = (np.arange(n) % (n // n_frauds) == 0).astype(np.int8)
    frame["V1"] += 3 * frame["Class"]
    return frame


@pytest.fixture(scope="module")
def stand_in():
    return simulated()


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "creditcard.csv"
    kaggle_like().to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def sample():
    if not SAMPLE.exists():
        pytest.skip(f"no {SAMPLE.name} in the shared data folder beside the repository")
    return scored_test_set(Fraud(source="file", path=str(SAMPLE)), resources="unused", seed=0)


def assert_predictions(predictions):
    assert list(predictions.columns) == ["row", "y_true", "y_score"]
    assert predictions["row"].dtype == np.int64
    assert predictions["row"].is_unique
    assert predictions["y_true"].dtype == np.int8
    assert set(predictions["y_true"]) == {0, 1}
    assert predictions["y_score"].dtype == np.float64
    assert predictions["y_score"].between(0, 1).all()


# -------------------------------------------------------------------------------- simulated


def test_simulated_predictions(stand_in):
    predictions, _ = stand_in
    assert_predictions(predictions)
    assert predictions["row"].is_monotonic_increasing


def test_the_model_has_learnt_something(stand_in):
    predictions, _ = stand_in
    assert scores.roc_auc(curve_of(predictions)) > 0.6


def test_rows_are_those_of_the_last_weeks_of_the_simulation(stand_in):
    sizes = ("n_customers", "n_terminals", "n_days", "radius")
    transactions = simulate_transactions(**{name: getattr(SMALL, name) for name in sizes}, seed=3)
    predictions, data = stand_in
    tested = transactions.iloc[predictions["row"]]
    assert set(tested["day"]) == set(range(28, 42))
    assert len(tested) == transactions["day"].between(28, 41).sum()
    np.testing.assert_array_equal(tested["fraud"], predictions["y_true"])
    assert (data.n_rows, data.n_frauds) == (len(transactions), transactions["fraud"].sum())


def test_simulated_data_say_so(stand_in):
    predictions, data = stand_in
    assert (data.source, data.simulated, data.sha256) == ("simulated", True, None)
    assert "simulated" in data.title
    assert "Kaggle" in data.title
    assert 0 < data.n_frauds < data.n_rows
    assert predictions["row"].max() < data.n_rows


def test_the_simulation_is_the_same_for_the_same_seed(stand_in):
    again, data = simulated()
    pd.testing.assert_frame_equal(again, stand_in[0], check_exact=True)
    assert data == stand_in[1]


def test_the_simulation_is_another_for_another_seed(stand_in):
    other, _ = simulated(seed=4)
    assert len(other) != len(stand_in[0])


def test_a_seed_may_be_a_sequence(stand_in):
    again, _ = simulated(seed=np.random.SeedSequence(3))
    pd.testing.assert_frame_equal(again, stand_in[0], check_exact=True)


def test_the_test_set_is_that_of_the_last_weeks(stand_in):
    longer, _ = simulated(settings=SMALL.model_copy(update={"test_weeks": 1}))
    assert longer["row"].min() == stand_in[0]["row"].min()
    assert len(longer) < 0.6 * len(stand_in[0])


@pytest.mark.parametrize("part", ["training", "test"])
def test_weeks_without_a_fraud_are_refused_by_name(monkeypatch, part):
    def without_frauds(**settings):
        transactions = simulate(**settings)
        days = transactions["day"]
        weeks = days < 21 if part == "training" else days >= 28
        return transactions.assign(fraud=transactions["fraud"] & ~weeks)

    from reproduction.fraud import data as fraud

    simulate = fraud.simulate_transactions
    monkeypatch.setattr(fraud, "simulate_transactions", without_frauds)
    with pytest.raises(
        ValueError, match=f"{part} weeks of fraud.simulator must hold both classes, has 0 positives"
    ):
        simulated()


@pytest.mark.parametrize("source", ["simulated", "file"])
def test_the_model_is_fitted_on_one_thread(monkeypatch, csv, source):
    """On several, the last digits would depend on the number of cores."""
    threads = set()
    fit = LogisticRegression.fit

    def spied(self, *arguments, **options):
        pools = threadpool_info()
        threads.update(pool["num_threads"] for pool in pools if pool["user_api"] == "blas")
        return fit(self, *arguments, **options)

    monkeypatch.setattr(LogisticRegression, "fit", spied)
    settings = Fraud(source=source, path=str(csv), simulator=SMALL)
    scored_test_set(settings, resources="unused", seed=3)
    assert threads == {1}


# ------------------------------------------------------------------------------------- file


def test_a_file_of_the_published_columns(csv):
    settings = Fraud(source="file", path=str(csv))
    predictions, data = scored_test_set(settings, resources="unused", seed=0)
    assert_predictions(predictions)
    assert len(predictions) == 120
    assert data == FraudData(
        source="file",
        name="creditcard.csv",
        simulated=False,
        n_rows=400,
        n_frauds=20,
        model=data.model,
        sha256=sha256_of(csv),
    )
    assert data.title == "creditcard.csv"


def test_a_file_does_not_depend_on_the_seed(csv):
    settings = Fraud(source="file", path=str(csv))
    first, second = (scored_test_set(settings, resources="unused", seed=s)[0] for s in (0, 1))
    pd.testing.assert_frame_equal(first, second, check_exact=True)


def test_a_missing_file_is_named(tmp_path):
    settings = Fraud(source="file", path=str(tmp_path / "gone.csv"))
    with pytest.raises(FileNotFoundError, match=r"gone\.csv"):
        scored_test_set(settings, resources="unused", seed=0)


def test_the_sample_of_the_published_data_has_its_size(sample):
    predictions, data = sample
    assert_predictions(predictions)
    assert data.n_rows == 113_922
    assert (len(predictions), predictions["y_true"].sum()) == (34_177, 49)
    assert not data.simulated
    assert "simulated" not in data.title


def test_the_sample_of_the_published_data_gives_its_area(sample):
    predictions, _ = sample
    area = scores.average_precision(curve_of(predictions))
    assert area == pytest.approx(0.659278, abs=1e-4)
    assert area == pytest.approx(
        average_precision_score(predictions["y_true"], predictions["y_score"]), abs=1e-12
    )


# -------------------------------------------------------------------------------- downloads


@pytest.fixture
def fetched(monkeypatch, csv):
    """Calls of either fetch function, which both find a file without any network."""
    calls = []

    def stand_in_for(name):
        def fetch(*arguments, **options):
            calls.append((name, arguments, options))
            return csv

        monkeypatch.setattr(creditcard_sources, name, fetch)

    for name in ("fetch_openml", "fetch_kaggle"):
        stand_in_for(name)
    return calls


def test_openml_is_asked_at_the_configured_server(fetched, csv, tmp_path):
    settings = Fraud(source="openml", openml_server="https://example.org/xml")
    predictions, data = scored_test_set(settings, resources=tmp_path, seed=0)
    assert fetched == [("fetch_openml", (tmp_path,), {"server": "https://example.org/xml"})]
    assert_predictions(predictions)
    assert data.title == "OpenML dataset 1597"
    assert (data.source, data.sha256) == ("openml", sha256_of(csv))


def test_kaggle_is_asked_for_its_dataset(fetched, csv, tmp_path):
    predictions, data = scored_test_set(Fraud(source="kaggle"), resources=tmp_path, seed=0)
    assert fetched == [("fetch_kaggle", (tmp_path,), {})]
    assert_predictions(predictions)
    assert data.title == "Kaggle mlg-ulb/creditcardfraud"
    assert (data.source, data.sha256) == ("kaggle", sha256_of(csv))


@pytest.mark.parametrize("source", ["simulated", "file"])
def test_other_sources_fetch_nothing(fetched, csv, source):
    settings = Fraud(source=source, path=str(csv), simulator=SMALL)
    scored_test_set(settings, resources="unused", seed=3)
    assert fetched == []


def test_all_downloads_and_files_are_scored_alike(fetched, csv):
    frames = [
        scored_test_set(Fraud(source=source, path=str(csv)), resources="unused", seed=0)[0]
        for source in ("file", "openml", "kaggle")
    ]
    for frame in frames[1:]:
        pd.testing.assert_frame_equal(frame, frames[0], check_exact=True)


# ------------------------------------------------------------------------- what is kept of it


def test_what_the_data_are_survives_a_file(stand_in, tmp_path):
    _, data = stand_in
    path = tmp_path / "data.json"
    write_json(path, data.as_dict())
    assert FraudData.read(path) == data
    assert json.loads(path.read_text(encoding="utf-8"))["simulated"] is True


def test_the_curve_is_that_of_the_test_set(stand_in):
    predictions, _ = stand_in
    curve = curve_of(predictions)
    assert curve.n_pos == predictions["y_true"].sum()
    assert curve.n_pos + curve.n_neg == len(predictions)
