"""Download a file over HTTP with retries, checks, a deadline and an atomic write."""

import gzip
import http.client
import io
import logging
import os
import random
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urljoin

import requests
import urllib3
from requests.adapters import HTTPAdapter

from reproduction.openml.deadlines import Deadline

FIRST_WAIT = 2.0  # seconds; doubled after each attempt
LONGEST_BACKOFF = 60.0  # seconds
_RETRIED_STATUSES = frozenset({408, 429, 500, 502, 503, 504})
_MOST_REDIRECTS = 10
_BLOCK = 1 << 16  # bytes

logger = logging.getLogger(__name__)


class ContentError(ValueError):
    """The content arrived in full but is not the expected one. Raised by the caller's check."""


class DownloadError(OSError):
    """A download failed. A later attempt may succeed.

    Attributes
    ----------
    retry_after : float
        Seconds that the last response asked to wait; 0 if it did not ask.
    """

    def __init__(self, message: str, *, retry_after: float = 0.0):
        super().__init__(message)
        self.retry_after = retry_after


class RefusedError(DownloadError):
    """The server responded, but does not provide the file.

    Attributes
    ----------
    reason : str
        ``missing`` for a final status such as 404 or 403, ``foreign_host`` for a redirect to
        another site or to a malformed address, ``too_large`` for a file above the largest size.
    """

    def __init__(self, message: str, reason: str):
        super().__init__(message)
        self.reason = reason


class _BusyError(Exception):
    """The server responded with a status that may be temporary."""

    def __init__(self, status: int, retry_after: float):
        super().__init__(f"HTTP status {status}")
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
    deadline: Deadline | None = None,
    max_bytes: float = 2e9,
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
    deadline : Deadline, optional
        End of the download with all its attempts, also of one that a slow server keeps alive by
        single bytes. By default an hour from now.
    max_bytes : float
        Largest size of the stored file, that is after decompression.
    session : Session, optional
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
    RefusedError
        If the status is final, a redirect leads to another site, or the file is too large.
    DownloadError
        If all attempts failed, or the deadline has passed or would pass before the next attempt.
        The message has the URL, the attempts and the reason.
    ValueError
        If `attempts` is below 1, or `url` is not an http(s) address.
    """
    if attempts < 1:
        raise ValueError(f"attempts={attempts}: must be at least 1")
    path = Path(path)
    deadline = deadline or Deadline(3600)
    with nullcontext(session) if session else Session() as client, _reading_until(deadline):
        for attempt in range(1, attempts + 1):
            try:
                with _replacing(path) as temporary:
                    _fetch(client, url, temporary, timeout, accepted_statuses, max_bytes)
                    if check is not None:
                        check(temporary)
                return path
            except _TRANSIENT as error:
                retry_after = getattr(error, "retry_after", 0.0)
                wait = max(_backoff(attempt), retry_after)
                reason = f"{type(error).__name__.strip('_')}: {error}"
                if retry_after:
                    reason += f", and the server asks to wait {retry_after:.0f} s"
                logger.warning("%s: attempt %d of %d failed: %s", url, attempt, attempts, reason)
                if attempt < attempts and deadline.sleep(wait):
                    continue
                if attempt < attempts:
                    reason += f"; the time limit is {deadline.seconds:.3g} s"
                raise DownloadError(
                    f"{url}: gave up after {attempt} of {attempts} attempts: {reason}",
                    retry_after=retry_after,
                ) from error


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path, which replaces `path` if the block succeeds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".part.{path.name}")
    try:
        yield temporary
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _backoff(attempt: int) -> float:
    """Return the seconds to wait after an attempt, randomised to spread parallel clients."""
    return min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_BACKOFF) * random.uniform(0.5, 1)  # nosec B311


def _fetch(
    client: requests.Session,
    url: str,
    target: Path,
    timeout: tuple[float, float],
    accepted_statuses: Collection[int],
    max_bytes: float,
) -> None:
    """Send one request, and write the body to `target`."""
    with _final_answer(client, url, timeout) as answer:
        status = answer.status_code
        if status in accepted_statuses:
            _refuse_declared_size(answer, url, max_bytes)
            with open(target, "wb") as file:
                _copy(_body(answer), file, url, max_bytes)
        elif status in _RETRIED_STATUSES:
            raise _BusyError(status, _retry_after(answer))
        else:
            message = f"{url}: HTTP status {status} {answer.reason}, not retried"
            if 300 <= status < 500:
                raise RefusedError(message, "missing")
            raise DownloadError(message)


def _refuse_declared_size(answer: requests.Response, url: str, max_bytes: float) -> None:
    """Raise `RefusedError` before the body is read if its declared size is too large."""
    declared = answer.headers.get("Content-Length", "")
    if declared.isdecimal() and (len(declared) > 18 or int(declared) > max_bytes):
        raise _too_large(url, max_bytes)


def _too_large(url: str, max_bytes: float) -> RefusedError:
    return RefusedError(f"{url}: larger than {max_bytes / 1e6:,.3g} MB", "too_large")


def _copy(body: BinaryIO, file: BinaryIO, url: str, max_bytes: float) -> None:
    n_bytes = 0
    while block := body.read(_BLOCK):
        n_bytes += len(block)
        if n_bytes > max_bytes:
            raise _too_large(url, max_bytes)
        file.write(block)


# ----------------------------------------------------------------------------------- redirects


def _final_answer(
    client: requests.Session, url: str, timeout: tuple[float, float]
) -> requests.Response:
    """Return the response to a request, after redirects within the site."""
    target = url
    for n_redirects in range(_MOST_REDIRECTS + 1):
        remaining = max(_current_deadline.get().remaining(), 1e-3)  # urllib3 refuses 0
        try:
            answer = client.get(
                target,
                stream=True,
                timeout=tuple(min(seconds, remaining) for seconds in timeout),
                # Accept only what _body can decode; installed packages may add other encodings.
                headers={"Accept-Encoding": "gzip"},
            )
        except ValueError as error:
            if n_redirects == 0:
                raise
            message = f"{url}: refused a redirect to a malformed address, {target!r}: {error}"
            raise RefusedError(message, "foreign_host") from error
        if not answer.is_redirect:
            return answer
        answer.close()
        target = _redirect_target(answer)
    raise DownloadError(f"{url}: more than {_MOST_REDIRECTS} redirects")


def _redirect_target(answer: requests.Response) -> str:
    """Return the address that a redirect leads to, if it is on the same site."""
    location = answer.headers["Location"]
    try:
        target = urljoin(answer.url, location)
    except ValueError:
        target = location
    if not (target.startswith(("http://", "https://")) and same_site(target, answer.url)):
        raise RefusedError(
            f"{answer.url}: refused a redirect to another host, {target!r}", "foreign_host"
        )
    if answer.url.startswith("https:") and not target.startswith("https:"):
        raise RefusedError(
            f"{answer.url}: refused a redirect from https to http, {target!r}", "foreign_host"
        )
    return target


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


# ------------------------------------------------------------------------------------ responses


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
    with suppress(urllib3.exceptions.InvalidHeader, ValueError, OverflowError):
        return urllib3.Retry().get_retry_after(answer.raw) or 0.0
    return 0.0


# ----------------------------------------------------------------------- sessions with a deadline


class Session(requests.Session):
    """A session whose responses end at the deadline of the download, and that sends no account.

    requests limits the wait for each part of a response, not the whole. It reads ~/.netrc, which
    may hold an account of the same host.
    """

    def __init__(self):
        super().__init__()
        self.auth = lambda request: request  # with any `auth`, requests does not read ~/.netrc
        self.use(TimedAdapter())

    def use(self, adapter: HTTPAdapter) -> None:
        """Send all requests through an adapter."""
        for scheme in ("http://", "https://"):
            self.mount(scheme, adapter)

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Follow no redirect. `_final_answer` does, after it has checked the address."""


