"""Temporary files of a run are in one folder, which a later run removes after a kill."""

import os
import signal
import subprocess
import sys

import pytest

CLAIM = """
import sys, tempfile, time
from reproduction import scratch
scratch.claim(tempfile.mkdtemp(prefix="snakemake"))
tempfile.mkstemp()
print(tempfile.gettempdir(), flush=True)
time.sleep(float(sys.argv[1]))
"""


@pytest.fixture
def claim(tmp_path):
    """Function that starts a process with a folder of its own, and returns both."""
    started = []

    def start(seconds=60):
        process = subprocess.Popen(
            [sys.executable, "-c", CLAIM, str(seconds)],
            env=os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process, os.path.basename(process.stdout.readline().strip())

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_folders_of_killed_runs_are_removed_and_no_others(claim, tmp_path):
    killed, its_folder = claim()
    _, folder_of_another = claim()
    (tmp_path / "snakemakeanothers" / "source-cache").mkdir(parents=True)
    (tmp_path / "another_project").mkdir()
    (tmp_path / "snakemake0a1b2c3_").mkdir()  # of a run that was killed in its first moment
    assert len(os.listdir(tmp_path / its_folder)) == 2  # the mark and the temporary file
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert its_folder in os.listdir(tmp_path)

    _, latest = claim()

    assert sorted(os.listdir(tmp_path)) == sorted(
        [folder_of_another, latest, "another_project", "snakemakeanothers"]
    )


def test_a_run_that_was_killed_before_its_mark_was_locked_leaves_nothing(claim, tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for name, process in (("snakemake_killed_", ended.pid), ("snakemake_starts_", os.getpid())):
        (tmp_path / name).mkdir()
        (tmp_path / name / f".calibrated-metrics.{process}").touch()

    _, latest = claim()

    assert sorted(os.listdir(tmp_path)) == sorted([latest, "snakemake_starts_"])
