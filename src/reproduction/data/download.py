"""Download a file over HTTP: whole and checked, or not there."""

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
LONGEST_WAIT = 600.0  # seconds; a server that asks for more is left for a later run

logger = logging.getLogger(__name__)


class ContentError(ValueError):
    """A body arrived in full but is not what was asked for. Raised by the caller's check."""


class DownloadError(OSError):
    """A download failed for good.

    Attributes
    ----------
    status : int or None
        The HTTP status of the last answer, where that was the reason: 403, 404 and the like
        say that there is nothing to get, 429 and 5xx that the server was not able to, 3xx that
        a redirect was refused.
    retry_after : float
        Seconds that the last answer asked to wait, 0 where it did not.
    """

    def __init__(self, message: str, *, status: int | None = None, retry_after: float = 0.0):
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class _BusyError(Exception):
    """The server answered with a status that a later attempt may not meet."""

    def __init__(self, status: int, retry_after: float):
        super().__init__(f"HTTP status {status}")
        self.status = status
        self.retry_after = retry_after


_TRANSIENT = (
    _BusyError,
    ContentError,
    requests.ConnectionError,
    requests.Timeout,
    # The body is read below requests, which therefore does not translate these four:
    urllib3.exceptions.HTTPError,  # reset, timeout, fewer bytes than announced, broken chunk
    EOFError,  # gzip ends too early
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
    """Get `url` into the file `path`, which appears whole and checked or not at all.

    Lost connections, timeouts, short bodies (against Content-Length, chunks or the end mark
    of gzip), a refused content and the statuses 408, 429, 500, 502, 503 and 504 are tried
    again after a wait that doubles from 2 s up to 60 s, less a random part of up to half, and
    is never shorter than the server's Retry-After. Any other status is final.

    Parameters
    ----------
    url : str
        An http or https address. Redirects are followed on its own site only; see `same_site`.
    path : path-like
        The file to write, or to replace. Missing parent folders are created. A body that was
        compressed for the transport (Content-Encoding: gzip) is stored decompressed.
    check : callable, optional
        Called with the path of the complete temporary file. Raising `ContentError` refuses
        the content, and it is fetched again; any other exception ends the download.
    timeout : (float, float)
        Seconds to wait for the connection, and for each portion of the answer.
    attempts : int
        How many times to ask at most, at least 1.
    session : requests.Session, optional
        A session to reuse, which stays open. By default one for this call.
    accepted_statuses : collection of int
        The statuses whose body is the content: for servers that send a readable document
        with an error status, which `check` then reads.

    Returns
    -------
    pathlib.Path
        `path`.

    Raises
    ------
    DownloadError
        All attempts failed, the status is final, a redirect leads to another site, or the
        server asks to wait more than 600 s. Names the url, the attempts and the reason.
    ValueError
        `attempts` is below 1, or `url` is not an http(s) address.
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
                    "%s: attempt %d of %d: %s; next in %.1f s", url, attempt, attempts, reason, wait
                )
                sleep(wait)


def _backoff(attempt: int) -> float:
    """Seconds to wait after an attempt, random so that parallel clients spread out."""
    return min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_BACKOFF) * random.uniform(0.5, 1)


def _fetch(
    client: requests.Session,
    url: str,
    target: Path,
    timeout: tuple[float, float],
    accepted_statuses: Collection[int],
) -> None:
    """Ask once, and write the body to `target`."""
    try:
        answer = client.get(
            url,
            stream=True,
            timeout=timeout,
            # Only what _body can decode, whatever the installed packages add.
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
                f"{url}: HTTP status {answer.status_code} {answer.reason}, not tried again",
                status=answer.status_code,
            )


def _refuse_foreign_redirect(answer: requests.Response, **_) -> None:
    """Stop before a request is sent to another site. Runs on every answer of a chain."""
    if answer.is_redirect:
        target = urljoin(answer.url, answer.headers["Location"])
        if not same_site(target, answer.url):
            raise DownloadError(
                f"{answer.url}: refused a redirect to another host, {target}",
                status=answer.status_code,
            )
        if answer.url.startswith("https:") and not target.startswith("https:"):
            raise DownloadError(
                f"{answer.url}: refused a redirect out of https, {target}",
                status=answer.status_code,
            )


def host_of(url: str) -> str | None:
    """Return the host that a request for `url` connects to, in lower case.

    Uses the parser of the connection itself, so that no odd address is judged by one host
    and fetched from another. None where the address names no host or cannot be parsed.
    """
    try:
        return urllib3.util.parse_url(url).host
    except urllib3.exceptions.LocationParseError:
        return None


def same_site(url: str, other: str) -> bool:
    """Return whether two addresses have the same host, or one a subdomain of the other's.

    "www." does not count: www.openml.org names files on api.openml.org.
    """
    host, other_host = host_of(url), host_of(other)
    if host is None or other_host is None:
        return False
    names = (host.removeprefix("www."), other_host.removeprefix("www."))
    shorter, longer = sorted(names, key=len)
    # A top-level domain is nobody's parent, and numeric addresses have no domains.
    is_domain = "." in shorter and not shorter[-1].isdigit()
    return longer == shorter or (is_domain and longer.endswith(f".{shorter}"))


def _body(answer: requests.Response) -> BinaryIO:
    """Return the body as a stream that raises where it ends too early.

    requests' own decoding takes a gzip body that was cut off for a complete one; GzipFile
    insists on its end mark. Content-Length and chunks are enforced by the raw stream.
    """
    encoding = answer.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding == "identity":
        return answer.raw
    if encoding == "gzip":
        return gzip.GzipFile(fileobj=answer.raw)
    raise DownloadError(f"{answer.url}: Content-Encoding is {encoding!r}, asked for 'gzip'")


def _retry_after(answer: requests.Response) -> float:
    """Return the seconds that the server asks to wait; 0 without a readable wish."""
    with suppress(urllib3.exceptions.InvalidHeader):
        return urllib3.Retry().get_retry_after(answer.raw) or 0.0
    return 0.0
