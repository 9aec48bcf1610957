import gzip
import os
import time
import tracemalloc

import http_stand_in as faults
import pytest
import requests
from http_stand_in import server as server

from reproduction.openml import download as download_module
from reproduction.openml.download import Session, on_site, same_site
from reproduction.openml.reasons import RefusedError

BODY = b"some content\n" * 1000


@pytest.fixture
def target(tmp_path):
    return tmp_path / "target"


@pytest.fixture
def download(server, target, monkeypatch):
    monkeypatch.setattr(download_module, "TIMEOUT", (1.0, 0.2))
    server.pages["/file"] = BODY

    def download(path="/file", seconds=20.0, max_bytes=1e9, **options):
        url = path if "://" in path else server.url(path)
        session = Session(1e9, "test")
        session.download(url, target, seconds=seconds, max_bytes=max_bytes, **options)

    return download


@pytest.mark.parametrize("page", [BODY, faults.gzipped(BODY)], ids=["plain", "gzip"])
def test_a_body_is_stored_decompressed(server, target, download, page):
    server.pages["/file"] = page
    download()
    assert target.read_bytes() == BODY
    assert server.headers[0]["Accept-Encoding"] == "gzip"
    assert server.headers[0]["User-Agent"] == "test"


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_four_times(server, target, download, status):
    server.faults.extend([faults.answer(status)] * 3)
    download()
    assert target.read_bytes() == BODY
    server.faults.extend([faults.answer(status)] * 4)
    with pytest.raises(RefusedError, match=f"/file: HTTP status {status}"):
        download()


@pytest.mark.parametrize("status", [202, 204, 400, 401, 403, 404, 410, 418, 501, 520])
def test_other_statuses_are_final(server, download, status):
    server.faults.append(faults.answer(status))
    with pytest.raises(RefusedError, match=f"/file: HTTP status {status}"):
        download()
    assert len(server.requests) == 1


def test_lost_connections_are_repeated(server, target, download):
    server.faults.extend([faults.reset, faults.silent, faults.reset])
    download()
    assert target.read_bytes() == BODY


def test_a_closed_port(server, download):
    url = server.url("/file").replace(str(server.server_port), "9")
    with pytest.raises(RefusedError, match=r"ConnectionError.*refused"):
        download(url)


