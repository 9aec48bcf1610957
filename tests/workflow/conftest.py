"""Runs of the real Snakefile, each in a copy of the project.

One complete run, at smoke size, serves all tests that look at results, whatever the number of
pytest workers. A test that continues it gets a copy of its own. Other tests start from nothing and
run only the targets that they need, with the settings `TINY`.
"""

from __future__ import annotations

import shutil
import subprocess

import pytest
from project_fixtures import project as project
from project_fixtures import source as source
from project_fixtures import starter_stops as starter_stops
from runs import SMOKE, Outcome, Project
from workers import once


@pytest.fixture(scope="session")
def no_network() -> tuple[str, ...]:
    """Command that runs another one without network, empty where the system permits none."""
    if shutil.which("unshare"):
        for prefix in (("unshare", "--net"), ("unshare", "--map-root-user", "--net")):
            tried = subprocess.run([*prefix, "true"], capture_output=True, check=False)
            if tried.returncode == 0:
                return prefix
    return ()


@pytest.fixture(scope="session")
def smoke_run(shared_folder, source, no_network) -> tuple[Project, Outcome]:
    """The pipeline at smoke size, without network where that can be had. Not to be changed."""

    def make(folder):
        source.copy(folder, SMOKE).run_within(no_network).succeeded()

    project = Project(once(shared_folder / "smoke", make), SMOKE)
    return project, project.outcome(0)


@pytest.fixture(scope="session")
def reference(smoke_run) -> Project:
    """The finished smoke run, on two cores. Not to be changed."""
    project, _ = smoke_run
    return project


@pytest.fixture
def finished(reference, tmp_path) -> Project:
    """A copy of the project with the finished smoke run."""
    return reference.copy(tmp_path / "finished")
