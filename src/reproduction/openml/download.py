"""Download a file over HTTP, with limits on its size and time, from one site and no account."""

from __future__ import annotations

import gzip
import signal
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urljoin

import requests
import urllib3
from requests.adapters import HTTPAdapter

from reproduction.openml.reasons import RefusedError

TIMEOUT = (10.0, 60.0)  # seconds: for the connection, for each part of a response
# Lost connections, TLS errors and busy servers, at once and after about 4 and 8 seconds.
RETRIES = urllib3.Retry(
    3,
    status_forcelist=(408, 429, 500, 502, 503, 504),
    backoff_factor=2,
    backoff_jitter=1,
    raise_on_status=False,
    retry_after_max=300,
)
_WITH_BODY = (200, 412)  # the body of 412 is a document that says why


class _TimeLimitError(Exception):
    """A download took too long. No OSError, which urllib3 would take for a lost connection."""


class Session(requests.Session):
    """Sends requests to one site, at most `per_second`, without an account.

    The environment names proxies and certificates.
    """

    def __init__(self, per_second: float, user_agent: str):
        super().__init__()
        # Accept only what _body can decode; installed packages may add other encodings.
        self.headers.update({"User-Agent": user_agent, "Accept-Encoding": "gzip"})
        self.auth = lambda request: request  # with any, requests does not read ~/.netrc
        self.max_redirects = 10
        for scheme in ("http://", "https://"):
            self.mount(scheme, _PacedAdapter(per_second))

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """Return where a redirect leads to, which must be on the site."""
        location = super().get_redirect_target(resp)
        if location is None:
            return None
        resp.close()  # otherwise requests reads the body of the redirect, however large it is
        return on_site(urljoin(resp.url, location), resp.url)

    def rebuild_auth(self, prepared_request: object, response: object) -> None:
        """Add no account of ~/.netrc to a redirected request."""

    def download(self, url: str, path: Path, *, seconds: float, max_bytes: float) -> None:
        """Write the body of a response to a file, decompressed."""
        try:
            with _time_limit(seconds), self.get(url, stream=True, timeout=TIMEOUT) as answer:
                if answer.status_code not in _WITH_BODY:
                    raise RefusedError(f"{url}: HTTP status {answer.status_code} {answer.reason}")
                _save(answer, path, max_bytes)
        except (
            _TimeLimitError,
            requests.RequestException,  # among others of TLS
            ValueError,  # a malformed address
            # The body is read from urllib3 directly, so requests does not translate these:
            urllib3.exceptions.HTTPError,  # reset, timeout, fewer bytes than announced
            EOFError,  # truncated gzip stream
            gzip.BadGzipFile,
            zlib.error,
        ) as error:
            raise RefusedError(f"{url}: {type(error).__name__.strip('_')}: {error}") from error


class _PacedAdapter(HTTPAdapter):
    """An adapter that limits the rate of requests, and retries those that fail for a moment."""

    def __init__(self, per_second: float):
        super().__init__(max_retries=RETRIES)
        self._interval = 1.0 / per_second
        self._next = 0.0

    def send(self, *arguments, **options):
        now = time.monotonic()
        if now < self._next:
            time.sleep(self._next - now)
        self._next = max(now, self._next) + self._interval
        return super().send(*arguments, **options)


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise `_TimeLimitError` in the block after some seconds.

    requests limits the wait for each part of a response, not the whole.
    """

    def end(*_):
        raise _TimeLimitError(f"the time limit of {seconds:.3g} s has passed")

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _save(answer: requests.Response, path: Path, max_bytes: float) -> None:
    """Write the body of a response to a file."""
    declared = answer.headers.get("Content-Length", "")
    limit = f"{max_bytes / 1e6:,.3g} MB (ranking.openml.megabytes_per_file)"
    too_large = RefusedError(f"{answer.url}: larger than {limit}")
    if declared.isdecimal() and (len(declared) > 18 or int(declared) > max_bytes):
        raise too_large
    body = _body(answer)
    with open(path, "wb") as file:
        while block := body.read(1 << 16):
            file.write(block)
            if file.tell() > max_bytes:
                raise too_large


def _body(answer: requests.Response) -> BinaryIO:
    """Return the body as a stream that raises if it is truncated.

    requests decodes a truncated gzip body without an error; GzipFile checks for the end of the
    stream. The raw stream checks Content-Length and chunks.
    """
    encoding = answer.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding == "identity":
        return answer.raw
    if encoding == "gzip":
        return gzip.GzipFile(fileobj=answer.raw)
    raise RefusedError(f"{answer.url}: Content-Encoding is {encoding!r}, must be 'gzip' or none")


def on_site(url: str, base: str) -> str:
    """Return an address that must be on the site of `base`, with https if `base` has it."""
    if not (url.startswith(("http://", "https://")) and same_site(url, base)):
        raise RefusedError(f"{url!r} is not on the site of {base}")
    if base.startswith("https:") and url.startswith("http:"):
        return f"https:{url.removeprefix('http:')}"
    return url


def same_site(url: str, other: str) -> bool:
    """Return whether two addresses have the same host, or one is a subdomain of the other.

    A leading "www." is ignored, because www.openml.org links to files on api.openml.org.
    """
    host, other_host = _host_of(url), _host_of(other)
    shorter, longer = sorted([host.removeprefix("www."), other_host.removeprefix("www.")], key=len)
    # A top-level domain does not count as a parent, and numeric addresses have no domains.
    is_domain = "." in shorter and not shorter[-1].isdigit()
    return shorter != "" and (longer == shorter or (is_domain and longer.endswith(f".{shorter}")))


def _host_of(url: str) -> str:
    """Return the host of an address, read by the parser that the connection uses."""
    try:
        return urllib3.util.parse_url(url).host or ""
    except urllib3.exceptions.LocationParseError:
        return ""
