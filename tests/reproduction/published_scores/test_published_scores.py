"""The authors' stored scores: downloaded once, pickles known by their hash, or parquet files."""

import hashlib
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from http_stand_in import server as server

from reproduction.core.metrics import read_metrics
from reproduction.core.settings import Metrics
from reproduction.published_scores import scores as published
from reproduction.ranking import experiment

DATA = Path(__file__).parents[3] / "../shared/data"
needs_stored_scores = pytest.mark.skipif(not DATA.exists(), reason="no stored scores here")

N_TASKS = 4
VALUES = np.random.default_rng(0).random((N_TASKS, 30, 10))
# As in the pickles: metrics, tasks, models.
CONTENT = {f"metric {i}": list(VALUES[:, :, i]) for i in range(10)}
PICKLE = pickle.dumps(CONTENT, 3)
METRICS = {
    panel: read_metrics(Metrics().described(name))
    for panel, name in (("all", "paper"), ("imbalanced", "paper_imbalanced"))
}
NAMES = {"all": "metrics_balanced.pkl", "imbalanced": "metrics_imbalanced.pkl"}


@pytest.fixture
def known(monkeypatch):
    """The pickles of these tests replace those of the authors."""
    for panel in NAMES:
        monkeypatch.setitem(published._SHA256, panel, hashlib.sha256(PICKLE).hexdigest())


@pytest.fixture
def stored(tmp_path):
    """A parquet file of the values."""
    index = pd.MultiIndex.from_product([range(N_TASKS), range(30)], names=["task", "model"])
    frame = pd.DataFrame(VALUES.reshape(-1, 10), index, published._COLUMNS).reset_index()
    frame.sample(frac=1, random_state=0).to_parquet(tmp_path / "stored.parquet")
    return tmp_path / "stored.parquet"


def read(tmp_path, all=None, imbalanced=None, url="http://127.0.0.1:9/"):
    paths = {"all": all and str(all), "imbalanced": imbalanced and str(imbalanced)}
    return published.run(*METRICS.values(), url=url, **paths, resources=str(tmp_path / "resources"))


def check(scores, tasks):
    """The frames are those of `VALUES` in both panels."""
    for panel in NAMES:
        part = scores[scores["task"].str.startswith(panel)]
        assert list(part["task"].unique()) == [f"{panel}-{i}" for i in range(N_TASKS)]
        assert list(part["run"].unique()) == [f"{i:02d}" for i in range(30)]
        assert list(part["metric"].unique()) == [metric.key for metric in METRICS[panel]]
        assert set(part["pi0"].dropna()) == {0.5}
        for column in ("value", "value_as_published"):
            found = part[column].to_numpy().reshape(N_TASKS, 30, 10)
            np.testing.assert_array_equal(found, VALUES)
        assert tasks.loc[tasks[panel], "task"].str.startswith(panel).all()
    assert len(tasks) == 2 * N_TASKS
    assert not tasks["small_prior"].any()
    assert set(tasks["outcome"]) == {"used"}
    assert tasks[["n_pos", "n_neg", "prior"]].isna().all(axis=None)


def test_parquet_files_have_rows_in_any_order(tmp_path, stored):
    check(*read(tmp_path, stored, stored))


def test_pickles_are_downloaded_once(tmp_path, server, known):
    server.pages |= {f"/code/{name}": PICKLE for name in NAMES.values()}
    for _ in range(2):
        check(*read(tmp_path, url=server.url("/code")))
    assert len(server.requests) == 2
    assert {path.name for path in (tmp_path / "resources").iterdir()} == set(NAMES.values())


def test_another_pickle_is_not_opened(tmp_path, stored):
    (tmp_path / "own.pkl").write_bytes(b"cos\nsystem\n(S'exit 1'\ntR.")
    with pytest.raises(ValueError, match=r"own\.pkl: neither a parquet file nor the authors'"):
        read(tmp_path, stored, tmp_path / "own.pkl")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.drop(columns="model"), "model"),
        (lambda frame: frame.drop(columns="prg_auc"), "prg_auc"),
        (lambda frame: frame[1:], "cannot reshape"),
        (lambda frame: pd.concat([frame, frame[:30]]), "occurs twice"),
        (lambda frame: frame.assign(roc_auc=np.nan), "must have 10 finite"),
    ],
)
def test_other_tables_are_refused(tmp_path, stored, change, message):
    odd = tmp_path / "odd.parquet"
    change(pd.read_parquet(stored)).to_parquet(odd)
    with pytest.raises(ValueError, match=rf"odd\.parquet: .*({message})"):
        read(tmp_path, odd, stored)


@needs_stored_scores
@pytest.mark.parametrize("panel", NAMES)
def test_the_published_matrices_to_four_digits(tmp_path, panel):
    paths = [DATA / f"published_scores_{name}.parquet" for name in NAMES]
    result = experiment.run(
        *read(tmp_path, *paths),
        METRICS[panel],
        conventions="as_published",
        panel=panel,
        n_bootstrap=1,
        seed=0,
    )
    expected = pd.read_csv(DATA / f"published_fig7_{panel}.csv", index_col=0).to_numpy()
    found = result["spearman"].to_numpy().reshape(10, 10)
    np.testing.assert_array_equal(found.round(4), expected)
