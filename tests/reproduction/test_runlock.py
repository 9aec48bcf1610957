"""One run at a time in a results folder; a killed run leaves no lock behind."""

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
