import hashlib
import json
import os

import numpy as np
import pandas as pd
import pytest

from reproduction.files import (
    atomic_path,
    sha256_of,
    write_csv,
    write_json,
    write_parquet,
)


def test_the_file_appears_only_at_the_end_of_the_block(tmp_path):
    path = tmp_path / "new" / "folder" / "table.csv"
    with atomic_path(path) as temporary:
        temporary.write_text("whole")
        assert temporary.parent == path.parent
        assert temporary.name.endswith(path.name)
        assert not path.exists()
    assert path.read_text() == "whole"
    assert os.listdir(path.parent) == ["table.csv"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file_and_no_other(tmp_path, error):
    path = tmp_path / "table.csv"
    path.write_text("old")
    with pytest.raises(error), atomic_path(path) as temporary:  # noqa: PT012
        temporary.write_text("half")
        raise error
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["table.csv"]


def test_a_block_that_writes_nothing_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_path(tmp_path / "table.csv"):
        pass
    assert os.listdir(tmp_path) == []


def test_the_bytes_reach_the_disk_before_the_name_changes(tmp_path, monkeypatch):
    calls = []
    real_fsync, real_replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (calls.append("fsync"), real_fsync(fd)))
    monkeypatch.setattr(os, "replace", lambda a, b: (calls.append("replace"), real_replace(a, b)))
    with atomic_path(tmp_path / "a") as temporary:
        temporary.write_text("a")
    assert calls == ["fsync", "replace"]


def test_written_files_follow_the_umask(tmp_path):
    plain = tmp_path / "plain"
    plain.touch()
    with atomic_path(tmp_path / "atomic") as temporary:
        temporary.touch()
    assert (tmp_path / "atomic").stat().st_mode == plain.stat().st_mode


def test_sha256(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"abc" * 100_000)
    assert sha256_of(path) == hashlib.sha256(b"abc" * 100_000).hexdigest()


def test_json(tmp_path):
    content = {"b": 1, "a": "π₀", "c": [0.1, None]}
    write_json(tmp_path / "a.json", content)
    data = (tmp_path / "a.json").read_bytes()
    assert json.loads(data) == content
    assert list(json.loads(data)) == ["b", "a", "c"]
    assert data.endswith(b"}\n")
    assert "π₀".encode() in data


def test_json_has_no_nan(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "a.json", {"a": float("nan")})
    assert os.listdir(tmp_path) == []


def test_csv_is_exact_and_repeatable(tmp_path):
    rng = np.random.default_rng(0)
    floats = np.concatenate(
        [rng.normal(size=1000) * 10.0 ** rng.integers(-300, 300, 1000), [0.1, 1 / 3, 5e-324, 1e22]]
    )
    frame = pd.DataFrame({"name": "a,b", "value": floats, "n": 3}, index=floats)
    write_csv(frame, tmp_path / "a.csv")
    write_csv(frame, tmp_path / "b.csv")
    data = (tmp_path / "a.csv").read_bytes()
    assert data == (tmp_path / "b.csv").read_bytes()
    assert data.startswith(b'name,value,n\n"a,b",')
    assert b"\r" not in data
    written = [line.split(",")[2] for line in data.decode().splitlines()[1:]]
    assert [float(text) for text in written] == floats.tolist()
    assert b',0.1,3\n"a,b",0.3333333333333333,3\n' in data


def test_parquet(tmp_path):
    frame = pd.DataFrame({"a": np.array([1, 0], dtype="int8"), "b": [0.1, 1 / 3]}, index=[7, 9])
    write_parquet(frame, tmp_path / "a.parquet")
    write_parquet(frame, tmp_path / "b.parquet")
    pd.testing.assert_frame_equal(
        pd.read_parquet(tmp_path / "a.parquet"), frame.reset_index(drop=True)
    )
    assert sha256_of(tmp_path / "a.parquet") == sha256_of(tmp_path / "b.parquet")
