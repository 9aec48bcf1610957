"""Each source of fraud data gives a scored test set and says where it comes from."""

import hashlib
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_info

from reproduction.core.io import sha256_of
from reproduction.core.settings import load
from reproduction.fraud import data, download
from reproduction.fraud.reading import COLUMNS, FEATURES, read_creditcard, read_scores
from reproduction.fraud.settings import Settings, Simulator
from reproduction.fraud.simulator import simulate_transactions
from reproduction.openml.download import ContentError

SAMPLE = Path(__file__).parents[3] / "../shared/data/creditcard_sample.parquet"
SIZES = {"n_customers": 100, "n_terminals": 200, "n_days": 43, "radius": 15.0}
WEEKS = {"train_start_day": 7, "train_weeks": 2, "delay_weeks": 1, "test_weeks": 2}


@pytest.fixture(scope="module")
def table():
    """Rows with Kaggle's columns; frauds differ in V1."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(400, 29)), columns=FEATURES)
    table["Amount"] = np.abs(table["Amount"]) * 100
    table.insert(0, "Time", np.arange(400.0))
    table["Class"] = (np.arange(400) % 20 == 0).astype("int8")
    table["V1"] += 3 * table["Class"]
    return table


@pytest.fixture
def csv(tmp_path, table):
    table.to_csv(tmp_path / "creditcard.csv", index=False)
    return tmp_path / "creditcard.csv"


# ------------------------------------------------------------------------------- simulated


@pytest.fixture(scope="module")
def simulated():
    return data.simulated(**SIZES, **WEEKS, seed=3)


def test_the_test_set_is_that_of_the_last_weeks(simulated):
    predictions, _ = simulated
    transactions = simulate_transactions(**SIZES, seed=3)
    tested = transactions.iloc[predictions["row"]]
    assert len(tested) == transactions["day"].between(28, 41).sum()
    assert set(tested["day"]) == set(range(28, 42))
    np.testing.assert_array_equal(tested["fraud"], predictions["y_true"])
    assert roc_auc_score(predictions["y_true"], predictions["y_score"]) > 0.6


def test_simulated_data_say_so(simulated):
    (row,) = simulated[1].itertuples()
    transactions = simulate_transactions(**SIZES, seed=3)
    assert (row.source, row.simulated, row.sha256) == ("simulated", True, None)
    assert (row.n_rows, row.n_frauds) == (len(transactions), transactions["fraud"].sum())


def test_the_simulation_depends_on_the_seed_only(simulated):
    again, _ = data.simulated(**SIZES, **WEEKS, seed=3)
    pd.testing.assert_frame_equal(again, simulated[0], check_exact=True)
    assert len(data.simulated(**SIZES, **WEEKS, seed=4)[0]) != len(again)


@pytest.mark.parametrize("part", ["training", "test"])
def test_weeks_without_a_fraud_are_refused_by_name(monkeypatch, part):
    def without_frauds(**settings):
        transactions = simulate_transactions(**settings)
        weeks = transactions["day"] < 21 if part == "training" else transactions["day"] >= 28
        return transactions.assign(fraud=transactions["fraud"] & ~weeks)

    monkeypatch.setattr(data, "simulate_transactions", without_frauds)
    message = f"{part} weeks of fraud.simulator must hold both classes, has 0 positives"
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
    data.simulated(**SIZES, **WEEKS, seed=3)
    data.creditcard(str(csv), "file")
    assert threads == {1}


# ---------------------------------------------------------------------- files like Kaggle's


def test_csv_zip_and_parquet_are_the_same(tmp_path, csv, table):
    text = table.assign(Class=table["Class"].astype(str)).to_csv(index=False, quoting=2)
    (tmp_path / "as_kaggle.CSV").write_text(text)
    table.to_csv(tmp_path / "creditcard.zip", index=False)
    shuffled = table[table.columns[::-1]].set_index(table.index + 5)
    shuffled.assign(
        Class="'" + table["Class"].astype(str).set_axis(shuffled.index) + "'"
    ).to_parquet(tmp_path / "creditcard.parquet")
    for name in ("creditcard.csv", "as_kaggle.CSV", "creditcard.zip", "creditcard.parquet"):
        pd.testing.assert_frame_equal(read_creditcard(tmp_path / name), table)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda t: t.drop(columns="V17"),
            r"columns must be .*missing: \['V17'\], unexpected: \[\]",
        ),
        (lambda t: t.assign(extra=1), r"missing: \[\], unexpected: \['extra'\]"),
        (lambda t: t.assign(V9="?"), "V9 must be numeric, got '[?]' in row 0"),
        (lambda t: t.assign(V2=t["V2"].mask(t.index == 3)), "V2 must be finite, got nan in row 3"),
        (lambda t: t.assign(Class=t["Class"] * 2), "Class must be 0 or 1, got 2 in row 0"),
        (lambda t: t.assign(Class=0), "Class must hold both classes, has 0 positives of 400"),
    ],
)
def test_a_wrong_table_is_refused_with_the_reason(tmp_path, table, change, message):
    path = tmp_path / "creditcard.csv"
    change(table).to_csv(path, index=False)
    with pytest.raises(ValueError, match=rf"creditcard\.csv.*{message}"):
        read_creditcard(path)


@pytest.mark.parametrize("suffix", ["csv", "zip", "parquet"])
def test_a_damaged_file_is_named(tmp_path, suffix):
    path = tmp_path / f"creditcard.{suffix}"
    path.write_bytes(b"")
    with pytest.raises(
        ValueError, match=rf"creditcard\.{suffix} is not a readable \.{suffix} file"
    ):
        read_creditcard(path)
    with pytest.raises(ValueError, match=r"fraud\.path must end in \.csv, \.zip, \.parquet, got"):
        read_creditcard(tmp_path / "creditcard.xlsx")


def test_the_paper_s_model(csv, table):
    predictions, description = data.creditcard(str(csv), "file")
    assert len(predictions) == 120
    assert (predictions["y_true"].to_numpy() == table["Class"].to_numpy()[predictions["row"]]).all()
    (row,) = description.itertuples()
    assert (row.name, row.simulated) == ("creditcard.csv (400 of 284,807 rows)", False)
    assert (row.n_rows, row.n_frauds, row.sha256) == (400, 20, sha256_of(csv))
    table.drop(columns="Time").assign(Amount=table["Amount"] * 1000 + 5).to_csv(csv, index=False)
    scaled, _ = data.creditcard(str(csv), "file")
    np.testing.assert_allclose(scaled["y_score"], predictions["y_score"], rtol=1e-6)


@pytest.mark.parametrize("part", ["training", "test"])
def test_a_part_without_a_fraud_is_named(csv, table, part):
    train, test = train_test_split(np.arange(400), test_size=0.3, random_state=0)
    frauds = test if part == "training" else train
    table.assign(Class=np.isin(np.arange(400), frauds[:5]).astype("int8")).to_csv(csv, index=False)
    with pytest.raises(
        ValueError, match=f"the {part} rows of .* hold both classes, has 0 positives"
    ):
        data.creditcard(str(csv), "file")


@pytest.mark.skipif(not SAMPLE.exists(), reason="no sample of the published data")
def test_a_sample_of_the_published_data():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        predictions, description = data.creditcard(str(SAMPLE), "file")
    assert (len(predictions), predictions["y_true"].sum()) == (34_177, 49)
    area = average_precision_score(predictions["y_true"], predictions["y_score"])
    assert area == pytest.approx(0.659278, abs=1e-4)
    assert description["name"].item() == "creditcard_sample.parquet (113,922 of 284,807 rows)"


# ------------------------------------------------------------------------------- own scores


@pytest.fixture
def scored():
    rng = np.random.default_rng(0)
    label = np.arange(600) % 10 == 0
    months = np.repeat(["2024-02", "2024-01", "2024-03"], 200)
    return pd.DataFrame({"label": label, "p": rng.random(600) + label, "month": months})


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_labels_and_scores_of_any_model(tmp_path, scored, suffix):
    path = tmp_path / f"scores.{suffix}"
    scored.to_csv(path) if suffix == "csv" else scored.to_parquet(path)
    predictions, description = data.scores(str(path), label="label", score="p", period="month")
    assert predictions["y_true"].tolist() == scored["label"].astype(int).tolist()
    np.testing.assert_allclose(predictions["y_score"], scored["p"], rtol=1e-15)
    (row,) = description.itertuples()
    assert (row.source, row.name, row.simulated) == ("scores", f"scores.{suffix}", False)
    assert (row.n_rows, row.n_frauds, row.sha256) == (600, 60, sha256_of(path))


def test_scores_of_periods_are_numbered_in_order_of_time(tmp_path, scored):
    path = str(tmp_path / "scores.csv")
    scored.to_csv(path, index=False)
    columns = {"label": "label", "score": "p", "period": "month"}
    periods = data.monitored_scores(path, **columns)
    assert periods["period"].tolist() == [0] * 200 + [1] * 200 + [2] * 200
    first = scored.loc[scored["month"] == "2024-01", "p"]
    np.testing.assert_allclose(periods.loc[periods["period"] == 0, "y_score"], first, rtol=1e-15)
    with pytest.raises(ValueError, match="month must have more than n_history=3 values, has 3"):
        data.monitored_scores(path, **columns, n_history=3)
    scored.assign(label=scored["label"] & (scored["month"] != "2024-03")).to_csv(path, index=False)
    with pytest.raises(ValueError, match="month 2024-03 must hold both classes"):
        data.monitored_scores(path, **columns)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"label": "y"},
            r"fraud\.columns\.label='y' must be a column of .*\['label', 'p', 'month'",
        ),
        ({"score": "q"}, r"fraud\.columns\.score='q' must be a column of"),
        ({"period": "week"}, r"fraud\.columns\.period='week' must be a column of"),
        ({"label": "p"}, "p must be 0 or 1, got"),
        ({"score": "month"}, "month must be numeric, got '2024-02' in row 0"),
    ],
)
def test_wrong_columns_are_refused_by_setting_and_name(tmp_path, scored, columns, message):
    path = tmp_path / "scores.csv"
    scored.to_csv(path, index=False)
    with pytest.raises(ValueError, match=message):
        read_scores(path, **{"label": "label", "score": "p", **columns})


# -------------------------------------------------------------------------------- downloads


@pytest.fixture
def published(monkeypatch):
    """Let a file of 400 rows with 20 frauds count as the published one."""
    monkeypatch.setattr(download, "_ROWS", 400)
    monkeypatch.setattr(download, "_FRAUDS", 20)


@pytest.fixture
def hub(monkeypatch, csv):
    """Stands in for kagglehub; the list of datasets asked for."""
    asked = []
    hub = SimpleNamespace(dataset_download=lambda name: asked.append(name) or str(csv.parent))
    monkeypatch.setitem(sys.modules, "kagglehub", hub)
    return asked


def test_kaggle(monkeypatch, hub, published, csv, table):
    with pytest.raises(ValueError, match=r"creditcard\.csv: SHA-256 is .*fraud\.source to file"):
        download.published_data("kaggle", "unused")
    monkeypatch.setattr(download, "_KAGGLE_SHA256", sha256_of(csv))
    pd.testing.assert_frame_equal(download.published_data("kaggle", "unused"), table)
    assert set(hub) == {"mlg-ulb/creditcardfraud"}
    monkeypatch.setattr(download, "_ROWS", 284_807)
    with pytest.raises(
        ValueError, match="kaggle: 400 rows with 20 frauds; the published data have"
    ):
        download.published_data("kaggle", "unused")


def test_kaggle_needs_its_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "kagglehub", None)
    with pytest.raises(ImportError, match=r'kagglehub .*"calibrated-metrics\[kaggle\]"'):
        download.published_data("kaggle", "unused")


@pytest.fixture
def openml(monkeypatch, table):
    """Stands in for the server: its pages, which the real `download` would check alike."""
    kinds = {"Time": "REAL", "'V1'": "numeric", '"Amount"': "REAL", "Class": "{'0','1'}"}
    names = ["Time", "'V1'", *(f"V{i}" for i in range(2, 29)), '"Amount"', "Class"]
    header = "".join(f"@ATTRIBUTE {name} {kinds.get(name, 'REAL')}\n" for name in names)
    rows = table.assign(Class="'" + table["Class"].astype(str) + "'")
    values = rows.to_csv(index=False, header=False)
    text = f"% Université\n@relation creditcard\n\n{header}@DATA\n{values}\n% end\n"
    arff = text.encode("latin-1")
    pages = {
        "https://a/xml/data/1597": f"""
        <oml:data_set_description xmlns:oml="http://openml.org/openml">
        <oml:url> https://a/creditcard.arff </oml:url>
        <oml:md5_checksum>{hashlib.md5(arff).hexdigest()}</oml:md5_checksum>
        </oml:data_set_description>""".strip().encode(),
        "https://a/creditcard.arff": arff,
    }

    def fetch(url, path, *, check):
        path.write_bytes(pages[url])
        check(path)

    monkeypatch.setattr(download, "download", fetch)
    return pages


def test_openml(openml, published, table):
    pd.testing.assert_frame_equal(download.published_data("openml", "https://a/xml/"), table)
    openml["https://a/creditcard.arff"] += b"0"
    with pytest.raises(ContentError, match=r"MD5 is .*, OpenML's description says"):
        download.published_data("openml", "https://a/xml")
    openml["https://a/xml/data/1597"] = b"<html/>"
    with pytest.raises(ContentError, match="has no url or no md5_checksum"):
        download.published_data("openml", "https://a/xml")


def test_columns_of_the_published_file():
    assert ("Time", *(f"V{i}" for i in range(1, 29)), "Amount", "Class") == COLUMNS


# --------------------------------------------------------------------------------- settings


def test_a_job_depends_on_the_settings_of_its_source_only():
    sizes = Simulator().model_dump()
    assert Settings().arguments() == sizes
    assert Settings(source="kaggle").arguments() == {"source": "kaggle"}
    own = Settings(source="scores", path="s.csv", columns={"label": "y"})
    assert own.arguments() == {"label": "y", "score": "y_score", "period": None}
    files = [each.data_file("kept") for each in (Settings(), own, Settings(source="openml"))]
    assert files == [None, "s.csv", "kept/creditcard_openml.parquet"]


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"source": "file"}, "fraud: source 'file' needs path"),
        ({"source": "csv"}, "fraud.source: .*'simulated', 'kaggle'"),
        ({"columns": {"labels": "y"}}, "fraud.columns.labels: unknown key .did you mean 'label'"),
        ({"simulator": {"n_days": 100}}, "n_days=100 is too short: training from day 115"),
    ],
)
def test_wrong_settings_are_refused(section, message):
    with pytest.raises(SystemExit, match=message):
        load({"fraud": section})
