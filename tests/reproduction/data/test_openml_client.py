import errno
import fcntl
import os
import subprocess
import sys
from contextlib import nullcontext

import http_stand_in as faults
import pytest
import requests
from openml_client import FIRST_RUN, run_path
from openml_stand_in import api_error

from reproduction.data.download import (
    ContentError,
    DownloadError,
    _refuse_foreign_redirect,
)
from reproduction.data.openml import pace as pace_module
from reproduction.data.openml.ledger import Entry, Ledger
from reproduction.data.openml.pace import Pace
from reproduction.data.openml.reasons import ExcludedError
from reproduction.data.openml.server import OutageError, Server, is_transient

# --- The user's own installation of the openml package

FETCH_A_RUN = """
import sys
from reproduction.data.openml.server import Server

url, resources, run_id = sys.argv[1:]
server = Server(url, resources, requests_per_second=10_000)
with server.openml() as openml:
    print(openml.runs.get_run(int(run_id)).predictions_url)
    assert openml.config.apikey == ""
"""
KEY = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize("variable", ["HOME", "XDG_CONFIG_HOME"])
def test_the_users_files_are_left_alone(openml, world, tmp_path, variable):
    """Importing the package reads its configuration, and writes folders and a log."""
    home = tmp_path / "home"
    config = home / (".config/openml" if variable == "HOME" else "openml") / "config"
    config.parent.mkdir(parents=True)
    config.write_text(f"apikey = {KEY}\nserver = http://127.0.0.1:9/api/v1/xml\n")
    environment = {"HOME": str(home), variable: str(home)}
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("XDG", "OPENML"))}
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*")}
    printed = subprocess.run(
        [sys.executable, "-c", FETCH_A_RUN, openml.url_api, tmp_path / "mine", str(FIRST_RUN)],
        env=inherited | environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert printed.strip() == openml.url(world.predictions_path(FIRST_RUN))
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*")} == before
    assert openml.requests == [run_path(FIRST_RUN)]  # without a key in the query


def test_no_key_is_sent_to_anybody(openml, client, monkeypatch):
    """Not even where the package was imported and set up before."""
    with client.server.openml() as package:
        pass
    headers = []
    send = requests.Session.send
    monkeypatch.setattr(
        requests.Session,
        "send",
        lambda self, request, **options: (
            headers.append(request.headers) or send(self, request, **options)
        ),
    )
    monkeypatch.setattr(package.config, "apikey", KEY)
    with client.server.openml():
        assert package.config.apikey == ""
    client.fetch()
    assert len(headers) == len(openml.requests) == 8
    assert KEY not in f"{openml.requests} {headers}"
    assert all(h["User-Agent"].startswith("calibrated-metrics/") for h in headers)
    assert package.config.apikey == KEY


def test_the_package_is_given_back_as_it_was(client):
    with client.server.openml() as package:
        during = package.config.server
    assert during == client.openml.url_api
    assert package.config.server != during
    assert "calibrated" not in package._api_calls._send_request.__module__


def test_the_environment_is_given_back_as_it_was(client, monkeypatch):
    monkeypatch.setenv("OPENML_CACHE_DIR", "/somewhere")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    before = dict(os.environ)
    client.fetch()
    assert dict(os.environ) == before


def test_only_reading_is_allowed(client):
    with client.server.openml() as package, pytest.raises(ValueError, match="only reading"):
        package._api_calls._perform_api_call(f"run/{FIRST_RUN}", "delete")
    assert client.openml.requests == []


# --- What was asked is kept


def test_an_answer_is_asked_for_once(client):
    for _ in range(2):
        with client.server.openml() as package:
            assert package.runs.get_run(FIRST_RUN, ignore_cache=True).run_id == FIRST_RUN
    assert client.openml.requests == [run_path(FIRST_RUN)]


def test_an_error_is_kept_as_the_answer_that_it_is(client):
    for _ in range(2):
        with (
            client.server.openml() as package,
            pytest.raises(package.exceptions.OpenMLServerException) as raised,
        ):
            package.runs.get_run(999)
        assert raised.value.code == 236
    assert client.openml.requests == [run_path(999)]


@pytest.mark.parametrize("code", [100, 103, 107])
def test_an_error_of_the_server_itself_is_no_answer(client, code):
    client.openml.fault_paths[run_path(FIRST_RUN)] = api_error(code)
    with client.server.openml() as package, pytest.raises(DownloadError, match=f"error {code}"):
        package.runs.get_run(FIRST_RUN)
    assert client.kept("api") == set()


def test_servers_do_not_share_a_folder(client, tmp_path):
    other = Server("http://localhost:8080/api/v1/xml/", tmp_path, requests_per_second=1)
    assert other.url == "http://localhost:8080/api/v1/xml"
    assert other.folder == tmp_path / "openml" / "localhost_8080"
    assert other.answer_path(f"{other.url}/run/5") == other.folder / "api/run/5.xml"


def refuse(path):
    raise ContentError("never")


def test_a_file_is_taken_as_it_is(client, tmp_path):
    (tmp_path / "file").write_text("here")
    assert client.server.file("http://elsewhere/", tmp_path / "file", refuse).read_text() == "here"


@pytest.mark.parametrize("status", [None, 200, 202, 204, 408, 429, 500, 501, 503, 520, 599])
def test_failures_that_may_pass(status):
    assert is_transient(DownloadError("", status=status))


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 410, 412])
def test_failures_that_stay(status):
    assert not is_transient(DownloadError("", status=status))


