"""Only one run at a time writes to a results folder; a killed run leaves it free."""

import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys

import pytest

from reproduction import runlock

HOLD = """
import sys, time
from reproduction import runlock
runlock.hold(sys.argv[1])
print(flush=True)
time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path / "results"],
        stdout=subprocess.PIPE,
    )
    process.stdout.readline()
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_second_run_is_refused(holder, tmp_path):
    with pytest.raises(RuntimeError, match=r"another run is writing to .*results; .*results_dir"):
        runlock.hold(tmp_path / "results")


def test_another_folder_is_free(holder, tmp_path):
    runlock.hold(tmp_path / "others")


def test_a_killed_run_leaves_the_folder_free(holder, tmp_path):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    runlock.hold(tmp_path / "results")


def test_the_lock_is_one_hidden_empty_file(tmp_path):
    (tmp_path / "table.csv").write_text("content")
    runlock.hold(tmp_path)
    assert sorted(os.listdir(tmp_path)) == [".lock", "table.csv"]
    assert (tmp_path / "table.csv").read_text() == "content"
    assert (tmp_path / ".lock").read_bytes() == b""


def test_a_file_of_the_name_of_the_lock_is_not_overwritten(tmp_path):
    (tmp_path / ".lock").write_text("content")
    runlock.hold(tmp_path)
    assert (tmp_path / ".lock").read_text() == "content"


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_reported(tmp_path, monkeypatch, code):
    def flock(descriptor, operation):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", flock)
    message = rf"cannot lock .*\.lock: .*{os.strerror(code)}.*a file system with file locks"
    with pytest.raises(RuntimeError, match=message):
        runlock.hold(tmp_path)


def test_a_folder_that_cannot_be_made_is_reported(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(RuntimeError, match=r"cannot lock .*file/results/\.lock.*writable"):
        runlock.hold(tmp_path / "file" / "results")


def test_a_folder_that_stays_passes_the_check(tmp_path):
    runlock.hold(tmp_path / "results")
    runlock.check()


@pytest.mark.parametrize("made_again", [False, True])
def test_a_folder_that_was_removed_fails_the_check(tmp_path, monkeypatch, made_again):
    monkeypatch.setattr(runlock, "_held", [])
    runlock.hold(tmp_path / "results")
    shutil.rmtree(tmp_path / "results")
    if made_again:
        (tmp_path / "results").mkdir()
        (tmp_path / "results" / ".lock").touch()
    with pytest.raises(RuntimeError, match=r"results was removed or replaced .* same command"):
        runlock.check()
