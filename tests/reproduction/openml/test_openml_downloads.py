"""The check before downloads of hours: what is missing is named at once, with its cure."""

import shutil
import socket
from types import SimpleNamespace

import pytest
from http_stand_in import stand_in

from reproduction.openml import downloads


@pytest.fixture
def arguments(tmp_path, monkeypatch):
    """Arguments of `check` with a server that is a closed port."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        yield {
            "url": f"http://127.0.0.1:{closed.getsockname()[1]}/api",
            "n_tasks": 600,
            "n_models": 30,
            "requests_per_second": 2.0,
            "resources": str(tmp_path / "resources"),
        }


def test_each_missing_thing_is_a_line_with_its_cure(arguments, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=5e9))
    with pytest.raises(SystemExit) as ended:
        downloads.check(**arguments)
    _, network, disk = str(ended.value).splitlines()
    assert network.startswith(f"network: OpenML does not answer at {arguments['url']} (Connect")
    assert disk.endswith(
        "has 5,000 MB free, about 9,200 MB are needed; set resources_dir to a folder of a larger "
        "disk"
    )


def test_a_server_that_answers_is_announced(arguments, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1e10))
    with stand_in() as server:
        text = downloads.check(**arguments | {"url": server.url("/api")})
    assert text == "OpenML: 37,802 requests, at least 5.3 hours, and about 9,200 MB\n"


def test_what_is_kept_needs_neither_server_nor_disk(arguments, tmp_path):
    (tmp_path / "resources/openml").mkdir(parents=True)
    assert downloads.check(**arguments) == ""