@pytest.mark.parametrize("status", [408, 501, 520, 202])
def test_statuses_that_say_nothing_about_the_file(client, tmp_path, status):
    client.openml.pages["/file"] = faults.answer(status)
    with pytest.raises(DownloadError, match=str(status)) as raised:
        client.server.file(client.openml.url("/file"), tmp_path / "file", lambda _: None)
    assert is_transient(raised.value)
    assert not (tmp_path / "file").exists()


def test_one_failure_after_a_long_silence_of_the_client_is_no_outage(client, clock, tmp_path):
    """The server was not asked for an hour, because there was something to compute."""
    server = client.server
    client.openml.pages["/file"] = faults.answer(503)
    clock.now += 3600
    with pytest.raises(DownloadError, match="503"):
        server.file(client.openml.url("/file"), tmp_path / "file", lambda _: None)


def test_an_outage_begins_with_its_first_failure(client, clock, tmp_path):
    server = client.server
    client.openml.pages["/file"] = faults.answer(503)
    client.openml.pages["/other"] = b"content"
    for number in range(2):
        for _ in range(20):
            with pytest.raises(DownloadError):
                server.file(client.openml.url("/file"), tmp_path / "file", lambda _: None)
        # Whoever answers in between is not down.
        server.file(client.openml.url("/other"), tmp_path / f"other {number}", lambda _: None)
    assert clock.now > 300

    def ask():
        server.file(client.openml.url("/file"), tmp_path / "file", lambda _: None)

    clock.now = 0
    with pytest.raises(OutageError, match="has not answered for 5 minutes"):
        server.patiently(ask)
    assert 300 < clock.now < 330


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:{port}/file",
        "ftp://127.0.0.1:{port}/file",
        "file:///etc/passwd",
        "http://[",
        "",
        None,
        ["http://127.0.0.1:{port}/file"] * 2,
    ],
    ids=str,
)
def test_only_files_of_the_server_are_asked_for(client, tmp_path, url):
    if isinstance(url, str):
        url = url.format(port=client.openml.server_port)
    with pytest.raises(ExcludedError, match="foreign_host"):
        client.server.file(url, tmp_path / "file", lambda _: None)
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
        _refuse_foreign_redirect(answer)


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
    with pytest.raises(RuntimeError, match=r"cannot lock .*\.pace\.lock: .*No locks available"):
        Pace(tmp_path / "pace", per_second=2).wait()


HOLD = """
import sys, time
from pathlib import Path
from reproduction import locks

lock = locks.acquire(Path(sys.argv[1]))
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
from reproduction.data.openml.pace import Pace

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
    server.file(client.openml.url("/old"), tmp_path / "file", lambda _: None)
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
        assert again.find("transient") is None
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
