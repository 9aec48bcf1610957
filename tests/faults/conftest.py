"""Runs of the Snakefile in copies of the project, under faults."""

from __future__ import annotations

from pathlib import Path

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
    """The project as it was when the tests started. Not to be changed."""
    return Project(once(shared_folder / "source", Project.fresh))


@pytest.fixture
def project(source, tmp_path) -> Project:
    """A copy of the project in which nothing has run."""
    return source.copy(tmp_path / "project")


@pytest.fixture
def scratch(tmp_path) -> Path:
    """An own TMPDIR, in which every file that stays behind is one of the run under test."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    return folder
