"""Fixtures of the tests of OpenML."""

import tempfile
import time

import pytest

# The package reads the user's configuration, and makes folders, when it is imported.
with tempfile.TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patch:
    patch.setenv("XDG_CONFIG_HOME", scratch)
    patch.setenv("OPENML_CACHE_DIR", f"{scratch}/cache")
    import openml as package

from openml_client import Jobs, small_world
from openml_stand_in import openml_stand_in


@pytest.fixture
def waits(monkeypatch):
    """Waits take no time; their seconds are recorded."""
    recorded: list[float] = []
    monkeypatch.setattr(time, "sleep", recorded.append)
    return recorded


@pytest.fixture
def key(monkeypatch):
    """The user's key."""
    monkeypatch.setattr(package.config, "apikey", "c0ffee" * 5)
    return package.config.apikey


@pytest.fixture
def world():
    return small_world()


@pytest.fixture
def openml(world, monkeypatch):
    """The server that the jobs ask."""
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    with openml_stand_in(world) as running:
        yield running


@pytest.fixture
def jobs(openml, waits, tmp_path, monkeypatch):
    monkeypatch.setattr("os.fsync", lambda descriptor: None)  # no test survives a power cut
    return Jobs(openml, tmp_path / "resources")
