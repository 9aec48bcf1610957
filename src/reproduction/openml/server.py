"""Client of an OpenML server that keeps what arrives, so that nothing is requested twice."""

from __future__ import annotations

import hashlib
import json
import logging
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
from reproduction.openml.download import Session, on_site
from reproduction.openml.reasons import ExcludedError, RefusedError

PAUSES = (0.0, 20.0, 40.0)  # seconds before each of the three times that an item is requested

logger = logging.getLogger(__name__)
_Result = TypeVar("_Result")


def patiently(ask: Callable[[], _Result]) -> _Result:
    """Return what `ask` returns, which is called three times if the server may be at fault."""
    for pause in PAUSES:
        time.sleep(pause)
        try:
            return ask()
        except ExcludedError as error:
            if error.is_final:
                raise
            logger.warning("%s", error)
            refusal = error
    raise refusal


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
        self._limits = {"seconds": seconds_per_file, "max_bytes": 1e6 * megabytes_per_file}
        user_agent = f"calibrated-metrics/{version('calibrated-metrics')}"
        self._session = Session(requests_per_second, user_agent)

    def document(self, address: str, read: Callable[[Element], _Result]) -> _Result:
        """Return what `read` makes of a document of the API."""
        return self.file(
            f"{self.url}/{address}",
            _name_of_document(address),
            lambda path: read(read_document(path)),
        )

    def file(self, url: str, name: str, read: Callable[[Path], _Result]) -> _Result:
        """Return what `read` makes of a file of the server, which is kept under a name."""
        url, path = on_site(url, self.url), self.folder / name
        if _is_intact(path):
            try:
                return read(path)
            except ExcludedError as error:
                if error.is_final:
                    raise
        final = None
        with atomic(path) as temporary:
            self._session.download(url, temporary, **self._limits)
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


def _is_intact(path: Path) -> bool:
    try:
        fact = json.loads(_fact_about(path).read_text(encoding="utf-8"))
        return fact["sha256"] == sha256_of(path)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _fact_about(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _name_of_document(address: str) -> str:
    return f"api/{address}.xml"


def _folder_name(url: str) -> str:
    """Return a name that starts with the host and differs for each base address."""
    host = re.sub(r"[^\w.-]", "_", urlsplit(url).netloc.rpartition("@")[2])
    return f"{host}-{hashlib.sha256(url.encode()).hexdigest()[:8]}"
