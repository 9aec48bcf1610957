import gzip
import os
import socket
import time
import tracemalloc
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import http_stand_in as faults
import pytest
import requests

from reproduction.openml.deadlines import Deadline
from reproduction.openml.download import (
    ContentError,
    DownloadError,
    RefusedError,
    Session,
    _redirect_target,
    download,
    host_of,
    same_site,
)

BODY = b"row,value\n" + b"1,0.5\n" * 500


@pytest.fixture
def server():
    with faults.stand_in() as running:
        running.pages["/file"] = BODY
        yield running


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """The seconds that would have been slept, in order."""
    recorded = []
    monkeypatch.setattr("reproduction.openml.deadlines.time.sleep", recorded.append)
    return recorded


@pytest.fixture
def target(tmp_path):
    return tmp_path / "folder" / "file.csv"


def assert_absent(target):
    assert os.listdir(target.parent) == []


def test_a_good_answer_is_stored(server, target, waits):
    assert download(server.url("/file"), target) == target
    assert target.read_bytes() == BODY
    assert os.listdir(target.parent) == [target.name]
    assert waits == []


def test_gzip_for_the_transport_is_undone(server, target):
    server.faults.append(faults.gzipped(BODY))
    download(server.url("/file"), target)
    assert target.read_bytes() == BODY


def test_an_empty_body_is_a_body(server, target):
    server.pages["/file"] = b""
    download(server.url("/file"), target)
    assert target.read_bytes() == b""


def test_a_session_is_reused_and_left_open(server, target):
    with Session() as session:
        for _ in range(3):
            download(server.url("/file"), target, session=session)
    assert len(server.requests) == 3
    assert server.n_connections == 1


TRANSIENT = {
    "500": faults.answer(500, b"oops"),
    "502": faults.answer(502),
    "503": faults.answer(503),
    "504 with XML": faults.answer(504, b"<html/>", Content_Type="text/xml"),
    "429": faults.answer(429),
    "reset": faults.reset,
    "short body": faults.short_body(BODY),
    "broken chunk": faults.broken_chunk(BODY),
    "missing last chunk": faults.missing_last_chunk(BODY),
    "truncated gzip": faults.truncated_gzip(BODY),
    "gzip cut without a length": faults.short_gzip(os.urandom(1000)),
    "not gzip": faults.answer(200, BODY, Content_Encoding="gzip"),
    "silent": faults.silent,
}


@pytest.mark.parametrize("fault", TRANSIENT.values(), ids=TRANSIENT.keys())
def test_a_transient_fault_is_tried_again(server, target, waits, fault):
    server.faults.extend([fault, fault])
    download(server.url("/file"), target, timeout=(1, 0.2))
    assert target.read_bytes() == BODY
    assert os.listdir(target.parent) == [target.name]
    assert len(server.requests) == 3
    assert len(waits) == 2


@pytest.mark.parametrize("fault", TRANSIENT.values(), ids=TRANSIENT.keys())
def test_a_lasting_fault_ends_in_an_error_and_no_file(server, target, waits, fault):
    server.faults.extend([fault] * 2)
    url = server.url("/file")
    with pytest.raises(DownloadError, match=f"{url}: gave up after 2 of 2 attempts: ."):
        download(url, target, timeout=(1, 0.2), attempts=2)
    assert_absent(target)
    assert len(server.requests) == 2
    assert len(waits) == 1


def test_nobody_listens(target):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/file"
        with pytest.raises(DownloadError, match="gave up after 3 of 3 attempts: ConnectionError"):
            download(url, target, attempts=3)
    assert_absent(target)


def test_waits_double_up_to_a_cap(server, target, waits):
    server.faults.extend([faults.answer(503)] * 9)
    with pytest.raises(DownloadError, match="HTTP status 503"):
        download(server.url("/file"), target, attempts=9)
    for wait, longest in zip(waits, [2, 4, 8, 16, 32, 60, 60, 60], strict=True):
        assert longest / 2 <= wait <= longest


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_in_seconds(server, target, waits, status):
    server.faults.append(faults.answer(status, Retry_After="100"))
    download(server.url("/file"), target)
    assert waits == [100]


def test_retry_after_as_a_date(server, target, waits):
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    server.faults.append(faults.answer(429, Retry_After=date))
    download(server.url("/file"), target)
    assert 90 < waits[0] <= 100


@pytest.mark.parametrize("wish", ["soon", "0"])
def test_retry_after_without_a_wish_means_the_usual_wait(server, target, waits, wish):
    server.faults.append(faults.answer(429, Retry_After=wish))
    download(server.url("/file"), target)
    assert 1 <= waits[0] <= 2


