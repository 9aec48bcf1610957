"""The authors' stored scores: fetched once, read from any nesting, and nothing run by a pickle."""

import codecs
import hashlib
import json
import os
import pickle
import pickletools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from http_stand_in import server as server

from reproduction.ranking import published as published_scores
from reproduction.openml.download import DownloadError
from reproduction.ranking.published import (
    N_MODELS,
    fetch_published,
    metrics_of,
    read_published,
)
from reproduction.settings import Config, read_metrics

DATA = Path(__file__).parents[3].parent / "shared" / "data"
needs_stored_scores = pytest.mark.skipif(not DATA.exists(), reason="no stored scores here")

# In the order of the metrics; "\a" of "\approx" is a bell in a Python string that is not raw.
NEAR = "($\\pi_0\x07pprox\\pi$)"
LABELS = [
    *("AUC-PR", f"AUC-P$_c$R {NEAR}", "AUC-P$_c$R ($\\pi_0=0.5$)"),
    *("AUC-PR Gain", f"AUC-P$_c$R Gain {NEAR}", "AUC-P$_c$R Gain ($\\pi_0=0.5$)"),
    *("Best F1 score", f"Best F1 score$_c$ {NEAR}", "Best F1 score$_c$ ($\\pi_0=0.5$)"),
    "AUC-ROC",
]
OTHER_LABELS = [
    *("average_precision", "average_precision@pi0~pi", "average_precision@pi0=0.5"),
    *("prg_auc", "prg_auc@pi0~pi", "prg_auc@pi0=0.5"),
    *("F-score", "F1-score, pi0~pi", "best F-score, pi0=0.5"),
    "ROC AUC",
]
N_TASKS = 4


def values(seed=0):
    """Scores of shape (n_tasks, n_models, n_metrics)."""
    return np.random.default_rng(seed).random((N_TASKS, N_MODELS, 10))


def columns(labels=LABELS):
    return {label: values()[:, :, i] for i, label in enumerate(labels)}


NESTINGS = {
    "arrays": columns(),
    "other labels": columns(OTHER_LABELS),
    "in another order": dict(reversed(columns().items())),
    "models by tasks": {label: table.T for label, table in columns().items()},
    "lists of arrays": {label: list(table) for label, table in columns().items()},
    "lists of lists": {label: table.tolist() for label, table in columns().items()},
    "lists of lists of numpy numbers": {
        label: [list(row) for row in table] for label, table in columns().items()
    },
    "dictionaries by task in those by metric": {
        label: {31 + i: row.tolist() for i, row in enumerate(table)}
        for label, table in columns().items()
    },
    "dictionaries by metric in those by task": {
        31 + i: {label: table[i].tolist() for label, table in columns().items()}
        for i in range(N_TASKS)
    },
    "lists of dictionaries by metric": [
        {label: table[i] for label, table in columns().items()} for i in range(N_TASKS)
    ],
}


def pickled(path, content, protocol=3):
    path.write_bytes(pickle.dumps(content, protocol))
    return path


def parquet(path, frame=None):
    if frame is None:
        index = pd.MultiIndex.from_product([range(N_TASKS), range(N_MODELS)])
        frame = pd.DataFrame(values().reshape(-1, 10), columns=OTHER_LABELS)
        frame.insert(0, "task", index.get_level_values(0))
        frame.insert(1, "model", index.get_level_values(1))
    frame.to_parquet(path)
    return path


@pytest.fixture
def stored(tmp_path):
    """A file that can be read, for the other panel."""
    return parquet(tmp_path / "stored.parquet")


def check_frames(scores, tasks):
    """Those of `values` in both panels."""
    assert list(scores.columns) == ["task", "run", "metric", "pi0", "value", "value_as_published"]
    for panel in ("all", "imbalanced"):
        part = scores[scores["task"].str.startswith(panel)]
        assert list(part["task"].unique()) == [f"{panel}-{i}" for i in range(N_TASKS)]
        assert list(part["run"].unique()) == [f"{i:02d}" for i in range(N_MODELS)]
        assert list(part["metric"].unique()) == [metric.key for metric in metrics_of(panel)]
        for column in ("value", "value_as_published"):
            found = part[column].to_numpy().reshape(N_TASKS, N_MODELS, 10)
            np.testing.assert_array_equal(found, values())
    assert list(tasks["all"]) == [True] * N_TASKS + [False] * N_TASKS
    assert list(tasks["imbalanced"]) == [False] * N_TASKS + [True] * N_TASKS
    assert not tasks["small_prior"].any()
    assert set(tasks["outcome"]) == {"used"}
    assert set(tasks["n_models"]) == {N_MODELS}
    assert (tasks["name"] == tasks["task"]).all()
    assert tasks[["n_pos", "n_neg", "prior"]].isna().all(axis=None)


# ------------------------------------------------------------------------------------- reading


@pytest.mark.parametrize("nesting", NESTINGS)
@pytest.mark.filterwarnings("ignore:.*not the published file")
def test_pickles_of_any_nesting(tmp_path, nesting):
    path = pickled(tmp_path / "scores.pkl", NESTINGS[nesting])
    check_frames(*read_published(path, path))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("core", ["core", "_core"])
