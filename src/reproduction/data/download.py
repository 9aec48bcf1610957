"""Download a file over HTTP with retries, checks and an atomic write."""

import gzip
import logging
import os
import random
import shutil
import zlib
from collections.abc import Callable, Collection
from contextlib import nullcontext, suppress
from pathlib import Path
from time import sleep
from typing import BinaryIO
from urllib.parse import urljoin

import requests
import urllib3

from reproduction.files import atomic_path

RETRIED_STATUSES = frozenset({408, 429, 500, 502, 503, 504})
FIRST_WAIT = 2.0  # seconds; doubled after each attempt
LONGEST_BACKOFF = 60.0  # seconds
LONGEST_WAIT = 600.0  # seconds; if a server asks for more, the download fails

logger = logging.getLogger(__name__)


class ContentError(ValueError):
    """The content arrived in full but is not the expected one. Raised by the caller's check."""


class DownloadError(OSError):
    """A download failed, and is not retried.

    Attributes
    ----------
    status : int or None
        The HTTP status of the last response if it was the reason, else None. 403, 404 and the
        like mean that the file is not available, 429 and 5xx that the server could not send it,
        3xx that a redirect was refused.
    retry_after : float
        Seconds that the last response asked to wait; 0 if it did not ask.
    """

    def __init__(self, message: str, *, status: int | None = None, retry_after: float = 0.0):
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class _BusyError(Exception):
    """The server responded with a status that may be temporary."""

    def __init__(self, status: int, retry_after: float):
        super().__init__(f"HTTP status {status}")
        self.status = status
        self.retry_after = retry_after


_TRANSIENT = (
    _BusyError,
    ContentError,
    requests.ConnectionError,
    requests.Timeout,
    # The body is read from urllib3 directly, so requests does not translate these four:
    urllib3.exceptions.HTTPError,  # reset, timeout, fewer bytes than announced, broken chunk
    EOFError,  # truncated gzip stream
    gzip.BadGzipFile,
    zlib.error,
)


def download(
    url: str,
    path: str | os.PathLike,
    *,
    check: Callable[[Path], object] | None = None,
    timeout: tuple[float, float] = (10, 90),
    attempts: int = 5,
    session: requests.Session | None = None,
    accepted_statuses: Collection[int] = (200,),
) -> Path:
    """Download `url` to the file `path`, which is written only when complete and checked.

    The download is retried after lost connections, timeouts, incomplete bodies (detected by
    Content-Length, chunks or the end of the gzip stream), content that `check` rejects, and the
    statuses 408, 429, 500, 502, 503 and 504. The wait before a retry doubles from 2 s up to
    60 s, is reduced by a random part of at most half, and is never shorter than the server's
    Retry-After. Any other status is final.

    Parameters
    ----------
    url : str
        An http or https address. Redirects to other sites are refused; see `same_site`.
    path : path-like
        The file to write or to replace. Missing parent folders are created. A body that was
        compressed for the transfer (Content-Encoding: gzip) is stored decompressed.
    check : callable, optional
        Called with the path of the complete temporary file. If it raises `ContentError`, the
        content is rejected and the download is retried; any other exception ends the download.
    timeout : (float, float)
        Seconds to wait for the connection, and for each part of the response.
    attempts : int
        Maximum number of attempts, at least 1.
    session : requests.Session, optional
        A session to use, which is left open. By default a new session.
    accepted_statuses : collection of int
        The statuses whose body is stored. Some servers send a readable document with an error
        status, which `check` can read.

    Returns
    -------
    pathlib.Path
        `path`.

    Raises
    ------
    DownloadError
        If all attempts failed, the status is final, a redirect leads to another site, or the
        server asks to wait more than 600 s. The message has the URL, the attempts and the reason.
    ValueError
        If `attempts` is below 1, or `url` is not an http(s) address.
    """
    if attempts < 1:
        raise ValueError(f"attempts={attempts}: must be at least 1")
    path = Path(path)
    with nullcontext(session) if session else requests.Session() as client:
        for attempt in range(1, attempts + 1):
            try:
                with atomic_path(path) as temporary:
                    _fetch(client, url, temporary, timeout, accepted_statuses)
                    if check is not None:
                        check(temporary)
                return path
            except _TRANSIENT as error:
                retry_after = getattr(error, "retry_after", 0.0)
                wait = max(_backoff(attempt), retry_after)
                reason = f"{type(error).__name__.strip('_')}: {error}"
                if wait > LONGEST_WAIT:
                    reason += f", and the server asks to wait {wait:.0f} s"
                if attempt == attempts or wait > LONGEST_WAIT:
                    raise DownloadError(
                        f"{url}: gave up after {attempt} of {attempts} attempts: {reason}",
                        status=getattr(error, "status", None),
                        retry_after=retry_after,
                    ) from error
                logger.warning(
                    "%s: attempt %d of %d failed: %s; retrying in %.1f s",
                    url,
                    attempt,
                    attempts,
                    reason,
                    wait,
                )
                sleep(wait)


def _backoff(attempt: int) -> float:
    """Return the seconds to wait after an attempt, randomised to spread parallel clients."""
    return min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_BACKOFF) * random.uniform(0.5, 1)


def _fetch(
    client: requests.Session,
    url: str,
    target: Path,
    timeout: tuple[float, float],
    accepted_statuses: Collection[int],
) -> None:
    """Send one request, and write the body to `target`."""
    try:
        answer = client.get(
            url,
            stream=True,
            timeout=timeout,
            # Accept only what _body can decode; installed packages may add other encodings.
            headers={"Accept-Encoding": "gzip"},
            hooks={"response": _refuse_foreign_redirect},
        )
    except requests.TooManyRedirects as error:
        raise DownloadError(f"{url}: {error}") from error
    with answer:
        if answer.status_code in accepted_statuses:
            with open(target, "wb") as file:
                shutil.copyfileobj(_body(answer), file)
        elif answer.status_code in RETRIED_STATUSES:
            raise _BusyError(answer.status_code, _retry_after(answer))
        else:
            raise DownloadError(
                f"{url}: HTTP status {answer.status_code} {answer.reason}, not retried",
                status=answer.status_code,
            )


def _refuse_foreign_redirect(answer: requests.Response, **_) -> None:
    """Raise before a redirect is followed to another site. Called for each redirect."""
    if answer.is_redirect:
        target = urljoin(answer.url, answer.headers["Location"])
        if not same_site(target, answer.url):
            raise DownloadError(
                f"{answer.url}: refused a redirect to another host, {target}",
                status=answer.status_code,
            )
        if answer.url.startswith("https:") and not target.startswith("https:"):
            raise DownloadError(
                f"{answer.url}: refused a redirect from https to http, {target}",
                status=answer.status_code,
            )


def host_of(url: str) -> str | None:
    """Return the host that a request for `url` connects to, in lower case.

    The parser is the one that the connection uses, so that the checked host is always the host
    of the request. The result is None if the address has no host or cannot be parsed.
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
    raise DownloadError(f"{answer.url}: Content-Encoding is {encoding!r}, must be 'gzip' or none")


def _retry_after(answer: requests.Response) -> float:
    """Return the seconds in Retry-After; 0 if the header is missing or malformed."""
    with suppress(urllib3.exceptions.InvalidHeader):
        return urllib3.Retry().get_retry_after(answer.raw) or 0.0
    return 0.0
