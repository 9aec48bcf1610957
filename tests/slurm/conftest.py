"""A SLURM cluster for the tests that need one. They are skipped where it cannot be started."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from one_node import one_node, reason_against
from project_fixtures import no_network, project, smoke

__all__ = ["no_network", "project", "slurm", "smoke"]


@pytest.fixture(scope="session")
def slurm():
    """A cluster of one node, stopped after the tests."""
    if find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.skip('no executor for SLURM: pip install -c constraints.txt -e ".[slurm]"')
    if reason := reason_against():
        pytest.skip(reason)
    with one_node():
        yield
