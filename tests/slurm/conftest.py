"""A SLURM cluster for the tests that need one. They are skipped where it cannot be started."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from one_node import one_node, reason_against
from runs import Project, stop_starter


@pytest.fixture(scope="session")
def slurm():
    """A cluster of one node, stopped after the tests."""
    if find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.skip('no executor for SLURM: pip install -c constraints.txt -e ".[slurm]"')
    if reason := reason_against():
        pytest.skip(reason)
    with one_node():
        yield


@pytest.fixture(scope="session", autouse=True)
def starter_stops():
    """No process outlives the tests."""
    yield
    stop_starter()


@pytest.fixture
def project(tmp_path) -> Project:
    """A copy of the project in which nothing has run."""
    return Project.fresh(tmp_path / "project")
