"""A job that is asked to end, or whose run was killed, ends as after an error."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from reproduction.termination import orderly

JOB = """
import sys, time
from reproduction.termination import orderly
try:
    with orderly():
        print(flush=True)
        time.sleep(60)
finally:
    open(sys.argv[1], "w").close()
"""
# A run that starts the job, and waits for it as Snakemake does.
RUN = """
import subprocess, sys
subprocess.run([sys.executable, "-c", *sys.argv[1:]])
"""
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}


def test_sigterm_ends_the_block_with_an_error(tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit, match="the job was ended by SIGTERM"), orderly():
        os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before


def test_other_threads_receive_no_signals():
    errors = []

    def block():
        try:
            with orderly():
                pass
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=block)
    thread.start()
    thread.join()
    assert errors == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process of this")
def test_a_job_ends_with_its_run(tmp_path):
    command = [sys.executable, "-c", RUN, JOB, tmp_path / "ended"]
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE) as run:
        run.stdout.readline()
        run.kill()
        assert run.stdout.read() == b""  # the job, which has the pipe too, has ended
    assert (tmp_path / "ended").exists()
