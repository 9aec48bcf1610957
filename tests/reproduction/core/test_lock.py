"""One run per folder of results."""

import os
import re
import subprocess
import sys

import pytest

from reproduction.core import lock

HOLD = (
    "from reproduction.core.lock import hold; import sys; hold(sys.argv[1]); print(1, flush=True)"
)


def test_a_second_run_is_refused_until_the_first_ends(tmp_path):
    folder = str(tmp_path / "results")
    other = subprocess.Popen(
        [sys.executable, "-c", f"{HOLD}; input()", folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert other.stdout.readline() == b"1\n"
    with pytest.raises(SystemExit, match=r"another run is writing to .*results; wait"):
        lock.hold(folder)
    other.kill()
    other.wait()
    assert subprocess.run([sys.executable, "-c", HOLD, folder]).returncode == 0


def test_a_read_only_working_directory_is_named_with_the_options_that_help(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lock.require_writable("copy/Snakefile")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    message = (
        f"{re.escape(str(tmp_path))} is read-only: run the command with -s copy/Snakefile -d FOLDER"
    )
    with pytest.raises(SystemExit, match=message):
        lock.require_writable("copy/Snakefile")


@pytest.mark.parametrize("place", ["file", "file/results"])
def test_results_that_cannot_be_written_are_named_with_the_setting(tmp_path, place):
    (tmp_path / "file").write_text("")
    message = rf"cannot write to .*{place}: (File exists|Not a directory); set results_dir to"
    with pytest.raises(SystemExit, match=message):
        lock.hold(tmp_path / place)
