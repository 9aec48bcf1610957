import errno
import hashlib
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from reproduction.files import (
    UnusableFileError,
    atomic_path,
    name_cut_run_times,
    read_csv,
    read_table,
    remove_leftovers,
    sha256_of,
    undamaged,
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


def test_an_empty_file_can_be_written(tmp_path):
    with atomic_path(tmp_path / "empty") as temporary:
        temporary.write_bytes(b"")
    assert (tmp_path / "empty").read_bytes() == b""


WRITE = """
import sys, time
from reproduction.files import atomic_path
with atomic_path(sys.argv[1]) as temporary:
    temporary.write_text("half")
    print(flush=True)
    time.sleep(60)
"""


def test_leftovers_of_a_killed_process_are_removed(tmp_path):
    """A file that a live process writes stays, and so does every other hidden file."""
    folder = tmp_path / "tables"
    command = [sys.executable, "-c", WRITE, folder / "table.csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        (left,) = os.listdir(folder)
        for other in (".lock", f".{'0' * 31}.csv", "0" * 32):
            (folder / other).touch()
        remove_leftovers(tmp_path)
        assert left in os.listdir(folder)

        process.send_signal(signal.SIGKILL)
        process.wait()
        assert left in os.listdir(folder)
        remove_leftovers(tmp_path)
    assert sorted(os.listdir(folder)) == [f".{'0' * 31}.csv", ".lock", "0" * 32]


def test_a_folder_that_is_missing_has_no_leftovers(tmp_path):
    remove_leftovers(tmp_path / "missing")


def fail_on(path, error, handled_as=None):
    with atomic_path(path) as temporary:
        temporary.write_text("half")
        try:
            raise error
        finally:
            if handled_as is not None:
                raise handled_as


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
@pytest.mark.parametrize("handled_as", [None, ValueError("inconsistent stream state")])
def test_a_file_system_that_refuses_to_write_is_reported(tmp_path, code, handled_as):
    """Also if the writer fails again while it handles the error."""
    path = tmp_path / "table.csv"
    message = rf"cannot write {path}: {os.strerror(code)}; .*same command"
    with pytest.raises(UnusableFileError, match=message):
        fail_on(path, OSError(code, "in a library"), handled_as)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("error", [ConnectionResetError(errno.ECONNRESET, "reset"), OSError("no")])
def test_other_errors_pass_unchanged(tmp_path, error):
    with pytest.raises(OSError) as caught:  # noqa: PT011
        fail_on(tmp_path / "table.csv", error)
    assert caught.value is error


@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
@pytest.mark.parametrize("n_bytes", [0, 4, -1, -7])
def test_a_file_that_was_cut_is_damaged(tmp_path, name, n_bytes):
    path = tmp_path / name
    write = write_csv if path.suffix == ".csv" else write_parquet
    write(pd.DataFrame({"task": ["1", "2"], "value": [0.25, 0.5]}), path)
    assert read_table(path)["task"].tolist() == ["1", "2"]
    path.write_bytes(path.read_bytes()[:n_bytes])
    with pytest.raises(UnusableFileError, match=rf"{path} is damaged \(.+\); delete it"):
        read_table(path)


def test_a_table_without_rows_is_not_damaged(tmp_path):
    write_csv(pd.DataFrame({"a": []}), tmp_path / "a.csv")
    assert read_csv(tmp_path / "a.csv").empty


def test_a_missing_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError), undamaged(tmp_path / "a.json"):
        (tmp_path / "a.json").read_text()


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
        temporary.write_text("")
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


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_a_run_time_that_had_no_space_is_named(tmp_path, capsys, number):
    (tmp_path / "benchmarks" / "sweep").mkdir(parents=True)
    (tmp_path / "benchmarks" / "whole.tsv").write_text("s\n0.5\n")
    cut = tmp_path / "benchmarks" / "sweep" / "cut.tsv"
    cut.write_text("s\n0.")
    log = tmp_path / "log"
    log.write_text(f"OSError: [Errno {number}] text\n")

    name_cut_run_times(tmp_path / "benchmarks", [log])
    message = f"cannot write {cut}: No space left on device; fix this and run the same command"
    printed = capsys.readouterr().err
    assert printed.startswith(message) if number == errno.ENOSPC else printed == ""
    assert "whole" not in printed