BROKEN = {
    "short body": faults.short_body(BODY),
    "short gzip": faults.short_gzip(os.urandom(1000)),
    "truncated gzip": faults.truncated_gzip(BODY),
    "not gzip": faults.answer(200, BODY, Content_Encoding="gzip"),
    "broken chunk": faults.broken_chunk(BODY),
    "missing last chunk": faults.missing_last_chunk(BODY),
    "two lengths": faults.two_lengths,
    "unknown encoding": faults.answer(200, BODY, Content_Encoding="br"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_body_is_refused(server, download, kind):
    server.pages["/file"] = BROKEN[kind]
    with pytest.raises(RefusedError, match="/file: "):
        download()


@pytest.mark.parametrize("wish", ["Fri, 31 Dec 99999 23:59:59 GMT", "9" * 5000, "x"])
def test_a_malformed_wish_to_wait_ends_the_request(server, download, wish):
    server.pages["/file"] = faults.answer(503, Retry_After=wish)
    with pytest.raises(RefusedError):
        download()


def test_the_server_may_ask_for_a_pause_of_five_minutes_at_most(server, download, monkeypatch):
    waits = []
    monkeypatch.setattr("time.sleep", waits.append)
    server.faults.extend([faults.answer(429, Retry_After="123")])
    download()
    server.faults.extend([faults.answer(429, Retry_After="7200")])
    download()
    assert [seconds for seconds in waits if seconds > 10] == [123, 300]


SLOW = {
    "body": faults.dribble(b"x" * 1000),
    "headers": faults.dribble_headers,
    "chunks": faults.dribble_chunks,
}


@pytest.mark.parametrize("kind", SLOW)
def test_a_slow_answer_ends_at_the_time_limit(server, download, kind):
    """Although it never pauses for as long as the timeout of a single read."""
    server.pages["/file"] = SLOW[kind]
    started = time.monotonic()
    with pytest.raises(RefusedError, match=r"the time limit of 0\.3 s has passed"):
        download(seconds=0.3)
    assert 0.25 < time.monotonic() - started < 1.5


@pytest.mark.parametrize("body", [faults.bomb(50), faults.answer(200, bytes(3_000_000))])
def test_a_file_that_is_too_large_is_refused(server, download, body):
    server.pages["/file"] = body
    with pytest.raises(RefusedError, match=r"/file: larger than 2 MB \(ranking.openml.megaby"):
        download(max_bytes=2e6)
    assert len(server.requests) == 1


def test_a_bomb_in_a_redirect_is_not_read(server, target, download):
    packed = gzip.compress(bytes(10**8))
    server.pages["/old"] = faults.answer(302, packed, Location="/file", Content_Encoding="gzip")
    tracemalloc.start()
    download("/old")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert target.read_bytes() == BODY
    assert peak < 10**7


@pytest.mark.parametrize("path", ["/file", "/old"])
def test_the_account_in_netrc_is_not_sent(server, download, tmp_path, monkeypatch, path):
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    server.pages["/old"] = faults.redirect("/file")
    assert requests.utils.get_netrc_auth(server.url("/file")) == ("me", "secret")
    download(path)
    assert all("Authorization" not in headers for headers in server.headers)


def test_requests_keep_their_distance(server, target, monkeypatch):
    waits = []
    monkeypatch.setattr("time.sleep", waits.append)
    server.pages["/old"], server.pages["/file"] = faults.redirect("/file"), BODY
    session = Session(0.01, "test")
    session.download(server.url("/old"), target, seconds=20, max_bytes=1e9)
    assert waits == pytest.approx([100], abs=5)


# --- Redirects


def test_a_redirect_on_the_same_host_is_followed(server, target, download):
    server.faults.append(faults.redirect(server.url("/file")))
    download("/old")
    assert target.read_bytes() == BODY


@pytest.mark.parametrize(
    "location",
    [
        *("http://localhost:9/file", "//localhost:9/file", "http://[::1", "ftp://127.0.0.1/"),
        *("http://127.0.0.1:99999/", "http://\xff\xfe/", "http://*.x/", "file:///etc/passwd"),
    ],
)
def test_other_redirects_are_refused(server, download, location):
    server.pages["/old"] = faults.redirect(location)
    with pytest.raises(RefusedError, match=r"not on the site|Invalid|UnicodeDecode"):
        download("/old")
    assert set(server.requests) == {"/old"}


def test_a_redirect_loop_ends(server, download):
    server.pages["/old"] = faults.redirect("/old")
    with pytest.raises(RefusedError, match="/old: TooManyRedirects"):
        download("/old")


@pytest.mark.parametrize(
    ("location", "is_followed"),
    [
        ("https://api.openml.org/file", True),
        ("https://openml.org/file", True),
        ("http://www.openml.org/file", True),
        ("https://openml.org.elsewhere.net/file", False),
        ("/file", False),
    ],
)
def test_files_may_move_within_the_site(location, is_followed):
    """www.openml.org hands some of its files over to api.openml.org."""
    url = "https://www.openml.org/data/download/1/file"
    if is_followed:
        assert on_site(location, url).startswith("https://")
    else:
        with pytest.raises(RefusedError, match=r"is not on the site of https://www\.openml\.org"):
            on_site(location, url)


@pytest.mark.parametrize(
    ("host", "server", "same"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("localhost", "localhost", True),
        ("api.openml.org", "www.openml.org", True),
        ("test.openml.org", "api.openml.org", False),
        ("notopenml.org", "openml.org", False),
        ("openml.org.elsewhere.net", "openml.org", False),
        ("org", "openml.org", False),
        ("0.1", "127.0.0.1", False),
        ("a:b:c", "openml.org", False),
        ("WWW.OpenML.org:443", "openml.org", True),
        (r"elsewhere.net\@openml.org", "openml.org", False),
        ("openml.org@elsewhere.net", "openml.org", False),
        ("", "openml.org", False),
        ("", "", False),
    ],
)
def test_same_site(host, server, same):
    assert same_site(f"http://{host}/file", f"http://{server}/api") is same
    assert same_site(f"http://{server}/api", f"http://{host}/file") is same
