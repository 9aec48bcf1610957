"""Client of an OpenML server that stores every document, so that nothing is requested twice."""

from __future__ import annotations

import logging
import re
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element  # nosec B405 # `documents` parses

from reproduction.core.io import sha256_of
from reproduction.openml.deadlines import Deadline
from reproduction.openml.documents import ApiError, read_document
from reproduction.openml.download import (
    ContentError,
    DownloadError,
    RefusedError,
    Session,
    TimedAdapter,
    download,
    same_site,
)
from reproduction.openml.limits import LARGEST_DOCUMENT
from reproduction.openml.pace import Pace
from reproduction.openml.reasons import ExcludedError, may_be_an_outage

ATTEMPTS = 4
PAUSE = 10.0  # seconds between two rounds of ATTEMPTS
TIMEOUT = (10.0, 60.0)  # seconds: for the connection, for each part of a response
_ERROR_STATUS = 412

logger = logging.getLogger(__name__)
_Result = TypeVar("_Result")


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
    seconds_per_file : float > 0
        Time limit of a download with all its attempts.
    megabytes_per_file : float > 0
        Largest size of a file after decompression.
    """

    def __init__(
        self,
        url: str,
        resources: str | Path,
        *,
        requests_per_second: float,
        seconds_per_file: float = 600.0,
        megabytes_per_file: float = 2000.0,
    ):
        self.url = url.rstrip("/")
        self.folder = Path(resources) / "openml" / _folder_name(urlsplit(self.url).netloc)
        self.seconds_per_file = seconds_per_file
        self._max_bytes = 1e6 * megabytes_per_file
        self._session = Session()
        self._session.headers["User-Agent"] = f"calibrated-metrics/{version('calibrated-metrics')}"
        self._session.use(_PacedAdapter(Pace(self.folder / "pace", requests_per_second)))
        self._failing_since: dict[str, float] = {}  # by address, since the last success

    # ------------------------------------------------------------------------------------- files

    def file(
        self, url: str, path: Path, read: Callable[[Path], _Result], deadline: Deadline
    ) -> _Result:
        """Download a file, and return what `read` makes of it; see `download`.

        A truncated file may arrive complete on the next attempt. Only if `read` raises
        `ExcludedError` for the same bytes again, the file on the server is damaged.

        Raises
        ------
        DownloadError
            If the download failed. A later attempt may succeed.
        ExcludedError
            If the server responds but does not provide the file, or the file or the target of a
            redirect is on another host.
        OutageError
            If all downloads of several files have failed for `seconds_per_file`, or the server
            asks to wait longer.
        """
        if not self._is_on_server(url):
            raise ExcludedError("foreign_host", f"{url!r} is not on the host of {self.url}")
        try:
            return self._download(
                url, path, read, deadline, accepted_statuses=(200,), max_bytes=self._max_bytes
            )
        except RefusedError as error:
            raise ExcludedError(error.reason, str(error)) from error

    def _is_on_server(self, url: str) -> bool:
        return url.startswith(("http://", "https://")) and same_site(url, self.url)

    def _download(self, url, path, read, deadline, *, accepted_statuses, max_bytes):
        started = time.monotonic()
        reader = _Confirmed(read)
        try:
            download(
                url,
                path,
                check=reader,
                timeout=TIMEOUT,
                attempts=ATTEMPTS,
                deadline=deadline.within(self.seconds_per_file),
                max_bytes=max_bytes,
                session=self._session,
                accepted_statuses=accepted_statuses,
            )
        except RefusedError:
            raise
        except DownloadError as error:
            self._stop_if_down(url, started, error)
            raise
        self._failing_since.clear()
        return reader.result

    def _stop_if_down(self, url: str, started: float, error: DownloadError) -> None:
        self._failing_since.setdefault(url, started)
        seconds_failing = time.monotonic() - min(self._failing_since.values())
        if error.retry_after > self.seconds_per_file:
            reason = f"asks to wait {error.retry_after:.0f} s"
        elif len(self._failing_since) > 1 and seconds_failing >= self.seconds_per_file:
            reason = f"has not answered for {seconds_failing:.3g} s"
        else:
            return
        raise OutageError(f"{self.url} {reason}; last error: {error}") from error

    # ----------------------------------------------------------------------------- API documents

    def document(
        self, address: str, read: Callable[[Element], _Result], deadline: Deadline
    ) -> _Result:
        """Return what `read` makes of a document of the API.

        Parameters
        ----------
        address : str
            Path below the address of the API. A stored document is not requested again, unless
            it is damaged.
        read : callable
            Called with the root of the document. If it raises `ContentError`, the document is
            rejected and requested again, also if it raises `ExcludedError` for the first time.

        Raises
        ------
        ApiError
            If the server reports an error about the item.
        ExcludedError
            As raised by `read`. The document is not stored.
        DownloadError
            If there is no document, also if it is a `RefusedError`: the API reports unknown items
            in a document, so any other response means that the server does not work.
        OutageError
            As by `file`.
        """
        path = self._path_of(address)
        if path.exists():
            with suppress(ContentError, ExcludedError):
                return read(read_document(path))
            path.unlink()
        return self._request(address, path, read, deadline)

    def document_now(
        self, address: str, read: Callable[[Element], _Result], deadline: Deadline
    ) -> _Result:
        """Return what `document` does, but request the document again, and do not store it."""
        with tempfile.TemporaryDirectory() as scratch:
            return self._request(address, Path(scratch) / "document.xml", read, deadline)

    def _request(self, address, path, read, deadline):
        def read_or_error(file: Path):
            try:
                return read(read_document(file))
            except ApiError as error:  # an answer, which is stored
                return error

        url = f"{self.url}/{address}"
        result = self._download(
            url,
            path,
            read_or_error,
            deadline,
            accepted_statuses=(200, _ERROR_STATUS),
            max_bytes=min(self._max_bytes, LARGEST_DOCUMENT),
        )
        if isinstance(result, ApiError):
            raise result
        return result

    def _path_of(self, address: str) -> Path:
        return self.folder / "api" / f"{address}.xml"

    def time_of(self, address: str) -> float:
        """Return the time at which a document was stored, in seconds since the epoch."""
        return self._path_of(address).stat().st_mtime

    def forget(self, address: str) -> None:
        """Remove a stored document, so that it is requested again."""
        self._path_of(address).unlink(missing_ok=True)

    # ---------------------------------------------------------------------------------- patience

    def patiently(self, ask: Callable[[], _Result], deadline: Deadline) -> _Result:
        """Return the result of `ask`, which is repeated after temporary failures.

        Raises
        ------
        OutageError
            After `seconds_per_file` without success, at the deadline, or if the server responds
            with a final status.
        """
        deadline = deadline.within(self.seconds_per_file)
        while True:
            try:
                return ask()
            except DownloadError as error:
                if isinstance(error, RefusedError):
                    raise OutageError(str(error)) from error
                logger.warning("%s; retrying", error)
                if not deadline.sleep(PAUSE):
                    raise OutageError(
                        f"no success within the time limit of {deadline.seconds:.3g} s; "
                        f"last error: {error}"
                    ) from error


class _Confirmed:
    """A check for downloads that excludes a file only if the same bytes arrive twice.

    Content that is not an ARFF file, such as an error page, always counts as a temporary failure.
    After the download, `result` has what `read` made of the file.
    """

    def __init__(self, read: Callable[[Path], object]):
        self._read = read
        self._refused: set[str] = set()
        self.result = None

    def __call__(self, path: Path) -> None:
        try:
            self.result = self._read(path)
        except ExcludedError as error:
            digest = sha256_of(path)
            seen = digest in self._refused and error.reason != "not_arff"
            if seen or not may_be_an_outage(error.reason):
                raise
            self._refused.add(digest)
            raise ContentError(str(error)) from error


class _PacedAdapter(TimedAdapter):
    """An adapter that limits the rate of requests."""

    def __init__(self, pace: Pace):
        super().__init__()
        self._pace = pace

    def send(self, *arguments, **options):
        self._pace.wait()
        return super().send(*arguments, **options)


def _folder_name(netloc: str) -> str:
    name = re.sub(r"[^\w.-]", "_", netloc)
    return name if name.strip(".") else "_"  # never the folder itself or its parent