def test_retry_after_too_long_to_wait(server, target, waits):
    server.faults.append(faults.answer(429, Retry_After="3600"))
    with pytest.raises(
        DownloadError, match=r"after 1 of 5 .* 429, and the .* wait 3600 s; the time limit is 600 s"
    ) as raised:
        download(server.url("/file"), target, deadline=Deadline(600))
    assert raised.value.retry_after == 3600
    assert waits == []
    assert_absent(target)


@pytest.mark.parametrize("status", [204, 400, 401, 403, 404, 410, 412])
def test_a_final_status_is_not_tried_again(server, target, status):
    server.faults.append(faults.answer(status))
    with pytest.raises(DownloadError, match=f"/file: HTTP status {status}") as raised:
        download(server.url("/file"), target)
    assert getattr(raised.value, "reason", None) == ("missing" if status >= 400 else None)
    assert len(server.requests) == 1
    assert_absent(target)


def test_a_status_can_be_accepted(server, target):
    server.faults.append(faults.answer(412, b"<error/>"))
    download(server.url("/file"), target, accepted_statuses=(200, 412))
    assert target.read_bytes() == b"<error/>"


def refuse_html(path):
    if path.read_bytes().startswith(b"<html"):
        raise ContentError("an HTML page")


def test_refused_content_is_fetched_again(server, target):
    server.faults.append(faults.answer(200, b"<html>busy</html>"))
    download(server.url("/file"), target, check=refuse_html)
    assert target.read_bytes() == BODY
    assert len(server.requests) == 2


def test_content_refused_for_ever_is_never_visible(server, target):
    server.pages["/file"] = b"<html>busy</html>"
    with pytest.raises(DownloadError, match="5 of 5 attempts: ContentError: an HTML") as raised:
        download(server.url("/file"), target, check=refuse_html)
    assert isinstance(raised.value.__cause__, ContentError)
    assert len(server.requests) == 5
    assert_absent(target)


def test_another_error_of_the_check_ends_the_download(server, target):
    def check(path):
        raise KeyError(path.read_bytes()[:3])

    with pytest.raises(KeyError, match="row"):
        download(server.url("/file"), target, check=check)
    assert len(server.requests) == 1
    assert_absent(target)


def test_a_failure_keeps_the_file_of_an_earlier_download(server, target):
    download(server.url("/file"), target)
    with pytest.raises(DownloadError):
        download(server.url("/missing"), target)
    assert target.read_bytes() == BODY


@pytest.mark.parametrize("absolute", [True, False])
def test_a_redirect_on_the_same_host_is_followed(server, target, absolute):
    server.faults.append(faults.redirect(server.url("/file") if absolute else "/file"))
    download(server.url("/old"), target)
    assert target.read_bytes() == BODY
    assert server.requests == ["/old", "/file"]


@pytest.mark.parametrize("location", ["http://localhost:{port}/file", "//localhost:{port}/file"])
def test_a_redirect_to_another_host_is_refused(server, target, location):
    server.pages["/old"] = faults.redirect("/older")
    server.pages["/older"] = faults.redirect(location.format(port=server.server_port))
    with pytest.raises(
        DownloadError, match="refused a redirect to another host, 'http://localhost"
    ):
        download(server.url("/old"), target)
    assert server.requests == ["/old", "/older"]
    assert_absent(target)


def test_a_redirect_loop_ends(server, target):
    server.pages["/old"] = faults.redirect("/old")
    with pytest.raises(DownloadError, match="/old: more than 10 redirects"):
        download(server.url("/old"), target)


@pytest.mark.parametrize(
    "location",
    [
        "http://[::1",
        "http://127.0.0.1:99999/",
        "ftp://127.0.0.1/",
        "http://\xff\xfe/",
        "http://*.x/",
        "",
    ],
)
def test_a_redirect_to_a_bad_address_is_refused(server, target, location):
    server.pages["/old"] = faults.redirect(location)
    with pytest.raises(DownloadError, match=r"refused a redirect|more than 10 redirects"):
        download(server.url("/old"), target)
    assert_absent(target)


@pytest.mark.parametrize("wish", ["Fri, 31 Dec 99999 23:59:59 GMT", "9" * 5000])
def test_a_malformed_retry_after_means_the_usual_wait(server, target, waits, wish):
    server.faults.append(faults.answer(429, Retry_After=wish))
    download(server.url("/file"), target)
    assert 1 <= waits[0] <= 2