_current_deadline: ContextVar[Deadline] = ContextVar("deadline")


@contextmanager
def _reading_until(deadline: Deadline):
    token = _current_deadline.set(deadline)
    try:
        yield
    finally:
        _current_deadline.reset(token)


class _TimedReader(io.RawIOBase):
    """Reads from a socket. A read waits for the socket's timeout or until the deadline."""

    def __init__(self, raw: io.RawIOBase, sock):
        super().__init__()
        self._raw, self._socket, self._timeout = raw, sock, sock.gettimeout()
        self._deadline = _current_deadline.get()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int | None:
        remaining = self._deadline.remaining()
        if remaining == 0:
            raise TimeoutError(f"the time limit of {self._deadline.seconds:.3g} s has passed")
        self._socket.settimeout(
            remaining if self._timeout is None else min(self._timeout, remaining)
        )
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _TimedResponse(http.client.HTTPResponse):
    def __init__(self, sock, *args, **options):
        super().__init__(sock, *args, **options)
        self.fp = io.BufferedReader(_TimedReader(self.fp.detach(), sock))


class _HTTPConnection(urllib3.connection.HTTPConnection):
    response_class = _TimedResponse


class _HTTPSConnection(urllib3.connection.HTTPSConnection):
    response_class = _TimedResponse


class _HTTPPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _HTTPConnection


class _HTTPSPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _HTTPSConnection


class TimedAdapter(HTTPAdapter):
    """An adapter whose responses, with their headers, end at the deadline of the download."""

    def init_poolmanager(self, *args, **options) -> None:
        super().init_poolmanager(*args, **options)
        self._use_timed_pools(self.poolmanager)

    def proxy_manager_for(self, *args, **options):
        manager = super().proxy_manager_for(*args, **options)
        self._use_timed_pools(manager)
        return manager

    @staticmethod
    def _use_timed_pools(manager: urllib3.PoolManager) -> None:
        manager.pool_classes_by_scheme = {"http": _HTTPPool, "https": _HTTPSPool}
