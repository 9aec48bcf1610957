"""A killed run continues with the same command, and ends with the same bytes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from itertools import islice

import pytest

pytestmark = pytest.mark.long

KILLS = 12


def killed(project, n_lines: int, *, with_jobs: bool) -> bool:
    """Start a run, and kill it after it has printed some lines; False if it ended before that."""
    process = subprocess.Popen(
        project.command(),
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    printed = len(list(islice(process.stdout, n_lines)))
    if with_jobs:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()  # its jobs must end by themselves
    process.stdout.close()
    process.wait()
    return printed == n_lines


def test_kills_at_random_lines_of_the_output(smoke, project, proved):
    complete = smoke.contents()
    at = random.Random(20200427)
    survived = 0
    for kill in range(KILLS):
        if not killed(project, at.randrange(10, 200), with_jobs=kill % 2 == 0):
            break
        found = project.contents()
        assert found.items() <= complete.items(), "a file with its final name is not complete"
        survived += 1
    project.run().succeeded()
    assert project.contents() == complete
    proved("kills of runs survived", held=survived, tried=survived)
    assert survived >= KILLS // 2
