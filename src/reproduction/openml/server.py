"""Client of an OpenML server that keeps what arrives, so that nothing is requested twice."""

from __future__ import annotations

import hashlib
import json
import math
import re
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element  # nosec B405 # `documents` parses

from reproduction.core.io import atomic, sha256_of, write
from reproduction.openml.documents import read_document
from reproduction.openml.download import Client, same_site
from reproduction.openml.reasons import ExcludedError, RefusedError

PAUSES = (0.0, 20.0, 40.0)  # seconds before each of the three times that an item is requested
_LARGEST_DOCUMENT = 100e6  # bytes of XML; the longest list of a server has about 11 MB
_ERROR_STATUS = 412  # its body is a document that says why

_Result = TypeVar("_Result")


class Server:
    """An OpenML server and the folder with the files that it provided.

    A file is kept if its reader accepts it, or if the reason against it lies in the file. Beside
    it, a JSON file has its address and SHA-256. A file that was damaged since is requested again.
    Whatever else a server answers is not kept.
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
        self.folder = Path(resources) / "openml" / _folder_name(self.url)
        self.requests_per_second = requests_per_second
        self._seconds = seconds_per_file
        self._max_bytes = 1e6 * megabytes_per_file
        self._client = Client(
            requests_per_second,
            f"calibrated-metrics/{version('calibrated-metrics')}",
        )

    def document(self, address: str, read: Callable[[Element], _Result]) -> _Result:
        """Return what `read` makes of a document of the API."""
        return self._get(
            f"{self.url}/{address}",
            _name_of_document(address),
            lambda path: read(read_document(path)),
            statuses=(200, _ERROR_STATUS),
            max_bytes=_LARGEST_DOCUMENT,
        )

    def file(self, url: str, name: str, read: Callable[[Path], _Result]) -> _Result:
        """Return what `read` makes of a file, which is kept under a name."""
        return self._get(self._secure(url), name, read)

    def _secure(self, url: str) -> str:
        """Return an address of the server. If its API has https, so have its files."""
        if not (url.startswith(("http://", "https://")) and same_site(url, self.url)):
            raise ExcludedError("foreign_host", f"{url!r} is not on the host of {self.url}")
        if self.url.startswith("https:") and url.startswith("http:"):
            return f"https:{url.removeprefix('http:')}"
        return url

    def _get(
        self,
        url: str,
        name: str,
        read: Callable[[Path], _Result],
        statuses: tuple[int, ...] = (200,),
        max_bytes: float = math.inf,
    ) -> _Result:
        path = self.folder / name
        if self._is_intact(path):
            try:
                return read(path)
            except ExcludedError as error:
                if error.is_final:
                    raise
        final = None
        with atomic(path) as temporary:
            max_bytes = min(max_bytes, self._max_bytes)
            self._client.download(
                url, temporary, seconds=self._seconds, max_bytes=max_bytes, statuses=statuses
            )
            try:
                result = read(temporary)
            except RefusedError as error:
                raise type(error)(f"{url}: {error.detail}") from error
            except ExcludedError as error:
                if not error.is_final:
                    raise
                final = error
        write({"url": url, "sha256": sha256_of(path)}, _fact_about(path))
        if final is not None:
            raise final
        return result

    def _is_intact(self, path: Path) -> bool:
        try:
            fact = json.loads(_fact_about(path).read_text(encoding="utf-8"))
            return fact["sha256"] == sha256_of(path)
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def forget(self, name: str) -> None:
        """Remove a kept file, so that it is requested again."""
        for path in (self.folder / name, _fact_about(self.folder / name)):
            path.unlink(missing_ok=True)

    def forget_document(self, address: str) -> None:
        self.forget(_name_of_document(address))

    def day_of(self, address: str) -> str:
        """Return the day (UTC) on which a kept document arrived."""
        path = self.folder / _name_of_document(address)
        return time.strftime("%Y-%m-%d", time.gmtime(path.stat().st_mtime))


def _fact_about(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _name_of_document(address: str) -> str:
    return f"api/{address}.xml"


def _folder_name(url: str) -> str:
    """Return a name that starts with the host and differs for each base address."""
    host = re.sub(r"[^\w.-]", "_", urlsplit(url).netloc.rpartition("@")[2])
    return f"{host}-{hashlib.sha256(url.encode()).hexdigest()[:8]}"
