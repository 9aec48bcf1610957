"""Each source of fraud data gives a scored test set and names its origin."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_info

from reproduction.core.io import sha256_of
from reproduction.core.settings import load
from reproduction.fraud import data
from reproduction.fraud.data import FEATURES, read_creditcard
from reproduction.fraud.model import logistic_scores
from reproduction.fraud.settings import Settings, Simulator
from reproduction.fraud.simulator import simulate_transactions

SIZES = {"n_customers": 100, "n_terminals": 200, "n_days": 43, "radius": 15.0}
WEEKS = {"train_start_day": 7, "train_weeks": 2, "delay_weeks": 1, "test_weeks": 2}


@pytest.fixture(scope="module")
def table():
    """Rows with Kaggle's columns but Time; frauds differ in V1."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(400, 29)), columns=FEATURES)
    table["Amount"] = np.abs(table["Amount"]) * 100
    table["Class"] = (np.arange(400) % 20 == 0).astype("int8")
    table["V1"] += 3 * table["Class"]
    return table


@pytest.fixture
def csv(tmp_path, table):
    table.to_csv(tmp_path / "creditcard.csv", index=False)
    return tmp_path / "creditcard.csv"


def test_the_model_is_fitted_to_the_first_weeks_and_scores_the_last(monkeypatch):
    trained = []

    def spied(features, labels, train, test):
        trained.append(train)
        return logistic_scores(features, labels, train, test)

    monkeypatch.setattr(data, "logistic_scores", spied)
    predictions, description = data.simulated(**SIZES, **WEEKS, seed=3)
    transactions = simulate_transactions(**SIZES, seed=np.random.SeedSequence(3))
    np.testing.assert_array_equal(trained, [transactions["day"].between(7, 20)])
    tested = transactions.iloc[predictions["row"]]
    assert len(tested) == transactions["day"].between(28, 41).sum()
    np.testing.assert_array_equal(tested["fraud"], predictions["y_true"])
    assert roc_auc_score(predictions["y_true"], predictions["y_score"]) > 0.6
    (row,) = description.itertuples()
    assert (row.source, row.simulated, row.sha256) == ("simulated", True, None)
    assert (row.n_rows, row.n_frauds) == (len(transactions), transactions["fraud"].sum())


def test_weeks_without_a_fraud_are_refused_by_name(monkeypatch):
    def frauds_at_the_end(**settings):
        transactions = simulate_transactions(**settings)
        return transactions.assign(fraud=transactions["fraud"] & (transactions["day"] >= 28))

    monkeypatch.setattr(data, "simulate_transactions", frauds_at_the_end)
    message = "training weeks of fraud.simulator must hold both classes, got 0 positives"
    with pytest.raises(ValueError, match=message):
        data.simulated(**SIZES, **WEEKS, seed=3)


def test_the_model_is_fitted_on_one_thread(monkeypatch, csv):
    """On several, the last digits would depend on the number of cores."""
    threads = set()
    fit = LogisticRegression.fit

    def spied(self, *arguments, **options):
        pools = threadpool_info()
        threads.update(pool["num_threads"] for pool in pools if pool["user_api"] == "blas")
        return fit(self, *arguments, **options)

    monkeypatch.setattr(LogisticRegression, "fit", spied)
    data.creditcard(str(csv), "file")
    assert threads == {1}


def test_csv_zip_and_parquet_are_the_same(tmp_path, csv, table):
    text = table.assign(Class=table["Class"].astype(str)).to_csv(index=False, quoting=2)
    (tmp_path / "as_kaggle.CSV").write_text(text)
    table.to_csv(tmp_path / "creditcard.zip", index=False)
    shuffled = table[table.columns[::-1]].assign(Time=1.0)
    shuffled["Class"] = "'" + table["Class"].astype(str) + "'"
    shuffled.set_index(table.index + 5).to_parquet(tmp_path / "creditcard.parquet")
    for name in ("creditcard.csv", "as_kaggle.CSV", "creditcard.zip", "creditcard.parquet"):
        pd.testing.assert_frame_equal(read_creditcard(str(tmp_path / name)), table)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns="V17"), r"needs the columns \['V17'\]; it has"),
        (lambda t: t.assign(V9="?"), "V9 must be a finite number, got '[?]' in row 0"),
        (lambda t: t.assign(Class=0), "Class must hold both classes, got 0 positives in 400 rows"),
    ],
)
def test_a_wrong_table_is_refused_with_the_reason(csv, table, change, message):
    change(table).to_csv(csv, index=False)
    with pytest.raises(ValueError, match=rf"creditcard\.csv.*{message}"):
        read_creditcard(str(csv))


def test_the_paper_s_model(csv, table):
    predictions, description = data.creditcard(str(csv), "file")
    assert len(predictions) == 120
    assert (predictions["y_true"].to_numpy() == table["Class"].to_numpy()[predictions["row"]]).all()
    (row,) = description.itertuples()
    assert (row.name, row.simulated) == ("creditcard.csv (400 of 284,807 rows)", False)
    assert (row.n_rows, row.n_frauds, row.sha256) == (400, 20, sha256_of(csv))
    table.assign(Amount=table["Amount"] * 1000 + 5).to_csv(csv, index=False)
    scaled, _ = data.creditcard(str(csv), "file")
    np.testing.assert_allclose(scaled["y_score"], predictions["y_score"], rtol=1e-6)


def test_labels_and_scores_of_any_model(tmp_path):
    label, path = np.arange(600) % 10 == 0, tmp_path / "scores.csv"
    scored = pd.DataFrame({"label": label, "p": np.random.default_rng(0).random(600) + label})
    scored.to_csv(path)
    predictions, description = data.scores(str(path), label="label", score="p")
    assert predictions["y_true"].tolist() == scored["label"].astype(int).tolist()
    np.testing.assert_allclose(predictions["y_score"], scored["p"], rtol=1e-15)
    (row,) = description.itertuples()
    assert (row.source, row.name, row.simulated) == ("scores", "scores.csv", False)
    assert (row.n_rows, row.n_frauds, row.sha256) == (600, 60, sha256_of(path))


def test_a_job_depends_on_the_settings_of_its_source_only():
    assert Settings(source="simulated").arguments("kept") == Simulator().model_dump()
    assert Settings().arguments("kept") == {"resources": "kept"}
    own = Settings(source="scores", path="s.csv", columns={"label": "y"})
    assert own.arguments("kept") == {"label": "y", "score": "y_score"}


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"source": "file"}, "fraud: source 'file' needs path"),
        (
            {"source": "simulated", "heuristic": {"highest_prior": 0.0001}},
            r"fraud: heuristic.highest_prior=0.0001 must exceed the share of frauds, .* 0.0042",
        ),
        (
            {"curves": {"pi0": 0.001}},
            "curves.pi0=0.001 must exceed the share of frauds, which is above 0.0017",
        ),
        ({"simulator": {"n_days": 100}}, "n_days=100 is too short: the test weeks end on day 164"),
    ],
)
def test_wrong_settings_are_refused(section, message):
    with pytest.raises(SystemExit, match=message):
        load({"fraud": section})
