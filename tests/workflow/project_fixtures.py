"""Fixtures of all tests that run Snakemake in a copy of the project."""

from __future__ import annotations

import pytest
from runs import Project, stop_starter
from workers import once


@pytest.fixture(scope="session", autouse=True)
def starter_stops():
    """No process outlives the tests."""
    yield
    stop_starter()


@pytest.fixture(scope="session")
def source(shared_folder) -> Project:
    """The project as it was when the tests started. Not to be changed.

    A dry run has remembered the hashes of its modules, which no run in a copy need find again.
    """
    return Project(once(shared_folder / "source", lambda folder: Project.fresh(folder).would_run()))


@pytest.fixture
def project(source, tmp_path) -> Project:
    """A copy of the project in which nothing has run."""
    return source.copy(tmp_path / "project")