@pytest.mark.filterwarnings("ignore:.*not the published file")
def test_pickles_of_any_protocol_and_numpy(tmp_path, protocol, core, stored):
    dumped = pickle.dumps(columns(), protocol)
    other = dumped.replace(b"numpy._core.", f"numpy.{core}.".encode())
    if protocol < 4:  # later ones hold the lengths of names
        dumped = other
    path = tmp_path / "scores.pickle"
    path.write_bytes(dumped)
    check_frames(*read_published(path, stored))


def test_a_parquet_file(stored):
    check_frames(*read_published(stored, stored))


def test_rows_of_a_parquet_file_have_any_order(tmp_path, stored):
    shuffled = pd.read_parquet(stored).sample(frac=1, random_state=0)
    check_frames(*read_published(parquet(tmp_path / "shuffled.parquet", shuffled), stored))


def test_metrics_are_those_of_the_paper():
    config = Config().metrics
    for panel, name in (("all", "paper"), ("imbalanced", "paper_imbalanced")):
        expected = [metric.key for metric in read_metrics(config.described(name))]
        assert [metric.key for metric in metrics_of(panel)] == expected


def test_another_pickle_is_read_with_a_warning(tmp_path, stored):
    path = pickled(tmp_path / "own.pkl", columns())
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.warns(UserWarning, match=f"own.pkl: not the published file, SHA-256 is {found}"):
        read_published(path, stored)


def test_the_published_pickle_is_read_without_a_warning(tmp_path, stored, monkeypatch, recwarn):
    path = pickled(tmp_path / "scores.pkl", columns())
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setitem(published_scores.SHA256, "all", found)
    read_published(path, stored)
    assert not recwarn.list


@needs_stored_scores
def test_the_stored_scores():
    scores, tasks = read_published(
        DATA / "published_scores_all.parquet", DATA / "published_scores_imbalanced.parquet"
    )
    ids = [f"all-{i:03d}" for i in range(602)] + [f"imbalanced-{i}" for i in range(5)]
    assert list(tasks["task"]) == ids
    assert len(scores) == 607 * 30 * 10
    wide = scores.pivot_table(index=["task", "run"], columns="metric", values="value")
    of_all, of_imbalanced = (
        wide[wide.index.get_level_values("task").str.startswith(panel)].dropna(axis="columns")
        for panel in ("all", "imbalanced")
    )
    assert (of_all == 0).all(axis="columns").sum() == 1520
    assert (of_all["prg_auc@pi0=0.5"] > 1).sum() == 283
    assert (of_imbalanced["prg_auc@pi0=0.5"] > 1).sum() == 64
    assert of_imbalanced["prg_auc@pi0=0.5"].max() == pytest.approx(35.97, abs=0.01)


# ------------------------------------------------------------------------------------ refusals


