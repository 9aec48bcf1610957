"""Fixtures of the tests of the OpenML client."""

import os
import time

import pytest
from openml_client import Client, small_world
from openml_stand_in import openml_stand_in

from reproduction.openml import download


@pytest.fixture
def waits(monkeypatch):
    """Waits take no time; their seconds are recorded."""
    recorded: list[float] = []
    monkeypatch.setattr(time, "sleep", recorded.append)
    return recorded


@pytest.fixture
def world():
    return small_world()


@pytest.fixture
def openml(world, monkeypatch):
    """The server that the client asks."""
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    with openml_stand_in(world) as running:
        yield running


@pytest.fixture
def client(openml, waits, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # no test survives a power cut
    monkeypatch.setattr(download, "TIMEOUT", (1.0, 0.2))
    return Client(openml, tmp_path / "resources")
