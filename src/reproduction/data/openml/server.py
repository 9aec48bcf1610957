"""Client of an OpenML server that stores every response, so that nothing is requested twice.

The `openml` package parses lists and run descriptions. But it sets no timeout, retries too rarely
or for too long, and caches responses that it could not parse. All its requests therefore go
through the downloader of this project, which stores a response only if it is complete.
"""

from __future__ import annotations

import logging
import math
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import requests
from requests.adapters import HTTPAdapter

from reproduction.data.download import (
    LONGEST_WAIT,
    RETRIED_STATUSES,
    ContentError,
    DownloadError,
    download,
    same_site,
)
from reproduction.data.openml.pace import Pace
from reproduction.data.openml.reasons import ExcludedError

__all__ = ["PARSER_ERRORS", "OutageError", "Server", "is_transient"]

OML = "{http://openml.org/openml}"
PATIENCE = 300.0  # seconds without any success after which the server counts as down
ATTEMPTS = 4
PAUSE = 10.0  # seconds between two rounds of ATTEMPTS
TIMEOUT = (10.0, 60.0)  # seconds: for the connection, for each part of a response
# Exceptions that the `openml` package raises for unexpected documents:
PARSER_ERRORS = (
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    AssertionError,
    NotImplementedError,
)
_SERVER_ERRORS = range(100, 110)  # such as 107, "database busy"; not about the requested item
_NO_RESULT = (111, 372, 482, 500, 512, 542, 674)
_ERROR_STATUS = 412
_REDIRECTS = range(300, 400)

logger = logging.getLogger(__name__)


class OutageError(RuntimeError):
    """The server does not respond, or not correctly. Nothing is excluded; a later run resumes."""


class Server:
    """An OpenML server and the folder with its responses.

    Parameters
    ----------
    url : str
        The address of the API, such as ``https://www.openml.org/api/v1/xml``.
    resources : path-like
        Folder of downloads. Those of the server are in its subfolder ``openml/<host>/``.
    requests_per_second : float > 0
        Largest rate of all processes that use the folder.
    """

    def __init__(self, url: str, resources: str | Path, *, requests_per_second: float):
        self.url = url.rstrip("/")
        self.folder = Path(resources) / "openml" / _folder_name(urlsplit(self.url).netloc)
        self._session = requests.Session()
        self._session.headers["User-Agent"] = f"calibrated-metrics/{version('calibrated-metrics')}"
        adapter = _PacedAdapter(Pace(self.folder / "pace", requests_per_second))
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, adapter)
        self._failing_since = math.inf

    # ------------------------------------------------------------------------------- downloads

    def file(self, url: str, path: Path, check: Callable[[Path], object]) -> Path:
        """Download a file; see `download`. An existing file is returned without a check.

        Raises
        ------
        DownloadError
            If the download failed. `is_transient` tells whether a later attempt may succeed.
        ExcludedError
            If the file is on another host, or a redirect leads to one.
        OutageError
            If all downloads have failed for `PATIENCE` seconds, or the server asks to wait more
            than `LONGEST_WAIT` seconds.
        """
        if path.exists():
            return path
        if not self._is_on_server(url):
            raise ExcludedError("foreign_host", f"{url} is not on the host of {self.url}")
        try:
            return self._download(url, path, check, accepted_statuses=(200,))
        except DownloadError as error:
            if error.status in _REDIRECTS:
                raise ExcludedError("foreign_host", str(error)) from error
            raise

    def _is_on_server(self, url: object) -> bool:
        """Whether a value is an address on the server. Descriptions may contain any value."""
        return (
            isinstance(url, str)
            and same_site(url, self.url)
            and urlsplit(url).scheme in ("http", "https")
        )

    def _download(self, url, path, check, accepted_statuses) -> Path:
        started = time.monotonic()
        try:
            download(
                url,
                path,
                check=check,
                timeout=TIMEOUT,
                attempts=ATTEMPTS,
                session=self._session,
                accepted_statuses=accepted_statuses,
            )
        except DownloadError as error:
            self._failing_since = (
                min(self._failing_since, started) if is_transient(error) else math.inf
            )
            seconds_failing = time.monotonic() - self._failing_since
            if error.retry_after > LONGEST_WAIT:
                reason = f"asks to wait {error.retry_after:.0f} s"
            elif seconds_failing > PATIENCE:
                reason = f"has not answered for {seconds_failing / 60:.0f} minutes"
            else:
                raise
            raise OutageError(
                f"{self.url} {reason}; what was fetched is kept, run again later. "
                f"Last error: {error}"
            ) from error
        self._failing_since = math.inf
        return path

    def patiently(self, ask: Callable[[], object]):
        """Return the result of `ask`, which is repeated after temporary failures.

        Raises
        ------
        OutageError
            After `PATIENCE` seconds without success.
        """
        while True:
            try:
                return ask()
            except DownloadError as error:
                if not is_transient(error):
                    raise
                logger.warning("%s; retrying", error)
                time.sleep(PAUSE)

    # ------------------------------------------------------------------------- the openml package

    @contextmanager
    def openml(self) -> Iterator:
        """Provide the `openml` package, with its requests redirected to this server."""
        openml = _import_openml()
        calls, config = openml._api_calls, openml.config
        before = calls._send_request, config.server, config.apikey, config._root_cache_directory
        with tempfile.TemporaryDirectory() as scratch:
            calls._send_request, config.server, config.apikey = self._send, self.url, ""
            config.set_root_cache_directory(scratch)
            try:
                yield openml
            finally:
                calls._send_request, config.server, config.apikey = before[:3]
                config.set_root_cache_directory(before[3])

    def _send(self, request_method, url, data=None, files=None, md5_checksum=None):
        """Send a request of the `openml` package; this replaces its own function."""
        if request_method != "get" or files:
            raise ValueError(f"only reading is allowed, got {request_method} {url}")
        # `data` can only contain an API key, and is not sent.
        answer = requests.Response()
        answer.status_code = 200
        answer.encoding = "utf-8"
        answer.headers["Content-Encoding"] = "gzip"
        path = self.answer_path(url)
        if not path.exists():
            self._download(url, path, _check_xml, accepted_statuses=(200, _ERROR_STATUS))
        answer._content = path.read_bytes()
        error = _openml_error(path)
        if error is not None:
            raise _openml_exception(*error, url)
        return answer

    def answer_path(self, url: str) -> Path:
        """Return the path of the stored response to an address of the API."""
        return self.folder / "api" / f"{url.removeprefix(self.url).strip('/')}.xml"


