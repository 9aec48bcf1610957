"""Runs of the Snakefile in copies of the project, under faults."""

from __future__ import annotations

from pathlib import Path

import pytest
from project_fixtures import project as project
from project_fixtures import source as source
from project_fixtures import starter_stops as starter_stops


@pytest.fixture
def scratch(tmp_path) -> Path:
    """An own TMPDIR, in which every file that stays behind is one of the run under test."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    return folder
