import errno
import fcntl
import os
import subprocess
import sys
from contextlib import nullcontext

import http_stand_in as faults
import openml_stand_in as stand_in
import pytest
import requests
from openml_client import FIRST_RUN, PATIENCE, run_path
from openml_stand_in import api_error

from reproduction.openml import pace as pace_module
from reproduction.openml.deadlines import Deadline
from reproduction.openml.documents import ApiError
from reproduction.openml.download import (
    DownloadError,
    _redirect_target,
)
from reproduction.openml.ledger import Entry, Ledger
from reproduction.openml.pace import Pace
from reproduction.openml.reasons import ExcludedError
from reproduction.openml.server import OutageError, Server

KEY = "0123456789abcdef0123456789abcdef"


def test_no_account_is_sent(openml, client, tmp_path, monkeypatch):
    """Neither the key of the openml package nor an account of the same host in ~/.netrc."""
    config = tmp_path / "openml" / "config"
    config.parent.mkdir()
    config.write_text(f"apikey = {KEY}\n")
    netrc = tmp_path / ".netrc"
    netrc.write_text(f"machine 127.0.0.1 login me password {KEY}\n")
    netrc.chmod(0o600)
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    assert requests.utils.get_netrc_auth(openml.url("/")) == ("me", KEY)
    client.fetch()
    assert len(openml.headers) == len(openml.requests) == 8
    assert KEY not in f"{openml.requests} {openml.headers}"
    assert not any("Authorization" in headers for headers in openml.headers)
    assert all(h["User-Agent"].startswith("calibrated-metrics/") for h in openml.headers)


# --- What was asked is kept

RUN_ADDRESS = f"run/{FIRST_RUN}"


def ask(client, address=RUN_ADDRESS, read=lambda root: root.tag):
    return client.server.document(address, read, Deadline(60))


def test_a_document_is_asked_for_once(client):
    for _ in range(2):
        assert ask(client).endswith("}run")
    assert client.openml.requests == [run_path(FIRST_RUN)]


def test_an_error_is_kept_as_the_answer_that_it_is(client):
    for _ in range(2):
        with pytest.raises(ApiError, match="236: Run not found") as raised:
            ask(client, "run/999")
        assert raised.value.code == 236
    assert client.openml.requests == [run_path(999)]


@pytest.mark.parametrize("code", [100, 103, 107])
def test_an_error_of_the_server_itself_is_no_answer(client, code):
    client.openml.fault_paths[run_path(FIRST_RUN)] = api_error(code)
    with pytest.raises(DownloadError, match=f"error {code}"):
        ask(client)
    assert client.kept("api") == set()


POISON = {
    "nothing": b"",
    "half": b'<oml:run xmlns:oml="http://openml.org/openml"><oml:run_id>1',
    "HTML": b"<html><body>busy</body></html>",
    "zeros": bytes(500),
    "half of UTF-16": "<oml:run>".encode("utf-16")[:-3],
    "unknown encoding": b'<?xml version="1.0" encoding="klingon"?><oml:run/>',
    "multi-byte encoding": b'<?xml version="1.0" encoding="cp932"?><oml:run/>',
    "server error": stand_in._document("error", stand_in._tags(code=107, message="busy")),
}


@pytest.mark.parametrize("kind", POISON)
def test_a_document_that_is_damaged_on_disk_is_asked_for_again(client, kind):
    ask(client)
    kept = client.server.folder / "api" / f"{RUN_ADDRESS}.xml"
    good = kept.read_bytes()
    kept.write_bytes(POISON[kind])
    assert ask(client).endswith("}run")
    assert kept.read_bytes() == good
    assert client.asked(run_path(FIRST_RUN)) == 2


@pytest.mark.parametrize("kind", POISON)
def test_a_damaged_document_is_never_kept(client, kind):
    client.openml.pages[run_path(FIRST_RUN)] = POISON[kind]
    with pytest.raises(DownloadError):
        ask(client)
    assert client.kept("api") == set()


def test_a_document_may_be_in_another_encoding(client):
    xml = requests.get(client.openml.url(run_path(FIRST_RUN)), timeout=5).text
    utf_16 = f'<?xml version="1.0" encoding="utf-16"?>{xml}'.encode("utf-16")
    client.openml.pages[run_path(FIRST_RUN)] = utf_16
    for _ in range(2):
        assert ask(client).endswith("}run")


def test_servers_do_not_share_a_folder(client, tmp_path):
    other = Server("http://localhost:8080/api/v1/xml/", tmp_path, requests_per_second=1)
    assert other.url == "http://localhost:8080/api/v1/xml"
    assert other.folder == tmp_path / "openml" / "localhost_8080"


