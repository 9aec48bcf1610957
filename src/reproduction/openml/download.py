"""Download a file over HTTP, with limits on its size and time, from one site and no account."""

from __future__ import annotations

import gzip
import signal
import time
import zlib
from collections.abc import Collection, Iterator
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
_MOST_REDIRECTS = 10
_BLOCK = 1 << 16  # bytes


class _TimeLimitError(Exception):
    """A download took too long. No OSError, which urllib3 would take for a lost connection."""


class _Session(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> None:
        """Follow no redirect, and read no body of one. `Client` checks the address first."""


class Client:
    """Sends requests, at most `per_second`. The environment names proxies and certificates."""

    def __init__(self, per_second: float, user_agent: str):
        self._session = _Session()
        self._session.headers["User-Agent"] = user_agent
        self._session.auth = lambda request: request  # with any, requests does not read ~/.netrc
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, _PacedAdapter(per_second))

    def download(
        self,
        url: str,
        path: Path,
        *,
        seconds: float,
        max_bytes: float,
        statuses: Collection[int] = (200,),
    ) -> None:
        """Write the body of a response to a file, decompressed."""
        try:
            with _time_limit(seconds), self._answer(url) as answer:
                if answer.status_code not in statuses:
                    raise RefusedError(f"{url}: HTTP status {answer.status_code} {answer.reason}")
                _save(answer, path, max_bytes)
        except requests.exceptions.SSLError as error:
            raise RefusedError(f"{url}: no secure connection (TLS): {error}") from error
        except (
            _TimeLimitError,
            requests.RequestException,
            ValueError,  # a malformed address
            # The body is read from urllib3 directly, so requests does not translate these:
            urllib3.exceptions.HTTPError,  # reset, timeout, fewer bytes than announced
            EOFError,  # truncated gzip stream
            gzip.BadGzipFile,
            zlib.error,
        ) as error:
            raise RefusedError(f"{url}: {type(error).__name__.strip('_')}: {error}") from error

    def _answer(self, url: str) -> requests.Response:
        """Return the response to a request, after redirects within the site."""
        target = url
        for _ in range(_MOST_REDIRECTS + 1):
            answer = self._session.get(
                target,
                stream=True,
                timeout=TIMEOUT,
                # Accept only what _body can decode; installed packages may add other encodings.
                headers={"Accept-Encoding": "gzip"},
            )
            if "Location" not in answer.headers or not 300 <= answer.status_code < 400:
                return answer
            answer.close()
            target = redirect_target(answer.url, answer.headers["Location"])
        raise RefusedError(f"{url}: more than {_MOST_REDIRECTS} redirects")


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

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _save(answer: requests.Response, path: Path, max_bytes: float) -> None:
    """Write the body of a response to a file."""
    declared = answer.headers.get("Content-Length", "")
    limit = f"{max_bytes / 1e6:,.3g} MB (ranking.openml.megabytes_per_file)"
    too_large = RefusedError(f"{answer.url}: larger than {limit}")
    if declared.isdecimal() and (len(declared) > 18 or int(declared) > max_bytes):
        raise too_large
    body = _body(answer)
    with open(path, "wb") as file:
        while block := body.read(_BLOCK):
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


# ---------------------------------------------------------------------------------------- sites


def redirect_target(url: str, location: str) -> str:
    """Return the address that a redirect leads to, if it is on the same site."""
    try:
        target = urljoin(url, location)
    except ValueError:
        target = location
    if not (target.startswith(("http://", "https://")) and same_site(target, url)):
        raise RefusedError(f"{url}: refused a redirect to another host, {target!r}")
    if url.startswith("https:") and not target.startswith("https:"):
        raise RefusedError(f"{url}: refused a redirect from https to http, {target!r}")
    return target


def host_of(url: str) -> str | None:
    """Return the host that a request for `url` connects to, None if there is none.

    The parser is the one that the connection uses, so that the checked host is always the host
    of the request.
    """
    try:
        return urllib3.util.parse_url(url).host
    except urllib3.exceptions.LocationParseError:
        return None


def same_site(url: str, other: str) -> bool:
    """Return whether two addresses have the same host, or one is a subdomain of the other.

    A leading "www." is ignored, because www.openml.org links to files on api.openml.org.
    """
    host, other_host = host_of(url), host_of(other)
    if host is None or other_host is None:
        return False
    names = (host.removeprefix("www."), other_host.removeprefix("www."))
    shorter, longer = sorted(names, key=len)
    # A top-level domain does not count as a parent, and numeric addresses have no domains.
    is_domain = "." in shorter and not shorter[-1].isdigit()
    return longer == shorter or (is_domain and longer.endswith(f".{shorter}"))