SLOW = {
    "body": faults.dribble(b"x" * 1000),
    "headers": faults.dribble_headers,
    "chunks": faults.dribble_chunks,
    "silence": faults.silent,
}


@pytest.mark.parametrize("fault", SLOW.values(), ids=SLOW.keys())
def test_a_slow_answer_ends_at_the_deadline(server, target, fault):
    """Although it never pauses for as long as the timeout of a single read."""
    server.pages["/file"] = fault
    started = time.monotonic()
    with pytest.raises(DownloadError, match=r"gave up after .*; the time limit is 0\.3 s"):
        download(server.url("/file"), target, deadline=Deadline(0.3))
    assert 0.25 < time.monotonic() - started < 1
    assert_absent(target)


def test_a_response_in_time_is_not_cut_off(server, target):
    server.pages["/file"] = faults.dribble(b"x" * 10, every=0.02)
    download(server.url("/file"), target, deadline=Deadline(5))
    assert target.read_bytes() == b"x" * 10


@pytest.mark.parametrize("body", [faults.bomb(50), faults.answer(200, bytes(3_000_000))])
def test_a_file_that_is_too_large_is_refused(server, target, body):
    server.pages["/file"] = body
    with pytest.raises(RefusedError, match="/file: larger than 2 MB") as raised:
        download(server.url("/file"), target, max_bytes=2e6)
    assert raised.value.reason == "too_large"
    assert len(server.requests) == 1
    assert_absent(target)


def test_a_bomb_in_a_redirect_is_not_read(server, target):
    """requests would decompress it before it follows the redirect."""
    packed = gzip.compress(bytes(10**8))
    server.pages["/old"] = faults.answer(302, packed, Location="/file", Content_Encoding="gzip")
    tracemalloc.start()
    download(server.url("/old"), target)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert target.read_bytes() == BODY
    assert peak < 10**7


@pytest.mark.parametrize("path", ["/file", "/old"])
def test_the_account_in_netrc_is_not_sent(server, target, tmp_path, monkeypatch, path):
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))
    server.pages["/old"] = faults.redirect("/file")
    assert requests.utils.get_netrc_auth(server.url("/file")) == ("me", "secret")
    download(server.url(path), target)
    assert all("Authorization" not in headers for headers in server.headers)
    assert len(server.headers) == len(server.requests) > 0


def test_an_encoding_that_was_not_asked_for_is_refused(server, target):
    server.faults.append(faults.answer(200, BODY, Content_Encoding="br"))
    with pytest.raises(DownloadError, match="Content-Encoding is 'br'"):
        download(server.url("/file"), target)
    assert_absent(target)


def test_bad_arguments(server, target):
    with pytest.raises(ValueError, match="attempts=0: must be at least 1"):
        download(server.url("/file"), target, attempts=0)
    with pytest.raises(ValueError, match=r"www\.openml\.org/file"):
        download("www.openml.org/file", target)
    assert server.requests == []


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://WWW.OpenML.org:443/data", "www.openml.org"),
        (r"http://elsewhere.net\@openml.org/", "elsewhere.net"),
        ("http://openml.org@elsewhere.net/", "elsewhere.net"),
        ("/data/1", None),
        ("http://a:b:c/", None),
    ],
)
def test_host_of(url, host):
    assert host_of(url) == host


@pytest.mark.parametrize("target", ["http://h.example/x", "http://h.example:8081/x"])
def test_a_redirect_out_of_https_is_refused(target):
    answer = requests.Response()
    answer.status_code, answer.url = 302, "https://h.example/x"
    answer.headers["Location"] = target
    with pytest.raises(DownloadError, match="from https to http, "):
        _redirect_target(answer)


@pytest.mark.parametrize(
    ("host", "server", "same"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("localhost", "localhost", True),
        ("api.openml.org", "openml.org", True),
        ("openml.org", "www.openml.org", True),
        ("api.openml.org", "www.openml.org", True),
        ("www.openml.org", "api.openml.org", True),
        ("test.openml.org", "api.openml.org", False),
        ("notopenml.org", "openml.org", False),
        ("openml.org.elsewhere.net", "openml.org", False),
        ("org", "openml.org", False),
        ("0.1", "127.0.0.1", False),
        ("a:b:c", "openml.org", False),
    ],
)
def test_same_site(host, server, same):
    assert same_site(f"http://{host}/file", f"http://{server}/api") is same
    assert same_site(f"http://{server}/api", f"http://{host}/file") is same