class _Calls:
    """Unpickles by a call."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    ("function", "arguments", "name"),
    [
        (os.system, ["touch {}"], r"(posix|nt)\.system"),
        (eval, ["open('{}', 'w')"], r"(builtins|__builtin__)\.eval"),
        (getattr, [dict, "clear"], r"(builtins|__builtin__)\.getattr"),
        (np.save, ["{}", 1], r"numpy\.save"),
        (codecs.decode, [b"", "hex"], r"_codecs\.decode"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*not the published file")
def test_a_pickle_that_calls_is_refused(tmp_path, stored, protocol, function, arguments, name):
    trace = tmp_path / "trace"
    filled = [each.format(trace) if isinstance(each, str) else each for each in arguments]
    content = columns() | {"AUC-ROC": _Calls(function, *filled)}
    path = pickled(tmp_path / "bad.pkl", content, protocol)
    with pytest.raises(ValueError, match=rf"bad\.pkl: refused to unpickle {name}: only arrays"):
        read_published(path, stored)
    assert not trace.exists()


@pytest.mark.filterwarnings("ignore:.*not the published file")
def test_dotted_names_lead_nowhere(tmp_path, stored):
    """From protocol 4 on, a name may hold dots."""
    name = b"ndarray.__init__.__globals__"
    dumped = b"\x80\x04\x8c\x05numpy\x8c" + bytes([len(name)]) + name + b"\x93."
    assert "STACK_GLOBAL" in [opcode.name for opcode, _, _ in pickletools.genops(dumped)]
    (tmp_path / "bad.pkl").write_bytes(dumped)
    with pytest.raises(ValueError, match=r"refused to unpickle numpy\.ndarray\.__init__"):
        read_published(tmp_path / "bad.pkl", stored)


@pytest.mark.filterwarnings("ignore:.*not the published file")
def test_other_encodings_are_refused(tmp_path, stored):
    path = pickled(tmp_path / "bad.pkl", {"AUC-PR": _Calls(codecs.encode, "a", "zip")})
    with pytest.raises(ValueError, match="refused to unpickle bytes in the encoding 'zip'"):
        read_published(path, stored)


def without(key):
    return {label: table for label, table in columns().items() if label != key}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (columns() | {"accuracy": values()[:, :, 0]}, "'accuracy' is not the label of a stored"),
        (columns() | {7: values()[:, :, 0]}, "7 is not the label of a stored"),
        (columns() | {"AUC-ROC (0.5)": 0}, r"'AUC-ROC \(0\.5\)' is not the label of a stored"),
        (
            columns() | {"AUROC": values()[:, :, 0]},
            r"two labels mean \('roc_auc', 'own'\), the second is 'AUROC'",
        ),
        (without("AUC-ROC"), r"must have 10 metrics, lacks \[\('roc_auc', 'own'\)\]"),
        ({}, "must have dictionaries with labels of metrics as keys, got \\[\\]"),
        ({"a": 1}, "must have dictionaries with labels of metrics as keys, got \\['a'\\]"),
        ([], "must have dictionaries with labels of metrics as keys, got list"),
        (3.5, "must have dictionaries with labels of metrics as keys, got float"),
        ([{"AUC-PR": [1]}, {"AUC-ROC": [1]}], "tasks have different metrics"),
        (columns() | {"AUC-ROC": values()[:, :9, 0]}, r"30 scores per task, got shape \(4, 9"),
        (columns() | {"AUC-ROC": [[1.0] * 30, [1.0] * 29]}, "inhomogeneous"),
        (columns() | {"AUC-ROC": [["a"] * 30]}, "could not convert"),
        (columns() | {"AUC-ROC": [[{}] * 30]}, "float"),
        (columns() | {"AUC-ROC": [[np.nan] * 30]}, r"\('roc_auc', 'own'\) must be finite"),
        (columns() | {"AUC-ROC": [[0.5] * 30]}, "same shape"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*not the published file")
def test_other_content_is_refused(tmp_path, stored, content, message):
    path = pickled(tmp_path / "odd.pkl", content)
    with pytest.raises(ValueError, match=rf"odd\.pkl: .*{message}"):
        read_published(stored, path)


@pytest.mark.parametrize("body", [b"", b"plain text", pickle.dumps(columns())[:500]])
@pytest.mark.filterwarnings("ignore:.*not the published file")
def test_damaged_pickles(tmp_path, stored, body):
    (tmp_path / "odd.pkl").write_bytes(body)
    with pytest.raises(ValueError, match=r"odd\.pkl: damaged pickle"):
        read_published(tmp_path / "odd.pkl", stored)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.drop(columns="model"), r"lacks the columns \['model'\]"),
        (lambda frame: frame.drop(columns="prg_auc"), "must have 10 metrics"),
        (lambda frame: frame.assign(note=1.0), "'note' is not the label"),
        (lambda frame: frame[1:], "must have 30 rows for each task"),
        (lambda frame: pd.concat([frame[:30], frame[:30]]), "must have 30 rows for each task"),
        (lambda frame: frame[:0], "must have 30 rows for each task"),
    ],
)
def test_other_tables_are_refused(tmp_path, stored, change, message):
    path = parquet(tmp_path / "odd.parquet", change(pd.read_parquet(stored)))
    with pytest.raises(ValueError, match=rf"odd\.parquet: {message}"):
        read_published(path, stored)


def test_other_kinds_of_files_are_refused(tmp_path, stored):
    with pytest.raises(ValueError, match=r"scores\.csv: suffix must be one of \.parquet, \.pkl"):
        read_published(tmp_path / "scores.csv", stored)
    with pytest.raises(FileNotFoundError):
        read_published(tmp_path / "missing.pkl", stored)


# ------------------------------------------------------------------------------------ fetching


@pytest.mark.parametrize("slash", ["", "/"])
@pytest.mark.parametrize(
    ("panel", "name"), [("all", "metrics_balanced"), ("imbalanced", "metrics_imbalanced")]
)
def test_fetched_once_and_again_when_damaged(server, tmp_path, monkeypatch, panel, name, slash):
    body = pickle.dumps(columns(), 3)
    sha256 = hashlib.sha256(body).hexdigest()
    monkeypatch.setitem(published_scores.SHA256, panel, sha256)
    server.pages[f"/code/{name}.pkl"] = body
    url = server.url("/code") + slash

    path = fetch_published(tmp_path / "new", panel, url=url)
    assert path == tmp_path / "new" / f"{name}.pkl"
    assert path.read_bytes() == body
    assert json.loads(path.with_suffix(".json").read_text()) == {
        "source": server.url(f"/code/{name}.pkl"),
        "sha256": sha256,
        "licence": "none stated",
    }
    fetch_published(tmp_path / "new", panel, url=url)
    assert len(server.requests) == 1
    path.write_bytes(body[:-1])
    fetch_published(tmp_path / "new", panel, url=url)
    assert len(server.requests) == 2
    assert path.read_bytes() == body


def test_another_file_is_refused(server, tmp_path):
    server.pages["/metrics_balanced.pkl"] = pickle.dumps(columns())
    with pytest.raises(DownloadError, match=r"gave up .* SHA-256 is .* published file is 84a696fd"):
        fetch_published(tmp_path, "all", url=server.url("/"))
    assert not list(tmp_path.iterdir())
