"""Copies of the project for all tests that run Snakemake.

One complete run, at smoke size, serves all tests that look at results. A test that continues it
gets a copy of its own.
"""

from __future__ import annotations

import shutil
import subprocess

import pytest
from project import Project
from workers import once


@pytest.fixture(scope="session")
def no_network() -> tuple[str, ...]:
    """Command that runs another command without network; empty if the system does not allow it."""
    if shutil.which("unshare"):
        for prefix in (("unshare", "--net"), ("unshare", "--map-root-user", "--net")):
            if subprocess.run([*prefix, "true"], capture_output=True).returncode == 0:
                return prefix
    return ()


@pytest.fixture(scope="session")
def smoke(shared_folder, no_network) -> Project:
    """The finished run at smoke size, without network where that can be had. Not to be changed.

    It never imports the package `openml`, which makes folders in HOME and takes a second.
    """

    def make(folder):
        Project.fresh(folder).without("openml").run(prefix=no_network).succeeded()

    return Project(once(shared_folder / "smoke", make))


@pytest.fixture
def finished(smoke, tmp_path) -> Project:
    """A copy of the project with the finished run."""
    return smoke.copy(tmp_path / "finished")


@pytest.fixture
def project(tmp_path) -> Project:
    """A copy of the project without results."""
    return Project.fresh(tmp_path / "project")