def is_transient(error: DownloadError) -> bool:
    """Whether a later attempt may succeed: there was no status, or a temporary one."""
    status = error.status
    return status is None or status in RETRIED_STATUSES or status < 300 or status >= 500


class _PacedAdapter(HTTPAdapter):
    """An adapter that limits the rate of requests."""

    def __init__(self, pace: Pace):
        super().__init__()
        self._pace = pace

    def send(self, *arguments, **options):
        self._pace.wait()
        return super().send(*arguments, **options)


def _folder_name(netloc: str) -> str:
    return re.sub(r"[^\w.-]", "_", netloc)


def _import_openml():
    """Import the package with temporary folders, because importing it reads and writes files."""
    names = ("XDG_CONFIG_HOME", "OPENML_CACHE_DIR")
    before = {name: os.environ.get(name) for name in names}
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.update(dict.fromkeys(names, scratch))
        try:
            import openml
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
    return openml


def _check_xml(path: Path) -> None:
    error = _openml_error(path)
    if error is not None and error[0] in _SERVER_ERRORS:
        raise ContentError(f"OpenML error {error[0]}: {error[1]}")


def _openml_error(path: Path) -> tuple[int, str] | None:
    """Return the code and message of an error document, None for any other OpenML document."""
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise ContentError(f"not an XML document: {error}") from error
    if not root.tag.startswith(OML):
        raise ContentError(f"not an OpenML document, its root is {root.tag!r}")
    if len(root) == 0:
        raise ContentError("an OpenML document without content")
    if root.tag != f"{OML}error":
        return None
    code, message = (root.findtext(f"{OML}{name}", "").strip() for name in ("code", "message"))
    if not code.isdecimal():
        raise ContentError(f"an OpenML error without a code: {message!r}")
    return int(code), message


def _openml_exception(code: int, message: str, url: str) -> Exception:
    from openml.exceptions import OpenMLServerException, OpenMLServerNoResult

    kind = OpenMLServerNoResult if code in _NO_RESULT else OpenMLServerException
    return kind(code=code, message=message, url=url)