def file(client, path="/file", server=None, name="file"):
    target = client.resources / name
    url = path if path is None or ":" in path else client.openml.url(path)
    (server or client.server).file(url, target, lambda _: None, Deadline(1e6))
    return target


@pytest.mark.parametrize("status", [202, 204, 408, 429, 500, 501, 503, 520, 599])
def test_statuses_that_say_nothing_about_the_file(client, status):
    client.openml.pages["/file"] = faults.answer(status)
    with pytest.raises(DownloadError, match=str(status)):
        file(client)
    assert not (client.resources / "file").exists()


@pytest.mark.parametrize("status", [304, 400, 401, 403, 404, 410, 412])
def test_statuses_that_mean_that_there_is_no_file(client, status):
    client.openml.pages["/file"] = faults.answer(status)
    with pytest.raises(ExcludedError, match=f"missing: .*{status}"):
        file(client)


def test_a_file_that_is_too_large_is_excluded(client):
    client.openml.pages["/file"] = faults.bomb(3)
    small = Server(
        client.openml.url_api, client.resources, requests_per_second=1e4, megabytes_per_file=2.0
    )
    with pytest.raises(ExcludedError, match=r"too_large: .*larger than 2 MB"):
        file(client, server=small)


def test_one_failure_after_a_long_silence_of_the_client_is_no_outage(client, clock):
    """The server was not asked for an hour, because there was something to compute."""
    server = client.server
    client.openml.pages["/file"] = faults.answer(503)
    clock.now += 3600
    with pytest.raises(DownloadError, match="503"):
        file(client, server=server)


def test_an_outage_is_the_failure_of_several_files_for_long(client, clock):
    server = client.server
    client.openml.pages["/file"] = client.openml.pages["/third"] = faults.answer(503)
    client.openml.pages["/other"] = b"content"
    for number in range(2):
        for _ in range(40):
            with pytest.raises(DownloadError):
                file(client, server=server)
        # A server that answers in between is not down.
        file(client, "/other", server, name=f"other {number}")
    assert clock.now > PATIENCE
    clock.now = 0
    while clock.now < PATIENCE:
        with pytest.raises(DownloadError):
            file(client, server=server)
    with pytest.raises(OutageError, match="has not answered for 3"):
        file(client, "/third", server)


def test_patience_ends_with_the_time_limit(client, clock):
    server = client.server
    client.openml.pages["/file"] = faults.answer(503)
    with pytest.raises(OutageError, match=r"no success within the time limit of 300 s; .*503"):
        server.patiently(lambda: file(client, server=server), Deadline(1e6))
    assert PATIENCE - 10 <= clock.now <= PATIENCE + 14


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:{port}/file",
        "ftp://127.0.0.1:{port}/file",
        "file:///etc/passwd",
        "http://[",
        "",
    ],
    ids=str,
)
def test_only_files_of_the_server_are_asked_for(client, tmp_path, url):
    url = url.format(port=client.openml.server_port)
    with pytest.raises(ExcludedError, match="foreign_host"):
        client.server.file(url, tmp_path / "file", lambda _: None, Deadline(60))
    assert client.openml.requests == []


@pytest.mark.parametrize(
    ("target", "is_followed"),
    [
        ("https://api.openml.org/file", True),
        ("https://openml.org/file", True),
        ("/file", True),
        ("https://openml.org.elsewhere.net/file", False),
        ("http://api.openml.org/file", False),
    ],
)
def test_files_may_move_within_the_site(target, is_followed):
    """www.openml.org hands some of its files over to api.openml.org."""
    answer = requests.Response()
    answer.status_code, answer.url = 302, "https://www.openml.org/data/download/1/file"
    answer.headers["Location"] = target
    with nullcontext() if is_followed else pytest.raises(DownloadError, match="refused"):
        _redirect_target(answer)


# --- The pace


@pytest.fixture
def sleeps(monkeypatch):
    recorded = []
    monkeypatch.setattr(pace_module, "sleep", recorded.append)
    return recorded


@pytest.fixture
def wall_clock(monkeypatch):
    """The time of day, which a test can set."""

    class WallClock:
        now = 1e9

        def time(self):
            return self.now

    clock = WallClock()
    monkeypatch.setattr(pace_module, "time", clock)
    return clock


def test_requests_keep_their_distance(tmp_path, sleeps, wall_clock):
    pace = Pace(tmp_path / "folder" / "pace", per_second=4)
    for _ in range(4):
        pace.wait()
    assert sleeps == pytest.approx([0.25, 0.5, 0.75])
    wall_clock.now += 10
    pace.wait()
    assert len(sleeps) == 3


