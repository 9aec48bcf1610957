"""The check before downloads of hours: what is missing is named at once, with its cure."""

import socket

import pytest
from http_stand_in import Handler, answer, stand_in

from reproduction.core import downloads


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A source whose server is a closed port."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        yield {
            "name": "OpenML",
            "url": f"http://127.0.0.1:{closed.getsockname()[1]}/api",
            "package": "numpy",
            "install": "pip install numpy",
            "n_requests": 7200,
            "per_second": 2.0,
            "megabytes": 1,
            "kept": str(tmp_path / "resources/openml"),
        }


def missing(source, folder):
    with pytest.raises(SystemExit) as ended:
        downloads.check([source], str(folder / "resources"))
    return str(ended.value).splitlines()[1:]


def test_each_missing_thing_is_a_line_with_its_cure(source, tmp_path):
    source |= {"package": "no_such", "install": "pip install no-such", "megabytes": 10**12}
    package, network, disk = missing(source, tmp_path)
    assert package == "package: no_such is not installed; run pip install no-such"
    assert network.startswith(f"network: OpenML does not answer at {source['url']} (Connect")
    assert disk.endswith(
        "about 1,000,000,000,000 MB are needed; set resources_dir to a folder of a larger disk"
    )


def test_a_source_that_answers_is_announced(source, tmp_path):
    with stand_in() as server:
        source["url"] = server.url("/api")
        text = downloads.check([source], str(tmp_path / "resources"))
    assert text == "OpenML: 7,200 requests, at least 1.0 hours, and about 1 MB\n"


def test_what_is_kept_needs_neither_server_nor_disk(source, tmp_path):
    (tmp_path / "resources/openml").mkdir(parents=True)
    assert downloads.check([source | {"megabytes": 10**12}], str(tmp_path / "resources")) == ""


def test_an_account_is_wanted_only_if_the_server_refuses(source, tmp_path, monkeypatch):
    monkeypatch.setattr(Handler, "do_HEAD", Handler.do_GET, raising=False)
    with stand_in() as server:
        server.pages["/api"] = answer(403)
        source |= {"url": server.url("/api"), "accounts": ["NO_SUCH_KEY", "~/no/such/file"]}
        assert missing(source, tmp_path) == [
            "rights: OpenML wants an account (status 403); make one, and set one of NO_SUCH_KEY, "
            "~/no/such/file"
        ]
        monkeypatch.setenv("NO_SUCH_KEY", "text")
        assert downloads.check([source], str(tmp_path / "resources"))
