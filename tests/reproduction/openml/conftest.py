"""Fixtures of the tests of the OpenML client."""

import os

import pytest
from openml_client import Client, Clock, small_world
from openml_stand_in import openml_stand_in

from reproduction.openml import deadlines, fetch, server


@pytest.fixture
def clock(monkeypatch):
    """Waits between attempts take no time, but count as time without an answer."""
    clock = Clock()
    monkeypatch.setattr(deadlines, "time", clock)
    monkeypatch.setattr(server, "time", clock)
    return clock


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
def client(openml, clock, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # no test survives a power cut
    monkeypatch.setattr(server, "TIMEOUT", (1.0, 0.2))
    monkeypatch.setattr(fetch, "ROUNDS", 1)
    return Client(openml, tmp_path / "resources")