@pytest.mark.parametrize("back", [300, 3000, 1e6])
def test_a_clock_that_is_set_back_stops_nobody(tmp_path, sleeps, wall_clock, back):
    pace = Pace(tmp_path / "pace", per_second=2)
    pace.wait()
    wall_clock.now -= back
    pace.wait()
    pace.wait()
    assert max(sleeps) <= 100 / 2


@pytest.mark.parametrize("content", [b"", b"torn", b"x" * 100, b"\xff" * 8])
def test_a_damaged_file_stops_nobody(tmp_path, sleeps, content):
    (tmp_path / "pace").write_bytes(content)
    pace = Pace(tmp_path / "pace", per_second=2)
    pace.wait()
    pace.wait()
    assert sleeps == pytest.approx([0.5], abs=0.2)


def test_the_pace_on_a_file_system_without_locks_is_an_error(tmp_path, sleeps, monkeypatch):
    def flock(descriptor, operation):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(OSError, match="No locks available"):
        Pace(tmp_path / "pace", per_second=2).wait()


HOLD = """
import fcntl, sys, time

lock = open(sys.argv[1], "w")
fcntl.flock(lock, fcntl.LOCK_EX)
print(flush=True)
time.sleep(60)
"""


def test_a_process_killed_while_it_holds_the_pace_stops_nobody(tmp_path, sleeps):
    command = [sys.executable, "-c", HOLD, tmp_path / ".pace.lock"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        process.kill()
    Pace(tmp_path / "pace", per_second=2).wait()
    assert sleeps == []


WAIT = """
import sys, time
from reproduction.openml.pace import Pace

pace = Pace(sys.argv[1], per_second=20)
sys.stdout.write("ready\\n")
sys.stdout.flush()
sys.stdin.readline()
for _ in range(15):
    pace.wait()
    print(time.time())
"""


def test_two_processes_share_the_pace(tmp_path):
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WAIT, tmp_path / "pace"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    times = sorted(
        float(line) for process in processes for line in process.communicate()[0].split()
    )
    assert len(times) == 30
    # 29 distances of 1/20 s; two processes on their own would take half of that.
    assert times[-1] - times[0] > 0.75 * 29 / 20


def test_each_request_takes_its_place_in_the_pace(client, sleeps, tmp_path):
    server = Server(client.openml.url_api, tmp_path, requests_per_second=0.01)
    client.openml.pages["/old"] = faults.redirect("/new")
    client.openml.pages["/new"] = b"content"
    server.file(client.openml.url("/old"), tmp_path / "file", lambda _: None, Deadline(1e6))
    assert sleeps == pytest.approx([100], abs=5)


# --- The ledger


def entry(item="predictions/1", status="ok", **facts):
    return Entry(item, status, **facts)


def test_the_last_entry_of_an_item_counts(tmp_path):
    path = tmp_path / "folder" / "1.jsonl"
    ledger = Ledger(path)
    assert ledger.get("predictions/1") is None
    ledger.add(entry(status="transient", reason="transient", detail='"é"\n\r\u2028'))
    ledger.add(entry("predictions/2"))
    ledger.add(entry(sha256="0" * 64, size=5))
    for again in (ledger, Ledger(path)):
        assert again.get("predictions/1") == entry(sha256="0" * 64, size=5)
        assert again.get("predictions/2") == entry("predictions/2")
        assert again.find("predictions", ["transient"]) == []
        assert again.find("predictions", ["ok"]) == [
            entry("predictions/1", sha256="0" * 64, size=5),
            entry("predictions/2"),
        ]
    assert len(path.read_bytes().splitlines()) == 3


@pytest.mark.parametrize("n_bytes", [1, 2, 10, 60])
def test_a_torn_last_line_is_survived(tmp_path, n_bytes):
    path = tmp_path / "1.jsonl"
    ledger = Ledger(path)
    ledger.add(entry("predictions/1"))
    ledger.add(entry("predictions/2", detail="é" * 30))
    path.write_bytes(path.read_bytes()[:-n_bytes])
    ledger = Ledger(path)
    assert ledger.get("predictions/1") == entry("predictions/1")
    # The line end alone is no loss.
    assert (ledger.get("predictions/2") is None) == (n_bytes > 1)
    ledger.add(entry("predictions/3"))
    ledger = Ledger(path)
    assert ledger.get("predictions/1") == entry("predictions/1")
    assert ledger.get("predictions/3") == entry("predictions/3")


@pytest.mark.parametrize("line", [b"[]", b"7", b"{}", b'{"item": "x", "other": 1}', b"\xff\x00"])
def test_a_line_that_is_no_entry_is_passed_over(tmp_path, line):
    path = tmp_path / "1.jsonl"
    path.write_bytes(line + b"\n")
    ledger = Ledger(path)
    ledger.add(entry())
    assert Ledger(path).get("predictions/1") == entry()
